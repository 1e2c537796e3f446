"""What a caller gives as runs: one, or several and what each is called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.judged import MAPPINGS
from irev.errors import InputError, IrevError, MismatchError, Problem
from irev.read.formats import RUN
from irev.read.frames import RunInFrame, is_table, several_runs_of_frame, several_runs_problem
from irev.read.stream import RunInTable
from irev.scores.table import name_runs

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.read.columns import ColumnNames

_WILD = "*?["

IN_MEMORY = "the run"
"""What problems call a run that is in memory, and has no name of its own there."""


def runs_by_name_if_several(
    runs: Any, columns: ColumnNames = (), *, splits_tables: bool = True
) -> dict[str, Input] | None:
    """The runs by name where several are given; None where it is one.

    Several are a list, tuple or iterator of runs, a mapping from names to runs, a path with
    wildcards, "runs/*.run", and a table that holds several, which is not looked for unless
    `splits_tables`. Their names are those of `name_runs`.
    """
    split = partial(split_run_tables, columns=columns) if splits_tables else list
    if isinstance(runs, MAPPINGS):
        from irev.read.memory import has_plain_first_topic, is_answer_to_many_queries

        if has_plain_first_topic(runs):
            return None
        named_runs = list(runs.items())  # all at once: another thread may write to it
        are_runs = [_is_run(run) for _, run in named_runs]
        # beside others an empty one is a run that retrieved nothing
        is_several = any(are_runs) and all(
            is_run or _is_empty(run) for is_run, (_, run) in zip(are_runs, named_runs, strict=True)
        )
        if not is_several or is_answer_to_many_queries(runs):
            return None
        return {str(name): run for name, run in named_runs}
    if isinstance(runs, str | os.PathLike):
        matches = _files_of_pattern(os.fspath(runs), columns)
        if matches is not None:
            return name_runs(split(matches))
    if isinstance(runs, list | tuple):
        from irev.read.memory import is_row

        return name_runs(split(runs)) if runs and not is_row(runs[0]) else None
    in_table = runs_in_table_if_several(runs, columns) if splits_tables else ()
    return name_runs(in_table) if len(in_table) > 1 else None


def all_runs_by_name(runs: Any, columns: ColumnNames = ()) -> dict[str, Input]:
    """All runs by name, whether one is given or several."""
    runs = rewindable(runs)
    if isinstance(runs, list | tuple) and not runs:
        return {}
    by_name = runs_by_name_if_several(runs, columns) or name_runs([runs])
    return {name: rewindable(source) for name, source in by_name.items()}


def split_run_tables(sources: Iterable[Input], columns: ColumnNames = ()) -> list[Input]:
    """The inputs in their order, in place of a table of several runs each of them.

    One of these may be named behind the path of its table: `runs.parquet[bm25]`.
    """
    return [
        run for source in sources for run in runs_in_table_if_several(source, columns) or [source]
    ]


def runs_in_table_if_several(source: Input, columns: ColumnNames = ()) -> Sequence[Input]:
    """The runs of a table that holds several, in the order of their first rows; else none.

    The table is a file, a folder or in memory; what can be read once only is none.
    """
    if isinstance(source, RunInTable | RunInFrame):
        return ()
    if isinstance(source, str | os.PathLike):
        from irev.read.run_tables import find_run_in_table, run_table

        path = os.fspath(source)
        named = find_run_in_table(path, columns)
        table = None if named else run_table(path, columns)
        return (named,) if named else table.runs if table else ()
    if not is_table(source) or isinstance(source, MAPPINGS):
        return ()
    return several_runs_of_frame(source, RUN._replace(columns=columns))


def rewindable(source: Any) -> Any:
    """An input that can be read more than once: what an iterator gives is kept in a list."""
    is_whole = isinstance(source, MAPPINGS) or not isinstance(source, Iterator)
    return source if is_whole else list(source)


def error_naming_run(name: str, error: IrevError) -> IrevError:
    """An error that names the run; problems of files name these."""
    if isinstance(error, InputError):
        problems = [p._replace(path=name) if p.path == IN_MEMORY else p for p in error.problems]
        return InputError(problems)
    if not isinstance(error, MismatchError):
        return error
    return MismatchError(f"{name}: {error}", error.kind)


def refuse_several_runs(source: Input, columns: ColumnNames = ()) -> None:
    """Refuse a table of several runs where one run is wanted."""
    runs: Sequence[Any] = runs_in_table_if_several(source, columns)
    if len(runs) > 1:
        first, names = runs[0], [run.run for run in runs]
        path, column = "", getattr(first, "column", "")
        if isinstance(first, RunInTable):
            path, column = first.table.path, first.table.column.name
        raise InputError([several_runs_problem(path, column, names)])


def _files_of_pattern(path_or_pattern: str, columns: ColumnNames) -> list[str] | None:
    """The files that a path with wildcards names; None where it names one file."""
    if not any(sign in path_or_pattern for sign in _WILD) or os.path.lexists(path_or_pattern):
        return None
    from glob import glob

    from irev.read.run_tables import find_run_in_table
    from irev.scores.saved import split_saved_path

    if isinstance(path_or_pattern, RunInTable) or find_run_in_table(path_or_pattern, columns):
        return None
    if split_saved_path(path_or_pattern)[1]:
        return None
    paths = sorted(glob(path_or_pattern, recursive=True), key=os.fsencode)
    if not paths:
        raise InputError(
            [Problem(path_or_pattern, None, "no-file", "no file matches this pattern")]
        )
    return paths


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict | Mapping | list | tuple) and not value


def _is_run(value: Any) -> bool:
    """Whether a value of a mapping is a run by itself, not the documents of a topic or a column."""
    from irev.read.memory import (
        LISTS,
        NUMBERS,
        has_lists,
        is_answer,
        is_answer_to_many_queries,
        is_row,
    )
    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable

    if isinstance(value, np.ndarray):
        return False
    if isinstance(value, Scores | ScoreTable):
        return True
    if isinstance(value, MAPPINGS):
        if is_answer(value):
            return False
        inner = next(iter(value.values()), None)
        if is_answer_to_many_queries(value):
            return True
        if isinstance(inner, NUMBERS):
            return False
        is_columns = has_lists(value) or getattr(inner, "ndim", 0) == 1
        return is_columns or isinstance(inner, (Mapping, *LISTS))
    if isinstance(value, str | os.PathLike | Iterator) or is_table(value):
        return True
    if isinstance(value, list | tuple):
        return bool(value) and is_row(value[0])
    return not hasattr(value, "__array__") and hasattr(value, "to_dict")
