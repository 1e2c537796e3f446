"""How the files of a command line are given to studies."""

from collections.abc import Sequence
from typing import Any

import click

from irev.cli.command import FilesToJobInputs, qrels_and_runs_or_saved_scores
from irev.cli.commands import usage_error
from irev.cli.saved_files import starts_with_saved
from irev.engine.run_files import run_files
from irev.jobs.studies.reproduction import ROLES
from irev.read.formats import GRADED, JUDGMENTS, format_names

ONLY_GRADES = f"Format of QRELS: {format_names({name: JUDGMENTS[name] for name in GRADED})}."
"""The help of -R where judgments must be grades of documents."""


def scored_runs(study: str, runs: str = "RUN...") -> FilesToJobInputs:
    """QRELS RUN..., or saved scores alone; `study` and `runs` are for the message."""

    def inputs(files: Sequence[str]) -> Sequence[Any]:
        if not files or (len(files) < 2 and not starts_with_saved(files)):
            raise usage_error(
                f"give qrels and runs, or saved scores: irev study {study} QRELS {runs}"
            )
        return qrels_and_runs_or_saved_scores(files)

    return inputs


def qrels_and_several_runs(study: str, runs: str) -> FilesToJobInputs:
    """QRELS RUN..., two runs or more; `study` and `runs` are for the message."""

    def inputs(files: Sequence[str]) -> Sequence[Any]:
        run_paths = list(run_files(files[1:]).regular())
        if not run_paths or (len(run_paths) < 2 and not _is_table_of_several_runs(run_paths[0])):
            raise usage_error(f"give qrels and two runs or more: irev study {study} QRELS {runs}")
        return files[0], run_paths

    return inputs


def _is_table_of_several_runs(path: str) -> bool:
    from irev.engine.run_files import runs_in_table_if_several
    from irev.read.columns import columns_by_field

    columns = click.get_current_context().params.get("columns") or {}
    return len(runs_in_table_if_several(path, columns_by_field(dict(columns)))) > 1


def qrels_pair_and_no_or_several_runs(files: Sequence[str]) -> Sequence[Any]:
    """QRELS QRELS [RUN...], without runs or with several."""
    if len(files) < 2 or (len(files) == 3 and not _is_table_of_several_runs(files[2])):
        raise usage_error(
            "give two qrels files, and no runs or several: irev study agreement QRELS "
            "QRELS [RUN...]"
        )
    return files[0], files[1], [*run_files(files[2:]).regular()]


def qrels_and_runs_or_variance_option(files: Sequence[str]) -> Sequence[Any]:
    """QRELS RUN..., or saved scores; with --variance nothing, which the job looks after."""
    if click.get_current_context().params.get("variance") is not None:
        return [list(files) or None]
    if len(files) < 2 and not starts_with_saved(files):
        raise usage_error(
            "give qrels and runs, or saved scores, or --variance: irev study design QRELS RUN..."
        )
    return qrels_and_runs_or_saved_scores(files)


def run_pair(files: Sequence[str]) -> Sequence[str]:
    """RUN RUN."""
    if len(files) != 2:
        raise usage_error("give two runs: irev study overlap RUN RUN")
    return files


def one_qrels_unless_run_options_are_saved(qrels_paths: Sequence[str]) -> Sequence[str | None]:
    """QRELS, or nothing if the four runs, which options name, are saved scores."""
    option_values = click.get_current_context().params
    for role in ROLES:
        if option_values.get(role) is None:
            raise usage_error(f"give four runs: --{role.replace('_', '-')} is missing")
    are_saved = starts_with_saved([option_values[role] for role in ROLES])
    if len(qrels_paths) != (0 if are_saved else 1):
        hint = "saved scores need no QRELS" if are_saved else "give one qrels file"
        raise usage_error(
            f"{hint}: irev study reproduction QRELS --baseline RUN --advanced RUN "
            "--new-baseline RUN --new-advanced RUN"
        )
    return qrels_paths or [None]
