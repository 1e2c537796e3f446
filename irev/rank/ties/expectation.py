"""Means of measures over all orders of tied documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, TopicMask, TopicsByCutoffs, TopicsByMeasures
from irev.core.model import Judged
from irev.core.record import cached_property
from irev.measures.requests import measure_all
from irev.rank.ties.tie_orders import (
    MOST_ORDERS,
    ROWS_AT_ONCE,
    OrderBlock,
    TiedTopic,
    all_orders,
    random_orders,
    shifted_orders,
    stack_orders,
    tied_topics,
    truncate,
)

if TYPE_CHECKING:
    from irev.measures.registry import Measure
    from irev.measures.requests import Request


class MeanOverOrders:
    """Means over all orders of tied documents: exact where that is feasible, else over drawn ones.

    A ranking is cut at `depth`, then, if `judged_only`, condensed, after it was ordered.
    """

    def __init__(
        self, requests: Sequence[Request], depth: int | None, *, judged_only: bool
    ) -> None:
        items = [*requests_with_first_column(requests)]
        self._passes = [
            _MeasurePass(
                [item for item in items if item.request.arguments.condensed == condensed],
                depth,
                condensed=condensed,
                judged_only=judged_only,
            )
            for condensed in (False, True)
        ]
        self._width = sum(len(request.columns) for request in requests)

    @property
    def names_of_drawn_measures(self) -> tuple[str, ...]:
        """The measures whose means may stand on drawn orders."""
        return tuple(
            dict.fromkeys(
                request.measure.name for each in self._passes for _, request in each.drawn_requests
            )
        )

    def values(
        self, judged: Judged, draw_keys: Sequence[bytes]
    ) -> tuple[TopicsByMeasures, TopicMask]:
        """(float64[T, C], bool[T]: whether orders of a topic were drawn).

        Args:
            judged: whole rankings with their ties.
            draw_keys: what the orders that are drawn for each ranking depend on.
        """
        values = np.zeros((judged.num_topics, self._width))
        is_drawn = np.zeros(judged.num_topics, bool)
        for measure_pass in self._passes:
            measure_pass.fill(values, is_drawn, judged, draw_keys)
        return values, is_drawn


class RequestWithColumn(NamedTuple):
    """A request, and the number of the first of its columns among those of all requests."""

    first_column: int
    request: Request


def requests_with_first_column(requests: Sequence[Request]) -> Iterator[RequestWithColumn]:
    """Each request with the number of its first column."""
    column = 0
    for request in requests:
        yield RequestWithColumn(column, request)
        column += len(request.columns)


class _MeasurePass:
    """The measures that see the same documents.

    Their means are known as a formula, or as a sum over documents that shifted orders give, or for
    all others from every order of a topic, or drawn ones.
    """

    def __init__(
        self,
        requests: Sequence[RequestWithColumn],
        depth: int | None,
        *,
        condensed: bool,
        judged_only: bool,
    ) -> None:
        self._depth = depth
        # without a cut, the judged documents of a tie are in any order as well
        self._condense_first = depth is None and (condensed or judged_only)
        self._then_condense = judged_only and depth is not None
        is_plain = depth is None or not (condensed or judged_only)
        self._closed_forms: list[RequestWithColumn] = []
        self._additive_requests: list[RequestWithColumn] = []
        self.drawn_requests: list[RequestWithColumn] = []
        for column, request in requests:
            if request.measure.kind == "text":
                continue
            closed_form = _closed_form_request(request, depth) if is_plain else None
            if closed_form is not None:
                self._closed_forms.append(RequestWithColumn(column, closed_form))
            elif is_plain and _is_additive(request.measure, depth):
                self._additive_requests.append(RequestWithColumn(column, request))
            else:
                self.drawn_requests.append(RequestWithColumn(column, request))

    def fill(
        self,
        values: TopicsByMeasures,
        is_drawn: TopicMask,
        judged: Judged,
        draw_keys: Sequence[bytes],
    ) -> None:
        """Fill in the columns of these measures, and whether orders of a topic were drawn."""
        if self._condense_first:
            judged = judged.condense()
        if self._closed_forms:
            # what is remembered with the rankings themselves are values of one order
            _fill(values, self._closed_forms, replace(judged))
        requests = [*self._additive_requests, *self.drawn_requests]
        if not requests:
            return
        _fill(values, requests, truncate(judged, self._depth, then_condense=self._then_condense))
        stack = partial(stack_orders, judged, depth=self._depth, then_condense=self._then_condense)
        over_all = _WeightedDifferences(requests, values, stack)
        over_shifted = _WeightedDifferences(self._additive_requests, values, stack)
        over_random = _WeightedDifferences(self.drawn_requests, values, stack)
        for topic in tied_topics(judged):
            block_size = max(1, ROWS_AT_ONCE // len(topic.rank))
            if topic.num_orders <= MOST_ORDERS:
                over_all.add(topic, all_orders(topic, block_size))
                continue
            over_shifted.add(topic, shifted_orders(topic, block_size))
            if self.drawn_requests:
                over_random.add(
                    topic, random_orders(topic, block_size, draw_keys[topic.topic_index])
                )
                is_drawn[topic.topic_index] = True
        for differences in (over_all, over_shifted, over_random):
            differences.add_to_values()


def _closed_form_request(request: Request, depth: int | None) -> Request | None:
    """The request with the measure's expectation in the measure's place."""
    if request.measure.ties:
        return request if depth is None else None
    formula = request.measure.expected
    # a cut may leave an order without any relevant document, of which a log makes something else
    if formula is None or (request.measure.average == "geometric" and depth is not None):
        return None
    known_options = set(getattr(formula, "__kwdefaults__", None) or {})
    if not {name for name, _ in request.arguments.options} <= known_options:
        return None

    compute = partial(_expectation, formula, depth)
    return request._replace(measure=request.measure._replace(compute=compute))


def _expectation(
    formula: Callable[..., Floats],
    depth: int | None,
    judged: Judged,
    cutoffs: Any,
    /,
    **options: Any,
) -> TopicsByCutoffs:
    return formula(judged, cutoffs, depth, **options)


def _is_additive(measure: Measure, depth: int | None) -> bool:
    return bool(measure.additive) and (depth is None or measure.additive != "uncut")


def _columns_of(requests: Sequence[RequestWithColumn]) -> Ints:
    return np.array(
        [column + i for column, request in requests for i in range(len(request.columns))], np.int64
    )


def _values_of(requests: Sequence[RequestWithColumn], judged: Judged) -> TopicsByMeasures:
    lists = np.zeros(judged.num_topics, np.int64)
    return measure_all([request for _, request in requests], lists, judged).values


def _fill(values: TopicsByMeasures, requests: Sequence[RequestWithColumn], judged: Judged) -> None:
    values[:, _columns_of(requests)] = _values_of(requests, judged)


class _WeightedDifferences:
    """Weighted sums, over orders, of how far values are from those of the order as it is.

    requests  what is measured
    values    float64[T, C], with the columns of the requests filled in for the order as it is
    stack     makes rankings of (topic, orders) pairs
    """

    def __init__(
        self,
        requests: Sequence[RequestWithColumn],
        values: TopicsByMeasures,
        stack: Callable[[list[tuple[TiedTopic, Ints]]], Judged],
    ) -> None:
        self._requests = requests
        self._values = values
        self._stack = stack
        self._waiting: list[tuple[TiedTopic, OrderBlock]] = []
        self._num_waiting_rows = 0
        self._sums: dict[int, Floats] = {}

    @cached_property
    def _columns(self) -> Ints:
        return _columns_of(self._requests)

    @cached_property
    def _is_log(self) -> Bools:
        """bool[C]: the columns whose values are logs; their mean is that of what they are of."""
        return np.array(
            [c.average == "geometric" for _, request in self._requests for c in request.columns]
        )

    def add(self, topic: TiedTopic, blocks: Iterator[OrderBlock]) -> None:
        """Take some orders of a topic."""
        if not self._requests:
            return
        for block in blocks:
            self._waiting.append((topic, block))
            self._num_waiting_rows += block[0].size
            if self._num_waiting_rows >= ROWS_AT_ONCE:
                self._measure_waiting()

    def add_to_values(self) -> None:
        """Add the sums to the values."""
        if self._waiting:
            self._measure_waiting()
        for topic_index, total in self._sums.items():
            base = self._values[topic_index, self._columns]
            with np.errstate(invalid="ignore"):
                mean = self._undo_logs(base[None, :])[0] + total
            # orders with and without an infinite value
            mean = np.where(np.isnan(mean) & np.isinf(base), base, mean)
            for column in np.flatnonzero(self._is_log).tolist():
                mean[column] = math.log(mean[column]) if total[column] else base[column]
            self._values[topic_index, self._columns] = mean

    def _measure_waiting(self) -> None:
        waiting, self._waiting, self._num_waiting_rows = self._waiting, [], 0
        judged = self._stack([(topic, ranks) for topic, (ranks, _) in waiting])
        values = self._undo_logs(_values_of(self._requests, judged))
        begin = 0
        for topic, (ranks, weight) in waiting:
            base = self._undo_logs(self._values[topic.topic_index, self._columns][None, :])
            own = values[begin : begin + len(ranks)]
            with np.errstate(invalid="ignore"):
                difference = np.where(own == base, 0.0, own - base) * weight[:, None]
            total = np.cumsum(difference, axis=0)[-1]
            self._sums[topic.topic_index] = self._sums.get(topic.topic_index, 0.0) + total
            begin += len(ranks)

    def _undo_logs(self, values: TopicsByMeasures) -> TopicsByMeasures:
        """The values, with exp(x) for each x that is a log."""
        if not self._is_log.any():
            return values
        logs = values[:, self._is_log]
        plain = values.copy()
        plain[:, self._is_log] = np.reshape([*map(math.exp, logs.ravel().tolist())], logs.shape)
        return plain
