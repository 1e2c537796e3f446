"""Files of five fields a line, which are told apart by what repeats itself in which field."""

from __future__ import annotations

from irev.core.numbers import real, whole
from irev.errors import InputError, Problem

FORMATS = ("prefs", "strata", "prels")
"""The formats of five fields that are read."""

_LINES = 200
_FEW = 3
_METHODS = (b"0", b"1", b"2", b"4")
_FORMS = {
    "strata": "judgments by strata (topic iteration document stratum grade); -R strata reads them",
    "prels": "a prels file (topic document grade method probability); -R prels reads it",
    "probs": "a file of the TREC legal track with probabilities (topic iteration document grade "
    "probability), which is not read; a prels file is 'topic document grade method probability'",
}


def check(format: str, head: bytes) -> None:
    """Refuse a file of five fields that begins as another kind of file does.

    Raises:
        InputError: without the path.
    """
    if format not in FORMATS:
        return
    found = kind_of(head)
    if found not in ("", format):
        message = f"this is no file for -R {format}: it looks like {_FORMS[found]}"
        raise InputError([Problem("", None, message)])


def kind_of(head: bytes) -> str:
    """strata, prels or probs, where the first bytes of a text can hardly be anything else.

    A document stands once in a topic, while iterations, grades, strata and methods come again.
    """
    # what is behind the last newline may be cut
    lines = [line.split() for line in head.rpartition(b"\n")[0].split(b"\n")[:_LINES]]
    rows = [fields for fields in lines if fields and not fields[0].startswith(b"#")]
    if len(rows) < _FEW or any(len(fields) != len(rows[0]) for fields in rows):
        return ""
    if len(rows[0]) != len(("topic", "iteration", "document", "stratum", "grade")):
        return ""
    unique = [len({(row[0], row[field]) for row in rows}) == len(rows) for field in range(5)]
    columns = list(zip(*rows, strict=True))
    if unique[1:4] == [True, False, False] and _is_prels(columns):
        return "prels"
    if unique[1:4] != [False, True, False]:
        return ""
    if all(whole(text) is not None for text in columns[4]):
        return "strata"
    grades = all(whole(text) is not None for text in columns[3])
    return "probs" if grades and all(map(_is_probability, columns[4])) else ""


def _is_prels(columns: list[tuple[bytes, ...]]) -> bool:
    _, _, grades, methods, probabilities = columns
    return (
        all(whole(text) is not None for text in grades)
        and set(methods) <= set(_METHODS)
        and all(text == b"NA" or _is_probability(text) for text in probabilities)
    )


def _is_probability(text: bytes) -> bool:
    number = real(text)
    return number is not None and 0 <= number <= 1
