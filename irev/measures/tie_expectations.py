"""What measures are worth on average over all orders of tied documents, in closed form.

Every order of the documents of a tie group is as likely as any other. A group stands at fixed
ranks, so what stands before it is known.

Source: McSherry and Najork 2008, Computing Information Retrieval Performance Measures Efficiently
in the Presence of Tied Scores, ECIR.
"""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import (
    Ints,
    RankCounter,
    TopicsByCutoffs,
    ranges,
    ratio,
    run_starts,
    running_sums,
    segment_starts,
    sums_at,
    sums_before,
)
from irev.core.judged import Judged, TieSpans
from irev.core.record import record
from irev.measures.shared import Ranks, logs, memoize


@record
class _TieGroups:
    """G tie groups, each with a relevant document, by topic and rank."""

    topic: Ints
    first: Ints
    size: Ints
    relevant: Ints
    """int64[G]: relevant documents in the group."""
    before: Ints
    """int64[G]: relevant documents at ranks before the group's first."""


@memoize
def _tie_groups_with_relevant(judged: Judged) -> _TieGroups:
    rows = judged.relevant_rows
    spans = judged.ties or TieSpans(judged.rank, np.ones_like(judged.rank))
    topic, first, size = judged.relevant_topic, spans.first[rows], spans.size[rows]
    start = run_starts(topic, first)
    begin = start[:-1]
    before = judged.relevant_nth[begin] - 1
    return _TieGroups(topic[begin], first[begin], size[begin], np.diff(start), before)


def _bounded_ranks(cutoffs: Ranks, depth: int | None) -> Ints:
    """int64[K]: the cutoffs, none behind the depth."""
    most = 2**62 if depth is None else depth
    return np.array([most if k is None else min(k, most) for k in cutoffs], np.int64)


def sums_of_relevant_precisions(
    judged: Judged, cutoffs: Ranks, depth: int | None = None
) -> TopicsByCutoffs:
    """The expected sum of precision at the relevant documents up to each cutoff.

    A group of s documents, n of them relevant, with b relevant ones before it, has at its i-th
    place, of rank r, a relevant document with probability n/s, and if so
    b + 1 + (i-1)(n-1)/(s-1) of them up to there.
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    last = np.minimum(groups.first + groups.size - 1, ranks.max())
    length = np.maximum(last + 1 - groups.first, 0)
    rank = ranges(groups.first, groups.first + length)
    group = np.repeat(np.arange(len(length)), length)
    size, relevant = groups.size[group], groups.relevant[group]
    among = ratio((rank - groups.first[group]) * (relevant - 1), size - 1)
    terms = (groups.before[group] + 1 + among) / rank * (relevant / size)
    topic = groups.topic[group]
    start = segment_starts(topic, judged.num_topics)
    count = RankCounter.build(topic, rank, start).count_all_up_to(ranks)
    return sums_at(start, running_sums(start, terms), count)


def average_precision(
    judged: Judged, cutoffs: Ranks, depth: int | None, *, denom: str = "R"
) -> TopicsByCutoffs:
    """Average precision."""
    most = judged.num_rel[:, None]
    if denom == "min":
        most = np.minimum(most, _bounded_ranks(cutoffs, None))
    return ratio(sums_of_relevant_precisions(judged, cutoffs, depth), most)


def log_average_precision(judged: Judged, cutoffs: Ranks, depth: int | None) -> TopicsByCutoffs:
    """float64[T, 1]: the logarithm of the expected average precision."""
    return logs(average_precision(judged, cutoffs, depth)[:, 0])[:, None]


def reciprocal_rank(judged: Judged, cutoffs: Ranks, depth: int | None) -> TopicsByCutoffs:
    """One over the rank of the first relevant document, 0 behind the cutoff.

    Of s tied documents, n of them relevant, the first relevant one is the (i+1)-th with the
    probability C(s-1-i, n-1) / C(s, n).
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    first_groups = np.flatnonzero(groups.before == 0)  # of its topic
    expected = np.zeros((judged.num_topics, len(ranks)))
    for group in first_groups.tolist():
        first, size, relevant = (
            int(x[group]) for x in (groups.first, groups.size, groups.relevant)
        )
        after = np.arange(1, size - relevant + 1)
        steps = (size - relevant - after + 1) / (size - after)
        chance = np.cumprod(np.append(relevant / size, steps))
        sums = sums_before(chance / (first + np.arange(len(chance))))
        expected[groups.topic[group]] = sums[np.clip(ranks - first + 1, 0, len(chance))]
    return expected


def success(judged: Judged, cutoffs: Ranks, depth: int | None) -> TopicsByCutoffs:
    """The probability of a relevant document among the first k.

    Of s tied documents, n of them relevant, the first c hold none with the probability
    C(s-n, c) / C(s, c).
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    first_groups = np.flatnonzero(groups.before == 0)  # of its topic
    inside = np.clip(
        ranks - groups.first[first_groups, None] + 1, 0, groups.size[first_groups, None]
    )
    probabilities = (inside > 0).astype(np.float64)
    certain = inside > (groups.size - groups.relevant)[first_groups, None]
    for at, column in zip(*np.nonzero((inside > 0) & ~certain), strict=True):
        size, relevant = int(groups.size[first_groups[at]]), int(groups.relevant[first_groups[at]])
        count = int(inside[at, column])
        whole = math.comb(size, count)
        probabilities[at, column] = (whole - math.comb(size - relevant, count)) / whole
    expected = np.zeros((judged.num_topics, len(ranks)))
    expected[groups.topic[first_groups]] = probabilities
    return expected
