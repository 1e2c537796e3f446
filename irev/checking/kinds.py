"""What kind of file a file is, by the lines it begins with."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from irev.checking.report import counted
from irev.errors import shown
from irev.numbers import real, whole
from irev.read import five_fields
from irev.read.ntcir import level_grade
from irev.read.sniff import likeness

RUN, QRELS, SAVED, UNKNOWN = "run", "qrels", "saved", "unknown"
NOTHING = ""
"""The kind of a file that begins with no line of data: it may be anything."""

_LINES = 200
_SEPARATORS = (b",", b";", b"|", b"<:>", b"::")
_ITERATIONS = (b"0", b"Q0", b"q0")

FORMS = {
    "run": "a run (topic Q0 document rank score tag)",
    "qrels": "qrels (topic iteration document grade)",
    "grouped": "judgments by groups or subtopics (topic group document grade); "
    "-R qrels_jg or -R subtopics reads them",
    "ntcir": "NTCIR's judgments (topic document level); -R ntcir reads them",
    "strata": "judgments by strata (topic iteration document stratum grade); -R strata reads them",
    "prels": "a prels file (topic document grade method probability); -R prels reads it",
    "prefs": "preferences (topic group subgroup document level); -R prefs reads them",
    "saved": "saved scores by topic; compare, leaderboard and gate take them in place of a run",
    "table": "a table or a mapping, not lines of text; it is read as a whole",
}
"""Kind -> what it is."""


class Kind(NamedTuple):
    """What a file is taken for, and why it is nothing where it is nothing."""

    name: str
    problem: str = ""
    hint: str = ""


def kind_of(head: bytes, profile: str) -> Kind:
    """The kind of a file that begins so."""
    from irev.read.tables import is_structured

    if is_structured(head):
        return Kind("table")
    rows = _rows(head)
    if not rows:
        return Kind(NOTHING)
    usual = Counter(map(len, rows)).most_common(1)[0][0]
    alike = [fields for fields in rows if len(fields) == usual]
    return _by_fields(usual, alike, head, profile)


def _rows(head: bytes) -> list[list[bytes]]:
    """The fields of the first lines of data."""
    text, newline, cut = head.rpartition(b"\n")
    # behind the last newline a line may be cut
    lines = (text if newline else cut).split(b"\n")[:_LINES]
    rows = [line.split() for line in lines]
    return [fields for fields in rows if fields and not fields[0].startswith(b"#")]


def _by_fields(usual: int, rows: list[list[bytes]], head: bytes, profile: str) -> Kind:
    first = rows[0]
    if usual == 3 and _mostly(rows, 2, level_grade):
        return Kind("ntcir")
    if usual == 3 and profile == "msmarco" and _mostly(rows, 2, whole):
        return Kind(RUN)
    if usual == 4:
        return _of_four(rows)
    if usual == 5:
        return _of_five(rows, head)
    if usual >= 6:
        likely = _mostly(rows, 4, real) + _mostly(rows, 3, whole)
        # more than six fields may be anything
        if likely >= (1 if usual == 6 else 2):
            return Kind(RUN)
    what = f"lines of {counted(usual, 'field')}, such as '{shown(b' '.join(first))}', are"
    return Kind(UNKNOWN, f"{what} no run and no qrels", separator_hint(first) or _hint(rows, first))


def _hint(rows: list[list[bytes]], first: list[bytes]) -> str:
    hint = likeness(first, QRELS)
    if len(first) == 3 and _mostly(rows, 2, whole):
        marco = "--profile msmarco checks runs of three fields (topic document rank)"
        hint = f"{hint}; {marco}" if hint else marco
    return hint or "--as run or --as qrels shows what is wrong with each line"


def _of_four(rows: list[list[bytes]]) -> Kind:
    if _mostly(rows, 2, level_grade) and not _mostly(rows, 3, whole):
        return Kind("ntcir")
    groups = {(fields[0], fields[1]) for fields in rows}
    topics = {fields[0] for fields in rows}
    if len(groups) > len(topics) and not any(fields[1] in _ITERATIONS for fields in rows):
        return Kind("grouped")
    return Kind(QRELS)


def _of_five(rows: list[list[bytes]], head: bytes) -> Kind:
    if all(fields[1] in (b"Q0", b"q0") for fields in rows) and _mostly(rows, 4, real):
        return Kind(RUN)
    found = five_fields.kind_of(head)
    if found == "probs":
        return Kind(
            UNKNOWN,
            "this is a file of the TREC legal track with probabilities, which is not read",
            "a prels file is 'topic document grade method probability'",
        )
    return Kind(found or "prefs")


def _mostly(rows: list[list[bytes]], field: int, parse: object) -> bool:
    """Whether more than half of the lines have in a field what a parser takes."""
    good = sum(parse(fields[field]) is not None for fields in rows)  # type: ignore[operator]
    return 2 * good > len(rows)


def separator_hint(fields: list[bytes]) -> str:
    """A hint for a line whose fields are separated by something else than blanks."""
    line = b" ".join(fields)
    found = [mark for mark in _SEPARATORS if line.count(mark) >= 2]
    if len(fields) > 3 or not found:
        return ""
    mark = max(found, key=lambda mark: (len(mark), line.count(mark))).decode()
    return f"fields are separated by blanks or tabs, not by '{mark}'"
