"""What is asked of pairs besides significance.

Whether runs are equal, or one not worse, within a margin, and what the topics could tell; how
probable it is that one is better by more than some difference; risk, where a loss counts more than
a gain.
"""

from __future__ import annotations

import math

import numpy as np

from irev.core import draws
from irev.core.arrays import (
    Floats,
    PairCounts,
    PairValues,
    RunsByResamples,
    RunValues,
    TopicsByPairs,
    TopicsByRuns,
    column_means,
    ratio,
)
from irev.core.record import record
from irev.statistics.differences import (
    NEAR,
    RunPairs,
    mean_and_sd_of_differences,
    pair_scales,
    zero_noise,
)
from irev.statistics.resampling import (
    Blocks,
    single_threaded_product,
    sum_over_blocks,
    sums_by_run_of_blocks,
)
from irev.statistics.significance_tests import t_p_values, t_statistics
from irev.statistics.verdicts import detectable_difference


@record
class WithinMargin:
    """What t tests say of P pairs and a margin M; arrays are float64[P].

    p_equal      p of |difference| >= M: the larger of both one-sided p (two one-sided tests, TOST)
    p_not_worse  p of the first run being worse by M or more (non-inferiority)
    within       the smallest margin within which the runs are equal at alpha: the absolute mean
                 difference plus t_(1 - alpha) standard errors; it depends on no M
    detectable   the smallest difference that a two-sided t test at alpha over the number of
                 hypotheses finds with a chance of 80%, if the differences vary as they do here

    Of n differences that never vary each one-sided p is 2^-n or 1; `within` is NaN where 2^-n is
    above alpha, and `detectable` is NaN.

    Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
    """

    p_equal: Floats
    p_not_worse: Floats
    within: Floats
    detectable: Floats


def equivalence(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    margin: float,
    alpha: float = 0.05,
    df: float | None = None,
    num_hypotheses: float = 1,
) -> WithinMargin:
    """Two one-sided t tests of each pair; no p is corrected.

    Args:
        score_matrix: float64[T, S], higher is better; linearised where topics have weights.
        pairs: P pairs.
        margin: M, above 0, in the unit of the scores.
        alpha: the level of each one-sided test.
        df: degrees of freedom; None: T - 1.
        num_hypotheses: how many alpha is shared by in a detectable difference.
    """
    from scipy.special import stdtrit

    differences = mean_and_sd_of_differences(score_matrix, pairs)
    df = differences.num_topics - 1 if df is None else df
    error = differences.sd / math.sqrt(differences.num_topics)

    def chance_above(bound: PairValues) -> PairValues:
        """The chance of as much above a bound."""
        bound = zero_noise(bound, differences.scale)
        p = t_p_values(t_statistics(bound, error), df, "greater", df + 1)
        return np.where((error == 0) & (bound == 0), 1.0, p)

    not_worse = chance_above(differences.mean + margin)
    not_better = chance_above(margin - differences.mean)
    # where differences have an sd of 1
    unit_detectable = detectable_difference(
        differences.num_topics, 1.0, alpha, num_hypotheses, df=df
    )
    is_same = differences.sd == 0
    is_undecidable = is_same & (2.0 ** -(df + 1) > alpha)
    within = np.abs(differences.mean) + float(stdtrit(df, 1 - alpha)) * error
    return WithinMargin(
        np.maximum(not_worse, not_better),
        not_worse,
        np.where(is_undecidable, np.nan, within),
        np.where(is_same, np.nan, unit_detectable * differences.sd),
    )


DRAWS = 20_000
"""How many weights are drawn where nobody says: the standard error of a share is 0.0036 at most."""


@record
class Chances:
    """Shares of the draws, for P pairs: float64[P] each; the three have the sum 1.

    NaN of runs with the same difference on every topic, and not 0: no draw could say anything else.

    better  in which the first run's mean is higher by more than the difference asked about
    equal   neither
    worse   in which it is lower by more
    """

    better: Floats
    equal: Floats
    worse: Floats


def bayesian_bootstrap(
    score_matrix: TopicsByRuns,
    pairs: RunPairs,
    equal_within: float = 0.0,
    *,
    num_resamples: int = DRAWS,
    seed: int = 0,
    threads: int | None = None,
) -> Chances:
    """The posterior probabilities that the first run is better, equal or worse.

    Each draw weighs the topics by a point of the simplex, drawn uniformly (Dirichlet of ones), and
    looks at the difference of the weighted means.

    `equal_within`: runs that differ by no more are equal; 0 or more.

    Source: D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics 9 (1981).
    """
    num_topics, num_runs = score_matrix.shape
    by_run = np.ascontiguousarray(score_matrix.T)
    thresholds = (equal_within + NEAR * pair_scales(score_matrix, pairs)).tolist()

    def sums_of_block(block: int, size: int) -> RunsByResamples:
        return single_threaded_product(by_run, draws.random_shares(seed, block, size, num_topics).T)

    def count_blocks(blocks: Blocks) -> PairCounts:
        means = sums_by_run_of_blocks(sums_of_block, blocks, num_runs)
        counts = np.empty((2, len(pairs)), np.int64)
        rows = zip(pairs.first.tolist(), pairs.second.tolist(), thresholds, strict=True)
        for row, (first, second, threshold) in enumerate(rows):
            difference = means[first] - means[second]
            counts[0, row] = np.count_nonzero(difference > threshold)
            counts[1, row] = np.count_nonzero(difference < -threshold)
        return counts

    better, worse = sum_over_blocks(count_blocks, num_resamples, num_runs, threads)
    num_draws = np.where(
        mean_and_sd_of_differences(score_matrix, pairs).constant, np.nan, num_resamples
    )
    return Chances(
        better / num_draws, (num_resamples - better - worse) / num_draws, worse / num_draws
    )


def risk_weighted_differences(
    score_matrix: TopicsByRuns, pairs: RunPairs, aversion: float
) -> TopicsByPairs:
    """What the first run gains over the second, a loss counting 1 + a times."""
    gains = pairs.differences(score_matrix)
    return np.where(gains < 0, (1 + aversion) * gains, gains)


def u_risk(score_matrix: TopicsByRuns, pairs: RunPairs, aversion: float) -> PairValues:
    """The mean of the weighed differences, from -(1 + a) times the range upwards.

    Higher is better; with a = 0 it is the mean difference.

    Source: L. Wang, P. N. Bennett, K. Collins-Thompson, SIGIR 2012.
    """
    return column_means(risk_weighted_differences(score_matrix, pairs, aversion))


def t_risk(
    score_matrix: TopicsByRuns, pairs: RunPairs, aversion: float, *, divides_by_n: bool = False
) -> PairValues:
    """float64[P]: URisk over its standard error; 0 where the weighed differences never vary.

    With a = 0 it is the paired t. With a above 0 it is no test of equal means.

    `divides_by_n`: whether the variance divides by T, as the authors' program does, not by T - 1.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2014.
    """
    weighed = risk_weighted_differences(score_matrix, pairs, aversion)
    num_topics = len(weighed)
    mean = column_means(weighed)
    squares = np.cumsum((weighed - mean) ** 2, axis=0)[-1]
    return ratio(
        mean, np.sqrt(squares / (num_topics if divides_by_n else num_topics - 1) / num_topics)
    )


def z_risk(score_matrix: TopicsByRuns, aversion: float) -> RunValues:
    """How far each run's scores are from what the totals of runs and topics predict.

    The sum over topics of (x - e) / sqrt(e), the negative ones 1 + a times, of scores x >= 0, where
    e is the run's total times the topic's over the total of all. It depends on the other runs.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2016.
    """
    run_totals = np.cumsum(score_matrix, axis=0)[-1]
    topic_totals = np.cumsum(score_matrix, axis=1)[:, -1]
    total = float(np.cumsum(topic_totals)[-1])
    expected = ratio(topic_totals[:, None] * run_totals, total)
    z = ratio(score_matrix - expected, np.sqrt(expected))
    risk: Floats = np.cumsum(np.where(z < 0, (1 + aversion) * z, z), axis=0)[-1]
    return risk


def geo_risk(score_matrix: TopicsByRuns, aversion: float) -> RunValues:
    """The geometric mean of a run's mean and Phi(ZRisk / T), from 0 upwards.

    Source: B. T. Dinçer, C. Macdonald, I. Ounis, SIGIR 2016.
    """
    tail_chances = [
        math.erfc(-z / len(score_matrix) / math.sqrt(2)) / 2 for z in z_risk(score_matrix, aversion)
    ]
    risk: Floats = np.sqrt(column_means(score_matrix) * np.array(tail_chances))
    return risk
