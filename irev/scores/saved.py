"""Files of saved scores: which form one has, and its runs.

The forms, each with a function that knows how it begins and one that reads it: irev's JSON, a value
on each line (text, JSON or Parquet), an object for each topic in JSON, mappings in JSON as
pytrec_eval gives them, tables with a column for each measure or run, and trec_eval's output with
-q.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from irev.core.packages import need_packages
from irev.core.text import (
    as_bytes,
    as_text,
    count_text,
    escape_non_utf8,
    list_beginning,
    parse_json,
    pattern,
    shortened_list,
)
from irev.errors import Notice, UsageError
from irev.measures.naming.resolve import resolve_names
from irev.read.columns import NAMES, ColumnNames, find_header, plain_name
from irev.read.inputs import split_saved_path
from irev.read.layout import looks_like_scores
from irev.read.stream import Source, sha256_of
from irev.scores.saved_runs import (
    RunValues,
    SavedFile,
    are_measure_names,
    drop_summary_topics,
    is_measure_name,
    is_number,
    is_summary_label,
    name_by_path,
    name_without_endings,
    no_topics_error,
    tables_of_runs,
)
from irev.scores.scores import SUMMARY
from irev.scores.signature import Signature
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from irev.core.option_records import MeasureRange


def is_saved(path: str, columns: ColumnNames = ()) -> bool:
    """Whether a file holds saved scores, by how it begins; one of its runs may be named."""
    path, _ = split_saved_path(path)
    if os.path.exists(path) and not os.path.isfile(path):
        return False  # a run in several files, or a pipe, which can be read only once
    if is_score_parquet(path):
        return True
    with Source(path) as source:
        return is_saved_head(source.head(), columns)


def table_hint(path: str) -> str:
    """What to do about a file that looks like a table of scores and is not read; else empty."""
    with Source(path) as source:
        lines = source.head().splitlines()[:2]
    if len(lines) == 2 and lines[0].count(b";") == lines[1].count(b";") > 0:
        return (
            "semicolons separate its columns: write commas between columns, and points in "
            "decimal numbers"
        )
    # a matrix whose runs have no names, or are called by numbers
    separator = _separator(lines[0]) if len(lines) == 2 else ""
    if separator:
        head, row = (_cells(line, separator) for line in lines)
        is_matrix = len(head) == len(row) > 1 and all(map(is_number, row[1:]))
        if is_matrix and any(map(is_number, head)):
            return (
                "its first line has numbers: write topic,RUN,RUN... there, and the ids of the "
                "topics in the first column"
            )
    return ""


def is_saved_head(head: bytes, columns: ColumnNames = ()) -> bool:
    """Whether a file with these first lines (`Source.head`) holds saved scores.

    `columns` are the names of columns, as far as somebody gave one.
    """
    return _saved_kind(head, columns) is not None


def read_saved(
    path: str, ranges: Sequence[MeasureRange] = (), columns: ColumnNames = ()
) -> list[ScoreTable]:
    """The runs of a file of saved scores, in the order of the file.

    Args:
        path: the file; `scores.json[bm25]` is one of its runs.
        ranges: those of measures, as far as somebody gave one.
        columns: names of columns, as far as somebody gave one; `measure` is one with scores.

    Raises:
        InputError: it holds none, or what it holds cannot be read; a value outside its range; no
            run of that name.
    """
    file_path, run_name = split_saved_path(path)
    with Source(file_path) as source:
        kind = "parquet" if is_score_parquet(file_path) else _saved_kind(source.head(), columns)
        if kind is None:
            raise source.problem(
                "this file does not contain saved scores",
                "of irev's (-q --format json, csv or tsv, --output x.parquet), trec_eval's (-q), "
                "long forms (run, topic, measure and value on a line) and matrices (a line for "
                "each topic, a column for each run) are read",
                kind="other-kind",
            )
        content = source.content()
        saved = SavedFile(source.path, _with_usual_names(content, columns), ranges, columns)
        tables = drop_summary_topics(_READERS[kind](saved))
        digest = sha256_of(content)
        fields: dict[str, Any] = {"sha256": digest} | ({"path": path} if run_name else {})
        named = [table for table in tables if run_name in ("", table.runs[0].name)]
        if not named:
            names = shortened_list([table.runs[0].name for table in tables], 10)
            raise source.problem(
                f"there is no run '{run_name}' in this file",
                f"it has {names}",
                kind="bad-saved-scores",
            )
        return [replace(table, runs=(replace(table.runs[0], **fields),)) for table in named]


_BEGINNING = re.compile(rb'\s*\{\s*"irev"\s*:')


def _saved_kind(head: bytes, columns: ColumnNames) -> str | None:
    """Which form a text has that begins so; None: it is no beginning of saved scores."""
    head = _with_usual_names(head, columns)
    if _BEGINNING.match(head):
        return "json"
    if has_nested_scores(head):
        return "nested"
    if find_header(head, columns) is not None:
        return None
    lines = content_lines(head)
    if is_json(head):
        row = first_json_row(head)
        is_long = row is not None and indices_of_head(list(row)) is not None
    else:
        is_long = _field_indices(head) is not None
    if is_long:
        return "long"
    if has_score_lines(head):
        return "lines"
    kind = wide_kind(lines) if lines else None
    if kind is not None:
        return kind
    return "trec" if looks_like_scores(head) else None


def _with_usual_names(text: bytes, columns: ColumnNames) -> bytes:
    """A text in whose head the columns that hold the run and the topic are called so."""
    field_of = {column: field for field, column in columns if field in ("run", "topic") and column}
    line = next(iter(content_lines(text[: 1 << 20])), b"") if field_of else b""
    separator = _separator(line)
    cells = _cells(line, separator)
    if field_of.keys().isdisjoint(cells):
        return text
    head = io.StringIO()
    named = [field_of.get(cell, cell) for cell in cells]
    csv.writer(head, delimiter=separator or " ", lineterminator="").writerow(named)
    return text.replace(line, as_bytes(head.getvalue()), 1)


# --- Scores as irev saves them in JSON: `irev eval -q`, or `irev leaderboard --per-topic` ---


_HALF_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = "[\ud800-\udc7f\udd00-\udfff]"


def read_irev_json(saved: SavedFile) -> list[ScoreTable]:
    """The runs of irev's JSON."""
    document = _parse_whole_json(saved, saved.content)
    if _HALF_ESCAPED.search(saved.content) and pattern(_HALF).search(
        json.dumps(document, ensure_ascii=False)
    ):
        raise saved.problem(None, "this JSON escapes half of a surrogate pair")
    try:
        holder = document
        if "leaderboard" in document:
            boards = [board for track in document["leaderboard"] for board in track["boards"]]
            if len(boards) != 1:
                found = f"this leaderboard has {len(boards)} boards, expected one"
                raise saved.problem(None, found)
            holder = boards[0]
        tables = [_table_of_run(saved, holder, run) for run in holder["runs"]]
        return tables if "path" in holder["runs"][0] else name_without_endings(tables)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError):
        raise saved.problem(None, "this JSON does not hold scores that irev saved") from None


def _parse_whole_json(saved: SavedFile, content: bytes, make_object: Any = None) -> Any:
    try:
        return parse_json(content, make_object)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise saved.problem(line, "this JSON is damaged") from None


def _table_of_run(
    saved: SavedFile, document: dict[str, Any], run_object: dict[str, Any]
) -> ScoreTable:
    """The table of a run in irev's JSON, as `document` has it beside others."""
    if "topics" not in run_object:
        raise no_topics_error(saved.path)
    run = RunValues(run_object["run"])
    run.run_id = as_bytes(run_object["runid"])
    run.missing = tuple(sorted(map(as_bytes, run_object["missing"])))
    if run_object.get("signature"):
        run.signature = Signature.from_long(run_object["signature"])
    run.note = str(document.get("note") or "")
    for topic, values in run_object["topics"].items():
        place = f"topic {topic} of {run.name}: "
        run.by_topic[as_bytes(topic)] = {
            name: math.nan if value is None else saved.check_range(None, name, float(value), place)
            for name, value in values.items()
            if not isinstance(value, str)
        }
    names = [name for name in document["measures"] if any(name in v for v in run.by_topic.values())]
    return run.table(saved, names)


# --- Scores in the long form: a line for each value, which names run, topic and measure ---
# This is what tracks and tools exchange: CSV and TSV with a head, JSON lines, a list of objects in
# JSON, lines of fields without a head (ir_measures' `topic measure value`, TREC's `run measure
# topic value`). Columns stand in any order: a head names them, and without one the last is the
# value, and measures are told by their names.


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

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


def read_long_form(saved: SavedFile) -> list[ScoreTable]:
    """The runs of a text in the long form."""
    is_text = not is_json(saved.content[: 1 << 16])
    runs, names = runs_of_rows(saved, _text_rows(saved) if is_text else _json_rows(saved))
    return _named_tables(runs, tables_of_runs(saved, runs.values(), names))


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


def _named_tables(runs: Collection[str], tables: list[ScoreTable]) -> list[ScoreTable]:
    """The tables of runs by name; where the file names none, it is called as the file is."""
    return name_by_path(tables) if "" in runs else name_without_endings(tables)


def content_lines(head: bytes, most: int = 40) -> list[bytes]:
    """The first lines of data of a text that begins so."""
    return [
        line
        for line in head.removeprefix(_BYTE_ORDER_MARK).splitlines()[:most]
        if line.strip() and line[:1] != b"#"
    ]


def _separator(line: bytes) -> str:
    """A tab or a comma; empty: blanks."""
    return next((mark for mark in "\t," if mark.encode() in line), "")


def _cells(line: bytes, separator: str) -> list[str]:
    text = as_text(line)
    if not separator:
        return text.split()
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def _csv_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells between commas or tabs, with the number of the line where they end."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    yield from ((reader.line_num, cells) for cells in reader)


def indices_of_head(names: Sequence[str]) -> dict[str, int] | None:
    """Field -> column, where the names are those of a topic, a measure and a value."""
    indices = _usual_columns(names)
    return indices if {"topic", "measure", "value"} <= indices.keys() else None


def _usual_columns(names: Sequence[str]) -> dict[str, int]:
    """Field -> the first column with one of its usual names; none where documents have one."""
    plain_names = [plain_name(name) for name in names]
    if not _DOCUMENTS.isdisjoint(plain_names):
        return {}
    return {
        field: next(i for i, name in enumerate(plain_names) if name in usual)
        for field, usual in FIELD_NAMES.items()
        if any(name in usual for name in plain_names)
    }


def _field_indices(head: bytes) -> tuple[dict[str, int], bool] | None:
    """(field -> column, whether the first line is a head) of a text; None: no long form."""
    lines = content_lines(head)
    if not lines:
        return None
    first = _cells(lines[0], _separator(lines[0]))
    indices = indices_of_head(first)
    if indices is not None:
        return indices, True
    rows = [_cells(line, _separator(line)) for line in lines]
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
    return (found, False) if start and (found := _indices_by_repeated_words(head)) else None


def _indices_by_repeated_words(head: bytes) -> dict[str, int] | None:
    """Field -> column of `run measure topic value` or `run topic measure value`, as judges write.

    Of measures that irev does not know, without a line for `all`: few words stand at many topics,
    and the runs have the same topics. Documents of qrels by subtopics are others in each topic.
    """
    text = head[: head.rfind(b"\n") + 1] or head
    lines = content_lines(text, most=len(text))
    rows = [_cells(line, _separator(line)) for line in lines]
    if any(len(row) != 4 or not is_number(row[3]) for row in rows):
        return None
    for topic, measure in ((1, 2), (2, 1)):
        words = {row[measure] for row in rows}
        topics_of_run: dict[str, set[str]] = {}
        for row in rows:
            topics_of_run.setdefault(row[0], set()).add(row[topic])
        first, *others = topics_of_run.values()
        num_shared, num_others = sum(len(first & o) for o in others), sum(map(len, others))
        if (
            all(word[:1].isalpha() and word.lower() not in _NO_MEASURE for word in words)
            and len(words) < len(set.union(*topics_of_run.values()))
            and len({(*row[:3],) for row in rows}) == len(rows)
            and 2 * num_shared >= num_others
        ):
            return {"run": 0, "topic": topic, "measure": measure, "value": 3}
    return None


def _is_known_measure(name: str) -> bool:
    try:
        return name[:1].isalpha() and bool(resolve_names([name], lenient=False))
    except UsageError:
        return False


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


def _text_rows(saved: SavedFile) -> Iterator[ScoreRow]:
    indices, has_head = _field_indices(saved.content[: 1 << 16]) or ({}, False)
    width = 0
    text = as_text(saved.content.removeprefix(_BYTE_ORDER_MARK))
    separator = _separator(content_lines(saved.content[: 1 << 16])[0])
    if separator:
        numbered = (
            (number, [cell.strip() for cell in cells])
            for number, cells in _csv_rows(text, separator)
            if any(map(str.strip, cells)) and not cells[0].startswith("#")
        )
    else:
        numbered = (
            (number, line.split())
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip() and not line.startswith("#")
        )
    for line, cells in numbered:
        if not width:
            width = len(cells)
            if has_head:
                continue
        if len(cells) != width:
            raise saved.problem(
                line, f"{count_text(len(cells), 'cell')}, where the first line has {width}"
            )
        run, topic, measure, value = (
            cells[indices[field]] if field in indices else "" for field in FIELD_NAMES
        )
        if measure not in _TEXT_MEASURES:
            yield ScoreRow(line, run, topic, measure, _parse_cell(saved, line, measure, value))


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
        content = saved.content.removeprefix(_BYTE_ORDER_MARK)
        for index, row in enumerate(_parse_whole_json(saved, content)):
            if not isinstance(row, dict):
                raise saved.problem(None, f"row {index + 1} is no JSON object")
            yield None, f"row {index + 1}: ", row
        return
    for number, line in enumerate(saved.content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError:
            raise saved.problem(number, "this line is not valid JSON") from None
        if not isinstance(row, dict):
            raise saved.problem(number, "this line is no JSON object")
        yield number, "", row


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_number(
    saved: SavedFile, line: int | None, measure: str, value: Any, place: str = ""
) -> float:
    """The value of a measure in JSON; NaN: not known."""
    if isinstance(value, str):
        return _parse_cell(saved, line, measure, value)
    if value is None:
        return math.nan
    if not _is_number(value):
        raise saved.problem(line, f"{place}{value!r} is not a number")
    return float(value)


# --- Scores in nested JSON, as pytrec_eval gives them: by topic, or by run and topic ---
#     {"q1": {"map": 0.25, "ndcg_cut_10": 0.5}}
#     {"bm25": {"q1": {"map": 0.25, "ndcg_cut_10": 0.5}}}
# A run in JSON has the same shape, with documents for measures. So most of the first names of the
# first topic must be measures that irev knows.


_STRING = rb'"((?:[^"\\\x00-\x1f]|\\.)*)"'
_TO_FIRST_TOPIC = rb"\s*\{\s*" + _STRING + rb"\s*:\s*\{\s*(?:" + _STRING + rb'\s*:\s*\{\s*)?(?=")'
"""How a mapping begins in JSON, up to the names of its first topic."""

_PAIR = (
    rb"[,\s]*" + _STRING + rb'\s*:\s*(?:-?[0-9][0-9.eE+-]*|null|NaN|-?Infinity|"[^"]*")\s*(?=[,}])'
)
_FIRST_NAMES = 8
"""So many names of the first topic tell measures from documents."""


def has_nested_scores(head: bytes) -> bool:
    """Whether a text that begins so is a mapping of the scores of topics."""
    beginning = pattern(_TO_FIRST_TOPIC).match(head)
    if beginning is None:
        return False
    names: list[str] = []
    position = beginning.end()
    while len(names) < _FIRST_NAMES and (pair := pattern(_PAIR).match(head, position)) is not None:
        names.append(as_text(pair[1]))
        position = pair.end()
    return head[position : position + 1] in (b"}", b",") and _are_mostly_measures(names)


def is_score_mapping(value: Any) -> bool:
    """Whether a mapping in memory has the scores of topics, by the first of them."""
    first = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    if not isinstance(first, Mapping):
        return False
    names = [*islice(first, _FIRST_NAMES)]
    return all(isinstance(name, str) for name in names) and _are_mostly_measures(names)


def _are_mostly_measures(names: Sequence[str]) -> bool:
    measure_names = [name for name in names if is_measure_name(name)]
    return 2 * len(measure_names) > len(names) and are_measure_names(measure_names)


def read_nested_scores(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text; without their names the file has one."""

    def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            raise saved.problem(None, f"'{repeated}' is repeated in one mapping")
        return values

    mapping = _parse_whole_json(saved, saved.content, make_object)
    first = next(iter(mapping.values()))
    if any(isinstance(value, dict) for value in first.values()):
        tables = [
            table for name, topics in mapping.items() for table in _tables(saved, name, topics)
        ]
        return name_without_endings(tables)
    return name_by_path(_tables(saved, "", mapping))


def table_of_score_mapping(
    mapping: Mapping[Any, Any], ranges: Sequence[MeasureRange] = ()
) -> ScoreTable:
    """The table of one run in memory; `ranges` are those of measures, as far as they are given."""
    [table] = drop_summary_topics(_tables(SavedFile("", b"", ranges), "", mapping))
    return table


def _tables(saved: SavedFile, name: str, topics: Any) -> list[ScoreTable]:
    run = RunValues(name)
    of_run = f" of {name}" if name else ""
    measures: dict[str, None] = {}
    for topic, values in _items(saved, topics, f"the topics{of_run}"):
        if is_summary_label(topic):
            continue
        place = f"topic {topic}{of_run}: "
        own = run.by_topic[as_bytes(topic)] = {}
        for measure, value in _items(saved, values, f"topic {topic}{of_run}"):
            if measure not in _TEXT_MEASURES:
                measures.setdefault(measure)
                own[measure] = _number(saved, measure, value, place)
    return tables_of_runs(saved, [run], [*measures])


def _items(saved: SavedFile, value: Any, noun: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise saved.problem(None, f"{noun}: expected a mapping, found {value!r}")
    return ((str(key), each) for key, each in value.items())


def _number(saved: SavedFile, measure: str, value: Any, place: str) -> float:
    if value is None:
        return math.nan
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool | str) or (math.isnan(number) and not isinstance(value, float)):
        raise saved.problem(None, f"{place}{measure} is {value!r}, which is no number")
    return saved.check_range(None, measure, number, place)


# --- Scores in the long form as a Parquet table, such as `irev eval --output x.parquet` write ---


PARQUET_MARK = b"PAR1"
METADATA_KEY = b"irev"
"""Under which key the metadata of a Parquet file hold what is known of the scores, as JSON."""


def is_score_parquet(path: str) -> bool:
    """Whether a file is a Parquet table of scores in the long form."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as stream:
            mark = stream.read(len(PARQUET_MARK))
    except OSError:  # whoever reads it says so
        return False
    if mark != PARQUET_MARK:
        return False
    need_packages("pyarrow", place=path)
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except (OSError, pa.ArrowException):
        return False
    return indices_of_head(names) is not None


def read_parquet(saved: SavedFile) -> list[ScoreTable]:
    """The runs of a Parquet table; irev's own has more in its metadata."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(pa.BufferReader(saved.content)).read()
        about = json.loads((table.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    except (OSError, ValueError, pa.ArrowException) as error:
        message = " ".join(str(error).split())
        raise saved.problem(None, f"this Parquet file is damaged: {message}") from None
    runs, names = runs_of_rows(saved, _parquet_rows(saved, table))
    if not about.get("runs"):
        return _named_tables(runs, tables_of_runs(saved, runs.values(), names))
    document = {"measures": names, "note": about.get("note")}
    try:
        described = {escape_non_utf8(facts["run"]): facts for facts in about["runs"]}
        return [
            _table_of_run(
                saved,
                document,
                {**described[name], "topics": {as_text(t): v for t, v in run.by_topic.items()}},
            )
            for name, run in runs.items()
        ]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise saved.problem(None, "the metadata of this Parquet file do not fit its rows") from None


def _parquet_rows(saved: SavedFile, table: Any) -> Iterator[ScoreRow]:
    indices = indices_of_head(table.column_names) or {}
    columns = {field: table.column(index).to_pylist() for field, index in indices.items()}
    runs = columns.get("run", [""] * table.num_rows)
    cells = zip(runs, columns["topic"], columns["measure"], columns["value"], strict=True)
    for row, (run, topic, measure, value) in enumerate(cells, 1):
        if value is not None and not _is_number(value):
            raise saved.problem(None, f"row {row}: {value!r} is not a number")
        number = math.nan if value is None else float(value)
        yield ScoreRow(None, str(run), str(topic), str(measure), number, f"row {row}: ")


# --- Scores in JSON, an object for each topic ---
#     {"qid": "q1", "strict_vital_score": 0.25, "vital_score": 0.5}
# The topic and perhaps the run stand under their usual names, each number under its measure's. The
# last line of nuggetizer has the topic `all` and the means of the lines before it.


_NO_MEASURES = frozenset(
    {*NAMES["document"], *NAMES["grade"], *FIELD_NAMES["measure"], *FIELD_NAMES["value"], "rank"}
)
_LARGEST_ROUNDING = 1e-3
"""Means of a file and of its lines may differ by this: programs round."""


def has_score_lines(head: bytes) -> bool:
    """Whether a text that begins so has an object of scores on each line."""
    row = first_json_row(head) if is_json(head) else None
    if row is None:
        return False
    fields = _run_and_topic_keys(row)
    measures = [value for key, value in row.items() if key not in fields.values()]
    return (
        "topic" in fields
        and _NO_MEASURES.isdisjoint(map(plain_name, row))
        and any(map(_is_number, measures))
        and all(value is None or _is_number(value) for value in measures)
    )


def read_score_lines(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text, with a warning where its means are others than those of its lines.

    Without a run the file names it.
    """
    rows: list[ScoreRow] = []
    for line, place, fields in json_rows(saved):
        keys = _run_and_topic_keys(fields)
        if "topic" not in keys:
            noun = place.removesuffix(": ") or "this line"
            raise saved.problem(line, f"{noun} does not name a topic")
        run, topic = (str(fields[keys[f]]) if f in keys else "" for f in ("run", "topic"))
        for measure, value in fields.items():
            if measure not in keys.values():
                number = json_number(saved, line, measure, value, place)
                rows.append(ScoreRow(line, run, topic, measure, number, place))
    runs, names = runs_of_rows(saved, rows)
    tables = tables_of_runs(saved, runs.values(), names)
    tables = [
        replace(table, warnings=_other_mean_warnings(table, run, rows))
        for run, table in zip(runs, tables, strict=True)
    ]
    return _named_tables(runs, tables)


def _run_and_topic_keys(row_object: Mapping[str, Any]) -> dict[str, str]:
    """Run and topic -> the key that has them."""
    keys: dict[str, str] = {}
    for key, value in row_object.items():
        for field in ("topic", "run"):
            if plain_name(key) in FIELD_NAMES[field] and not isinstance(value, float):
                keys.setdefault(field, key)
    return keys


def _other_mean_warnings(
    table: ScoreTable, run: str, all_rows: Sequence[ScoreRow]
) -> tuple[Notice, ...]:
    """That a mean in the file is another than that of its lines, which some may have left."""
    for row in all_rows:
        if row.run != run or row.topic != SUMMARY:
            continue
        mean = float(table.scores(row.measure).mean())
        if math.isfinite(mean) and abs(mean - row.value) > _LARGEST_ROUNDING:
            place = row.place or f"line {row.line}: "
            message = (
                f"{place}{row.measure} of all is {row.value:g}, but the mean of the "
                f"{count_text(len(table.topics), 'topic')} is {mean:g}"
            )
            return (Notice("other-mean", message),)
    return ()


# --- Scores as trec_eval prints them with -q, or irev for several runs, behind a line `# RUN` ---


def read_trec(saved: SavedFile) -> list[ScoreTable]:
    """The runs of such a text."""
    runs = [RunValues("")]
    names: dict[str, None] = {}
    for line, text in enumerate(saved.content.splitlines(), 1):
        if text.startswith(b"# "):
            runs.append(RunValues(text[2:].strip().decode("utf-8", "surrogateescape")))
            continue
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise saved.problem(
                line,
                f"{count_text(len(fields), 'field')}, where trec_eval's output has 3",
                "measure topic value",
            )
        run, name = runs[-1], as_text(fields[0])
        if name == "runid":
            run.run_id = fields[2]
        elif not is_summary_label(as_text(fields[1])):
            names.setdefault(name)
            values = run.by_topic.setdefault(fields[1], {})
            if name in values:
                raise saved.problem(
                    line,
                    f"duplicate {name} for topic {fields[1].decode('utf-8', 'replace')}",
                    "separate the outputs of several runs by a line '# RUN'",
                )
            cell = as_text(fields[2])
            values[name] = math.nan if cell == "-" else saved.parse_value(line, name, cell)
    able = [run for run in runs if run.by_topic or run.run_id]
    return name_by_path(tables_of_runs(saved, able, list(names)))


# --- Scores in tables with a column for each measure, or for each run ---
# Cells stand between commas, tabs, or behind a head for topics blanks. A table with a column for
# each measure has columns of the run and the topic under their usual names; irev's begins with
# `run` and `topic`. A matrix has a line for each topic and a column for each run, whose names
# stand in the first line. Where the first column holds ids of topics these are taken; otherwise
# the topics are 1, 2, ... ; whole numbers, all different, may be either, and need the name of what
# they are. The measure is called as the file is, without its suffix. Where the names are those of
# measures that irev knows, they are no runs, but the measures of one run, which is called as the
# file is.


_TOPIC_HEADS = frozenset({"", "topics", *NAMES["topic"]})
_BESIDE_MEASURES = frozenset({"averaged_over", "left_out", "signature", "runid", ""})
"""Columns beside the measures; one without a name is pandas' index, or behind a last comma."""


def wide_kind(lines: Sequence[bytes]) -> Literal["table", "matrix"] | None:
    """Whether lines of data are of such a table; the last may be cut."""
    separator = _separator(lines[0])
    head = _cells(lines[0], separator)
    if not head or (not separator and not _is_topic_head(head[0])):
        return None
    if head[:2] == ["run", "topic"]:
        return "table"
    second = _cells(lines[1], separator) if len(lines) > 1 else []
    if len(second) != len(head):
        return None
    if _begins_with_index(head):
        head, second = head[1:], second[1:]
    indices = _run_and_topic_indices(head)
    if indices is not None:
        # the name of a run whose measures are called so; else it is a score
        run, names = second[indices[0]], _without(head, *indices)
        if not is_number(run) or (run.isdecimal() and are_measure_names(names)):
            return "table"
    return "matrix" if _is_matrix(head, second) else None


def _is_matrix(head: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first lines are the names of runs and numbers, perhaps behind a topic."""
    if len(head) < 2 or any(plain_name(name) in NAMES["document"] for name in head[1:]):
        return False
    # runs may be called 1 and 2, but without a head of the topics these are scores
    if not _is_topic_head(head[0]) and any(map(is_number, head)):
        return False
    # an empty cell is told apart when the line is read
    return any(second[1:]) and all(cell == "" or is_number(cell) for cell in second[1:])


def _begins_with_index(head: Sequence[str]) -> bool:
    """Whether the first column is pandas' index: without a name, before that of the topics."""
    return head[0] == "" and head[1:2] not in ([], [""]) and _is_topic_head(head[1])


def _is_topic_head(cell: str) -> bool:
    return plain_name(cell) in _TOPIC_HEADS


def read_table(saved: SavedFile) -> list[ScoreTable]:
    """Irev's CSV or TSV."""
    rows = _numbered_rows(saved)
    _, head = next(rows)
    run_index, topic_index = _run_and_topic_indices(head) or (0, 1)
    head = _without(head, run_index, topic_index)
    names = [name for name in head if name not in _BESIDE_MEASURES]
    _refuse_repeated_columns(saved, names)
    runs: dict[str, RunValues] = {}
    for line, all_cells in rows:
        name, topic = all_cells[run_index], all_cells[topic_index]
        cells = _without(all_cells, run_index, topic_index)
        run = runs.setdefault(name, RunValues(name))
        if is_summary_label(topic):
            if topic == SUMMARY and "signature" in head:
                text = cells[head.index("signature")]
                run.signature = Signature.from_short(text) if text else None
            continue
        run.add_topic(saved, line, topic).update(
            (name, math.nan if cell == "" else saved.parse_value(line, name, cell))
            for name, cell in zip(head, cells, strict=True)
            if name in names
        )
    return name_without_endings(tables_of_runs(saved, runs.values(), names))


def _run_and_topic_indices(head: Sequence[str]) -> tuple[int, int] | None:
    """Which columns hold the run and the topic, by their usual names; None: there are not both."""
    indices = _usual_columns(head)
    if len(head) < 3 or not {"run", "topic"} <= indices.keys():
        return None
    return indices["run"], indices["topic"]


def _without(cells: Sequence[str], *indices: int) -> list[str]:
    return [cell for index, cell in enumerate(cells) if index not in indices]


def read_matrix(saved: SavedFile) -> list[ScoreTable]:
    """A table for each run of a matrix."""
    rows = list(_numbered_rows(saved))
    if _begins_with_index(rows[0][1]):
        rows = [(line, cells[1:]) for line, cells in rows]
    head, lines = rows[0][1], rows[1:]
    first_cells = [cells[0] for _, cells in lines]
    has_ids = _is_topic_head(head[0]) or not all(map(is_number, first_cells))
    may_be_ids = len(lines) > 1 and all(map(str.isdecimal, first_cells))
    if not has_ids and may_be_ids and len(set(first_cells)) == len(lines):
        raise saved.problem(
            rows[0][0],
            f"column {head[0]} holds a whole number for each line, all different: ids of topics, "
            "or the scores of a run?",
            "topics are in a column called topic; before scores put one, of 1, 2, ...",
        )
    names = head[1:] if has_ids else head
    _refuse_repeated_columns(saved, names)
    if _are_columns_measures(saved, rows[0][0], names):
        return _read_measures_of_one_run(saved, lines, names, has_ids=has_ids)
    measure = escape_non_utf8(os.path.basename(saved.path).split(".")[0]) or "score"
    topics: dict[bytes, int] = {}
    values = np.empty((len(lines), len(names)))
    for number, (line, cells) in enumerate(lines):
        topic = as_bytes(cells[0]) if has_ids else str(number + 1).encode()
        if topic in topics:
            raise saved.problem(line, f"duplicate topic {cells[0]}")
        topics[topic] = number
        values[number] = [
            saved.parse_value(line, measure, cell) for cell in (cells[1:] if has_ids else cells)
        ]
    order = [topics[topic] for topic in sorted(topics)]
    return [
        ScoreTable(
            tuple(sorted(topics)),
            (RunInfo(name, saved.path, is_saved=True),),
            (saved.column(measure),),
            values[order, index : index + 1].T[:, :, None],
        )
        for index, name in enumerate(names)
    ]


def _are_columns_measures(saved: SavedFile, line: int, names: Sequence[str]) -> bool:
    """Whether columns are measures of one run; else they are runs.

    Raises:
        InputError: some have names of measures, and others do not.
    """
    if saved.measure_column in names or are_measure_names(names):
        return True
    measures = [name for name in names if len(name) > 1 and is_measure_name(name)]
    if measures:
        others = [name for name in names if not is_measure_name(name)]
        raise saved.problem(
            line,
            f"{list_beginning(measures)} may be a measure, and irev knows no measure "
            f"{list_beginning(others)}: are the columns measures of one run, or runs?",
            f"--columns measure={others[0]} says measures; for runs rename column {measures[0]}",
        )
    return False


def _read_measures_of_one_run(
    saved: SavedFile, lines: Sequence[tuple[int, list[str]]], names: Sequence[str], *, has_ids: bool
) -> list[ScoreTable]:
    run = RunValues("")
    for number, (line, cells) in enumerate(lines):
        topic, values = (cells[0], cells[1:]) if has_ids else (str(number + 1), cells)
        if not is_summary_label(topic):
            run.add_topic(saved, line, topic).update(
                (name, math.nan if cell == "" else saved.parse_value(line, name, cell))
                for name, cell in zip(names, values, strict=True)
                if name != "runid"
            )
    return name_by_path(tables_of_runs(saved, [run], [name for name in names if name != "runid"]))


def _numbered_rows(saved: SavedFile) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with its number; all lines as long as the first."""
    text = as_text(saved.content)
    lines = saved.content.splitlines()
    separator = _separator(next(line for line in lines if line.strip() and line[:1] != b"#"))
    width = 0
    for number, cells in (
        _csv_rows(text, separator) if separator else enumerate(map(str.split, text.split("\n")), 1)
    ):
        if not cells or (len(cells) == 1 and not cells[0].strip()) or cells[0].startswith("#"):
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise saved.problem(
                number, f"{count_text(len(cells), 'cell')}, where the first line has {width}"
            )
        yield number, [cell.strip() for cell in cells]


def _refuse_repeated_columns(saved: SavedFile, column_names: Sequence[str]) -> None:
    for name in column_names:
        if not name:
            raise saved.problem(1, "a column has no name", "columns are called as the runs are")
        if column_names.count(name) > 1:
            raise saved.problem(1, f"two columns are called {name}")


_READERS: Mapping[str, Callable[[SavedFile], list[ScoreTable]]] = {
    "json": read_irev_json,
    "nested": read_nested_scores,
    "long": read_long_form,
    "lines": read_score_lines,
    "parquet": read_parquet,
    "table": read_table,
    "matrix": read_matrix,
    "trec": read_trec,
}
