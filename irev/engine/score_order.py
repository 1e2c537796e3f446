"""How the scores of a run order its documents: against the rank column, by equal scores or few.

What is counted while a run is ranked costs next to nothing. Where the first lines of a file
contradict their ranks, all of its ranks are read. The bounds were chosen on 87 runs of eight
collections of TREC and CLEF, of which three are told: one has scores that rise with the ranks, two
have equal scores alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.wording import count_text
from irev.engine.map_topics import map_opened
from irev.errors import Notice
from irev.read.values import parse_reals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from irev.core.arrays import Bools, Floats, Ints
    from irev.core.model import Rows
    from irev.read.layout import Layout
    from irev.read.topics import Text

_FIRST, _DEPTH, _FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

_FIRST_LINES = 60
"""So many lines of a file are looked at, before all of them are."""

RANKS_DECIDE = "--ties rank ranks by the rank column"


class ScoreOrder(NamedTuple):
    """How the scores of some topics of a run order its documents.

    num_topics  topics whose scores were looked at
    num_tied    those of them whose first 10 documents all have the same score
    num_coarse  those of them whose first 20 documents have 4 different scores at most
    """

    num_topics: int = 0
    num_tied: int = 0
    num_coarse: int = 0


def score_order(rows: Rows, sampled_topics: Collection[bytes], *, is_sorted: bool) -> ScoreOrder:
    """How the scores of some whole topics order their documents."""
    if len(rows.value) < len(rows.topics) * _LEAST_DOCUMENTS:
        return ScoreOrder()
    indices = [i for i, topic in enumerate(rows.topics) if topic in sampled_topics]
    first = rows.start[indices]
    length = rows.start[1:][indices] - first
    is_deep = length >= _LEAST_DOCUMENTS
    first, length = first[is_deep], length[is_deep]
    if not len(first):
        return ScoreOrder()
    top = _top_scores(rows.value, first, length, is_sorted=is_sorted)
    last = np.minimum(length, _DEPTH) - 1
    is_tied = top[:, 0] == top[np.arange(len(top)), np.minimum(last, _FIRST - 1)]
    num_values = 1 + (top[:, 1:] != top[:, :-1]).sum(axis=1)
    is_coarse = (length >= _DEPTH) & (num_values <= _FEW_VALUES)
    return ScoreOrder(len(first), int(is_tied.sum()), int((is_coarse & ~is_tied).sum()))


def _top_scores(scores: Floats, first: Ints, length: Ints, *, is_sorted: bool) -> Floats:
    """float64[T, 20]: the highest scores of topics, falling; the last one fills up."""
    if is_sorted:
        places = first[:, None] + np.minimum(np.arange(_DEPTH), length[:, None] - 1)
        return scores[places]
    top = np.empty((len(first), _DEPTH))
    for row, (begin, size) in enumerate(zip(first.tolist(), length.tolist(), strict=True)):
        own = scores[begin : begin + size]
        highest = np.sort(own if size <= _DEPTH else np.partition(own, size - _DEPTH)[-_DEPTH:])
        top[row, : len(highest)] = highest[::-1]
        top[row, len(highest) :] = highest[0]
    return top


def total_order(parts: Sequence[ScoreOrder]) -> ScoreOrder | None:
    """The same of all parts of a run; None: nobody looked at any."""
    return ScoreOrder(*map(sum, zip(*parts, strict=True))) if parts else None


def score_order_warnings(order: ScoreOrder) -> Iterator[Notice]:
    """Warnings where equal scores order most topics of a run, so that ids decide."""
    which = f"in {order.num_tied} of {count_text(order.num_topics, 'topic')} looked at"
    if 2 * order.num_tied > order.num_topics:
        yield Notice(
            "constant-scores",
            f"the first {_FIRST} documents have equal scores {which}, so that ids decide",
            RANKS_DECIDE,
        )
    elif 2 * (order.num_tied + order.num_coarse) > order.num_topics:
        several = order.num_tied + order.num_coarse
        yield Notice(
            "few-scores",
            f"the first {_DEPTH} documents have at most {_FEW_VALUES} different scores in "
            f"{several} of {count_text(order.num_topics, 'topic')} looked at, so that ids decide "
            "often",
            f"{RANKS_DECIDE}, --tie-range shows how much it matters",
        )


# ranks against scores


def rank_column_warnings(text: Text, threads: int) -> Iterator[Notice]:
    """A warning where the rank column of a run contradicts its scores in most topics.

    All ranks are read only where those of the first lines contradict the scores.
    """
    layout = text.layout
    if layout.number != "score" or "rank" not in layout.fields:
        return
    first_lines = [line.split() for line in text.first_lines(_FIRST_LINES)]
    if not _is_reversed(layout, [row for row in first_lines if len(row) == len(layout.fields)]):
        return

    def count_reversed(rows: Rows) -> tuple[int, int]:
        is_ranked, is_reversed = reversed_topics(rows, parse_reals(rows.groups[0]))
        return int(is_reversed.sum()), int(is_ranked.sum())

    ranks = text.with_layout(layout._replace(ids=(layout.ids[0], "rank")))
    counts = map_opened(ranks, count_reversed, threads).results
    yield from reversed_rank_warnings(*map(sum, zip(*counts, strict=True)))


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


def reversed_topics(rows: Rows, rank: Floats) -> tuple[Bools, Bools]:
    """bool[T], bool[T]: which topics have ranks and scores that differ; where they contradict.

    They contradict where most steps to a later rank are steps to a higher score. Lines whose rank
    is no number (NaN) are not looked at.
    """
    rows_by_rank = np.lexsort((-rows.value, rank, rows.topic_of_row))
    rank, score = rank[rows_by_rank], rows.value[rows_by_rank]
    is_step = rows.mask_topic_changes(rank[1:] > rank[:-1])
    topic = rows.topic_of_row[1:]
    count = len(rows.topics)
    num_rises = np.bincount(topic[is_step & (score[1:] > score[:-1])], minlength=count)
    num_falls = np.bincount(topic[is_step & (score[1:] < score[:-1])], minlength=count)
    return num_rises + num_falls > 0, num_rises > num_falls


def reversed_rank_warnings(num_reversed: int, num_topics: int) -> Iterator[Notice]:
    """A warning where ranks and scores contradict each other in most topics."""
    if 2 * num_reversed > num_topics:
        yield Notice(
            "rank-order",
            f"scores rise from rank to rank in {num_reversed} of {count_text(num_topics, 'topic')}",
            f"higher scores rank first; {RANKS_DECIDE}",
        )
