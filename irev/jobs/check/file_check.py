"""Everything that is wrong or suspicious in one file."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.wording import count_text
from irev.errors import InputError, UsageError, id_text
from irev.jobs.check.qrels import QrelsCheck
from irev.jobs.check.report import FileReport, Findings
from irev.jobs.check.rules import CheckRules
from irev.jobs.check.runs import RunCheck
from irev.jobs.check.text_notes import TextNotes
from irev.jobs.check.topics import lines_of
from irev.read import formats
from irev.read.columns import BINARY
from irev.read.formats import JUDGMENTS, LEGAL, RUNS, is_legal, likely_format
from irev.read.layout import FirstLines, Layout, first_fields, layout_for, sample_of
from irev.read.sniff import likeness
from irev.read.stream import STDIN, FoundFile, Source
from irev.read.topics import Text
from irev.scores.saved import begins_saved

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from irev.core.model import Rows
    from irev.jobs.check.judged import JudgedDocuments
    from irev.read.topics import Cut, Parsed, TopicTable

    _Opened = Callable[[Layout], Cut[Any] | TopicTable]

_PIECE = 1 << 20
"""Bytes that are read at once; of a damaged file those before the last whole piece are checked."""

_OF_LINES = ("field-count", "carriage-return")
"""What is found in lines of data that give no row."""


def check_file(
    path: str | os.PathLike[str],
    rules: CheckRules | None = None,
    *,
    qrels: FileReport | None = None,
    topics: Collection[bytes] | None = None,
    kind: str | None = None,
) -> FileReport:
    """Everything that is wrong or suspicious in a run or in qrels.

    Args:
        path: a file, compressed or not, or a folder whose files are one table; `-` is standard
            input.
        rules: what the file is held against; None is `CheckRules()`.
        qrels: the report on the judgments that a run belongs to.
        topics: the topics that a run must have, and no others.
        kind: "run" or "qrels"; None finds out by the first lines.

    Returns:
        The report; a file that is damaged or of another kind is a finding, too.
    """
    if kind not in (None, RUN, QRELS):
        raise UsageError(f"'{kind}' is neither run nor qrels")
    if qrels is not None and qrels.judgments is None:
        raise UsageError(f"{qrels.file} is a {qrels.kind}, not qrels")
    rules = rules or CheckRules()
    name = os.fspath(path)
    if os.path.isdir(name) and not isinstance(name, FoundFile):
        from irev.read.datasets import Dataset

        several = FileKind(TABLE, "a table in several files")
        return _only_read(several, kind, Findings(name, rules), partial(Dataset, name))
    with Source(name, sign=True) as source:
        try:
            head = source.head()
        except InputError as error:
            if not _can_be_opened(name):
                raise
            return _damaged(error, Findings(source.path, rules))
        found = kind_of(head, rules.profile)
        if found.name not in (QRELS, NOTHING) and begins_saved(head):
            found = FileKind("saved", formats.SAVED)
            return _mistaken(kind, found, Findings(source.path, rules))
        if kind is not None and not _can_be(kind, found):
            return _mistaken(kind, found, Findings(source.path, rules))
        keeps = found.name in (GROUPED, TABLE) or _is_levels(found)
        wanted = found.name if keeps else kind or found.name
        if wanted not in (RUN, QRELS, GROUPED, NOTHING):
            return _other(source, found, head, kind, Findings(source.path, rules))
        against = (None if qrels is None else qrels.judgments, topics)
        layout = formats.QRELS
        if wanted in (RUN, NOTHING):
            is_ranks = rules.profile == "msmarco" and len(first_fields(head)) == 3
            reading = formats.run_layout("msmarco" if is_ranks else "trec_results")
            layout = layout_for(reading, head)
        return _checked(source, name, layout, rules, against, grouped=wanted == GROUPED)


def _checked(
    source: Source,
    name: str,
    layout: Layout,
    rules: CheckRules,
    against: tuple[JudgedDocuments | None, Collection[bytes] | None],
    *,
    grouped: bool,
) -> FileReport:
    """One pass through a run or qrels, or two where topics are scattered."""

    def taker() -> RunCheck | QrelsCheck:
        findings = Findings(source.path, rules)
        if layout.number == "grade":
            return QrelsCheck(findings, grouped=grouped)
        return RunCheck(findings, *against, layout)

    notes, checked = TextNotes(), taker()
    text = Text(source, checked.layout, every=True)
    if not _streamed(text, checked, notes):
        notes, checked = TextNotes(), taker()
        for parsed in text.gather(1, notes.through(text.lines(_PIECE))):
            _take(parsed, 0, checked)
    return _report(source, name, checked, notes)


def _streamed(text: Text, checked: RunCheck | QrelsCheck, notes: TextNotes) -> bool:
    """Check a text part by part; False where lines of a topic are not contiguous."""
    seen: set[bytes] = set()
    for piece in notes.through(text.parts(_PIECE)):
        parsed = text.parse(piece)
        topics = [] if parsed.rows is None else parsed.rows.topics
        if parsed.is_scattered or not seen.isdisjoint(topics):
            return False
        seen.update(topics)
        _take(parsed, notes.count, checked)
    return True


def _take(parsed: Parsed, before: int, checked: RunCheck | QrelsCheck) -> None:
    """Tell what is wrong with the lines of a part, which so many stand before; check its topics."""
    for problem in parsed.problems:
        checked.findings.add(
            problem.kind, problem.message, line=(problem.line or 0) + before,
            topic=problem.topic, document=problem.document, hint=problem.hint,
        )  # fmt: skip
    if parsed.rows is not None:
        checked.add(replace(parsed.rows, line=lines_of(parsed.rows) + before))


def _report(
    source: Source, name: str, checked: RunCheck | QrelsCheck, notes: TextNotes
) -> FileReport:
    findings = checked.findings
    facts = checked.end(name)
    has_lines = checked.rows or not findings.counts.keys().isdisjoint(_OF_LINES)
    if notes.is_whole and not has_lines:
        what = "has no line of data" if notes.count else "is empty"
        findings.add("empty-file", f"the file {what}")
    notes.tell(findings, has_mark=source.has_mark)
    for notice in source.notices:
        findings.add(notice.kind, notice.message, hint=notice.hint)
    return findings.report(
        kind=checked.kind,
        lines=notes.count,
        rows=checked.rows,
        topics=checked.num_topics,
        facts=facts,
        sha256=(source.sha256 or "") if notes.is_whole else "",
        judgments=checked.judgments,
    )


def _can_be_opened(path: str) -> bool:
    return path == STDIN or (os.path.isfile(path) and os.access(path, os.R_OK))


def _can_be(kind: str, found: FileKind) -> bool:
    """Whether a file that looks like one kind can be checked as another."""
    if found.layout is None or found.name in ("msmarco", "triples", kind):
        return True
    # with as many fields a line may be what was asked for, and levels are read as qrels
    fields = formats.QRELS.fields
    return kind == QRELS and (len(found.layout.fields) == len(fields) or _is_levels(found))


def _is_levels(found: FileKind) -> bool:
    return found.layout is formats.LEVELS


def _damaged(error: InputError, findings: Findings) -> FileReport:
    findings.add("damaged-file", error.problems[0].message)
    return findings.report(kind=UNKNOWN, lines=0, rows=0, topics=0, facts={}, sha256="")


def _mistaken(kind: str | None, found: FileKind, findings: Findings) -> FileReport:
    known = {RUN: "not a run", QRELS: "not qrels"}
    what = known[kind] if kind else "neither a run nor qrels"
    findings.add("other-kind", f"this is {what}; it looks like {found.looks}")
    return findings.report(kind=found.name, lines=0, rows=0, topics=0, facts={}, sha256="")


def _other(
    source: Source, found: FileKind, head: bytes, wanted: str | None, findings: Findings
) -> FileReport:
    """A file that is neither run nor qrels: whether it can be read."""
    if found.name == UNKNOWN:
        zero = head.find(b"\0")
        if zero >= 0:
            findings.add("binary-file", BINARY, line=head.count(b"\n", 0, zero) + 1)
        else:
            findings.add("unknown-kind", found.looks, hint=found.hint)
        return findings.report(kind=UNKNOWN, lines=0, rows=0, topics=0, facts={}, sha256="")
    from irev.read.tables import structured_table

    def opened(layout: Layout) -> Cut[Any] | TopicTable:
        is_text = found.layout is not None
        return Text(source, layout) if is_text else structured_table(source, head, layout)

    return _only_read(found, wanted, findings, opened)


def _only_read(
    found: FileKind, wanted: str | None, findings: Findings, opened: _Opened
) -> FileReport:
    """What is not checked line by line: whether it can be read."""
    try:
        rows, topics = _read(found, wanted, opened)
    except InputError as error:
        rows = topics = 0
        for problem in error.problems:
            part = os.path.relpath(problem.path or findings.file, findings.file)
            where = "" if part == os.curdir else f"{id_text(os.fsencode(part))}: "
            message = where + problem.message
            findings.add("unreadable-line", message, line=problem.line, hint=problem.hint)
    else:
        findings.add("not-checked", f"taken for {found.looks}; only read, not checked line by line")
    return findings.report(
        kind=found.name, lines=rows, rows=rows, topics=topics, facts={}, sha256=""
    )


def _read(found: FileKind, wanted: str | None, opened: _Opened) -> tuple[int, int]:
    """How many rows and topics an input of another kind has, read as `irev eval` reads it."""
    from irev.engine.map_topics import map_opened
    from irev.engine.prepared_judgments import judged_lists_step

    step = judged_lists_step(found.name)

    def sizes(rows: Rows) -> tuple[int, int]:
        step(rows)
        return len(rows.value), len(rows.topics)

    def read(layout: Layout) -> tuple[int, int]:
        results = map_opened(opened(layout), sizes, 1).results
        return sum(rows for rows, _ in results), sum(topics for _, topics in results)

    if found.layout is not None:
        return read(found.layout)
    if wanted == QRELS:
        return read(formats.QRELS)
    try:
        return read(formats.RUN)
    except InputError as of_run:
        if wanted == RUN:
            raise
        try:
            return read(formats.QRELS)
        except InputError as error:
            # of its lines the first reading told, where the columns were those of a run
            raise (error if of_run.line is None else of_run) from None


RUN, QRELS, GROUPED, TABLE, UNKNOWN = "run", "qrels", "grouped", "table", "unknown"
NOTHING = ""
"""The kind of a file that begins with no line of data: it may be anything."""

_NAMES = {"trec_results": RUN, "qrels_jg": GROUPED}
"""The kinds that have another name than their format; groups may also be subtopics."""


class FileKind(NamedTuple):
    """What a file is taken for.

    name    a name of these here, or of a format
    looks   what such a file is called; of an unknown one, why it is none of the others
    hint    what to do about an unknown one
    layout  what its lines hold
    """

    name: str
    looks: str = ""
    hint: str = ""
    layout: Layout | None = None


def kind_of(head: bytes, profile: str) -> FileKind:
    """The kind of a file that begins so."""
    from irev.read.tables import is_structured

    if is_structured(head):
        return FileKind(TABLE, "a table or a mapping, not lines of fields")
    sample = sample_of(head)
    if sample is None:
        return FileKind(NOTHING)
    found = likely_format(sample, RUNS) or likely_format(sample, JUDGMENTS)
    if found is None:
        return _unknown(sample)
    if found.name == "prefs" and is_legal(sample):
        looks, _, hint = LEGAL.partition("; ")
        return FileKind(UNKNOWN, f"this is {looks}", hint)
    name = _NAMES.get(found.name, found.name)
    if profile == "msmarco" and sample.width == 3 and name in ("msmarco", "triples"):
        name = RUN
    looks = found.layout(sample.width).looks
    if name == GROUPED:
        looks += "; -R qrels_jg or -R subtopics reads them"
    elif name == "msmarco":
        looks += f"; {found.reading}, and without scores --profile msmarco checks its lines"
    elif name not in (RUN, QRELS):
        looks += f"; {found.reading}"
    return FileKind(name, looks, layout=found.layout(len(first_fields(head))))


def _unknown(sample: FirstLines) -> FileKind:
    first = sample.rows[0]
    hint = likeness(first, formats.QRELS)
    hint = hint or "--as run or --as qrels shows what is wrong with each line"
    what = (
        f"lines of {count_text(sample.width, 'field')}, such as '{id_text(b' '.join(first))}', are"
    )
    return FileKind(UNKNOWN, f"{what} no run and no qrels", hint)
