"""Gains in the ranking and in the ideal list, as the graded measures need them.

There are two views. Where only gains matter (DCG, ERR, ...) every judged document has its gain,
and the level plays no role unless the measure's own name has one (`nDCG(rel=2)`). Where relevance
and gain meet (Q, ...) only the documents that reach the level count, a gain of 0 included.
"""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RankIndex,
    offsets,
    running_sums,
    starts_of,
    within_segments,
)
from irev.core.model import Judged
from irev.errors import UsageError
from irev.measures import gain_lists
from irev.measures.choices import gain_values
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.gain_lists import GainList
from irev.measures.registry import GainValue
from irev.measures.shared import once, relevant_at


def relevant_up_to(judged: Judged, cutoffs: Ranks) -> Ints:
    """int64[T, K]: relevant documents retrieved up to each cutoff."""
    if cutoffs == (None,):
        return judged.num_rel_ret[:, None]
    return relevant_at(judged, as_ranks(cutoffs))


def recall_base(judged: Judged, cutoffs: Ranks, denom: str) -> Ints:
    """int64[T, K]: R for each cutoff, or at most the cutoff where `denom` is "min"."""
    count = np.repeat(judged.num_rel[:, None], len(cutoffs), axis=1)
    return np.minimum(count, as_ranks(cutoffs)) if denom == "min" else count


def value_at(best: GainList, sums: Floats, topic: Ints, rank: Ints) -> Floats:
    """The running sum of an ideal list at ranks of topics; flat behind its end, 0 if it is empty.

    `topic` and `rank` are int64[...] of shapes that fit together.
    """
    if not len(sums):
        return np.zeros(np.broadcast_shapes(topic.shape, rank.shape))
    length = best.length[topic]
    place = best.start[topic] + np.minimum(rank, length) - 1
    return np.where(length > 0, sums[place], 0.0)


# --- where only gains matter ---


@once
def is_the_grade(judged: Judged, gain: GainValue) -> bool:
    """Whether each document's gain is its grade."""
    grade = judged.level_grade
    return gain in ("linear", "raw") and not (grade[grade < judged.settings.gain_level] > 0).any()


def gains_of(judged: Judged, grade: Floats, gain: GainValue) -> Floats:
    """float64[...]: the gain of each grade; none below the level that the measure's name has."""
    gains = gain_values(grade, gain)
    least = judged.settings.gain_level
    return np.where(grade < least, 0.0, gains) if least else gains


@once
def gained(judged: Judged, gain: GainValue) -> GainList:
    """The retrieved documents whose gain is not 0."""
    if is_the_grade(judged, gain):
        return gain_lists.gained(judged, ())
    if not isinstance(gain, str) and any(level == -1 and value for level, value in gain):
        judged = judged.with_unjudged()
    gains = gains_of(judged, judged.grade, gain)
    rows = np.flatnonzero(gains)
    start = starts_of(judged.topic[rows], judged.num_topics)
    return GainList(start, judged.rank[rows], gains[rows])


@once
def gained_index(judged: Judged, gain: GainValue) -> RankIndex:
    """Counts each topic's retrieved documents with a gain up to given ranks."""
    if is_the_grade(judged, gain):
        return gain_lists.gained_index(judged, ())
    documents = gained(judged, gain)
    return RankIndex.of(documents.topic, documents.rank, documents.start)


@once
def gained_up_to(judged: Judged, gain: GainValue, cutoffs: Ranks) -> Ints:
    """int64[T, K]: retrieved documents with a gain at ranks up to each cutoff."""
    if cutoffs == (None,):
        return gained(judged, gain).length[:, None]
    return gained_index(judged, gain).up_to_all(as_ranks(cutoffs))


@once
def ideal(judged: Judged, gain: GainValue) -> GainList:
    """Every judged document with a positive gain, retrieved or not, the highest gain first."""
    if is_the_grade(judged, gain):
        return gain_lists.ideal(judged, ())
    gains = gains_of(judged, judged.level_grade, gain)
    return _falling(judged, gains, np.flatnonzero(gains > 0))


def _falling(judged: Judged, gains: Floats, levels: Ints) -> GainList:
    """The documents of some rows of the grade table, each topic's highest gain first."""
    topic, count = judged.level_topic[levels], judged.level_count[levels]
    order = np.lexsort((-gains[levels], topic))
    length = np.bincount(topic, count, minlength=judged.num_topics).astype(np.int64)
    start = offsets(length)
    return GainList(start, within_segments(start), np.repeat(gains[levels][order], count[order]))


# --- where relevance and gain meet ---


@once
def relevant_gained(judged: Judged, gain: GainValue) -> GainList:
    """The relevant documents retrieved, with their gains."""
    gains = gain_values(judged.grade[judged.relevant_rows], gain)
    return GainList(judged.relevant_start, judged.relevant_rank, gains)


@once
def relevant_ideal(judged: Judged, gain: GainValue) -> GainList:
    """All relevant documents, retrieved or not, the highest gain first; R rows for each topic."""
    if gain == "linear" and gain_lists.gain_is_relevance(judged, ()):
        return gain_lists.ideal(judged, ())
    gains = gain_values(judged.level_grade, gain)
    return _falling(judged, gains, np.flatnonzero(judged.level_grade >= judged.settings.level))


@once
def cumulated_gain(judged: Judged, gain: GainValue) -> Floats:
    """float64[Jr]: the gains of the relevant documents up to and including each one."""
    return running_sums(judged.relevant_start, relevant_gained(judged, gain).gain)


@once
def ideal_cumulated_gain(judged: Judged, gain: GainValue) -> Floats:
    """float64[]: the gains of `relevant_ideal` up to and including each of its documents."""
    best = relevant_ideal(judged, gain)
    return running_sums(best.start, best.gain)


@once
def ideal_gain_at_relevant(judged: Judged, gain: GainValue) -> Floats:
    """float64[Jr]: the cumulated gain of the ideal list at the rank of each relevant document."""
    best, sums = relevant_ideal(judged, gain), ideal_cumulated_gain(judged, gain)
    return value_at(best, sums, judged.relevant_topic, judged.relevant_rank)


# --- the scale ---


def top_gain(judged: Judged, gain: GainValue, highest: float) -> float:
    """The highest gain of a scale of grades that ends at `highest`.

    Raises:
        UsageError: a grade lies beyond the scale.
    """
    found = float(judged.level_grade.max(initial=0.0))
    if found > highest:
        raise UsageError(
            f"grade {found:g} is above the highest grade of the scale, {highest:g}; "
            f"write max={found:g} or more"
        )
    top = float(gain_values(np.array([highest], np.float64), gain)[0])
    listed = () if isinstance(gain, str) else gain
    return max([top, *(value for level, value in listed if level <= highest)])
