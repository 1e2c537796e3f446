"""How alike two measures, or two sets of judgments, order the same runs.

Everything takes two columns of numbers, float64[N], one for each of N runs: usually their means.
Numbers that differ by rounding only are tied. A tie is never broken by the order of the runs: where
a coefficient has no place for ties it is its mean over all ways to break them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, mean_of, sums_before
from irev.statistics.products import product
from irev.statistics.tolerance import NEAR, groups_of_equals, scale_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Coefficient = Callable[[Floats, Floats], float]


def tau_a(truth: Floats, estimate: Floats) -> float:
    """Kendall's tau-a, for an estimate against a truth: (C - D) / (N(N-1)/2), from -1 to 1.

    C pairs of runs are in the same order in both columns and D in opposite orders. A tied pair
    counts for neither, which makes tau-a the mean over all ways to break the ties; where the truth
    itself has ties, 1 cannot be reached and tau-b is the better choice.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Kendall 1938, "A new measure of rank correlation".
    """
    runs = len(truth)
    if runs < 2:
        return math.nan
    return float((_signs(truth) * _signs(estimate)).sum()) / (runs * (runs - 1))


def tau_b(one: Floats, other: Floats) -> float:
    """Kendall's tau-b, for two columns of equal standing: from -1 to 1, 1 if also tied alike.

    (C - D) / sqrt((P - T1) (P - T2)): of P pairs C are in the same and D in the opposite order, and
    T1 and T2 are tied in one column.

    Returns:
        The coefficient; NaN where all runs are tied in a column.

    Source: Kendall 1945, "The treatment of ties in ranking problems".
    """
    first, second = _signs(one), _signs(other)
    untied = float(np.count_nonzero(first)) * float(np.count_nonzero(second))
    # every pair is counted twice, above and below the division
    return float((first * second).sum()) / math.sqrt(untied) if untied else math.nan


def tau_b_matrix(columns: Sequence[Floats]) -> Floats:
    """float64[K, K]: tau-b between all pairs of K columns, with one product of their signs."""
    signs = np.stack([_signs(column).ravel() for column in columns])
    both = product(signs, np.ascontiguousarray(signs.T))
    # each column against itself: twice its untied pairs
    untied = np.outer(np.diag(both), np.diag(both))
    found: Floats = np.where(untied > 0, both / np.sqrt(np.where(untied > 0, untied, 1)), np.nan)
    return found


def tau_ap(truth: Floats, estimate: Floats) -> float:
    """AP rank correlation of an estimate with a truth, which weighs the top most; from -1 to 1.

    2/(N-1) * sum over ranks i >= 2 of C(i)/(i-1) - 1: going down the estimate, C(i) of the i-1 runs
    above rank i are above it in the truth too. Not symmetric. Ties in the estimate (and in the
    truth) are averaged over all ways to break them: tau_AP,a.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008, eq. 2; Urbano and Marrero, ICTIR 2017, for the
    ties.
    """
    runs = len(truth)
    if runs < 2:
        return math.nan
    above, size = _places(estimate)
    inverse = sums_before(1 / np.arange(1, runs))
    # the sum of 1/(i-1) over the ranks i that a run's group of ties takes up; those of its own
    # group that are above it are as often wrongly as rightly there
    weight = np.where(above > 0, inverse[above + size - 1] - inverse[np.maximum(above - 1, 0)], 0)
    balance = (_signs(truth) * (_signs(estimate) > 0)).sum(axis=0)
    return float((weight / size * balance).sum()) / (runs - 1)


def tau_ap_b(one: Floats, other: Floats) -> float:
    """AP rank correlation of two columns of equal standing, with ties anywhere: tau_AP,b.

    The mean of both directions. In each, going down a column, a run with n others above it (not
    tied with it) counts 2 C/n - 1, where C of these n are above it in the other column too; the sum
    is divided by the number of runs below the column's first group of ties.

    Returns:
        The coefficient, from -1 to 1; NaN where all runs are tied in a column.

    Source: Urbano and Marrero, ICTIR 2017, "The treatment of ties in AP correlation".
    """
    return (_ap_b_down(one, other) + _ap_b_down(other, one)) / 2


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's rho: Pearson's correlation of the ranks, those of ties averaged; NaN as there."""
    return pearson(_midranks(one), _midranks(other))


def pearson(one: Floats, other: Floats) -> float:
    """Pearson's correlation of two columns of N numbers; NaN where one is constant."""
    if len(one) < 2 or any(np.ptp(each) <= NEAR * scale_of(each) for each in (one, other)):
        return math.nan
    first, second = (each - mean_of(each) for each in (one, other))
    both, mine, yours = (
        mean_of(x * y) for x, y in ((first, second), (first, first), (second, second))
    )
    return both / math.sqrt(mine * yours)


def rms_error(estimate: Floats, truth: Floats) -> float:
    """sqrt(mean of (estimate - truth)^2) over N runs, divisor N: Yilmaz and Aslam, CIKM 2006."""
    return math.sqrt(mean_of((estimate - truth) ** 2)) if len(truth) else math.nan


COEFFICIENTS: dict[str, Coefficient] = {
    "tau_a": tau_a,
    "tau_b": tau_b,
    "tau_ap": tau_ap,
    "tau_ap_b": tau_ap_b,
    "spearman": spearman,
    "pearson": pearson,
    "rms": rms_error,
}
"""By name; those that are not symmetric take the truth first."""


class _Places(NamedTuple):
    """For each run: how many are above it, and how many are tied with it, itself among them."""

    above: Ints
    size: Ints


def _places(column: Floats) -> _Places:
    group = groups_of_equals(-column, scale_of(column))
    count = np.bincount(group)
    return _Places((np.cumsum(count) - count)[group], count[group])


def _signs(column: Floats) -> Floats:
    """float64[N, N]: 1 where the row's run is above the column's, -1 below, 0 tied."""
    group = groups_of_equals(column, scale_of(column))
    found: Floats = np.sign(group[:, None] - group[None, :]).astype(np.float64)
    return found


def _ap_b_down(truth: Floats, estimate: Floats) -> float:
    """One direction of tau_AP,b: down the estimate."""
    above = _places(estimate).above
    lower = above > 0
    if not lower.any():
        return math.nan
    right = ((_signs(truth) > 0) & (_signs(estimate) > 0)).sum(axis=0)[lower]
    return float((2 * right / above[lower] - 1).sum()) / int(np.count_nonzero(lower))


def _midranks(column: Floats) -> Floats:
    """float64[N]: ranks from 1 for the lowest, the mean rank for ties."""
    group = groups_of_equals(column, scale_of(column))
    count = np.bincount(group)
    found: Floats = (np.cumsum(count) - (count - 1) / 2)[group]
    return found
