"""Rank-biased precision: a user who looks at the next document with a fixed probability."""

from __future__ import annotations

import math

import numpy as np

from irev.arrays import Floats, Ints, ranges, ratio, sum_by, within_segments
from irev.measures.gain_lists import Pairs, gained, gains_of
from irev.measures.registry import GainMap, Gains, measure
from irev.model import Judged

PAPER = "Moffat and Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, "
PERSISTENCE = 0.9
FAINTEST = 2.0**-56
"""A term this much smaller than a sum changes nothing in it."""
CELLS = 1 << 16  # so that a table stays in the processor's cache


def powers(p: float, count: int) -> Floats:
    """float64[count]: p^0, p^1, ..., by repeated multiplication."""
    factors = np.full(count, p)
    factors[:1] = 1.0
    with np.errstate(over="ignore", under="ignore"):
        return np.cumprod(factors)


@measure(
    "rbp",
    "Rank-biased precision",
    position=55,
    formula="(1 - p) * sum over i of gain(i) * p^(i-1), gains scaled into 0..1",
    source=PAPER + "TOIS; trec_eval 10",
    sets=("all_trec",),
    parameter=Gains(persistence=PERSISTENCE),
    since=10,
    example=("2 0 - 1 | 1", "p=0.5", 0.53125),
)
def rank_biased_precision(judged: Judged, gains: GainMap) -> Floats:
    """The gain per document that a user sees who goes on to the next one with probability p.

    `rbp.p=0.8` sets the persistence, 0.9 by default; `rbp.p=0.8,1=0.5,2=1` gives gains to grades
    too, and a grade is its own gain otherwise. Where a topic's gains, from grade 0 to its highest
    and those given as parameters, are not all between 0 and 1, they are mapped there: the lowest
    (at most 0) to 0 and the highest to 1.
    """
    p = gains.persistence
    topic, rank, gain = _scaled(judged, gains.gains)
    weight = powers(p, int(rank.max(initial=0)))
    return (1 - p) * sum_by(topic, gain * weight[rank - 1], judged.num_topics)


def _scaled(judged: Judged, pairs: Pairs) -> tuple[Ints, Ints, Floats]:
    """Topic, rank and gain, scaled into 0..1, of the retrieved documents with a gain."""
    lowest = min([0.0, *(gain for _, gain in pairs)])
    highest = _highest_gain(judged, pairs)
    if lowest == 0:
        documents = gained(judged, pairs)
        scale = np.repeat(np.maximum(highest, 1), documents.length)
        return documents.topic, documents.rank, documents.gain / scale
    # now a gain of 0 is scaled to something else
    levels = [level for level, _ in pairs]
    if -1 in levels:
        judged = judged.with_unjudged()
    rows = np.flatnonzero((judged.grade >= 0) | np.isin(judged.grade, levels))
    topic = judged.topic[rows]
    gain = gains_of(judged.grade[rows], pairs)
    return topic, judged.rank[rows], ratio(gain - lowest, highest[topic] - lowest)


def _highest_gain(judged: Judged, pairs: Pairs) -> Floats:
    """float64[T]: the highest gain of a topic's grades and of the parameters, at least 0."""
    highest = np.zeros(judged.num_topics)
    some = np.flatnonzero(np.diff(judged.level_start))
    highest[some] = judged.level_grade[judged.level_start[some + 1] - 1]
    # a grade with a gain of its own leaves the one below as the highest that is its own gain
    for level, _ in sorted(pairs, reverse=True):
        highest[highest == level] = max(level - 1, 0)
    return np.maximum(highest, max([0.0, *(gain for _, gain in pairs)]))


@measure(
    "rbp_resid",
    "Rank-biased precision, residual",
    position=56,
    formula="p^n + (1 - p) * sum over documents without a grade, at rank i, of p^(i-1)",
    source=PAPER + "TOIS; trec_eval 10",
    sets=("all_trec",),
    parameter=Gains(persistence=PERSISTENCE, grades=False),
    higher_is_better=None,
    since=10,
    example=("2 0 - 1 | 1", "p=0.5", 0.1875),
)
def rank_biased_residual(judged: Judged, gains: GainMap) -> Floats:
    """By how much rank-biased precision could rise if all unjudged documents had the highest gain.

    It counts the retrieved documents without a judgment, pooled or not, and all that could follow
    the ranking's end. `rbp_resid.p=0.8` sets the persistence. If every retrieved document is
    judged, or nothing was retrieved, it is 0, without regard to what could follow.
    """
    p = gains.persistence
    residual = np.zeros(judged.num_topics)
    topics = np.flatnonzero(judged.num_judged_ret < judged.num_ret)
    if not len(topics):
        return residual
    longest = int(judged.num_ret.max())
    window = longest
    if 0 < p < 1:
        window = min(longest, math.ceil(math.log(FAINTEST) / math.log(p)))
    weight = powers(p, longest + 1)
    size = max(1, CELLS // window)
    for first in range(0, len(topics), size):
        block = topics[first : first + size]
        residual[block] = _weight_of_unjudged(judged, block, weight, window)
    residual[topics] = weight[judged.num_ret[topics]] + (1 - p) * residual[topics]
    return residual


def _weight_of_unjudged(judged: Judged, topics: Ints, weight: Floats, window: int) -> Floats:
    """The sum of the weights at unjudged ranks, from the first such rank to the window's end."""
    first = _first_unjudged(judged, topics)
    width = min(window, int((judged.num_ret[topics] - first).max()) + 1)
    ranks = first[:, None] + np.arange(width)
    inside = ranks <= judged.num_ret[topics][:, None]
    terms = np.where(inside, weight[np.minimum(ranks, len(weight)) - 1], 0.0)
    begin = judged.judged_start[topics] + first - 1
    seen = judged.judged_index.up_to(topics, first + width - 1) - (first - 1)
    rows = ranges(begin, begin + seen)
    line = np.repeat(np.arange(len(topics)), seen)
    terms[line, judged.judged_rank[rows] - first[line]] = 0.0
    total: Floats = np.cumsum(terms, axis=1)[:, -1]
    return total


def _first_unjudged(judged: Judged, topics: Ints) -> Ints:
    """The first rank of each topic at which no judged document stands."""
    rows = ranges(judged.judged_start[topics], judged.judged_start[topics + 1])
    start = np.concatenate(([0], np.cumsum(judged.num_judged_ret[topics])))
    leading = judged.judged_rank[rows] == within_segments(start)
    return 1 + np.bincount(
        np.repeat(np.arange(len(topics)), np.diff(start))[leading], minlength=len(topics)
    )
