"""Order, ties and the join with the judgments: the one place that knows how a run is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    ListIndices,
    RowIndices,
    RowValues,
    TopicIndices,
    TopicOfRow,
    TopicsByRanks,
    Words,
    batches_of_similar_length,
    is_any,
    largest_or_zero,
    offsets,
    ranges,
    ranks_in_segments,
    run_starts,
)
from irev.core.ids import DocumentIndex, Ids, index_documents
from irev.core.judged import (
    NO_RANKING_EXTRAS,
    Duplicate,
    DuplicatesError,
    Qrels,
    RankingExtras,
    Rows,
    RunScores,
    TieSpans,
    Unjudged,
)
from irev.core.record import cached_property, record
from irev.errors import MOST_PROBLEMS

TIES_BY_GRADE = ("optimistic", "pessimistic")
"""The orders of equal scores that the judgments decide."""


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
        return self.ties in TIES_BY_GRADE

    @property
    def needs_tie_spans(self) -> bool:
        """Whether the groups of equal scores are needed."""
        return self.spans or self.orders_ties_by_grade


class Ranked(NamedTuple):
    """Some topics of a run against the qrels, before any definition of relevance.

    A ranking is a topic held against one judged list: a topic with several lists has several
    rankings, and `topic` says which ranking, not which topic, a document is in.

    lists            int64[T], which judged list of the qrels each ranking was held against
    topic            int64[J], the ranking (0..T-1) of each document that stands in its list, rising
    rank             int64[J], from 1, rising within a ranking
    row              int64[J], its row in the qrels
    num_ret          int64[T], documents retrieved
    unjudged_topics  the topics that the qrels do not have
    extras           ties, scores and unjudged documents, where they were asked for and are there;
                     what the scores say of documents that are no rows is said of those that the
                     rule keeps, whatever the order of equal scores
    order            how the rows of the run were ordered
    """

    lists: Ints
    topic: Ints
    rank: Ints
    row: Ints
    num_ret: Ints
    unjudged_topics: Sequence[bytes]
    extras: RankingExtras = NO_RANKING_EXTRAS
    order: Order | None = None


class PlacesInRun(NamedTuple):
    """Where some rows stand in the whole ordered run, and their groups of equal scores.

    place  int64[W], from 0, topic after topic
    ties   the groups, whose first ones are places, too; None: not needed
    """

    place: Ints
    ties: TieSpans | None


_COMPARISONS_PER_ROW = 2
"""To look at so many rows for each of a run costs less than to sort it."""


@record
class Order:
    """N rows of whole topics and their places in the order, counted from 0.

    Topics follow one another as they do in `rows`. Ids are compared only among equal scores that a
    row is part of whose place is asked for.

    falling_key  float64[N], what the rows are ordered by, falling
    rises     bool[N-1], where it rises within a topic; None: nowhere, the rows are in order
    """

    rows: Rows
    rule: RankingRule
    falling_key: Floats
    rises: Bools | None

    @cached_property
    def row_at_place(self) -> RowIndices | None:
        """int64[N]: the row at each place, equal scores in any order; None: rows are in order."""
        return None if self.rises is None else _sort_topics(self.rows, self.falling_key, self.rises)

    @cached_property
    def key_at_place(self) -> RowValues:
        """float64[N]: the sort key at each place."""
        return (
            self.falling_key if self.row_at_place is None else self.falling_key[self.row_at_place]
        )

    @cached_property
    def ties_at_place(self) -> Bools | None:
        """bool[N-1]: whether each place's key is that of the next, in one topic; None: none is."""
        key = self.key_at_place
        ties = self.rows.clear_flags_across_topics(key[1:] == key[:-1])
        return ties if is_any(ties) else None

    @property
    def has_no_ties(self) -> bool:
        """Whether it is known that no two rows of a topic have equal keys.

        False where nobody has looked yet: to know it, all would have to be sorted.
        """
        # a cached property stands in `vars` once it was asked for
        return vars(self).get("ties_at_place", self) is None

    def places_in_ordered_run(self, row_indices: RowIndices) -> PlacesInRun:
        """Where some rows stand, and their groups of equal scores, where needed."""
        is_sorted = self.rises is None or self.rule.scores or self.rule.unjudged
        if not is_sorted and len(self.rows.topics) > 1:
            # of few documents the places are quicker counted than all others sorted
            start = self.rows.start
            topic = start.searchsorted(row_indices, "right") - 1
            length = start[topic + 1] - start[topic]
            if length.sum() <= _COMPARISONS_PER_ROW * len(self.falling_key):
                return self._count_places_in_run(row_indices, start[topic], length)
        return self._places_in_sorted_run(row_indices)

    def _count_places_in_run(
        self, row_indices: RowIndices, first_of_topic: Ints, topic_length: Ints
    ) -> PlacesInRun:
        """The places of rows, from how many rows of each one's topic have a higher key."""
        # Rows 0 and 1 of a topic with the keys 5 7 5 are held against its rows 0 1 2 | 0 1 2: none
        # or one is higher, so the places are 1 and 0, and the groups of equal keys hold 2 and 1
        # rows. If row 2 beats row 0 by its id these are 2 0 | 1, where row 0 is one further on.
        others = ranges(first_of_topic, first_of_topic + topic_length)
        each = np.arange(len(row_indices)).repeat(topic_length)
        own, theirs = self.falling_key[row_indices][each], self.falling_key[others]
        place = first_of_topic + np.bincount(each[theirs > own], minlength=len(row_indices))
        same = (theirs == own).nonzero()[0]
        size = np.bincount(each[same], minlength=len(row_indices))
        spans = TieSpans(place, size) if self.rule.needs_tie_spans else None
        if self.rule.orders_ties_by_grade or (size == 1).all():
            return PlacesInRun(place, spans)
        others, each = others[same], each[same]
        by_key = np.lexsort((*self._tie_keys(others), each))
        at = (others[by_key] == row_indices[each]).nonzero()[0]
        return PlacesInRun(place + at - offsets(size)[:-1], spans)

    def _places_in_sorted_run(self, row_indices: RowIndices) -> PlacesInRun:
        """The places of rows once all are sorted."""
        order, ties, rule = self.row_at_place, self.ties_at_place, self.rule
        place = row_indices
        if order is not None:
            place_of_row = np.empty(len(order), np.int64)
            place_of_row[order] = np.arange(len(order))
            place = place_of_row[row_indices]
        if ties is None:
            spans = TieSpans(place, np.ones_like(place)) if rule.needs_tie_spans else None
            return PlacesInRun(place, spans)
        # a group of equal scores is a stretch of places
        group_at_place = offsets(~ties)
        size = np.bincount(group_at_place)
        spans = None
        if rule.needs_tie_spans:
            own_group = group_at_place[place]
            spans = TieSpans((np.cumsum(size) - size)[own_group], size[own_group])
        if rule.orders_ties_by_grade:
            return PlacesInRun(place, spans)
        return PlacesInRun(
            self._places_after_breaking_ties(row_indices, place, group_at_place, size), spans
        )

    def _places_after_breaking_ties(
        self,
        row_indices: RowIndices,
        place_in_any_order: Ints,
        group_of_place: Ints,
        group_size: Ints,
    ) -> Ints:
        """The places of rows once equal scores are ordered by document id or by line.

        place_in_any_order  int64[W], their places while equal scores stand in any order
        group_of_place      int64[N], the group of equal scores that each place is in
        """
        touched = np.zeros(len(group_size), bool)
        touched[group_of_place[place_in_any_order]] = True
        touched &= group_size > 1
        tied_places = np.flatnonzero(touched[group_of_place])
        if not len(tied_places):
            return place_in_any_order
        row = tied_places if self.row_at_place is None else self.row_at_place[tied_places]
        by_key = np.lexsort((*self._tie_keys(row), group_of_place[tied_places]))
        place_of_row = np.empty(len(self.falling_key), np.int64)
        place_of_row[row_indices] = place_in_any_order
        place_of_row[row[by_key]] = tied_places
        return place_of_row[row_indices]

    def _tie_keys(self, row_indices: RowIndices) -> list[Any]:
        """Keys for `np.lexsort` of rows with equal scores."""
        if self.rule.ties == "input":
            return [row_indices]
        return self.rows.docs.take(row_indices).sort_keys(rising=self.rule.ids_rising)


def rank_rows(rows: Rows, qrels: Qrels, rule: RankingRule) -> Ranked:
    """The rankings of some whole topics of a run, cut by the rule, held against the judgments."""
    return cut_rankings(join_judgments(rows, qrels, rule), qrels, rule)


def join_judgments(rows: Rows, qrels: Qrels, rule: RankingRule) -> Ranked:
    """The same before they are cut: every retrieved document, the J rows in no order of ranks."""
    pairs = index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
    judged, length = _judged_rows(tuple(rows.topics), qrels), rows.topic_lengths
    topic_of_list = judged.topic_of_list

    hits, row_in_run = pairs.find(judged.topic, judged.docs, judged.hashes)
    order = order_rows(rows, rule)
    place, spans = order.places_in_ordered_run(row_in_run)
    before = rows.start[judged.topic[hits]] - 1 if len(rows.topics) > 1 else -1
    ties = None if spans is None else TieSpans(spans.first - before, spans.size)
    scores = unjudged = None
    if rule.scores and rule.ties != "rank":
        # those of every topic, of the first documents that the rule keeps of each
        score, start = order.key_at_place, order.rows.start
        if rule.max_retrieved is not None:
            num_kept = np.minimum(np.diff(start), rule.max_retrieved)
            score = score[ranges(start[:-1], start[:-1] + num_kept)]
            start = offsets(num_kept)
        run_scores = RunScores.build(score, start)
        scores = run_scores.take_topics(topic_of_list, order.key_at_place[place])
    if rule.unjudged:
        is_in_qrels = np.zeros(len(rows.docs), bool)
        is_in_qrels[row_in_run] = True
        unjudged = _unjudged_documents(order, np.flatnonzero(~is_in_qrels), judged.judged_topics)
        if rule.elsewhere:
            elsewhere = [document in qrels.all_ids for document in unjudged.docs.to_list()]
            unjudged = unjudged._replace(judged_elsewhere=np.array(elsewhere, bool))
    ranked = Ranked(
        judged.lists,
        judged.ranking[hits],
        place - before,
        judged.row[hits],
        length[topic_of_list],
        [rows.topics[t] for t in judged.absent_topics.tolist()],
        RankingExtras(ties, scores, unjudged),
        order,
    )
    if not rule.orders_ties_by_grade:
        return ranked
    return order_ties_by_grade(ranked, qrels, best_first=rule.ties == "optimistic")


def order_ties_by_grade(ranked: Ranked, qrels: Qrels, *, best_first: bool) -> Ranked:
    """The rankings with the higher grades first wherever scores are equal, or else with them last.

    Documents in the qrels without a grade count less than any grade, and those that are not in the
    qrels less still; equal grades are ordered by document id, falling. The rankings must be whole
    and have their ties.
    """
    if ranked.extras.ties is None:
        raise ValueError("the groups of equal scores were not asked for")
    grade = np.maximum(qrels.grade[ranked.row], -1.0)
    id_keys = qrels.docs.take(ranked.row).sort_keys(rising=False)
    grade_key = -grade if best_first else grade
    order = np.lexsort((*id_keys, grade_key, ranked.extras.ties.first, ranked.topic))
    ties, topic = ranked.extras.ties.take(order), ranked.topic[order]
    begin = run_starts(topic, ties.first)
    rank = ties.first + ranks_in_segments(begin) - 1
    if not best_first:
        rank += ties.size - np.repeat(np.diff(begin), np.diff(begin))
    return ranked._replace(
        topic=topic, rank=rank, row=ranked.row[order], extras=ranked.extras.take_documents(order)
    )


def cut_rankings(ranked: Ranked, qrels: Qrels, rule: RankingRule) -> Ranked:
    """What the rule keeps of whole rankings, the rows by topic and rank."""
    num_ret, extras = ranked.num_ret, ranked.extras
    order, most = _rows_by_rank(ranked.topic, ranked.rank, len(ranked.lists)), rule.max_retrieved
    if most is not None:
        num_ret = np.minimum(num_ret, most)
        order = order[ranked.rank[order] <= most]
        extras = extras.truncate(most)
    if rule.judged_only:
        order = order[qrels.grade[ranked.row[order]] >= 0]
    topic, rank, extras = ranked.topic[order], ranked.rank[order], extras.take_documents(order)
    if rule.judged_only:
        num_ret = np.bincount(topic, minlength=len(ranked.lists))
        start = offsets(num_ret)
        rank, extras = ranks_in_segments(start), extras.close_up(topic, start)
    return ranked._replace(
        topic=topic, rank=rank, row=ranked.row[order], num_ret=num_ret, extras=extras
    )


def empty_rankings(list_indices: ListIndices) -> Ranked:
    """Rankings without any document, for some judged lists."""
    nothing = np.zeros(0, np.int64)
    num_ret = np.zeros(len(list_indices), np.int64)
    extras = RankingExtras(scores=RunScores.empty(len(list_indices)))
    return Ranked(list_indices, nothing, nothing, nothing, num_ret, (), extras)


def ranks_of_rows(rows: Rows, rule: RankingRule) -> DocumentRanks:
    """int64[N]: the rank of every row in its topic, from 1, before anything is left out.

    The order must not be one that the judgments decide.
    """
    place, _ = order_rows(rows, rule).places_in_ordered_run(np.arange(len(rows.docs)))
    return place - rows.start[rows.topic_of_row] + 1


def falling_key(rows: Rows, rule: RankingRule) -> RowValues:
    """float64[N]: what the rows are ordered by, falling."""
    if rule.ties == "rank":
        return -rows.value
    if rule.single_precision:
        with np.errstate(over="ignore"):
            return rows.value.astype(np.float32).astype(np.float64)
    return rows.value


def order_rows(rows: Rows, rule: RankingRule) -> Order:
    """The order of whole topics by a rule."""
    key = falling_key(rows, rule)
    rises = rows.clear_flags_across_topics(key[1:] > key[:-1])
    return Order(rows, rule, key, rises if is_any(rises) else None)


def first_rows(
    rows: Rows,
    key: RowValues,
    topic_indices: Sequence[int] | TopicIndices,
    depth: int,
    *,
    is_in_order: bool = False,
) -> TopicsByRanks:
    """int64[T, depth]: the rows with the highest keys of some topics, the highest first.

    Each of these topics must have a row: of one without rows there is none to give. Equal keys
    stand as the rows do; of a topic with fewer rows the last one fills up.
    `is_in_order`: the keys of each topic fall already.
    """
    places = np.arange(depth)
    if len(topic_indices) == 1:
        begin, end = rows.start[topic_indices[0] : topic_indices[0] + 2].tolist()
        chosen = places if is_in_order else _highest_places(key[begin:end], depth)
        rows_by_key: TopicsByRanks = begin + chosen[np.minimum(places, end - begin - 1)]
        return rows_by_key[None]
    first, length = (
        rows.start[topic_indices][:, None],
        rows.topic_lengths[topic_indices][:, None],
    )
    nth = np.minimum(places, length - 1)
    if is_in_order:
        return first + nth
    chosen = np.empty_like(nth)
    for batch in batches_of_similar_length(length[:, 0]):
        place = np.arange(int(length[batch].max()))
        row = np.minimum(first[batch] + place, len(key) - 1)
        falling = np.where(place < length[batch], -key[row], np.inf)
        last = min(depth, len(place)) - 1
        line, place = (falling <= np.partition(falling, last)[:, last:][:, :1]).nonzero()
        by_key = np.lexsort((falling[line, place], line))
        begin = line.searchsorted(np.arange(len(batch)))[:, None]
        chosen[batch] = first[batch] + place[by_key[begin + nth[batch]]]
    return chosen


class _JudgedRows(NamedTuple):
    """What the qrels hold for some topics: M judged documents in L lists.

    judged_topics  int64[], which of the topics the qrels have
    absent_topics  int64[], which they do not have
    lists          int64[L], the judged lists
    topic_of_list  int64[L], which of the topics
    ranking        int64[M], which of the lists each document is in
    topic          int64[M], which of the topics
    row            int64[M], the row in the qrels
    docs, hashes   the documents
    """

    judged_topics: Ints
    absent_topics: Ints
    lists: Ints
    topic_of_list: Ints
    ranking: Ints
    topic: Ints
    row: Ints
    docs: Ids
    hashes: Words


def _judged_rows(topic_ids: tuple[bytes, ...], qrels: Qrels) -> _JudgedRows:
    """What the qrels hold for topics; remembered, since most runs have the same topics."""

    def gather_rows() -> tuple[_JudgedRows, int]:
        number = np.array([qrels.topic_index.get(topic_id, -1) for topic_id in topic_ids], np.int64)
        present, absent = (number >= 0).nonzero()[0], (number < 0).nonzero()[0]
        first, last = qrels.list_start[number[present]], qrels.list_start[number[present] + 1]
        lists, topic_of_list = ranges(first, last), present.repeat(last - first)
        start, stop = qrels.start[lists], qrels.stop[lists]
        ranking = np.arange(len(lists)).repeat(stop - start)
        row: Any
        row_slice: Any
        if len(lists) and (start[1:] == stop[:-1]).all():  # one behind the other: nothing is copied
            row_slice = slice(int(start[0]), int(stop[-1]))
            row = np.arange(row_slice.start, row_slice.stop)
        else:
            row_slice = row = ranges(start, stop)
        judged = _JudgedRows(
            present,
            absent,
            lists,
            topic_of_list,
            ranking,
            topic_of_list[ranking],
            row,
            qrels.docs.take(row_slice),
            qrels.hashes[row_slice],
        )
        return judged, len(topic_ids) + len(row)

    judged_rows: _JudgedRows = qrels.topic_memo.get(topic_ids, gather_rows)
    return judged_rows


def _unjudged_documents(
    order: Order, unjudged_rows: RowIndices, judged_topics: TopicIndices
) -> Unjudged:
    """The documents at some rows, of those rows whose topic is judged; one list for each topic."""
    rows = order.rows
    list_of_topic = np.full(len(rows.topics), -1)
    list_of_topic[judged_topics] = np.arange(len(judged_topics))
    is_in_judged_topic = list_of_topic[rows.topic_of_row[unjudged_rows]] >= 0
    row_indices = unjudged_rows[is_in_judged_topic]
    place, _ = order.places_in_ordered_run(row_indices)
    by_place = np.argsort(place)
    row_indices, place = row_indices[by_place], place[by_place]
    topic = rows.topic_of_row[row_indices]
    topic_ids = tuple(rows.topics[t] for t in judged_topics.tolist())
    docs = rows.docs.take(row_indices).compact_aligned()
    return Unjudged(topic_ids, list_of_topic[topic], place - rows.start[topic] + 1, docs)


_PLACES_PER_ROW = 4
"""Up to so many places for each of some rows, they are put there and not sorted."""


def _rows_by_rank(topic: TopicOfRow, rank: DocumentRanks, num_topics: int) -> RowIndices:
    """int64[J]: the rows in the order of their topics and ranks."""
    if num_topics == 1:
        return rank.argsort()
    top = largest_or_zero(rank) + 1
    place = topic * top + rank
    if num_topics * top > _PLACES_PER_ROW * len(place):
        return place.argsort()
    row = np.full(num_topics * top, -1)
    row[place] = np.arange(len(place))
    return row[row >= 0]


def _sort_topics(rows: Rows, key: RowValues, rises_to_next_row: Bools) -> RowIndices:
    """int64[N]: the rows by topic and falling key; only topics that are out of order are sorted."""
    if len(rows.topics) == 1:
        return (-key).argsort()
    unsorted = np.zeros(len(rows.topics), bool)
    unsorted[rows.topic_of_row[1:][rises_to_next_row]] = True
    length = np.where(unsorted, rows.topic_lengths, 0)
    order = np.arange(len(key))
    for topics in batches_of_similar_length(length):
        first, size = rows.start[topics][:, None], length[topics][:, None]
        places = first + np.arange(int(size.max()))
        inside = places < first + size
        # what is no number stands behind all numbers
        falling = np.where(inside, -key[np.minimum(places, len(key) - 1)], np.nan)
        order[places[inside]] = (first + falling.argsort(axis=1))[inside]
    return order


_FEW_KEYS = 128
"""So many are sorted at once: to look for the highest first would cost more."""


def _highest_places(key: RowValues, count: int) -> RowIndices:
    """Where the highest keys are, the highest first; equal ones as they come."""
    key = -key
    if len(key) <= max(count, _FEW_KEYS):
        return key.argsort(kind="stable")
    low = (key <= np.partition(key, count)[count]).nonzero()[0]
    highest: Ints = low[key[low].argsort(kind="stable")]
    return highest


# --- A document stands once in a topic: what is there twice is found here ---
# Of qrels and runs alike.


def index_pairs_refusing_duplicates(
    rows: Rows, segment_of_row: Ints, num_segments: int
) -> DocumentIndex:
    """The pairs of a segment, which is a topic or a part of one, and a document, each once."""
    pairs = index_documents(segment_of_row, num_segments, rows.docs)
    if not isinstance(pairs, DocumentIndex):
        raise DuplicatesError(_earliest_duplicates(rows, *pairs))
    return pairs


def drop_repeated_documents(
    rows: Rows, keep: Literal["first", "last", "best"], falling_key: RowValues | None = None
) -> tuple[Rows, dict[bytes, int]]:
    """One row of each document of each topic; how many rows were left out, by topic.

    Args:
        rows: those of a topic are in the order of the lines they stood in.
        keep: the first row, the last, or the best: that with the highest key, the first of equals.
        falling_key: what rows are ordered by, falling; its ties leave them in their order.
    """
    kept = np.arange(len(rows.docs))
    pairs = index_documents(rows.topic_of_row, len(rows.topics), rows.docs)
    place = kept
    if keep == "best" and falling_key is not None and not isinstance(pairs, DocumentIndex):
        place = np.empty_like(kept)
        place[np.argsort(-falling_key, kind="stable")] = kept
    # of two equal rows one goes: what is left may hold another two, never without the right one
    while not isinstance(pairs, DocumentIndex):
        one, other = (kept[each] for each in pairs)
        goes = np.where((place[one] > place[other]) != (keep == "last"), *pairs)
        dropped_now = np.zeros(len(kept), bool)
        dropped_now[goes] = True
        kept = kept[~dropped_now]
        pairs = index_documents(rows.topic_of_row[kept], len(rows.topics), rows.docs.take(kept))
    if len(kept) == len(rows.docs):
        return rows, {}
    kept_rows = keep_rows(rows, kept)
    return kept_rows, _num_dropped(rows, kept_rows)


REPEATED = ("first", "last", "max", "min")
"""Which of several judgments of a document in a list may count."""


def drop_repeated_judgments(
    rows: Rows, list_groups: Sequence[int], keep: str
) -> tuple[Rows, dict[bytes, int], dict[bytes, int]]:
    """One row of each judgment that stands twice, alike in everything.

    Args:
        rows: judgments of whole topics.
        list_groups: which of the groups tell judged lists apart, in which a document stands once.
        keep: one of `REPEATED`: which row counts where a document has several that differ; any
            other word keeps them all.

    Returns:
        The rows; how many were left out as they repeat another, and as they differ, by topic.
    """
    groups = [group.codes()[0] for group in rows.groups]
    pair = (rows.docs.codes()[0], rows.topic_of_row)
    line = np.arange(len(rows.docs))

    def first_rows(rising: Any, *keys: Ints | RowValues) -> RowIndices:
        """Of rows with equal keys that with the lowest number, the first of equals."""
        order = np.lexsort((rising, *keys))
        ordered_keys = [key[order] for key in keys]
        return np.sort(order[run_starts(*ordered_keys)[:-1]])

    distinct = keep_rows(rows, first_rows(line, rows.value, *groups, *pair))
    kept = distinct
    if keep in REPEATED:
        rising = {"first": line, "last": -line, "max": -rows.value, "min": rows.value}[keep]
        kept = keep_rows(rows, first_rows(rising, *(groups[each] for each in list_groups), *pair))
    return kept, _num_dropped(rows, distinct), _num_dropped(distinct, kept)


def _num_dropped(rows: Rows, kept_rows: Rows) -> dict[bytes, int]:
    """How many rows were left out, by topic."""
    dropped = rows.topic_lengths - kept_rows.topic_lengths
    return {rows.topics[topic]: int(dropped[topic]) for topic in np.flatnonzero(dropped).tolist()}


def keep_rows(rows: Rows, row_indices: RowIndices) -> Rows:
    """Some rows, rising, of the same topics, of which some may have none then."""
    size = np.bincount(rows.topic_of_row[row_indices], minlength=len(rows.topics))
    return replace(
        rows,
        start=offsets(size),
        docs=rows.docs.take(row_indices),
        value=rows.value[row_indices],
        groups=tuple(group.take(row_indices) for group in rows.groups),
        line=row_indices + 1 if rows.line is None else rows.line[row_indices],
    )


def _earliest_duplicates(
    rows: Rows, row_indices: RowIndices, twin_indices: RowIndices
) -> list[Duplicate]:
    """The first rows that hold the same document of the same topic, in the order of their lines."""
    line = np.arange(1, len(rows.docs) + 1) if rows.line is None else rows.line
    lines = np.sort(np.stack((line[row_indices], line[twin_indices])), axis=0)
    # whoever repeats a line a million times is told of the first ones
    some = np.lexsort(lines)[:MOST_PROBLEMS]
    row_indices = row_indices[some]
    topic = np.searchsorted(rows.start, row_indices, "right") - 1
    return [
        Duplicate(rows.topics[t], rows.docs[row], *pair)
        for t, row, pair in zip(
            topic.tolist(), row_indices.tolist(), lines[:, some].T.tolist(), strict=True
        )
    ]
