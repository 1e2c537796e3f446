"""What was found in a file."""

from __future__ import annotations

from bisect import insort
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from irev.core.record import record
from irev.core.text import cut_text, escape_non_utf8
from irev.errors import ERROR, KINDS, NOTE, SEVERITIES, WARNING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.errors import Notice
    from irev.jobs.check.answers import JudgedTopicsOfRuns
    from irev.jobs.check.judged import JudgedDocuments
    from irev.jobs.check.rules import CheckRules

FileFacts: TypeAlias = dict[str, Any]
"""Name -> what a report on a file says beside the findings, such as documents per topic."""

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
            most `CheckRules.max_findings`.
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
    judged_answers: JudgedTopicsOfRuns | None = None

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
    """Findings as they come in, in any order; of each code the first lines are kept."""

    file: str
    rules: CheckRules
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
        self.counts[code] = self.counts.get(code, 0) + 1
        shown = self._shown.setdefault(code, [])
        key = (line is None, line or 0, _CODE_ORDER[code], topic or b"", self.counts[code])
        if len(shown) >= self.rules.max_findings:
            if not shown or key >= shown[-1][0]:
                return
            shown.pop()
        finding = Finding(
            self.file, line, id_as_text(topic), id_as_text(document), code,
            self.rules.severity(code), cut_text(message), cut_text(hint),
        )  # fmt: skip
        insort(shown, (key, finding))

    def add_notices(self, notices: Iterable[Notice]) -> None:
        """Take what every command warns of; it is about the whole file."""
        for notice in notices:
            self.add(notice.kind, notice.message, hint=notice.hint)

    def report(self, **fields: Any) -> FileReport:
        """All that was found, in the order of the lines."""
        in_order = sorted(pair for shown in self._shown.values() for pair in shown)
        severities = dict.fromkeys(SEVERITIES, 0)
        for code, count in self.counts.items():
            severities[self.rules.severity(code)] += count
        counts = {code: self.counts[code] for code in KINDS if code in self.counts}
        findings = tuple(finding for _, finding in in_order)
        return FileReport(
            self.file, findings=findings, counts=counts, severities=severities, **fields
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
