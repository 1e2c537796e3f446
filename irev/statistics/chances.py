"""How probable it is that one run is better than another by more than some difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.statistics import draws
from irev.statistics.differences import NEAR, scales
from irev.statistics.resampling import over_blocks, product, sums_of_blocks

if TYPE_CHECKING:
    from irev.core.arrays import Floats, Ints
    from irev.statistics.differences import Family
    from irev.statistics.resampling import Blocks

DRAWS = 20_000
"""How many weights are drawn where nobody says: the standard error of a share is 0.0036 at most."""


@dataclass(frozen=True, eq=False, repr=False)
class Chances:
    """Shares of the draws, for P pairs: float64[P] each; the three have the sum 1.

    better  in which the first run's mean is higher by more than the difference asked about
    equal   neither
    worse   in which it is lower by more
    """

    better: Floats
    equal: Floats
    worse: Floats


def bayesian_bootstrap(
    scores: Floats,
    family: Family,
    by: float = 0.0,
    *,
    resamples: int = DRAWS,
    seed: int = 0,
    threads: int | None = None,
) -> Chances:
    """The posterior probabilities that the first run is better, equal or worse.

    Each draw weighs the topics by a point of the simplex, drawn uniformly (Dirichlet of ones), and
    looks at the difference of the weighted means.

    Args:
        scores: float64[T, S], higher is better.
        family: P pairs.
        by: runs that differ by no more are equal; 0 or more.
        resamples: B.
        seed: of the draws.
        threads: how many work; no result depends on it.

    Source: D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics 9 (1981).
    """
    topics, runs = scores.shape
    by_run = np.ascontiguousarray(scores.T)
    least = (by + NEAR * scales(scores, family)).tolist()

    def sums(block: int, size: int) -> Floats:
        return product(by_run, draws.shares(seed, block, size, topics).T)

    def count(blocks: Blocks) -> Ints:
        means = sums_of_blocks(sums, blocks, runs)
        found = np.empty((2, len(family)), np.int64)
        pairs = zip(family.first.tolist(), family.second.tolist(), least, strict=True)
        for place, (first, second, enough) in enumerate(pairs):
            difference = means[first] - means[second]
            found[0, place] = np.count_nonzero(difference > enough)
            found[1, place] = np.count_nonzero(difference < -enough)
        return found

    better, worse = over_blocks(count, resamples, runs, threads)
    return Chances(better / resamples, (resamples - better - worse) / resamples, worse / resamples)
