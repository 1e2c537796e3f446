"""What a part of the page knows of two runs: the same choices as its script makes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.writers.results_page.page_data import BaselineFamily, PagePart, PairOutcomes


class RunDifference(NamedTuple):
    """A run minus another.

    difference  of their means
    p           corrected
    verdict     1: shown to be better; -1: to be worse; 0: neither
    """

    difference: float
    p: float
    verdict: int


class Comparisons:
    """What the tests of a part say under its first measure, whose runs are ordered by it."""

    def __init__(self, part: PagePart) -> None:
        """Look at a part."""
        self.part = part
        self.means: list[float] = part.means[0, :, 0].tolist()
        self.order = part.run_order()
        self.baseline = part.first_baseline
        self._sign = 1 if part.measures[0].higher else -1
        self._family: BaselineFamily | None = next(
            (each for each in part.families if each.run_index == self.baseline), None
        )

    @property
    def pairs(self) -> PairOutcomes | None:
        """All pairs, where they were tested."""
        return self.part.outcomes[0] if self.part.outcomes and len(self.means) > 1 else None

    @property
    def of_baseline(self) -> PairOutcomes | None:
        """The pairs with the baseline, where it was named before and they were tested."""
        return self._family.outcomes[0] if self._family and len(self.means) > 1 else None

    @property
    def is_tested(self) -> bool:
        """Whether the runs were tested against the baseline."""
        return self.pairs is not None or self.of_baseline is not None

    @property
    def sentences(self) -> tuple[str, str]:
        """How p was found, and what the intervals of differences hold for."""
        if self._family is not None:
            return self._family.test, self._family.between
        return self.part.test, self.part.between

    def among_all(self, run: int, other: int) -> RunDifference | None:
        """A run against another one, corrected for all pairs."""
        if self.pairs is None or run == other:
            return None
        first, second = sorted((run, other))
        num_runs = len(self.means)
        pair = first * num_runs - first * (first + 1) // 2 + second - first - 1
        return self._difference(run, other, float(self.pairs.p[pair]))

    def against_baseline(self, run: int) -> RunDifference | None:
        """A run against the baseline: in the family of that one, where it was named."""
        if run == self.baseline:
            return None
        if self.of_baseline is not None:
            return self._difference(run, self.baseline, float(self.of_baseline.p[run]))
        return self.among_all(run, self.baseline)

    def _difference(self, run: int, other: int, p: float) -> RunDifference | None:
        if math.isnan(p):
            return None
        difference = self.means[run] - self.means[other]
        sign = (difference > 0) - (difference < 0)
        return RunDifference(difference, p, sign * self._sign if p <= self.part.alpha else 0)

    def place(self, run: int) -> int:
        """One plus the number of better runs."""
        return 1 + sum(self._sign * (mean - self.means[run]) > 0 for mean in self.means)

    def open_places(self, run: int) -> tuple[int, int]:
        """The places that the tests leave open, for all runs at once."""
        differences = (self.among_all(run, other) for other in range(len(self.means)))
        verdicts = [each.verdict for each in differences if each is not None]
        return 1 + verdicts.count(-1), len(self.means) - verdicts.count(1)

    def wins_ties_losses(self, run: int) -> tuple[int, int, int]:
        """On how many topics a run is better than the baseline, as good, and worse."""
        assert self.part.scores is not None  # noqa: S101 - whoever calls has looked
        scores: Floats = np.nan_to_num(self.part.scores[0])
        gains = self._sign * (scores[:, run] - scores[:, self.baseline])
        wins, losses = (int((sign * gains > self.part.tie).sum()) for sign in (1, -1))
        return wins, len(gains) - wins - losses, losses
