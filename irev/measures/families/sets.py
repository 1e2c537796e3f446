"""Measures of what was retrieved as a set: the order does not matter."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, TopicsByCutoffs, TopicValues, ratio
from irev.core.judged import Judged
from irev.measures.families.precision import BALANCE, weighted_f
from irev.measures.registry import SET, Numbers, Option, measure
from irev.measures.shared import (
    BINARY,
    SIZE,
    WITH_RECALL,
    NoCutoff,
    OverridingSize,
    size_of_collection,
)


@measure(
    "utility",
    "Utility: weighted sum of the four kinds of documents",
    position=18,
    formula="a*rr + b*(n - rr) + c*(R - rr) + d*(N + rr - n - R), N the size of the collection",
    source="Hull 1997, The TREC-6 Filtering Track; trec_eval 10",
    sets=SET,
    parameter=Numbers((1.0, -1.0, 0.0, 0.0), length=4),
    bounds=(-math.inf, math.inf),
    example=("2 0 - 1 | 1", "1,-1,-0.5,0", -0.5),
    cites=("hull1997filtering", "trec_eval"),
    additive=True,
)
def utility(judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]) -> TopicValues:
    """What the documents are worth, each of the four kinds at its own price.

    The four weights are for relevant documents retrieved, other documents retrieved, relevant
    documents missed, and other documents not retrieved. The fourth needs the size of the collection
    (`-N`), without which it is taken to be 0.
    """
    gain, cost, miss, rest = numbers
    hits, num_ret, num_rel = judged.num_rel_ret, judged.num_ret, judged.num_rel
    value: Floats = gain * hits + cost * (num_ret - hits) + miss * (num_rel - hits)
    value += rest * (judged.settings.collection_size + hits - num_ret - num_rel)
    return value


BOOK = "van Rijsbergen 1979, Information Retrieval"


@measure(
    "SetP",
    "Precision of the set",
    formula="rr / n; with relative=true rr / min(n, R)",
    source=BOOK,
    checked="program",
    options={
        "relative": Option(
            "divide by the most relevant documents that a set of this size can hold",
            False,
            kind="flag",
        )
    },
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=BINARY,
)
def set_precision(judged: Judged, cutoffs: NoCutoff, *, relative: bool = False) -> TopicsByCutoffs:
    """The share of relevant documents among all retrieved; 0 if nothing was retrieved."""
    divisor = np.minimum(judged.num_ret, judged.num_rel) if relative else judged.num_ret
    return ratio(judged.num_rel_ret, divisor)[:, None]


@measure(
    "SetR",
    "Recall of the set",
    formula="rr / R",
    source=BOOK,
    checked="program",
    example=("2 0 - 1 | 1", "", 2 / 3),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_recall(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of all relevant documents that was retrieved; 0 if nothing is relevant."""
    return ratio(judged.num_rel_ret, judged.num_rel)[:, None]


@measure(
    "SetF",
    "F measure of the set",
    formula="(1 + beta^2) * P * R / (beta^2 * P + R), P precision and R recall of the set",
    source=BOOK,
    checked="program",
    options={"beta": BALANCE},
    example=("2 0 - 1 | 1", "(beta=2)", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_f(judged: Judged, cutoffs: NoCutoff, *, beta: float = 1.0) -> TopicsByCutoffs:
    """The weighted harmonic mean of precision and recall.

    With beta=0 it is precision, with beta=inf recall. It is 0 if no relevant document was
    retrieved.
    """
    hits, num_ret = judged.num_rel_ret.astype(float), judged.num_ret.astype(float)
    return weighted_f(hits, num_ret, judged.num_rel.astype(float), beta)[:, None]


def set_f_by_square(
    judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]
) -> TopicValues:
    """The weighted harmonic mean of precision and recall.

    The parameter x says how much more recall weighs than precision: 1 for both alike, 0 for
    precision alone; of a list only the first number is used. It is 0 if no relevant document was
    retrieved.
    """
    square = numbers[0]
    precision = ratio(judged.num_rel_ret, judged.num_ret)
    recall = ratio(judged.num_rel_ret, judged.num_rel)
    return ratio((square + 1) * precision * recall, square * precision + recall)


@measure(
    "SetE",
    "Van Rijsbergen's E: one minus the F measure of the set",
    formula="1 - (1 + beta^2) * P * R / (beta^2 * P + R)",
    source=BOOK,
    checked="not yet",
    options={"beta": BALANCE},
    higher_is_better=False,
    example=("2 0 - 1 | 1", "(beta=2)", 1 - 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_e(judged: Judged, cutoffs: NoCutoff, *, beta: float = 1.0) -> TopicsByCutoffs:
    """How far the set is from the best: 0 for exactly the relevant documents, 1 without any.

    Some textbooks and slides print the F measure under the name E.
    """
    error: Floats = 1 - set_f(judged, cutoffs, beta=beta)
    return error


@measure(
    "SetAP",
    "Precision times recall of the set",
    formula="rr^2 / (n * R)",
    source="trec_eval 10",
    checked="program",
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("trec_eval",),
    additive="uncut",
    shows=BINARY,
)
def set_average_precision(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """What average precision becomes when a set has no order.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """
    hits = judged.num_rel_ret.astype(float)
    return ratio(hits * hits, judged.num_ret.astype(float) * judged.num_rel)[:, None]


@measure(
    "ClassAccuracy",
    "Accuracy of the set as a classification of the collection",
    formula="(tp + tn) / N, tp relevant documents retrieved, tn other documents not retrieved",
    source="Manning, Raghavan and Schutze 2008, Introduction to Information Retrieval, section 8.3",
    checked="not yet",
    options={"N": SIZE},
    example=("2 0 - 1 | 1", "(N=10)", 0.7),
    caution="Hardly any document is relevant to a topic, so retrieving nothing is nearly perfect.",
    cites=("manning2008introduction",),
    additive=True,
)
def class_accuracy(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """The share of the collection that was treated rightly: relevant and retrieved, or neither.

    Documents without a judgment count as not relevant. It needs the size of the collection.
    `Accuracy` is another measure, of pairs in a ranking.
    """
    size = size_of_collection(judged, "ClassAccuracy", N)
    hits = judged.num_rel_ret
    wrong = (judged.num_ret - hits) + (judged.num_rel - hits)
    shares: Floats = (size - wrong) / float(size)
    return shares[:, None]
