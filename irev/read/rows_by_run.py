"""The rows of a table of several runs, told apart by a column: each run as if it were alone.

The column of the runs is read first. Where the rows of each run stand together, the rows are then
read once, run by run, in whatever order the runs are asked for; else all of them are held until
their run is wanted.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import run_starts
from irev.core.workers import default_threads
from irev.errors import InputError, Problem
from irev.read.batches import BatchedTable, NumberedBlock, row_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irev.core.arrays import Ints
    from irev.read.arrow_files import RowBlock
    from irev.read.layout import Layout
    from irev.read.topics import CutInput

RUN = "run"
"""The field that says which run a row is of."""


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
        code = _run_of_row(runs, index_of_run)
        counts = np.append(counts, np.zeros(len(index_of_run) - len(counts), np.int64))
        counts += np.bincount(code, minlength=len(counts))
        num_stretches += len(run_starts(code)) - 1 - int(code[0] == last)
        last = int(code[-1])
        missing = index_of_run.get(b"")
        if missing is not None and not row_without_run:
            row = int((code == missing).argmax())
            row_without_run = (
                int(block.line[row]) if isinstance(block, NumberedBlock) else num_rows + row + 1
            )
        num_rows += block.count
    if row_without_run and len(index_of_run) > 1:
        message = f"a run is missing in column {name}, which names several"
        raise table.error([Problem(table.name, row_without_run, "bad-id", message)])
    is_grouped = num_stretches == len(index_of_run)
    num_rows_of_run = tuple(counts.tolist()) if is_grouped and not is_text else ()
    return RunColumn(name, [*index_of_run], is_grouped, num_rows=num_rows_of_run)


def is_run_layout(layout: Layout) -> bool:
    """Whether it is one of runs, which a column can tell apart."""
    return layout.kind.startswith("run") and dict(layout.columns).get(RUN) != ""


def _run_of_row(chunk: Any, index_of_run: dict[bytes, int]) -> Ints:
    """int64[N]: which run each row is of; runs that are new are added."""
    code, runs = row_codes([chunk])
    return np.array([index_of_run.setdefault(run, len(index_of_run)) for run in runs])[code]


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

    _no_rows = np.zeros(0, np.int64)

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
            self._read_on()
            if self._is_grouped:
                for passed in [
                    run for run in self._rows_of_run if run < run_index - self._most_kept
                ]:
                    del self._rows_of_run[passed]
        blocks = self._rows_of_run.pop(run_index, [])
        if not blocks:
            raise changed_table_error(self._path)
        if self._run_fields:
            blocks = [_without(block, -2) for block in blocks]
        if not self._has_ranks:
            return self._table.of_run(blocks, ())
        return self._table.of_run([_without(block, -2) for block in blocks], blocks)

    def _read_on(self) -> None:
        if self._error is not None:
            raise self._error
        try:
            block = next(self._blocks, None)
        except BaseException as error:
            self._error = error
            raise
        if block is None:
            self._num_whole = len(self._index_of_run)
            return
        self._take(block)

    def _read(self) -> Iterator[RowBlock]:
        from irev.read.sources import open_input

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
            self._add_problems(problems, self._no_rows, self._no_rows)
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
            part = NumberedBlock(
                tuple(column[start:stop] for column in by_run.columns), lines,
                self._last_of_run.get(index, 0), int(lines[-1]),
            )  # fmt: skip
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
