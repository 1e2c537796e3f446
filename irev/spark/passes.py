"""What the workers of a cluster do with a partition of the rows of runs, and what they hand back.

Each pass takes batches and gives batches whose numbers are to be added up by the pass's keys. None
of this needs Spark.
"""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from irev.core.arrays import RowValues, TopicOfRow, arrow_array, run_starts
from irev.core.ids import Ids, ids_from_arrow, ids_from_bytes
from irev.core.judged import DuplicatesError, Qrels, Rows
from irev.core.record import record
from irev.errors import MOST_PROBLEMS, Problem, id_text
from irev.rank.ranking import Ranked, RankingRule, falling_key, join_judgments
from irev.read.frames import one_chunk
from irev.spark.batches import LineReader, PartOfRun, TableReader, split_runs
from irev.spark.best_documents import best_documents_by_topic, join_best_documents
from irev.spark.counting import BeatCounts, Contenders
from irev.spark.left_out import ReaderWithoutDocuments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pyarrow as pa

    from irev.core.judged import TieSpans
    from irev.spark.best_documents import BestDocuments

    RunAndBestDocuments: TypeAlias = tuple[bytes, BestDocuments]
    """A run's name, and the best documents of one of its topics."""
    RunAndPayload: TypeAlias = tuple[bytes, bytes]
    """A run's name, and a pickled object or text of one of its topics, or of the run."""

Reader: TypeAlias = LineReader | TableReader | ReaderWithoutDocuments

JUDGED, COUNTED, FAULT, TAG, END, BEST, LEFT_OUT, LONG_LINES = range(8)
"""What a row of `FOUND` tells: of a judged document, a topic, a problem, the tag of a line, a row
of a topic at an end of a partition, which may go on in another, a topic's best documents, a
document that is left out, or lines of a partition with too many fields."""

MOST_AT_END = 1 << 14
"""Rows of a topic at an end of a partition that are handed on at most."""

NOBODY = -1
"""The number of a topic that is not judged."""

FOUND = {
    "run": "binary", "kind": "int64", "topic": "int64", "text": "binary", "document": "binary",
    "row": "int64",
    "score": "double", "rank": "int64", "first": "int64", "size": "int64", "parts": "int64",
}  # fmt: skip
"""The columns of the first pass, with their types in Arrow.

topic  the number of a judged topic; `text` is the name of one that is not, a problem, a tag, the
       best documents of a topic, the name of the topic that a document is left out of, or lines
row    of the judgments
score  as it is compared; rank, first and size: as they are if the topic has no other part, the
       last two being the rank at which the group of equal scores begins, and how many they are
size   of a topic: its rows
parts  how often this was found
"""

FOUND_KEYS = ("run", "kind", "topic", "text", "document", "row")

BEATEN = {
    "contender": "int64", "topic": "int64", "document": "binary",
    "above": "int64", "equal": "int64", "ahead": "int64", "rows": "int64",
}  # fmt: skip
"""The columns of the second pass: what `BeatCounts` has for a judged document, or a document of a
topic (both numbered as `Scattered` has them), with how often it was met."""

BEATEN_KEYS = ("contender", "topic", "document")


class Shared(Protocol):
    """What every worker was given once."""

    @property
    def value(self) -> Any:
        """It."""


@record
class FirstPass:
    """Finds the judged documents, and ranks them as if their topics had no other part."""

    reader: Reader
    qrels: Shared
    ranking: RankingRule

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `FOUND` for a partition."""
        topics = _PartRanker(self.qrels.value, self.ranking)
        best: list[RunAndBestDocuments] = []
        faults: Counter[bytes] = Counter()
        tags: set[tuple[bytes, bytes]] = set()
        for part in self.reader.parts(batches):
            if part.tag:
                tags.add((part.run, part.tag))
            if part.long_lines is not None:
                yield _payload_batch(LONG_LINES, [(part.run, pickle.dumps(part.long_lines))])
            if part.problems:
                if faults[part.run] < MOST_PROBLEMS:
                    yield _payload_batch(
                        FAULT, [(part.run, pickle.dumps(each)) for each in part.problems]
                    )
                faults[part.run] += len(part.problems)
            elif part.rows is not None:
                best += _best_documents_with_run(part, self.qrels.value.sampled_topics)
                if part.left_out is not None:
                    yield _left_out_batch(part.run, part.left_out, FOUND)
                rows = part.ranked_rows
                if rows is not None:
                    rows = replace(rows, value=falling_key(rows, self.ranking), groups=())
                    yield topics.judged_batch(part.run, rows)
        yield _payload_batch(TAG, sorted(tags))
        yield _payload_batch(BEST, _pickled_best_documents_by_topic(best))
        yield topics.count_batch()
        yield from topics.end_batches()


def _best_documents_with_run(
    part: PartOfRun, sampled_topics: Collection[bytes]
) -> Iterator[RunAndBestDocuments]:
    """The best documents of some topics, with their run."""
    assert part.rows is not None  # noqa: S101 - looked at before
    for best in best_documents_by_topic(part.rows, part.ranked_rows, sampled_topics):
        yield part.run, best._replace(is_without_scores=part.is_without_scores)


def _left_out_batch(run: bytes, rows: Rows, column_types: dict[str, str]) -> pa.RecordBatch:
    """The documents that are left out of a run, with their topics' names."""
    count = len(rows.docs)
    return make_batch(
        column_types,
        run=[run] * count,
        kind=np.full(count, LEFT_OUT),
        text=ids_from_bytes(rows.topics).take(rows.topic_of_row),
        document=rows.docs,
        parts=np.ones(count, np.int64),
    )


def _pickled_best_documents_by_topic(
    best_documents: Sequence[RunAndBestDocuments],
) -> Iterator[RunAndPayload]:
    """The best documents of each topic of each run of a partition, as texts of `FOUND`."""
    for run in sorted({run for run, _ in best_documents}):
        own = [each for own_run, each in best_documents if own_run == run]
        for joined in join_best_documents(own):
            yield run, pickle.dumps(joined)


def ranked_part(rows: Rows, qrels: Qrels, ranking: RankingRule) -> Ranked:
    """Rows whose values are scores as they are compared, ranked, with all that these tell."""
    rule = RankingRule(ids_rising=ranking.ids_rising, spans=True, scores=True)
    return join_judgments(rows, qrels, rule)


def required_ties(ranked: Ranked) -> TieSpans:
    """The groups of equal scores, which were asked for."""
    assert ranked.extras.ties is not None  # noqa: S101
    return ranked.extras.ties


class _PartRanker:
    """Ranks parts of topics, and counts the parts and their rows, of each topic of each run."""

    def __init__(self, qrels: Qrels, ranking: RankingRule) -> None:
        self._qrels = qrels
        self._ranking = ranking
        self._rows: Counter[tuple[bytes, int, bytes]] = Counter()
        self._parts: Counter[tuple[bytes, int, bytes]] = Counter()
        self._first: dict[bytes, Rows] = {}
        self._last: dict[bytes, Rows] = {}

    def judged_batch(self, run: bytes, rows: Rows) -> pa.RecordBatch:
        """The judged documents among rows whose values are scores as they are compared."""
        try:
            ranked = ranked_part(rows, self._qrels, self._ranking)
        except DuplicatesError as error:
            return _payload_batch(
                FAULT, [(run, duplicate_payload(d.topic, d.document)) for d in error.duplicates]
            )
        if run not in self._first:
            self._first[run] = _first_rows_of_topic(rows, 0)
        self._last[run] = _first_rows_of_topic(rows, len(rows.topics) - 1)
        for topic, size in zip(rows.topics, rows.topic_lengths.tolist(), strict=True):
            key = self._key(run, topic)
            self._rows[key] += size
            self._parts[key] += 1
        ties, scores = required_ties(ranked), ranked.extras.scores
        assert scores is not None  # noqa: S101 - asked for
        return make_batch(
            FOUND,
            run=[run] * len(ranked.row),
            topic=self._qrels.topic_of_row[ranked.row],
            row=ranked.row,
            score=scores.row_scores,
            rank=ranked.rank,
            first=ties.first,
            size=ties.size,
            parts=np.ones(len(ranked.row), np.int64),
        )

    def _key(self, run: bytes, topic: bytes) -> tuple[bytes, int, bytes]:
        number = self._qrels.topic_index.get(topic, NOBODY)
        return run, number, topic if number == NOBODY else b""

    def end_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of the first and the last topic of each run, if they came in one part."""
        for run, last in self._last.items():
            first = self._first[run]
            for rows in (first,) if first.topics == last.topics else (first, last):
                _, number, name = key = self._key(run, rows.topics[0])
                count = len(rows.docs)
                if self._parts[key] == 1 and count <= MOST_AT_END:
                    yield make_batch(
                        FOUND,
                        run=[run] * count,
                        kind=np.full(count, END),
                        topic=np.full(count, number),
                        text=[name] * count,
                        document=rows.docs,
                        score=rows.value,
                        parts=np.ones(count, np.int64),
                    )

    def count_batch(self) -> pa.RecordBatch:
        """The topics that were counted."""
        keys = list(self._rows)
        return make_batch(
            FOUND,
            run=[run for run, _, _ in keys],
            kind=np.full(len(keys), COUNTED),
            topic=np.array([number for _, number, _ in keys], np.int64),
            text=[name for _, _, name in keys],
            size=np.array([self._rows[key] for key in keys], np.int64),
            parts=np.array([self._parts[key] for key in keys], np.int64),
        )


def _first_rows_of_topic(rows: Rows, topic_index: int) -> Rows:
    """One of the topics, apart from the data of the others; of a long one a row more than asked."""
    first = int(rows.start[topic_index])
    rows_taken = slice(first, min(int(rows.start[topic_index + 1]), first + MOST_AT_END + 1))
    value = rows.value[rows_taken].copy()
    docs = rows.docs.take(rows_taken).compact()
    return Rows([rows.topics[topic_index]], np.array([0, len(value)]), docs, value)


def duplicate_payload(topic: bytes, document: bytes) -> bytes:
    """A document that stands twice in a topic, as a problem among `FOUND`."""
    message = f"duplicate document '{id_text(document)}' in topic '{id_text(topic)}'"
    return pickle.dumps(Problem("", None, "duplicate-document", message, "", topic, document))


def _payload_batch(
    record_kind: int, payloads: Iterable[RunAndPayload], column_types: dict[str, str] = FOUND
) -> pa.RecordBatch:
    payloads = [*payloads]
    return make_batch(
        column_types,
        run=[run for run, _ in payloads],
        kind=np.full(len(payloads), record_kind),
        text=[text for _, text in payloads],
        parts=np.ones(len(payloads), np.int64),
    )


@record
class SplitTopics:
    """The topics of runs that came in several parts, and their judged documents.

    topic_numbers  of each (run, topic)
    contenders     their judged documents
    """

    topic_numbers: dict[tuple[bytes, bytes], int]
    contenders: Contenders


class _ScatteredRows(NamedTuple):
    """Rows of scattered topics.

    topic_numbers  of each row, as `SplitTopics` numbers them
    sort_keys      scores as they are compared
    docs           of each row
    """

    topic_numbers: TopicOfRow
    sort_keys: RowValues
    docs: Ids


@record
class SecondPass:
    """Counts the rows that beat each judged document of the scattered topics.

    `all_documents` asks for every document of these topics beside, so that those that occur twice
    can be found.
    """

    reader: Reader
    scattered: Shared
    ranking: RankingRule
    all_documents: bool = True

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `BEATEN` for a partition."""
        scattered: SplitTopics = self.scattered.value
        tally = BeatCounts(scattered.contenders)
        for part in self.reader.parts(batches):
            rows = part.ranked_rows
            if rows is None:
                continue
            scattered_rows = self._scattered_rows(part.run, rows, scattered)
            tally.add(scattered_rows.topic_numbers, scattered_rows.sort_keys, scattered_rows.docs)
            if self.all_documents and len(scattered_rows.docs):
                count = len(scattered_rows.docs)
                yield make_batch(
                    BEATEN,
                    contender=np.full(count, NOBODY),
                    topic=scattered_rows.topic_numbers,
                    document=scattered_rows.docs,
                    rows=np.ones(count, np.int64),
                )
        some = np.flatnonzero(tally.above + tally.equal + tally.ahead)
        yield make_batch(
            BEATEN,
            contender=some,
            above=tally.above[some],
            equal=tally.equal[some],
            ahead=tally.ahead[some],
        )

    def _scattered_rows(self, run: bytes, rows: Rows, scattered: SplitTopics) -> _ScatteredRows:
        """The rows of a part that are of scattered topics."""
        number = [scattered.topic_numbers.get((run, topic), NOBODY) for topic in rows.topics]
        topic = np.array(number, np.int64)[rows.topic_of_row]
        some = np.flatnonzero(topic >= 0)
        return _ScatteredRows(
            topic[some], falling_key(rows, self.ranking)[some], rows.docs.take(some)
        )


SPREAD = {
    "run": "binary", "kind": "int64", "topic": "binary", "text": "binary", "document": "binary",
    "score": "double",
}  # fmt: skip
"""The rows of runs one by one, `JUDGED` or not, beside what else `FOUND` has."""


@record
class RowPass:
    """Reads the rows, for them to be brought together with the judgments of their topics."""

    reader: Reader
    ranking: RankingRule
    sampled_topics: frozenset[bytes]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `SPREAD` for a partition."""
        tags: set[tuple[bytes, bytes]] = set()
        best: list[RunAndBestDocuments] = []
        for part in self.reader.parts(batches):
            if part.tag:
                tags.add((part.run, part.tag))
            if part.long_lines is not None:
                long_lines = [(part.run, pickle.dumps(part.long_lines))]
                yield _payload_batch(LONG_LINES, long_lines, SPREAD)
            if part.problems:
                faults = [(part.run, pickle.dumps(each)) for each in part.problems]
                yield _payload_batch(FAULT, faults, SPREAD)
            elif part.rows is not None:
                best += _best_documents_with_run(part, self.sampled_topics)
                if part.left_out is not None:
                    yield _left_out_batch(part.run, part.left_out, SPREAD)
                rows = part.ranked_rows
                if rows is None:
                    continue
                topics = ids_from_bytes(rows.topics).take(rows.topic_of_row)
                yield make_batch(
                    SPREAD,
                    run=[part.run] * len(rows.docs),
                    topic=topics,
                    document=rows.docs,
                    score=falling_key(rows, self.ranking),
                )
        yield _payload_batch(TAG, sorted(tags), SPREAD)
        yield _payload_batch(BEST, _pickled_best_documents_by_topic(best), SPREAD)


@record
class TopicRanking:
    """Ranks a topic of some runs against its own judgments, which no other worker has."""

    ranking: RankingRule

    def __call__(self, rows: pa.Table, judgments: pa.Table) -> pa.Table:
        """The columns of `FOUND`, given a topic's rows of `SPREAD` and its judged documents."""
        import pyarrow as pa

        is_row = np.asarray(rows.column("kind")) == JUDGED
        own_rows, others = (rows.take(np.flatnonzero(which)) for which in (is_row, ~is_row))
        qrels = _topic_qrels_without_grades(judgments)
        topics = _PartRanker(qrels, self.ranking)
        batches = [
            topics.judged_batch(run, _run_rows(table))
            for run, table in split_runs(own_rows)
            if len(table)
        ]
        passed_on_names = ("run", "kind", "text", "document")
        columns = {name: others.column(name).combine_chunks() for name in passed_on_names}
        passed_on = make_batch(FOUND, **columns, parts=np.ones(len(others), np.int64))
        table = pa.Table.from_batches([*batches, topics.count_batch(), passed_on])
        return _renumber_rows(table, judgments) if len(judgments) else table


def judged_documents_with_topic_and_list_numbers(qrels: Qrels) -> pa.Table:
    """The rows of judgments, each with its topic's name and number, and its list."""
    import pyarrow as pa

    return pa.table(
        {
            "topic": ids_from_bytes(qrels.topics).take(qrels.topic_of_row).arrow_binary_column(),
            "number": arrow_array(qrels.topic_of_row, pa.int64()),
            "list": arrow_array(qrels.judged_list_of_row, pa.int64()),
            "row": arrow_array(np.arange(len(qrels.grade)), pa.int64()),
            "document": qrels.docs.arrow_binary_column(),
        }
    )


def _topic_qrels_without_grades(judged_documents: pa.Table) -> Qrels:
    """Judgments of a topic, or of none, without their grades; rows as in the table, by list."""
    topics = judged_documents.slice(0, 1).column("topic").to_pylist()
    begin = run_starts(np.asarray(judged_documents.column("list")))
    docs = ids_of_column(judged_documents, "document")
    return Qrels(
        topics=tuple(topics),
        list_start=np.array([0, len(begin) - 1][: len(topics) + 1]),
        start=begin[:-1],
        stop=begin[1:],
        docs=docs,
        grade=np.zeros(len(docs)),
        level_start=np.zeros(len(begin), np.int64),
        level_grade=np.zeros(0),
        level_count=np.zeros(0, np.int64),
    )


def _run_rows(table: pa.Table) -> Rows:
    topic = table.column("topic")[0].as_py()
    score = np.asarray(table.column("score"))
    return Rows([topic], np.array([0, len(score)]), ids_of_column(table, "document"), score)


def ids_of_column(table: pa.Table, name: str) -> Ids:
    """A column of ids."""
    import pyarrow as pa

    return ids_from_arrow(one_chunk(table.column(name).cast(pa.large_binary())))


def _renumber_rows(results: pa.Table, judgments: pa.Table) -> pa.Table:
    """What was found, with the numbers that the topic and its rows have among all judgments."""
    import pyarrow as pa

    kind, topic, row = (np.asarray(results.column(name)) for name in ("kind", "topic", "row"))
    judged_row = np.asarray(judgments.column("row"))
    row = np.where(kind == JUDGED, judged_row[np.where(kind == JUDGED, row, 0)], row)
    is_judged = (kind == JUDGED) | ((kind == COUNTED) & (topic != NOBODY))
    topic = np.where(is_judged, judgments.column("number")[0].as_py(), topic)
    for name, values in (("topic", topic), ("row", row)):
        results = results.set_column(results.schema.names.index(name), name, pa.array(values))
    return results


def make_batch(column_types: dict[str, str], **columns: Any) -> pa.RecordBatch:
    """A batch with the columns of a pass; those that are not given are 0 or empty."""
    import pyarrow as pa

    count = len(next(iter(columns.values())))
    arrays = []
    for name, kind in column_types.items():
        values = columns.get(name)
        if isinstance(values, Ids):
            arrays.append(values.arrow_binary_column())
        elif kind == "binary":
            arrays.append(pa.array([b""] * count if values is None else values, pa.binary()))
        else:
            numbers = np.zeros(count) if values is None else values
            arrays.append(pa.array(numbers, kind))
    return pa.record_batch(arrays, names=list(column_types))
