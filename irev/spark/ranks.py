"""The ranks of the judged documents of runs, from what the passes over a cluster's rows found.

A document's rank is one more than the number of rows of its topic that beat it: what is counted is
added up, and no row ever goes to another worker but those of topics that do not stand together,
where every document is to be there once, and where the judgments are too large to be everywhere.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from irev.core.arrays import RowIndices, offsets, ranges
from irev.core.judged import DuplicatesError, Qrels, RankingExtras, Rows, TieSpans
from irev.engine.map_topics import ExcludedDocuments
from irev.errors import MOST_PROBLEMS, Problem
from irev.rank.ranking import Ranked, RankingRule, index_pairs_refusing_duplicates
from irev.read.lines import LongLines
from irev.spark.batches import (
    BestDocuments,
    LeftOutDocuments,
    LineReader,
    ReaderWithoutDocuments,
    TableReader,
    codes_and_ids,
    join_best_documents,
    left_out_rows,
)
from irev.spark.passes import (
    BEATEN,
    BEATEN_KEYS,
    BEST,
    COUNTED,
    END,
    FAULT,
    FOUND,
    FOUND_KEYS,
    JUDGED,
    LEFT_OUT,
    LONG_LINES,
    NO_CONTENDER,
    NOBODY,
    TAG,
    Contenders,
    FirstPass,
    Reader,
    RowPass,
    SecondPass,
    Shared,
    SplitTopics,
    TopicRanking,
    duplicate_payload,
    ids_of_column,
    judged_documents_with_topic_and_list_numbers,
    ranked_part,
    ranks_tie_starts_and_tie_sizes,
    required_ties,
)

if TYPE_CHECKING:
    import pyarrow as pa

    Pass = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Cluster(Protocol):
    """Whoever has the rows of runs and sends work to them."""

    def share(self, value: Any) -> Shared:
        """Give every worker a value."""

    def sum_by_keys(
        self,
        partition_pass: Pass,
        column_types: dict[str, str],
        keys: tuple[str, ...],
        only_repeats_by_column: str = "",
    ) -> pa.Table:
        """What a pass finds in all partitions, added up by its keys.

        With `only_repeats_by_column` sums are left out whose number in that column is 1, and of
        those that differ in the last key alone the one with the least is kept: there may be very
        many.
        """

    def map_topics(
        self,
        read_rows: Pass,
        judgments: pa.Table,
        rank_topic: Callable[[pa.Table, pa.Table], pa.Table],
    ) -> pa.Table:
        """What is found in the rows and the judgments of each topic, the columns of `FOUND`."""


class RankedRun(NamedTuple):
    """A run, ranked as `rank.ranking.join_judgments` ranks it, all topics at once.

    problems        what is wrong with it
    tag             its one tag
    best_documents  those of some topics
    left_out        the documents that are left out, where some were asked to be
    long_lines      its lines with too many fields; None: there are none
    """

    ranked: Ranked
    problems: tuple[Problem, ...]
    tag: bytes
    best_documents: tuple[BestDocuments, ...]
    left_out: LeftOutDocuments | None = None
    long_lines: LongLines | None = None


def ranked_runs(
    cluster: Cluster,
    reader: LineReader | TableReader,
    qrels: Qrels,
    ranking: RankingRule,
    *,
    broadcast: bool = True,
    check_duplicates: bool = True,
    excluded: ExcludedDocuments | None = None,
    keeps_excluded: bool = False,
) -> dict[bytes, RankedRun]:
    """Each run that has a row.

    Args:
        cluster: has the rows.
        reader: reads them.
        qrels: the judgments.
        ranking: how runs are ranked; the judgments must not be asked here.
        broadcast: whether every worker gets all judgments; else rows and judgments are brought
            together by topic.
        check_duplicates: whether it is made sure that no document stands twice in a topic that does
            not stand together; where a topic does, and of judged documents, it always is.
        excluded: the documents that are left out.
        keeps_excluded: whether these are ranked nevertheless, and only told of.
    """
    rank_reader: Reader = replace(reader, with_ranks=True)
    row_reader: Reader = reader
    if excluded is not None:
        shared = cluster.share(excluded)
        rank_reader, row_reader = (
            ReaderWithoutDocuments(each, shared, keeps_excluded)
            for each in (replace(reader, with_ranks=True), reader)
        )
    if broadcast:
        work = FirstPass(rank_reader, cluster.share(qrels), ranking)
        table = cluster.sum_by_keys(work, FOUND, FOUND_KEYS)
    else:
        topics = TopicRanking(ranking)
        table = cluster.map_topics(
            RowPass(rank_reader, ranking, qrels.sampled_topics),
            judged_documents_with_topic_and_list_numbers(qrels),
            topics,
        )
    results = _FirstPassResults.from_table(table, qrels)
    if excluded is not None:
        results.take_left_out(table)
    results.join_ends(ranking)
    split, judged_rows = results.split_topics_and_their_judged_documents(ranking)
    if split.topic_numbers:
        second = SecondPass(row_reader, cluster.share(split), ranking, check_duplicates)
        results.recount(
            split,
            judged_rows,
            cluster.sum_by_keys(second, BEATEN, BEATEN_KEYS, only_repeats_by_column="rows"),
        )
    return results.runs_by_name(spans=ranking.spans or ranking.orders_ties_by_grade)


def _column_values(table: pa.Table, name: str) -> Any:
    return np.asarray(table.column(name))


def _rows_of_run(columns: dict[str, Any], run_index: int) -> RowIndices:
    """The rows of a run."""
    return np.arange(*np.searchsorted(columns["run"], (run_index, run_index + 1)))


@dataclass
class _FirstPassResults:
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
    best_documents: dict[int, list[BestDocuments]] = field(default_factory=dict)
    left_out: dict[int, LeftOutDocuments] = field(default_factory=dict)
    long_lines: dict[int, LongLines] = field(default_factory=dict)

    @classmethod
    def from_table(cls, table: pa.Table, qrels: Qrels) -> _FirstPassResults:
        """The rows of `FOUND`, told apart by kind."""
        code, runs = codes_and_ids(table.column("run"))
        kind = _column_values(table, "kind")
        numbers = ("topic", "row", "score", "rank", "first", "size", "parts")
        columns = {"run": code} | {name: _column_values(table, name) for name in numbers}

        def rows_of_kind(wanted_kind: int) -> tuple[RowIndices, dict[str, Any]]:
            rows = np.flatnonzero(kind == wanted_kind)
            rows = rows[np.lexsort((columns["row"][rows], columns["topic"][rows], code[rows]))]
            return rows, {name: column[rows] for name, column in columns.items()}

        texts = table.column("text")
        counted, topics = rows_of_kind(COUNTED)
        names, ends = texts.take(counted).to_pylist(), table.take(np.flatnonzero(kind == END))
        results = cls(qrels, runs, rows_of_kind(JUDGED)[1], topics, names, ends)
        for wanted_kind in (FAULT, TAG, BEST, LONG_LINES):
            rows = np.flatnonzero(kind == wanted_kind)
            rows_of_kind_found = zip(
                code[rows].tolist(),
                texts.take(rows).to_pylist(),
                columns["parts"][rows].tolist(),
                strict=True,
            )
            for run, text, num_parts in rows_of_kind_found:
                if wanted_kind == FAULT:
                    results.faults.setdefault(run, []).append(text)
                elif wanted_kind == BEST:
                    best: BestDocuments = pickle.loads(text)  # noqa: S301 - the workers' own
                    results.best_documents.setdefault(run, []).extend([best] * num_parts)
                elif wanted_kind == LONG_LINES:
                    lines: LongLines = pickle.loads(text)  # noqa: S301 - the workers' own
                    before = results.long_lines.setdefault(run, lines._replace(num_lines=0))
                    count = before.num_lines + lines.num_lines * num_parts
                    results.long_lines[run] = before._replace(num_lines=count)
                else:
                    results.tags.setdefault(run, set()).add(text)
        judged = results.judged
        for index in np.flatnonzero(judged["parts"] > 1).tolist():
            row = int(judged["row"][index])
            topic = qrels.topics[judged["topic"][index]]
            results.add_duplicate(int(judged["run"][index]), topic, qrels.docs[row])
        return results

    def add_duplicate(self, run_index: int, topic: bytes, document: bytes) -> None:
        """A document stands twice in a topic of a run."""
        self.faults.setdefault(run_index, []).append(duplicate_payload(topic, document))

    def take_left_out(self, table: pa.Table) -> None:
        """The documents that are left out; topics that have no others are empty rankings."""
        table = table.take(np.flatnonzero(_column_values(table, "kind") == LEFT_OUT))
        code, runs = codes_and_ids(table.column("run"))
        for run, run_name in enumerate(self.runs):
            run_code = runs.index(run_name) if run_name in runs else -1
            own = table.take(np.flatnonzero(code == run_code))
            rows = left_out_rows(
                own.column("text").to_pylist(),
                ids_of_column(own, "document"),
                own.column("parts").to_pylist(),
            )
            topic_rows = _rows_of_run(self.topics, run)
            ranked_topics = {
                self.names[index] if number == NOBODY else self.qrels.topics[number]
                for index, number in zip(
                    topic_rows.tolist(), self.topics["topic"][topic_rows].tolist(), strict=True
                )
            }
            emptied = tuple(each for each in rows.topics if each not in ranked_topics)
            num_rows = int(self.topics["size"][topic_rows].sum()) + len(rows.docs)
            self.left_out[run] = LeftOutDocuments(rows, num_rows, emptied)
            try:
                index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
            except DuplicatesError as error:
                for each in error.duplicates:
                    self.add_duplicate(run, each.topic, each.document)
            self._add_empty_topics(run, emptied)

    def _add_empty_topics(self, run: int, topics: Iterable[bytes]) -> None:
        added = [(self.qrels.topic_index.get(topic, NOBODY), topic) for topic in topics]
        count, columns = len(added), self.topics
        values = {
            "run": run,
            "topic": np.array([number for number, _ in added], np.int64),
            "parts": 1,
        }
        columns = {
            name: np.append(column, np.zeros(count, column.dtype) + values.get(name, 0))
            for name, column in columns.items()
        }
        names = [*self.names, *(name if number == NOBODY else b"" for number, name in added)]
        order = np.lexsort((columns["topic"], columns["run"]))
        self.topics = {name: column[order] for name, column in columns.items()}
        self.names = [names[index] for index in order.tolist()]

    def join_ends(self, ranking: RankingRule) -> None:
        """Rank the topics all of whose rows lay at ends of partitions: these are here."""
        code, runs = codes_and_ids(self.ends.column("run"))
        run_index = np.array([self.runs.index(run) for run in runs], np.int64)
        columns = [run_index[code].tolist(), _column_values(self.ends, "topic").tolist()]
        rows_by_key: dict[tuple[int, int, bytes], list[int]] = {}
        for index, key in enumerate(
            zip(*columns, self.ends.column("text").to_pylist(), strict=True)
        ):
            rows_by_key.setdefault(key, []).append(index)
        topics = self.topics
        end_rows_by_run: dict[int, dict[bytes, list[int]]] = {}
        for index in np.flatnonzero(topics["parts"] > 1).tolist():
            run, topic = int(topics["run"][index]), int(topics["topic"][index])
            rows = rows_by_key.get((run, topic, self.names[index]), [])
            if len(rows) == topics["size"][index]:
                topics["parts"][index] = 1
                if topic != NOBODY:
                    end_rows_by_run.setdefault(run, {})[self.qrels.topics[topic]] = rows
        for run, end_rows_by_topic in end_rows_by_run.items():
            self._rank_joined_topics(run, end_rows_by_topic, ranking)

    def _rank_joined_topics(
        self, run_index: int, end_rows_by_topic: dict[bytes, list[int]], ranking: RankingRule
    ) -> None:
        """Rank some topics of a run, given where their rows stand among the ends."""
        table = self.ends.take([row for rows in end_rows_by_topic.values() for row in rows])
        start = offsets([len(rows) for rows in end_rows_by_topic.values()])
        docs = ids_of_column(table, "document")
        rows = Rows([*end_rows_by_topic], start, docs, _column_values(table, "score"))
        ranked = ranked_part(rows, self.qrels, ranking)
        ties, judged = required_ties(ranked), self.judged
        own_rows = _rows_of_run(judged, run_index)
        own_rows = own_rows[np.argsort(judged["row"][own_rows])]
        judged_rows = own_rows[np.searchsorted(judged["row"][own_rows], ranked.row)]
        judged["rank"][judged_rows] = ranked.rank
        judged["first"][judged_rows], judged["size"][judged_rows] = ties.first, ties.size

    def split_topics_and_their_judged_documents(
        self, ranking: RankingRule
    ) -> tuple[SplitTopics, RowIndices]:
        """The topics that came in several parts; and the judged documents that are in them."""
        topics, judged = self.topics, self.judged
        several_parts = np.flatnonzero(topics["parts"] > 1)
        topic_numbers: dict[tuple[bytes, bytes], int] = {}
        for index in several_parts.tolist():
            run, topic = int(topics["run"][index]), int(topics["topic"][index])
            name = self.names[index] if topic == NOBODY else self.qrels.topics[topic]
            topic_numbers[self.runs[run], name] = len(topic_numbers)
        # topics stand by run and topic: so do their keys
        stride = len(self.qrels.topics) + 1
        key, judged_key = (each["run"] * stride + each["topic"] for each in (topics, judged))
        index = np.searchsorted(key[several_parts], judged_key)
        is_there = index < len(several_parts)
        is_there[is_there] = key[several_parts][index[is_there]] == judged_key[is_there]
        segment = np.where(is_there, index, -1)
        judged_rows = np.flatnonzero(segment >= 0)
        judged_rows = judged_rows[np.lexsort((-judged["score"][judged_rows], segment[judged_rows]))]
        contenders = Contenders(
            offsets(np.bincount(segment[judged_rows], minlength=len(topic_numbers))),
            judged["score"][judged_rows],
            self.qrels.docs.take(judged["row"][judged_rows]).compact(),
            ranking.ids_rising,
        )
        return SplitTopics(topic_numbers, contenders), judged_rows

    def recount(self, split: SplitTopics, judged_rows: RowIndices, beat_counts: pa.Table) -> None:
        """Rank the judged documents of split topics by what was counted."""
        contender = _column_values(beat_counts, "contender")
        rows = np.flatnonzero(contender != NO_CONTENDER)
        counts = np.zeros((3, len(judged_rows)), np.int64)
        for count, name in zip(counts, ("above", "equal", "ahead"), strict=True):
            count[contender[rows]] = _column_values(beat_counts, name)[rows]
        corrected = ranks_tie_starts_and_tie_sizes(split.contenders, *counts)
        for name, values in zip(("rank", "first", "size"), corrected, strict=True):
            self.judged[name][judged_rows] = values
        duplicates = beat_counts.take(np.flatnonzero(contender == NO_CONTENDER))
        names = list(split.topic_numbers)
        index_of_run = {run: index for index, run in enumerate(self.runs)}
        documents = duplicates.column("document").to_pylist()
        for topic, document in zip(_column_values(duplicates, "topic"), documents, strict=True):
            run, name = names[topic]
            self.add_duplicate(index_of_run[run], name, document)

    def runs_by_name(self, *, spans: bool) -> dict[bytes, RankedRun]:
        """Each run."""
        index_of_run = {run: index for index, run in enumerate(self.runs)}
        runs = {}
        for run in sorted(self.runs):
            index = index_of_run[run]
            tags = self.tags.get(index, set())
            tag = next(iter(tags)) if len(tags) == 1 else b""
            problems = [pickle.loads(each) for each in sorted(self.faults.get(index, ()))]  # noqa: S301 - the workers' own
            runs[run] = RankedRun(
                self._ranked_run(index, spans=spans),
                tuple(dict.fromkeys(problems))[:MOST_PROBLEMS],
                tag,
                join_best_documents(self.best_documents.get(index, ())),
                self.left_out.get(index),
                self.long_lines.get(index),
            )
        return runs

    def _ranked_run(self, run_index: int, *, spans: bool) -> Ranked:
        qrels, topics = self.qrels, self.topics
        own_topics = _rows_of_run(topics, run_index)
        is_unjudged = topics["topic"][own_topics] == NOBODY
        judged_topics = own_topics[~is_unjudged]
        first, after = (qrels.list_start[topics["topic"][judged_topics] + step] for step in (0, 1))
        lists = ranges(first, after)
        ranking_of_list = np.empty(len(qrels.start), np.int64)
        ranking_of_list[lists] = np.arange(len(lists))

        judged = self.judged
        rows = _rows_of_run(judged, run_index)
        topic = ranking_of_list[qrels.judged_list_of_row[judged["row"][rows]]]
        order = np.lexsort((judged["rank"][rows], topic))
        rows, topic = rows[order], topic[order]
        ties = TieSpans(judged["first"][rows], judged["size"][rows]) if spans else None
        return Ranked(
            lists,
            topic,
            judged["rank"][rows],
            judged["row"][rows],
            np.repeat(topics["size"][judged_topics], after - first),
            sorted(self.names[index] for index in own_topics[is_unjudged].tolist()),
            RankingExtras(ties),
        )
