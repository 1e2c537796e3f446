"""Tables that hold several runs, told apart by a column: which files are such, and their runs.

The column of the runs is read first. Where the rows of each run stand together, the rows are then
read once, run by run, in whatever order the runs are asked for; else all of them are held until
their run is wanted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from threading import RLock
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import Ints, run_starts
from irev.core.record import record
from irev.core.text import as_bytes
from irev.core.workers import default_threads
from irev.errors import InputError, Notice, Problem
from irev.read.arrow_files import RowBlock
from irev.read.batches import (
    BatchedTable,
    Dataset,
    NumberedBlock,
    files_of_table,
    is_folder_of_arrow_files,
    row_codes,
    sha256_of_input,
)
from irev.read.columns import ColumnNames
from irev.read.formats import run_layout
from irev.read.frames import is_run_layout, several_runs_problem
from irev.read.layout import ChosenLayout, Layout, layout_for
from irev.read.sources import open_input
from irev.read.stream import FoundFolder, RunInTable, given_name_of, sha256_of
from irev.read.topics import CutInput, Text, TopicTable

RUN = "run"
"""The field that says which run a row is of."""


def run_table(path: str, columns: ColumnNames = ()) -> RunTable | None:
    """The table of several runs that a file or a folder holds; None where it is none.

    Args:
        path: of anything; what can be read once only is not looked at.
        columns: which columns hold which fields, where the user says so.
    """
    table = _run_table_or_error(path, columns)
    return None if isinstance(table, InputError) else table


def find_run_in_table(path_and_bracketed_run: str, columns: ColumnNames = ()) -> RunInTable | None:
    """The run of a table that is named as `RunInTable` writes it; None where there is none."""
    if isinstance(path_and_bracketed_run, RunInTable):
        return path_and_bracketed_run
    if not path_and_bracketed_run.endswith("]") or os.path.lexists(path_and_bracketed_run):
        return None
    at = -1
    while (at := path_and_bracketed_run.find("[", at + 1)) > 0:  # both may have brackets
        table = run_table(path_and_bracketed_run[:at], columns)
        run = as_bytes(path_and_bracketed_run[at + 1 : -1])
        if table is not None and run in table.index_of_run:
            return RunInTable(table, run, given_name_of(path_and_bracketed_run))
    return None


def _run_table_or_error(path: str, columns: ColumnNames) -> RunTable | InputError | None:
    try:
        version = _version_of(path)
    except (OSError, InputError):
        return None
    return None if version is None else _find_run_table(path, columns, version)


def _version_of(path: str) -> object:
    """What changes with a file, or with those of a table; None: it is neither."""
    if os.path.isfile(path):
        return _file_version(path)
    if not os.path.isdir(path):
        return None
    if not is_folder_of_arrow_files(path):
        return None
    return tuple(map(_file_version, files_of_table(path)))


def _file_version(path: str) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


@lru_cache(1 << 10)
def _find_run_table(
    path: str, columns: ColumnNames, version: object
) -> RunTable | InputError | None:
    try:
        with open_input(path, run_layout(columns=columns)) as (table, source):
            if isinstance(table, Text | TopicTable):
                return None
            try:
                column = read_run_column(table)
            except InputError as error:
                return error
            notices = source.notices
    except InputError:
        return None  # who reads it tells what is wrong
    if column is None or len(column.runs) < 2:
        return None
    return RunTable(path, columns, column, notices, version)


@contextmanager
def open_one_run(
    source: Any, layout: ChosenLayout, *, sign: bool = False
) -> Iterator[tuple[CutInput[Any] | TopicTable, Any]]:
    """As `open_input` opens it; of a table of several runs the one that is named behind its path.

    Raises:
        InputError: it is a table of several runs, and none of these is named.
    """
    if isinstance(source, str) and source.endswith("]"):
        source = find_run_in_table(source, layout_for(layout).columns) or source
    with open_input(source, layout, sign=sign) as (opened, file):
        if not isinstance(source, RunInTable):
            refuse_several_runs(opened, source)
        yield opened, file


def refuse_several_runs(opened: CutInput[Any] | TopicTable, source: Any = None) -> None:
    """Refuse an open table of several runs where one is read; `source` is what was opened."""
    if not isinstance(opened, BatchedTable) or not is_run_layout(opened.layout):
        return
    column: RunColumn | InputError | None
    if isinstance(source, str | os.PathLike) and os.path.exists(source):
        # it was looked at before, mostly
        table = _run_table_or_error(os.fspath(source), opened.layout.columns)
        column = table.column if isinstance(table, RunTable) else table
    else:
        column = read_run_column(opened)
    if isinstance(column, InputError):
        raise column
    if column is not None and len(column.runs) > 1:
        raise InputError([several_runs_problem(opened.name, column.name, column.runs)])


class RunTable:
    """A file or a folder of several runs."""

    def __init__(
        self,
        path: str,
        columns: ColumnNames,
        column: RunColumn,
        notices: tuple[Notice, ...],
        version: object,
    ) -> None:
        self.path, self.columns, self.column = path, columns, column
        self.index_of_run = {run: index for index, run in enumerate(column.runs)}
        self._files, self._notices, self._version = column.files, notices, version
        self._readers: dict[Layout, RowsByRun] = {}
        self._lock, self._sha256 = RLock(), ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _table_found_again, (self.path, self.columns)

    @property
    def runs(self) -> list[RunInTable]:
        """Its runs, in order of appearance."""
        return [RunInTable(self, run) for run in self.index_of_run]

    @contextmanager
    def open_run(
        self, run: bytes, chosen_layout: ChosenLayout, *, sign: bool
    ) -> Iterator[tuple[Any, Any]]:
        """The table of one run, and what tells of its file."""
        if self._files:
            folder = FoundFolder(self.path, self._files[run])  # type: ignore[arg-type]
            dataset = Dataset(folder, layout_for(chosen_layout), sign=sign)
            yield dataset, dataset
            return
        index, layout = self.index_of_run[run], layout_for(chosen_layout)
        layout = layout._replace(columns=layout.columns or self.columns)
        with self._lock:
            if layout not in self._readers:
                self._readers.clear()  # what is read in another way is done with
                if _version_of(self.path) != self._version:
                    raise changed_table_error(self.path)
                self._readers[layout] = RowsByRun(self.path, layout, self.index_of_run, self.column)
            table = self._readers[layout].table_of_run(index)
        sha256 = None
        if sign:
            # the hash of the table's hash and the run
            with self._lock:
                self._sha256 = self._sha256 or sha256_of_input(self.path)
            sha256 = sha256_of(self._sha256.encode() + b"  " + run + b"\n")
        yield table, _FileOfRun(sha256, () if index else self._notices)


def _table_found_again(path: str, columns: ColumnNames) -> RunTable:
    table = run_table(path, columns)
    if table is None:
        raise changed_table_error(path)
    return table


@record
class _FileOfRun:
    """What is known of the file of a run."""

    sha256: str | None
    notices: tuple[Notice, ...]


# --- The column of the runs ---


class RunColumn(NamedTuple):
    """What the column of a table that names runs holds: the runs in order of appearance."""

    name: str
    runs: list[bytes]
    is_grouped: bool = True
    """Whether the rows of each run stand together."""
    files: Mapping[bytes, list[str]] = MappingProxyType({})
    """The files of each run, where folders are named after runs; empty: the column tells."""
    num_rows: tuple[int, ...] = ()
    """How many rows each run has, where the rows of each stand together and none can be faulty."""


def read_run_column(table: CutInput[Any]) -> RunColumn | None:
    """The runs of an open table; None where no column says which run a row is of.

    Raises:
        InputError: there are several runs, and rows of none.
    """
    if not isinstance(table, BatchedTable) or not is_run_layout(table.layout):
        return None
    try:
        name = table.with_ids(RUN).names[1]
    except InputError:
        return None  # it has no such column, or not one of ids
    files = table.files_by_value(name)
    if files:
        return RunColumn(name, [*files], files=files)
    index_of_run: dict[bytes, int] = {}
    last, num_stretches, num_rows, row_without_run = -1, 0, 0, 0
    counts, is_text = np.zeros(0, np.int64), False
    for block, runs in table.ids_of_column(RUN):
        if not block.count:
            break
        is_text = isinstance(block, NumberedBlock)
        run_code, run_names = row_codes([runs])
        indices = [index_of_run.setdefault(run, len(index_of_run)) for run in run_names]
        code = np.array(indices)[run_code]
        counts = np.append(counts, np.zeros(len(index_of_run) - len(counts), np.int64))
        counts += np.bincount(code, minlength=len(counts))
        num_stretches += len(run_starts(code)) - 1 - int(code[0] == last)
        last = int(code[-1])
        missing = index_of_run.get(b"")
        if missing is not None and not row_without_run:
            row = int((code == missing).argmax())
            row_without_run = num_rows + row + 1
            if isinstance(block, NumberedBlock):
                row_without_run = int(block.line[row])
        num_rows += block.count
    if row_without_run and len(index_of_run) > 1:
        message = f"a run is missing in column {name}, which names several"
        raise table.error([Problem(table.name, row_without_run, "bad-id", message)])
    is_grouped = num_stretches == len(index_of_run)
    num_rows_of_run = tuple(counts.tolist()) if is_grouped and not is_text else ()
    return RunColumn(name, [*index_of_run], is_grouped, num_rows=num_rows_of_run)


# --- The rows of each run ---


class RowsByRun:
    """The rows of a table, read from its start on, as far as runs are wanted.

    The rows of a run that was passed over are kept for a while: it may be wanted by another thread.
    """

    def __init__(
        self, path: str, layout: Layout, index_of_run: dict[bytes, int], column: RunColumn
    ) -> None:
        self._path, self._layout, self._is_grouped = path, layout, column.is_grouped
        self._index_of_run = index_of_run
        # where the rows of each run were counted, their column is not read again
        self._last_row_of_run = np.cumsum(column.num_rows) if column.num_rows else None
        self._run_fields = () if column.num_rows else (RUN,)
        self._most_kept = 2 + 2 * default_threads()
        self._restart()

    def _restart(self) -> None:
        self._rows_of_run: dict[int, list[NumberedBlock]] = {}
        self._num_whole = 0  # runs before this one are whole
        self._num_rows = self._last_run = 0
        self._last_of_run: dict[int, int] = {}
        self._error: BaseException | None = None
        self._blocks = self._read()

    def table_of_run(self, run_index: int) -> BatchedTable[Any]:
        """The table with the rows of one run alone."""
        if run_index < self._num_whole and run_index not in self._rows_of_run:
            self._restart()
        while run_index >= self._num_whole:
            if self._error is not None:
                raise self._error
            try:
                block = next(self._blocks, None)
            except BaseException as error:
                self._error = error
                raise
            if block is None:
                self._num_whole = len(self._index_of_run)
            else:
                self._take(block)
            if self._is_grouped:
                first_kept = run_index - self._most_kept
                for passed in [run for run in self._rows_of_run if run < first_kept]:
                    del self._rows_of_run[passed]
        blocks = self._rows_of_run.pop(run_index, [])
        if not blocks:
            raise changed_table_error(self._path)
        if self._run_fields:
            blocks = [_without(block, -2) for block in blocks]
        if not self._has_ranks:
            return self._table.of_run(blocks, ())
        return self._table.of_run([_without(block, -2) for block in blocks], blocks)

    def _read(self) -> Iterator[RowBlock]:
        with open_input(self._path, self._layout) as (table, _):
            if not isinstance(table, BatchedTable):
                raise changed_table_error(self._path)
            self._table = table
            ids = table.layout.ids
            self._has_ranks = table.can_have_ranks and table.layout.number == "score"
            if self._has_ranks:
                try:
                    table = table.with_ids(*ids, "rank", *self._run_fields)
                except InputError:
                    self._has_ranks = False
            if not self._has_ranks:
                table = table.with_ids(*ids, *self._run_fields)
            table.stops_early = False
            yield from table.blocks()

    def _take(self, block: RowBlock) -> None:
        """Add the rows of a block to those of their runs."""
        problems: tuple[Problem, ...] = ()
        if isinstance(block, NumberedBlock):
            problems = block.problems
            numbered = replace(block, problems=())
        else:
            rows = np.arange(self._num_rows + 1, self._num_rows + 1 + block.count)
            numbered = NumberedBlock(block.columns, rows, 0, 0)
        self._num_rows += block.count
        if not block.count:
            self._add_problems(problems, numbered.line, numbered.line)
            return
        code = self._runs_of_rows(block, numbered.line)
        if self._is_grouped:
            by_run, run_of_row = numbered, code
        else:
            order = np.argsort(code, kind="stable")
            by_run, run_of_row = numbered.take(order), code[order]
        starts = run_starts(run_of_row).tolist()
        for start, stop in pairwise(starts):
            index, lines = int(run_of_row[start]), by_run.line[start:stop]
            columns = tuple(column[start:stop] for column in by_run.columns)
            before = self._last_of_run.get(index, 0)
            part = NumberedBlock(columns, lines, before, int(lines[-1]))
            self._last_of_run[index] = part.after
            self._rows_of_run.setdefault(index, []).append(part)
        if self._is_grouped:
            self._num_whole = int(code[-1])
        self._last_run = int(code[-1])
        self._add_problems(problems, code, numbered.line)

    def _runs_of_rows(self, block: RowBlock, line_of_row: Ints) -> Ints:
        """int64[N]: the run of each row of a block."""
        if self._last_row_of_run is not None:
            code: Ints = np.searchsorted(self._last_row_of_run, line_of_row)
            if int(code[-1]) < len(self._last_row_of_run):
                return code
            raise changed_table_error(self._path)
        row_code, runs = row_codes([block.columns[-2]])
        if not self._index_of_run.keys() >= set(runs):
            raise changed_table_error(self._path)
        return np.array([self._index_of_run[run] for run in runs])[row_code]

    def _add_problems(
        self, problems: Sequence[Problem], run_of_row: Ints, line_of_row: Ints
    ) -> None:
        """Problems of lines are those of the run that the next row is of, or else the last one."""
        for problem in problems:
            row = int(np.searchsorted(line_of_row, problem.line or 0))
            index = int(run_of_row[row]) if row < len(run_of_row) else self._last_run
            if index not in self._rows_of_run:
                continue  # nobody wants it
            *before, last = self._rows_of_run[index]
            after = max(last.after, problem.line or 0)
            last = replace(last, problems=(*last.problems, problem), after=after)
            self._rows_of_run[index] = [*before, last]
            self._last_of_run[index] = after


def _without(block: NumberedBlock, column: int) -> NumberedBlock:
    """A block without one of its columns."""
    columns = [*block.columns]
    del columns[column]
    return replace(block, columns=tuple(columns))


def changed_table_error(path: str) -> InputError:
    """Rows that are others than when its runs were found."""
    return InputError([Problem(path, None, "changed-file", "this table changed while it was read")])
