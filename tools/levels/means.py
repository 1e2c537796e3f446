"""How often intervals of means hold on topics of real runs: `python -m tools.levels.means FILE...`.

A file is a CSV of topics x runs (a first column `topic` is left out). The scores of a run are a
population whose mean is known; n topics are drawn from them with replacement.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats
from irev.statistics.intervals import (
    Intervals,
    bootstrap_intervals,
    fit_to_range,
    mean_intervals,
    skewness_corrected_intervals,
)
from tools.levels.worlds import matrix_of

RUNS = 8
AT_ONCE = 25
RESAMPLES = 1999
NUM_TOPICS = (5, 10, 25, 50)

KINDS: dict[str, Callable[[Floats, int], Intervals]] = {
    "t": lambda scores, seed: mean_intervals(scores),
    "hall": lambda scores, seed: skewness_corrected_intervals(scores),
    "bootstrap-t": lambda scores, seed: bootstrap_intervals(
        scores, num_resamples=RESAMPLES, seed=seed, threads=1
    ),
}


class Cell(NamedTuple):
    """How intervals did on so many topics of one set; intervals are cut at 0 and 1, or exact.

    held            the share of each kind that held the mean
    error           the largest of their Monte Carlo errors, by draws: runs of a draw share topics
    median_width    the median of Hall's widths over t's
    mean_width      the mean of Hall's widths over the mean of t's
    share_wide      the share of samples in which Hall's is more than `WIDE` times as wide as t's
    held_if_wide    which share of these t and Hall's held
    score           the mean interval score of Hall's over that of t, less 1
    score_error     its Monte Carlo error
    share_endless   the share of bootstrap-t's with an infinite end
    """

    held: dict[str, float]
    error: float
    median_width: float
    mean_width: float
    share_wide: float
    held_if_wide: tuple[float, float]
    score: float
    score_error: float
    share_endless: float


WIDE = 1.5
ALPHA = 0.05
_NEAR = 1e-12


def coverage_of_means(matrix: Floats, num_topics: int, num_draws: int) -> Cell:
    """The coverage of each interval, of some runs in each draw of topics, the same for all."""
    parts: dict[str, list[Intervals]] = {kind: [] for kind in KINDS}
    true: list[Floats] = []
    true_means = matrix.mean(axis=0)
    num_runs = min(RUNS, matrix.shape[1])
    for start in range(0, num_draws, AT_ONCE):
        drawn = []
        for number in range(start, min(start + AT_ONCE, num_draws)):
            random = np.random.default_rng([num_topics, number, zlib.crc32(matrix.tobytes())])
            runs = random.choice(matrix.shape[1], num_runs, replace=False)
            drawn.append(matrix[random.integers(0, len(matrix), num_topics)][:, runs])
            true.append(true_means[runs])
        scores = np.hstack(drawn)
        for kind, interval in KINDS.items():
            parts[kind].append(interval(scores, start))
    means = np.concatenate(true)
    ends = {kind: _joined_and_clipped(intervals) for kind, intervals in parts.items()}
    is_held = {
        kind: (low <= means + _NEAR) & (means - _NEAR <= high) for kind, (low, high) in ends.items()
    }
    width_t, width_hall = (ends[kind][1] - ends[kind][0] for kind in ("t", "hall"))
    score_t, score_hall = (interval_scores(*ends[kind], means) for kind in ("t", "hall"))
    is_wide, is_some = width_hall > WIDE * width_t, width_t > 0
    return Cell(
        {kind: float(mask.mean()) for kind, mask in is_held.items()},
        max(_error_by_draws(mask, num_runs) for mask in is_held.values()),
        float(np.median(width_hall[is_some] / width_t[is_some])),
        float(width_hall.mean() / width_t.mean()),
        float(is_wide.mean()),
        (_share(is_held["t"][is_wide]), _share(is_held["hall"][is_wide])),
        float(score_hall.mean() / score_t.mean() - 1),
        _error_by_draws(score_hall - score_t, num_runs) / float(score_t.mean()),
        float(np.isinf(ends["bootstrap-t"]).any(axis=0).mean()),
    )  # fmt: skip


def _share(mask: Bools) -> float:
    return float(mask.mean()) if len(mask) else 0.0


def _joined_and_clipped(parts: list[Intervals]) -> tuple[Floats, Floats]:
    clipped = [fit_to_range(each, 0, 1) for each in parts]
    return np.concatenate([e.low for e in clipped]), np.concatenate([e.high for e in clipped])


def interval_scores(low: Floats, high: Floats, true_means: Floats) -> Floats:
    """The width, and 2 / alpha times how far the truth lies outside: the smaller, the better.

    Source: T. Gneiting and A. E. Raftery, Journal of the American Statistical Association 102
    (2007), equation 43.
    """
    outside = np.maximum(0, low - true_means) + np.maximum(0, true_means - high)
    scores: Floats = high - low + 2 / ALPHA * outside
    return scores


def _error_by_draws(values: Floats | Bools, num_runs: int) -> float:
    """The standard error of the mean, of which each draw of topics has so many values."""
    of_draws = values.reshape(-1, num_runs).mean(axis=1)
    return float(of_draws.std(ddof=1) / len(of_draws) ** 0.5)


def coverage_lines(paths: list[str], num_draws: int) -> Iterator[str]:
    """A table in Markdown, a row for each file and number of topics."""
    yield f"{num_draws} draws of topics, {RUNS} runs each.\n"
    yield (
        "| set | topics | t | hall | bootstrap-t | error | width of hall | above "
        f"{WIDE} | t, hall there | score of hall | bootstrap-t endless |"
    )
    yield "|---|---:|" + "---|" * 9
    for path in paths:
        for num_topics in NUM_TOPICS:
            cell = coverage_of_means(matrix_of(path), num_topics, num_draws)
            held = " | ".join(f"{cell.held[kind]:.3f}" for kind in KINDS)
            there = "-"
            if cell.share_wide:
                there = ", ".join(f"{held_there:.2f}" for held_there in cell.held_if_wide)
            yield (
                f"| {Path(path).stem} | {num_topics} | {held} | {cell.error:.4f} | "
                f"{cell.median_width:.2f}, {cell.mean_width:.2f} | {cell.share_wide:.3f} | "
                f"{there} | "
                f"{100 * cell.score:+.1f}% ({100 * cell.score_error:.1f}) | "
                f"{cell.share_endless:.4f} |"
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--draws", type=int, default=1000)
    arguments = parser.parse_args()
    for line in coverage_lines(arguments.files, arguments.draws):
        print(line, flush=True)


if __name__ == "__main__":
    main()
