"""Measures over several groups of judgments for a topic (`-R qrels_jg`).

Each group is a judged list of its own, the same ranking against the group's judgments. The
functions give a value for each list; a topic's value is the mean over its groups, in byte order of
the groups' names.
"""

from __future__ import annotations

from irev.core.arrays import Floats
from irev.core.model import Judged
from irev.measures import tied
from irev.measures.average_precision import STANDARD_CUTOFFS, average_precision
from irev.measures.choices import BINARY
from irev.measures.precision import precision_at
from irev.measures.recall_points import MULTIPLES, precision_at_multiples
from irev.measures.registry import Cutoffs, Fractions, measure


@measure(
    "map_avgjg",
    "Average precision, averaged over judgment groups",
    position=51,
    formula="mean of map over the topic's judgment groups",
    source="trec_eval 10",
    sets=("qrels_jg",),
    needs="qrels_jg",
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("trec_eval",),
    expected=tied.average_precision,
    shows=BINARY,
)
def average_precision_of_groups(judged: Judged) -> Floats:
    """Average precision by each judgment group on its own, averaged over the topic's groups.

    A group without relevant documents counts as 0.
    """
    return average_precision(judged)


@measure(
    "P_avgjg",
    "Precision at k, averaged over judgment groups",
    position=52,
    formula="mean of P at k over the topic's judgment groups",
    source="trec_eval 10",
    sets=("qrels_jg",),
    needs="qrels_jg",
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "5", 0.4),
    cites=("trec_eval",),
    additive=True,
    shows=BINARY,
)
def precision_of_groups(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """Precision at k by each judgment group on its own, averaged over the topic's groups.

    A document that a group did not judge is not relevant to it.
    """
    return precision_at(judged, cutoffs)


@measure(
    "Rprec_mult_avgjg",
    "Precision at multiples of R, averaged over judgment groups",
    position=53,
    formula="mean of Rprec_mult over the topic's judgment groups",
    source="trec_eval 10",
    sets=("qrels_jg",),
    needs="qrels_jg",
    parameter=Fractions(MULTIPLES),
    example=("2 0 - 1 | 1", "1.2", 0.5),
    cites=("trec_eval",),
    additive=True,
    shows=BINARY,
)
def precision_at_multiples_of_groups(judged: Judged, multiples: tuple[float, ...]) -> Floats:
    """Precision at multiples of R by each judgment group on its own, averaged over the groups.

    R is the number of documents that the group at hand holds as relevant.
    """
    return precision_at_multiples(judged, multiples)
