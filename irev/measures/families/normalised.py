"""Normalised recall and precision: the sum of the ranks, or of their logarithms.

Every relevant document has a rank in them. One that was not retrieved gets the last ranks of the
collection (fill=worst), or what the ranks behind the retrieved documents have on average
(fill=mean).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from irev.core.arrays import (
    Floats,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    ratio,
    running_sums,
    segment_sums,
    sums_at,
    sums_before,
)
from irev.core.judged import Judged
from irev.measures.registry import choice, measure
from irev.measures.shared import (
    SIZE,
    NoCutoff,
    OverridingSize,
    Ranks,
    cutoff_ranks,
    relevant_at,
    size_of_collection,
)

FILL = choice(
    "ranks of relevant documents that were not retrieved: the last ranks of the collection "
    "(worst), or any rank after the retrieved ones with equal chances (mean)",
    "worst",
    "mean",
    shown=True,
)
OPTIONS = {"N": SIZE, "fill": FILL}
SOURCE = (
    "Salton and Lesk 1968, Computer Evaluation of Indexing and Text Processing, Journal of the ACM "
    "15(1); Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
)
CAUTION = (
    "It uses the ranks of all relevant documents in the whole collection; for a ranking that "
    "was cut it mostly shows how many were not retrieved."
)


@measure(
    "NormRecall",
    "Normalised recall",
    formula="1 - (sum of the ranks of the R relevant documents - R(R+1)/2) / (R(N-R))",
    source=SOURCE + "eq. 7",
    checked="paper",
    options=OPTIONS,
    example=("1 - 1 - 1", "(N=10)", 1 - 3 / 21),
    caution=CAUTION,
    cites=("salton1968computer", "rocchio1966document", "kishida2005property"),
    additive="uncut",
)
def normalised_recall(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None, fill: str = "worst"
) -> TopicsByCutoffs:
    """How near the ranks of the relevant documents come to the best, 1, and the worst, 0.

    It needs the size of the collection. A topic without relevant documents has 0; where the whole
    collection is relevant no order is wrong, and it is 1.
    """
    size = size_of_collection(judged, "NormRecall", N)
    relevant = judged.num_rel.astype(float)
    missed = relevant - judged.num_rel_ret
    if fill == "worst":
        behind = missed * size - missed * (missed - 1) / 2
    else:
        behind = missed * ((judged.num_ret + 1 + size) / 2)
    ranks = segment_sums(
        judged.relevant_topic, judged.relevant_rank.astype(float), judged.num_topics
    )
    lost = ranks + behind - relevant * (relevant + 1) / 2
    return _share_kept(judged, lost, relevant * (size - relevant), size)


@measure(
    "NormPrec",
    "Normalised precision",
    formula="1 - (sum of log(rank) of the R relevant documents - log R!) / log(N! / (R! (N-R)!))",
    source=SOURCE + "eq. 8",
    checked="paper",
    options=OPTIONS,
    example=("1 - 1 - 1", "(N=10)", 1 - math.log(15 / 6) / math.log(120)),
    caution=CAUTION,
    cites=("salton1968computer", "rocchio1966document", "kishida2005property"),
    additive="uncut",
)
def normalised_precision(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None, fill: str = "worst"
) -> TopicsByCutoffs:
    """Normalised recall with the logarithms of the ranks: the top weighs more.

    The base does not matter. With fill=mean the logarithms are averaged, not the ranks, since the
    logarithm of a mean rank could make it negative. It needs the size of the collection. A topic
    without relevant documents has 0; where the whole collection is relevant it is 1.
    """
    size = size_of_collection(judged, "NormPrec", N)
    relevant, missed = judged.num_rel, judged.num_rel - judged.num_rel_ret
    most = int(relevant.max(initial=0))
    least = _sums_of_first(log2_by_index(most + 1)[1 : most + 1])
    greatest = _sums_of_first(math.log2(size - i) for i in range(most))
    if fill == "worst":
        behind = greatest[missed]
    else:
        # the mean of log2(rank) behind the retrieved documents; 0 where none is there
        lengths, place = np.unique(judged.num_ret, return_inverse=True)
        whole = math.lgamma(size + 1)
        sums = np.array([whole - math.lgamma(length + 1) for length in lengths.tolist()])
        behind = missed * ratio(sums / math.log(2), size - lengths)[place]
    log2 = log2_by_index(int(judged.relevant_rank.max(initial=0)) + 1)
    logs = segment_sums(judged.relevant_topic, log2[judged.relevant_rank], judged.num_topics)
    lost = logs + behind - least[relevant]
    return _share_kept(judged, lost, greatest[relevant] - least[relevant], size)


@measure(
    "PRES",
    "Patent retrieval evaluation score: recall and rank among the first k",
    formula="1 - (mean rank of the R relevant documents - (R + 1) / 2) / k; those not among the "
    "first k, of which m are relevant, stand at k + m + 1, ..., k + R",
    source="Magdy and Jones 2010, PRES: A Score Metric for Evaluating Recall-Oriented Information "
    "Retrieval Applications, SIGIR",
    checked="paper",
    cutoff="required",
    example=("1 - 1 | 1", "@4", 1 - ((1 + 3 + 7) / 3 - 2) / 4),
    cites=("magdy2010pres",),
)
def patent_retrieval_score(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Recall among the first k documents, lowered by how late they come.

    k is how many documents a searcher is ready to read (the paper's N_max). With a recall of c the
    value lies between R c^2 / k and c. It is NormRecall of the first k in a collection of k + R
    documents. A topic without relevant documents has 0.
    """
    hits, relevant = relevant_at(judged, cutoffs), judged.num_rel[:, None]
    running = running_sums(judged.relevant_start, judged.relevant_rank.astype(float))
    most = np.asarray(cutoff_ranks(cutoffs), float)
    missed = relevant - hits
    behind = missed * most + (relevant * (relevant + 1) - hits * (hits + 1)) / 2
    ranks = sums_at(judged.relevant_start, running, hits) + behind
    lost = ratio(ranks, relevant) - (relevant + 1) / 2
    return np.where(relevant > 0, 1 - lost / most, 0.0)


def _share_kept(
    judged: Judged, lost: TopicValues, most_lost: TopicValues, collection_size: int
) -> TopicsByCutoffs:
    """float64[T, 1]: one minus the share that was lost of what can be lost."""
    share = np.where(judged.num_rel == collection_size, 1.0, 1 - ratio(lost, most_lost))
    return np.where(judged.num_rel > 0, share, 0.0)[:, None]


def _sums_of_first(values: Iterable[float]) -> Floats:
    """float64[N + 1]: the sums of the first 0, 1, 2, ... values."""
    return sums_before(np.fromiter(values, np.float64))
