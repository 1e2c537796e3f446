"""How alike two things are: orders of runs, rankings of documents, grades and scores of judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RankValues,
    RunsByRuns,
    RunValues,
    TopicDraws,
    TopicsByRuns,
    column_means,
    column_sums,
    mean_of,
    ranges,
    segment_sums,
    sums_before,
)
from irev.core.draws import topic_counts_of_draws
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import NEAR, RunPairs, groups_of_equals, scale_of, zero_noise
from irev.statistics.families import holm
from irev.statistics.resampling import percentile_interval, single_threaded_product
from irev.statistics.significance_tests import paired_t

# --- How alike two measures, or two sets of judgments, order the same runs ---
# Everything takes two columns of numbers, float64[N], one for each of N runs: usually their means.
# Numbers that differ by rounding only are tied. A tie is never broken by the order of the runs:
# where a coefficient has no place for ties it is its mean over all ways to break them.


def tau_a(true_means: RunValues, estimated_means: RunValues) -> float:
    """Kendall's tau-a, for an estimate against a truth: (C - D) / (N(N-1)/2), from -1 to 1.

    C pairs of runs are in the same order in both columns and D in opposite orders. A tied pair
    counts for neither, which makes tau-a the mean over all ways to break the ties; where the truth
    itself has ties, 1 cannot be reached and tau-b is the better choice.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Kendall 1938, "A new measure of rank correlation".
    """
    num_runs = len(true_means)
    if num_runs < 2:
        return math.nan
    balance = float((_order_signs(true_means) * _order_signs(estimated_means)).sum())
    return balance / (num_runs * (num_runs - 1))


def tau_b(first_means: RunValues, second_means: RunValues) -> float:
    """Kendall's tau-b, for two columns of equal standing: from -1 to 1, 1 if also tied alike.

    (C - D) / sqrt((P - T1) (P - T2)): of P pairs C are in the same and D in the opposite order, and
    T1 and T2 are tied in one column.

    Returns:
        The coefficient; NaN where all runs are tied in a column.

    Source: Kendall 1945, "The treatment of ties in ranking problems". It needs no more than the
    signs that tau_a and tau_AP are made of; scipy's takes ten times as long where it is resampled.
    """
    first_signs, second_signs = _order_signs(first_means), _order_signs(second_means)
    untied = float(np.count_nonzero(first_signs)) * float(np.count_nonzero(second_signs))
    # every pair is counted twice, above and below the division
    return float((first_signs * second_signs).sum()) / math.sqrt(untied) if untied else math.nan


def tau_ap(true_means: RunValues, estimated_means: RunValues) -> float:
    """AP rank correlation of an estimate with a truth, which weighs the top most; from -1 to 1.

    2/(N-1) * sum over ranks i >= 2 of C(i)/(i-1) - 1: going down the estimate, C(i) of the i-1 runs
    above rank i are above it in the truth too. Not symmetric. Ties in the estimate (and in the
    truth) are averaged over all ways to break them: tau_AP,a.

    Returns:
        The coefficient; NaN for fewer than two runs.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008, eq. 2; Urbano and Marrero, ICTIR 2017, for the
    ties.
    """
    num_runs = len(true_means)
    if num_runs < 2:
        return math.nan
    num_above, tied = _above_and_tied(estimated_means)
    inverse = sums_before(1 / np.arange(1, num_runs))
    # the sum of 1/(i-1) over the ranks i that a run's group of ties takes up; those of its own
    # group that are above it are as often wrongly as rightly there
    weight = np.where(
        num_above > 0, inverse[num_above + tied - 1] - inverse[np.maximum(num_above - 1, 0)], 0
    )
    balance = (_order_signs(true_means) * (_order_signs(estimated_means) > 0)).sum(axis=0)
    return float((weight / tied * balance).sum()) / (num_runs - 1)


def tau_ap_b(first_means: RunValues, second_means: RunValues) -> float:
    """AP rank correlation of two columns of equal standing, with ties anywhere: tau_AP,b.

    The mean of both directions. In each, going down a column, a run with n others above it (not
    tied with it) counts 2 C/n - 1, where C of these n are above it in the other column too; the sum
    is divided by the number of runs below the column's first group of ties.

    Returns:
        The coefficient, from -1 to 1; NaN where all runs are tied in a column.

    Source: Urbano and Marrero, ICTIR 2017, "The treatment of ties in AP correlation".
    """
    down_second = _tau_ap_b_down(first_means, second_means)
    return (down_second + _tau_ap_b_down(second_means, first_means)) / 2


def _tau_ap_b_down(true_means: RunValues, estimated_means: RunValues) -> float:
    """One direction of tau_AP,b: down the estimate."""
    num_above, _ = _above_and_tied(estimated_means)
    lower = num_above > 0
    if not lower.any():
        return math.nan
    is_right = (_order_signs(true_means) > 0) & (_order_signs(estimated_means) > 0)
    num_right = is_right.sum(axis=0)[lower]
    return float((2 * num_right / num_above[lower] - 1).sum()) / int(np.count_nonzero(lower))


def tau_b_of_best(true_means: RunValues, estimated_means: RunValues, num_best: int) -> float:
    """tau@k: Kendall's tau-b of the k best runs by the truth, and of all tied with the k-th.

    Returns:
        The coefficient, from -1 to 1; NaN where all of these are tied in a column.
    """
    is_best = _above_and_tied(true_means)[0] < num_best
    return tau_b(true_means[is_best], estimated_means[is_best])


def tau_gap(true_means: RunValues, estimated_means: RunValues) -> float:
    """tau_GAP of an estimate with a truth: as tau_AP, but a pair weighs as much as its true gap.

    2 * (mean over ranks i >= 2 of right(i) / gaps(i)) - 1: going down the estimate, gaps(i) is the
    sum of the true differences between run i and those above it, and right(i) that of the runs that
    are above it in the truth too. Not symmetric. A pair that is tied in either column has no part,
    and a rank without a gap above it none in the mean.

    Returns:
        The coefficient, from -1 to 1; NaN where no rank has a gap above it.

    Source: Gao and Oard 2015, "A head-weighted gap-sensitive correlation coefficient", SIGIR. TREC
    AutoJudge's program breaks ties in the estimate by the names of the runs.
    """
    order = _order_signs(true_means)
    size = np.abs(true_means[:, None] - true_means[None, :]) * (order != 0)
    gaps = np.where(_order_signs(estimated_means) > 0, size, 0.0)
    all_gaps, right_gaps = column_sums(gaps), column_sums(np.where(order > 0, gaps, 0.0))
    has_gap = all_gaps > 0
    if not has_gap.any():
        return math.nan
    return 2 * mean_of(right_gaps[has_gap] / all_gaps[has_gap]) - 1


def spearman(first_means: RunValues, second_means: RunValues) -> float:
    """Spearman's rho: Pearson's correlation of the ranks, those of ties averaged; NaN as there."""
    from scipy.stats import rankdata

    return pearson(rankdata(_tie_groups(first_means)), rankdata(_tie_groups(second_means)))


def pearson(first_values: RunValues, second_values: RunValues) -> float:
    """Pearson's correlation of two columns of N numbers; NaN where one is constant.

    Its sums go from left to right, so that it is the same on every machine, and 1 to the last bit
    of a column with itself; those of NumPy and scipy are neither.
    """
    if len(first_values) < 2 or any(
        np.ptp(each) <= NEAR * scale_of(each) for each in (first_values, second_values)
    ):
        return math.nan
    first, second = (each - mean_of(each) for each in (first_values, second_values))
    covariance = mean_of(first * second)
    return covariance / math.sqrt(mean_of(first * first) * mean_of(second * second))


def rms_error(estimated_values: RunValues, true_values: RunValues) -> float:
    """sqrt(mean of (estimate - truth)^2) over N runs, divisor N: Yilmaz and Aslam, CIKM 2006."""
    if not len(true_values):
        return math.nan
    return math.sqrt(mean_of((estimated_values - true_values) ** 2))


Coefficient: TypeAlias = Callable[[Floats, Floats], float]

COEFFICIENTS: dict[str, Coefficient] = {
    "tau_a": tau_a,
    "tau_b": tau_b,
    "tau_ap": tau_ap,
    "tau_ap_b": tau_ap_b,
    "tau_gap": tau_gap,
    "spearman": spearman,
    "pearson": pearson,
    "rms": rms_error,
}
"""By name; those that are not symmetric take the truth first."""


def _above_and_tied(means: RunValues) -> tuple[Ints, Ints]:
    """For each run how many are above it, and how many are tied with it, itself among them."""
    group = groups_of_equals(-means, scale_of(means))
    count = np.bincount(group)
    return (np.cumsum(count) - count)[group], count[group]


def _tie_groups(means: RunValues) -> Ints:
    """int64[N]: a number for each run, rising with the column, the same for all that are tied."""
    return groups_of_equals(means, scale_of(means))


def _order_signs(means: RunValues) -> RunsByRuns:
    """float64[N, N]: 1 where the row's run is above the column's, -1 below, 0 tied."""
    tie_groups = _tie_groups(means)
    order_signs: Floats = np.sign(tie_groups[:, None] - tie_groups[None, :]).astype(np.float64)
    return order_signs


EXACT_UP_TO = 60
"""Runs for which the exact distribution is used."""


class TauP(NamedTuple):
    """A two-sided p, and whether it is exact or from the normal approximation."""

    p: float
    exact: bool


class CriticalTau(NamedTuple):
    """The smallest tau that is significant, and its p."""

    tau: float
    p: float


def tau_p_value(first_means: RunValues, second_means: RunValues) -> TauP:
    """The two-sided p of Kendall's tau, under the null that all orders are equally likely.

    Exact, 2 P(C - D >= observed), without ties up to 60 runs; otherwise from the normal
    approximation with the variance corrected for ties. NaN where all runs are tied in a column.
    """
    groups = [_tie_groups(means) for means in (first_means, second_means)]
    num_runs = len(first_means)
    untied = all(len(set(group.tolist())) == num_runs for group in groups)
    if untied and num_runs <= EXACT_UP_TO:
        pairs = num_runs * (num_runs - 1) // 2
        score = round(abs(tau_a(first_means, second_means)) * pairs) if pairs else 0
        return TauP(float(_discordance_p(num_runs)[(pairs - score) // 2]), True)
    if any(len(set(group.tolist())) < 2 for group in groups):
        return TauP(math.nan, False)
    from scipy.stats import kendalltau

    return TauP(float(kendalltau(*groups, method="asymptotic").pvalue), False)


def critical_tau(num_runs: int, alpha: float) -> CriticalTau:
    """The smallest tau of n runs without ties whose exact two-sided p is at most alpha.

    Sakai (2006) calls tau significant at 1% for 30 runs where it is over 0.34: the exact value is
    145/435 = 0.3333, its p 0.0094.

    Returns:
        tau and its p; NaN and 1 where not even tau = 1 is significant.
    """
    if num_runs < 2 or not 0 < alpha < 1:
        raise UsageError(
            f"a critical tau needs 2 runs or more and 0 < alpha < 1: {num_runs} runs, alpha {alpha}"
        )
    pairs = num_runs * (num_runs - 1) // 2
    tails = _discordance_p(num_runs)[: pairs // 2 + 1]
    most = int(np.count_nonzero(tails <= alpha)) - 1
    if most < 0:
        return CriticalTau(math.nan, 1.0)
    return CriticalTau((pairs - 2 * most) / pairs, float(tails[most]))


def _discordance_p(num_runs: int) -> Floats:
    """The two-sided p of each number of discordant pairs up to half of all: 2 P(D <= d).

    D is the number of inversions of a random order. The k-th run goes above 0 to k-1 of those
    before it, each with the same probability.
    """
    chances = np.ones(1)
    for k in range(2, num_runs + 1):
        chances = np.convolve(chances, np.full(k, 1 / k))
    p: Floats = np.minimum(1.0, 2 * np.cumsum(chances))
    return p


@record(eq=True)
class Uncertainty:
    """A statistic of the means over topics, and how it varies over resamples of the topics.

    error      the standard deviation over resamples, divisor B-1
    low, high  the percentile interval
    num_defined    the resamples in which the statistic is defined; the others are left out
    """

    value: float
    error: float
    low: float
    high: float
    level: float
    num_defined: int
    num_resamples: int


def bootstrap_correlation(
    coefficient_name: str,
    true_scores: TopicsByRuns,
    estimated_scores: TopicsByRuns,
    samples: TopicDraws,
    level: float = 0.95,
) -> Uncertainty:
    """A coefficient between the mean scores of S runs, with its bootstrap error and interval.

    The same T topics are drawn for both columns and for all runs. A resample adds noise of its own,
    so that its correlation is lower as a rule: if many runs are close together, the whole
    percentile interval may be below the value.

    Args:
        coefficient_name: one of `rank_correlation.COEFFICIENTS`.
        true_scores: float64[T, S]; with `estimated_scores` a measure each, or the same under other
            judgments.
        estimated_scores: float64[T, S].
        samples: int64[B, T], as `draws.topic_draws` gives it.
        level: of the interval.

    Source: Sakai, SIGIR 2006, section 3, for the error of tau.
    """
    if coefficient_name not in COEFFICIENTS:
        raise UsageError(
            f"no correlation is called {coefficient_name!r}: {', '.join(COEFFICIENTS)}"
        )
    if true_scores.shape != estimated_scores.shape:
        raise UsageError(
            f"score matrices of different shapes: {true_scores.shape}, {estimated_scores.shape}"
        )
    coefficient = COEFFICIENTS[coefficient_name]
    weights = topic_counts_of_draws(samples, len(true_scores)) / samples.shape[1]
    mean_pairs = zip(
        single_threaded_product(weights, true_scores),
        single_threaded_product(weights, estimated_scores),
        strict=True,
    )
    drawn = np.array([coefficient(*pair) for pair in mean_pairs])
    defined = drawn[~np.isnan(drawn)]
    return Uncertainty(
        coefficient(column_means(true_scores), column_means(estimated_scores)),
        float(defined.std(ddof=1)) if len(defined) > 1 else np.nan,
        *percentile_interval(defined, level),
        level,
        len(defined),
        len(drawn),
    )


# --- Rank-biased overlap of two rankings of documents, of any lengths, with ties ---
# Webber, Moffat and Zobel, TOIS 2010, "A similarity measure for indefinite rankings"; Corsi and
# Urbano, SIGIR 2024, "The treatment of ties in rank-biased overlap", for ties.
# RBO = (1-p)/p * sum over depths d of A_d p^d, where the agreement A_d is X_d/d without ties and
# X_d is how many documents the two rankings have in common down to d. With s and l documents in
# the shorter and in the longer ranking, the sum has three parts: what both show (d <= s), what
# only the longer shows (s < d <= l), and what neither shows.


Groups: TypeAlias = Sequence[Sequence[Hashable]]

Ties = Literal["a", "b", "w"]
"""`a`: a tie hides an order that is not known, and RBO is its mean over all orders; `b`: that,
corrected for the information lost, so that a ranking has RBO 1 with itself; `w`: tied documents
really share one rank."""


@record(eq=True)
class Overlap:
    """RBO of two rankings.

    ext  if what is not seen agrees as what is seen: the point value, from 0 to 1
    min  if the rankings have nothing more in common
    max  if they have as much more in common as can be
    """

    ext: float
    min: float
    max: float

    @property
    def res(self) -> float:
        """What the unseen documents can change: max - min."""
        return self.max - self.min


def rbo(
    first_ranking: Groups, second_ranking: Groups, persistence: float = 0.9, ties: Ties = "a"
) -> Overlap:
    """RBO of two rankings, each a list of groups of tied documents, best first.

    Two empty rankings have ext 1, an empty one and another 0.

    Args:
        first_ranking: as `[["d7"], ["d2", "d5"], ["d1"]]`.
        second_ranking: likewise.
        persistence: the persistence; the first 10 ranks weigh 86% at 0.9.
        ties: see `Ties`.
    """
    if ties not in ("a", "b", "w"):
        raise UsageError(f"ties of RBO are 'a', 'b' or 'w', not {ties!r}")
    shorter, longer = sorted((_Ranking(first_ranking), _Ranking(second_ranking)), key=len)
    return _overlap_of_depths(
        _describe_depths(shorter, longer, ties), len(shorter), len(longer), persistence
    )


class _Ranking:
    """The documents of a ranking, with the first and the last rank of each one's group."""

    def __init__(self, groups: Groups) -> None:
        size = np.array([len(group) for group in groups], np.int64)
        size_of = np.repeat(size, size)
        self.bottom: Ints = np.repeat(np.cumsum(size), size)
        self.top: Ints = self.bottom - size_of + 1
        documents = [document for group in groups for document in group]
        self.place = {document: place for place, document in enumerate(documents)}
        if len(self.place) < len(documents):
            twice = next(d for n, d in enumerate(documents) if self.place[d] != n)
            raise UsageError(f"the document {twice!r} is in a ranking twice")

    def __len__(self) -> int:
        return len(self.place)

    def shares(self, document_positions: Ints, depth_of_document: Ints, ties: Ties) -> Floats:
        """How much of each document is in the ranking down to the depth beside it: 0 to 1."""
        top, bottom = self.top[document_positions], self.bottom[document_positions]
        if ties == "w":
            return (depth_of_document >= top).astype(np.float64)
        shares: Floats = np.clip((depth_of_document - top + 1) / (bottom - top + 1), 0, 1)
        return shares

    def sizes_by_depth(self, deepest: int, ties: Ties) -> RankValues:
        """Down to each depth, the sum of shares, or for `b` that of squares.

        Below the last document the ranking goes on without ties.
        """
        depth = np.arange(1, deepest + 1, dtype=np.float64)
        seen = len(self)
        if ties == "w":
            depth[:seen] = self.bottom
        elif ties == "b":
            above = self.top - 1
            depth[:seen] = above + (depth[:seen] - above) ** 2 / (self.bottom - above)
        return depth


@record
class _Depths:
    """What is seen of two rankings down to each depth 1, 2, ..., l.

    overlap  X_d: documents in common, those in part counted in part
    size     what the overlap is at most: A_d = overlap/size
    mean     the mean contribution, at depth d, of the documents that only the longer
             ranking has and has shown in part at least
    most     what the overlap could be more: the shorter ranking may go on with the
             documents that only the longer has, in their order
    """

    overlap: RankValues
    size: RankValues
    mean: RankValues
    most: RankValues


def _describe_depths(shorter: _Ranking, longer: _Ranking, ties: Ties) -> _Depths:
    """What is seen of two rankings."""
    shorter_length, deepest = len(shorter), len(longer)
    # the place in the shorter ranking of each document of the longer, -1 where it is not in it
    position = np.array([shorter.place.get(each, -1) for each in longer.place], np.int64)
    in_longer, alone = np.flatnonzero(position >= 0), np.flatnonzero(position < 0)
    in_shorter = position[in_longer]
    # a document counts in part while it is within a group, and in full from its last rank on
    start = np.maximum(shorter.top[in_shorter], longer.top[in_longer])
    full = np.maximum(shorter.bottom[in_shorter], longer.bottom[in_longer])
    depth = ranges(start, full)
    length = full - start
    part = shorter.shares(np.repeat(in_shorter, length), depth, ties) * longer.shares(
        np.repeat(in_longer, length), depth, ties
    )
    wholes = np.cumsum(np.bincount(full, minlength=deepest + 1))
    overlap = segment_sums(depth, part, deepest + 1) + wholes
    sizes = (shorter.sizes_by_depth(deepest, ties), longer.sizes_by_depth(deepest, ties))
    size = (sizes[0] + sizes[1]) / 2 if ties == "w" else np.sqrt(sizes[0] * sizes[1])
    mean, most = _mean_and_most_of_longer_only(longer, alone, shorter_length, ties)
    return _Depths(overlap[1:], size, mean, most)


def _mean_and_most_of_longer_only(
    longer: _Ranking, only_in_longer: Ints, shorter_length: int, ties: Ties
) -> tuple[RankValues, RankValues]:
    """`_Depths.mean` and `.most` of the documents that the longer alone has.

    At a depth, those of the groups above count in full, and those of the depth's own group all
    alike.
    """
    deepest = len(longer)
    depth = np.arange(1, deepest + 1)
    above = np.searchsorted(only_in_longer, longer.top - 1)
    within = np.searchsorted(only_in_longer, longer.bottom) - above
    share = longer.shares(depth - 1, depth, ties)
    active = above + within
    mean = (above + within * share) / np.maximum(active, 1)
    taken = np.clip(depth - shorter_length, 0, active)
    most = np.minimum(taken, above) + np.maximum(taken - above, 0) * share
    return mean, most


def _overlap_of_depths(
    depths: _Depths, shorter_length: int, longer_length: int, persistence: float
) -> Overlap:
    """The three parts of the sum, for rankings of s and l documents."""
    if not 0 < persistence < 1:
        raise UsageError(f"the persistence of RBO must be above 0 and below 1, not {persistence:g}")
    if not longer_length:
        return Overlap(1.0, 0.0, 1.0)
    depth = np.arange(1, longer_length + 1)
    weight = persistence**depth
    agreement = 0.0
    if shorter_length:
        agreement = float(depths.overlap[shorter_length - 1] / depths.size[shorter_length - 1])
    beyond = np.maximum(depth - shorter_length, 0)
    at_end = float(depths.overlap[-1])

    def sum_of(more: Floats | float) -> float:
        return float(np.cumsum((depths.overlap + more) / depths.size * weight)[-1])

    # of all documents that either ranking shows or hides, f are different
    f = int(longer_length + shorter_length - at_end)
    over_depth, powers = _log_and_power_tails(persistence, f)
    rising = (
        2 * (powers[longer_length] - powers[f])
        - f * (over_depth[longer_length] - over_depth[f])
        + powers[f]
    )
    share = (at_end + (longer_length - shorter_length) * agreement) / longer_length
    factor = (1 - persistence) / persistence
    return Overlap(
        float(factor * (sum_of(beyond * agreement * depths.mean) + share * powers[longer_length])),
        float(factor * (sum_of(0.0) + at_end * over_depth[longer_length])),
        float(factor * (sum_of(depths.most) + rising)),
    )


def _log_and_power_tails(persistence: float, last_depth: int) -> tuple[Floats, Floats]:
    """float64[L+1] each, L the last depth: the sums of p^d/d and of p^d over all d > 0, ..., L."""
    depth = np.arange(last_depth, 0, -1, dtype=np.float64)
    # the sum of p^d/d over all d > L
    if last_depth * (1 - persistence) < 1:
        # most of the sum is left: the difference loses nothing
        within = np.arange(1, last_depth + 1)
        end = -math.log1p(-persistence) - float((persistence**within / within).sum())
    else:
        terms = math.ceil(40 / (1 - persistence))  # p^terms is below e^-40
        beyond = np.arange(last_depth + 1, last_depth + 1 + terms)
        end = float((persistence**beyond / beyond).sum())
    # from the far end on, so that small sums keep their digits
    over_depth: Floats = np.cumsum(np.concatenate(([end], persistence**depth / depth)))[::-1]
    powers: Floats = persistence ** np.arange(1.0, last_depth + 2) / (1 - persistence)
    return over_depth, powers


# --- How far judges agree on the grades of the same documents, and which runs a judge favours ---


Weights = Literal["none", "linear", "quadratic"]
"""How much two different grades disagree: wholly, by their distance, or by its square."""

GradeMeaning = Literal["nominal", "ordinal", "interval"]
"""What a grade means: a class, a place in an order, or a number."""


@record
class Confusion:
    """How often two judges gave which grades to the same document.

    grades  float64[G], all grades that occur, rising
    counts  int64[G, G], rows for the first judge, columns for the second
    """

    grades: Floats
    counts: Ints

    @property
    def observed_agreement(self) -> float:
        """The share of documents with the same grade; NaN without documents."""
        total = int(self.counts.sum())
        return int(np.trace(self.counts)) / total if total else math.nan

    def kappa(self, weights: Weights = "none") -> float:
        """Cohen's kappa: 1 - disagreement observed / disagreement expected by chance.

        1 for perfect agreement, 0 for that of chance, NaN where both judges gave one and the same
        grade to all. Weighted by the distance of the grades as numbers, so that a grade that nobody
        gave changes nothing.

        Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted
        kappa".
        """
        distances = np.abs(self.grades[:, None] - self.grades[None, :])
        costs = {"none": np.sign(distances), "linear": distances, "quadratic": distances**2}[
            weights
        ]
        rows, columns = self.counts.sum(axis=1), self.counts.sum(axis=0)
        total = int(self.counts.sum())
        expected = float((costs * np.outer(rows, columns)).sum()) / max(total, 1)
        if not expected:
            return math.nan
        return 1 - float((costs * self.counts).sum()) / expected


def confusion(first_grades: DocumentValues, second_grades: DocumentValues) -> Confusion:
    """The grades of two judges, compared.

    Args:
        first_grades: float64[N], the grades that the first judge gave to N documents.
        second_grades: float64[N], those of the second.
    """
    if len(first_grades) != len(second_grades):
        raise UsageError(
            f"judges of {len(first_grades)} and {len(second_grades)} documents cannot be compared"
        )
    grades, grade_indices = np.unique(
        np.concatenate((first_grades, second_grades)), return_inverse=True
    )
    size = len(grades)
    cell_indices = grade_indices[: len(first_grades)] * size + grade_indices[len(first_grades) :]
    counts = np.bincount(cell_indices, minlength=size * size).reshape(size, size)
    return Confusion(grades.astype(np.float64), counts)


def krippendorff_alpha(grades: Floats, meaning: GradeMeaning = "ordinal") -> float:
    """Krippendorff's alpha of any number of judges, some of whom may not have judged a document.

    1 - observed / expected disagreement, over pairs of grades that a document was given, and over
    all pairs of grades: 1 for perfect agreement, 0 for that of chance. The disagreement of two
    grades c < k is 1 (nominal), (k - c)^2 (interval), or the square of how many grades were given
    from c to k, of c and k only half (ordinal).

    Args:
        grades: float64[J, N] of J judges and N documents; NaN where a judge gave none.
        meaning: what a grade means.

    Returns:
        alpha; NaN where no document has two grades or all grades are the same.

    Source: Krippendorff, Content Analysis, 2004, chapter 11.
    """
    judged = ~np.isnan(grades)
    is_paired = judged & (judged.sum(axis=0) >= 2)
    if not is_paired.any():
        return math.nan
    values, grade_indices = np.unique(grades[is_paired], return_inverse=True)
    document = np.nonzero(is_paired)[1]
    size = len(values)
    table = np.bincount(document * size + grade_indices, minlength=grades.shape[1] * size)
    grade_counts = table.reshape(-1, size).astype(np.float64)
    # of a document with m grades, each pair of different judges counts 1/(m-1)
    share = 1 / np.maximum(grade_counts.sum(axis=1) - 1, 1)
    coincidences = (grade_counts * share[:, None]).T @ grade_counts - np.diag(share @ grade_counts)
    totals = grade_counts.sum(axis=0)
    if meaning == "ordinal":
        values = np.cumsum(totals) - totals / 2
    distances = np.abs(values[:, None] - values[None, :])
    costs = np.sign(distances) if meaning == "nominal" else distances**2
    expected = float((costs * np.outer(totals, totals)).sum()) / (float(totals.sum()) - 1)
    return 1 - float((costs * coincidences).sum()) / expected if expected else math.nan


@record
class RunErrors:
    """How much higher the second judge scores each of S runs; float64[S] each.

    error      the mean over topics of second less first
    favour     the error less the mean error of all runs: 0 for a judge who favours nobody
    low, high  the t interval of the favour, each by itself; NaN where it never varies
    p          of the paired t test of a favour of 0, not corrected
    corrected  p by Holm, for the S runs
    """

    error: Floats
    favour: Floats
    low: Floats
    high: Floats
    p: Floats
    corrected: Floats


def second_judge_favour_by_run(
    first_scores: TopicsByRuns, second_scores: TopicsByRuns, *, level: float = 0.95
) -> RunErrors:
    """Whether the second judge favours some runs, which would change their order.

    With e_ts the second score of run s on topic t less the first, the favour of a run is the mean
    over topics of e_ts - mean_s(e_ts). A judge who is too kind to all runs alike favours none.

    `first_scores`: float64[T, S], the scores of S runs, at least 2, on T topics, at least 2, by the
    first judge. `second_scores`: the same by the second.
    """
    error = second_scores - first_scores
    favours = error - (np.cumsum(error, axis=1)[:, -1] / error.shape[1])[:, None]
    # what is left of equal errors is the noise of floats
    favours = zero_noise(favours, max(scale_of(first_scores), scale_of(second_scores)))
    num_runs = error.shape[1]
    pairs_with_zero = RunPairs(np.arange(num_runs), np.full(num_runs, num_runs))
    with_zero = np.column_stack((favours, np.zeros(len(favours))))
    tests = paired_t(with_zero, pairs_with_zero, level=level)
    # how far a favour can be from 0 is not known: no interval where it is the same on all topics
    low, high = (np.where(tests.constant, np.nan, end) for end in (tests.low, tests.high))
    return RunErrors(column_means(error), tests.mean, low, high, tests.p, holm(tests.p))
