"""How stable a measure's verdicts are over sets of topics: the swap and the stability method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core import draws
from irev.core.arrays import Floats, Ints, TopicDraws, TopicsByRuns
from irev.core.draws import topic_counts_of_draws, topic_draws
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import scale_of, tie_tolerance
from irev.statistics.resampling import single_threaded_product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools


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
        place = np.minimum(np.abs(first_difference) / bin_width + 1e-9, num_bins - 1).astype(
            np.intp
        )
        comparisons += np.bincount(place.ravel(), minlength=num_bins)
        ties += int(np.count_nonzero(np.abs(first_difference) <= tolerance))
        contrary = ((first_difference > tolerance) & (second_difference < -tolerance)) | (
            (first_difference < -tolerance) & (second_difference > tolerance)
        )
        swaps += np.bincount(place[contrary], minlength=num_bins)
    return Swaps(bin_width * np.arange(num_bins, dtype=np.float64), comparisons, swaps, ties)


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
        for place, share in enumerate(fuzziness_levels):
            # a difference within rounding is none, and one within rounding of f max is not below
            margin = np.maximum(share * better - tolerance, tolerance)
            greater = _counts_by_row(difference >= margin)
            less = _counts_by_row(difference <= -margin)
            minority[place] += np.minimum(greater, less).sum()
            ties[place] += difference.size - (greater + less).sum()
    comparisons = max(1, num_runs * (num_runs - 1) // 2 * len(trial_sets))
    return Stability(minority / comparisons, ties / comparisons)


def _counts_by_row(mask: Bools) -> Ints:
    counts: Ints = np.count_nonzero(mask, axis=1)
    return counts


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
    return np.concatenate(list(_topic_order_blocks(seed, num_trials, num_topics)))


def _topic_order_blocks(seed: int, num_trials: int, num_topics: int) -> Iterator[TopicDraws]:
    for block_index, count in draws.resample_blocks(num_trials):
        keys = draws.random_words(seed, "split", block_index, count * num_topics)
        yield np.argsort(keys.reshape(count, num_topics), axis=1, kind="stable")


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
    for place in np.flatnonzero(np.count_nonzero(swaps, axis=0) > 1):
        some = np.flatnonzero(swaps[:, place])
        logs = np.log(swaps[some, place] / comparisons[some, place])
        slope, start = np.polyfit(sizes[some], logs, 1, w=np.sqrt(swaps[some, place]))
        a[place], b[place] = np.exp(start), -slope
    return FittedSwaps(sizes, swaps_by_size[0].lower, a, b)
