"""Nested forms in a file: a mapping in JSON, and a table as lines of JSON.

On each line of a table stands an object whose keys are the names of the columns. It is read block
by block: by Arrow where plain strings and numbers stand on every line, else line by line.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import RowValues, arrow_array, numpy_view
from irev.core.ids import PADDING, Ids, ids_from_arrow, ids_from_bytes
from irev.core.text import as_text, checked_id_bytes, parse_json
from irev.errors import MOST_PROBLEMS, InputError, Problem
from irev.read.batches import NumberedBlock, TextTable, coded_ids
from irev.read.formats import SAVED
from irev.read.frames import column_names, layout_with_classes
from irev.read.headers import ColumnNames, names_topics, names_topics_and_documents
from irev.read.layout import TOPIC, Layout
from irev.read.memory import TAKE_OUT, mapping_rows
from irev.read.pieces import LONGEST_LINE, pieces
from irev.read.search_answers import JOIN_INDEX
from irev.read.topics import TopicTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.judged import BatchesOfWholeTopics
    from irev.read.stream import Source

_OBJECT = re.compile(rb'\s*\{\s*(?:\}\s*\Z|"(?:[^"\\\x00-\x1f]|\\.)*"\s*:)')
"""How a mapping begins in JSON; no line of text with ids and numbers is likely to."""

_OBJECT_OF_VALUES = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]')
"""How an object begins whose first value is no object: no mapping by topic is such a one."""

_LIST_OF_OBJECTS = re.compile(rb'\s*\[\s*\{\s*"')
"""How a list of objects begins in JSON."""

_KEY = re.compile(rb'[{,]\s*"([^"\\]*)"\s*:')

_LINE = re.compile(rb"\S[^\n]*")
"""A line that is not blank, behind its first blanks."""


class _BadLineError(Exception):
    """What is wrong with a line."""


class _RepeatedError(Exception):
    """A key that stands twice; JSON readers would take the last without a word."""


def is_nested(head: bytes) -> bool:
    """Whether a file that begins so holds objects in JSON."""
    return _OBJECT.match(head) is not None


def is_list_of_objects(head: bytes) -> bool:
    """Whether a file that begins so is a JSON list of objects."""
    return _LIST_OF_OBJECTS.match(head) is not None


def nested_table(source: Source, head: bytes, layout: Layout) -> JsonLines | TopicTable:
    """The table that {topic: {document: number}} is, or that lines of JSON are.

    A mapping is read as a whole, be it of topics or of columns with their lists; of lines the first
    says which keys are meant.
    """
    beginning = _longer_head(source, head)
    if is_json_lines(beginning, layout.columns) and not _holds_columns(beginning, layout):
        keys = _keys_of_lists(beginning, layout)
        if keys is not None:
            return TopicTable(source.path, _rows_of_lists(source, keys, layout))
        return JsonLines(source, beginning, layout)
    return TopicTable(source.path, _json_mapping_rows(source, layout))


def _longer_head(source: Source, head: bytes) -> bytes:
    """The first two lines that are not blank, if there are two; of a very long one not all."""
    size = 1 << 20
    text, is_whole = head, False
    while not (is_whole or _has_two_lines(text) or len(text) > LONGEST_LINE):
        stream, buffer = source.open(), bytearray(size)
        count = source.read_into(stream, memoryview(buffer))
        text, is_whole = bytes(buffer[:count]), count < size
        size *= 4
    return text


def _has_two_lines(text: bytes) -> bool:
    first = _LINE.search(text)
    return first is not None and _LINE.search(text, first.end()) is not None


def _json_mapping_rows(source: Source, layout: Layout) -> BatchesOfWholeTopics:
    try:
        mapping = _parse_mapping(source.content())
    except _RepeatedError as error:
        raise source.problem(f"'{error}' is repeated in one mapping") from None
    except ValueError as error:
        raise source.problem(f"this looks like JSON, but is not valid JSON: {error}") from None
    if isinstance(mapping, dict) and isinstance(mapping.get("irev"), str):
        contrary = "this is not a run" if layout.number == "score" else "these are not judgments"
        raise source.problem(f"{contrary}: it looks like {SAVED}", kind="other-kind")
    try:
        return mapping_rows(mapping, layout)
    except InputError as error:
        raise InputError([_problem_of_file(problem) for problem in error.problems]) from None


def _holds_columns(beginning: bytes, layout: Layout) -> bool:
    """Whether the first line has a list of topics, as a whole table has."""
    first = _LINE.search(beginning)
    try:
        row = _parse_object(first[0]) if first else {}
    except _BadLineError:
        return False
    return names_topics([key for key in row if isinstance(row[key], list)], layout.columns)


class _ListKeys(NamedTuple):
    """The keys of a line that has a topic and the list of its documents."""

    topic: str
    documents: str


def _keys_of_lists(beginning: bytes, layout: Layout) -> _ListKeys | None:
    """The keys of the topic and of its list of documents, if the first line has such a list."""
    first = _LINE.search(beginning)
    try:
        row = _parse_object(first[0]) if first else {}
    except _BadLineError:
        return None
    if not any(isinstance(value, list) for value in row.values()):
        return None
    with suppress(InputError):
        names = column_names([*row, *([] if layout.number in row else [layout.number])], layout)
        keys = _ListKeys(names[TOPIC], names[layout.ids[0]])
        if isinstance(row.get(keys.documents), list):
            return keys
    return None


def _rows_of_lists(source: Source, keys: _ListKeys, layout: Layout) -> BatchesOfWholeTopics:
    """The rows of lines with a topic and the list of its documents."""
    lists_by_topic: dict[bytes, Any] = {}
    for line_number, line in enumerate(source.content().split(b"\n"), 1):
        if not line or line.isspace():
            continue
        try:
            row = _parse_object(line)
            topic = _id_of(row, keys.topic)
            if not isinstance(row.get(keys.documents), list):
                raise _BadLineError(f"'{keys.documents}' is no list, as it is in the first line")
            if topic in lists_by_topic:
                raise _BadLineError(f"topic '{as_text(topic)}' stands on another line, too")
        except _BadLineError as error:
            raise InputError(
                [Problem(source.path, line_number, "unreadable-line", str(error))]
            ) from None
        lists_by_topic[topic] = row[keys.documents]
    return mapping_rows({as_text(topic): each for topic, each in lists_by_topic.items()}, layout)


def _problem_of_file(problem: Problem) -> Problem:
    """A problem of a mapping with a hint for the file that it was read from."""
    _, is_deeper, keys = problem.hint.partition(TAKE_OUT)
    hint = f"take out one: jq '.{keys}' FILE > ONE.json" if is_deeper else problem.hint
    if hint == JOIN_INDEX:
        program = '(.. | objects | select(._index)) |= (._id = ._index + "/" + ._id)'
        hint = f"{hint}: jq '{program}' FILE > ONE.json"
    return problem._replace(hint=hint)


def _parse_mapping(content: bytes) -> Any:
    return parse_json(content, _refuse_repetition)


def _refuse_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for at, name in enumerate(names) if name in names[:at]))
    return mapping


# lines of JSON


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
    keys_of_values = [key for key, value in row.items() if not isinstance(value, dict)]
    # without a column of documents, what is missing is told of as in any table
    return names_topics_and_documents(keys_of_values, columns) or names_topics(
        keys_of_values, columns
    )


class JsonLines(TextTable):
    """A table as text, with an object on each line whose keys are the names of the columns."""

    can_have_ranks = False

    def __init__(self, source: Source, beginning: bytes, layout: Layout) -> None:
        """Look at the keys of the first object."""
        super().__init__(source.path, layout)
        self._source = source
        self._names: Sequence[str] = ()
        self._keys: list[str] = []
        first = _LINE.search(beginning)
        if first is not None:
            line = beginning.count(b"\n", 0, first.start()) + 1
            with suppress(_BadLineError):
                self._find_names(_parse_object(first[0]), line)

    def _find_names(self, row: dict[str, Any], line: int) -> None:
        self._keys = list(row)
        try:
            self._choose_columns(self._layout)
        except InputError as error:
            problems = [problem._replace(path=self.name, line=line) for problem in error.problems]
            raise InputError(problems) from None

    def _choose_columns(self, layout: Layout) -> None:
        layout = layout_with_classes(self._keys, layout)
        names = column_names(self._keys, layout)
        self._layout = layout
        self._names = [names[field] for field in (TOPIC, *layout.ids, layout.number)]

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
        import pyarrow as pa
        from pyarrow import json as arrow_json

        lines = text.count(b"\n")
        between = text.count(b"}\n{") + text.count(b"}\r\n{")
        if not self._names or between != lines - 1:
            return None
        *ids, number = self._names
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
        columns = [table.column(name).chunk(0) for name in self._names]
        # an id may be any bytes
        columns[:-1] = [column.view(pa.large_binary()) for column in columns[:-1]]
        if any(_has_bad_id(ids_from_arrow(column)) for column in columns[:-1]):
            return None
        values = numpy_view(columns[-1])
        if np.isnan(values).any() or (self._layout.number == "grade" and np.isinf(values).any()):
            return None
        after = line_before + lines
        return NumberedBlock(
            tuple(columns), np.arange(line_before + 1, after + 1), line_before, after
        )

    def _read_line_by_line(self, text: bytes, line_before: int) -> NumberedBlock:
        """The rows line by line."""
        import pyarrow as pa

        rows: list[list[bytes]] = []
        numbers: list[float] = []
        lines: list[int] = []
        problems: list[Problem] = []
        # there may be very many blank lines
        for line_number, line_text in enumerate(
            [] if text.isspace() else text.split(b"\n"), line_before + 1
        ):
            if not line_text or line_text.isspace():
                continue
            try:
                row_object = _parse_object(line_text)
                if not self._names:
                    self._find_names(row_object, line_number)
                *ids, number = self._names
                row = [_id_of(row_object, name) for name in ids]
                numbers.append(_number_of(row_object, number, self._layout))
                rows.append(row)
                lines.append(line_number)
            except _BadLineError as error:
                problems.append(Problem(self.name, line_number, "unreadable-line", str(error)))
                if len(problems) >= MOST_PROBLEMS and self.stops_early:
                    break
        width = 1 + len(self._layout.ids)
        columns = [
            coded_ids(ids_from_bytes([row[index] for row in rows])) for index in range(width)
        ]
        values = arrow_array(np.array(numbers, np.float64), pa.float64())
        after = line_before + text.count(b"\n")
        return NumberedBlock(
            (*columns, values), np.array(lines, np.int64), line_before, after, tuple(problems)
        )

    def _number_column(self, number_chunks: Sequence[Any]) -> RowValues:
        return np.concatenate([*map(numpy_view, number_chunks)])


def _has_bad_id(ids: Ids) -> bool:
    """Whether an id is missing, or holds a zero byte."""
    return not ids.length.all() or not ids.data[:-PADDING].all()


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        value = _parse_mapping(text)
    except _RepeatedError as error:
        raise _BadLineError(f"'{error}' is repeated in one object") from None
    except ValueError as error:
        raise _BadLineError(f"this line is not valid JSON: {error}") from None
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
