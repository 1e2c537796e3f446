"""The scores that documents were retrieved with, for the few measures that look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irev.core.arrays import Floats, Ints, sum_by


@dataclass(frozen=True, eq=False, repr=False)
class RunScores:
    """Scores of some documents of T rankings, and what there is to know of all the others.

    of_row  float64[J], the score of each row
    high    float64[T], the highest score of all documents retrieved, judged or not
    low     float64[T], the lowest; both are 0 where nothing was retrieved
    above   float64[T], by how much the scores exceed the lowest, in all: sums of scores alone would
            lose the differences between scores that are large
    """

    of_row: Floats
    high: Floats
    low: Floats
    above: Floats

    @classmethod
    def of(cls, score: Floats, start: Ints) -> RunScores:
        """Those of whole rankings, every document a row, by falling score; `start`: int64[T+1]."""
        count = np.diff(start)
        some = np.flatnonzero(count)
        high, low = np.zeros(len(count)), np.zeros(len(count))
        high[some], low[some] = score[start[some]], score[start[some + 1] - 1]
        # what comes of infinite scores is for the measures to refuse
        with np.errstate(invalid="ignore", over="ignore"):
            excess = score - np.repeat(low, count)
        topic = np.repeat(np.arange(len(count)), count)
        return cls(score, high, low, sum_by(topic, excess, len(count)))

    @classmethod
    def nothing(cls, count: int) -> RunScores:
        """Those of empty rankings."""
        return cls(np.zeros(0), np.zeros(count), np.zeros(count), np.zeros(count))

    def take(self, rows: Ints | slice) -> RunScores:
        """The same rankings, of which other documents are rows."""
        return replace(self, of_row=self.of_row[rows])

    def take_topics(self, topics: Ints, of_row: Floats) -> RunScores:
        """Some of the rankings, a ranking as often as it is named, with the rows that they have."""
        return RunScores(of_row, self.high[topics], self.low[topics], self.above[topics])


def joined_scores(parts: Sequence[RunScores | None]) -> RunScores | None:
    """Several sets of rankings as one; None where the scores are not known."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return RunScores(
        np.concatenate([part.of_row for part in known]),
        np.concatenate([part.high for part in known]),
        np.concatenate([part.low for part in known]),
        np.concatenate([part.above for part in known]),
    )
