"""Risk: gains and losses by topic where a loss counts more than a gain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import column_means, ratio

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.statistics.differences import Family


def weighed_differences(scores: Floats, family: Family, aversion: float) -> Floats:
    """float64[T, P]: what the first run gains over the second, a loss counting 1 + a times.

    Args:
        scores: float64[T, S], higher is better.
        family: P pairs: runs and their baselines.
        aversion: a, 0 or more.
    """
    gains = family.differences(scores)
    return np.where(gains < 0, (1 + aversion) * gains, gains)


def u_risk(scores: Floats, family: Family, aversion: float) -> Floats:
    """float64[P]: the mean of the weighed differences, from -(1 + a) times the range upwards.

    Higher is better; with a = 0 it is the mean difference.

    Source: L. Wang, P. N. Bennett, K. Collins-Thompson, SIGIR 2012.
    """
    return column_means(weighed_differences(scores, family, aversion))


def t_risk(scores: Floats, family: Family, aversion: float, *, by_n: bool = False) -> Floats:
    """float64[P]: URisk over its standard error; 0 where the weighed differences never vary.

    With a = 0 it is the paired t. With a above 0 it is no test of equal means.

    Args:
        scores: float64[T, S], T at least 2.
        family: P pairs.
        aversion: a.
        by_n: whether the variance divides by T, as the authors' program does, not by T - 1.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2014.
    """
    weighed = weighed_differences(scores, family, aversion)
    topics = len(weighed)
    mean = column_means(weighed)
    squares = np.cumsum((weighed - mean) ** 2, axis=0)[-1]
    return ratio(mean, np.sqrt(squares / (topics if by_n else topics - 1) / topics))


def z_risk(scores: Floats, aversion: float) -> Floats:
    """float64[S]: how far each run's scores are from what the totals of runs and topics predict.

    The sum over topics of (x - e) / sqrt(e), the negative ones 1 + a times, where e is the run's
    total times the topic's over the total of all. It depends on the other runs.

    Args:
        scores: float64[T, S], none below 0, higher is better.
        aversion: a, 0 or more.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2016.
    """
    of_run, of_topic = np.cumsum(scores, axis=0)[-1], np.cumsum(scores, axis=1)[:, -1]
    total = float(np.cumsum(of_topic)[-1])
    expected = ratio(of_topic[:, None] * of_run, total)
    z = ratio(scores - expected, np.sqrt(expected))
    found: Floats = np.cumsum(np.where(z < 0, (1 + aversion) * z, z), axis=0)[-1]
    return found


def geo_risk(scores: Floats, aversion: float) -> Floats:
    """float64[S]: the geometric mean of a run's mean and Phi(ZRisk / T), from 0 upwards.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2016.
    """
    shape = [math.erfc(-z / len(scores) / math.sqrt(2)) / 2 for z in z_risk(scores, aversion)]
    found: Floats = np.sqrt(column_means(scores) * np.array(shape))
    return found
