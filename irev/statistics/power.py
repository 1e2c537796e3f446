"""How many topics a test collection needs, and what a given number of topics can show.

T. Sakai, Information Retrieval Journal 2016, "Topic set size design": a number of topics for the
paired t test, for an analysis of variance, or for an interval of a given width. It is meant for
collections to be built, never for adding topics until a difference is significant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.statistics.methods import Tail

_MOST = 10**9


def power_of_t(
    num_topics: int,
    effect: float,
    alpha: float = 0.05,
    tail: Tail = "two-sided",
    df: float | None = None,
) -> float:
    """The power of the paired t test with n topics: the chance to find an effect that is there.

    With t* = sqrt(n) d_z noncentral t of n-1 degrees of freedom, P(|t*| >= t_(1 - alpha/2)); of a
    one-sided test, P(t* >= t_(1 - alpha)).

    `effect`: d_z, the mean difference divided by the standard deviation of the differences.
    `df`: the degrees of freedom where they are not n - 1.
    """
    from scipy.stats import t

    _check_chances(alpha=alpha)
    if num_topics < 2:
        raise UsageError(f"a t test needs 2 topics or more, not {num_topics}")
    df, shift = num_topics - 1 if df is None else df, math.sqrt(num_topics) * effect
    if tail == "two-sided":
        least = float(t.ppf(1 - alpha / 2, df))
        return _noncentral_tail(least, df, shift) + _noncentral_tail(least, df, -shift)
    return _noncentral_tail(float(t.ppf(1 - alpha, df)), df, shift if tail == "greater" else -shift)


def _noncentral_tail(least: float, df: float, shift: float) -> float:
    """P(t* >= least) for noncentral t*; its normal limit where scipy has no digits left."""
    from scipy.stats import nct, norm

    tail = float(nct.sf(least, df, shift))
    return tail if math.isfinite(tail) else float(norm.sf(least - shift))


def detectable_difference(
    num_topics: int,
    sd: float,
    alpha: float = 0.05,
    beta: float = 0.2,
    tail: Tail = "two-sided",
    df: float | None = None,
) -> float:
    """The smallest mean difference that a paired t test finds with power 1 - beta; 0 or more.

    `sd`: the standard deviation of the differences. `df`: degrees of freedom; None: n - 1.
    """
    from scipy.optimize import brentq

    _check_chances(alpha=alpha, beta=beta)
    if alpha >= 1 - beta:
        raise UsageError(f"at alpha {alpha} the power is {1 - beta} even without a difference")
    side: Tail = "two-sided" if tail == "two-sided" else "greater"

    def missing_power(effect: float) -> float:
        return power_of_t(num_topics, effect, alpha, side, df) - (1 - beta)

    most = 1.0
    while missing_power(most) < 0:
        most *= 2
    return sd * float(brentq(missing_power, 0.0, most, xtol=1e-13))


def num_topics_for_t(
    difference: float, difference_variance: float, alpha: float = 0.05, beta: float = 0.2
) -> int:
    """The fewest topics with which a paired t test finds a mean difference with power 1 - beta.

    `difference`: minD_t, the smallest difference that must be found. `difference_variance`: of the
    differences; without a pilot, twice the variance of a run's scores.
    """
    _check_chances(alpha=alpha, beta=beta)
    _check_positive(difference=difference, variance=difference_variance)
    effect = difference / math.sqrt(difference_variance)
    return _fewest_topics(lambda topics: power_of_t(topics, effect, alpha) >= 1 - beta)


def num_topics_for_anova(
    num_runs: int, difference: float, score_variance: float, alpha: float = 0.05, beta: float = 0.2
) -> int:
    """The fewest topics with which an analysis of variance of m runs finds a range of means.

    One-way, m(n-1) degrees of freedom of error, in the worst case: two runs a difference D apart,
    the others halfway; noncentrality n D^2 / (2 variance).

    `difference`: minD, between the best and the worst run. `score_variance`: of a run's scores, the
    same for all.
    """
    from scipy.stats import f, ncf

    _check_chances(alpha=alpha, beta=beta)
    _check_positive(difference=difference, variance=score_variance)
    if num_runs < 2:
        raise UsageError(f"an analysis of variance needs 2 runs or more, not {num_runs}")

    def is_enough(topics: int) -> bool:
        df = (num_runs - 1, num_runs * (topics - 1))
        shift = topics * difference**2 / (2 * score_variance)
        return bool(ncf.sf(f.ppf(1 - alpha, *df), *df, shift) >= 1 - beta)

    return _fewest_topics(is_enough)


def num_topics_for_interval(width: float, difference_variance: float, alpha: float = 0.05) -> int:
    """The fewest topics with which the interval of a mean difference is narrow enough.

    2 t_(1 - alpha/2; n-1) E[s] / sqrt(n) <= width, with s the standard deviation of n differences:
    E[s] = sigma sqrt(2/v) Gamma((v+1)/2) / Gamma(v/2), v = n-1.

    `width`: of the whole interval. `difference_variance`: of the differences.
    """
    from scipy.special import gammaln
    from scipy.stats import t

    _check_chances(alpha=alpha)
    _check_positive(width=width, variance=difference_variance)

    def is_enough(topics: int) -> bool:
        df = topics - 1
        log_ratio = float(gammaln((df + 1) / 2) - gammaln(df / 2))
        spread = math.sqrt(difference_variance * 2 / df) * math.exp(log_ratio)
        return bool(2 * t.ppf(1 - alpha / 2, df) * spread / math.sqrt(topics) <= width)

    return _fewest_topics(is_enough)


def pooled_variance(variances: Sequence[float], df: Sequence[int]) -> float:
    """The variance over several collections: each weighed by its degrees of freedom."""
    if not variances or min(df) < 1:
        raise UsageError("pooling variances needs collections of 1 degree of freedom or more")
    return float(np.cumsum(np.multiply(variances, df))[-1]) / sum(df)


def variance_limits(variance: float, df: int, level: float = 0.8) -> tuple[float, float]:
    """The interval of a variance that was estimated with some degrees of freedom, from chi^2.

    Webber, Moffat and Zobel (CIKM 2008) show how little a pilot's variance says: design for both
    limits as well.
    """
    from scipy.stats import chi2

    _check_chances(level=level)
    if df < 1:
        raise UsageError(f"a variance is estimated with 1 degree of freedom or more, not {df}")
    high, low = chi2.ppf([(1 - level) / 2, (1 + level) / 2], df).tolist()
    return df * variance / low, df * variance / high


def _fewest_topics(is_enough: Callable[[int], bool]) -> int:
    """The smallest number of topics, 2 or more, that is enough, as any larger number is."""
    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            raise UsageError(f"more than {_MOST:,} topics would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _check_chances(**chances: float) -> None:
    for name, chance in chances.items():
        if not 0 < chance < 1:
            raise UsageError(f"{name} must be between 0 and 1, not {chance}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise UsageError(f"the {name} is a positive number, not {value}")
        if not 1e-100 <= value <= 1e100:  # its square is a number, too
            raise UsageError(f"the {name} {value:g} is out of range, 1e-100 to 1e+100")
