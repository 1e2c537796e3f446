"""The t-test of two runs, or collections, that were scored on different topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import mean_of
from irev.errors import UsageError
from irev.statistics.tolerance import NEAR, scale_of

if TYPE_CHECKING:
    from irev.core.arrays import Floats


@dataclass(frozen=True)
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
    one: Floats, other: Floats, *, welch: bool = False, alpha: float = 0.05
) -> UnpairedT:
    """Student's or Welch's two-sample t-test.

    Student: t = (x̄ - ȳ) / √(s² (1/n + 1/m)), s² the pooled variance, n + m - 2 degrees of
    freedom. Welch: t = (x̄ - ȳ) / √(s_x²/n + s_y²/m), with Satterthwaite's degrees of freedom; less
    reliable where the larger sample has the larger variance. Where neither sample varies, t is 0
    and p 1 for equal means, t infinite and p 0 for others.

    Args:
        one: float64[n], scores by topic, n at least 2.
        other: float64[m], scores on other topics, m at least 2.
        welch: whether the variances may differ.
        alpha: 1 less the confidence of the interval, in (0, 1).

    Raises:
        UsageError: a sample has fewer than 2 topics.

    Source: B. L. Welch, Biometrika 34, 1947; on the choice, T. Sakai, SIGIR 2016.
    """
    from scipy.special import stdtr, stdtrit

    n, m = len(one), len(other)
    if min(n, m) < 2:
        raise UsageError(
            f"an unpaired t-test needs at least 2 topics on each side, not {min(n, m)}"
        )
    scale = scale_of(np.concatenate((one, other)))
    difference = mean_of(one) - mean_of(other)
    if abs(difference) <= NEAR * scale:
        difference = 0.0
    error, df = _error(_variance(one, scale), n, _variance(other, scale), m, welch)
    if error == 0:
        t = math.copysign(math.inf, difference) if difference else 0.0
    else:
        t = difference / error
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    p = 2 * float(stdtr(df, -abs(t)))
    return UnpairedT(n, m, difference, t, df, p, alpha, difference - half, difference + half)


def _error(x: float, n: int, y: float, m: int, welch: bool) -> tuple[float, float]:
    """The standard error of the difference of two means, and its degrees of freedom."""
    if not welch or x == y == 0:
        pooled = ((n - 1) * x + (m - 1) * y) / (n + m - 2)
        return math.sqrt(pooled * (1 / n + 1 / m)), n + m - 2
    own, others = x / n, y / m
    both = own + others
    # shares first: squares of tiny variances would vanish
    df = 1 / ((own / both) ** 2 / (n - 1) + (others / both) ** 2 / (m - 1))
    return math.sqrt(both), df


def _variance(values: Floats, scale: float) -> float:
    """Divided by n - 1; 0 where the values differ by rounding errors only."""
    deviations = values - mean_of(values)
    if np.abs(deviations).max() <= NEAR * scale:
        return 0.0
    return float(np.cumsum(deviations**2)[-1]) / (len(values) - 1)
