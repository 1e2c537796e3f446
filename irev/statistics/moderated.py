"""The moderated paired t test: variances drawn towards what is usual among the runs' pairs.

The t test rejects falsely where a pair's topics happen to miss the odd ones, so that its variance
is too small. The other pairs of the runs say what is usual. What is usual is estimated as limma
does (`fitFDist`), degrees of freedom are limited as is described at `moderation_of_runs`.

Source: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression
in microarray experiments, Statistical Applications in Genetics and Molecular Biology 3(1), 2004.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.statistics.differences import DifferenceSummary, every_pair, mean_and_sd_of_differences
from irev.statistics.t_tests import check_level, t_interval_ends, t_p_values, t_statistics

if TYPE_CHECKING:
    from irev.core.arrays import Bools, PairValues, TopicsByRuns
    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail

LEAST_USABLE_PAIRS = 3
"""Of fewer nothing is estimated."""

_VARIANCE_FLOOR = 1e-5
"""Variances below this part of their median count as that much."""


@record(eq=True)
class Moderation:
    """What the variances of all pairs of S runs are drawn towards.

    d0             how many topics the usual variance counts like: 0 where nothing is moderated,
                   infinite where one variance is used for all pairs
    s0_squared     the usual variance; NaN where d0 is 0
    df             degrees of freedom of the test of any pair
    usable_pairs   how many pairs of distinct runs have differences that vary
    distinct_runs  how many runs there are, identical ones counted once
    """

    d0: float
    s0_squared: float
    df: float
    usable_pairs: int
    distinct_runs: int

    def shrink_variances(self, variances: PairValues, df: float) -> PairValues:
        """Variances of df degrees of freedom, drawn towards the usual one."""
        if self.d0 == 0:
            return variances
        if math.isinf(self.d0):
            return np.full_like(variances, self.s0_squared)
        shrunk: PairValues = (self.d0 * self.s0_squared + df * variances) / (self.d0 + df)
        return shrunk

    def text(self, owner: str = "the board's") -> str:
        """What was done, in words, to stand below a table; `owner`: of the usual variance.

        Nothing was done where d0 is 0: see `reason_for_plain_t`.
        """
        s0 = f"s0 {math.sqrt(self.s0_squared):.4f}"
        if math.isinf(self.d0):
            return (
                "moderated: variances differ no more than by chance; one is used for all pairs "
                f"({s0}), {self.df:.4g} degrees of freedom"
            )
        return (
            f"moderated: variances are drawn towards {owner} usual one ({s0}, d0 "
            f"{self.d0:.1f}: it counts like {self.d0:.1f} more topics; Smyth 2004); {self.df:.1f} "
            "degrees of freedom"
        )

    def reason_for_plain_t(self, num_runs: int) -> str:
        """Why the test of so many runs is the plain paired t test, where d0 is 0."""
        if num_runs == 2:
            return (
                "a plain paired t test was done: with two runs there are no other pairs that could "
                "say how much differences vary"
            )
        count = self.usable_pairs
        pairs = "1 pair of different runs has" if count == 1 else f"{count} pairs have"
        return (
            f"plain paired t tests were done: {pairs} differences that vary from topic to topic, "
            f"and {LEAST_USABLE_PAIRS} such pairs are needed to say how much differences usually "
            "vary"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """The same for machines; an infinite d0 is null, with `pooled`."""
        is_pooled = math.isinf(self.d0)
        return {
            "d0": None if is_pooled else self.d0,
            "s0": math.sqrt(self.s0_squared) if self.d0 else None,
            "df": self.df,
            "usable_pairs": self.usable_pairs,
            "distinct_runs": self.distinct_runs,
        } | ({"pooled": True} if is_pooled else {})


@record
class ModeratedT:
    """Moderated t tests of P pairs; arrays are float64[P].

    moderation    what all pairs share
    level         of the intervals
    mean          the mean difference
    sd            the standard deviation of the pair's own differences
    sd_moderated  the one that is used
    t             mean / (sd_moderated / sqrt(T)); 0 for identical runs
    p             of the tail that was asked for; 1 for identical runs
    low, high     the interval of the mean difference; of a one-sided test, one end is infinite
    """

    moderation: Moderation
    level: float
    mean: PairValues
    sd: PairValues
    sd_moderated: PairValues
    t: PairValues
    p: PairValues
    low: PairValues
    high: PairValues


def moderated_t(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    tail: Tail = "two-sided",
    level: float = 0.95,
    df: float | None = None,
) -> ModeratedT:
    """The moderated paired t test of each pair, with the interval of the mean difference.

    With m and s the mean and deviation of a pair's T differences, d = T - 1, d0 and s0 those of
    `moderation_of_runs`: s~^2 = (d0 s0^2 + d s^2) / (d0 + d), t = m / sqrt(s~^2 / T), with
    min(d0 + d, (S - 1) d) degrees of freedom, identical runs counted once. With two runs, and
    wherever fewer than three pairs vary, it is the paired t test.

    All runs of the matrix say what is usual, whichever pairs are tested: another run may change
    every p. Where topics have weights, scores are to be linearised and d given as `df`.

    Source: Smyth (2004), sections 4 and 6.2.
    """
    check_level(level)
    num_topics, num_runs = score_matrix.shape
    df = num_topics - 1 if df is None else df
    all_differences = mean_and_sd_of_differences(score_matrix, every_pair(num_runs))
    moderation = _moderation_of_differences(all_differences, num_runs, df)
    first = np.minimum(pairs.first, pairs.second)
    second = np.maximum(pairs.first, pairs.second)
    rows = first * num_runs - first * (first + 1) // 2 + second - first - 1
    # + 0.0: there is no negative 0
    mean = np.where(pairs.first < pairs.second, 1.0, -1.0) * all_differences.mean[rows] + 0.0
    sd = all_differences.sd[rows]
    sd_moderated = np.sqrt(moderation.shrink_variances(sd**2, df)) if moderation.d0 else sd
    error = sd_moderated / math.sqrt(num_topics)
    t = t_statistics(mean, error)
    p = np.where(all_differences.identical[rows], 1.0, t_p_values(t, moderation.df, tail))
    low, high = t_interval_ends(mean, error, moderation.df, level, tail)
    return ModeratedT(moderation, level, mean, sd, sd_moderated, t, p, low, high)


def moderation_of_runs(score_matrix: TopicsByRuns, df: float | None = None) -> Moderation:
    """What is usual among the variances s^2 of all pairs of float64[T, S] scores.

    Usable are the pairs of runs of which none is identical to an earlier one, and s is above 0. Of
    n >= 3 such pairs, with x = max(s^2, 1e-5 median s^2) and
    e = log x - digamma(d/2) + log(d/2), the excess is v = var(e) - trigamma(d/2). Where it is above
    0, d0 = 2 trigamma^-1(v) and s0^2 = exp(mean e + digamma(d0/2) - log(d0/2)); else the variances
    differ no more than by chance, d0 is infinite and s0^2 the mean of x.

    The test has d0 + d degrees of freedom, but no more than (S - 1) d, those of the error in the
    two-way analysis of variance: pairs of S runs hold S - 1 independent contrasts.
    """
    num_topics, num_runs = score_matrix.shape
    differences = mean_and_sd_of_differences(score_matrix, every_pair(num_runs))
    return _moderation_of_differences(differences, num_runs, num_topics - 1 if df is None else df)


def _moderation_of_differences(
    differences: DifferenceSummary, num_runs: int, df: float
) -> Moderation:
    """What is usual among the differences of every pair of runs."""
    pairs = every_pair(num_runs)
    is_copy: Bools = np.zeros(num_runs, bool)
    is_copy[pairs.second[differences.identical]] = True
    is_usable = (differences.sd > 0) & ~is_copy[pairs.first] & ~is_copy[pairs.second]
    num_usable = int(np.count_nonzero(is_usable))
    num_distinct = num_runs - int(np.count_nonzero(is_copy))
    if num_usable < LEAST_USABLE_PAIRS:
        return Moderation(0.0, math.nan, df, num_usable, num_distinct)
    d0, s0_squared = fit_d0_and_s0_squared(differences.sd[is_usable] ** 2, df)
    return Moderation(
        d0, s0_squared, min(d0 + df, (num_distinct - 1) * df), num_usable, num_distinct
    )


def fit_d0_and_s0_squared(variances: PairValues, df: float) -> tuple[float, float]:
    """d0 and s0^2 of n variances above 0, each of df degrees of freedom (limma's `fitFDist`)."""
    from scipy.special import digamma, polygamma

    raised = np.maximum(variances, _VARIANCE_FLOOR * np.median(variances))
    logs = np.log(raised) - digamma(df / 2) + math.log(df / 2)
    mean = float(logs.mean())
    excess = float(((logs - mean) ** 2).sum()) / (len(logs) - 1) - float(polygamma(1, df / 2))
    if excess <= 0:
        return math.inf, float(raised.mean())
    half = _inverse_trigamma(excess)
    return 2 * half, math.exp(mean + float(digamma(half)) - math.log(half))


def _inverse_trigamma(value: float) -> float:
    """The y with trigamma(y) = value > 0, by Newton's steps on 1 / trigamma."""
    from scipy.special import polygamma

    if value > 1e7:
        return 1 / math.sqrt(value)
    if value < 1e-6:
        return 1 / value
    y = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, y))
        y += step
        if abs(step) < 1e-14 * y:
            break
    return y
