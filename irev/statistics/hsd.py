"""Tukey's honestly significant differences of runs that were scored on the same topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.anova import decompose, mean_differences
from irev.statistics.studentized_range import studentized_range_critical, studentized_range_tail

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.statistics.anova import Decomposition
    from irev.statistics.families import Family


@dataclass(frozen=True, eq=False, repr=False)
class TukeyHsd:
    """Tukey's HSD for some pairs of S runs, each p corrected for all S(S-1)/2 pairs.

    difference   float64[P]: mean of the first run less mean of the second
    q            float64[P]: |difference| / sqrt(ms_error / T), >= 0
    p            float64[P]: P(Q >= q), in [0, 1]
    effect_size  float64[P]: difference / sqrt(ms_error), Sakai's ES_HSD
    critical     the q above which a pair is significant at alpha
    margin       critical * sqrt(ms_error / T): half the width of every interval
    """

    difference: Floats
    q: Floats
    p: Floats
    effect_size: Floats
    alpha: float
    critical: float
    margin: float

    @property
    def low(self) -> Floats:
        """float64[P]: the lower ends of the simultaneous 1 - alpha intervals."""
        return self.difference - self.margin

    @property
    def high(self) -> Floats:
        """float64[P]: the upper ends of the simultaneous 1 - alpha intervals."""
        return self.difference + self.margin


def tukey_hsd(scores: Floats, family: Family, alpha: float = 0.05) -> TukeyHsd:
    """Tukey's HSD test after a two-way analysis of variance.

    q = |x̄_i - x̄_j| / √(MS_error / T) against the studentised range of S values with (S-1)(T-1)
    degrees of freedom, MS_error being that of topics and runs (`anova.two_way_anova`). The one-way
    test of many libraries, which takes the runs for independent samples, loses most differences
    between runs on the same topics. With two runs q = √2 |t| and p is that of the paired t-test.

    Where MS_error is 0, q is 0 and p 1 for equal means, q infinite and p 0 for others.

    Args:
        scores: float64[T, S], finite, T and S at least 2.
        family: the pairs to report; p and intervals are for all pairs of the S runs in any case.
        alpha: the level of the simultaneous intervals, in (0, 1).

    Raises:
        UsageError: there are fewer than 2 topics or 2 runs, or a score is not finite.

    Source: T. Sakai, Laboratory Experiments in Information Retrieval (2018), ch. 5.
    """
    parts = decompose(scores)
    difference = mean_differences(parts, family)
    q = studentized_differences(parts, difference)
    critical = studentized_range_critical(alpha, parts.runs, parts.df_error)
    return TukeyHsd(
        difference,
        q,
        studentized_range_tail(q, parts.runs, parts.df_error),
        _over(difference, math.sqrt(parts.ms_error)),
        alpha,
        critical,
        critical * math.sqrt(parts.ms_error / parts.topics),
    )


def studentized_differences(parts: Decomposition, difference: Floats) -> Floats:
    """float64[P]: |difference| / sqrt(ms_error / T)."""
    return _over(np.abs(difference), math.sqrt(parts.ms_error / parts.topics))


def _over(difference: Floats, error: float) -> Floats:
    """The quotient; without error 0 stays 0 and the rest is infinite."""
    if error == 0:
        return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return difference / error
