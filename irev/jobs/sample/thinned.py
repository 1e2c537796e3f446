"""Rankings, and strata of the judgments, as they are under a sample of the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    ListIndices,
    RowIndices,
    RowMask,
    TopicOfRow,
    TopicsByMeasures,
    offsets,
    ranges,
    run_starts,
    segment_starts,
)
from irev.core.judged import Input, Judged, Qrels, SampledJudged, Strata
from irev.core.record import cached_property, record
from irev.engine.evaluate import RunEvaluator
from irev.engine.prepared_judgments import PreparedJudgments, RunPart, unjudged_as_nonrelevant
from irev.engine.run_facts import JudgedCounts
from irev.errors import UsageError
from irev.measures.requests import Request, join_rankings
from irev.rank.judgments import GradedJudgments, SampleJudgments
from irev.rank.ranking import Ranked

POOLED = -2.0
"""The grade of a document that is in the pool but was not judged."""

_ROWS_AT_ONCE = 1 << 18
"""Judged documents, of all samples of a run that are measured together: memory stays flat."""

_ROWS_OF_TOPIC = 32
"""How many rows of work a ranking is beside those of its documents."""


@record
class Thinning:
    """A sample of the judgments.

    is_drawn  bool[M], the rows of the qrels that keep their grade
    stratum   int64[M], the stratum of each row, -1 for those outside the pool; None: one holds all
    names     the names of the strata
    """

    is_drawn: Bools
    stratum: Ints | None = None
    names: tuple[bytes, ...] = (b"all",)

    @cached_property
    def pool(self) -> RowMask | None:
        """bool[M], the rows that belong to the pool; None: all of them."""
        return None if self.stratum is None else self.stratum >= 0


@record
class ThinnedQrels:
    """Several samples of the same judgments, and how often each grade of each list is in them.

    `strata` are those of all samples, where measures ask for them.
    """

    qrels: Qrels
    samples: Sequence[Thinning]
    strata: Strata | None = None

    def values_by_sample(
        self,
        prepared_judgments: PreparedJudgments,
        judged: Judged,
        list_indices: ListIndices,
        qrels_rows: RowIndices,
    ) -> Iterator[TopicsByMeasures]:
        """For each sample float64[T, C]; rankings of several samples are measured at once.

        Args:
            prepared_judgments: the complete judgments, one list for each topic, and the measures.
            judged: T rankings under these.
            list_indices: int64[T], the judged list of each ranking.
            qrels_rows: int64[J], the row in the qrels of each row of `judged`.
        """
        qrels = self.qrels
        levels = ranges(qrels.level_start[list_indices], qrels.level_start[list_indices + 1])
        batch_size = max(1, _ROWS_AT_ONCE // (len(qrels_rows) + _ROWS_OF_TOPIC * len(list_indices)))
        for start in range(0, len(self.samples), batch_size):
            batch = range(start, min(len(self.samples), start + batch_size))
            topics, rows, rankings = [], [], []
            for index in batch:
                thinned, thinned_rows = self._rankings_under_sample(
                    index, judged, list_indices, qrels_rows, levels
                )
                rankings.append(thinned)
                topics.append(index * len(qrels.topics) + list_indices)
                rows.append(index * len(qrels.grade) + thinned_rows)
            joined, lists = join_rankings(rankings), np.tile(list_indices, len(batch))
            if self.strata is None:
                values = prepared_judgments.measure(lists, joined).values
            else:
                topic, row = np.concatenate(topics), np.concatenate(rows)
                sampled = SampledJudged(joined, topic, row, self.strata)
                values = prepared_judgments.measure(lists, sampled).values
            yield from values.reshape(len(batch), len(list_indices), -1)

    def _rankings_under_sample(
        self,
        sample_index: int,
        judged: Judged,
        list_indices: ListIndices,
        qrels_rows: RowIndices,
        levels: Ints,
    ) -> tuple[Judged, RowIndices]:
        """The rankings and their rows; what is not in the sample has no grade, counts nowhere."""
        thinning = self.samples[sample_index]
        count = self.flat_counts_by_list_and_grade[sample_index][levels]
        is_counted = count > 0
        thinned = replace(
            judged,
            grade=np.where(thinning.is_drawn[qrels_rows], judged.grade, POOLED),
            level_start=offsets(is_counted)[judged.level_start],
            level_grade=judged.level_grade[is_counted],
            level_count=count[is_counted],
            pooled_counts=self.num_pooled_unjudged[sample_index][list_indices],
        )
        if thinning.pool is None or thinning.pool[qrels_rows].all():
            return thinned, qrels_rows
        inside = np.flatnonzero(thinning.pool[qrels_rows])
        # documents outside the pool are as those that are not in the qrels
        pool_rankings = replace(
            thinned,
            topic=thinned.topic[inside],
            rank=thinned.rank[inside],
            grade=thinned.grade[inside],
            extras=thinned.extras.take_documents(inside),
        )
        return pool_rankings, qrels_rows[inside]

    @cached_property
    def flat_counts_by_list_and_grade(self) -> list[Ints]:
        """For each sample int64[], how many documents were drawn, beside `Qrels.level_grade`."""
        qrels = self.qrels
        judged, level = self._judged_rows_and_levels
        total = len(qrels.level_grade)
        return [
            np.bincount(level[sample.is_drawn[judged]], minlength=total) for sample in self.samples
        ]

    @cached_property
    def num_pooled_unjudged(self) -> list[Ints]:
        """For each sample int64[L], the documents of each list that are pooled but unjudged."""
        qrels = self.qrels
        counts = []
        for sample in self.samples:
            is_left = ~sample.is_drawn if sample.pool is None else sample.pool & ~sample.is_drawn
            up_to = offsets(is_left)
            counts.append(up_to[qrels.stop] - up_to[qrels.start])
        return counts

    @cached_property
    def _judged_rows_and_levels(self) -> tuple[Ints, Ints]:
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


def strata_of_samples(qrels: Qrels, samples: Sequence[Thinning]) -> Strata:
    """The strata of several samples: topic t of sample s is number s T + t, row m is s M + m."""
    strata_by_sample = [_strata_of_sample(qrels, qrels.topic_of_row, sample) for sample in samples]
    strata_before = offsets([len(strata.names) for strata in strata_by_sample])
    levels_before = offsets([len(strata.level_grade) for strata in strata_by_sample])
    starts, level_starts, stratum_of_row = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], []
    for index, strata in enumerate(strata_by_sample):
        starts.append(strata.start[1:] + strata_before[index])
        level_starts.append(strata.level_start[1:] + levels_before[index])
        stratum_of_row.append(strata.stratum_of_row + strata_before[index])
    return Strata(
        np.concatenate(starts),
        tuple(name for strata in strata_by_sample for name in strata.names),
        np.concatenate(stratum_of_row),
        np.concatenate([strata.size for strata in strata_by_sample]),
        np.concatenate([strata.judged for strata in strata_by_sample]),
        np.concatenate(level_starts),
        np.concatenate([strata.level_grade for strata in strata_by_sample]),
        np.concatenate([strata.level_count for strata in strata_by_sample]),
    )


def _strata_of_sample(qrels: Qrels, topic_of_row: TopicOfRow, sample: Thinning) -> Strata:
    """The strata of one sample; every topic has all of them, in byte order of their names."""
    names = sorted(sample.names)
    sorted_index = np.array([names.index(name) for name in sample.names], np.int64)
    stratum = np.zeros(len(topic_of_row), np.int64) if sample.stratum is None else sample.stratum
    # rows outside the pool are never asked for
    rows_inside = np.flatnonzero(stratum >= 0)
    stratum_of_row = topic_of_row * len(names) + sorted_index[stratum]
    num_strata = len(qrels.topics) * len(names)
    grades, code = np.unique(qrels.grade, return_inverse=True)
    judged_rows = np.flatnonzero(sample.is_drawn)
    table = np.bincount(
        stratum_of_row[judged_rows] * len(grades) + code[judged_rows],
        minlength=num_strata * len(grades),
    )
    cells = np.flatnonzero(table)
    return Strata(
        np.arange(len(qrels.topics) + 1) * len(names),
        tuple(names) * len(qrels.topics),
        stratum_of_row,
        np.bincount(stratum_of_row[rows_inside], minlength=num_strata),
        np.bincount(stratum_of_row[judged_rows], minlength=num_strata),
        segment_starts(cells // len(grades), num_strata),
        grades[cells % len(grades)],
        table[cells],
    )


class SampleableEvaluator(RunEvaluator):
    """Judgments by grades for measures that may need strata too: the whole pool is one."""

    also_gives = ("strata",)

    @property
    def graded_judgments(self) -> GradedJudgments:
        """The judgments."""
        if not isinstance(self.prepared_judgments.judgments, GradedJudgments):
            raise TypeError("these are not judgments by grades")
        return self.prepared_judgments.judgments

    @property
    def needs_strata(self) -> bool:
        """Whether a measure does."""
        return isinstance(self.graded_judgments, SampleJudgments)

    def judged_run_part(self, ranked: Ranked, seen: JudgedCounts | None = None) -> RunPart:
        """What becomes of some topics of a run that were ranked."""
        return self.prepared_judgments.judged_run_part(
            ranked, self.graded_judgments.view(ranked), seen
        )

    def _read_judgments(self, qrels: Input) -> PreparedJudgments:
        read = super()._read_judgments(qrels)
        if type(read.judgments) is not GradedJudgments:
            raise UsageError("judgments with classes of documents are not sampled")
        return replace(
            read, judgments=self._judgments_with_needed_strata(read.qrels, read.requests)
        )

    def _judgments_with_needed_strata(
        self, qrels: Qrels, requests: Sequence[Request]
    ) -> GradedJudgments:
        """The judgments, with strata where a measure asks for them."""
        if all(request.measure.needs != "strata" for request in requests):
            return GradedJudgments(qrels, self.options.settings)
        strata = strata_of_samples(qrels, [Thinning(qrels.grade >= 0)])
        return SampleJudgments(qrels, strata, self.options.settings)


class UnjudgedAsNonrelevantEvaluator(SampleableEvaluator):
    """Likewise, where documents of the pool that have no grade are not relevant."""

    def _judgments_with_needed_strata(
        self, qrels: Qrels, requests: Sequence[Request]
    ) -> GradedJudgments:

        return super()._judgments_with_needed_strata(unjudged_as_nonrelevant(qrels), requests)
