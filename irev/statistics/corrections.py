"""p-values of several hypotheses, corrected for their number; step-down maxT, by permutation.

The differences of a family share their topics, and are the more alike the more the runs are. maxT
flips the signs of whole topics, in all differences together, and so keeps that likeness; a
correction that only counts the hypotheses cannot use it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.core.draws import BLOCK, random_signs, resample_blocks
from irev.core.record import record
from irev.core.workers import map_in_order
from irev.errors import UsageError
from irev.statistics.differences import check_score_matrix, scale_of, tie_tolerance, zero_noise

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.arrays import (
        Bools,
        Floats,
        Ints,
        PairCounts,
        PairValues,
        TopicsByPairs,
        TopicsByRuns,
    )
    from irev.statistics.differences import RunPairs


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


MOST_EXACT = 16
"""Up to so many topics with any difference, all patterns of signs are gone through."""

_CELLS = 1 << 18  # sums of a pattern and a pair that are held at once


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
    together symmetric about 0; skewed differences make it larger (docs/statistics.md).

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
    work: Callable[[tuple[int, int]], Ints]
    if exact:
        patterns = 1 << max(0, len(topic_indices) - 1)  # a pattern and its opposite count alike
        work = partial(_count_exact_block, directions[topic_indices], rounding, statistic[rising])
    else:
        patterns = num_resamples
        work = partial(_count_drawn_block, directions, rounding, statistic[rising], seed)
    reached = np.zeros(len(rising), np.int64)
    for block_counts in map_in_order(work, resample_blocks(patterns), threads):
        reached += block_counts
    count = np.full(len(pairs), patterns, np.int64)
    count[rising] = np.maximum.accumulate(reached[::-1])[::-1]
    return MaxT(count, patterns, exact, seed)


def _count_exact_block(
    directions_by_topic: TopicsByPairs,
    rounding: PairValues,
    thresholds: PairValues,
    block_index_and_size: tuple[int, int],
) -> PairCounts:
    """The counts of a block of all patterns, the last topic's sign kept."""
    number, size = block_index_and_size
    pattern = np.arange(number * BLOCK, number * BLOCK + size)[:, None]
    is_flipped = (pattern >> np.arange(len(directions_by_topic))) & 1 == 1
    return _count_reaching(is_flipped, directions_by_topic, rounding, thresholds)


def _count_drawn_block(
    directions_by_topic: TopicsByPairs,
    rounding: PairValues,
    thresholds: PairValues,
    seed: int,
    block_index_and_size: tuple[int, int],
) -> PairCounts:
    """The counts of a block of drawn patterns."""
    is_flipped = random_signs(seed, *block_index_and_size, len(directions_by_topic))
    return _count_reaching(is_flipped, directions_by_topic, rounding, thresholds)


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
    step = 1 + _CELLS // max(1, len(thresholds))
    for start in range(0, len(sign), step):
        sums = np.abs(sign[start : start + step] @ directions_by_topic)
        sums += rounding
        np.maximum.accumulate(sums, axis=1, out=sums)
        counts += np.count_nonzero(sums >= thresholds, axis=0)
    return counts
