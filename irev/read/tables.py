"""Files that hold a table or a mapping: Parquet, Feather, Arrow, JSON, and tables as text.

The first are known by their magic bytes, tables as text by the names of their columns.

Only calls of Arrow are used that do not import pandas.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

from irev.errors import InputError
from irev.read.frames import frame_rows
from irev.read.headers import NAMES, header_of, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from irev.core.model import Rows
    from irev.read.layout import Layout
    from irev.read.stream import Source

_PARQUET = b"PAR1"
_ARROW = b"ARROW1"
_FEATHER_1 = b"FEA1"
_TABLE = re.compile(rb"(?:PAR1|ARROW1|FEA1)(?![\s!-~])")
"""How a table begins that is no text; a topic may be called PAR1."""

_OBJECT = re.compile(rb'\s*\{\s*(?:\}\s*\Z|"(?:[^"\\\x00-\x1f]|\\.)*"\s*:)')
"""How a mapping begins in JSON; no line of text with ids and numbers is likely to."""

_USUAL = {name for names in NAMES.values() for name in names}


def is_structured(head: bytes) -> bool:
    """Whether a file that begins so holds a table or a mapping, not lines of fields."""
    return _is_table(head) or _OBJECT.match(head) is not None or header_of(head) is not None


def structured_rows(source: Source, head: bytes, layout: Layout) -> Iterator[Rows]:
    """The rows of a table or a mapping in a file, as whole topics.

    Raises:
        InputError: it is damaged, or does not hold the columns or the mapping that it should.
    """
    header = None if _is_table(head) else header_of(head)
    if header is not None:
        from irev.read.delimited import delimited_rows

        return delimited_rows(source, header, layout)
    from irev.read.json_lines import is_json_lines, json_lines_rows

    content = source.content()
    if not _is_table(head) and is_json_lines(content):
        return json_lines_rows(source.path, content, layout)
    given = _table(source, content) if _is_table(head) else _mapping(source, content)
    try:
        return frame_rows(given, layout)
    except InputError as error:
        named = [problem._replace(path=source.path) for problem in error.problems]
        raise InputError(named) from None


def _is_table(head: bytes) -> bool:
    return _TABLE.match(head) is not None


def _table(source: Source, content: bytes) -> pa.Table:
    """The table of a file.

    Arrow's threads are left out: one that lets go of `content` while the interpreter ends would
    abort the program.
    """
    import pyarrow as pa

    kind = "Parquet" if content.startswith(_PARQUET) else "Feather or Arrow"
    try:
        if content.startswith(_PARQUET):
            return _parquet(content)
        if content.startswith(_FEATHER_1):
            from pyarrow import feather

            return feather.read_table(pa.BufferReader(content), use_threads=False)
        options = pa.ipc.IpcReadOptions(use_threads=False)
        return pa.ipc.open_file(pa.BufferReader(content), options=options).read_all()
    except (pa.ArrowException, OSError) as error:
        reason = "; ".join(str(error).splitlines()[:1])
        raise source.problem(f"this {kind} file is damaged: {reason}") from None


def _parquet(content: bytes) -> pa.Table:
    """The columns that may be wanted, so that others cost nothing."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(pa.BufferReader(content))
    columns = [name for name in file.schema_arrow.names if plain(name) in _USUAL]
    # without any, the whole: what is missing is said in the names of what is there
    return file.read(columns=columns or None, use_threads=False)


def _mapping(source: Source, content: bytes) -> Any:
    try:
        text = io.TextIOWrapper(io.BytesIO(content), "utf-8", "surrogateescape")
        return json.load(text, object_pairs_hook=_without_repetition)
    except _RepeatedError as error:
        raise source.problem(f"'{error}' is there twice in one mapping") from None
    except (ValueError, RecursionError) as error:
        raise source.problem(f"this looks like JSON, but is none: {error}") from None


class _RepeatedError(Exception):
    """A key that stands twice; JSON readers would take the last without a word."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedError(key)
            seen.add(key)
    return found
