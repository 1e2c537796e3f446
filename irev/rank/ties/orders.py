"""The orders that documents of equal scores may have: all of them, turned ones, or drawn ones.

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

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, ranges
from irev.core.extras import Extras
from irev.core.model import Judged
from irev.core.record import record

MOST_ORDERS = 5000
"""Up to so many different orders of a topic's judged documents are all looked at."""
DRAWS = 1000
"""How many orders are drawn where there are more."""
ROWS_AT_ONCE = 1 << 18

_PLACES_AT_ONCE = 1 << 22


@record
class Group:
    """A tie group in which the order matters.

    `rows` is its slice of the topic's judged documents, which are sorted by grade within it;
    `kinds` how many of them have each grade; `orders` in how many ways they can be placed.
    """

    rows: slice
    first: int
    size: int
    kinds: tuple[int, ...]
    orders: int


@record
class TiedTopic:
    """A topic whose value may depend on the order of tied documents."""

    topic: int
    rank: Ints
    """int64[J], the ranks that its judged documents have by the ordering rule."""
    grade: Floats
    groups: tuple[Group, ...]
    rows: Ints
    """int64[J], which rows of all judged documents they are."""

    @property
    def orders(self) -> int:
        """How many different orders there are."""
        return math.prod(group.orders for group in self.groups)

    @property
    def turns(self) -> int:
        """How many orders there are in which one group is turned."""
        return sum(group.size for group in self.groups)


Block = tuple[Ints, Floats]
"""Some orders: int64[N, J], the ranks of a topic's judged documents, and each order's weight."""


def tied_topics(judged: Judged) -> Iterator[TiedTopic]:
    """The topics in which the order of tied documents matters; `judged` has its ties."""
    ties = judged.ties
    if ties is None:
        raise ValueError("the groups of equal scores were not asked for")
    for topic in np.unique(judged.topic[ties.size > 1]).tolist():
        here = slice(int(judged.row_start[topic]), int(judged.row_start[topic + 1]))
        first, size = ties.first[here], ties.size[here]
        order = np.lexsort((judged.grade[here], first))
        grade = judged.grade[here][order]
        groups = tuple(_groups(first, size, grade))
        if groups:
            rows = order + here.start
            yield TiedTopic(topic, judged.rank[rows], grade, groups, rows)


def _groups(first: Ints, size: Ints, grade: Floats) -> Iterator[Group]:
    begin = [0, *(np.flatnonzero(np.diff(first)) + 1).tolist(), len(first)]
    for start, stop in pairwise(begin):
        places = int(size[start])
        if places == 1:
            continue
        kinds = np.unique(grade[start:stop], return_counts=True)[1].tolist()
        orders, left = 1, places
        for count in kinds:
            orders *= math.comb(left, count)
            left -= count
        if orders > 1:
            yield Group(slice(start, stop), int(first[start]), places, tuple(kinds), orders)


def every_order(of: TiedTopic, at_once: int) -> Iterator[Block]:
    """All different orders; each stands for as many orders of documents as any other."""
    total = of.orders
    for begin in range(0, total, at_once):
        number = np.arange(begin, min(begin + at_once, total))
        weight = np.full(len(number), 1 / total)
        ranks = np.repeat(of.rank[None, :], len(number), axis=0)
        for group in of.groups:
            places = _placements(group.size, group.kinds)
            ranks[:, group.rows] = group.first + places[number % group.orders]
            number = number // group.orders
        yield ranks, weight


@lru_cache(maxsize=256)
def _placements(size: int, kinds: tuple[int, ...]) -> Ints:
    """int64[N, m]: all ways to put documents of several kinds on `size` places, from 0.

    The columns are the documents, kind after kind.
    """
    ways = [(chosen, rest) for chosen, rest in _choices(tuple(range(size)), kinds[0])]
    for count in kinds[1:]:
        ways = [
            (before + chosen, rest)
            for before, free in ways
            for chosen, rest in _choices(free, count)
        ]
    return np.array([places for places, _ in ways], np.int64)


def _choices(
    free: tuple[int, ...], count: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for chosen in combinations(free, count):
        taken = set(chosen)
        yield chosen, tuple(place for place in free if place not in taken)


def turned_orders(of: TiedTopic, at_once: int) -> Iterator[Block]:
    """One group after another turned by each number of places, the others as they are.

    In them each document of a group stands at each place once, which is all that a sum over
    documents depends on. The weights are those of the differences from the order as it is.
    """
    for group in of.groups:
        place = of.rank[group.rows] - group.first
        for begin in range(0, group.size, at_once):
            turn = np.arange(begin, min(begin + at_once, group.size))
            ranks = np.repeat(of.rank[None, :], len(turn), axis=0)
            ranks[:, group.rows] = group.first + (place + turn[:, None]) % group.size
            yield ranks, np.full(len(turn), 1 / group.size)


def drawn_orders(of: TiedTopic, at_once: int, key: bytes) -> Iterator[Block]:
    """DRAWS orders, drawn with equal chances; which ones depends on the key alone."""
    seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
    bits = np.random.PCG64(seed)
    ranks = np.repeat(of.rank[None, :], DRAWS, axis=0)
    for group in of.groups:
        count = group.rows.stop - group.rows.start
        raw = bits.random_raw(DRAWS * count).reshape(DRAWS, count)
        ranks[:, group.rows] = group.first + _shuffled(group.size, raw >> np.uint64(32))
    for begin in range(0, DRAWS, at_once):
        some = ranks[begin : begin + at_once]
        yield some, np.full(len(some), 1 / DRAWS)


def _shuffled(size: int, random: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> Ints:
    """int64[N, m]: m different places of `size`, from 0, for each line of random 32-bit numbers."""
    places = np.empty(random.shape, np.int64)
    lines = max(1, _PLACES_AT_ONCE // size)
    for begin in range(0, len(random), lines):
        mine = random[begin : begin + lines]
        deck = np.repeat(np.arange(size)[None, :], len(mine), axis=0)
        line = np.arange(len(mine))
        for card in range(mine.shape[1]):
            other = card + (mine[:, card] * np.uint64(size - card) >> np.uint64(32)).astype(
                np.int64
            )
            deck[line, card], deck[line, other] = deck[line, other], deck[line, card].copy()
        places[begin : begin + lines] = deck[:, : mine.shape[1]]
    return places


def stacked(
    judged: Judged, blocks: list[tuple[TiedTopic, Ints]], depth: int | None, *, judged_only: bool
) -> Judged:
    """Rankings of their own for each order of some blocks, cut and condensed as the run is."""
    orders = np.array([len(ranks) for _, ranks in blocks])
    width = np.repeat([ranks.shape[1] for _, ranks in blocks], orders)
    copy = np.repeat(np.arange(len(width)), width)
    rank = np.concatenate([ranks.ravel() for _, ranks in blocks])
    grade = np.concatenate([np.tile(topic.grade, len(ranks)) for topic, ranks in blocks])
    by_rank = np.argsort(copy * (int(rank.max(initial=0)) + 1) + rank)
    source = np.repeat([topic.topic for topic, _ in blocks], orders)
    num_ret = judged.num_ret[source]
    if depth is not None:
        by_rank = by_rank[rank[by_rank] <= depth]
        num_ret = np.minimum(num_ret, depth)
    first, last = judged.level_start[source], judged.level_start[source + 1]
    levels = ranges(first, last)
    scores = judged.scores
    if scores is not None:
        row = np.concatenate([np.tile(topic.rows, len(ranks)) for topic, ranks in blocks])
        scores = scores.take_topics(source, scores.of_row[row[by_rank]])
    copies = Judged(
        copy[by_rank],
        rank[by_rank],
        grade[by_rank],
        num_ret,
        offsets(last - first),
        judged.level_grade[levels],
        judged.level_count[levels],
        judged.settings,
        judged.pooled[source],
        Extras(scores=scores),
    )
    return copies.condensed() if judged_only else copies


def cut(judged: Judged, depth: int | None, *, judged_only: bool) -> Judged:
    """The rankings down to a depth, then, if `judged_only`, without their unjudged documents."""
    if depth is not None:
        rows = np.flatnonzero(judged.rank <= depth)
        judged = replace(
            judged,
            topic=judged.topic[rows],
            rank=judged.rank[rows],
            grade=judged.grade[rows],
            num_ret=np.minimum(judged.num_ret, depth),
            extras=judged.extras.take(rows)._replace(ties=None),
        )
    return judged.condensed() if judged_only else judged
