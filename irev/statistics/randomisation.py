"""The paired randomisation (permutation) test: exact where that can be done, else Monte Carlo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.errors import UsageError
from irev.statistics.counting import Blocks, over_blocks, reaching, sums_of_blocks
from irev.statistics.differences import Differences, describe, thresholds
from irev.statistics.exact import listed_p, whole_p
from irev.statistics.lattice import parts_of_one, whole_differences
from irev.statistics.resampled import Resampled, resampled
from irev.statistics.signed_sums import half_sums
from irev.statistics.tolerance import slack, without_noise

if TYPE_CHECKING:
    from irev.statistics.families import Family
    from irev.statistics.methods import Tail

MOST_LISTED = 30
"""Up to so many non-zero differences all sign patterns are looked at."""

MOST_STEPS = 100_000_000
"""How many steps counting over a lattice may take for one pair."""


def randomisation(
    scores: Floats,
    family: Family,
    *,
    tail: Tail = "two-sided",
    resamples: int = 100_000,
    seed: int = 0,
    unit: float | None = None,
    exact: bool = True,
    threads: int | None = None,
) -> Resampled:
    """The randomisation test of each pair: how rare is such a mean, if runs are exchangeable?

    Under the null the two runs of a topic could be exchanged, so each difference d_t keeps or
    changes its sign with chance 1/2. p is the chance that the absolute sum of s_t d_t is at least
    that of d_t (Fisher 1935; Smucker, Allan & Carterette 2007). As the sum of d_t^2 stays the
    same, the studentised statistic gives the same test. Sums within a tolerance are equal.

    A pair's p is exact where both runs' scores are multiples of 1/k (the lattice) and counting
    takes at most `MOST_STEPS`, or where at most `MOST_LISTED` differences are not 0. Else B sign
    patterns are drawn, the same for all pairs. How p was found depends on the pair alone.

    Args:
        scores: float64[T, S].
        family: P pairs of runs.
        tail: the alternative: "greater" says the first run is better.
        resamples: B.
        seed: of the draws.
        unit: what the measure's scores are multiples of, where that is known.
        exact: whether p may be exact; without, B patterns are drawn for every pair.
        threads: how many to use; no result depends on it.

    Raises:
        UsageError: B is below 1, there are fewer than two topics, or a score is not finite.
    """
    check_resamples(resamples)
    found = describe(scores, family)
    exact_p, method = np.full(len(family), np.nan), np.full(len(family), "Monte Carlo", object)
    exact_p[found.identical], method[found.identical] = 1.0, "identical"
    if exact:
        _by_lattice(scores, family, tail, unit, exact_p, method, threads)
        _by_listing(scores, family, tail, found, exact_p, method)
    count = np.zeros(len(family), np.int64)
    left = np.flatnonzero(np.isnan(exact_p))
    if len(left):
        least = thresholds(found, tail)[left]
        count[left] = _count_drawn(
            scores, family.chosen(left), least, tail, resamples, seed, threads
        )
    flags = (found.identical, found.constant)
    return resampled(exact_p, count, resamples, tuple(method.tolist()), flags, seed)


def check_resamples(resamples: int) -> None:
    """Refuse to draw no resample.

    Raises:
        UsageError: there is none.
    """
    if resamples < 1:
        raise UsageError(f"a test by resampling needs at least one resample, not {resamples}")


def _by_lattice(
    scores: Floats,
    family: Family,
    tail: Tail,
    unit: float | None,
    exact_p: Floats,
    method: np.ndarray,
    threads: int | None,
) -> None:
    """Fill in p for the pairs whose scores are multiples of a unit."""
    parts = parts_of_one(scores, unit)
    places, terms = [], []
    for place in np.flatnonzero(np.isnan(exact_p)).tolist():
        first, second = int(family.first[place]), int(family.second[place])
        common = math.lcm(int(parts[first]), int(parts[second]))
        if not common:
            continue
        whole = whole_differences(scores[:, first], scores[:, second], common)
        if np.count_nonzero(whole) * int(np.abs(whole).sum()) <= MOST_STEPS:
            places.append(place)
            terms.append(whole)
    if places:
        exact_p[places] = whole_p(np.array(terms), tail, threads)
        method[places] = "lattice"


def _by_listing(
    scores: Floats,
    family: Family,
    tail: Tail,
    found: Differences,
    exact_p: Floats,
    method: np.ndarray,
) -> None:
    """Fill in p for the pairs with few differences."""
    few = np.isnan(exact_p) & (found.nonzero <= MOST_LISTED)
    for place in np.flatnonzero(few).tolist():
        terms = scores[:, family.first[place]] - scores[:, family.second[place]]
        scale = float(found.scale[place])
        terms = without_noise(terms, scale)
        exact_p[place] = listed_p(terms[terms != 0], slack(found.topics, scale), tail)
        method[place] = "listed"


def _count_drawn(
    scores: Floats,
    family: Family,
    least: Floats,
    tail: Tail,
    resamples: int,
    seed: int,
    threads: int | None,
) -> Ints:
    """int64[P]: how many drawn sign patterns reach the threshold."""
    sums, runs = half_sums(scores, seed), scores.shape[1]

    def count(blocks: Blocks) -> Ints:
        return reaching(sums_of_blocks(sums, blocks, runs), family, least / 2, tail)

    return over_blocks(count, resamples, runs, threads)
