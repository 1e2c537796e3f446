"""Whether Kendall's tau differs from that of unrelated orders."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Floats
from irev.errors import UsageError
from irev.statistics.rank_correlation import tau_a
from irev.statistics.tolerance import groups_of_equals, scale_of

EXACT_UP_TO = 60
"""Runs for which the exact distribution is used."""


class TauP(NamedTuple):
    """A two-sided p, and whether it is exact or from the normal approximation."""

    p: float
    exact: bool


class Critical(NamedTuple):
    """The smallest tau that is significant, and its p."""

    tau: float
    p: float


def tau_p(one: Floats, other: Floats) -> TauP:
    """The two-sided p of Kendall's tau, under the null that all orders are equally likely.

    Exact, 2 P(C - D >= observed), without ties up to 60 runs; otherwise from the normal
    approximation with the variance corrected for ties. NaN where all runs are tied in a column.
    """
    groups = [groups_of_equals(column, scale_of(column)) for column in (one, other)]
    runs = len(one)
    untied = all(len(set(group.tolist())) == runs for group in groups)
    if untied and runs <= EXACT_UP_TO:
        pairs = runs * (runs - 1) // 2
        score = round(abs(tau_a(one, other)) * pairs) if pairs else 0
        return TauP(float(_tails(runs)[(pairs - score) // 2]), True)
    if any(len(set(group.tolist())) < 2 for group in groups):
        return TauP(math.nan, False)
    from scipy.stats import kendalltau

    return TauP(float(kendalltau(*groups, method="asymptotic").pvalue), False)


def critical_tau(runs: int, alpha: float) -> Critical:
    """The smallest tau of n runs without ties whose exact two-sided p is at most alpha.

    Sakai (2006) calls tau significant at 1% for 30 runs where it is over 0.34: the exact value is
    145/435 = 0.3333, its p 0.0094.

    Returns:
        tau and its p; NaN and 1 where not even tau = 1 is significant.

    Raises:
        UsageError: fewer than 2 runs, or alpha not between 0 and 1.
    """
    if runs < 2 or not 0 < alpha < 1:
        raise UsageError(
            f"a critical tau needs 2 runs or more and 0 < alpha < 1: {runs} runs, alpha {alpha}"
        )
    pairs = runs * (runs - 1) // 2
    tails = _tails(runs)[: pairs // 2 + 1]
    most = int(np.count_nonzero(tails <= alpha)) - 1
    if most < 0:
        return Critical(math.nan, 1.0)
    return Critical((pairs - 2 * most) / pairs, float(tails[most]))


def _tails(runs: int) -> Floats:
    """The two-sided p of each number of discordant pairs up to half of all: 2 P(D <= d)."""
    found: Floats = np.minimum(1.0, 2 * np.cumsum(_inversions(runs)))
    return found


def _inversions(runs: int) -> Floats:
    """float64[pairs+1]: the probability of each number of inversions of a random order.

    The k-th run goes above 0 to k-1 of those before it, each with the same probability.
    """
    found = np.ones(1)
    for k in range(2, runs + 1):
        found = np.convolve(found, np.full(k, 1 / k))
    return found
