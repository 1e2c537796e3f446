"""Tables that come in record batches: Parquet by row group, Arrow and Feather by batch.

Only the columns that are needed are read, and no more rows are held than a part has. What Arrow
hands on is proved to hold what it says before it is used: of a damaged file it may read anything.
Its threads are left out: one that lets go of the file while the interpreter ends would abort the
program. Only calls of Arrow are used that do not import pandas.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, from_arrow, run_starts
from irev.core.frozen import frozen
from irev.core.ids import PADDING, Ids, concatenate, ids_from_arrow, ids_from_bytes
from irev.errors import MOST_PROBLEMS, InputError, Problem
from irev.read.columns import Columns
from irev.read.frames import column_names, text_types, with_classes
from irev.read.layout import TOPIC
from irev.read.topics import Cut
from irev.read.values import reals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from irev.read.layout import Layout
    from irev.read.stream import Source

ROWS = 1 << 17
"""Rows of a part, about."""

_FEW = 1 << 16
"""Rows that are read at once, at most: these stay in a cache until their part is together."""

_PARQUET, _ARROW, _FEATHER_1, _STREAM = b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"
_TABLE = re.compile(rb"(?:PAR1|ARROW1|FEA1)(?![\s!-~])|\xff{4}[^\0]..\0", re.DOTALL)
"""How a table begins that is no text; a topic may be called PAR1. A stream of Arrow begins with the
size of its schema, which is not so large that the last of four bytes would be used."""

_BUFFER = 1 << 16
"""Bytes of a column of a Parquet file that are read at once."""


def is_batched(head: bytes) -> bool:
    """Whether a file that begins so holds a table in batches."""
    return _TABLE.match(head) is not None


@frozen
class _Coded:
    """A column of few distinct ids: which of them each row has."""

    code: Any
    values: Ids

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, rows: slice) -> _Coded:
        return _Coded(self.code[rows], self.values)


@frozen
class _Stretch:
    """Some rows: the topic, the other ids and the number of each, as Arrow has them."""

    columns: tuple[Any, ...]

    @property
    def count(self) -> int:
        return len(self.columns[-1])

    def cut(self, first: int, after: int) -> _Stretch:
        """Some of the rows; nothing is copied."""
        return _Stretch(tuple(column[first:after] for column in self.columns))

    def topic(self, row: int) -> Any:
        """The topic of a row, as it stands there."""
        column = self.columns[0]
        if not isinstance(column, _Coded):
            return column[row].as_py()
        return column.values[int(column.code[row])]

    def start_of_last_topic(self) -> int:
        """Where the last topic begins: a search by steps and by halves, not row by row.

        Where topics are scattered this is still a place where the topic changes.
        """
        same, step = self.count - 1, 1
        topic = self.topic(same)
        while self.topic(other := max(0, same - step)) == topic:
            if other == 0:
                return 0
            same, step = other, 2 * step
        while same - other > 1:
            middle = (same + other) // 2
            if self.topic(middle) == topic:
                same = middle
            else:
                other = middle
        return same


Chunks = list[_Stretch]


class Batched(Cut[Chunks]):
    """A table in a file whose rows come in batches; a row counts as a line, from 1."""

    def __init__(self, source: Source, layout: Layout, head: bytes) -> None:
        """Look at the names and types of the columns.

        Raises:
            InputError: a column is missing or there twice, or does not hold what it must, or the
                file is damaged.
        """
        if head.startswith(_FEATHER_1):
            raise source.problem(
                "this is a Feather file of version 1, which Arrow reads without looking: a damaged "
                "one may bring the program down",
                "write it anew as Parquet, or with pyarrow.feather.write_feather(table, FILE)",
                kind="old-format",
            )
        self._source, self._file = source, source.at_any_place()
        is_parquet = head.startswith(_PARQUET)
        self._kind = "Parquet" if is_parquet else "Feather or Arrow"
        self._open = _parquet if is_parquet else _arrow
        schema = self._reader([]).schema
        layout = with_classes(schema.names, layout)
        super().__init__(source.path, layout)
        with self._of_file():
            names = column_names(schema.names, layout)
        self._names = [names[field] for field in (TOPIC, *layout.ids, layout.number)]
        *ids, number = (schema.field(name).type for name in self._names)
        for name, kind in zip(self._names, ids, strict=False):
            if not _is_id(kind):
                raise self._wrong(f"column {name} holds {kind}: ids are strings, bytes or integers")
        if not _is_number(number):
            raise self._wrong(f"column {self._names[-1]} holds {number}, not numbers")

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

    def _rows(self) -> Iterator[_Stretch]:
        """All rows in their order, few at once, proved to hold what they say."""
        proof = _Proof()
        batches = self._reader(self._names).batches()
        while True:
            with self._damage():
                batch = next(batches, None)
                if batch is None:
                    return
                rows = _Stretch(
                    tuple(proof.column(name, batch.column(name)) for name in self._names)
                )
            self._source.check_size(proof.size)
            for first in range(0, rows.count, _FEW):
                yield rows.cut(first, min(first + _FEW, rows.count))

    def _reader(self, names: Sequence[str]) -> _Reader:
        with self._damage():
            self._file.seek(0)
            return self._open(self._file, names)

    def _wrong(self, message: str) -> InputError:
        return InputError([Problem(self.name, None, "bad-table", message)])

    @contextmanager
    def _of_file(self) -> Iterator[None]:
        """What is wrong here is wrong with this file."""
        try:
            yield
        except InputError as error:
            raise InputError([p._replace(path=self.name) for p in error.problems]) from None

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """What Arrow does not get over is damage of the file."""
        import pyarrow as pa

        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError, IndexError, OverflowError) as error:
            reason = "; ".join(str(error).splitlines()[:1])
            what = f"this {self._kind} file is damaged: {reason}"
            raise self._source.problem(what) from None


def _first(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.line or 0)[:MOST_PROBLEMS])


# what is read of a file


class _Reader(NamedTuple):
    """The columns of a file, and what gives those that were asked for, batch by batch."""

    schema: pa.Schema
    batches: Callable[[], Iterator[pa.RecordBatch]]


def _parquet(file: BinaryIO, names: Sequence[str]) -> _Reader:
    from pyarrow.parquet import ParquetFile

    found = ParquetFile(
        file,
        # the ids that come again and again, as all but those of documents do
        read_dictionary=[*names[:1], *names[2:-1]],
        buffer_size=_BUFFER,
        pre_buffer=False,
        page_checksum_verification=True,
    )

    read = partial(found.iter_batches, _FEW, columns=names, use_threads=False)
    return _Reader(found.schema_arrow, read)


def _arrow(file: BinaryIO, names: Sequence[str]) -> _Reader:
    """A file of Arrow is a stream with some bytes before it, and behind it what tells of it.

    Read as a file Arrow would use threads.
    """
    import pyarrow as pa

    told = None
    if file.read(len(_STREAM)) == _STREAM:
        file.seek(0)
    else:
        told = _told(file)
        file.seek(len(_BEGIN))
    start = file.tell()
    schema = pa.ipc.open_stream(file).schema
    fields = [at for at, name in enumerate(schema.names) if name in names]
    options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=fields)

    def batches() -> Iterator[pa.RecordBatch]:
        file.seek(start)
        count = 0
        for batch in pa.ipc.open_stream(file, options=options):
            count += 1
            yield batch
        if told not in (None, count):
            raise ValueError(f"of {told} batches there are {count}")
        if told is None:
            # it may end anywhere else, and then nobody knows whether it was cut
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise ValueError("the stream has no end")

    return _Reader(schema, batches)


_BEGIN, _END = b"ARROW1\0\0", _STREAM + bytes(4)


def _told(file: BinaryIO) -> int:
    """How many batches a file of Arrow has, as its end tells."""
    import pyarrow as pa

    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 10))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - 10 - length))
    found: int = pa.ipc.open_file(pa.BufferReader(_BEGIN + file.read())).num_record_batches
    return found


class _Proof:
    """Columns proved to hold what they say, and how many bytes they have taken so far."""

    def __init__(self) -> None:
        self.size = 0
        self._known: dict[str, tuple[Any, Any, Ids]] = {}

    def column(self, name: str, given: pa.Array) -> Any:
        """A column that may be used: its texts, which need not be UTF-8, are bytes.

        Raises:
            ValueError, IndexError: it does not hold what it says.
        """
        import pyarrow as pa

        if not isinstance(given, pa.DictionaryArray):
            found = _as_bytes(given)
            found.validate(full=True)
            self.size += found.nbytes
            return found
        values, ids = self._distinct(name, given.dictionary)
        if values.null_count or given.null_count:
            given.validate(full=True)
            return self.column(name, given.cast(given.type.value_type))
        code = given.indices
        code.validate(full=True)
        codes = from_arrow(code)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(ids):
            raise ValueError(f"column {name} has a code of no text")
        self.size += code.nbytes
        return _Coded(codes, ids)

    def _distinct(self, name: str, given: pa.Array) -> tuple[pa.Array, Ids]:
        """The distinct values of a column, looked at once, though they come with every batch."""
        place = [(each.address, each.size) if each else None for each in given.buffers()]
        place.append((given.offset, len(given)))
        if self._known.get(name, [None])[0] != place:
            values = _as_bytes(given)
            values.validate(full=True)
            self.size += values.nbytes
            # they are kept, so that no others can come to lie in their place
            self._known[name] = (place, values, ids_from_arrow(_texts(values)))
        return self._known[name][1:]


def _as_bytes(column: pa.Array) -> pa.Array:
    """A column whose texts are bytes; nothing is copied."""
    import pyarrow as pa

    bytes_of = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }
    return column.view(bytes_of[column.type]) if column.type in bytes_of else column


# columns


def _is_id(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_integer(kind) or any(is_text(kind) for is_text in text_types())


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(is_kind(kind) for is_kind in tests)


def _nulls(chunks: Sequence[Any]) -> list[int]:
    """The rows that lack a value."""
    found: list[int] = []
    before = 0
    for chunk in chunks:
        if not isinstance(chunk, _Coded) and chunk.null_count:
            found += (before + row for row, cell in enumerate(chunk) if not cell.is_valid)
        before += len(chunk)
    return found


def _codes(chunks: Sequence[Any]) -> tuple[Ints, list[bytes]]:
    """Which distinct topic each row has: (int64[N], the topics in order of appearance)."""
    import pyarrow as pa

    heads: list[Ids] = []
    sizes: list[Ints] = []
    for chunk in chunks:
        if isinstance(chunk, _Coded):
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
    if any(isinstance(chunk, _Coded) for chunk in chunks):
        return concatenate([_plain_ids(chunk) for chunk in chunks])
    return _joined([_texts(chunk) for chunk in chunks])


def _plain_ids(chunk: Any) -> Ids:
    if isinstance(chunk, _Coded):
        return chunk.values.take(chunk.code)
    return ids_from_arrow(_texts(chunk))


def _texts(column: pa.Array) -> pa.Array:
    """A column of ids as bytes one behind the other."""
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    return column.cast(pa.large_binary()) if column.type == pa.binary_view() else column


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
