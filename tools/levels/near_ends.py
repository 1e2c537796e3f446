"""How often intervals hold means near the end of a measure: `python -m tools.levels.near_ends`.

Of P@1, success@5 and reciprocal rank few topics often have one score, which varies nowhere. The
scores of a run on the topics of a real set are a population whose mean is known; n topics are drawn
from them with replacement. A cell is the share of 95% intervals that hold it, over draws and runs:
of t as it is, which is a point where all scores are equal, and with `fit_to_range`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from irev.core.arrays import Floats
from irev.statistics.intervals import Intervals, fit_to_range
from irev.statistics.methods import INTERVALS, InferenceSettings
from tools.levels.real_sets import COLLECTIONS, read_sets

MEASURES = {"P@1": "P@1", "success@5": "success@5", "RR": "recip_rank"}
NUM_TOPICS = (5, 10, 25, 50)
KINDS = ("t", "hall")
_NEAR = 1e-12


def coverage(matrix: Floats, num_topics: int, num_draws: int) -> Iterator[tuple[float, float]]:
    """For each kind of interval how often it holds the mean, as a point and exact.

    `matrix`: float64[topics, runs], of scores from 0 to 1.
    """
    random = np.random.default_rng([num_topics, *matrix.shape])
    drawn = matrix[random.integers(0, len(matrix), (num_topics, num_draws))]
    scores = drawn.reshape(num_topics, -1)
    true_means = np.tile(matrix.mean(axis=0), num_draws)

    def share_held(intervals: Intervals) -> float:
        cut = fit_to_range(intervals, 0.0, 1.0)
        held = (cut.low <= true_means + _NEAR) & (true_means - _NEAR <= cut.high)
        return float(held.mean())

    for kind in KINDS:
        intervals = INTERVALS[kind].compute(scores, None, InferenceSettings())
        points = replace(intervals, is_constant=np.zeros(scores.shape[1], bool))
        yield share_held(points), share_held(intervals)


def coverage_lines(folder: Path, num_draws: int) -> Iterator[str]:
    """A table in Markdown, a row for each set and measure; a cell is "point / exact"."""
    yield f"{num_draws} draws of topics.\n"
    heads = [f"{kind}, {n} topics" for kind in KINDS for n in NUM_TOPICS]
    yield f"| set | mean | {' | '.join(heads)} |"
    yield "|---|---:|" + "---|" * len(heads)
    sets = read_sets(folder, MEASURES)
    for name, each in sets.items():
        if not name.startswith(tuple(COLLECTIONS)):
            continue
        pairs = [[*coverage(each.scores, n, num_draws)] for n in NUM_TOPICS]
        cells = [
            f"{before:.3f} / {after:.3f}"
            for of_kind in zip(*pairs, strict=True)
            for before, after in of_kind
        ]
        yield f"| {name} | {each.scores.mean():.2f} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of real data, as tools.levels.real_sets has it")
    parser.add_argument("--draws", type=int, default=2000)
    arguments = parser.parse_args()
    for line in coverage_lines(arguments.folder, arguments.draws):
        print(line, flush=True)


if __name__ == "__main__":
    main()
