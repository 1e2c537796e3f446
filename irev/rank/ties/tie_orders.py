"""The orders that documents of equal scores may have: all of them, shifted ones, or drawn ones.

Documents of the same grade are the same to every measure, and so are those without a grade. An
order of a topic is where its judged documents stand; a set of orders with their weights stands for
all of them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import TypeAlias

import numpy as np

from irev.core.arrays import DocumentRanks, DocumentValues, Floats, Ints, offsets, ranges
from irev.core.extras import RankingExtras
from irev.core.model import Judged
from irev.core.record import record

MOST_ORDERS = 5000
"""Up to so many different orders of a topic's judged documents are all looked at."""
DRAWS = 1000
"""How many orders are drawn where there are more."""
ROWS_AT_ONCE = 1 << 18

_PLACES_AT_ONCE = 1 << 22


@record
class TieGroup:
    """A tie group in which the order matters.

    rows          the slice of the topic's judged documents, which are sorted by grade within it
    first_rank    the rank of the group's first document
    size          how many documents are in the group, judged or not
    grade_counts  how many of the judged ones have each grade
    num_orders    in how many ways they can be placed
    """

    rows: slice
    first_rank: int
    size: int
    grade_counts: tuple[int, ...]
    num_orders: int


@record
class TiedTopic:
    """A topic whose value may depend on the order of tied documents, of which J are judged.

    topic_index  its number
    rank         int64[J], the ranks that its judged documents have by the ordering rule
    grade        float64[J]
    groups       the tie groups
    rows         int64[J], which rows of all judged documents they are
    """

    topic_index: int
    rank: Ints
    grade: Floats
    groups: tuple[TieGroup, ...]
    rows: Ints

    @property
    def num_orders(self) -> int:
        """How many different orders there are."""
        return math.prod(group.num_orders for group in self.groups)


OrdersByDocuments: TypeAlias = Ints
"""int64[N, m]: an order in each line, the place or rank of each of m documents in it."""
OrderBlock = tuple[OrdersByDocuments, Floats]
"""Some orders: int64[N, J], the ranks of a topic's judged documents, and each order's weight."""


def tied_topics(judged: Judged) -> Iterator[TiedTopic]:
    """The topics in which the order of tied documents matters; `judged` has its ties."""
    ties = judged.ties
    if ties is None:
        raise ValueError("the groups of equal scores were not asked for")
    for topic_index in np.unique(judged.topic[ties.size > 1]).tolist():
        here = slice(int(judged.row_start[topic_index]), int(judged.row_start[topic_index + 1]))
        order = np.lexsort((judged.grade[here], ties.first[here]))
        grade = judged.grade[here][order]
        groups = tuple(_tie_groups_of_unequal_grades(ties.first[here], ties.size[here], grade))
        if groups:
            rows = order + here.start
            yield TiedTopic(topic_index, judged.rank[rows], grade, groups, rows)


def _tie_groups_of_unequal_grades(
    first_rank: DocumentRanks, size: Ints, grade: DocumentValues
) -> Iterator[TieGroup]:
    """The groups in which the order matters, of a topic's documents by group and grade."""
    begin = [0, *(np.flatnonzero(np.diff(first_rank)) + 1).tolist(), len(first_rank)]
    for start, stop in pairwise(begin):
        num_places = int(size[start])
        if num_places == 1:
            continue
        grade_counts = tuple(np.unique(grade[start:stop], return_counts=True)[1].tolist())
        num_orders, num_free = 1, num_places
        for count in grade_counts:
            num_orders *= math.comb(num_free, count)
            num_free -= count
        if num_orders > 1:
            rows, first = slice(start, stop), int(first_rank[start])
            yield TieGroup(rows, first, num_places, grade_counts, num_orders)


def all_orders(tied_topic: TiedTopic, block_size: int) -> Iterator[OrderBlock]:
    """All different orders; each stands for as many orders of documents as any other."""
    total = tied_topic.num_orders
    for begin in range(0, total, block_size):
        number = np.arange(begin, min(begin + block_size, total))
        weight = np.full(len(number), 1 / total)
        ranks = np.repeat(tied_topic.rank[None, :], len(number), axis=0)
        for group in tied_topic.groups:
            places = _all_places_of_documents(group.size, group.grade_counts)
            ranks[:, group.rows] = group.first_rank + places[number % group.num_orders]
            number = number // group.num_orders
        yield ranks, weight


@lru_cache(maxsize=256)
def _all_places_of_documents(num_places: int, grade_counts: tuple[int, ...]) -> OrdersByDocuments:
    """int64[N, m]: all ways to put documents of several grades on so many places, from 0.

    The columns are the documents, grade after grade.
    """
    ways = [*_choose_places(tuple(range(num_places)), grade_counts[0])]
    for count in grade_counts[1:]:
        ways = [
            (filled + places, rest)
            for filled, free in ways
            for places, rest in _choose_places(free, count)
        ]
    return np.array([places for places, _ in ways], np.int64)


def _choose_places(
    free: tuple[int, ...], count: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(`count` of the free places, the other free places), in every way."""
    for places in combinations(free, count):
        taken = set(places)
        yield places, tuple(place for place in free if place not in taken)


def shifted_orders(tied_topic: TiedTopic, block_size: int) -> Iterator[OrderBlock]:
    """One group after another shifted round by each number of places, the others as they are.

    In them each document of a group stands at each place once, which is all that a sum over
    documents depends on. The weights are those of the differences from the order as it is.
    """
    for group in tied_topic.groups:
        place = tied_topic.rank[group.rows] - group.first_rank
        for begin in range(0, group.size, block_size):
            shift = np.arange(begin, min(begin + block_size, group.size))
            ranks = np.repeat(tied_topic.rank[None, :], len(shift), axis=0)
            ranks[:, group.rows] = group.first_rank + (place + shift[:, None]) % group.size
            yield ranks, np.full(len(shift), 1 / group.size)


def random_orders(tied_topic: TiedTopic, block_size: int, key: bytes) -> Iterator[OrderBlock]:
    """DRAWS orders, drawn with equal chances; which ones depends on the key alone."""
    seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
    bits = np.random.PCG64(seed)
    ranks = np.repeat(tied_topic.rank[None, :], DRAWS, axis=0)
    for group in tied_topic.groups:
        count = group.rows.stop - group.rows.start
        raw = bits.random_raw(DRAWS * count).reshape(DRAWS, count)
        ranks[:, group.rows] = group.first_rank + _draw_places(group.size, raw >> np.uint64(32))
    for begin in range(0, DRAWS, block_size):
        some = ranks[begin : begin + block_size]
        yield some, np.full(len(some), 1 / DRAWS)


def _draw_places(
    num_places: int, random_words: np.ndarray[tuple[int, int], np.dtype[np.uint64]]
) -> OrdersByDocuments:
    """int64[N, m]: m different places, from 0, for each line of random 32-bit numbers."""
    places = np.empty(random_words.shape, np.int64)
    lines = max(1, _PLACES_AT_ONCE // num_places)
    for begin in range(0, len(random_words), lines):
        block = random_words[begin : begin + lines]
        deck = np.repeat(np.arange(num_places)[None, :], len(block), axis=0)
        line = np.arange(len(block))
        for card in range(block.shape[1]):
            jump = block[:, card] * np.uint64(num_places - card) >> np.uint64(32)
            other = card + jump.astype(np.int64)
            deck[line, card], deck[line, other] = deck[line, other], deck[line, card].copy()
        places[begin : begin + lines] = deck[:, : block.shape[1]]
    return places


def stack_orders(
    judged: Judged,
    blocks: list[tuple[TiedTopic, OrdersByDocuments]],
    depth: int | None,
    *,
    then_condense: bool,
) -> Judged:
    """Rankings of their own for each order of some blocks, cut and condensed as the run is."""
    num_orders = np.array([len(ranks) for _, ranks in blocks])
    num_rows = np.repeat([ranks.shape[1] for _, ranks in blocks], num_orders)
    order_index = np.repeat(np.arange(len(num_rows)), num_rows)
    rank = np.concatenate([ranks.ravel() for _, ranks in blocks])
    grade = np.concatenate([np.tile(topic.grade, len(ranks)) for topic, ranks in blocks])
    by_rank = np.argsort(order_index * (int(rank.max(initial=0)) + 1) + rank)
    topic_indices = np.repeat([topic.topic_index for topic, _ in blocks], num_orders)
    num_ret = judged.num_ret[topic_indices]
    if depth is not None:
        by_rank = by_rank[rank[by_rank] <= depth]
        num_ret = np.minimum(num_ret, depth)
    first, last = judged.level_start[topic_indices], judged.level_start[topic_indices + 1]
    levels = ranges(first, last)
    scores = judged.scores
    if scores is not None:
        row = np.concatenate([np.tile(topic.rows, len(ranks)) for topic, ranks in blocks])
        scores = scores.take_topics(topic_indices, scores.row_scores[row[by_rank]])
    rankings = Judged(
        order_index[by_rank],
        rank[by_rank],
        grade[by_rank],
        num_ret,
        offsets(last - first),
        judged.level_grade[levels],
        judged.level_count[levels],
        judged.settings,
        judged.num_pooled_unjudged[topic_indices],
        RankingExtras(scores=scores),
    )
    return rankings.condense() if then_condense else rankings


def truncate(judged: Judged, depth: int | None, *, then_condense: bool) -> Judged:
    """The rankings down to a depth, then, if `then_condense`, without their unjudged documents."""
    if depth is not None:
        rows = np.flatnonzero(judged.rank <= depth)
        judged = replace(
            judged,
            topic=judged.topic[rows],
            rank=judged.rank[rows],
            grade=judged.grade[rows],
            num_ret=np.minimum(judged.num_ret, depth),
            extras=judged.extras.take_documents(rows)._replace(ties=None),
        )
    return judged.condense() if then_condense else judged
