"""What kind of file a file is, by the lines it begins with."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from irev.checking.report import counted
from irev.core.numbers import real, whole
from irev.errors import shown
from irev.read import five_fields
from irev.read.formats import whole_grade
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
    "msmarco": "a run of MS MARCO (topic document rank, or a score behind them); -T msmarco reads "
    "it, and without scores --profile msmarco checks its lines",
    "triples": "judgments of three fields (topic document grade); -R triples reads them",
    "ntcir": "NTCIR's judgments (topic document level); -R ntcir reads them",
    "strata": "judgments by strata (topic iteration document stratum grade); -R strata reads them",
    "prels": "a prels file (topic document grade method probability); -R prels reads it",
    "prefs": "preferences (topic group subgroup document level); -R prefs reads them",
    "saved": "saved scores by topic; compare, leaderboard and gate take them in place of a run",
    "table": "a table or a mapping, not lines of fields; it is read as a whole",
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
    if usual == 3 and _mostly(rows, 2, whole):
        return Kind(_of_three(rows, profile))
    if usual == 4:
        return _of_four(rows)
    if usual == 5:
        return _of_five(rows, head)
    if usual >= 6:
        likely = _mostly(rows, 4, real) + _mostly(rows, 3, whole)
        # more than six fields may be anything
        if likely >= (1 if usual == 6 else 2):
            return Kind(RUN)
    hint = separator_hint(first) or likeness(first, QRELS)
    hint = hint or "--as run or --as qrels shows what is wrong with each line"
    what = f"lines of {counted(usual, 'field')}, such as '{shown(b' '.join(first))}', are"
    return Kind(UNKNOWN, f"{what} no run and no qrels", hint)


def _of_three(rows: list[list[bytes]], profile: str) -> str:
    """A run of MS MARCO, in which no rank of a topic comes again, or judgments."""
    if profile == "msmarco":
        return RUN
    numbers = {(fields[0], fields[2]) for fields in rows}
    topics = {fields[0] for fields in rows}
    return "msmarco" if len(topics) < len(numbers) == len(rows) else "triples"


def _is_ranks_and_scores(rows: list[list[bytes]]) -> bool:
    """Whether four fields are a run of MS MARCO with scores: fractions, and no iteration."""
    if any(fields[1] in _ITERATIONS for fields in rows) or _mostly(rows, 3, whole_grade):
        return False
    return _mostly(rows, 2, whole) and _mostly(rows, 3, real)


def _of_four(rows: list[list[bytes]]) -> Kind:
    if _is_ranks_and_scores(rows):
        return Kind("msmarco")
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
