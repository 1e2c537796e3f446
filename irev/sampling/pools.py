"""Pools: what several runs retrieved up to a depth, and which run brought which document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core import workers
from irev.core.arrays import Ints, byte_order, offsets, run_starts
from irev.core.ids import Ids, concatenate, ids_from_bytes
from irev.core.pairs import Pairs, sorted_pairs
from irev.engine.way import over
from irev.rank.judged_lists import distinct_pairs
from irev.rank.ranking import Ranking, ranks_of_rows
from irev.read.formats import run_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.model import Input, Qrels, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """P documents that R runs retrieved, ordered by topic and document id.

    An entry is that a run retrieved a document; there are E.

    runs       R, how many runs
    topics     T ids, in byte order
    topic      int64[P], the topic of each document, rising
    docs       P document ids
    best_rank  int64[P], the best rank that a run gave it, from 1
    start      int64[P+1], each document's slice of the entries
    run        int64[E], the run of each entry, rising within a document
    rank       int64[E], the rank it gave the document
    """

    runs: int
    topics: tuple[bytes, ...]
    topic: Ints
    docs: Ids
    best_rank: Ints
    start: Ints
    run: Ints
    rank: Ints

    def __len__(self) -> int:
        """P."""
        return len(self.topic)

    @cached_property
    def contributors(self) -> Ints:
        """int64[P]: how many runs brought each document."""
        return np.diff(self.start)

    @cached_property
    def contributed(self) -> Ints:
        """int64[R]: how many documents each run brought."""
        return np.bincount(self.run, minlength=self.runs)

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
        return self.sole_group(np.arange(self.runs))

    def place_in(self, qrels: Qrels) -> Ints:
        """int64[M]: which document of the pool each row of the qrels is; -1: none."""
        number = {topic: place for place, topic in enumerate(self.topics)}
        of_topic = np.array([number.get(topic, -1) for topic in qrels.topics], np.int64)
        topic = of_topic[qrels.topic_of_row]
        rows = np.flatnonzero(topic >= 0)
        found = np.full(len(topic), -1)
        pairs = sorted_pairs(self.topic, len(self.topics), self.docs)
        assert isinstance(pairs, Pairs)  # noqa: S101 - a pool holds a document once
        at, place = pairs.find(topic[rows], qrels.docs.take(rows), qrels.hashes[rows])
        found[rows[at]] = place
        return found

    def best_rank_in(self, qrels: Qrels) -> Ints:
        """int64[M]: the best rank of each row of the qrels; 0: not in the pool."""
        place = self.place_in(qrels)
        return np.where(place >= 0, self.best_rank[place], 0)


def unique_documents(pool: Pool) -> list[int]:
    """How many documents each run alone brought."""
    alone = pool.sole_run
    count: list[int] = np.bincount(alone[alone >= 0], minlength=pool.runs).tolist()
    return count


def pooled(
    runs: Sequence[Input],
    depth: int | None,
    ranking: Ranking | None = None,
    threads: int | None = None,
    run_format: str = "trec_results",
) -> Pool:
    """The pool of some runs: of each topic the first `depth` documents of each, or all.

    Runs are ordered as they are evaluated: by score, equal scores by document id, both falling,
    or as `ranking` has it. `run_format` is that of `Options`.

    Raises:
        InputError: a run that cannot be read.
        MismatchError: there is no run.
    """
    ranking = ranking or Ranking()
    layout = run_layout(run_format, by_rank=ranking.ties == "rank")
    work = partial(_first_rows, depth=depth, ranking=ranking)
    threads = threads or workers.default_threads()
    return _joined([_run(over(run, layout, work, threads).results) for run in runs])


class _Retrieved(NamedTuple):
    """Documents of some topics of a run, in any order, with their ranks."""

    topics: list[bytes]
    topic: Ints
    docs: Ids
    rank: Ints


def _first_rows(rows: Rows, depth: int | None, ranking: Ranking) -> _Retrieved:
    """The first documents of some whole topics."""
    distinct_pairs(rows, rows.topic_of_row, len(rows.topics))
    rank = ranks_of_rows(rows, ranking)
    kept = np.flatnonzero(rank <= depth) if depth is not None else np.arange(len(rank))
    docs = rows.docs.take(kept).compact()
    return _Retrieved(rows.topics, rows.topic_of_row[kept], docs, rank[kept])


def _run(parts: Sequence[_Retrieved]) -> _Retrieved:
    """A run's parts as one: they share no topic."""
    base = offsets([len(part.topics) for part in parts])
    return _Retrieved(
        [topic for part in parts for topic in part.topics],
        np.concatenate([part.topic + at for part, at in zip(parts, base, strict=False)]),
        concatenate([part.docs for part in parts]),
        np.concatenate([part.rank for part in parts]),
    )


def _joined(runs: Sequence[_Retrieved]) -> Pool:
    topics = tuple(sorted({topic for run in runs for topic in run.topics}))
    number = {topic: place for place, topic in enumerate(topics)}
    numbers = [np.array([number[topic] for topic in run.topics], np.int64) for run in runs]
    topic = np.concatenate([of[run.topic] for of, run in zip(numbers, runs, strict=True)])
    run_of = np.repeat(np.arange(len(runs)), [len(run.docs) for run in runs])
    rank = np.concatenate([run.rank for run in runs])

    code, names = concatenate([run.docs for run in runs]).codes()
    place = np.empty(len(names), np.int64)
    by_id = byte_order(names)
    place[by_id] = np.arange(len(names))
    document = topic * max(len(names), 1) + place[code]
    order = np.lexsort((run_of, document))
    document, run_of, rank, topic = document[order], run_of[order], rank[order], topic[order]
    start = run_starts(document)
    first = start[:-1]
    docs = ids_from_bytes(names).take(by_id[document[first] % len(names)])
    best = np.minimum.reduceat(rank, first)
    return Pool(len(runs), topics, topic[first], docs, best, start, run_of, rank)
