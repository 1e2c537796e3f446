"""Differences of pairs of runs, topic by topic: what every test of two runs begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.errors import UsageError
from irev.statistics.tolerance import NEAR, without_noise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.statistics.families import Family
    from irev.statistics.methods import Tail

CELLS = 1 << 17
"""Numbers in a table of pairs x topics, or pairs x resamples, that is worked on at once (1 MiB)."""


@dataclass(frozen=True, eq=False, repr=False)
class Differences:
    """The differences d_t of P pairs over T topics, summed up.

    topics     T
    mean       float64[P]: m = (d_1 + ... + d_T) / T
    sd         float64[P]: the root of (sum of (d_t - m)^2) / (T - 1)
    scale      float64[P]: what tolerances are relative to, the larger run's largest absolute score
    nonzero    int64[P]: topics with a difference; no permutation or sign p is below 2 / 2^nonzero
    identical  bool[P]: no topic has a difference
    constant   bool[P]: every topic has the same difference, which is not 0
    """

    topics: int
    mean: Floats
    sd: Floats
    scale: Floats
    nonzero: Ints
    identical: Bools
    constant: Bools


def check(scores: Floats) -> None:
    """Refuse a matrix of scores that no pair can be tested on.

    Raises:
        UsageError: there are fewer than two topics, or a score is not a finite number.
    """
    if len(scores) < 2:
        raise UsageError("comparing runs needs at least two topics")
    if not np.isfinite(scores).all():
        topic, run = np.argwhere(~np.isfinite(scores))[0].tolist()
        raise UsageError(
            f"run {run + 1} has no finite score on topic {topic + 1}: runs cannot be compared there"
        )


def scales(scores: Floats, family: Family) -> Floats:
    """float64[P]: what each pair's tolerance is relative to; other runs have no part in it."""
    largest = np.abs(scores).max(axis=0)
    larger = np.maximum(largest[family.first], largest[family.second])
    return np.where(larger > 0, larger, 1.0)


def in_blocks(scores: Floats, family: Family) -> Iterator[tuple[slice, Floats]]:
    """Blocks of pairs, with float64[pairs, T]: their differences, those that are noise set to 0."""
    runs = np.ascontiguousarray(scores.T)
    scale = scales(scores, family)
    for part, pairs in family.parts(max(1, CELLS // len(scores))):
        found = runs[pairs.first] - runs[pairs.second]
        yield part, without_noise(found, scale[part, None])


def describe(scores: Floats, family: Family) -> Differences:
    """The mean and standard deviation of each pair's differences, and which pairs have none.

    Args:
        scores: float64[T, S].
        family: P pairs of runs.

    Raises:
        UsageError: there are fewer than two topics, or a score is not a finite number.
    """
    check(scores)
    topics, pairs = len(scores), len(family)
    scale = scales(scores, family)
    mean, sd, nonzero = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs, np.int64)
    for part, block in in_blocks(scores, family):
        mean[part] = without_noise(np.cumsum(block, axis=1)[:, -1] / topics, scale[part])
        squares = np.cumsum((block - mean[part, None]) ** 2, axis=1)[:, -1]
        sd[part] = np.sqrt(squares / (topics - 1))
        nonzero[part] = np.count_nonzero(block, axis=1)
    identical = nonzero == 0
    constant = (sd <= NEAR * scale) & ~identical
    sd[identical | constant] = 0.0
    return Differences(topics, mean, sd, scale, nonzero, identical, constant)


def thresholds(found: Differences, tail: Tail) -> Floats:
    """float64[P]: what a sum of T differences must reach to be as extreme as the observed one."""
    total = found.mean * found.topics
    observed = {"two-sided": np.abs(total), "greater": total, "less": -total}[tail]
    least: Floats = observed - NEAR * found.topics * found.scale
    return least
