"""The leave-out test: scores of a run without the judgments of documents that only it pooled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Ints
from irev.core.ids import ids_from_bytes
from irev.core.model import asked_order
from irev.core.pool import Pool
from irev.core.record import record
from irev.core.text import as_text
from irev.core.wording import count_text
from irev.engine.evaluator import Evaluator
from irev.engine.pools import make_pool
from irev.engine.score_runs import concerns_runs, missing_topic_warning
from irev.errors import IrevError, Notice, id_text
from irev.read.stream import read_all, take_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from irev.core.model import Column, Qrels
    from irev.options import Options
    from irev.scores.scores import Scores


@record
class LeftOut:
    """A run's scores with all judgments, and without those that its group alone brought.

    depth      how deep the pool was; None: all that was retrieved
    documents  how many judgments that takes away
    relevant   how many of them are relevant
    """

    run: str
    group: str
    depth: int | None
    documents: int
    relevant: int
    scores: Scores
    without: Scores

    def pairs(self) -> Iterator[tuple[Column, float, float]]:
        """Each column that has a number in the summary: (column, score, score left out)."""
        columns = self.scores.columns
        for at in asked_order(columns):
            score, other = self.scores.summary_of(at), self.without.summary_of(at)
            if isinstance(score, float) and isinstance(other, float):
                yield columns[at], score, other


def leave_out(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    options: Options,
    depth: int | None = 100,
    groups: Mapping[str, str] | None = None,
) -> tuple[list[LeftOut], list[Notice]]:
    """Evaluate each run as if its group had not contributed to a pool of the given depth.

    A judged document that only runs of the group have among their first `depth` ones is taken out
    of the qrels, as it would not have been judged (Zobel, SIGIR 1998). A topic that
    would lose all judgments keeps them as pooled but unjudged ones, so that it still counts.

    Args:
        qrels: a path.
        runs: paths of all runs of the pool.
        measures: names of measures.
        options: how runs are evaluated.
        depth: how deep the pool was; None: all that was retrieved.
        groups: run -> group; a run that is not in it is a group of its own.

    Returns:
        The scores of each run, and what makes those with all judgments doubtful.
    """
    evaluator = Evaluator(qrels, measures, options, sign=True)
    judged = evaluator.prepared_judgments.qrels
    pool = make_pool(
        runs, depth, options.ranking("qrels"), options.threads, run_format=options.run_format
    )
    names = [(groups or {}).get(run, run) for run in runs]
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    sole = _sole_group(pool, judged, np.array([number[name] for name in names], np.int64))
    # the judgments are rewritten already
    further = options.replace(grade_map=())
    reduced: dict[str, Evaluator] = {}
    found = []
    doubts = [*filter(concerns_runs, evaluator.notices)]
    for (run, outcome), name in zip(evaluator.outcomes(runs), names, strict=True):
        if isinstance(outcome, IrevError):
            raise outcome
        gone = sole == number[name]
        if name not in reduced:
            # runs of a group mostly stand together: one set of judgments at a time is enough
            reduced = {name: Evaluator(_without(judged, gone), measures, further)}
        relevant = int((gone & (judged.grade >= options.level)).sum())
        ((_, without),) = reduced[name].outcomes([run])
        if isinstance(without, IrevError):
            raise without
        found.append(LeftOut(str(run), name, depth, int(gone.sum()), relevant, outcome, without))
        doubts += (notice._replace(run=str(run)) for notice in outcome.notices)
        if outcome.account.missing:
            doubts.append(missing_topic_warning(str(run), outcome.account.missing, outcome.divisor))
    return found, doubts


def _sole_group(pool: Pool, qrels: Qrels, group_of_run: Ints) -> Ints:
    """int64[M]: the group that alone brought each judged row; -1: none, or several."""
    place = pool.pool_rows_of(qrels)
    group = pool.sole_group(group_of_run)
    return np.where((place >= 0) & (qrels.grade >= 0), group[place], -1)


def _without(qrels: Qrels, gone: Bools) -> pa.Table:
    """The judgments but for some rows."""
    import pyarrow as pa

    from irev.core.arrays import arrow_array

    topic = qrels.topic_of_row
    left = np.bincount(topic[~gone], minlength=len(qrels.topics))
    rows = np.flatnonzero(~gone | (left[topic] == 0))
    grade = np.where(gone, -1.0, qrels.grade)[rows]
    topics = ids_from_bytes(
        [qrels.topics[number] for number in topic[rows].tolist()]
    ).arrow_column()
    docs = qrels.docs.take(rows).arrow_column()
    return pa.table({"topic": topics, "document": docs, "grade": arrow_array(grade, pa.float64())})


_HINT = "a line holds a run, by its path or its file's name, and its group"


def read_groups(path: str, runs: Sequence[str]) -> dict[str, str]:
    """The group of each run that the file names; blank lines and `#` lines are skipped."""
    found: dict[str, str] = {}

    def take(fields: list[bytes]) -> str:
        name = as_text(fields[0])
        fitting = [run for run in runs if name in (run, os.path.basename(run))]
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        if len(fitting) != 1:
            return f"'{id_text(fields[0])}' names {len(fitting) or 'none'} of the runs"
        found[fitting[0]] = as_text(fields[1])
        return ""

    take_lines(path, read_all(path), take, "group of runs", _HINT)
    return found
