"""Average precision and its relatives: sums over the relevant documents retrieved."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, log2_table, ratio, running_sums, sum_by, sums_at
from irev.core.model import Judged
from irev.core.scores import SMALLEST_MEAN_FACTOR
from irev.measures import tied
from irev.measures.choices import BINARY
from irev.measures.elsewhere import CWL, NTCIR, PYTREC, same
from irev.measures.registry import Cutoffs, Elsewhere, measure
from irev.measures.shared import logs, once, relevant_at

STANDARD_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@once
def running_precision(judged: Judged) -> Floats:
    """float64[Jr]: the sum of precision over the relevant documents, up to and including each."""
    return running_sums(judged.relevant_start, judged.relevant_nth / judged.relevant_rank)


@once
def precision_sum(judged: Judged) -> Floats:
    """float64[T]: S, the sum of precision at the ranks of the relevant documents retrieved."""
    return sums_at(judged.relevant_start, running_precision(judged), judged.num_rel_ret)


@measure(
    "map",
    "Average precision",
    position=6,
    formula="1/R * sum over relevant documents retrieved, at rank i, of (relevant up to i) / i",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    sets=("official", "all_trec"),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("buckley2005retrieval", "trec_eval"),
    expected=tied.average_precision,
    shows=BINARY,
    divisor="relevant",
    elsewhere=(
        *same(trec="map", irm="AP", ranx="map", ntcir="AP"),
        Elsewhere(CWL, "AP", "the recall base is what was retrieved, so that the value is higher"),
    ),
)
def average_precision(judged: Judged) -> Floats:
    """The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved adds 0; a topic without relevant documents has 0.
    Unjudged documents count as not relevant. The summary is the mean over the topics.
    """
    return ratio(precision_sum(judged), judged.num_rel)


@measure(
    "gm_map",
    "Geometric mean of average precision",
    position=7,
    formula="exp(mean of log(max(map, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM; trec_eval 10",
    sets=("official", "all_trec"),
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("robertson2006gmap", "trec_eval"),
    expected=tied.log_average_precision,
    shows=BINARY,
    elsewhere=(Elsewhere(PYTREC, "gm_map", "the value of a topic is the logarithm"),),
)
def geometric_average_precision(judged: Judged) -> Floats:
    """Average precision with a geometric mean over the topics: hard topics weigh more.

    An average precision below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(average_precision(judged))


@measure(
    "map_cut",
    "Average precision of the first k documents",
    position=28,
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i",
    source="trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "2", 1 / 3),
    cites=("trec_eval",),
    expected=tied.average_precision,
    shows=BINARY,
    divisor="relevant",
    elsewhere=(
        *same(trec="map_cut.k", irm="AP@k", ranx="map@k", beir="MAP@k"),
        Elsewhere(NTCIR, "AP@k", "divides by min(R, k): AP(denom=min)@k"),
    ),
)
def average_precision_at(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """Average precision as if the ranking ended at rank k.

    The divisor stays R, the number of relevant documents, also where R is larger than k: the best
    possible value is then below 1. A topic without relevant documents has 0.
    """
    counts = relevant_at(judged, cutoffs)
    sums = sums_at(judged.relevant_start, running_precision(judged), counts)
    return ratio(sums, judged.num_rel[:, None])


@measure(
    "yaap",
    "Smoothed average precision, as log odds",
    position=54,
    formula="ln((1 + S) / (1 + R - S)), S the sum of precision at the relevant documents retrieved",
    source="Robertson 2012, On Smoothing Average Precision, ECIR; trec_eval 10",
    bounds=(-math.inf, math.inf),
    example=("2 0 - 1 | 1", "", 0.0),
    cites=("robertson2012smoothing", "trec_eval"),
    shows=BINARY,
)
def smoothed_average_precision(judged: Judged) -> Floats:
    """Average precision on a scale without ends, on which topics average better.

    Within a topic it rises with average precision; a perfect ranking has ln(1 + R), one without
    relevant documents -ln(1 + R). A topic without relevant documents has 0.
    """
    total = precision_sum(judged)
    odds = (1 + total) / (1 + judged.num_rel - total)
    return np.array([math.log(value) for value in odds.tolist()])


@measure(
    "binG",
    "G with binary gains",
    position=20,
    formula="1/R * sum over relevant documents retrieved of 1 / log2(2 + non-relevant before)",
    source="trec_eval 10 (Buckley, 2008)",
    sets=("all_trec",),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("trec_eval",),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
)
def binary_g(judged: Judged) -> Floats:
    """Each relevant document counts less the more non-relevant ones stand before it.

    Unjudged documents count as not relevant. A relevant document that was not retrieved adds 0; a
    topic without relevant documents has 0.
    """
    log2 = log2_table(int(judged.relevant_rank.max(initial=0)) + 2)
    counts = judged.relevant_rank - judged.relevant_nth
    total = sum_by(judged.relevant_topic, (1 / log2[2:])[counts], judged.num_topics)
    return ratio(total, judged.num_rel)
