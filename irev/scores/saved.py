"""Saved scores: irev's JSON, CSV and TSV, trec_eval's output with -q, matrices and long forms.

Irev's JSON is that of `irev eval -q` or of `irev leaderboard --per-topic` with one board.

A matrix is a table with commas or tabs: a line for each topic, a column for each run, whose names
stand in the first line. Where the first column holds ids of topics these are taken; otherwise the
topics are 1, 2, ... ; whole numbers, all different, may be either, and need the name of what they
are. The measure is called as the file is, without its suffix.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.model import Column
from irev.core.text import as_bytes, as_text, escape_non_utf8, parse_json, parse_real, pattern
from irev.errors import InputError, UsageError
from irev.measures.naming.resolve import resolve_names
from irev.read.headers import NAMES, find_header, plain_name
from irev.read.layout import looks_like_scores
from irev.read.stream import Source, sha256_of
from irev.scores.long_form import (
    ScoreRow,
    has_long_form,
    is_score_parquet,
    read_score_parquet,
    score_rows,
    scores_problem,
)
from irev.scores.run_names import distinct_names, path_forms, stem_of
from irev.scores.signature import Signature
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.core.arrays import Floats

SUMMARY = "all"
"""What trec_eval and irev call the summary where a topic would stand; `all[...]` are others."""

_IREV_JSON = re.compile(rb'\s*\{\s*"irev"\s*:')
_HALF_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = "[\ud800-\udc7f\udd00-\udfff]"
_TOPIC_HEADS = frozenset({"", "topics", *NAMES["topic"]})
_STANDS_ON = frozenset({"averaged_over", "left_out", "signature"})
_NOT_FINITE = ("nan", "inf", "infinity")


def is_saved(path: str) -> bool:
    """Whether a file holds saved scores, by how it begins."""
    if os.path.exists(path) and not os.path.isfile(path):
        return False  # a run in several files, or a pipe, which can be read only once
    if is_score_parquet(path):
        return True
    with Source(path) as source:
        return is_saved_head(source.head())


def has_semicolons(path: str) -> bool:
    """Whether a file looks like a table with semicolons between its columns, which is not read."""
    with Source(path) as source:
        lines = source.head().splitlines()[:2]
    return len(lines) == 2 and lines[0].count(b";") == lines[1].count(b";") > 0


def is_saved_head(head: bytes) -> bool:
    """Whether a file with these first lines (`Source.head`) holds saved scores."""
    return _saved_kind(head) is not None


def read_saved(path: str) -> list[ScoreTable]:
    """The runs of a file of saved scores, in the order of the file."""
    with Source(path) as source:
        kind = "parquet" if is_score_parquet(path) else _saved_kind(source.head())
        if kind is None:
            raise source.problem(
                "this file does not contain saved scores",
                "of irev's (-q --format json, csv or tsv, --output x.parquet), trec_eval's (-q), "
                "long forms (run, topic, measure and value on a line) and matrices (a line for "
                "each topic, a column for each run) are read",
                kind="other-kind",
            )
        content = source.content()
        readers = {
            "json": _read_json,
            "long": _read_long_form,
            "parquet": _read_parquet,
            "table": _read_wide_table,
            "matrix": _read_matrix_as_table_per_run,
        }
        tables = readers.get(kind, _read_trec)(source.path, content)
        digest = sha256_of(content)
        return [replace(table, runs=(replace(table.runs[0], sha256=digest),)) for table in tables]


def _saved_kind(head: bytes) -> str | None:
    """json, long, table, matrix, trec, or None where the bytes are no beginning of saved scores."""
    if _IREV_JSON.match(head):
        return "json"
    if find_header(head) is not None:
        return None
    if has_long_form(head):
        return "long"
    lines = [line for line in head.splitlines()[:40] if line.strip() and line[:1] != b"#"]
    if not lines:
        return None
    if any(mark in lines[0] for mark in (b",", b"\t")):
        kind = _table_kind(lines)
        if kind is not None:
            return kind
    return "trec" if looks_like_scores(head) else None


def _table_kind(lines: Sequence[bytes]) -> str | None:
    separator = _separator(lines[0])
    head = _cells(lines[0], separator)
    if head[:2] == ["run", "topic"]:
        return "table"
    if len(head) < 2 or any(map(_is_number, head)) or plain_name(head[1]) in NAMES["document"]:
        return None
    if len(lines) < 2:
        return None
    second = _cells(lines[1], separator)
    # an empty cell is told apart when the line is read
    fits = len(second) == len(head) and all(cell == "" or _is_number(cell) for cell in second[1:])
    return "matrix" if fits and any(second[1:]) else None


def _separator(line: bytes) -> str:
    return "\t" if b"\t" in line else ","


def _cells(line: bytes, separator: str) -> list[str]:
    text = as_text(line)
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def _is_number(cell: str) -> bool:
    return parse_real(as_bytes(cell)) is not None or cell.lower().lstrip("+-") in _NOT_FINITE


class _RunValues:
    """The values of a run, as they come."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.run_id = b""
        self.by_topic: dict[bytes, dict[str, float]] = {}
        self.missing: tuple[bytes, ...] = ()
        self.signature: Signature | None = None
        self.note = ""

    def table(self, path: str, measures: Iterable[str]) -> ScoreTable:
        """The table of this run, as the file has it; NaN where the file has no number."""
        names = tuple(measures)
        topics = sorted(self.by_topic)
        values = np.array(
            [[self.by_topic[topic].get(name, math.nan) for topic in topics] for name in names]
        ).reshape(len(names), len(topics))
        run = RunInfo(
            self.name,
            path,
            self.run_id,
            self.missing,
            signature=self.signature,
            is_saved=True,
            note=self.note,
        )
        return _saved_table(tuple(topics), run, names, values)


def _saved_table(
    topics: tuple[bytes, ...],
    run: RunInfo,
    measures: Iterable[str],
    values_by_measure_and_topic: Floats,
) -> ScoreTable:
    """The table of one saved run, given `values_by_measure_and_topic`, float64[C, T]."""
    columns = tuple(map(_column_of_printed_name, measures))
    return ScoreTable(topics, (run,), columns, values_by_measure_and_topic[:, :, None])


def _column_of_printed_name(name: str) -> Column:
    """What a printed name stands for; a name that irev does not know is a mean of its values."""
    try:
        # another program's column may be called like what people type for a measure
        requests = resolve_names([name], lenient=False)
    except UsageError:
        return Column(name, name)
    columns = [column for request in requests for column in request.columns if column.name == name]
    return columns[0] if columns else Column(name, name)


def _read_long_form(path: str, content: bytes) -> list[ScoreTable]:
    """A value on each line, in whatever form."""
    runs, names = _runs_of_rows(path, score_rows(path, content))
    tables = _tables_of_runs(path, runs.values(), names)
    return _name_by_path(tables) if "" in runs else _name_without_endings(tables)


def _read_parquet(path: str, content: bytes) -> list[ScoreTable]:
    """The same as a Parquet table; irev's own has more in its metadata."""
    about, rows = read_score_parquet(path, content)
    runs, names = _runs_of_rows(path, rows)
    if not about.get("runs"):
        tables = _tables_of_runs(path, runs.values(), names)
        return _name_by_path(tables) if "" in runs else _name_without_endings(tables)
    document = {"measures": names, "note": about.get("note")}
    try:
        described = {escape_non_utf8(facts["run"]): facts for facts in about["runs"]}
        return [
            _table_of_run(path, document, {**described[name], "topics": _json_topics(run)})
            for name, run in runs.items()
        ]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise scores_problem(
            path, None, "the metadata of this Parquet file do not fit its rows"
        ) from None


def _json_topics(run: _RunValues) -> dict[str, dict[str, float]]:
    return {as_text(topic): values for topic, values in run.by_topic.items()}


def _runs_of_rows(path: str, rows: Iterable[ScoreRow]) -> tuple[dict[str, _RunValues], list[str]]:
    """(the runs by name; the measures), each in the order of the rows."""
    runs: dict[str, _RunValues] = {}
    names: dict[str, None] = {}
    for row in rows:
        run = runs.setdefault(row.run, _RunValues(row.run))
        names.setdefault(row.measure)
        values = run.by_topic.setdefault(as_bytes(row.topic), {})
        if row.measure in values:
            of_run = f" of {row.run}" if row.run else ""
            raise scores_problem(
                path, row.line, f"duplicate {row.measure}{of_run} for topic {row.topic}"
            )
        values[row.measure] = row.value
    return runs, list(names)


def _read_json(path: str, content: bytes) -> list[ScoreTable]:
    try:
        document = parse_json(content)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise scores_problem(path, line, "this JSON is damaged") from None
    if _HALF_ESCAPED.search(content) and pattern(_HALF).search(
        json.dumps(document, ensure_ascii=False)
    ):
        raise scores_problem(path, None, "this JSON escapes half of a surrogate pair")
    try:
        holder = _only_board(path, document) if "leaderboard" in document else document
        tables = [_table_of_run(path, holder, run) for run in holder["runs"]]
        return tables if "path" in holder["runs"][0] else _name_without_endings(tables)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError):
        raise scores_problem(path, None, "this JSON does not hold scores that irev saved") from None


def _only_board(path: str, document: dict[str, Any]) -> dict[str, Any]:
    """The board of a leaderboard that has one."""
    boards = [board for track in document["leaderboard"] for board in track["boards"]]
    if len(boards) != 1:
        raise scores_problem(path, None, f"this leaderboard has {len(boards)} boards, expected one")
    chosen_board: dict[str, Any] = boards[0]
    return chosen_board


def _table_of_run(path: str, document: dict[str, Any], run_object: dict[str, Any]) -> ScoreTable:
    if "topics" not in run_object:
        raise _no_topics_error(path)
    run = _RunValues(run_object["run"])
    run.run_id = as_bytes(run_object["runid"])
    run.missing = tuple(sorted(map(as_bytes, run_object["missing"])))
    if run_object.get("signature"):
        run.signature = Signature.from_long(run_object["signature"])
    run.note = str(document.get("note") or "")
    for topic, values in run_object["topics"].items():
        run.by_topic[as_bytes(topic)] = {
            name: math.nan if value is None else float(value)
            for name, value in values.items()
            if not isinstance(value, str)
        }
    names = [name for name in document["measures"] if any(name in v for v in run.by_topic.values())]
    return run.table(path, names)


def _read_wide_table(path: str, content: bytes) -> list[ScoreTable]:
    """Irev's CSV or TSV."""
    rows = _numbered_rows(path, content)
    _, head = next(rows)
    names = [name for name in head[2:] if name not in _STANDS_ON]
    runs: dict[str, _RunValues] = {}
    for line, cells in rows:
        name, topic = cells[0], cells[1]
        run = runs.setdefault(name, _RunValues(name))
        if topic == SUMMARY or topic.startswith(f"{SUMMARY}["):
            if topic == SUMMARY and "signature" in head:
                run.signature = _signature(cells[head.index("signature")])
            continue
        _refuse_repeated_topic(path, line, run, topic)
        run.by_topic[as_bytes(topic)] = {
            name: math.nan if cell == "" else _parse_value(path, line, cell)
            for name, cell in zip(names, cells[2:], strict=False)
            if name != "runid"
        }
    names = [name for name in names if name != "runid"]
    return _name_without_endings(_tables_of_runs(path, runs.values(), names))


def _signature(text: str) -> Signature | None:
    return Signature.from_short(text) if text else None


def _read_matrix_as_table_per_run(path: str, content: bytes) -> list[ScoreTable]:
    rows = list(_numbered_rows(path, content))
    head, lines = rows[0][1], rows[1:]
    has_ids = head[0].lower() in _TOPIC_HEADS or not all(_is_number(c[0]) for _, c in lines)
    if not has_ids and _may_be_ids([cells[0] for _, cells in lines]):
        raise scores_problem(
            path, rows[0][0],
            f"column {head[0]} holds a whole number for each line, all different: ids of topics, "
            "or the scores of a run?",
            "topics are in a column called topic; before scores put one, of 1, 2, ...",
        )  # fmt: skip
    names = head[1:] if has_ids else head
    _refuse_repeated_columns(path, names)
    topics: dict[bytes, int] = {}
    values = np.empty((len(lines), len(names)))
    for number, (line, cells) in enumerate(lines):
        topic = as_bytes(cells[0]) if has_ids else str(number + 1).encode()
        if topic in topics:
            raise scores_problem(path, line, f"duplicate topic {cells[0]}")
        topics[topic] = number
        values[number] = [
            _parse_value(path, line, cell) for cell in (cells[1:] if has_ids else cells)
        ]
    order = [topics[topic] for topic in sorted(topics)]
    measure = escape_non_utf8(os.path.basename(path).split(".")[0]) or "score"
    return [
        _saved_table(
            tuple(sorted(topics)),
            RunInfo(name, path, is_saved=True),
            [measure],
            values[order, i : i + 1].T,
        )
        for i, name in enumerate(names)
    ]


def _may_be_ids(cells: Sequence[str]) -> bool:
    """Whether a column of numbers may number topics."""
    return len(cells) > 1 and all(map(str.isdecimal, cells)) and len(set(cells)) == len(cells)


def _read_trec(path: str, content: bytes) -> list[ScoreTable]:
    """trec_eval's output, or irev's for several runs, each behind a line `# RUN`."""
    runs = [_RunValues("")]
    names: dict[str, None] = {}
    for line, text in enumerate(content.splitlines(), 1):
        if text.startswith(b"# "):
            runs.append(_RunValues(text[2:].strip().decode("utf-8", "surrogateescape")))
            continue
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise scores_problem(
                path, line, f"{len(fields)} fields, where trec_eval's output has 3",
                "measure topic value",
            )  # fmt: skip
        _take_trec_line(path, line, runs[-1], names, fields)
    able = [run for run in runs if run.by_topic or run.run_id]
    return _name_by_path(_tables_of_runs(path, able, list(names)))


def _take_trec_line(
    path: str,
    line: int,
    run_values: _RunValues,
    measure_names: dict[str, None],
    fields: list[bytes],
) -> None:
    name = as_text(fields[0])
    is_summary = fields[1] == b"all" or fields[1].startswith(b"all[")
    if name == "runid":
        run_values.run_id = fields[2]
    elif not is_summary:
        measure_names.setdefault(name)
        values = run_values.by_topic.setdefault(fields[1], {})
        if name in values:
            topic = fields[1].decode("utf-8", "replace")
            raise scores_problem(
                path, line, f"duplicate {name} for topic {topic}",
                "separate the outputs of several runs by a line '# RUN'",
            )  # fmt: skip
        cell = as_text(fields[2])
        values[name] = math.nan if cell == "-" else _parse_value(path, line, cell)


def _numbered_rows(path: str, content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with its number; all lines as long as the first."""
    text = as_text(content)
    first = next(line for line in content.splitlines() if line.strip() and line[:1] != b"#")
    table = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(first))
    width = 0
    for cells in table:
        if not cells or (len(cells) == 1 and not cells[0].strip()) or cells[0].startswith("#"):
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise scores_problem(
                path, table.line_num, f"{len(cells)} cells, where the first line has {width}"
            )
        yield table.line_num, [cell.strip() for cell in cells]


def _parse_value(path: str, line: int, cell: str) -> float:
    number = parse_real(as_bytes(cell))
    if number is None:
        if cell.lower().lstrip("+-") in _NOT_FINITE:
            return float(cell)
        if not cell:
            raise scores_problem(path, line, "a cell is empty", "a topic that a run lacks has a 0")
        raise scores_problem(path, line, f"'{cell}' is not a number")
    return number


def _refuse_repeated_topic(path: str, line: int, run: _RunValues, topic: str) -> None:
    if as_bytes(topic) in run.by_topic:
        raise scores_problem(path, line, f"duplicate topic {topic} for {run.name}")


def _refuse_repeated_columns(path: str, column_names: Sequence[str]) -> None:
    for name in column_names:
        if not name:
            raise scores_problem(
                path, 1, "a column has no name", "columns are called as the runs are"
            )
        if column_names.count(name) > 1:
            raise scores_problem(path, 1, f"two columns are called {name}")


def _tables_of_runs(
    path: str, runs: Iterable[_RunValues], measure_names: Sequence[str]
) -> list[ScoreTable]:
    tables = [run.table(path, measure_names) for run in runs]
    if not tables or any(not table.topics for table in tables):
        raise _no_topics_error(path)
    return tables


def _name_by_path(tables: list[ScoreTable]) -> list[ScoreTable]:
    """Runs that are called by their paths, called as `name_runs` calls such."""
    names = distinct_names([path_forms(t.runs[0].name or t.runs[0].path) for t in tables])
    return [_rename_run(table, name) for table, name in zip(tables, names, strict=True)]


def _name_without_endings(tables: list[ScoreTable]) -> list[ScoreTable]:
    """Runs as the file calls them; before version 0.3 that was by their paths."""
    names = [table.runs[0].name for table in tables]
    stems = [stem_of(os.path.basename(name)) for name in names]
    if all(stem_of(name) == name for name in names) or len(set(stems)) < len(stems):
        return tables  # only where names would be equal do they have endings
    return [_rename_run(table, stem) for table, stem in zip(tables, stems, strict=True)]


def _rename_run(table: ScoreTable, name: str) -> ScoreTable:
    return replace(table, runs=(replace(table.runs[0], name=name),))


def _no_topics_error(path: str) -> InputError:
    return scores_problem(
        path, None, "these scores are a summary", "save those of each topic: irev -q"
    )
