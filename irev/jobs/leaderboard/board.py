"""A board: runs in order, and what is known of their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import offsets
from irev.core.record import record
from irev.engine.join_scores import is_comparable, no_topics_message
from irev.errors import UsageError
from irev.jobs.leaderboard.teams import best_of_teams
from irev.measures.naming.resolve import PLAIN_NAMING, resolve_names
from irev.measures.naming.result_columns import columns_named, lower_is_better, mean_bounds
from irev.statistics.corrections import max_t
from irev.statistics.differences import (
    every_pair,
    groups_of_equals,
    scale_of,
    skewness_warnings,
    zero_noise,
)
from irev.statistics.hsd import pair_variances
from irev.statistics.intervals import clip_intervals
from irev.statistics.letters import group_labels, letter_groups, order_by_mean
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, correct_p

if TYPE_CHECKING:
    from irev.core.arrays import Bools, Floats, Ints
    from irev.core.model import Column
    from irev.jobs.leaderboard.rules import BoardRules
    from irev.measures.naming.resolve import NamingOptions
    from irev.scores.table import RunInfo, ScoreTable


@record(eq=True)
class Standing:
    """The place of a run on a board.

    number     its index in the table
    place      one plus the number of better runs; equal runs share a place
    low, high  the first and last place that it may have, for all runs at once; None without a test
    groups     the groups it is in; empty without a test
    p_best     p of its difference from the best run, corrected; None for that one, without a test
    p_above    likewise, from the run above
    as_best    whether it is not different from the best run; None without a test
    against    on how many topics it is better than the best run, as good, and worse
    team       its team
    of_team    how many runs its team has
    """

    number: int
    place: int
    low: int | None
    high: int | None
    groups: str
    p_best: float | None
    p_above: float | None
    as_best: bool | None
    against: tuple[int, int, int]
    team: str | None
    of_team: int


@record
class Board:
    """Runs in the order of one measure.

    part             which topics: "public", "private", a class; empty where it is all of them
    table            the scores
    by               the measure that orders the runs
    lower_is_better  whether lower values of it are better
    standings        best run first
    family           how many pairs were tested and p is corrected for; 0 without a test
    of_runs          how many runs these are the best of their teams of; 0 where all are shown
    summary          float64[C, S]: means, or sums where the measure is a count
    low, high        float64[C, S]: the intervals of the means; NaN where there is none
    rules            how it was made
    doubts           notes where the test assumes of differences what these are not
    """

    part: str
    table: ScoreTable
    by: str
    lower_is_better: bool
    standings: tuple[Standing, ...]
    summary: Floats
    low: Floats
    high: Floats
    rules: BoardRules
    family: int
    of_runs: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def tested(self) -> bool:
        """Whether there was a test."""
        return self.family > 0

    @property
    def row(self) -> int:
        """Which measure orders the runs, by its number."""
        return self.table.measure_names.index(self.by)

    def entry(self, standing: Standing) -> RunInfo:
        """The run of a standing."""
        return self.table.runs[standing.number]


def board(
    table: ScoreTable, rules: BoardRules, *, part: str = "",
    teams: Mapping[str, str] | None = None, best_per_team: bool = False,
    naming: NamingOptions = PLAIN_NAMING,
) -> Board:  # fmt: skip
    """Put runs in order.

    By decreasing mean (increasing where lower values are better), equal means by name. All are
    weighted where topics have weights. Tests are of all pairs of the runs that are given, whichever
    are shown: that a run is the best of its team is seen from the same scores.

    Args:
        table: the scores.
        rules: the choices.
        part: what the topics are.
        teams: run -> its team, for the runs that have one.
        best_per_team: whether only the best run of each team is on the board; a run without a
            team is one by itself.
        naming: the options of the evaluation, under which the measure in the rules is called.
    """
    column = _ordering(table, rules, naming)
    teams = teams or {}
    sizes: dict[str, int] = {}
    for run in table.run_names:
        if run in teams:
            sizes[teams[run]] = sizes.get(teams[run], 0) + 1
    is_lower_better = lower_is_better(column)
    p = _tested(table, column.name, is_lower_better, rules)
    doubts = _about_differences(table, column.name, rules) if p is not None else ()
    runs, of_runs = len(table.runs), 0
    if best_per_team:
        order = order_by_mean(_means(table, column.name, is_lower_better))
        kept = sorted(best_of_teams(table.run_names, order.tolist(), teams))
        of_runs = runs if len(kept) < runs else 0
        table = table.select_runs(kept)
        p = None if p is None else p[np.ix_(kept, kept)]
    order = order_by_mean(_means(table, column.name, is_lower_better))
    summary, low, high = _summary(table, rules)
    return Board(
        part, table, column.name, is_lower_better,
        tuple(_standings(table, column, order, p, rules, teams, sizes)),
        summary, low, high, rules, 0 if p is None else runs * (runs - 1) // 2, of_runs, doubts,
    )  # fmt: skip


def _ordering(table: ScoreTable, rules: BoardRules, naming: NamingOptions) -> Column:
    """The column that orders the runs."""
    if rules.by is None:
        return _first_with_mean(table.columns)
    found = columns_named(rules.by, table.columns, naming)
    if found:
        return _first_with_mean(found)
    named = [column for each in resolve_names([rules.by], naming) for column in each.columns]
    if not any(map(is_comparable, named)):
        raise UsageError(f"--by {rules.by}: {no_topics_message(named)}")
    listed = ", ".join(table.measure_names[:8])
    raise UsageError(f"--by {rules.by}: the runs have {listed}; name it with -m too")


def _first_with_mean(columns: Sequence[Column]) -> Column:
    """The first that is no count, if there is one."""
    return ([column for column in columns if column.average == "mean"] or columns)[0]


def _means(table: ScoreTable, measure: str, lower_is_better: bool) -> Floats:
    """float64[S]: the means, the higher the better."""
    found = table.means(measure)
    return -found if lower_is_better else found


def _tested(
    table: ScoreTable, measure: str, lower_is_better: bool, rules: BoardRules
) -> Floats | None:
    """float64[S, S]: the corrected p of each pair; None where nothing can be tested."""
    topics, runs = len(table.topics), len(table.runs)
    if rules.test == "none" or topics < 2 or runs < 2:
        return None
    test, family = TESTS[rules.test], every_pair(runs)
    scores = table.contributions(measure) if test.counts_signs else table.linearised_scores(measure)
    settings = rules.settings(rules.drawn(len(family)))._replace(df=table.df)
    result = test.compute(-scores if lower_is_better else scores, family, settings)
    found = result.corrected
    if CORRECTIONS[rules.correction].only_test:
        drawn = max_t(
            scores,
            family,
            num_resamples=settings.num_resamples,
            seed=rules.seed,
            threads=rules.threads or 1,
        )
        found = np.maximum(drawn.p, found)
    elif not test.simultaneous:
        # numerical noise may leave a p just above 1
        found = correct_p(np.minimum(1.0, found), rules.correction)
    p = np.ones((runs, runs))
    p[family.first, family.second] = found
    return np.minimum(p, p.T)


def _about_differences(table: ScoreTable, measure: str, rules: BoardRules) -> tuple[str, ...]:
    test, scores = TESTS[rules.test], table.linearised_scores(measure)
    told = (
        list(pair_variances(scores).warnings([rules.test])) if test.assumes_equal_variances else []
    )
    if test.sensitive_to_skewness:
        told += skewness_warnings(scores, every_pair(scores.shape[1]), [rules.test])
    return tuple(told)


def _summary(table: ScoreTable, rules: BoardRules) -> tuple[Floats, Floats, Floats]:
    """The runs' means or sums, and the intervals of the means: float64[C, S] each."""
    size = (len(table.columns), len(table.runs))
    summary, low, high = np.empty(size), np.full(size, np.nan), np.full(size, np.nan)
    for row, column in enumerate(table.columns):
        if column.average == "sum":
            summary[row] = np.cumsum(table.values[row], axis=0)[-1]
            continue
        summary[row] = table.means(column.name)
        if rules.interval != "none" and len(table.topics) > 1:
            settings = rules.settings(rules.resamples)._replace(df=table.df)
            found = INTERVALS[rules.interval].compute(
                table.linearised_scores(column.name), None, settings
            )
            found = clip_intervals(found, *mean_bounds(column, table.values[row]))
            low[row], high[row] = found.low, found.high
    return summary, low, high


def _standings(
    table: ScoreTable, column: Column, order: Ints, p: Floats | None,
    rules: BoardRules, teams: Mapping[str, str], sizes: Mapping[str, int],
) -> list[Standing]:  # fmt: skip
    is_lower_better, measure = lower_is_better(column), column.name
    means = _means(table, measure, is_lower_better)
    place = places(means).tolist()
    ends = None
    if p is not None:
        low, high = place_limits(means, p <= rules.alpha)
        ends = (low.tolist(), high.tolist())
    named = _groups(p, order, rules.alpha)
    scores = table.scores(measure)
    gains = zero_noise(scores - scores[:, order[:1]], scale_of(scores))
    if is_lower_better:
        gains = -gains
    found = []
    for at, number in enumerate(order.tolist()):
        team = teams.get(table.run_names[number])
        plain = Standing(
            number, place[number], ends and ends[0][number], ends and ends[1][number], "",
            None, None, None, _counts(gains[:, number]), team, sizes.get(team, 1) if team else 1,
        )  # fmt: skip
        found.append(plain if p is None else _with_test(plain, p, order, at, rules, named[at]))
    return found


def _with_test(
    standing: Standing, p: Floats, order: Ints, at: int, rules: BoardRules, named: str
) -> Standing:
    if at == 0:
        return replace(standing, groups=named, as_best=True)
    best, above = (float(p[standing.number, order[other]]) for other in (0, at - 1))
    return replace(standing, groups=named, p_best=best, p_above=above, as_best=best > rules.alpha)


def _groups(p: Floats | None, order: Ints, alpha: float) -> list[str]:
    """For each place in the order the groups of its run: letters, or numbers if there are many."""
    if p is None:
        return [""] * len(order)
    differ = p <= alpha
    np.fill_diagonal(differ, False)
    return group_labels(letter_groups(differ, order), len(order))


def _counts(gains: Floats) -> tuple[int, int, int]:
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    return better, len(gains) - better - worse, worse


def places(means: Floats) -> Ints:
    """int64[S]: one plus the number of runs with a higher mean; equal means share a place."""
    group = groups_of_equals(-means, scale_of(means))
    before = offsets(np.bincount(group))
    found: Ints = before[group] + 1
    return found


def place_limits(means: Floats, differ: Bools) -> tuple[Ints, Ints]:
    """The first and the last place that each run may have: int64[S] each.

    1 + the runs that are shown to be better, and S less those that are shown to be worse. If the
    chance of any false rejection among all pairs is at most alpha, all true places lie within with
    chance 1 - alpha at least.

    Args:
        means: float64[S], the higher the better.
        differ: bool[S, S], which runs the tests tell apart.

    Source: M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, Review of Economic Studies 91, 2024.
    """
    better = differ & (means[None, :] > means[:, None])
    worse = differ & (means[None, :] < means[:, None])
    low: Ints = 1 + better.sum(axis=1)
    high: Ints = len(means) - worse.sum(axis=1)
    return low, high
