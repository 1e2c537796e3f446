"""Several orders of tied documents: expectation and range.

The orders are listed or drawn, measures are meant over them, and what the best and the worst order
give stands beside. This knows `core`, the rest of `rank`, `measures` and `options`; neither of the
rooms that it stands on knows it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    DocumentValues,
    Floats,
    Ints,
    ListIndices,
    TopicMask,
    TopicsByCutoffs,
    TopicsByMeasures,
    offsets,
    ranges,
)
from irev.core.judged import Judged, RankingExtras
from irev.core.record import cached_property, record
from irev.measures.requests import MeasuredValues, Request, measure_all
from irev.options import Options
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import Ranked, RankingRule, cut_rankings, order_ties_by_grade

RANGE_ORDERS = ("pessimistic", "optimistic")
"""The orders of tied documents whose values `tie_range` adds, as the columns name them."""
_COUNTS_OF_ANY_ORDER = ("num_q", "num_rel", "num_ret")
"""The counts that no order of tied documents changes."""


def add_tie_ranges_and_mark_real_counts(
    requests: Sequence[Request], options: Options
) -> list[Request]:
    """The requests with the columns that are printed for them, ranges of values included."""
    # where a ranking is cut inside a tie, the expected number of documents may be a fraction
    has_fractions = options.ties == "average" and options.max_retrieved is not None
    printed_requests = []
    for request in requests:
        columns = []
        for column in request.columns:
            is_count = column.kind == "count" and column.measure not in _COUNTS_OF_ANY_ORDER
            columns.append(replace(column, kind="real") if has_fractions and is_count else column)
            if options.tie_range and has_range(request):
                plain = columns[-1]
                for order in RANGE_ORDERS:
                    canonical = f"{plain.canonical}[{order}]" if plain.canonical else ""
                    name = f"{plain.name}[{order}]"
                    columns.append(replace(plain, name=name, canonical=canonical))
        printed_requests.append(request._replace(columns=tuple(columns)))
    return printed_requests


def has_range(request: Request) -> bool:
    """Whether the measure has a better and a worse end at all."""
    measure = request.measure
    is_number = measure.kind != "text" and measure.average not in ("run", "topics")
    return is_number and measure.higher_is_better is not None


@record(eq=True)
class TieAccount:
    """How many groups of equal scores a result rests on; those without a judged document are none.

    at_cutoff  (cutoff, how many of the groups have documents on both sides of it)
    drawn      topics whose means over the orders are means over `draws` drawn ones
    measures   the measures for which that is so
    """

    groups: int = 0
    topics: int = 0
    at_cutoff: tuple[tuple[int, int], ...] = ()
    drawn: tuple[bytes, ...] = ()
    draws: int = 0
    measures: tuple[str, ...] = ()


class TieGroupCounts(NamedTuple):
    """The tie groups of some rankings that hold a judged document.

    groups     int64[T], how many there are
    at_cutoff  int64[T, K], how many have documents on both sides of each cutoff
    drawn      bool[T], whether orders of them were drawn
    """

    groups: Ints
    at_cutoff: Ints
    drawn: Bools


class SeveralOrders:
    """Measures runs by grades under several orders of their tied documents."""

    def __init__(
        self,
        judgments: GradedJudgments,
        requests: Sequence[Request],
        rule: RankingRule,
        options: Options,
    ) -> None:
        self._judgments, self._qrels, self._requests = judgments, judgments.qrels, requests
        self._rule = rule
        self._options = options
        named = (cutoff for request in requests for cutoff in request.arguments.cutoffs)
        cutoffs = {rule.max_retrieved, *named}
        self._cutoffs = sorted(cutoff for cutoff in cutoffs if isinstance(cutoff, int))
        self.mean = MeanOverOrders(requests, rule.max_retrieved, judged_only=rule.judged_only)

    def values(self, ranked: Ranked) -> tuple[MeasuredValues, TieGroupCounts]:
        """The values of whole rankings with their ties, and what ties they have."""
        drawn = np.zeros(len(ranked.lists), bool)
        if self._options.ties == "average":
            values, drawn = self._means(ranked)
        else:
            values = measure_all(
                self._requests, ranked.lists, self._judged_view(ranked, self._rule)
            )
        if self._options.tie_range:
            pessimistic = self._values_by_grade(ranked, best_first=False)
            optimistic = self._values_by_grade(ranked, best_first=True)
            values = self._add_ranges(values, pessimistic, optimistic)
        return values, self._count_tie_groups(ranked)._replace(drawn=drawn)

    def add_unchanged_ranges(self, values: MeasuredValues) -> MeasuredValues:
        """The values of rankings to which the orders are all one, with the columns of ranges."""
        if not self._options.tie_range:
            return values
        return self._add_ranges(values, values.values, values.values)

    def _judged_view(self, ranked: Ranked, rule: RankingRule) -> Judged:
        """What measures see of whole rankings once they are cut."""
        return self._judgments.judged_view(cut_rankings(ranked, self._qrels, rule))

    def _means(self, ranked: Ranked) -> tuple[MeasuredValues, TopicMask]:
        whole = self._judged_view(ranked, RankingRule())
        keys = [b"%d ties " % self._options.seed + t for t in self._topic_ids(ranked.lists)]
        values, drawn = self.mean.values(whole, keys)
        # the texts are those of the order as it is
        items = [
            item
            for item in requests_with_first_column(self._requests)
            if item.request.measure.kind == "text"
        ]
        judged = self._judged_view(ranked, self._rule)
        found = measure_all([request for _, request in items], ranked.lists, judged).texts
        texts = {items[column].first_column: of_topics for column, of_topics in found.items()}
        return MeasuredValues(ranked.lists, values, texts), drawn

    def _topic_ids(self, list_indices: ListIndices) -> list[bytes]:
        """The topic of each judged list."""
        return [self._qrels.topics[t] for t in self._qrels.topic_of_list[list_indices].tolist()]

    def _values_by_grade(self, ranked: Ranked, *, best_first: bool) -> TopicsByMeasures:
        """The values where the tied documents are ordered by grade."""
        ordered = order_ties_by_grade(ranked, self._qrels, best_first=best_first)
        return measure_all(
            self._requests, ranked.lists, self._judged_view(ordered, self._rule)
        ).values

    def _add_ranges(
        self, values: MeasuredValues, pessimistic: TopicsByMeasures, optimistic: TopicsByMeasures
    ) -> MeasuredValues:
        """The values with those of the two orders beside them."""
        columns: list[Floats] = []
        texts = {}
        for first_column, request in requests_with_first_column(self._requests):
            for column in range(first_column, first_column + len(request.columns)):
                if column in values.texts:
                    texts[len(columns)] = values.texts[column]
                columns.append(values.values[:, column])
                if has_range(request):
                    columns += [pessimistic[:, column], optimistic[:, column]]
        shape = (len(values.lists), len(columns))
        return MeasuredValues(
            values.lists, np.stack(columns, 1) if columns else np.zeros(shape), texts
        )

    def _count_tie_groups(self, ranked: Ranked) -> TieGroupCounts:
        """The tie groups with a judged document, of whole rankings."""
        num_rankings = len(ranked.lists)
        ties = ranked.extras.ties
        if ties is None:
            raise AssertionError
        tied = np.flatnonzero(ties.size > 1)
        pairs = np.stack((ranked.topic[tied], ties.first[tied], ties.size[tied]))
        topic, first, size = np.unique(pairs, axis=1)
        crossing = np.zeros((num_rankings, len(self._cutoffs)), np.int64)
        for column, cutoff in enumerate(self._cutoffs):
            over = (first <= cutoff) & (first + size - 1 > cutoff)
            crossing[:, column] = np.bincount(topic[over], minlength=num_rankings)
        return TieGroupCounts(
            np.bincount(topic, minlength=num_rankings), crossing, np.zeros(num_rankings, bool)
        )

    def tie_account(
        self,
        counts_of_lists: Iterable[tuple[ListIndices, TieGroupCounts | None]],
        counted_topic_ids: Sequence[bytes],
    ) -> TieAccount:
        """How many ties some topics have, and where orders of them were drawn.

        Args:
            counts_of_lists: the judged lists of rankings, with the tie groups of each.
            counted_topic_ids: the topics that count.
        """
        index_of_topic = {topic_id: index for index, topic_id in enumerate(counted_topic_ids)}
        groups = np.zeros(len(index_of_topic), np.int64)
        crossing = np.zeros((len(index_of_topic), len(self._cutoffs)), np.int64)
        drawn: set[bytes] = set()
        for lists, ties in counts_of_lists:
            if ties is None:
                continue
            ids = self._topic_ids(lists)
            topic = np.array([index_of_topic.get(topic_id, -1) for topic_id in ids], np.int64)
            counts = np.flatnonzero(topic >= 0)
            # the lists of a topic are judgments of one ranking
            np.maximum.at(groups, topic[counts], ties.groups[counts])
            np.maximum.at(crossing, topic[counts], ties.at_cutoff[counts])
            drawn.update(ids[at] for at in np.flatnonzero(ties.drawn & (topic >= 0)))
        at_cutoff = zip(self._cutoffs, crossing.sum(axis=0).tolist(), strict=True)
        return TieAccount(
            int(groups.sum()),
            int((groups > 0).sum()),
            tuple(at_cutoff),
            tuple(sorted(drawn)),
            DRAWS if drawn else 0,
            self.mean.names_of_drawn_measures if drawn else (),
        )


# --- Means of measures over all orders of tied documents ---


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
                continue
            additive = request.measure.additive
            if is_plain and additive and (depth is None or additive != "uncut"):
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
            closed = _values_of(self._closed_forms, replace(judged))
            values[:, _columns_of(self._closed_forms)] = closed
        requests = [*self._additive_requests, *self.drawn_requests]
        if not requests:
            return
        as_it_is = truncate(judged, self._depth, then_condense=self._then_condense)
        values[:, _columns_of(requests)] = _values_of(requests, as_it_is)
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


def _columns_of(requests: Sequence[RequestWithColumn]) -> Ints:
    return np.array(
        [column + i for column, request in requests for i in range(len(request.columns))], np.int64
    )


def _values_of(requests: Sequence[RequestWithColumn], judged: Judged) -> TopicsByMeasures:
    lists = np.zeros(judged.num_topics, np.int64)
    return measure_all([request for _, request in requests], lists, judged).values


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


# --- The orders that documents of equal scores may have ---
# Documents of the same grade are the same to every measure, and so are those without a grade. An
# order of a topic is where its judged documents stand; a set of orders with their weights stands
# for all of them.


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
