"""Scores that are whole multiples of a unit: 1/10 for P@10, 1/2520 for RR@10, 1 for counts.

Sums of such scores take few values, and the chance of each can be found exactly, for any number of
topics.
"""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.statistics.tolerance import NEAR

_PARTS = (*range(1, 1001), math.lcm(*range(1, 11)))
"""A unit that is not given is sought among the k-th parts of 1 for these k."""

_AT_ONCE = 4
"""Values looked at together; few suffice to see that scores are on no lattice."""

_SURE = 1e-6
"""How far from a whole number a multiple may be at most, whatever the scale."""


def parts_of_one(scores: Floats, unit: float | None = None) -> Ints:
    """int64[S]: for each run the smallest k whose 1/k its scores are multiples of; 0 if none is.

    Args:
        scores: float64[T, S].
        unit: what the measure's scores are multiples of, where that is known; of use if it is 1/k.
    """
    known = () if unit is None or not 0 < unit <= 1 else (round(1 / unit),)
    parts = np.array(sorted({*_PARTS, *known}), np.int64)
    return np.array([_part(column, parts) for column in scores.T], np.int64)


def _part(values: Floats, parts: Ints) -> int:
    """The first k among the parts for which all values are multiples of 1/k; 0 if there is none."""
    different = np.unique(values)
    allowed = np.minimum(NEAR * parts * max(1.0, float(np.abs(values).max())), _SURE)
    fitting = np.ones(len(parts), bool)
    for start in range(0, len(different), _AT_ONCE):
        multiples = parts[fitting, None] * different[start : start + _AT_ONCE]
        off = np.abs(multiples - np.rint(multiples)).max(axis=1)
        fitting[fitting] = off <= allowed[fitting]
        if not fitting.any():
            return 0
    return int(parts[fitting][0])


def whole_differences(first: Floats, second: Floats, k: int) -> Ints:
    """int64[T]: the differences of two runs in the largest unit that leaves them whole.

    Args:
        first: float64[T], multiples of 1/k.
        second: float64[T], multiples of 1/k.
        k: a common multiple of the parts of both runs.
    """
    whole = np.rint(first * k).astype(np.int64) - np.rint(second * k).astype(np.int64)
    divisor = int(np.gcd.reduce(whole))
    return whole // max(divisor, 1)
