"""Gains of what was retrieved and of the ideal list, and their discounted sums.

There are two views. Where only gains matter (DCG, ERR, ...) every judged document has its gain,
and the level plays no role unless the measure's own name has one (`nDCG(rel=2)`). Where relevance
and gain meet (Q, ...) only the documents that reach the level count, a gain of 0 included.

A grade that is given no gain has itself as its gain; a document without a grade has 0 unless -1
(not in the qrels) or -2 (pooled but unjudged) is given one. The ideal list holds all judged
documents with a positive gain, retrieved or not, the highest gain first.
"""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RankCounter,
    RelevantValues,
    RowIndices,
    TopicCounts,
    TopicCountsByCutoffs,
    TopicOfRow,
    TopicValues,
    lengths_of,
    log2_by_index,
    offsets,
    ranks_in_segments,
    running_sums,
    segment_starts,
)
from irev.core.judged import Judged
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.registry import GainValue
from irev.measures.shared import (
    Ranks,
    cutoff_ranks,
    memoize,
    memoize_for_same_judged_lists,
    relevant_at,
)
from irev.measures.shared_options import gain_values

MOST_TABLED = 1 << 20
"""Logarithms of larger whole numbers are not tabled."""


@record
class GainList:
    """Documents with their gains: G rows, ordered by topic and rank."""

    start: Ints
    """int64[T+1]: each topic's slice of the rows."""
    rank: Ints
    """int64[G]"""
    gain: Floats
    """float64[G]"""

    @property
    def num_topics(self) -> int:
        """T."""
        return len(self.start) - 1

    @property
    def length(self) -> TopicCounts:
        """How many rows each topic has."""
        return lengths_of(self.start)

    @property
    def topic(self) -> TopicOfRow:
        """int64[G]: the topic of each row."""
        return np.arange(self.num_topics).repeat(self.length)


@record
class GainSteps:
    """The ideal list in short: one row for each grade with a positive gain, the highest first."""

    topic: Ints
    gain: Floats
    num_docs: Ints
    """How many documents have that grade."""


def recall_base(judged: Judged, cutoffs: Ranks, denom: str) -> TopicCountsByCutoffs:
    """int64[T, K]: R for each cutoff, or at most the cutoff where `denom` is "min"."""
    count = np.repeat(judged.num_rel[:, None], len(cutoffs), axis=1)
    return np.minimum(count, cutoff_ranks(cutoffs)) if denom == "min" else count


def ideal_sum_at(ideal: GainList, running: DocumentValues, topic: Ints, rank: Ints) -> Floats:
    """float64[...]: the running sum of an ideal list at ranks of topics.

    It is flat behind the list's end, 0 if it is empty; `topic` and `rank` are int64[...] of shapes
    that fit together.
    """
    if not len(running):
        return np.zeros(np.broadcast_shapes(topic.shape, rank.shape))
    length = ideal.length[topic]
    place = ideal.start[topic] + np.minimum(rank, length) - 1
    return np.where(length > 0, running[place], 0.0)


# --- where only gains matter ---


@memoize_for_same_judged_lists
def gain_is_relevance(judged: Judged, gain: GainValue) -> bool:
    """Whether the relevant documents are those with a gain, and it their grade, as it mostly is."""
    level = judged.settings.level
    between = (judged.level_grade > 0) & (judged.level_grade < level)
    return gain in ("linear", "raw") and level > 0 and not between.any()


def gains_of(judged: Judged, grade: Floats, gain: GainValue) -> Floats:
    """float64[...]: the gain of each grade; none below the level that the measure's name has."""
    gains = gain_values(grade, gain)
    least = judged.settings.gain_level
    return np.where(grade < least, 0.0, gains) if least else gains


@memoize
def nonzero_gain_documents(judged: Judged, gain: GainValue) -> GainList:
    """The retrieved documents whose gain is not 0."""
    if gain_is_relevance(judged, gain):
        grade = judged.grade[judged.relevant_rows]
        return GainList(judged.relevant_start, judged.relevant_rank, grade)
    if not isinstance(gain, str) and any(level == -1 and value for level, value in gain):
        judged = judged.include_unjudged()
    gains = gains_of(judged, judged.grade, gain)
    rows = gains.nonzero()[0]
    start = segment_starts(judged.topic[rows], judged.num_topics)
    return GainList(start, judged.rank[rows], gains[rows])


@memoize
def nonzero_gain_rank_counter(judged: Judged, gain: GainValue) -> RankCounter:
    """Counts each topic's retrieved documents with a gain up to given ranks."""
    if gain_is_relevance(judged, gain):
        return judged.relevant_index
    documents = nonzero_gain_documents(judged, gain)
    return RankCounter.build(documents.topic, documents.rank, documents.start)


@memoize
def num_nonzero_gains_at(judged: Judged, gain: GainValue, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """Retrieved documents with a gain at ranks up to each cutoff."""
    if cutoffs == (None,):
        return nonzero_gain_documents(judged, gain).length[:, None]
    ranks = cutoff_ranks(cutoffs)
    if gain_is_relevance(judged, gain):
        return relevant_at(judged, ranks)
    return nonzero_gain_rank_counter(judged, gain).count_all_up_to(ranks)


@memoize_for_same_judged_lists
def gain_steps(judged: Judged, gain: GainValue) -> GainSteps:
    """The grades with a positive gain, topic after topic, the highest gain first."""
    gains = gains_of(judged, judged.level_grade, gain)
    return _highest_gain_first(judged, gains, (gains > 0).nonzero()[0])


def _highest_gain_first(judged: Judged, gains: Floats, level_rows: RowIndices) -> GainSteps:
    """Some rows of the grade table, each topic's highest gain first."""
    order = level_rows[np.lexsort((-gains[level_rows], judged.level_topic[level_rows]))]
    return GainSteps(judged.level_topic[order], gains[order], judged.level_count[order])


def _documents_of_steps(judged: Judged, steps: GainSteps) -> GainList:
    """The documents of those grades, one after another."""
    length = np.bincount(steps.topic, steps.num_docs, minlength=judged.num_topics)
    start = offsets(length.astype(np.int64))
    return GainList(start, ranks_in_segments(start), np.repeat(steps.gain, steps.num_docs))


@memoize_for_same_judged_lists
def ideal_list(judged: Judged, gain: GainValue) -> GainList:
    """The ideal list: every judged document with a positive gain, the highest gain first."""
    return _documents_of_steps(judged, gain_steps(judged, gain))


@memoize
def ideal_rows_at_document_ranks(judged: Judged, gain: GainValue) -> RowIndices:
    """int64[G]: for each retrieved document with a gain, the ideal list's row at its rank.

    Past the end of its topic's ideal list it is the last row, and the row before the topic's first
    where the ideal list is empty.
    """
    documents, ideal = nonzero_gain_documents(judged, gain), ideal_list(judged, gain)
    place = np.minimum(documents.rank, np.repeat(ideal.length, documents.length))
    place += np.repeat(ideal.start[:-1] - 1, documents.length)
    return place


def log2_of(values: Floats) -> Floats:
    """The base-2 logarithm of each value, as the C library has it."""
    top = float(values.max(initial=0))
    whole = values.astype(np.int64) if 0 <= top < MOST_TABLED else np.zeros(0, np.int64)
    if np.array_equal(whole, values) and values.min(initial=1) > 0:
        return log2_by_index(int(top) + 1)[whole]
    return np.array([_log2(value) for value in values.tolist()])


def _log2(value: float) -> float:
    """As in C, where math.log2 would raise an error."""
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


# --- where relevance and gain meet ---


@memoize
def relevant_documents(judged: Judged, gain: GainValue) -> GainList:
    """The relevant documents retrieved, with their gains."""
    gains = gain_values(judged.grade[judged.relevant_rows], gain)
    return GainList(judged.relevant_start, judged.relevant_rank, gains)


@memoize
def relevant_ideal_list(judged: Judged, gain: GainValue) -> GainList:
    """All relevant documents, retrieved or not, the highest gain first; R rows for each topic."""
    if gain_is_relevance(judged, gain):
        return ideal_list(judged, gain)
    gains = gain_values(judged.level_grade, gain)
    relevant = np.flatnonzero(judged.level_grade >= judged.settings.level)
    return _documents_of_steps(judged, _highest_gain_first(judged, gains, relevant))


@memoize
def relevant_running_gain(judged: Judged, gain: GainValue) -> RelevantValues:
    """The gains of the relevant documents up to and including each one."""
    return running_sums(judged.relevant_start, relevant_documents(judged, gain).gain)


@memoize
def relevant_ideal_running_gain(judged: Judged, gain: GainValue) -> Floats:
    """float64[]: the gains of `relevant_ideal_list` up to and including each of its documents."""
    ideal = relevant_ideal_list(judged, gain)
    return running_sums(ideal.start, ideal.gain)


@memoize
def ideal_gain_at_relevant(judged: Judged, gain: GainValue) -> RelevantValues:
    """The cumulated gain of the ideal list at the rank of each relevant document."""
    ideal, sums = relevant_ideal_list(judged, gain), relevant_ideal_running_gain(judged, gain)
    return ideal_sum_at(ideal, sums, judged.relevant_topic, judged.relevant_rank)


# --- the scale ---


def checked_top_gain(judged: Judged, gain: GainValue, highest_grade: float) -> float:
    """The highest gain of a scale that ends at a grade; judged grades above it are refused."""
    highest_judged = float(judged.level_grade.max(initial=0.0))
    if highest_judged > highest_grade:
        raise UsageError(
            f"grade {highest_judged:g} is above the highest grade of the scale, "
            f"{highest_grade:g}; write max={highest_judged:g} or more"
        )
    top = float(gain_values(np.array([highest_grade], np.float64), gain)[0])
    pairs = () if isinstance(gain, str) else gain
    return max([top, *(value for grade, value in pairs if grade <= highest_grade)])


@memoize
def highest_judged_gain(judged: Judged, gain: GainValue) -> TopicValues:
    """The highest gain that a topic's judgments hold; 0 without any."""
    steps = gain_steps(judged, gain)
    highest = np.zeros(judged.num_topics)
    highest[steps.topic[::-1]] = steps.gain[::-1]  # the highest comes last, and stays
    return highest
