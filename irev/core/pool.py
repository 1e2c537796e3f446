"""A pool: what several runs retrieved up to a depth, and which run brought which document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irev.core.arrays import DocumentRanks, Ints, RowIndices
from irev.core.ids import Ids
from irev.core.judged import Qrels
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.record import cached_property, record
from irev.errors import Notice


@record
class Pool:
    """P documents that R runs retrieved, ordered by topic and document id.

    An entry is that a run retrieved a document; there are E.

    num_runs       R, how many runs
    topics     T ids, in byte order
    topic      int64[P], the topic of each document, rising
    docs       P document ids
    best_rank  int64[P], the best rank that a run gave it, from 1
    start      int64[P+1], each document's slice of the entries
    run        int64[E], the run of each entry, rising within a document
    rank       int64[E], the rank it gave the document
    num_excluded  how many documents were left out of each run before ranks were counted
    warnings  what is doubtful about the files of the runs
    """

    num_runs: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    best_rank: Ints
    start: Ints
    run: Ints
    rank: Ints
    num_excluded: Sequence[int] = ()
    warnings: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        """P."""
        return len(self.topic)

    @cached_property
    def num_contributed(self) -> Ints:
        """int64[R]: how many documents each run brought."""
        return np.bincount(self.run, minlength=self.num_runs)

    def sole_group(self, group_of_run: Ints) -> Ints:
        """int64[P]: the group whose runs alone brought each document; -1: several did."""
        group = group_of_run[self.run]
        if not len(group):
            return group
        first, last = np.minimum, np.maximum
        lowest, highest = (f.reduceat(group, self.start[:-1]) for f in (first, last))
        return np.where(lowest == highest, lowest, -1)

    @cached_property
    def sole_run(self) -> Ints:
        """int64[P]: the run that alone brought each document; -1: several did."""
        return self.sole_group(np.arange(self.num_runs))

    def pool_rows_of(self, qrels: Qrels) -> RowIndices:
        """int64[M]: which document of the pool each row of the qrels is; -1: none."""
        topic_index = {topic: place for place, topic in enumerate(self.topics)}
        pool_topic = np.array([topic_index.get(topic, -1) for topic in qrels.topics], np.int64)
        topic = pool_topic[qrels.topic_of_row]
        rows = np.flatnonzero(topic >= 0)
        pool_row = np.full(len(topic), -1)
        pairs = index_documents(self.topic, len(self.topics), self.docs)
        assert isinstance(pairs, DocumentIndex)  # noqa: S101 - a pool holds a document once
        qrels_row, place = pairs.find(topic[rows], qrels.docs.take(rows), qrels.hashes[rows])
        pool_row[rows[qrels_row]] = place
        return pool_row

    def best_ranks_of(self, qrels: Qrels) -> DocumentRanks:
        """int64[M]: the best rank of each row of the qrels; 0: not in the pool."""
        place = self.pool_rows_of(qrels)
        return np.where(place >= 0, self.best_rank[place], 0)
