"""Files that hold a table or a mapping; here text with commas or tabs between cells.

Such text is known by a first line that names the columns, and is read block by block. Arrow reads
the blocks that have a line for each row; the others (blank lines, line breaks between quotes, rows
of the wrong length) are read by Python's `csv`, which knows each row's line. Only calls of Arrow
are used that do not import pandas.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Ints, RowMask, RowValues
from irev.core.ids import Ids, ids_from_arrow, ids_from_bytes
from irev.core.text import as_bytes, as_text
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.arrow_files import is_arrow_file
from irev.read.batches import (
    NumberedBlock,
    TableFile,
    TextTable,
    coded_ids,
    concatenate_chunk_ids,
)
from irev.read.columns import BINARY, Columns, number_problem
from irev.read.frames import column_names, layout_with_classes
from irev.read.headers import ColumnNames, Header, find_header
from irev.read.layout import TOPIC, Layout
from irev.read.nested import is_nested, nested_table
from irev.read.pieces import LONGEST_LINE, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from irev.read.nested import JsonLines
    from irev.read.stream import Source
    from irev.read.topics import TopicTable


def is_structured(head: bytes, columns: ColumnNames = ()) -> bool:
    """Whether a file that begins so holds a table or a mapping, not lines of fields."""
    return is_arrow_file(head) or is_nested(head) or find_header(head, columns) is not None


def structured_table(
    source: Source, head: bytes, layout: Layout
) -> TableFile | Delimited | JsonLines | TopicTable:
    """A table or a mapping in a file, which gives whole topics."""
    if is_arrow_file(head):
        return TableFile(source, head, layout)
    header = find_header(head, layout.columns)
    try:
        return (
            nested_table(source, head, layout)
            if header is None
            else Delimited(source, head, header, layout)
        )
    except InputError as error:
        named = [problem._replace(path=source.path) for problem in error.problems]
        raise InputError(named) from None


# tables as text

csv.field_size_limit(LONGEST_LINE)  # by default a text of 128 KiB is too long

_FEW = 1 << 16
"""Rows that are read at once by the careful way, at most."""

_END = "\0"
"""A last row that no text has: where it is part of another row a quote is open."""

_QUOTES = 'a quote opens a cell up to the next quote: an id that begins with one is """a", not "a'


class Delimited(TextTable):
    """A table as text, with commas or tabs between cells."""

    def __init__(self, source: Source, head: bytes, header: Header, layout: Layout) -> None:
        """Look at the names of the columns."""
        if head.count(b"\n") < header.line:
            # of a very long line only the beginning was seen
            beginning = _beginning_with_lines(source, header.line)
            header = find_header(beginning, layout.columns) or header
        super().__init__(source.path, layout)
        self._source, self._header = source, header
        self._choose_columns(layout)

    def _choose_columns(self, layout: Layout) -> None:
        header, layout = self._header, layout_with_classes(self._header.cells, layout)
        try:
            names = column_names(header.cells, layout)
        except InputError as error:
            raise InputError([p._replace(line=header.line) for p in error.problems]) from None
        self._layout = layout
        self._names = [names[field] for field in (TOPIC, *layout.ids, layout.number)]
        self._places = [header.cells.index(name) for name in self._names]

    def _read(self, piece_size: int) -> Iterator[NumberedBlock]:
        line_before = self._header.line
        read_with_arrow, blocks = self._arrow_reader(), self._blocks(piece_size)
        for block in blocks:
            if not block.strip(b" \r\n"):  # there may be very many blank lines
                line_before += block.count(b"\n")
                continue
            rows_of_block = read_with_arrow(block, line_before)
            for rows in (
                self._read_row_by_row(block, blocks, line_before)
                if rows_of_block is None
                else [rows_of_block]
            ):
                yield rows
                line_before = rows.after

    def _blocks(self, piece_size: int) -> Generator[bytes]:
        """The lines behind that of the names, many at once."""
        line_before, skipped = 0, self._header.line
        for piece in pieces(self._source, whole_topics=False, piece_size=piece_size):
            text = bytes(piece.text)
            zero = text.find(b"\0")
            if zero >= 0:
                line = line_before + text.count(b"\n", 0, zero) + 1
                raise InputError([Problem(self.name, line, "binary-file", BINARY)])
            line_before += text.count(b"\n")
            start = 0
            while skipped and start < len(text):
                start = text.index(b"\n", start) + 1
                skipped -= 1
            if start < len(text):
                yield text[start:]

    def _arrow_reader(self) -> Callable[[bytes, int], NumberedBlock | None]:
        """Arrow's reader of a block; it gives None where some row is not just one line."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        needed_columns = [str(place) for place in self._places]
        read = arrow_csv.ReadOptions(
            column_names=[str(place) for place in range(len(self._header.cells))],
            block_size=4 * LONGEST_LINE,
            use_threads=False,
        )
        parse = arrow_csv.ParseOptions(delimiter=self._header.separator, ignore_empty_lines=False)
        convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(needed_columns, pa.large_binary()),
            include_columns=needed_columns,
            strings_can_be_null=False,
            null_values=[],
        )

        def rows_of_block(block: bytes, line_before: int) -> NumberedBlock | None:
            try:
                table = arrow_csv.read_csv(pa.py_buffer(block), read, parse, convert)
            except pa.ArrowInvalid:
                return None
            lines = block.count(b"\n")
            last = block[block.rfind(b"\n", 0, -1) + 1 :]
            if table.num_rows != lines or [_END] not in self._csv_rows([as_text(last), _END]):
                # a quote that is never closed does not trouble Arrow
                return None
            columns = tuple(table.combine_chunks().column(name).chunk(0) for name in needed_columns)
            if any(not ids_from_arrow(column).length.all() for column in columns):
                # a blank line gives empty cells, too
                return None
            return NumberedBlock(
                columns,
                np.arange(line_before + 1, line_before + 1 + lines),
                line_before,
                line_before + lines,
            )

        return rows_of_block

    def _read_row_by_row(
        self, block: bytes, blocks: Generator[bytes], line_before: int
    ) -> Iterator[NumberedBlock]:
        """The cells row by row, and the rows of a wrong length as problems.

        A row that is longer than the block goes on in the next one, which is then read here, too.
        """
        waiting = deque(_split_lines(block))
        table = self._csv_rows(_next_lines(waiting, blocks))
        first_line = line_before
        while waiting:
            rows: list[list[bytes]] = []
            lines: list[int] = []
            problems: list[Problem] = []
            while waiting and len(rows) < _FEW and len(problems) < MOST_PROBLEMS:
                line = first_line + table.line_num + 1
                try:
                    cells = next(table)
                except csv.Error as error:
                    message = f"this row cannot be read: {error}"
                    problems.append(Problem(self.name, line, "unreadable-line", message))
                    waiting.clear()
                    blocks.close()
                    break
                fault = _row_fault(cells, self._header, self._places)
                if fault is not None:
                    problems.append(Problem(self.name, line, "unreadable-line", *fault))
                elif len(cells) == len(self._header.cells):
                    rows.append([as_bytes(cells[place]) for place in self._places])
                    lines.append(line)
            after = first_line + table.line_num
            columns = [
                ids_from_bytes([row[index] for row in rows]) for index in range(len(self._places))
            ]
            yield NumberedBlock(
                tuple(map(coded_ids, columns)),
                np.array(lines, np.int64),
                line_before,
                after,
                tuple(problems),
            )
            line_before = after

    def _csv_rows(self, lines: Iterable[str]) -> Any:
        return csv.reader(lines, delimiter=self._header.separator)

    def _number_column(self, number_chunks: Sequence[Any]) -> RowValues:
        return self._layout.parse(concatenate_chunk_ids(number_chunks))

    def _cell_problems(
        self, columns: Columns, line_of_row: Ints, number_chunks: Sequence[Any]
    ) -> Iterator[Problem]:
        """Ids that are missing, and such as no other file could have; what is no number."""
        topics = ids_from_bytes(columns.topics)
        if _bad_id_mask(topics).any():
            topics = topics.take(columns.topic)
        for name, ids in zip(self._names, (topics, *columns.ids), strict=False):
            for row in np.flatnonzero(_bad_id_mask(ids))[:MOST_PROBLEMS].tolist():
                message, hint = f"an id is missing in column {name}", ""
                if ids[row]:
                    message = f"'{id_text(ids[row])}' in column {name} begins or ends with a blank"
                    hint = "write only the separator between cells"
                yield Problem(self.name, int(line_of_row[row]), "bad-id", message, hint)
        rows_without_number = np.flatnonzero(np.isnan(columns.number))[:MOST_PROBLEMS].tolist()
        texts = concatenate_chunk_ids(number_chunks) if rows_without_number else topics
        for row in rows_without_number:
            yield number_problem(int(line_of_row[row]), texts[row], self._layout, self.name)


def _bad_id_mask(ids: Ids) -> RowMask:
    """bool[N]: which ids are missing, or begin or end with a blank or a line break."""
    first, last = ids.data[ids.start], ids.data[ids.start + np.maximum(ids.length, 1) - 1]
    is_bad: Bools = (ids.length == 0) | (first <= ord(" ")) | (last <= ord(" "))
    return is_bad


def _beginning_with_lines(source: Source, min_lines: int) -> bytes:
    """So many lines of a text at least, if it has them."""
    text = b""
    for piece in pieces(source, whole_topics=False):
        text += piece.text
        if text.count(b"\n") >= min_lines:
            break
    return text


def _split_lines(text: bytes) -> list[str]:
    return io.StringIO(as_text(text), newline="").readlines()


def _next_lines(pending_lines: deque[str], blocks: Iterator[bytes]) -> Iterator[str]:
    """The lines that wait; those of the next block where one more is wanted, and at last an end."""
    while True:
        while pending_lines:
            yield pending_lines.popleft()
        block = next(blocks, None)
        if block is None:
            yield _END
            return
        pending_lines.extend(_split_lines(block))


def _row_fault(
    cells: Sequence[str], header: Header, column_indices: Sequence[int]
) -> tuple[str, str] | None:
    """What is wrong with a row, and a hint; a blank one is none."""
    if "".join(cells).strip() in ("", _END) and len(cells) < 2:
        return None
    if cells[-1].endswith(_END):
        return "a quote that is opened here is never closed", _QUOTES
    if len(cells) != len(header.cells):
        is_quoted = any("\n" in cell or header.separator in cell for cell in cells)
        hint = _QUOTES if is_quoted else "the first line has this many column names"
        return f"expected {len(header.cells)} cells, found {len(cells)}", hint
    if any("\n" in cells[place] for place in column_indices):
        return "a line break in an id or a number", _QUOTES
    return None
