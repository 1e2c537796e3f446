"""The JUnit report of a gate, which continuous builds show."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.core.text import escape_non_utf8, pattern
from irev.jobs.gate.document import (
    comparison_lines,
    drop_lines,
    report_facts,
    verdict_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.errors import IrevError
    from irev.jobs.gate.verdicts import GateReport

SUITE = "irev gate"

_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def junit_document(report: GateReport, decimals: int) -> Iterator[bytes]:
    """The gates; what stops the run is a failure, of the type `failed` or `undecided`."""
    blocking = [verdict for verdict in report.verdicts if report.blocks(verdict)]
    suite = _suite_element(tests=len(report.verdicts), failures=len(blocking), errors=0)
    properties = SubElement(suite, "properties")
    for name, text in report_facts(report):
        SubElement(properties, "property", name=name, value=_xml_safe(text))
    for verdict in report.verdicts:
        case = SubElement(suite, "testcase", classname=SUITE, name=_xml_safe(verdict.name))
        message = _xml_safe(verdict_sentence(verdict, report, decimals))
        more = (*comparison_lines(verdict, report, decimals), *drop_lines(verdict, decimals))
        output = _xml_safe("\n".join([message, *more]))
        if report.blocks(verdict):
            failure = SubElement(case, "failure", type=verdict.outcome, message=message)
            failure.text = output
        else:
            SubElement(case, "system-out").text = output
    yield _junit_bytes(suite)


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
