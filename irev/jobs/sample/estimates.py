"""What estimates under samples of the judgments come to, and what they are held against."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import DesignsByMeasures, Floats, MeasureValues
from irev.core.record import cached_property, record
from irev.measures.requests import canonical_name
from irev.statistics.correlation import pearson, tau_b

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.measures.requests import Request
    from irev.scores.scores import Scores


class Redrawn(NamedTuple):
    """The topics of which some sample was drawn again, having had no relevant document."""

    design: str
    topics: tuple[bytes, ...]


class _SampleErrors:
    """What B samples of each of D designs say of C values that are known.

    aims    float64[C], what the estimates are compared with
    values  float64[D, B, C], the estimates
    """

    aims: Any
    values: Any

    @property
    def repeat(self) -> int:
        """B, how many samples there are of each design."""
        return int(self.values.shape[1])

    @cached_property
    def mean(self) -> DesignsByMeasures:
        """float64[D, C]: the mean over the samples."""
        return _sum_over_samples(self.values) / self.repeat

    @cached_property
    def deviation(self) -> DesignsByMeasures:
        """float64[D, C]: the standard deviation over the samples, with divisor B - 1.

        NaN for a single sample.
        """
        if self.repeat < 2:
            return np.full(self.mean.shape, math.nan)
        squares = _sum_over_samples((self.values - self.mean[:, None, :]) ** 2)
        return np.sqrt(squares / (self.repeat - 1))

    @cached_property
    def bias(self) -> DesignsByMeasures:
        """float64[D, C]: by how much the mean exceeds what it is compared with."""
        apart: Floats = self.mean - self.aims
        return apart

    @cached_property
    def rms(self) -> DesignsByMeasures:
        """float64[D, C]: the root of the mean squared difference from it, divisor B."""
        return np.sqrt(_sum_over_samples((self.values - self.aims) ** 2) / self.repeat)


@record
class SampledTopic(_SampleErrors):
    """A topic of a run under the samples; `complete`, float64[C], is under all judgments."""

    topic: bytes
    complete: Floats
    aims: Floats
    values: Floats


@record
class SampledScores(_SampleErrors):
    """A run's scores under all judgments and under B samples of each of D designs.

    full      the scores under all judgments, with the columns that others are compared with
    shown     which C of its columns were asked for
    targets   for each of them the column whose value under all judgments it is compared with
    designs   the designs, as they were written
    seed      the seed of the samples
    values    float64[D, B, C], the summaries under the samples
    redrawn   for each design the topics whose samples may not nest in those of a higher rate
    by_topic  float64[D, B, T, C], the values of the topics; None where they were not asked for
    """

    full: Scores
    shown: tuple[int, ...]
    targets: tuple[int, ...]
    designs: tuple[str, ...]
    seed: int
    values: Floats
    redrawn: tuple[Redrawn, ...]
    by_topic: Floats | None = None

    def topics(self) -> Iterator[SampledTopic]:
        """The topics, where they were asked for."""
        if self.by_topic is None:
            return
        complete = self.full.values[:, list(self.shown)]
        aims = self.full.values[:, list(self.targets)]
        for row, topic in enumerate(self.full.topics):
            yield SampledTopic(topic, complete[row], aims[row], self.by_topic[:, :, row])

    @cached_property
    def complete(self) -> MeasureValues:
        """The values under all judgments."""
        return self._summaries(self.shown)

    @cached_property
    def aims(self) -> MeasureValues:
        """What the estimates are compared with."""
        return self._summaries(self.targets)

    def name(self, column: int) -> str:
        """The printed name of one of the C columns."""
        return self.full.columns[self.shown[column]].name

    def target(self, column: int) -> str:
        """The name of what it is compared with."""
        return self.full.columns[self.targets[column]].name

    def _summaries(self, columns: tuple[int, ...]) -> MeasureValues:
        return np.array([self.full.summary_of(column) for column in columns], np.float64)


def _sum_over_samples(values: Floats) -> DesignsByMeasures:
    """float64[D, C]: sums over the samples, left to right."""
    total: Floats = np.cumsum(values, axis=1)[:, -1, :]
    return total


def target_measure_of_each_column(requests: Sequence[Request]) -> list[str]:
    """For each column the name of the measure whose value under all judgments is aimed at.

    It is the column's own, but for estimators of another measure, and for condensed lists, which
    are made to stand for the lists themselves.
    """
    return [name for request in requests for name in _target_names(request)]


def _target_names(request: Request) -> Iterator[str]:
    value, measure = request.arguments, request.measure
    for number, column in enumerate(request.columns):
        if measure.estimates:
            level = value.level
            yield measure.estimates if level is None else f"{measure.estimates}(rel={level})"
        elif value.condensed:
            cutoff = request.cutoff(number)
            yield canonical_name(measure, replace(value, condensed=False), cutoff)
        else:
            yield column.name


@record
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


@record
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


def agreement_by_sample(results: Sequence[SampledScores]) -> SampleAgreement:
    """The agreement under each sample, over runs that were evaluated under the same samples."""
    aims = np.stack([each.aims for each in results])
    values = np.stack([each.values for each in results])
    shape = values.shape[1:]
    tau, rho = np.empty(shape), np.empty(shape)
    for index in np.ndindex(shape):
        estimates, target = values[(slice(None), *index)], aims[:, index[2]]
        tau[index] = tau_b(estimates, target)
        rho[index] = pearson(estimates, target)
    errors = values - aims[:, None, None, :]
    return SampleAgreement(_mean(values, 0), np.sqrt(_mean(errors**2, 0)), tau, rho)


def agreement_over_runs(results: Sequence[SampledScores]) -> Agreement:
    """The agreement over runs that were evaluated under the same samples."""
    by_sample = agreement_by_sample(results)
    mean = _mean(by_sample.mean, 1)
    squares = (by_sample.mean - mean[:, None]) ** 2
    repeat = squares.shape[1]
    deviation = _mean(squares, 1) * repeat / (repeat - 1) if repeat > 1 else mean * np.nan
    return Agreement(
        _mean(np.stack([each.complete for each in results]), 0),
        _mean(np.stack([each.aims for each in results]), 0),
        mean,
        np.sqrt(deviation),
        _mean(by_sample.rms, 1),
        _mean(by_sample.tau, 1),
        _mean(by_sample.rho, 1),
    )


def _mean(values: Floats, axis: int) -> Floats:
    """The mean along an axis, summed in order."""
    total = np.cumsum(values, axis=axis).take(-1, axis=axis)
    return np.asarray(total / values.shape[axis])
