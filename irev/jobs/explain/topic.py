"""One topic of a run as the engine ranks it, and the values of all beginnings of that ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, ranges
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.wording import shortened_list
from irev.engine.judged_share import judged_share
from irev.engine.map_topics import map_topics
from irev.engine.prepared_judgments import RunPart
from irev.engine.score_runs import concerns_runs
from irev.errors import MismatchError, UsageError, id_text
from irev.rank.judged_lists import assemble_qrels, judged_lists
from irev.rank.judgments import GradedJudgments, PreferenceJudgments
from irev.rank.order import RankingRule
from irev.rank.ranking import rank_rows

if TYPE_CHECKING:
    from collections.abc import Container

    from irev.core.model import Input
    from irev.engine.prepared_judgments import PreparedJudgments
    from irev.engine.run_evaluator import RunEvaluator
    from irev.errors import Notice

UNKNOWN, POOLED = -1.0, -2.0
"""What stands for a grade where a document is not in the qrels, or was pooled but not judged."""

_ROWS_AT_ONCE = 1 << 19

_TAKE_A_TOPIC_OFTEN = (GradedJudgments, PreferenceJudgments)
"""Judgments to which the same topic may come several times at once, each time another ranking."""


@record
class RankedTopic:
    """The documents of one topic in the order of their ranks, n of them, and their judgments.

    rows    the topic's rows of the run, in the order of the run
    order   int64[n], the row of each rank
    grade   float64[L, n], by judged list; -1 not in the qrels, -2 pooled but unjudged
    row     int64[L, n], by judged list, the row of the qrels; -1 not in the qrels
    ideal   the grades >= 0 of each judged list, retrieved or not, falling
    """

    rows: Rows
    order: Ints
    grade: Floats
    row: Ints
    ideal: list[Floats]

    @property
    def documents(self) -> list[bytes]:
        """The document at each rank."""
        return self.rows.docs.take(self.order).to_list()

    @property
    def score(self) -> Floats:
        """float64[n]: the score of the document at each rank."""
        return self.rows.value[self.order]


def ranked_topic(
    run: Input, evaluator: RunEvaluator, topic: bytes, ranking: RankingRule
) -> tuple[RankedTopic, tuple[Notice, ...]]:
    """Read one topic of a run and rank it; and what makes scores of the run doubtful."""
    qrels = evaluator.prepared_judgments.qrels
    if topic not in qrels.topic_index:
        raise MismatchError(
            f"the qrels have no topic {id_text(topic)}; they have {shortened_list(qrels.topics)}"
        )
    found, doubts = _topics(run, evaluator, {topic}, ranking)
    if not found:
        raise MismatchError(f"the run has no topic {id_text(topic)}")
    return found[0], doubts


def ranked_topics(
    run: Input,
    evaluator: RunEvaluator,
    ranking: RankingRule,
    wanted: Container[bytes] | None = None,
) -> tuple[list[RankedTopic], tuple[Notice, ...]]:
    """The same of each topic that the qrels have, or of those wanted, in the order of the run."""
    topics = evaluator.prepared_judgments.qrels.topic_index if wanted is None else wanted
    return _topics(run, evaluator, topics, ranking)


def _topics(
    run: Input, evaluator: RunEvaluator, wanted: Container[bytes], ranking: RankingRule
) -> tuple[list[RankedTopic], tuple[Notice, ...]]:
    qrels = evaluator.prepared_judgments.qrels

    def part(rows: Rows) -> tuple[RunPart, list[RankedTopic]]:
        # documents that occur twice are wrong in any topic
        found = rank_rows(rows, qrels, ranking)
        chosen = (_only(rows, topic) for topic in rows.topics if topic in wanted)
        ordered = [_in_order(one, qrels, ranking) for one in chosen if one is not None]
        about = judged_share(found, rows, qrels, ranking)
        return RunPart(found.lists, found.unjudged_topics, about), ordered

    read = map_topics(run, evaluator.run_layout, part, 1)
    doubts = evaluator.run_warnings([part for part, _ in read.results])
    topics = [each for _, ordered in read.results for each in ordered]
    return topics, (*filter(concerns_runs, evaluator.notices), *doubts, *read.notices)


def _in_order(rows: Rows, qrels: Qrels, ranking: RankingRule) -> RankedTopic:
    """The documents of a topic in the order of their ranks, given its rows."""
    grade, row = _judgments(rows, qrels)
    order = _order(rows, grade, ranking)
    if ranking.judged_only:
        order = order[(grade[:, order] >= 0).any(axis=0)]
    ideal = _ideal(qrels, rows.topics[0])
    return RankedTopic(rows, order, grade[:, order], row[:, order], ideal)


def _only(rows: Rows, topic: bytes) -> Rows | None:
    """The rows of one topic."""
    if topic not in rows.topics:
        return None
    number = rows.topics.index(topic)
    first, after = rows.start[number : number + 2].tolist()
    here = slice(first, after)
    line = None if rows.line is None else rows.line[here]
    start = np.array([0, after - first])
    return replace(
        rows, topics=[topic], start=start, docs=rows.docs.take(here).compact(),
        value=rows.value[here], groups=tuple(ids.take(here) for ids in rows.groups), line=line,
    )  # fmt: skip


def _order(rows: Rows, grade: Floats, ranking: RankingRule) -> Ints:
    """int64[n]: the row of each rank that the ranking keeps, whether judged or not."""
    if not ranking.orders_ties_by_grade:
        return _rows_by_rank(rows, replace(ranking, judged_only=False))
    if len(grade) > 1:
        raise UsageError(f"--ties {ranking.ties}: each group of judgments has an order of its own")
    order = _rows_by_rank(rows, RankingRule(single_precision=ranking.single_precision))
    score = rows.value[order]
    if ranking.single_precision:
        score = score.astype(np.float32).astype(np.float64)
    # what is pooled but unjudged stands between what is judged and what is unknown
    worth = np.where(grade < 0, -3.0 - grade, grade)[0][order]
    by_worth = np.lexsort((-worth if ranking.ties == "optimistic" else worth, -score))
    return order[by_worth][: ranking.max_retrieved]


def _rows_by_rank(rows: Rows, ranking: RankingRule) -> Ints:
    """int64[n]: the row of each rank, by the engine itself, to which every row is a judged one."""
    number_as_grade = replace(rows, value=np.arange(len(rows.docs), dtype=float))
    everything = assemble_qrels([judged_lists(number_as_grade)])
    found = rank_rows(rows, everything, ranking)
    return everything.grade[found.row].astype(np.int64)


def _judgments(rows: Rows, qrels: Qrels) -> tuple[Floats, Ints]:
    """(float64[L, N], int64[L, N]): what each judged list says of each row, and in which row."""
    anyhow = RankingRule()
    found = rank_rows(rows, qrels, anyhow)
    shape = (len(found.lists), len(rows.docs))
    grade, of_qrels = np.full(shape, UNKNOWN), np.full(shape, -1)
    judged = qrels.grade[found.row]
    row = _rows_by_rank(rows, anyhow)[found.rank - 1]
    grade[found.topic, row] = np.where(judged < 0, POOLED, judged)
    of_qrels[found.topic, row] = found.row
    return grade, of_qrels


def _ideal(qrels: Qrels, topic: bytes) -> list[Floats]:
    """The grades of each judged list, falling."""
    number = qrels.topic_index[topic]
    falling = []
    for judged_list in range(*qrels.list_start[number : number + 2].tolist()):
        levels = slice(*qrels.level_start[judged_list : judged_list + 2].tolist())
        grades = np.repeat(qrels.level_grade[levels], qrels.level_count[levels])
        falling.append(grades[::-1])
    return falling


def values_of_beginnings(topic: RankedTopic, prepared_judgments: PreparedJudgments) -> Floats:
    """float64[n+1, C]: the value of each column for the first 0, 1, ... n documents alone.

    Each beginning is a ranking of its own to the engine.
    """
    number = prepared_judgments.qrels.topic_index[topic.rows.topics[0]]
    nothing = prepared_judgments.empty_ranking_values(
        np.arange(*prepared_judgments.qrels.list_start[number : number + 2])
    )
    parts = [_means(nothing.values, 1)]
    first, count = 1, len(topic.order)
    takes_often = (
        prepared_judgments.orders is None
        and type(prepared_judgments.judgments) in _TAKE_A_TOPIC_OFTEN
    )
    rows_at_once = _ROWS_AT_ONCE if takes_often else 0
    while first <= count:
        # as many as have no more rows than can be held at once, but one at least
        after = first + max(1, rows_at_once // max(first, 1000))
        parts.append(_values(topic, np.arange(first, min(after, count + 1)), prepared_judgments))
        first = after
    return np.concatenate(parts)


def _values(topic: RankedTopic, lengths: Ints, prepared_judgments: PreparedJudgments) -> Floats:
    """float64[len(lengths), C]: the values of the beginnings of these lengths."""
    rows = topic.rows
    taken = topic.order[ranges(np.zeros_like(lengths), lengths)]
    beginnings = Rows(
        rows.topics * len(lengths),
        offsets(lengths),
        rows.docs.take(taken),
        rows.value[taken],
        tuple(ids.take(taken) for ids in rows.groups),
        None if rows.line is None else rows.line[taken],
    )
    part = prepared_judgments.part(beginnings)
    return _means(
        np.concatenate([each.values for each in prepared_judgments.values([part])]), len(lengths)
    )


def _means(values: Floats, rankings: int) -> Floats:
    """float64[rankings, C]: the mean over the judged lists of each ranking."""
    by_list = values.reshape(rankings, -1, values.shape[1])
    total: Floats = np.cumsum(by_list, axis=1)[:, -1]
    return total / by_list.shape[1]
