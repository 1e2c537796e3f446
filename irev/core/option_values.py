"""What options take in place of a file: classes and weights of topics, a pool."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from irev.core.arrays import DocumentRanks, Ints, RowIndices, TopicValues
from irev.core.ids import DocumentIndex, Ids, index_documents
from irev.core.judged import Qrels
from irev.core.record import cached_property, record
from irev.core.text import count_text, shortened_list
from irev.errors import MismatchError, Notice

Classes: TypeAlias = "str | os.PathLike[str] | Mapping[Any, Any] | TopicClasses"
"""A file of classes, a mapping {class: topics}, or what was read already."""

Weights: TypeAlias = "str | os.PathLike[str] | Mapping[Any, Any] | TopicWeights"
"""A file of weights, a mapping {topic: weight}, or what was read already."""

_MOST_IDS = 10


@record(eq=True)
class TopicClasses:
    """Classes of topics; a topic may stand in several of them, or in none.

    names    the classes, in the order of their first mention
    members  class -> its topics
    sha256   the hash of the file's decompressed bytes; None where there was none
    """

    names: tuple[str, ...]
    members: Mapping[str, frozenset[bytes]] = field(hash=False)
    sha256: str | None = None

    def unknown_topics(self, topics: Iterable[bytes]) -> tuple[bytes, ...]:
        """The topics of the classes that are not among some topics, in byte order."""
        every = frozenset[bytes]().union(*self.members.values())
        return tuple(sorted(every.difference(topics)))

    def unclassified_topics(self, topics: Iterable[bytes]) -> tuple[bytes, ...]:
        """Those of some topics that stand in no class."""
        every = frozenset[bytes]().union(*self.members.values())
        return tuple(topic for topic in topics if topic not in every)


@record(eq=True)
class TopicWeights:
    """How much each topic counts in a mean: sum(w v) / sum(w).

    weight_of_topic      topic -> its weight, finite and at least 0, not all of them 0
    sha256  the hash of the file's decompressed bytes; None where there was none
    """

    weight_of_topic: Mapping[bytes, float] = field(hash=False)
    sha256: str | None = None

    def weights_of(self, topics: Sequence[bytes]) -> TopicValues:
        """float64[len(topics)]: their weights."""
        absent = [topic for topic in topics if topic not in self.weight_of_topic]
        if absent:
            which = count_text(len(absent), "topic has", "topics have")
            raise MismatchError(f"{which} no weight: {shortened_list(absent, _MOST_IDS)}")
        return np.array([self.weight_of_topic[topic] for topic in topics], np.float64)


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
