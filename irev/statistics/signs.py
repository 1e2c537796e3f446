"""Wins, ties and losses over topics, and the sign test on them.

The sign test does not test the mean: it asks whether a topic is won as often as lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.errors import UsageError
from irev.statistics.differences import check, in_blocks, scales
from irev.statistics.tolerance import NEAR, SMALLEST

if TYPE_CHECKING:
    from irev.statistics.families import Family
    from irev.statistics.methods import Tail


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """Wins, ties and losses of the first run of each pair, int64[P], and the sign test's p."""

    wins: Ints
    ties: Ints
    losses: Ints
    p: Floats


def sign_test(
    scores: Floats, family: Family, *, min_diff: float = 0.0, tail: Tail = "two-sided"
) -> Signs:
    """The sign test: wins against losses, ties dropped.

    A topic is won where d_t > min_diff and lost where d_t < -min_diff. p is that of `wins` in
    wins + losses tosses of a fair coin, two-sided twice the smaller tail and at most 1; it is 1
    where all are ties. With a min_diff this is the sign test of van Rijsbergen (1979, chapter 7).

    Args:
        scores: float64[T, S].
        family: P pairs of runs.
        min_diff: differences up to this are ties; 0 or more.
        tail: the alternative.

    Raises:
        UsageError: min_diff is negative, there are fewer than two topics, or a score is not finite.
    """
    if not min_diff >= 0:
        raise UsageError(f"the smallest difference that counts cannot be {min_diff}")
    check(scores)
    least = min_diff + NEAR * scales(scores, family)  # 0.3 - 0.29 is no more than 0.01
    wins, losses = np.zeros(len(family), np.int64), np.zeros(len(family), np.int64)
    for part, block in in_blocks(scores, family):
        wins[part] = np.count_nonzero(block > least[part, None], axis=1)
        losses[part] = np.count_nonzero(block < -least[part, None], axis=1)
    return Signs(wins, len(scores) - wins - losses, losses, _p(wins, losses, tail))


def _p(wins: Ints, losses: Ints, tail: Tail) -> Floats:
    from scipy.special import bdtr

    fewer = {"two-sided": np.minimum(wins, losses), "greater": losses, "less": wins}[tail]
    tosses = wins + losses
    # of no toss the tail is not defined
    chance = bdtr(fewer, np.maximum(tosses, 1), 0.5)
    if tail == "two-sided":
        chance = np.minimum(1.0, 2.0 * chance)
    return np.where(tosses > 0, np.maximum(chance, SMALLEST), 1.0)
