"""Everything that is wrong or suspicious in one file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.judged import Rows
from irev.core.text import (
    as_text,
    count_text,
    has_invisible,
    parse_c_number,
    parse_json,
    parse_whole,
    shortened_list,
)
from irev.engine.doubts import NumberFacts, number_facts, total_number_facts
from irev.engine.map_topics import map_opened
from irev.engine.prepared_judgments import NuggetAnswers, judged_lists_step, read_judged_answers
from irev.engine.run_facts import (
    EqualScoreCounts,
    first_ranked_rows,
    numbered_topic_counts,
    numbering_warnings,
    rank_column_warnings,
)
from irev.errors import NO_COLUMN, NO_DOCUMENTS, InputError, Notice, UsageError, id_text
from irev.jobs.check.findings import (
    PROFILES,
    CheckRules,
    FileFacts,
    FileReport,
    Findings,
    FindingTally,
    JudgedAnswers,
)
from irev.jobs.check.qrels import JudgedDocuments, QrelsCheck
from irev.jobs.check.runs import RunCheck
from irev.jobs.check.topics import lines_of
from irev.rank.ranking import keep_rows
from irev.read import formats
from irev.read.answers import read_answered_topics
from irev.read.columns import ColumnNames, resolve_columns
from irev.read.formats import JUDGMENTS, LEGAL, RUNS, is_legal, likely_format
from irev.read.inputs import stem_of
from irev.read.layout import (
    Fields,
    FirstLines,
    Layout,
    first_fields,
    layout_for,
    sample_first_lines,
)
from irev.read.lines import BINARY
from irev.read.pieces import Piece
from irev.read.sniff import LINE_OF_NAMES, likeness, text_tool
from irev.read.sources import open_input
from irev.read.stream import STDIN, FoundFile, Source
from irev.read.topics import CutInput, Parsed, Text, TopicTable
from irev.scores.saved import is_saved_head, is_score_parquet

if TYPE_CHECKING:
    _OpenAs = Callable[[Layout], CutInput[Any] | TopicTable]


RUN_KIND, QRELS_KIND, GROUPED, TABLE, UNKNOWN = "run", "qrels", "grouped", "table", "unknown"

HOLDS, RUNS_IN_TABLE = "holds", "runs_in_table"
"""Facts of a table: whether it is a run or qrels; the facts of each of several runs in it."""

NOTHING = ""
"""The kind of a file that begins with no line of data: it may be anything."""

_KIND_NAMES = {"trec_results": RUN_KIND, "qrels_jg": GROUPED}
"""The kinds that have another name than their format; groups may also be subtopics."""

_OF_FEW_FIELDS = ("triples", *RUNS)
"""The kinds that can be checked as runs and as qrels: so few fields tell little."""

_PIECE = 1 << 20
"""Bytes that are read at once; of a damaged file those before the last whole piece are checked."""

_LINE_FAULTS = ("field-count", "carriage-return")
"""What is found in lines of data that give no row."""


class Expected(NamedTuple):
    """What a file is expected to be, and what it is held against if it is a run.

    kind       "run" or "qrels"; None: whatever it looks like
    judgments  those that a run belongs to
    topics     those that a run must have, and no others
    """

    kind: str | None
    judgments: JudgedDocuments | None
    topics: Collection[bytes] | None


def check_file(
    path: str | os.PathLike[str],
    rules: CheckRules | None = None,
    *,
    qrels: FileReport | None = None,
    topics: Collection[bytes] | None = None,
    kind: str | None = None,
    qrels_format: str | None = None,
    judged_answers: JudgedAnswers | None = None,
) -> FileReport:
    """Everything that is wrong or suspicious in a run or in qrels.

    Args:
        path: a file, compressed or not, or a folder whose files are one table; `-` is standard
            input.
        rules: what the file is held against; None is `CheckRules()`.
        qrels: the report on the judgments that a run belongs to.
        topics: the topics that a run must have, and no others.
        kind: "run" or "qrels"; None finds out by the first lines.
        qrels_format: of judgments of answers, "nuggets" or "support": files are these, or answers.
        judged_answers: the answers that were judged in the files before.

    Returns:
        The report; a file that is damaged or of another kind is a finding, too.
    """
    if kind not in (None, RUN_KIND, QRELS_KIND):
        raise UsageError(f"'{kind}' is neither run nor qrels")
    if qrels is not None and qrels.judgments is None:
        raise UsageError(f"{qrels.file} is a {qrels.kind}, not qrels")
    rules = rules or CheckRules()
    file_path = os.fspath(path)
    expected = Expected(kind, None if qrels is None else qrels.judgments, topics)
    if os.path.isdir(file_path) and not isinstance(file_path, FoundFile):
        from irev.read.batches import Dataset

        table_kind = FileKind(TABLE, "a table in several files")
        findings, open_as = Findings(file_path, rules), partial(Dataset, file_path)
        return _readability_report(table_kind, findings, open_as, expected)
    with Source(file_path, sign=True) as source:
        findings = Findings(source.path, rules)
        try:
            head = source.head()
        except InputError as error:
            is_file = os.path.isfile(file_path) and os.access(file_path, os.R_OK)
            if file_path != STDIN and not is_file:
                raise
            findings.add("damaged-file", error.problems[0].message)
            return findings.report(UNKNOWN)
        answers_file = None if kind else answers_kind(head, qrels_format)
        if answers_file is not None:
            return check_answers(source, answers_file, findings, judged_answers)
        file_kind = detect_kind(head, rules.profile, rules.own_columns)
        if kind is None and not rules.reads_fractions and file_kind.name in (QRELS_KIND, GROUPED):
            file_kind = _run_without_rank_and_tag(head) or file_kind
        other_kind = _kind_unlike_expected(kind, file_kind, head, file_path, rules.own_columns)
        if other_kind is not None:
            contraries = {
                None: "neither a run nor qrels",
                RUN_KIND: "not a run",
                QRELS_KIND: "not qrels",
            }
            message = f"this is {contraries[kind]}; it looks like {other_kind.looks}"
            findings.add("other-kind", message, hint=other_kind.hint)
            return findings.report(other_kind.name)
        is_of_tool = file_kind.layout is not None and bool(file_kind.layout.tool)
        keeps_kind = file_kind.name in (GROUPED, TABLE) or file_kind.layout is formats.LEVELS
        keeps_kind = keeps_kind or is_of_tool
        checked_kind = file_kind.name if keeps_kind else kind or file_kind.name
        if checked_kind not in (RUN_KIND, QRELS_KIND, GROUPED, NOTHING):
            return _unchecked_report(source, file_kind, head, findings, expected)
        layout = formats.QRELS
        if checked_kind in (RUN_KIND, NOTHING):
            is_of_profile = _profile_reads(rules.profile, len(first_fields(head)))
            run_format = rules.profile if is_of_profile else "trec_results"
            layout = layout_for(formats.run_layout(run_format), head)
        return _check_lines(
            source,
            file_path,
            layout,
            rules,
            expected,
            second_field_is_group=checked_kind == GROUPED,
        )


# --- What a file is taken for ---


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


def detect_kind(head: bytes, profile: str, columns: ColumnNames = ()) -> FileKind:
    """The kind of a file that begins so."""
    from irev.read.tables import is_structured

    if is_structured(head, columns, any_names=True):
        return FileKind(TABLE, "a table or a mapping, not lines of fields")
    sample = sample_first_lines(head)
    if sample is None or Source.is_part_of_line(head):
        return FileKind(NOTHING)
    if tool := text_tool(head):
        return FileKind(tool, JUDGMENTS[tool].layouts[0].looks, layout=JUDGMENTS[tool].layouts[0])
    likely = likely_format(sample, RUNS) or likely_format(sample, JUDGMENTS)
    if likely is None:
        return _unknown_kind(sample)
    if likely.name == "prefs" and (odd_kind := _kind_of_five_fields(sample)):
        return odd_kind
    kind_name = _KIND_NAMES.get(likely.name, likely.name)
    if kind_name in _OF_FEW_FIELDS and _profile_reads(profile, sample.width):
        kind_name = RUN_KIND
    looks = likely.layout(sample.width).looks
    if kind_name == GROUPED:
        looks += "; -R qrels_jg or -R subtopics reads them"
    elif kind_name in PROFILES:
        looks += f"; {likely.reading}, and without scores --profile {kind_name} checks its lines"
    elif kind_name not in (RUN_KIND, QRELS_KIND):
        looks += f"; {likely.reading}"
    return FileKind(kind_name, looks, layout=likely.layout(len(first_fields(head))))


def _profile_reads(profile: str, width: int) -> bool:
    """Whether a profile that is called like a format checks lines of so many fields."""
    return profile in RUNS and width == len(RUNS[profile].layouts[0].fields)


def _run_without_rank_and_tag(head: bytes) -> FileKind | None:
    """What lines of four fields are whose second is Q0, and whose fourth is a score, no grade."""

    def has_score(fields: Fields) -> bool:
        return parse_c_number(fields[3]) is not None and parse_whole(fields[3]) is None

    sample = sample_first_lines(head)
    if sample is None or sample.width != len(formats.QRELS.fields):
        return None
    if not sample.column(1) <= {b"Q0", b"q0"} or not sample.mostly(has_score):
        return None
    scored = next(filter(has_score, sample.rows))
    return _unknown_kind(sample, RUNS["trec_results"].crooked_hint(scored))


def _kind_of_five_fields(sample: FirstLines) -> FileKind | None:
    """What lines of five fields are, where they are no preferences."""

    def lacks_q0(fields: Fields) -> bool:
        # no id has a fraction
        is_score = parse_c_number(fields[3]) is not None and parse_whole(fields[3]) is None
        return is_score and parse_whole(fields[2]) is not None

    if sample.mostly(lacks_q0):
        return _unknown_kind(sample, RUNS["trec_results"].crooked_hint(sample.rows[0]))
    if is_legal(sample):
        looks, _, hint = LEGAL.partition("; ")
        return FileKind(UNKNOWN, f"this is {looks}", hint)
    return None


def _unknown_kind(sample: FirstLines, hint: str = "") -> FileKind:
    first = sample.rows[0]
    hint = hint or likeness(first, formats.QRELS)
    hint = hint or "--as run or --as qrels shows what is wrong with each line"
    such_lines = (
        f"lines of {count_text(sample.width, 'field')}, such as '{id_text(b' '.join(first))}', are"
    )
    return FileKind(UNKNOWN, f"{such_lines} no run and no qrels", hint)


def _kind_unlike_expected(
    expected_kind: str | None, likely_kind: FileKind, head: bytes, path: str, columns: ColumnNames
) -> FileKind | None:
    """What a file is that cannot be checked as what is expected; None: it can be."""
    is_saved = likely_kind.name not in (QRELS_KIND, NOTHING) and is_saved_head(head, columns)
    if is_saved or is_score_parquet(path):
        return FileKind("saved", formats.SAVED)
    if likely_kind.name in (QRELS_KIND, GROUPED):
        sample = sample_first_lines(head)
        if sample is not None and formats.has_documents_second(sample):
            hint = formats.DOCUMENTS_SECOND_HINT
            return FileKind(UNKNOWN, formats.DOCUMENTS_SECOND, hint)
    layout = likely_kind.layout
    if expected_kind is None or layout is None:
        return None
    if likely_kind.name in (expected_kind, *_OF_FEW_FIELDS):
        return None
    # with as many fields a line may be what was asked for, and levels are read as qrels
    has_fields = len(layout.fields) == len(formats.QRELS.fields) or layout is formats.LEVELS
    return None if expected_kind == QRELS_KIND and has_fields else likely_kind


def are_judgments(path: str, qrels_format: str | None = None) -> bool:
    """Whether a file looks like judgments of this format, or of any, and not like a run."""
    if not os.path.isfile(path):
        return False
    with Source(path) as source:
        head = source.head()
    if qrels_format in _KEY_OF_FORMAT:
        return answers_kind(head, qrels_format) == qrels_format
    kind = detect_kind(head, "trec_results")
    if is_saved_head(head):
        return False
    if kind.name == TABLE:
        return check_file(path).facts.get(HOLDS) == QRELS_KIND
    return kind.name != RUN_KIND and (kind.name in (QRELS_KIND, GROUPED) or kind.name in JUDGMENTS)


# --- A run or qrels, line by line ---


def _check_lines(
    source: Source,
    path: str,
    layout: Layout,
    rules: CheckRules,
    expected: Expected,
    *,
    second_field_is_group: bool,
) -> FileReport:
    """One pass through a run or qrels, or two where topics are scattered."""

    def new_check() -> RunCheck | QrelsCheck:
        findings = Findings(source.path, rules)
        if layout.number == "grade":
            return QrelsCheck(findings, second_field_is_group=second_field_is_group)
        return RunCheck(findings, expected.judgments, expected.topics, layout)

    text_notes, file_check = TextNotes(), new_check()
    text = Text(source, file_check.layout, source.head(), all_problems=True)
    if not _check_in_one_pass(text, file_check, text_notes):
        text_notes, file_check = TextNotes(), new_check()
        for parsed in text.gather_scattered_topics(1, text_notes.watch_pieces(text.lines(_PIECE))):
            _check_part(parsed, 0, file_check)
    findings = file_check.findings
    facts = file_check.check_whole(path)
    has_lines = file_check.rows or not findings.counts.keys().isdisjoint(_LINE_FAULTS)
    if text_notes.is_whole and not has_lines:
        fault = "has no line of data" if text_notes.count else "is empty"
        findings.add("empty-file", f"the file {fault}")
    text_notes.tell(findings, has_mark=source.has_mark)
    findings.add_notices(source.notices)
    return findings.report(
        file_check.kind,
        sha256=(source.sha256 or "") if text_notes.is_whole else "",
        lines=text_notes.count,
        rows=file_check.rows,
        topics=file_check.num_topics,
        facts=facts,
        judgments=file_check.judgments,
    )


def _check_in_one_pass(
    text: Text, file_check: RunCheck | QrelsCheck, text_notes: TextNotes
) -> bool:
    """Check a text part by part; False where lines of a topic are not contiguous."""
    seen_topics: set[bytes] = set()
    for piece in text_notes.watch_pieces(text.parts(_PIECE)):
        parsed = text.parse(piece)
        topics = [] if parsed.rows is None else parsed.rows.topics
        if parsed.is_scattered or not seen_topics.isdisjoint(topics):
            return False
        seen_topics.update(topics)
        _check_part(parsed, text_notes.count, file_check)
    return True


def _check_part(parsed: Parsed, num_lines_before: int, file_check: RunCheck | QrelsCheck) -> None:
    """Tell what is wrong with the lines of a part, which so many stand before; check its topics."""
    for problem in parsed.problems:
        file_check.findings.add(
            problem.kind,
            problem.message,
            line=(problem.line or 0) + num_lines_before,
            topic=problem.topic,
            document=problem.document,
            hint=problem.hint,
        )
    rows = parsed.rows
    if rows is None:
        return
    heads = [problem.line or 0 for problem in parsed.problems if problem.hint == LINE_OF_NAMES]
    if heads:
        rows = keep_rows(rows, np.flatnonzero(~np.isin(lines_of(rows), heads)))
        # the topic is called qid, and has no row
        has_rows = rows.topic_lengths > 0
        rows = replace(
            rows,
            topics=[topic for topic, has in zip(rows.topics, has_rows, strict=True) if has],
            start=np.unique(rows.start),
        )
    if rows.topics:
        file_check.add(replace(rows, line=lines_of(rows) + num_lines_before))


# --- What a text itself shows, whatever its lines say: encoding, line ends, blanks, comments ---

# code -> what is said of such lines, and a hint; how grave each is stands in `errors.KINDS`
_NOTES = {
    "not-utf8": ("not in UTF-8; ids are compared byte by byte", ""),
    "invisible-character": (
        "with a control character or a space that does not separate fields",
        "it becomes part of the id, which then matches no other",
    ),
    "crlf": ("with Windows line endings (CR LF)", ""),
    "comment": ("beginning with # skipped", "programs other than irev and trec_eval 10 fail here"),
    "blank-line": ("blank", ""),
}
_BLANK_START = re.compile(rb"\n[\n \t\v\f\r]")


class TextNotes:
    """Looks at a text piece by piece, then tells what it shows.

    `count` is how many lines were seen; the text `is_whole` unless it is damaged or binary.
    """

    def __init__(self) -> None:
        self.count = 0
        self.is_whole = True
        self._damage = ""
        self._tallies: dict[str, FindingTally] = {}
        self._has_blanks = False
        self._ends_well = True

    def watch_pieces(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces, each looked at when the next is asked for.

        They end at a zero byte, as what follows is no text, and where the file cannot be read on.
        """
        try:
            for piece in pieces:
                yield piece
                self.is_whole = not piece.has(b"\0")
                if not self.is_whole:
                    return
                self._see(piece)
        except InputError as error:
            self.is_whole = False
            self._damage = error.problems[0].message

    def _see(self, piece: Piece) -> None:
        """Look at a piece; only where there is something are its lines gone through."""
        text = bytes(piece.text)
        self._has_blanks = self._has_blanks or b" " in text
        self._ends_well = not piece.is_mended
        lines = text.split(b"\n")[:-1]
        if b"\r" in text:
            # a newline that the file does not have ends no line with CR LF
            ended = lines[:-1] if piece.is_mended else lines
            self._tally_lines("crlf", ended, lambda line: line.endswith(b"\r"))
        if b"\t" in text:
            self._tally_lines("tabs", lines, lambda line: b"\t" in line)
        if not text.isascii() and not _is_utf8(text):
            self._tally_lines("not-utf8", lines, lambda line: not _is_utf8(line))
        if has_invisible(text):
            self._tally_lines("invisible-character", lines, has_invisible)
        if b"#" in text:
            self._tally_lines("comment", lines, lambda line: line.lstrip().startswith(b"#"))
        if text[:1].isspace() or _BLANK_START.search(text):
            self._tally_lines("blank-line", lines, lambda line: not line or line.isspace())
        self.count += len(lines)

    def _tally_lines(
        self, code: str, lines: list[bytes], has_fault: Callable[[bytes], bool]
    ) -> None:
        for number, line in enumerate(lines, self.count + 1):
            if has_fault(line):
                self._tallies.setdefault(code, FindingTally()).see(number)

    def tell(self, findings: Findings, *, has_mark: bool) -> None:
        """Say what the text shows."""
        if self._damage:
            message = f"{self._damage}; {count_text(self.count, 'line')} could be read"
            findings.add("damaged-file", message)
        elif not self.is_whole:
            return
        if has_mark:
            findings.add("byte-order-mark", "the file begins with a byte-order mark", line=1)
        for code, (phrase, hint) in _NOTES.items():
            tally = self._tallies.get(code)
            if tally is not None:
                message = f"{count_text(tally.count, 'line')} {phrase}; this is the first"
                findings.add(code, message, line=tally.line, hint=hint)
        tabs = self._tallies.get("tabs")
        if tabs is not None:
            code = "mixed-separators" if self._has_blanks else "tabs"
            phrase = "tabs and blanks" if self._has_blanks else "tabs"
            message = (
                f"fields are separated by {phrase}; {count_text(tabs.count, 'line')} with tabs"
            )
            findings.add(code, message, line=tabs.line)
        if not self._ends_well:
            findings.add("no-final-newline", "the last line has no newline", line=self.count)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


# --- What is not checked line by line: tables, and files of other formats ---


def _unchecked_report(
    source: Source,
    file_kind: FileKind,
    head: bytes,
    findings: Findings,
    expected: Expected,
) -> FileReport:
    """A file that is neither run nor qrels in lines: whether it can be read; of tables more."""
    if file_kind.name == UNKNOWN:
        zero = head.find(b"\0")
        if zero >= 0:
            findings.add("binary-file", BINARY, line=head.count(b"\n", 0, zero) + 1)
        else:
            findings.add("unknown-kind", file_kind.looks, hint=file_kind.hint)
        return findings.report(UNKNOWN)
    from irev.read.tables import structured_table

    def open_as(layout: Layout) -> CutInput[Any] | TopicTable:
        if layout.tool:
            from irev.read.tools import text_table

            table = text_table(source, layout.tool, layout)
            findings.add_notices(source.notices)
            return table
        is_text = file_kind.layout is not None
        return Text(source, layout) if is_text else structured_table(source, head, layout)

    return _readability_report(file_kind, findings, open_as, expected)


def _readability_report(
    file_kind: FileKind,
    findings: Findings,
    open_as: _OpenAs,
    expected: Expected,
) -> FileReport:
    """What is not checked line by line: whether it can be read; of a table what its rows show."""
    facts: FileFacts = {}
    judgments = None
    try:
        if file_kind.layout is not None:
            read = _read_whole(file_kind.name, open_as, file_kind.layout)
        else:
            read = _read_table(open_as, findings.rules, expected)
    except InputError as error:
        for problem in error.problems:
            file_part = os.path.relpath(problem.path or findings.file, findings.file)
            location = "" if file_part == os.curdir else f"{id_text(os.fsencode(file_part))}: "
            message = location + problem.message
            kind = NO_DOCUMENTS if problem.kind == NO_DOCUMENTS else "unreadable-line"
            findings.add(kind, message, line=problem.line, hint=problem.hint)
        return findings.report(file_kind.name)
    findings.add("not-checked", f"read as {file_kind.looks}; its lines were not checked one by one")
    findings.add_notices(read.notices)
    facts_of_run: dict[str, FileFacts] = {}
    for run, table_check in read.checks:
        facts_of_run[run] = table_check.check_whole(findings.file)
        judgments = table_check.judgments
        findings.add_others(table_check.findings, run)
        facts = {HOLDS: table_check.kind, **facts_of_run[run]}
    if len(facts_of_run) > 1:
        facts = {HOLDS: RUN_KIND, RUNS_IN_TABLE: facts_of_run}
    return findings.report(
        file_kind.name,
        lines=read.num_rows,
        rows=read.num_rows,
        topics=len(read.topics),
        facts=facts,
        judgments=judgments,
    )


class _WholeRead(NamedTuple):
    """What was read as `irev eval` reads it.

    notices  the warnings about ranks
    checks   of a table what looked at its rows: for each run in it, with the run's name, or for the
             judgments
    numbers  of a table the scores or grades
    """

    num_rows: int
    topics: set[bytes]
    notices: list[Notice]
    checks: list[tuple[str, RunCheck | QrelsCheck]]
    numbers: list[NumberFacts]


def _read_table(
    open_as: _OpenAs,
    rules: CheckRules,
    expected: Expected,
) -> _WholeRead:
    """A table or a mapping, read as a run or as judgments: by its columns, or else its numbers."""

    def new_run_check(opened: CutInput[Any] | TopicTable) -> RunCheck:
        layout = formats.RUN._replace(fields=("topic", "document", "score"))
        findings = Findings(opened.name, rules, has_lines=False)
        has_ranks = len({rank for _, rank, _ in first_ranked_rows(opened)}) > 1
        return RunCheck(findings, expected.judgments, expected.topics, layout, has_ranks=has_ranks)

    def new_qrels_check(opened: CutInput[Any] | TopicTable) -> QrelsCheck:
        findings = Findings(opened.name, rules, has_lines=False)
        return QrelsCheck(findings, second_field_is_group=False)

    def read_qrels() -> _WholeRead:
        layout = formats.QRELS._replace(columns=resolve_columns(rules.own_columns, QRELS_KIND))
        layout = formats.allow_real_grades(layout) if rules.reads_fractions else layout
        return _read_whole(QRELS_KIND, open_as, layout, new_qrels_check)

    if expected.kind == QRELS_KIND:
        return read_qrels()
    try:
        layout = formats.RUN._replace(columns=resolve_columns(rules.own_columns, RUN_KIND))
        read = _read_whole(TABLE, open_as, layout, new_run_check)
    except InputError as run_error:
        # a document that stands twice is told of whatever else the scores may be
        if expected.kind == RUN_KIND or all(
            p.kind == "duplicate-document" for p in run_error.problems
        ):
            raise
        try:
            return read_qrels()
        except InputError as qrels_error:
            # it is neither: the columns, or the form, say which of the two errors is told
            may_be_run, may_be_qrels = (
                all(problem.kind not in (NO_COLUMN, "other-kind") for problem in each.problems)
                for each in (run_error, qrels_error)
            )
            if not (may_be_run or may_be_qrels) and run_error.problems[0].kind == NO_COLUMN:
                hint = "--columns score=NAME if this is a run, --columns grade=NAME if judgments"
                run_error = InputError([run_error.problems[0]._replace(hint=hint)])
            # where it may be both, it is a run if judgments were given, or if a line is at fault:
            # of a mapping, which has no lines, judgments ask for less
            is_run = not may_be_qrels
            is_run |= may_be_run and (run_error.line is not None or expected.judgments is not None)
            raise (run_error if is_run else qrels_error) from None
    # a mapping of numbers may be both: few whole ones are grades, unless there are judgments
    may_be_both = expected.kind is None and expected.judgments is None and bool(read.numbers)
    if may_be_both and total_number_facts(read.numbers).look_like_grades(0):
        with suppress(InputError):
            return read_qrels()
    return read


def _read_whole(
    kind_name: str,
    open_as: _OpenAs,
    layout: Layout,
    new_check: Callable[[CutInput[Any] | TopicTable], RunCheck | QrelsCheck] | None = None,
) -> _WholeRead:
    """All rows of an input of another kind, and what a check finds in those of a table."""
    step = judged_lists_step(kind_name)

    def look(
        kept_rows: list[Rows] | None, rows: Rows
    ) -> tuple[int, list[bytes], EqualScoreCounts, NumberFacts]:
        step(rows)
        if kept_rows is not None:
            kept_rows.append(rows)
        numbers = number_facts(rows.topic_of_row, rows.value)
        return len(rows.value), rows.topics, numbered_topic_counts(rows), numbers

    num_rows = 0
    all_topics: set[bytes] = set()
    notices: list[Notice] = []
    checks: list[tuple[str, RunCheck | QrelsCheck]] = []
    all_numbers: list[NumberFacts] = []
    for opened, run in _each_opened_run(open_as(layout), layout):
        # a table of topics can be gone through once
        kept_rows: list[Rows] | None = [] if isinstance(opened, TopicTable) else None
        parts = map_opened(opened, partial(look, kept_rows), 1).results
        num_rows += sum(num_rows_of_part for num_rows_of_part, *_ in parts)
        all_topics.update(topic for _, topics, *_ in parts for topic in topics)
        all_numbers += [numbers for *_, numbers in parts]
        ranked_rows = first_ranked_rows(opened)
        warnings = [*rank_column_warnings(opened, ranked_rows)]
        if new_check is None and layout.number == "score" and not ranked_rows:
            warnings += numbering_warnings([counts for _, _, counts, _ in parts])
        notices += [each.about(run) if run else each for each in warnings]
        if new_check is not None:
            checks.append((run, _checked_rows(opened, kept_rows or (), new_check)))
    return _WholeRead(num_rows, all_topics, notices, checks, all_numbers)


def _checked_rows(
    opened: CutInput[Any] | TopicTable,
    kept_rows: Sequence[Rows],
    new_check: Callable[[CutInput[Any] | TopicTable], RunCheck | QrelsCheck],
) -> RunCheck | QrelsCheck:
    """What looked at all rows of a table: those that were kept, or as they are read again."""
    table_check, seen_topics = new_check(opened), set[bytes]()

    def add(rows: Rows | None) -> None:
        if rows is not None:  # numbered throughout, so that no topic seems scattered
            line = table_check.rows + 1 + np.arange(len(rows.value))
            table_check.add(replace(rows, line=line, groups=()))

    if isinstance(opened, TopicTable):
        for rows in kept_rows:
            add(rows)
        return table_check
    for part in opened.parts():
        parsed = opened.parse(part)
        topics = [] if parsed.rows is None else parsed.rows.topics
        if parsed.is_scattered or not seen_topics.isdisjoint(topics):
            table_check = new_check(opened)
            for gathered in opened.gather_scattered_topics(1):
                add(gathered.rows)
            return table_check
        seen_topics.update(topics)
        add(parsed.rows)
    return table_check


def _each_opened_run(
    opened: CutInput[Any] | TopicTable, layout: Layout
) -> Iterator[tuple[CutInput[Any] | TopicTable, str]]:
    """What was opened; of a table of several runs each, with its name."""
    from irev.read.run_tables import refuse_several_runs, run_table

    table = run_table(opened.name, layout.columns) if layout.number == formats.RUN.number else None
    for run in () if table is None else table.runs:
        with open_input(run, layout) as (opened_run, _):
            yield opened_run, as_text(run.run)
    if table is None:
        refuse_several_runs(opened)
        yield opened, ""


# --- Judgments of answers, and answers: what is wrong or suspicious in such lines of JSON ---

ANSWERS = "answers"
"""What a file of the answers of a run is called here; judgments are called as their format."""

_KEY_OF_FORMAT = {"nuggets": "nuggets", "support": "sentences"}
"""Under which key a line of a format has what was judged."""

_KEYS_OF_ANSWERS = ("answer", "responses")
_MOST_SHOWN = 10


def answers_kind(head: bytes, qrels_format: str | None) -> str | None:
    """What a text is that begins so: judgments of a format, answers, or neither.

    With a format all files are judgments of this format, or answers.
    """
    first = next((line for line in head.split(b"\n") if line and not line.isspace()), b"")
    row: Any = None
    if first.lstrip().startswith(b"{"):
        try:
            row = parse_json(first)
        except ValueError:
            row = None
    keys = row.keys() if isinstance(row, dict) else ()
    if qrels_format is not None:
        is_answer = any(key in keys for key in ("metadata", *_KEYS_OF_ANSWERS))
        has_judgment = _KEY_OF_FORMAT[qrels_format] in keys
        return qrels_format if has_judgment or not is_answer else ANSWERS
    for name, key in _KEY_OF_FORMAT.items():
        if key in keys:
            return name
    return ANSWERS if any(key in keys for key in _KEYS_OF_ANSWERS) else None


def check_answers(
    source: Source, kind: str, findings: Findings, judged: JudgedAnswers | None
) -> FileReport:
    """What was found in judgments of answers, or in answers.

    `judged` are the answers that were judged in the files before.
    """
    facts: dict[str, int] = {}
    topics: set[bytes] = set()
    num_answers = 0
    judged_here = None
    try:
        if kind == ANSWERS:
            topics = _check_answers_of_run(source, findings, judged)
            num_answers = len(topics)
        else:
            answers = read_judged_answers(source, kind, sign=True)
            facts, judged_here = answers.facts(), answers.topics_of_run
            topics = set().union(*judged_here.values())
            num_answers = sum(map(len, judged_here.values()))
            findings.add_notices(notice._replace(run="") for notice in answers.warnings())
            for run, judged_topics in sorted(judged_here.items()):
                lacking = sorted(topics - judged_topics)
                if lacking:
                    findings.add(
                        "unretrieved-topic",
                        f"run {run} lacks {len(lacking)} of {count_text(len(topics), 'topic')}: "
                        f"{shortened_list(lacking, _MOST_SHOWN)}",
                        hint="they count 0 in compare, leaderboard and gate",
                    )
            if isinstance(answers, NuggetAnswers) and answers.topics_without_vital:
                without = answers.topics_without_vital
                findings.add(
                    "no-relevant",
                    f"{count_text(len(without), 'topic')} without a vital nugget: "
                    f"{shortened_list(without, _MOST_SHOWN)}",
                    hint="V is 0 there",
                )
    except InputError as error:
        for problem in error.problems:
            findings.add(problem.kind, problem.message, line=problem.line, hint=problem.hint)
    return findings.report(
        kind,
        sha256=source.sha256 or "",
        lines=num_answers,
        rows=num_answers,
        topics=len(topics),
        facts=facts,
        judged_answers=judged_here,
    )


def _check_answers_of_run(
    source: Source, findings: Findings, judged: JudgedAnswers | None
) -> set[bytes]:
    """Tell what is wrong with the answers of a run; the topics that they are to."""
    answers = read_answered_topics(source)
    topics = set(answers.topics)
    if judged is None:
        findings.add("late-qrels", "not checked against judgments: give these first")
        return topics
    run = answers.run_id or stem_of(os.path.basename(source.path))
    if run not in judged:
        findings.add(
            "nothing-judged",
            f"no answer of run '{run}' is judged; the runs are "
            f"{shortened_list(sorted(judged), _MOST_SHOWN)}",
        )
        return topics
    without = sorted(topics - judged[run])
    if without:
        findings.add(
            "unlabelled-answer",
            f"{count_text(len(without), 'answer')} without a judgment: "
            f"{shortened_list(without, _MOST_SHOWN)}",
        )
    judged_topics = set().union(*judged.values())
    lacking = sorted(judged_topics - topics)
    if lacking:
        findings.add(
            "unretrieved-topic",
            f"no answer to {len(lacking)} of {count_text(len(judged_topics), 'judged topic')}: "
            f"{shortened_list(lacking, _MOST_SHOWN)}",
        )
    return topics
