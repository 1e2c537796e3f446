"""Reports as text, one finding a line, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.checking.report import Report, counted
from irev.core.text import as_bytes, printable
from irev.writers.machine import as_json
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from irev.checking.rules import Rules
    from irev.errors import InputError


def write_text(reports: Iterable[Report | InputError], rules: Rules) -> Iterator[bytes]:
    """`FILE:LINE: severity: message (hint) [code]` for each finding, then a line for each file.

    A hint is given with the first finding of its file that has it.
    """
    for report in reports:
        if isinstance(report, Report):
            lines = "".join(f"{line}\n" for line in _lines(report, rules))
            # what is left of bytes that are not UTF-8 stands in the file's name
            yield as_bytes(lines)


def _lines(report: Report, rules: Rules) -> Iterator[str]:
    hints, file = {""}, printable(report.file)
    for found in report.findings:
        where = file if found.line is None else f"{file}:{found.line}"
        hint = "" if found.hint in hints else f" ({found.hint})"
        hints.add(found.hint)
        yield f"{where}: {found.severity}: {found.message}{hint} [{found.code}]"
    for code, count in report.counts.items():
        if count > rules.max_findings:
            severity, rest = rules.severity(code), count - rules.max_findings
            yield f"{file}: {severity}: {rest:,} more, {count:,} in all [{code}]"
    yield f"{file}: {_summary(report)}"


def _summary(report: Report) -> str:
    parts = [report.kind]
    if report.topics:
        what = "document" if report.kind == "run" else "judgment"
        parts += [counted(report.topics, "topic"), counted(report.rows, what)]
    if "mean_relevant" in report.facts:
        parts.append(_relevant(report.facts))
    if "judged_at_10" in report.facts:
        parts.append(f"{report.facts['judged_at_10']:.1%} judged up to rank 10")
    errors, warnings = counted(report.errors, "error"), counted(report.warnings, "warning")
    return f"{', '.join(parts)}: {errors}, {warnings}, {counted(report.notes, 'note')}"


def _relevant(facts: dict[str, Any]) -> str:
    """`61.0 relevant a topic (3: 7.0, 2: 30.7, 1: 23.3)`."""
    means = {grade: mean for grade, mean in facts["mean_of_grade"].items() if float(grade) >= 1}
    by_grade = ", ".join(f"{grade}: {mean:.1f}" for grade, mean in reversed(means.items()))
    more = f" ({by_grade})" if len(means) > 1 else ""
    return f"{facts['mean_relevant']:.1f} relevant a topic{more}"


def write_json(reports: Iterable[Report | InputError], rules: Rules) -> Iterator[bytes]:
    """`irev` (the version), `profile` and `files`.

    Each of the files has `file`, `sha256` (of its bytes, decompressed), `kind`, `lines`, `rows`,
    `topics`, `errors`, `warnings`, `notes`, `counts` (by code), `facts` and `findings`; one that
    cannot be opened has `file` and `unreadable`, the reason.
    """
    whole = {
        "irev": version(),
        "profile": rules.profile,
        "files": [_file(report) for report in reports],
    }
    yield as_json(whole)


def _file(report: Report | InputError) -> dict[str, Any]:
    if not isinstance(report, Report):
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
            {name: value for name, value in found._asdict().items() if name != "file"}
            for found in report.findings
        ],
    }
