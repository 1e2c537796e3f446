"""`irev plot scatter`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import gathered, starts_with_saved
from irev.cli.plots.drawing import plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record


def make(given: dict[str, Any]) -> Record:
    """Two runs against each other, a point for each topic, and who is better on how many."""
    from irev.plots.by_topic import scatter

    found = gathered(given, ("map",))
    first = given["files"][0 if starts_with_saved(given["files"]) else 1]
    paths = [entry.path for entry in found.matrices.entries]
    # two runs of one file have no order but that of their names
    return scatter(found, first if paths.count(first) == 1 else None)


command = plot_job(
    "scatter", make, example="-m map qrels.txt bm25.run rm3.run --output scatter.svg"
)
