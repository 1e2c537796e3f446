"""How often the difference of two runs' resampled sums reaches a threshold, for many pairs.

One product gives each run's sums, shared by all pairs; what is left per pair and resample is a
subtraction, a comparison and a count, in tables that stay in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.arrays import Bools, Floats, Ints
from irev.statistics import streams
from irev.statistics.differences import CELLS, Tail
from irev.workers import default_threads, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from irev.statistics.families import Family


_TOGETHER = 16
"""Blocks of resamples that a thread takes at once, so that handing them out costs nothing."""


def over_blocks(count: Callable[[int, int], Ints], resamples: int, threads: int | None) -> Ints:
    """The sum of what is counted in each block of resamples, given its number and size."""
    blocks = list(streams.blocks(resamples))
    parts = (blocks[start : start + _TOGETHER] for start in range(0, len(blocks), _TOGETHER))

    def of_part(part: list[tuple[int, int]]) -> Ints:
        return _sum([count(*block) for block in part])

    counted = in_order(of_part, parts, threads or default_threads())
    return _sum(list(counted))


def _sum(counts: list[Ints]) -> Ints:
    total: Ints = np.sum(counts, axis=0, dtype=np.int64)
    return total


def differences_of_sums(sums: Floats, family: Family) -> Iterator[tuple[slice, Floats]]:
    """Parts of the pairs, with float64[pairs, n]: the differences of n resampled sums.

    The table is the same memory each time.

    Args:
        sums: float64[S, n]: each run's sum in each resample.
        family: pairs of runs.
    """
    size = max(1, CELLS // sums.shape[1])
    table, other = np.empty((2, min(size, len(family)), sums.shape[1]))
    for part, pairs in family.parts(size):
        rows = table[: len(pairs)]
        # "clip" spares take() a copy of what it writes; no index is out of range
        np.take(sums, pairs.first, axis=0, out=rows, mode="clip")
        np.take(sums, pairs.second, axis=0, out=other[: len(pairs)], mode="clip")
        rows -= other[: len(pairs)]
        yield part, rows


def how_often(reached: Bools) -> Ints:
    """int64[rows]: how many are true in each row."""
    counted: Ints = np.bitwise_count(np.packbits(reached, axis=1)).sum(axis=1, dtype=np.int64)
    return counted


def reaching(sums: Floats, family: Family, least: Floats, tail: Tail) -> Ints:
    """int64[P]: in how many resamples a pair's difference of sums is at least `least`.

    Two-sided, the absolute difference counts; for "less", the difference the other way round.

    Args:
        sums: float64[S, n]: each run's sum in each resample.
        family: P pairs of runs.
        least: float64[P].
        tail: the alternative.
    """
    count = np.zeros(len(family), np.int64)
    for part, rows in differences_of_sums(sums, family.reversed() if tail == "less" else family):
        if tail == "two-sided":
            np.abs(rows, out=rows)
        count[part] = how_often(rows >= least[part, None])
    return count
