"""How alike two measures, or two sets of judgments, order the same runs.

Everything takes two columns of numbers, float64[N], one for each of N runs: usually their means.
Numbers that differ by rounding only are tied. A tie is never broken by the order of the runs: where
a coefficient has no place for ties it is its mean over all ways to break them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RunsByRuns,
    RunValues,
    TopicDraws,
    TopicsByRuns,
    column_means,
    column_sums,
    mean_of,
    sums_before,
)
from irev.core.draws import topic_counts_of_draws
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import NEAR, groups_of_equals, scale_of
from irev.statistics.resampling import percentile_interval, single_threaded_product

if TYPE_CHECKING:
    from collections.abc import Callable

    Coefficient = Callable[[Floats, Floats], float]


def tau_a(true_means: RunValues, estimated_means: RunValues) -> float:
    """Kendall's tau-a, for an estimate against a truth: (C - D) / (N(N-1)/2), from -1 to 1.

    C pairs of runs are in the same order in both columns and D in opposite orders. A tied pair
    counts for neither, which makes tau-a the mean over all ways to break the ties; where the truth
    itself has ties, 1 cannot be reached and tau-b is the better choice.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Kendall 1938, "A new measure of rank correlation".
    """
    num_runs = len(true_means)
    if num_runs < 2:
        return math.nan
    balance = float((_order_signs(true_means) * _order_signs(estimated_means)).sum())
    return balance / (num_runs * (num_runs - 1))


def tau_b(first_means: RunValues, second_means: RunValues) -> float:
    """Kendall's tau-b, for two columns of equal standing: from -1 to 1, 1 if also tied alike.

    (C - D) / sqrt((P - T1) (P - T2)): of P pairs C are in the same and D in the opposite order, and
    T1 and T2 are tied in one column.

    Returns:
        The coefficient; NaN where all runs are tied in a column.

    Source: Kendall 1945, "The treatment of ties in ranking problems". It needs no more than the
    signs that tau_a and tau_AP are made of; scipy's takes ten times as long where it is resampled.
    """
    first_signs, second_signs = _order_signs(first_means), _order_signs(second_means)
    untied = float(np.count_nonzero(first_signs)) * float(np.count_nonzero(second_signs))
    # every pair is counted twice, above and below the division
    return float((first_signs * second_signs).sum()) / math.sqrt(untied) if untied else math.nan


def tau_ap(true_means: RunValues, estimated_means: RunValues) -> float:
    """AP rank correlation of an estimate with a truth, which weighs the top most; from -1 to 1.

    2/(N-1) * sum over ranks i >= 2 of C(i)/(i-1) - 1: going down the estimate, C(i) of the i-1 runs
    above rank i are above it in the truth too. Not symmetric. Ties in the estimate (and in the
    truth) are averaged over all ways to break them: tau_AP,a.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008, eq. 2; Urbano and Marrero, ICTIR 2017, for the
    ties.
    """
    num_runs = len(true_means)
    if num_runs < 2:
        return math.nan
    num_above, tied = _positions(estimated_means)
    inverse = sums_before(1 / np.arange(1, num_runs))
    # the sum of 1/(i-1) over the ranks i that a run's group of ties takes up; those of its own
    # group that are above it are as often wrongly as rightly there
    weight = np.where(
        num_above > 0, inverse[num_above + tied - 1] - inverse[np.maximum(num_above - 1, 0)], 0
    )
    balance = (_order_signs(true_means) * (_order_signs(estimated_means) > 0)).sum(axis=0)
    return float((weight / tied * balance).sum()) / (num_runs - 1)


def tau_ap_b(first_means: RunValues, second_means: RunValues) -> float:
    """AP rank correlation of two columns of equal standing, with ties anywhere: tau_AP,b.

    The mean of both directions. In each, going down a column, a run with n others above it (not
    tied with it) counts 2 C/n - 1, where C of these n are above it in the other column too; the sum
    is divided by the number of runs below the column's first group of ties.

    Returns:
        The coefficient, from -1 to 1; NaN where all runs are tied in a column.

    Source: Urbano and Marrero, ICTIR 2017, "The treatment of ties in AP correlation".
    """
    down_second = _tau_ap_b_down(first_means, second_means)
    return (down_second + _tau_ap_b_down(second_means, first_means)) / 2


def tau_b_of_best(true_means: RunValues, estimated_means: RunValues, num_best: int) -> float:
    """tau@k: Kendall's tau-b of the k best runs by the truth, and of all tied with the k-th.

    Returns:
        The coefficient, from -1 to 1; NaN where all of these are tied in a column.
    """
    is_best = _positions(true_means).above < num_best
    return tau_b(true_means[is_best], estimated_means[is_best])


def tau_gap(true_means: RunValues, estimated_means: RunValues) -> float:
    """tau_GAP of an estimate with a truth: as tau_AP, but a pair weighs as much as its true gap.

    2 * (mean over ranks i >= 2 of right(i) / gaps(i)) - 1: going down the estimate, gaps(i) is the
    sum of the true differences between run i and those above it, and right(i) that of the runs that
    are above it in the truth too. Not symmetric. A pair that is tied in either column has no part,
    and a rank without a gap above it none in the mean.

    Returns:
        The coefficient, from -1 to 1; NaN where no rank has a gap above it.

    Source: Gao and Oard 2015, "A head-weighted gap-sensitive correlation coefficient", SIGIR. TREC
    AutoJudge's program breaks ties in the estimate by the names of the runs.
    """
    order = _order_signs(true_means)
    size = np.abs(true_means[:, None] - true_means[None, :]) * (order != 0)
    gaps = np.where(_order_signs(estimated_means) > 0, size, 0.0)
    all_gaps, right_gaps = column_sums(gaps), column_sums(np.where(order > 0, gaps, 0.0))
    has_gap = all_gaps > 0
    if not has_gap.any():
        return math.nan
    return 2 * mean_of(right_gaps[has_gap] / all_gaps[has_gap]) - 1


def spearman(first_means: RunValues, second_means: RunValues) -> float:
    """Spearman's rho: Pearson's correlation of the ranks, those of ties averaged; NaN as there."""
    from scipy.stats import rankdata

    return pearson(rankdata(_tie_groups(first_means)), rankdata(_tie_groups(second_means)))


def pearson(first_values: RunValues, second_values: RunValues) -> float:
    """Pearson's correlation of two columns of N numbers; NaN where one is constant.

    Its sums go from left to right, so that it is the same on every machine, and 1 to the last bit
    of a column with itself; those of NumPy and scipy are neither.
    """
    if len(first_values) < 2 or any(
        np.ptp(each) <= NEAR * scale_of(each) for each in (first_values, second_values)
    ):
        return math.nan
    first, second = (each - mean_of(each) for each in (first_values, second_values))
    covariance = mean_of(first * second)
    return covariance / math.sqrt(mean_of(first * first) * mean_of(second * second))


def rms_error(estimated_values: RunValues, true_values: RunValues) -> float:
    """sqrt(mean of (estimate - truth)^2) over N runs, divisor N: Yilmaz and Aslam, CIKM 2006."""
    return (
        math.sqrt(mean_of((estimated_values - true_values) ** 2)) if len(true_values) else math.nan
    )


COEFFICIENTS: dict[str, Coefficient] = {
    "tau_a": tau_a,
    "tau_b": tau_b,
    "tau_ap": tau_ap,
    "tau_ap_b": tau_ap_b,
    "tau_gap": tau_gap,
    "spearman": spearman,
    "pearson": pearson,
    "rms": rms_error,
}
"""By name; those that are not symmetric take the truth first."""


class _Positions(NamedTuple):
    """For each run: how many are above it, and how many are tied with it, itself among them."""

    above: Ints
    size: Ints


def _positions(means: RunValues) -> _Positions:
    group = groups_of_equals(-means, scale_of(means))
    count = np.bincount(group)
    return _Positions((np.cumsum(count) - count)[group], count[group])


def _tie_groups(means: RunValues) -> Ints:
    """int64[N]: a number for each run, rising with the column, the same for all that are tied."""
    return groups_of_equals(means, scale_of(means))


def _order_signs(means: RunValues) -> RunsByRuns:
    """float64[N, N]: 1 where the row's run is above the column's, -1 below, 0 tied."""
    tie_groups = _tie_groups(means)
    order_signs: Floats = np.sign(tie_groups[:, None] - tie_groups[None, :]).astype(np.float64)
    return order_signs


def _tau_ap_b_down(true_means: RunValues, estimated_means: RunValues) -> float:
    """One direction of tau_AP,b: down the estimate."""
    num_above = _positions(estimated_means).above
    lower = num_above > 0
    if not lower.any():
        return math.nan
    is_right = (_order_signs(true_means) > 0) & (_order_signs(estimated_means) > 0)
    num_right = is_right.sum(axis=0)[lower]
    return float((2 * num_right / num_above[lower] - 1).sum()) / int(np.count_nonzero(lower))


EXACT_UP_TO = 60
"""Runs for which the exact distribution is used."""


class TauP(NamedTuple):
    """A two-sided p, and whether it is exact or from the normal approximation."""

    p: float
    exact: bool


class CriticalTau(NamedTuple):
    """The smallest tau that is significant, and its p."""

    tau: float
    p: float


def tau_p_value(first_means: RunValues, second_means: RunValues) -> TauP:
    """The two-sided p of Kendall's tau, under the null that all orders are equally likely.

    Exact, 2 P(C - D >= observed), without ties up to 60 runs; otherwise from the normal
    approximation with the variance corrected for ties. NaN where all runs are tied in a column.
    """
    groups = [_tie_groups(means) for means in (first_means, second_means)]
    num_runs = len(first_means)
    untied = all(len(set(group.tolist())) == num_runs for group in groups)
    if untied and num_runs <= EXACT_UP_TO:
        pairs = num_runs * (num_runs - 1) // 2
        score = round(abs(tau_a(first_means, second_means)) * pairs) if pairs else 0
        return TauP(float(_discordance_p(num_runs)[(pairs - score) // 2]), True)
    if any(len(set(group.tolist())) < 2 for group in groups):
        return TauP(math.nan, False)
    from scipy.stats import kendalltau

    return TauP(float(kendalltau(*groups, method="asymptotic").pvalue), False)


def critical_tau(num_runs: int, alpha: float) -> CriticalTau:
    """The smallest tau of n runs without ties whose exact two-sided p is at most alpha.

    Sakai (2006) calls tau significant at 1% for 30 runs where it is over 0.34: the exact value is
    145/435 = 0.3333, its p 0.0094.

    Returns:
        tau and its p; NaN and 1 where not even tau = 1 is significant.
    """
    if num_runs < 2 or not 0 < alpha < 1:
        raise UsageError(
            f"a critical tau needs 2 runs or more and 0 < alpha < 1: {num_runs} runs, alpha {alpha}"
        )
    pairs = num_runs * (num_runs - 1) // 2
    tails = _discordance_p(num_runs)[: pairs // 2 + 1]
    most = int(np.count_nonzero(tails <= alpha)) - 1
    if most < 0:
        return CriticalTau(math.nan, 1.0)
    return CriticalTau((pairs - 2 * most) / pairs, float(tails[most]))


def _discordance_p(num_runs: int) -> Floats:
    """The two-sided p of each number of discordant pairs up to half of all: 2 P(D <= d)."""
    p: Floats = np.minimum(1.0, 2 * np.cumsum(_inversion_chances(num_runs)))
    return p


def _inversion_chances(num_runs: int) -> Floats:
    """float64[pairs+1]: the probability of each number of inversions of a random order.

    The k-th run goes above 0 to k-1 of those before it, each with the same probability.
    """
    chances = np.ones(1)
    for k in range(2, num_runs + 1):
        chances = np.convolve(chances, np.full(k, 1 / k))
    return chances


@record(eq=True)
class Uncertainty:
    """A statistic of the means over topics, and how it varies over resamples of the topics.

    error      the standard deviation over resamples, divisor B-1
    low, high  the percentile interval
    num_defined    the resamples in which the statistic is defined; the others are left out
    """

    value: float
    error: float
    low: float
    high: float
    level: float
    num_defined: int
    num_resamples: int


def bootstrap_correlation(
    coefficient_name: str,
    true_scores: TopicsByRuns,
    estimated_scores: TopicsByRuns,
    samples: TopicDraws,
    level: float = 0.95,
) -> Uncertainty:
    """A coefficient between the mean scores of S runs, with its bootstrap error and interval.

    The same T topics are drawn for both columns and for all runs. A resample adds noise of its own,
    so that its correlation is lower as a rule: if many runs are close together, the whole
    percentile interval may be below the value.

    Args:
        coefficient_name: one of `rank_correlation.COEFFICIENTS`.
        true_scores: float64[T, S]; with `estimated_scores` a measure each, or the same under other
            judgments.
        estimated_scores: float64[T, S].
        samples: int64[B, T], as `draws.topic_draws` gives it.
        level: of the interval.

    Source: Sakai, SIGIR 2006, section 3, for the error of tau.
    """
    if coefficient_name not in COEFFICIENTS:
        raise UsageError(
            f"no correlation is called {coefficient_name!r}: {', '.join(COEFFICIENTS)}"
        )
    if true_scores.shape != estimated_scores.shape:
        raise UsageError(
            f"score matrices of different shapes: {true_scores.shape}, {estimated_scores.shape}"
        )
    coefficient = COEFFICIENTS[coefficient_name]
    weights = topic_counts_of_draws(samples, len(true_scores)) / samples.shape[1]
    mean_pairs = zip(
        single_threaded_product(weights, true_scores),
        single_threaded_product(weights, estimated_scores),
        strict=True,
    )
    drawn = np.array([coefficient(*pair) for pair in mean_pairs])
    defined = drawn[~np.isnan(drawn)]
    return Uncertainty(
        coefficient(column_means(true_scores), column_means(estimated_scores)),
        float(defined.std(ddof=1)) if len(defined) > 1 else np.nan,
        *percentile_interval(defined, level), level, len(defined), len(drawn),
    )  # fmt: skip
