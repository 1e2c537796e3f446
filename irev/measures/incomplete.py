"""Measures made for qrels in which not every document was judged."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, ratio, sum_by
from irev.core.model import Judged
from irev.core.scores import SMALLEST_MEAN_FACTOR
from irev.measures.elsewhere import RANX, same
from irev.measures.registry import Elsewhere, measure
from irev.measures.shared import logs, once

SMOOTHING = 0.00001
"""What infAP adds to counts, so that a share of nothing is a half."""


@once
def pooled_before(judged: Judged) -> Ints:
    """int64[Jr]: pooled but unjudged documents before each relevant document retrieved."""
    pooled = judged.grade == -2
    if not pooled.any():
        return np.zeros(len(judged.relevant_rows), np.int64)
    up_to = offsets(pooled)
    return up_to[judged.relevant_rows] - up_to[judged.row_start[judged.relevant_topic]]


@once
def nonrelevant_before(judged: Judged) -> Ints:
    """int64[Jr]: judged non-relevant documents before each relevant document retrieved."""
    before = judged.relevant_rows - judged.row_start[judged.relevant_topic]
    before -= judged.relevant_nth - 1
    before -= pooled_before(judged)
    return before


@measure(
    "bpref",
    "Binary preference",
    position=9,
    formula="1/R * sum over relevant documents retrieved of "
    "1 - min(judged non-relevant before, R) / min(judged non-relevant in the qrels, R)",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; "
    "trec_eval 10",
    sets=("official", "all_trec"),
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("buckley2004incomplete", "trec_eval"),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    elsewhere=(
        *same(trec="bpref", irm="Bpref"),
        Elsewhere(RANX, "bpref", "NaN where no document was judged non-relevant"),
    ),
)
@once
def binary_preference(judged: Judged) -> Floats:
    """How rarely documents judged non-relevant stand before relevant ones.

    Documents without a judgment are passed over, as if they had not been retrieved. A relevant
    document with no judged non-relevant one before it counts 1; one that was not retrieved counts
    0. A topic without relevant documents has 0.
    """
    most = np.maximum(np.minimum(judged.num_nonrel, judged.num_rel), 1)
    before = np.minimum(nonrelevant_before(judged), judged.num_rel[judged.relevant_topic])
    share = before / most[judged.relevant_topic]
    total = sum_by(judged.relevant_topic, 1 - share, judged.num_topics)
    return ratio(total, judged.num_rel)


@measure(
    "gm_bpref",
    "Geometric mean of binary preference",
    position=16,
    formula="exp(mean of log(max(bpref, 0.00001)))",
    source="trec_eval 10",
    sets=("all_trec",),
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("buckley2004incomplete", "robertson2006gmap", "trec_eval"),
)
def geometric_binary_preference(judged: Judged) -> Floats:
    """Binary preference with a geometric mean over the topics: hard topics weigh more.

    A value below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(binary_preference(judged))


@measure(
    "infAP",
    "Inferred average precision",
    position=15,
    formula="1/R * sum over relevant documents retrieved, at rank i, of 1/i + (i-1)/i * "
    "(r+m+u)/(i-1) * (r+e)/(r+m+2e); before it r relevant, m judged non-relevant, "
    "u pooled but unjudged; e = 0.00001",
    source="Yilmaz and Aslam 2006, Estimating Average Precision with Incomplete and Imperfect "
    "Judgments, CIKM; trec_eval 10",
    sets=("all_trec",),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("yilmaz2006incomplete", "trec_eval"),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    from_pools=True,
    elsewhere=same(trec="infAP", irm="infAP"),
)
def inferred_average_precision(judged: Judged) -> Floats:
    """An estimate of average precision when a random part of the pool was judged.

    Of the pooled but unjudged documents (a negative grade) the same share is taken to be relevant
    as of the judged ones before the document; a document outside the pool (not in the qrels) is
    taken to be non-relevant. A topic without relevant documents has 0.
    """
    relevant = judged.relevant_nth - 1
    above = (judged.relevant_rank - 1).astype(float)
    in_pool = relevant + nonrelevant_before(judged)
    share = (relevant + SMOOTHING) / (in_pool + 2 * SMOOTHING)
    # at rank 1 the second term is 0 whatever it is divided by
    expected = above / (above + 1) * ((in_pool + pooled_before(judged)) / np.maximum(above, 1))
    expected *= share
    expected += 1 / (above + 1)
    total = sum_by(judged.relevant_topic, expected, judged.num_topics)
    return ratio(total, judged.num_rel)
