"""The ideal list that judgments by strata stand for."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, Ints, log2_table, ranges, run_starts, starts_of, sum_by
from irev.core.sampled import SampledJudged, Strata
from irev.measures.shared import once


def ideal_gain(rankings: SampledJudged[Strata], depth: int, tool: str) -> Floats:
    """float64[T]: the discounted gain of the ideal list down to a depth.

    As in sample_eval, a grade that begins behind the depth still has one document.
    """
    known = rankings.number >= 0
    best = _ideal(rankings.sample, float(rankings.judged.settings.gain_level), depth, tool)
    if not len(best):
        return np.zeros(rankings.num_topics)
    return np.where(known, best[np.where(known, rankings.number, 0)], 0.0)


@once
def _ideal(strata: Strata, least: float, depth: int, tool: str) -> Floats:
    """float64[topics of the qrels]."""
    topic, grade, count = _estimated(strata, least)
    topics = len(strata.start) - 1
    if tool == "trecvid2012":
        return _with_fractional_ranks(topic, grade, count, topics, depth)
    whole = np.floor(count + 0.5).astype(np.int64)
    up_to = np.cumsum(whole)
    before = up_to - whole - (up_to - whole)[starts_of(topic, topics)[topic]]
    # the program looks whether it is deep enough behind the first document of a grade
    taken = np.minimum(whole, np.maximum(depth - before, 1))
    gain, topic = np.repeat(grade, taken), np.repeat(topic, taken)
    rank = ranges(before + 1, before + 1 + taken)
    discount = log2_table(depth + 2)[np.minimum(rank, depth) + 1]
    beyond = np.flatnonzero(rank > depth)
    discount[beyond] = [math.log2(each + 1) for each in rank[beyond].tolist()]
    return sum_by(topic, gain / discount, topics)


def _estimated(strata: Strata, least: float) -> tuple[Ints, Floats, Floats]:
    """(topic, grade, number of documents), by topic and falling grade, of the grades above 0."""
    rows = np.flatnonzero((strata.level_grade > 0) & (strata.level_grade >= least))
    stratum, grade = strata.level_stratum[rows], strata.level_grade[rows]
    count = strata.level_count[rows] * strata.size[stratum] / strata.judged[stratum]
    topic = strata.topic[stratum]
    order = np.lexsort((stratum, -grade, topic))
    topic, grade = topic[order], grade[order]
    begin = run_starts(topic, grade)
    first = begin[:-1]
    total = sum_by(np.repeat(np.arange(len(first)), np.diff(begin)), count[order], len(first))
    return topic[first], grade[first], total


def _with_fractional_ranks(
    topic: Ints, grade: Floats, count: Floats, topics: int, depth: int
) -> Floats:
    """Whole documents of each grade, the first of them behind what all higher ones come to."""
    best, before, last = np.zeros(topics), 0.0, -1
    for t, gain, number in zip(topic.tolist(), grade.tolist(), count.tolist(), strict=True):
        before = before if t == last else 0.0
        for place in range(1, int(number) + 1):
            best[t] += gain / math.log2(before + place + 1)
            if before + place >= depth:
                break
        before, last = before + number, t
    return best
