"""Estimators from strata under samples drawn here: the strata of every sample, and their judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import offsets, starts_of
from irev.core.sampled import SampledJudged, Strata
from irev.engine.evaluator import Evaluator
from irev.engine.judging import GradedJudge, Part
from irev.errors import UsageError
from irev.measures.measuring import joined_rankings
from irev.rank.strata import SampleJudge
from irev.sampling.thinned import Thinning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.inputs import Input
    from irev.core.model import Judged, Qrels
    from irev.core.scores import Scores
    from irev.rank.ranking import Ranked


class Sampleable(Evaluator):
    """Judgments by grades for measures that may need strata too: the whole pool is one."""

    also_gives = ("strata",)

    @property
    def graded(self) -> GradedJudge:
        """The judgments, ready to judge runs."""
        if not isinstance(self._judge, GradedJudge):
            raise TypeError("these are not judgments by grades")
        return self._judge

    @property
    def needs_strata(self) -> bool:
        """Whether a measure does."""
        return isinstance(self._judge, SampleJudge)

    def part_of(self, found: Ranked) -> Part:
        """What becomes of some topics of a run that were ranked."""
        judge = self.graded
        judged = judge.judged(found)
        if not isinstance(judge, SampleJudge) or not isinstance(judge.sample, Strata):
            return Part.of(found, None, judged)
        whole = SampledJudged(judged, found.lists, found.row, judge.sample)
        return Part.of(found, judge.measured(found.lists, whole))

    def signed(self, scores: Scores, run: str | None) -> Scores:
        """The scores with their signature, given the hash of the run."""
        return replace(scores, signature=self._signature(scores, run))

    def _read(self, qrels: Input, format: str) -> GradedJudge:
        judge = super()._read(qrels, format)
        if type(judge) is not GradedJudge:
            raise UsageError("judgments with classes of documents are not sampled")
        return self._sampleable(judge)

    def _sampleable(self, judge: GradedJudge) -> GradedJudge:
        """The judge that knows strata too, where a measure asks for them."""
        if all(request.measure.needs != "strata" for request in judge.requests):
            return judge
        strata = strata_of_samples(judge.qrels, [Thinning(judge.qrels.grade >= 0)])
        settings = self.options.settings
        return SampleJudge(judge.qrels, strata, judge.requests, judge.ranking, settings)


class Completed(Sampleable):
    """Likewise, where documents of the pool that have no grade are not relevant."""

    def _sampleable(self, judge: GradedJudge) -> GradedJudge:
        from irev.sampling.pooled_qrels import completed

        qrels, settings = completed(judge.qrels), self.options.settings
        whole = GradedJudge(qrels, judge.requests, judge.ranking, settings)
        return super()._sampleable(whole)


def strata_of_samples(qrels: Qrels, samples: Sequence[Thinning]) -> Strata:
    """The strata of several samples: topic t of sample s is number s T + t, row m is s M + m."""
    found = [_strata(qrels, qrels.topic_of_row, sample) for sample in samples]
    before = offsets([len(each.names) for each in found])
    levels = offsets([len(each.level_grade) for each in found])
    pairs = list(zip(found, before.tolist(), levels.tolist(), strict=False))
    return Strata(
        np.concatenate([[0], *(each.start[1:] + at for each, at, _ in pairs)]),
        tuple(name for each in found for name in each.names),
        np.concatenate([each.of_row + at for each, at, _ in pairs]),
        np.concatenate([each.size for each in found]),
        np.concatenate([each.judged for each in found]),
        np.concatenate([[0], *(each.level_start[1:] + at for each, _, at in pairs)]),
        np.concatenate([each.level_grade for each in found]),
        np.concatenate([each.level_count for each in found]),
    )


def _strata(qrels: Qrels, topic: Ints, sample: Thinning) -> Strata:
    """The strata of one sample; every topic has all of them, in byte order of their names."""
    names = sorted(sample.names)
    place = np.array([names.index(name) for name in sample.names], np.int64)
    stratum = np.zeros(len(topic), np.int64) if sample.stratum is None else sample.stratum
    # rows outside the pool are never asked for
    inside = np.flatnonzero(stratum >= 0)
    of_row = topic * len(names) + place[stratum]
    count = len(qrels.topics) * len(names)
    grades, code = np.unique(qrels.grade, return_inverse=True)
    judged = np.flatnonzero(sample.chosen)
    table = np.bincount(of_row[judged] * len(grades) + code[judged], minlength=count * len(grades))
    cells = np.flatnonzero(table)
    return Strata(
        np.arange(len(qrels.topics) + 1) * len(names),
        tuple(names) * len(qrels.topics),
        of_row,
        np.bincount(of_row[inside], minlength=count),
        np.bincount(of_row[judged], minlength=count),
        starts_of(cells // len(grades), count),
        grades[cells % len(grades)],
        table[cells],
    )


def measured(
    judge: GradedJudge, strata: Strata, lists: Ints, rankings: Sequence[tuple[int, Judged, Ints]]
) -> Floats:
    """float64[sum of T, C]: the values of the same rankings under several samples.

    Args:
        judge: the judgments, one list for each topic.
        strata: those of all samples.
        lists: int64[T], the judged list of each ranking.
        rankings: for each sample its number, the T rankings under it, and the rows of the qrels.
    """
    topics, rows = len(judge.qrels.topics), len(judge.qrels.grade)
    whole = SampledJudged(
        joined_rankings([judged for _, judged, _ in rankings]),
        np.concatenate([sample * topics + lists for sample, _, _ in rankings]),
        np.concatenate([sample * rows + row for sample, _, row in rankings]),
        strata,
    )
    every = np.tile(lists, len(rankings))
    return judge.measured(every, whole).values
