"""The intervals of mean differences that stand beside the p of a test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.interval_methods import INTERVALS
from irev.statistics.intervals import Intervals, fit_to_range

if TYPE_CHECKING:
    from irev.core.arrays import PairValues, TopicsByRuns
    from irev.statistics.differences import RunPairs
    from irev.statistics.interval_methods import IntervalMethod
    from irev.statistics.methods import InferenceSettings, PValues, Test


def difference_intervals(
    test: Test,
    interval: IntervalMethod,
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    settings: InferenceSettings,
    width: float,
) -> Intervals:
    """The mean differences of pairs with intervals, of the level and the tail of the settings.

    Those by resampling where the interval of means is such; else the test's own, or t's. Where the
    test is one-sided, so are they: one end is infinite. `width`: of the range of the measure.
    """
    if not interval.default_resamples:
        compute = test.difference_intervals or INTERVALS["t"].compute
        intervals = compute(score_matrix, pairs, settings)
    elif settings.tail == "two-sided":
        intervals = interval.compute(score_matrix, pairs, settings)
    else:
        one_sided = settings._replace(alpha=2 * settings.alpha)
        intervals = interval.compute(score_matrix, pairs, one_sided)
        endless = np.full(len(pairs), np.inf)
        is_greater = settings.tail == "greater"
        intervals = replace(
            intervals,
            level=1 - settings.alpha,
            low=intervals.low if is_greater else -endless,
            high=endless if is_greater else intervals.high,
        )
    return fit_to_range(intervals, -width, width)


def simultaneous_intervals(
    mean: PairValues, result: PValues, alpha: float, num_topics: float, num_pairs: int, width: float
) -> Intervals:
    """The intervals of a test that has its own of all pairs of the runs at once.

    Those that are points, since no difference of any pair varied, become exact ones, each of level
    1 - alpha / `num_pairs`. The others are as the test has them.
    """
    low, high = (np.array(result.facts[end]) for end in ("low", "high"))
    is_constant = (low == high) & (mean != 0)
    intervals = Intervals(mean, low, high, 1 - alpha / num_pairs, num_topics, is_constant)
    exact = fit_to_range(intervals, -width, width)
    return replace(
        intervals,
        low=np.where(is_constant, exact.low, low), high=np.where(is_constant, exact.high, high),
    )  # fmt: skip
