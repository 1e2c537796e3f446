"""What a run's documents are held against: who was judged, and how much of the run that is."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    RowIndices,
    RowValues,
    TopicIndices,
    TopicOfRow,
    offsets,
    ranges,
)
from irev.core.ids import concatenate_ids
from irev.core.judged import Rows
from irev.core.pairs import index_documents
from irev.core.record import cached_property
from irev.engine.judged_counts import MOST_SAMPLES, SHALLOW, TOP, JudgedCounts, JudgedIds, is_sparse
from irev.jobs.check.ranking import best_documents
from irev.jobs.check.topics import topics_of
from irev.rank.ranking import RankingRule, ranks_of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.ids import Ids
    from irev.core.pairs import DocumentIndex


class JudgedDocuments:
    """The documents in the judgments of each topic: judged, or in the pool alone.

    has_nonrelevant  whether some of them have the grade 0
    """

    def __init__(self, level: float = 1) -> None:
        self._level = level
        self._index_of_topic: dict[bytes, int] = {}
        self._parts: list[tuple[Ints, Ids, Floats]] = []
        self.has_nonrelevant = False

    def __getstate__(self) -> dict[str, Any]:
        """What another process is told: not the tables of hashes, whose key it does not have."""
        tables = ("judged_index", "pooled_index")
        return {name: value for name, value in self.__dict__.items() if name not in tables}

    def add(self, rows: Rows) -> None:
        """Take the judgments of some whole topics; a row whose grade is no number is none."""
        graded = np.flatnonzero(~np.isnan(rows.value))
        topic_of_row = rows.topic_of_row[graded] + len(self._index_of_topic)
        self._parts.append((topic_of_row, rows.docs.take(graded).compact(), rows.value[graded]))
        self._index_of_topic.update(zip(rows.topics, count(len(self._index_of_topic))))
        is_nonrelevant = (rows.value >= 0) & (rows.value < self._level)
        self.has_nonrelevant |= bool(is_nonrelevant.any())

    def __contains__(self, topic: object) -> bool:
        """Whether the topic is judged."""
        return topic in self._index_of_topic

    def topics(self) -> list[bytes]:
        """The judged topics, in the order of the file."""
        return list(self._index_of_topic)

    def topic_indices(self, topic_ids: Sequence[bytes]) -> TopicIndices:
        """int64[T]: which of the judged topics each one is, or -1."""
        return np.array([self._index_of_topic.get(topic, -1) for topic in topic_ids], np.int64)

    @property
    def _columns(self) -> tuple[TopicOfRow, Ids, RowValues]:
        """The topic, the document and the grade of each judgment."""
        if len(self._parts) > 1:
            topics, docs, grades = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(topics), concatenate_ids(docs), np.concatenate(grades))]
        return self._parts[0]

    @cached_property
    def pooled_index(self) -> DocumentIndex:
        """Finds the documents of each topic."""
        return self._index_rows(np.arange(len(self._columns[0])))

    @cached_property
    def judged_index(self) -> DocumentIndex:
        """The same of those that are not in the pool alone."""
        is_judged = self._columns[2] >= 0
        return self.pooled_index if is_judged.all() else self._index_rows(is_judged.nonzero()[0])

    def prepare(self) -> None:
        """Make ready what finds documents."""
        if self._index_of_topic:
            _ = self.judged_index, self.pooled_index

    def _index_rows(self, row_indices: RowIndices) -> DocumentIndex:
        topic_of_row, docs, _ = self._columns
        while True:
            index = index_documents(
                topic_of_row[row_indices], len(self._index_of_topic), docs.take(row_indices)
            )
            if not isinstance(index, tuple):
                return index
            row_indices = np.delete(row_indices, index[1])

    def pooled_documents(self, topic: bytes) -> set[bytes]:
        """The documents of a topic."""
        topic_of_row, docs, _ = self._columns
        index = self._index_of_topic[topic]
        return set(docs.take(slice(*topic_of_row.searchsorted([index, index + 1]))).to_list())

    @property
    def judged_ids(self) -> JudgedIds:
        """What a doubt about a run needs of them."""
        num_judgments = sum(len(grades) for _, _, grades in self._parts)
        few = is_sparse(num_judgments, len(self._index_of_topic), self.has_nonrelevant)
        return JudgedIds(self.pooled_documents, lambda: set(self._columns[1].to_list()), few)


class Coverage:
    """How much of a run is judged, topic by topic."""

    def __init__(self, judgments: JudgedDocuments) -> None:
        self.judgments = judgments
        self.num_retrieved = self.num_judged = self._shallow = self._shallow_judged = 0
        self._shallow_pooled = self._top_pooled = 0
        self._depths = [np.zeros(0, np.int64)]
        self._samples: list[tuple[bytes, list[bytes]]] = []

    def see(self, rows: Rows) -> None:
        """Take some whole topics: of those that are judged, all documents and the first ones."""
        judged_topic = self.judgments.topic_indices(rows.topics)
        judged_topics = np.flatnonzero(judged_topic >= 0)
        if not len(judged_topics):
            return
        sampled_topics = judged_topics[: MOST_SAMPLES - len(self._samples)]
        for topic in topics_of(rows, sampled_topics, (rows.value,)):
            self._samples.append((topic.name, best_documents(topic, SHALLOW)))
        row_indices = ranges(rows.start[judged_topics], rows.start[judged_topics + 1])
        docs = rows.docs.take(row_indices)
        pairs = judged_topic[rows.topic_of_row[row_indices]], docs, docs.hashes()
        rank = _ranks_in_topics(rows)[row_indices]
        is_first = rank <= SHALLOW
        judged_rows, _ = self.judgments.judged_index.find(*pairs)
        pooled_rows, _ = self.judgments.pooled_index.find(*pairs)
        self.num_retrieved += len(row_indices)
        self.num_judged += len(judged_rows)
        self._shallow += int(np.count_nonzero(is_first))
        self._shallow_judged += int(np.count_nonzero(is_first[judged_rows]))
        self._shallow_pooled += int(np.count_nonzero(is_first[pooled_rows]))
        self._top_pooled += int(np.count_nonzero(rank[pooled_rows] <= TOP))
        self._depths.append(rows.topic_lengths[judged_topics])

    @property
    def share(self) -> float:
        """Which share of the documents up to rank `SHALLOW` is judged; 0 where there are none."""
        return self._shallow_judged / self._shallow if self._shallow else 0.0

    @property
    def judged_counts(self) -> JudgedCounts:
        """What a doubt about the run needs."""
        return JudgedCounts(
            self.num_retrieved, self.num_judged > 0, self._shallow, self._shallow_pooled,
            depths=np.concatenate(self._depths), samples=tuple(self._samples),
            top_judged=self._top_pooled,
        )  # fmt: skip


def _ranks_in_topics(rows: Rows) -> DocumentRanks:
    """int64[N]: the rank of each document; far behind, where its score is no number."""
    scored = np.flatnonzero(~np.isnan(rows.value))
    start = offsets(np.bincount(rows.topic_of_row[scored], minlength=len(rows.topics)))
    scored_rows = Rows(rows.topics, start, rows.docs.take(scored), rows.value[scored])
    rank = np.full(len(rows.value), np.iinfo(np.int64).max)
    rank[scored] = ranks_of_rows(scored_rows, RankingRule())
    return rank
