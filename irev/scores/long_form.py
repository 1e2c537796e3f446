"""Scores in the long form: a line for each value, which names run, topic and measure.

This is what tracks and tools exchange: CSV and TSV with a head, JSON lines, a list of objects in
JSON, lines of fields without a head (ir_measures' `topic measure value`, TREC's `run measure topic
value`). Columns stand in any order: a head names them, and without one the last is the value, and
measures are told by their names.
"""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.text import as_bytes, as_text, parse_json, pattern
from irev.read.headers import NAMES, plain_name
from irev.scores.saved_file import is_number, is_summary_label
from irev.scores.saved_runs import RunValues, name_by_path, name_without_endings, tables_of_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.scores.saved_file import SavedFile
    from irev.scores.table import ScoreTable

FIELD_NAMES = {
    "run": (*NAMES["run"], "run_tag", "system", "tag"),
    "topic": NAMES["topic"],
    "measure": NAMES["measure"],
    "value": ("value", "score"),
}
"""The usual names of each field of a line, as `plain_name` gives them; the run may be left out."""

_DECIMAL = r"-?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?"
_TEXT_MEASURES = frozenset({"runid", "relstring"})
_NO_MEASURE = frozenset({"q0", "q1"})
_DOCUMENTS = frozenset(NAMES["document"])


class ScoreRow(NamedTuple):
    """One value: the run (empty where the file names none), topic, measure; NaN: not known.

    `line` is None, and `place` says where it stands, where the file has no lines.
    """

    line: int | None
    run: str
    topic: str
    measure: str
    value: float
    place: str = ""


def has_long_form(head: bytes) -> bool:
    """Whether a text that begins so has a value on each line, with its topic and measure."""
    if is_json(head):
        row = first_json_row(head)
        return row is not None and indices_of_head(list(row)) is not None
    lines = content_lines(head)
    return bool(lines) and _field_indices(lines) is not None


def read_long_form(saved: SavedFile) -> list[ScoreTable]:
    """The runs of a text in the long form."""
    runs, names = runs_of_rows(saved, _score_rows(saved))
    tables = tables_of_runs(saved, runs.values(), names)
    return name_by_path(tables) if "" in runs else name_without_endings(tables)


def runs_of_rows(
    saved: SavedFile, rows: Iterable[ScoreRow]
) -> tuple[dict[str, RunValues], list[str]]:
    """(the runs by name; the measures), each in the order of the rows; not the summaries'."""
    runs: dict[str, RunValues] = {}
    names: dict[str, None] = {}
    for row in rows:
        if is_summary_label(row.topic):
            continue
        run = runs.setdefault(row.run, RunValues(row.run))
        names.setdefault(row.measure)
        values = run.by_topic.setdefault(as_bytes(row.topic), {})
        if row.measure in values:
            of_run = f" of {row.run}" if row.run else ""
            raise saved.problem(
                row.line, f"{row.place}duplicate {row.measure}{of_run} for topic {row.topic}"
            )
        values[row.measure] = saved.check_range(row.line, row.measure, row.value, row.place)
    return runs, list(names)


def _score_rows(saved: SavedFile) -> Iterator[ScoreRow]:
    """The values of a text in the long form, but for texts'."""
    return _json_rows(saved) if is_json(saved.content[: 1 << 16]) else _text_rows(saved)


def content_lines(head: bytes) -> list[bytes]:
    """The first lines of data of a text that begins so."""
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


def indices_of_head(names: Sequence[str]) -> dict[str, int] | None:
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
    indices = indices_of_head(first)
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
        not is_number(row[-1]) for row in numbers
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


# The rows


def _text_rows(saved: SavedFile) -> Iterator[ScoreRow]:
    indices, has_head = _field_indices(content_lines(saved.content[: 1 << 16])) or ({}, False)
    width = 0
    for line, cells in _numbered_cells(saved.content):
        if not width:
            width = len(cells)
            if has_head:
                continue
        if len(cells) != width:
            raise saved.problem(line, f"{len(cells)} cells, where the first line has {width}")
        run, topic, measure, value = (
            cells[indices[field]] if field in indices else "" for field in FIELD_NAMES
        )
        if measure not in _TEXT_MEASURES:
            yield ScoreRow(line, run, topic, measure, _parse_cell(saved, line, measure, value))


def _numbered_cells(content: bytes) -> Iterator[tuple[int, list[str]]]:
    content = content.removeprefix(b"\xef\xbb\xbf")
    first = content_lines(content[: 1 << 16])[0]
    separator = next((mark for mark in "\t," if mark.encode() in first), "")
    text = as_text(content)
    if separator:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cells in reader:
            if any(map(str.strip, cells)) and not cells[0].startswith("#"):
                yield reader.line_num, [cell.strip() for cell in cells]
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.split()


def _parse_cell(saved: SavedFile, line: int | None, measure: str, cell: str) -> float:
    return math.nan if cell in ("", "-") else saved.parse_value(line, measure, cell)


def is_json(head: bytes) -> bool:
    """Whether a text that begins so holds objects in JSON, on lines or in a list."""
    lines = content_lines(head)
    return bool(lines) and lines[0].lstrip()[:1] in (b"{", b"[")


def first_json_row(head: bytes) -> dict[str, Any] | None:
    """The first object of JSON lines, or of a list in JSON; None: there is none."""
    lines = content_lines(head)
    try:
        if lines[0].lstrip()[:1] == b"{":
            row = parse_json(lines[0])
        else:
            text = as_text(b"\n".join(lines)).lstrip().removeprefix("[").lstrip()
            row, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _json_rows(saved: SavedFile) -> Iterator[ScoreRow]:
    for number, place, row in json_rows(saved):
        indices = indices_of_head(list(row))
        if indices is None:
            noun = place.removesuffix(": ") or "this line"
            raise saved.problem(number, f"{noun} does not name a topic, a measure and a value")
        cells = list(row.values())
        run, topic, measure = (
            str(cells[indices[field]]) if field in indices else ""
            for field in ("run", "topic", "measure")
        )
        if measure not in _TEXT_MEASURES:
            value = json_number(saved, number, measure, cells[indices["value"]], place)
            yield ScoreRow(number, run, topic, measure, value, place)


def json_rows(saved: SavedFile) -> Iterator[tuple[int | None, str, dict[str, Any]]]:
    """The objects of JSON lines, with their numbers; those of a list, with their places in it."""
    if content_lines(saved.content[: 1 << 16])[0].lstrip()[:1] == b"[":
        try:
            rows = parse_json(saved.content.removeprefix(b"\xef\xbb\xbf"))
        except ValueError as error:
            raise saved.problem(getattr(error, "lineno", None), "this JSON is damaged") from None
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                raise saved.problem(None, f"row {index + 1} is no JSON object")
            yield None, f"row {index + 1}: ", row
        return
    for number, line in enumerate(saved.content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError:
            raise saved.problem(number, "this line is not valid JSON") from None
        if not isinstance(row, dict):
            raise saved.problem(number, "this line is no JSON object")
        yield number, "", row


def json_number(
    saved: SavedFile, line: int | None, measure: str, value: Any, place: str = ""
) -> float:
    """The value of a measure in JSON; NaN: not known."""
    if isinstance(value, str):
        return _parse_cell(saved, line, measure, value)
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise saved.problem(line, f"{place}{value!r} is not a number")
    return float(value)
