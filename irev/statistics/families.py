"""Which runs are set against each other: the family of hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """P pairs of runs, by their columns; a difference is that of the first minus the second.

    first, second  int64[P]
    """

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def differences(self, scores: Floats) -> Floats:
        """float64[T, P]: for each topic, the first run's score minus the second's."""
        found: Floats = scores[:, self.first] - scores[:, self.second]
        return found

    def chosen(self, pairs: Ints | Bools | slice) -> Family:
        """The family of some of the pairs."""
        return Family(self.first[pairs], self.second[pairs])

    def reversed(self) -> Family:
        """The second run of each pair minus the first."""
        return Family(self.second, self.first)

    def parts(self, size: int) -> Iterator[tuple[slice, Family]]:
        """The pairs in turn, at most so many at a time, each part with where it stands."""
        for start in range(0, len(self), size):
            part = slice(start, min(start + size, len(self)))
            yield part, self.chosen(part)


def every_pair(runs: int) -> Family:
    """All S(S-1)/2 pairs, in the order (0, 1), (0, 2), ..., (S-2, S-1)."""
    first, second = np.triu_indices(runs, 1)
    return Family(first.astype(np.int64), second.astype(np.int64))


def against(runs: int, baselines: Sequence[int]) -> Family:
    """Each run minus each baseline, a run that is a baseline itself only once against another."""
    pairs = [
        (run, baseline)
        for place, baseline in enumerate(baselines)
        for run in range(runs)
        if run != baseline and run not in baselines[:place]
    ]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return Family(found[:, 0], found[:, 1])
