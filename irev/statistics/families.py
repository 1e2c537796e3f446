"""Families of hypotheses: p corrected for their number, and which runs do not differ.

Corrections of any p; step-down maxT by permutations; honestly significant differences, Tukey's and
randomised, with the distribution of the studentised range; and the compact letter display, in which
runs that share a letter are not significantly different.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairCounts,
    PairValues,
    RunIndices,
    RunValues,
    TopicsByPairs,
    TopicsByRuns,
)
from irev.core.draws import BLOCK, random_signs, random_word_pieces, resample_blocks
from irev.core.record import record
from irev.core.workers import map_in_order
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    RunPairs,
    check_score_matrix,
    groups_of_equals,
    scale_of,
    tie_tolerance,
    zero_noise,
)
from irev.statistics.variance import Decomposition, decompose, mean_differences

# --- p-values of several hypotheses, corrected for their number ---


def bonferroni(p_values: Floats) -> Floats:
    """float64[m]: min(1, m p); the chance of any false rejection is at most alpha."""
    _check_p_values(p_values)
    return np.minimum(1.0, len(p_values) * p_values)


def holm(p_values: Floats) -> Floats:
    """float64[m]: Holm's step-down correction, never above Bonferroni's.

    The k-th smallest p becomes the largest of min(1, (m - i + 1) p_(i)) over i <= k.

    Source: S. Holm, Scandinavian Journal of Statistics 6, 1979.
    """
    _check_p_values(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(np.arange(len(p_values), 0, -1) * p_values[order])
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def benjamini_hochberg(p_values: Floats) -> Floats:
    """float64[m]: the expected share of false rejections, of independent tests, is at most alpha.

    The k-th smallest p becomes the smallest of min(1, m p_(i) / i) over i >= k.

    Source: Y. Benjamini and Y. Hochberg, JRSS B 57, 1995.
    """
    return _correct_false_discovery(p_values, "bh")


def benjamini_yekutieli(p_values: Floats) -> Floats:
    """float64[m]: as Benjamini and Hochberg's times Σ_{i<=m} 1/i; for any dependence of the tests.

    Source: Y. Benjamini and D. Yekutieli, Annals of Statistics 29, 2001.
    """
    return _correct_false_discovery(p_values, "by")


def _correct_false_discovery(p_values: Floats, method: Literal["bh", "by"]) -> Floats:
    from scipy.stats import false_discovery_control

    _check_p_values(p_values)
    if not len(p_values):
        return np.zeros(0)
    corrected: Floats = false_discovery_control(p_values, method=method)
    return corrected


def _check_p_values(p_values: Floats) -> None:
    """A value that is not a number would make all others of the family so."""
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise UsageError("each p-value to correct must be a number from 0 to 1")


# --- Step-down maxT, by permutation ---
# The differences of a family share their topics, and are the more alike the more the runs are.
# maxT flips the signs of whole topics, in all differences together, and so keeps that likeness; a
# correction that only counts the hypotheses cannot use it.


MOST_EXACT = 16
"""Up to so many topics with any difference, all patterns of signs are gone through."""

_PATTERN_CELLS = 1 << 18
"""Sums, of a pattern and a pair each, that are held at once."""


@record
class MaxT:
    """The outcome for P differences, each p corrected for all P.

    count     int64[P]: how many sign patterns had a largest statistic at least as large, among the
              differences whose own is no larger; never less than that of a larger statistic
    patterns  how many sign patterns there were: all of them, or those drawn
    exact     whether they were all
    seed      what the draws depended on
    """

    count: Ints
    patterns: int
    exact: bool
    seed: int

    @property
    def p(self) -> PairValues:
        """Count / patterns if exact, else (count + 1) / (patterns + 1); never 0."""
        if self.exact:
            exact_p: Floats = self.count / self.patterns
            return exact_p
        drawn_p: Floats = (self.count + 1) / (self.patterns + 1)
        return drawn_p


def max_t(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    num_resamples: int = 100_000,
    seed: int = 0,
    threads: int = 1,
) -> MaxT:
    """The step-down maxT permutation test of a family of paired differences.

    u_j = |Σ_t d_tj| / √(Σ_t d_tj²), in falling order u_(1) >= u_(2) >= ...; it rises with |t| of
    the paired t test. For each pattern of signs s, the same for all pairs,
    M_(j) = max_{k >= j} |Σ_t s_t d_t(k)| / √(Σ_t d_t(k)²). p_(j) is the share of patterns with
    M_(j) >= u_(j), and no less than p_(j-1). All patterns are gone through where at most 16 topics
    have any difference.

    The chance of any false rejection is at most alpha where the differences of all pairs are
    together symmetric about 0; skewed differences make it larger (docs/evidence/statistics.md).

    Source: P. Westfall and S. Young, Resampling-Based Multiple Testing (1993), algorithm 4.1; for
    runs, L. Boytsov, A. Belova and P. Westfall, SIGIR 2013.
    """
    check_score_matrix(score_matrix)
    scale = scale_of(score_matrix)
    differences = zero_noise(pairs.differences(score_matrix), scale)
    length = np.sqrt((differences**2).sum(axis=0))
    statistic = np.zeros(len(pairs))
    tested = length > 0
    statistic[tested] = np.abs(differences[:, tested].sum(axis=0)) / length[tested]
    rising = np.argsort(statistic, kind="stable")
    rising = rising[tested[rising]]
    directions = differences[:, rising] / length[rising]
    # what rounding may take away from a pair's sums
    rounding = tie_tolerance(len(score_matrix), scale) / length[rising]
    topic_indices = np.flatnonzero(directions.any(axis=1))
    exact = len(topic_indices) <= MOST_EXACT
    patterns = num_resamples
    if exact:
        patterns = 1 << max(0, len(topic_indices) - 1)  # a pattern and its opposite count alike
        directions = directions[topic_indices]

    def count_block(block: tuple[int, int]) -> PairCounts:
        number, size = block
        if exact:
            # the last topic keeps its sign
            pattern = np.arange(number * BLOCK, number * BLOCK + size)[:, None]
            is_flipped = (pattern >> np.arange(len(directions))) & 1 == 1
        else:
            is_flipped = random_signs(seed, number, size, len(directions))
        return _count_reaching(is_flipped, directions, rounding, statistic[rising])

    reached = np.zeros(len(rising), np.int64)
    for block_counts in map_in_order(count_block, resample_blocks(patterns), threads):
        reached += block_counts
    count = np.full(len(pairs), patterns, np.int64)
    count[rising] = np.maximum.accumulate(reached[::-1])[::-1]
    return MaxT(count, patterns, exact, seed)


def _count_reaching(
    is_flipped: Bools,
    directions_by_topic: TopicsByPairs,
    rounding: PairValues,
    thresholds: PairValues,
) -> PairCounts:
    """In how many patterns the largest of a pair and those before it reach its threshold.

    Sums are taken as large as rounding allows.
    """
    sign = np.where(is_flipped, -1.0, 1.0)
    counts = np.zeros(len(thresholds), np.int64)
    step = 1 + _PATTERN_CELLS // max(1, len(thresholds))
    for start in range(0, len(sign), step):
        sums = np.abs(sign[start : start + step] @ directions_by_topic)
        sums += rounding
        np.maximum.accumulate(sums, axis=1, out=sums)
        counts += np.count_nonzero(sums >= thresholds, axis=0)
    return counts


# --- Honestly significant differences of runs on the same topics: Tukey's, and randomised ---
# If no run is better than another, the scores of a topic might have come in any order. The
# randomised test draws the orders anew, topic by topic; the range of the runs' means, then, is
# what chance alone produces. Both assume that the differences of all pairs have one variance,
# which is false if some runs are near-copies; `pair_variance_ratios` tells.


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
    p = studentized_range_tail(q, decomposition.num_runs, decomposition.df_error)
    effect_size = _studentised_quotient(difference, math.sqrt(decomposition.ms_error))
    margin = critical * math.sqrt(decomposition.ms_error / decomposition.num_topics)
    return TukeyHsd(difference, q, p, effect_size, alpha, critical, margin)


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
    # ranges are made as large as rounding allows
    rounding = tie_tolerance(decomposition.num_topics, decomposition.scale)

    def ranges_of_block(block: tuple[int, int]) -> Floats:
        sums = _reordered_sums(centred_scores, seed, *block)
        ranges: Floats = sums.max(axis=1) - sums.min(axis=1) + rounding
        ranges /= len(centred_scores)
        return ranges

    ranges_by_block = list(map_in_order(ranges_of_block, resample_blocks(num_resamples), threads))
    ranges = np.sort(np.concatenate(ranges_by_block))
    count = num_resamples - np.searchsorted(ranges, np.abs(difference), "left")
    return RandomisedHsd(difference, count, ranges, num_resamples, seed)


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


# --- The distribution of the studentised range, for thousands of values at once ---
# scipy.stats.studentized_range takes about 10 ms for one value; a family of 8,000 pairs of runs
# needs 8,000.
# The range W of k standard normal values has
#     P(W >= w) = k ∫ φ(z) [Φ(z)^(k-1) - (Φ(z) - Φ(z-w))^(k-1)] dz
# (z is the largest value), and Q = W/s, where s² is chi squared with n degrees of freedom over n:
#     P(Q >= q) = ∫ f(s) P(W >= q s) ds.
# Both integrands are smooth and fall off fast to both sides, the second one over log s; for such
# the trapezoidal rule converges exponentially.


_LEAST = 1e-20  # smaller probabilities are given as this
_CUT = 1e-26  # what is left out at the ends of the integral over s
_STEP = 0.1  # of log s, at most
_POINTS = 64  # over log s, at least
_NODES = np.arange(-9.0, 9.0, 0.125)  # z less w/2: at the ends φ is below 1e-17
_DEGREE = 200  # of the polynomial through the logarithms of many probabilities
_ALMOST_ONE = 1 - 2.0**-53


def studentized_range_tail(q: Floats, num_runs: int, df: int) -> PairValues:
    """float64[P]: P(Q >= q), Q the studentised range of k runs with ν degrees of freedom.

    The absolute error is below 1e-10; probabilities below 1e-20 are given as 1e-20, and only that
    of an infinite q as 0.

    Args:
        q: float64[P], values >= 0, infinity among them.
        num_runs: k, at least 2.
        df: ν, at least 1.
    """
    tail = _Tail(num_runs, df)
    probability = np.where(np.isinf(q), 0.0, _LEAST)
    inside = q < studentized_range_critical(_LEAST, num_runs, df)
    values, positions = np.unique(q[inside], return_inverse=True)
    if len(values) <= _DEGREE:
        probabilities = np.array([tail.probability(value) for value in values])
    else:
        probabilities = _interpolated_tail(tail, values)
    probability[inside] = np.clip(probabilities, _LEAST, 1.0)[positions]
    probability[q == 0] = 1.0
    return probability


@lru_cache(64)  # several measures of the same runs ask for the same
def studentized_range_critical(alpha: float, num_runs: int, df: int) -> float:
    """The q with P(Q >= q) = alpha, to about 12 digits.

    Args:
        alpha: in (0, 1).
        num_runs: k, at least 2.
        df: ν, at least 1.
    """
    return _Tail(num_runs, df).quantile(alpha)


class _Tail:
    """P(Q >= q) for one number of runs and of degrees of freedom."""

    def __init__(self, num_runs: int, df: int) -> None:
        from scipy.special import gammainccinv, gammaincinv, gammaln, log_ndtr, ndtr

        self._ndtr: Callable[[Floats], Floats] = ndtr
        self._others = num_runs - 1
        self.spread = math.sqrt(2 * df)
        half = df / 2
        low = math.log(gammaincinv(half, _CUT) / half) / 2
        high = math.log(gammainccinv(half, _CUT) / half) / 2
        points = max(_POINTS, math.ceil((high - low) / _STEP))
        log_s, step = np.linspace(low, high, points, retstep=True)
        density = df * log_s - half * np.expm1(2 * log_s) - half
        density += math.log(2) + half * math.log(half) - float(gammaln(half))
        self._s: Floats = np.exp(log_s)
        self._weight: Floats = np.exp(density) * step
        self._log_ndtr: Callable[[Floats], Floats] = log_ndtr

    def probability(self, q: float) -> float:
        """P(Q >= q) for one q, by the double integral."""
        w = q * self._s[:, None]
        z = w / 2 + _NODES
        log_phi = self._log_ndtr(z)
        # P(W >= w) of each w, by 1 - (1 - Φ(z-w)/Φ(z))^(k-1), exact where the ratio is tiny
        below = np.minimum(self._ndtr(z - w) / np.exp(log_phi), _ALMOST_ONE)
        some_below = -np.expm1(self._others * np.log1p(-below))
        density = np.exp(self._others * log_phi - z * z / 2)
        factor = (self._others + 1) * (_NODES[1] - _NODES[0]) / math.sqrt(2 * math.pi)
        range_tail: Floats = (density * some_below).sum(axis=1) * factor
        return float(self._weight @ range_tail)

    def quantile(self, alpha: float) -> float:
        """The q with P(Q >= q) = alpha."""
        from scipy.optimize import brentq

        def excess(x: float) -> float:
            return math.log(max(self.probability(self.spread * math.sinh(x)), 1e-300)) - math.log(
                alpha
            )

        high = 1.0
        while excess(high) > 0:
            high *= 2
        root = float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-13))
        return self.spread * math.sinh(root)


def _interpolated_tail(tail: _Tail, values: Floats) -> Floats:
    """P(Q >= q) for many rising q, by a polynomial through the logarithms at Chebyshev points."""

    def log_tail(places: Floats) -> Floats:
        return np.log([tail.probability(q) for q in tail.spread * np.sinh(places)])

    # on this scale the logarithm is nearly a straight line far out, whatever the tail's weight
    x = np.arcsinh(values / tail.spread)
    curve = np.polynomial.Chebyshev.interpolate(log_tail, _DEGREE, [0.0, x[-1]])
    probabilities: Floats = np.exp(curve(x))
    return probabilities


# --- Compact letter display ---
# The groups are the largest sets of runs no two of which differ. A letter shared is a difference
# not shown; it does not show that the runs are equal.


MOST_LETTERS = 26
"""With more groups than this, letters say nothing to a reader any more."""


def order_by_mean(means: RunValues) -> RunIndices:
    """int64[S]: the runs by falling mean, equal means in the order of the runs."""
    return np.argsort(groups_of_equals(-means, scale_of(means)), kind="stable")


def difference_mask(p_of_pairs: PairValues, pairs: RunPairs, num_runs: int, alpha: float) -> Bools:
    """bool[S, S]: which runs differ, p <= alpha; pairs that were not tested do not.

    `p_of_pairs`: float64[P], a p-value for each pair, corrected if it is to be.
    """
    differ = np.zeros((num_runs, num_runs), bool)
    differ[pairs.first, pairs.second] = p_of_pairs <= alpha
    return differ | differ.T


def places_by_letter_group(runs_differ: Bools, run_order: RunIndices) -> list[tuple[int, ...]]:
    """The largest sets of runs no two of which differ: the maximal cliques of "not different".

    There can be many more groups than runs where differences do not follow the order of the means.

    Args:
        runs_differ: bool[S, S], symmetric.
        run_order: int64[S], the runs from best to worst.

    Returns:
        For each group the places of its runs in that order, from 0; the groups by their first
        place, then the last, then the others.

    Source: C. Bron and J. Kerbosch, CACM 16(9), 1973, with a pivot; the display: H.-P. Piepho,
    J. Computational and Graphical Statistics 13, 2004.
    """
    alike = ~runs_differ[np.ix_(run_order, run_order)]
    np.fill_diagonal(alike, False)
    neighbours = [sum(1 << int(place) for place in np.flatnonzero(row)) for row in alike]
    everyone = (1 << len(run_order)) - 1
    cliques = _maximal_cliques(neighbours, everyone)
    place_groups = [tuple(_set_bit_positions(clique)) for clique in cliques]
    return sorted(place_groups, key=lambda group: (group[0], group[-1], group))


def _maximal_cliques(neighbour_bits: Sequence[int], node_bits: int) -> Iterator[int]:
    """All maximal cliques of some nodes; sets of nodes are bits."""
    branches = [(0, node_bits, 0)]
    while branches:
        clique_bits, candidate_bits, done_bits = branches.pop()
        for node in _set_bit_positions(candidate_bits):
            one, near = 1 << node, neighbour_bits[node]
            if not candidate_bits & ~one & ~near:
                # who is next to all other candidates is in every clique of this branch
                clique_bits |= one
                candidate_bits &= ~one
                done_bits &= near
        if not candidate_bits:
            if clique_bits and not done_bits:
                yield clique_bits
            continue
        _, pivot = max(
            ((candidate_bits & neighbour_bits[node]).bit_count(), node)
            for node in _set_bit_positions(candidate_bits | done_bits)
        )
        for node in _set_bit_positions(candidate_bits & ~neighbour_bits[pivot]):
            one, near = 1 << node, neighbour_bits[node]
            branches.append((clique_bits | one, candidate_bits & near, done_bits & near))
            candidate_bits &= ~one
            done_bits |= one


def _set_bit_positions(bits: int) -> Iterator[int]:
    """The places of the bits that are set, rising."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def group_labels(place_groups: Sequence[tuple[int, ...]], num_runs: int) -> list[str]:
    """For each place in the order, its groups: by letters, or by numbers if there are many."""
    if len(place_groups) <= MOST_LETTERS:
        return letter_labels_by_place(place_groups, num_runs)
    return number_range_labels_by_place(place_groups, num_runs)


def letter_labels_by_place(place_groups: Sequence[tuple[int, ...]], num_runs: int) -> list[str]:
    """For each place in the order, the letters of its groups: "a", "ab", ..., "z", "aa", ...

    With more than 26 groups some have two letters, with commas between; then
    `number_range_labels_by_place` is better.
    """
    between = "," if len(place_groups) > MOST_LETTERS else ""
    return [
        between.join(map(_letter_of_number, group_indices))
        for group_indices in _group_indices_by_place(place_groups, num_runs)
    ]


def number_range_labels_by_place(
    place_groups: Sequence[tuple[int, ...]], num_runs: int
) -> list[str]:
    """For each place in the order, the first and last number of its groups: "[1..4]", or "[1]".

    Groups count from 1. Where differences do not follow the order of the means, a run need not be
    in all groups between the two.
    """
    labels = []
    for group_indices in _group_indices_by_place(place_groups, num_runs):
        first, last = group_indices[0] + 1, group_indices[-1] + 1
        labels.append(f"[{first}]" if first == last else f"[{first}..{last}]")
    return labels


def _group_indices_by_place(
    place_groups: Sequence[tuple[int, ...]], num_runs: int
) -> list[list[int]]:
    """For each place, the rising numbers of the groups that hold it; each is in one at least."""
    group_indices: list[list[int]] = [[] for _ in range(num_runs)]
    for group_index, group in enumerate(place_groups):
        for place in group:
            group_indices[place].append(group_index)
    return group_indices


def _letter_of_number(number: int) -> str:
    """From "a" to "z", then "aa", "ab", ...: as the columns of a spreadsheet are named."""
    before, last = divmod(number, 26)
    return (_letter_of_number(before - 1) if before else "") + chr(ord("a") + last)
