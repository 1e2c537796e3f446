"""Tables as lines of JSON: an object on each line, its keys the names of the columns.

Arrow reads what has plain strings and numbers on every line; anything else is read once more line
by line.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, from_arrow
from irev.core.ids import PADDING, Ids, ids_from_arrow, ids_from_bytes
from irev.core.text import as_bytes, as_text
from irev.errors import MOST_PROBLEMS, InputError, Problem
from irev.read.frames import column_names
from irev.read.headers import names_documents
from irev.read.layout import TOPIC, Layout
from irev.read.topics import grouped_rows, without_repeated_hints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.model import Rows

_OBJECT_OF_VALUES = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]')
"""How an object begins whose first value is no object: no mapping by topic is such a one."""

_KEY = re.compile(rb'[{,]\s*"([^"\\]*)"\s*:')

_LINE = re.compile(rb"\S[^\n]*")
"""A line that is not blank, behind its first blanks."""

_BLOCK = 1 << 24


class _WrongError(Exception):
    """What is wrong with a line."""


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


def json_lines_rows(path: str, content: bytes, layout: Layout) -> Iterator[Rows]:
    """The rows of lines of JSON, as whole topics; the first line says which keys are meant.

    Raises:
        InputError: a line is no such object, an id is missing, or a number is none; all problems
            found, up to a limit.
    """
    columns = _quick_columns(content, layout) or _careful_columns(path, content, layout)
    code, topics = columns.ids[0].codes()
    return grouped_rows(topics, code, columns.ids[1:], columns.number, columns.line)


class _Columns(NamedTuple):
    """The ids, the topics first, the numbers, and the line of each row."""

    ids: list[Ids]
    number: Floats
    line: Ints


def _quick_columns(content: bytes, layout: Layout) -> _Columns | None:
    """The columns by Arrow's reader; None where something is odd, or wrong."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    first = content[: content.find(b"\n") + 1] or content
    try:
        names = column_names(list(_object(first)), layout)
        ids = [names[field] for field in (TOPIC, *layout.ids)]
        kinds = [*((name, pa.large_string()) for name in ids), (names[layout.number], pa.float64())]
        table = arrow_json.read_json(
            pa.BufferReader(content),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=_BLOCK),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=pa.schema(kinds), unexpected_field_behavior="ignore"
            ),
        ).combine_chunks()
    except (_WrongError, InputError, pa.ArrowException):
        return None
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if table.num_rows != lines or any(column.null_count for column in table.columns):
        return None
    texts = [ids_from_arrow(table.column(name).chunk(0)) for name in ids]
    # an id that is empty, or that holds a zero byte
    if any(not text.length.all() or not text.data[:-PADDING].all() for text in texts):
        return None
    number = from_arrow(table.column(names[layout.number]).chunk(0)).copy()
    return _Columns(texts, number, np.arange(1, lines + 1)) if np.isfinite(number).all() else None


def _careful_columns(path: str, content: bytes, layout: Layout) -> _Columns:
    """The columns line by line."""
    rows: list[tuple[list[bytes], float]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    names: dict[str, str] = {}
    for line, text in enumerate(content.split(b"\n"), 1):
        if not text or text.isspace():
            continue
        try:
            found = _object(text)
            names = names or column_names(list(found), layout)
            ids = [_id(found, names[field]) for field in (TOPIC, *layout.ids)]
            rows.append((ids, _number(found, names[layout.number], layout)))
            lines.append(line)
        except _WrongError as error:
            problems.append(Problem(path, line, str(error)))
            if len(problems) >= MOST_PROBLEMS:
                break
        except InputError as error:
            named = [each._replace(path=path, line=line) for each in error.problems]
            raise InputError(named) from None
    if problems:
        raise InputError(without_repeated_hints(problems))
    columns = zip(*(ids for ids, _ in rows), strict=True)
    number = np.array([number for _, number in rows], np.float64)
    return _Columns([ids_from_bytes(ids) for ids in columns], number, np.array(lines, np.int64))


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(as_text(text), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise _WrongError(f"this line is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise _WrongError('this line is no object such as {"query_id": "1", ...}')
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _WrongError("a key is there twice in one object")
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
