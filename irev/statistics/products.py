"""Products of small matrices on one thread.

A BLAS library spreads larger products over threads, which costs more than it saves here, and many
times more where the processor has other work. So products are taken in pieces that are too small
for that.
"""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats

_ALONE = 1 << 18
"""Multiplications in a product for which OpenBLAS uses one thread."""


def product(one: Floats, other: Floats) -> Floats:
    """float64[M, N]: float64[M, K] times float64[K, N]."""
    height, depth = one.shape
    width = other.shape[1]
    found = np.empty((height, width))
    rows = max(1, min(height, _ALONE // max(depth * min(width, 64), 1)))
    columns = max(1, _ALONE // max(depth * rows, 1))
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            part = (slice(top, top + rows), slice(left, left + columns))
            np.matmul(one[part[0]], other[:, part[1]], out=found[part])
    return found
