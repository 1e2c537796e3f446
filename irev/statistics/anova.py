"""Two-way analysis of variance without replication: runs, topics, and what neither explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.statistics.differences import check
from irev.statistics.tolerance import SMALLEST, scale_of, without_noise

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.statistics.families import Family


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """A matrix of scores taken apart: x[t, s] = mean + topic effect + run effect + residual.

    topics, runs   T and S
    scale          what tolerances are relative to
    topic_effects  float64[T]: the mean of a topic's row less the mean of all scores
    run_effects    float64[S]: the mean of a run's column less the mean of all scores
    ss_topics      S * sum of topic_effects squared
    ss_runs        T * sum of run_effects squared
    ss_error       sum of the residuals squared; 0 where all of them are rounding errors
    """

    topics: int
    runs: int
    scale: float
    topic_effects: Floats
    run_effects: Floats
    ss_topics: float
    ss_runs: float
    ss_error: float

    @property
    def df_error(self) -> int:
        """(S-1)(T-1)."""
        return (self.runs - 1) * (self.topics - 1)

    @property
    def ms_error(self) -> float:
        """The residual variance, ss_error / df_error."""
        return self.ss_error / self.df_error


def decompose(scores: Floats) -> Decomposition:
    """The parts of float64[T, S] scores, without any test.

    Args:
        scores: float64[T, S], T topics and S runs, finite.

    Raises:
        UsageError: there are fewer than 2 topics or 2 runs, or a score is not finite.
    """
    check(scores)
    topics, runs = scores.shape
    if runs < 2:
        raise UsageError("comparing runs needs at least two runs")
    scale = scale_of(scores)
    of_topic = _means_of_rows(scores)
    of_run = _means_of_rows(scores.T)
    mean = float(_means_of_rows(of_topic[None])[0])
    topic_effects = without_noise(of_topic - mean, scale)
    run_effects = without_noise(of_run - mean, scale)
    # squares of residuals, not a difference of sums of squares, which would cancel
    residuals = without_noise(scores - of_topic[:, None] - run_effects, scale)
    return Decomposition(
        topics,
        runs,
        scale,
        topic_effects,
        run_effects,
        runs * _sum_of_squares(topic_effects),
        topics * _sum_of_squares(run_effects),
        _sum_of_squares(residuals.ravel()),
    )


def mean_differences(parts: Decomposition, family: Family) -> Floats:
    """float64[P]: mean of the first run less mean of the second; 0 where they are equal."""
    found = parts.run_effects[family.first] - parts.run_effects[family.second]
    return without_noise(found, parts.scale)


def _means_of_rows(rows: Floats) -> Floats:
    """Each row's mean, its sum taken left to right."""
    means: Floats = np.cumsum(rows, axis=1)[:, -1] / rows.shape[1]
    return means


def _sum_of_squares(values: Floats) -> float:
    return float(np.cumsum(values * values)[-1])


@dataclass(frozen=True)
class Effect:
    """One line of the table of an analysis of variance: the runs or the topics.

    ss, df, ms       sum of squares, degrees of freedom, ss/df
    f                ms / ms of the error, >= 0; infinite where the error is 0 and this is not
    p                P(F >= f), in [0, 1]
    partial_omega_2  df (f-1) / (df (f-1) + S T); below 0 where f < 1
    partial_eta_2    ss / (ss + ss of the error), in [0, 1]
    """

    ss: float
    df: int
    ms: float
    f: float
    p: float
    partial_omega_2: float
    partial_eta_2: float


@dataclass(frozen=True)
class TwoWayAnova:
    """The table: what runs and topics explain, and the error."""

    runs: Effect
    topics: Effect
    ss_error: float
    df_error: int
    ms_error: float


def two_way_anova(scores: Floats) -> TwoWayAnova:
    """The two-way analysis of variance without replication of scores.

    With x̄_s the mean of a run, x̄_t that of a topic and x̄ that of all T S scores: SS of the runs
    T Σ_s (x̄_s - x̄)², of the topics S Σ_t (x̄_t - x̄)², of the error
    Σ_ts (x_ts - x̄_t - x̄_s + x̄)², with S-1, T-1 and (S-1)(T-1) degrees of freedom;
    F = MS / MS of the error. With two runs F is the square of the paired t.

    Where the error is 0 (every run is another plus a constant), F is infinite and p is 0 if there
    is an effect; else F is 0 and p is 1.

    Args:
        scores: float64[T, S], finite, T and S at least 2.

    Raises:
        UsageError: there are fewer than 2 topics or 2 runs, or a score is not finite.

    Source: T. Sakai, Laboratory Experiments in Information Retrieval (2018), ch. 5; partial
    omega squared as in N. Ferro and G. Silvello, SIGIR 2016.
    """
    parts = decompose(scores)
    return TwoWayAnova(
        _effect(parts, parts.ss_runs, parts.runs - 1),
        _effect(parts, parts.ss_topics, parts.topics - 1),
        parts.ss_error,
        parts.df_error,
        parts.ms_error,
    )


def _effect(parts: Decomposition, ss: float, df: int) -> Effect:
    from scipy.special import fdtrc

    ms = ss / df
    if ss == 0:
        f, p, omega, eta = 0.0, 1.0, -df / (parts.runs * parts.topics - df), 0.0
    elif parts.ss_error == 0:
        f, p, omega, eta = math.inf, 0.0, 1.0, 1.0
    else:
        f = ms / parts.ms_error
        p = max(float(fdtrc(df, parts.df_error, f)), SMALLEST)
        gained = df * (f - 1)
        omega = gained / (gained + parts.runs * parts.topics)
        eta = ss / (ss + parts.ss_error)
    return Effect(ss, df, ms, f, p, omega, eta)
