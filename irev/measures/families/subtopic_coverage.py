"""What documents cover of a topic's subtopics: in rankings, in the judgments, and at best.

A document covers a subtopic for which its grade reaches the level. Subtopics that no document
covers play no role.
"""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RankCounter,
    RowMask,
    TopicCounts,
    TopicsByCutoffs,
    TopicValues,
    ranges,
    ranks_in_segments,
    ratio,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import SubtopicJudged, Subtopics
from irev.core.record import record
from irev.measures.families.gain_lists import GainList
from irev.measures.families.patience import powers
from irev.measures.shared import Ranks, cutoff_ranks, memoize


@record
class SubtopicCoverings:
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


@memoize
def entries_at_level(subtopics: Subtopics, level: float) -> RowMask:
    """bool[E]: which entries reach the level."""
    return subtopics.entry_grade >= level


@memoize
def num_covering_documents(subtopics: Subtopics, level: float) -> Ints:
    """int64[S]: how many judged documents cover each subtopic."""
    entries = subtopics.entry_subtopic[entries_at_level(subtopics, level)]
    return np.bincount(entries, minlength=subtopics.num_subtopics)


@memoize
def num_coverable_subtopics(subtopics: Subtopics, level: float) -> TopicCounts:
    """int64[T]: M, how many subtopics of each topic a document covers."""
    covered = np.flatnonzero(num_covering_documents(subtopics, level))
    return np.bincount(subtopics.topic_of_subtopic[covered], minlength=subtopics.num_topics)


def mean_over_subtopics(
    subtopics: Subtopics, level: float, values_of_subtopics: Floats
) -> TopicValues:
    """The mean of values of the S subtopics: plain, or by their probabilities.

    Only subtopics that a document covers count; where there are probabilities, those of the
    others are lost.
    """
    is_covered = num_covering_documents(subtopics, level) > 0
    if subtopics.probability is None:
        total = segment_sums(
            subtopics.topic_of_subtopic,
            np.where(is_covered, values_of_subtopics, 0.0),
            subtopics.num_topics,
        )
        return ratio(total, num_coverable_subtopics(subtopics, level))
    weighted = np.where(is_covered, subtopics.probability * values_of_subtopics, 0.0)
    return segment_sums(subtopics.topic_of_subtopic, weighted, subtopics.num_topics)


def values_of_rankings(judged: SubtopicJudged, values_of_topics: Floats | Ints) -> Floats:
    """float64[T, ...]: values of the judgments' topics for each ranking; 0 where it has none."""
    result = np.zeros((judged.num_topics, *values_of_topics.shape[1:]))
    has_topic = judged.qrels_topic >= 0
    result[has_topic] = values_of_topics[judged.qrels_topic[has_topic]]
    return result


@memoize
def subtopic_coverings(judged: SubtopicJudged) -> SubtopicCoverings:
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
    nth[order] = ranks_in_segments(segment_starts(subtopic[order], subtopics.num_subtopics))
    grade = subtopics.entry_grade[entries]
    return SubtopicCoverings(rankings.topic[row], rankings.rank[row], row, subtopic, grade, nth)


@memoize
def novelty_gains(judged: SubtopicJudged, alpha: float) -> GainList:
    """The retrieved documents that cover something, each with its gain of novelty.

    The gain is the sum of (1 - alpha)^c over the subtopics that it covers, c being the number of
    documents before it that cover the subtopic.
    """
    covered, rankings = subtopic_coverings(judged), judged.judged
    novelty = powers(1.0 - alpha, int(covered.nth.max(initial=0)))
    gain = segment_sums(covered.row, novelty[covered.nth - 1], len(rankings.topic))
    rows = np.unique(covered.row)
    start = segment_starts(rankings.topic[rows], judged.num_topics)
    return GainList(start, rankings.rank[rows], gain[rows])


@memoize
def greedy_ideal_list(subtopics: Subtopics, level: float, alpha: float, depth: int) -> GainList:
    """The ideal lists of all topics, down to a depth: always the document with the highest gain.

    Of several with the same gain it is the one with the last id in byte order.
    """
    places = np.empty(len(subtopics.topic), np.int64)
    places[subtopics.by_id] = np.arange(len(places))
    is_covered = entries_at_level(subtopics, level)
    document = places[subtopics.entry_document[is_covered]]
    subtopic = subtopics.entry_subtopic[is_covered]
    order = np.argsort(document, kind="stable")
    document, subtopic = document[order], subtopic[order]
    # candidates: the documents that cover something, by topic and falling id
    candidates, document = np.unique(document, return_inverse=True)
    topic_of_candidate = subtopics.topic[subtopics.by_id[candidates]]
    _, first, segment = np.unique(topic_of_candidate, return_index=True, return_inverse=True)
    entries = segment_starts(document, len(candidates))

    weight = np.ones(subtopics.num_subtopics)
    is_left = np.ones(len(candidates), bool)
    topics_and_gains: list[tuple[Ints, Floats]] = []
    for _ in range(min(depth, int(np.bincount(segment).max(initial=0)))):
        gain = np.where(is_left, segment_sums(document, weight[subtopic], len(candidates)), -1.0)
        highest = np.maximum.reduceat(gain, first)
        rows = np.flatnonzero(gain == highest[segment])
        _, first_rows = np.unique(segment[rows], return_index=True)
        taken = rows[first_rows][highest > 0]
        topics_and_gains.append((topic_of_candidate[taken], gain[taken]))
        is_left[taken] = False
        weight[subtopic[ranges(entries[taken], entries[taken + 1])]] *= 1.0 - alpha
    return _join_ranks(topics_and_gains, subtopics.num_topics)


def _join_ranks(topics_and_gains: list[tuple[Ints, Floats]], num_topics: int) -> GainList:
    """One list for each topic, from the topics that have a document at each rank, and its gain."""
    topic = np.concatenate([np.zeros(0, np.int64), *(topic for topic, _ in topics_and_gains)])
    gain = np.concatenate([np.zeros(0), *(gain for _, gain in topics_and_gains)])
    order = np.argsort(topic, kind="stable")
    start = segment_starts(topic[order], num_topics)
    return GainList(start, ranks_in_segments(start), gain[order])


def sums_at_cutoffs(documents: GainList, values: DocumentValues, cutoffs: Ranks) -> TopicsByCutoffs:
    """The values of documents, summed up to each cutoff."""
    index = RankCounter.build(documents.topic, documents.rank, documents.start)
    sums = running_sums(documents.start, values)
    return sums_at(documents.start, sums, index.count_all_up_to(cutoff_ranks(cutoffs)))
