"""Tests of the difference of two runs by formula: t tests, plain and moderated, ranks and signs."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairsByTopics,
    PairValues,
    RunOrPairValues,
    RunValues,
    TopicsByRuns,
    TopicValues,
    column_means,
    mean_of,
    ratio,
)
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    SMALLEST,
    DifferenceSummary,
    RunPairs,
    Tail,
    check_score_matrix,
    difference_blocks,
    equal_scores_end,
    every_pair,
    groups_of_equals,
    mean_and_sd_of_differences,
    pair_scales,
    same_difference_p_values,
    scale_of,
    wins_and_losses,
)
from irev.statistics.resampling import random_sign_p_by_pair

# --- The t tests ---


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
        p=np.where(differences.identical, 1.0, t_p_values(t, df, tail, df + 1)),
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


def t_statistics(mean: RunOrPairValues, error: RunOrPairValues) -> RunOrPairValues:
    """The quotients; infinite where a difference never varies, 0 where there is none."""
    endless = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(error == 0, endless, ratio(mean, error))


def t_p_values(
    t: RunOrPairValues, df: float | Floats, tail: Tail, num_topics: float
) -> RunOrPairValues:
    """The chance of a t as extreme, never 0; "greater": of one as large.

    An infinite t, of a difference that never varies on so many topics, has the p of the sign flips.
    """
    from scipy.special import stdtr

    towards = {"two-sided": np.abs(t), "greater": t, "less": -t}[tail]
    p: Floats = stdtr(df, -towards) * (2.0 if tail == "two-sided" else 1.0)
    flips = same_difference_p_values(t, num_topics, tail)
    return np.where(np.isinf(t), flips, np.maximum(p, SMALLEST))


def t_reach(df: float | Floats, level: float, tail: Tail = "two-sided") -> Any:
    """How many standard errors an interval by t reaches from the mean; a number for each df."""
    from scipy.special import stdtrit

    return stdtrit(df, (1 + level) / 2 if tail == "two-sided" else level)


def t_interval_ends(
    mean: RunOrPairValues, error: RunOrPairValues, df: float | Floats, level: float, tail: Tail
) -> tuple[RunOrPairValues, RunOrPairValues]:
    """The ends of intervals of means by their standard errors; one-sided for a one-sided test."""
    reach = t_reach(df, level, tail) * error
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
    # the standard error of the difference, and its degrees of freedom
    variance, other = _sample_variance(first_scores, scale), _sample_variance(second_scores, scale)
    df: float = n + m - 2
    if not welch or variance == other == 0:
        pooled = ((n - 1) * variance + (m - 1) * other) / df
        error = math.sqrt(pooled * (1 / n + 1 / m))
    else:
        own, others = variance / n, other / m
        both = own + others
        # shares first: squares of tiny variances would vanish
        df = 1 / ((own / both) ** 2 / (n - 1) + (others / both) ** 2 / (m - 1))
        error = math.sqrt(both)
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


def _sample_variance(values: Floats, scale: float) -> float:
    """Divided by n - 1; 0 where the values differ by rounding errors only."""
    deviations = values - mean_of(values)
    if np.abs(deviations).max() <= NEAR * scale:
        return 0.0
    return float(np.cumsum(deviations**2)[-1]) / (len(values) - 1)


# --- The moderated paired t test: variances drawn towards what is usual among the runs' pairs ---
# The t test rejects falsely where a pair's topics happen to miss the odd ones, so that its
# variance is too small. The other pairs of the runs say what is usual. What is usual is estimated
# as limma does (`fitFDist`), degrees of freedom are limited as is described at
# `moderation_of_differences`.
# Source: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential
# expression in microarray experiments, Statistical Applications in Genetics and Molecular Biology
# 3(1), 2004.


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
                f"(standard deviation {s0}), {self.df:.4g} degrees of freedom"
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
    `moderation_of_differences`: s~^2 = (d0 s0^2 + d s^2) / (d0 + d), t = m / sqrt(s~^2 / T), with
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
    moderation = moderation_of_differences(all_differences, num_runs, df)
    first = np.minimum(pairs.first, pairs.second)
    second = np.maximum(pairs.first, pairs.second)
    rows = first * num_runs - first * (first + 1) // 2 + second - first - 1
    # + 0.0: there is no negative 0
    mean = np.where(pairs.first < pairs.second, 1.0, -1.0) * all_differences.mean[rows] + 0.0
    sd = all_differences.sd[rows]
    sd_moderated = np.sqrt(moderation.shrink_variances(sd**2, df)) if moderation.d0 else sd
    error = sd_moderated / math.sqrt(num_topics)
    t = t_statistics(mean, error)
    p = np.where(
        all_differences.identical[rows], 1.0, t_p_values(t, moderation.df, tail, moderation.df + 1)
    )
    low, high = t_interval_ends(mean, error, moderation.df, level, tail)
    return ModeratedT(moderation, level, mean, sd, sd_moderated, t, p, low, high)


def moderation_of_differences(
    differences: DifferenceSummary, num_runs: int, df: float
) -> Moderation:
    """What is usual among the variances s^2 of the differences of all pairs of S runs.

    Usable are the pairs of runs of which none is identical to an earlier one, and s is above 0. Of
    n >= 3 such pairs, with x = max(s^2, 1e-5 median s^2) and
    e = log x - digamma(d/2) + log(d/2), the excess is v = var(e) - trigamma(d/2). Where it is above
    0, d0 = 2 trigamma^-1(v) and s0^2 = exp(mean e + digamma(d0/2) - log(d0/2)); else the variances
    differ no more than by chance, d0 is infinite and s0^2 the mean of x.

    The test has d0 + d degrees of freedom, but no more than (S - 1) d, those of the error in the
    two-way analysis of variance: pairs of S runs hold S - 1 independent contrasts.
    """
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


# --- Tests that do not test means ---
# The null hypothesis of the first is that the differences are symmetric about 0, that of the
# second that a topic is as often won as lost.


Zeros: TypeAlias = Literal["pratt", "wilcox", "zsplit"]
"""Topics without a difference are ranked and then left out (Pratt 1959), left out before (Wilcoxon
1945), or ranked and given half to each side."""

PMethod: TypeAlias = Literal["auto", "exact", "asymptotic"]

MOST_TOPICS = 200
"""Up to so many topics the exact distribution is used where nobody says."""


@record
class SignedRanks:
    """Wilcoxon tests of P pairs.

    positive, negative  float64[P]: W+ and W-, the sums of the ranks of |d| over topics that the
                        first run wins, and that it loses
    zeros               int64[P]: topics without a difference
    p                   float64[P]
    exact               whether p is exact, given the ranks
    """

    positive: Floats
    negative: Floats
    zeros: Ints
    p: Floats
    exact: bool


def wilcoxon(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    zeros: Zeros = "pratt",
    method: PMethod = "auto",
    tail: Tail = "two-sided",
    threads: int | None = None,
) -> SignedRanks:
    """The Wilcoxon signed rank test of each pair.

    |d_t| are ranked, equal ones (within a tolerance) by the mean of their ranks. The exact p is the
    chance, over all signs of the ranks as they are, that W+ - W- is as extreme; it holds with ties
    and zeros, and "zsplit" then is "pratt". The asymptotic p is that of z = (W+ - W-) / sqrt(sum of
    squared ranks) under the normal distribution, without a correction for continuity.

    Where nobody says, p is exact up to 200 topics.
    """
    check_score_matrix(score_matrix)
    exact = method == "exact" or (method == "auto" and len(score_matrix) <= MOST_TOPICS)
    scale = pair_scales(score_matrix, pairs)
    positive, negative, p = np.zeros((3, len(pairs)))
    zero_counts = np.zeros(len(pairs), np.int64)
    for part, block in difference_blocks(score_matrix, pairs):
        ranks = _signed_ranks(block, scale[part], drop_zeros=zeros == "wilcox")
        num_zeros = np.count_nonzero(block == 0, axis=1)
        halves = num_zeros * (num_zeros + 1) / 4 if zeros == "zsplit" else np.zeros(len(num_zeros))
        positive[part] = np.maximum(ranks, 0).sum(axis=1) / 2 + halves
        negative[part] = np.maximum(-ranks, 0).sum(axis=1) / 2 + halves
        zero_counts[part] = num_zeros
        if exact:
            divisor = np.gcd.reduce(ranks, axis=1)
            whole = ranks // np.maximum(divisor, 1)[:, None]
            p[part] = np.where(divisor > 0, random_sign_p_by_pair(whole, tail, threads), 1.0)
        else:
            split_zeros = num_zeros if zeros == "zsplit" else 0 * num_zeros
            p[part] = _normal_signed_rank_p(ranks, split_zeros, tail)
    return SignedRanks(positive, negative, zero_counts, p, exact)


def _signed_ranks(
    differences_by_pair: PairsByTopics, scale: PairValues, *, drop_zeros: bool
) -> Ints:
    """int64[P, T]: twice the rank of each |d| under the sign of d, in rising order of |d|."""
    order = np.argsort(np.abs(differences_by_pair), axis=1, kind="stable")
    ordered = np.take_along_axis(differences_by_pair, order, axis=1)
    apart = np.diff(np.abs(ordered), axis=1) > NEAR * scale[:, None]
    edge = np.ones((len(ordered), 1), bool)
    places = np.arange(ordered.shape[1])
    first = np.maximum.accumulate(np.where(np.hstack((edge, apart)), places, 0), axis=1)
    ends = np.where(np.hstack((apart, edge)), places, len(places))
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    ranks = first + last + 2
    if drop_zeros:
        ranks = ranks - 2 * np.count_nonzero(ordered == 0, axis=1)[:, None]
    signed: Ints = np.sign(ordered).astype(np.int64) * ranks
    return signed


def _normal_signed_rank_p(
    signed_ranks: Ints, num_split_zeros: PairCounts, tail: Tail
) -> PairValues:
    """The p under the normal distribution, whose variance the split zeros add to."""
    from scipy.special import ndtr

    squares = (signed_ranks.astype(np.float64) ** 2).sum(axis=1) + num_split_zeros * (
        num_split_zeros + 1.0
    ) ** 2
    z = ratio(signed_ranks.sum(axis=1), np.sqrt(squares))
    directed = {"two-sided": np.abs(z), "greater": z, "less": -z}[tail]
    p = ndtr(-directed) * (2.0 if tail == "two-sided" else 1.0)
    return np.where((signed_ranks != 0).any(axis=1), np.maximum(p, SMALLEST), 1.0)


@record
class Signs:
    """Wins, ties and losses of the first run of each pair, int64[P], and the sign test's p."""

    wins: Ints
    ties: Ints
    losses: Ints
    p: Floats


def sign_test(
    score_matrix: TopicsByRuns, pairs: RunPairs, *, min_diff: float = 0.0, tail: Tail = "two-sided"
) -> Signs:
    """The sign test: wins against losses, ties dropped.

    A topic is won where d_t > min_diff and lost where d_t < -min_diff. p is that of `wins` in
    wins + losses tosses of a fair coin, two-sided twice the smaller tail and at most 1; it is 1
    where all are ties. With a min_diff this is the sign test of van Rijsbergen (1979, chapter 7).
    """
    from scipy.special import bdtr

    if not min_diff >= 0:
        raise UsageError(f"the smallest difference that counts cannot be {min_diff}")
    check_score_matrix(score_matrix)
    wins, losses = wins_and_losses(score_matrix, pairs, min_diff)
    fewer = {"two-sided": np.minimum(wins, losses), "greater": losses, "less": wins}[tail]
    chance = bdtr(fewer, wins + losses, 0.5)  # 1 of no toss
    if tail == "two-sided":
        chance = np.minimum(1.0, 2.0 * chance)
    ties = len(score_matrix) - wins - losses
    return Signs(wins, ties, losses, np.maximum(chance, SMALLEST))


def mean_ranks(score_matrix: TopicsByRuns) -> RunValues:
    """Each run's mean rank over topics, from 1 (best) to S; equal runs share ranks."""
    from scipy.stats import rankdata

    scale = scale_of(score_matrix)
    levels = np.array([groups_of_equals(topic_scores, scale) for topic_scores in score_matrix])
    return column_means(rankdata(-levels, axis=1))


def critical_difference(num_runs: int, num_topics: int, alpha: float = 0.05) -> float:
    """The smallest difference of mean ranks that is significant over all pairs.

    CD = q / sqrt(2) * sqrt(k (k + 1) / (6 n)) for k runs and n topics, q the upper quantile of the
    studentised range of k means with infinite degrees of freedom.

    Source: P. B. Nemenyi (1963); J. Demšar, JMLR 7 (2006).
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, num_runs, math.inf))
    return q / math.sqrt(2) * math.sqrt(num_runs * (num_runs + 1) / (6 * num_topics))
