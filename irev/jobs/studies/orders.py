"""The orders of runs that a study of correlation compares: their measures, judgments and runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.text import escape_non_utf8
from irev.engine.evaluate import RunEvaluator
from irev.engine.join_scores import LEFT_OUT
from irev.engine.run_files import rewindable
from irev.engine.score_runs import options_with_pool, score_runs
from irev.errors import MismatchError, UsageError, note
from irev.jobs.leaderboard.scoring import (
    best_of_teams,
    listed_runs,
    read_teams,
    team_notes,
    teams_of,
)
from irev.jobs.plots.plot import input_label, notes_of, parameters_of
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import (
    criteria_of,
    printed_names,
    run_indices_best_first,
    select_common_topics,
    top_runs,
)
from irev.jobs.studies.options.correlation import CorrelationOptions
from irev.jobs.studies.options.shared import FOUR, TeamOptions
from irev.jobs.studies.sweeps import (
    Sweep,
    SweepLine,
    has_option,
    make_sweep_lines,
    printed_sweep_lines,
    r_below_discount_base_notes,
)
from irev.measures.naming.grammar import measure_names
from irev.options import Options
from irev.scores.table import ScoreTable, path_of

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.errors import Notice
    from irev.jobs.studies.criteria import Criterion


def best_run_of_each_listed_team(
    team_options: TeamOptions, table: ScoreTable, measure: str
) -> tuple[ScoreTable, tuple[str, ...]]:
    """The best run of each team that --teams lists, and notes on them."""
    team_of_listed_word = read_teams(team_options.teams or "")
    runs_by_listed_word = listed_runs(table, team_of_listed_word)
    team_of_run = teams_of(runs_by_listed_word, team_of_listed_word)
    best = table.select_runs(
        best_of_teams(table.run_names, run_indices_best_first(table, measure), team_of_run)
    )
    num_best, num_runs = len(best.run_names), len(table.run_names)
    best_text = f"{num_best} of {num_runs} runs: the best of each team by {measure}"
    return best, (
        *team_notes(table, runs_by_listed_word, team_of_listed_word, team_of_run),
        best_text,
    )


class Orders(NamedTuple):
    """The orders of the same runs.

    criteria     that order them, under each of the judgments
    tables       the scores of the runs, likewise
    sweep_lines  what is drawn against a parameter of measures
    parameters   of the result
    remarks      for the result
    """

    criteria: Sequence[Criterion]
    tables: Sequence[ScoreTable]
    sweep_lines: Sequence[SweepLine]
    parameters: dict[str, Any]
    remarks: tuple[Notice, ...]


def score_orders(
    qrels_or_table: Input, runs: Input, measures: object, options: CorrelationOptions
) -> Orders:
    """Score runs, and choose those that are studied.

    Args:
        qrels_or_table: judgments; None where all runs are saved scores; or a table of scores.
        runs: the runs.
        measures: that are compared; none: Sakai's four, or all that saved scores have.
        options: the options of the study.
    """
    is_saved = qrels_or_table is None or isinstance(qrels_or_table, ScoreTable)
    if not is_saved and path_of(qrels_or_table) == "-":
        raise UsageError("standard input (-) cannot be read twice: give the judgments as a file")
    if is_saved and options.other_qrels:
        raise UsageError("--other-qrels needs QRELS RUN...")
    if is_saved and options.sweeps:
        raise UsageError("--sweep scores runs under several parameters: give QRELS RUN...")
    options.load_plugins()
    runs = rewindable(runs)
    evaluation = options_with_pool(options.base_record(Options), runs) if not is_saved else options
    studied_measures = _studied_measures(
        measure_names(measures), options, evaluation, is_saved=is_saved
    )

    def score_side(judgments: Input) -> _JudgedScores:
        return _score_under_judgments(
            judgments, runs, studied_measures, options, evaluation, is_saved=is_saved
        )

    first = score_side(qrels_or_table)
    table, remarks = _select_runs(first, options)
    all_judged_scores = [first, *map(score_side, options.other_qrels)]
    tables, notes = _select_same_topics(all_judged_scores, table)
    judgments = [qrels_or_table, *options.other_qrels]
    labels = _judgment_labels(judgments) if len(all_judged_scores) > 1 else [""]
    criteria = [
        criterion
        for judged_scores, scores, label in zip(all_judged_scores, tables, labels, strict=True)
        for criterion in criteria_of(scores, judged_scores.measures, label)
    ]
    parameters = _order_parameters(judgments, options, first, table)
    return Orders(criteria, tables, first.sweep_lines, parameters, (*remarks, *map(note, notes)))


class _StudiedMeasures(NamedTuple):
    """The lines of sweeps, and all measures that are studied, as they were asked for."""

    sweep_lines: Sequence[SweepLine]
    names: tuple[str, ...]


def _studied_measures(
    measures: Sequence[str], options: CorrelationOptions, evaluation: Options, *, is_saved: bool
) -> _StudiedMeasures:
    measures = measures if is_saved else measures or FOUR
    sweeps = [Sweep.parse(text) for text in options.sweeps]
    sweep_lines = make_sweep_lines(measures, sweeps, options.against, evaluation)
    swept_names = [name for line in sweep_lines for _, name in line.points]
    reference_names = [line.reference for line in sweep_lines]
    unswept_names = [
        name
        for name in measures
        if not any(has_option(name, sweep.name, evaluation) for sweep in sweeps)
    ]
    return _StudiedMeasures(
        sweep_lines, tuple(dict.fromkeys([*reference_names, *unswept_names, *swept_names]))
    )


class _JudgedScores(NamedTuple):
    """Scores under some judgments, and which of them are studied, by their printed names.

    by, best  the measures that the best runs, and the best of each team, are chosen by
    """

    table: ScoreTable
    measures: tuple[str, ...]
    top_measure: str
    team_measure: str
    sweep_lines: Sequence[SweepLine]
    notes: tuple[str, ...]


def _score_under_judgments(
    judgments: Input,
    runs: Input,
    studied_measures: _StudiedMeasures,
    options: CorrelationOptions,
    evaluation: Options,
    *,
    is_saved: bool,
) -> _JudgedScores:
    """The scores under some judgments."""
    selecting_measures = [each for each in (options.by, options.best) if each]
    measures = (
        () if is_saved else tuple(dict.fromkeys([*studied_measures.names, *selecting_measures]))
    )
    notes: tuple[str, ...] = ()
    if not is_saved:
        evaluator = RunEvaluator(judgments, measures, evaluation, qrels_format=options.qrels_format)
        qrels = evaluator.prepared_judgments.qrels
        notes = tuple(r_below_discount_base_notes(evaluator.requests, qrels, options.level))
    table = score_runs(judgments, runs, measures, options, watch=watch_runs)

    left_out = next((each for each in table.warnings if each.kind == LEFT_OUT), None)

    def names_in_table(name: str) -> list[str]:
        try:
            return printed_names(name, table, evaluation)
        except UsageError:
            if left_out is None:
                raise
            raise MismatchError(str(left_out)) from None

    names = [name for text in studied_measures.names for name in names_in_table(text)]
    names = names or [*table.measure_names]
    if is_saved and len(names) < 2:
        reason = "name another with -m"
        if left_out is not None:
            reason = str(left_out)
        elif len(table.measure_names) < 2:
            reason = "where two files have the same measure, name it otherwise in one of them"
        raise UsageError(
            f"a correlation needs two measures, and {names[0]} is the only one here: {reason}"
        )
    top_measure, team_measure = (
        names_in_table(each)[0] if each else names[0] for each in (options.by, options.best)
    )
    sweep_lines = printed_sweep_lines(studied_measures.sweep_lines, names_in_table)
    return _JudgedScores(table, tuple(names), top_measure, team_measure, sweep_lines, notes)


def _select_runs(
    judged_scores: _JudgedScores, options: CorrelationOptions
) -> tuple[ScoreTable, tuple[Notice, ...]]:
    """The best run of each team, and of those the best; and what must be said of them."""
    table, remarks = (
        judged_scores.table,
        [*notes_of(judged_scores.table)[1:], *map(note, judged_scores.notes)],
    )
    if options.teams:
        table, notes = best_run_of_each_listed_team(options, table, judged_scores.team_measure)
        remarks += map(note, notes)
    if options.top is not None and options.top < len(table.run_names):
        num_runs, table = (
            len(table.run_names),
            top_runs(table, options.top, judged_scores.top_measure),
        )
        text = f"{len(table.run_names)} of {num_runs} runs: the best by {judged_scores.top_measure}"
        remarks.append(note(text))
    return table, tuple(remarks)


def _select_same_topics(
    all_judged_scores: Sequence[_JudgedScores], table: ScoreTable
) -> tuple[list[ScoreTable], tuple[str, ...]]:
    """The scores of the runs of a table under all judgments, on the same topics; and notes."""
    if len(all_judged_scores) == 1:
        return [table], ()
    return select_common_topics(
        [
            judged_scores.table.select_runs(
                [judged_scores.table.run_names.index(name) for name in table.run_names]
            )
            for judged_scores in all_judged_scores
        ]
    )


def _judgment_labels(judgments: Sequence[Input]) -> list[str]:
    """What judgments are called: after their files, or their paths where those are the same."""
    paths = [path_of(source) or "qrels" for source in judgments]
    names = [escape_non_utf8(os.path.basename(path)) for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) < len(paths):
        raise UsageError("--other-qrels: duplicate judgments")
    return [escape_non_utf8(path) for path in paths]


def _order_parameters(
    judgments: Sequence[Input],
    options: CorrelationOptions,
    first_judged_scores: _JudgedScores,
    selected_table: ScoreTable,
) -> dict[str, Any]:
    parameters = parameters_of(selected_table)
    parameters["measures"] = list(first_judged_scores.measures)
    parameters["topics"] = len(selected_table.topics)
    if options.sweeps:
        parameters["sweeps"], parameters["against"] = [*options.sweeps], [*options.against]
    if options.other_qrels:
        parameters["qrels"] = [path_of(source) or input_label(source) for source in judgments]
    if options.top is not None:
        parameters["top"] = {"runs": options.top, "by": first_judged_scores.top_measure}
    if options.teams:
        parameters["best of teams"] = {
            "file": options.teams,
            "by": first_judged_scores.team_measure,
        }
    return parameters
