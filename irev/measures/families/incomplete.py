"""Measures made for qrels in which not every document was judged."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RankCounter,
    RelevantValues,
    RowValues,
    TopicsByCutoffs,
    TopicValues,
    lengths_of,
    offsets,
    ratio,
    segment_starts,
    segment_sums,
)
from irev.core.judged import POOLED, SMALLEST_MEAN_FACTOR, Judged
from irev.errors import UsageError
from irev.measures.families.average_precision import average_precision
from irev.measures.registry import ALL_TREC, LARGEST_COUNT, Option, choice, measure
from irev.measures.shared import NEGATIVE, NoCutoff, logs, memoize

YILMAZ = "Yilmaz and Aslam 2006, Estimating Average Precision with Incomplete and Imperfect "
YILMAZ += "Judgments, CIKM"
SMOOTHING = 0.00001
"""What infAP adds to counts, so that a share of nothing is a half; e of `naming.trec_names`."""


@memoize
def pooled_unjudged_before(judged: Judged) -> Ints:
    """int64[Jr]: pooled but unjudged documents before each relevant document retrieved."""
    pooled = judged.grade == POOLED
    if not pooled.any():
        return np.zeros(len(judged.relevant_rows), np.int64)
    up_to = offsets(pooled)
    return up_to[judged.relevant_rows] - up_to[judged.row_start[judged.relevant_topic]]


@memoize
def nonrelevant_before(judged: Judged) -> Ints:
    """int64[Jr]: judged non-relevant documents before each relevant document retrieved."""
    before = judged.relevant_rows - judged.row_start[judged.relevant_topic]
    before -= judged.relevant_nth - 1
    before -= pooled_unjudged_before(judged)
    return before


@memoize
def binary_preference(judged: Judged) -> TopicValues:
    """Bpref as trec_eval has it."""
    most = np.maximum(np.minimum(judged.num_nonrel, judged.num_rel), 1)
    before = np.minimum(nonrelevant_before(judged), judged.num_rel[judged.relevant_topic])
    share = before / most[judged.relevant_topic]
    total = segment_sums(judged.relevant_topic, 1 - share, judged.num_topics)
    return ratio(total, judged.num_rel)


@measure(
    "gm_bpref",
    "Geometric mean of binary preference",
    position=16,
    formula="exp(mean of log(max(bpref, 0.00001)))",
    source="trec_eval 10",
    sets=ALL_TREC,
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("buckley2004incomplete", "robertson2006gmap", "trec_eval"),
)
def geometric_binary_preference(judged: Judged, cutoffs: NoCutoff) -> TopicValues:
    """Binary preference with a geometric mean over the topics: hard topics weigh more.

    A value below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(binary_preference(judged))


# `def` is no name that Python lets a parameter or a field have
BprefDefinition = TypedDict("BprefDefinition", {"def": Literal["te", "te7", "eq"]}, total=False)


@measure(
    "Bpref",
    "Binary preference",
    formula="1/R * sum over relevant documents retrieved of "
    "1 - min(judged non-relevant before, R + x) / D, x being extra; D = min(N, R + x), N judged "
    "non-relevant in the qrels (te) or retrieved (te7), or D = R + x (eq)",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; "
    "trec_eval 10; eq: Yilmaz and Aslam 2006, CIKM, eq. 1",
    checked="program",
    options={
        "def": choice(
            "whose definition: trec_eval's since version 8 (te) or before (te7), or the formula "
            "of Yilmaz and Aslam (eq)",
            "te",
            "eq",
            "te7",
            shown=True,
        ),
        "extra": Option(
            "how many non-relevant documents count in addition to R: 10 makes it bpref-10",
            0,
            kind="whole",
            low=0,
            high=LARGEST_COUNT,
        ),
        "negative": NEGATIVE,
    },
    example=("2 0 - 1 | 1", "", 1 / 3),
    aliases=("BPref",),
    cites=("buckley2004incomplete", "yilmaz2006incomplete"),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    # Yilmaz and Aslam 2006 hold it too against average precision
    estimates="AP",
)
def bpref(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    extra: int = 0,
    negative: str = "unjudged",
    **def_option: Unpack[BprefDefinition],
) -> TopicsByCutoffs:
    """How rarely documents judged non-relevant rank above relevant ones.

    Documents without a judgment are passed over, as if they had not been retrieved. A relevant
    document with no judged non-relevant one before it counts 1; one that was not retrieved counts
    0. A topic without relevant documents has 0.

    The formula in Yilmaz and Aslam's paper (def=eq), which they call bpref-10 with extra=10,
    divides by R where this divides by min(N, R). To divide by the judged non-relevant documents
    that were retrieved (def=te7) is wrong for short rankings.

    A document with a negative grade has no judgment; ranx takes it for one that was judged
    non-relevant (negative=judged).
    """
    definition, is_judged = def_option.get("def", "te"), negative == "judged"
    if definition == "te" and not extra and not is_judged:
        return binary_preference(judged)[:, None]
    most = divisor = judged.num_rel + extra
    if definition == "te":
        num_nonrel = judged.num_nonrel + (judged.num_pooled_unjudged if is_judged else 0)
        divisor = np.minimum(num_nonrel, most)
    elif definition != "eq":
        num_judged_ret = lengths_of(judged.row_start) if is_judged else judged.num_judged_ret
        divisor = np.minimum(num_judged_ret - judged.num_rel_ret, most)
    topic = judged.relevant_topic
    before = nonrelevant_before(judged) + (pooled_unjudged_before(judged) if is_judged else 0)
    before = np.minimum(before, most[topic])
    total = segment_sums(topic, 1 - ratio(before, divisor[topic]), judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


@measure(
    "infAP",
    "Inferred average precision",
    formula="1/R * sum over relevant documents retrieved, at rank i, of 1/i + (i-1)/i * "
    "(r+m+u)/(i-1) * (r+eps)/(r+m+2*eps); before it r relevant, m judged non-relevant, "
    "u pooled but unjudged",
    source=YILMAZ + "; trec_eval 10",
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
    shows=("relevant", "nonrelevant", "pooled", "expected precision"),
    divisor="relevant",
    estimates="AP",
    from_pools=True,
)
def inferred_average_precision(
    judged: Judged, cutoffs: NoCutoff, *, eps: float = SMOOTHING
) -> TopicsByCutoffs:
    """An estimate of average precision when a random part of the pool was judged.

    Of the pooled but unjudged documents (a negative grade) the same share is taken to be relevant
    as of the judged ones before the document; a document outside the pool (not in the qrels) is
    taken to be non-relevant. With eps=0 and nothing judged before it the share is 0. A topic
    without relevant documents has 0.

    The paper does not say what eps is. Qrels without negative grades mean a pool that was
    judged completely.
    """
    relevant_before = judged.relevant_nth - 1
    above = (judged.relevant_rank - 1).astype(float)
    judged_before = relevant_before + nonrelevant_before(judged)
    # at rank 1 the second term is 0 whatever it is divided by
    in_pool = judged_before + pooled_unjudged_before(judged)
    expected_precision = above / (above + 1) * (in_pool / np.maximum(above, 1))
    expected_precision *= ratio(relevant_before + eps, judged_before + 2 * eps)
    expected_precision += 1 / (above + 1)
    total = segment_sums(judged.relevant_topic, expected_precision, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


@measure(
    "indAP",
    "Induced average precision",
    formula="1/R * sum over relevant documents retrieved of (relevant up to it) / (judged up to "
    "it)",
    source=YILMAZ,
    checked="program",
    example=("2 0 - 1 | 1", "", 5 / 9),
    cites=("yilmaz2006incomplete",),
    shows=("relevant", "nonrelevant", "judged precision"),
    divisor="relevant",
    estimates="AP",
)
def induced_average_precision(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """Average precision once all documents without a judgment are dropped from the ranking.

    It is AP(condensed=true), never below AP, and too high where a pool was sampled, since the
    documents outside the pool, mostly not relevant, are dropped too. A topic without relevant
    documents has 0.
    """
    return average_precision(judged.at_level(None, condensed=True), (None,))


MOST_DRAWS = 1000
"""Of sub-collections: each draw is a SHA-256 of every unjudged document."""


@measure(
    "subAP",
    "Sub-collection average precision",
    formula="1/R * sum over relevant documents retrieved of r * E[1/(j + B)]; up to the document r "
    "relevant and j judged ones, B binomial with p over the documents outside the pool before it",
    source=YILMAZ + "; the expectation: irev",
    checked="program",
    options={
        "p": Option(
            "the share of documents outside the pool that is kept; without it the judged share of "
            "the topic's pool",
            None,
            low=0.0,
            high=1.0,
        ),
        "mode": choice(
            "the expected value over all draws (expected), or the mean over some (drawn)",
            "expected",
            "drawn",
        ),
        "seed": Option(
            "what the draws depend on; naming it implies mode=drawn",
            0,
            kind="whole",
            implies=("mode", "drawn"),
        ),
        "draws": Option(
            "how many draws there are; naming it implies mode=drawn",
            1,
            kind="whole",
            low=1,
            high=MOST_DRAWS,
            implies=("mode", "drawn"),
        ),
    },
    example=("- 1 . - 1 | 1 0", "(p=0.5)", (3 / 4 + 2 * (1 / 8 + 1 / 6 + 1 / 16)) / 3),
    cites=("yilmaz2006incomplete",),
    shows=("relevant", "nonrelevant", "outside the pool"),
    divisor="relevant",
    from_pools=True,
    estimates="AP",
)
def subcollection_average_precision(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    p: float | None = None,
    mode: str = "expected",
    seed: int = 0,
    draws: int = 1,
) -> TopicsByCutoffs:
    """Average precision on a collection thinned as the judgments were.

    Pooled but unjudged documents (a negative grade) are dropped, and of the documents outside the
    pool (not in the qrels) each is kept with probability p and counts as not relevant. The paper
    draws them; this is the expected value over all draws, so that nothing is random. With p=1 it is
    AP where the pool was judged completely, with p=0 indAP. A topic without relevant documents
    has 0.

    mode=drawn is the paper's: a document is kept if the SHA-256 of seed, draw, topic and document
    falls below p, so that all runs are measured on one sub-collection.
    """
    judged_nth = judged.relevant_nth + nonrelevant_before(judged)
    outside_pool = judged.relevant_rank - judged_nth - pooled_unjudged_before(judged)
    if p is None:
        num_judged = judged.num_rel + judged.num_nonrel
        share = ratio(num_judged, num_judged + judged.num_pooled_unjudged, if_zero=1.0)
    else:
        share = np.full(judged.num_topics, p)
    if mode == "drawn":
        reciprocal = _mean_reciprocal_rank_over_draws(judged, judged_nth, share, seed, draws)
    else:
        reciprocal = expected_reciprocal(judged_nth, outside_pool, share[judged.relevant_topic])
    total = segment_sums(judged.relevant_topic, judged.relevant_nth * reciprocal, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


def _mean_reciprocal_rank_over_draws(
    judged: Judged, judged_nth: Ints, judged_share: TopicValues, seed: int, num_draws: int
) -> RelevantValues:
    """The mean of 1/rank of each relevant document in the drawn sub-collections.

    judged_nth    int64[Jr], its rank among the judged documents
    judged_share  float64[T], how likely a document outside the qrels is drawn
    """
    unjudged = judged.extras.unjudged
    if unjudged is None:
        if (judged.num_ret > np.diff(judged.row_start)).any():
            raise UsageError("subAP(mode=drawn): the ids of unjudged documents are not known here")
        return 1 / judged_nth
    total = np.zeros(len(judged_nth))
    for draw in range(num_draws):
        rows = np.flatnonzero(unjudged.sampled_mask(judged_share, seed, draw))
        topic, rank = unjudged.topic[rows], unjudged.rank[rows]
        index = RankCounter.build(topic, rank, segment_starts(topic, judged.num_topics))
        total += 1 / (judged_nth + index.count_up_to(judged.relevant_topic, judged.relevant_rank))
    return total / num_draws


def expected_reciprocal(base: Ints, trials: Ints, p: Floats) -> RowValues:
    """float64[N]: E[1/(base + B)] for B binomial with `trials` and `p`; base at least 1.

    With E(m) for m trials, partial integration of t^(base-1) (1 - p + p t)^m over [0, 1] gives
    E(m) = (1 + m (1-p) E(m-1)) / (base + m). All terms are positive and an error shrinks at every
    step, so that the result is exact to a few units in the last place.
    """
    order = np.argsort(-trials, kind="stable")
    start, most, rest = base[order].astype(np.float64), trials[order], 1 - p[order]
    value = 1 / start
    # the first `active` entries have at least m trials
    active = np.searchsorted(-most, -np.arange(1, int(most.max(initial=0)) + 1), "right")
    for m, count in enumerate(active.tolist(), 1):
        value[:count] = (1 + m * rest[:count] * value[:count]) / (start[:count] + m)
    result = np.empty(len(value))
    result[order] = value
    return result
