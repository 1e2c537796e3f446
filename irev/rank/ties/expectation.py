"""Means of measures over all orders of tied documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.model import Judged
from irev.core.record import cached_property
from irev.measures.requests import measure_all
from irev.rank.ties.orders import (
    MOST_ORDERS,
    ROWS_AT_ONCE,
    Block,
    TiedTopic,
    cut,
    drawn_orders,
    every_order,
    stacked,
    tied_topics,
    turned_orders,
)

if TYPE_CHECKING:
    from irev.measures.naming.names import Request
    from irev.measures.registry import Measure


class MeanOverOrders:
    """Means over all orders of tied documents: exact where that is feasible, else over drawn ones.

    A ranking is cut at `depth`, then, if `judged_only`, condensed, after it was ordered.
    """

    def __init__(
        self, requests: Sequence[Request], depth: int | None, *, judged_only: bool
    ) -> None:
        self._depth = depth
        self._passes = [
            _Pass([item for item in numbered(requests) if _condensed(item[1]) == condensed],
                  depth, condensed=condensed, judged_only=judged_only)
            for condensed in (False, True)
        ]  # fmt: skip
        self._width = sum(len(request.columns) for request in requests)

    @property
    def drawn_measures(self) -> tuple[str, ...]:
        """The measures whose means may stand on drawn orders."""
        return tuple(
            dict.fromkeys(request.measure.name for each in self._passes for _, request in each.rest)
        )

    def values(self, judged: Judged, keys: Sequence[bytes]) -> tuple[Floats, Bools]:
        """(float64[T, C], bool[T]: whether orders of a topic were drawn).

        Args:
            judged: whole rankings with their ties.
            keys: what the orders that are drawn for each ranking depend on.
        """
        values = np.zeros((judged.num_topics, self._width))
        drawn = np.zeros(judged.num_topics, bool)
        for each in self._passes:
            each.run(judged, keys, values, drawn)
        return values, drawn


Numbered = tuple[int, "Request"]
"""A request, and the number of its first column."""


def numbered(requests: Sequence[Request]) -> Iterator[Numbered]:
    """Each request with the number of its first column."""
    column = 0
    for request in requests:
        yield column, request
        column += len(request.columns)


def _condensed(request: Request) -> bool:
    return request.value.condensed


class _Pass:
    """The measures that see the same documents."""

    def __init__(
        self, items: Sequence[Numbered], depth: int | None, *, condensed: bool, judged_only: bool
    ) -> None:
        self._depth = depth
        # without a cut, the judged documents of a tie are in any order as well
        self._condense_first = depth is None and (condensed or judged_only)
        self._judged_only = judged_only and depth is not None
        is_plain = depth is None or not (condensed or judged_only)
        self._closed: list[Numbered] = []
        self._linear: list[Numbered] = []
        self.rest: list[Numbered] = []
        for column, request in items:
            if request.measure.kind == "text":
                continue
            closed = _closed_form(request, depth) if is_plain else None
            if closed is not None:
                self._closed.append((column, closed))
            elif is_plain and _is_additive(request.measure, depth):
                self._linear.append((column, request))
            else:
                self.rest.append((column, request))

    def run(self, judged: Judged, keys: Sequence[bytes], values: Floats, drawn: Bools) -> None:
        """Fill in the columns of these measures."""
        if self._condense_first:
            judged = judged.condensed()
        if self._closed:
            # what is kept with the rankings themselves are values of one order
            _fill(values, self._closed, replace(judged))
        others = [*self._linear, *self.rest]
        if not others:
            return
        _fill(values, others, cut(judged, self._depth, judged_only=self._judged_only))
        stack = partial(stacked, judged, depth=self._depth, judged_only=self._judged_only)
        every, turned, some = (_Sums(x, values, stack) for x in (others, self._linear, self.rest))
        for topic in tied_topics(judged):
            at_once = max(1, ROWS_AT_ONCE // len(topic.rank))
            if topic.orders <= MOST_ORDERS:
                every.add(topic, every_order(topic, at_once))
                continue
            turned.add(topic, turned_orders(topic, at_once))
            if self.rest:
                some.add(topic, drawn_orders(topic, at_once, keys[topic.topic]))
                drawn[topic.topic] = True
        for sums in (every, turned, some):
            sums.finish()


def _closed_form(request: Request, depth: int | None) -> Request | None:
    """The request with the measure's expectation in the measure's place."""
    if request.measure.ties:
        return request if depth is None else None
    form = request.measure.expected
    # a cut may leave an order without any relevant document, of which a log makes something else
    if form is None or (request.measure.average == "geometric" and depth is not None):
        return None
    if not {name for name, _ in request.value.options} <= set(
        getattr(form, "__kwdefaults__", None) or {}
    ):
        return None

    def expected(judged: Judged, cutoffs: Any, **options: Any) -> Floats:
        found: Floats = form(judged, cutoffs, depth, **options)
        return found

    return request._replace(measure=request.measure._replace(compute=expected))


def _is_additive(measure: Measure, depth: int | None) -> bool:
    return bool(measure.additive) and (depth is None or measure.additive != "uncut")


def _columns_of(items: Sequence[Numbered]) -> Ints:
    return np.array(
        [column + i for column, request in items for i in range(len(request.columns))], np.int64
    )


def _fill(values: Floats, items: Sequence[Numbered], judged: Judged) -> None:
    requests = [request for _, request in items]
    found = measure_all(requests, np.zeros(judged.num_topics, np.int64), judged)
    values[:, _columns_of(items)] = found.values


class _Sums:
    """Weighted sums, over orders, of how far values are from those of the order as it is."""

    def __init__(self, items: Sequence[Numbered], values: Floats, stack: Any) -> None:
        self._items = items
        self._values = values
        self._stack = stack
        self._waiting: list[tuple[TiedTopic, Block]] = []
        self._rows = 0
        self._sums: dict[int, Floats] = {}

    @cached_property
    def _columns(self) -> Ints:
        return _columns_of(self._items)

    @cached_property
    def _is_log(self) -> Bools:
        """bool[C]: the columns whose values are logs; their mean is that of what they are of."""
        return np.array(
            [c.average == "geometric" for _, request in self._items for c in request.columns]
        )

    def add(self, topic: TiedTopic, blocks: Iterator[Block]) -> None:
        """Take some orders of a topic."""
        if not self._items:
            return
        for block in blocks:
            self._waiting.append((topic, block))
            self._rows += block[0].size
            if self._rows >= ROWS_AT_ONCE:
                self._measure()

    def finish(self) -> None:
        """Add the sums to the values."""
        if self._waiting:
            self._measure()
        for topic, total in self._sums.items():
            base = self._values[topic, self._columns]
            with np.errstate(invalid="ignore"):
                mean = self._plain(base[None, :])[0] + total
            # orders with and without an infinite value
            mean = np.where(np.isnan(mean) & np.isinf(base), base, mean)
            for at in np.flatnonzero(self._is_log).tolist():
                mean[at] = math.log(mean[at]) if total[at] else base[at]
            self._values[topic, self._columns] = mean

    def _measure(self) -> None:
        waiting, self._waiting, self._rows = self._waiting, [], 0
        judged = self._stack([(topic, ranks) for topic, (ranks, _) in waiting])
        requests = [request for _, request in self._items]
        found = measure_all(requests, np.zeros(judged.num_topics, np.int64), judged).values
        found = self._plain(found)
        begin = 0
        for topic, (ranks, weight) in waiting:
            base = self._plain(self._values[topic.topic, self._columns][None, :])
            mine = found[begin : begin + len(ranks)]
            with np.errstate(invalid="ignore"):
                apart = np.where(mine == base, 0.0, mine - base) * weight[:, None]
            total = np.cumsum(apart, axis=0)[-1]
            self._sums[topic.topic] = self._sums.get(topic.topic, 0.0) + total
            begin += len(ranks)

    def _plain(self, values: Floats) -> Floats:
        """The values, none of them a log."""
        if not self._is_log.any():
            return values
        plain = values.copy()
        logs = plain[:, self._is_log]
        plain[:, self._is_log] = np.array([*map(math.exp, logs.ravel().tolist())]).reshape(
            logs.shape
        )
        return plain
