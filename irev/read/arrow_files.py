"""One file of Parquet, Arrow or Feather: its rows as they stand there, a few at a time.

Only the columns that are needed are read. What Arrow hands on is proved to hold what it says before
it is used: of a damaged file it may read anything. Its threads are left out: one that lets go of
the file while the interpreter ends would abort the program. Only calls of Arrow are used that do
not import pandas.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeAlias

import numpy as np

from irev.core.arrays import numpy_view
from irev.core.ids import Ids, ids_from_arrow, ids_from_bytes
from irev.core.packages import need_packages
from irev.core.record import record
from irev.errors import InputError
from irev.read.frames import (
    column_names,
    is_number,
    layout_with_classes,
    text_or_bytes_type_tests,
    texts_as_bytes,
)
from irev.read.layout import TOPIC, Layout
from irev.read.stream import Source

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 1 << 16
"""Rows that are read at once, at most: these stay in a cache until their part is together."""

_PARQUET, _ARROW, _FEATHER_1, _STREAM = b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"
"""How such files begin, and each message of a stream of Arrow."""

_TABLE = re.compile(rb"(?:PAR1|ARROW1|FEA1)(?![\s!-~])|\xff{4}[^\0]..\0", re.DOTALL)
"""How a table begins that is no text; a topic may be called PAR1. A stream of Arrow begins with the
size of its schema, which is not so large that the last of four bytes would be used."""

_ONE_AT_A_TIME = Lock()
"""Who changes where Arrow takes its memory from, and back."""

_BUFFER = 1 << 16
"""Bytes of a column of a Parquet file that are read at once."""


def is_arrow_file(head: bytes) -> bool:
    """Whether a file that begins so is one of Parquet, Arrow or Feather."""
    return _TABLE.match(head) is not None


@record
class CodedIds:
    """A column of few distinct ids: which of them each row has."""

    code: Any
    values: Ids

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, rows: Any) -> CodedIds:
        return CodedIds(self.code[rows], self.values)


@record
class RowBlock:
    """Some rows: the topic, the other ids and the number of each, as Arrow or NumPy has them."""

    columns: tuple[Any, ...]

    @property
    def count(self) -> int:
        """How many rows these are."""
        return len(self.columns[-1])

    def cut(self, start: int, stop: int) -> Self:
        """Some of the rows; nothing is copied."""
        return replace(self, columns=tuple(column[start:stop] for column in self.columns))

    def cell(self, column_index: int, row: int) -> Any:
        """A cell of a row, as it stands there."""
        column = self.columns[column_index]
        if isinstance(column, CodedIds):
            return column.values[int(column.code[row])]
        value = column[row]
        return value.item() if isinstance(value, np.generic) else value.as_py()

    def start_of_last_topic(self) -> int:
        """Where the last topic begins: a search by steps and by halves, not row by row.

        Where topics are scattered this is still a place where the topic changes.
        """
        same, step = self.count - 1, 1
        topic = self.cell(0, same)
        other = max(0, same - step)
        while self.cell(0, other) == topic:
            if other == 0:
                return 0
            same, step = other, 2 * step
            other = max(0, same - step)
        while same - other > 1:
            middle = (same + other) // 2
            if self.cell(0, middle) == topic:
                same = middle
            else:
                other = middle
        return same


class ArrowFile:
    """A file whose columns were found and are of the right types."""

    def __init__(
        self, source: Source, head: bytes, layout: Layout, shared: Mapping[str, bytes] | None = None
    ) -> None:
        """Look at the names and types of the columns; `shared`: column -> its value in all rows."""
        if head.startswith(_FEATHER_1):
            raise source.problem(
                "this is a Feather file of version 1, which Arrow reads unchecked: a damaged "
                "one may crash the program",
                "rewrite it as Parquet, or with pyarrow.feather.write_feather(table, FILE)",
                kind="old-format",
            )
        need_packages("pyarrow", place=source.path)
        self._source, self._file = source, source.open_seekable()
        self.size = 0
        is_parquet = head.startswith(_PARQUET)
        self._kind = "Parquet" if is_parquet else "Feather or Arrow"
        self._open = _open_parquet if is_parquet else _open_arrow
        schema, _ = self._reader()
        self.columns_in_file: list[str] = schema.names
        self._shared = {name: v for name, v in (shared or {}).items() if name not in schema.names}
        self._schema = schema
        self.choose_columns(layout)

    def choose_columns(self, layout: Layout) -> None:
        """Find the columns of a layout, and look at their types."""
        import pyarrow as pa

        schema = self._schema
        all_names = [*schema.names, *self._shared]
        self.layout = layout_with_classes(all_names, layout)
        try:
            names = column_names(all_names, self.layout)
        except InputError as error:
            path = self._source.path
            raise InputError([each._replace(path=path) for each in error.problems]) from None
        self.names = [names[field] for field in (TOPIC, *self.layout.ids, self.layout.number)]
        *ids, number = self.names
        for name in ids:
            if name in self._shared:
                continue
            arrow_type = schema.field(name).type
            is_coded = pa.types.is_dictionary(arrow_type)
            plain = arrow_type.value_type if is_coded else arrow_type
            is_text = any(holds(plain) for holds in text_or_bytes_type_tests())
            if not is_text and not pa.types.is_integer(plain):
                fault = f"column {name} holds {arrow_type}: ids are strings, bytes or integers"
                raise self._source.problem(fault, kind="bad-table")
        # what all rows share is the name of a folder or a file: a text
        held = "text" if number in self._shared else schema.field(number).type
        if held == "text" or not is_number(held):
            fault = f"column {number} holds {held}, not numbers"
            raise self._source.problem(fault, kind="bad-table")

    def rows(
        self, bytes_towards_limit_before: int = 0, rows_at_once: int = 0
    ) -> Iterator[RowBlock]:
        """All rows in their order, few at once, proved to hold what they say.

        `bytes_towards_limit_before` counts towards the limit beside that of this file.
        """
        proof = _ColumnChecker(bytes_towards_limit_before)
        names = [name for name in self.names if name not in self._shared]
        # the ids that come again and again, as all but those of documents do
        repetitive = [name for name in (self.names[0], *self.names[2:-1]) if name in names]
        _, read_batches = self._reader(names, repetitive)
        batches = read_batches(rows_at_once or FEW)
        while True:
            with self._damage_errors():
                batch = next(batches, None)
                if batch is None:
                    return
                columns: list[Any] = []
                for name in self.names:
                    if name in names:
                        columns.append(proof.checked_column(name, batch.column(name)))
                    else:
                        ids = ids_from_bytes([self._shared[name]])
                        columns.append(CodedIds(np.zeros(batch.num_rows, np.int64), ids))
            rows = RowBlock(tuple(columns))
            self.size = proof.size
            self._source.check_size(self.size)
            for first in range(0, rows.count, FEW):
                yield rows.cut(first, min(first + FEW, rows.count))

    def _reader(self, names: Sequence[str] = (), repetitive: Sequence[str] = ()) -> _FileColumns:
        with self._damage_errors():
            self._file.seek(0)
            return self._open(self._file, names, repetitive)

    @contextmanager
    def _damage_errors(self) -> Iterator[None]:
        """What Arrow does not get over is damage of the file."""
        import pyarrow as pa

        try:
            yield
        except MemoryError:
            raise
        # what is damaged may have a length that Python has no number for: a SystemError
        except (
            pa.ArrowException,
            OSError,
            ValueError,
            IndexError,
            OverflowError,
            SystemError,
        ) as error:
            reason = "; ".join(str(error).splitlines()[:1])
            message = f"this {self._kind} file is damaged: {reason}"
            raise self._source.problem(message) from None


_FileColumns: TypeAlias = "tuple[pa.Schema, Callable[[int], Iterator[pa.RecordBatch]]]"
"""The columns of a file, and what gives those that were asked for, batch by batch. What opens it
may be told which of them hold few distinct texts."""


def _open_parquet(file: BinaryIO, names: Sequence[str], repetitive: Sequence[str]) -> _FileColumns:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    # the reader keeps the memory that it finds: Arrow's own holds a quarter more at once
    with _ONE_AT_A_TIME:
        usual = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool())
        try:
            parquet_file = ParquetFile(
                file,
                read_dictionary=repetitive,
                buffer_size=_BUFFER,
                pre_buffer=False,
                page_checksum_verification=True,
            )
        finally:
            pa.set_memory_pool(usual)
    read_batches = partial(parquet_file.iter_batches, columns=names, use_threads=False)
    return parquet_file.schema_arrow, read_batches


_BEGIN, _END = _ARROW + bytes(2), _STREAM + bytes(4)
"""What stands in a file of Arrow before its stream, and what ends a stream."""

_LENGTH_BYTES = 4
"""At the end of a file stand its footer, the footer's length in so many bytes, and `_ARROW`."""


def _open_arrow(file: BinaryIO, names: Sequence[str], repetitive: Sequence[str]) -> _FileColumns:
    """A file of Arrow is a stream with some bytes before it, and behind it what tells of it.

    Read as a file Arrow would use threads.
    """
    import pyarrow as pa

    promised_count = None
    if file.read(len(_STREAM)) == _STREAM:
        file.seek(0)
    else:
        # the end of a file tells how many batches it has
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LENGTH_BYTES - len(_ARROW)))
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        file.seek(max(0, size - _LENGTH_BYTES - len(_ARROW) - length))
        ending = pa.BufferReader(_BEGIN + file.read())
        promised_count = pa.ipc.open_file(ending).num_record_batches
        file.seek(len(_BEGIN))
    start = file.tell()
    schema = pa.ipc.open_stream(file).schema
    fields = [index for index, name in enumerate(schema.names) if name in names]
    options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=fields)

    def batches(_rows_at_once: int) -> Iterator[pa.RecordBatch]:
        file.seek(start)
        count = 0
        for batch in pa.ipc.open_stream(file, options=options):
            count += 1
            yield batch
        if promised_count not in (None, count):
            raise ValueError(f"of {promised_count} batches there are {count}")
        if promised_count is None:
            # it may end anywhere else, and then nobody knows whether it was cut
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise ValueError("the stream has no end marker")

    return schema, batches


class _ColumnChecker:
    """Columns proved to hold what they say, and how many bytes they have taken so far."""

    def __init__(self, bytes_towards_limit_before: int) -> None:
        self.size = bytes_towards_limit_before
        self._last_dictionaries: dict[str, tuple[Any, Any, Ids]] = {}

    def checked_column(self, name: str, column: pa.Array) -> pa.Array | CodedIds:
        """A column that may be used: its texts, which need not be UTF-8, are bytes."""
        import pyarrow as pa

        if not isinstance(column, pa.DictionaryArray):
            checked = texts_as_bytes(column)
            checked.validate(full=True)
            self.size += checked.nbytes
            return checked
        values, ids = self._checked_values(name, column.dictionary)
        if values.null_count or column.null_count:
            column.validate(full=True)
            return self.checked_column(name, column.cast(column.type.value_type))
        code = column.indices
        code.validate(full=True)
        codes = numpy_view(code)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(ids):
            raise ValueError(f"column {name} has a dictionary code without a value")
        self.size += code.nbytes
        return CodedIds(codes, ids)

    def _checked_values(self, name: str, dictionary: pa.Array) -> tuple[pa.Array, Ids]:
        """The distinct values of a column, looked at once, though they come with every batch."""
        place = [(each.address, each.size) if each else None for each in dictionary.buffers()]
        place.append((dictionary.offset, len(dictionary)))
        if self._last_dictionaries.get(name, [None])[0] != place:
            values = texts_as_bytes(dictionary)
            values.validate(full=True)
            self.size += values.nbytes
            # they are kept, so that no others can come to lie in their place
            self._last_dictionaries[name] = (
                place,
                values,
                ids_from_arrow(contiguous_id_texts(values)),
            )
        return self._last_dictionaries[name][1:]


def contiguous_id_texts(column: pa.Array) -> pa.Array:
    """A column of ids as bytes one behind the other."""
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    return column.cast(pa.large_binary()) if column.type == pa.binary_view() else column
