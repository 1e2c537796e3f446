"""A gate's report as JUnit XML: a test case for each gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.gating.words import details, facts, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.errors import IrevError
    from irev.gating.verdicts import Report

SUITE = "irev gate"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(report: Report, places: int) -> Iterator[bytes]:
    """The gates; what stops the run is a failure, of the type `failed` or `undecided`."""
    blocking = [verdict for verdict in report.verdicts if report.blocks(verdict)]
    suite = _suite(tests=len(report.verdicts), failures=len(blocking), errors=0)
    properties = SubElement(suite, "properties")
    for what, text in facts(report):
        SubElement(properties, "property", name=what, value=_safe(text))
    for verdict in report.verdicts:
        case = SubElement(suite, "testcase", classname=SUITE, name=_safe(verdict.name))
        message = _safe(sentence(verdict, report, places))
        told = _safe("\n".join([message, *details(verdict, report, places)]))
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
