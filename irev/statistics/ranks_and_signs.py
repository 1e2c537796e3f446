"""Tests that do not test means: Wilcoxon's signed ranks, the sign test, Nemenyi's mean ranks.

The null hypothesis of the first is that the differences are symmetric about 0, that of the second
that a topic is as often won as lost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    PairCounts,
    PairsByTopics,
    PairValues,
    RunValues,
    TopicsByRuns,
    column_means,
    ratio,
)
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import (
    NEAR,
    SMALLEST,
    check_score_matrix,
    difference_blocks,
    groups_of_equals,
    pair_scales,
    scale_of,
    wins_and_losses,
)
from irev.statistics.permutation import random_sign_p_by_pair

if TYPE_CHECKING:
    from irev.statistics.differences import RunPairs
    from irev.statistics.methods import Tail, Zeros


PMethod: TypeAlias = Literal["auto", "exact", "asymptotic"]

MOST_TOPICS = 200
"""Up to so many topics the exact distribution is used where nobody says."""


@record
class SignedRanks:
    """Wilcoxon tests of P pairs.

    positive, negative  float64[P]: W+ and W-, the sums of the ranks of |d| over topics that the
                        first run wins, and that it loses
    zeros               int64[P]: topics without a difference
    p                   float64[P]
    exact               whether p is exact, given the ranks
    """

    positive: Floats
    negative: Floats
    zeros: Ints
    p: Floats
    exact: bool


def wilcoxon(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    *,
    zeros: Zeros = "pratt",
    method: PMethod = "auto",
    tail: Tail = "two-sided",
    threads: int | None = None,
) -> SignedRanks:
    """The Wilcoxon signed rank test of each pair.

    |d_t| are ranked, equal ones (within a tolerance) by the mean of their ranks. The exact p is the
    chance, over all signs of the ranks as they are, that W+ - W- is as extreme; it holds with ties
    and zeros, and "zsplit" then is "pratt". The asymptotic p is that of z = (W+ - W-) / sqrt(sum of
    squared ranks) under the normal distribution, without a correction for continuity.

    Where nobody says, p is exact up to 200 topics.
    """
    check_score_matrix(score_matrix)
    exact = method == "exact" or (method == "auto" and len(score_matrix) <= MOST_TOPICS)
    scale = pair_scales(score_matrix, pairs)
    positive, negative, p = np.zeros((3, len(pairs)))
    zero_counts = np.zeros(len(pairs), np.int64)
    for part, block in difference_blocks(score_matrix, pairs):
        ranks = _signed_ranks(block, scale[part], drop_zeros=zeros == "wilcox")
        num_zeros = np.count_nonzero(block == 0, axis=1)
        halves = num_zeros * (num_zeros + 1) / 4 if zeros == "zsplit" else np.zeros(len(num_zeros))
        positive[part] = np.maximum(ranks, 0).sum(axis=1) / 2 + halves
        negative[part] = np.maximum(-ranks, 0).sum(axis=1) / 2 + halves
        zero_counts[part] = num_zeros
        if exact:
            p[part] = _exact_signed_rank_p(ranks, tail, threads)
        else:
            p[part] = _normal_signed_rank_p(
                ranks, num_zeros if zeros == "zsplit" else 0 * num_zeros, tail
            )
    return SignedRanks(positive, negative, zero_counts, p, exact)


def _signed_ranks(
    differences_by_pair: PairsByTopics, scale: PairValues, *, drop_zeros: bool
) -> Ints:
    """int64[P, T]: twice the rank of each |d| under the sign of d, in rising order of |d|."""
    order = np.argsort(np.abs(differences_by_pair), axis=1, kind="stable")
    ordered = np.take_along_axis(differences_by_pair, order, axis=1)
    apart = np.diff(np.abs(ordered), axis=1) > NEAR * scale[:, None]
    edge = np.ones((len(ordered), 1), bool)
    places = np.arange(ordered.shape[1])
    first = np.maximum.accumulate(np.where(np.hstack((edge, apart)), places, 0), axis=1)
    ends = np.where(np.hstack((apart, edge)), places, len(places))
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    ranks = first + last + 2
    if drop_zeros:
        ranks = ranks - 2 * np.count_nonzero(ordered == 0, axis=1)[:, None]
    signed: Ints = np.sign(ordered).astype(np.int64) * ranks
    return signed


def _exact_signed_rank_p(signed_ranks: Ints, tail: Tail, threads: int | None) -> PairValues:
    divisor = np.gcd.reduce(signed_ranks, axis=1)
    whole = signed_ranks // np.maximum(divisor, 1)[:, None]
    p = random_sign_p_by_pair(whole, tail, threads)
    return np.where(divisor > 0, p, 1.0)


def _normal_signed_rank_p(
    signed_ranks: Ints, num_split_zeros: PairCounts, tail: Tail
) -> PairValues:
    """The p under the normal distribution, whose variance the split zeros add to."""
    from scipy.special import ndtr

    squares = (signed_ranks.astype(np.float64) ** 2).sum(axis=1) + num_split_zeros * (
        num_split_zeros + 1.0
    ) ** 2
    z = ratio(signed_ranks.sum(axis=1), np.sqrt(squares))
    directed = {"two-sided": np.abs(z), "greater": z, "less": -z}[tail]
    p = ndtr(-directed) * (2.0 if tail == "two-sided" else 1.0)
    return np.where((signed_ranks != 0).any(axis=1), np.maximum(p, SMALLEST), 1.0)


@record
class Signs:
    """Wins, ties and losses of the first run of each pair, int64[P], and the sign test's p."""

    wins: Ints
    ties: Ints
    losses: Ints
    p: Floats


def sign_test(
    score_matrix: TopicsByRuns, pairs: RunPairs, *, min_diff: float = 0.0, tail: Tail = "two-sided"
) -> Signs:
    """The sign test: wins against losses, ties dropped.

    A topic is won where d_t > min_diff and lost where d_t < -min_diff. p is that of `wins` in
    wins + losses tosses of a fair coin, two-sided twice the smaller tail and at most 1; it is 1
    where all are ties. With a min_diff this is the sign test of van Rijsbergen (1979, chapter 7).
    """
    if not min_diff >= 0:
        raise UsageError(f"the smallest difference that counts cannot be {min_diff}")
    check_score_matrix(score_matrix)
    wins, losses = wins_and_losses(score_matrix, pairs, min_diff)
    return Signs(wins, len(score_matrix) - wins - losses, losses, _sign_p(wins, losses, tail))


def _sign_p(wins: PairCounts, losses: PairCounts, tail: Tail) -> PairValues:
    from scipy.special import bdtr

    fewer = {"two-sided": np.minimum(wins, losses), "greater": losses, "less": wins}[tail]
    chance = bdtr(fewer, wins + losses, 0.5)  # 1 of no toss
    if tail == "two-sided":
        chance = np.minimum(1.0, 2.0 * chance)
    p: Floats = np.maximum(chance, SMALLEST)
    return p


def mean_ranks(score_matrix: TopicsByRuns) -> RunValues:
    """Each run's mean rank over topics, from 1 (best) to S; equal runs share ranks."""
    from scipy.stats import rankdata

    scale = scale_of(score_matrix)
    levels = np.array([groups_of_equals(topic_scores, scale) for topic_scores in score_matrix])
    return column_means(rankdata(-levels, axis=1))


def critical_difference(num_runs: int, num_topics: int, alpha: float = 0.05) -> float:
    """The smallest difference of mean ranks that is significant over all pairs.

    CD = q / sqrt(2) * sqrt(k (k + 1) / (6 n)) for k runs and n topics, q the upper quantile of the
    studentised range of k means with infinite degrees of freedom.

    Source: P. B. Nemenyi (1963); J. Demšar, JMLR 7 (2006).
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, num_runs, math.inf))
    return q / math.sqrt(2) * math.sqrt(num_runs * (num_runs + 1) / (6 * num_topics))
