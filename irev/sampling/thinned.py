"""Rankings as they are under a sample of the judgments that they were joined with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Ints, offsets, ranges, run_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.model import Judged, Qrels
    from irev.core.sampled import Strata

POOLED = -2.0
"""The grade of a document that is in the pool but was not judged."""


@dataclass(frozen=True, eq=False, repr=False)
class Thinning:
    """A sample of the judgments.

    chosen   bool[M], the rows of the qrels that keep their grade
    stratum  int64[M], the stratum of each row, -1 for those outside the pool; None: one holds all
    names    the names of the strata
    """

    chosen: Bools
    stratum: Ints | None = None
    names: tuple[bytes, ...] = (b"all",)

    @cached_property
    def pool(self) -> Bools | None:
        """bool[M], the rows that belong to the pool; None: all of them."""
        return None if self.stratum is None else self.stratum >= 0


class Joined:
    """The rankings of a run, joined with the complete judgments once, for many samples of them."""

    def __init__(self, judged: Judged, lists: Ints, row: Ints, levels: Levels) -> None:
        """Keep what all samples have in common.

        Args:
            judged: T rankings under the complete judgments.
            lists: int64[T], the judged list of each ranking.
            row: int64[J], the row in the qrels of each row of `judged`.
            levels: the counts of grades of the same qrels.
        """
        self._judged = judged
        self._lists = lists
        self._row = row
        self._levels = levels
        qrels = levels.qrels
        self._level = ranges(qrels.level_start[lists], qrels.level_start[lists + 1])

    def under(self, sample: int) -> tuple[Judged, Ints]:
        """The rankings under a sample, and the row in the qrels of each of their rows.

        What is not in the sample has no grade and counts in no table.
        """
        thinning = self._levels.samples[sample]
        pooled = self._levels.pooled[sample][self._lists]
        count = self._levels.counts[sample][self._level]
        there = count > 0
        judged, row = self._judged, self._row
        thinned = replace(
            judged,
            grade=np.where(thinning.chosen[row], judged.grade, POOLED),
            level_start=offsets(there)[judged.level_start],
            level_grade=judged.level_grade[there],
            level_count=count[there],
            num_pooled=pooled,
        )
        if thinning.pool is None or thinning.pool[row].all():
            return thinned, row
        inside = np.flatnonzero(thinning.pool[row])
        return _only(thinned, inside), row[inside]


def _only(judged: Judged, rows: Ints) -> Judged:
    """The rankings with all but some rows as documents that are not in the qrels."""
    return replace(
        judged,
        topic=judged.topic[rows],
        rank=judged.rank[rows],
        grade=judged.grade[rows],
        ties=None if judged.ties is None else judged.ties.take(rows),
        scores=None if judged.scores is None else judged.scores.take(rows),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """Several samples of the same judgments, and how often each grade of each list is in them.

    `strata` are those of all samples, where measures ask for them.
    """

    qrels: Qrels
    samples: Sequence[Thinning]
    strata: Strata | None = None

    @cached_property
    def counts(self) -> list[Ints]:
        """For each sample int64[], how many documents, beside `Qrels.level_grade`."""
        qrels = self.qrels
        judged, level = self._level_of_row
        total = len(qrels.level_grade)
        return [
            np.bincount(level[sample.chosen[judged]], minlength=total) for sample in self.samples
        ]

    @cached_property
    def pooled(self) -> list[Ints]:
        """For each sample int64[L], the documents of each list that are pooled but unjudged."""
        qrels = self.qrels
        found = []
        for sample in self.samples:
            left = ~sample.chosen if sample.pool is None else sample.pool & ~sample.chosen
            up_to = offsets(left)
            found.append(up_to[qrels.stop] - up_to[qrels.start])
        return found

    @cached_property
    def _level_of_row(self) -> tuple[Ints, Ints]:
        """(the rows that have a grade, the place of each in `Qrels.level_grade`)."""
        qrels = self.qrels
        count = qrels.stop - qrels.start
        rows = ranges(qrels.start, qrels.stop)
        lists = np.repeat(np.arange(len(count)), count)
        has_grade = qrels.grade[rows] >= 0
        rows, lists = rows[has_grade], lists[has_grade]
        order = np.lexsort((qrels.grade[rows], lists))
        rows, lists = rows[order], lists[order]
        grade = qrels.grade[rows]
        begin = run_starts(lists, grade)
        return rows, np.repeat(np.arange(len(begin) - 1), np.diff(begin))
