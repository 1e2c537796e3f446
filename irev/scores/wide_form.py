"""Scores in tables with a column for each measure, or for each run.

Cells stand between commas, tabs, or behind a head for topics blanks. A table with a column for each
measure has columns of the run and the topic under their
usual names; irev's begins with `run` and `topic`. A matrix has a line for each
topic and a column for each run, whose names stand in the first line. Where the first column holds
ids of topics these are taken; otherwise the topics are 1, 2, ... ; whole numbers, all different,
may be either, and need the name of what they are. The measure is called as the file is, without its
suffix. Where the names are those of measures that irev knows, they are no runs, but
the measures of one run, which is called as the file is.
"""

from __future__ import annotations

import csv
import io
import math
import os
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_bytes, as_text, escape_non_utf8
from irev.core.wording import list_beginning
from irev.read.headers import NAMES, plain_name
from irev.scores.long_form import FIELD_NAMES
from irev.scores.saved_file import (
    SUMMARY,
    are_measure_names,
    is_measure_name,
    is_number,
    is_summary_label,
)
from irev.scores.saved_runs import (
    RunValues,
    name_by_path,
    name_without_endings,
    tables_of_runs,
)
from irev.scores.signature import Signature
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from irev.scores.saved_file import SavedFile

_TOPIC_HEADS = frozenset({"", "topics", *NAMES["topic"]})
_NO_MEASURES = frozenset({"averaged_over", "left_out", "signature", "runid", ""})
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
    if indices is not None and _is_run_of_measures(second[indices[0]], _without(head, *indices)):
        return "table"
    return "matrix" if _is_matrix(head, second) else None


def _is_run_of_measures(run: str, names: Sequence[str]) -> bool:
    """Whether a cell may be the name of a run whose measures are called so; else it is a score."""
    return not is_number(run) or (run.isdecimal() and are_measure_names(names))


def _is_matrix(head: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first lines are the names of runs and numbers, perhaps behind a topic."""
    if len(head) < 2 or any(plain_name(name) in NAMES["document"] for name in head[1:]):
        return False
    # runs may be called 1 and 2, but without a head of the topics these are scores
    if not _is_topic_head(head[0]) and any(map(is_number, head)):
        return False
    # an empty cell is told apart when the line is read
    return any(second[1:]) and all(cell == "" or is_number(cell) for cell in second[1:])


def is_matrix_without_head(first: bytes, second: bytes) -> bool:
    """Whether two lines begin a matrix whose runs have no names, or are called by numbers."""
    separator = _separator(first)
    head, row = _cells(first, separator), _cells(second, separator)
    is_matrix = separator != "" and len(head) == len(row) > 1 and all(map(is_number, row[1:]))
    return is_matrix and any(map(is_number, head))


def _begins_with_index(head: Sequence[str]) -> bool:
    """Whether the first column is pandas' index: without a name, before that of the topics."""
    return head[0] == "" and head[1:2] not in ([], [""]) and _is_topic_head(head[1])


def _is_topic_head(cell: str) -> bool:
    return plain_name(cell) in _TOPIC_HEADS


def _separator(line: bytes) -> str:
    """A tab or a comma; empty: blanks."""
    return next((mark for mark in "\t," if mark.encode() in line), "")


def _cells(line: bytes, separator: str) -> list[str]:
    text = as_text(line)
    if not separator:
        return text.split()
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def read_table(saved: SavedFile) -> list[ScoreTable]:
    """Irev's CSV or TSV."""
    rows = _numbered_rows(saved)
    _, head = next(rows)
    run_index, topic_index = _run_and_topic_indices(head) or (0, 1)
    head = _without(head, run_index, topic_index)
    names = [name for name in head if name not in _NO_MEASURES]
    _refuse_repeated_columns(saved, names)
    runs: dict[str, RunValues] = {}
    for line, all_cells in rows:
        name, topic = all_cells[run_index], all_cells[topic_index]
        cells = _without(all_cells, run_index, topic_index)
        run = runs.setdefault(name, RunValues(name))
        if is_summary_label(topic):
            if topic == SUMMARY and "signature" in head:
                run.signature = _signature(cells[head.index("signature")])
            continue
        run.add_topic(saved, line, topic).update(
            (name, math.nan if cell == "" else saved.parse_value(line, name, cell))
            for name, cell in zip(head, cells, strict=True)
            if name in names
        )
    return name_without_endings(tables_of_runs(saved, runs.values(), names))


def _run_and_topic_indices(head: Sequence[str]) -> tuple[int, int] | None:
    """Which columns hold the run and the topic, by their usual names; None: there are not both."""
    names = [plain_name(name) for name in head]
    run, topic = (
        next((i for i, name in enumerate(names) if name in FIELD_NAMES[field]), None)
        for field in ("run", "topic")
    )
    if run is None or topic is None or len(head) < 3:
        return None
    return (run, topic) if set(names).isdisjoint(NAMES["document"]) else None


def _without(cells: Sequence[str], *indices: int) -> list[str]:
    return [cell for index, cell in enumerate(cells) if index not in indices]


def _signature(text: str) -> Signature | None:
    return Signature.from_short(text) if text else None


def read_matrix(saved: SavedFile) -> list[ScoreTable]:
    """A table for each run of a matrix."""
    rows = list(_numbered_rows(saved))
    if _begins_with_index(rows[0][1]):
        rows = [(line, cells[1:]) for line, cells in rows]
    head, lines = rows[0][1], rows[1:]
    has_ids = _is_topic_head(head[0]) or not all(is_number(c[0]) for _, c in lines)
    if not has_ids and _may_be_ids([cells[0] for _, cells in lines]):
        raise saved.problem(
            rows[0][0],
            f"column {head[0]} holds a whole number for each line, all different: ids of topics, "
            "or the scores of a run?",
            "topics are in a column called topic; before scores put one, of 1, 2, ...",
        )
    names = head[1:] if has_ids else head
    _refuse_repeated_columns(saved, names)
    if _are_measures(saved, rows[0][0], names):
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
            tuple(sorted(topics)), (RunInfo(name, saved.path, is_saved=True),),
            (saved.column(measure),), values[order, index : index + 1].T[:, :, None],
        )
        for index, name in enumerate(names)
    ]  # fmt: skip


def _are_measures(saved: SavedFile, line: int, names: Sequence[str]) -> bool:
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


def _may_be_ids(cells: Sequence[str]) -> bool:
    """Whether a column of numbers may number topics."""
    return len(cells) > 1 and all(map(str.isdecimal, cells)) and len(set(cells)) == len(cells)


def _numbered_rows(saved: SavedFile) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with its number; all lines as long as the first."""
    text = as_text(saved.content)
    lines = saved.content.splitlines()
    first = next(line for line in lines if line.strip() and line[:1] != b"#")
    width = 0
    for number, cells in _cells_of_lines(text, _separator(first)):
        if not cells or (len(cells) == 1 and not cells[0].strip()) or cells[0].startswith("#"):
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise saved.problem(number, f"{len(cells)} cells, where the first line has {width}")
        yield number, [cell.strip() for cell in cells]


def _cells_of_lines(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    if not separator:
        yield from ((number, line.split()) for number, line in enumerate(text.split("\n"), 1))
        return
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    yield from ((table.line_num, cells) for cells in table)


def _refuse_repeated_columns(saved: SavedFile, column_names: Sequence[str]) -> None:
    for name in column_names:
        if not name:
            raise saved.problem(1, "a column has no name", "columns are called as the runs are")
        if column_names.count(name) > 1:
            raise saved.problem(1, f"two columns are called {name}")
