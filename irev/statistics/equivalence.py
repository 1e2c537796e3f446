"""Whether runs are equal, or one not worse, within a margin; and what the topics could tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.differences import describe, without_noise
from irev.statistics.power import detectable_difference

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.statistics.differences import Family

POWER = 0.8
"""With this chance a detectable difference is found."""


@dataclass(frozen=True, eq=False, repr=False)
class WithinMargin:
    """What t tests say of P pairs and a margin M; arrays are float64[P].

    p_equal      p of |difference| >= M: the larger of both one-sided p (two one-sided tests, TOST)
    p_not_worse  p of the first run being worse by M or more (non-inferiority)
    within       the smallest margin within which the runs are equal at alpha: the absolute mean
                 difference plus t_(1 - alpha) standard errors; it depends on no M
    detectable   the smallest difference that a two-sided t test at alpha finds with a chance of
                 `POWER`, if the differences vary as they do here

    Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
    """

    p_equal: Floats
    p_not_worse: Floats
    within: Floats
    detectable: Floats


def equivalence(
    scores: Floats, family: Family, margin: float, alpha: float = 0.05, df: float | None = None
) -> WithinMargin:
    """Two one-sided t tests of each pair; no p is corrected.

    Args:
        scores: float64[T, S], higher is better; linearised where topics have weights.
        family: P pairs.
        margin: M, above 0, in the unit of the scores.
        alpha: the level of each one-sided test.
        df: degrees of freedom; None: T - 1.
    """
    from scipy.special import stdtr, stdtrit

    found = describe(scores, family)
    df = found.topics - 1 if df is None else df
    error = found.sd / math.sqrt(found.topics)

    def above(bound: Floats) -> Floats:
        """The chance of as much above a bound; of differences that never vary 0 or 1."""
        bound = without_noise(bound, found.scale)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = stdtr(df, -bound / error)
        return np.where(error == 0, np.where(bound > 0, 0.0, 1.0), p)

    not_worse, not_better = above(found.mean + margin), above(margin - found.mean)
    one = detectable_difference(found.topics, 1.0, alpha, 1 - POWER) if alpha < POWER else 0.0
    return WithinMargin(
        np.maximum(not_worse, not_better),
        not_worse,
        np.abs(found.mean) + float(stdtrit(df, 1 - alpha)) * error,
        one * found.sd,
    )
