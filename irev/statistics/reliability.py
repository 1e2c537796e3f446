"""How reliable a collection's scores are: generalisability theory on a topics x runs matrix.

Bodoff and Li, SIGIR 2007; Urbano, Marrero and Martin, SIGIR 2013, "On the measurement of test
collection reliability"; R. L. Brennan, Generalizability Theory, Springer 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irev.errors import UsageError
from irev.statistics.anova import decompose

if TYPE_CHECKING:
    from irev.core.arrays import Floats


@dataclass(frozen=True)
class Components:
    """What the scores of S runs on T topics vary by.

    ms_run, ms_topic, ms_error   the mean squares of the two-way analysis of variance
    run    variance between runs, (ms_run - ms_error) / T
    topic  variance between topics, (ms_topic - ms_error) / S
    error  of runs with topics and the rest, ms_error
    clipped  a variance was estimated below 0 and is given as 0
    """

    topics: int
    runs: int
    ms_run: float
    ms_topic: float
    ms_error: float
    run: float
    topic: float
    error: float
    clipped: bool


def variance_components(scores: Floats) -> Components:
    """The variance components (the G study) of float64[T, S] scores.

    Raises:
        UsageError: there are fewer than 2 topics or 2 runs.
    """
    parts = decompose(scores)
    ms_run = parts.ss_runs / (parts.runs - 1)
    ms_topic = parts.ss_topics / (parts.topics - 1)
    error = parts.ms_error
    run, topic = (ms_run - error) / parts.topics, (ms_topic - error) / parts.runs
    return Components(
        parts.topics,
        parts.runs,
        ms_run,
        ms_topic,
        error,
        max(run, 0.0),
        max(topic, 0.0),
        error,
        min(run, topic) < 0,
    )


@dataclass(frozen=True)
class Coefficient:
    """A reliability from 0 to 1, NaN where nothing varies, and its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Reliability:
    """Of n topics of the same kind.

    erho2  run / (run + error/n), of differences of runs
    phi    run / (run + (topic + error)/n), of the scores themselves
    """

    topics: int
    level: float
    erho2: Coefficient
    phi: Coefficient


def reliability(found: Components, topics: int | None = None, level: float = 0.95) -> Reliability:
    """E rho^2 and Phi (the D study) of n topics, by default the T that were scored.

    The intervals are Feldt's (1965) for E rho^2 and those of Arteaga, Jeyaratnam and Franklin
    (1982) for Phi, in Brennan's form (2001, section 6.4), cut to 0 and 1.

    Raises:
        UsageError: no topic, or a level out of range.
    """
    topics = found.topics if topics is None else topics
    if topics < 1 or not 0 < level < 1:
        raise UsageError(f"reliability needs a topic and 0 < level < 1: {topics}, {level}")
    chances = ((1 + level) / 2, (1 - level) / 2)
    return Reliability(
        topics,
        level,
        _coefficient(found.error, found, topics, [_erho2_limit(found, c) for c in chances]),
        _coefficient(
            found.topic + found.error, found, topics, [_phi_limit(found, c) for c in chances]
        ),
    )


def topics_needed(found: Components, target: float = 0.95) -> tuple[int | None, int | None]:
    """The fewest topics with E rho^2, and with Phi, of at least the target.

    ceil(target noise / (run (1 - target))), noise being error, and topic + error; None where the
    runs do not vary.

    Raises:
        UsageError: the target is not between 0 and 1.
    """
    if not 0 < target < 1:
        raise UsageError(f"a reliability to be reached lies between 0 and 1, not at {target}")
    if not found.run:
        return None, None
    per_topic = target / (found.run * (1 - target))
    few, many = (
        max(1, math.ceil(noise * per_topic * (1 - 1e-12)))
        for noise in (found.error, found.topic + found.error)
    )
    return few, many


def _coefficient(noise: float, found: Components, topics: int, limits: list[float]) -> Coefficient:
    """The value for n topics; `limits` are signal-to-noise ratios of one topic."""
    both = found.run + noise / topics
    value = found.run / both if both else math.nan
    low, high = (
        math.nan
        if not both
        else 1.0
        if ratio == math.inf
        else topics * ratio / (1 + topics * ratio)
        for ratio in (max(limit, 0.0) for limit in limits)
    )
    return Coefficient(value, low, high)


def _erho2_limit(found: Components, chance: float) -> float:
    """The limit of run/error."""
    quantile = _quantile(chance, found.runs - 1, (found.runs - 1) * (found.topics - 1))
    if not found.error:
        return math.inf
    return (found.ms_run / (found.error * quantile) - 1) / found.topics


def _phi_limit(found: Components, chance: float) -> float:
    """The limit of run/(topic + error)."""
    df_run, df_topic = found.runs - 1, found.topics - 1
    endless = _quantile(chance, df_run, math.inf)
    to_error = _quantile(chance, df_run, df_run * df_topic)
    to_topic = _quantile(chance, df_run, df_topic)
    above = (
        found.ms_run**2
        - endless * found.ms_run * found.error
        + (endless - to_error) * to_error * found.error**2
    )
    below = found.ms_run * (df_run * endless * found.error + to_topic * found.ms_topic)
    return found.runs * above / (found.topics * below) if below else math.inf


def _quantile(chance: float, above: int, below: float) -> float:
    """Of the F distribution; its limit for endless degrees of freedom below."""
    from scipy.stats import chi2, f

    if below == math.inf:
        return float(chi2.ppf(chance, above)) / above
    return float(f.ppf(chance, above, below))
