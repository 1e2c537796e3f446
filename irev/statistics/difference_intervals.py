"""The intervals of mean differences that stand beside the p of a test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.interval_methods import INTERVALS

if TYPE_CHECKING:
    from irev.core.arrays import TopicsByRuns
    from irev.statistics.differences import RunPairs
    from irev.statistics.interval_methods import IntervalMethod
    from irev.statistics.intervals import Intervals
    from irev.statistics.methods import InferenceSettings, Test


def difference_intervals(
    test: Test,
    interval: IntervalMethod,
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    settings: InferenceSettings,
) -> Intervals:
    """The mean differences of pairs with intervals, of the level and the tail of the settings.

    Those by resampling where the interval of means is such; else the test's own, or t's. Where the
    test is one-sided, so are they: one end is infinite.
    """
    if not interval.default_resamples:
        compute = test.difference_intervals or INTERVALS["t"].compute
        return compute(score_matrix, pairs, settings)
    if settings.tail == "two-sided":
        return interval.compute(score_matrix, pairs, settings)
    one_sided = settings._replace(alpha=2 * settings.alpha)
    intervals = interval.compute(score_matrix, pairs, one_sided)
    endless = np.full(len(pairs), np.inf)
    if settings.tail == "greater":
        return replace(intervals, high=endless)
    return replace(intervals, low=-endless)
