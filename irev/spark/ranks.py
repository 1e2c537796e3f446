"""The ranks of the judged documents of runs, from what the passes over a cluster's rows found.

A document's rank is one more than the number of rows of its topic that beat it: what is counted is
added up, and no row ever goes to another worker but those of topics that do not stand together,
where every document is to be there once, and where the judgments are too large to be everywhere.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from irev.core.arrays import Ints, offsets, ranges
from irev.core.extras import Extras, TieSpans
from irev.core.model import Rows
from irev.errors import MOST_PROBLEMS, Problem
from irev.rank.ranking import Ranked, UnjudgedTopics
from irev.spark.batches import codes
from irev.spark.counting import Contenders, ranks
from irev.spark.passes import (
    BEATEN,
    BEATEN_KEYS,
    COUNTED,
    END,
    FAULT,
    FOUND,
    FOUND_KEYS,
    JUDGED,
    NOBODY,
    TAG,
    FirstPass,
    Scattered,
    SecondPass,
    Spread,
    TopicByTopic,
    ids_of,
    judgment_rows,
    ranked_part,
    told_ties,
    twice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from irev.core.model import Qrels
    from irev.rank.order import RankingRule
    from irev.spark.passes import Reader, Shared

    Pass = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Cluster(Protocol):
    """Whoever has the rows of runs and sends work to them."""

    def share(self, value: Any) -> Shared:
        """Give every worker a value."""

    def sum_by_keys(
        self, work: Pass, kinds: dict[str, str], keys: tuple[str, ...], once: str = ""
    ) -> pa.Table:
        """What a pass finds in all partitions, added up by its keys.

        With `once` sums are left out whose number in that column is 1, and of those that differ in
        the last key alone the one with the least is kept: there may be very many.
        """

    def map_topics(
        self, spread: Pass, judgments: pa.Table, work: Callable[[pa.Table, pa.Table], pa.Table]
    ) -> pa.Table:
        """What is found in the rows and the judgments of each topic, the columns of `FOUND`."""


class RankedRun(NamedTuple):
    """A run as `rank.joined` has it, all topics at once; what is wrong with it; its one tag."""

    ranked: Ranked
    problems: tuple[Problem, ...]
    tag: bytes


def ranked_runs(
    cluster: Cluster,
    reader: Reader,
    qrels: Qrels,
    ranking: RankingRule,
    *,
    broadcast: bool = True,
    check: bool = True,
) -> dict[bytes, RankedRun]:
    """Each run that has a row.

    Args:
        cluster: has the rows.
        reader: reads them.
        qrels: the judgments.
        ranking: how runs are ranked; the judgments must not be asked here.
        broadcast: whether every worker gets all judgments; else rows and judgments are brought
            together by topic.
        check: whether it is made sure that no document stands twice in a topic that does not stand
            together; where a topic does, and of judged documents, it always is.
    """
    if broadcast:
        work = FirstPass(reader, cluster.share(qrels), ranking)
        table = cluster.sum_by_keys(work, FOUND, FOUND_KEYS)
    else:
        topics = TopicByTopic(ranking)
        table = cluster.map_topics(Spread(reader, ranking), judgment_rows(qrels), topics)
    found = _Found.of(table, qrels)
    found.join_ends(ranking)
    scattered, place = found.scattered(ranking)
    if scattered.number:
        second = SecondPass(reader, cluster.share(scattered), ranking, check)
        found.recount(
            scattered, place, cluster.sum_by_keys(second, BEATEN, BEATEN_KEYS, once="rows")
        )
    return found.runs_by_name(spans=ranking.spans or ranking.orders_ties_by_grade)


def _numbers(table: pa.Table, name: str) -> Any:
    return np.asarray(table.column(name))


def _rows_of_run(columns: dict[str, Any], run: int) -> Ints:
    """The rows of a run."""
    return np.arange(*np.searchsorted(columns["run"], (run, run + 1)))


@dataclass
class _Found:
    """What a first pass found, all runs together, to be corrected by a second.

    Judged documents stand by run, topic and row, topics by run and topic; runs are numbers.
    """

    qrels: Qrels
    runs: list[bytes]
    judged: dict[str, Any]
    topics: dict[str, Any]
    names: list[bytes]
    ends: pa.Table
    faults: dict[int, list[bytes]] = field(default_factory=dict)
    tags: dict[int, set[bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pa.Table, qrels: Qrels) -> _Found:
        """Told apart by kind."""
        code, runs = codes(table.column("run"))
        kind = _numbers(table, "kind")
        numbers = ("topic", "row", "score", "rank", "first", "size", "parts")
        columns = {"run": code} | {name: _numbers(table, name) for name in numbers}

        def some(wanted: int) -> tuple[Ints, dict[str, Any]]:
            rows = np.flatnonzero(kind == wanted)
            rows = rows[np.lexsort((columns["row"][rows], columns["topic"][rows], code[rows]))]
            return rows, {name: column[rows] for name, column in columns.items()}

        texts = table.column("text")
        counted, topics = some(COUNTED)
        names, ends = texts.take(counted).to_pylist(), table.take(np.flatnonzero(kind == END))
        found = cls(qrels, runs, some(JUDGED)[1], topics, names, ends)
        for wanted in (FAULT, TAG):
            rows = np.flatnonzero(kind == wanted)
            for run, text in zip(code[rows].tolist(), texts.take(rows).to_pylist(), strict=True):
                if wanted == FAULT:
                    found.faults.setdefault(run, []).append(text)
                else:
                    found.tags.setdefault(run, set()).add(text)
        judged = found.judged
        for at in np.flatnonzero(judged["parts"] > 1).tolist():
            row = int(judged["row"][at])
            topic = qrels.topics[judged["topic"][at]]
            found.fault(int(judged["run"][at]), topic, qrels.docs[row])
        return found

    def fault(self, run: int, topic: bytes, document: bytes) -> None:
        """A document stands twice in a topic of a run."""
        self.faults.setdefault(run, []).append(twice(topic, document))

    def join_ends(self, ranking: RankingRule) -> None:
        """Rank the topics all of whose rows lay at ends of partitions: these are here."""
        code, runs = codes(self.ends.column("run"))
        number = np.array([self.runs.index(run) for run in runs], np.int64)
        columns = [number[code].tolist(), _numbers(self.ends, "topic").tolist()]
        places: dict[tuple[int, int, bytes], list[int]] = {}
        for at, key in enumerate(zip(*columns, self.ends.column("text").to_pylist(), strict=True)):
            places.setdefault(key, []).append(at)
        topics = self.topics
        of_run: dict[int, dict[bytes, list[int]]] = {}
        for at in np.flatnonzero(topics["parts"] > 1).tolist():
            run, topic = int(topics["run"][at]), int(topics["topic"][at])
            rows = places.get((run, topic, self.names[at]), [])
            if len(rows) == topics["size"][at]:
                topics["parts"][at] = 1
                if topic != NOBODY:
                    of_run.setdefault(run, {})[self.qrels.topics[topic]] = rows
        for run, joined in of_run.items():
            self._rank_here(run, joined, ranking)

    def _rank_here(self, run: int, joined: dict[bytes, list[int]], ranking: RankingRule) -> None:
        """Rank some topics of a run, given where their rows stand among the ends."""
        table = self.ends.take([at for rows in joined.values() for at in rows])
        start = offsets([len(rows) for rows in joined.values()])
        docs = ids_of(table, "document")
        rows = Rows([*joined], start, docs, _numbers(table, "score"))
        found = ranked_part(rows, self.qrels, ranking)
        ties, judged = told_ties(found), self.judged
        mine = _rows_of_run(judged, run)
        mine = mine[np.argsort(judged["row"][mine])]
        place = mine[np.searchsorted(judged["row"][mine], found.row)]
        judged["rank"][place] = found.rank
        judged["first"][place], judged["size"][place] = ties.first, ties.size

    def scattered(self, ranking: RankingRule) -> tuple[Scattered, Ints]:
        """The topics that came in several parts; and the judged documents that are in them."""
        topics, judged = self.topics, self.judged
        some = np.flatnonzero(topics["parts"] > 1)
        number: dict[tuple[bytes, bytes], int] = {}
        for at in some.tolist():
            run, topic = int(topics["run"][at]), int(topics["topic"][at])
            name = self.names[at] if topic == NOBODY else self.qrels.topics[topic]
            number[self.runs[run], name] = len(number)
        # topics stand by run and topic: so do their keys
        apart = len(self.qrels.topics) + 1
        key, wanted = (each["run"] * apart + each["topic"] for each in (topics, judged))
        at = np.searchsorted(key[some], wanted)
        is_there = at < len(some)
        is_there[is_there] = key[some][at[is_there]] == wanted[is_there]
        segment = np.where(is_there, at, NOBODY)
        place = np.flatnonzero(segment >= 0)
        place = place[np.lexsort((-judged["score"][place], segment[place]))]
        contenders = Contenders(
            offsets(np.bincount(segment[place], minlength=len(number))),
            judged["score"][place],
            self.qrels.docs.take(judged["row"][place]).compact(),
            ranking.ids_rising,
        )
        return Scattered(number, contenders), place

    def recount(self, scattered: Scattered, place: Ints, beaten: pa.Table) -> None:
        """Rank the judged documents of scattered topics by what was counted."""
        contender = _numbers(beaten, "contender")
        rows = np.flatnonzero(contender != NOBODY)
        counts = np.zeros((3, len(place)), np.int64)
        for count, name in zip(counts, ("above", "equal", "ahead"), strict=True):
            count[contender[rows]] = _numbers(beaten, name)[rows]
        corrected = ranks(scattered.contenders, *counts)
        for name, values in zip(("rank", "first", "size"), corrected, strict=True):
            self.judged[name][place] = values
        there_twice = beaten.take(np.flatnonzero(contender == NOBODY))
        names, number = list(scattered.number), {run: at for at, run in enumerate(self.runs)}
        documents = there_twice.column("document").to_pylist()
        for topic, document in zip(_numbers(there_twice, "topic"), documents, strict=True):
            run, name = names[topic]
            self.fault(number[run], name, document)

    def runs_by_name(self, *, spans: bool) -> dict[bytes, RankedRun]:
        """Each run."""
        number = {run: at for at, run in enumerate(self.runs)}
        found = {}
        for run in sorted(self.runs):
            at = number[run]
            tags = self.tags.get(at, set())
            tag = next(iter(tags)) if len(tags) == 1 else b""
            problems = [pickle.loads(each) for each in sorted(self.faults.get(at, ()))]  # noqa: S301 - the workers' own
            found[run] = RankedRun(
                self._ranked_run(at, spans=spans),
                tuple(dict.fromkeys(problems))[:MOST_PROBLEMS],
                tag,
            )
        return found

    def _ranked_run(self, run: int, *, spans: bool) -> Ranked:
        qrels, topics = self.qrels, self.topics
        mine = _rows_of_run(topics, run)
        of_others = [at for at in mine.tolist() if topics["topic"][at] == NOBODY]
        others = sorted((self.names[at], int(topics["size"][at])) for at in of_others)
        known = mine[topics["topic"][mine] != NOBODY]
        first, after = (qrels.list_start[topics["topic"][known] + more] for more in (0, 1))
        lists = ranges(first, after)
        ranking_of_list = np.empty(len(qrels.start), np.int64)
        ranking_of_list[lists] = np.arange(len(lists))

        judged = self.judged
        rows = _rows_of_run(judged, run)
        topic = ranking_of_list[qrels.list_of_row[judged["row"][rows]]]
        order = np.lexsort((judged["rank"][rows], topic))
        rows, topic = rows[order], topic[order]
        ties = TieSpans(judged["first"][rows], judged["size"][rows]) if spans else None
        return Ranked(
            lists,
            topic,
            judged["rank"][rows],
            judged["row"][rows],
            np.repeat(topics["size"][known], after - first),
            UnjudgedTopics(
                [name for name, _ in others], np.array([size for _, size in others], np.int64)
            ),
            Extras(ties),
        )
