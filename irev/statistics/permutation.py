"""The paired permutation (randomisation) test: exact where that can be done, else Monte Carlo.

Exact in two ways: counting over whole numbers, for any number of topics, where scores are multiples
of a unit (1/10 for P@10, 1/2520 for RR@10, 1 for counts), and listing all sums of each half of the
differences, for a few of any size.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairValues,
    TopicCounts,
    TopicsByRuns,
    TopicValues,
)
from irev.core.workers import default_threads, map_in_order
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    SMALLEST,
    DifferenceSummary,
    mean_and_sd_of_differences,
    sum_thresholds,
    tie_tolerance,
    zero_noise,
)
from irev.statistics.resampling import (
    Blocks,
    ResampledTest,
    count_reaching,
    half_signed_sums_by_run_function,
    resampled_test,
    sum_over_blocks,
    sums_by_run_of_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail


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
        thresholds = sum_thresholds(differences, tail)[pair_indices]
        counts[pair_indices] = _count_sign_patterns_reaching(
            score_matrix, pairs.subset(pair_indices), thresholds, tail, num_resamples, seed, threads
        )
    flags = (differences.identical, differences.constant)
    return resampled_test(exact_p, counts, num_resamples, tuple(methods.tolist()), flags, seed)


def check_resamples(num_resamples: int) -> None:
    """Refuse to draw no resample."""
    if num_resamples < 1:
        raise UsageError(f"a test by resampling needs at least one resample, not {num_resamples}")


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


def _count_sign_patterns_reaching(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    thresholds: PairValues,
    tail: Tail,
    num_resamples: int,
    seed: int,
    threads: int | None,
) -> PairCounts:
    """How many drawn sign patterns reach the threshold."""
    sums_of_block, num_runs = (
        half_signed_sums_by_run_function(score_matrix, seed),
        score_matrix.shape[1],
    )

    def count_blocks(blocks: Blocks) -> PairCounts:
        return count_reaching(
            sums_by_run_of_blocks(sums_of_block, blocks, num_runs), pairs, thresholds / 2, tail
        )

    return sum_over_blocks(count_blocks, num_resamples, num_runs, threads)


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


_CELLS = 1 << 16
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
    chance_beyond_on_one_side, chance_at_observed = (
        np.zeros(len(terms_by_pair)),
        np.zeros(len(terms_by_pair)),
    )

    def fill_rows(rows: Ints) -> None:
        chance_beyond_on_one_side[rows], chance_at_observed[rows] = _chances_below_and_at(
            magnitudes[rows], last_sum[rows]
        )

    for _ in map_in_order(fill_rows, _rows_sharing_table(last_sum), threads or default_threads()):
        pass
    return _tail_p(chance_beyond_on_one_side, chance_at_observed, observed_sum, tail)


def _rows_sharing_table(last_sum: PairCounts) -> Iterator[Ints]:
    """The rows in turn that share a table: of like width, and as many as the cache holds."""
    order = np.argsort(last_sum, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * (last_sum[order[stop]] + 1) <= _CELLS:
            stop += 1
        yield order[start:stop]
        start = stop


def _tail_p(
    chance_beyond_on_one_side: PairValues,
    chance_at_observed: PairValues,
    observed_sum: PairCounts,
    tail: Tail,
) -> PairValues:
    """p, from the chances of a sum below -|observed| and of one at it."""
    if tail == "two-sided":
        return np.clip(2.0 * (chance_beyond_on_one_side + chance_at_observed), SMALLEST, 1.0)
    is_towards = observed_sum >= 0 if tail == "greater" else observed_sum <= 0
    return np.where(
        is_towards,
        np.maximum(chance_beyond_on_one_side + chance_at_observed, SMALLEST),
        1.0 - chance_beyond_on_one_side,
    )


def _chances_below_and_at(magnitudes: Ints, last_sum: PairCounts) -> tuple[PairValues, PairValues]:
    """The chances that the terms with their own sign add up to less than a sum, and to it."""
    width = int(last_sum.max()) + 1
    chance = np.zeros((len(magnitudes), width))
    chance[:, 0] = 1.0
    for value in np.unique(magnitudes[magnitudes > 0]).tolist():
        times = np.count_nonzero(magnitudes == value, axis=1)
        for time in range(int(times.max())):
            _add_term_with_half_chance(chance, times > time, value)
    places = np.arange(width)
    below = np.where(places < last_sum[:, None], chance, 0.0)
    at = chance[np.arange(len(magnitudes)), last_sum]
    return np.cumsum(below, axis=1)[:, -1], at


def _add_term_with_half_chance(chances: Floats, has_term: Bools, term: int) -> None:
    """One more term: it adds to the sum, or it does not, with chance 1/2 each."""
    if has_term.all():
        chances *= 0.5
        chances[:, term:] += chances[:, :-term]
        return
    table = chances[has_term]
    table *= 0.5
    table[:, term:] += table[:, :-term]
    chances[has_term] = table


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
