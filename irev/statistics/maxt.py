"""Single-step maxT: a permutation test of several differences at once.

The differences of a family share their topics, and are the more alike the more the runs are.
Flipping the signs of whole topics, in all differences together, keeps that likeness; a correction
that only counts the hypotheses cannot use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.workers import in_order
from irev.statistics.differences import check
from irev.statistics.streams import BLOCK, blocks, signs
from irev.statistics.tolerance import scale_of, slack, without_noise

if TYPE_CHECKING:
    from irev.core.arrays import Bools, Floats, Ints
    from irev.statistics.families import Family

MOST_EXACT = 16
"""Up to so many topics with any difference, all patterns of signs are gone through."""

_CELLS = 1 << 18  # sums of a pattern and a pair that are held at once


@dataclass(frozen=True, eq=False, repr=False)
class MaxT:
    """The outcome for P differences, each p corrected for all P.

    statistic  float64[P]: |Σ_t d_t| / sqrt(Σ_t d_t²); 0 where all d_t are 0
    count      int64[P]: how many sign patterns had a largest statistic at least as large
    patterns   how many sign patterns there were: all of them, or those drawn
    exact      whether they were all
    seed       what the draws depended on
    """

    statistic: Floats
    count: Ints
    patterns: int
    exact: bool
    seed: int

    @property
    def p(self) -> Floats:
        """float64[P]: count / patterns if exact, else (count + 1) / (patterns + 1); never 0."""
        if self.exact:
            found: Floats = self.count / self.patterns
            return found
        drawn: Floats = (self.count + 1) / (self.patterns + 1)
        return drawn


def max_t(
    scores: Floats, family: Family, *, resamples: int = 100_000, seed: int = 0, threads: int = 1
) -> MaxT:
    """The single-step maxT permutation test of a family of paired differences.

    For each pattern of signs s, the same for all pairs, M = max_j |Σ_t s_t d_tj| / √(Σ_t d_tj²);
    p_j is the share of patterns with M >= the observed |Σ_t d_tj| / √(Σ_t d_tj²). That quotient
    rises with |t| of the paired t-test. All patterns are gone through where at most 16 topics have
    any difference.

    Args:
        scores: float64[T, S], finite.
        family: the pairs, say each run against a baseline; p is corrected for these.
        resamples: how many patterns are drawn where there are too many, at least 1.
        seed: what the draws depend on, and the only thing.
        threads: how many threads work; the outcome does not depend on it.

    Raises:
        UsageError: there are fewer than 2 topics, or a score is not finite.

    Source: P. Westfall and S. Young, Resampling-Based Multiple Testing (1993); for runs,
    L. Boytsov, A. Belova and P. Westfall, SIGIR 2013.
    """
    check(scores)
    scale = scale_of(scores)
    differences = without_noise(family.differences(scores), scale)
    length = np.sqrt((differences**2).sum(axis=0))
    tested = length > 0
    statistic = np.zeros(len(family))
    directions = differences[:, tested] / length[tested]
    statistic[tested] = np.abs(directions.sum(axis=0))
    # what rounding may take away from a pair's sums
    allowed = slack(len(scores), scale) / length[tested]
    topics = np.flatnonzero(directions.any(axis=1))
    if len(topics) <= MOST_EXACT:
        directions = directions[topics]
        patterns = 1 << max(0, len(topics) - 1)  # a pattern and its opposite count alike
        work = partial(_exact_block, directions, allowed)
    else:
        patterns = resamples
        work = partial(_drawn_block, directions, allowed, seed)
    largest = np.concatenate(list(in_order(work, blocks(patterns), threads)))
    largest.sort()
    count = patterns - np.searchsorted(largest, statistic, "left")
    return MaxT(statistic, count, patterns, len(topics) <= MOST_EXACT, seed)


def _exact_block(directions: Floats, allowed: Floats, block: tuple[int, int]) -> Floats:
    """The largest statistics of a block of all patterns, the last topic's sign kept."""
    number, size = block
    pattern = np.arange(number * BLOCK, number * BLOCK + size)[:, None]
    return _largest((pattern >> np.arange(len(directions))) & 1 == 1, directions, allowed)


def _drawn_block(directions: Floats, allowed: Floats, seed: int, block: tuple[int, int]) -> Floats:
    """The largest statistics of a block of drawn patterns."""
    number, size = block
    return _largest(signs(seed, number, size, len(directions)), directions, allowed)


def _largest(flipped: Bools, directions: Floats, allowed: Floats) -> Floats:
    """float64[N]: the largest statistic under each pattern, as large as rounding allows."""
    sign = np.where(flipped, -1.0, 1.0)
    largest = np.zeros(len(sign))
    if not len(allowed):
        return largest
    step = 1 + _CELLS // len(allowed)
    for start in range(0, len(sign), step):
        sums = np.abs(sign[start : start + step] @ directions)
        sums += allowed
        sums.max(axis=1, out=largest[start : start + step])
    return largest
