"""Importing this package registers the families that have names of trec_eval's.

The others are registered by `load_all`, once a measure is asked for that trec_eval does not have.
"""

from importlib import import_module

from irev.measures.families import (
    average_precision,
    buckley,
    counts,
    gain,
    incomplete,
    interpolation,
    patience,
    precision,
    preferences,
    sets,
)
from irev.measures.registry import TREC_MEASURES

__all__ = [
    "average_precision",
    "buckley",
    "counts",
    "gain",
    "incomplete",
    "interpolation",
    "load_all",
    "patience",
    "precision",
    "preferences",
    "sets",
]

FURTHER = (
    "blended", "cascade", "compatibility", "cwl", "distance", "diversity", "global_gain", "intent",
    "normalised", "rpref", "screening", "search", "sharp", "stat_ap", "stratified",
)  # fmt: skip


def load_all() -> None:
    """Register the families without a name of trec_eval's too."""
    for family in FURTHER:
        import_module(f"irev.measures.families.{family}")


_ordered = sorted(TREC_MEASURES.values(), key=lambda measure: measure.position)
TREC_MEASURES.clear()
TREC_MEASURES.update((measure.name, measure) for measure in _ordered)
