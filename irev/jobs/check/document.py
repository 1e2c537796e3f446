"""What was found in files as a document; in plain text one finding a line, as compilers tell it."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from irev.core.text import printable
from irev.core.version import __version__
from irev.core.wording import count_text
from irev.jobs.check.answers import ANSWERS
from irev.jobs.check.file_check import RUN, TABLE
from irev.jobs.check.report import FileReport
from irev.read.formats import JUDGMENTS, RUNS
from irev.writers.document import Document, Head, Heading, Lines, Records, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.errors import InputError
    from irev.jobs.check.check import CheckReport
    from irev.jobs.check.report import Finding
    from irev.jobs.check.rules import CheckRules
    from irev.writers.document import Part

_FIELDS = ("line", "topic", "document", "code", "severity", "message", "hint")


def check_document(report: CheckReport, decimals: int) -> Document:
    """The findings in files; in JSON also of files that cannot be opened, which have none."""
    rules = report.rules
    return Document(
        "What was found in files",
        chain(_file_sections(report.files, rules), _summary_section(report)),
        _records_of_all_findings(report.files),
        partial(_reports_data, report.reports, rules),
        chain(
            (line for file in report.files for line in _finding_lines(file, rules)),
            _summary_of_files(report),
        ),
    )


def _summary_of_files(report: CheckReport) -> list[str]:
    """A last line on several files: how many they are, and what was found in all of them."""
    if len(report.reports) < 2:
        return []
    unread = f", {len(report.errors)} of them unreadable" if report.errors else ""
    counts = (
        count_text(sum(getattr(file, severities) for file in report.files), severities[:-1])
        for severities in ("errors", "warnings", "notes")
    )
    return [f"{count_text(len(report.reports), 'file')}{unread}: {', '.join(counts)}"]


def _finding_lines(report: FileReport, rules: CheckRules) -> Iterator[str]:
    """`FILE:LINE: severity: message (hint) [code]` for each finding, then a line for the file.

    A hint is given with the first finding of its file that has it.
    """
    hints_given, file = {""}, printable(report.file)
    for finding in report.findings:
        location = file if finding.line is None else f"{file}:{finding.line}"
        hint = "" if finding.hint in hints_given else f" ({finding.hint})"
        hints_given.add(finding.hint)
        yield f"{location}: {finding.severity}: {finding.message}{hint} [{finding.code}]"
    yield from (f"{file}: {line}" for line in _closing_lines(report, rules))


def _closing_lines(report: FileReport, rules: CheckRules) -> Iterator[str]:
    """How many findings are not shown, and what the file is."""
    for code, count in report.counts.items():
        if count > rules.max_findings:
            severity, rest = rules.severity(code), count - rules.max_findings
            yield f"{severity}: {rest:,} more, {count:,} in all [{code}]"
    yield _file_summary(report)


def _file_sections(reports: Sequence[FileReport], rules: CheckRules) -> Iterator[Part]:
    """For each file its findings, and what it is."""
    for report in reports:
        yield Heading(report.file, 2)
        if report.findings:
            names = [
                name
                for name in _FIELDS
                if any(getattr(finding, name) for finding in report.findings)
            ]
            columns = [Head(name, "number" if name == "line" else "text") for name in names]
            yield Table(columns, [_finding_cells(finding, names) for finding in report.findings])
        yield Lines(list(_closing_lines(report, rules)))


def _summary_section(report: CheckReport) -> Iterator[Part]:
    summary = _summary_of_files(report)
    if summary:
        yield Heading("all files", 2)
        yield Lines(summary)


def _finding_cells(finding: Finding, field_names: Sequence[str]) -> list[Any]:
    return [getattr(finding, name) for name in field_names]


def _records_of_all_findings(reports: Sequence[FileReport]) -> Iterator[Records]:
    """The findings; the files without any are those that are not named."""
    rows = (
        [report.file, *_finding_cells(finding, _FIELDS)]
        for report in reports
        for finding in report.findings
    )
    yield Records("findings", ["file", *_FIELDS], rows)


def _file_summary(report: FileReport) -> str:
    words = [report.kind]
    if report.topics:
        words += [
            count_text(report.topics, "topic"),
            count_text(report.rows, _row_noun(report.kind)),
        ]
    if "runs" in report.facts:
        words += [_fact_text(name, count) for name, count in report.facts.items()]
    if "mean_relevant" in report.facts:
        words.append(_mean_relevant_text(report.facts))
    if "judged_at_10" in report.facts:
        words.append(f"{report.facts['judged_at_10']:.1%} judged up to rank 10")
    errors, warnings = count_text(report.errors, "error"), count_text(report.warnings, "warning")
    return f"{', '.join(words)}: {errors}, {warnings}, {count_text(report.notes, 'note')}"


def _fact_text(name: str, count: int) -> str:
    """`2 runs`, `5 vital`."""
    is_noun = name.endswith("s") and count == 1
    return f"{count} {(name[:-1] if is_noun else name).replace('_', ' ')}"


def _row_noun(kind: str) -> str:
    """What a row of a kind of files is called; a table may be a run or judgments."""
    if kind == TABLE:
        return "row"
    if kind == ANSWERS or (kind in JUDGMENTS and JUDGMENTS[kind].holds_runs):
        return "answer"
    return "document" if kind in (RUN, *RUNS) else "judgment"


def _mean_relevant_text(facts: dict[str, Any]) -> str:
    """`61.0 relevant a topic (3: 7.0, 2: 30.7, 1: 23.3)`."""
    means = {grade: mean for grade, mean in facts["mean_of_grade"].items() if float(grade) >= 1}
    by_grade = ", ".join(f"{grade}: {mean:.1f}" for grade, mean in reversed(means.items()))
    grade_list = f" ({by_grade})" if len(means) > 1 else ""
    return f"{facts['mean_relevant']:.1f} relevant a topic{grade_list}"


def _reports_data(reports: Sequence[FileReport | InputError], rules: CheckRules) -> dict[str, Any]:
    """`irev` (the version), `profile` and `files`.

    Each of the files has `path`, `sha256` (of its bytes, decompressed), `kind`, `lines`, `rows`,
    `topics`, `errors`, `warnings`, `notes`, `counts` (by code), `facts` and `findings`; one that
    cannot be opened has `path` and `unreadable`, the reason.
    """
    return {
        "irev": __version__,
        "profile": rules.profile,
        "files": [_file_data(report) for report in reports],
    }


def _file_data(report: FileReport | InputError) -> dict[str, Any]:
    if not isinstance(report, FileReport):
        return {"path": report.path, "unreadable": report.problems[0].message}
    return {
        "path": report.file,
        "sha256": report.sha256,
        "kind": report.kind,
        "lines": report.lines,
        "rows": report.rows,
        "topics": report.topics,
        "errors": report.errors,
        "warnings": report.warnings,
        "notes": report.notes,
        "counts": report.counts,
        "facts": report.facts,
        "findings": [
            dict(zip(_FIELDS, _finding_cells(finding, _FIELDS), strict=True))
            for finding in report.findings
        ],
    }
