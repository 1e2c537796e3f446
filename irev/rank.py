"""Order, ties and the join with the judgments: the one place that knows how a run is ranked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irev.arrays import Bools, Floats, Ints, ranges, within_segments
from irev.judgments import duplicates
from irev.model import Duplicate, Qrels, Rows
from irev.pairs import Pairs, sorted_pairs


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """How runs are ranked, for all measures of an evaluation.

    Documents are ordered by score, falling; equal scores by document id, falling in byte order
    (`ids_rising`: rising). Then only the first `max_retrieved` of a topic are kept, then, if
    `judged_only`, only the judged ones of them. `single_precision` rounds scores to 32 bits first.
    """

    max_retrieved: int | None = None
    judged_only: bool = False
    ids_rising: bool = False
    single_precision: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Ranked:
    """Some topics of a run against the qrels, before any definition of relevance.

    lists          int64[T], which judged list of the qrels each ranking was held against
    topic          int64[J], the ranking (0..T-1) of each document that stands in its list, rising
    rank           int64[J], from 1, rising within a ranking
    row            int64[J], its row in the qrels
    num_ret        int64[T], documents retrieved
    unjudged       topics that the qrels do not have
    num_ret_unjudged  int64[], how many documents were retrieved for each of those
    """

    lists: Ints
    topic: Ints
    rank: Ints
    row: Ints
    num_ret: Ints
    unjudged: list[bytes]
    num_ret_unjudged: Ints


def ranked(rows: Rows, qrels: Qrels, ranking: Ranking) -> tuple[Ranked | None, list[Duplicate]]:
    """Rank some whole topics of a run; or the documents that stand twice in a topic."""
    pairs = sorted_pairs(rows.topic_of_row, len(rows.topics), rows.docs)
    if not isinstance(pairs, Pairs):
        return None, duplicates(rows, *pairs)

    number = np.array([qrels.number.get(topic, -1) for topic in rows.topics], np.int64)
    known = np.flatnonzero(number >= 0)
    length = np.diff(rows.start)
    list_first, list_last = qrels.list_start[number[known]], qrels.list_start[number[known] + 1]
    lists = ranges(list_first, list_last)
    topic_of_list = np.repeat(known, list_last - list_first)

    ranking_of_hit, row_in_qrels, row_in_run = _judged_rows(pairs, qrels, lists, topic_of_list)
    place = _places(rows, row_in_run, ranking)
    rank = place - rows.start[topic_of_list[ranking_of_hit]] + 1
    num_ret = length[topic_of_list]
    unjudged = np.flatnonzero(number < 0)
    num_ret_unjudged = length[unjudged]

    keep = np.ones(len(rank), bool)
    if ranking.max_retrieved is not None:
        num_ret = np.minimum(num_ret, ranking.max_retrieved)
        num_ret_unjudged = np.minimum(num_ret_unjudged, ranking.max_retrieved)
        keep = rank <= ranking.max_retrieved
    if ranking.judged_only:
        keep &= qrels.grade[row_in_qrels] >= 0
        num_ret = np.bincount(ranking_of_hit[keep], minlength=len(lists))
        num_ret_unjudged = np.zeros_like(num_ret_unjudged)
    order = _by_rank(ranking_of_hit, rank, keep)
    topic, rank = ranking_of_hit[order], rank[order]
    if ranking.judged_only:
        rank = within_segments(np.concatenate(([0], np.cumsum(num_ret))))
    names = [rows.topics[t] for t in unjudged.tolist()]
    return Ranked(lists, topic, rank, row_in_qrels[order], num_ret, names, num_ret_unjudged), []


def _judged_rows(
    pairs: Pairs, qrels: Qrels, lists: Ints, topic_of_list: Ints
) -> tuple[Ints, Ints, Ints]:
    """Each judged document that was retrieved: (its ranking, its row in qrels, in the run)."""
    start, stop = qrels.start[lists], qrels.stop[lists]
    row_in_qrels = ranges(start, stop)
    ranking_of_row = np.repeat(np.arange(len(lists)), stop - start)
    found, row_in_run = pairs.find(
        topic_of_list[ranking_of_row], qrels.docs.take(row_in_qrels), qrels.hashes[row_in_qrels]
    )
    return ranking_of_row[found], row_in_qrels[found], row_in_run


def _by_rank(topic: Ints, rank: Ints, keep: Bools) -> Ints:
    """The kept rows in the order of their topics and ranks."""
    top = int(rank.max(initial=0)) + 1
    rows = np.flatnonzero(keep)
    return rows[np.argsort(topic[rows] * top + rank[rows])]


def _places(rows: Rows, wanted: Ints, ranking: Ranking) -> Ints:
    """int64[len(wanted)]: where some rows stand once every topic is ordered, counted from 0.

    Topics follow one another as they do in `rows`. Only what is out of order is sorted, and ids
    are compared only among equal scores that a wanted row is part of.
    """
    score = rows.value
    if ranking.single_precision:
        with np.errstate(over="ignore"):
            score = score.astype(np.float32).astype(np.float64)
    if len(score) < 2:
        return wanted
    inner = np.ones(len(score) - 1, bool)
    inner[rows.start[1:-1] - 1] = False
    rises = inner & (score[1:] > score[:-1])
    order = _order(rows, score, rises) if rises.any() else None
    if order is not None:
        score = score[order]
    ties = inner & (score[1:] == score[:-1])

    place = wanted
    if order is not None:
        place_of_row = np.empty(len(order), np.int64)
        place_of_row[order] = np.arange(len(order))
        place = place_of_row[wanted]
    if not ties.any():
        return place
    return _untied(rows, order, ties, place, wanted, ids_rising=ranking.ids_rising)


def _order(rows: Rows, score: Floats, rises: Bools) -> Ints:
    """The rows by topic and falling score, equal scores in any order."""
    topic = rows.topic_of_row
    unsorted = np.zeros(len(rows.topics), bool)
    unsorted[topic[1:][rises]] = True
    some = np.flatnonzero(unsorted[topic])
    by_score = some[np.argsort(-score[some])]
    narrow = topic[by_score]
    if len(rows.topics) <= 1 << 16:
        narrow = narrow.astype(np.uint16)
    order = np.arange(len(score))
    order[some] = by_score[np.argsort(narrow, kind="stable")]
    return order


def _untied(
    rows: Rows, order: Ints | None, ties: Bools, place: Ints, wanted: Ints, *, ids_rising: bool
) -> Ints:
    """The places of the wanted rows once equal scores are ordered by document id."""
    # a group of equal scores is a stretch of places
    group = np.concatenate(([0], np.cumsum(~ties)))
    touched = np.zeros(int(group[-1]) + 1, bool)
    touched[group[place]] = True
    sizes = np.bincount(group)
    touched &= sizes > 1
    members = np.flatnonzero(touched[group])
    if not len(members):
        return place
    row = members if order is None else order[members]
    words = rows.docs.take(row).sort_keys()
    if not ids_rising:
        words = [~word for word in words]
    by_id = np.lexsort((*reversed(words), group[members]))
    place_of_row = np.full(len(rows.docs), -1)
    place_of_row[row[by_id]] = members
    mended = place_of_row[wanted]
    return np.where(mended >= 0, mended, place)
