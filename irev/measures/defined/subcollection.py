"""Average precision on the part of the collection that stands for its judged documents."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, RankIndex, ratio, starts_of, sum_by
from irev.core.model import Judged
from irev.errors import UsageError
from irev.measures.average_precision import average_precision
from irev.measures.defined.cutoffs import Ranks
from irev.measures.incomplete import nonrelevant_before, pooled_before
from irev.measures.registry import Option, defined
from irev.measures.shared import once

YILMAZ = "Yilmaz and Aslam 2006, Estimating Average Precision with Incomplete and Imperfect "
YILMAZ += "Judgments, CIKM"


@defined(
    "indAP",
    "Induced average precision",
    formula="1/R * sum over relevant documents retrieved of (relevant up to it) / (judged up to "
    "it)",
    source=YILMAZ,
    checked="program",
    example=("2 0 - 1 | 1", "", 5 / 9),
    cites=("yilmaz2006incomplete",),
)
def induced_average_precision(judged: Judged, cutoffs: Ranks) -> Floats:
    """Average precision once all documents without a judgment are dropped from the ranking.

    It is AP(condensed=true), never below AP, and too high where a
    pool was sampled, since the documents outside the pool, mostly not relevant, are dropped too. A
    topic without relevant documents has 0.
    """
    return average_precision(judged.as_asked(None, condensed=True))[:, None]


@defined(
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
        "mode": Option(
            "the expected value over all draws (expected), or the mean over some (drawn)",
            "expected",
            kind="choice",
            choices=("expected", "drawn"),
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
            implies=("mode", "drawn"),
        ),
    },
    example=("- 1 . - 1 | 1 0", "(p=0.5)", (3 / 4 + 2 * (1 / 8 + 1 / 6 + 1 / 16)) / 3),
    cites=("yilmaz2006incomplete",),
    from_pools=True,
)
def subcollection_average_precision(
    judged: Judged,
    cutoffs: Ranks,
    *,
    p: float | None = None,
    mode: str = "expected",
    seed: int = 0,
    draws: int = 1,
) -> Floats:
    """Average precision on a collection thinned as the judgments were.

    Pooled but unjudged documents (a negative grade) are dropped, and of the documents outside the
    pool (not in the qrels) each is kept with probability p and counts as not relevant. The paper
    draws them; this is the expected value over all draws, so that nothing is random. With p=1 it is
    AP where the pool was judged completely, with p=0 indAP. A topic without relevant documents
    has 0.

    mode=drawn is the paper's: a document is kept if the SHA-256 of seed, draw, topic and document
    falls below p, so that all runs are measured on one sub-collection.
    """
    relevant = judged.relevant_nth
    seen = relevant + nonrelevant_before(judged)
    outside = judged.relevant_rank - seen - pooled_before(judged)
    kept = _judged_share(judged) if p is None else np.full(judged.num_topics, p)
    if mode == "drawn":
        reciprocal = _drawn_reciprocal(judged, seen, kept, seed, draws)
    else:
        reciprocal = expected_reciprocal(seen, outside, kept[judged.relevant_topic])
    total = sum_by(judged.relevant_topic, relevant * reciprocal, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


def _drawn_reciprocal(judged: Judged, seen: Ints, kept: Floats, seed: int, draws: int) -> Floats:
    """float64[Jr]: the mean of 1/rank of each relevant document in the drawn sub-collections."""
    unjudged = judged.extras.unjudged
    if unjudged is None:
        if (judged.num_ret > np.diff(judged.row_start)).any():
            raise UsageError("subAP(mode=drawn): the ids of unjudged documents are not known here")
        return 1 / seen
    total = np.zeros(len(seen))
    for draw in range(draws):
        rows = np.flatnonzero(unjudged.drawn(kept, seed, draw))
        topic, rank = unjudged.topic[rows], unjudged.rank[rows]
        index = RankIndex.of(topic, rank, starts_of(topic, judged.num_topics))
        total += 1 / (seen + index.up_to(judged.relevant_topic, judged.relevant_rank))
    return total / draws


@once
def _judged_share(judged: Judged) -> Floats:
    """float64[T]: the share of each topic's pool that was judged; 1 without a pool."""
    known = judged.num_rel + judged.num_nonrel
    return ratio(known, known + judged.pooled, otherwise=1.0)


def expected_reciprocal(base: Ints, trials: Ints, p: Floats) -> Floats:
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
