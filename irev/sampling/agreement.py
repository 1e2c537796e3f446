"""How the estimates of several runs agree with what they are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.statistics.rank_correlation import pearson, tau_b

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


@dataclass(frozen=True, eq=False, repr=False)
class SampleAgreement:
    """Of the means over topics of N runs, for each of B samples of D designs and C columns.

    All are float64[D, B, C].

    mean  the mean over runs
    rms   sqrt(mean over runs of (estimate - target)^2)
    tau   Kendall's tau-b; NaN where all runs are tied
    rho   Pearson's correlation; NaN likewise
    """

    mean: Floats
    rms: Floats
    tau: Floats
    rho: Floats


def of_samples(results: Sequence[SampledScores]) -> SampleAgreement:
    """The agreement under each sample, over runs that were evaluated under the same samples."""
    aims = np.stack([each.aims for each in results])
    values = np.stack([each.values for each in results])
    shape = values.shape[1:]
    tau, rho = np.empty(shape), np.empty(shape)
    for place in np.ndindex(shape):
        estimates, target = values[(slice(None), *place)], aims[:, place[2]]
        tau[place] = tau_b(estimates, target)
        rho[place] = pearson(estimates, target)
    apart = values - aims[:, None, None, :]
    return SampleAgreement(_mean(values, 0), np.sqrt(_mean(apart**2, 0)), tau, rho)


def agreement(results: Sequence[SampledScores]) -> Agreement:
    """The agreement over runs that were evaluated under the same samples."""
    found = of_samples(results)
    mean = _mean(found.mean, 1)
    squares = (found.mean - mean[:, None]) ** 2
    repeat = squares.shape[1]
    deviation = _mean(squares, 1) * repeat / (repeat - 1) if repeat > 1 else mean * np.nan
    return Agreement(
        _mean(np.stack([each.complete for each in results]), 0),
        _mean(np.stack([each.aims for each in results]), 0),
        mean,
        np.sqrt(deviation),
        _mean(found.rms, 1),
        _mean(found.tau, 1),
        _mean(found.rho, 1),
    )


def _mean(values: Floats, axis: int) -> Floats:
    """The mean along an axis, summed in order."""
    total = np.cumsum(values, axis=axis).take(-1, axis=axis)
    return np.asarray(total / values.shape[axis])
