"""What one document's change does to a measure, in closed form.

The equations are those of Kazuaki Kishida, "Property of Average Precision and its Generalization",
NII Technical Report NII-2005-014E (2005). x_k is the gain at rank k, y_k that of the ideal list,
I(v) is 1 where v > 0. A measure that has no form here is scored again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, RankValues
from irev.core.record import record

if TYPE_CHECKING:
    from irev.jobs.studies.judgment_changes import JudgedRanking
    from irev.measures.requests import Request


@record
class KishidaRanking:
    """A ranking in Kishida's terms.

    x  float64[n], the gain at each rank
    y  float64[], the gains of all relevant documents, falling: the ideal list, and R is its length
    """

    x: Floats
    y: Floats

    @property
    def ranks(self) -> RankValues:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.x) + 1)

    @property
    def ideal(self) -> RankValues:
        """float64[n]: the gains of the ideal list at each rank, from the end on 0."""
        return self.ideal_gains_to(len(self.x))

    def ideal_gains_to(self, depth: int) -> RankValues:
        """float64[depth]: the same down to a rank."""
        return np.concatenate([self.y, np.zeros(max(0, depth - len(self.y)))])[:depth]

    def binary(self) -> KishidaRanking:
        """The same with 1 for every gain."""
        return KishidaRanking((self.x > 0).astype(float), np.ones(len(self.y)))


def _sums_from_rank(values: RankValues) -> RankValues:
    """float64[n]: the sum of each value and all behind it."""
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


def _sums_below_rank(values: RankValues) -> RankValues:
    """float64[n]: the sum of all values behind each."""
    return np.append(_sums_from_rank(values)[1:], 0.0)


def ap_change_as_ranks_turn_relevant(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 10: what average precision gains where rank j becomes relevant, R fixed.

    dv(j) = (1/R) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t), x_j counted as 1.
    """
    return _precision_sum_change(ranking) / len(ranking.y)


def average_precision_change_if_ideal_grows(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 16: the same where R grows to R + 1 with the document.

    dv(j) = (1/(R+1)) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t) - v / (R+1), v the old score.
    """
    x, num_relevant = ranking.x, len(ranking.y)
    total = float((x / ranking.ranks * np.cumsum(x)).sum())
    score = total / num_relevant if num_relevant else 0.0
    return (_precision_sum_change(ranking) - score) / (num_relevant + 1)


def _precision_sum_change(ranking: KishidaRanking) -> RankValues:
    return (np.cumsum(ranking.x) + 1.0) / ranking.ranks + _sums_below_rank(
        ranking.x / ranking.ranks
    )


def r_precision_change(ranking: KishidaRanking) -> RankValues:
    """float64[n]: 1/R down to rank R, 0 below it; R fixed.

    The report says 1/R wherever the document stands, which holds down to rank R only.
    """
    num_relevant = len(ranking.y)
    return np.where(ranking.ranks <= num_relevant, 1.0 / num_relevant, 0.0)


def sliding_ratio_slope(ranking: KishidaRanking, depth: int) -> RankValues:
    """float64[n], eq. 28: the slope of the modified sliding ratio at n, (1/j) / sum y_k/k."""
    ideal_sum = float((ranking.ideal_gains_to(depth) / np.arange(1.0, depth + 1)).sum())
    return np.where(ranking.ranks <= depth, 1.0 / ranking.ranks, 0.0) / ideal_sum


def average_ndcg_slope(ranking: KishidaRanking, depth: int, base: float) -> RankValues:
    """float64[n], eq. 33: the slope of the average nDCG at n, discounted with base b.

    (1/n) sum_{k=j..n} 1 / (log_b(j) dI(k)), and without log_b(j) where j < b.
    """
    ranks = np.arange(1.0, depth + 1)
    discount = np.maximum(np.log(ranks) / math.log(base), 1.0)
    ideal_sums = np.cumsum(ranking.ideal_gains_to(depth) / discount)
    slope = np.zeros(len(ranking.x))
    cut = min(depth, len(slope))
    slope[:cut] = (_sums_from_rank(1.0 / ideal_sums) / discount)[:cut] / depth
    return slope


def q_slope(ranking: KishidaRanking, beta: float) -> RankValues:
    """float64[n], eq. 36: the slope of Q at ranks with x_j > 0.

    (1/R) sum_{i>=j} I(x_i) beta / (i + beta cgI(i)); the report has beta = 1.
    """
    return beta * _sums_from_rank((ranking.x > 0) / _q_divisor(ranking, beta)) / len(ranking.y)


def q_change(ranking: KishidaRanking, gain: float, beta: float) -> RankValues:
    """float64[n], eq. 37: what Q gains where x_j goes from 0 to a gain, R and the ideal list fixed.

    (1/R) ((beta cg(j) + cnt(j)) / (j + beta cgI(j)) + sum_{i>j} I(x_i) (beta x_j + 1) / (i + beta
    cgI(i))), cg and cnt with the new document.
    """
    divisor, gain_per_rank = _q_divisor(ranking, beta), beta * gain + 1.0
    gain_at_rank = (
        beta * np.cumsum(ranking.x) + np.cumsum(ranking.x > 0) + gain_per_rank
    ) / divisor
    return (gain_at_rank + gain_per_rank * _sums_below_rank((ranking.x > 0) / divisor)) / len(
        ranking.y
    )


def _q_divisor(ranking: KishidaRanking, beta: float) -> RankValues:
    return ranking.ranks + beta * np.cumsum(ranking.ideal)


def generalised_average_precision_slope(ranking: KishidaRanking) -> RankValues:
    """float64[n], eq. 43: the slope of generalised average precision at ranks with x_j > 0.

    sum_{k>=j} I(x_k)/k, over the sum of the ideal list's means.
    """
    return _sums_from_rank((ranking.x > 0) / ranking.ranks) / _sum_of_ideal_means(ranking)


def generalised_average_precision_change(ranking: KishidaRanking, gain: float) -> RankValues:
    """float64[n], eq. 44: what it gains where x_j goes from 0 to a gain, the ideal list fixed.

    ((1/j) sum_{k<=j} x_k + sum_{t>j} I(x_t) x_j / t), over the same divisor.
    """
    mean_at_rank = (np.cumsum(ranking.x) + gain) / ranking.ranks
    return (
        mean_at_rank + gain * _sums_below_rank((ranking.x > 0) / ranking.ranks)
    ) / _sum_of_ideal_means(ranking)


def _sum_of_ideal_means(ranking: KishidaRanking) -> float:
    return float((np.cumsum(ranking.y) / np.arange(1.0, len(ranking.y) + 1)).sum())


class ClosedForm(NamedTuple):
    """A closed form of one column: its number in the report, and what computes all ranks."""

    equation: str
    ranks: Callable[[KishidaRanking], Floats]


def change_form(
    request: Request, column_index: int, gain: float, *, ideal_grows: bool
) -> ClosedForm | None:
    """The closed form for documents of no gain that get one, if the column has one."""
    name, options, cutoff = _name_options_and_cutoff(request, column_index)
    if name in ("map", "AP") and cutoff is None and options.get("denom", "R") == "R":
        if ideal_grows:
            return ClosedForm(
                "eq. 16", lambda ranking: average_precision_change_if_ideal_grows(ranking.binary())
            )
        return ClosedForm(
            "eq. 10", lambda ranking: ap_change_as_ranks_turn_relevant(ranking.binary())
        )
    if ideal_grows:
        return None
    if name == "Rprec":
        return ClosedForm("1/R", r_precision_change)
    if name == "Q" and _is_plain_q(options, cutoff):
        return ClosedForm("eq. 37", lambda ranking: q_change(ranking, gain, options["beta"]))
    if name == "genAP" and _is_plain_generalised_precision(options, cutoff):
        return ClosedForm(
            "eq. 44", lambda ranking: generalised_average_precision_change(ranking, gain)
        )
    slope = slope_form(request, column_index)
    if slope is None:
        return None
    # linear in the gain, from 0 on
    return ClosedForm(slope.equation, lambda ranking: gain * slope.ranks(ranking))


def slope_form(request: Request, column_index: int) -> ClosedForm | None:
    """The closed form of a column's slope by the gain, the ideal list fixed, if it has one."""
    name, options, cutoff = _name_options_and_cutoff(request, column_index)
    if name == "MSR" and cutoff is not None and options["gain"] == "linear":
        return ClosedForm("eq. 28", lambda ranking: sliding_ratio_slope(ranking, cutoff))
    has_jk_gains = options.get("disc") == "jk" and options.get("gain") == "linear"
    if name == "AvgNDCG" and cutoff is not None and has_jk_gains and math.isfinite(options["b"]):
        return ClosedForm(
            "eq. 33", lambda ranking: average_ndcg_slope(ranking, cutoff, options["b"])
        )
    if name == "Q" and _is_plain_q(options, cutoff):
        return ClosedForm("eq. 36", lambda ranking: q_slope(ranking, options["beta"]))
    if name == "genAP" and _is_plain_generalised_precision(options, cutoff):
        return ClosedForm("eq. 43", generalised_average_precision_slope)
    return None


def _is_plain_q(options: dict[str, Any], cutoff: int | None) -> bool:
    beta = options["beta"]
    is_finite = isinstance(beta, float) and math.isfinite(beta)
    return cutoff is None and is_finite and (options["gain"], options["denom"]) == ("linear", "R")


def _is_plain_generalised_precision(options: dict[str, Any], cutoff: int | None) -> bool:
    return cutoff is None and (options["gain"], options["norm"]) == ("linear", "ideal")


def _name_options_and_cutoff(
    request: Request, column_index: int
) -> tuple[str, dict[str, Any], int | None]:
    """The measure's name, its options and the cutoff of a column; no name where it is changed."""
    arguments = request.arguments
    if request.measure.position:
        return request.measure.name, {}, None
    if arguments.level is not None or arguments.condensed:
        return "", {}, None
    cutoff = request.cutoff(column_index)
    whole_cutoff = int(cutoff) if cutoff is not None else None
    return request.measure.name, dict(arguments.options), whole_cutoff


def kishida_ranking(ranking: JudgedRanking, level: float) -> KishidaRanking | None:
    """The ranking in Kishida's terms; None where a gain does not mean that it is relevant.

    So it is where some grade above 0 is below the level, or where nothing is relevant.
    """
    all_grades = np.concatenate([ranking.grade, ranking.ideal])
    ideal = ranking.ideal[ranking.ideal >= level]
    if ((all_grades > 0) & (all_grades < level)).any() or level <= 0 or not len(ideal):
        return None
    return KishidaRanking(np.maximum(ranking.grade, 0.0), np.sort(ideal)[::-1])
