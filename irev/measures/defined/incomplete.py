"""Measures made for qrels in which not every document was judged."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, ratio, sum_by
from irev.core.model import Judged
from irev.measures.defined.cutoffs import Ranks
from irev.measures.elsewhere import RANX, same
from irev.measures.incomplete import (
    SMOOTHING,
    binary_preference,
    nonrelevant_before,
    pooled_before,
)
from irev.measures.registry import Elsewhere, Option, defined


@defined(
    "Bpref",
    "Binary preference",
    formula="1/R * sum over relevant documents retrieved of "
    "1 - min(judged non-relevant before, R + x) / D, x being extra; D = min(N, R + x), N judged "
    "non-relevant in the qrels (te) or retrieved (te7), or D = R + x (eq)",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; "
    "trec_eval 10; eq: Yilmaz and Aslam 2006, CIKM, eq. 1",
    checked="program",
    options={
        "def": Option(
            "whose definition: trec_eval's since version 8 (te) or before (te7), or the formula "
            "of Yilmaz and Aslam (eq)",
            "te",
            kind="choice",
            choices=("te", "eq", "te7"),
            shown=True,
        ),
        "extra": Option(
            "how many non-relevant documents count beside R of them: 10 makes it bpref-10",
            0,
            kind="whole",
            low=0,
        ),
    },
    example=("2 0 - 1 | 1", "", 1 / 3),
    aliases=("BPref",),
    cites=("buckley2004incomplete", "yilmaz2006incomplete"),
    elsewhere=(
        *same(trec="bpref", irm="Bpref"),
        Elsewhere(RANX, "bpref", "NaN where no document was judged non-relevant"),
        Elsewhere("trec_eval before 8", "bpref", "Bpref(def=te7), old_bpref since"),
    ),
)
def bpref(judged: Judged, cutoffs: Ranks, *, extra: int = 0, **options: str) -> Floats:
    """How rarely documents judged non-relevant stand before relevant ones.

    Documents without a judgment are passed over, as if they had not been retrieved. A relevant
    document with no judged non-relevant one before it counts 1; one that was not retrieved counts
    0. A topic without relevant documents has 0.

    The formula in Yilmaz and Aslam's paper (def=eq), which they call bpref-10 with extra=10,
    divides by R where this divides by min(N, R). To divide by the judged non-relevant documents
    that were retrieved (def=te7) is wrong for short rankings.
    """
    # `def` is no name that Python lets a parameter have
    how = options.get("def", "te")
    if how == "te" and not extra:
        return binary_preference(judged)[:, None]
    most = judged.num_rel + extra
    if how == "te":
        divisor = np.minimum(judged.num_nonrel, most)
    else:
        divisor = most if how == "eq" else np.minimum(_nonrelevant_retrieved(judged), most)
    topic = judged.relevant_topic
    before = np.minimum(nonrelevant_before(judged), most[topic])
    total = sum_by(topic, 1 - ratio(before, divisor[topic]), judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


def _nonrelevant_retrieved(judged: Judged) -> Ints:
    return judged.num_judged_ret - judged.num_rel_ret


@defined(
    "infAP",
    "Inferred average precision",
    formula="1/R * sum over relevant documents retrieved, at rank i, of 1/i + (i-1)/i * "
    "(r+m+u)/(i-1) * (r+eps)/(r+m+2*eps); before it r relevant, m judged non-relevant, "
    "u pooled but unjudged",
    source="Yilmaz and Aslam 2006, Estimating Average Precision with Incomplete and Imperfect "
    "Judgments, CIKM; trec_eval 10",
    checked="paper",
    options={
        "eps": Option(
            "what is added to counts, so that a share of nothing is a half",
            SMOOTHING,
            low=0.0,
            high=1.0,
            shown=True,
        )
    },
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("yilmaz2006incomplete", "trec_eval"),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    from_pools=True,
    elsewhere=same(trec="infAP", irm="infAP"),
)
def inferred_average_precision(judged: Judged, cutoffs: Ranks, *, eps: float = SMOOTHING) -> Floats:
    """An estimate of average precision when a random part of the pool was judged.

    Of the pooled but unjudged documents (a negative grade) the same share is taken to be relevant
    as of the judged ones before the document; a document outside the pool (not in the qrels) is
    taken to be non-relevant. With eps=0 and nothing judged before it the share is 0. A topic
    without relevant documents has 0.

    The paper does not say what eps is. Qrels without negative grades stand for a pool that was
    judged completely.
    """
    relevant = judged.relevant_nth - 1
    above = (judged.relevant_rank - 1).astype(float)
    in_pool = relevant + nonrelevant_before(judged)
    # at rank 1 the second term is 0 whatever it is divided by
    expected = above / (above + 1) * ((in_pool + pooled_before(judged)) / np.maximum(above, 1))
    expected *= ratio(relevant + eps, in_pool + 2 * eps)
    expected += 1 / (above + 1)
    total = sum_by(judged.relevant_topic, expected, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]
