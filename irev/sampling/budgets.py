"""The file that `--budget` names: a topic and a number a line."""

from __future__ import annotations

from irev.core.numbers import whole
from irev.errors import MOST_PROBLEMS, InputError, Problem, shown
from irev.read.stream import lines_of_fields

_HINT = "a line holds a topic and how many of its documents are judged"


def read_budgets(path: str) -> dict[bytes, int]:
    """How many documents of each topic; blank lines and those that begin with `#` are skipped.

    Raises:
        InputError: a line holds something else, or a topic is there twice.
    """
    problems: list[Problem] = []
    found: dict[bytes, int] = {}
    for number, fields in lines_of_fields(path):
        budget = whole(fields[1]) if len(fields) == 2 else None
        if budget is None or budget < 0:
            message = f"'{shown(b' '.join(fields))}' is not a topic and a number"
            problems.append(Problem(path, number, message, _HINT))
        elif fields[0] in found:
            problems.append(Problem(path, number, f"topic '{shown(fields[0])}' is there twice"))
        else:
            found[fields[0]] = budget
    if not found and not problems:
        problems.append(Problem(path, None, "there is no topic in this file", _HINT))
    if problems:
        raise InputError(problems[:MOST_PROBLEMS])
    return found
