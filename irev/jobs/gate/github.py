"""What a continuous build shows of a gate: GitHub's annotations, summary and outputs, and JUnit."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.errors import InputError, IrevError
from irev.jobs.gate.document import details, document, facts, headline, sentence
from irev.writers.forms import document_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irev.jobs.gate.verdicts import GateReport


MOST_OF_A_KIND = 10
MOST_BYTES = 1 << 20

_CUT = b"\n\n(the rest is cut: a summary holds 1 MiB)\n"


def is_on(environment: Mapping[str, str]) -> bool:
    """Whether this is a step of GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def annotated(report: GateReport, decimals: int) -> Iterator[str]:
    """An error for each gate that stops the run, a warning for each that is open, or a notice."""
    lines: dict[str, list[tuple[str, str]]] = {"error": [], "warning": []}
    for verdict in report.verdicts:
        if verdict.outcome == "passed":
            continue
        kind = "error" if report.blocks(verdict) else "warning"
        message = f"{verdict.outcome}: {sentence(verdict, report, decimals)}"
        lines[kind].append((f"irev gate: {verdict.name}", message))
    for kind, found in lines.items():
        yield from _limited(kind, [({"title": title}, text) for title, text in found])
    if report.passed:
        yield _command("notice", {"title": "irev gate"}, headline(report))


def annotated_error(error: IrevError) -> Iterator[str]:
    """An error for each problem of a file, at its line; else one for the whole."""
    title = {"title": "irev gate"}
    if not isinstance(error, InputError):
        yield _command("error", title, str(error))
        return
    found = []
    for problem in error.problems:
        line = {} if problem.line is None else {"line": str(problem.line)}
        text = problem.message + (f" ({problem.hint})" if problem.hint else "")
        found.append(({"file": problem.path, **line, **title}, text))
    yield from _limited("error", found)


def outputs(report: GateReport) -> Iterator[str]:
    """`outcome`, `gates`, `failed`, `undecided`, and `mean_NAME` of each measure."""
    yield f"outcome={report.outcome}"
    yield f"gates={len(report.verdicts)}"
    for outcome in ("failed", "undecided"):
        yield f"{outcome}={sum(verdict.outcome == outcome for verdict in report.verdicts)}"
    for name, mean in report.means.items():
        yield f"mean_{re.sub('[^A-Za-z0-9_-]', '_', name)}={mean!r}"


def write_summary(report: GateReport, decimals: int, environment: Mapping[str, str]) -> None:
    """Append the report as Markdown to the step's summary, and values to its outputs."""
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if summary:
        told = b"".join(document_bytes(document(report, decimals), "markdown", decimals))
        _append(summary, _fitting(told, _size(summary)))
    if environment.get("GITHUB_OUTPUT"):
        _append(environment["GITHUB_OUTPUT"], _lines(outputs(report)))


def write_failure(error: IrevError, environment: Mapping[str, str]) -> None:
    """Append to the same files that nothing could be judged."""
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if summary:
        # lines of code by their indentation: no text of a file ends those
        told = "".join(f"    {line}\n" for line in str(error).splitlines())
        text = f"### irev gate: nothing could be judged\n\n{told}"
        _append(summary, _fitting(text.encode("utf-8", "backslashreplace"), _size(summary)))
    if environment.get("GITHUB_OUTPUT"):
        _append(environment["GITHUB_OUTPUT"], b"outcome=error\n")


def _limited(kind: str, found: Sequence[tuple[dict[str, str], str]]) -> Iterator[str]:
    more = len(found) - MOST_OF_A_KIND
    for place, (properties, text) in enumerate(found[:MOST_OF_A_KIND], 1):
        is_last = more > 0 and place == MOST_OF_A_KIND
        yield _command(kind, properties, text + (f" (and {more} more)" if is_last else ""))


def _command(kind: str, properties: Mapping[str, str], message: str) -> str:
    given = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    return f"::{kind} {given}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _fitting(text: bytes, already: int) -> bytes:
    room = MOST_BYTES - already
    if len(text) <= room:
        return text
    kept = text[: max(0, room - len(_CUT))].decode("utf-8", "ignore").encode()
    return kept + _CUT if room >= len(_CUT) else b""


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _lines(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _append(path: str, content: bytes) -> None:
    try:
        with open(path, "ab") as stream:
            stream.write(content)
    except OSError as error:
        raise IrevError(f"{path}: this file cannot be written: {error.strerror}") from None


SUITE = "irev gate"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(report: GateReport, decimals: int) -> Iterator[bytes]:
    """The gates; what stops the run is a failure, of the type `failed` or `undecided`."""
    blocking = [verdict for verdict in report.verdicts if report.blocks(verdict)]
    suite = _suite(tests=len(report.verdicts), failures=len(blocking), errors=0)
    properties = SubElement(suite, "properties")
    for what, text in facts(report):
        SubElement(properties, "property", name=what, value=_safe(text))
    for verdict in report.verdicts:
        case = SubElement(suite, "testcase", classname=SUITE, name=_safe(verdict.name))
        message = _safe(sentence(verdict, report, decimals))
        told = _safe("\n".join([message, *details(verdict, report, decimals)]))
        if report.blocks(verdict):
            failure = SubElement(case, "failure", type=verdict.outcome, message=message)
            failure.text = told
        else:
            SubElement(case, "system-out").text = told
    yield _written(suite)


def write_error(error: IrevError) -> Iterator[bytes]:
    """One test case: nothing could be judged."""
    suite = _suite(tests=1, failures=0, errors=1)
    case = SubElement(suite, "testcase", classname=SUITE, name="inputs")
    text = _safe(str(error))
    SubElement(
        case, "error", type=type(error).__name__, message=text.partition("\n")[0]
    ).text = text
    yield _written(suite)


def _suite(**counts: int) -> Element:
    return Element("testsuite", {"name": SUITE, **{key: str(n) for key, n in counts.items()}})


def _written(suite: Element) -> bytes:
    whole = Element("testsuites")
    whole.append(suite)
    indent(whole)
    found: bytes = tostring(whole, encoding="utf-8", xml_declaration=True)
    return found + b"\n"


def _safe(text: str) -> str:
    """Text without what XML cannot hold."""
    return _NOT_XML.sub("?", text)
