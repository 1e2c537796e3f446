"""`irev plot median`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.arguments import Option
from irev.cli.gathering import gathered
from irev.cli.plots.drawing import SORT, plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record

RUN = Option(
    "--run", metavar="NAME", required=True, section="Options of the plot",
    help="The run that is shown, by the name of its file.",
)  # fmt: skip


def make(given: dict[str, Any]) -> Record:
    """How far a run is above or below the median of all runs, topic by topic.

    The run itself is among those that the median is of.
    """
    from irev.plots.by_topic import median

    return median(gathered(given, ("map",)), given["run"], sort=given["sort"])


command = plot_job(
    "median",
    make,
    RUN,
    SORT,
    example="--run rm3.run qrels.txt bm25.run rm3.run --output median.svg",
)
