"""Sums of the runs' scores under random signs of the topics, the signs the same for all runs.

The signs of eight topics are a byte, and a byte has 256 values: what each run's scores on these
topics add up to is looked up, which is faster than a product with a matrix of signs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.statistics import streams
from irev.statistics.products import product

if TYPE_CHECKING:
    from collections.abc import Callable

_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")

_MOST_CELLS = 1 << 23
"""Numbers in the tables at most (64 MiB)."""


def half_sums(scores: Floats, seed: int) -> Callable[[int, int], Floats]:
    """What gives a block's sums, float64[S, resamples]: half of each run's sum under the signs.

    The sum over the topics whose sign is kept, less half the sum over all topics, is half the sum
    under the signs; `streams.signs` says which are kept.

    Args:
        scores: float64[T, S].
        seed: of the draws.

    Returns:
        A function of a block's number and how many resamples it has.
    """
    topics, runs = scores.shape
    half: Floats = scores.sum(axis=0) / 2
    eights = -(-topics // 8)
    if eights * 256 * runs > _MOST_CELLS:
        by_run = np.ascontiguousarray(scores.T)

        def multiplied(block: int, resamples: int) -> Floats:
            kept = streams.signs(seed, block, resamples, topics).astype(np.float64)
            return product(by_run, kept.T) - half[:, None]

        return multiplied
    filled = np.zeros((eights * 8, runs))
    filled[:topics] = scores
    tables = _BITS.astype(np.float64) @ filled.reshape(eights, 8, runs)
    tables[0] -= half

    def looked_up(block: int, resamples: int) -> Floats:
        drawn = streams.signs_of_eight(seed, block, resamples, topics)
        # "clip" spares take() a copy of what it writes; no index is out of range
        sums: Floats = tables[0].take(drawn[0], axis=0, mode="clip")
        more = np.empty_like(sums)
        for table, kept in zip(tables[1:], drawn[1:], strict=True):
            np.take(table, kept, axis=0, out=more, mode="clip")
            sums += more
        return sums.T

    return looked_up
