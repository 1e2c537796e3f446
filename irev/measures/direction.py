"""Which measures are better where they are lower."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irev.core.columns import Column


def lower_is_better(column: Column) -> bool:
    """Whether lower values of a measure are better; False for what irev does not know."""
    from irev.measures import load_all
    from irev.measures.registry import MEASURES, TREC

    load_all()
    measure = TREC.get(column.measure) or MEASURES.get(column.measure)
    return measure is not None and measure.higher_is_better is False
