"""Batches of rows, as a cluster hands them out, put together into whole topics as far as they go.

A topic whose rows stand together is read in one part, however many batches it fills; whatever is
scattered comes in several parts. Lines are read by the one reader of text, columns by that of
tables.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np

from irev.core.arrays import Floats, Ints, RowIndices, offsets, run_starts
from irev.core.ids import Ids, ids_from_bytes
from irev.core.judged import Rows
from irev.core.record import record
from irev.engine.map_topics import ExcludedDocuments
from irev.engine.run_facts import (
    ORDER_DEPTH,
    EqualScoreCounts,
    are_ranks_misnumbered,
    count_reversed_topics,
    count_topics_with_equal_scores,
    deep_topics,
    misnumbered_rank_warnings,
    rank_order_warnings,
)
from irev.errors import InputError, Notice, Problem
from irev.rank.ranking import keep_rows
from irev.read.columns import parse_reals_or_nan
from irev.read.frames import frame_rows
from irev.read.layout import ChosenLayout, Layout, layout_for
from irev.read.lines import LongLines
from irev.read.stream import Source
from irev.read.topics import ROWS_AT_ONCE, Text

if TYPE_CHECKING:
    import pyarrow as pa


RUN, LINE = "run", "line"
"""The columns of batches beside a layout's own: which run a row is of, and a line as bytes."""

ONLY_RUN = b""
"""The run of all rows where there is no column `RUN`."""

_MOST_ROWS = 1 << 22
"""Rows that are held at most until their topic ends."""


class PartOfRun(NamedTuple):
    """Some rows of a run, what is wrong with them, the tag in the last line.

    `is_without_scores` says that there are ranks alone; `left_out` are the rows that are left out
    before ranks are counted, None if there are none, `kept` the other ones, then. `long_lines` are
    those of the run that have too many fields, told of once.
    """

    run: bytes
    rows: Rows | None
    problems: tuple[Problem, ...] = ()
    tag: bytes = b""
    is_without_scores: bool = False
    left_out: Rows | None = None
    kept: Rows | None = None
    long_lines: LongLines | None = None

    @property
    def ranked_rows(self) -> Rows | None:
        """The rows that are ranked."""
        return self.rows if self.left_out is None else self.kept


@record
class LineReader:
    """Reads batches of lines of text, the column `LINE`, by runs where there is a column `RUN`.

    `with_ranks` asks for the ranks beside scores, as the last group.
    """

    layout: ChosenLayout
    with_ranks: bool = False

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[PartOfRun]:
        """The rows of a partition, each part with whole topics as far as they stand together."""
        blocks = (block for batch in batches if len(batch) for block in _blocks(batch))
        for run, of_run in groupby(blocks, key=lambda block: block[0]):
            try:
                yield from self._parts(run, (text for _, text in of_run))
            except InputError as error:
                yield PartOfRun(run, None, tuple(error.problems))

    def _parts(self, run: bytes, texts: Iterator[bytes]) -> Iterator[PartOfRun]:
        first = next(texts)
        layout = layout_for(self.layout, first)
        is_without_scores = "score" not in layout.fields
        if self.with_ranks and layout.number == "score" and "rank" in layout.fields:
            layout = layout.with_ranks
        text = Text(_BlockSource("the run", first, texts), layout)
        for piece in text.parts():
            parsed = text.parse(piece)
            whole: Iterable[Any] = [parsed]
            if parsed.is_scattered:
                whole = text.gather_scattered_topics(1, iter([piece]))
            for each in whole:
                tag = next(iter(each.last.split()[5:6]), b"")
                yield PartOfRun(run, each.rows, each.problems, tag, is_without_scores)
        if text.long_lines is not None:
            yield PartOfRun(run, None, long_lines=text.long_lines)


def _blocks(batch: pa.RecordBatch) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a batch as text, a block for each stretch of rows of one run."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = batch.column(LINE)
    for run, first, after in _run_ranges(batch):
        some = lines.slice(first, after - first)
        one_list = pa.ListArray.from_arrays(pa.array([0, len(some)], pa.int32()), some)
        yield run, pc.binary_join(one_list, b"\n")[0].as_py() + b"\n"


def _run_ranges(rows: pa.RecordBatch | pa.Table) -> Iterator[tuple[bytes, int, int]]:
    """Each stretch of rows of one run: (run, first row, the row behind)."""
    names = rows.schema.names
    if RUN not in names:
        yield ONLY_RUN, 0, len(rows)
        return
    code, runs = codes_and_ids(rows.column(RUN))
    begin = run_starts(code)
    for first, after in zip(begin.tolist(), begin[1:].tolist(), strict=False):
        yield runs[code[first]], first, after


def codes_and_ids(column: pa.Array | pa.ChunkedArray) -> tuple[Ints, list[bytes]]:
    """(int64[N], which of the distinct texts each row has; these)."""
    import pyarrow as pa

    texts = column.cast(pa.large_binary()).fill_null(b"").dictionary_encode()
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.unify_dictionaries().combine_chunks()
        texts = texts.chunk(0) if isinstance(texts, pa.ChunkedArray) else texts
    code: Ints = np.asarray(texts.indices).astype(np.int64)
    return code, texts.dictionary.to_pylist()


class _BlockSource(Source):
    """Text that somebody hands over block by block, once."""

    def __init__(self, name: str, first: bytes, rest: Iterator[bytes]) -> None:
        super().__init__(name)
        self._blocks = _Blocks(first, rest)

    def open(self) -> BinaryIO:
        """The text, from where it was read to."""
        return cast("BinaryIO", self._blocks)


class _Blocks(io.RawIOBase):
    def __init__(self, first: bytes, rest: Iterator[bytes]) -> None:
        self._left, self._rest = memoryview(first), rest

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        if not self._left:
            self._left = memoryview(next(self._rest, b""))
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


@record
class TableReader:
    """Reads batches of columns with the names of the layout's fields, by runs likewise."""

    layout: Layout
    with_ranks: bool = False

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[PartOfRun]:
        """The rows of a partition, each part with whole topics as far as they stand together."""
        for table in _whole_topics(batches):
            has_ranks = self.layout.number == "score" and "rank" in table.schema.names
            layout = self.layout.with_ranks if self.with_ranks and has_ranks else self.layout
            for run, some in split_runs(table):
                try:
                    for rows in frame_rows(some, layout):
                        yield PartOfRun(run, rows)
                except InputError as error:
                    yield PartOfRun(run, None, tuple(error.problems))


def split_runs(table: pa.Table) -> Iterator[tuple[bytes, pa.Table]]:
    """The rows of each run, those of a run in their order."""
    if RUN not in table.schema.names:
        yield ONLY_RUN, table
        return
    code, runs = codes_and_ids(table.column(RUN))
    if (code[1:] < code[:-1]).any():
        order = np.argsort(code, kind="stable")
        table, code = table.take(order), code[order]
    begin = run_starts(code)
    for first, after in zip(begin.tolist(), begin[1:].tolist(), strict=False):
        yield runs[code[first]], table.slice(first, after - first)


def _whole_topics(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The rows of a partition, cut where the topic changes, if it does within so many rows."""
    import pyarrow as pa

    pending: list[pa.RecordBatch] = []
    num_wanted = ROWS_AT_ONCE
    for batch in batches:
        pending += [batch] if len(batch) else []
        count = sum(map(len, pending))
        if count < num_wanted:
            continue
        table = pa.Table.from_batches(pending)
        end = count if count >= _MOST_ROWS else _start_of_last_topic(table)
        pending, num_wanted = table.slice(end).to_batches(), ROWS_AT_ONCE if end else 2 * count
        if end:
            yield table.slice(0, end)
    if pending:
        yield pa.Table.from_batches(pending)


def _start_of_last_topic(table: pa.Table) -> int:
    """The row from which on all rows are of the run and topic of the last."""
    import pyarrow.compute as pc

    first = 0
    for name in {"topic", RUN}.intersection(table.schema.names):
        column = table.column(name)
        differs = pc.not_equal(column, column[-1]).fill_null(True)
        others = np.flatnonzero(np.asarray(differs))
        first = max(first, int(others[-1]) + 1 if len(others) else 0)
    return first


# --- Documents that are left out of runs in a cluster ---
# Those that are left out come here one by one, so that one that stands twice is found, however its
# rows are cut.


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


# --- The best documents of some topics: whether a run has equal scores or wrong ranks ---
# What the partitions have of a topic is put together, so that it is the same however they are cut.


class BestDocuments(NamedTuple):
    """The best documents of a topic.

    topic              its id
    values             their scores, or minus their ranks where ranks order them, falling
    unfiltered_values  the same, with those of documents that are left out
    ranked_pairs       (rank, score) of the documents of the lowest ranks, rising; empty where one
                       of the two is missing or not read; with those that are left out
    is_without_scores  whether there are ranks alone
    """

    topic: bytes
    values: tuple[float, ...]
    unfiltered_values: tuple[float, ...]
    ranked_pairs: tuple[tuple[float, float], ...] = ()
    is_without_scores: bool = False


def best_documents_by_topic(
    rows: Rows, kept_rows: Rows | None, sampled_topics: Collection[bytes]
) -> Iterator[BestDocuments]:
    """The best of some topics of some rows; the last group is the rank, where there are groups.

    `kept_rows` are those of them that are ranked.
    """
    kept_values: dict[bytes, tuple[float, ...]] = {}
    if kept_rows is not None and kept_rows is not rows:
        kept_values = {
            topic: _top_values(kept_rows, index)
            for index, topic in enumerate(kept_rows.topics)
            if topic in sampled_topics
        }
    for index, topic in enumerate(rows.topics):
        if topic not in sampled_topics:
            continue
        own_rows = slice(*rows.start[index : index + 2].tolist())
        values = rows.value[own_rows]
        pairs: list[tuple[float, float]] = []
        if rows.groups:
            rank = parse_reals_or_nan(rows.groups[-1].take(own_rows).compact())
            order = np.lexsort((-values, rank))
            order = order[~np.isnan(rank[order])][:ORDER_DEPTH]
            pairs = [*zip(rank[order].tolist(), values[order].tolist(), strict=True)]
        all_values = _top_values(rows, index)
        own_values = all_values if kept_rows is rows else kept_values.get(topic, ())
        yield BestDocuments(topic, own_values, all_values, tuple(pairs))


def _top_values(rows: Rows, topic_index: int) -> tuple[float, ...]:
    """The highest values of a topic, falling."""
    values = rows.value[slice(*rows.start[topic_index : topic_index + 2].tolist())]
    return tuple((-np.sort(-values)[:ORDER_DEPTH]).tolist())


def join_best_documents(parts_of_topics: Sequence[BestDocuments]) -> tuple[BestDocuments, ...]:
    """The best of each topic among those of its parts; topics in order."""
    parts_by_topic: dict[bytes, list[BestDocuments]] = {}
    for part in parts_of_topics:
        parts_by_topic.setdefault(part.topic, []).append(part)
    topics = []
    for topic, own in sorted(parts_by_topic.items()):
        values, unfiltered_values = (
            tuple(sorted(chain.from_iterable(own_values), reverse=True)[:ORDER_DEPTH])
            for own_values in (
                [part.values for part in own],
                [part.unfiltered_values for part in own],
            )
        )
        pairs = [pair for part in own for pair in part.ranked_pairs]
        pairs.sort(key=lambda pair: (pair[0], -pair[1]))
        is_without_scores = any(part.is_without_scores for part in own)
        lowest_pairs = tuple(pairs[:ORDER_DEPTH])
        topics.append(
            BestDocuments(topic, values, unfiltered_values, lowest_pairs, is_without_scores)
        )
    return tuple(topics)


def count_topics_with_equal_best_scores(
    best_documents: Sequence[BestDocuments],
) -> EqualScoreCounts:
    """How many topics have equal scores at the top."""
    rows = _rows_without_documents([(each.topic, each.values) for each in best_documents])
    values = [best_documents[index].values for index in deep_topics(rows, set(rows.topics))]
    if not values:
        return EqualScoreCounts()
    top_scores = np.array([each + each[-1:] * (ORDER_DEPTH - len(each)) for each in values])
    return count_topics_with_equal_scores(top_scores, np.array([len(each) for each in values]))


def rank_warnings_of_best(best_documents: Sequence[BestDocuments]) -> Iterator[Notice]:
    """A warning where the ranks of most topics contradict the scores, or are none."""
    ranked = [each for each in best_documents if each.ranked_pairs]
    if ranked:
        rows = _rows_without_documents(
            [(each.topic, [score for _, score in each.ranked_pairs]) for each in ranked]
        )
        rank = np.array([rank for each in ranked for rank, _ in each.ranked_pairs])
        yield from rank_order_warnings(
            *count_reversed_topics(rows, rank), words_after_topics=" looked at"
        )
    without_scores = [each for each in best_documents if each.is_without_scores]
    if without_scores:
        is_wrong = are_ranks_misnumbered(
            _rows_without_documents(
                [(each.topic, each.unfiltered_values) for each in without_scores]
            )
        )
        wrong = zip(without_scores, is_wrong.tolist(), strict=True)
        yield from misnumbered_rank_warnings(
            [each.topic for each, is_odd in wrong if is_odd], words_after_topics=" looked at"
        )


def _rows_without_documents(values_by_topic: Sequence[tuple[bytes, Sequence[float]]]) -> Rows:
    """Rows of values whose documents have no ids."""
    lengths = [len(values) for _, values in values_by_topic]
    all_values: Floats = np.array([each for _, values in values_by_topic for each in values])
    no_docs = ids_from_bytes([b""] * sum(lengths))
    return Rows([topic for topic, _ in values_by_topic], offsets(lengths), no_docs, all_values)
