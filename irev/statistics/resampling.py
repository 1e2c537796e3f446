"""Tests by resampling: the paired permutation test and the paired bootstrap test.

One product, or one look-up, gives each run's sums in each resample, shared by all pairs; what is
left per pair and resample is a subtraction, a comparison and a count, in rows that stay in the
processor's cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairMask,
    PairsByResamples,
    PairValues,
    ResamplesByTopics,
    RunsByResamples,
    TopicCounts,
    TopicsByRuns,
    TopicValues,
)
from irev.core.draws import topic_counts_of_draws
from irev.core.record import record
from irev.core.workers import default_threads, map_in_order
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    PAIR_CELLS,
    SMALLEST,
    DifferenceSummary,
    RunPairs,
    Tail,
    mean_and_sd_of_differences,
    same_difference_p_values,
    tie_tolerance,
    zero_noise,
)

# --- What tests by resampling share ---


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


def check_resamples(num_resamples: int) -> None:
    """Refuse to draw no resample."""
    if num_resamples < 1:
        raise UsageError(f"a test by resampling needs at least one resample, not {num_resamples}")


def percentile_interval(resampled_values: Floats, level: float) -> tuple[float, float]:
    """The percentile interval of a value, given that in each resample; NaN where there is none."""
    if not len(resampled_values):
        return np.nan, np.nan
    edges = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(resampled_values, edges, method="inverted_cdf").tolist()
    return low, high


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


def sum_thresholds(differences: DifferenceSummary, tail: Tail) -> PairValues:
    """What a sum of T differences must reach to be as extreme as the observed one."""
    total = differences.mean * differences.num_topics
    observed = {"two-sided": np.abs(total), "greater": total, "less": -total}[tail]
    thresholds: Floats = observed - NEAR * differences.num_topics * differences.scale
    return thresholds


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


# --- The paired permutation (randomisation) test ---
# Exact in two ways: counting over whole numbers, for any number of topics, where scores are
# multiples of a unit (1/10 for P@10, 1/2520 for RR@10, 1 for counts), and listing all sums of each
# half of the differences, for a few of any size.


MOST_LISTED = 30
"""Up to so many non-zero differences all sign patterns are looked at."""

MOST_STEPS = 100_000_000
"""How many steps counting over a lattice may take for one pair."""


def permutation_test(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    tail: Tail = "two-sided",
    num_resamples: int = 100_000,
    seed: int = 0,
    exact: bool = True,
    threads: int | None = None,
) -> ResampledTest:
    """The randomisation test of each pair: how rare is such a mean, if runs are exchangeable?

    Under the null the two runs of a topic could be exchanged, so each difference d_t keeps or
    changes its sign with chance 1/2. p is the chance that the absolute sum of s_t d_t is at least
    that of d_t (Fisher 1935; Smucker, Allan & Carterette 2007). As the sum of d_t^2 stays the
    same, the studentised statistic gives the same test. Sums within a tolerance are equal.

    A pair's p is exact where both runs' scores are multiples of 1/k (the lattice) and counting
    takes at most `MOST_STEPS`, or where at most `MOST_LISTED` differences are not 0. Else B sign
    patterns are drawn, the same for all pairs. How p was found depends on the pair alone.

    Without `exact` patterns are drawn for every pair.
    """
    check_resamples(num_resamples)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    exact_p, methods = np.full(len(pairs), np.nan), np.full(len(pairs), "Monte Carlo", object)
    exact_p[differences.identical], methods[differences.identical] = 1.0, "identical"
    if exact:
        _fill_lattice_p(score_matrix, pairs, tail, exact_p, methods, threads)
        _fill_listed_p(score_matrix, pairs, tail, differences, exact_p, methods)
    counts = np.zeros(len(pairs), np.int64)
    pair_indices = np.flatnonzero(np.isnan(exact_p))
    if len(pair_indices):
        num_runs, drawn_pairs = score_matrix.shape[1], pairs.subset(pair_indices)
        half_thresholds = sum_thresholds(differences, tail)[pair_indices] / 2
        sums_of_block = half_signed_sums_by_run_function(score_matrix, seed)

        def count_blocks(blocks: Blocks) -> PairCounts:
            sums = sums_by_run_of_blocks(sums_of_block, blocks, num_runs)
            return count_reaching(sums, drawn_pairs, half_thresholds, tail)

        counts[pair_indices] = sum_over_blocks(count_blocks, num_resamples, num_runs, threads)
    flags = (differences.identical, differences.constant)
    return resampled_test(exact_p, counts, num_resamples, tuple(methods.tolist()), flags, seed)


def _fill_lattice_p(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    tail: Tail,
    exact_p: PairValues,
    methods: np.ndarray,
    threads: int | None,
) -> None:
    """Fill in p for the pairs whose scores are multiples of a unit."""
    denominators = unit_denominators(score_matrix)
    pair_indices, terms = [], []
    for pair_index in np.flatnonzero(np.isnan(exact_p)).tolist():
        first, second = int(pairs.first[pair_index]), int(pairs.second[pair_index])
        common = math.lcm(int(denominators[first]), int(denominators[second]))
        if not common:
            continue
        whole = coprime_whole_differences(score_matrix[:, first], score_matrix[:, second], common)
        if np.count_nonzero(whole) * int(np.abs(whole).sum()) <= MOST_STEPS:
            pair_indices.append(pair_index)
            terms.append(whole)
    if pair_indices:
        exact_p[pair_indices] = random_sign_p_by_pair(np.array(terms), tail, threads)
        methods[pair_indices] = "lattice"


_PARTS = (*range(1, 1001), math.lcm(*range(1, 11)))
"""A unit is sought among the k-th parts of 1 for these k."""

_AT_ONCE = 4
"""Values looked at together; few suffice to see that scores are on no lattice."""

_SURE = 1e-6
"""How far from a whole number a multiple may be at most, whatever the scale."""


def unit_denominators(score_matrix: TopicsByRuns) -> Ints:
    """int64[S]: for each run the smallest k whose 1/k its scores are multiples of; 0 if none is."""
    return np.array([_unit_denominator(column) for column in score_matrix.T], np.int64)


def _unit_denominator(values: TopicValues) -> int:
    """The first k among `_PARTS` for which all values are multiples of 1/k; 0 if there is none."""
    denominators = np.array(_PARTS, np.int64)
    different = np.unique(values)
    allowed = np.minimum(NEAR * denominators * float(np.abs(values).max()), _SURE)
    fitting = np.ones(len(denominators), bool)
    for start in range(0, len(different), _AT_ONCE):
        multiples = denominators[fitting, None] * different[start : start + _AT_ONCE]
        off = np.abs(multiples - np.rint(multiples)).max(axis=1)
        fitting[fitting] = off <= allowed[fitting]
        if not fitting.any():
            return 0
    return int(denominators[fitting][0])


def coprime_whole_differences(
    first_scores: TopicValues, second_scores: TopicValues, denominator: int
) -> TopicCounts:
    """The differences of two runs in the largest unit that leaves them whole.

    Args:
        first_scores: float64[T], multiples of 1/k.
        second_scores: float64[T], multiples of 1/k.
        denominator: a common multiple of the parts of both runs.
    """
    whole = np.rint(first_scores * denominator).astype(np.int64) - np.rint(
        second_scores * denominator
    ).astype(np.int64)
    divisor = int(np.gcd.reduce(whole))
    return whole // max(divisor, 1)


_SUM_CELLS = 1 << 16
"""Numbers in a table of pairs x sums: it must stay in the processor's cache."""


def random_sign_p_by_pair(
    terms_by_pair: Ints, tail: Tail, threads: int | None = None
) -> PairValues:
    """The chance that a sum of the terms under random signs is as extreme as the sum.

    It is never 0; chances too small for a number are `SMALLEST`.

    With a = |terms|, the sum of s_t a_t is 2 q - sum(a), where q adds up the terms that keep their
    sign. The ways to reach each q are counted term by term, up to the q that stands for the
    observed sum and no further. The steps are (number of terms) x (sum of a) at most.

    `terms_by_pair`: int64[P, T]; zeros are no terms.
    """
    magnitudes = np.abs(terms_by_pair)
    observed_sum = terms_by_pair.sum(axis=1)
    last_sum = (magnitudes.sum(axis=1) - np.abs(observed_sum)) // 2
    beyond_on_one_side, at_observed = np.zeros((2, len(terms_by_pair)))

    def fill_rows(rows: Ints) -> None:
        beyond_on_one_side[rows], at_observed[rows] = _chances_below_and_at(
            magnitudes[rows], last_sum[rows]
        )

    for _ in map_in_order(fill_rows, _rows_sharing_table(last_sum), threads or default_threads()):
        pass
    if tail == "two-sided":
        return np.clip(2.0 * (beyond_on_one_side + at_observed), SMALLEST, 1.0)
    is_towards = observed_sum >= 0 if tail == "greater" else observed_sum <= 0
    towards = np.maximum(beyond_on_one_side + at_observed, SMALLEST)
    return np.where(is_towards, towards, 1.0 - beyond_on_one_side)


def _rows_sharing_table(last_sum: PairCounts) -> Iterator[Ints]:
    """The rows in turn that share a table: of like width, and as many as the cache holds."""
    order = np.argsort(last_sum, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * (last_sum[order[stop]] + 1) <= _SUM_CELLS:
            stop += 1
        yield order[start:stop]
        start = stop


def _chances_below_and_at(magnitudes: Ints, last_sum: PairCounts) -> tuple[PairValues, PairValues]:
    """The chances that the terms with their own sign add up to less than a sum, and to it."""
    width = int(last_sum.max()) + 1
    chance = np.zeros((len(magnitudes), width))
    chance[:, 0] = 1.0
    for value in np.unique(magnitudes[magnitudes > 0]).tolist():
        times = np.count_nonzero(magnitudes == value, axis=1)
        for time in range(int(times.max())):
            # one more term adds to the sum, or does not, with chance 1/2 each
            has_term = times > time
            rows = chance if has_term.all() else chance[has_term]
            rows *= 0.5
            rows[:, value:] += rows[:, :-value]
            if rows is not chance:
                chance[has_term] = rows
    places = np.arange(width)
    below = np.where(places < last_sum[:, None], chance, 0.0)
    at = chance[np.arange(len(magnitudes)), last_sum]
    return np.cumsum(below, axis=1)[:, -1], at


def _fill_listed_p(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    tail: Tail,
    differences: DifferenceSummary,
    exact_p: PairValues,
    methods: np.ndarray,
) -> None:
    """Fill in p for the pairs with few differences."""
    few = np.isnan(exact_p) & (differences.nonzero <= MOST_LISTED)
    for pair_index in np.flatnonzero(few).tolist():
        terms = score_matrix[:, pairs.first[pair_index]] - score_matrix[:, pairs.second[pair_index]]
        scale = float(differences.scale[pair_index])
        terms = zero_noise(terms, scale)
        exact_p[pair_index] = p_of_all_signs(
            terms[terms != 0], tie_tolerance(differences.num_topics, scale), tail
        )
        methods[pair_index] = "listed"


def p_of_all_signs(terms: Floats, tolerance: float, tail: Tail) -> float:
    """The chance that a sum under random signs is as extreme as the sum of the terms.

    All 2^(n/2) sums of each half are listed, one half is sorted, and for each sum of the other it
    is looked up how many reach the observed one together with it (Horowitz & Sahni 1974). Time
    and memory grow with 2^(n/2).

    `terms`: float64[n]; zeros cost time and change nothing. `tolerance`: how far below the observed
    sum another may lie and still be as large.
    """
    half = len(terms) // 2
    left, right = np.sort(_signed_sums(terms[:half])), np.sort(_signed_sums(terms[half:]))
    observed_sum = float(np.cumsum(terms)[-1]) if len(terms) else 0.0
    if tail == "less":
        observed_sum = -observed_sum  # the sums are as many on one side as on the other
    threshold = (abs(observed_sum) if tail == "two-sided" else observed_sum) - tolerance
    if tail == "two-sided" and threshold <= 0:
        return 1.0
    num_reaching = len(left) - np.searchsorted(left, threshold - right, "left")
    count = int(num_reaching.sum()) * (2 if tail == "two-sided" else 1)
    return float(count / 2 ** len(terms))


def _signed_sums(terms: Floats) -> Floats:
    """float64[2^n]: the sums of the terms under all choices of signs."""
    sums = np.zeros(1)
    for term in terms.tolist():
        sums = np.concatenate((sums - term, sums + term))
    return sums


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


# --- The paired bootstrap test of Sakai (2006), for whole families of pairs at once ---


Statistic: TypeAlias = Literal["studentised", "mean"]
"""What is compared: t* with t, or the mean of the shifted differences with their mean."""

_RELATIVE = 1e-9
"""How much smaller a squared t* may be and still be as large as the observed one."""


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
        num_topics, num_runs = score_matrix.shape
        by_run = np.ascontiguousarray(score_matrix.T)
        centred = by_run - by_run.mean(axis=1, keepdims=True)  # less each run's mean: the shift
        drawn_pairs = pairs.subset(pair_indices)
        thresholds = sum_thresholds(differences, tail)[pair_indices]

        def count_by_mean(sample_weights: ResamplesByTopics) -> PairCounts:
            sums = single_threaded_product(centred, sample_weights.T)
            return count_reaching(sums, drawn_pairs, thresholds, tail)

        count_extreme: Callable[[ResamplesByTopics], PairCounts] = count_by_mean
        if statistic == "studentised":
            count_extreme = _count_by_t(centred, drawn_pairs, differences, pair_indices, tail)

        def count_blocks(blocks: Blocks) -> PairCounts:
            weights = (topic_weights(seed, *block, num_topics) for block in blocks)
            total: Ints = np.sum(list(map(count_extreme, weights)), axis=0, dtype=np.int64)
            return total

        counts[pair_indices] = sum_over_blocks(count_blocks, num_resamples, num_runs, threads)
    method = np.where(differences.identical, "identical", "Monte Carlo")
    method = np.where(differences.constant, "constant", method)
    flips = same_difference_p_values(differences.mean, differences.num_topics, tail)
    exact_p = np.where(differences.constant, flips, np.nan)
    flags = (differences.identical, differences.constant)
    return resampled_test(exact_p, counts, num_resamples, tuple(method.tolist()), flags, seed)


def topic_weights(
    seed: int, block_index: int, num_resamples: int, num_topics: int
) -> ResamplesByTopics:
    """float64[resamples, T]: how often each topic is in each sample of T topics of a block.

    The same for all pairs and measures.
    """
    return topic_counts_of_draws(
        draws.topic_samples(seed, block_index, num_resamples, num_topics), num_topics
    )


def _count_by_t(
    centred: Floats, pairs: RunPairs, differences: DifferenceSummary, pair_indices: Ints, tail: Tail
) -> Callable[[ResamplesByTopics], PairCounts]:
    """What counts the samples whose t* reaches the observed t, without a division or a root.

    With M = sum of w*, Q = sum of w*^2 and k = t^2 / (T - 1 + t^2), |t*| >= |t| is M^2 >= k T Q.
    One-sided, M |M| is compared with k T Q under the sign of t.

    `centred`: float64[S, T], each run's scores less their mean.
    """
    num_topics = centred.shape[1]
    mean, sd = differences.mean[pair_indices], differences.sd[pair_indices]
    sign = {"two-sided": np.abs(np.sign(mean)), "greater": np.sign(mean), "less": -np.sign(mean)}[
        tail
    ]
    # k T under the sign of t, a little smaller; 0 where t is 0
    square = num_topics * (mean / sd) ** 2
    factors = sign * num_topics * square / (num_topics - 1 + square)
    factors -= _RELATIVE * np.abs(factors)
    # up to this, a squared sum of T shifted differences is noise
    noises = (NEAR * num_topics * differences.scale[pair_indices]) ** 2
    directed_pairs = pairs.swapped_runs() if tail == "less" else pairs

    def count_extreme(sample_weights: ResamplesByTopics) -> PairCounts:
        count = np.zeros(len(pairs), np.int64)
        sums_by_run = single_threaded_product(centred, sample_weights.T)
        for part, sums in _sum_difference_blocks(sums_by_run, directed_pairs):
            sums *= sums if tail == "two-sided" else np.abs(sums)
            part_pairs = directed_pairs.subset(part)
            factor, noise = factors[part, None], noises[part, None]
            shifted = (centred[part_pairs.first] - centred[part_pairs.second]) ** 2
            thresholds = single_threaded_product(shifted * factor, sample_weights.T)
            thresholds += noise  # so that a sample of nothing but 0 is not counted
            reached: Bools = sums >= thresholds
            flat = np.flatnonzero(factor == 0)
            if len(flat):
                spread = single_threaded_product(shifted[flat], sample_weights.T)
                some = spread > noise[flat] / num_topics
                reached[flat] = (sums[flat] >= -noise[flat]) & some
            count[part] = np.bitwise_count(np.packbits(reached, axis=1)).sum(axis=1)
        return count

    return count_extreme


def _sum_difference_blocks(
    sums_by_run: RunsByResamples, pairs: RunPairs
) -> Iterator[tuple[slice, PairsByResamples]]:
    """Parts of the pairs, with float64[pairs, n]: the differences of n resampled sums.

    The table is the same memory each time.

    `sums_by_run`: float64[S, n]: each run's sum in each resample.
    """
    size = max(1, PAIR_CELLS // sums_by_run.shape[1])
    table, other = np.empty((2, min(size, len(pairs)), sums_by_run.shape[1]))
    for part, part_pairs in pairs.batches(size):
        rows = table[: len(part_pairs)]
        # "clip" spares take() a copy of what it writes; no index is out of range
        np.take(sums_by_run, part_pairs.first, axis=0, out=rows, mode="clip")
        np.take(sums_by_run, part_pairs.second, axis=0, out=other[: len(part_pairs)], mode="clip")
        rows -= other[: len(part_pairs)]
        yield part, rows
