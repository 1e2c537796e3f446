"""When two statistics are equal, although their last bits differ.

Scores such as P@10 or RR take few values, and many resamples have exactly the statistic that was
observed. Whether these count must not hang on rounding: 0.3 - 0.2 and 0.2 - 0.1 are equal here.
"""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, offsets

NEAR = 1e-12
"""Scores closer than this, relative to the largest, are equal."""

SMALLEST = float(np.finfo(np.float64).tiny)
"""What the chance of something possible is at least: smaller ones lose their digits, then vanish.

Of 1,100 topics that all go one way, p is 2^-1099, which no number of 64 bits holds.
"""


def scale_of(scores: Floats) -> float:
    """What a tolerance is relative to: the largest absolute score; 1 where all are 0."""
    largest = float(np.abs(scores).max()) if scores.size else 0.0
    return largest if largest > 0 else 1.0


def without_noise(differences: Floats, scale: float | Floats) -> Floats:
    """Differences of scores, those too small to mean anything set to 0."""
    return np.where(np.abs(differences) <= NEAR * scale, 0.0, differences)


def slack(topics: int, scale: float) -> float:
    """How far below the observed one a sum over topics may lie and still be as large."""
    return NEAR * topics * scale


def groups_of_equals(values: Floats, scale: float) -> Ints:
    """int64[n]: a number for each value, equal for equal values, rising with them.

    Values are told apart by the gaps between neighbours in sorted order, so that no grid can part
    two that are nearly equal.
    """
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > NEAR * scale
    numbers = np.empty(len(values), np.int64)
    numbers[order] = offsets(gaps)[: len(values)]
    return numbers
