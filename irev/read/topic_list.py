"""Lists of topics: one id a line."""

from __future__ import annotations

from irev.errors import MOST_PROBLEMS, InputError, Problem
from irev.read.stream import lines_of_fields

_HINT = "a line holds one topic id"


def read_topics(path: str) -> tuple[bytes, ...]:
    """The ids in byte order, each once; blank lines and those that begin with `#` are skipped.

    Raises:
        InputError: where a line holds more than one id, or no line any.
    """
    problems: list[Problem] = []
    topics: set[bytes] = set()
    for number, fields in lines_of_fields(path):
        if len(fields) > 1:
            problems.append(
                Problem(
                    path, number, "unreadable-line", f"{len(fields)} fields where 1 belongs", _HINT
                )
            )
        topics.add(fields[0])
    if not topics:
        problems.append(Problem(path, None, "empty-file", "there is no topic in this file", _HINT))
    if problems:
        raise InputError(problems[:MOST_PROBLEMS])
    return tuple(sorted(topics))
