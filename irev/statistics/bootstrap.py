"""The paired bootstrap test of Sakai (2006), for whole families of pairs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairsByResamples,
    ResamplesByTopics,
    RunsByResamples,
    TopicsByRuns,
)
from irev.core.draws import topic_counts_of_draws
from irev.core.record import record
from irev.statistics.differences import (
    CELLS,
    NEAR,
    DifferenceSummary,
    mean_and_sd_of_differences,
    same_difference_p_values,
    sum_thresholds,
)
from irev.statistics.permutation import check_resamples
from irev.statistics.resampling import (
    Blocks,
    ResampledTest,
    count_reaching,
    resampled_test,
    single_threaded_product,
    sum_over_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail

Statistic: TypeAlias = Literal["studentised", "mean"]
"""What is compared: t* with t, or the mean of the shifted differences with their mean."""

_RELATIVE = 1e-9
"""How much smaller a squared t* may be and still be as large as the observed one."""


def topic_weights(
    seed: int, block_index: int, num_resamples: int, num_topics: int
) -> ResamplesByTopics:
    """float64[resamples, T]: how often each topic is in each sample of T topics of a block.

    The same for all pairs and measures.
    """
    return topic_counts_of_draws(
        draws.topic_samples(seed, block_index, num_resamples, num_topics), num_topics
    )


def bootstrap_test(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    statistic: Statistic = "studentised",
    tail: Tail = "two-sided",
    num_resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> ResampledTest:
    """The paired bootstrap test of each pair, by the shift method.

    Differences are shifted to mean 0, w_t = d_t - m, and T topics are drawn with replacement B
    times, the same for all pairs. `asl` is the share of the samples with |t*| >= |t|, where
    t* = mean(w*) / (sd(w*) / sqrt(T)) (Sakai, SIGIR 2006, section 3). With `statistic="mean"` it is
    |mean(w*)| >= |m| (Smucker et al. 2007), which is liberal with few topics.

    A sample in which w* is constant has an infinite t*, and none, which is not counted, where that
    constant is 0. Runs without a difference have asl 1; a constant difference, which all samples
    have, has the p of the sign flips.
    """
    check_resamples(num_resamples)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    counts = np.where(differences.identical, num_resamples, np.where(differences.constant, 0, -1))
    pair_indices = np.flatnonzero(counts < 0)
    if len(pair_indices):
        counting = _Studentised if statistic == "studentised" else _Means
        count_block = counting.prepare(
            score_matrix, pairs, differences, pair_indices, tail
        ).count_as_extreme

        def count_blocks(blocks: Blocks) -> PairCounts:
            block_counts = [
                count_block(topic_weights(seed, *block, len(score_matrix))) for block in blocks
            ]
            total: Ints = np.sum(block_counts, axis=0, dtype=np.int64)
            return total

        counts[pair_indices] = sum_over_blocks(
            count_blocks, num_resamples, score_matrix.shape[1], threads
        )
    method = np.where(differences.identical, "identical", "Monte Carlo")
    method = np.where(differences.constant, "constant", method)
    flips = same_difference_p_values(differences.mean, differences.num_topics, tail)
    exact_p = np.where(differences.constant, flips, np.nan)
    flags = (differences.identical, differences.constant)
    return resampled_test(exact_p, counts, num_resamples, tuple(method.tolist()), flags, seed)


@record
class _Means:
    """Counts samples by the mean of the shifted differences."""

    centred: Floats
    """float64[S, T]: each run's scores less their mean, which is the shift."""
    pairs: RunPairs
    thresholds: Floats
    tail: Tail

    @classmethod
    def prepare(
        cls,
        score_matrix: TopicsByRuns,
        pairs: RunPairs,
        differences: DifferenceSummary,
        pair_indices: Ints,
        tail: Tail,
    ) -> _Means:
        thresholds = sum_thresholds(differences, tail)[pair_indices]
        return cls(_centred_by_run(score_matrix), pairs.subset(pair_indices), thresholds, tail)

    def count_as_extreme(self, sample_weights: ResamplesByTopics) -> PairCounts:
        """How many of the samples reach the observed mean."""
        return count_reaching(
            single_threaded_product(self.centred, sample_weights.T),
            self.pairs,
            self.thresholds,
            self.tail,
        )


@record
class _Studentised:
    """Counts samples by t*, without a division or a root.

    With M = sum of w*, Q = sum of w*^2 and k = t^2 / (T - 1 + t^2), |t*| >= |t| is M^2 >= k T Q.
    One-sided, M |M| is compared with k T Q under the sign of t.
    """

    centred: Floats
    """float64[S, T]: each run's scores less their mean, which is the shift."""
    pairs: RunPairs
    """For the tail "less" with the runs exchanged."""
    factor: Floats
    """float64[P]: k T under the sign of t, a little smaller; 0 where t is 0."""
    noise: Floats
    """float64[P]: up to this, a squared sum of T shifted differences is noise."""
    two_sided: bool

    @classmethod
    def prepare(
        cls,
        score_matrix: TopicsByRuns,
        pairs: RunPairs,
        differences: DifferenceSummary,
        pair_indices: Ints,
        tail: Tail,
    ) -> _Studentised:
        num_topics = len(score_matrix)
        mean, sd = differences.mean[pair_indices], differences.sd[pair_indices]
        sign = {
            "two-sided": np.abs(np.sign(mean)),
            "greater": np.sign(mean),
            "less": -np.sign(mean),
        }[tail]
        square = num_topics * (mean / sd) ** 2
        factor = sign * num_topics * square / (num_topics - 1 + square)
        factor -= _RELATIVE * np.abs(factor)
        noise = (NEAR * num_topics * differences.scale[pair_indices]) ** 2
        directed_pairs = pairs.subset(pair_indices)
        directed_pairs = directed_pairs.swapped_runs() if tail == "less" else directed_pairs
        return cls(
            _centred_by_run(score_matrix), directed_pairs, factor, noise, tail == "two-sided"
        )

    def count_as_extreme(self, sample_weights: ResamplesByTopics) -> PairCounts:
        """How many of the samples reach the observed t."""
        count = np.zeros(len(self.pairs), np.int64)
        for part, sums in _sum_difference_blocks(
            single_threaded_product(self.centred, sample_weights.T), self.pairs
        ):
            sums *= sums if self.two_sided else np.abs(sums)
            reached = self._reach_mask_by_pair(part, sums, sample_weights)
            count[part] = np.bitwise_count(np.packbits(reached, axis=1)).sum(axis=1)
        return count

    def _reach_mask_by_pair(
        self, part: slice, signed_squared_sums: PairsByResamples, sample_weights: ResamplesByTopics
    ) -> Bools:
        part_pairs, factor = self.pairs.subset(part), self.factor[part, None]
        noise = self.noise[part, None]
        shifted = (self.centred[part_pairs.first] - self.centred[part_pairs.second]) ** 2
        thresholds = single_threaded_product(shifted * factor, sample_weights.T)
        thresholds += noise  # so that a sample of nothing but 0 is not counted
        reached: Bools = signed_squared_sums >= thresholds
        flat = np.flatnonzero(factor == 0)
        if len(flat):
            spread = single_threaded_product(shifted[flat], sample_weights.T)
            some = spread > noise[flat] / sample_weights.shape[1]
            reached[flat] = (signed_squared_sums[flat] >= -noise[flat]) & some
        return reached


def _centred_by_run(score_matrix: TopicsByRuns) -> Floats:
    """float64[S, T]: the runs' scores less each run's mean."""
    by_run = np.ascontiguousarray(score_matrix.T)
    centred: Floats = by_run - by_run.mean(axis=1, keepdims=True)
    return centred


def _sum_difference_blocks(
    sums_by_run: RunsByResamples, pairs: RunPairs
) -> Iterator[tuple[slice, PairsByResamples]]:
    """Parts of the pairs, with float64[pairs, n]: the differences of n resampled sums.

    The table is the same memory each time.

    `sums_by_run`: float64[S, n]: each run's sum in each resample.
    """
    size = max(1, CELLS // sums_by_run.shape[1])
    table, other = np.empty((2, min(size, len(pairs)), sums_by_run.shape[1]))
    for part, part_pairs in pairs.batches(size):
        rows = table[: len(part_pairs)]
        # "clip" spares take() a copy of what it writes; no index is out of range
        np.take(sums_by_run, part_pairs.first, axis=0, out=rows, mode="clip")
        np.take(sums_by_run, part_pairs.second, axis=0, out=other[: len(part_pairs)], mode="clip")
        rows -= other[: len(part_pairs)]
        yield part, rows
