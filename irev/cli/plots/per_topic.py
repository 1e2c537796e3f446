"""`irev plot per-topic`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.gathering import gathered
from irev.cli.plots.drawing import SORT, plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record


def make(given: dict[str, Any]) -> Record:
    """A bar for each topic and run, a panel for each measure."""
    from irev.plots.by_topic import per_topic

    return per_topic(gathered(given, ("map",)), sort=given["sort"])


command = plot_job("per-topic", make, SORT, example="-m map qrels.txt bm25.run --output topics.svg")
