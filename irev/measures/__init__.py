"""Measures: each a record beside its function, how they are asked for, and what is said of them.

    registry                  records of measures; of this room it knows only the table of names
    shared                    what functions of several families use, and options of several
    tie_expectations          means over the orders of tied documents, as formulas
    families/                 the measures, a module a family; they import the three above, and no
                              request
    trec_table                trec_eval's names for these measures
    requests, residuals       what is computed: a measure with its arguments and columns; columns of
                              upper bounds beside them
    sampled_sums              sums over documents of which people judged a sample
    naming/                   from names to requests; what other programs call the measures
    plugins                   measures of users
    describe, cautions        what is said of measures, in the terminal and in the documentation;
                              nothing above imports them

The room imports `core`, and nothing else of the house.

Importing this package registers the families that have names of trec_eval's. The others are
registered by `load_all`, once a measure is asked for that trec_eval does not have.
"""

from importlib import import_module

from irev.measures.registry import TREC_MEASURES, Measure, irev_measures

_FAMILIES = (
    "average_precision", "buckley", "counts", "gain", "incomplete", "interpolation", "patience",
    "precision", "preferences", "sets",
)  # fmt: skip
_FAMILIES_UNKNOWN_TO_TREC_EVAL = (
    "blended", "cascade", "compatibility", "cwl", "distance", "diversity", "global_gain", "intent",
    "normalised", "nuggets", "rpref", "screening", "search", "sharp", "stat_ap", "stratified",
    "support",
)  # fmt: skip


def load_all() -> None:
    """Register the families without a name of trec_eval's too."""
    for family in _FAMILIES_UNKNOWN_TO_TREC_EVAL:
        import_module(f"irev.measures.families.{family}")


def all_measures() -> list[Measure]:
    """All measures: trec_eval's in the order of its table, then those with named options."""
    load_all()
    return [*TREC_MEASURES.values(), *sorted(irev_measures(), key=lambda m: m.family)]


for _family in _FAMILIES:
    import_module(f"irev.measures.families.{_family}")
import_module("irev.measures.trec_table")
_in_order = sorted(TREC_MEASURES.values(), key=lambda measure: measure.position)
TREC_MEASURES.clear()
TREC_MEASURES.update((measure.name, measure) for measure in _in_order)
