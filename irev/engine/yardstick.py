"""What runs are measured by: judgments, measures, and how a run is ranked."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Ints
from irev.core.extras import joined_scores
from irev.core.frozen import frozen
from irev.core.model import Judged, Qrels, Rows
from irev.errors import ContradictionError, MeasureError
from irev.measures.measuring import Values, batches, joined_rankings, measure_all
from irev.rank.ranking import Ranking, UnjudgedTopics, empty_rankings, joined, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.views import Rankings
    from irev.measures.requests import Request
    from irev.rank.ranking import Ranked
    from irev.rank.views import Judgments
    from irev.ties.several import SeveralOrders, TieCounts

_FEW_ROWS = 1 << 14
"""Parts with fewer judged documents are measured together: most of their cost is NumPy's calls."""


@frozen
class RunPart:
    """What became of some topics of a run: measured already, or to be measured with others.

    lists    int64[T], the judged list of each ranking
    others   the topics of the run that the qrels do not have
    values   None: to be measured
    waiting  the rankings, where they are to be measured
    ties     the tie groups of each list, where several orders of them were looked at
    repeats  how many repeated lines were left out, by topic, where only first lines count
    """

    lists: Ints
    others: UnjudgedTopics
    values: Values | None = None
    waiting: Judged | None = None
    ties: TieCounts | None = None
    repeats: dict[bytes, int] = field(default_factory=dict)


@frozen
class Yardstick:
    """Judgments, measures, and how a run is ranked; `orders`, where ties have several orders."""

    judgments: Judgments
    requests: Sequence[Request]
    ranking: Ranking
    orders: SeveralOrders | None = None

    @property
    def qrels(self) -> Qrels:
        """The judged documents."""
        return self.judgments.qrels

    def part(self, rows: Rows) -> RunPart:
        """Rank some whole topics of a run, hold them against the judgments and measure them.

        Raises:
            DuplicatesError: documents stand twice in a topic.
        """
        if self.orders is not None:
            whole = joined(rows, self.qrels, self.ranking)
            values, ties = self.orders.values(whole)
            return RunPart(whole.lists, whole.others, values, ties=ties)
        found = ranked(rows, self.qrels, self.ranking)
        return self.part_of(found, self.judgments.view(found))

    def part_of(self, found: Ranked, view: Rankings) -> RunPart:
        """The same of rankings that were held against the judgments."""
        if isinstance(view, Judged) and len(view.topic) < _FEW_ROWS:
            return RunPart(found.lists, found.others, waiting=view)
        return RunPart(found.lists, found.others, self._measured(found, view))

    def values(self, parts: Sequence[RunPart]) -> Iterator[Values]:
        """The values of all parts; small ones are measured together."""
        yield from (part.values for part in parts if part.values is not None)
        waiting = [(part.lists, part.waiting) for part in parts if part.waiting is not None]
        for batch in batches(waiting):
            lists = np.concatenate([lists for lists, _ in batch])
            yield self.measured(lists, joined_rankings([judged for _, judged in batch]))

    def empty(self, lists: Ints) -> Values:
        """The values of empty rankings for some judged lists."""
        found = empty_rankings(lists)
        return self._in_any_order(self._measured(found, self.judgments.view(found)))

    def unjudged(self, parts: Sequence[RunPart]) -> Values:
        """The values of the rankings without any judgment; their `lists` are -1."""
        others = UnjudgedTopics(
            [name for part in parts for name in part.others.names],
            np.concatenate([part.others.num_ret for part in parts]),
            joined_scores([part.others.scores for part in parts]),
        )
        view = self.judgments.unjudged(others)
        return self._in_any_order(self.measured(np.full(len(others.names), -1), view))

    def measured(self, lists: Ints, view: Rankings) -> Values:
        """The values of some rankings, each against a judged list.

        Raises:
            MeasureError: a user's measure failed, on the topic that is named.
        """
        try:
            return measure_all(self.requests, lists, view)
        except MeasureError as error:
            raise self._named(lists, error) from error

    def _measured(self, found: Ranked, view: Rankings) -> Values:
        try:
            return self.measured(found.lists, view)
        except ContradictionError as error:
            raise self.judgments.named(found, error) from None

    def _in_any_order(self, values: Values) -> Values:
        """The values of rankings without judged documents: the orders of ties play no role."""
        return values if self.orders is None else self.orders.widened(values)

    def _named(self, lists: Ints, error: MeasureError) -> MeasureError:
        """The failure of a user's measure, with the topic's id."""
        topic = error.topic
        if not isinstance(topic, int) or lists[topic] < 0:
            return MeasureError(error.measure, error.reason)
        number = self.qrels.topic_of_list[lists[topic]]
        return MeasureError(error.measure, error.reason, self.qrels.topics[number])
