"""What the rank column of a run says of it, and scores that are ranks.

The first rows are looked at; where these are odd, all ranks are read. Of 87 runs of eight
collections of TREC and CLEF one is told, whose scores rise with the ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from irev.core.arrays import Bools, RowMask, RowValues, TopicMask, TopicOfRow
from irev.core.judged import Rows
from irev.core.record import record
from irev.core.text import count_text, parse_c_number, parse_whole
from irev.engine.judged_counts import EqualScoreCounts, total_equal_scores
from irev.engine.map_topics import map_opened
from irev.errors import InputError, Notice, id_text
from irev.read.columns import parse_reals_or_nan
from irev.read.topics import CutInput, Text, TopicRankScore, TopicTable

RANKS_DECIDE = "--ties rank ranks by the rank column"

_LEAST_TOPICS = 3
"""In fewer topics scores may number the documents by chance, or for a test."""

_FIRST_ROWS = 60
"""So many rows of an input are looked at, before all of them are."""


def first_ranked_rows(opened: CutInput[Any] | TopicTable) -> Sequence[TopicRankScore]:
    """The first rows of a run of scores with ranks beside them; none of another."""
    return opened.first_rows_with_rank_field(_FIRST_ROWS)


def rank_column_warnings(
    opened: CutInput[Any] | TopicTable, first_rows: Sequence[TopicRankScore], threads: int = 1
) -> Iterator[Notice]:
    """Warnings where ranks contradict the scores in most topics, or are no ranks.

    `first_rows` are its `first_ranked_rows`.
    """
    if isinstance(opened, Text) and _are_shifted(opened):
        yield Notice(
            "wrong-ranks",
            "the ranks are not ranks, and what stands behind the scores looks like scores",
            "does each document id contain a blank, which parts fields? ids cannot contain blanks",
        )
    elif _has_mostly_reversed_ranks(first_rows):

        def count_reversed(rows: Rows) -> tuple[int, int]:
            return count_reversed_topics(rows, parse_reals_or_nan(rows.groups[-1]))

        with suppress(InputError):  # of ranks that cannot be read nothing is said
            counts = map_opened(opened.with_ranks(), count_reversed, threads).results
            yield from rank_order_warnings(*map(sum, zip(*counts, strict=True)))
    elif first_rows and _begins_with_exchanged_columns(first_rows):
        yield exchanged_columns_warning()
    elif isinstance(opened, Text) and "rank" in (fields := opened.layout.fields):
        rank = fields.index("rank")
        ranks = [(row[0], row[rank]) for row in opened.first_rows(_FIRST_ROWS)]
        own = [number for topic, number in ranks if topic == ranks[0][0]]
        if "score" not in fields and own and (own[0] != b"1" or len(set(own)) < len(own)):

            def misnumbered(rows: Rows) -> list[bytes]:
                indices = np.flatnonzero(are_ranks_misnumbered(rows)).tolist()
                return [rows.topics[index] for index in indices]

            parts = map_opened(opened, misnumbered, threads).results
            yield from misnumbered_rank_warnings([topic for part in parts for topic in part])
        elif opened.layout.number == "rank" and len(ranks) >= 2 * len(set(ranks)) > 0:
            yield from _repeated_rank_warnings(opened, threads)


def _are_shifted(text: Text) -> bool:
    """Whether a blank in each id has moved all that follows, though lines are as long as they may.

    The second word of the id stands where the rank should, the rank where the score should, and
    maybe the score where the tag should.
    """
    fields = text.layout.fields
    rows = text.first_rows(_FIRST_ROWS)
    if not rows or not {"rank", "score"} <= {*fields}:
        return False
    rank, score = fields.index("rank"), fields.index("score")
    num_shifted = sum(parse_whole(row[score]) is not None for row in rows)
    if 2 * num_shifted <= len(rows):
        return False
    num_no_ranks = sum(parse_c_number(row[rank]) is None for row in rows)
    has_other_tags = False
    if "tag" in fields:
        tags = [row[-1] for row in rows]
        has_other_tags = 2 * len(set(tags)) > len(tags) > 1
        num_shifted = min(num_shifted, sum(parse_c_number(tag) is not None for tag in tags))
    return 2 * num_shifted > len(rows) and (2 * num_no_ranks > len(rows) or has_other_tags)


# --- Ranks beside scores ---


def count_reversed_topics(rows: Rows, rank: RowValues) -> tuple[int, int]:
    """How many topics' scores rise from rank to rank, of those whose ranks and scores differ."""
    order = np.lexsort((-rows.value, rank, rows.topic_of_row))
    ranks = find_reversed_ranks(rows.topic_of_row, rank[order], rows.value[order], len(rows.topics))
    return int(ranks.is_reversed_topic.sum()), int(ranks.is_comparable_topic.sum())


def rank_order_warnings(
    num_reversed: int, num_topics: int, *, words_after_topics: str = ""
) -> Iterator[Notice]:
    """A warning where ranks and scores contradict each other in most topics."""
    if 2 * num_reversed > num_topics:
        topics = count_text(num_topics, "topic") + words_after_topics
        yield Notice(
            "rank-order",
            f"scores rise from rank to rank in {num_reversed} of {topics}",
            f"higher scores rank first; {RANKS_DECIDE}",
        )


def _has_mostly_reversed_ranks(first_rows: Iterable[TopicRankScore]) -> bool:
    """Whether more pairs of neighbours in a topic contradict their ranks than agree with them."""
    topic, rank, score, balance = b"", 0.0, 0.0, 0
    last_of_topic: dict[bytes, tuple[float, float]] = {}
    for own_topic, rank_text, score_text in first_rows:
        if own_topic != topic:
            last_of_topic[topic] = rank, score
            topic = own_topic
            rank, score = last_of_topic.get(topic, (math.nan, math.nan))
        before, higher = rank, score
        try:
            rank, score = float(rank_text), float(score_text)
        except ValueError:
            continue
        if rank > before:
            balance += (score > higher) - (score < higher)
        elif rank < before:
            balance += (score < higher) - (score > higher)
    return balance > 0


@record
class ReversedRanks:
    """Where scores rise from rank to rank, in N rows of T topics.

    next_row_rises       bool[N-1]: whether the next row has a later rank in the topic and a higher
                         score
    is_comparable_topic  which topics have ranks and scores that differ
    is_reversed_topic    where more than two thirds of these steps rise, which of ranks that have
                         nothing to do with the scores half do
    """

    next_row_rises: RowMask
    is_comparable_topic: TopicMask
    is_reversed_topic: TopicMask


def find_reversed_ranks(
    topic: TopicOfRow, rank: RowValues, score: RowValues, num_topics: int
) -> ReversedRanks:
    """Where scores rise from rank to rank, of rows by topic, rank and falling score."""
    is_step = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
    rises, falls = is_step & (score[1:] > score[:-1]), is_step & (score[1:] < score[:-1])
    num_rises = np.bincount(topic[1:][rises], minlength=num_topics)
    num_falls = np.bincount(topic[1:][falls], minlength=num_topics)
    return ReversedRanks(rises, num_rises + num_falls > 0, num_rises > 2 * num_falls)


def _begins_with_exchanged_columns(first_rows: Sequence[TopicRankScore]) -> bool:
    if first_rows[0][2] not in (b"1", b"1.0", 1.0):  # as of most runs
        return False
    try:
        ranks, scores = (np.array([float(row[i]) for row in first_rows]) for i in (1, 2))
    except ValueError:
        return False
    topics = [row[0] for row in first_rows]
    index_of_topic = {topic: index for index, topic in enumerate(dict.fromkeys(topics))}
    return has_exchanged_columns(np.array([index_of_topic[t] for t in topics]), ranks, scores)


def has_exchanged_columns(topic: TopicOfRow, rank: RowValues, score: RowValues) -> bool:
    """Whether the scores number the lines of each topic, and the ranks fall as scores do.

    Ranks that fall one by one may be right: such a run begins with the last document.
    """
    is_same_topic = topic[1:] == topic[:-1]
    line = np.arange(len(topic))
    first_line = np.maximum.accumulate(np.where(np.append(False, is_same_topic), 0, line))
    steps = (rank[:-1] - rank[1:])[is_same_topic]
    is_numbered = bool((score == line - first_line + 1).all() and (steps >= 0).all())
    return is_numbered and bool(((steps != 0) & (steps != 1)).any())


def exchanged_columns_warning() -> Notice:
    """A warning that scores stand where ranks should, and ranks where scores should."""
    return Notice(
        "rank-order",
        "the scores number the lines of each topic, 1, 2, 3, ..., and the ranks fall as scores do",
        "are the columns of rank and score exchanged? higher scores rank first",
    )


# --- Ranks alone ---


def _repeated_rank_warnings(text: Text, threads: int) -> Iterator[Notice]:
    """A warning where ranks that are to decide are repeated in most topics, as if there were none.

    The rows of such a run have ranks for values.
    """

    def count_repeating(rows: Rows) -> tuple[int, int]:
        order = np.lexsort((rows.value, rows.topic_of_row))
        value, topic = rows.value[order], rows.topic_of_row[order]
        is_repeat = (value[1:] == value[:-1]) & (topic[1:] == topic[:-1])
        num_repeats = np.bincount(topic[1:][is_repeat], minlength=len(rows.topics))
        return int((2 * num_repeats >= rows.topic_lengths).sum()), len(rows.topics)

    counts = map_opened(text, count_repeating, threads).results
    num_repeating, num_topics = map(sum, zip(*counts, strict=True))
    if 2 * num_repeating > num_topics:
        yield Notice(
            "wrong-ranks",
            f"most documents share their rank with others in {num_repeating} of "
            f"{count_text(num_topics, 'topic')}, so that ids decide",
            "without --ties rank the scores decide",
        )


def misnumbered_rank_warnings(
    misnumbered_topics: Sequence[bytes], *, words_after_topics: str = ""
) -> Iterator[Notice]:
    """A warning of topics whose ranks do not start at 1 or are repeated."""
    if misnumbered_topics:
        num_topics = count_text(len(misnumbered_topics), "topic") + words_after_topics
        yield Notice(
            "wrong-ranks",
            f"the ranks do not start at 1 or are repeated in {num_topics}, "
            f"such as '{id_text(min(misnumbered_topics))}'",
            "if they are scores, -T scores reads them",
        )


def are_ranks_misnumbered(negated_rank_rows: Rows) -> TopicMask:
    """Where ranks do not start at 1, or stand twice; a row's value is minus its rank."""
    order = np.lexsort((-negated_rank_rows.value, negated_rank_rows.topic_of_row))
    falling = negated_rank_rows.value[order]
    is_wrong: Bools = falling[negated_rank_rows.start[:-1]] != -1
    repeats = negated_rank_rows.clear_flags_across_topics(falling[1:] == falling[:-1])
    is_wrong[negated_rank_rows.topic_of_row[1:][repeats]] = True
    return is_wrong


# --- Scores that are ranks ---


def numbering_warnings(parts: Sequence[EqualScoreCounts]) -> Iterator[Notice]:
    """A warning where the scores of a run without ranks look like ranks, given all its parts."""
    counts = total_equal_scores(parts)
    if counts is not None and counts.num_numbered == counts.num_topics >= _LEAST_TOPICS:
        yield Notice(
            "rank-order",
            "the scores number the documents of each topic, 1, 2, 3, ...",
            "are they ranks? higher scores rank first: write 1/rank, or lists of documents",
        )
