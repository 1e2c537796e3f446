"""Tables that hold several runs, told apart by a column: which files are such, and their runs.

`rows_by_run` reads them, and is imported for nothing else: most runs are texts, each of one run.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any

from irev.core.record import record
from irev.core.text import as_bytes
from irev.errors import InputError
from irev.read.frames import several_runs_problem
from irev.read.layout import layout_for
from irev.read.stream import FoundFolder, RunInTable, sha256_of
from irev.read.topics import Text, TopicTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.errors import Notice
    from irev.read.headers import ColumnNames
    from irev.read.layout import ChosenLayout, Layout
    from irev.read.rows_by_run import RowsByRun, RunColumn
    from irev.read.topics import CutInput


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
        table, run = (
            run_table(path_and_bracketed_run[:at], columns),
            as_bytes(path_and_bracketed_run[at + 1 : -1]),
        )
        if table is not None and run in table.index_of_run:
            return RunInTable(table, run)
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
    from irev.read.datasets import files_of_table, is_folder_of_arrow_files

    return (
        tuple(map(_file_version, files_of_table(path))) if is_folder_of_arrow_files(path) else None
    )


def _file_version(path: str) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


@lru_cache(1 << 10)
def _find_run_table(
    path: str, columns: ColumnNames, version: object
) -> RunTable | InputError | None:
    from irev.read.formats import run_layout
    from irev.read.sources import open_input

    try:
        with open_input(path, run_layout(columns=columns)) as (table, source):
            if isinstance(table, Text | TopicTable):
                return None
            from irev.read.rows_by_run import read_run_column

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


def refuse_several_runs(opened: CutInput[Any] | TopicTable, source: Any = None) -> None:
    """Refuse an open table of several runs where one is read; `source` is what was opened."""
    from irev.read.batches import BatchedTable
    from irev.read.rows_by_run import is_run_layout, read_run_column

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
        """What makes it anew in another process."""
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
            from irev.read.datasets import Dataset

            folder = FoundFolder(self.path, self._files[run])  # type: ignore[arg-type]
            dataset = Dataset(folder, layout_for(chosen_layout), sign=sign)
            yield dataset, dataset
            return
        from irev.read.rows_by_run import RowsByRun, changed_table_error

        index, layout = self.index_of_run[run], layout_for(chosen_layout)
        layout = layout._replace(columns=layout.columns or self.columns)
        with self._lock:
            if layout not in self._readers:
                self._readers.clear()  # what is read in another way is done with
                if _version_of(self.path) != self._version:
                    raise changed_table_error(self.path)
                self._readers[layout] = RowsByRun(self.path, layout, self.index_of_run, self.column)
            table = self._readers[layout].table_of_run(index)
        sha256 = self._hash_of_run(run) if sign else None
        yield table, _FileOfRun(sha256, () if index else self._notices)

    def _hash_of_run(self, run: bytes) -> str:
        """The hash of the table's hash and the run."""
        from irev.read.datasets import sha256_of_input

        with self._lock:
            self._sha256 = self._sha256 or sha256_of_input(self.path)
        return sha256_of(self._sha256.encode() + b"  " + run + b"\n")


def _table_found_again(path: str, columns: ColumnNames) -> RunTable:
    table = run_table(path, columns)
    if table is None:
        from irev.read.rows_by_run import changed_table_error

        raise changed_table_error(path)
    return table


@record
class _FileOfRun:
    """What is known of the file of a run."""

    sha256: str | None
    notices: tuple[Notice, ...]
