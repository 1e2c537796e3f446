"""What estimates under samples of the judgments come to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.scores import Scores


class Redrawn(NamedTuple):
    """The topics of which some sample was drawn again, having had no relevant document."""

    design: str
    topics: tuple[bytes, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SampledScores:
    """A run's scores under all judgments and under B samples of each of D designs.

    full      the scores under all judgments, with the columns that others are compared with
    shown     which C of its columns were asked for
    targets   for each of them the column whose value under all judgments it is compared with
    designs   the designs, as they were written
    seed      the seed of the samples
    values    float64[D, B, C], the summaries under the samples
    redrawn   for each design the topics whose samples may not nest in those of a higher rate
    """

    full: Scores
    shown: tuple[int, ...]
    targets: tuple[int, ...]
    designs: tuple[str, ...]
    seed: int
    values: Floats
    redrawn: tuple[Redrawn, ...]

    @property
    def repeat(self) -> int:
        """B, how many samples there are of each design."""
        return int(self.values.shape[1])

    @cached_property
    def complete(self) -> Floats:
        """float64[C]: the values under all judgments."""
        return self._summaries(self.shown)

    @cached_property
    def aims(self) -> Floats:
        """float64[C]: what the estimates are compared with."""
        return self._summaries(self.targets)

    @cached_property
    def mean(self) -> Floats:
        """float64[D, C]: the mean over the samples."""
        return _sum(self.values) / self.repeat

    @cached_property
    def deviation(self) -> Floats:
        """float64[D, C]: the standard deviation over the samples, with divisor B - 1.

        NaN for a single sample.
        """
        if self.repeat < 2:
            return np.full(self.mean.shape, math.nan)
        squares = _sum((self.values - self.mean[:, None, :]) ** 2)
        return np.sqrt(squares / (self.repeat - 1))

    @cached_property
    def bias(self) -> Floats:
        """float64[D, C]: by how much the mean exceeds what it is compared with."""
        return self.mean - self.aims

    @cached_property
    def rms(self) -> Floats:
        """float64[D, C]: the root of the mean squared difference from it, divisor B."""
        return np.sqrt(_sum((self.values - self.aims) ** 2) / self.repeat)

    def name(self, column: int) -> str:
        """The printed name of one of the C columns."""
        return self.full.columns[self.shown[column]].name

    def target(self, column: int) -> str:
        """The name of what it is compared with."""
        return self.full.columns[self.targets[column]].name

    def _summaries(self, columns: tuple[int, ...]) -> Floats:
        return np.array([self.full.summary_of(column) for column in columns], np.float64)


def _sum(values: Floats) -> Floats:
    """float64[D, C]: sums over the samples, left to right."""
    total: Floats = np.cumsum(values, axis=1)[:, -1, :]
    return total
