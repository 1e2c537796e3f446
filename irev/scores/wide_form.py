"""Scores in tables with a column for each measure, or for each run.

A table with a column for each measure, CSV or TSV, has columns of the run and the topic under their
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
from irev.scores.saved_file import SUMMARY, are_measure_names, is_measure_name, is_number
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
_STANDS_ON = frozenset({"averaged_over", "left_out", "signature"})


def wide_kind(lines: Sequence[bytes]) -> Literal["table", "matrix"] | None:
    """Whether lines of data are of such a table; the last may be cut."""
    if b"," not in lines[0] and b"\t" not in lines[0]:
        return None
    separator = _separator(lines[0])
    head = _cells(lines[0], separator)
    if head[:2] == ["run", "topic"]:
        return "table"
    indices = _run_and_topic_indices(head)
    if indices is not None and len(lines) > 1:
        cells = _cells(lines[1], separator)
        if len(cells) == len(head) and not is_number(cells[indices[0]]):
            return "table"
    if len(head) < 2 or any(map(is_number, head)) or plain_name(head[1]) in NAMES["document"]:
        return None
    if len(lines) < 2:
        return None
    second = _cells(lines[1], separator)
    # an empty cell is told apart when the line is read
    fits = len(second) == len(head) and all(cell == "" or is_number(cell) for cell in second[1:])
    return "matrix" if fits and any(second[1:]) else None


def _separator(line: bytes) -> str:
    return "\t" if b"\t" in line else ","


def _cells(line: bytes, separator: str) -> list[str]:
    text = as_text(line)
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def read_table(saved: SavedFile) -> list[ScoreTable]:
    """Irev's CSV or TSV."""
    rows = _numbered_rows(saved)
    _, head = next(rows)
    run_index, topic_index = _run_and_topic_indices(head) or (0, 1)
    head = _without(head, run_index, topic_index)
    names = [name for name in head if name not in _STANDS_ON]
    runs: dict[str, RunValues] = {}
    for line, all_cells in rows:
        name, topic = all_cells[run_index], all_cells[topic_index]
        cells = _without(all_cells, run_index, topic_index)
        run = runs.setdefault(name, RunValues(name))
        if topic == SUMMARY or topic.startswith(f"{SUMMARY}["):
            if topic == SUMMARY and "signature" in head:
                run.signature = _signature(cells[head.index("signature")])
            continue
        run.add_topic(saved, line, topic).update(
            (name, math.nan if cell == "" else saved.parse_value(line, name, cell))
            for name, cell in zip(names, cells, strict=False)
            if name != "runid"
        )
    names = [name for name in names if name != "runid"]
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
    head, lines = rows[0][1], rows[1:]
    has_ids = head[0].lower() in _TOPIC_HEADS or not all(is_number(c[0]) for _, c in lines)
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
        if topic != SUMMARY and not topic.startswith(f"{SUMMARY}["):
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
    table = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(first))
    width = 0
    for cells in table:
        if not cells or (len(cells) == 1 and not cells[0].strip()) or cells[0].startswith("#"):
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise saved.problem(
                table.line_num, f"{len(cells)} cells, where the first line has {width}"
            )
        yield table.line_num, [cell.strip() for cell in cells]


def _refuse_repeated_columns(saved: SavedFile, column_names: Sequence[str]) -> None:
    for name in column_names:
        if not name:
            raise saved.problem(1, "a column has no name", "columns are called as the runs are")
        if column_names.count(name) > 1:
            raise saved.problem(1, f"two columns are called {name}")
