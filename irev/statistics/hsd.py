"""Honestly significant differences of runs on the same topics: Tukey's, and randomised.

If no run is better than another, the scores of a topic might have come in any order. The randomised
test draws the orders anew, topic by topic; the range of the runs' means, then, is what chance alone
produces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.workers import in_order
from irev.statistics.differences import NEAR, slack
from irev.statistics.draws import blocks, pieces_of_words
from irev.statistics.studentized_range import studentized_range_critical, studentized_range_tail
from irev.statistics.variance import decompose, mean_differences

if TYPE_CHECKING:
    from irev.core.arrays import Floats, Ints
    from irev.statistics.differences import Family
    from irev.statistics.variance import Decomposition


@dataclass(frozen=True, eq=False, repr=False)
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
    def low(self) -> Floats:
        """float64[P]: the lower ends of the simultaneous 1 - alpha intervals."""
        return self.difference - self.margin

    @property
    def high(self) -> Floats:
        """float64[P]: the upper ends of the simultaneous 1 - alpha intervals."""
        return self.difference + self.margin


def tukey_hsd(scores: Floats, family: Family, alpha: float = 0.05) -> TukeyHsd:
    """Tukey's HSD test after a two-way analysis of variance.

    q = |x̄_i - x̄_j| / √(MS_error / T) against the studentised range of S values with (S-1)(T-1)
    degrees of freedom, MS_error being that of topics and runs (`two_way_anova`). The one-way
    test of many libraries, which takes the runs for independent samples, loses most differences
    between runs on the same topics. With two runs q = √2 |t| and p is that of the paired t-test.

    Where MS_error is 0, q is 0 and p 1 for equal means, q infinite and p 0 for others.

    p and intervals are for all pairs of the S runs, whichever are reported.

    Source: T. Sakai, Laboratory Experiments in Information Retrieval (2018), ch. 5.
    """
    parts = decompose(scores)
    difference = mean_differences(parts, family)
    q = studentized_differences(parts, difference)
    critical = studentized_range_critical(alpha, parts.runs, parts.df_error)
    return TukeyHsd(
        difference,
        q,
        studentized_range_tail(q, parts.runs, parts.df_error),
        _over(difference, math.sqrt(parts.ms_error)),
        alpha,
        critical,
        critical * math.sqrt(parts.ms_error / parts.topics),
    )


def studentized_differences(parts: Decomposition, difference: Floats) -> Floats:
    """float64[P]: |difference| / sqrt(ms_error / T)."""
    return _over(np.abs(difference), math.sqrt(parts.ms_error / parts.topics))


def _over(difference: Floats, error: float) -> Floats:
    """The quotient; without error 0 stays 0 and the rest is infinite."""
    if error == 0:
        return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return difference / error


@dataclass(frozen=True, eq=False, repr=False)
class RandomisedHsd:
    """The outcome for P pairs of runs, each p corrected for all pairs.

    difference  float64[P]: mean of the first run less mean of the second
    statistic   float64[P]: |difference|, or studentised, q as in Tukey's HSD
    count       int64[P]: how many resamples had a range at least as large
    ranges      float64[resamples]: the resamples' ranges, rising
    """

    difference: Floats
    statistic: Floats
    count: Ints
    ranges: Floats
    resamples: int
    seed: int
    studentised: bool

    @property
    def p(self) -> Floats:
        """float64[P]: (count + 1) / (resamples + 1), never 0."""
        found: Floats = (self.count + 1) / (self.resamples + 1)
        return found

    @property
    def asl(self) -> Floats:
        """float64[P]: count / resamples, the achieved significance level."""
        found: Floats = self.count / self.resamples
        return found

    def critical(self, alpha: float) -> float:
        """The statistic above which p <= alpha; infinite where no p can be so small."""
        most = math.floor(alpha * (self.resamples + 1) + NEAR) - 1
        return float(self.ranges[-1 - most]) if most >= 0 else math.inf


def randomised_hsd(
    scores: Floats,
    family: Family,
    *,
    studentised: bool,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
) -> RandomisedHsd:
    """Randomised Tukey HSD, as published or studentised.

    Each resample puts the scores of every topic in a random order and takes the largest less the
    smallest of the runs' means, range*. p of a pair is the share of the resamples (the observed
    scores counted as one) with range* >= |x̄_i - x̄_j|.

    As published, range* is not studentised: real differences anywhere among the runs widen it, and
    with one poor run among equals the level falls far below the nominal one. The studentised
    variant is irev's own: range* / √(MS*_error / T), with MS*_error that of the resample, is set
    against q of Tukey's HSD. As reordering leaves the squares within topics as they are, it costs
    no more. Both test that all runs are equal; with two runs both are the permutation test.

    p is for all pairs of the S runs, whichever are reported.

    Source: B. Carterette, ACM TOIS 30(1), 2012; T. Sakai, Laboratory Experiments in Information
    Retrieval (2018), ch. 4.
    """
    parts = decompose(scores)
    difference = mean_differences(parts, family)
    centred = scores - scores.mean(axis=1, keepdims=True)
    work = partial(_ranges, centred, parts, studentised, seed)
    ranges = np.sort(np.concatenate(list(in_order(work, blocks(resamples), threads))))
    observed = np.abs(difference)
    if studentised:
        observed = studentized_differences(parts, difference)
    count = resamples - np.searchsorted(ranges, observed, "left")
    return RandomisedHsd(difference, observed, count, ranges, resamples, seed, studentised)


def _ranges(
    centred: Floats, parts: Decomposition, studentised: bool, seed: int, block: tuple[int, int]
) -> Floats:
    """A block's ranges of means, made as large as rounding allows."""
    sums = _sums_of_reordered(centred, seed, *block)
    ranges: Floats = sums.max(axis=1) - sums.min(axis=1) + slack(parts.topics, parts.scale)
    ranges /= parts.topics
    if not studentised:
        return ranges
    within = parts.ss_runs + parts.ss_error
    of_runs = np.einsum("ns,ns->n", sums, sums) / parts.topics
    error = np.sqrt(np.maximum(within * (1 - NEAR) - of_runs, 0) / (parts.df_error * parts.topics))
    without_error = np.full(len(ranges), np.inf)
    studentised_ranges: Floats = np.divide(ranges, error, out=without_error, where=error > 0)
    return studentised_ranges


def _sums_of_reordered(centred: Floats, seed: int, block: int, resamples: int) -> Floats:
    """float64[resamples, S]: the runs' sums over the topics, each topic's scores reordered.

    The run's number in the lowest bits of a random word makes all words of a row differ, and says
    after sorting where each came from: sorting numbers is much faster than sorting places.
    """
    topics, runs = centred.shape
    column = np.arange(runs, dtype=np.uint64)
    low_bits = np.uint64((1 << (runs - 1).bit_length()) - 1)
    sums = np.zeros((resamples, runs))
    drawn = pieces_of_words(seed, "order", block, resamples * runs, topics)
    for row, words in zip(centred, drawn, strict=True):
        keys = words.reshape(resamples, runs)
        keys &= ~low_bits
        keys |= column
        keys.sort(axis=1)
        keys &= low_bits
        sums += row.take(keys.view(np.int64), mode="clip")
    return sums
