"""The intervals of means and of mean differences: one record for each.

What a record calls is imported when it is called, so that a command's help loads none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from irev.core.arrays import TopicsByRuns
    from irev.statistics.differences import RunPairs
    from irev.statistics.intervals import BootstrapKind, Intervals
    from irev.statistics.methods import InferenceSettings


class IntervalMethod(NamedTuple):
    """An interval for a mean.

    compute            the means of float64[T, S] scores, or of the differences of pairs, with their
                       intervals
    title              its name in a heading
    phrase             what its ends are, before "B resamples ..." where it draws
    default_resamples  how many resamples it draws where nobody says; 0: it draws none
    difference_title   the name of the interval of differences beside it, where that is another
    may_be_endless     whether an end may be infinite
    """

    compute: Callable[[TopicsByRuns, RunPairs | None, InferenceSettings], Intervals]
    title: str
    phrase: str
    default_resamples: int = 0
    difference_title: str = ""
    may_be_endless: bool = False


def _t_interval(
    score_matrix: TopicsByRuns, pairs: RunPairs | None, settings: InferenceSettings
) -> Intervals:
    from irev.statistics.intervals import intervals_of_t, mean_intervals
    from irev.statistics.t_tests import paired_t

    level = 1 - settings.alpha
    if pairs is None:
        return mean_intervals(score_matrix, level=level, df=settings.df)
    result = paired_t(score_matrix, pairs, tail=settings.tail, level=level, df=settings.df)
    return intervals_of_t(result, result.df)


def _skewness_corrected_interval(
    score_matrix: TopicsByRuns, pairs: RunPairs | None, settings: InferenceSettings
) -> Intervals:
    """Of means; differences are less skewed, and their interval is that of t."""
    from irev.statistics.intervals import skewness_corrected_intervals

    if pairs is not None:
        return _t_interval(score_matrix, pairs, settings)
    return skewness_corrected_intervals(score_matrix, level=1 - settings.alpha, df=settings.df)


def _bootstrap_interval(
    kind: BootstrapKind,
    score_matrix: TopicsByRuns,
    pairs: RunPairs | None,
    settings: InferenceSettings,
) -> Intervals:
    from irev.statistics.intervals import bootstrap_intervals

    return bootstrap_intervals(
        score_matrix, pairs, kind=kind, level=1 - settings.alpha,
        num_resamples=settings.num_resamples, seed=settings.seed, threads=settings.threads,
        df=settings.df,
    )  # fmt: skip


INTERVALS: dict[str, IntervalMethod] = {
    "t": IntervalMethod(_t_interval, "t", "t"),
    "hall": IntervalMethod(
        _skewness_corrected_interval,
        "skewness-corrected (Hall 1992)",
        "skewness-corrected (Hall 1992)",
        difference_title="t",
    ),
    "percentile": IntervalMethod(
        partial(_bootstrap_interval, "percentile"),
        "bootstrap (percentile)",
        "percentiles of",
        10_000,
    ),
    "bca": IntervalMethod(
        partial(_bootstrap_interval, "bca"), "bootstrap (BCa)", "BCa percentiles of", 10_000
    ),
    "bootstrap-t": IntervalMethod(
        partial(_bootstrap_interval, "bootstrap-t"),
        "bootstrap-t",
        "bootstrap-t of",
        10_000,
        may_be_endless=True,
    ),
}
"""The intervals by what options call them."""
