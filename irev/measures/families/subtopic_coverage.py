"""What documents cover of a topic's subtopics: in rankings, in the judgments, and at best.

A document covers a subtopic for which its grade reaches the level. Subtopics that no document
covers play no role.
"""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    RankIndex,
    ranges,
    ratio,
    running_sums,
    starts_of,
    sum_by,
    sums_at,
    within_segments,
)
from irev.core.record import record
from irev.core.views import SubtopicJudged, Subtopics
from irev.measures.families.gain_lists import GainList
from irev.measures.shared import Ranks, cutoff_ranks, once


@record
class CoveredSubtopics:
    """One row for each retrieved document and subtopic that it covers: by topic, rank, subtopic.

    topic     which ranking
    rank      from 1
    row       which of the J rows of the rankings the document is
    subtopic  0..S-1
    grade     the document's grade for it
    nth       how many documents of the ranking cover the subtopic, this one included
    """

    topic: Ints
    rank: Ints
    row: Ints
    subtopic: Ints
    grade: Floats
    nth: Ints


@once
def entries_at_level(subtopics: Subtopics, level: float) -> Bools:
    """bool[E]: which entries reach the level."""
    return subtopics.entry_grade >= level


@once
def num_covering_documents(subtopics: Subtopics, level: float) -> Ints:
    """int64[S]: how many judged documents cover each subtopic."""
    entries = subtopics.entry_subtopic[entries_at_level(subtopics, level)]
    return np.bincount(entries, minlength=subtopics.num_subtopics)


@once
def num_coverable_subtopics(subtopics: Subtopics, level: float) -> Ints:
    """int64[T]: M, how many subtopics of each topic a document covers."""
    found = np.flatnonzero(num_covering_documents(subtopics, level))
    return np.bincount(subtopics.topic_of_subtopic[found], minlength=subtopics.num_topics)


def mean_over_subtopics(subtopics: Subtopics, level: float, values: Floats) -> Floats:
    """float64[T]: the mean of values of the S subtopics: plain, or by their probabilities.

    Only subtopics that a document covers count; where there are probabilities, those of the
    others are lost.
    """
    chosen = num_covering_documents(subtopics, level) > 0
    if subtopics.probability is None:
        total = sum_by(
            subtopics.topic_of_subtopic, np.where(chosen, values, 0.0), subtopics.num_topics
        )
        return ratio(total, num_coverable_subtopics(subtopics, level))
    weighted = np.where(chosen, subtopics.probability * values, 0.0)
    return sum_by(subtopics.topic_of_subtopic, weighted, subtopics.num_topics)


def values_of_rankings(judged: SubtopicJudged, values: Floats | Ints) -> Floats:
    """float64[T, ...]: values of the judgments' topics for each ranking; 0 where it has none."""
    result = np.zeros((judged.num_topics, *values.shape[1:]))
    known = judged.number >= 0
    result[known] = values[judged.number[known]]
    return result


@once
def covered_subtopics(judged: SubtopicJudged) -> CoveredSubtopics:
    """What the retrieved documents cover."""
    subtopics, rankings = judged.subtopics, judged.judged
    first = subtopics.entry_start[judged.row]
    after = subtopics.entry_start[judged.row + 1]
    entries = ranges(first, after)
    row = np.repeat(np.arange(len(judged.row)), after - first)
    keep = entries_at_level(subtopics, rankings.settings.level)[entries]
    entries, row = entries[keep], row[keep]
    subtopic = subtopics.entry_subtopic[entries]
    order = np.argsort(subtopic, kind="stable")
    nth = np.empty(len(row), np.int64)
    nth[order] = within_segments(starts_of(subtopic[order], subtopics.num_subtopics))
    grade = subtopics.entry_grade[entries]
    return CoveredSubtopics(rankings.topic[row], rankings.rank[row], row, subtopic, grade, nth)


@once
def novelty_gains(judged: SubtopicJudged, alpha: float) -> GainList:
    """The retrieved documents that cover something, each with its gain of novelty.

    The gain is the sum of (1 - alpha)^c over the subtopics that it covers, c being the number of
    documents before it that cover the subtopic.
    """
    found, rankings = covered_subtopics(judged), judged.judged
    left = powers(1.0 - alpha, int(found.nth.max(initial=0)))
    gain = sum_by(found.row, left[found.nth - 1], len(rankings.topic))
    rows = np.unique(found.row)
    start = starts_of(rankings.topic[rows], judged.num_topics)
    return GainList(start, rankings.rank[rows], gain[rows])


def powers(base: float, count: int) -> Floats:
    """float64[count + 1]: base^0, base^1, ..., each from the one before."""
    table = np.full(count + 1, base)
    table[0] = 1.0
    return np.cumprod(table)


@once
def greedy_ideal_list(subtopics: Subtopics, level: float, alpha: float, depth: int) -> GainList:
    """The ideal lists of all topics, down to a depth: always the document with the highest gain.

    Of several with the same gain it is the one with the last id in byte order.
    """
    places = np.empty(len(subtopics.topic), np.int64)
    places[subtopics.by_id] = np.arange(len(places))
    chosen = entries_at_level(subtopics, level)
    document, subtopic = places[subtopics.entry_document[chosen]], subtopics.entry_subtopic[chosen]
    order = np.argsort(document, kind="stable")
    document, subtopic = document[order], subtopic[order]
    # candidates: the documents that cover something, by topic and falling id
    candidates, document = np.unique(document, return_inverse=True)
    topic_of = subtopics.topic[subtopics.by_id[candidates]]
    _, first, segment = np.unique(topic_of, return_index=True, return_inverse=True)
    entries = starts_of(document, len(candidates))

    weight = np.ones(subtopics.num_subtopics)
    is_left = np.ones(len(candidates), bool)
    lists: list[tuple[Ints, Floats]] = []
    for _ in range(min(depth, int(np.bincount(segment).max(initial=0)))):
        gain = np.where(is_left, sum_by(document, weight[subtopic], len(candidates)), -1.0)
        best = np.maximum.reduceat(gain, first)
        _, at = np.unique(segment[here := np.flatnonzero(gain == best[segment])], return_index=True)
        taken = here[at][best > 0]
        lists.append((topic_of[taken], gain[taken]))
        is_left[taken] = False
        weight[subtopic[ranges(entries[taken], entries[taken + 1])]] *= 1.0 - alpha
    return _join_ranks(lists, subtopics.num_topics)


def _join_ranks(lists: list[tuple[Ints, Floats]], topics: int) -> GainList:
    """One list for each topic, from the topics and gains at each rank."""
    topic = np.concatenate([np.zeros(0, np.int64), *(topic for topic, _ in lists)])
    gain = np.concatenate([np.zeros(0), *(gain for _, gain in lists)])
    order = np.argsort(topic, kind="stable")
    start = starts_of(topic[order], topics)
    return GainList(start, within_segments(start), gain[order])


def sums_at_cutoffs(documents: GainList, values: Floats, cutoffs: Ranks) -> Floats:
    """float64[T, K]: the values of documents, summed up to each cutoff."""
    index = RankIndex.of(documents.topic, documents.rank, documents.start)
    sums = running_sums(documents.start, values)
    return sums_at(documents.start, sums, index.up_to_all(cutoff_ranks(cutoffs)))
