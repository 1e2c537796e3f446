"""Runs in order, and what is known of their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import RunIndices, RunPlaces, RunsByRuns, RunValues, TopicValues, offsets
from irev.core.record import record
from irev.engine.join_scores import is_comparable, no_topics_message
from irev.errors import UsageError
from irev.jobs.leaderboard.pair_tests import assumption_notes, compare_all_pairs
from irev.jobs.leaderboard.teams import best_of_teams
from irev.measures.naming.resolve import (
    lower_is_better,
    matching_columns,
    mean_bounds_or_infinite,
    resolve_names,
)
from irev.statistics.differences import (
    groups_of_equals,
    scale_of,
    zero_noise,
)
from irev.statistics.families import group_labels, order_by_mean, places_by_letter_group
from irev.statistics.intervals import fit_to_range
from irev.statistics.methods import INTERVALS

if TYPE_CHECKING:
    from irev.core.arrays import Bools, Ints, MeasuresByRuns
    from irev.core.judged import Column
    from irev.jobs.leaderboard.options import LeaderboardOptions
    from irev.jobs.leaderboard.pair_tests import TestedPairs
    from irev.scores.table import RunInfo, ScoreTable
    from irev.statistics.significance_tests import Moderation


@record(eq=True)
class Standing:
    """The place of a run on a board.

    run_index       its index in the table
    place           one plus the number of better runs; equal runs share a place
    low, high       the first and last place that it may have, for all runs at once; None without
                    a test
    groups          the groups it is in; empty without a test
    p_best          p of its difference from the best run, corrected; None for that one, without
                    a test
    p_above         likewise, from the run above
    wins_ties_losses  on how many topics it is better than the best run, as good, and worse
    team            its team
    runs_of_team    how many runs its team has
    """

    run_index: int
    place: int
    low: int | None
    high: int | None
    groups: str
    p_best: float | None
    p_above: float | None
    wins_ties_losses: tuple[int, int, int]
    team: str | None
    runs_of_team: int

    @property
    def tied_with_best(self) -> bool | None:
        """Whether no run is shown to be better: its places include 1; None without a test."""
        return None if self.low is None else self.low == 1


@record
class BoardPart:
    """Runs in the order of one measure, on all topics or on some of them.

    name             which topics: "public", "private", a class; empty where it is all of them
    table            the scores
    by               the measure that orders the runs
    lower_is_better  whether lower values of it are better
    standings        best run first
    summary          float64[C, S]: means, or sums where the measure is a count
    low, high        float64[C, S]: the intervals of the means; NaN where there is none
    options          how it was made
    num_pairs        how many pairs were tested and p is corrected for; 0 without a test
    num_team_runs    how many runs these are the best of their teams of; 0 where all are shown
    test_notes       where the test assumes of differences what these are not
    moderation       what the variances of all pairs were drawn towards, where the test does that
    tested           all pairs under that measure; None without a test
    all_runs         the scores of all runs that were tested, whichever are shown; None: of `table`
    shown            which of these are on the board, by their indices
    """

    name: str
    table: ScoreTable
    by: str
    lower_is_better: bool
    standings: tuple[Standing, ...]
    summary: MeasuresByRuns
    low: MeasuresByRuns
    high: MeasuresByRuns
    options: LeaderboardOptions
    num_pairs: int
    num_team_runs: int = 0
    test_notes: tuple[str, ...] = ()
    moderation: Moderation | None = None
    tested: TestedPairs | None = None
    all_runs: ScoreTable | None = None
    shown: tuple[int, ...] = ()

    @property
    def is_tested(self) -> bool:
        """Whether there was a test."""
        return self.num_pairs > 0

    @property
    def test_done(self) -> str:
        """The name of the test that was done, which may be another than was asked for."""
        return self.options.test if self.tested is None else self.tested.test_done

    @property
    def measure_index(self) -> int:
        """Which measure orders the runs, by its index."""
        return self.table.measure_names.index(self.by)

    def run_info(self, standing: Standing) -> RunInfo:
        """The run of a standing."""
        return self.table.runs[standing.run_index]


def rank_runs(
    table: ScoreTable,
    options: LeaderboardOptions,
    *,
    part_name: str = "",
    teams: Mapping[str, str] | None = None,
) -> BoardPart:
    """Put runs in order.

    By decreasing mean (increasing where lower values are better), equal means by name. All are
    weighted where topics have weights. Tests are of all pairs of the runs that are given, whichever
    are shown: that a run is the best of its team is seen from the same scores.

    Args:
        table: the scores.
        options: the choices; with `best_per_team` only the best run of each team is on the board,
            and a run without a team is one by itself.
        part_name: what the topics are.
        teams: run -> its team, for the runs that have one.
    """
    column = _ordering_column(table, options)
    teams = teams or {}
    team_sizes: dict[str, int] = {}
    for run in table.run_names:
        if run in teams:
            team_sizes[teams[run]] = team_sizes.get(teams[run], 0) + 1
    tested = compare_all_pairs(table, column, options)
    test_notes = () if tested is None else assumption_notes(table, column.name, tested.test_done)
    all_runs, num_runs, num_team_runs = table, len(table.runs), 0
    shown = [*range(num_runs)]
    p = None if tested is None else tested.p_matrix
    if options.best_per_team:
        order = order_by_mean(table.merit(column.name))
        shown = sorted(best_of_teams(table.run_names, order.tolist(), teams))
        num_team_runs = num_runs if len(shown) < num_runs else 0
        table = table.select_runs(shown)
        p = None if p is None else p[np.ix_(shown, shown)]
    summary, low, high = _summary_and_interval_ends(table, options)
    return BoardPart(
        part_name, table, column.name, lower_is_better(column),
        tuple(_standings(table, column, p, options, teams, team_sizes)),
        summary, low, high, options, 0 if p is None else num_runs * (num_runs - 1) // 2,
        num_team_runs, test_notes, None if tested is None else tested.moderation,
        tested, all_runs, tuple(shown),
    )  # fmt: skip


def _ordering_column(table: ScoreTable, options: LeaderboardOptions) -> Column:
    """The column that orders the runs: of several in one name the first that has a mean."""
    if options.by is None:
        return table.column()
    columns = matching_columns(options.by, table.columns, options)
    if columns:
        return next((column for column in columns if column.average == "mean"), columns[0])
    columns_of_name = [
        column for each in resolve_names([options.by], options) for column in each.columns
    ]
    if not any(map(is_comparable, columns_of_name)):
        raise UsageError(f"--by {options.by}: {no_topics_message(columns_of_name)}")
    names = ", ".join(table.measure_names[:8])
    raise UsageError(f"--by {options.by}: the runs have {names}; name it with -m too")


def _summary_and_interval_ends(
    table: ScoreTable, options: LeaderboardOptions
) -> tuple[MeasuresByRuns, MeasuresByRuns, MeasuresByRuns]:
    """The runs' means or sums, and the intervals of the means: float64[C, S] each."""
    size = (len(table.columns), len(table.runs))
    summary, low, high = np.empty(size), np.full(size, np.nan), np.full(size, np.nan)
    for row, column in enumerate(table.columns):
        if column.average == "sum":
            summary[row] = np.cumsum(table.values[row], axis=0)[-1]
            continue
        summary[row] = table.means(column.name)
        if options.ci != "none" and len(table.topics) > 1:
            settings = options.inference_settings(options.resamples)._replace(df=table.df)
            scores = table.linearised_score_matrix(column.name)
            intervals = INTERVALS[options.ci].compute(scores, None, settings)
            bounds = mean_bounds_or_infinite(
                column, table.values[row], are_estimates=table.is_estimated
            )
            intervals = fit_to_range(intervals, *bounds)
            low[row], high[row] = intervals.low, intervals.high
    return summary, low, high


def _standings(
    table: ScoreTable, column: Column, p: RunsByRuns | None, options: LeaderboardOptions,
    teams: Mapping[str, str], team_sizes: Mapping[str, int],
) -> list[Standing]:  # fmt: skip
    """The runs, the best first; `p` is float64[S, S], of all pairs."""
    merit = table.merit(column.name)
    order = order_by_mean(merit)
    place = places_of_means(merit).tolist()
    limits = None
    if p is not None:
        low, high = place_limits(merit, p <= options.alpha)
        limits = (low.tolist(), high.tolist())
    labels = _group_labels(p, order, options.alpha)
    scores = table.scores(column.name)
    gains = zero_noise(scores - scores[:, order[:1]], scale_of(scores))
    if lower_is_better(column):
        gains = -gains
    names, standings = table.run_names, []
    for rank, run_index in enumerate(order.tolist()):
        team = teams.get(names[run_index])
        standing = Standing(
            run_index, place[run_index], limits and limits[0][run_index],
            limits and limits[1][run_index], labels[rank], None, None,
            _wins_ties_losses(gains[:, run_index]), team,
            team_sizes.get(team, 1) if team else 1,
        )  # fmt: skip
        standings.append(standing if p is None else _tested_standing(standing, p, order, rank))
    return standings


def _tested_standing(
    standing: Standing, p: RunsByRuns, run_order: RunIndices, rank_index: int
) -> Standing:
    """A standing, from 0 at some rank of the order, with what the tests say of it."""
    if rank_index == 0:
        return standing
    p_best, p_above = (
        float(p[standing.run_index, run_order[other_rank]]) for other_rank in (0, rank_index - 1)
    )
    return replace(standing, p_best=p_best, p_above=p_above)


def _group_labels(p: RunsByRuns | None, run_order: RunIndices, alpha: float) -> list[str]:
    """For each place in the order the groups of its run: letters, or numbers if there are many."""
    if p is None:
        return [""] * len(run_order)
    differ = p <= alpha
    np.fill_diagonal(differ, False)
    return group_labels(places_by_letter_group(differ, run_order), len(run_order))


def _wins_ties_losses(gains: TopicValues) -> tuple[int, int, int]:
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    return better, len(gains) - better - worse, worse


def places_of_means(means: RunValues) -> RunPlaces:
    """int64[S]: one plus the number of runs with a higher mean; equal means share a place."""
    group = groups_of_equals(-means, scale_of(means))
    num_before = offsets(np.bincount(group))
    place: Ints = num_before[group] + 1
    return place


def place_limits(means: RunValues, runs_differ: Bools) -> tuple[RunPlaces, RunPlaces]:
    """The first and the last place that each run may have: int64[S] each.

    1 + the runs that are shown to be better, and S less those that are shown to be worse. If the
    chance of any false rejection among all pairs is at most alpha, all true places lie within with
    chance 1 - alpha at least.

    Args:
        means: float64[S], the higher the better.
        runs_differ: bool[S, S], which runs the tests tell apart.

    Source: M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, Review of Economic Studies 91, 2024.
    """
    better = runs_differ & (means[None, :] > means[:, None])
    worse = runs_differ & (means[None, :] < means[:, None])
    low: Ints = 1 + better.sum(axis=1)
    high: Ints = len(means) - worse.sum(axis=1)
    return low, high
