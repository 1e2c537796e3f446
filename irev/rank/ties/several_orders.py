"""Several orders of tied documents: means over all of them, and what they can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.model import Column, Judged
from irev.core.record import record
from irev.measures.requests import Values, measure_all
from irev.rank.order import RankingRule
from irev.rank.ranking import Ranked, cut_rankings, order_ties_by_grade
from irev.rank.ties.expectation import MeanOverOrders, numbered
from irev.rank.ties.orders import DRAWS

if TYPE_CHECKING:
    from irev.measures.naming.names import Request
    from irev.options import Options
    from irev.rank.judgments import GradedJudgments


def add_tie_columns(requests: Sequence[Request], options: Options) -> list[Request]:
    """The requests with the columns that are printed for them."""
    # where a ranking is cut inside a tie, the expected number of documents may be a fraction
    partly = options.ties == "average" and options.max_retrieved is not None
    found = []
    for request in requests:
        columns = [_as_mean(each) if partly else each for each in request.columns]
        if options.tie_range and has_range(request):
            columns = [shown for each in columns for shown in (each, *_ends(each))]
        found.append(request._replace(columns=tuple(columns)))
    return found


def _ends(column: Column) -> Iterator[Column]:
    for end in ("min", "max"):
        canonical = f"{column.canonical}[{end}]" if column.canonical else ""
        yield replace(column, name=f"{column.name}[{end}]", canonical=canonical)


_SAME = ("num_q", "num_rel", "num_ret")
"""The counts that no order of tied documents changes."""


def _as_mean(column: Column) -> Column:
    is_count = column.kind == "count" and column.measure not in _SAME
    return replace(column, kind="real") if is_count else column


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


class TieCounts(NamedTuple):
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
        ranking: RankingRule,
        options: Options,
    ) -> None:
        self.judgments, self.qrels, self.requests = judgments, judgments.qrels, requests
        self.ranking = ranking
        self._options = options
        self._cutoffs = _cutoffs(requests, ranking.max_retrieved)
        self.mean = MeanOverOrders(requests, ranking.max_retrieved, judged_only=ranking.judged_only)

    def values(self, found: Ranked) -> tuple[Values, TieCounts]:
        """The values of whole rankings with their ties, and what ties they have."""
        drawn = np.zeros(len(found.lists), bool)
        if self._options.ties == "average":
            values, drawn = self._means(found)
        else:
            values = measure_all(self.requests, found.lists, self._judged(found, self.ranking))
        if self._options.tie_range:
            values = self._between(values, *(self._end(found, best=best) for best in (False, True)))
        return values, self._counts(found)._replace(drawn=drawn)

    def add_unchanged_ranges(self, values: Values) -> Values:
        """The values of rankings to which the orders are all one, with the columns of ranges."""
        return self._between(values, values.values, values.values)

    def _judged(self, found: Ranked, ranking: RankingRule) -> Judged:
        """What measures see of whole rankings once they are cut."""
        return self.judgments.judged_view(cut_rankings(found, self.qrels, ranking))

    def _means(self, found: Ranked) -> tuple[Values, Bools]:
        whole = self._judged(found, RankingRule())
        topic = self.qrels.topic_of_list[found.lists]
        names = [self.qrels.topics[number] for number in topic.tolist()]
        keys = [b"%d ties " % self._options.seed + name for name in names]
        values, drawn = self.mean.values(whole, keys)
        return Values(found.lists, values, self._texts(found)), drawn

    def _texts(self, found: Ranked) -> dict[int, list[bytes]]:
        """The texts of the order as it is."""
        columns = numbered(self.requests)
        texts = [item for item in columns if item[1].measure.kind == "text"]
        judged = self._judged(found, self.ranking)
        values = measure_all([request for _, request in texts], found.lists, judged)
        return {texts[at][0]: text for at, text in values.texts.items()}

    def _end(self, found: Ranked, *, best: bool) -> Floats:
        ordered = order_ties_by_grade(found, self.qrels, best=best)
        return measure_all(self.requests, found.lists, self._judged(ordered, self.ranking)).values

    def _between(self, values: Values, one: Floats, other: Floats) -> Values:
        """The values with the lower and the higher of two others beside them."""
        if not self._options.tie_range:
            return values
        columns: list[Floats] = []
        texts = {}
        number = 0
        for request in self.requests:
            for column in range(number, number + len(request.columns)):
                if column in values.texts:
                    texts[len(columns)] = values.texts[column]
                columns.append(values.values[:, column])
                if has_range(request):
                    columns.append(np.fmin(one[:, column], other[:, column]))
                    columns.append(np.fmax(one[:, column], other[:, column]))
            number += len(request.columns)
        shape = (len(values.lists), len(columns))
        return Values(values.lists, np.stack(columns, 1) if columns else np.zeros(shape), texts)

    def _counts(self, found: Ranked) -> TieCounts:
        """The tie groups with a judged document, of whole rankings."""
        count = len(found.lists)
        none = np.zeros(count, bool)
        ties = found.extras.ties
        if ties is None:
            raise AssertionError
        tied = np.flatnonzero(ties.size > 1)
        pairs = np.stack((found.topic[tied], ties.first[tied], ties.size[tied]))
        topic, first, size = np.unique(pairs, axis=1)
        crossing = np.zeros((count, len(self._cutoffs)), np.int64)
        for column, cutoff in enumerate(self._cutoffs):
            over = (first <= cutoff) & (first + size - 1 > cutoff)
            crossing[:, column] = np.bincount(topic[over], minlength=count)
        return TieCounts(np.bincount(topic, minlength=count), crossing, none)

    def account(
        self, counted: Iterable[tuple[Ints, TieCounts | None]], topics: Sequence[bytes]
    ) -> TieAccount:
        """How many ties some topics have, and where orders of them were drawn.

        Args:
            counted: the judged lists of rankings, with the tie groups of each.
            topics: the topics that count.
        """
        here = {topic: number for number, topic in enumerate(topics)}
        groups = np.zeros(len(here), np.int64)
        crossing = np.zeros((len(here), len(self._cutoffs)), np.int64)
        drawn: set[bytes] = set()
        for lists, ties in counted:
            if ties is None:
                continue
            topic = self.qrels.topic_of_list[lists]
            names = [self.qrels.topics[number] for number in topic.tolist()]
            place = np.array([here.get(name, -1) for name in names], np.int64)
            some = np.flatnonzero(place >= 0)
            # the lists of a topic are judgments of one ranking
            np.maximum.at(groups, place[some], ties.groups[some])
            np.maximum.at(crossing, place[some], ties.at_cutoff[some])
            drawn.update(names[at] for at in np.flatnonzero(ties.drawn & (place >= 0)))
        at_cutoff = zip(self._cutoffs, crossing.sum(axis=0).tolist(), strict=True)
        return TieAccount(
            int(groups.sum()),
            int((groups > 0).sum()),
            tuple(at_cutoff),
            tuple(sorted(drawn)),
            DRAWS if drawn else 0,
            self.mean.drawn_measures if drawn else (),
        )


def _cutoffs(requests: Sequence[Request], depth: int | None) -> tuple[int, ...]:
    """The ranks at which the measures and the rankings are cut, rising."""
    found = set() if depth is None else {depth}
    for request in requests:
        found.update(cutoff for cutoff in request.value.cutoffs if isinstance(cutoff, int))
    return tuple(sorted(found))
