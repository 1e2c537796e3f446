"""What a caller gives as runs: one, or several and what each is called."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.errors import InputError, IrevError, MismatchError, Problem
from irev.read.frames import is_table
from irev.read.memory import MAPPINGS, NUMBERS, has_lists
from irev.read.rows import is_row
from irev.scores.run_names import name_runs

if TYPE_CHECKING:
    from irev.core.model import Input

_WILD = "*?["

IN_MEMORY = "the run"
"""What problems call a run that is in memory, and has no name of its own there."""


def runs_by_name(runs: Any) -> dict[str, Input] | None:
    """The runs by name where several are given; None where it is one.

    Several are a list, tuple or iterator of runs, a mapping from names to runs, and a path with
    wildcards, "runs/*.run". Their names are those of `name_runs`.
    """
    if isinstance(runs, MAPPINGS):
        is_several = runs and all(map(_is_run, runs.values()))
        return {str(name): run for name, run in runs.items()} if is_several else None
    if isinstance(runs, str | os.PathLike):
        return _runs_of_pattern(os.fspath(runs))
    if isinstance(runs, list | tuple) and runs and not is_row(runs[0]):
        return name_runs(runs)
    return None


def all_runs_by_name(runs: Any) -> dict[str, Input]:
    """All runs by name, whether one is given or several."""
    runs = rewindable(runs)
    if isinstance(runs, list | tuple) and not runs:
        return {}
    by_name = runs_by_name(runs) or name_runs([runs])
    return {name: rewindable(source) for name, source in by_name.items()}


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


def _runs_of_pattern(path_or_pattern: str) -> dict[str, Input] | None:
    """The files that a path with wildcards names; None where it names one file."""
    if not any(sign in path_or_pattern for sign in _WILD) or os.path.lexists(path_or_pattern):
        return None
    from glob import glob

    paths = sorted(glob(path_or_pattern, recursive=True), key=os.fsencode)
    if not paths:
        raise InputError(
            [Problem(path_or_pattern, None, "no-file", "no file matches this pattern")]
        )
    return name_runs(paths)


def _is_run(value: Any) -> bool:
    """Whether a value of a mapping is a run by itself, not the documents of a topic or a column."""
    if isinstance(value, np.ndarray):
        return False
    if isinstance(value, MAPPINGS):
        inner = next(iter(value.values()), None)
        if isinstance(inner, NUMBERS):
            return False
        is_columns = has_lists(value) or getattr(inner, "ndim", 0) == 1
        return is_columns or isinstance(inner, Mapping)
    if isinstance(value, str | os.PathLike | Iterator) or is_table(value):
        return True
    if isinstance(value, list | tuple):
        return bool(value) and is_row(value[0])
    return not hasattr(value, "__array__") and hasattr(value, "to_dict")
