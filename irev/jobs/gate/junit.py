"""The JUnit report of a gate, which continuous builds show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.core.text import escape_non_utf8, pattern
from irev.errors import id_text
from irev.jobs.gate.document import drop_lines
from irev.jobs.gate.sentences import (
    comparison_lines,
    report_facts,
    topic_sentence,
    verdict_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.errors import IrevError
    from irev.jobs.gate.verdicts import GateReport, Verdict

SUITE = "irev gate"

_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def junit_document(report: GateReport, decimals: int) -> Iterator[bytes]:
    """The gates; what stops the run is a failure, of the type `failed` or `undecided`.

    A gate on single topics is a test case for each of them.
    """
    cases = [case for verdict in report.verdicts for case in _cases(verdict, report, decimals)]
    failures = sum(case.failure_type is not None for case in cases)
    suite = _suite_element(tests=len(cases), failures=failures, errors=0)
    properties = SubElement(suite, "properties")
    for name, text in report_facts(report):
        SubElement(properties, "property", name=name, value=_xml_safe(text))
    for case in cases:
        element = SubElement(suite, "testcase", classname=SUITE, name=_xml_safe(case.name))
        message = _xml_safe(case.lines[0])
        if case.failure_type is None:
            child = SubElement(element, "system-out")
        else:
            child = SubElement(element, "failure", type=case.failure_type, message=message)
        child.text = _xml_safe("\n".join(case.lines))
    yield _junit_bytes(suite)


class Case(NamedTuple):
    """A test case: its name, `failed` or `undecided` where it stops the run, and what it says."""

    name: str
    failure_type: str | None
    lines: Sequence[str]


def _cases(verdict: Verdict, report: GateReport, decimals: int) -> Iterator[Case]:
    if not verdict.topics:
        lines = [
            verdict_sentence(verdict, report, decimals),
            *comparison_lines(verdict, report, decimals),
            *drop_lines(verdict, decimals),
        ]
        yield Case(verdict.name, verdict.outcome if report.blocks(verdict) else None, lines)
    failed_topics = frozenset(verdict.failed_topics)
    for drop in verdict.topics:
        failure_type = "failed" if drop.topic in failed_topics else None
        name = f"{verdict.name}: topic {id_text(drop.topic)}"
        yield Case(name, failure_type, [topic_sentence(drop, verdict, decimals)])


def junit_error_document(error: IrevError) -> Iterator[bytes]:
    """One test case: nothing could be judged."""
    suite = _suite_element(tests=1, failures=0, errors=1)
    case = SubElement(suite, "testcase", classname=SUITE, name="inputs")
    text = _xml_safe(str(error))
    SubElement(
        case, "error", type=type(error).__name__, message=text.partition("\n")[0]
    ).text = text
    yield _junit_bytes(suite)


def _suite_element(**counts: int) -> Element:
    return Element(
        "testsuite", {"name": SUITE, **{key: str(count) for key, count in counts.items()}}
    )


def _junit_bytes(suite: Element) -> bytes:
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _xml_safe(text: str) -> str:
    """Text without what XML cannot hold."""
    return pattern(_NOT_XML).sub("?", escape_non_utf8(text))
