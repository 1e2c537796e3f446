"""What is looked for, how bad each finding is, and what changes under the rules of a task."""

from __future__ import annotations

import os
import re
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from irev.core.option_records import Opt, ResultOptions
from irev.core.record import record
from irev.core.text import as_bytes, cut_text, escape_non_utf8
from irev.errors import ERROR, KINDS, NOTE, SEVERITIES, WARNING, Notice, UsageError
from irev.options import COLUMNS, LEVEL, REAL_GRADES
from irev.read.columns import columns_by_field

if TYPE_CHECKING:
    from irev.jobs.check.qrels import JudgedDocuments


FileFacts: TypeAlias = dict[str, Any]
"""Name -> what a report on a file says beside the findings, such as documents per topic."""

JudgedAnswers: TypeAlias = Mapping[str, frozenset[bytes]]
"""Run -> the topics of which its answer was judged, in the files that were checked so far."""

_CODE_ORDER = {code: place for place, code in enumerate(KINDS)}


class Finding(NamedTuple):
    r"""One thing that is wrong or suspicious.

    `line` counts from 1 and is None where no one line is meant; so are `topic` and `document`.
    Ids are text, bytes that are not UTF-8 as `\xNN`.
    """

    file: str
    line: int | None
    topic: str | None
    document: str | None
    code: str
    severity: str
    message: str
    hint: str


@record
class FileReport:
    """What a file is, and what was found in it.

    Attributes:
        file: the path as it was given, or "standard input".
        kind: "run", "qrels", another kind that is read, or "unknown".
        sha256: of the file's bytes, decompressed, behind a byte-order mark; empty where it was not
            read to its end.
        lines: lines of the file, data or not.
        rows: lines of data that could be used.
        topics: how many topics they have.
        findings: in the order of their lines, those about the whole file last; of each code at
            most `CheckRules.most_kept`.
        counts: code -> how many there are in all, in the order of `errors.KINDS`.
        facts: numbers about a run or qrels: documents per topic, ties, the share judged, grades.
        severities: severity -> how many findings there are in all.
        judgments: of qrels, what runs are held against.
        judged_answers: of judgments of answers, what answers are held against.
    """

    file: str
    kind: str
    sha256: str
    lines: int
    rows: int
    topics: int
    findings: tuple[Finding, ...]
    counts: dict[str, int]
    facts: FileFacts
    severities: dict[str, int]
    judgments: JudgedDocuments | None = None
    judged_answers: JudgedAnswers | None = None

    @property
    def errors(self) -> int:
        """How many errors there are, also those that `findings` leaves out."""
        return self.severities[ERROR]

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return self.severities[WARNING]

    @property
    def notes(self) -> int:
        """How many notes there are."""
        return self.severities[NOTE]

    def add_finding(self, code: str, message: str, *, severity: str, hint: str = "") -> FileReport:
        """The report with one more finding about the whole file."""
        finding = Finding(self.file, None, None, None, code, severity, message, hint)
        counts = {**self.counts, code: self.counts.get(code, 0) + 1}
        return replace(
            self,
            findings=(*self.findings, finding),
            counts={code: counts[code] for code in KINDS if code in counts},
            severities={**self.severities, severity: self.severities[severity] + 1},
        )


@record
class Findings:
    """Findings as they come in, in any order; of each code the first lines are kept.

    What is read of a table or a mapping `has_lines` of no use: none is told.
    """

    file: str
    rules: CheckRules
    has_lines: bool = True
    counts: dict[str, int] = field(default_factory=dict)
    _shown: dict[str, list[tuple[tuple[Any, ...], Finding]]] = field(default_factory=dict)

    def add(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        topic: bytes | None = None,
        document: bytes | None = None,
        hint: str = "",
    ) -> None:
        """Take a finding, or count it where there are enough with earlier lines."""
        line = line if self.has_lines else None
        self.counts[code] = self.counts.get(code, 0) + 1
        shown = self._shown.setdefault(code, [])
        key = (line is None, line or 0, _CODE_ORDER[code], topic or b"", self.counts[code])
        if len(shown) >= self.rules.most_kept:
            if not shown or key >= shown[-1][0]:
                return
            shown.pop()
        place = (self.file, line, id_as_text(topic), id_as_text(document))
        severity = self.rules.severity(code)
        finding = Finding(*place, code, severity, cut_text(message), cut_text(hint))
        insort(shown, (key, finding))

    def add_notices(self, notices: Iterable[Notice]) -> None:
        """Take what every command warns of; it is about the whole file."""
        for notice in notices:
            self.add(notice.kind, notice.message, hint=notice.hint)

    def add_others(self, others: Findings, run: str = "") -> None:
        """Take all that was found elsewhere, such as in one of the runs of a table, by its name."""
        for shown in others._shown.values():
            for _, each in shown:
                message = f"{run}: {each.message}" if run else each.message
                ids = (None if text is None else as_bytes(text) for text in each[2:4])
                topic, document = ids
                self.add(each.code, message, topic=topic, document=document, hint=each.hint)
        for code, count in others.counts.items():
            self.counts[code] = self.counts.get(code, 0) + count - len(others._shown[code])

    def report(self, kind: str, **fields: Any) -> FileReport:
        """All that was found, in the order of the lines; what no field says is nothing."""
        in_order = sorted(pair for shown in self._shown.values() for pair in shown)
        severities = dict.fromkeys(SEVERITIES, 0)
        for code, count in self.counts.items():
            severities[self.rules.severity(code)] += count
        counts = {code: self.counts[code] for code in KINDS if code in self.counts}
        findings = tuple(finding for _, finding in in_order)
        nothing = {"sha256": "", "lines": 0, "rows": 0, "topics": 0, "facts": {}}
        return FileReport(
            self.file,
            kind,
            findings=findings,
            counts=counts,
            severities=severities,
            **{**nothing, **fields},
        )


class FindingTally:
    """Things that are said once for a file: how many, and where the first one is."""

    def __init__(self) -> None:
        self.count = 0
        self.line: int | None = None
        self.topic: bytes | None = None

    def see(self, line: int, topic: bytes | None = None, times: int = 1) -> None:
        """Count what stands in a line; of all lines the first is kept."""
        self.count += times
        if self.line is None or line < self.line:
            self.line, self.topic = line, topic


def id_as_text(identifier: bytes | None) -> str | None:
    r"""An id as text, bytes that are not UTF-8 as `\xNN`."""
    return None if identifier is None else escape_non_utf8(cut_text(identifier))


# --- What is looked for, how bad each finding is, and what changes under the rules of a task ---


MOST_PER_TOPIC = 1000
"""Documents of a topic that nearly every task allows."""

_TREC = {
    "short-lines": ERROR,
    "extra-fields": ERROR,
    "remark": ERROR,
    "many-documents": ERROR,
    "several-tags": ERROR,
    "tag-form": ERROR,
    "tag-not-file-name": ERROR,
    "missing-topic": WARNING,
}
_MSMARCO = {
    "short-lines": ERROR,
    "repeated-rank": ERROR,
    "ranks-from-zero": ERROR,
    "rank-order": ERROR,
    "many-documents": ERROR,
}
_TIRA = {
    "short-lines": ERROR,
    "extra-fields": ERROR,
    "remark": ERROR,
    "few-lines": ERROR,
    "few-topics": ERROR,
    "too-large": ERROR,
}
_WORSE = {NOTE: WARNING, WARNING: ERROR, ERROR: ERROR}

PROFILES: dict[str, dict[str, str]] = {
    "default": {},
    "trec": _TREC,
    "msmarco": _MSMARCO,
    "tira": _TIRA,
    "strict": {code: _WORSE[kind.severity] for code, kind in KINDS.items()},
}
"""Profile -> what is worse or better there: TREC's submissions, MS MARCO's runs of three fields or
six, TIRA's run files; `strict` makes every note a warning and every warning an error."""

_ONLY_WHERE_ASKED = ("tag-not-file-name", "few-lines", "few-topics", "too-large")
"""Rules of single tasks, which elsewhere would say nothing of use."""


def _docno(text: str) -> re.Pattern[bytes]:
    try:
        return re.compile(os.fsencode(text))
    except re.error as error:
        raise UsageError(f"--docno {text}: not a regular expression: {error}") from None


class CheckRules(ResultOptions):
    """What a file is held against."""

    profile: Annotated[str, Opt(
        "--profile", help_order=1, choices=tuple(PROFILES), noun="profile",
        help="Rules to check in addition to the general ones. trec: one tag of 1 to 25 letters, "
        "digits, - and _ that is also the file's name, six fields, at most --max-per-topic "
        "documents. msmarco: also topic, document, rank; ranks from 1 without repeats. tira: "
        "at least 5 lines and 3 topics, at most 75 MB. strict: notes become warnings, "
        "warnings errors.",
    )] = "default"  # fmt: skip
    """One of `PROFILES`."""
    max_per_topic: Annotated[int | None, Opt(
        "--max-per-topic", metavar="N", help_order=3, least=1,
        help="Most documents allowed per topic. Default: more than 1000 are a warning, "
        "and an error with --profile trec or msmarco.",
    )] = None  # fmt: skip
    """Documents that a topic of a run may have; None is 1000, and more are then an error only under
    a profile that says so."""
    docno: Annotated[str | re.Pattern[bytes] | None, Opt(
        "--docno", metavar="REGEX", parse=_docno,
        help="Pattern that every document id must match completely.",
    )] = None  # fmt: skip
    """What every document id must match as a whole."""
    level: Annotated[float, LEVEL] = 1
    """The smallest grade that is relevant, at least 0; a fraction implies `real_grades`."""
    real_grades: Annotated[bool, REAL_GRADES.replace(section="Options")] = False
    """Whether the grades of qrels may hold fractions."""
    columns: Annotated[Mapping[str, str] | Sequence[tuple[str, str]], COLUMNS.replace(
        section="Options",
    )] = ()  # fmt: skip
    """The names of columns of tables, where they are none of the usual ones: {"topic": "q"}."""
    max_findings: Annotated[int | None, Opt(
        "--max-findings", metavar="N", least=0,
        help="Most findings of one code shown; further ones are counted. Default: 10 of one file, "
        "3 of several together, and 25 per file with --details and for programs.",
    )] = None  # fmt: skip
    """How many findings of one code are kept for a file; the rest is counted. None is 25, of which
    people are shown fewer unless they ask for details."""

    def _check(self) -> None:
        super()._check()
        self.docno_pattern  # noqa: B018 - refuses what is none
        if self.columns:
            vars(self)["columns"] = columns_by_field(dict(self.columns))

    @property
    def most_kept(self) -> int:
        """How many findings of one code are kept for a file."""
        return 25 if self.max_findings is None else self.max_findings

    @property
    def own_columns(self) -> tuple[tuple[str, str], ...]:
        """The fields and the columns that hold them, as far as the user says so."""
        return tuple(dict(self.columns).items())

    @property
    def docno_pattern(self) -> re.Pattern[bytes] | None:
        """What every document id must match as a whole."""
        return _docno(self.docno) if isinstance(self.docno, str) else self.docno

    @property
    def reads_fractions(self) -> bool:
        """Whether the grades of qrels may hold fractions; a level that is one needs them."""
        return self.real_grades or isinstance(self.level, float)

    def severity(self, code: str) -> str:
        """How bad a finding of this code is here."""
        if code == "many-documents" and self.max_per_topic is not None:
            return ERROR
        return PROFILES[self.profile].get(code, KINDS[code].severity)

    def asks_for(self, code: str) -> bool:
        """Whether a rule holds here: those of single tasks do only under their profiles."""
        return code not in _ONLY_WHERE_ASKED or code in PROFILES[self.profile]

    @property
    def most_per_topic(self) -> int:
        """Documents that a topic may have."""
        return MOST_PER_TOPIC if self.max_per_topic is None else self.max_per_topic
