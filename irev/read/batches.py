"""Tables whose rows come in batches, from a file or a folder of files: parts of whole topics."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, Ints, from_arrow, run_starts
from irev.core.ids import PADDING, Ids, concatenate, ids_from_arrow, ids_from_bytes
from irev.errors import MOST_PROBLEMS, Problem
from irev.read.arrow_files import ArrowFile, Coded, Stretch, texts_of
from irev.read.columns import Columns
from irev.read.topics import Cut
from irev.read.values import reals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from irev.read.layout import Layout
    from irev.read.stream import Source

ROWS = 1 << 17
"""Rows of a part, about."""

Chunks = list[Stretch]


class Batched(Cut[Chunks]):
    """A table whose rows come in batches; a row counts as a line, from 1."""

    _names: Sequence[str]
    """The columns of the topic, the other ids and the number."""

    @abstractmethod
    def _rows(self) -> Iterator[Stretch]:
        """All rows in their order, few at once."""

    def lines(self) -> Iterator[Chunks]:
        """The rows as they come."""
        for rows in self._rows():
            yield [rows]

    def parts(self) -> Iterator[Chunks]:
        """The rows cut where topics end."""
        whole: Chunks = []
        tail: Chunks = []  # of one topic
        for rows in self._rows():
            if tail and tail[-1].topic(-1) != rows.topic(0):
                whole += tail
                tail = []
            start = rows.start_of_last_topic()
            if start:
                whole += [*tail, rows.cut(0, start)]
                tail = []
            tail.append(rows.cut(start, rows.count))
            if 2 * sum(each.count for each in whole) > ROWS:
                yield whole
                whole = []
        if whole or tail:
            yield whole + tail

    def columns(self, part: Chunks) -> Columns:
        """The columns of some rows."""
        columns = [*zip(*(rows.columns for rows in part), strict=True)]
        count = sum(rows.count for rows in part)
        missing = [
            Problem(self.name, row + 1, "bad-table", self._missing(number))
            for number, chunks in enumerate(columns)
            for row in _nulls(chunks)[:MOST_PROBLEMS]
        ]
        if missing:
            none = np.zeros(0, np.int64)
            ids = tuple(ids_from_bytes([]) for _ in self._layout.ids)
            return Columns([], none, ids, np.zeros(0), None, count, b"", _first(missing))
        topic, *others, number = columns
        code, topics = _codes(topic)
        ids = tuple(map(_ids, others))
        values = np.concatenate([_numbers(chunk) for chunk in number])
        problems = [*self._zero_bytes(topics, code, ids), *self._odd_numbers(values)]
        return Columns(topics, code, ids, values, None, count, b"", _first(problems))

    def is_empty(self, num_lines: int) -> Problem:
        """The problem of a table without a row."""
        return Problem(self.name, None, "bad-table", "there is no row in it")

    def _missing(self, column: int) -> str:
        what = "an id" if column < len(self._names) - 1 else f"a {self._layout.number}"
        return f"{what} is missing in column {self._names[column]}"

    def _zero_bytes(self, topics: list[bytes], code: Ints, ids: Sequence[Ids]) -> Iterator[Problem]:
        """Ids that hold what no other file could."""
        odd = [number for number, topic in enumerate(topics) if b"\0" in topic]
        rows = [np.flatnonzero(np.isin(code, odd)).tolist() if odd else []]
        for column in ids:
            has_zero = len(column.data) > PADDING and column.data[:-PADDING].min() == 0
            rows.append(
                [n for n, each in enumerate(column.to_list()) if b"\0" in each] if has_zero else []
            )
        for name, found in zip(self._names, rows, strict=False):
            for row in found[:MOST_PROBLEMS]:
                what = f"an id in column {name} holds a zero byte"
                yield Problem(self.name, row + 1, "bad-table", what)

    def _odd_numbers(self, values: Floats) -> Iterator[Problem]:
        """What is no number, and infinite grades."""
        what = self._layout.number
        for row in np.flatnonzero(np.isnan(values))[:MOST_PROBLEMS].tolist():
            message = f"a {what} is NaN, which is not a number"
            yield Problem(self.name, row + 1, "bad-table", message)
        if what == "grade":
            for row in np.flatnonzero(np.isinf(values))[:MOST_PROBLEMS].tolist():
                yield Problem(self.name, row + 1, "bad-table", "a grade is infinite")


class TableFile(Batched):
    """A table in a file."""

    def __init__(self, source: Source, head: bytes, layout: Layout) -> None:
        """Look at the names and types of the columns.

        Raises:
            InputError: a column is missing or there twice, or does not hold what it must, or the
                file is damaged.
        """
        self._file = ArrowFile(source, head, layout)
        self._names = self._file.names
        super().__init__(source.path, self._file.layout)

    def _rows(self) -> Iterator[Stretch]:
        return self._file.rows()


def _first(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.line or 0)[:MOST_PROBLEMS])


def _nulls(chunks: Sequence[Any]) -> list[int]:
    """The rows that lack a value."""
    found: list[int] = []
    before = 0
    for chunk in chunks:
        if not isinstance(chunk, Coded) and chunk.null_count:
            found += (before + row for row, cell in enumerate(chunk) if not cell.is_valid)
        before += len(chunk)
    return found


def _codes(chunks: Sequence[Any]) -> tuple[Ints, list[bytes]]:
    """Which distinct topic each row has: (int64[N], the topics in order of appearance)."""
    import pyarrow as pa

    heads: list[Ids] = []
    sizes: list[Ints] = []
    for chunk in chunks:
        if isinstance(chunk, Coded):
            start = run_starts(chunk.code)
            heads.append(chunk.values.take(chunk.code[start[:-1]]).compact())
        elif pa.types.is_integer(chunk.type):
            number = from_arrow(chunk)
            start = run_starts(number)
            heads.append(ids_from_bytes([b"%d" % each for each in number[start[:-1]].tolist()]))
        else:
            heads.append(_plain_ids(chunk))
            start = np.arange(len(chunk) + 1)
        sizes.append(np.diff(start))
    code, topics = concatenate(heads).codes()
    return np.repeat(code, np.concatenate(sizes)), topics


def _ids(chunks: Sequence[Any]) -> Ids:
    """A column of ids."""
    if any(isinstance(chunk, Coded) for chunk in chunks):
        return concatenate([_plain_ids(chunk) for chunk in chunks])
    return _joined([texts_of(chunk) for chunk in chunks])


def _plain_ids(chunk: Any) -> Ids:
    if isinstance(chunk, Coded):
        return chunk.values.take(chunk.code)
    return ids_from_arrow(texts_of(chunk))


def _joined(columns: Sequence[pa.Array]) -> Ids:
    """The ids of some columns, one column behind the other; the bytes are copied once."""
    import pyarrow as pa

    start = np.zeros(sum(map(len, columns)) + 1, np.int64)
    texts = []
    row = 0
    for column in columns:
        _, ends, text = column.buffers()
        wide = column.type == pa.large_binary()
        bounds = np.frombuffer(ends, np.int64 if wide else np.int32)
        bounds = bounds[column.offset : column.offset + len(column) + 1]
        np.add(bounds, start[row] - bounds[0], out=start[row : row + len(bounds)])
        row += len(column)
        if text is not None:
            texts.append(np.frombuffer(text, np.uint8)[bounds[0] : bounds[-1]])
    data = np.concatenate([*texts, np.zeros(PADDING, np.uint8)])
    return Ids(data, start[:-1], np.diff(start))


def _numbers(column: pa.Array) -> Floats:
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        # as if they stood in a text
        return reals(ids_from_arrow(column.cast(pa.string())))
    return from_arrow(column.cast(pa.float64(), safe=False))
