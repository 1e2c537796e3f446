"""`irev study enumerate`: all rankings of a few graded documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.studies.choices import grades_present, options_of, real_numbers, shared
from irev.cli.types import whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def enumerate_rankings(**given: Any) -> int:
    """Score every ranking of a few relevant documents, and compare the measures over them.

    Each document stands at one of the ranks or was not retrieved: three documents and five ranks
    make 136 rankings. Printed are mean and standard deviation of each measure, Pearson's
    correlation of every two, and the scores of rankings that were picked, with their ratios.
    """
    if given["files"]:
        raise UsageError(f"irev study enumerate reads no file: {given['files'][0]}")
    from irev.studies.enumeration import enumeration

    ranks = given["ranks"]
    present = grades_present(given["present"])
    picked = [_picked(text, ranks) for words in given["picked"] for text in words.split()]
    record = enumeration(
        present, ranks, given["measures"], picked=picked, options=options_of(given)
    )
    return deliver(record, given)


def _picked(text: str, ranks: int) -> Sequence[float]:
    """A ranking: a digit for each rank, or grades with commas."""
    row = real_numbers("--pick", text if "," in text else ",".join(text))
    if len(row) != ranks:
        raise UsageError(f"--pick {text}: {ranks} grades are wanted, one for each rank")
    return row


command = Job(
    "enumerate",
    params=[
        click.Argument(["files"], nargs=-1, metavar=""),
        Option(
            "--grades-present", "present", default="3,2,1", metavar="GRADES",
            help="The grades of the relevant documents. Default: 3,2,1.",
        ),
        Option(
            "--ranks", type=whole_number(1, 1000), default=5, metavar="N",
            help="How many ranks there are. Default: 5.",
        ),
        Option(
            "--pick", "picked", multiple=True, metavar="RANKING",
            help="Show this ranking by itself, a digit a rank (30210) or grades with commas, "
            "and its scores over those of the rankings picked before it; may be repeated.",
        ),
        *shared("MSR@N, AvgNDCG(disc=jk,b=2)@N, Q(beta=1), genAP, AP", "compat"),
        *study_options(),
    ],
    callback=enumerate_rankings,
    help=enumerate_rankings.__doc__,
    epilog="Example: irev study enumerate --grades-present 3,2,1 --ranks 5 --pick 32000 --pick "
    "00123 -m ndcg_cut.5 -m genAP",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
