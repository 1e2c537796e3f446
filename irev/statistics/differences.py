"""Pairs of runs, their differences by topic, and when two numbers are equal.

Scores such as P@10 or RR take few values, and many resamples have exactly the statistic that was
observed. Whether these count must not depend on rounding: 0.3 - 0.2 and 0.2 - 0.1 are equal here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    Ints,
    PairsByTopics,
    PairValues,
    TopicIndices,
    TopicsByPairs,
    TopicsByRuns,
    TopicValues,
    offsets,
)
from irev.core.record import record
from irev.errors import UsageError

Tail: TypeAlias = Literal["two-sided", "greater", "less"]
"""The alternative: the first run differs from the second, is better, or is worse."""

NEAR = 1e-12
"""Scores closer than this, relative to the largest, are equal."""

SMALLEST = float(np.finfo(np.float64).tiny)
"""What the chance of something possible is at least: smaller ones lose their digits, then vanish.

Of 1,100 topics that all go one way, p is 2^-1099, which no number of 64 bits holds.
"""


def scale_of(scores: Floats) -> float:
    """What a tolerance is relative to: the largest absolute score; 1 where all are 0."""
    largest = float(np.abs(scores).max()) if scores.size else 0.0
    return largest if largest > 0 else 1.0


def zero_noise(differences: Floats, scale: float | Floats) -> Floats:
    """Differences of scores, those too small to mean anything set to 0."""
    return np.where(np.abs(differences) <= NEAR * scale, 0.0, differences)


def order_by_gain(differences: TopicValues, *, lower_is_better: bool) -> TopicIndices:
    """int64[T]: the topics, gains first and losses last, equal ones in their order.

    `lower_is_better`: whether a lower score is better, so that a gain is a negative difference.
    """
    return np.argsort(differences if lower_is_better else -differences, kind="stable")


def tie_tolerance(num_topics: int, scale: float) -> float:
    """How far below the observed one a sum over topics may lie and still be as large."""
    return NEAR * num_topics * scale


def groups_of_equals(values: Floats, scale: float) -> Ints:
    """int64[n]: a number for each value, equal for equal values, rising with them.

    Values are told apart by the gaps between neighbours in sorted order, so that no grid can part
    two that are nearly equal.
    """
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > NEAR * scale
    numbers = np.empty(len(values), np.int64)
    numbers[order] = offsets(gaps)[: len(values)]
    return numbers


@record
class RunPairs:
    """P pairs of runs, by their columns; a difference is that of the first minus the second.

    first, second  int64[P]
    """

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def places(self) -> list[tuple[int, int]]:
        """(first, second) of each pair."""
        return list(zip(self.first.tolist(), self.second.tolist(), strict=True))

    def differences(self, score_matrix: TopicsByRuns) -> TopicsByPairs:
        """For each topic, the first run's score minus the second's."""
        differences: Floats = score_matrix[:, self.first] - score_matrix[:, self.second]
        return differences

    def subset(self, indices: Ints | Bools | slice) -> RunPairs:
        """Some of the pairs."""
        return RunPairs(self.first[indices], self.second[indices])

    def swapped_runs(self) -> RunPairs:
        """The second run of each pair minus the first."""
        return RunPairs(self.second, self.first)

    def batches(self, size: int) -> Iterator[tuple[slice, RunPairs]]:
        """The pairs in turn, at most so many at a time, each part with where it stands."""
        for start in range(0, len(self), size):
            part = slice(start, min(start + size, len(self)))
            yield part, self.subset(part)


def every_pair(num_runs: int) -> RunPairs:
    """All S(S-1)/2 pairs, in the order (0, 1), (0, 2), ..., (S-2, S-1)."""
    first, second = np.triu_indices(num_runs, 1)
    return RunPairs(first.astype(np.int64), second.astype(np.int64))


def pairs_with_baselines(num_runs: int, baseline_indices: Sequence[int]) -> RunPairs:
    """Each run minus each baseline, a run that is a baseline itself only once against another."""
    pairs = [
        (run, baseline)
        for position, baseline in enumerate(baseline_indices)
        for run in range(num_runs)
        if run != baseline and run not in baseline_indices[:position]
    ]
    indices = np.array(pairs, np.int64).reshape(-1, 2)
    return RunPairs(indices[:, 0], indices[:, 1])


PAIR_CELLS = 1 << 17
"""Numbers in a table of pairs x topics, or pairs x resamples, that is worked on at once (1 MiB)."""


@record
class DifferenceSummary:
    """The differences d_t of P pairs over T topics, summed up.

    num_topics  T
    mean        float64[P]: m = (d_1 + ... + d_T) / T
    sd          float64[P]: the root of (sum of (d_t - m)^2) / (T - 1)
    scale       float64[P]: what tolerances are relative to, the larger run's largest absolute score
    nonzero     int64[P]: topics with a difference; no permutation or sign p is below 2 / 2^nonzero
    identical   bool[P]: no topic has a difference
    constant    bool[P]: every topic has the same difference, which is not 0
    """

    num_topics: int
    mean: Floats
    sd: Floats
    scale: Floats
    nonzero: Ints
    identical: Bools
    constant: Bools


def check_score_matrix(score_matrix: TopicsByRuns) -> None:
    """Refuse a matrix of scores that no pair can be tested on."""
    if len(score_matrix) < 2:
        raise UsageError("comparing runs needs at least two topics")
    if not np.isfinite(score_matrix).all():
        topic, run = np.argwhere(~np.isfinite(score_matrix))[0].tolist()
        raise UsageError(
            f"run {run + 1} has no finite score on topic {topic + 1}: runs cannot be compared there"
        )


def pair_scales(score_matrix: TopicsByRuns, pairs: RunPairs) -> PairValues:
    """What each pair's tolerance is relative to; other runs have no part in it."""
    largest = np.abs(score_matrix).max(axis=0)
    larger = np.maximum(largest[pairs.first], largest[pairs.second])
    return np.where(larger > 0, larger, 1.0)


def pair_differences(score_matrix: TopicsByRuns, pairs: RunPairs) -> TopicsByPairs:
    """The differences of the pairs, those that are noise set to 0."""
    return zero_noise(pairs.differences(score_matrix), pair_scales(score_matrix, pairs))


def difference_blocks(
    score_matrix: TopicsByRuns, pairs: RunPairs
) -> Iterator[tuple[slice, PairsByTopics]]:
    """Blocks of pairs, with float64[pairs, T]: their differences, those that are noise set to 0."""
    by_run = np.ascontiguousarray(score_matrix.T)
    scale = pair_scales(score_matrix, pairs)
    for part, part_pairs in pairs.batches(max(1, PAIR_CELLS // len(score_matrix))):
        differences = by_run[part_pairs.first] - by_run[part_pairs.second]
        yield part, zero_noise(differences, scale[part, None])


def wins_and_losses(
    score_matrix: TopicsByRuns, pairs: RunPairs, min_diff: float = 0.0
) -> tuple[Ints, Ints]:
    """int64[P] each: on how many topics the first run is better by more than this, and worse."""
    least = min_diff + NEAR * pair_scales(score_matrix, pairs)  # 0.3 - 0.29 is no more than 0.01
    wins, losses = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    for part, block in difference_blocks(score_matrix, pairs):
        wins[part] = np.count_nonzero(block > least[part, None], axis=1)
        losses[part] = np.count_nonzero(block < -least[part, None], axis=1)
    return wins, losses


def mean_and_sd_of_differences(score_matrix: TopicsByRuns, pairs: RunPairs) -> DifferenceSummary:
    """The mean and standard deviation of each pair's differences, and which pairs have none."""
    check_score_matrix(score_matrix)
    num_topics, num_pairs = len(score_matrix), len(pairs)
    scale = pair_scales(score_matrix, pairs)
    mean, sd, nonzero = np.zeros(num_pairs), np.zeros(num_pairs), np.zeros(num_pairs, np.int64)
    for part, block in difference_blocks(score_matrix, pairs):
        mean[part] = zero_noise(np.cumsum(block, axis=1)[:, -1] / num_topics, scale[part])
        squares = np.cumsum((block - mean[part, None]) ** 2, axis=1)[:, -1]
        sd[part] = np.sqrt(squares / (num_topics - 1))
        nonzero[part] = np.count_nonzero(block, axis=1)
    identical = nonzero == 0
    constant = (sd <= NEAR * scale) & ~identical
    sd[identical | constant] = 0.0
    return DifferenceSummary(num_topics, mean, sd, scale, nonzero, identical, constant)


def same_difference_p_values(mean: PairValues, num_topics: float, tail: Tail) -> PairValues:
    """The p of pairs with the same difference on each of n topics: that of the sign flips.

    Two-sided 2^(1 - n), one-sided 2^-n on the side of the difference and 1 on the other. That
    nothing varied makes nothing certain: of n topics no more can be learned. 1 where `mean` is 0.
    """
    one_sided = max(2.0**-num_topics, SMALLEST)
    if tail == "two-sided":
        return np.where(mean == 0, 1.0, min(2 * one_sided, 1.0))
    return np.where(mean > 0 if tail == "greater" else mean < 0, one_sided, 1.0)


def equal_scores_end(
    score: PairValues, num_topics: float | Ints, chance: float | Floats, bound: float
) -> PairValues:
    """An end of the exact interval of the mean of n scores that are all equal to c.

    With pi = chance^(1 / n) and the end of the measure's range it is bound + (c - bound) pi:
    whatever gives n scores c with that chance or more has c with a chance of pi or more. For c at
    the other end of the range it is Clopper and Pearson's. Where no range bounds, it is infinite.
    """
    if math.isinf(bound):
        return np.full(score.shape, bound)
    end: PairValues = bound + (score - bound) * chance ** (1 / num_topics)
    return end
