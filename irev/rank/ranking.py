"""Order, ties and the join with the judgments: the one place that knows how a run is ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    Ints,
    ListIndices,
    RowIndices,
    TopicIndices,
    TopicOfRow,
    Words,
    largest_or_zero,
    offsets,
    ranges,
    ranks_in_segments,
    run_starts,
)
from irev.core.extras import NO_RANKING_EXTRAS, RankingExtras, RunScores, TieSpans, Unjudged
from irev.core.ids import Ids
from irev.core.model import Qrels, Rows
from irev.rank.judged_lists import index_pairs_refusing_duplicates
from irev.rank.order import Order, RankingRule, order_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACES_PER_ROW = 4
"""Up to so many places for each of some rows, they are put there and not sorted."""


class Ranked(NamedTuple):
    """Some topics of a run against the qrels, before any definition of relevance.

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
        scores = _run_scores(order).take_topics(topic_of_list, order.key_at_place[place])
    if rule.unjudged:
        is_in_qrels = np.zeros(len(rows.docs), bool)
        is_in_qrels[row_in_run] = True
        unjudged = _unjudged_documents(order, np.flatnonzero(~is_in_qrels), judged.judged_topics)
        if rule.elsewhere:
            elsewhere = [document in qrels.all_ids for document in unjudged.docs.to_list()]
            unjudged = unjudged._replace(judged_elsewhere=np.array(elsewhere, bool))
    ranked = Ranked(
        judged.lists, judged.ranking[hits], place - before, judged.row[hits], length[topic_of_list],
        [rows.topics[t] for t in judged.absent_topics.tolist()],
        RankingExtras(ties, scores, unjudged), order,
    )  # fmt: skip
    if not rule.orders_ties_by_grade:
        return ranked
    return order_ties_by_grade(ranked, qrels, best_first=rule.ties == "optimistic")


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
            present, absent, lists, topic_of_list, ranking, topic_of_list[ranking], row,
            qrels.docs.take(row_slice), qrels.hashes[row_slice],
        )  # fmt: skip
        return judged, len(topic_ids) + len(row)

    judged_rows: _JudgedRows = qrels.topic_memo.get(topic_ids, gather_rows)
    return judged_rows


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


def _run_scores(order: Order) -> RunScores:
    """The ordered scores of every topic, of the first documents that the rule keeps of each."""
    score, start, most = order.key_at_place, order.rows.start, order.rule.max_retrieved
    if most is not None:
        length = np.minimum(np.diff(start), most)
        score = score[ranges(start[:-1], start[:-1] + length)]
        start = offsets(length)
    return RunScores.build(score, start)
