"""Measures: each a record beside its function, how they are asked for, and what is said of them.

    registry                  records of measures; imports nothing of this room
    shared, shared_options    what functions of several families use, and options of several
    tie_expectations          means over the orders of tied documents, as formulas
    families/                 the measures, a module a family; they import the four above and the
                              names of programs, and no request
    requests, residuals       what is computed: a measure with its arguments and columns; columns of
                              upper bounds beside them
    naming/                   from names to requests
    plugins                   measures of users
    descriptions, reference, measure_search, cautions
                              what is said of measures, in the terminal and in the documentation;
                              nothing above imports them

The room imports `core`, and nothing else of the house.

Importing this package registers the families that have names of trec_eval's. The others are
registered by `load_all`, once a measure is asked for that trec_eval does not have.
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
from irev.measures.registry import TREC_MEASURES, Measure, irev_measures

import_module("irev.measures.trec_table")

__all__ = [
    "all_measures",
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
    "normalised", "nuggets", "rpref", "screening", "search", "sharp", "stat_ap", "stratified",
    "support",
)  # fmt: skip


def load_all() -> None:
    """Register the families without a name of trec_eval's too."""
    for family in FURTHER:
        import_module(f"irev.measures.families.{family}")


def all_measures() -> list[Measure]:
    """All measures: trec_eval's in the order of its table, then those with named options."""
    load_all()
    return [*TREC_MEASURES.values(), *sorted(irev_measures(), key=lambda m: m.family)]


_ordered = sorted(TREC_MEASURES.values(), key=lambda measure: measure.position)
TREC_MEASURES.clear()
TREC_MEASURES.update((measure.name, measure) for measure in _ordered)
