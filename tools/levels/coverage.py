"""How often intervals and places hold what is true: `python -m tools.levels.levels --coverage`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import numpy as np

from irev.core.arrays import Floats
from irev.core.judged import Column
from irev.jobs.leaderboard.board import place_limits
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.families import difference_mask, holm
from irev.statistics.intervals import (
    Intervals,
    bootstrap_intervals,
    intervals_of_t,
    mean_intervals,
    skewness_corrected_intervals,
)
from irev.statistics.significance_tests import paired_t
from tools.levels.worlds import DRAWS, TRUE_MEANS, world

ALPHA = 0.05
AT_ONCE = 100
RESAMPLES = 1999

OfColumns = Callable[[Floats, "RunPairs | None", int], Intervals]


def _t(scores: Floats, family: RunPairs | None, seed: int) -> Intervals:
    if family is None:
        return mean_intervals(scores)
    test = paired_t(scores, family)
    return intervals_of_t(test, test.df)


def _bootstrap_kind(kind: str) -> OfColumns:
    def intervals(scores: Floats, family: RunPairs | None, seed: int) -> Intervals:
        return bootstrap_intervals(
            scores, family, kind=kind, num_resamples=RESAMPLES, seed=seed, threads=1  # type: ignore[arg-type]
        )  # fmt: skip

    return intervals


def _hall(scores: Floats, family: RunPairs | None, seed: int) -> Intervals:
    if family is None:
        return skewness_corrected_intervals(scores)
    return skewness_corrected_intervals(family.differences(scores))


KINDS: dict[str, OfColumns] = {
    "t": _t,
    "hall": _hall,
    **{kind: _bootstrap_kind(kind) for kind in ("percentile", "bca", "bootstrap-t")},
}


def interval_coverage(name: str, topics: int, worlds: int) -> dict[str, tuple[float, float]]:
    """How often each 95% interval holds a mean, and the difference of two; the worlds are the same.

    Two runs, of which the mean is the first's: in skewed worlds the more skewed one's.
    """
    held = {kind: np.zeros(2) for kind in KINDS}
    true = TRUE_MEANS.get(name, 0.0)
    of_world = zlib.crc32(f"{name}/{topics}".encode())
    for start in range(0, worlds, AT_ONCE):
        scores = np.hstack(
            [
                world(name, np.random.default_rng([of_world, number]), topics, 2)
                for number in range(start, start + AT_ONCE)
            ]
        )
        first = 2 * np.arange(AT_ONCE)
        for kind, interval in KINDS.items():
            of_mean = interval(scores[:, first], None, start)
            apart = interval(scores, RunPairs(first, first + 1), start)
            held[kind] += (
                ((of_mean.low <= true) & (true <= of_mean.high)).sum(),
                ((apart.low <= 0) & (apart.high >= 0)).sum(),
            )
    return {kind: (float(n[0]) / worlds, float(n[1]) / worlds) for kind, n in held.items()}


def place_coverage(
    name: str, topics: int, runs: int, gap: float, worlds: int
) -> tuple[float, float, float]:
    """How often all true places of boards lie within, and the best run's; their mean width.

    Run i has the mean of the world less gap * i.
    """
    family, true = every_pair(runs), np.arange(1, runs + 1)
    joint, best, width = 0, 0, 0.0
    for number in range(worlds):
        random = np.random.default_rng([topics, runs, int(gap * 1e4), number])
        scores = world(name, random, topics, runs) - gap * true
        differ = difference_mask(holm(paired_t(scores, family).p), family, runs, ALPHA)
        low, high = place_limits(scores.mean(axis=0), differ)
        within = (low <= true) & (true <= high)
        joint += bool(within.all())
        best += bool(within[0])
        width += float((high - low).mean())
    return joint / worlds, best / worlds, width / worlds


def weighted_coverage(
    topics: int, spread: float, worlds: int, shape: tuple[float, float] = (4, 4)
) -> tuple[float, float, float]:
    """How often the 95% intervals of a weighted mean and of a difference of two hold the true one.

    Scores are of a beta distribution of this shape, the second run's of half of it; weights are
    lognormal with this deviation of their logarithm. The last number is Kish's topics, on average.
    """
    true = shape[0] / sum(shape)
    half = shape[0] / 2, shape[1] / 2
    of_mean, of_difference, kish = 0, 0, 0.0
    for number in range(worlds):
        random = np.random.default_rng([topics, int(spread * 10), number])
        scores, weights = random.beta(*shape, (topics, 1)), random.lognormal(0, spread, topics)
        scores = np.hstack([scores, random.beta(*half, (topics, 1))])
        names = tuple(b"%04d" % topic for topic in range(topics))
        runs = (RunInfo("a", "a"), RunInfo("b", "b"))
        table = ScoreTable(names, runs, (Column("x", "x"),), scores[None], weights)
        linearised = table.linearised_score_matrix("x")
        of_runs = mean_intervals(linearised, df=table.df)
        of_mean += bool(of_runs.low[0] <= true <= of_runs.high[0])
        apart = paired_t(linearised, every_pair(2), df=table.df)
        of_difference += bool(apart.low[0] <= 0 <= apart.high[0])
        kish += (table.df or 0.0) + 1
    return of_mean / worlds, of_difference / worlds, kish / worlds


def coverage_tables(worlds: int) -> Iterator[str]:
    """All as tables in Markdown."""
    error = (ALPHA * (1 - ALPHA) / worlds) ** 0.5
    yield f"{worlds} worlds a row; Monte Carlo error of a coverage of 0.95: {error:.4f}.\n"
    yield "| worlds | topics | " + " | ".join(f"{kind}: mean, difference" for kind in KINDS) + " |"
    yield "|---|---:|" + "---|" * len(KINDS)
    for name in DRAWS:
        for topics in (10, 20, 50):
            held = interval_coverage(name, topics, worlds)
            row = " | ".join(f"{mean:.3f}, {apart:.3f}" for mean, apart in held.values())
            yield f"| {name} | {topics} | {row} |"
    yield "\n| worlds | topics | runs | apart | all places at once | the best run's | mean width |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name in DRAWS:
        for topics, runs, gap in ((10, 15, 0.01), (50, 15, 0.01), (50, 30, 0.002), (50, 30, 0.01)):
            joint, best, width = place_coverage(name, topics, runs, gap, worlds)
            yield (
                f"| {name} | {topics} | {runs} | {gap} | {joint:.3f} | {best:.3f} | {width:.1f} |"
            )
    yield "\n| scores | topics | deviation of log weights | Kish's topics | mean | difference |"
    yield "|---|---:|---:|---:|---:|---:|"
    for shape in ((4, 4), (1, 2)):
        for topics, spread in ((10, 0.5), (10, 1.0), (50, 0.5), (50, 1.0), (50, 1.5), (200, 1.0)):
            mean, apart, kish = weighted_coverage(topics, spread, worlds, shape)
            yield f"| beta{shape} | {topics} | {spread} | {kish:.0f} | {mean:.3f} | {apart:.3f} |"
