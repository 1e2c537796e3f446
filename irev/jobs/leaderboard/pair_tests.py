"""What the tests of a board say of all pairs of runs under one measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import PairValues
from irev.core.record import record
from irev.measures.naming.result_columns import lower_is_better, mean_bounds_or_infinite
from irev.statistics.correction_methods import CORRECTIONS, correct_p
from irev.statistics.corrections import max_t
from irev.statistics.difference_intervals import difference_intervals
from irev.statistics.differences import every_pair, skewness_warnings
from irev.statistics.hsd import pair_variance_ratios
from irev.statistics.interval_methods import INTERVALS
from irev.statistics.intervals import Intervals, clip_intervals
from irev.statistics.methods import TESTS, PValues

if TYPE_CHECKING:
    from irev.core.arrays import RunsByRuns
    from irev.core.model import Column
    from irev.jobs.leaderboard.options import LeaderboardOptions
    from irev.scores.table import ScoreTable
    from irev.statistics.moderated import Moderation


@record
class TestedPairs:
    """All P pairs of S runs, (0, 1), (0, 2), ..., (S-2, S-1), as a test has them.

    num_runs   S
    corrected  float64[P]: p corrected for all pairs
    result     what the test found
    """

    __test__ = False  # of runs, not of this program

    num_runs: int
    corrected: PairValues
    result: PValues

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
    return TestedPairs(num_runs, corrected, result)


def all_pair_intervals(
    table: ScoreTable, column: Column, options: LeaderboardOptions, tested: TestedPairs
) -> Intervals:
    """The mean differences of all pairs, with intervals that hold at once as their p do."""
    test, pairs = TESTS[options.test], every_pair(len(table.runs))
    score_matrix = table.linearised_score_matrix(column.name)
    alpha = options.alpha if test.simultaneous else options.alpha / len(pairs)
    settings = options.inference_settings(options.resamples)._replace(df=table.df, alpha=alpha)
    interval = INTERVALS["t" if options.ci == "none" else options.ci]
    intervals = difference_intervals(test, interval, score_matrix, pairs, settings)
    if test.simultaneous:
        # of the scores turned round where lower is better
        low, high = (np.array(tested.result.facts[end]) for end in ("low", "high"))
        ends = (-high, -low) if lower_is_better(column) else (low, high)
        intervals = Intervals(intervals.mean, *ends, intervals.level)
    scores = table.scores(column.name)
    low_bound, high_bound = mean_bounds_or_infinite(
        column, scores, are_estimates=table.is_estimated
    )
    width = high_bound - low_bound
    return clip_intervals(intervals, -width, width)


def assumption_notes(
    table: ScoreTable, measure: str, options: LeaderboardOptions
) -> tuple[str, ...]:
    """Where the differences are not as the test assumes, a line each."""
    test, score_matrix = TESTS[options.test], table.linearised_score_matrix(measure)
    notes: list[str] = []
    if test.assumes_equal_variances:
        notes += pair_variance_ratios(score_matrix).warnings([options.test])
    pairs = every_pair(score_matrix.shape[1])
    notes += skewness_warnings(score_matrix, pairs, {options.test: test.skewness_limit})
    return tuple(notes)
