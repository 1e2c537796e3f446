"""How often the difference of two runs' resampled sums reaches a threshold, for many pairs.

One product gives each run's sums, shared by all pairs; what is left per pair and resample is a
subtraction, a comparison and a count, in rows that stay in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.workers import default_threads, in_order
from irev.statistics import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.statistics.families import Family
    from irev.statistics.methods import Tail

Blocks: TypeAlias = "Sequence[tuple[int, int]]"
"""Blocks of resamples, (number, size) each."""

_TOGETHER = 16
"""Blocks of resamples that a thread takes at once at most."""

_SUMS = 1 << 21
"""Sums of runs that are held at once (16 MiB), more if a single block has more."""


def over_blocks(
    count: Callable[[Blocks], Ints], resamples: int, runs: int, threads: int | None
) -> Ints:
    """The sum of what is counted in some blocks of resamples at a time.

    Args:
        count: counts in blocks.
        resamples: B.
        runs: how many have a sum in each resample.
        threads: how many to use.
    """
    blocks = list(streams.blocks(resamples))
    together = max(1, min(_TOGETHER, _SUMS // (runs * streams.BLOCK)))
    parts = (blocks[start : start + together] for start in range(0, len(blocks), together))
    total: Ints = np.sum(
        list(in_order(count, parts, threads or default_threads())), axis=0, dtype=np.int64
    )
    return total


def sums_of_blocks(sums: Callable[[int, int], Floats], blocks: Blocks, runs: int) -> Floats:
    """float64[S, n]: the sums in n resamples, those of a block behind those of the one before.

    Args:
        sums: gives float64[S, size], the sums of a block, for its number and size.
        blocks: some of them.
        runs: S.
    """
    found = np.empty((runs, sum(size for _, size in blocks)))
    start = 0
    for number, size in blocks:
        found[:, start : start + size] = sums(number, size)
        start += size
    return found


def reaching(sums: Floats, family: Family, least: Floats, tail: Tail) -> Ints:
    """int64[P]: in how many resamples a pair's difference of sums is at least `least`.

    Two-sided, the absolute difference counts; for "less", the difference the other way round.

    Args:
        sums: float64[S, n]: each run's sum in each resample.
        family: P pairs of runs.
        least: float64[P].
        tail: the alternative.
    """
    pairs = family.reversed() if tail == "less" else family
    count = np.empty(len(pairs), np.int64)
    row, reached = np.empty(sums.shape[1]), np.empty(sums.shape[1], bool)
    # a row at a time: it stays in the cache, and no run's sums are copied
    for place, (first, second, enough) in enumerate(
        zip(pairs.first.tolist(), pairs.second.tolist(), least.tolist(), strict=True)
    ):
        np.subtract(sums[first], sums[second], out=row)
        if tail == "two-sided":
            np.abs(row, out=row)
        np.greater_equal(row, enough, out=reached)
        count[place] = np.count_nonzero(reached)
    return count
