"""Scores in the long form: a line for each value, which names run, topic and measure.

This is what tracks and tools exchange: CSV and TSV with a head, JSON lines, lines of fields without
a head (ir_measures' `topic measure value`, TREC's `run measure topic value`), and Parquet tables,
such as `irev eval --output x.parquet` writes. Columns stand in any order: a head names them, and
without one the last is the value, and measures are told by their names.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.text import as_bytes, as_text, parse_json, parse_real, pattern
from irev.errors import InputError, Problem
from irev.read.headers import NAMES, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FIELD_NAMES = {
    "run": (*NAMES["run"], "run_tag", "system", "tag"),
    "topic": NAMES["topic"],
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
"""The usual names of each field of a line, as `plain_name` gives them; the run may be left out."""

PARQUET_MARK = b"PAR1"
METADATA_KEY = b"irev"
"""Under which key the metadata of a Parquet file hold what is known of the scores, as JSON."""

_DECIMAL = r"-?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?"
_TEXT_MEASURES = frozenset({"runid", "relstring"})
_NOT_FINITE = ("nan", "inf", "infinity")
_NO_MEASURE = frozenset({"q0", "q1"})
_DOCUMENTS = frozenset(NAMES["document"])


class ScoreRow(NamedTuple):
    """One value: the run (empty where the file names none), topic, measure; NaN: not known."""

    line: int
    run: str
    topic: str
    measure: str
    value: float


def scores_problem(path: str, line: int | None, message: str, hint: str = "") -> InputError:
    """What is wrong with a file of saved scores."""
    return InputError([Problem(path, line, "bad-saved-scores", message, hint)])


def has_long_form(head: bytes) -> bool:
    """Whether a text that begins so has a value on each line, with its topic and measure."""
    lines = _content_lines(head)
    if not lines:
        return False
    if lines[0].startswith(b"{"):
        return _is_json_line_of_scores(lines[0])
    return _field_indices(lines) is not None


def is_score_parquet(path: str) -> bool:
    """Whether a file is a Parquet table of scores in the long form."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as stream:
        if stream.read(len(PARQUET_MARK)) != PARQUET_MARK:
            return False
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except (OSError, pa.ArrowException):
        return False
    return _indices_of_head(names) is not None


def score_rows(path: str, content: bytes) -> Iterator[ScoreRow]:
    """The values of a text in the long form, but for summaries' and texts'."""
    lines = _content_lines(content[: 1 << 16])
    rows = _json_rows(path, content) if lines[0].startswith(b"{") else _text_rows(path, content)
    for row in rows:
        if row.topic != "all" and not row.topic.startswith("all["):
            yield row


def read_score_parquet(path: str, content: bytes) -> tuple[Mapping[str, Any], Iterator[ScoreRow]]:
    """(what irev wrote beside the values, if it did; the values of a Parquet table)."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(pa.BufferReader(content)).read()
        about = json.loads((table.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    except (OSError, ValueError, pa.ArrowException) as error:
        message = " ".join(str(error).split())
        raise scores_problem(path, None, f"this Parquet file is damaged: {message}") from None
    indices = _indices_of_head(table.column_names) or {}
    columns = {field: table.column(index).to_pylist() for field, index in indices.items()}
    runs = columns.get("run", [""] * table.num_rows)
    rows = (
        ScoreRow(number, str(run), str(topic), str(measure), _number(path, number, value))
        for number, (run, topic, measure, value) in enumerate(
            zip(runs, columns["topic"], columns["measure"], columns["value"], strict=True), 1
        )
    )
    return about, (row for row in rows if row.topic != "all")


def _number(path: str, row: int, value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise scores_problem(path, None, f"row {row}: {value!r} is not a number")
    return float(value)


def _content_lines(head: bytes) -> list[bytes]:
    return [
        line
        for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:40]
        if line.strip() and line[:1] != b"#"
    ]


# Which column is which


def _cells(line: bytes) -> list[str]:
    text = as_text(line)
    for separator in "\t,":
        if separator in text:
            cells = next(csv.reader([text], delimiter=separator), [])
            return [cell.strip() for cell in cells]
    return text.split()


def _indices_of_head(names: Sequence[str]) -> dict[str, int] | None:
    """Field -> column, where the names are those of a topic, a measure and a value."""
    plain_names = [plain_name(name) for name in names]
    indices = {
        field: next(i for i, name in enumerate(plain_names) if name in usual)
        for field, usual in FIELD_NAMES.items()
        if any(name in usual for name in plain_names)
    }
    is_long = {"topic", "measure", "value"} <= indices.keys()
    return indices if is_long and _DOCUMENTS.isdisjoint(plain_names) else None


def _field_indices(lines: Sequence[bytes]) -> tuple[dict[str, int], bool] | None:
    """(field -> column, whether the first line is a head) of a text; None: no long form."""
    first = _cells(lines[0])
    indices = _indices_of_head(first)
    if indices is not None:
        return indices, True
    rows = [_cells(line) for line in lines]
    if len(first) not in (3, 4) or any(len(row) != len(first) for row in rows[:-1]):
        return None
    # the last of these lines may be cut
    rows = [row for row in rows if len(row) == len(first)]
    numbers = [row for row in rows if not _TEXT_MEASURES.intersection(row)]
    decimal = pattern(_DECIMAL)
    if not any(decimal.fullmatch(row[-1]) for row in numbers) or any(
        not _is_number(row[-1]) for row in numbers
    ):
        return None
    start = len(first) - 3
    orders = ((start, start + 1), (start + 1, start))
    for topic, measure in orders if start else orders[:1]:
        if _are_measures({row[measure] for row in rows}, {row[topic] for row in rows}):
            run = {"run": 0} if start else {}
            return {**run, "topic": topic, "measure": measure, "value": start + 2}, False
    return None


def _are_measures(cells: set[str], topics: set[str]) -> bool:
    """Whether cells of a column are names of measures, those of another one being topics.

    All are names that irev knows, or `all` is among the topics. Names that repeat say nothing: a
    run of three columns has the same documents in several topics.
    """
    if any(not cell[:1].isalpha() or cell.lower() in _NO_MEASURE for cell in cells):
        return False
    if all(cell in _TEXT_MEASURES or _is_known_measure(cell) for cell in cells):
        return not all(map(_is_known_measure, topics))
    return len(topics) > 1 and "all" in topics and not any(map(_is_known_measure, topics))


def _is_known_measure(name: str) -> bool:
    from irev.errors import UsageError
    from irev.measures.naming.resolve import resolve_names

    if not name[:1].isalpha():
        return False
    try:
        return bool(resolve_names([name], lenient=False))
    except UsageError:
        return False


def _is_number(cell: str) -> bool:
    return parse_real(as_bytes(cell)) is not None or cell.lower().lstrip("+-") in _NOT_FINITE


# The rows


def _text_rows(path: str, content: bytes) -> Iterator[ScoreRow]:
    indices, has_head = _field_indices(_content_lines(content[: 1 << 16])) or ({}, False)
    width = 0
    for line, cells in _numbered_cells(content):
        if not width:
            width = len(cells)
            if has_head:
                continue
        if len(cells) != width:
            raise scores_problem(
                path, line, f"{len(cells)} cells, where the first line has {width}"
            )
        run, topic, measure, value = (
            cells[indices[field]] if field in indices else "" for field in FIELD_NAMES
        )
        if measure not in _TEXT_MEASURES:
            yield ScoreRow(line, run, topic, measure, _parse_value(path, line, value))


def _numbered_cells(content: bytes) -> Iterator[tuple[int, list[str]]]:
    content = content.removeprefix(b"\xef\xbb\xbf")
    first = _content_lines(content[: 1 << 16])[0]
    separator = next((mark for mark in "\t," if mark.encode() in first), "")
    text = as_text(content)
    if separator:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cells in reader:
            if any(cells) and not cells[0].startswith("#"):
                yield reader.line_num, [cell.strip() for cell in cells]
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.split()


def _parse_value(path: str, line: int, cell: str) -> float:
    if cell in ("", "-"):
        return math.nan
    number = parse_real(as_bytes(cell))
    if number is not None:
        return number
    if cell.lower().lstrip("+-") in _NOT_FINITE:
        return float(cell)
    raise scores_problem(path, line, f"'{cell}' is not a number")


def _is_json_line_of_scores(line: bytes) -> bool:
    try:
        row = parse_json(line)
    except ValueError:
        return False
    return isinstance(row, dict) and _indices_of_head(list(row)) is not None


def _json_rows(path: str, content: bytes) -> Iterator[ScoreRow]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError:
            raise scores_problem(path, number, "this line is not valid JSON") from None
        indices = _indices_of_head(list(row)) if isinstance(row, dict) else None
        if indices is None:
            raise scores_problem(
                path, number, "this line does not name a topic, a measure and a value"
            )
        cells = list(row.values())
        run, topic, measure = (
            str(cells[indices[field]]) if field in indices else ""
            for field in ("run", "topic", "measure")
        )
        value = cells[indices["value"]]
        if measure in _TEXT_MEASURES:
            continue
        if isinstance(value, str):
            yield ScoreRow(number, run, topic, measure, _parse_value(path, number, value))
        elif value is None:
            yield ScoreRow(number, run, topic, measure, math.nan)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise scores_problem(path, number, f"{value!r} is not a number")
        else:
            yield ScoreRow(number, run, topic, measure, float(value))
