"""`irev plot distribution`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import gathered
from irev.cli.plots.drawing import plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record


def make(given: dict[str, Any]) -> Record:
    """How the scores of runs are spread over the topics: boxes, means, and a point a topic."""
    from irev.plots.by_run import distribution

    return distribution(gathered(given, ("map",)))


command = plot_job(
    "distribution", make, example="-m map qrels.txt bm25.run rm3.run --output spread.svg"
)
