"""What estimates from strata share: counts along a ranking, and how many documents strata hold.

In all of these the strata of a topic are taken one after another, in byte order of their names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    CountsByStratum,
    DocumentValues,
    Floats,
    Ints,
    TopicOfRow,
    TopicValues,
    log2_by_index,
    offsets,
    ranges,
    ratio,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.judged import SampledJudged, Strata
from irev.core.record import record
from irev.measures.registry import Option
from irev.measures.shared import memoize

ADDED_RELEVANT, ADDED_JUDGED = 0.00001, 0.00003
"""What sample_eval adds to the relevant and to the judged documents of a stratum."""

TOOL = Option(
    "whose program: NIST's of 2011, or TRECVID's of 2012",
    "nist2011",
    kind="choice",
    choices=("nist2011", "trecvid2012"),
    shown=True,
)

StratifiedRankings = SampledJudged[Strata]
"""Rankings against judgments by strata."""


@record
class NthStratum:
    """One stratum of each topic, the n-th of its names; topics with fewer have an empty one.

    size, judged, relevant  int64[T], documents of the pool, judged ones, relevant ones
    in_stratum              bool[J], the retrieved documents that are in it
    """

    size: Ints
    judged: Ints
    relevant: Ints
    in_stratum: Bools

    @property
    def weight(self) -> TopicValues:
        """How many documents a judged one stands for."""
        return ratio(self.size, self.judged)


@memoize
def nth_strata_of_topics(rankings: StratifiedRankings) -> tuple[NthStratum, ...]:
    """The n-th stratum of every topic, for n = 0, 1, ..."""
    strata, judged = rankings.sample, rankings.judged
    has_strata = rankings.qrels_topic >= 0
    number = np.where(has_strata, rankings.qrels_topic, 0)
    first = strata.start[number]
    count = np.where(has_strata, strata.start[number + 1] - first, 0)
    relevant = num_sampled_relevant_by_stratum(strata, judged.settings.level)
    place = strata.stratum_of_row[rankings.row] - first[judged.topic]
    nth_strata = []
    for n in range(int(count.max(initial=0))):
        has_nth = n < count
        at = np.where(has_nth, first + n, 0)
        nth_strata.append(
            NthStratum(
                np.where(has_nth, strata.size[at], 0),
                np.where(has_nth, strata.judged[at], 0),
                np.where(has_nth, relevant[at], 0),
                place == n,
            )
        )
    return tuple(nth_strata)


def num_sampled_relevant_by_stratum(strata: Strata, level: float) -> CountsByStratum:
    """int64[S]: the relevant documents of each stratum's sample."""
    is_relevant = strata.level_grade >= level
    counts = np.bincount(
        strata.level_stratum[is_relevant],
        strata.level_count[is_relevant],
        minlength=len(strata.names),
    )
    return counts.astype(np.int64)


@memoize
def estimated_relevant(rankings: StratifiedRankings) -> TopicValues:
    """float64[T]: R, the sum over the strata of r N / n."""
    total = np.zeros(rankings.num_topics)
    for stratum in nth_strata_of_topics(rankings):
        total += ratio(stratum.relevant * stratum.size, stratum.judged)
    return total


@record
class StratumCounts:
    """What stands before each of J retrieved documents of the pool, of one stratum.

    pooled, judged, relevant  int64[J]
    """

    stratum: NthStratum
    pooled: Ints
    judged: Ints
    relevant: Ints

    def share(self) -> DocumentValues:
        """The share of relevant documents, a third where nothing is known."""
        return (self.relevant + ADDED_RELEVANT) / (self.judged + ADDED_JUDGED)


def counts_before(
    rankings: StratifiedRankings, *, including: bool = False
) -> Iterator[StratumCounts]:
    """The counts for each stratum: strictly before each document, or including it."""
    judged = rankings.judged
    first = judged.row_start[judged.topic]

    def num_true_along_ranking(flags: Bools) -> Ints:
        up_to = offsets(flags)
        counts: Ints = (up_to[1:] if including else up_to[:-1]) - up_to[first]
        return counts

    for stratum in nth_strata_of_topics(rankings):
        in_stratum = stratum.in_stratum
        yield StratumCounts(
            stratum,
            num_true_along_ranking(in_stratum),
            num_true_along_ranking(in_stratum & judged.is_judged),
            num_true_along_ranking(in_stratum & judged.is_relevant),
        )


@memoize
def expected_precision(rankings: StratifiedRankings) -> DocumentValues:
    """The expected precision at each document, were it relevant."""
    judged = rankings.judged
    before = np.arange(len(judged.topic)) - judged.row_start[judged.topic]
    share = np.zeros(len(before))
    for counts in counts_before(rankings):
        share += ratio(counts.pooled, before) * counts.share()
    precision: Floats = 1 / judged.rank + before / judged.rank * share
    return precision


@memoize
def expected_relevant(rankings: StratifiedRankings) -> DocumentValues:
    """How many documents are expected to be relevant up to and including each one."""
    total = np.zeros(len(rankings.judged.topic))
    for counts in counts_before(rankings, including=True):
        total += counts.pooled * counts.share()
    return total


def sum_of_precisions(rankings: StratifiedRankings, stratum: NthStratum, depth: int) -> TopicValues:
    """The expected precision, summed over a stratum's relevant documents to a depth."""
    judged = rankings.judged
    rows = np.flatnonzero(stratum.in_stratum & judged.is_relevant & (judged.rank <= depth))
    return segment_sums(judged.topic[rows], expected_precision(rankings)[rows], rankings.num_topics)


def ideal_gain(rankings: SampledJudged[Strata], depth: int, tool: str) -> TopicValues:
    """The discounted gain of the ideal list down to a depth.

    As in sample_eval, a grade that begins behind the depth still has one document.
    """
    has_strata = rankings.qrels_topic >= 0
    least_grade = float(rankings.judged.settings.gain_level)
    gain_of_topic = _ideal_gain_of_topics(rankings.sample, least_grade, depth, tool)
    if not len(gain_of_topic):
        return np.zeros(rankings.num_topics)
    return np.where(has_strata, gain_of_topic[np.where(has_strata, rankings.qrels_topic, 0)], 0.0)


@memoize
def _ideal_gain_of_topics(strata: Strata, least_grade: float, depth: int, tool: str) -> TopicValues:
    """The same for each topic of the qrels."""
    topic, grade, count = _estimated_falling_grades(strata, least_grade)
    num_topics = len(strata.start) - 1
    if tool == "trecvid2012":
        return _ideal_gain_at_fractional_ranks(topic, grade, count, num_topics, depth)
    whole = np.floor(count + 0.5).astype(np.int64)
    up_to = np.cumsum(whole)
    before = up_to - whole - (up_to - whole)[segment_starts(topic, num_topics)[topic]]
    # the program looks whether it is deep enough behind the first document of a grade
    taken = np.minimum(whole, np.maximum(depth - before, 1))
    gain, topic = np.repeat(grade, taken), np.repeat(topic, taken)
    rank = ranges(before + 1, before + 1 + taken)
    discount = log2_by_index(depth + 2)[np.minimum(rank, depth) + 1]
    beyond = np.flatnonzero(rank > depth)
    discount[beyond] = [math.log2(each + 1) for each in rank[beyond].tolist()]
    return segment_sums(topic, gain / discount, num_topics)


class _FallingGrades(NamedTuple):
    """The grades of each topic, the highest first, and how many documents the pool has of each."""

    topic: TopicOfRow
    grade: Floats
    num_documents: Floats


def _estimated_falling_grades(strata: Strata, least_grade: float) -> _FallingGrades:
    """The grades above 0 that are no less than the least one."""
    rows = np.flatnonzero((strata.level_grade > 0) & (strata.level_grade >= least_grade))
    stratum, grade = strata.level_stratum[rows], strata.level_grade[rows]
    count = strata.level_count[rows] * strata.size[stratum] / strata.judged[stratum]
    topic = strata.topic[stratum]
    order = np.lexsort((stratum, -grade, topic))
    topic, grade = topic[order], grade[order]
    begin = run_starts(topic, grade)
    first = begin[:-1]
    total = segment_sums(np.repeat(np.arange(len(first)), np.diff(begin)), count[order], len(first))
    return _FallingGrades(topic[first], grade[first], total)


def _ideal_gain_at_fractional_ranks(
    topic: TopicOfRow, grade: Floats, count: Floats, num_topics: int, depth: int
) -> TopicValues:
    """The gain of whole documents of each grade, behind all that higher ones count."""
    ideal, before, last_topic = np.zeros(num_topics), 0.0, -1
    for t, gain, num_docs in zip(topic.tolist(), grade.tolist(), count.tolist(), strict=True):
        before = before if t == last_topic else 0.0
        for nth in range(1, int(num_docs) + 1):
            ideal[t] += gain / math.log2(before + nth + 1)
            if before + nth >= depth:
                break
        before, last_topic = before + num_docs, t
    return ideal
