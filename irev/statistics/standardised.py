"""Scores standardised by topic, so that topics and collections of any difficulty can be joined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from irev.core.arrays import ratio
from irev.statistics.differences import NEAR, groups_of_equals, scale_of

if TYPE_CHECKING:
    from irev.core.arrays import Floats

Form: TypeAlias = Literal["cdf", "linear", "ecdf", "z"]
"""The standard normal distribution function of z (Webber, Moffat and Zobel 2008), 0.15 z + 0.5 cut
to 0..1 (Sakai 2016), the share of runs that score no more (Urbano, Lima and Hanjalic 2019), or z
itself."""


def standardised(scores: Floats, form: Form = "cdf") -> Floats:
    """float64[T, S]: each score by the mean and deviation (over S - 1) of all runs on its topic.

    z is 0 on a topic on which all runs have one score. "cdf", "linear" and "ecdf" are from 0 to 1.

    Args:
        scores: float64[T, S], S at least 2: the runs are their own reference.
        form: what is made of z.
    """
    runs = scores.shape[1]
    scale = scale_of(scores)
    if form == "ecdf":
        levels = np.array([groups_of_equals(of_topic, scale) for of_topic in scores])
        shares: Floats = (levels[:, :, None] >= levels[:, None, :]).sum(axis=2) / runs
        return shares
    mean = np.cumsum(scores, axis=1)[:, -1:] / runs
    apart = scores - mean
    spread = np.sqrt(np.cumsum(apart**2, axis=1)[:, -1:] / (runs - 1))
    z = ratio(apart, np.where(spread <= NEAR * scale, 0.0, spread))
    if form == "linear":
        return np.clip(0.15 * z + 0.5, 0.0, 1.0)
    if form == "cdf":
        found = [math.erfc(-each / math.sqrt(2)) / 2 for each in z.ravel().tolist()]
        return np.array(found).reshape(z.shape)
    return z
