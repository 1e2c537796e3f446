"""The paired t test of many pairs of runs at once, its intervals, and effect sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, ratio
from irev.errors import UsageError
from irev.statistics.differences import Differences, describe
from irev.statistics.tolerance import SMALLEST

if TYPE_CHECKING:
    from irev.statistics.families import Family
    from irev.statistics.methods import Tail


@dataclass(frozen=True, eq=False, repr=False)
class PairedT:
    """Paired t tests of P pairs; arrays are float64[P] where nothing else is said.

    topics     T
    df         T - 1
    level      of the intervals
    mean       the mean difference
    sd         the standard deviation of the differences
    t          mean / (sd / sqrt(T)); 0 for identical runs, infinite for a constant difference
    p          of the tail that was asked for; never of a table
    low, high  the interval of the mean difference; of a one-sided test, one end is infinite
    d_z        mean / sd, the effect size of paired data (Sakai 2018)
    g_z        d_z made unbiased by Hedges' factor, Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2))
    identical  bool[P]: no topic has a difference
    constant   bool[P]: every topic has the same difference; p says nothing then
    """

    topics: int
    df: int
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
    scores: Floats, family: Family, *, tail: Tail = "two-sided", level: float = 0.95
) -> PairedT:
    """The paired t test of each pair, with the interval of the mean difference.

    Args:
        scores: float64[T, S].
        family: P pairs of runs.
        tail: the alternative: "greater" says the first run is better.
        level: of the interval, between 0 and 1; a one-sided test has a one-sided interval.

    Raises:
        UsageError: the level is out of range, there are fewer than two topics, or a score is not
            finite.
    """
    check_level(level)
    found = describe(scores, family)
    df = found.topics - 1
    t = _quotient(found.mean, found.sd / math.sqrt(found.topics))
    d_z = _quotient(found.mean, found.sd)
    low, high = _interval(found, level, tail)
    return PairedT(
        topics=found.topics,
        df=df,
        level=level,
        mean=found.mean,
        sd=found.sd,
        t=t,
        p=np.where(found.identical, 1.0, _p(t, df, tail)),
        low=low,
        high=high,
        d_z=d_z,
        g_z=np.where(found.constant, d_z, ratio(found.mean, found.sd) * hedges_factor(df)),
        identical=found.identical,
        constant=found.constant,
    )


def check_level(level: float) -> None:
    """Refuse a confidence level that is not between 0 and 1.

    Raises:
        UsageError: it is not.
    """
    if not 0 < level < 1:
        raise UsageError(f"a confidence level lies between 0 and 1, not at {level}")


def hedges_factor(df: int) -> float:
    """Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)), by which d_z is made unbiased (Hedges 1981)."""
    if df < 2:
        return 0.0
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2) - math.log(df / 2) / 2)


def effect_size_interval(t: Floats, topics: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """The intervals of d_z, found by inverting the non-central t distribution; for a few pairs.

    The ends are lambda / sqrt(T) for the lambda under which a t as large, or as small, as this one
    has chance (1 - level) / 2. Infinite t have infinite ends.

    Args:
        t: float64[P], of a paired t test.
        topics: T.
        level: between 0 and 1.

    Raises:
        UsageError: the level is out of range.
    """
    check_level(level)
    from scipy.stats import nct

    rest = (1 - level) / 2
    ends = np.array(
        [
            [_centre(nct, value, topics - 1, chance) for chance in (1 - rest, rest)]
            if math.isfinite(value)
            else [value, value]
            for value in t.tolist()
        ]
    ).reshape(-1, 2)
    return ends[:, 0] / math.sqrt(topics), ends[:, 1] / math.sqrt(topics)


def _centre(nct: Any, t: float, df: int, chance: float) -> float:
    """The non-centrality under which a value up to t has the given chance."""
    from scipy.optimize import brentq

    def excess(centre: float) -> float:
        return float(nct.cdf(t, df, centre)) - chance

    low = high = t
    step = 1.0
    while excess(low) < 0:
        low -= step
        step *= 2
    step = 1.0
    while excess(high) > 0:
        high += step
        step *= 2
    return float(brentq(excess, low, high, xtol=1e-12)) if low < high else low


def _quotient(mean: Floats, spread: Floats) -> Floats:
    """The quotient; infinite where there is a difference that never varies, 0 where none is."""
    endless = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(spread == 0, endless, ratio(mean, spread))


def _p(t: Floats, df: int, tail: Tail) -> Floats:
    from scipy.special import stdtr

    towards = {"two-sided": np.abs(t), "greater": t, "less": -t}[tail]
    p: Floats = stdtr(df, -towards) * (2.0 if tail == "two-sided" else 1.0)
    return np.where(np.isinf(t), p, np.maximum(p, SMALLEST))


def _interval(found: Differences, level: float, tail: Tail) -> tuple[Floats, Floats]:
    from scipy.special import stdtrit

    chance = (1 + level) / 2 if tail == "two-sided" else level
    reach = stdtrit(found.topics - 1, chance) * found.sd / math.sqrt(found.topics)
    low = found.mean - reach if tail != "less" else np.full(len(reach), -np.inf)
    high = found.mean + reach if tail != "greater" else np.full(len(reach), np.inf)
    return low, high
