"""A board: runs in order, and what is known of their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.boards.rules import CORRECTION
from irev.boards.teams import best_of_teams
from irev.core.arrays import column_means, offsets
from irev.core.workers import in_order
from irev.errors import UsageError
from irev.measures.names import PLAIN, columns_named, lower_is_better
from irev.statistics.bootstrap import topic_weights
from irev.statistics.differences import (
    NEAR,
    every_pair,
    groups_of_equals,
    scale_of,
    slack,
    without_noise,
)
from irev.statistics.draws import blocks
from irev.statistics.letters import by_mean, groups, labels
from irev.statistics.methods import INTERVALS, TESTS, adjusted

if TYPE_CHECKING:
    from irev.boards.rules import BoardRules
    from irev.core.arrays import Floats, Ints
    from irev.core.model import Column
    from irev.measures.names import Naming
    from irev.results.matrices import Matrices, NamedRun


@dataclass(frozen=True)
class Standing:
    """Where a run stands on a board.

    number     its column in the matrices
    place      one plus the number of better runs; equal runs share a place
    low, high  the interval of the place; None where it was not asked for, or cannot be had
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


@dataclass(frozen=True, eq=False, repr=False)
class Board:
    """Runs in the order of one measure.

    part       which topics: "public", "private", a class; empty where it is all of them
    matrices   the scores
    by         the measure that orders the runs
    falls      whether lower values of it are better
    standings  best run first
    summary    float64[C, S]: means, or sums where the measure is a count
    low, high  float64[C, S]: the intervals of the means; NaN where there is none
    rules      how it was made
    tested     whether there was a test
    """

    part: str
    matrices: Matrices
    by: str
    falls: bool
    standings: tuple[Standing, ...]
    summary: Floats
    low: Floats
    high: Floats
    rules: BoardRules
    tested: bool

    @property
    def row(self) -> int:
        """Which measure orders the runs, by its number."""
        return self.matrices.measures.index(self.by)

    def entry(self, standing: Standing) -> NamedRun:
        """The run of a standing."""
        return self.matrices.entries[standing.number]


def board(
    matrices: Matrices, rules: BoardRules, *, part: str = "",
    teams: Mapping[str, str] | None = None, best_per_team: bool = False, naming: Naming = PLAIN,
) -> Board:  # fmt: skip
    """Put runs in order.

    By falling mean (rising where lower values are better), equal means by name. Means, intervals
    and tests are of the topics' contributions: weighted where topics have weights.

    Args:
        matrices: the scores.
        rules: the choices.
        part: what the topics are.
        teams: run -> its team, for the runs that have one.
        best_per_team: whether only the best run of each team stands on the board; a run without a
            team is one by itself.
        naming: the options of the evaluation, under which the measure in the rules is called.

    Raises:
        UsageError: there is no such measure, or none that orders runs.
    """
    column = _ordering(matrices, rules, naming)
    teams = teams or {}
    sizes: dict[str, int] = {}
    for run in matrices.runs:
        if run in teams:
            sizes[teams[run]] = sizes.get(teams[run], 0) + 1
    falls = lower_is_better(column)
    if best_per_team:
        order = by_mean(column_means(_upward(matrices, column.name, falls)))
        matrices = matrices.with_runs(best_of_teams(matrices.runs, order.tolist(), teams))
    upward = _upward(matrices, column.name, falls)
    order = by_mean(column_means(upward))
    p = _tested(upward, rules)
    summary, low, high = _summary(matrices, rules)
    return Board(
        part, matrices, column.name, falls,
        tuple(_standings(matrices, column.name, upward, order, p, rules, teams, sizes)),
        summary, low, high, rules, p is not None,
    )  # fmt: skip


def _ordering(matrices: Matrices, rules: BoardRules, naming: Naming) -> Column:
    """The column that orders the runs."""
    if rules.by is None:
        return _first_with_mean(matrices.columns)
    found = columns_named(rules.by, matrices.columns, naming)
    if found:
        return _first_with_mean(found)
    listed = ", ".join(matrices.measures[:8])
    raise UsageError(f"--by {rules.by}: the runs have {listed}; name it with -m too")


def _first_with_mean(columns: Sequence[Column]) -> Column:
    """The first that is no count, if there is one."""
    return ([column for column in columns if column.average == "mean"] or columns)[0]


def _upward(matrices: Matrices, measure: str, falls: bool) -> Floats:
    """float64[T, S]: what topics contribute, the higher the better."""
    found = matrices.contributions(measure)
    return -found if falls else found


def _tested(scores: Floats, rules: BoardRules) -> Floats | None:
    """float64[S, S]: the corrected p of each pair; None where nothing can be tested."""
    topics, runs = scores.shape
    if rules.test == "none" or topics < 2 or runs < 2:
        return None
    family = every_pair(runs)
    settings = rules.settings(rules.drawn(len(family)))
    result = TESTS[rules.test].run(scores, family, settings)
    found = result.corrected
    if not TESTS[rules.test].simultaneous:
        # numerical noise may leave a p just above 1
        found = adjusted(np.minimum(1.0, found), CORRECTION)
    p = np.ones((runs, runs))
    p[family.first, family.second] = found
    return np.minimum(p, p.T)


def _summary(matrices: Matrices, rules: BoardRules) -> tuple[Floats, Floats, Floats]:
    """The runs' means or sums, and the intervals of the means: float64[C, S] each."""
    size = (len(matrices.columns), len(matrices.entries))
    summary, low, high = np.empty(size), np.full(size, np.nan), np.full(size, np.nan)
    for row, column in enumerate(matrices.columns):
        if column.average == "sum":
            summary[row] = np.cumsum(matrices.values[row], axis=0)[-1]
            continue
        summary[row] = matrices.means(column.name)
        if rules.interval != "none" and len(matrices.topics) > 1:
            found = INTERVALS[rules.interval].run(
                matrices.contributions(column.name), None, rules.settings(rules.resamples)
            )
            low[row], high[row] = found.low, found.high
    return summary, low, high


def _standings(
    matrices: Matrices, measure: str, upward: Floats, order: Ints, p: Floats | None,
    rules: BoardRules, teams: Mapping[str, str], sizes: Mapping[str, int],
) -> list[Standing]:  # fmt: skip
    place = places(column_means(upward)).tolist()
    ends = None
    if rules.interval != "none" and len(upward) > 1:
        low, high = place_intervals(
            upward, 1 - rules.alpha, resamples=rules.resamples, seed=rules.seed,
            threads=rules.threads,
        )  # fmt: skip
        ends = (low.tolist(), high.tolist())
    named = _groups(p, order, rules.alpha)
    scores = matrices.of(measure)
    gains = without_noise(scores - scores[:, order[:1]], scale_of(scores))
    if lower_is_better(matrices.column(measure)):
        gains = -gains
    found = []
    for at, number in enumerate(order.tolist()):
        team = teams.get(matrices.runs[number])
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
    return labels(groups(differ, order), len(order))


def _counts(gains: Floats) -> tuple[int, int, int]:
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    return better, len(gains) - better - worse, worse


def places(means: Floats) -> Ints:
    """int64[S]: one plus the number of runs with a higher mean; equal means share a place."""
    group = groups_of_equals(-means, scale_of(means))
    before = offsets(np.bincount(group))
    found: Ints = before[group] + 1
    return found


def place_intervals(
    scores: Floats, level: float, *, resamples: int, seed: int, threads: int = 1
) -> tuple[Ints, Ints]:
    """The ends of the bootstrap interval of each run's place: int64[S] each.

    The T topics are drawn with replacement, B times, and the runs placed by their means each time;
    the ends are the quantiles (1 -+ level) / 2, the smallest places with at least that share of the
    samples at or below them.

    Args:
        scores: float64[T, S], the higher the better.
        level: between 0 and 1.
        resamples: B, at least 1.
        seed: what the draws depend on, and the only thing.
        threads: how many threads work; the outcome does not depend on it.

    Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), ch. 13, applied to
    the place in place of the mean.
    """
    work = partial(_places_of_block, scores, seed)
    found = np.concatenate(list(in_order(work, blocks(resamples), threads)))
    found.sort(axis=0)
    rest = (1 - level) / 2
    ends = [int(np.ceil((chance - NEAR) * resamples)) - 1 for chance in (rest, 1 - rest)]
    low, high = (found[max(0, end)].astype(np.int64) for end in ends)
    return low, high


def _places_of_block(scores: Floats, seed: int, block: tuple[int, int]) -> Ints:
    """int64[resamples, S]: the places of the runs in the samples of a block."""
    topics, runs = scores.shape
    sums = topic_weights(seed, *block, topics) @ scores
    order = np.argsort(-sums, axis=1)  # equal sums share a place, whatever their order
    falling = np.take_along_axis(sums, order, axis=1)
    is_new = np.ones(sums.shape, bool)
    is_new[:, 1:] = falling[:, :-1] - falling[:, 1:] > slack(topics, scale_of(scores))
    place = np.maximum.accumulate(np.where(is_new, np.arange(1, runs + 1), 0), axis=1)
    found = np.empty(sums.shape, np.int64)
    np.put_along_axis(found, order, place, axis=1)
    return found
