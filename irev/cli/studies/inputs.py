"""How the files of a command line are given to studies."""

from collections.abc import Sequence
from typing import Any

from irev.cli.command import Inputs, qrels_and_runs
from irev.cli.commands import misused
from irev.cli.several_runs import starts_with_saved
from irev.errors import UsageError


def scored_runs(study: str, runs: str = "RUN...") -> Inputs:
    """QRELS RUN..., or saved scores alone; `study` and `runs` are for the message."""

    def inputs(files: Sequence[str]) -> Sequence[Any]:
        if not files or (len(files) < 2 and not starts_with_saved(files)):
            raise misused(
                f"give a relevance file and runs, or saved scores: irev study {study} QRELS {runs}"
            )
        return qrels_and_runs(files)

    return inputs


def check_runs(files: Sequence[str], study: str) -> None:
    """Refuse a command line without runs."""
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise misused(
            f"give a relevance file and runs, or saved scores: irev study {study} QRELS RUN..."
        )


def refuse(wrong: dict[str, Any]) -> None:
    """Refuse options that cannot be combined, before a file is opened."""
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)
