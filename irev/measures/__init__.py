"""Importing this package registers every measure; one module for each family."""

from irev.measures import (
    average_precision,
    counts,
    gain,
    groups,
    incomplete,
    precision,
    preferences,
    recall_points,
    sets,
    user,
)
from irev.measures.registry import REGISTRY

__all__ = [
    "average_precision",
    "counts",
    "gain",
    "groups",
    "incomplete",
    "precision",
    "preferences",
    "recall_points",
    "sets",
    "user",
]

_ordered = sorted(REGISTRY.values(), key=lambda measure: measure.position)
REGISTRY.clear()
REGISTRY.update((measure.name, measure) for measure in _ordered)
