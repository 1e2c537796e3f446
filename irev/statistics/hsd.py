"""Honestly significant differences of runs on the same topics: Tukey's, and randomised.

If no run is better than another, the scores of a topic might have come in any order. The randomised
test draws the orders anew, topic by topic; the range of the runs' means, then, is what chance alone
produces. Both assume that the differences of all pairs have one variance, which is false if some
runs are near-copies; `pair_variance_ratios` tells.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.draws import random_word_pieces, resample_blocks
from irev.core.record import record
from irev.core.workers import map_in_order
from irev.statistics.differences import NEAR, tie_tolerance
from irev.statistics.studentized_range import studentized_range_critical, studentized_range_tail
from irev.statistics.variance import decompose, mean_differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Floats, Ints, PairValues, TopicsByRuns
    from irev.statistics.differences import RunPairs
    from irev.statistics.variance import Decomposition


@record
class TukeyHsd:
    """Tukey's HSD for some pairs of S runs, each p corrected for all S(S-1)/2 pairs.

    difference   float64[P]: mean of the first run less mean of the second
    q            float64[P]: |difference| / sqrt(ms_error / T), >= 0
    p            float64[P]: P(Q >= q), in [0, 1]
    effect_size  float64[P]: difference / sqrt(ms_error), Sakai's ES_HSD
    critical     the q above which a pair is significant at alpha
    margin       critical * sqrt(ms_error / T): half the width of every interval
    """

    difference: Floats
    q: Floats
    p: Floats
    effect_size: Floats
    alpha: float
    critical: float
    margin: float

    @property
    def low(self) -> PairValues:
        """The lower ends of the simultaneous 1 - alpha intervals."""
        return self.difference - self.margin

    @property
    def high(self) -> PairValues:
        """The upper ends of the simultaneous 1 - alpha intervals."""
        return self.difference + self.margin


def tukey_hsd(score_matrix: TopicsByRuns, pairs: RunPairs, alpha: float = 0.05) -> TukeyHsd:
    """Tukey's HSD test after a two-way analysis of variance.

    q = |x̄_i - x̄_j| / √(MS_error / T) against the studentised range of S values with (S-1)(T-1)
    degrees of freedom, MS_error being that of topics and runs (`two_way_anova`). The one-way
    test of many libraries, which takes the runs for independent samples, loses most differences
    between runs on the same topics. With two runs q = √2 |t| and p is that of the paired t-test.

    Where MS_error is 0, q is 0 and p 1 for equal means, q infinite and p 0 for others.

    p and intervals are for all pairs of the S runs, whichever are reported.

    Source: T. Sakai, Laboratory Experiments in Information Retrieval (2018), ch. 5.
    """
    decomposition = decompose(score_matrix)
    difference = mean_differences(decomposition, pairs)
    q = studentized_differences(decomposition, difference)
    critical = studentized_range_critical(alpha, decomposition.num_runs, decomposition.df_error)
    return TukeyHsd(
        difference,
        q,
        studentized_range_tail(q, decomposition.num_runs, decomposition.df_error),
        _studentised_quotient(difference, math.sqrt(decomposition.ms_error)),
        alpha,
        critical,
        critical * math.sqrt(decomposition.ms_error / decomposition.num_topics),
    )


def studentized_differences(decomposition: Decomposition, difference: PairValues) -> PairValues:
    """float64[P]: |difference| / sqrt(ms_error / T)."""
    return _studentised_quotient(
        np.abs(difference), math.sqrt(decomposition.ms_error / decomposition.num_topics)
    )


def _studentised_quotient(difference: PairValues, error: float) -> PairValues:
    """The quotient; without error 0 stays 0 and the rest is infinite."""
    if error == 0:
        return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return difference / error


@record
class RandomisedHsd:
    """The outcome for P pairs of runs, each p corrected for all pairs.

    difference  float64[P]: mean of the first run less mean of the second
    count       int64[P]: how many resamples had a range at least as large as |difference|
    ranges      float64[resamples]: the resamples' ranges of means, rising
    """

    difference: Floats
    count: Ints
    ranges: Floats
    num_resamples: int
    seed: int

    @property
    def p(self) -> PairValues:
        """float64[P]: (count + 1) / (resamples + 1), never 0."""
        p: Floats = (self.count + 1) / (self.num_resamples + 1)
        return p

    @property
    def asl(self) -> PairValues:
        """Count / resamples, the achieved significance level."""
        asl: Floats = self.count / self.num_resamples
        return asl

    def critical(self, alpha: float) -> float:
        """The |difference| above which p <= alpha; infinite where no p can be so small."""
        most = math.floor(alpha * (self.num_resamples + 1) + NEAR) - 1
        return float(self.ranges[-1 - most]) if most >= 0 else math.inf


def randomised_hsd(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    num_resamples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
) -> RandomisedHsd:
    """Randomised Tukey HSD.

    Each resample puts the scores of every topic in a random order and takes the largest less the
    smallest of the runs' means, range*. p of a pair is the share of the resamples (the observed
    scores counted as one) with range* >= |x̄_i - x̄_j|.

    range* is not studentised: real differences anywhere among the runs widen it, and with one poor
    run among equals the level falls far below the nominal one. It tests that all runs are equal,
    and so assumes that the differences of all pairs have one variance; with two runs it is the
    permutation test.

    p is for all pairs of the S runs, whichever are reported.

    Source: B. Carterette, ACM TOIS 30(1), 2012; T. Sakai, Laboratory Experiments in Information
    Retrieval (2018), ch. 4.
    """
    decomposition = decompose(score_matrix)
    difference = mean_differences(decomposition, pairs)
    centred_scores = score_matrix - score_matrix.mean(axis=1, keepdims=True)
    ranges_of_block = partial(
        _block_of_ranges,
        centred_scores,
        tie_tolerance(decomposition.num_topics, decomposition.scale),
        seed,
    )
    ranges = np.sort(
        np.concatenate(list(map_in_order(ranges_of_block, resample_blocks(num_resamples), threads)))
    )
    count = num_resamples - np.searchsorted(ranges, np.abs(difference), "left")
    return RandomisedHsd(difference, count, ranges, num_resamples, seed)


def _block_of_ranges(
    centred_scores: TopicsByRuns, rounding: float, seed: int, block: tuple[int, int]
) -> Floats:
    """A block's ranges of means, made as large as rounding allows."""
    sums = _reordered_sums(centred_scores, seed, *block)
    ranges: Floats = sums.max(axis=1) - sums.min(axis=1) + rounding
    ranges /= len(centred_scores)
    return ranges


def _reordered_sums(
    centred_scores: TopicsByRuns, seed: int, block_index: int, num_resamples: int
) -> Floats:
    """float64[resamples, S]: the runs' sums over the topics, each topic's scores reordered.

    The run's number in the lowest bits of a random word makes all words of a row differ, and says
    after sorting where each came from: sorting numbers is much faster than sorting places.
    """
    num_topics, num_runs = centred_scores.shape
    column = np.arange(num_runs, dtype=np.uint64)
    low_bits = np.uint64((1 << (num_runs - 1).bit_length()) - 1)
    sums = np.zeros((num_resamples, num_runs))
    drawn = random_word_pieces(seed, "order", block_index, num_resamples * num_runs, num_topics)
    for row, words in zip(centred_scores, drawn, strict=True):
        keys = words.reshape(num_resamples, num_runs)
        keys &= ~low_bits
        keys |= column
        keys.sort(axis=1)
        keys &= low_bits
        sums += row.take(keys.view(np.int64), mode="clip")
    return sums


@record(eq=True)
class PairVarianceRatios:
    """How far the variances of the pairs' differences are from the one that HSD assumes.

    least, most  the smallest and the largest, over 2 MS_error
    differ       whether either is further from 1 than chance explains
    """

    least: float
    most: float
    differ: bool

    def warnings(self, test_names: Sequence[str]) -> Iterator[str]:
        """What to tell of the tests of these names, if the variances differ."""
        if self.differ:
            yield (
                f"the variance of a pair's differences is {self.least:.2g} to {self.most:.2g} "
                f"times the pooled one, more than chance explains; {' and '.join(test_names)} "
                f"{'assume' if len(test_names) > 1 else 'assumes'} one variance for all pairs and "
                "may reject too often here; moderated, t and permutation with Holm do not assume it"
            )


def pair_variance_ratios(score_matrix: TopicsByRuns) -> PairVarianceRatios:
    """Whether all S(S-1)/2 pairs of runs have one variance of differences, as HSD assumes.

    They differ where the smallest or the largest lies outside the range that normal differences of
    that variance would leave in one matrix of a hundred: the quantiles 0.005 / P and 1 - 0.005 / P
    of chi squared with T - 1 degrees of freedom over T - 1, P the number of pairs.
    """
    from scipy.special import chdtri

    decomposition = decompose(score_matrix)
    covariance = np.cov(score_matrix, rowvar=False)
    variance = np.diag(covariance)
    first, second = np.triu_indices(decomposition.num_runs, 1)
    difference_variance = variance[first] + variance[second] - 2 * covariance[first, second]
    if decomposition.ms_error == 0:
        return PairVarianceRatios(1.0, 1.0, differ=False)
    ratios = np.maximum(difference_variance, 0.0) / (2 * decomposition.ms_error)
    least, most = float(ratios.min()), float(ratios.max())
    df, chance = decomposition.num_topics - 1, 0.005 / len(ratios)
    low, high = float(chdtri(df, 1 - chance)) / df, float(chdtri(df, chance)) / df
    return PairVarianceRatios(least, most, least < low or most > high)
