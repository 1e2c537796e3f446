"""`irev plot cutoffs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import gathered
from irev.cli.plots.drawing import plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record


MEASURES = ("P", "recall", "ndcg_cut")
"""What is drawn where no measure is named."""


def make(given: dict[str, Any]) -> Record:
    """The mean of measures at each of their cutoffs, a line for each run."""
    from irev.plots.by_run import cutoffs

    return cutoffs(gathered(given, MEASURES))


command = plot_job(
    "cutoffs",
    make,
    measures=MEASURES,
    example="-m nDCG@1,2,5,10 qrels.txt bm25.run rm3.run --output cutoffs.svg",
)
