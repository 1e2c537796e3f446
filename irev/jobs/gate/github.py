"""What GitHub shows of a gate: annotations, a summary, outputs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from irev.core.text import escaped_bytes
from irev.errors import InputError, IrevError
from irev.jobs.gate.document import gate_document
from irev.jobs.gate.sentences import headline, verdict_sentence
from irev.writers.forms import document_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irev.jobs.gate.verdicts import GateReport


MAX_PER_KIND = 10
MAX_SUMMARY_BYTES = 1 << 20

_CUT_NOTICE = b"\n\n(the rest is cut: a summary holds 1 MiB)\n"


def is_on(environment: Mapping[str, str]) -> bool:
    """Whether this is a step of GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def annotation_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """An error for each gate that stops the run, a warning for each that is open, or a notice."""
    annotations: dict[str, list[tuple[str, str]]] = {"error": [], "warning": []}
    for verdict in report.verdicts:
        if verdict.outcome == "passed":
            continue
        kind = "error" if report.blocks(verdict) else "warning"
        message = f"{verdict.outcome}: {verdict_sentence(verdict, report, decimals)}"
        annotations[kind].append((f"irev gate: {verdict.name}", message))
    for kind, kind_annotations in annotations.items():
        yield from _first_annotations(
            kind, [({"title": title}, text) for title, text in kind_annotations]
        )
    if report.passed:
        yield _workflow_command("notice", {"title": "irev gate"}, headline(report))


def error_annotation_lines(error: IrevError) -> Iterator[str]:
    """An error for each problem of a file, at its line; else one for the whole."""
    title = {"title": "irev gate"}
    if not isinstance(error, InputError):
        yield _workflow_command("error", title, str(error))
        return
    annotations = []
    for problem in error.problems:
        line = {} if problem.line is None else {"line": str(problem.line)}
        text = problem.message + (f" ({problem.hint})" if problem.hint else "")
        annotations.append(({"file": problem.path, **line, **title}, text))
    yield from _first_annotations("error", annotations)


def output_lines(report: GateReport) -> Iterator[str]:
    """`outcome`, `gates`, `failed`, `undecided`, and `mean_NAME` of each measure."""
    yield f"outcome={report.outcome}"
    yield f"gates={len(report.verdicts)}"
    for outcome in ("failed", "undecided"):
        yield f"{outcome}={sum(verdict.outcome == outcome for verdict in report.verdicts)}"
    for name, mean in report.means.items():
        yield f"mean_{re.sub('[^A-Za-z0-9_-]', '_', name)}={mean!r}"


def write_summary(report: GateReport, decimals: int, environment: Mapping[str, str]) -> None:
    """Append the report as Markdown to the step's summary, and values to its outputs."""
    summary_path = environment.get("GITHUB_STEP_SUMMARY")
    if summary_path:
        markdown = b"".join(document_bytes(gate_document(report, decimals), "markdown", decimals))
        _append_to_file(summary_path, _cut_to_fit(markdown, _file_size(summary_path)))
    if environment.get("GITHUB_OUTPUT"):
        _append_to_file(environment["GITHUB_OUTPUT"], _joined_lines(output_lines(report)))


def write_failure(error: IrevError, environment: Mapping[str, str]) -> None:
    """Append to the same files that nothing could be judged."""
    summary_path = environment.get("GITHUB_STEP_SUMMARY")
    if summary_path:
        # lines of code by their indentation: no text of a file ends those
        code_block = "".join(f"    {line}\n" for line in str(error).splitlines())
        text = f"### irev gate: nothing could be judged\n\n{code_block}"
        _append_to_file(
            summary_path,
            _cut_to_fit(escaped_bytes(text), _file_size(summary_path)),
        )
    if environment.get("GITHUB_OUTPUT"):
        _append_to_file(environment["GITHUB_OUTPUT"], b"outcome=error\n")


def _first_annotations(
    kind: str, annotations: Sequence[tuple[dict[str, str], str]]
) -> Iterator[str]:
    num_more = len(annotations) - MAX_PER_KIND
    for number, (properties, text) in enumerate(annotations[:MAX_PER_KIND], 1):
        is_last = num_more > 0 and number == MAX_PER_KIND
        yield _workflow_command(
            kind, properties, text + (f" (and {num_more} more)" if is_last else "")
        )


def _workflow_command(kind: str, properties: Mapping[str, str], message: str) -> str:
    property_list = ",".join(
        f"{name}={_escape_property(text)}" for name, text in properties.items()
    )
    return f"::{kind} {property_list}::{_escape_message(message)}"


def _escape_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")


def _cut_to_fit(content: bytes, bytes_in_file: int) -> bytes:
    room = MAX_SUMMARY_BYTES - bytes_in_file
    if len(content) <= room:
        return content
    kept = content[: max(0, room - len(_CUT_NOTICE))].decode("utf-8", "ignore").encode()
    return kept + _CUT_NOTICE if room >= len(_CUT_NOTICE) else b""


def _file_size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _joined_lines(lines: Iterator[str]) -> bytes:
    return escaped_bytes("".join(f"{line}\n" for line in lines))


def _append_to_file(path: str, content: bytes) -> None:
    try:
        with open(path, "ab") as stream:
            stream.write(content)
    except OSError as error:
        raise IrevError(f"{path}: this file cannot be written: {error.strerror}") from None
