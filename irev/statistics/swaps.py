"""How stable a measure's verdicts are over sets of topics: the swap and the stability method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics import draws
from irev.statistics.differences import scale_of, tie_tolerance
from irev.statistics.draws import topic_draws, weights_of
from irev.statistics.resampling import product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools, Ints


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

    def required(self, rate: float = 0.05) -> float:
        """The difference required: the lower edge of the lowest bin with at most this swap rate.

        NaN where no bin has.
        """
        return lowest_bin(self.lower, self.rates, rate)

    def sensitivity(self, rate: float = 0.05) -> float:
        """The share of comparisons with the difference required or more, 0 to 1."""
        at_least = self.lower >= self.required(rate)
        return float(self.comparisons[at_least].sum()) / max(float(self.comparisons.sum()), 1.0)


def lowest_bin(lower: Floats, rates: Floats, rate: float) -> float:
    """The lower edge of the lowest bin with at most this swap rate; NaN where no bin has."""
    kept = rates <= rate
    return float(lower[np.argmax(kept)]) if kept.any() else float("nan")


def swap_method(
    score_matrix: Floats, first: Ints, second: Ints, width: float = 0.01, bins: int = 21
) -> Swaps:
    """The swap rate by size of the difference, over all pairs of S runs and N trials.

    In a trial the mean difference D of a pair on one set of topics is compared with D' on the
    other: a swap where D D' < 0. Differences that are equal to 0 up to rounding swap nothing.

    Args:
        score_matrix: float64[T, S].
        first: int64[N, n], the topics of each trial's one set: `disjoint_halves` or, for sets as
            large as T, `two_samples`.
        second: int64[N, n], those of its other set.
        width: of a bin of |D|.
        bins: how many; the last is open.

    Source: Voorhees and Buckley, SIGIR 2002, "The effect of topic set size on retrieval experiment
    error".
    """
    size, num_topics = first.shape[1], len(score_matrix)
    near = tie_tolerance(size, scale_of(score_matrix)) / size
    # runs by trials: the differences of a run from all after it are rows that lie side by side
    one, other = (
        product(score_matrix.T, weights_of(each, num_topics).T / size) for each in (first, second)
    )
    comparisons, swaps = np.zeros(bins, np.int64), np.zeros(bins, np.int64)
    ties = 0
    for run in range(score_matrix.shape[1] - 1):
        here, there = one[run + 1 :] - one[run], other[run + 1 :] - other[run]
        # 1e-9 so that a difference of .29 is in the bin of .29
        place = np.minimum(np.abs(here) / width + 1e-9, bins - 1).astype(np.intp)
        comparisons += np.bincount(place.ravel(), minlength=bins)
        ties += int(np.count_nonzero(np.abs(here) <= near))
        contrary = ((here > near) & (there < -near)) | ((here < -near) & (there > near))
        swaps += np.bincount(place[contrary], minlength=bins)
    return Swaps(width * np.arange(bins, dtype=np.float64), comparisons, swaps, ties)


@record
class Stability:
    """How consistently runs are ordered over sets of topics, for F fuzziness values.

    minority  float64[F], the error rate: comparisons against the majority of their pair, per
              comparison
    ties      float64[F], comparisons taken as equal, per comparison
    """

    minority: Floats
    ties: Floats


def stability(score_matrix: Floats, sets: Ints, fuzziness: Sequence[float]) -> Stability:
    """The stability method: minority rate and proportion of ties over sets of topics.

    For each set of topics, two runs with means x and y are equal where |x - y| is below f max(x, y)
    or 0 up to rounding, else one is greater. The minority rate is the sum over pairs of min(times
    greater, times less) per comparison.

    `sets`: int64[N, n], the topics of each trial: `topic_sets`. `fuzziness`: values of f,
    the share of the better mean below which two runs are taken as equal.

    Source: Buckley and Voorhees, SIGIR 2000, "Evaluating evaluation measure stability".
    """
    size, num_topics = sets.shape[1], len(score_matrix)
    near = tie_tolerance(size, scale_of(score_matrix)) / size
    means = product(score_matrix.T, weights_of(sets, num_topics).T / size)
    num_runs = len(means)
    minority, ties = (np.zeros(len(fuzziness), np.int64) for _ in range(2))
    for run in range(num_runs - 1):
        apart = means[run + 1 :] - means[run]
        better = np.maximum(means[run + 1 :], means[run])
        for place, share in enumerate(fuzziness):
            # a difference within rounding is none, and one within rounding of f max is not below
            margin = np.maximum(share * better - near, near)
            greater, less = _times(apart >= margin), _times(apart <= -margin)
            minority[place] += np.minimum(greater, less).sum()
            ties[place] += apart.size - (greater + less).sum()
    comparisons = max(1, num_runs * (num_runs - 1) // 2 * len(sets))
    return Stability(minority / comparisons, ties / comparisons)


def _times(said: Bools) -> Ints:
    found: Ints = np.count_nonzero(said, axis=1)
    return found


def disjoint_halves(seed: int, trials: int, num_topics: int, size: int) -> tuple[Ints, Ints]:
    """int64[N, size] twice: in each trial two sets of topics that share none."""
    if not 1 <= size <= num_topics // 2:
        raise UsageError(
            f"two disjoint sets of {size} topics cannot be drawn from {num_topics}: at most "
            f"{num_topics // 2} each; sets with replacement can be as large as all topics"
        )
    orders = _orders(seed, trials, num_topics)
    return orders[:, :size], orders[:, size : 2 * size]


def topic_sets(seed: int, trials: int, num_topics: int, size: int) -> Ints:
    """int64[N, size]: a set of different topics for each trial."""
    if not 1 <= size <= num_topics:
        raise UsageError(f"a set of {size} topics cannot be drawn from {num_topics}")
    return _orders(seed, trials, num_topics)[:, :size]


def two_samples(seed: int, trials: int, num_topics: int, size: int) -> tuple[Ints, Ints]:
    """int64[N, size] twice: in each trial two samples of topics with replacement (Sakai 2006)."""
    if size < 1:
        raise UsageError(f"a sample of topics has one or more, not {size}")
    drawn = topic_draws(seed, trials, num_topics, 2 * size)
    return drawn[:, :size], drawn[:, size:]


def _orders(seed: int, trials: int, num_topics: int) -> Ints:
    """int64[N, T]: the topics in a random order for each trial."""
    return np.concatenate(list(_blocks_of_orders(seed, trials, num_topics)))


def _blocks_of_orders(seed: int, trials: int, num_topics: int) -> Iterator[Ints]:
    for block, count in draws.blocks(trials):
        keys = draws.random_words(seed, "split", block, count * num_topics)
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

    def rates(self, size: int) -> Floats:
        """float64[bins]: the swap rates of sets of so many topics, at most 1; NaN without a fit."""
        return np.minimum(1.0, self.a * np.exp(-self.b * size))

    def required(self, size: int, rate: float = 0.05) -> float:
        """The lower edge of the lowest bin with at most this swap rate; NaN where no bin has."""
        return lowest_bin(self.lower, self.rates(size), rate)


def fit_swaps(score_matrix: Floats, seed: int, trials: int) -> FittedSwaps:
    """Fit the swap rates of disjoint sets of up to half the topics, bin by bin.

    log(rate) = log a - b n by least squares over the sizes at which a bin had a swap, each weighted
    by its number of swaps, the inverse of the variance of log(rate).

    `seed`: of the sets. `trials`: N, for each size.

    Source: Voorhees and Buckley, SIGIR 2002, section 3, who so went from sets of 25 topics to 50.
    """
    half = len(score_matrix) // 2
    if half < 3:
        raise UsageError(
            f"swap rates cannot be fitted to {len(score_matrix)} topics: at least 6 are needed"
        )
    sizes = np.unique(np.ceil(half * np.arange(1, _SIZES + 1) / _SIZES).astype(np.int64))
    found = [
        swap_method(score_matrix, *disjoint_halves(seed, trials, len(score_matrix), size))
        for size in sizes.tolist()
    ]
    swaps = np.array([each.swaps for each in found])
    comparisons = np.array([each.comparisons for each in found])
    a, b = np.full(swaps.shape[1], np.nan), np.zeros(swaps.shape[1])
    a[(comparisons.sum(axis=0) > 0) & (swaps.sum(axis=0) == 0)] = 0.0
    for place in np.flatnonzero(np.count_nonzero(swaps, axis=0) > 1):
        some = np.flatnonzero(swaps[:, place])
        logs = np.log(swaps[some, place] / comparisons[some, place])
        slope, start = np.polyfit(sizes[some], logs, 1, w=np.sqrt(swaps[some, place]))
        a[place], b[place] = np.exp(start), -slope
    return FittedSwaps(sizes, found[0].lower, a, b)
