"""What a measure tells of runs: how many differences, how stably, and whether another agrees.

Discriminative power: T. Sakai, SIGIR 2006, "Evaluating evaluation metrics based on the bootstrap".
For each pair of runs, with z_t the difference of their scores on a topic, w_t = z_t - mean z and
samples of the topics with replacement, t* = mean(w*) / (sd(w*) / sqrt n), and the achieved
significance level is the share of samples with |t*| >= |t(z)|. The same samples serve all pairs and
all measures. Other tests of the pairs give a discriminative power in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairMask,
    PairsByResamples,
    PairValues,
    TopicDraws,
    TopicsByPairs,
    TopicsByResamples,
    TopicsByRuns,
)
from irev.core.draws import topic_counts_of_draws, topic_draws
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import (
    SMALLEST,
    DifferenceSummary,
    RunPairs,
    every_pair,
    mean_and_sd_of_differences,
    same_difference_p_values,
    scale_of,
    tie_tolerance,
    zero_noise,
)
from irev.statistics.families import randomised_hsd
from irev.statistics.methods import TESTS, InferenceSettings
from irev.statistics.resampling import check_resamples, single_threaded_product

# --- How many significant differences a measure finds ---


ALPHAS = (0.05, 0.01)
"""The levels of significance where none is named."""

EQUAL = 1e-9
"""Resampled statistics closer than this, relatively, are equal."""

_TENTHS = 10
"""Parts of the resamples, of which the jackknife leaves out one at a time."""

_NEAR_LARGEST = 100
"""Pairs with the largest differences that the jackknife looks at: with a tenth of the resamples
left out, the largest difference is still one of theirs."""

_STATISTICS_AT_ONCE = 1 << 17
"""Statistics that are worked on at once: pairs times samples."""


@record
class Discrimination:
    """One measure on P pairs of runs, by B resamples.

    difference  float64[P], the mean difference, first run minus second
    count       int64[P], the resamples at least as extreme as what was observed: of the bootstrap,
                those with |t*| >= |t|; 0 where asl is exact
    asl         float64[P], the achieved significance level count/B, or exact; 1 where the runs are
                identical, and that of the sign flips at least where they differ by a constant
    identical   bool[P], the runs have equal scores on all topics
    constant    bool[P], the runs differ by the same on all topics
    alphas      A levels of significance
    estimated   float64[A, P], the difference that makes a pair significant. Of the bootstrap,
                |mean w*| where |t*| is the ceil(B alpha)-th largest; the largest |mean w*| first
                where several samples have this |t*|; 0 where no |t*| is. Of the randomised HSD, its
                critical difference, the same for all pairs. NaN where the test gives none, or where
                no pair's differences vary
    errors      float64[A], the Monte Carlo error of the largest difference over the pairs: of the
                bootstrap by a jackknife that leaves out a tenth of the resamples at a time
                (`add_monte_carlo_errors`), of HSD from the ranges around it; NaN where none is
                known
    resamples   B; 0 where none is drawn
    done        the name of the test that was done, where it is another than was asked for
    reason      why that was done
    """

    difference: Floats
    count: Ints
    asl: Floats
    identical: Bools
    constant: Bools
    alphas: tuple[float, ...]
    estimated: Floats
    errors: Floats
    resamples: int
    done: str = ""
    reason: str = ""

    def significant(self, alpha: float) -> PairMask:
        """The level that a pair achieved is below alpha."""
        return self.asl < alpha

    def power(self, alpha: float) -> float:
        """Discriminative power (sensitivity): the share of significant pairs, 0 to 1."""
        return float(np.count_nonzero(self.significant(alpha))) / max(len(self.asl), 1)

    def estimated_difference(self, alpha: float) -> float:
        """The difference that makes a pair significant at an alpha: the largest over pairs."""
        if alpha not in self.alphas:
            raise UsageError(f"no difference was estimated for alpha {alpha}, but {self.alphas}")
        return float(self.estimated[self.alphas.index(alpha)].max(initial=0.0))

    def curve(self) -> PairValues:
        """The ASL curve, the levels from the largest to the smallest."""
        return np.sort(self.asl)[::-1]


def bootstrap_discrimination(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    samples: TopicDraws,
    alphas: Sequence[float] = ALPHAS,
) -> Discrimination:
    """Test all pairs of a family under one measure.

    A sample whose differences are all equal has t* = inf, or no t* if they are also 0 after the
    shift; it then counts for nothing.

    `samples`: int64[B, n], as `draws.topic_draws` gives it: the same for every measure that is to
    be compared. n below T is a smaller set of topics. `alphas`: the levels of the estimated
    differences.
    """
    num_topics, (num_resamples, sample_size) = len(score_matrix), samples.shape
    if sample_size < 2 or not num_resamples:
        raise UsageError(
            f"a bootstrap test needs samples of 2 topics or more: {num_resamples} samples of "
            f"{sample_size}"
        )
    ranks = _critical_ranks(alphas, num_resamples)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    weights = np.ascontiguousarray(topic_counts_of_draws(samples, num_topics).T) / sample_size
    counts = np.empty(len(pairs), np.int64)
    estimated = np.empty((len(alphas), len(pairs)))
    # the ratio from which on |t*| >= |t|: t*^2 = (n-1) r / (1-r)
    varies = differences.sd > 0
    t = np.where(varies, differences.mean / np.where(varies, differences.sd, 1.0), 0.0)
    squared = differences.num_topics * t**2
    critical_ratios = squared / (sample_size - 1 + squared) * (1 - EQUAL)
    for part, part_pairs in pairs.batches(max(1, _STATISTICS_AT_ONCE // num_resamples)):
        ratios, means = _square_ratios_and_abs_means(
            _shifted_differences_by_topic(score_matrix, part_pairs, differences, part), weights
        )
        counts[part] = np.count_nonzero(ratios >= critical_ratios[part, None], axis=1)
        for row, rank in enumerate(ranks):
            estimated[row, part] = _differences_at_rank(rank, ratios, means)
    counts = np.where(
        differences.identical, num_resamples, np.where(differences.constant, 0, counts)
    )
    if not differences.sd.any():
        estimated[:] = np.nan
    flips = same_difference_p_values(differences.mean, sample_size, "two-sided")
    asl = np.where(differences.constant, flips, counts / num_resamples)
    return Discrimination(
        difference=differences.mean,
        count=counts,
        asl=asl,
        identical=differences.identical,
        constant=differences.constant,
        alphas=tuple(alphas),
        estimated=estimated,
        errors=np.full(len(alphas), np.nan),
        resamples=num_resamples,
    )


def add_monte_carlo_errors(
    discrimination: Discrimination, score_matrix: TopicsByRuns, pairs: RunPairs, samples: TopicDraws
) -> Discrimination:
    """What `bootstrap_discrimination` gave, with the Monte Carlo errors of the differences."""
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    counts = topic_counts_of_draws(samples, len(score_matrix))
    weights = np.ascontiguousarray(counts.T) / samples.shape[1]
    errors = []
    for row, alpha in enumerate(discrimination.alphas):
        # without some samples the largest is still one of the largest
        largest_pairs = np.argsort(-discrimination.estimated[row], kind="stable")[:_NEAR_LARGEST]
        shifted = _shifted_differences_by_topic(
            score_matrix, pairs.subset(largest_pairs), differences, largest_pairs
        )
        errors.append(_jackknife_error(alpha, *_square_ratios_and_abs_means(shifted, weights)))
    is_known = np.isfinite(discrimination.estimated).all(axis=1)
    return replace(discrimination, errors=np.where(is_known, errors, np.nan))


def _jackknife_error(alpha: float, ratios: PairsByResamples, means: PairsByResamples) -> float:
    """The Monte Carlo error of the largest difference, a tenth of the resamples left out in turn.

    NaN where there are fewer than ten.
    """
    num_resamples = ratios.shape[1]
    if num_resamples < _TENTHS:
        return math.nan
    tenth_of_sample = np.arange(num_resamples) % _TENTHS
    estimates = np.empty(_TENTHS)
    for tenth_index in range(_TENTHS):
        kept = tenth_of_sample != tenth_index
        (rank,) = _critical_ranks([alpha], int(np.count_nonzero(kept)))
        differences = _differences_at_rank(rank, ratios[:, kept], means[:, kept])
        estimates[tenth_index] = differences.max(initial=0.0)
    squares = float(((estimates - estimates.mean()) ** 2).sum())
    return math.sqrt((_TENTHS - 1) / _TENTHS * squares)


def discrimination_by_hsd(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    alphas: Sequence[float] = ALPHAS,
    num_resamples: int = 1000,
    seed: int = 0,
) -> Discrimination:
    """Test all pairs by the randomised Tukey HSD, which allows for the number of pairs itself.

    The estimated difference ("HSD at alpha") is the 1 - alpha quantile of the resamples' ranges: a
    pair is significant where its difference is above it.

    Source: B. Carterette, ACM TOIS 30(1), 2012.
    """
    check_resamples(num_resamples)
    ranks = _critical_ranks(alphas, num_resamples)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    hsd = randomised_hsd(score_matrix, pairs, num_resamples=num_resamples, seed=seed)
    critical = hsd.ranges[[num_resamples - rank for rank in ranks]]
    estimated = np.repeat(critical[:, None], len(pairs), axis=1)
    # of a quantile: half the way between those one binomial deviation of its rank around it
    quantile_rank = np.array(ranks, np.int64)
    deviation = np.ceil(np.sqrt(quantile_rank * (1 - quantile_rank / num_resamples)))
    largest_first, last = hsd.ranges[::-1], num_resamples - 1
    above = largest_first[np.clip(quantile_rank - deviation, 0, last).astype(np.int64)]
    below = largest_first[np.clip(quantile_rank + deviation, 0, last).astype(np.int64)]
    errors = (above - below) / 2
    flips = same_difference_p_values(differences.mean, differences.num_topics, "two-sided")
    asl = np.where(differences.constant, np.maximum(hsd.asl, flips), hsd.asl)
    return Discrimination(
        difference=hsd.difference,
        count=hsd.count,
        asl=asl,
        identical=differences.identical,
        constant=differences.constant,
        alphas=tuple(alphas),
        estimated=estimated,
        errors=errors,
        resamples=num_resamples,
    )


def discrimination_by_test_without_estimates(
    test_name: str,
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    alphas: Sequence[float] = ALPHAS,
    num_resamples: int = 1000,
    seed: int = 0,
) -> Discrimination:
    """Test all pairs by any of `methods.TESTS`, which estimates no difference.

    The level is the share of resamples where the test draws some, and else its p.
    """
    _critical_ranks(alphas, num_resamples)
    differences = mean_and_sd_of_differences(score_matrix, pairs)
    result = TESTS[test_name].compute(
        score_matrix, pairs, InferenceSettings(num_resamples=num_resamples, seed=seed)
    )
    count = np.array(result.facts.get("count", np.zeros(len(pairs))), np.int64)
    asl = np.array(result.facts.get("asl", result.corrected), np.float64)
    unknown = np.full((len(alphas), len(pairs)), np.nan)
    return Discrimination(
        difference=differences.mean,
        count=count,
        asl=asl,
        identical=differences.identical,
        constant=differences.constant,
        alphas=tuple(alphas),
        estimated=unknown,
        errors=np.full(len(alphas), np.nan),
        resamples=num_resamples if TESTS[test_name].default_resamples else 0,
        done=result.done,
        reason=result.reason,
    )


def _critical_ranks(alphas: Sequence[float], num_resamples: int) -> list[int]:
    """ceil(B alpha) for each level, at least 1."""
    if not all(0 < alpha < 1 for alpha in alphas):
        raise UsageError(f"alpha must be between 0 and 1, not {', '.join(map(str, alphas))}")
    # a product such as .07 * 100 is 7.000000000000001 in floats
    return [max(1, math.ceil(num_resamples * alpha - 1e-9)) for alpha in alphas]


def _shifted_differences_by_topic(
    score_matrix: TopicsByRuns,
    part_pairs: RunPairs,
    differences: DifferenceSummary,
    part: slice | Ints,
) -> TopicsByPairs:
    """Differences less their mean; all 0 where they are all the same."""
    scale = differences.scale[part]
    shifted = zero_noise(
        zero_noise(part_pairs.differences(score_matrix), scale) - differences.mean[part], scale
    )
    shifted[:, differences.sd[part] == 0] = 0.0
    return shifted


def _square_ratios_and_abs_means(
    shifted: TopicsByPairs, topic_shares: TopicsByResamples
) -> tuple[PairsByResamples, PairsByResamples]:
    """float64[P, B] each: mean(w*)^2 / mean(w*^2), which rises with |t*|, and |mean(w*)|.

    The ratio is 1 where t* is infinite and -1 where it is not defined.
    """
    means = np.abs(single_threaded_product(shifted.T, topic_shares))
    squares = single_threaded_product((shifted**2).T, topic_shares)
    defined = squares > 0
    return np.where(defined, means**2 / np.where(defined, squares, 1.0), -1.0), means


def _differences_at_rank(
    rank: int, ratios: PairsByResamples, means: PairsByResamples
) -> PairValues:
    """float64[P]: |mean(w*)| of the sample with the rank-th largest |t*|, then |mean(w*)|."""
    last = ratios.shape[1] - rank
    ratio_at_rank = np.partition(ratios, last, axis=1)[:, last, None]
    tied = (np.abs(ratios - ratio_at_rank) <= EQUAL * np.abs(ratio_at_rank)) & (ratio_at_rank > -1)
    largest_means: Floats = np.where(tied, means, 0.0).max(axis=1)
    for pair in np.flatnonzero(np.count_nonzero(tied, axis=1) > 1):
        num_above = np.count_nonzero((ratios[pair] > ratio_at_rank[pair]) & ~tied[pair])
        largest_means[pair] = np.sort(means[pair, tied[pair]])[num_above - rank]
    return largest_means


# --- Whether two measures lead to the same conclusions ---


CONCLUSIONS = (
    "active agreement",
    "active disagreement",
    "passive agreement",
    "passive disagreement",
    "neither",
)
"""Of a pair of runs: both measures find a significant difference, of the same sign (AA) or of
opposite signs (AD); one finds it, and the other has a difference of the same sign or none (PA), or
of the opposite sign (PD); neither finds one. `studies.criteria.SHORT` has these letters, in this
order."""

_ACTIVE_AGREEMENT, _ACTIVE_DISAGREEMENT, _PASSIVE_AGREEMENT, _PASSIVE_DISAGREEMENT, _NEITHER = (
    range(len(CONCLUSIONS))
)


@record
class PairConclusions:
    """What two measures say of P pairs of runs.

    kind  int64[P], an index into CONCLUSIONS
    """

    kind: Ints

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs are of each kind."""
        counts = np.bincount(self.kind, minlength=len(CONCLUSIONS)).tolist()
        return dict(zip(CONCLUSIONS, counts, strict=True))


def compare_conclusions_of_two_measures(
    differences_by_measure: tuple[PairValues, PairValues],
    significance_by_measure: tuple[PairMask, PairMask],
) -> PairConclusions:
    """Compare the significant conclusions of two measures, pair by pair.

    Args:
        differences_by_measure: float64[P] twice, the mean difference of each pair under either
            measure, in the same direction; rounding errors already set to 0.
        significance_by_measure: bool[P] twice, which differ significantly by whatever test.

    Source: Moffat, Scholer and Thomas, ADCS 2012; Ferro and Sanderson, ECIR 2019; here PA and PD
    are the pairs that one measure alone finds significant.
    """
    first_difference, second_difference = differences_by_measure
    first_significant, second_significant = significance_by_measure
    opposite = np.sign(first_difference) * np.sign(second_difference) < 0
    both, either = first_significant & second_significant, first_significant | second_significant
    active = np.where(opposite, _ACTIVE_DISAGREEMENT, _ACTIVE_AGREEMENT)
    passive = np.where(opposite, _PASSIVE_DISAGREEMENT, _PASSIVE_AGREEMENT)
    return PairConclusions(np.select([both, either], [active, passive], _NEITHER))


@record(eq=True)
class Concordance:
    """Which of two measures agrees more with a third where they disagree.

    disagreements                pairs of runs on a topic that the two order oppositely
    first, second                those in which the measure does not contradict the third, ties
                                 included
    first_strict, second_strict  those in which it has the third's order, which has no tie
    p                            of the sign test between the two strict counts, two-sided
    """

    disagreements: int
    first: int
    second: int
    first_strict: int
    second_strict: int
    p: float


def concordance(
    first_scores: TopicsByRuns, second_scores: TopicsByRuns, gold_scores: TopicsByRuns
) -> Concordance:
    """The concordance (intuitiveness) test of two measures against a simple third.

    With d1, d2 and g the differences of a pair of runs on a topic: of the cases with d1 d2 < 0, how
    many have d1 g >= 0, and d2 g >= 0. The two strict counts share no case, as one of d1 and d2 has
    the sign of g if g is not 0.

    Args:
        first_scores: float64[T, S], the scores of a measure.
        second_scores: float64[T, S], those of the other.
        gold_scores: float64[T, S], those of the measure that says what is intuitive.

    Source: Sakai, WWW 2012, "Evaluation with informational and navigational intents", section 4.
    """
    from scipy.stats import binomtest

    if not first_scores.shape == second_scores.shape == gold_scores.shape:
        raise UsageError(
            f"score matrices of different shapes: {first_scores.shape}, {second_scores.shape}, "
            f"{gold_scores.shape}"
        )
    pairs = every_pair(first_scores.shape[1])
    first_signs, second_signs, gold_signs = (
        np.sign(zero_noise(pairs.differences(scores), scale_of(scores)))
        for scores in (first_scores, second_scores, gold_scores)
    )
    opposed = first_signs * second_signs < 0
    first_agreement, second_agreement = first_signs * gold_signs, second_signs * gold_signs
    strict = [
        int(np.count_nonzero(opposed & (each > 0))) for each in (first_agreement, second_agreement)
    ]
    tosses = sum(strict)
    return Concordance(
        disagreements=int(np.count_nonzero(opposed)),
        first=int(np.count_nonzero(opposed & (first_agreement >= 0))),
        second=int(np.count_nonzero(opposed & (second_agreement >= 0))),
        first_strict=strict[0],
        second_strict=strict[1],
        p=max(SMALLEST, float(binomtest(strict[0], tosses).pvalue)) if tosses else 1.0,
    )


# --- How stable a measure's verdicts are over sets of topics ---


@record
class Swaps:
    """Comparisons of pairs of runs on two sets of topics, by the difference on the first.

    lower        float64[bins], the lower edge of each bin of absolute differences; the last is open
    comparisons  int64[bins]
    swaps        int64[bins], those in which the second set of topics contradicts the first
    ties         comparisons without a difference on the first set, which swap nothing
    """

    lower: Floats
    comparisons: Ints
    swaps: Ints
    ties: int

    @property
    def rates(self) -> Floats:
        """float64[bins]: swaps per comparison; NaN for a bin without any."""
        some = self.comparisons > 0
        return np.where(some, self.swaps / np.where(some, self.comparisons, 1), np.nan)

    def required_difference(self, max_rate: float = 0.05) -> float:
        """The difference required: the lower edge of the lowest bin with at most this swap rate.

        NaN where no bin has.
        """
        return lowest_bin_edge(self.lower, self.rates, max_rate)

    def sensitivity(self, max_rate: float = 0.05) -> float:
        """The share of comparisons with the difference required or more, 0 to 1."""
        at_least = self.lower >= self.required_difference(max_rate)
        return float(self.comparisons[at_least].sum()) / max(float(self.comparisons.sum()), 1.0)


def lowest_bin_edge(lower_edges: Floats, rates: Floats, max_rate: float) -> float:
    """The lower edge of the lowest bin with at most this swap rate; NaN where no bin has."""
    is_low = rates <= max_rate
    return float(lower_edges[np.argmax(is_low)]) if is_low.any() else float("nan")


def swap_method(
    score_matrix: TopicsByRuns,
    first_sets: TopicDraws,
    second_sets: TopicDraws,
    bin_width: float = 0.01,
    num_bins: int = 21,
) -> Swaps:
    """The swap rate by size of the difference, over all pairs of S runs and N trials.

    In a trial the mean difference D of a pair on one set of topics is compared with D' on the
    other: a swap where D D' < 0. Differences that are equal to 0 up to rounding swap nothing.

    Args:
        score_matrix: float64[T, S].
        first_sets: int64[N, n], the topics of each trial's one set: `disjoint_topic_sets` or, for
            sets as large as T, `two_samples_with_replacement`.
        second_sets: int64[N, n], those of its other set.
        bin_width: of a bin of |D|.
        num_bins: how many; the last is open.

    Source: Voorhees and Buckley, SIGIR 2002, "The effect of topic set size on retrieval experiment
    error".
    """
    size, num_topics = first_sets.shape[1], len(score_matrix)
    tolerance = tie_tolerance(size, scale_of(score_matrix)) / size
    # runs by trials: the differences of a run from all after it are rows that lie side by side
    first_means, second_means = (
        single_threaded_product(score_matrix.T, topic_counts_of_draws(each, num_topics).T / size)
        for each in (first_sets, second_sets)
    )
    comparisons, swaps = np.zeros(num_bins, np.int64), np.zeros(num_bins, np.int64)
    ties = 0
    for run in range(score_matrix.shape[1] - 1):
        first_difference = first_means[run + 1 :] - first_means[run]
        second_difference = second_means[run + 1 :] - second_means[run]
        # 1e-9 so that a difference of .29 is in the bin of .29
        bins = np.abs(first_difference) / bin_width + 1e-9
        bins = np.minimum(bins, num_bins - 1).astype(np.intp)
        comparisons += np.bincount(bins.ravel(), minlength=num_bins)
        ties += int(np.count_nonzero(np.abs(first_difference) <= tolerance))
        contrary = ((first_difference > tolerance) & (second_difference < -tolerance)) | (
            (first_difference < -tolerance) & (second_difference > tolerance)
        )
        swaps += np.bincount(bins[contrary], minlength=num_bins)
    return Swaps(bin_width * np.arange(num_bins, dtype=np.float64), comparisons, swaps, ties)


_SIZES = 10
"""How many sizes of sets the curves are fitted to."""


@record
class FittedSwaps:
    """Swap rates a exp(-b n) of pairs of runs on sets of n topics, by the difference on one set.

    sizes   int64[], the sizes of the disjoint sets that the curves were fitted to
    lower   float64[bins], the lower edge of each bin of absolute differences; the last is open
    a, b    float64[bins]; a is 0 where no set swapped, NaN where a bin had too few swaps to fit
    """

    sizes: Ints
    lower: Floats
    a: Floats
    b: Floats

    def rates(self, set_size: int) -> Floats:
        """float64[bins]: the swap rates of sets of so many topics, at most 1; NaN without a fit."""
        return np.minimum(1.0, self.a * np.exp(-self.b * set_size))

    def required_difference(self, set_size: int, max_rate: float = 0.05) -> float:
        """The lower edge of the lowest bin with at most this swap rate; NaN where no bin has."""
        return lowest_bin_edge(self.lower, self.rates(set_size), max_rate)


def fit_swaps(score_matrix: TopicsByRuns, seed: int, num_trials: int) -> FittedSwaps:
    """Fit the swap rates of disjoint sets of up to half the topics, bin by bin.

    log(rate) = log a - b n by least squares over the sizes at which a bin had a swap, each weighted
    by its number of swaps, the inverse of the variance of log(rate).

    `seed`: of the sets. `num_trials`: N, for each size.

    Source: Voorhees and Buckley, SIGIR 2002, section 3, who so went from sets of 25 topics to 50.
    """
    half = len(score_matrix) // 2
    if half < 3:
        raise UsageError(
            f"swap rates cannot be fitted to {len(score_matrix)} topics: at least 6 are needed"
        )
    sizes = np.unique(np.ceil(half * np.arange(1, _SIZES + 1) / _SIZES).astype(np.int64))
    swaps_by_size = [
        swap_method(score_matrix, *disjoint_topic_sets(seed, num_trials, len(score_matrix), size))
        for size in sizes.tolist()
    ]
    swaps = np.array([each.swaps for each in swaps_by_size])
    comparisons = np.array([each.comparisons for each in swaps_by_size])
    a, b = np.full(swaps.shape[1], np.nan), np.zeros(swaps.shape[1])
    a[(comparisons.sum(axis=0) > 0) & (swaps.sum(axis=0) == 0)] = 0.0
    for bin_index in np.flatnonzero(np.count_nonzero(swaps, axis=0) > 1):
        some = np.flatnonzero(swaps[:, bin_index])
        num_swaps = swaps[some, bin_index]
        logs = np.log(num_swaps / comparisons[some, bin_index])
        slope, start = np.polyfit(sizes[some], logs, 1, w=np.sqrt(num_swaps))
        a[bin_index], b[bin_index] = np.exp(start), -slope
    return FittedSwaps(sizes, swaps_by_size[0].lower, a, b)


@record
class Stability:
    """How consistently runs are ordered over sets of topics, for F fuzziness values.

    minority  float64[F], the error rate: comparisons against the majority of their pair, per
              comparison
    ties      float64[F], comparisons taken as equal, per comparison
    """

    minority: Floats
    ties: Floats


def stability(
    score_matrix: TopicsByRuns, trial_sets: TopicDraws, fuzziness_levels: Sequence[float]
) -> Stability:
    """The stability method: minority rate and proportion of ties over sets of topics.

    For each set of topics, two runs with means x and y are equal where |x - y| is below f max(x, y)
    or 0 up to rounding, else one is greater. The minority rate is the sum over pairs of min(times
    greater, times less) per comparison.

    `trial_sets`: int64[N, n], the topics of each trial: `random_topic_sets`. `fuzziness_levels`:
    values of f, the share of the better mean below which two runs are taken as equal.

    Source: Buckley and Voorhees, SIGIR 2000, "Evaluating evaluation measure stability".
    """
    set_size, num_topics = trial_sets.shape[1], len(score_matrix)
    tolerance = tie_tolerance(set_size, scale_of(score_matrix)) / set_size
    means = single_threaded_product(
        score_matrix.T, topic_counts_of_draws(trial_sets, num_topics).T / set_size
    )
    num_runs = len(means)
    minority, ties = (np.zeros(len(fuzziness_levels), np.int64) for _ in range(2))
    for run in range(num_runs - 1):
        difference = means[run + 1 :] - means[run]
        better = np.maximum(means[run + 1 :], means[run])
        for level_index, share in enumerate(fuzziness_levels):
            # a difference within rounding is none, and one within rounding of f max is not below
            margin = np.maximum(share * better - tolerance, tolerance)
            greater = np.count_nonzero(difference >= margin, axis=1)
            less = np.count_nonzero(difference <= -margin, axis=1)
            minority[level_index] += np.minimum(greater, less).sum()
            ties[level_index] += difference.size - (greater + less).sum()
    comparisons = max(1, num_runs * (num_runs - 1) // 2 * len(trial_sets))
    return Stability(minority / comparisons, ties / comparisons)


def disjoint_topic_sets(
    seed: int, num_trials: int, num_topics: int, set_size: int
) -> tuple[TopicDraws, TopicDraws]:
    """int64[N, size] twice: in each trial two sets of topics that share none."""
    if not 1 <= set_size <= num_topics // 2:
        raise UsageError(
            f"two disjoint sets of {set_size} topics cannot be drawn from {num_topics}: at most "
            f"{num_topics // 2} each; sets with replacement can be as large as all topics"
        )
    orders = _topic_orders(seed, num_trials, num_topics)
    return orders[:, :set_size], orders[:, set_size : 2 * set_size]


def random_topic_sets(seed: int, num_trials: int, num_topics: int, set_size: int) -> TopicDraws:
    """int64[N, size]: a set of different topics for each trial."""
    if not 1 <= set_size <= num_topics:
        raise UsageError(f"a set of {set_size} topics cannot be drawn from {num_topics}")
    return _topic_orders(seed, num_trials, num_topics)[:, :set_size]


def two_samples_with_replacement(
    seed: int, num_trials: int, num_topics: int, set_size: int
) -> tuple[TopicDraws, TopicDraws]:
    """int64[N, size] twice: in each trial two samples of topics with replacement (Sakai 2006)."""
    if set_size < 1:
        raise UsageError(f"a sample needs one topic or more, not {set_size}")
    drawn = topic_draws(seed, num_trials, num_topics, 2 * set_size)
    return drawn[:, :set_size], drawn[:, set_size:]


def _topic_orders(seed: int, num_trials: int, num_topics: int) -> TopicDraws:
    """int64[N, T]: the topics in a random order for each trial."""
    orders = []
    for block_index, count in draws.resample_blocks(num_trials):
        keys = draws.random_words(seed, "split", block_index, count * num_topics)
        orders.append(np.argsort(keys.reshape(count, num_topics), axis=1, kind="stable"))
    return np.concatenate(orders)
