"""Files that hold a table or a mapping: text with a separator between cells, and JSON.

Text with cells is known by a first line that names the columns. It is read block by block: by Arrow
where a block has a line for each row; the others (blank lines, line breaks between quotes, rows of
the wrong length) by Python's `csv`, which knows each row's line.

In JSON a file holds a mapping, or objects, one on each line or in a list, whose keys are the names
of the columns. Lines are read block by block, too: by Arrow where plain strings and numbers stand
on every line, else line by line. Only calls of Arrow are used that do not import pandas.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from irev.core.arrays import Bools, Ints, RowMask, RowValues, numpy_view
from irev.core.ids import PADDING, Ids, ids_from_arrow, ids_from_bytes
from irev.core.judged import BatchesOfWholeTopics
from irev.core.packages import has_package
from irev.core.text import as_bytes, as_text, checked_id_bytes, parse_json
from irev.errors import MOST_PROBLEMS, InputError, Problem, id_text
from irev.read.arrow_files import is_arrow_file
from irev.read.batches import NumberedBlock, TableFile, TextTable, coded_ids, concatenate_chunk_ids
from irev.read.columns import (
    ColumnNames,
    Header,
    find_header,
    names_topics,
    names_topics_and_documents,
)
from irev.read.formats import SAVED
from irev.read.frames import column_names, usual_columns
from irev.read.layout import TOPIC, Layout
from irev.read.lines import BINARY, Columns, number_problem
from irev.read.memory import JOIN_INDEX, TAKE_OUT, mapping_rows, rows_in_memory
from irev.read.pieces import LONGEST_LINE, pieces
from irev.read.stream import Source
from irev.read.tools import tool_of_object
from irev.read.topics import TopicTable


def is_structured(head: bytes, columns: ColumnNames = (), *, any_names: bool = False) -> bool:
    """Whether a file that begins so holds a table or a mapping, not lines of fields.

    `any_names`: also a table whose columns have names that are not known.
    """
    is_json = _OBJECT.match(head) or _LIST_OF_OBJECTS.match(head)
    has_head = find_header(head, columns, any_names=any_names) is not None
    return is_arrow_file(head) or is_json is not None or has_head


def structured_table(
    source: Source, head: bytes, layout: Layout
) -> TableFile | Delimited | JsonLines | TopicTable:
    """A table or a mapping in a file, which gives whole topics."""
    if is_arrow_file(head):
        return TableFile(source, head, layout)
    header = find_header(head, layout.columns, any_names=True)
    try:
        if header is None:
            return _json_table(source, head, layout)
        return Delimited(source, head, header, layout)
    except InputError as error:
        named = [problem._replace(path=source.path) for problem in error.problems]
        raise InputError(named) from None


# --- Text with commas, tabs, semicolons or bars between cells ---


csv.field_size_limit(LONGEST_LINE)  # by default a text of 128 KiB is too long

_FEW = 1 << 16
"""Rows that are read at once by the careful way, at most."""

_END = "\0"
"""A last row that no text has: where it is part of another row a quote is open."""

_QUOTES = 'a quote opens a cell up to the next quote: an id that begins with one is """a", not "a'


class Delimited(TextTable):
    """A table as text, with a separator between cells."""

    def __init__(self, source: Source, head: bytes, header: Header, layout: Layout) -> None:
        if head.count(b"\n") < header.line:
            # of a very long line only the beginning was seen
            beginning = b""
            for piece in pieces(source, whole_topics=False):
                beginning += piece.text
                if beginning.count(b"\n") >= header.line:
                    break
            header = find_header(beginning, layout.columns, any_names=True) or header
        super().__init__(source.path, layout)
        self._source, self._header, self.cells = source, header, header.cells
        self._choose_columns(layout)

    def _choose_columns(self, layout: Layout) -> None:
        try:
            super()._choose_columns(layout)
        except InputError as error:
            line = self._header.line
            raise InputError([p._replace(line=line) for p in error.problems]) from None
        self._places = [self.cells.index(name) for name in self.names]

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
        if not has_package("pyarrow"):
            return lambda block, line_before: None
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
        return self.layout.parse(concatenate_chunk_ids(number_chunks))

    def _cell_problems(
        self, columns: Columns, line_of_row: Ints, number_chunks: Sequence[Any]
    ) -> Iterator[Problem]:
        """Ids that are missing, and such as no other file could have; what is no number."""
        topics = ids_from_bytes(columns.topics)
        if _bad_id_mask(topics).any():
            topics = topics.take(columns.topic)
        for name, ids in zip(self.names, (topics, *columns.ids), strict=False):
            for row in np.flatnonzero(_bad_id_mask(ids))[:MOST_PROBLEMS].tolist():
                message, hint = f"an id is missing in column {name}", ""
                if ids[row]:
                    message = f"'{id_text(ids[row])}' in column {name} begins or ends with a blank"
                    hint = "write only the separator between cells"
                yield Problem(self.name, int(line_of_row[row]), "bad-id", message, hint)
        rows_without_number = np.flatnonzero(np.isnan(columns.number))[:MOST_PROBLEMS].tolist()
        texts = concatenate_chunk_ids(number_chunks) if rows_without_number else topics
        for row in rows_without_number:
            yield number_problem(int(line_of_row[row]), texts[row], self.layout, self.name)


def _bad_id_mask(ids: Ids) -> RowMask:
    """bool[N]: which ids are missing, or begin or end with a blank or a line break."""
    first, last = ids.data[ids.start], ids.data[ids.start + np.maximum(ids.length, 1) - 1]
    is_bad: Bools = (ids.length == 0) | (first <= ord(" ")) | (last <= ord(" "))
    return is_bad


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


# --- JSON: a mapping, or a table as lines of objects ---

_OBJECT = re.compile(rb'\s*\{\s*(?:\}\s*\Z|"(?:[^"\\\x00-\x1f]|\\.)*"\s*:)')
"""How a mapping begins in JSON; no line of text with ids and numbers is likely to."""

_OBJECT_OF_VALUES = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]')
"""How an object begins whose first value is no object: no mapping by topic is such a one."""

_LIST_OF_OBJECTS = re.compile(rb'\s*\[\s*(?:\{\s*"|\[\s*["0-9])')
"""How a list of objects, or of rows, begins in JSON."""

_KEY = re.compile(rb'[{,]\s*"([^"\\]*)"\s*:')

_LINE = re.compile(rb"\S[^\n]*")
"""A line that is not blank, behind its first blanks."""


class _BadLineError(Exception):
    """What is wrong with a line."""


class _RepeatedError(Exception):
    """A key that stands twice; JSON readers would take the last without a word."""


def _json_table(source: Source, head: bytes, layout: Layout) -> JsonLines | TopicTable:
    """The table that {topic: {document: number}} is, or that lines of JSON are.

    A mapping is read as a whole, be it of topics or of columns with their lists; of lines the first
    says which keys are meant, and so does the first object of a list.
    """
    if _LIST_OF_OBJECTS.match(head):
        return _records_table(source, layout)
    # the first two lines that are not blank, if there are two; of a very long one not all
    size = 1 << 20
    beginning, is_whole = head, False
    while not (is_whole or _has_two_lines(beginning) or len(beginning) > LONGEST_LINE):
        stream, buffer = source.open(), bytearray(size)
        count = source.read_into(stream, memoryview(buffer))
        beginning, is_whole = bytes(buffer[:count]), count < size
        size *= 4
    if is_json_lines(beginning, layout.columns):
        first = _LINE.search(beginning)
        row: dict[str, Any] = {}
        with suppress(_BadLineError):
            row = _parse_object(first[0]) if first else {}
        lists = [key for key, value in row.items() if isinstance(value, list)]
        # with a list of topics the line is a whole table
        if not names_topics(lists, layout.columns):
            keys = _keys_of_lists(row, layout)
            if keys is not None:
                objects = _objects_of_lines(source.content(), 1)
                return TopicTable(source.path, _rows_of_lists(source, objects, *keys, layout))
            return JsonLines(source, beginning, layout)
    return TopicTable(source.path, _json_mapping_rows(source, layout))


def _records_table(source: Source, layout: Layout) -> JsonRecords | TopicTable:
    """The table that a list of objects is, or of rows (topic, document, number)."""
    try:
        records = parse_json(source.content(), _refuse_repetition)
    except _RepeatedError as error:
        raise source.problem(f"'{error}' is repeated in one object") from None
    except ValueError as error:
        raise source.problem(f"this looks like JSON, but is not valid JSON: {error}") from None
    names = (TOPIC, layout.ids[0], layout.number)
    records = [
        dict(zip(names, row, strict=True)) if isinstance(row, list) and len(row) == 3 else row
        for row in records
    ]
    if not isinstance(records[0], dict):
        rows = f"rows are [topic, document, {layout.number}]"
        raise source.problem(f"a row has {len(records[0])} items: {rows}")
    keys = _keys_of_lists(records[0], layout)
    if keys is None:
        return JsonRecords(source, records, layout)
    objects = _objects_of_records(records)
    return TopicTable(source.path, _rows_of_lists(source, objects, *keys, layout))


_NumberedObjects = Iterable[tuple[int, Callable[[], dict[str, Any]]]]
"""Objects with the number of each, from 1; what gives one may raise a `_BadLineError`."""


def _objects_of_lines(text: bytes, first_line: int) -> _NumberedObjects:
    # there may be very many blank lines
    for line_number, line in enumerate([] if text.isspace() else text.split(b"\n"), first_line):
        if line and not line.isspace():
            yield line_number, partial(_parse_object, line)


def _objects_of_records(records: Sequence[Any]) -> _NumberedObjects:
    return ((number, partial(_checked_object, each)) for number, each in enumerate(records, 1))


def _has_two_lines(text: bytes) -> bool:
    first = _LINE.search(text)
    return first is not None and _LINE.search(text, first.end()) is not None


_BIOASQ = (
    "jq '[.questions[] | {key: .id, value: .documents}] | from_entries' FILE > ONE.json gives "
    "{topic: [document, ...]}"
)


def _json_mapping_rows(source: Source, layout: Layout) -> BatchesOfWholeTopics:
    try:
        mapping = parse_json(source.content(), _refuse_repetition)
    except _RepeatedError as error:
        raise source.problem(f"'{error}' is repeated in one mapping") from None
    except ValueError as error:
        hint, message = "", f"this looks like JSON, but is not valid JSON: {error}"
        more, _, place = str(error).partition(": ")
        if more == "Extra data":
            message = f"something follows the first JSON object: {place}"
            hint = (
                "are these several mappings? jq -s add FILE > ONE.json joins them; are these rows, "
                "one a line? --columns says which keys are topic and document"
            )
        raise source.problem(message, hint) from None
    if isinstance(mapping, dict) and isinstance(mapping.get("irev"), str):
        contrary = "this is not a run" if layout.number == "score" else "these are not judgments"
        raise source.problem(f"{contrary}: it looks like {SAVED}", kind="other-kind")
    questions = mapping.get("questions") if isinstance(mapping, dict) else None
    if isinstance(questions, list) and any(
        isinstance(each, dict) and isinstance(each.get("documents"), list) for each in questions
    ):
        raise source.problem(
            "these are questions with their documents, as BioASQ has them", _BIOASQ
        )
    try:
        if isinstance(mapping, dict) and {"data", "columns", "schema"} & mapping.keys() > {"data"}:
            # of pandas, as orient="split" or "table" gives it
            names = mapping.get("columns")
            rows = mapping["data"]
            return rows_in_memory(
                [dict(zip(names, r, strict=False)) for r in rows] if names else rows, layout
            )
        return mapping_rows(mapping, layout)
    except InputError as error:
        # with hints for the file that it was read from
        problems = []
        for problem in error.problems:
            _, is_deeper, keys = problem.hint.partition(TAKE_OUT)
            hint = f"take out one: jq '.{keys}' FILE > ONE.json" if is_deeper else problem.hint
            if hint == JOIN_INDEX:
                program = '(.. | objects | select(._index)) |= (._id = ._index + "/" + ._id)'
                hint = f"{hint}: jq '{program}' FILE > ONE.json"
            problems.append(problem._replace(hint=hint))
        raise InputError(problems) from None


def _keys_of_lists(row: dict[str, Any], layout: Layout) -> tuple[str, str, str] | None:
    """The keys of the topic and of its list of documents, if an object has such a list.

    The third is that of the list of their scores or grades; empty: there is none.
    """
    lists = [key for key, value in row.items() if isinstance(value, list)]
    if not lists:
        return None
    names = column_names([*row], layout, lists=lists)
    topic, documents = names[TOPIC], names[layout.ids[0]]
    numbers = usual_columns([name for name in lists if name != documents], layout.number)
    number = dict(layout.columns).get(layout.number, numbers[0] if len(numbers) == 1 else "")
    return (topic, documents, number if number in lists else "") if documents in lists else None


def _rows_of_lists(
    source: Source,
    objects: _NumberedObjects,
    topic_key: str,
    documents_key: str,
    numbers_key: str,
    layout: Layout,
) -> BatchesOfWholeTopics:
    """The rows of objects with a topic, the list of its documents and perhaps that of numbers."""
    lists_by_topic: dict[bytes, Any] = {}
    for line_number, parse in objects:
        try:
            row = parse()
            topic = _id_of(row, topic_key)
            if not isinstance(row.get(documents_key), list):
                raise _BadLineError(f"'{documents_key}' is no list, as it is in the first line")
            if topic in lists_by_topic:
                raise _BadLineError(f"topic '{as_text(topic)}' stands on another line, too")
            documents = row[documents_key]
            numbers = row.get(numbers_key) if numbers_key else None
            if isinstance(numbers, list):
                if len(numbers) != len(documents):
                    sizes = f"{len(documents)} and {len(numbers)} items"
                    raise _BadLineError(f"'{documents_key}' and '{numbers_key}' have {sizes}")
                documents = [*zip(documents, numbers, strict=True)]
        except _BadLineError as error:
            raise InputError(
                [Problem(source.path, line_number, "unreadable-line", str(error))]
            ) from None
        lists_by_topic[topic] = documents
    return mapping_rows({as_text(topic): each for topic, each in lists_by_topic.items()}, layout)


def _refuse_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for at, name in enumerate(names) if name in names[:at]))
    return mapping


def is_json_lines(content: bytes, columns: ColumnNames = ()) -> bool:
    """Whether a text holds objects with keys for topics and documents, which hold no objects."""
    first = _LINE.search(content)
    if first is None:
        return False
    has_value = _OBJECT_OF_VALUES.match(first[0]) is not None
    if not has_value and not _has_two_lines(content):
        # a mapping on one line may be large
        return False
    try:
        row = _parse_object(first[0])
    except _BadLineError:
        keys = _KEY.findall(first[0]) if has_value else []
        return names_topics_and_documents([as_text(key) for key in keys], columns)
    if tool_of_object(row):
        return False
    keys_of_values = [key for key, value in row.items() if not isinstance(value, dict)]
    # without a column of documents, or with unknown names, what is missing is told of as in any
    # table; a mapping {topic: documents} has no texts below it
    has_texts = any(isinstance(value, str) for value in row.values())
    is_saved = isinstance(row.get("irev"), str)
    return names_topics(keys_of_values, columns) or (has_texts and len(row) > 2 and not is_saved)


class JsonLines(TextTable):
    """A table as text, with an object on each line whose keys are the names of the columns."""

    can_have_ranks = False

    def __init__(self, source: Source, beginning: bytes, layout: Layout) -> None:
        super().__init__(source.path, layout)
        self._source = source
        self.names: Sequence[str] = ()
        self.cells: Sequence[str] = []
        first = _LINE.search(beginning)
        if first is not None:
            line = beginning.count(b"\n", 0, first.start()) + 1
            with suppress(_BadLineError):
                self._find_names(_parse_object(first[0]), line)

    def _find_names(self, row: dict[str, Any], line: int) -> None:
        self.cells = list(row)
        try:
            self._choose_columns(self.layout)
        except InputError as error:
            problems = [problem._replace(path=self.name, line=line) for problem in error.problems]
            raise InputError(problems) from None

    def _read(self, piece_size: int) -> Iterator[NumberedBlock]:
        line_before = 0
        for piece in pieces(self._source, whole_topics=False, piece_size=piece_size):
            text = bytes(piece.text)
            rows = self._read_with_arrow(text, line_before) or self._read_line_by_line(
                text, line_before
            )
            yield rows
            line_before = rows.after

    def _read_with_arrow(self, text: bytes, line_before: int) -> NumberedBlock | None:
        """The rows by Arrow's reader; None where something is odd, or wrong."""
        if not has_package("pyarrow"):
            return None
        import pyarrow as pa
        from pyarrow import json as arrow_json

        lines = text.count(b"\n")
        between = text.count(b"}\n{") + text.count(b"}\r\n{")
        if not self.names or between != lines - 1:
            return None
        *ids, number = self.names
        kinds = [*((name, pa.large_string()) for name in ids), (number, pa.float64())]
        try:
            table = arrow_json.read_json(
                pa.BufferReader(text),
                read_options=arrow_json.ReadOptions(use_threads=False, block_size=4 * LONGEST_LINE),
                parse_options=arrow_json.ParseOptions(
                    explicit_schema=pa.schema(kinds), unexpected_field_behavior="ignore"
                ),
            ).combine_chunks()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != lines or any(column.null_count for column in table.columns):
            return None
        columns = [table.column(name).chunk(0) for name in self.names]
        # an id may be any bytes
        columns[:-1] = [column.view(pa.large_binary()) for column in columns[:-1]]
        for ids_of_column in map(ids_from_arrow, columns[:-1]):
            if not ids_of_column.length.all() or not ids_of_column.data[:-PADDING].all():
                return None  # an id is missing, or holds a zero byte
        values = numpy_view(columns[-1])
        if np.isnan(values).any() or (self.layout.number == "grade" and np.isinf(values).any()):
            return None
        after = line_before + lines
        return NumberedBlock(
            tuple(columns), np.arange(line_before + 1, after + 1), line_before, after
        )

    def _read_line_by_line(self, text: bytes, line_before: int) -> NumberedBlock:
        """The rows line by line."""
        objects = _objects_of_lines(text, line_before + 1)
        return self._read_objects(objects, line_before, line_before + text.count(b"\n"))

    def _read_objects(self, objects: _NumberedObjects, before: int, after: int) -> NumberedBlock:
        """The rows of objects that stand on the lines between two."""
        rows: list[list[bytes]] = []
        numbers: list[float] = []
        lines: list[int] = []
        problems: list[Problem] = []
        for line_number, parse in objects:
            try:
                row_object = parse()
                if not self.names:
                    self._find_names(row_object, line_number)
                *ids, number = self.names
                row = [_id_of(row_object, name) for name in ids]
                numbers.append(_number_of(row_object, number, self.layout))
                rows.append(row)
                lines.append(line_number)
            except _BadLineError as error:
                problems.append(Problem(self.name, line_number, "unreadable-line", str(error)))
                if len(problems) >= MOST_PROBLEMS and self.stops_early:
                    break
        width = 1 + len(self.layout.ids)
        columns = [
            coded_ids(ids_from_bytes([row[index] for row in rows])) for index in range(width)
        ]
        values = np.array(numbers, np.float64)
        return NumberedBlock(
            (*columns, values), np.array(lines, np.int64), before, after, tuple(problems)
        )

    def _number_column(self, number_chunks: Sequence[Any]) -> RowValues:
        return np.concatenate([*map(numpy_view, number_chunks)])


class JsonRecords(JsonLines):
    """A table as a JSON list of objects; what is wrong is told with the number of the object."""

    def __init__(self, source: Source, records: Sequence[Any], layout: Layout) -> None:
        super().__init__(source, b"", layout)
        self._records = records
        self.cells = list(records[0])
        self._choose_columns(layout)

    def _read(self, piece_size: int) -> Iterator[NumberedBlock]:
        yield self._read_objects(_objects_of_records(self._records), 0, len(self._records))

    def error(self, problems: list[Problem]) -> InputError:
        """The error that problems make."""
        return super().error(
            [
                each if each.line is None else each._replace(
                    line=None,
                    hint=each.hint.replace("the two lines", "the two objects"),
                    message=each.message.replace(": lines ", ": objects ")
                    if each.kind == "duplicate-document"
                    else f"object {each.line}: {each.message.replace('this line', 'this')}",
                )
                for each in problems
            ]
        )  # fmt: skip


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        value = parse_json(text, _refuse_repetition)
    except _RepeatedError as error:
        raise _BadLineError(f"'{error}' is repeated in one object") from None
    except ValueError as error:
        raise _BadLineError(f"this line is not valid JSON: {error}") from None
    return _checked_object(value)


def _checked_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _BadLineError('this line is not an object such as {"query_id": "1", ...}')
    return value


def _id_of(row: dict[str, Any], name: str) -> bytes:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    if not isinstance(value, str) or not value:
        fault = "missing" if value in (None, "") else "neither a string nor a whole number"
        raise _BadLineError(f"'{name}', an id, is {fault}")
    try:
        return checked_id_bytes(value)
    except ValueError as error:
        raise _BadLineError(f"'{name}' {error}") from None


def _number_of(row: dict[str, Any], name: str, layout: Layout) -> float:
    value = row.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        fault = "missing" if value is None else "not a number"
        raise _BadLineError(f"'{name}', a {layout.number}, is {fault}")
    try:
        number = float(value)
    except OverflowError:
        raise _BadLineError(f"'{name}' is too large") from None
    if math.isnan(number) or (layout.number == "grade" and math.isinf(number)):
        raise _BadLineError(f"'{name}', a {layout.number}, is {number}")
    return number
