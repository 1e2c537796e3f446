"""`irev study overlap`: two runs as rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.studies.testing import number


def overlap(**given: Any) -> int:
    """How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

    No judgments are needed. Documents of equal scores are tied. Of documents that are not seen the
    point value (ext) supposes that they agree as those seen do; min and max are what they can make
    of it, res is max - min.

    A topic that one run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.studies.overlap import overlap as studied

    if len(given["files"]) != 2:
        raise click.UsageError(
            "two runs are wanted: irev study overlap RUN RUN",
            click.get_current_context(silent=True),
        )
    record = studied(
        *given["files"], p=number(given, "persistence", 0.9, "-p"), ties=given["ties"],
        decimal_comma=given["decimal"] == "comma", watched=_watched,
    )  # fmt: skip
    return deliver(record, given)


def _watched(topics: Sequence[Any]) -> Iterable[Any]:
    from irev.cli.progress import shown

    return shown(topics, len(topics), "topics")


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "-p", "--persistence", metavar="P",
            help="How far down a reader goes: the first 10 ranks weigh 86% at 0.9. Default: 0.9.",
        ),
        Option(
            "--ties", type=click.Choice(["a", "b", "w"]), default="a",
            help="Tied documents: the mean over all their orders (a, the default), that corrected "
            "so that a ranking has 1 with itself (b), or one shared rank (w).",
        ),
        Option(
            "--decimal", type=click.Choice(["point", "comma"]), default="point",
            help="Whether the scores may have a decimal comma. Default: point.",
        ),
    ]  # fmt: skip


command = Job(
    "overlap",
    params=[
        click.Argument(["files"], nargs=-1, metavar="RUN RUN"), *_own_options(), *study_options(),
    ],
    callback=overlap,
    help=overlap.__doc__,
    epilog="Example: irev study overlap bm25.run rm3.run -p 0.95 --ties w",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
