"""What tests by resampling share: the runs' sums in each resample, counted against a threshold.

One product, or one look-up, gives each run's sums, shared by all pairs; what is left per pair and
resample is a subtraction, a comparison and a count, in rows that stay in the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairMask,
    PairValues,
    RunsByResamples,
    TopicsByRuns,
)
from irev.core.record import record
from irev.core.workers import default_threads, map_in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail


_ALONE = 1 << 18
"""Multiplications in a product for which OpenBLAS uses one thread."""


def single_threaded_product(first_matrix: Floats, second_matrix: Floats) -> Floats:
    """float64[M, N]: float64[M, K] times float64[K, N]."""
    height, depth = first_matrix.shape
    width = second_matrix.shape[1]
    result = np.empty((height, width))
    rows = max(1, min(height, _ALONE // max(depth * min(width, 64), 1)))
    columns = max(1, _ALONE // max(depth * rows, 1))
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            part = (slice(top, top + rows), slice(left, left + columns))
            np.matmul(first_matrix[part[0]], second_matrix[:, part[1]], out=result[part])
    return result


Blocks: TypeAlias = "Sequence[tuple[int, int]]"
"""Blocks of resamples, (number, size) each."""

_TOGETHER = 16
"""Blocks of resamples that a thread takes at once at most."""

_SUMS = 1 << 21
"""Sums of runs that are held at once (16 MiB), more if a single block has more."""


def sum_over_blocks(
    count_blocks: Callable[[Blocks], PairCounts],
    num_resamples: int,
    num_runs: int,
    threads: int | None,
) -> PairCounts:
    """The sum of what is counted in some blocks of resamples at a time.

    `count_blocks`: counts in blocks. `num_runs`: how many have a sum in each resample.
    """
    blocks = list(draws.resample_blocks(num_resamples))
    blocks_at_once = max(1, min(_TOGETHER, _SUMS // (num_runs * draws.BLOCK)))
    parts = (
        blocks[start : start + blocks_at_once] for start in range(0, len(blocks), blocks_at_once)
    )
    total: Ints = np.sum(
        list(map_in_order(count_blocks, parts, threads or default_threads())),
        axis=0,
        dtype=np.int64,
    )
    return total


def sums_by_run_of_blocks(
    sums_by_run_of_block: Callable[[int, int], RunsByResamples], blocks: Blocks, num_runs: int
) -> RunsByResamples:
    """float64[S, n]: the sums in n resamples, those of a block behind those of the one before.

    `sums_by_run_of_block`: gives float64[S, size], the sums of a block, for its number and size.
    """
    sums = np.empty((num_runs, sum(size for _, size in blocks)))
    start = 0
    for block_index, size in blocks:
        sums[:, start : start + size] = sums_by_run_of_block(block_index, size)
        start += size
    return sums


def count_reaching(
    sums_by_run: RunsByResamples, pairs: RunPairs, thresholds: PairValues, tail: Tail
) -> PairCounts:
    """In how many resamples a pair's difference of sums is at least `thresholds`.

    Two-sided, the absolute difference counts; for "less", the difference the other way round.

    `sums_by_run`: float64[S, n]: each run's sum in each resample. `thresholds`: float64[P].
    """
    directed_pairs = pairs.swapped_runs() if tail == "less" else pairs
    counts = np.empty(len(directed_pairs), np.int64)
    row, reached = np.empty(sums_by_run.shape[1]), np.empty(sums_by_run.shape[1], bool)
    # a row at a time: it stays in the cache, and no run's sums are copied
    for pair_index, (first, second, threshold) in enumerate(
        zip(
            directed_pairs.first.tolist(),
            directed_pairs.second.tolist(),
            thresholds.tolist(),
            strict=True,
        )
    ):
        np.subtract(sums_by_run[first], sums_by_run[second], out=row)
        if tail == "two-sided":
            np.abs(row, out=row)
        np.greater_equal(row, threshold, out=reached)
        counts[pair_index] = np.count_nonzero(reached)
    return counts


_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")

_MOST_CELLS = 1 << 23
"""Numbers in the tables at most (64 MiB)."""


def half_signed_sums_by_run_function(
    score_matrix: TopicsByRuns, seed: int
) -> Callable[[int, int], RunsByResamples]:
    """What gives a block's sums, float64[S, resamples]: half of each run's sum under the signs.

    The sum over the topics whose sign is kept, less half the sum over all topics, is half the sum
    under the signs; `draws.random_signs` says which are kept.

    Returns:
        A function of a block's number and how many resamples it has.
    """
    num_topics, num_runs = score_matrix.shape
    half: Floats = score_matrix.sum(axis=0) / 2
    eights = -(-num_topics // 8)
    if eights * 256 * num_runs > _MOST_CELLS:
        by_run = np.ascontiguousarray(score_matrix.T)

        def sums_by_product(block_index: int, resamples: int) -> RunsByResamples:
            kept = draws.random_signs(seed, block_index, resamples, num_topics).astype(np.float64)
            return single_threaded_product(by_run, kept.T) - half[:, None]

        return sums_by_product
    filled = np.zeros((eights * 8, num_runs))
    filled[:num_topics] = score_matrix
    tables = _BITS.astype(np.float64) @ filled.reshape(eights, 8, num_runs)
    tables[0] -= half

    def sums_by_lookup(block_index: int, resamples: int) -> RunsByResamples:
        drawn = draws.random_sign_bits(seed, block_index, resamples, num_topics)
        # "clip" spares take() a copy of what it writes; no index is out of range
        sums: Floats = tables[0].take(drawn[0], axis=0, mode="clip")
        more = np.empty_like(sums)
        for table, kept in zip(tables[1:], drawn[1:], strict=True):
            np.take(table, kept, axis=0, out=more, mode="clip")
            sums += more
        return sums.T

    return sums_by_lookup


@record
class ResampledTest:
    """The outcome of a test by resampling for P pairs of runs.

    count      int64[P]: resamples at least as extreme as what was observed; 0 where p is exact
    resamples  int64[P]: B, how many were drawn; 0 where p is exact
    p          float64[P]: (count + 1) / (B + 1), never 0 (Phipson & Smyth 2010); or exact
    asl        float64[P]: count / B, the achieved significance level of Sakai (2006); or exact
    error      float64[P]: the standard error of p from having drawn: sqrt(p (1 - p) / B)
    method     P words: how p was found: identical, lattice or listed (both exact), or Monte Carlo
    identical  bool[P]: no topic has a difference; p is 1
    constant   bool[P]: every topic has the same difference
    seed       of the draws
    """

    count: Ints
    resamples: Ints
    p: Floats
    asl: Floats
    error: Floats
    method: tuple[str, ...]
    identical: Bools
    constant: Bools
    seed: int


def resampled_test(
    exact_p: PairValues,
    counts: PairCounts,
    num_resamples: int,
    methods: tuple[str, ...],
    identical_and_constant: tuple[PairMask, PairMask],
    seed: int,
) -> ResampledTest:
    """The outcome, given the exact p where there is one and NaN where resamples were counted.

    `identical_and_constant`: bool[P] twice, which pairs are so.
    """
    is_drawn = np.isnan(exact_p)
    p = np.where(is_drawn, (counts + 1) / (num_resamples + 1), exact_p)
    return ResampledTest(
        count=np.where(is_drawn, counts, 0),
        resamples=np.where(is_drawn, num_resamples, 0),
        p=p,
        asl=np.where(is_drawn, counts / num_resamples, exact_p),
        error=np.where(is_drawn, np.sqrt(p * (1 - p) / num_resamples), 0.0),
        method=methods,
        identical=identical_and_constant[0],
        constant=identical_and_constant[1],
        seed=seed,
    )


def percentile_interval(resampled_values: Floats, level: float) -> tuple[float, float]:
    """The percentile interval of a value, given that in each resample; NaN where there is none."""
    if not len(resampled_values):
        return np.nan, np.nan
    edges = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(resampled_values, edges, method="inverted_cdf").tolist()
    return low, high
