"""Means over topics of which people judged some and a model judged all: prediction-powered.

The model is biased and people are few. The model's error is measured on the topics that both
judged, and taken out of its mean on the others: the interval is valid however good the model
is, and narrower than that of the people's topics alone if the model is useful.

Source: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science
382, 2023 (PPI, weight 1); Angelopoulos, Duchi and Zrnic, "PPI++: Efficient prediction-powered
inference", arXiv 2311.01453, 2024 (the tuned weight, section 6); Oosterhuis, Jagerman, Qin, Wang
and Bendersky, KDD 2024 (the measure of a topic as the unit). In survey sampling it is the
difference or regression estimator of double sampling (Cochran 1977, chapter 12).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from irev.core.arrays import Floats, RunOrPairValues, TopicsByRunsOrPairs, column_means, ratio
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import NEAR, Tail
from irev.statistics.significance_tests import (
    check_level,
    t_interval_ends,
    t_p_values,
    t_reach,
    t_statistics,
)

Target: TypeAlias = Literal["population", "topics"]
"""What the mean is about: all topics that might have been drawn, or the N topics themselves."""

OWN_WEIGHT = 10
"""A stratum with so many topics judged by people has a weight of its own."""


@record
class TwiceJudged:
    """The scores of a stratum of topics for K runs, or K differences of runs.

    human  float64[n, K]: under the people's judgments
    model  float64[n, K]: the same rankings of the same topics under the model's
    rest   float64[m, K]: of the other topics, which the model alone judged
    """

    human: Floats
    model: Floats
    rest: Floats


@record
class PoweredMeans:
    """Prediction-powered means of K columns, and those of either judge alone; float64[K] each.

    num_judged   n, topics judged by people
    num_topics   N, all topics
    mean         the estimate
    se           its standard error
    df           its degrees of freedom
    low, high    its interval; one end is infinite if one-sided
    weight       lambda, how much the model's judgments count; the mean over strata
    correlation  r of both judges' scores over the n topics, within strata; 0 where one is constant
    people       the mean of the n topics alone, with people_se, people_low and people_high (t)
    model        the mean by the model alone over all N topics: no valid estimate
    width_ratio  how wide the interval is beside that of the n topics alone; NaN where that is a
                 point, or both are endless
    effective    n_eff = n people_se^2 / se^2: so many topics judged by people alone do as well
    p            of the hypothesis that the mean is 0, with the tail asked for
    distance     z = (mean_L f - mean_U f) / sqrt(s_L^2 / n + s_U^2 / m): how much higher the
                 model's scores are on the n topics than on the others; about standard normal if
                 these are a random sample
    """

    num_judged: int
    num_topics: int
    mean: Floats
    se: Floats
    df: Floats
    low: Floats
    high: Floats
    weight: Floats
    correlation: Floats
    people: Floats
    people_se: Floats
    people_low: Floats
    people_high: Floats
    model: Floats
    width_ratio: Floats
    effective: Floats
    p: Floats
    distance: Floats


def prediction_powered(
    strata: Sequence[TwiceJudged],
    *,
    weight: float | None = None,
    target: Target = "population",
    level: float = 0.95,
    tail: Tail = "two-sided",
    min_topics_for_own_weight: int = OWN_WEIGHT,
) -> PoweredMeans:
    """The means that people would have found, estimated with the help of a model's judgments.

    With x the scores by people and f those by the model, L the n topics judged by both and U the
    other m = N - n:

        theta  = mean_L(x) + lambda (mean_U(f) - mean_L(f))
        se^2   = a + b,  a = s^2_L(x - lambda f) / n,  b = lambda^2 s^2_U(f) / m
        lambda = cov_L(x, f) / ((1 + n/m) s^2(f)), cut to 0..1

    (the mean as PPI++ has it, for U without L). The interval is theta -+ t se with
    df = (a + b)^2 / (a^2 / (n-2) + b^2 / (m-1)) (Welch, Satterthwaite), at most n - 2; s^2_L is by
    n - 2, since lambda is estimated. With a given lambda n - 1 stands for n - 2. For the target
    "topics", lambda = cov_L(x, f) / s^2_L(f), se^2 = (1 - n/N) s^2_L(x - lambda f) / n by n - 1,
    and df = n - 1; the interval of people's topics has the factor 1 - n/N too.

    Of several strata, theta = sum W_h theta_h and se^2 = sum W_h^2 se_h^2 with W_h = N_h / N, and
    df = se^4 / sum (W_h se_h)^4 / df_h. Strata with few topics judged by people share the lambda
    that makes the sum of their variances least.

    Args:
        strata: the scores; one stratum where topics are of one kind.
        weight: lambda, 0 to 1; 0 is people's topics alone, 1 the estimator of 2023; None: tuned.
        target: what the mean is about.
        level: of the intervals.
        tail: "greater" and "less" make tests and intervals one-sided.
        min_topics_for_own_weight: strata with fewer topics judged by people share a lambda.
    """
    check_level(level)
    if weight is not None and not 0 <= weight <= 1:
        raise UsageError(f"lambda must be between 0 and 1, not {weight:g}")
    if any(len(stratum.human) < 2 for stratum in strata):
        raise UsageError("in each stratum people must have judged two topics or more")
    sizes = [len(stratum.human) + len(stratum.rest) for stratum in strata]
    num_topics = sum(sizes)
    estimates = [
        _Stratum(stratum, size / num_topics, target)
        for stratum, size in zip(strata, sizes, strict=True)
    ]
    small = []
    for estimate in estimates:
        if len(strata) > 1 and estimate.n < min_topics_for_own_weight:
            small.append(estimate)
        else:
            _set_shared_weight([estimate], weight)
    _set_shared_weight(small, weight)
    num_judged = sum(estimate.n for estimate in estimates)
    mean, people, model = (_weighted_total(estimates, name) for name in ("mean", "people", "model"))
    shares = [estimate.share for estimate in estimates]
    se, df = _error_and_df_of_sum(shares, [estimate.variance_and_df() for estimate in estimates])
    people_se, people_df = _error_and_df_of_sum(
        shares, [(estimate.people_variance, estimate.people_df) for estimate in estimates]
    )
    low, high = t_interval_ends(mean, se, df, level, tail)
    people_low, people_high = t_interval_ends(people, people_se, people_df, level, tail)
    width_ratio = ratio(
        t_reach(df, level, tail) * se, t_reach(people_df, level, tail) * people_se, math.nan
    )
    p = t_p_values(t_statistics(mean, se), df, tail, num_judged)
    # both judges' sums of squares and of products, within strata
    product, x, f = (
        np.cumsum(terms, axis=0)[-1]
        for terms in (
            [estimate.product for estimate in estimates],
            [_squared_deviations(stratum.human) for stratum in strata],
            [_squared_deviations(stratum.model) for stratum in strata],
        )
    )
    correlation = np.clip(ratio(product, np.sqrt(x * f)), -1.0, 1.0)
    effective = num_judged * ratio(people_se**2, se**2, math.inf)
    return PoweredMeans(
        num_judged,
        num_topics,
        mean,
        se,
        df,
        low,
        high,
        _weighted_total(estimates, "weight"),
        correlation,
        people,
        people_se,
        people_low,
        people_high,
        model,
        width_ratio,
        np.where((people_se == 0) & (se == 0), float(num_judged), effective),
        np.where((se == 0) & (mean == 0), 1.0, p),
        _model_judged_vs_rest_z(estimates),
    )


class _Stratum:
    """A stratum with its share of all topics; the weight of the model is set by its group."""

    def __init__(self, scores: TwiceJudged, share: float, target: Target) -> None:
        x, f, u = scores.human, scores.model, scores.rest
        self.scores, self.share, self.is_fixed = scores, share, target == "topics"
        self.n, self.m = len(x), len(u)
        all_model = np.concatenate((f, u))
        self.people, self.f, self.model = column_means(x), column_means(f), column_means(all_model)
        self.u = column_means(u) if self.m else self.f
        shrink = 1 - self.n / (self.n + self.m) if self.is_fixed else 1.0
        self.shrink, self.people_df = shrink, np.full(x.shape[1], self.n - 1.0)
        self.people_variance = shrink * _squared_deviations(x) / (self.n - 1) / self.n
        products = (x - self.people) * (f - self.f)
        self.product = np.where(
            _squared_deviations(x) * _squared_deviations(f) == 0,
            0.0,
            np.cumsum(products, axis=0)[-1],
        )
        self.spread = _squared_deviations(f) / (self.n - 1)
        self.spread_all = _squared_deviations(all_model) / max(len(all_model) - 1, 1)
        self.spread_rest = (
            _squared_deviations(u) / (self.m - 1) if self.m > 1 else np.zeros(x.shape[1])
        )
        self.weight = np.zeros(x.shape[1])
        self.residual_df = self.n - 1.0

    @property
    def mean(self) -> RunOrPairValues:
        """Theta."""
        other = self.model if self.is_fixed else self.u
        return self.people + self.weight * (other - self.f)

    def weight_fraction(self) -> tuple[RunOrPairValues, RunOrPairValues]:
        """What lambda is a quotient of: the sums over the strata of a group are its two parts."""
        factor = self.share**2 * self.shrink / self.n
        numerator = factor * self.product / (self.n - 1)
        if self.is_fixed:
            return numerator, factor * self.spread
        return numerator, factor * (1 + self.n / self.m) * self.spread_all

    def variance_and_df(self) -> tuple[RunOrPairValues, RunOrPairValues]:
        """se^2 = a + b, and Satterthwaite's degrees of freedom, at most those of the residuals."""
        x, f = self.scores.human, self.scores.model
        squares = _squared_deviations(
            x - self.weight * f, np.maximum(np.abs(x), np.abs(f)).max(axis=0)
        )
        a = self.shrink * squares / self.residual_df / self.n
        b = np.zeros_like(a) if self.is_fixed or not self.m else self.spread_rest / self.m
        b = self.weight**2 * b
        uncertain = a**2 / self.residual_df + b**2 / max(self.m - 1, 1)
        df = np.minimum(self.residual_df, ratio((a + b) ** 2, uncertain, math.inf))
        return a + b, df


def _set_shared_weight(strata: Sequence[_Stratum], weight: float | None) -> None:
    """Set the lambda that some strata share, and what their residual variances are divided by."""
    # the model must have judged enough topics alone for its variance to be known
    usable = [stratum for stratum in strata if stratum.m > (0 if stratum.is_fixed else 1)]
    if not usable:
        return
    if weight is not None:
        for stratum in usable:
            stratum.weight = np.full_like(stratum.people, weight)
        return
    residual_df = sum(stratum.n - 1 for stratum in usable)
    if residual_df < 2:
        return
    numerator, denominator = (
        sum(terms) for terms in zip(*(stratum.weight_fraction() for stratum in usable), strict=True)
    )
    tuned = np.clip(ratio(numerator, denominator), 0.0, 1.0)
    for stratum in usable:
        stratum.weight = tuned
        if not stratum.is_fixed:
            stratum.residual_df = (stratum.n - 1) * (residual_df - 1) / residual_df


def _squared_deviations(
    values: TopicsByRunsOrPairs, scale: RunOrPairValues | None = None
) -> RunOrPairValues:
    """The sum of squared distances from the mean; 0 where it is the noise of floats."""
    squares = np.cumsum((values - column_means(values)) ** 2, axis=0)[-1]
    scale = np.abs(values).max(axis=0) if scale is None else scale
    return np.where(squares <= len(values) * (NEAR * scale) ** 2, 0.0, squares)


def _weighted_total(strata: Sequence[_Stratum], name: str) -> RunOrPairValues:
    """The sum over strata of their shares times one of their values."""
    total = np.cumsum([stratum.share * getattr(stratum, name) for stratum in strata], axis=0)[-1]
    return np.asarray(total, np.float64)


def _error_and_df_of_sum(
    shares: Sequence[float], variances_and_dfs: Sequence[tuple[RunOrPairValues, RunOrPairValues]]
) -> tuple[RunOrPairValues, RunOrPairValues]:
    """(se, df) of the sum of the strata's estimates, each times its share."""
    variances, dfs = zip(*variances_and_dfs, strict=True)
    terms = np.array([share**2 * each for share, each in zip(shares, variances, strict=True)])
    variance = np.cumsum(terms, axis=0)[-1]
    df = ratio(variance**2, np.cumsum(terms**2 / np.array(dfs), axis=0)[-1], math.inf)
    return np.sqrt(variance), np.where(variance > 0, df, np.cumsum(dfs, axis=0)[-1])


def _model_judged_vs_rest_z(strata: Sequence[_Stratum]) -> RunOrPairValues:
    """float64[K]: z; 0 where neither varies."""
    measurable = [stratum for stratum in strata if stratum.m > 1]
    if not measurable:
        return np.zeros_like(strata[0].people)
    difference = np.cumsum(
        [stratum.share * (stratum.f - stratum.u) for stratum in measurable], axis=0
    )[-1]
    terms = [
        stratum.share**2 * (stratum.spread / stratum.n + stratum.spread_rest / stratum.m)
        for stratum in measurable
    ]
    return ratio(difference, np.sqrt(np.cumsum(terms, axis=0)[-1]))
