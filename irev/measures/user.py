"""Rank-biased precision: a user who looks at the next document with a fixed probability."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from irev.core.arrays import Floats, Ints, ranges, ratio, sum_by, within_segments
from irev.core.model import Judged
from irev.measures.elsewhere import CWL, IRM, NTCIR, RANX, TREC
from irev.measures.gain_lists import Pairs, gained, gains_of, steps
from irev.measures.registry import Elsewhere, GainMap, Gains, measure

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
    cites=("moffat2008rbp", "trec_eval"),
    additive=True,
    shows=("gain", "weight"),
    divisor="highest",
    elsewhere=(
        Elsewhere(
            TREC, "rbp", "p is 0.9; grades are scaled by the topic's highest where one exceeds 1"
        ),
        Elsewhere(IRM, "RBP", "p is 0.8; with rel=N binary"),
        Elsewhere(RANX, "rbp.80", "the grades themselves are the gains, so that it may exceed 1"),
        Elsewhere(NTCIR, "RBP", "p is 0.95; gains over the highest gain of the scale"),
        Elsewhere(CWL, "RBP@p", "refuses gains above 1"),
    ),
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
    """float64[T]: the highest gain of a topic's grades and of the parameters, at least 0.

    Its grades are those that occur and all whole grades below the highest one.
    """
    whole = np.zeros(judged.num_topics)
    some = np.flatnonzero(np.diff(judged.level_start))
    whole[some] = np.floor(judged.level_grade[judged.level_start[some + 1] - 1])
    # a grade with a gain of its own leaves the one below as the highest that is its own gain
    for level, _ in sorted(pairs, reverse=True):
        whole[whole == level] = max(level - 1, 0)
    step = steps(judged, pairs)
    occurring = np.zeros(judged.num_topics)
    occurring[step.topic[::-1]] = step.gain[::-1]  # the highest comes last, and stays
    given = max([0.0, *(gain for _, gain in pairs)])
    return np.maximum(np.maximum(whole, occurring), given)


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
    cites=("moffat2008rbp", "trec_eval"),
    additive="uncut",
    shows=("unjudged",),
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
    total = _unjudged_weight(judged, topics, weight, window)
    residual[topics] = weight[judged.num_ret[topics]] + (1 - p) * total
    return residual


@dataclass(frozen=True, eq=False, repr=False)
class _Stretches:
    """Ranks to sum weights over, and the judged documents among them, which add nothing."""

    first: Ints
    """The first rank of each stretch."""
    last: Ints
    """The last rank."""
    begin: Ints
    """Where its judged documents begin."""
    seen: Ints
    """How many there are."""

    def chosen(self, which: Ints) -> _Stretches:
        """Some of the stretches."""
        return _Stretches(self.first[which], self.last[which], self.begin[which], self.seen[which])


def _unjudged_weight(judged: Judged, topics: Ints, weight: Floats, window: int) -> Floats:
    """The sum of the weights at each topic's unjudged ranks, left to right.

    Only a window from the first such rank on can matter. Topics with the same unjudged ranks share
    one sum: few judgments are found in most rankings, so most look alike.
    """
    first = _first_unjudged(judged, topics)
    last = np.minimum(judged.num_ret[topics], first + window - 1)
    begin = judged.judged_start[topics] + first - 1
    seen = judged.judged_index.up_to(topics, last) - (first - 1)
    stretches = _Stretches(first, last, begin, seen)
    lone = np.zeros_like(first)
    lone[seen == 1] = judged.judged_rank[begin[seen == 1]]
    own = np.where(seen > 1, np.arange(len(topics)), -1)
    looks = np.stack((first, last, lone, own))
    order = np.lexsort(looks)
    new = np.append(True, (np.diff(looks[:, order]) != 0).any(axis=0))
    kinds = order[new]
    size = max(1, CELLS // window)
    parts = [
        _sum_stretches(judged, stretches.chosen(kinds[at : at + size]), weight)
        for at in range(0, len(kinds), size)
    ]
    total = np.empty(len(topics))
    total[order] = np.concatenate(parts)[np.cumsum(new) - 1]
    return total


def _sum_stretches(judged: Judged, of: _Stretches, weight: Floats) -> Floats:
    """The sum of the weights over each stretch, but for its judged documents."""
    ranks = of.first[:, None] + np.arange(int((of.last - of.first).max()) + 1)
    inside = ranks <= of.last[:, None]
    terms = np.where(inside, weight[np.minimum(ranks, len(weight)) - 1], 0.0)
    line = np.repeat(np.arange(len(of.first)), of.seen)
    found = judged.judged_rank[ranges(of.begin, of.begin + of.seen)]
    terms[line, found - of.first[line]] = 0.0
    total: Floats = np.cumsum(terms, axis=1)[:, -1]
    return total


def _first_unjudged(judged: Judged, topics: Ints) -> Ints:
    """The first rank of each topic at which no judged document stands."""
    nth = within_segments(judged.judged_start)
    leading = judged.judged_topic[judged.judged_rank == nth]
    return 1 + np.bincount(leading, minlength=judged.num_topics)[topics]
