"""Files that hold a table or a mapping; here text with commas or tabs between cells.

Such text is known by a first line that names the columns. Arrow reads what has a line for each row;
anything else (blank lines, line breaks between quotes, rows of the wrong length) is read once more
by Python's `csv`, which knows each row's line. Only calls of Arrow are used that do not import
pandas.
"""

from __future__ import annotations

import csv
import io
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Ints
from irev.core.ids import Ids, ids_from_arrow, ids_from_bytes
from irev.core.text import as_bytes
from irev.core.tuples import NamedTuple
from irev.errors import MOST_PROBLEMS, InputError, Problem, shown
from irev.read.arrow_files import is_arrow_file
from irev.read.batches import TableFile
from irev.read.columns import BINARY
from irev.read.frames import column_names, with_classes
from irev.read.headers import Header, header_of
from irev.read.layout import TOPIC, Layout
from irev.read.nested import is_nested, nested_rows
from irev.read.pieces import LONGEST_LINE
from irev.read.sniff import number_hint
from irev.read.topics import TopicTable, grouped_rows, without_repeated_hints

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.model import Rows
    from irev.read.stream import Source


def is_structured(head: bytes) -> bool:
    """Whether a file that begins so holds a table or a mapping, not lines of fields."""
    return is_arrow_file(head) or is_nested(head) or header_of(head) is not None


def structured(source: Source, head: bytes, layout: Layout) -> TableFile | TopicTable:
    """A table or a mapping in a file, which gives whole topics.

    Raises:
        InputError: it is damaged, or does not hold the columns or the mapping that it should.
    """
    if is_arrow_file(head):
        return TableFile(source, head, layout)
    header = header_of(head)
    try:
        rows = (
            nested_rows(source, layout)
            if header is None
            else _delimited_rows(source, header, layout)
        )
    except InputError as error:
        named = [problem._replace(path=source.path) for problem in error.problems]
        raise InputError(named) from None
    return TopicTable(source.path, rows)


# tables as text

_BLOCK = 1 << 24

csv.field_size_limit(LONGEST_LINE)  # by default a text of 128 KiB is too long

_END = "\0"
"""A last row that no text has: where it is part of another row a quote is open."""

_QUOTES = 'a quote opens a cell up to the next quote: an id that begins with one is """a", not "a'


class _Cells(NamedTuple):
    """The columns that are wanted, as they stand there, and the line of each row."""

    columns: list[Ids]
    line: Ints
    problems: Sequence[Problem] = ()


def _delimited_rows(source: Source, header: Header, layout: Layout) -> Iterator[Rows]:
    """The rows of a table as text, as whole topics.

    Raises:
        InputError: a column is missing or there twice, a row has too few or too many cells, an id
            is missing, or a number is none; all problems found, up to a limit.
    """
    content = source.content()
    # of a very long line only the beginning was seen
    header = header_of(content) or header
    layout = with_classes(header.cells, layout)
    fields = (TOPIC, *layout.ids, layout.number)
    names = _names(source, header, layout)
    places = [header.cells.index(names[field]) for field in fields]
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        problem = Problem(source.path, line, "binary-file", BINARY)
        raise InputError([problem])
    start = _end_of_line(content, header.line)
    cells = _quick_cells(content, start, header, places)
    if cells is None:
        cells = _careful_cells(source.path, content[start:], header, places)
    *ids, texts = cells.columns
    number = layout.parse(texts)
    problems = list(cells.problems)
    for field, column in zip(fields, ids, strict=False):
        problems += _id_problems(source.path, names[field], column, cells.line)
    for row in np.flatnonzero(np.isnan(number))[:MOST_PROBLEMS].tolist():
        message = f"{layout.number} '{shown(texts[row])}' is not {layout.wanted}"
        hint = number_hint(texts[row], layout)
        problems.append(
            Problem(source.path, int(cells.line[row]), f"bad-{layout.number}", message, hint)
        )
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise InputError(without_repeated_hints(problems))
    if not len(cells.line):
        raise source.problem("the table has no row", kind="empty-file")
    code, topics = ids[0].codes()
    return grouped_rows(topics, code, ids[1:], number, cells.line)


def _names(source: Source, header: Header, layout: Layout) -> dict[str, str]:
    """Which column holds each field."""
    try:
        return column_names(header.cells, layout)
    except InputError as error:
        found = [problem._replace(path=source.path, line=header.line) for problem in error.problems]
        raise InputError(found) from None


def _end_of_line(content: bytes, line: int) -> int:
    """Where the line after that of a number begins."""
    end = 0
    for _ in range(line):
        end = content.find(b"\n", end) + 1 or len(content)
    return end


def _quick_cells(
    content: bytes, start: int, header: Header, places: Sequence[int]
) -> _Cells | None:
    """The cells from a place on by Arrow's reader; None where some row is not just one line."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    wanted = [str(place) for place in places]
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(memoryview(content)[start:]),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(header.cells))],
                block_size=_BLOCK,
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=header.separator, ignore_empty_lines=False
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, pa.large_binary()),
                include_columns=wanted,
                strings_can_be_null=False,
                null_values=[],
            ),
        ).combine_chunks()
    except pa.ArrowInvalid:
        return None
    lines = content.count(b"\n", start) + (len(content) > start and not content.endswith(b"\n"))
    if table.num_rows != lines or not lines:
        return None
    last = content[content.rfind(b"\n", start, -1) + 1 :]
    if [_END] not in _rows(last, header):
        # a quote that is never closed does not trouble Arrow
        return None
    columns = [ids_from_arrow(table.column(name).chunk(0)) for name in wanted]
    if any(not column.length.all() for column in columns):
        # a blank line gives empty cells, too
        return None
    return _Cells(columns, np.arange(header.line + 1, header.line + 1 + lines))


def _careful_cells(path: str, text: bytes, header: Header, places: Sequence[int]) -> _Cells:
    """The cells row by row, and the rows of a wrong length as problems."""
    rows: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    table = _rows(text, header)
    line = header.line + 1
    try:
        for cells in table:
            wrong = _what_is_wrong(cells, header, places)
            if wrong is not None:
                problems.append(Problem(path, line, "unreadable-line", *wrong))
                if len(problems) >= MOST_PROBLEMS:
                    break
            elif len(cells) == len(header.cells):
                rows.append([cells[place] for place in places])
                lines.append(line)
            line = header.line + 1 + table.line_num
    except csv.Error as error:
        problems.append(Problem(path, line, "unreadable-line", f"this row cannot be read: {error}"))
    columns = [ids_from_bytes([as_bytes(cells[at]) for cells in rows]) for at in range(len(places))]
    return _Cells(columns, np.array(lines, np.int64), problems)


def _rows(text: bytes, header: Header) -> Any:
    """A reader of the rows of a text, and of `_END`."""
    stream = io.TextIOWrapper(io.BytesIO(text), "utf-8", "surrogateescape", newline="")
    return csv.reader(chain(stream, [_END]), delimiter=header.separator)


def _what_is_wrong(
    cells: Sequence[str], header: Header, places: Sequence[int]
) -> tuple[str, str] | None:
    """What is wrong with a row, and a hint; a blank one is none."""
    if "".join(cells).strip() in ("", _END) and len(cells) < 2:
        return None
    if cells[-1].endswith(_END):
        return "a quote that is opened here is never closed", _QUOTES
    if len(cells) != len(header.cells):
        is_quoted = any("\n" in cell or header.separator in cell for cell in cells)
        hint = _QUOTES if is_quoted else "the first line names so many columns"
        return f"expected {len(header.cells)} cells, found {len(cells)}", hint
    if any("\n" in cells[place] for place in places):
        return "a line break in an id or a number", _QUOTES
    return None


def _id_problems(path: str, name: str, ids: Ids, line: Ints) -> Iterator[Problem]:
    """Ids that are missing, and such as no other file could have."""
    for row in np.flatnonzero(ids.length == 0)[:MOST_PROBLEMS].tolist():
        yield Problem(path, int(line[row]), "bad-id", f"an id is missing in column {name}")
    for row in np.flatnonzero(_has_blank_end(ids))[:MOST_PROBLEMS].tolist():
        what = f"'{shown(ids[row])}' in column {name} begins or ends with a blank"
        yield Problem(
            path, int(line[row]), "bad-id", what, "nothing but the separator stands between cells"
        )


def _has_blank_end(ids: Ids) -> Bools:
    """bool[N]: which ids begin or end with a blank or a line break."""
    first, last = ids.data[ids.start], ids.data[ids.start + np.maximum(ids.length, 1) - 1]
    found: Bools = (ids.length > 0) & ((first <= ord(" ")) | (last <= ord(" ")))
    return found
