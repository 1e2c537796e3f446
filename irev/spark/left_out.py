"""Documents that are left out of runs in a cluster: told apart by the workers, counted here.

Those that are left out come here one by one, so that one that stands twice is found, however its
rows are cut.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import offsets
from irev.core.judged import Rows
from irev.core.record import record
from irev.rank.judged_lists import keep_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    import pyarrow as pa

    from irev.core.arrays import RowIndices
    from irev.core.ids import Ids
    from irev.engine.excluded_documents import ExcludedDocuments
    from irev.spark.batches import LineReader, PartOfRun, TableReader


@record
class ReaderWithoutDocuments:
    """Reads batches as another reader does, and tells which rows are left out.

    reader      the other one
    excluded    which they are, as every worker was given it: a `Shared`
    keeps_them  whether they stay among the rows that are ranked, and are only told of
    """

    reader: LineReader | TableReader
    excluded: Any
    keeps_them: bool = False

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[PartOfRun]:
        """The rows of a partition, each part with those that stay and those that go."""
        excluded: ExcludedDocuments = self.excluded.value
        for part in self.reader.parts(batches):
            gone = None if part.rows is None else excluded.left_out_rows(part.rows)
            if part.rows is None or gone is None or not len(gone):
                yield part
                continue
            kept = np.delete(np.arange(len(part.rows.docs)), gone)
            yield part._replace(
                left_out=_rows_and_their_topics(part.rows, gone),
                kept=part.rows if self.keeps_them else _rows_and_their_topics(part.rows, kept),
            )


def _rows_and_their_topics(rows: Rows, row_indices: RowIndices) -> Rows | None:
    """Some rows, rising, and the topics that have one of them; None: there are none."""
    if not len(row_indices):
        return None
    some = keep_rows(rows, row_indices)
    lengths = some.topic_lengths
    topics = [rows.topics[index] for index in np.flatnonzero(lengths).tolist()]
    return replace(some, topics=topics, start=offsets(lengths[lengths > 0]))


class LeftOutDocuments(NamedTuple):
    """The documents that are left out of a run.

    rows      the documents by topic, as often as they stand there; their values are 0
    num_rows  how many documents the run has, with these
    emptied   the topics that have no others
    """

    rows: Rows
    num_rows: int
    emptied: tuple[bytes, ...]


def left_out_rows(topics: Iterable[bytes], docs: Ids, counts: Iterable[int]) -> Rows:
    """Documents, each so many times, put together by topic."""
    numbers: dict[bytes, int] = {}
    topic_of_row = np.array([numbers.setdefault(each, len(numbers)) for each in topics], np.int64)
    in_order = np.argsort(topic_of_row, kind="stable")
    row_indices = np.repeat(in_order, np.array([*counts], np.int64)[in_order])
    lengths = np.bincount(topic_of_row[row_indices], minlength=len(numbers))
    return Rows([*numbers], offsets(lengths), docs.take(row_indices), np.zeros(len(row_indices)))
