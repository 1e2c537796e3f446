"""Gains of what was retrieved and of the ideal list, and their discounted sums.

A grade that is given no gain has itself as its gain; a document without a grade has 0 unless -1
(not in the qrels) or -2 (pooled but unjudged) is given one. The ideal list holds all judged
documents with a positive gain, retrieved or not, the highest gain first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RankIndex,
    log2_table,
    offsets,
    running_sums,
    starts_of,
    within_segments,
)
from irev.core.model import Judged
from irev.measures.shared import once, relevant_at

Pairs: TypeAlias = tuple[tuple[int, float], ...]
"""(grade, gain) for the grades whose gain is not the grade itself."""

MOST_TABLED = 1 << 20
"""Logarithms of larger whole numbers are not tabled."""


@dataclass(frozen=True, eq=False, repr=False)
class GainList:
    """Documents with their gains: G rows, ordered by topic and rank."""

    start: Ints
    """int64[T+1]: each topic's slice of the rows."""
    rank: Ints
    """int64[G]"""
    gain: Floats
    """float64[G]"""

    @property
    def length(self) -> Ints:
        """int64[T]: how many rows each topic has."""
        return np.diff(self.start)

    @property
    def topic(self) -> Ints:
        """int64[G]: the topic of each row."""
        return np.repeat(np.arange(len(self.start) - 1), self.length)


@dataclass(frozen=True, eq=False, repr=False)
class Steps:
    """The ideal list in short: one row for each grade with a positive gain, the highest first."""

    topic: Ints
    gain: Floats
    count: Ints


def gains_of(grade: Floats, pairs: Pairs) -> Floats:
    """The gain of each grade."""
    gain = np.maximum(grade, 0.0)
    for level, value in pairs:
        gain[grade == level] = value
    return gain


@once
def gain_is_relevance(judged: Judged, pairs: Pairs) -> bool:
    """Whether the relevant documents are those with a gain, as they mostly are."""
    level = judged.settings.level
    between = (judged.level_grade > 0) & (judged.level_grade < level)
    return not pairs and level > 0 and not between.any()


@once
def gained(judged: Judged, pairs: Pairs) -> GainList:
    """The retrieved documents whose gain is not 0."""
    if gain_is_relevance(judged, pairs):
        gain = judged.grade[judged.relevant_rows]
        return GainList(judged.relevant_start, judged.relevant_rank, gain)
    if any(level == -1 and value != 0 for level, value in pairs):
        judged = judged.with_unjudged()
    gain = gains_of(judged.grade, pairs) if pairs else judged.grade
    rows = np.flatnonzero(gain != 0 if pairs else gain > 0)
    start = starts_of(judged.topic[rows], judged.num_topics)
    return GainList(start, judged.rank[rows], gain[rows])


@once
def steps(judged: Judged, pairs: Pairs) -> Steps:
    """The grades with a positive gain, topic after topic, the highest gain first."""
    gain = gains_of(judged.level_grade, pairs)
    order = np.lexsort((-gain, judged.level_topic))
    order = order[gain[order] > 0]
    return Steps(judged.level_topic[order], gain[order], judged.level_count[order])


@once
def ideal(judged: Judged, pairs: Pairs) -> GainList:
    """The ideal list: every judged document with a positive gain, the highest gain first."""
    level = steps(judged, pairs)
    length = np.bincount(level.topic, level.count, minlength=judged.num_topics)
    start = offsets(length.astype(np.int64))
    return GainList(start, within_segments(start), np.repeat(level.gain, level.count))


@once
def gained_index(judged: Judged, pairs: Pairs) -> RankIndex:
    """Counts each topic's retrieved documents with a gain up to given ranks."""
    if gain_is_relevance(judged, pairs):
        return judged.relevant_index
    documents = gained(judged, pairs)
    return RankIndex.of(documents.topic, documents.rank, documents.start)


def gained_at(judged: Judged, pairs: Pairs, cutoffs: tuple[int, ...]) -> Ints:
    """int64[T, K]: retrieved documents with a gain at ranks up to each cutoff."""
    if gain_is_relevance(judged, pairs):
        return relevant_at(judged, cutoffs)
    return gained_index(judged, pairs).up_to_all(cutoffs)


@once
def ideal_place(judged: Judged, pairs: Pairs) -> Ints:
    """int64[G]: for each retrieved document with a gain, the ideal list's row at its rank.

    Past the end of its topic's ideal list it is the last row, and the row before the topic's first
    where the ideal list is empty.
    """
    documents, best = gained(judged, pairs), ideal(judged, pairs)
    place = np.minimum(documents.rank, np.repeat(best.length, documents.length))
    place += np.repeat(best.start[:-1] - 1, documents.length)
    return place


def running_dcg(documents: GainList) -> Floats:
    """float64[G]: gain / log2(rank + 1), summed up to and including each row."""
    log2 = log2_table(int(documents.rank.max(initial=0)) + 2)
    return running_sums(documents.start, documents.gain / log2[1:][documents.rank])


@once
def gained_dcg(judged: Judged, pairs: Pairs) -> Floats:
    """float64[G]: the DCG of the ranking up to and including each document with a gain."""
    return running_dcg(gained(judged, pairs))


@once
def ideal_running_dcg(judged: Judged, pairs: Pairs) -> Floats:
    """float64[G]: the DCG of the ideal list up to and including each of its documents."""
    return running_dcg(ideal(judged, pairs))


def log2_of(values: Floats) -> Floats:
    """The base-2 logarithm of each value, as the C library has it."""
    top = float(values.max(initial=0))
    whole = values.astype(np.int64) if 0 <= top < MOST_TABLED else np.zeros(0, np.int64)
    if np.array_equal(whole, values) and values.min(initial=1) > 0:
        return log2_table(int(top) + 1)[whole]
    return np.array([_log2(value) for value in values.tolist()])


def _log2(value: float) -> float:
    """As in C, where math.log2 would raise an error."""
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan
