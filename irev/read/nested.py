"""Nested forms in a file: a mapping in JSON, and a table as lines of JSON.

On each line of a table stands an object whose keys are the names of the columns. Arrow reads what
has plain strings and numbers on every line; anything else is read once more line by line.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.ids import ids_from_arrow, ids_from_bytes
from irev.core.text import as_bytes, from_json
from irev.errors import MOST_PROBLEMS, InputError, Problem
from irev.read.frames import column_names, frame_rows, one_chunk, with_classes
from irev.read.headers import names_documents
from irev.read.layout import TOPIC, Layout
from irev.read.memory import mapping_rows
from irev.read.topics import grouped_rows, without_repeated_hints

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from irev.core.model import Rows
    from irev.read.stream import Source

_OBJECT = re.compile(rb'\s*\{\s*(?:\}\s*\Z|"(?:[^"\\\x00-\x1f]|\\.)*"\s*:)')
"""How a mapping begins in JSON; no line of text with ids and numbers is likely to."""

_OBJECT_OF_VALUES = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]')
"""How an object begins whose first value is no object: no mapping by topic is such a one."""

_KEY = re.compile(rb'[{,]\s*"([^"\\]*)"\s*:')

_LINE = re.compile(rb"\S[^\n]*")
"""A line that is not blank, behind its first blanks."""

_BLOCK = 1 << 24


class _WrongError(Exception):
    """What is wrong with a line."""


class _RepeatedError(Exception):
    """A key that stands twice; JSON readers would take the last without a word."""


def is_nested(head: bytes) -> bool:
    """Whether a file that begins so holds objects in JSON."""
    return _OBJECT.match(head) is not None


def nested_rows(source: Source, layout: Layout) -> Iterator[Rows]:
    """The rows of {topic: {document: number}}, or of lines of JSON, as whole topics.

    Of lines the first says which keys are meant.

    Raises:
        InputError: it is no JSON, a key is missing or there twice, an id is missing, or a number is
            none; of lines all problems found, up to a limit.
    """
    content = source.content()
    if not is_json_lines(content):
        return _mapping_rows(source, content, layout)
    table = _quick_table(content, layout)
    if table is not None:
        try:
            return frame_rows(table, layout)
        except InputError:
            pass  # what is wrong is said line by line
    return _careful_rows(source.path, content, layout)


def _mapping_rows(source: Source, content: bytes, layout: Layout) -> Iterator[Rows]:
    try:
        given = _parsed(content)
    except _RepeatedError as error:
        raise source.problem(f"'{error}' is there twice in one mapping") from None
    except ValueError as error:
        raise source.problem(f"this looks like JSON, but is not valid JSON: {error}") from None
    return mapping_rows(given, layout)


def _parsed(content: bytes) -> Any:
    return from_json(content, _without_repetition)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for at, name in enumerate(names) if name in names[:at]))
    return found


# lines of JSON


def is_json_lines(content: bytes) -> bool:
    """Whether a text holds objects with keys for topics and documents, which hold no objects."""
    first = _LINE.search(content)
    if first is None:
        return False
    has_value = _OBJECT_OF_VALUES.match(first[0]) is not None
    if not has_value and _LINE.search(content, first.end()) is None:
        # a mapping on one line may be large
        return False
    try:
        found = _object(first[0])
    except _WrongError:
        keys = _KEY.findall(first[0]) if has_value else []
        return names_documents([key.decode("utf-8", "replace") for key in keys])
    return names_documents([key for key, value in found.items() if not isinstance(value, dict)])


def _quick_table(content: bytes, layout: Layout) -> pa.Table | None:
    """The table by Arrow's reader; None where something is odd, or wrong."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    first = content[: content.find(b"\n") + 1] or content
    try:
        keys = list(_object(first))
        layout = with_classes(keys, layout)
        names = column_names(keys, layout)
        ids = [names[field] for field in (TOPIC, *layout.ids)]
        kinds = [*((name, pa.large_string()) for name in ids), (names[layout.number], pa.float64())]
        table = arrow_json.read_json(
            pa.BufferReader(content),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=_BLOCK),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=pa.schema(kinds), unexpected_field_behavior="ignore"
            ),
        )
    except (_WrongError, InputError, pa.ArrowException):
        return None
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if table.num_rows != lines or any(column.null_count for column in table.columns):
        return None
    is_full = all(ids_from_arrow(one_chunk(table.column(name))).length.all() for name in ids)
    return table if is_full else None


def _careful_rows(path: str, content: bytes, layout: Layout) -> Iterator[Rows]:
    """The rows line by line."""
    rows: list[tuple[list[bytes], float]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    names: dict[str, str] = {}
    for line, text in enumerate(content.split(b"\n"), 1):
        if not text or text.isspace():
            continue
        try:
            found = _object(text)
            if not names:
                layout = with_classes(list(found), layout)
                names = column_names(list(found), layout)
            ids = [_id(found, names[field]) for field in (TOPIC, *layout.ids)]
            rows.append((ids, _number(found, names[layout.number], layout)))
            lines.append(line)
        except _WrongError as error:
            problems.append(Problem(path, line, "unreadable-line", str(error)))
            if len(problems) >= MOST_PROBLEMS:
                break
        except InputError as error:
            named = [each._replace(path=path, line=line) for each in error.problems]
            raise InputError(named) from None
    if problems:
        raise InputError(without_repeated_hints(problems))
    columns = zip(*(ids for ids, _ in rows), strict=True)
    topic, *others = (ids_from_bytes(column) for column in columns)
    code, topics = topic.codes()
    number = np.array([number for _, number in rows], np.float64)
    return grouped_rows(topics, code, others, number, np.array(lines, np.int64))


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = _parsed(text)
    except _RepeatedError as error:
        raise _WrongError(f"'{error}' is there twice in one object") from None
    except ValueError as error:
        raise _WrongError(f"this line is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise _WrongError('this line is no object such as {"query_id": "1", ...}')
    return found


def _id(found: dict[str, Any], name: str) -> bytes:
    value = found.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value).encode()
    if not isinstance(value, str) or not value:
        what = "missing" if value in (None, "") else "neither a string nor a whole number"
        raise _WrongError(f"'{name}', an id, is {what}")
    try:
        text = as_bytes(value)
    except UnicodeEncodeError:
        raise _WrongError(f"'{name}' holds half a character") from None
    if b"\0" in text:
        raise _WrongError(f"'{name}' holds a zero byte")
    return text


def _number(found: dict[str, Any], name: str, layout: Layout) -> float:
    value = found.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        what = "missing" if value is None else "not a number"
        raise _WrongError(f"'{name}', a {layout.number}, is {what}")
    try:
        number = float(value)
    except OverflowError:
        raise _WrongError(f"'{name}' is too large") from None
    if math.isnan(number) or (layout.number == "grade" and math.isinf(number)):
        raise _WrongError(f"'{name}', a {layout.number}, is {number}")
    return number
