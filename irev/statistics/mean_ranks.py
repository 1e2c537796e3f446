"""The runs' mean ranks over topics, and how far apart two of them are by Nemenyi's test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import column_means
from irev.statistics.differences import groups_of_equals, scale_of

if TYPE_CHECKING:
    from irev.core.arrays import Floats


def mean_ranks(scores: Floats) -> Floats:
    """float64[S]: each run's mean rank over topics, from 1 (best) to S; equal runs share ranks.

    Args:
        scores: float64[T, S], higher is better.
    """
    from scipy.stats import rankdata

    scale = scale_of(scores)
    levels = np.array([groups_of_equals(of_topic, scale) for of_topic in scores])
    return column_means(rankdata(-levels, axis=1))


def critical_difference(runs: int, topics: int, alpha: float = 0.05) -> float:
    """The smallest difference of mean ranks that is significant over all pairs.

    CD = q / sqrt(2) * sqrt(k (k + 1) / (6 n)) for k runs and n topics, q the upper quantile of the
    studentised range of k means with infinite degrees of freedom.

    Source: P. B. Nemenyi (1963); J. Demšar, JMLR 7 (2006).
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, runs, math.inf))
    return q / math.sqrt(2) * math.sqrt(runs * (runs + 1) / (6 * topics))
