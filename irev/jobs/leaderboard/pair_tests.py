"""What the tests of a board say of all pairs of runs under one measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import PairValues
from irev.core.record import record
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.statistics.differences import every_pair
from irev.statistics.families import max_t, pair_variance_ratios
from irev.statistics.intervals import difference_intervals, fit_to_range, simultaneous_intervals
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    PValues,
    correct_p,
    few_topics_warnings,
)

if TYPE_CHECKING:
    from irev.core.arrays import RunsByRuns
    from irev.core.judged import Column
    from irev.jobs.leaderboard.options import LeaderboardOptions
    from irev.scores.table import ScoreTable
    from irev.statistics.intervals import Intervals
    from irev.statistics.significance_tests import Moderation


@record
class TestedPairs:
    """All P pairs of S runs, (0, 1), (0, 2), ..., (S-2, S-1), as a test has them.

    num_runs   S
    corrected  float64[P]: p corrected for all pairs
    result     what the test found
    test_done  the name of the test, which may be another than was asked for
    """

    __test__ = False  # of runs, not of this program

    num_runs: int
    corrected: PairValues
    result: PValues
    test_done: str

    @property
    def moderation(self) -> Moderation | None:
        """What the variances of all pairs were drawn towards, where the test does that."""
        return self.result.moderation

    @property
    def p_matrix(self) -> RunsByRuns:
        """float64[S, S]: the corrected p of each pair; 1 of a run with itself."""
        pairs = every_pair(self.num_runs)
        p = np.ones((self.num_runs, self.num_runs))
        p[pairs.first, pairs.second] = self.corrected
        return np.minimum(p, p.T)


def compare_all_pairs(
    table: ScoreTable, column: Column, options: LeaderboardOptions
) -> TestedPairs | None:
    """The test of all pairs of runs under a measure; None where nothing can be tested."""
    num_runs = len(table.runs)
    if options.test == "none" or len(table.topics) < 2 or num_runs < 2:
        return None
    test, pairs = TESTS[options.test], every_pair(num_runs)
    score_matrix = (
        table.weighted_score_matrix(column.name)
        if test.counts_signs
        else table.linearised_score_matrix(column.name)
    )
    settings = options.inference_settings(options.num_resamples(len(pairs)))._replace(df=table.df)
    upward = -score_matrix if lower_is_better(column) else score_matrix
    result = test.compute(upward, pairs, settings)
    corrected = result.corrected
    if CORRECTIONS[options.correction].only_test:
        step_down = max_t(
            score_matrix, pairs, num_resamples=settings.num_resamples, seed=options.seed,
            threads=settings.threads or 1,
        )  # fmt: skip
        corrected = np.maximum(step_down.p, corrected)
    elif not test.simultaneous:
        # numerical noise may leave a p just above 1
        corrected = correct_p(np.minimum(1.0, corrected), options.correction)
    return TestedPairs(num_runs, corrected, result, result.done or options.test)


def all_pair_intervals(
    table: ScoreTable, column: Column, options: LeaderboardOptions, tested: TestedPairs
) -> Intervals:
    """The mean differences of all pairs, with intervals that hold at once as their p do."""
    test, pairs = TESTS[options.test], every_pair(len(table.runs))
    score_matrix = table.linearised_score_matrix(column.name)
    alpha = options.alpha if test.simultaneous else options.alpha / len(pairs)
    settings = options.inference_settings(options.resamples)._replace(df=table.df, alpha=alpha)
    interval = INTERVALS["t" if options.ci == "none" else options.ci]
    low_bound, high_bound = mean_bounds_or_infinite(
        column, table.scores(column.name), are_estimates=table.is_estimated
    )
    width = high_bound - low_bound
    intervals = difference_intervals(test, interval, score_matrix, pairs, settings, width)
    if not test.simultaneous:
        return intervals
    # the test has them of the scores turned round where lower is better
    sign = -1 if lower_is_better(column) else 1
    upward = simultaneous_intervals(
        sign * intervals.mean, tested.result, alpha, intervals.num_topics, len(pairs), width
    )
    ends = (upward.low, upward.high) if sign == 1 else (-upward.high, -upward.low)
    none = np.zeros(len(pairs), bool)
    turned = replace(upward, mean=intervals.mean, low=ends[0], high=ends[1], is_constant=none)
    return fit_to_range(turned, -width, width)


def assumption_notes(table: ScoreTable, measure: str, test_done: str) -> tuple[str, ...]:
    """Where the differences are not as the test assumes, a line each."""
    test, score_matrix = TESTS[test_done], table.linearised_score_matrix(measure)
    notes: list[str] = []
    if test.assumes_equal_variances:
        notes += pair_variance_ratios(score_matrix).warnings([test_done])
    pairs = every_pair(score_matrix.shape[1])
    notes += few_topics_warnings(score_matrix, pairs, [test_done])
    return tuple(notes)
