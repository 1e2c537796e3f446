"""The order of a run: by score, and equal scores by id, by line or by what the judgments say."""

from __future__ import annotations

from typing import Any

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    lengths_of,
    of_similar_length,
    offsets,
    ranges,
)
from irev.core.extras import TieSpans
from irev.core.model import Rows
from irev.core.record import cached_property, record

BY_GRADE = ("optimistic", "pessimistic")
"""The orders of equal scores that the judgments decide."""

_FEW = 2
"""To look at so many rows for each of a run costs less than to sort it."""


@record
class RankingRule:
    """How runs are ranked, for all measures of an evaluation.

    Documents are ordered by score, falling; equal scores as `ties` says:

    "docid"        by document id, falling in byte order (`ids_rising`: rising)
    "input"        in the order of the run's lines
    "rank"         the rows hold ranks, not scores: by rank, rising; equal ranks by document id
    "optimistic"   the higher grade first, documents without a grade last
    "pessimistic"  documents without a grade first, then the lower grade first

    Then only the first `max_retrieved` of a topic are kept, then, if `judged_only`, only the judged
    ones of them. `single_precision` rounds scores to 32 bits first. `spans` asks for the groups of
    equal scores, `scores` for the scores, `unjudged` for the documents that are not in the qrels,
    `elsewhere` for which of them are in the qrels of another topic.
    """

    max_retrieved: int | None = None
    judged_only: bool = False
    ids_rising: bool = False
    single_precision: bool = False
    ties: str = "docid"
    spans: bool = False
    scores: bool = False
    unjudged: bool = False
    elsewhere: bool = False

    @property
    def orders_ties_by_grade(self) -> bool:
        """Whether equal scores are ordered by what the judgments say."""
        return self.ties in BY_GRADE

    @property
    def needs_tie_spans(self) -> bool:
        """Whether the groups of equal scores are needed."""
        return self.spans or self.orders_ties_by_grade


def sort_key(rows: Rows, ranking: RankingRule) -> Floats:
    """float64[N]: what the rows are ordered by, falling."""
    if ranking.ties == "rank":
        return -rows.value
    if ranking.single_precision:
        with np.errstate(over="ignore"):
            return rows.value.astype(np.float32).astype(np.float64)
    return rows.value


@record
class Order:
    """N rows of whole topics and their places in the order, counted from 0.

    Topics follow one another as they do in `rows`. Ids are compared only among equal scores that a
    row is part of whose place is asked for.

    sort_key  float64[N], what the rows are ordered by, falling
    rises     bool[N-1], where it rises within a topic; None: nowhere, the rows are in order
    """

    rows: Rows
    ranking: RankingRule
    sort_key: Floats
    rises: Bools | None

    @classmethod
    def of(cls, rows: Rows, ranking: RankingRule) -> Order:
        """The order that a ranking asks for."""
        score = sort_key(rows, ranking)
        rises = rows.inside(score[1:] > score[:-1])
        return cls(rows, ranking, score, rises if np.count_nonzero(rises) else None)

    @cached_property
    def row(self) -> Ints | None:
        """int64[N]: the row at each place, equal scores in any order; None: rows are in order."""
        return None if self.rises is None else _sorted(self.rows, self.sort_key, self.rises)

    @cached_property
    def score(self) -> Floats:
        """float64[N]: the score at each place."""
        return self.sort_key if self.row is None else self.sort_key[self.row]

    def places(self, wanted: Ints) -> tuple[Ints, TieSpans | None]:
        """int64[W]: where some rows stand; and their groups of equal scores, where needed.

        The groups' first ones are places, too.
        """
        is_sorted = self.rises is None or self.ranking.scores or self.ranking.unjudged
        if not is_sorted and len(self.rows.topics) > 1:
            # of few documents the places are quicker counted than all others sorted
            start = self.rows.start
            topic = start.searchsorted(wanted, "right") - 1
            length = start[topic + 1] - start[topic]
            if length.sum() <= _FEW * len(self.sort_key):
                return self._counted(wanted, start[topic], length)
        return self._among_all(wanted)

    def _counted(self, wanted: Ints, first: Ints, length: Ints) -> tuple[Ints, TieSpans | None]:
        """The places of rows, each of a topic of so many rows from the first one."""
        others, each = ranges(first, first + length), np.arange(len(wanted)).repeat(length)
        own, theirs = self.sort_key[wanted][each], self.sort_key[others]
        place = first + np.bincount(each[theirs > own], minlength=len(wanted))
        same = (theirs == own).nonzero()[0]
        size = np.bincount(each[same], minlength=len(wanted))
        spans = TieSpans(place, size) if self.ranking.needs_tie_spans else None
        if self.ranking.orders_ties_by_grade or (size == 1).all():
            return place, spans
        others, each = others[same], each[same]
        by_key = np.lexsort((*self._keys(others), each))
        at = (others[by_key] == wanted[each]).nonzero()[0]
        return place + at - offsets(size)[:-1], spans

    def _among_all(self, wanted: Ints) -> tuple[Ints, TieSpans | None]:
        """The places of rows once all are sorted."""
        order, score, ranking = self.row, self.score, self.ranking
        ties = self.rows.inside(score[1:] == score[:-1])
        place = wanted
        if order is not None:
            place_of_row = np.empty(len(order), np.int64)
            place_of_row[order] = np.arange(len(order))
            place = place_of_row[wanted]
        if not np.count_nonzero(ties):
            return place, TieSpans(place, np.ones_like(place)) if ranking.needs_tie_spans else None
        # a group of equal scores is a stretch of places
        group = offsets(~ties)
        size = np.bincount(group)
        spans = None
        if ranking.needs_tie_spans:
            mine = group[place]
            spans = TieSpans((np.cumsum(size) - size)[mine], size[mine])
        if ranking.orders_ties_by_grade:
            return place, spans
        return self._untied(group, size, place, wanted), spans

    def _untied(self, group: Ints, size: Ints, place: Ints, wanted: Ints) -> Ints:
        """The places of the wanted rows once equal scores are ordered by document id or by line."""
        touched = np.zeros(len(size), bool)
        touched[group[place]] = True
        touched &= size > 1
        members = np.flatnonzero(touched[group])
        if not len(members):
            return place
        row = members if self.row is None else self.row[members]
        by_key = np.lexsort((*self._keys(row), group[members]))
        place_of_row = np.empty(len(self.sort_key), np.int64)
        place_of_row[wanted] = place
        place_of_row[row[by_key]] = members
        return place_of_row[wanted]

    def _keys(self, row: Ints) -> list[Any]:
        """Keys for `np.lexsort` of rows with equal scores."""
        if self.ranking.ties == "input":
            return [row]
        return self.rows.docs.take(row).sort_keys(rising=self.ranking.ids_rising)


def _sorted(rows: Rows, score: Floats, rises: Bools) -> Ints:
    """The rows by topic and falling score; only topics that are out of order are sorted."""
    if len(rows.topics) == 1:
        return (-score).argsort()
    unsorted = np.zeros(len(rows.topics), bool)
    unsorted[rows.topic_of_row[1:][rises]] = True
    length = np.where(unsorted, lengths_of(rows.start), 0)
    order = np.arange(len(score))
    for topics in of_similar_length(length):
        first, size = rows.start[topics][:, None], length[topics][:, None]
        places = first + np.arange(int(size.max()))
        inside = places < first + size
        # what is no number stands behind all numbers
        falling = np.where(inside, -score[np.minimum(places, len(score) - 1)], np.nan)
        order[places[inside]] = (first + falling.argsort(axis=1))[inside]
    return order
