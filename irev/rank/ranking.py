"""Order, ties and the join with the judgments: the one place that knows how a run is ranked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    Ints,
    Words,
    largest,
    lengths_of,
    offsets,
    ranges,
    run_starts,
    within_segments,
)
from irev.core.extras import NO_EXTRAS, Extras, RunScores, TieSpans, Unjudged
from irev.core.ids import Ids
from irev.core.model import Qrels, Rows
from irev.rank.judged_lists import distinct_pairs
from irev.rank.order import Order, RankingRule

_PLACES_PER_ROW = 4
"""Up to so many places for each of some rows, they are put there and not sorted."""


class UnjudgedTopics(NamedTuple):
    """The topics of a run that the qrels do not have.

    topic_ids  their ids
    num_ret    int64[], how many documents were retrieved for each
    scores     those of the documents, where they were asked for and are there; none is a row
    """

    topic_ids: list[bytes]
    num_ret: Ints
    scores: RunScores | None = None


class Ranked(NamedTuple):
    """Some topics of a run against the qrels, before any definition of relevance.

    lists          int64[T], which judged list of the qrels each ranking was held against
    topic          int64[J], the ranking (0..T-1) of each document that stands in its list, rising
    rank           int64[J], from 1, rising within a ranking
    row            int64[J], its row in the qrels
    num_ret        int64[T], documents retrieved
    others         the topics that the qrels do not have
    extras         ties, scores and unjudged documents, where they were asked for and are there;
                   what the scores say of documents that are no rows is said of those that the
                   ranking keeps, whatever the order of equal scores
    """

    lists: Ints
    topic: Ints
    rank: Ints
    row: Ints
    num_ret: Ints
    unjudged_topics: UnjudgedTopics
    extras: Extras = NO_EXTRAS


def rank_rows(rows: Rows, qrels: Qrels, ranking: RankingRule) -> Ranked:
    """Rank some whole topics of a run."""
    return cut_rankings(join_judgments(rows, qrels, ranking), qrels, ranking)


def join_judgments(rows: Rows, qrels: Qrels, ranking: RankingRule) -> Ranked:
    """The same with every retrieved document, the J rows in no order of ranks yet."""
    pairs = distinct_pairs(rows, rows.topic_of_row, len(rows.topics))
    judged, length = _judged(tuple(rows.topics), qrels), lengths_of(rows.start)
    topic_of_list, absent = judged.topic_of_list, judged.absent

    hit, row_in_run = pairs.find(judged.topic, judged.docs, judged.hashes)
    order = Order.of(rows, ranking)
    place, spans = order.places(row_in_run)
    before = rows.start[judged.topic[hit]] - 1
    ties = None if spans is None else TieSpans(spans.first - before, spans.size)
    scores = other_scores = unjudged = None
    if ranking.scores and ranking.ties != "rank":
        of_topics = _scores(order)
        scores = of_topics.take_topics(topic_of_list, order.score[place])
        other_scores = of_topics.take_topics(absent, np.zeros(0))
    if ranking.unjudged:
        is_in_qrels = np.zeros(len(rows.docs), bool)
        is_in_qrels[row_in_run] = True
        unjudged = _unjudged(order, np.flatnonzero(~is_in_qrels), judged.known)
        if ranking.elsewhere:
            held = [document in qrels.all_ids for document in unjudged.docs.to_list()]
            unjudged = unjudged._replace(elsewhere=np.array(held, bool))
    found = Ranked(
        judged.lists, judged.ranking[hit], place - before, judged.row[hit], length[topic_of_list],
        UnjudgedTopics([rows.topics[t] for t in absent.tolist()], length[absent], other_scores),
        Extras(ties, scores, unjudged),
    )  # fmt: skip
    return (
        order_ties_by_grade(found, qrels, best=ranking.ties == "optimistic")
        if ranking.orders_ties_by_grade
        else found
    )


def _unjudged(order: Order, others: Ints, known: Ints) -> Unjudged:
    """The documents of judged topics, one list for each, that are not in the qrels."""
    rows = order.rows
    number = np.full(len(rows.topics), -1)
    number[known] = np.arange(len(known))
    others = others[number[rows.topic_of_row[others]] >= 0]
    place, _ = order.places(others)
    by_place = np.argsort(place)
    others, place = others[by_place], place[by_place]
    topic = rows.topic_of_row[others]
    names = tuple(rows.topics[t] for t in known.tolist())
    docs = rows.docs.take(others).held()
    return Unjudged(names, number[topic], place - rows.start[topic] + 1, docs)


def order_ties_by_grade(found: Ranked, qrels: Qrels, *, best: bool) -> Ranked:
    """The rankings with the higher grades first wherever scores are equal, or (not `best`) last.

    Documents in the qrels without a grade count less than any grade, and those that are not in the
    qrels less still; equal grades are ordered by document id, falling. The rankings must be whole
    and have their ties.
    """
    if found.extras.ties is None:
        raise ValueError("the groups of equal scores were not asked for")
    grade = np.maximum(qrels.grade[found.row], -1.0)
    ids = qrels.docs.take(found.row).sort_keys(rising=False)
    order = np.lexsort((*ids, -grade if best else grade, found.extras.ties.first, found.topic))
    ties, topic = found.extras.ties.take(order), found.topic[order]
    begin = run_starts(topic, ties.first)
    rank = ties.first + within_segments(begin) - 1
    if not best:
        rank += ties.size - np.repeat(np.diff(begin), np.diff(begin))
    return found._replace(
        topic=topic, rank=rank, row=found.row[order], extras=found.extras.take(order)
    )


def cut_rankings(found: Ranked, qrels: Qrels, ranking: RankingRule) -> Ranked:
    """What the ranking keeps of whole rankings, the rows by topic and rank."""
    num_ret, others, extras = found.num_ret, found.unjudged_topics, found.extras
    order, most = _by_rank(found.topic, found.rank, len(found.lists)), ranking.max_retrieved
    if most is not None:
        num_ret = np.minimum(num_ret, most)
        others = others._replace(num_ret=np.minimum(others.num_ret, most))
        order = order[found.rank[order] <= most]
        extras = extras.cut(most)
    if ranking.judged_only:
        order = order[qrels.grade[found.row[order]] >= 0]
    topic, rank, extras = found.topic[order], found.rank[order], extras.take(order)
    if ranking.judged_only:
        num_ret = np.bincount(topic, minlength=len(found.lists))
        start = offsets(num_ret)
        rank, extras = within_segments(start), extras.closed_up(topic, start)
        count = len(others.topic_ids)
        scores = others.scores and RunScores.nothing(count)
        others = UnjudgedTopics(others.topic_ids, np.zeros(count, np.int64), scores)
    return Ranked(found.lists, topic, rank, found.row[order], num_ret, others, extras)


def empty_rankings(lists: Ints) -> Ranked:
    """Rankings without any document, for some judged lists."""
    nothing = np.zeros(0, np.int64)
    num_ret = np.zeros(len(lists), np.int64)
    extras = Extras(scores=RunScores.nothing(len(lists)))
    return Ranked(lists, nothing, nothing, nothing, num_ret, UnjudgedTopics([], nothing), extras)


def ranks_of_rows(rows: Rows, ranking: RankingRule) -> Ints:
    """int64[N]: the rank of every row in its topic, from 1, before anything is left out.

    The order must not be one that the judgments decide.
    """
    place, _ = Order.of(rows, ranking).places(np.arange(len(rows.docs)))
    return place - rows.start[rows.topic_of_row] + 1


class _JudgedRows(NamedTuple):
    """What the qrels hold for some topics: M judged documents in L lists.

    known, absent  the topics that the qrels have, and those that they do not have
    lists          int64[L], the judged lists
    topic_of_list  int64[L], which of the topics
    ranking        int64[M], which of the lists each document is in
    topic          int64[M], which of the topics
    row            int64[M], the row in the qrels
    docs, hashes   the documents
    """

    known: Ints
    absent: Ints
    lists: Ints
    topic_of_list: Ints
    ranking: Ints
    topic: Ints
    row: Ints
    docs: Ids
    hashes: Words


def _judged(topics: tuple[bytes, ...], qrels: Qrels) -> _JudgedRows:
    """What the qrels hold for topics. It is kept, since most runs have the same topics."""

    def made() -> tuple[_JudgedRows, int]:
        number = np.array([qrels.number.get(topic, -1) for topic in topics], np.int64)
        known, absent = (number >= 0).nonzero()[0], (number < 0).nonzero()[0]
        first, last = qrels.list_start[number[known]], qrels.list_start[number[known] + 1]
        lists, topic_of_list = ranges(first, last), known.repeat(last - first)
        start, stop = qrels.start[lists], qrels.stop[lists]
        ranking = np.arange(len(lists)).repeat(stop - start)
        row: Any
        some: Any
        if len(lists) and (start[1:] == stop[:-1]).all():  # one behind the other: nothing is copied
            some = slice(int(start[0]), int(stop[-1]))
            row = np.arange(some.start, some.stop)
        else:
            some = row = ranges(start, stop)
        found = _JudgedRows(
            known, absent, lists, topic_of_list, ranking, topic_of_list[ranking], row,
            qrels.docs.take(some), qrels.hashes[some],
        )  # fmt: skip
        return found, len(topics) + len(row)

    judged: _JudgedRows = qrels.of_topics.recalled(topics, made)
    return judged


def _by_rank(topic: Ints, rank: Ints, topics: int) -> Ints:
    """The rows in the order of their topics and ranks."""
    if topics == 1:
        return rank.argsort()
    top = largest(rank) + 1
    place = topic * top + rank
    if topics * top > _PLACES_PER_ROW * len(place):
        return place.argsort()
    row = np.full(topics * top, -1)
    row[place] = np.arange(len(place))
    return row[row >= 0]


def _scores(order: Order) -> RunScores:
    """The ordered scores of every topic, of the first documents that the ranking keeps of each."""
    score, start, most = order.score, order.rows.start, order.ranking.max_retrieved
    if most is not None:
        length = np.minimum(np.diff(start), most)
        score = score[ranges(start[:-1], start[:-1] + length)]
        start = offsets(length)
    return RunScores.of(score, start)
