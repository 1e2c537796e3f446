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
    """What the tests of a part say under its first measure, by which its runs are ordered.

    means       float64[S]
    order       the runs, the best first
    baseline    the run that all others are compared with
    differences float64[S, S]: the mean of the row less that of the column
    verdicts    int64[S, S]: 1: the row is shown to be better, -1: to be worse, corrected for all
                pairs; all 0 where these were not tested
    """

    def __init__(self, part: PagePart) -> None:
        """Look at a part."""
        self.part = part
        self.means = part.means[0, :, 0]
        self.order = part.run_order()
        self.baseline = part.first_baseline
        self._sign = 1 if part.measures[0].higher else -1
        self._family: BaselineFamily | None = next(
            (each for each in part.families if each.run_index == self.baseline), None
        )
        pair_counts = part.pair_counts[0] if part.pair_counts else ()
        self._pair_counts = {each.pair_index: each for each in pair_counts}
        num_runs = len(self.means)
        self.differences = self.means[:, None] - self.means[None, :]
        p = np.full((num_runs, num_runs), np.nan)
        if self.pairs is not None:
            p[np.triu_indices(num_runs, 1)] = self.pairs.p
        self._p = np.fmin(p, p.T)
        is_shown = self._p <= part.alpha
        self.verdicts = np.where(is_shown, self._sign * np.sign(self.differences), 0).astype(int)

    @property
    def pairs(self) -> PairOutcomes | None:
        """All pairs, where they were tested."""
        return self.part.outcomes[0] if self.part.outcomes and len(self.means) > 1 else None

    @property
    def baseline_outcomes(self) -> PairOutcomes | None:
        """The pairs with the baseline, where it was named before and they were tested."""
        return self._family.outcomes[0] if self._family and len(self.means) > 1 else None

    @property
    def is_tested(self) -> bool:
        """Whether the runs were tested against the baseline."""
        return self.pairs is not None or self.baseline_outcomes is not None

    @property
    def sentences(self) -> tuple[str, str]:
        """How p was found, and what the intervals of differences hold for."""
        if self._family is not None:
            return self._family.test, self._family.between
        return self.part.test, self.part.between

    def baseline_difference(self, run: int) -> RunDifference | None:
        """A run against the baseline: in the family of that one, where it was named."""
        p = float(self._p[run, self.baseline])
        if self.baseline_outcomes is not None:
            p = float(self.baseline_outcomes.p[run])
        if run == self.baseline or math.isnan(p):
            return None
        difference = float(self.differences[run, self.baseline])
        verdict = self._sign * int(np.sign(difference)) if p <= self.part.alpha else 0
        return RunDifference(difference, p, verdict)

    def sizes(self) -> tuple[Floats, Floats]:
        """The sizes of the differences of all pairs: those that were not shown, those that were."""
        above = np.triu_indices(len(self.means), 1)
        sizes, is_shown = np.abs(self.differences[above]), self.verdicts[above] != 0
        return sizes[~is_shown], sizes[is_shown]

    def place(self, run: int) -> int:
        """One plus the number of better runs."""
        return 1 + int((self._sign * self.differences[:, run] > 0).sum())

    def open_places(self, run: int) -> tuple[int, int]:
        """The places that the tests leave open, for all runs at once."""
        verdicts = self.verdicts[run]
        return 1 + int((verdicts < 0).sum()), len(verdicts) - int((verdicts > 0).sum())

    def wins_ties_losses(self, run: int) -> tuple[int, int, int]:
        """On how many topics a run is better than the baseline, as good, and worse."""
        assert self.part.scores is not None  # noqa: S101 - whoever calls has looked
        first, second = sorted((run, self.baseline))
        num_runs, num_topics = len(self.means), len(self.part.topics)
        pair_index = first * num_runs - first * (first + 1) // 2 + second - first - 1
        if first < second and pair_index in self._pair_counts:
            pair_count = self._pair_counts[pair_index]
            wins, losses = (pair_count.wins, pair_count.losses)[:: 1 if run == first else -1]
            return wins, num_topics - wins - losses, losses
        scores: Floats = np.nan_to_num(self.part.scores[0])
        gains = self._sign * (scores[:, run] - scores[:, self.baseline])
        wins, losses = (int((sign * gains > self.part.tie).sum()) for sign in (1, -1))
        return wins, num_topics - wins - losses, losses
