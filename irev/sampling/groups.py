"""The file that `--groups` names: a run and its group a line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irev.core.text import as_text
from irev.errors import MOST_PROBLEMS, InputError, Problem, shown
from irev.read.stream import lines_of_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

_HINT = "a line holds a run, by its path or its file's name, and its group"


def read_groups(path: str, runs: Sequence[str]) -> dict[str, str]:
    """The group of each run that the file names; blank lines and `#` lines are skipped.

    Raises:
        InputError: a line holds something else, or names none of the runs, or several.
    """
    problems: list[Problem] = []
    found: dict[str, str] = {}
    for number, fields in lines_of_fields(path):
        name = as_text(fields[0])
        fitting = [run for run in runs if name in (run, os.path.basename(run))]
        if len(fields) != 2:
            message = f"{len(fields)} fields where 2 belong"
            problems.append(Problem(path, number, message, _HINT))
        elif len(fitting) != 1:
            which = "none" if not fitting else f"{len(fitting)}"
            message = f"'{shown(fields[0])}' names {which} of the runs"
            problems.append(Problem(path, number, message, _HINT))
        else:
            found[fitting[0]] = as_text(fields[1])
    if problems:
        raise InputError(problems[:MOST_PROBLEMS])
    return found
