"""How well an experiment was reproduced: an advanced run against a baseline, then and now.

T. Breuer et al., SIGIR 2020, "How to measure the reproducibility of system-oriented IR
experiments". On the same topics it is a reproduction, on others a replication. What is not defined
is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import TopicDraws, TopicValues, mean_of
from irev.core.draws import topic_counts_of_draws
from irev.core.record import record
from irev.errors import UsageError
from irev.statistics.differences import NEAR, every_pair, scale_of
from irev.statistics.resampling import percentile_interval
from irev.statistics.significance_tests import paired_t

if TYPE_CHECKING:
    pass


@record(eq=True)
class Effects:
    """The improvement of the advanced run a over the baseline b, then and now (').

    effect_ratio          mean(a' - b') / mean(a - b); 1 is a perfect reproduction
    improvement           RI = (mean a - mean b) / mean b, the original's
    new_improvement       RI' of the reproduction
    delta_improvement     RI - RI'; 0 is a perfect reproduction
    """

    effect_ratio: float
    improvement: float
    new_improvement: float
    delta_improvement: float


def reproduction_effects(
    baseline: TopicValues,
    advanced: TopicValues,
    new_baseline: TopicValues,
    new_advanced: TopicValues,
) -> Effects:
    """Effect ratio and difference of relative improvements, from float64[T] scores of topics.

    The two original runs have the same topics, and so have the two new ones. The effect ratio is
    not defined where the original runs have equal means, RI where a baseline's mean is 0; Fuhr
    (SIGIR Forum 2017) argues against relative improvements of means altogether.
    """
    for one, other in ((baseline, advanced), (new_baseline, new_advanced)):
        _check_same_topics(one, other)
    old = _improvement(baseline, advanced)
    new = _improvement(new_baseline, new_advanced)
    ratio = _ratio(mean_of(new_advanced - new_baseline), mean_of(advanced - baseline))
    return Effects(ratio, old, new, old - new)


@record(eq=True)
class RatioInterval:
    """The percentile interval of an effect ratio, over resamples of the topics.

    `num_defined` of the resamples have a ratio: the original effect is not 0 in them. The ends are
    NaN where they all have the same, and it is not 1: that nothing varied makes no ratio certain.
    """

    low: float
    high: float
    level: float
    num_defined: int
    num_resamples: int


def effect_ratio_interval(
    original_differences: TopicValues,
    new_differences: TopicValues,
    samples: tuple[TopicDraws, TopicDraws],
    level: float = 0.95,
) -> RatioInterval:
    """The bootstrap interval of mean(new)/mean(original) for differences a - b and a' - b'.

    Args:
        original_differences: float64[T], the original differences.
        new_differences: float64[T'], the new ones.
        samples: int64[B, n] twice, topics of either; the same one twice for the same topics, which
            are then resampled jointly.
        level: of the interval.
    """
    old_means, new_means = (
        topic_counts_of_draws(sample, len(differences)) @ differences / sample.shape[1]
        for sample, differences in zip(
            samples, (original_differences, new_differences), strict=True
        )
    )
    is_defined = np.abs(old_means) > NEAR
    ratios = new_means[is_defined] / old_means[is_defined]
    ends = percentile_interval(ratios, level)
    if len(ratios) and np.ptp(ratios) <= NEAR * scale_of(ratios) < abs(ratios[0] - 1):
        ends = (math.nan, math.nan)
    return RatioInterval(*ends, level, len(ratios), len(is_defined))


@record(eq=True)
class Closeness:
    """How close the scores of a run are to the original's, on the same topics.

    difference  mean of the new scores minus mean of the original's
    rmse        sqrt(mean (s - s')^2)
    nrmse       rmse / sqrt(mean max(s, 1-s)^2), the most that rmse could be; NaN for original
                scores that are not all from 0 to 1
    p           of the paired t test; that it is large does not show equality
    """

    difference: float
    rmse: float
    nrmse: float
    p: float


def closeness(original_scores: TopicValues, new_scores: TopicValues) -> Closeness:
    """RMSE, its normalised form and the paired t test of float64[T] scores of the same T topics.

    For scores of other topics, see `t_tests.unpaired_t`.
    """
    _check_same_topics(original_scores, new_scores)
    tested = paired_t(np.column_stack((new_scores, original_scores)), every_pair(2))
    rmse = math.sqrt(mean_of((original_scores - new_scores) ** 2))
    inside = original_scores.min() >= 0 and original_scores.max() <= 1
    most = (
        math.sqrt(mean_of(np.maximum(original_scores, 1 - original_scores) ** 2))
        if inside
        else math.nan
    )
    return Closeness(float(tested.mean[0]), rmse, rmse / most, float(tested.p[0]))


def relative_drop(original_scores: TopicValues, new_scores: TopicValues) -> float:
    """(M - M') / M of the means M then and M' now; negative where the mean rose, NaN where M is 0.

    The topics may differ. Source: LongEval, CLEF 2023.
    """
    return _ratio(mean_of(original_scores) - mean_of(new_scores), mean_of(original_scores))


def _improvement(baseline: TopicValues, advanced: TopicValues) -> float:
    return _ratio(mean_of(advanced) - mean_of(baseline), mean_of(baseline))


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if abs(denominator) > NEAR else math.nan


def _check_same_topics(one: TopicValues, other: TopicValues) -> None:
    if len(one) != len(other) or not len(one):
        raise UsageError(
            f"the two runs need scores of the same topics: {len(one)} and {len(other)} topics"
        )
