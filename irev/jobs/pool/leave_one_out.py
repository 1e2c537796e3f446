"""`irev.leave_one_out`: scores of a run without the judgments of documents that only it pooled."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irev.core.arrays import RowMask, RunValues, arrow_array
from irev.core.ids import ids_from_bytes
from irev.core.job import job
from irev.core.judged import Column, Qrels, asked_order
from irev.core.record import record
from irev.core.text import as_text, count_text, shortened_list
from irev.engine.evaluate import RunEvaluator
from irev.engine.run_files import expand_folders
from irev.engine.score_runs import make_pool, warns_of_run_or_judgments
from irev.errors import IrevError, id_text, note
from irev.jobs.pool.pool import POOL_DEPTH, LeaveOneOutOptions
from irev.jobs.result import Result
from irev.measures.naming.resolve import lower_is_better
from irev.options import Options
from irev.read.inputs import given_runs, path_below, path_of
from irev.read.stream import read_all, take_lines
from irev.scores.scores import Scores, missing_topic_warnings
from irev.statistics.correlation import tau_b
from irev.statistics.differences import NEAR, scale_of
from irev.writers.document import (
    Cell,
    Document,
    Heading,
    Lines,
    Part,
    Records,
    Table,
    finite_or_none,
    head_of,
    signature_data,
)

if TYPE_CHECKING:
    import pyarrow as pa


@record
class LeftOutRun:
    """A run's scores with all judgments, and without those that its group alone brought.

    depth         how deep the pool was
    num_judged    how many judgments that takes away
    num_relevant  how many of them are relevant
    """

    name: str
    group: str
    depth: int
    num_judged: int
    num_relevant: int
    scores: Scores
    left_out: Scores

    def score_pairs(self) -> Iterator[tuple[Column, float, float]]:
        """Each column that has a number in the summary: (column, score, score left out)."""
        columns = self.scores.columns
        for index in asked_order(columns):
            score, left_out = self.scores.summary_of(index), self.left_out.summary_of(index)
            if isinstance(score, float) and isinstance(left_out, float):
                yield columns[index], score, left_out


@record(eq=True)
class LeftOutPlace:
    """Where a run stands with all judgments, and without those that its group alone brought.

    place           among all runs, by its score; equal scores share the best place
    place_left_out  by the scores left out of its group, while all other runs keep theirs
    """

    run: str
    group: str
    score: float
    left_out: float
    place: int
    place_left_out: int

    @property
    def places_lost(self) -> int:
        """How many places the run falls; negative where it rises."""
        return self.place_left_out - self.place


@record(eq=True)
class LeaveOutSummary:
    """The leave-out test under one measure, of the runs that contribute.

    These are the runs whose group alone brought a judged document: without such, nothing changes.

    num_runs  all runs
    tau       Kendall's tau-b of the order of the contributing runs by their scores and of that by
              their scores left out; NaN for fewer than two, or where all are tied
    places    of the contributing runs, in the order in which they were given
    """

    column: Column
    num_runs: int
    tau: float
    places: tuple[LeftOutPlace, ...]

    @property
    def largest_score_drop(self) -> LeftOutPlace | None:
        """The run whose score gets worse most; the first of equal ones; None: no score does."""
        sign = -1.0 if lower_is_better(self.column) else 1.0
        drops = [sign * (each.score - each.left_out) for each in self.places]
        worst = max(drops, default=0.0)
        return self.places[drops.index(worst)] if worst > 0 else None

    @property
    def most_hurt_run_of_each_group(self) -> tuple[LeftOutPlace, ...]:
        """Of each group that loses a place, the run that loses most; most places first."""
        worst: dict[str, LeftOutPlace] = {}
        for each in sorted(self.places, key=lambda each: (-each.places_lost, each.place)):
            if each.places_lost > 0:
                worst.setdefault(each.group, each)
        return tuple(worst.values())


@record
class LeaveOneOutResult(Result):
    """What each run owes to its own contributions: `to_frame()` has a row for run and measure.

    runs     as they were given
    summary  for each measure what becomes of the order of the runs
    """

    runs: tuple[LeftOutRun, ...]
    summary: tuple[LeaveOutSummary, ...] = ()

    shown_by: ClassVar[str] = "irev.jobs.pool.leave_one_out:leave_one_out_document"

    def _subject(self) -> str:
        return count_text(len(self.runs), "run")


@job(LeaveOneOutOptions, needs=lambda options: ("pyarrow",))
def leave_one_out(
    qrels: Any, runs: Any, measures: object = ("map",), *, options: LeaveOneOutOptions
) -> LeaveOneOutResult:
    """Score each run as if it, or its group, had not contributed to a pool.

    A judged document that only runs of the group have among their first `depth` ones is taken out
    of the judgments, as it would not have been judged (Zobel, SIGIR 1998). A topic that would lose
    all judgments keeps them as pooled but unjudged ones, so that it still counts.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        runs: all runs of the pool: a list, a mapping by name, a folder, a path with wildcards.
        measures: names as `irev.evaluate` takes them.
        options: the record `LeaveOneOutOptions`, whose fields are keywords, too.

    Returns:
        The scores of each run with and without what it alone brought; `summary` says for each
        measure what becomes of the order of the runs.

    Raises:
        TypeError: there is no such option.
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
    """
    by_name = given_runs(expand_folders(runs), options.own_columns).by_name
    sources = [*by_name.values()]
    groups, group_notes = _groups_by_run(by_name, options.groups)
    group_index = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    depth = options.depth or POOL_DEPTH
    evaluation = options.base_record(Options).replace(topics="qrels", ties=options.ties)
    evaluator = RunEvaluator(qrels, measures, evaluation, sign=True)
    judged = evaluator.prepared_judgments.qrels
    pool = make_pool(
        sources,
        depth,
        evaluation.ranking_rule("qrels"),
        evaluation.threads,
        run_format=evaluation.run_format,
        excluded=evaluator.excluded,
        columns=evaluation.own_columns,
        passages=evaluation.passages,
    )
    # the group that alone brought each judged row of the qrels; -1: none, or several
    group_of_run = np.array([group_index[group] for group in groups], np.int64)
    pool_row = pool.pool_rows_of(judged)
    is_pooled = (pool_row >= 0) & (judged.grade >= 0)
    sole_group = np.where(is_pooled, pool.sole_group(group_of_run)[pool_row], -1)
    left_out: dict[str, RunEvaluator] = {}
    rows = []
    warnings = [*map(note, group_notes)]
    warnings += filter(warns_of_run_or_judgments, evaluator.notices)
    outcomes = evaluator.outcomes(sources)
    for name, group, (source, outcome) in zip(by_name, groups, outcomes, strict=True):
        if isinstance(outcome, IrevError):
            raise outcome
        is_removed = sole_group == group_index[group]
        if group not in left_out:
            # runs of a group mostly stand together: one set of judgments at a time is enough
            left_out = {
                group: RunEvaluator(_remaining_judgments(judged, is_removed), measures, evaluation)
            }
        ((_, scores),) = left_out[group].outcomes([source])
        if isinstance(scores, IrevError):
            raise scores
        num_relevant = int((is_removed & (judged.grade >= options.level)).sum())
        counts = (int(is_removed.sum()), num_relevant)
        rows.append(LeftOutRun(name, group, depth, *counts, outcome, scores))
        warnings += (notice.about(name) for notice in outcome.notices)
        warnings += missing_topic_warnings({name: outcome.account.missing}, outcome.divisor)
    return LeaveOneOutResult(tuple(rows), _summarise(rows), warnings=tuple(warnings))


_HINT = "a line holds a run, by its path or its file's name, or a folder of runs, and its group"


def _groups_by_run(
    runs: Mapping[str, Any], groups: Mapping[str, str] | str | os.PathLike[str] | None
) -> tuple[list[str], list[str]]:
    """The group of each run, as a mapping or a file says, or its own name; and what does not fit.

    As of a list of teams it is noted which runs it lacks, and which it has that are not there.
    """
    if groups is None:
        return [*runs], []
    if isinstance(groups, Mapping):
        group_of_run = {name: str(group) for name, group in groups.items() if name in runs}
        absent = [name for name in groups if name not in runs]
    else:
        group_of_run, absent = read_groups(os.fspath(groups), runs)
    groupless = [name for name in runs if name not in group_of_run]
    notes = [
        f"{what}: {shortened_list(names)}"
        for what, names in (
            ("without a group, each by itself", groupless),
            ("in the list of groups, but not among the runs", absent),
        )
        if names
    ]
    return [group_of_run.get(name, name) for name in runs], notes


def read_groups(
    path: str, sources_by_run_name: Mapping[str, Any]
) -> tuple[dict[str, str], list[str]]:
    """(run name -> its group in a file; the words that name no run); a group may hold blanks.

    Blank lines and `#` lines are skipped. A line may name a folder of runs, as in a list of teams;
    one that names a run goes before it.
    """
    group_of: dict[str, str] = {}
    group_of_folder: dict[str, str] = {}
    absent: list[str] = []
    words: set[str] = set()
    # each folder below the one that was searched -> the runs in it, at any depth
    names_in_folder: dict[str, list[str]] = {}
    for name, source in sources_by_run_name.items():
        *folders, _ = path_below(path_of(source)).split("/")
        for end in range(len(folders)):
            names_in_folder.setdefault("/".join(folders[: end + 1]), []).append(name)

    def add_line(fields: list[bytes]) -> str:
        if len(fields) < 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        word, group = as_text(fields[0]), as_text(b" ".join(fields[1:]))
        if word in words:
            return f"duplicate run '{word}'"
        words.add(word)
        names = [
            name
            for name, source in sources_by_run_name.items()
            if word in (name, path_of(source), os.path.basename(path_of(source)))
        ]
        if len(names) > 1:
            return f"'{id_text(fields[0])}' names {len(names)} of the runs"
        if names:
            group_of[names[0]] = group
        elif word.rstrip("/") in names_in_folder:
            group_of_folder[word.rstrip("/")] = group
        else:
            absent.append(word)
        return ""

    take_lines(path, read_all(path), add_line, "group of runs", _HINT)
    for folder in sorted(group_of_folder, key=len):
        for name in names_in_folder[folder]:
            group_of.setdefault(name, group_of_folder[folder])
    return group_of, absent


def _remaining_judgments(qrels: Qrels, is_removed: RowMask) -> pa.Table:
    import pyarrow as pa

    topic = qrels.topic_of_row
    num_left = np.bincount(topic[~is_removed], minlength=len(qrels.topics))
    rows = np.flatnonzero(~is_removed | (num_left[topic] == 0))
    grade = np.where(is_removed, -1.0, qrels.grade)[rows]
    topic_ids = [qrels.topics[index] for index in topic[rows].tolist()]
    topics = ids_from_bytes(topic_ids).arrow_binary_column()
    docs = qrels.docs.take(rows).arrow_binary_column()
    return pa.table({"topic": topics, "document": docs, "grade": arrow_array(grade, pa.float64())})


def _summarise(runs: Sequence[LeftOutRun]) -> tuple[LeaveOutSummary, ...]:
    """A summary under each measure that has a mean."""
    pairs_by_column: dict[Column, list[tuple[float, float]]] = {}
    for run in runs:
        for column, score, left_out in run.score_pairs():
            if column.average in ("mean", "geometric"):
                pairs_by_column.setdefault(column, []).append((score, left_out))
    contributing = [index for index, run in enumerate(runs) if run.num_judged]
    groups = np.array([run.group for run in runs])
    summaries = []
    for column, pairs in pairs_by_column.items():
        merits = np.array(pairs) * (-1.0 if lower_is_better(column) else 1.0)
        with_all, without = merits.T
        places = []
        for index in contributing:
            others_without = np.where(groups == groups[index], without, with_all)
            places.append(
                LeftOutPlace(
                    runs[index].name,
                    runs[index].group,
                    *pairs[index],
                    place=_place_of(index, with_all),
                    place_left_out=_place_of(index, others_without),
                )
            )
        tau = tau_b(*merits[contributing].T) if len(contributing) > 1 else math.nan
        summaries.append(LeaveOutSummary(column, len(runs), tau, tuple(places)))
    return tuple(summaries)


def _place_of(run_index: int, merits: RunValues) -> int:
    """1 and how many runs are better, but for rounding."""
    slack = NEAR * scale_of(merits)
    return 1 + int(np.count_nonzero(merits > merits[run_index] + slack))


# --- The test as a document ---

_FIELDS = ("run", "group", "judged", "relevant", "measure", "score", "left_out", "difference")
_PLACE_FIELDS = ("measure", "group", "run", "place", "place_left_out", "score", "left_out")


def leave_one_out_document(result: LeaveOneOutResult, decimals: int) -> Document:
    """A row for each run and measure: how many judgments only its group brought, the scores.

    JSON has `runs`, and `summary`: for each measure `tau`, the run of the `largest_drop`, and of
    each group that is `hurt` the run that loses most places.
    """
    parts: list[Part] = [
        Table([*map(head_of, _FIELDS)], list(_left_out_rows(result.runs)), ruled=False)
    ]
    if result.summary:
        parts += _summary_parts(result, decimals)
    records = [
        Records("leave_out", _FIELDS, _left_out_rows(result.runs)),
        Records("places", _PLACE_FIELDS, _place_rows(result.summary, hurt_only=False)),
    ]
    return Document("Leave-out test of the pool", parts, records, partial(_result_data, result))


def _left_out_rows(runs: Iterable[LeftOutRun]) -> Iterator[list[Cell]]:
    for run in runs:
        group = "-" if run.group == run.name else run.group
        for column, *pair in run.score_pairs():
            score, left_out = map(int, pair) if column.kind == "count" else pair
            counts = run.num_judged, run.num_relevant
            yield [run.name, group, *counts, column.name, score, left_out, left_out - score]


def _summary_parts(result: LeaveOneOutResult, decimals: int) -> Iterator[Part]:
    """What becomes of the order, a line for each measure, and whose runs lose places."""
    num_contributing = sum(run.num_judged > 0 for run in result.runs)
    yield Heading("Summary")
    yield Lines(
        [
            f"{num_contributing} of {count_text(len(result.runs), 'run')} brought judged documents "
            "that no other group brought; the summary is of these",
            "place_left_out: with the left_out scores of the run's group; other runs keep theirs",
            *(_summary_sentence(summary, decimals) for summary in result.summary),
        ]
    )
    rows = list(_place_rows(result.summary, hurt_only=True))
    if rows:
        yield Heading("Who loses places", 4)
        yield Table([*map(head_of, _PLACE_FIELDS)], rows, ruled=False)


def _summary_sentence(summary: LeaveOutSummary, decimals: int) -> str:
    tau = "-" if math.isnan(summary.tau) else f"{summary.tau:.{decimals}f}"
    text = f"{summary.column.name}: Kendall's tau of the orders by score and by left_out: {tau}"
    worst = summary.largest_score_drop
    if worst is None:
        return f"{text}; no score gets worse"
    change = worst.left_out - worst.score
    text += f"; largest drop in score: {worst.run}, {change:.{decimals}f}"
    hurt = summary.most_hurt_run_of_each_group
    if not hurt:
        return f"{text}; no run loses a place"
    return (
        f"{text}; largest drop in place: {hurt[0].run}, from {hurt[0].place} to "
        f"{hurt[0].place_left_out} of {summary.num_runs}"
    )


def _place_rows(summaries: Sequence[LeaveOutSummary], *, hurt_only: bool) -> Iterator[list[Cell]]:
    for summary in summaries:
        for each in summary.most_hurt_run_of_each_group if hurt_only else summary.places:
            group = "-" if each.group == each.run else each.group
            places = each.place, each.place_left_out
            yield [summary.column.name, group, each.run, *places, each.score, each.left_out]


def _result_data(result: LeaveOneOutResult) -> dict[str, Any]:
    runs = [
        {
            "run": run.name,
            "group": run.group,
            "depth": run.depth,
            "judged": run.num_judged,
            "relevant": run.num_relevant,
            "signature": signature_data(run.scores.signature),
            "measures": {
                column.name: finite_or_none(
                    {"score": score, "left_out": left_out, "difference": left_out - score}
                )
                for column, score, left_out in run.score_pairs()
            },
        }
        for run in result.runs
    ]
    summaries = []
    for summary in result.summary:
        worst = summary.largest_score_drop
        data = {
            "measure": summary.column.name,
            "num_runs": summary.num_runs,
            "num_contributing": len(summary.places),
            "tau": summary.tau,
            "largest_drop": None if worst is None else asdict(worst),
            "hurt": [asdict(each) for each in summary.most_hurt_run_of_each_group],
        }
        summaries.append(finite_or_none(data))
    return {"runs": runs, "summary": summaries}
