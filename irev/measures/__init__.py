"""Measures: each a record beside its function, how they are asked for, and what is said of them.

    registry                  records of measures; of this room it knows only the table of names
    shared                    what functions of several families use, and options of several; means
                              over the orders of tied documents, as formulas
    families/                 the measures; they import the two above, and no request
    requests                  what is computed: a measure with its arguments and columns; what the
                              literature warns of
    naming/                   from names to requests; trec_eval's names for these measures, and what
                              other programs call them
    unjudged                  what documents that nobody judged may change: columns of bounds, and
                              sums over documents of which people judged a sample
    plugins                   measures of users
    describe                  what is said of measures, in the terminal and in the documentation;
                              nothing above imports it

The room imports `core`, and nothing else of the house.

Importing this package registers the measures that have names of trec_eval's, and those beside them.
The others are registered by `load_all`, once a measure is asked for that trec_eval does not have.
"""

from importlib import import_module

from irev.measures.registry import TREC_MEASURES, Measure, irev_measures

_KNOWN_TO_TREC_EVAL = (
    "average_precision",
    "gain",
    "incomplete",
    "patience",
    "precision",
    "preferences",
)
_UNKNOWN_TO_TREC_EVAL = (
    "answers",
    "blended",
    "collection",
    "diversity",
    "intent",
    "sampled",
    "screening",
)


def load_all() -> None:
    """Register the measures without a name of trec_eval's too."""
    for module in _UNKNOWN_TO_TREC_EVAL:
        import_module(f"irev.measures.families.{module}")


def all_measures() -> list[Measure]:
    """All measures: trec_eval's in the order of its table, then those with named options."""
    load_all()
    return [*TREC_MEASURES.values(), *sorted(irev_measures(), key=lambda m: m.family)]


for _module in _KNOWN_TO_TREC_EVAL:
    import_module(f"irev.measures.families.{_module}")
import_module("irev.measures.naming.trec_names")
_in_order = sorted(TREC_MEASURES.values(), key=lambda measure: measure.position)
TREC_MEASURES.clear()
TREC_MEASURES.update((measure.name, measure) for measure in _in_order)
