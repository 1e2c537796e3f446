"""Confidence intervals for the means of runs and for the mean differences of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Bools,
    Floats,
    RunOrPairValues,
    RunsOrPairsByEnds,
    RunsOrPairsByResamples,
    RunsOrPairsByTopics,
    TopicsByRuns,
    TopicsByRunsOrPairs,
    column_means,
    ratio,
)
from irev.core.judged import Column, asked_order
from irev.core.record import record
from irev.core.text import list_beginning
from irev.core.workers import default_threads, map_in_order
from irev.measures.naming.resolve import mean_bounds_or_infinite
from irev.scores.scores import Scores
from irev.statistics.differences import (
    NEAR,
    RunPairs,
    check_score_matrix,
    equal_scores_end,
    mean_and_sd_of_differences,
    pair_differences,
)
from irev.statistics.resampling import check_resamples, single_threaded_product, topic_weights
from irev.statistics.significance_tests import ModeratedT, PairedT, check_level, t_reach

_RESAMPLE_CELLS = 2_000_000
"""Numbers in a table of columns x resamples (16 MB)."""

_NO_SKEWNESS = 1e-6
"""Up to this skewness Hall's cubic is inverted by two terms of its series."""


@record
class Intervals:
    """Means, with the ends of their intervals: float64[K] each, for K runs or pairs.

    num_topics   n, how many topics they are of; Kish's number where topics have weights
    is_constant  bool[K]: all n scores, or differences, are equal (differences: and not 0) and no
                 other runs say how they vary; the interval is a point until `fit_to_range` has
                 made it exact
    """

    mean: Floats
    low: Floats
    high: Floats
    level: float
    num_topics: float
    is_constant: Bools


def mean_intervals(
    score_matrix: TopicsByRuns, *, level: float = 0.95, df: float | None = None
) -> Intervals:
    """The t interval of each run's mean: m -+ t_{(1+level)/2; df} sd / sqrt(T); df is T - 1."""
    check_level(level)
    check_score_matrix(score_matrix)
    num_topics = len(score_matrix)
    mean, sd = column_means_and_sds(score_matrix)
    df = num_topics - 1 if df is None else df
    reach = t_reach(df, level) * sd / math.sqrt(num_topics)
    return Intervals(mean, mean - reach, mean + reach, level, df + 1, sd == 0)


def skewness_corrected_intervals(
    score_matrix: TopicsByRuns, *, level: float = 0.95, df: float | None = None
) -> Intervals:
    """Hall's interval of each run's mean: that of t, moved and stretched by the scores' skewness.

    With g = m3 / m2^1.5, w = (m - mu) / s and q = t_{(1+level)/2; df} / sqrt(T), the cubic
    G(w) = w + g w^2 / 3 + g^2 w^3 / 27 + g / (6 T) has hardly any skewness and never falls: the
    interval is [m - s G^-1(q), m - s G^-1(-q)]. Without skewness it is that of t; df is T - 1.

    Source: P. Hall, On the removal of skewness by transformation, Journal of the Royal Statistical
    Society B 54 (1992).
    """
    check_level(level)
    check_score_matrix(score_matrix)
    num_topics = len(score_matrix)
    mean, sd = column_means_and_sds(score_matrix)
    in_sds = ratio(score_matrix - mean, sd)
    in_sds[:, sd == 0] = 0.0
    skewness = ratio(column_means(in_sds**3), column_means(in_sds**2) ** 1.5)
    skewness[sd == 0] = 0.0
    df = num_topics - 1 if df is None else df
    reach = t_reach(df, level) / math.sqrt(num_topics)
    ends = []
    for end in (reach, -reach):
        # G^-1: the w of which the cubic makes this end, for each skewness
        shifted = end - skewness / (6 * num_topics)
        roots = ratio(3 * (np.cbrt(1 + skewness * shifted) - 1), skewness)
        series = shifted - skewness * shifted**2 / 3
        ends.append(mean - sd * np.where(np.abs(skewness) < _NO_SKEWNESS, series, roots))
    low, high = ends
    return Intervals(mean, low, high, level, df + 1, sd == 0)


BootstrapKind: TypeAlias = Literal["percentile", "bca", "bootstrap-t"]


def bootstrap_intervals(
    score_matrix: TopicsByRuns,
    pairs: RunPairs | None = None,
    *,
    kind: BootstrapKind = "bootstrap-t",
    level: float = 0.95,
    num_resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    df: float | None = None,
) -> Intervals:
    """Bootstrap intervals of the runs' means, or of the mean differences of pairs.

    Topics are drawn as for the bootstrap test. "percentile" takes quantiles of the means m*, "bca"
    corrects them for bias and skewness (Efron 1987), and "bootstrap-t" takes quantiles of
    t* = (m* - m) / se* and goes back by the observed standard error (Efron & Tibshirani 1993,
    chapter 12). A quantile is the smallest value with at least that share of the samples at or
    below it. Where all values are equal, so are the ends, until `fit_to_range` knows the range.

    Without a family they are those of the runs' own means. Where topics have weights, `df` is
    Kish's number of topics less 1; it plays no part but where all values are equal.
    """
    check_level(level)
    check_resamples(num_resamples)
    check_score_matrix(score_matrix)
    size = max(1, _RESAMPLE_CELLS // num_resamples)
    num_columns = score_matrix.shape[1] if pairs is None else len(pairs)

    def intervals_of_part(start: int) -> tuple[RunOrPairValues, RunOrPairValues, RunOrPairValues]:
        part = slice(start, start + size)
        values = (
            score_matrix[:, part]
            if pairs is None
            else pair_differences(score_matrix, pairs.subset(part))
        )
        return _column_means_and_ends(values, kind, level, num_resamples, seed)

    parts = list(
        map_in_order(intervals_of_part, range(0, num_columns, size), threads or default_threads())
    )
    mean, low, high = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    if pairs is None:
        is_constant = are_equal_scores(score_matrix)
    else:
        is_constant = mean_and_sd_of_differences(score_matrix, pairs).constant
    num_topics = len(score_matrix) if df is None else df + 1
    return Intervals(mean, low, high, level, num_topics, is_constant)


def _column_means_and_ends(
    values_by_topic: TopicsByRunsOrPairs,
    kind: BootstrapKind,
    level: float,
    num_resamples: int,
    seed: int,
) -> tuple[RunOrPairValues, RunOrPairValues, RunOrPairValues]:
    """The means of float64[T, K] values, and the ends of their intervals."""
    mean, sd = column_means_and_sds(values_by_topic)
    centred = np.ascontiguousarray((values_by_topic - mean).T)
    resampled_means = _resampled_means_of_rows(centred, num_resamples, seed)
    chances = np.full((len(mean), 2), [(1 - level) / 2, (1 + level) / 2])
    if kind == "bootstrap-t":
        far = _quantiles_of_rows(
            _resampled_t(centred, resampled_means, num_resamples, seed), chances
        )
        far[sd == 0] = 0.0
        error = sd / math.sqrt(len(values_by_topic))
        return mean, mean - far[:, 1] * error, mean - far[:, 0] * error
    if kind == "bca":
        chances = _corrected_bca_chances(centred, resampled_means, chances)
    ends = _quantiles_of_rows(resampled_means, chances)
    ends[sd == 0] = 0.0
    return mean, mean + ends[:, 0], mean + ends[:, 1]


def _resampled_means_of_rows(
    rows: RunsOrPairsByTopics, num_resamples: int, seed: int
) -> RunsOrPairsByResamples:
    """float64[K, B]: the mean of each row's values in each sample of topics."""
    means = np.empty((len(rows), num_resamples))
    start = 0
    for block, count in draws.resample_blocks(num_resamples):
        weights = topic_weights(seed, block, count, rows.shape[1])
        means[:, start : start + count] = single_threaded_product(rows, weights.T)
        start += count
    means /= rows.shape[1]
    return means


def _resampled_t(
    centred_rows: RunsOrPairsByTopics,
    resampled_means: RunsOrPairsByResamples,
    num_resamples: int,
    seed: int,
) -> RunsOrPairsByResamples:
    """float64[K, B]: t* of each sample; infinite where it has one value, 0 where that is 0."""
    noise = NEAR * np.maximum(np.abs(centred_rows).max(axis=1), NEAR)[:, None]
    squares = _resampled_means_of_rows(centred_rows**2, num_resamples, seed)
    variances = squares - resampled_means**2
    still = variances <= np.maximum(NEAR * squares, noise**2)
    variances[still] = 0.0
    endless = np.where(np.abs(resampled_means) <= noise, 0.0, np.copysign(np.inf, resampled_means))
    resampled_t = ratio(resampled_means, np.sqrt(variances / (centred_rows.shape[1] - 1)))
    resampled_t[still] = endless[still]
    return resampled_t


def _quantiles_of_rows(
    rows: RunsOrPairsByResamples, chances: RunsOrPairsByEnds
) -> RunsOrPairsByEnds:
    """float64[K, 2]: two quantiles of each row, for each row its own."""
    count = rows.shape[1]
    indices = np.ceil((chances - NEAR) * count).astype(np.int64) - 1
    np.clip(indices, 0, count - 1, out=indices)
    rows.partition(np.unique(indices), axis=1)
    return np.take_along_axis(rows, indices, axis=1)


def _corrected_bca_chances(
    centred_rows: RunsOrPairsByTopics,
    resampled_means: RunsOrPairsByResamples,
    chances: RunsOrPairsByEnds,
) -> RunsOrPairsByEnds:
    """float64[K, 2]: the chances of BCa, from the bias of the samples and the skewness of values.

    Efron (1987), equations 2.3 and 6.6: z0 from the share of samples below the observed mean (those
    equal to it count half), a = sum of u^3 / (6 (sum of u^2)^1.5).
    """
    from scipy.special import ndtr, ndtri

    near = NEAR * np.maximum(np.abs(centred_rows).max(axis=1), NEAR)[:, None]
    share = ((resampled_means < -near).mean(axis=1) + (resampled_means <= near).mean(axis=1)) / 2
    # where no sample is on one side, the bias is as large as so many samples can show
    least = 0.5 / resampled_means.shape[1]
    bias = ndtri(np.clip(share, least, 1 - least))[:, None]
    skew = ratio((centred_rows**3).sum(axis=1), 6 * (centred_rows**2).sum(axis=1) ** 1.5)[:, None]
    towards = bias + ndtri(chances)
    corrected: Floats = ndtr(bias + towards / (1 - skew * towards))
    return corrected


def intervals_of_t(result: PairedT | ModeratedT, df: float) -> Intervals:
    """The intervals of mean differences that t tests gave, of these degrees of freedom.

    t is infinite where nothing varied and no variance was drawn from other pairs.
    """
    is_constant = np.isinf(result.t)
    return Intervals(result.mean, result.low, result.high, result.level, df + 1, is_constant)


def column_means_and_sds(
    values_by_topic: TopicsByRunsOrPairs,
) -> tuple[RunOrPairValues, RunOrPairValues]:
    """float64[K] each, of values float64[T, K]: the mean, and the sample's deviation (by T - 1).

    A deviation that is only the noise of floats is 0.
    """
    mean = column_means(values_by_topic)
    sd = np.sqrt(np.cumsum((values_by_topic - mean) ** 2, axis=0)[-1] / (len(values_by_topic) - 1))
    noise = NEAR * np.abs(values_by_topic).max(axis=0)
    return mean, np.where(sd <= noise, 0.0, sd)


def fit_to_range(intervals: Intervals, low: float, high: float) -> Intervals:
    """The intervals without what lies outside a range; infinite ends stay.

    Where n scores are all equal, each end is that of `equal_scores_end` with a chance of alpha / 2;
    so it is for differences, from -(high - low) to high - low. One-sided intervals have alpha in
    place of alpha / 2.
    """
    ends = [intervals.low, intervals.high]
    if intervals.is_constant.any():
        is_one_sided = np.isinf(ends[0]) | np.isinf(ends[1])
        chance = (1 - intervals.level) / np.where(is_one_sided, 1, 2)
        for index, bound in enumerate((low, high)):
            exact = equal_scores_end(intervals.mean, intervals.num_topics, chance, bound)
            is_exact = intervals.is_constant & np.isfinite(ends[index])
            ends[index] = np.where(is_exact, exact, ends[index])
    return replace(
        intervals,
        low=np.where(np.isinf(ends[0]), ends[0], np.maximum(ends[0], low)),
        high=np.where(np.isinf(ends[1]), ends[1], np.minimum(ends[1], high)),
    )


# --- What is said of intervals ---


EXACT_WHERE_SAME = "; exact where the difference is the same on all topics"
"""What headings add to the name of the interval of differences where some are exact."""


def exact_intervals_text(score_matrices: Iterable[TopicsByRuns]) -> str:
    """What headings add to the name of intervals of means, if `fit_to_range` makes some exact."""
    has_equal = any(are_equal_scores(each).any() for each in score_matrices)
    return "; exact where all scores are equal" * has_equal


def equal_score_notes(score_matrix: TopicsByRuns, run_names: Sequence[str]) -> Iterator[str]:
    """A note where all scores of runs are the same, so that intervals of their means are exact."""
    same = are_equal_scores(score_matrix).tolist()
    names = [name for name, is_same in zip(run_names, same, strict=True) if is_same]
    if names:
        yield (
            f"all scores of {list_beginning(names)} are the same: other topics may have others, "
            "so the interval of such a mean depends on the number of topics only"
        )


def are_equal_scores(score_matrix: TopicsByRuns) -> Bools:
    """bool[S]: of which runs all scores are equal, but for rounding."""
    is_equal: Bools = column_means_and_sds(score_matrix)[1] == 0
    return is_equal


def endless_intervals_note(
    intervals: Intervals, means_or_differences: str, method_title: str
) -> Iterator[str]:
    """A line where some intervals of "means" or "differences" have an infinite end."""
    is_endless = np.isinf(intervals.low) | np.isinf(intervals.high)
    count = int(np.count_nonzero(is_endless & ~intervals.is_constant))
    if count:
        verb = "has" if count == 1 else "have"
        yield (
            f"{count} of {len(intervals.low)} {method_title} intervals of {means_or_differences} "
            f"{verb} an infinite end, since a resample of so few topics may hold one value only; "
            "use --ci hall"
        )


# --- How the scores of a run vary over its topics ---


LEVEL = 0.95
"""The level of the intervals."""


class TopicSpread(NamedTuple):
    """The mean of a measure over n topics, and how its values vary; NaN where n is too small.

    sd        standard deviation of the sample, by n - 1
    variance  its square
    median    the middle value, or the mean of the two in the middle
    low       lower end of the t interval of the mean, at 95 %: mean - t(0.975; n-1) sd / sqrt(n),
              or of the measure's range where that is higher
    high      upper end, likewise; both are exact where all values are equal (`fit_to_range`)
    """

    column: Column
    num_topics: int
    mean: float
    sd: float
    variance: float
    median: float
    low: float
    high: float


def topic_spreads(scores: Scores) -> Iterator[TopicSpread]:
    """The spread of each measure whose summary is a mean, in the order asked for.

    A topic that counts as 0 without a row of its own is one of the values.
    """
    for column_index in asked_order(scores.columns):
        column = scores.columns[column_index]
        if column.average != "mean" or not column.per_topic or column.kind != "real":
            continue
        absent = scores.divisor - len(scores.topics)
        values = np.concatenate([scores.values[:, column_index], np.zeros(max(absent, 0))])
        num_topics = len(values)
        if not num_topics or not np.isfinite(values).all():
            yield TopicSpread(column, num_topics, *[math.nan] * 6)
            continue
        median = float(np.median(values))
        if num_topics == 1:
            mean = float(values[0])
            yield TopicSpread(column, 1, mean, math.nan, math.nan, median, math.nan, math.nan)
            continue
        value_matrix = values[:, np.newaxis]
        sd = column_means_and_sds(value_matrix)[1].item()
        bounds = mean_bounds_or_infinite(column, values)
        interval = fit_to_range(mean_intervals(value_matrix, level=LEVEL), *bounds)
        mean, low, high = (each.item() for each in (interval.mean, interval.low, interval.high))
        yield TopicSpread(column, num_topics, mean, sd, sd**2, median, low, high)
