"""`irev study design`: how many topics are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.gathering import gathered, gathering_options, starts_with_saved
from irev.cli.studies.testing import ALPHA, number
from irev.cli.types import whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.matrices import Matrices
    from irev.core.scores import Column
    from irev.studies.design import Aims

MEASURES = ("map",)
"""What is looked at where no measure is named."""


def design(**given: Any) -> int:
    """How many topics are needed to find a difference, what the present ones can show, and why.

    From the scores of a pilot (QRELS RUN..., or saved scores): the variance between runs, topics
    and the rest, and E rho^2 and Phi, by generalisability theory; the topics needed by the t test,
    the analysis of variance and the interval (Sakai 2016), for the estimated variance and for its
    chi^2 limits; the power of the present topics. From --variance alone, the topics needed.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    aims = _aims(given)
    if given["variance"] is not None:
        from irev.studies.design import plan

        if given["files"] or given["collections"]:
            raise UsageError("--variance is known or supposed, without files")
        return deliver(plan(number(given, "variance", 0.0), aims), given)
    from irev.plots.record import notes_of, parameters_of
    from irev.studies.design import Pilot
    from irev.studies.design import design as studied
    from irev.studies.signing import signed_by_scores

    files = given["files"]
    if len(files) < 2 and not starts_with_saved(files):
        raise click.UsageError(
            "a relevance file and runs are wanted, or saved scores, or --variance: irev study "
            "design QRELS RUN...",
            click.get_current_context(silent=True),
        )
    found = gathered(given, MEASURES)
    others = [gathered({**given, "files": (path,)}) for path in given["collections"]]
    pilots = [
        Pilot(
            column.name,
            found.matrices.of(column.name),
            [_same(each.matrices, column, found.matrices) for each in others],
        )
        for column in found.matrices.columns
    ]
    record = studied(
        pilots, aims,
        parameters={**parameters_of(found), "collections": list(given["collections"])},
        notes=notes_of(found),
    )  # fmt: skip
    every = (found.matrices, *(each.matrices for each in others))
    return deliver(signed_by_scores(record, *every), given)


def _same(other: Matrices, column: Column, first: Matrices) -> Floats:
    """The scores of another collection under the same measure, or under the only one of both."""
    from irev.measures.names import same_columns

    (at,) = same_columns([column], other.columns)
    if at is not None:
        return other.of(other.columns[at].name)
    if len(other.columns) == len(first.columns) == 1:
        return other.of(other.columns[0].name)
    raise UsageError(
        f"--collection {other.entries[0].path} has no {column.name}: {', '.join(other.measures)}"
    )


def _aims(given: dict[str, Any]) -> Aims:
    from irev.studies.design import Aims

    return Aims(
        difference=number(given, "difference", 0.1),
        alpha=number(given, "alpha", 0.05),
        power=number(given, "power", 0.8),
        width=None if given["width"] is None else number(given, "width", 0.0),
        runs=given["systems"],
        target=number(given, "target", 0.95),
        level=number(given, "limits", 0.8),
    )


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "--difference", metavar="D",
            help="The smallest difference of means that must be found. Default: 0.1.",
        ),
        ALPHA,
        Option("--power", metavar="P", help="The chance to find it. Default: 0.8."),
        Option(
            "--width", metavar="W",
            help="The width of the interval of a difference. Default: the difference.",
        ),
        Option(
            "--systems", type=whole_number(2), metavar="M",
            help="The runs of an analysis of variance. Default: those that there are.",
        ),
        Option(
            "--target", metavar="R", help="The reliability to be reached. Default: 0.95.",
        ),
        Option(
            "--limits", metavar="P",
            help="The level of the limits of an estimated variance. Default: 0.8.",
        ),
        Option(
            "--variance", metavar="V",
            help="Without files: the variance of a run's scores over topics; that of differences "
            "is twice as large.",
        ),
        Option(
            "--collection", "collections", multiple=True, metavar="FILE",
            help="Saved scores on another collection; the variance is pooled over all. May be "
            "repeated.",
        ),
    ]  # fmt: skip


command = Job(
    "design",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS] [RUN...]"),
        *_own_options(), *study_options(),
        *gathering_options(without=("classes", "weights")),
    ],
    callback=design,
    help=design.__doc__,
    epilog="Examples: irev study design qrels.txt runs/* -m map -m ndcg_cut.10 --difference 0.05;  "
    "irev study design adhoc8_ap.csv --collection adhoc7_ap.csv --output design;  "
    "irev study design --variance 0.25 --difference 0.1",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
