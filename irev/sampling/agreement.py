"""How the estimates of several runs agree with what they are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.sampling.results import SampledScores


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Of the means over topics of N runs, for D designs and C columns.

    All but `complete` and `aims` are means over the samples of a design, as Yilmaz and Aslam
    (CIKM 2006) report them. NaN where it is not defined: no two runs differ.

    complete   float64[C], the mean over runs under all judgments
    aims       float64[C], the mean over runs of what the estimates are compared with
    mean       float64[D, C], the mean over runs and samples
    deviation  float64[D, C], the standard deviation over samples of the mean over runs
    rms        float64[D, C], sqrt(mean over runs of (estimate - target)^2)
    tau        float64[D, C], Kendall's tau-b
    rho        float64[D, C], Pearson's correlation
    """

    complete: Floats
    aims: Floats
    mean: Floats
    deviation: Floats
    rms: Floats
    tau: Floats
    rho: Floats


def agreement(results: Sequence[SampledScores]) -> Agreement:
    """The agreement over runs that were evaluated under the same samples."""
    aims = np.stack([each.aims for each in results])
    values = np.stack([each.values for each in results])
    apart = values - aims[:, None, None, :]
    over_runs = _mean(values, 0)
    mean = _mean(over_runs, 1)
    shape = over_runs.shape
    tau, rho = np.empty(shape), np.empty(shape)
    for place in np.ndindex(shape):
        estimates, target = values[(slice(None), *place)], aims[:, place[2]]
        tau[place] = kendall(estimates, target)
        rho[place] = pearson(estimates, target)
    squares = (over_runs - mean[:, None]) ** 2
    repeat = shape[1]
    deviation = _mean(squares, 1) * repeat / (repeat - 1) if repeat > 1 else mean * np.nan
    return Agreement(
        _mean(np.stack([each.complete for each in results]), 0),
        _mean(aims, 0),
        mean,
        np.sqrt(deviation),
        _mean(np.sqrt(_mean(apart**2, 0)), 1),
        _mean(tau, 1),
        _mean(rho, 1),
    )


def kendall(one: Floats, other: Floats) -> float:
    """Kendall's tau-b of two columns of N numbers.

    (C - D) / sqrt((P - T1) (P - T2)): of P pairs C are in the same and D in the opposite order, and
    T1 and T2 are tied in one column; NaN where all are.
    """
    first, second = (np.sign(each[:, None] - each[None, :]) for each in (one, other))
    untied = float(np.count_nonzero(first)) * float(np.count_nonzero(second))
    # every pair is counted twice, above and below the division
    return float((first * second).sum()) / math.sqrt(untied) if untied else float("nan")


def pearson(one: Floats, other: Floats) -> float:
    """Pearson's correlation of two columns of N numbers; NaN where one is constant."""
    first, second = (each - _mean(each, 0) for each in (one, other))
    if not np.ptp(one) or not np.ptp(other):
        return float("nan")
    both, mine, yours = (
        float(_mean(x * y, 0)) for x, y in ((first, second), (first, first), (second, second))
    )
    return both / math.sqrt(mine * yours)


def _mean(values: Floats, axis: int) -> Floats:
    """The mean along an axis, summed in order."""
    total = np.cumsum(values, axis=axis).take(-1, axis=axis)
    return np.asarray(total / values.shape[axis])
