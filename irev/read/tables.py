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

from irev.core.arrays import Bools, Floats, Ints
from irev.core.ids import Ids, ids_from_arrow, ids_from_bytes
from irev.core.text import as_bytes, as_text
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.arrow_files import is_arrow_file
from irev.read.batches import Numbered, TableFile, TextTable, coded_ids, joined_ids
from irev.read.columns import BINARY, Columns, number_problem
from irev.read.frames import column_names, layout_with_classes
from irev.read.headers import Header, header_of
from irev.read.layout import TOPIC, Layout
from irev.read.nested import is_nested, nested_table
from irev.read.pieces import LONGEST_LINE, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from irev.read.stream import Source
    from irev.read.topics import Cut, TopicTable


def is_structured(head: bytes) -> bool:
    """Whether a file that begins so holds a table or a mapping, not lines of fields."""
    return is_arrow_file(head) or is_nested(head) or header_of(head) is not None


def structured_table(source: Source, head: bytes, layout: Layout) -> Cut[Any] | TopicTable:
    """A table or a mapping in a file, which gives whole topics."""
    if is_arrow_file(head):
        return TableFile(source, head, layout)
    header = header_of(head)
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
            header = header_of(_first_lines(source, header.line)) or header
        layout = layout_with_classes(header.cells, layout)
        super().__init__(source.path, layout)
        self._source, self._header = source, header
        try:
            names = column_names(header.cells, layout)
        except InputError as error:
            raise InputError([p._replace(line=header.line) for p in error.problems]) from None
        self._names = [names[field] for field in (TOPIC, *layout.ids, layout.number)]
        self._places = [header.cells.index(name) for name in self._names]

    def _read(self) -> Iterator[Numbered]:
        before = self._header.line
        quick, blocks = self._quick(), self._blocks()
        for block in blocks:
            if not block.strip(b" \r\n"):  # there may be very many blank lines
                before += block.count(b"\n")
                continue
            found = quick(block, before)
            for rows in self._careful(block, blocks, before) if found is None else [found]:
                yield rows
                before = rows.after

    def _blocks(self) -> Generator[bytes]:
        """The lines behind that of the names, many at once."""
        before, skipped = 0, self._header.line
        for piece in pieces(self._source, whole_topics=False):
            text = bytes(piece.text)
            zero = text.find(b"\0")
            if zero >= 0:
                line = before + text.count(b"\n", 0, zero) + 1
                raise InputError([Problem(self.name, line, "binary-file", BINARY)])
            before += text.count(b"\n")
            start = 0
            while skipped and start < len(text):
                start = text.index(b"\n", start) + 1
                skipped -= 1
            if start < len(text):
                yield text[start:]

    def _quick(self) -> Callable[[bytes, int], Numbered | None]:
        """Arrow's reader of a block; it gives None where some row is not just one line."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        wanted = [str(place) for place in self._places]
        read = arrow_csv.ReadOptions(
            column_names=[str(place) for place in range(len(self._header.cells))],
            block_size=4 * LONGEST_LINE,
            use_threads=False,
        )
        parse = arrow_csv.ParseOptions(delimiter=self._header.separator, ignore_empty_lines=False)
        convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, pa.large_binary()),
            include_columns=wanted,
            strings_can_be_null=False,
            null_values=[],
        )

        def rows(block: bytes, before: int) -> Numbered | None:
            try:
                table = arrow_csv.read_csv(pa.py_buffer(block), read, parse, convert)
            except pa.ArrowInvalid:
                return None
            lines = block.count(b"\n")
            last = block[block.rfind(b"\n", 0, -1) + 1 :]
            if table.num_rows != lines or [_END] not in self._rows_of([as_text(last), _END]):
                # a quote that is never closed does not trouble Arrow
                return None
            columns = tuple(table.combine_chunks().column(name).chunk(0) for name in wanted)
            if any(not ids_from_arrow(column).length.all() for column in columns):
                # a blank line gives empty cells, too
                return None
            return Numbered(
                columns, np.arange(before + 1, before + 1 + lines), before, before + lines
            )

        return rows

    def _careful(self, block: bytes, blocks: Generator[bytes], before: int) -> Iterator[Numbered]:
        """The cells row by row, and the rows of a wrong length as problems.

        A row that is longer than the block goes on in the next one, which is then read here, too.
        """
        waiting = deque(_lines(block))
        table = self._rows_of(_one_by_one(waiting, blocks))
        first = before
        while waiting:
            rows: list[list[bytes]] = []
            lines: list[int] = []
            problems: list[Problem] = []
            while waiting and len(rows) < _FEW and len(problems) < MOST_PROBLEMS:
                line = first + table.line_num + 1
                try:
                    cells = next(table)
                except csv.Error as error:
                    what = f"this row cannot be read: {error}"
                    problems.append(Problem(self.name, line, "unreadable-line", what))
                    waiting.clear()
                    blocks.close()
                    break
                wrong = _row_fault(cells, self._header, self._places)
                if wrong is not None:
                    problems.append(Problem(self.name, line, "unreadable-line", *wrong))
                elif len(cells) == len(self._header.cells):
                    rows.append([as_bytes(cells[place]) for place in self._places])
                    lines.append(line)
            after = first + table.line_num
            columns = [ids_from_bytes([row[at] for row in rows]) for at in range(len(self._places))]
            yield Numbered(
                tuple(map(coded_ids, columns)),
                np.array(lines, np.int64),
                before,
                after,
                tuple(problems),
            )
            before = after

    def _rows_of(self, lines: Iterable[str]) -> Any:
        return csv.reader(lines, delimiter=self._header.separator)

    def _values(self, number: Sequence[Any]) -> Floats:
        return self._layout.parse(joined_ids(number))

    def _odd(self, found: Columns, line: Ints, number: Sequence[Any]) -> Iterator[Problem]:
        """Ids that are missing, and such as no other file could have; what is no number."""
        topics = ids_from_bytes(found.topics)
        if _is_odd(topics).any():
            topics = topics.take(found.topic)
        for name, ids in zip(self._names, (topics, *found.ids), strict=False):
            for row in np.flatnonzero(_is_odd(ids))[:MOST_PROBLEMS].tolist():
                what, hint = f"an id is missing in column {name}", ""
                if ids[row]:
                    what = f"'{id_text(ids[row])}' in column {name} begins or ends with a blank"
                    hint = "write only the separator between cells"
                yield Problem(self.name, int(line[row]), "bad-id", what, hint)
        wrong = np.flatnonzero(np.isnan(found.number))[:MOST_PROBLEMS].tolist()
        texts = joined_ids(number) if wrong else topics
        for row in wrong:
            yield number_problem(int(line[row]), texts[row], self._layout, self.name)


def _is_odd(ids: Ids) -> Bools:
    """bool[N]: which ids are missing, or begin or end with a blank or a line break."""
    first, last = ids.data[ids.start], ids.data[ids.start + np.maximum(ids.length, 1) - 1]
    found: Bools = (ids.length == 0) | (first <= ord(" ")) | (last <= ord(" "))
    return found


def _first_lines(source: Source, count: int) -> bytes:
    """So many lines of a text at least, if it has them."""
    text = b""
    for piece in pieces(source, whole_topics=False):
        text += piece.text
        if text.count(b"\n") >= count:
            break
    return text


def _lines(text: bytes) -> list[str]:
    return io.StringIO(as_text(text), newline="").readlines()


def _one_by_one(waiting: deque[str], blocks: Iterator[bytes]) -> Iterator[str]:
    """The lines that wait; those of the next block where one more is wanted, and at last an end."""
    while True:
        while waiting:
            yield waiting.popleft()
        block = next(blocks, None)
        if block is None:
            yield _END
            return
        waiting.extend(_lines(block))


def _row_fault(
    cells: Sequence[str], header: Header, places: Sequence[int]
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
    if any("\n" in cells[place] for place in places):
        return "a line break in an id or a number", _QUOTES
    return None
