"""What the rank column of a run says of the file: that it contradicts the scores, or holds none.

The first lines are looked at; where these are odd, all ranks are read. Of 87 runs of eight
collections of TREC and CLEF one is told, whose scores rise with the ranks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.engine.map_topics import map_opened
from irev.engine.score_order import RANKS_DECIDE
from irev.errors import Notice, id_text
from irev.read.values import parse_reals_or_nan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools, Ints
    from irev.core.model import Rows
    from irev.read.layout import Layout
    from irev.read.topics import Text

_FIRST_LINES = 60
"""So many lines of a file are looked at, before all of them are."""


def rank_column_warnings(text: Text, threads: int) -> Iterator[Notice]:
    """Warnings where ranks contradict the scores in most topics, or are no ranks."""
    layout = text.layout
    if "rank" not in layout.fields:
        return
    first_lines = [line.split() for line in text.first_lines(_FIRST_LINES)]
    first_rows = [row for row in first_lines if len(row) == len(layout.fields)]
    if layout.number == "score":
        if _is_reversed(layout, first_rows):
            yield from _reversed_rank_warnings(text, threads)
    elif "score" not in layout.fields and not _are_ranks(layout, first_rows):
        yield from _wrong_rank_warnings(text, threads)


# ranks beside scores


def _reversed_rank_warnings(text: Text, threads: int) -> Iterator[Notice]:
    def count_reversed(rows: Rows) -> tuple[int, int]:
        rank = parse_reals_or_nan(rows.groups[0])
        order = np.lexsort((-rows.value, rank, rows.topic_of_row))
        rank, score = rank[order], rows.value[order]
        is_step = rows.clear_flags_at_topic_changes(rank[1:] > rank[:-1])
        rises, falls = is_step & (score[1:] > score[:-1]), is_step & (score[1:] < score[:-1])
        is_ranked, is_reversed = reversed_topics(
            rows.topic_of_row[1:], rises, falls, len(rows.topics)
        )
        return int(is_reversed.sum()), int(is_ranked.sum())

    layout = text.layout
    ranks = text.with_layout(layout._replace(ids=(layout.ids[0], "rank")))
    counts = map_opened(ranks, count_reversed, threads).results
    yield from rank_order_warnings(*map(sum, zip(*counts, strict=True)))


def rank_order_warnings(num_reversed: int, num_topics: int) -> Iterator[Notice]:
    """A warning where ranks and scores contradict each other in most topics."""
    if 2 * num_reversed > num_topics:
        yield Notice(
            "rank-order",
            f"scores rise from rank to rank in {num_reversed} of {count_text(num_topics, 'topic')}",
            f"higher scores rank first; {RANKS_DECIDE}",
        )


def _is_reversed(layout: Layout, lines: Sequence[Sequence[bytes]]) -> bool:
    """Whether more pairs of neighbours in a topic contradict their ranks than agree with them."""
    rank_field, score_field = layout.fields.index("rank"), layout.fields.index("score")
    topic, rank, score, balance = b"", 0.0, 0.0, 0
    last_of_topic: dict[bytes, tuple[float, float]] = {}
    for line in lines:
        if line[0] != topic:
            last_of_topic[topic] = rank, score
            topic = line[0]
            rank, score = last_of_topic.get(topic, (math.nan, math.nan))
        before, higher = rank, score
        try:
            rank, score = float(line[rank_field]), float(line[score_field])
        except ValueError:
            continue
        if rank > before:
            balance += (score > higher) - (score < higher)
        elif rank < before:
            balance += (score < higher) - (score > higher)
    return balance > 0


def reversed_topics(
    topic: Ints, rises: Bools, falls: Bools, num_topics: int
) -> tuple[Bools, Bools]:
    """bool[T], bool[T]: which topics have ranks and scores that differ; where they contradict.

    They contradict where most steps to a later rank are steps to a higher score: `topic` int64[S]
    is the topic of each step, and the score rises or falls with it.
    """
    num_rises = np.bincount(topic[rises], minlength=num_topics)
    num_falls = np.bincount(topic[falls], minlength=num_topics)
    return num_rises + num_falls > 0, num_rises > num_falls


# ranks alone


def _wrong_rank_warnings(text: Text, threads: int) -> Iterator[Notice]:
    def topics_of_wrong_ranks(rows: Rows) -> list[bytes]:
        return [rows.topics[index] for index in np.flatnonzero(has_wrong_ranks(rows)).tolist()]

    topics = [
        topic for part in map_opened(text, topics_of_wrong_ranks, threads).results for topic in part
    ]
    if topics:
        yield Notice(
            "wrong-ranks",
            f"the ranks do not start at 1 or are repeated in {count_text(len(topics), 'topic')}, "
            f"such as '{id_text(min(topics))}'",
            "if they are scores, -T scores reads them",
        )


def _are_ranks(layout: Layout, lines: Sequence[Sequence[bytes]]) -> bool:
    """Whether the ranks of the first topic begin with 1, and none stands twice."""
    ranks = [line[layout.fields.index("rank")] for line in lines if line[0] == lines[0][0]]
    return not ranks or (ranks[0] == b"1" and len(set(ranks)) == len(ranks))


def has_wrong_ranks(rows: Rows) -> Bools:
    """bool[T]: where ranks do not start at 1, or stand twice; a row's value is minus its rank."""
    order = np.lexsort((-rows.value, rows.topic_of_row))
    falling = rows.value[order]
    is_wrong: Bools = falling[rows.start[:-1]] != -1
    repeats = rows.clear_flags_at_topic_changes(falling[1:] == falling[:-1])
    is_wrong[rows.topic_of_row[1:][repeats]] = True
    return is_wrong
