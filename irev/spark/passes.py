"""What the workers of a cluster do with a partition of the rows of runs, and what they hand back.

Each pass takes batches and gives batches whose numbers are to be added up by the pass's keys;
`ranks.ranked_runs` drives them, in one of two ways. Where every worker has all judgments,
`FirstPass` finds the judged documents and ranks them within each partition; topics that came in
several parts (`SplitTopics`) are counted anew by `SecondPass`. Where the judgments are too large
for that, `RowPass` hands out the rows, and `TopicRanking` ranks a topic at a time with its own
judgments; then `SecondPass` again, if a topic came in parts. None of this needs Spark.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowStarts,
    RowValues,
    TopicOfRow,
    arrow_array,
    run_starts,
)
from irev.core.ids import Ids, concatenate_ids, ids_from_arrow, ids_from_bytes
from irev.core.judged import DuplicatesError, Qrels, Rows, TieSpans
from irev.core.record import cached_property, record
from irev.errors import MOST_PROBLEMS, Problem, id_text
from irev.rank.ranking import Ranked, RankingRule, falling_key, join_judgments
from irev.read.frames import one_chunk
from irev.spark.batches import (
    BestDocuments,
    LineReader,
    PartOfRun,
    ReaderWithoutDocuments,
    TableReader,
    best_documents_by_topic,
    join_best_documents,
    split_runs,
)

if TYPE_CHECKING:
    import pyarrow as pa

Reader: TypeAlias = LineReader | TableReader | ReaderWithoutDocuments

JUDGED, COUNTED, FAULT, TAG, END, BEST, LEFT_OUT, LONG_LINES = range(8)
"""What a row of `FOUND` tells: of a judged document, a topic, a problem, the tag of a line, a row
of a topic at an end of a partition, which may go on in another, a topic's best documents, a
document that is left out, or lines of a partition with too many fields. `ranks` tells them apart
again."""

ROW = JUDGED
"""What a row of `SPREAD` tells of that is one of a run, judged or not."""

MOST_AT_END = 1 << 14
"""Rows of a topic at an end of a partition that are handed on at most."""

NOBODY = -1
"""The number of a topic that is not judged."""

NOT_SPLIT = -1
"""In place of the number of a topic that came in one part."""

NO_CONTENDER = -1
"""In `BEATEN`, stands for a row that tells of a document of a topic, not of a contender."""

FOUND = {
    "run": "binary", "kind": "int64", "topic": "int64", "text": "binary", "document": "binary",
    "row": "int64",
    "score": "double", "rank": "int64", "first": "int64", "size": "int64", "parts": "int64",
}  # fmt: skip
"""The columns of the first pass, with their types in Arrow; `ranks._FirstPassResults` reads them.

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
topic (both numbered as `SplitTopics` has them), with how often it was met."""

BEATEN_KEYS = ("contender", "topic", "document")


class Shared(Protocol):
    """What every worker was given once."""

    @property
    def value(self) -> Any:
        """What they were given."""


@record
class FirstPass:
    """Finds the judged documents, and ranks them as if their topics had no other part."""

    reader: Reader
    qrels: Shared
    ranking: RankingRule

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `FOUND` for a partition."""
        qrels = self.qrels.value
        topics = _PartRanker(qrels, self.ranking)
        notes = _PartitionNotes(FOUND, qrels.sampled_topics, MOST_PROBLEMS)
        for part in self.reader.parts(batches):
            yield from notes.batches(part)
            rows = part.ranked_rows
            if rows is not None and not part.problems:
                rows = replace(rows, value=falling_key(rows, self.ranking), groups=())
                yield topics.judged_batch(part.run, rows)
        yield from notes.end_batches()
        yield topics.count_batch()
        yield from topics.end_batches()


class _PartitionNotes:
    """What a partition tells beside its rows, in columns of `FOUND` or `SPREAD`.

    That is tags, problems (of a run no more once there are `most_problems`), lines with too many
    fields, the documents that are left out, and the best documents of the topics looked at.
    """

    def __init__(
        self,
        column_types: dict[str, str],
        sampled_topics: Collection[bytes],
        most_problems: int | None = None,
    ) -> None:
        self._types, self._sampled, self._most = column_types, sampled_topics, most_problems
        self._num_problems: Counter[bytes] = Counter()
        self._tags: set[tuple[bytes, bytes]] = set()
        self._best: list[tuple[bytes, BestDocuments]] = []

    def batches(self, part: PartOfRun) -> Iterator[pa.RecordBatch]:
        """What a part tells at once."""
        run = part.run
        if part.tag:
            self._tags.add((run, part.tag))
        if part.long_lines is not None:
            payloads = [(run, pickle.dumps(part.long_lines))]
            yield _payload_batch(LONG_LINES, payloads, self._types)
        if part.problems:
            if self._most is None or self._num_problems[run] < self._most:
                payloads = [(run, pickle.dumps(each)) for each in part.problems]
                yield _payload_batch(FAULT, payloads, self._types)
            self._num_problems[run] += len(part.problems)
        elif part.rows is not None:
            for best in best_documents_by_topic(part.rows, part.ranked_rows, self._sampled):
                best = best._replace(is_without_scores=part.is_without_scores)
                self._best.append((run, best))
            if part.left_out is not None:
                left_out, count = part.left_out, len(part.left_out.docs)
                yield make_batch(
                    self._types,
                    run=[run] * count,
                    kind=np.full(count, LEFT_OUT),
                    text=ids_from_bytes(left_out.topics).take(left_out.topic_of_row),
                    document=left_out.docs,
                    parts=np.ones(count, np.int64),
                )

    def end_batches(self) -> Iterator[pa.RecordBatch]:
        """The tags, and the best documents of each topic of each run."""
        yield _payload_batch(TAG, sorted(self._tags), self._types)
        payloads = []
        for run in sorted({run for run, _ in self._best}):
            own = [each for own_run, each in self._best if own_run == run]
            payloads += [(run, pickle.dumps(joined)) for joined in join_best_documents(own)]
        yield _payload_batch(BEST, payloads, self._types)


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
            kind=np.full(len(ranked.row), JUDGED),
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
            topics_at_ends = [first] if first.topics == last.topics else [first, last]
            for rows in topics_at_ends:
                key = self._key(run, rows.topics[0])
                _, number, name = key
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
    """A document that stands twice in a topic, as a problem among `FOUND`.

    The words are those of `duplicate_problem` of `read.topics` and `read.batches`, without lines.
    """
    message = f"duplicate document '{id_text(document)}' in topic '{id_text(topic)}'"
    return pickle.dumps(Problem("", None, "duplicate-document", message, "", topic, document))


def _payload_batch(
    record_kind: int, payloads: Iterable[tuple[bytes, bytes]], column_types: dict[str, str] = FOUND
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


@record
class SecondPass:
    """Counts the rows that beat each judged document of the split topics.

    `all_documents` asks for every document of these topics beside, so that those that occur twice
    can be found.
    """

    reader: Reader
    split: Shared
    ranking: RankingRule
    all_documents: bool = True

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `BEATEN` for a partition."""
        split: SplitTopics = self.split.value
        tally = BeatCounts(split.contenders)
        for part in self.reader.parts(batches):
            rows = part.ranked_rows
            if rows is None:
                continue
            number_of = split.topic_numbers
            numbers = [number_of.get((part.run, topic), NOT_SPLIT) for topic in rows.topics]
            topic = np.array(numbers, np.int64)[rows.topic_of_row]
            some = np.flatnonzero(topic != NOT_SPLIT)
            topic, docs = topic[some], rows.docs.take(some)
            tally.add(topic, falling_key(rows, self.ranking)[some], docs)
            if self.all_documents and len(docs):
                yield make_batch(
                    BEATEN,
                    contender=np.full(len(docs), NO_CONTENDER),
                    topic=topic,
                    document=docs,
                    rows=np.ones(len(docs), np.int64),
                )
        some = np.flatnonzero(tally.above + tally.equal + tally.ahead)
        yield make_batch(
            BEATEN,
            contender=some,
            above=tally.above[some],
            equal=tally.equal[some],
            ahead=tally.ahead[some],
        )


SPREAD = {
    "run": "binary", "kind": "int64", "topic": "binary", "text": "binary", "document": "binary",
    "score": "double",
}  # fmt: skip
"""The rows of runs one by one, of the kind `ROW`, beside what else `FOUND` has."""


@record
class RowPass:
    """Reads the rows, for them to be brought together with the judgments of their topics."""

    reader: Reader
    ranking: RankingRule
    sampled_topics: frozenset[bytes]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The columns of `SPREAD` for a partition."""
        notes = _PartitionNotes(SPREAD, self.sampled_topics)
        for part in self.reader.parts(batches):
            yield from notes.batches(part)
            rows = part.ranked_rows
            if rows is not None and not part.problems:
                yield make_batch(
                    SPREAD,
                    run=[part.run] * len(rows.docs),
                    kind=np.full(len(rows.docs), ROW),
                    topic=ids_from_bytes(rows.topics).take(rows.topic_of_row),
                    document=rows.docs,
                    score=falling_key(rows, self.ranking),
                )
        yield from notes.end_batches()


@record
class TopicRanking:
    """Ranks a topic of some runs against its own judgments, which no other worker has."""

    ranking: RankingRule

    def __call__(self, rows: pa.Table, judgments: pa.Table) -> pa.Table:
        """The columns of `FOUND`, given a topic's rows of `SPREAD` and its judged documents."""
        import pyarrow as pa

        is_row = np.asarray(rows.column("kind")) == ROW
        own_rows, others = (rows.take(np.flatnonzero(which)) for which in (is_row, ~is_row))
        qrels = _topic_qrels_without_grades(judgments)
        topics = _PartRanker(qrels, self.ranking)
        batches = []
        for run, table in split_runs(own_rows):
            if len(table):
                topic, score = table.column("topic")[0].as_py(), np.asarray(table.column("score"))
                docs = ids_of_column(table, "document")
                rows_of_run = Rows([topic], np.array([0, len(score)]), docs, score)
                batches.append(topics.judged_batch(run, rows_of_run))
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


# --- How many rows beat each judged document ---


@record
class Contenders:
    """The judged documents retrieved for S topics of runs, which all rows are held against.

    start       int64[S+1], each topic's slice of the J documents
    score       float64[J], falling within a topic
    docs        J ids
    ids_rising  whether of equal scores the smaller id stands first; else the larger does
    """

    start: Ints
    score: Floats
    docs: Ids
    ids_rising: bool = False

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[J]: the topic of each document."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def group_start(self) -> RowStarts:
        """int64[G+1]: where each group of equal scores begins, and the end."""
        return run_starts(self.topic, self.score)

    @cached_property
    def group(self) -> Ints:
        """int64[J]: the group of equal scores that each document stands in."""
        return np.repeat(np.arange(len(self.group_start) - 1), np.diff(self.group_start))

    def first_reached(self, topic: TopicOfRow, score: RowValues) -> Ints:
        """int64[N]: the first document of its topic whose score each row has or exceeds.

        Where there is none it is the end of the topic's slice.
        """
        low, high = self.start[topic], self.start[topic + 1]
        while True:
            middle = (low + high) >> 1
            rest = np.flatnonzero(low < high)
            if not len(rest):
                return low
            is_better = self.score[middle[rest]] > score[rest]
            low[rest] = np.where(is_better, middle[rest] + 1, low[rest])
            high[rest] = np.where(is_better, high[rest], middle[rest])


class BeatCounts:
    """What was counted of rows; several are added up, field by field.

    above  int64[J], rows that beat this document by their score, but no document before it
    equal  int64[J], rows with the score of this document, at the first of each group of equal ones
    ahead  int64[J], rows with the score of this document that beat it by their id
    """

    def __init__(self, contenders: Contenders) -> None:
        self._contenders = contenders
        self.above, self.equal, self.ahead = np.zeros((3, len(contenders.score)), np.int64)

    def add(self, topic: TopicOfRow, score: RowValues, docs: Ids) -> None:
        """Count N rows, each of one of the topics; the documents themselves are rows too."""
        against = self._contenders
        end = against.start[topic + 1]
        first = against.first_reached(topic, score)
        inside = np.flatnonzero(first < end)
        place = first[inside]
        is_equal = against.score[place] == score[inside]
        tied, group = inside[is_equal], against.group[place[is_equal]]
        # by its score a row beats what stands behind the documents that have the same
        first[tied] = against.group_start[group + 1]
        _increment(self.above, first[first < end])
        _increment(self.equal, against.group_start[group])
        if len(tied):
            self._add_tied(group, docs.take(tied))

    def _add_tied(self, group: Ints, docs: Ids) -> None:
        """Count rows of some groups that beat the groups' documents by their ids."""
        against = self._contenders
        is_met = np.zeros(len(against.group_start) - 1, bool)
        is_met[group] = True
        some = np.flatnonzero(is_met[against.group])
        both = concatenate_ids([against.docs.take(some).compact(), docs.compact()])
        of_row = np.arange(len(both)) >= len(some)
        group = np.concatenate([against.group[some], group])
        # a document stands before its own row, which does not beat it
        order = np.lexsort((of_row, *both.sort_keys(rising=against.ids_rising), group))
        rows_before: Ints = np.cumsum(of_row[order], dtype=np.int64) - of_row[order]
        begin = run_starts(group[order])
        rows_before -= np.repeat(rows_before[begin[:-1]], np.diff(begin))
        is_document = ~of_row[order]
        self.ahead[some[order[is_document]]] += rows_before[is_document]


def ranks_tie_starts_and_tie_sizes(
    contenders: Contenders, above: Ints, equal: Ints, ahead: Ints
) -> tuple[Ints, Ints, Ints]:
    """(int64[J], the ranks; the ranks at which their groups of equal scores begin; their sizes).

    Given are the fields of `BeatCounts`, of all rows together.
    """
    passed = np.cumsum(above)
    passed_before = np.concatenate(([0], passed))[contenders.start[:-1]]
    first = 1 + passed - passed_before[contenders.topic]
    return first + ahead, first, equal[contenders.group_start[contenders.group]]


def _increment(counts: Ints, indices: Ints) -> None:
    """Add one at each of some places, which often lie together."""
    if len(indices):
        low = int(indices.min())
        counted = np.bincount(indices - low)
        counts[low : low + len(counted)] += counted
