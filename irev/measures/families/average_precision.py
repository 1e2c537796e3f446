"""Average precision and its relatives: sums over the relevant documents retrieved."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import (
    RelevantValues,
    TopicsByCutoffs,
    TopicValues,
    ratio,
    running_sums,
    sums_at,
)
from irev.core.judged import SMALLEST_MEAN_FACTOR, Judged
from irev.measures import tie_expectations as tied
from irev.measures.registry import measure
from irev.measures.shared import (
    BINARY,
    DENOMINATOR,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    logs,
    memoize,
    relevant_at,
)


@memoize
def running_precision(judged: Judged) -> RelevantValues:
    """The sum of precision over the relevant documents, up to and including each."""
    return running_sums(judged.relevant_start, judged.relevant_nth / judged.relevant_rank)


@memoize
def precision_sum(judged: Judged) -> TopicValues:
    """float64[T]: S, the sum of precision at the ranks of the relevant documents retrieved."""
    return sums_at(judged.relevant_start, running_precision(judged), judged.num_rel_ret)


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
def average_precision_log_odds(judged: Judged, cutoffs: NoCutoff) -> TopicValues:
    """Average precision on a scale without ends, on which topics average better.

    Within a topic it rises with average precision; a perfect ranking has ln(1 + R), one without
    relevant documents -ln(1 + R). A topic without relevant documents has 0.
    """
    total = precision_sum(judged)
    odds = (1 + total) / (1 + judged.num_rel - total)
    return np.array([math.log(value) for value in odds.tolist()])


@measure(
    "AP",
    "Average precision",
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i; "
    "with denom=min 1/min(k, R)",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
    "eq. 3; Zhai and Massung 2016, Text Data Management and Analysis, eq. 9.1",
    checked="paper",
    options={"denom": DENOMINATOR},
    cutoff="optional",
    example=("2 0 - 1 | 1", "(denom=min)@2", 0.5),
    aliases=("MAP",),
    cites=("buckley2005retrieval", "kishida2005property", "zhai2016text"),
    expected=tied.average_precision,
    shows=BINARY,
    divisor="relevant",
)
def average_precision(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> TopicsByCutoffs:
    """The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved among the first k adds 0, so cutting a ranking never
    raises it; dividing by the retrieved relevant documents instead is a common mistake. Where R is
    larger than k the best possible value is below 1, unless denom=min. A topic without relevant
    documents has 0, unjudged documents count as not relevant, and gains do not matter.
    """
    sums = sums_at(judged.relevant_start, running_precision(judged), relevant_at(judged, cutoffs))
    divisor = judged.num_rel[:, None]
    if denom == "min":
        divisor = np.minimum(divisor, np.asarray(cutoff_ranks(cutoffs)))
    return ratio(sums, divisor)


@measure(
    "GMAP",
    "Geometric mean of average precision",
    formula="exp(mean of log(max(AP, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM",
    checked="program",
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("robertson2006gmap",),
    expected=tied.log_average_precision,
    shows=BINARY,
)
def geometric_average_precision(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """Average precision with a geometric mean over the topics: hard topics weigh more.

    An average precision below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(average_precision(judged, (None,))[:, 0])[:, None]
