"""Swap rates for sets of more topics than two disjoint ones can have, by a fitted curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.errors import UsageError
from irev.statistics.swaps import disjoint_halves, lowest_bin, swap_method

if TYPE_CHECKING:
    from irev.core.arrays import Ints

_SIZES = 10
"""How many sizes of sets the curves are fitted to."""


@dataclass(frozen=True, eq=False, repr=False)
class FittedSwaps:
    """Swap rates a exp(-b n) of pairs of runs on sets of n topics, by the difference on one set.

    sizes   int64[], the sizes of the disjoint sets that the curves were fitted to
    lower   float64[bins], the lower edge of each bin of absolute differences; the last is open
    a, b    float64[bins]; a is 0 where no set swapped, NaN where a bin had too few swaps to fit
    """

    sizes: Ints
    lower: Floats
    a: Floats
    b: Floats

    def rates(self, size: int) -> Floats:
        """float64[bins]: the swap rates of sets of so many topics, at most 1; NaN without a fit."""
        return np.minimum(1.0, self.a * np.exp(-self.b * size))

    def required(self, size: int, rate: float = 0.05) -> float:
        """The lower edge of the lowest bin with at most this swap rate; NaN where no bin has."""
        return lowest_bin(self.lower, self.rates(size), rate)


def fitted_swaps(scores: Floats, seed: int, trials: int) -> FittedSwaps:
    """Fit the swap rates of disjoint sets of up to half the topics, bin by bin.

    log(rate) = log a - b n by least squares over the sizes at which a bin had a swap, each weighted
    by its number of swaps, the inverse of the variance of log(rate).

    Args:
        scores: float64[T, S].
        seed: of the sets.
        trials: N, for each size.

    Raises:
        UsageError: there are fewer than 6 topics, and so fewer than 3 sizes.

    Source: Voorhees and Buckley, SIGIR 2002, section 3, who so went from sets of 25 topics to 50.
    """
    half = len(scores) // 2
    if half < 3:
        raise UsageError(f"swap rates cannot be fitted to {len(scores)} topics: 6 are wanted")
    sizes = np.unique(np.ceil(half * np.arange(1, _SIZES + 1) / _SIZES).astype(np.int64))
    found = [
        swap_method(scores, *disjoint_halves(seed, trials, len(scores), size))
        for size in sizes.tolist()
    ]
    swaps = np.array([each.swaps for each in found])
    comparisons = np.array([each.comparisons for each in found])
    a, b = np.full(swaps.shape[1], np.nan), np.zeros(swaps.shape[1])
    a[(comparisons.sum(axis=0) > 0) & (swaps.sum(axis=0) == 0)] = 0.0
    for place in np.flatnonzero(np.count_nonzero(swaps, axis=0) > 1):
        some = np.flatnonzero(swaps[:, place])
        logs = np.log(swaps[some, place] / comparisons[some, place])
        slope, start = np.polyfit(sizes[some], logs, 1, w=np.sqrt(swaps[some, place]))
        a[place], b[place] = np.exp(start), -slope
    return FittedSwaps(sizes, found[0].lower, a, b)
