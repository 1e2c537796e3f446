"""The t tests: paired, of many pairs of runs at once with effect sizes, and of different topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, PairValues, TopicsByRuns, TopicValues, mean_of, ratio
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    SMALLEST,
    equal_scores_end,
    mean_and_sd_of_differences,
    same_difference_p_values,
    scale_of,
)

if TYPE_CHECKING:
    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail


@record
class PairedT:
    """Paired t tests of P pairs; arrays are float64[P] where nothing else is said.

    num_topics  T
    df          T - 1, or what was given
    level       of the intervals
    mean        the mean difference
    sd          the standard deviation of the differences
    t           mean / (sd / sqrt(T)); 0 for identical runs, infinite for a constant difference
    p           of the tail that was asked for; never of a table; of a constant difference that of
                the sign flips
    low, high   the interval of the mean difference; of a one-sided test, one end is infinite; of a
                constant difference it is a point, until `intervals.fit_to_range` knows the range
    d_z         mean / sd, the effect size of paired data (Sakai 2018)
    g_z         d_z made unbiased by Hedges' factor, Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2))
    identical   bool[P]: no topic has a difference
    constant    bool[P]: every topic has the same difference, which is not 0
    """

    num_topics: int
    df: float
    level: float
    mean: Floats
    sd: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    d_z: Floats
    g_z: Floats
    identical: Bools
    constant: Bools


def paired_t(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    tail: Tail = "two-sided",
    level: float = 0.95,
    df: float | None = None,
) -> PairedT:
    """The paired t test of each pair, with the interval of the mean difference.

    A one-sided test has a one-sided interval. Where topics have weights, scores are to be
    linearised and degrees of freedom given (`ScoreTable.linearised`, `ScoreTable.df`).
    """
    check_level(level)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    df = differences.num_topics - 1 if df is None else df
    error = differences.sd / math.sqrt(differences.num_topics)
    t = t_statistics(differences.mean, error)
    d_z = t_statistics(differences.mean, differences.sd)
    low, high = t_interval_ends(differences.mean, error, df, level, tail)
    return PairedT(
        num_topics=differences.num_topics,
        df=df,
        level=level,
        mean=differences.mean,
        sd=differences.sd,
        t=t,
        p=np.where(differences.identical, 1.0, t_p_values(t, df, tail)),
        low=low,
        high=high,
        d_z=d_z,
        g_z=np.where(
            differences.constant,
            d_z,
            # + 0.0: there is no negative 0
            ratio(differences.mean, differences.sd) * hedges_factor(df) + 0.0,
        ),
        identical=differences.identical,
        constant=differences.constant,
    )


def check_level(level: float) -> None:
    """Refuse a confidence level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"a confidence level must be between 0 and 1, not {level}")


def hedges_factor(df: float) -> float:
    """Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)), by which d_z is made unbiased (Hedges 1981)."""
    if df <= 1:
        return 0.0
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2) - math.log(df / 2) / 2)


def t_statistics(mean: PairValues, error: PairValues) -> PairValues:
    """The quotients; infinite where a difference never varies, 0 where there is none."""
    endless = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(error == 0, endless, ratio(mean, error))


def t_p_values(t: PairValues, df: float, tail: Tail) -> PairValues:
    """The chance of a t as extreme, never 0; "greater": of one as large.

    An infinite t, of a difference that never varies, has the p of the sign flips.
    """
    from scipy.special import stdtr

    towards = {"two-sided": np.abs(t), "greater": t, "less": -t}[tail]
    p: Floats = stdtr(df, -towards) * (2.0 if tail == "two-sided" else 1.0)
    return np.where(np.isinf(t), same_difference_p_values(t, df + 1, tail), np.maximum(p, SMALLEST))


def t_interval_ends(
    mean: PairValues, error: PairValues, df: float, level: float, tail: Tail
) -> tuple[PairValues, PairValues]:
    """The ends of intervals of means by their standard errors; one-sided for a one-sided test."""
    from scipy.special import stdtrit

    chance = (1 + level) / 2 if tail == "two-sided" else level
    reach = stdtrit(df, chance) * error
    low = mean - reach if tail != "less" else np.full(len(reach), -np.inf)
    high = mean + reach if tail != "greater" else np.full(len(reach), np.inf)
    return low, high


@record(eq=True)
class UnpairedT:
    """The outcome of an unpaired t-test.

    first, second  how many topics each sample has
    difference     mean of the first less mean of the second
    t, df          the statistic and its degrees of freedom, whole only where variances are pooled
    p              two-sided, in [0, 1]
    low, high      the interval of the difference, of confidence 1 - alpha
    """

    first: int
    second: int
    difference: float
    t: float
    df: float
    p: float
    alpha: float
    low: float
    high: float


def unpaired_t(
    first_scores: TopicValues,
    second_scores: TopicValues,
    *,
    welch: bool = False,
    alpha: float = 0.05,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> UnpairedT:
    """Student's or Welch's two-sample t-test.

    Student: t = (x̄ - ȳ) / √(s² (1/n + 1/m)), s² the pooled variance, n + m - 2 degrees of
    freedom. Welch: t = (x̄ - ȳ) / √(s_x²/n + s_y²/m), with Satterthwaite's degrees of freedom; less
    reliable where the larger sample has the larger variance. Where neither sample varies, t is 0
    and p 1 for equal means. For others t is infinite and p the share of all ways to part the scores
    that set them as far apart, 1 / C(n + m, n), or twice that if n = m; the interval is that of
    both means, exact, at 1 - alpha / 2 each.

    Args:
        first_scores: float64[n], scores by topic, n at least 2.
        second_scores: float64[m], scores on other topics, m at least 2.
        welch: whether the variances may differ.
        alpha: 1 less the confidence of the interval, in (0, 1).
        bounds: the range of the scores, which ends an interval where neither sample varies.

    Source: B. L. Welch, Biometrika 34, 1947; on the choice, T. Sakai, SIGIR 2016.
    """
    from scipy.special import stdtr, stdtrit

    n, m = len(first_scores), len(second_scores)
    if min(n, m) < 2:
        raise UsageError(
            f"an unpaired t-test needs at least 2 topics on each side, not {min(n, m)}"
        )
    scale = scale_of(np.concatenate((first_scores, second_scores)))
    difference = mean_of(first_scores) - mean_of(second_scores)
    if abs(difference) <= NEAR * scale:
        difference = 0.0
    error, df = _unpaired_error_and_df(
        _sample_variance(first_scores, scale), n, _sample_variance(second_scores, scale), m, welch
    )
    if error == 0:
        t = math.copysign(math.inf, difference) if difference else 0.0
    else:
        t = difference / error
    if error == 0 and difference:
        p = (2 if n == m else 1) / math.comb(n + m, n)
        means = np.array([mean_of(first_scores), mean_of(second_scores)])
        sizes = np.array([n, m])
        # each end of both means at alpha / 4
        lows, highs = (equal_scores_end(means, sizes, alpha / 4, bound) for bound in bounds)
        low, high = float(lows[0] - highs[1]), float(highs[0] - lows[1])
        return UnpairedT(n, m, difference, t, df, p, alpha, low, high)
    reach = float(stdtrit(df, 1 - alpha / 2)) * error
    p = 2 * float(stdtr(df, -abs(t)))
    return UnpairedT(n, m, difference, t, df, p, alpha, difference - reach, difference + reach)


def _unpaired_error_and_df(
    first_variance: float, num_first: int, second_variance: float, num_second: int, is_welch: bool
) -> tuple[float, float]:
    """The standard error of the difference of two means, and its degrees of freedom."""
    if not is_welch or first_variance == second_variance == 0:
        pooled = ((num_first - 1) * first_variance + (num_second - 1) * second_variance) / (
            num_first + num_second - 2
        )
        return math.sqrt(pooled * (1 / num_first + 1 / num_second)), num_first + num_second - 2
    own, others = first_variance / num_first, second_variance / num_second
    both = own + others
    # shares first: squares of tiny variances would vanish
    df = 1 / ((own / both) ** 2 / (num_first - 1) + (others / both) ** 2 / (num_second - 1))
    return math.sqrt(both), df


def _sample_variance(values: Floats, scale: float) -> float:
    """Divided by n - 1; 0 where the values differ by rounding errors only."""
    deviations = values - mean_of(values)
    if np.abs(deviations).max() <= NEAR * scale:
        return 0.0
    return float(np.cumsum(deviations**2)[-1]) / (len(values) - 1)
