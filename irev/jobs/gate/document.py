"""A gate's report as a document, and the scores that it saves."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.core.text import as_text, escape_non_utf8, escaped_bytes, pattern
from irev.core.version import __version__
from irev.errors import InputError, IrevError, id_text
from irev.jobs.gate.verdicts import (
    TEST,
    baseline_name,
    comparison_lines,
    headline,
    number_text,
    report_facts,
    topic_sentence,
    verdict_sentence,
)
from irev.writers.document import Document, Head, Heading, Lines, Records, Strong, Table
from irev.writers.forms import document_bytes, text_table
from irev.writers.machine import finite_or_none, run_facts, signature_data
from irev.writers.scores import scores_document as document_of_scores
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irev.jobs.gate.verdicts import GateReport, OneSided, Verdict
    from irev.scores.table import RunInfo
    from irev.writers.document import Part


# --- A gate's report as a document, and the scores that it saves ---


_WIDTH = 10
_MOST_SHOWN, _LEAST_SHOWN = 10, 3
"""So many of the worst topics are shown to people; the least where the gate passed."""
_USUAL_ALPHA = 0.05


def gate_document(report: GateReport, decimals: int) -> Document:
    """The verdicts, how they were made, and the topics that dropped most."""
    return Document(
        f"irev gate: {headline(report)}",
        _verdict_sections(report, decimals),
        _verdict_records(report),
        partial(_report_data, report),
        _text_lines(report, decimals),
    )


# For people


def _text_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """The headline, a line for each gate with what it stands on, and the facts."""
    yield from (headline(report), "")
    for verdict in report.verdicts:
        yield f"{verdict.outcome:<{_WIDTH}}{verdict_sentence(verdict, report, decimals)}"
        more = (*comparison_lines(verdict, report, decimals), *drop_lines(verdict, decimals))
        yield from (f"{'':<{_WIDTH}}{line}" for line in more)
    if not report.verdicts:
        yield from (f"{name} {number_text(mean, decimals)}" for name, mean in report.means.items())
    for part in _sampled_estimate_parts(report):
        if isinstance(part, Table):
            yield from ("", *text_table(part, decimals).splitlines(), "")
        else:
            yield from part.lines if isinstance(part, Lines) else ("", part.text)
    yield ""
    all_facts = list(report_facts(report))
    width = max(len(fact_name) for fact_name, _ in all_facts) + 2
    yield from (f"{fact_name:<{width}}{fact}" for fact_name, fact in all_facts)


def _verdict_sections(report: GateReport, decimals: int) -> Iterator[Part]:
    """A table of the gates, what they stand on, and the topics that dropped most."""
    yield Heading(f"irev gate: {headline(report)}")
    rows: list[list[str]] = []
    for verdict in report.verdicts:
        outcome = verdict.outcome if verdict.outcome == "passed" else Strong(verdict.outcome)
        rows.append([verdict.name, outcome, verdict_sentence(verdict, report, decimals)])
    if not report.verdicts:
        rows = [
            [name, "measured", number_text(mean, decimals)] for name, mean in report.means.items()
        ]
    yield Table([Head(name, "text") for name in ("gate", "outcome", "")], rows)
    for verdict in report.verdicts:
        comparison = list(comparison_lines(verdict, report, decimals))
        if comparison or verdict.worst:
            yield Heading(verdict.name, 4)
            if comparison:
                yield Lines(comparison)
            if verdict.worst:
                yield _drop_table(verdict, decimals, baseline_name(report))
    yield from _sampled_estimate_parts(report)
    yield Lines([f"{fact_name}: {fact}" for fact_name, fact in report_facts(report)])


def _sampled_estimate_parts(report: GateReport) -> Iterator[Part]:
    """What is said of scores that were estimated from a sample of documents."""
    if report.table.is_estimated:
        from irev.writers.document import estimate_parts

        yield from estimate_parts(report.table, report.options.alpha or _USUAL_ALPHA)


def drop_lines(verdict: Verdict, decimals: int) -> list[str]:
    """The topics that dropped most, as lines of text."""
    if not verdict.worst:
        return []
    return text_table(_drop_table(verdict, decimals, "baseline"), decimals).splitlines()


def _drop_table(verdict: Verdict, decimals: int, baseline_heading: str) -> Table:
    """The topics that dropped most; of a gate on single topics those that fail."""
    has_baseline = verdict.kind != "topic-min"
    names = ("run", baseline_heading, "difference") if has_baseline else ("run", "above the limit")
    num_shown = _LEAST_SHOWN if verdict.outcome == "passed" else _MOST_SHOWN
    if verdict.topics:
        num_shown = min(num_shown, max(len(verdict.failed_topics), _LEAST_SHOWN))
    rows = [
        [
            id_text(drop.topic),
            *(
                number_text(score, decimals)
                for score in (drop.run, drop.baseline, drop.difference)
                if score is not None
            ),
        ]
        for drop in verdict.worst[:num_shown]
    ]
    return Table([Head("topic", "text"), *map(Head, names)], rows, ruled=False)


# For machines


def _verdict_records(report: GateReport) -> Iterator[Records]:
    """The gates, each with its test; then the topics that dropped most."""
    gates = [_verdict_data(verdict) for verdict in report.verdicts]
    lists = ("worst", "failed_topics")
    names = list(dict.fromkeys(name for gate in gates for name in gate if name not in lists))
    if "test" in names:
        test_index = names.index("test")
        tests = [gate["test"] for gate in gates if gate.get("test")]
        names[test_index : test_index + 1] = list(tests[0]) if tests else []
    flat = [{**gate, **(gate.get("test") or {})} for gate in gates]
    yield Records("gates", names, ([gate.get(name) for name in names] for gate in flat))
    drops = (
        [gate["measure"], gate["class"], *drop.values(), gate["kind"]]
        for gate in gates
        for drop in gate.get("worst", ())
    )
    fields = ["measure", "class", "topic", "run", "baseline", "difference", "kind"]
    yield Records("drops", fields, drops)


def _report_data(report: GateReport) -> dict[str, Any]:
    """`outcome`, `gates`, `run`, `baseline` and what they stand on; numbers in full precision.

    A gate has `kind` (min, max, baseline, topic-min, topic-tolerance, missing), `measure`, `class`
    (null: all topics), `outcome`, `topics`, `value`, `bound`, `difference`; of a baseline also
    `tolerance`, `test` (null without alpha) and `worst`, the topics that dropped most. Gates on
    single topics have `failed_topics`, and `worst` has these first. Numbers that are not finite
    are null.
    """
    options = report.options
    data = {
        "outcome": report.outcome,
        "exit_code": report.exit_code,
        "irev": __version__,
        "test": None if options.alpha is None else TEST,
        "alpha": options.alpha,
        "undecided": options.undecided,
        "correction": options.correction,
        "family": report.num_comparisons,
        "averaged_over": len(report.table.topics),
        "missing_count_as_zero": report.table.counts_missing_as_zero,
        "weighted": report.table.weights is not None,
        "means": {name: finite_or_none(mean) for name, mean in report.means.items()},
        "run": run_facts(report.run),
        "baseline": None if report.baseline is None else _baseline_facts(report.baseline),
        "gates": [_verdict_data(verdict) for verdict in report.verdicts],
        "signature": signature_data(report.signature),
        "notes": list(report.notes),
    }
    if report.table.is_estimated:
        from irev.writers.document import estimate_rows

        rows = estimate_rows(report.table, options.alpha or _USUAL_ALPHA)
        data["estimates"] = finite_or_none(list(rows))
    return data


def _baseline_facts(baseline: RunInfo) -> dict[str, Any]:
    """Those of a run, and its note where it has one."""
    return run_facts(baseline) | ({"note": baseline.note} if baseline.note else {})


def _verdict_data(verdict: Verdict) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "kind": verdict.kind,
        "measure": verdict.measure,
        "class": verdict.topic_class or None,
        "outcome": verdict.outcome,
        "topics": verdict.num_topics,
        "value": finite_or_none(verdict.value),
        "bound": finite_or_none(verdict.bound),
        "difference": finite_or_none(verdict.difference),
    }
    if verdict.kind == "baseline":
        fields["tolerance"] = verdict.tolerance
        fields["test"] = None if verdict.test is None else _test_data(verdict.test)
        fields["reason"] = verdict.reason or None
    if verdict.kind == "topic-tolerance":
        fields["tolerance"] = verdict.tolerance
    if verdict.topics:
        fields["failed_topics"] = [as_text(topic) for topic in verdict.failed_topics]
    if verdict.kind == "baseline" or verdict.topics:
        fields["worst"] = [
            {
                "topic": as_text(drop.topic),
                "run": finite_or_none(drop.run),
                "baseline": finite_or_none(drop.baseline),
                "difference": finite_or_none(drop.difference),
            }
            for drop in verdict.worst
        ]
    return fields


def _test_data(test: OneSided) -> dict[str, Any]:
    return {
        "n": test.num_topics,
        "sd": test.sd,
        "low": finite_or_none(test.low),
        "high": finite_or_none(test.high),
        "p_worse": test.p_worse,
        "p_worse_corrected": test.p_corrected,
        "p_not_worse": test.p_not_worse,
        "detectable_drop": finite_or_none(test.detectable),
        "decidable_tolerance": finite_or_none(test.decidable),
        "constant": test.constant,
    }


def baseline_document(report: GateReport, note: str = "") -> Document:
    """The run's scores by topic, with their signature, as `irev eval -q` has them, and a note."""
    scores = report.table.run(report.run.name)
    document = document_of_scores(
        [ScoredFile(report.run.name, scores, report.run.path)], ScoreLayout(per_topic=True)
    )
    if not note:
        return document
    return document._replace(data=lambda: {**document.data(), "note": note})


# --- What GitHub shows of a gate: annotations, a summary, outputs ---


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


# --- The JUnit report of a gate, which continuous builds show ---


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
