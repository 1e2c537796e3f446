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

from irev.core.arrays import Floats
from irev.core.record import record

if TYPE_CHECKING:
    from irev.jobs.studies.changes import JudgedRanking
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
    def ranks(self) -> Floats:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.x) + 1)

    @property
    def ideal(self) -> Floats:
        """float64[n]: the gains of the ideal list at each rank, from the end on 0."""
        return self.ideal_to(len(self.x))

    def ideal_to(self, depth: int) -> Floats:
        """float64[depth]: the same down to a rank."""
        return np.concatenate([self.y, np.zeros(max(0, depth - len(self.y)))])[:depth]

    def binary(self) -> KishidaRanking:
        """The same with 1 for every gain."""
        return KishidaRanking((self.x > 0).astype(float), np.ones(len(self.y)))


def _from_here(values: Floats) -> Floats:
    """float64[n]: the sum of each value and all behind it."""
    found: Floats = np.cumsum(values[::-1])[::-1]
    return found


def _behind(values: Floats) -> Floats:
    """float64[n]: the sum of all values behind each."""
    return np.append(_from_here(values)[1:], 0.0)


def precision_change(of: KishidaRanking) -> Floats:
    """float64[n], eq. 10: what average precision gains where rank j becomes relevant, R fixed.

    dv(j) = (1/R) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t), x_j counted as 1.
    """
    return _precision_gain(of) / len(of.y)


def precision_change_found(of: KishidaRanking) -> Floats:
    """float64[n], eq. 16: the same where R grows to R + 1 with the document.

    dv(j) = (1/(R+1)) ((1/j) sum_{k<=j} x_k + sum_{t>j} x_t / t) - v / (R+1), v the old score.
    """
    x, relevant = of.x, len(of.y)
    total = float((x / of.ranks * np.cumsum(x)).sum())
    score = total / relevant if relevant else 0.0
    return (_precision_gain(of) - score) / (relevant + 1)


def _precision_gain(of: KishidaRanking) -> Floats:
    return (np.cumsum(of.x) + 1.0) / of.ranks + _behind(of.x / of.ranks)


def r_precision_change(of: KishidaRanking) -> Floats:
    """float64[n]: 1/R down to rank R, 0 below it; R fixed.

    The report says 1/R wherever the document stands, which holds down to rank R only.
    """
    relevant = len(of.y)
    return np.where(of.ranks <= relevant, 1.0 / relevant, 0.0)


def sliding_ratio_slope(of: KishidaRanking, depth: int) -> Floats:
    """float64[n], eq. 28: the slope of the modified sliding ratio at n, (1/j) / sum y_k/k."""
    ideal = float((of.ideal_to(depth) / np.arange(1.0, depth + 1)).sum())
    return np.where(of.ranks <= depth, 1.0 / of.ranks, 0.0) / ideal


def average_ndcg_slope(of: KishidaRanking, depth: int, base: float) -> Floats:
    """float64[n], eq. 33: the slope of the average nDCG at n, discounted with base b.

    (1/n) sum_{k=j..n} 1 / (log_b(j) dI(k)), and without log_b(j) where j < b.
    """
    ranks = np.arange(1.0, depth + 1)
    discount = np.maximum(np.log(ranks) / math.log(base), 1.0)
    ideal = np.cumsum(of.ideal_to(depth) / discount)
    slope = np.zeros(len(of.x))
    cut = min(depth, len(slope))
    slope[:cut] = (_from_here(1.0 / ideal) / discount)[:cut] / depth
    return slope


def q_slope(of: KishidaRanking, beta: float) -> Floats:
    """float64[n], eq. 36: the slope of Q at ranks with x_j > 0.

    (1/R) sum_{i>=j} I(x_i) beta / (i + beta cgI(i)); the report has beta = 1.
    """
    return beta * _from_here((of.x > 0) / _q_divisor(of, beta)) / len(of.y)


def q_change(of: KishidaRanking, gain: float, beta: float) -> Floats:
    """float64[n], eq. 37: what Q gains where x_j goes from 0 to a gain, R and the ideal list fixed.

    (1/R) ((beta cg(j) + cnt(j)) / (j + beta cgI(j)) + sum_{i>j} I(x_i) (beta x_j + 1) / (i + beta
    cgI(i))), cg and cnt with the new document.
    """
    divisor, raised = _q_divisor(of, beta), beta * gain + 1.0
    here = (beta * np.cumsum(of.x) + np.cumsum(of.x > 0) + raised) / divisor
    return (here + raised * _behind((of.x > 0) / divisor)) / len(of.y)


def _q_divisor(of: KishidaRanking, beta: float) -> Floats:
    return of.ranks + beta * np.cumsum(of.ideal)


def generalised_precision_slope(of: KishidaRanking) -> Floats:
    """float64[n], eq. 43: the slope of generalised average precision at ranks with x_j > 0.

    sum_{k>=j} I(x_k)/k, over the sum of the ideal list's means.
    """
    return _from_here((of.x > 0) / of.ranks) / _ideal_means(of)


def generalised_precision_change(of: KishidaRanking, gain: float) -> Floats:
    """float64[n], eq. 44: what it gains where x_j goes from 0 to a gain, the ideal list fixed.

    ((1/j) sum_{k<=j} x_k + sum_{t>j} I(x_t) x_j / t), over the same divisor.
    """
    here = (np.cumsum(of.x) + gain) / of.ranks
    return (here + gain * _behind((of.x > 0) / of.ranks)) / _ideal_means(of)


def _ideal_means(of: KishidaRanking) -> float:
    return float((np.cumsum(of.y) / np.arange(1.0, len(of.y) + 1)).sum())


class Form(NamedTuple):
    """A closed form of one column: its number in the report, and what computes all ranks."""

    equation: str
    ranks: Callable[[KishidaRanking], Floats]


def change_form(request: Request, column: int, gain: float, *, grows: bool) -> Form | None:
    """The closed form for documents of no gain that get one, if the column has one."""
    name, options, cutoff = _parts(request, column)
    if name in ("map", "AP") and cutoff is None and options.get("denom", "R") == "R":
        if grows:
            return Form("eq. 16", lambda of: precision_change_found(of.binary()))
        return Form("eq. 10", lambda of: precision_change(of.binary()))
    if grows:
        return None
    if name == "Rprec":
        return Form("1/R", r_precision_change)
    if name == "Q" and _is_plain_q(options, cutoff):
        return Form("eq. 37", lambda of: q_change(of, gain, options["beta"]))
    if name == "genAP" and _is_plain_generalised(options, cutoff):
        return Form("eq. 44", lambda of: generalised_precision_change(of, gain))
    slope = slope_form(request, column)
    if slope is None:
        return None
    # linear in the gain, from 0 on
    return Form(slope.equation, lambda of: gain * slope.ranks(of))


def slope_form(request: Request, column: int) -> Form | None:
    """The closed form of a column's slope by the gain, the ideal list fixed, if it has one."""
    name, options, cutoff = _parts(request, column)
    if name == "MSR" and cutoff is not None and options["gain"] == "linear":
        return Form("eq. 28", lambda of: sliding_ratio_slope(of, cutoff))
    jk = options.get("disc") == "jk" and options.get("gain") == "linear"
    if name == "AvgNDCG" and cutoff is not None and jk and math.isfinite(options["b"]):
        return Form("eq. 33", lambda of: average_ndcg_slope(of, cutoff, options["b"]))
    if name == "Q" and _is_plain_q(options, cutoff):
        return Form("eq. 36", lambda of: q_slope(of, options["beta"]))
    if name == "genAP" and _is_plain_generalised(options, cutoff):
        return Form("eq. 43", generalised_precision_slope)
    return None


def _is_plain_q(options: dict[str, Any], cutoff: int | None) -> bool:
    beta = options["beta"]
    is_finite = isinstance(beta, float) and math.isfinite(beta)
    return cutoff is None and is_finite and (options["gain"], options["denom"]) == ("linear", "R")


def _is_plain_generalised(options: dict[str, Any], cutoff: int | None) -> bool:
    return cutoff is None and (options["gain"], options["norm"]) == ("linear", "ideal")


def _parts(request: Request, column: int) -> tuple[str, dict[str, Any], int | None]:
    """The measure's name, its options and the cutoff of a column; no name where it is changed."""
    value = request.arguments
    if request.measure.position:
        return request.measure.name, {}, None
    if value.level is not None or value.condensed:
        return "", {}, None
    cutoff = request.cutoff(column)
    whole = int(cutoff) if cutoff is not None else None
    return request.measure.name, dict(value.options), whole


def gains_of(ranking: JudgedRanking, level: float) -> KishidaRanking | None:
    """The ranking in Kishida's terms; None where a gain does not mean that it is relevant.

    So it is where some grade above 0 is below the level, or where nothing is relevant.
    """
    every = np.concatenate([ranking.grade, ranking.ideal])
    ideal = ranking.ideal[ranking.ideal >= level]
    if ((every > 0) & (every < level)).any() or level <= 0 or not len(ideal):
        return None
    return KishidaRanking(np.maximum(ranking.grade, 0.0), np.sort(ideal)[::-1])
