"""Several orders of tied documents: means over all of them, and what they can change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, ListIndices, TopicMask, TopicsByMeasures
from irev.core.model import Column, Judged
from irev.core.record import record
from irev.measures.requests import MeasuredValues, measure_all
from irev.rank.order import RankingRule
from irev.rank.ranking import Ranked, cut_rankings, order_ties_by_grade
from irev.rank.ties.expectation import MeanOverOrders, requests_with_first_column
from irev.rank.ties.tie_orders import DRAWS

if TYPE_CHECKING:
    from irev.measures.requests import Request
    from irev.options import Options
    from irev.rank.judgments import GradedJudgments


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
                columns += [_order_column(columns[-1], order) for order in RANGE_ORDERS]
        printed_requests.append(request._replace(columns=tuple(columns)))
    return printed_requests


def _order_column(column: Column, order: str) -> Column:
    """The column of the values of one under an order of `RANGE_ORDERS`."""
    canonical = f"{column.canonical}[{order}]" if column.canonical else ""
    return replace(column, name=f"{column.name}[{order}]", canonical=canonical)


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
        self._cutoffs = _distinct_cutoffs_and_depth(requests, rule.max_retrieved)
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
        return MeasuredValues(ranked.lists, values, self._text_values_by_column(ranked)), drawn

    def _topic_ids(self, list_indices: ListIndices) -> list[bytes]:
        """The topic of each judged list."""
        return [self._qrels.topics[t] for t in self._qrels.topic_of_list[list_indices].tolist()]

    def _text_values_by_column(self, ranked: Ranked) -> dict[int, list[bytes]]:
        """The texts of the order as it is."""
        items = [
            item
            for item in requests_with_first_column(self._requests)
            if item.request.measure.kind == "text"
        ]
        judged = self._judged_view(ranked, self._rule)
        values = measure_all([request for _, request in items], ranked.lists, judged)
        return {items[column].first_column: texts for column, texts in values.texts.items()}

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


def _distinct_cutoffs_and_depth(requests: Sequence[Request], depth: int | None) -> tuple[int, ...]:
    """The ranks at which the measures and the rankings are cut, rising."""
    cutoffs = set() if depth is None else {depth}
    for request in requests:
        cutoffs.update(cutoff for cutoff in request.arguments.cutoffs if isinstance(cutoff, int))
    return tuple(sorted(cutoffs))
