"""One topic of a run as the engine ranks it, and the values of all beginnings of that ranking."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    ListIndices,
    RankingsByMeasures,
    RankValues,
    RowIndices,
    offsets,
    ranges,
)
from irev.core.judged import NO_RANKING_EXTRAS, Input, Qrels, Rows
from irev.core.record import record
from irev.core.text import shortened_list
from irev.engine.prepared_judgments import PreparedJudgments, RunPart
from irev.engine.run_facts import judged_counts
from irev.engine.score_runs import warns_of_run_or_judgments
from irev.errors import MismatchError, Notice, UsageError, id_text
from irev.rank.judged_lists import assemble_qrels, one_list_per_topic_and_group
from irev.rank.judgments import GradedJudgments, PreferenceJudgments
from irev.rank.ranking import RankingRule, cut_rankings, empty_rankings, rank_rows

if TYPE_CHECKING:
    from irev.engine.evaluate import RunEvaluator

UNKNOWN, POOLED = -1.0, -2.0
"""What stands for a grade where a document is not in the qrels, or was pooled but not judged."""

_ROWS_AT_ONCE = 1 << 19
_NUM_SAMPLED = 100
"""Beginnings that are scored wherever they end, to see whether a measure looks at their length."""

_TAKE_A_TOPIC_OFTEN = (GradedJudgments, PreferenceJudgments)
"""Judgments to which the same topic may come several times at once, each time another ranking."""


@record
class RankedTopic:
    """The documents of one topic in the order of their ranks, n of them, and their judgments.

    rows    the topic's rows of the run, in the order of the run
    order   int64[n], the row of each rank
    grade   float64[L, n], by judged list; -1 not in the qrels, -2 pooled but unjudged
    qrels_row  int64[L, n], by judged list, the row of the qrels; -1 not in the qrels
    ideal   the grades >= 0 of each judged list, retrieved or not, falling
    """

    rows: Rows
    order: Ints
    grade: Floats
    qrels_row: Ints
    ideal: list[Floats]

    @property
    def documents(self) -> list[bytes]:
        """The document at each rank."""
        return self.rows.docs.take(self.order).to_list()

    @property
    def score(self) -> RankValues:
        """float64[n]: the score of the document at each rank."""
        return self.rows.value[self.order]


def ranked_topic(
    run: Input, evaluator: RunEvaluator, topic_id: bytes, ranking: RankingRule
) -> tuple[RankedTopic, tuple[Notice, ...]]:
    """Read one topic of a run and rank it; and what makes scores of the run doubtful."""
    qrels = evaluator.prepared_judgments.qrels
    if topic_id not in qrels.topic_index:
        raise MismatchError(
            f"the qrels have no topic {id_text(topic_id)}; they have {shortened_list(qrels.topics)}"
        )
    ranked, doubts = ranked_topics(run, evaluator, ranking, {topic_id})
    if not ranked:
        raise MismatchError(f"the run has no topic {id_text(topic_id)}")
    return ranked[0], doubts


def ranked_topics(
    run: Input,
    evaluator: RunEvaluator,
    ranking: RankingRule,
    topic_ids: Container[bytes] | None = None,
) -> tuple[list[RankedTopic], tuple[Notice, ...]]:
    """The same of each topic that the qrels have, or of those named, in the order of the run."""
    qrels = evaluator.prepared_judgments.qrels
    wanted_ids = qrels.topic_index if topic_ids is None else topic_ids

    def score_part(rows: Rows) -> tuple[RunPart, list[RankedTopic]]:
        # documents that occur twice are wrong in any topic
        ranking_part = rank_rows(rows, qrels, ranking)
        ordered = [
            _rank_topic(rows, topic_index, qrels, ranking)
            for topic_index, topic in enumerate(rows.topics)
            if topic in wanted_ids
        ]
        counts = judged_counts(ranking_part, rows, qrels, ranking)
        return RunPart(ranking_part.lists, ranking_part.unjudged_topics, counts), ordered

    read = evaluator.read_run(run, score_part, 1, may_be_empty=True)
    parts = [part for part, _ in read.results]
    doubts = evaluator.run_warnings(parts, has_ranks=read.has_ranks)
    topics = [each for _, ordered in read.results for each in ordered]
    return topics, (*filter(warns_of_run_or_judgments, evaluator.notices), *doubts, *read.notices)


def _rank_topic(
    all_rows: Rows, topic_index: int, qrels: Qrels, ranking: RankingRule
) -> RankedTopic:
    """The documents of a topic of some rows in the order of their ranks."""
    topic_id = all_rows.topics[topic_index]
    first, after = all_rows.start[topic_index : topic_index + 2].tolist()
    of_topic = slice(first, after)
    rows = Rows(
        [topic_id],
        np.array([0, after - first]),
        all_rows.docs.take(of_topic).compact(),
        all_rows.value[of_topic],
        tuple(ids.take(of_topic) for ids in all_rows.groups),
        None if all_rows.line is None else all_rows.line[of_topic],
    )
    grades, qrels_row = _judgments_by_list(rows, qrels)
    order = _rows_by_rank_ties_by_grade(rows, grades, ranking)
    if ranking.judged_only:
        order = order[(grades[:, order] >= 0).any(axis=0)]
    ideal = []
    qrels_topic = qrels.topic_index[topic_id]
    for judged_list in range(*qrels.list_start[qrels_topic : qrels_topic + 2].tolist()):
        levels = slice(*qrels.level_start[judged_list : judged_list + 2].tolist())
        rising = np.repeat(qrels.level_grade[levels], qrels.level_count[levels])
        ideal.append(rising[::-1])
    return RankedTopic(rows, order, grades[:, order], qrels_row[:, order], ideal)


def _rows_by_rank_ties_by_grade(
    rows: Rows, grades_by_list: Floats, ranking: RankingRule
) -> RowIndices:
    """int64[n]: the row of each rank that the ranking keeps, whether judged or not."""
    if not ranking.orders_ties_by_grade:
        return _rows_by_rank(rows, replace(ranking, judged_only=False))
    if len(grades_by_list) > 1:
        raise UsageError(f"--ties {ranking.ties}: each group of judgments has an order of its own")
    order = _rows_by_rank(rows, RankingRule(single_precision=ranking.single_precision))
    score = rows.value[order]
    if ranking.single_precision:
        score = score.astype(np.float32).astype(np.float64)
    # what is pooled but unjudged stands between what is judged and what is unknown
    grade_worth = np.where(grades_by_list < 0, -3.0 - grades_by_list, grades_by_list)[0][order]
    by_worth = np.lexsort((-grade_worth if ranking.ties == "optimistic" else grade_worth, -score))
    return order[by_worth][: ranking.max_retrieved]


def _rows_by_rank(rows: Rows, ranking: RankingRule) -> RowIndices:
    """int64[n]: the row of each rank, by the engine itself, to which every row is a judged one."""
    number_as_grade = replace(rows, value=np.arange(len(rows.docs), dtype=float))
    every_row_judged = assemble_qrels([one_list_per_topic_and_group(number_as_grade)])
    ranked_rows = rank_rows(rows, every_row_judged, ranking)
    return every_row_judged.grade[ranked_rows.row].astype(np.int64)


def _judgments_by_list(rows: Rows, qrels: Qrels) -> tuple[Floats, Ints]:
    """(float64[L, N], int64[L, N]): what each judged list says of each row, and in which row."""
    plain_rule = RankingRule()
    ranked_rows = rank_rows(rows, qrels, plain_rule)
    shape = (len(ranked_rows.lists), len(rows.docs))
    grades, qrels_row = np.full(shape, UNKNOWN), np.full(shape, -1)
    judged = qrels.grade[ranked_rows.row]
    row = _rows_by_rank(rows, plain_rule)[ranked_rows.rank - 1]
    grades[ranked_rows.topic, row] = np.where(judged < 0, POOLED, judged)
    qrels_row[ranked_rows.topic, row] = ranked_rows.row
    return grades, qrels_row


def values_of_beginnings(
    whole: RankedTopic, prepared_judgments: PreparedJudgments
) -> RankingsByMeasures:
    """float64[n+1, C]: the value of each column for the first 0, 1, ... n documents alone.

    Each beginning is a ranking of its own to the engine. Between two documents of the qrels only
    the number retrieved changes, which few measures look at. The first and the last beginning of
    each such stretch are scored, and some between them; all of them, of the measures of which these
    differ.
    """
    lists = _lists_of_topic(whole, prepared_judgments)
    nothing = _mean_over_lists(prepared_judgments.empty_ranking_values(lists).values, 1)
    count, rule = len(whole.order), prepared_judgments.ranking
    if not count:
        return nothing
    lengths = np.arange(1, count + 1)
    if prepared_judgments.orders is not None or rule.spans or rule.scores or rule.unjudged:
        # measures that look at documents outside the qrels
        values = _values_by_length(whole, lengths, prepared_judgments, rank_anew=True)
        return np.concatenate((nothing, values))
    in_qrels = np.flatnonzero((whole.qrels_row >= 0).any(axis=0)) + 1
    first = np.union1d([1], in_qrels)
    last = np.append(first[1:] - 1, count)
    samples = np.linspace(1, count, _NUM_SAMPLED).astype(np.int64)
    scored = np.unique(np.concatenate((first, last, samples)))
    some = _values_by_length(whole, scored, prepared_judgments)
    at_first = some[np.searchsorted(scored, first)]
    expected = at_first[np.searchsorted(first, scored, "right") - 1]
    is_constant = ((some == expected) | (np.isnan(some) & np.isnan(expected))).all(axis=0)
    values = np.repeat(at_first, last - first + 1, axis=0)
    column = 0
    for request in prepared_judgments.requests:
        columns = slice(column, column + len(request.columns))
        column = columns.stop
        if not is_constant[columns].all():
            alone = replace(prepared_judgments, requests=[request])
            values[:, columns] = _values_by_length(whole, lengths, alone)
    return np.concatenate((nothing, values))


def _lists_of_topic(whole: RankedTopic, prepared_judgments: PreparedJudgments) -> ListIndices:
    """int64[L]: the judged lists of the topic."""
    qrels = prepared_judgments.qrels
    topic_index = qrels.topic_index[whole.rows.topics[0]]
    return np.arange(*qrels.list_start[topic_index : topic_index + 2])


def _values_by_length(
    whole: RankedTopic,
    lengths: Ints,
    prepared_judgments: PreparedJudgments,
    *,
    rank_anew: bool = False,
) -> RankingsByMeasures:
    """float64[len(lengths), C]: the values of the beginnings of these rising lengths."""
    make_part = _rank_beginnings if rank_anew else _cut_to_beginnings
    num_rows = lengths
    if not rank_anew:
        ranks_in_qrels = np.sort(np.nonzero(whole.qrels_row >= 0)[1]) + 1
        num_rows = 1 + np.searchsorted(ranks_in_qrels, lengths, "right")
    takes_often = (
        prepared_judgments.orders is None
        and type(prepared_judgments.judgments) in _TAKE_A_TOPIC_OFTEN
    )
    rows_at_once = _ROWS_AT_ONCE if takes_often else 0
    rows_up_to, rows_before = np.cumsum(num_rows), 0
    value_parts = []
    first = 0
    while first < len(lengths):
        # as many as have no more rows than can be held at once, but one at least
        after = max(first + 1, int(np.searchsorted(rows_up_to, rows_before + rows_at_once)))
        part = make_part(whole, lengths[first:after], prepared_judgments)
        measured = [each.values for each in prepared_judgments.measure_in_batches([part])]
        num_lengths = len(lengths[first:after])
        value_parts.append(_mean_over_lists(np.concatenate(measured), num_lengths))
        first, rows_before = after, int(rows_up_to[after - 1])
    return np.concatenate(value_parts)


def _cut_to_beginnings(
    whole: RankedTopic, lengths: Ints, prepared_judgments: PreparedJudgments
) -> RunPart:
    """The beginnings of these lengths, of which the documents of the qrels are known already."""
    lists = _lists_of_topic(whole, prepared_judgments)
    list_index, rank_index = np.nonzero(whole.qrels_row >= 0)
    start = np.searchsorted(list_index, np.arange(len(lists) + 1))
    num_rows = np.stack(
        [np.searchsorted(rank_index[slice(*ends)], lengths) for ends in pairwise(start.tolist())],
        axis=1,
    ).ravel()
    begin = np.tile(start[:-1], len(lengths))
    rows = ranges(begin, begin + num_rows)
    ranked = empty_rankings(np.tile(lists, len(lengths)))._replace(
        topic=np.arange(len(num_rows)).repeat(num_rows),
        rank=rank_index[rows] + 1,
        row=whole.qrels_row[list_index[rows], rank_index[rows]],
        num_ret=np.repeat(lengths, len(lists)),
        extras=NO_RANKING_EXTRAS,
    )
    ranked = cut_rankings(ranked, prepared_judgments.qrels, prepared_judgments.ranking)
    return prepared_judgments.judged_run_part(ranked, prepared_judgments.judgments.view(ranked))


def _rank_beginnings(
    whole: RankedTopic, lengths: Ints, prepared_judgments: PreparedJudgments
) -> RunPart:
    """The beginnings of these lengths, ranked and held against the judgments anew."""
    rows = whole.rows
    taken_rows = whole.order[ranges(np.zeros_like(lengths), lengths)]
    beginnings = Rows(
        rows.topics * len(lengths),
        offsets(lengths),
        rows.docs.take(taken_rows),
        rows.value[taken_rows],
        tuple(ids.take(taken_rows) for ids in rows.groups),
        None if rows.line is None else rows.line[taken_rows],
    )
    return prepared_judgments.run_part(beginnings)


def _mean_over_lists(values: RankingsByMeasures, num_rankings: int) -> RankingsByMeasures:
    """float64[rankings, C]: the mean over the judged lists of each ranking."""
    by_list = values.reshape(num_rankings, -1, values.shape[1])
    total: Floats = np.cumsum(by_list, axis=1)[:, -1]
    return total / by_list.shape[1]
