"""Worlds without a difference, or with known ones: drawn scores of runs on topics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from irev.core.arrays import Floats

Draw = Callable[[np.random.Generator, int, int], Floats]
"""Scores, float64[topics, runs], of runs of equal true means."""

BETTER = 0.1
"""By how much the better third of the runs is better, in worlds with differences."""


def _topics(random: np.random.Generator, topics: int) -> Floats:
    return 0.4 + random.normal(0, 0.2, (topics, 1))


def equal(random: np.random.Generator, topics: int, runs: int) -> Floats:
    """Normal scores, the same variance everywhere: what HSD assumes."""
    return _topics(random, topics) + random.normal(0, 0.1, (topics, runs))


def near_copies(random: np.random.Generator, topics: int, runs: int) -> Floats:
    """Four runs of five are near-copies of one another, the others are on their own."""
    own = max(1, runs // 5)
    near = random.normal(0, 0.1, (topics, 1)) + random.normal(0, 0.03, (topics, runs - own))
    return _topics(random, topics) + np.hstack([near, random.normal(0, 0.2, (topics, own))])


def skewed_scores(random: np.random.Generator, topics: int, runs: int) -> Floats:
    """Scores of beta distributions of mean 0.2, more and less skewed: AP of steady and odd runs."""
    spread = np.linspace(1, 12, runs)
    return random.beta(0.2 * spread, 0.8 * spread, (topics, runs))


def discrete(random: np.random.Generator, topics: int, runs: int) -> Floats:
    """P@5 of topics of any difficulty: six values, many of them equal."""
    ease = np.tile(random.beta(0.5, 1, (topics, 1)), runs)
    return random.binomial(5, ease) / 5


def residuals_of(matrix: Floats) -> Draw:
    """Runs of a matrix with their means made equal to 0, its topics drawn again: topics repeat."""

    def draw(random: np.random.Generator, topics: int, runs: int) -> Floats:
        scores = matrix[:, random.choice(matrix.shape[1], runs, replace=False)]
        centred: Floats = scores - scores.mean(axis=0)
        return centred[random.integers(0, len(matrix), topics)]

    return draw


TRUE_MEANS = {"equal": 0.4, "near-copies": 0.4, "skewed": 0.2, "discrete": 1 / 3}
"""Of a run in a world; 0 of residuals."""

DRAWS: dict[str, Draw] = {
    "equal": equal,
    "near-copies": near_copies,
    "discrete": discrete,
    "skewed": skewed_scores,
}
"""The worlds by name; residuals of real runs are added by whoever has some."""

WITH_BETTER = ", some better"
"""Behind the name of a world: a third of its runs is better."""


def world(name: str, random: np.random.Generator, topics: int, runs: int) -> Floats:
    """The scores of one world."""
    scores = DRAWS[name.removesuffix(WITH_BETTER)](random, topics, runs)
    return scores + BETTER * is_better(name, runs)


def is_better(name: str, runs: int) -> Floats:
    """float64[runs]: 1 of the runs that are better than the others in worlds of this name."""
    mask = np.zeros(runs)
    if name.endswith(WITH_BETTER):
        mask[: runs // 3] = 1
    return mask


def matrix_of(path: str) -> Floats:
    """A CSV of topics x runs under a header of runs; a first column of topics is left out."""
    rows = [line.split(",") for line in Path(path).read_text(encoding="utf-8").split()]
    first = 1 if rows[0][0] in ("topic", "") else 0
    return np.array([row[first:] for row in rows[1:]], np.float64)
