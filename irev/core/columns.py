"""The columns of a result: what a measure is called there, and how it is summed up."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from irev.core.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALLEST_MEAN_FACTOR = 0.00001
"""What a topic's value counts as at least, in a geometric mean (trec_eval's MIN_GEO_MEAN)."""


@frozen(eq=True)
class Column:
    """One column of a result."""

    name: str
    """The printed name."""
    measure: str
    """The measure's name in the registry."""
    kind: str = "real"
    """real, count or text."""
    average: str = "mean"
    """mean, sum, geometric (the values are logs), error (that of a mean of independent values),
    topics (the divisor), run (the run's tag) or none."""
    per_topic: bool = True
    canonical: str = ""
    """irev's own name for it, where it is printed under another."""
    asked: int = field(default=0, compare=False)
    """Its place among the names that were asked for; of one name there may be several columns."""


def as_asked(columns: Sequence[Column]) -> list[int]:
    """The columns by their numbers, in the order in which they were asked for."""
    return sorted(range(len(columns)), key=lambda at: columns[at].asked)
