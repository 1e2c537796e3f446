"""What a gate's report says: in words, as a `Document`, to GitHub and to JUnit."""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from irev.core import __version__
from irev.core.text import (
    WIDTH,
    as_text,
    count_text,
    escape_non_utf8,
    escaped_bytes,
    pattern,
    printable,
    shortened_list,
)
from irev.errors import InputError, IrevError, id_text
from irev.jobs.gate.gate import TEST_OF_TWO_RUNS, GateReport, TopicDrop, Verdict
from irev.read.stream import STDIN
from irev.scores.table import RunInfo
from irev.statistics.methods import CORRECTIONS
from irev.statistics.verdicts import POWER
from irev.writers.document import (
    Document,
    Head,
    Heading,
    Lines,
    Part,
    Records,
    Strong,
    Table,
    finite_or_none,
    p_text,
    run_facts,
    signature_data,
)
from irev.writers.forms import document_bytes, text_table
from irev.writers.scores import estimate_parts, estimate_rows, scores_document
from irev.writers.trec import ScoredFile, ScoreLayout


def gate_document(report: GateReport, decimals: int) -> Document:
    """The verdicts, how they were made, and the topics that dropped most."""
    return Document(
        f"irev gate: {headline(report, decimals)}",
        _verdict_sections(report, decimals),
        _verdict_records(report),
        partial(_report_data, report),
        _text_lines(report, decimals),
        brief=_brief_sections(report, decimals),
        brief_lines=_brief_lines(report, decimals),
    )


_WIDTH = 10

_MOST_SHOWN, _LEAST_SHOWN = 10, 3
"""So many of the worst topics are shown to people; the least where the gate passed."""

_USUAL_ALPHA = 0.05


def _brief_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """The answer, the share of judged documents, a line for each gate, those first that stop."""
    first, *others = answer_lines(report, decimals)
    yield first
    for text in others:
        yield from textwrap.wrap(text, WIDTH, break_on_hyphens=False)
    lines: list[str] = []
    shown, num_passed = _verdicts_in_brief(report)
    for verdict in shown:
        if len(report.verdicts) > 1:
            lines.append(f"{verdict.outcome:<{_WIDTH}}{reason_text(verdict, report, decimals)}")
        if verdict.outcome == "undecided":
            for line in _too_few_topics_lines(verdict, report, decimals):
                lines += textwrap.wrap(line, WIDTH, break_on_hyphens=False)
        if verdict.outcome != "passed":
            lines += (f"{'':<{_WIDTH}}{line}" for line in drop_lines(verdict, decimals))
    if num_passed:
        lines.append(f"{'passed':<{_WIDTH}}{count_text(num_passed, 'other gate')}")
    if not report.verdicts:
        lines += (f"{name} {number_text(mean, decimals)}" for name, mean in report.means.items())
    yield from ("", *lines) if lines else ()
    yield from ("", *_closing_lines(report))


def _brief_sections(report: GateReport, decimals: int) -> Iterator[Part]:
    """The same as a heading, lines and tables."""
    first, *others = answer_lines(report, decimals)
    yield Heading(f"irev gate: {first}")
    if others:
        yield Lines(others, listed=False)
    shown, num_passed = _verdicts_in_brief(report)
    if len(report.verdicts) != 1:
        yield _verdict_table(report, shown, decimals)
    if num_passed:
        yield Lines([f"{count_text(num_passed, 'other gate')} passed"], listed=False)
    for verdict in shown:
        if verdict.worst and verdict.outcome != "passed":
            yield Heading(verdict.name, 4)
            yield _drop_table(verdict, decimals, baseline_name(report))
    yield Lines(_closing_lines(report), listed=False)


def _verdicts_in_brief(report: GateReport) -> tuple[list[Verdict], int]:
    """Those that did not pass, then as many as there is room for; how many others passed."""
    not_passed = [each for each in report.verdicts if each.outcome != "passed"]
    passed = [each for each in report.verdicts if each.outcome == "passed"]
    room = max(_MOST_SHOWN - len(not_passed), 0)
    return [*not_passed, *passed[:room]], len(passed[room:])


def _closing_lines(report: GateReport) -> list[str]:
    """Which runs on which topics, what else must be known of them, and the signature in short."""
    facts = dict(report_facts(report))
    runs = f"run {facts['run']}" + (f", baseline {facts['baseline']}" if report.baseline else "")
    lines = [f"{runs}; topics: {facts['topics']}"]
    lines += [f"{name}: {facts[name]}" for name in facts if name.endswith((" lacks", " note"))]
    return [*lines, f"signature: {report.signature.brief}; --details prints all"]


def _text_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """The answer, a line for each gate with what it stands on, and the facts."""
    yield from (*answer_lines(report, decimals), "")
    for verdict in report.verdicts:
        yield f"{verdict.outcome:<{_WIDTH}}{verdict_sentence(verdict, report, decimals)}"
        more = (*comparison_lines(verdict, report, decimals), *drop_lines(verdict, decimals))
        yield from (f"{'':<{_WIDTH}}{line}" for line in more)
    if not report.verdicts:
        yield from (f"{name} {number_text(mean, decimals)}" for name, mean in report.means.items())
    for part in estimate_parts(report.table, report.options.alpha or _USUAL_ALPHA):
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
    first, *others = answer_lines(report, decimals)
    yield Heading(f"irev gate: {first}")
    if others:
        yield Lines(others, listed=False)
    yield _verdict_table(report, report.verdicts, decimals)
    for verdict in report.verdicts:
        comparison = list(comparison_lines(verdict, report, decimals))
        if comparison or verdict.worst:
            yield Heading(verdict.name, 4)
            if comparison:
                yield Lines(comparison)
            if verdict.worst:
                yield _drop_table(verdict, decimals, baseline_name(report))
    yield from estimate_parts(report.table, report.options.alpha or _USUAL_ALPHA)
    yield Lines([f"{fact_name}: {fact}" for fact_name, fact in report_facts(report)])


def _verdict_table(report: GateReport, verdicts: Sequence[Verdict], decimals: int) -> Table:
    rows: list[list[str]] = []
    for verdict in verdicts:
        outcome = verdict.outcome if verdict.outcome == "passed" else Strong(verdict.outcome)
        rows.append([verdict.name, outcome, verdict_sentence(verdict, report, decimals)])
    if not report.verdicts:
        measured = report.means.items()
        rows = [[name, "measured", number_text(mean, decimals)] for name, mean in measured]
    return Table([Head(name, "text") for name in ("gate", "outcome", "")], rows)


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
    rows = []
    for drop in verdict.worst[:num_shown]:
        scores = [each for each in (drop.run, drop.baseline, drop.difference) if each is not None]
        rows.append([id_text(drop.topic), *(number_text(each, decimals) for each in scores)])
    return Table([Head("topic", "text"), *map(Head, names)], rows, ruled=False)


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


TEST = f"one-sided {TEST_OF_TWO_RUNS.phrase}"


def _report_data(report: GateReport) -> dict[str, Any]:
    """`outcome`, `gates`, `run`, `baseline` and what they stand on; numbers in full precision.

    A gate has `kind` (min, max, baseline, topic-min, topic-tolerance, missing), `measure`, `class`
    (null: all topics), `outcome`, `topics`, `value`, `bound`, `difference`; of a baseline also
    `tolerance`, `test` (null without alpha) and `worst`, the topics that dropped most. Gates on
    single topics have `failed_topics`, and `worst` has these first. Numbers that are not finite
    are null.
    """
    options, baseline = report.options, None
    if report.baseline is not None:
        note = report.baseline.note
        baseline = _run_data(report.baseline) | ({"note": note} if note else {})
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
        "run": _run_data(report.run),
        "baseline": baseline,
        "gates": [_verdict_data(verdict) for verdict in report.verdicts],
        "signature": signature_data(report.signature),
        "notes": list(report.notes),
    }
    if report.table.is_estimated:
        rows = estimate_rows(report.table, options.alpha or _USUAL_ALPHA)
        data["estimates"] = finite_or_none(list(rows))
    return data


def _run_data(run_info: RunInfo) -> dict[str, Any]:
    return {**run_facts(run_info), "judged_at_10": run_info.judged_at_10}


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
        test = verdict.test
        fields["test"] = test and {
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
        fields["reason"] = verdict.reason or None
        fields["verdict"] = verdict.pair and verdict.pair.decision
        fields["words"] = verdict.pair and verdict.pair.words
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


def baseline_document(report: GateReport, note: str = "") -> Document:
    """The run's scores by topic, with their signature, as `irev eval -q` has them, and a note."""
    scores = report.table.run(report.run.name)
    document = scores_document(
        [ScoredFile(report.run.name, scores, report.run.path)], ScoreLayout(per_topic=True)
    )
    if not note:
        return document
    return document._replace(data=lambda: {**document.data(), "note": note})


# --- Sentences ---


_MOST_WORDS = 3
"""Up to so many comparisons have a sentence each."""


def answer_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """The headline, the verdicts of tests, and which share of the first documents is judged."""
    yield headline(report, decimals)
    pairs = [verdict.pair for verdict in report.verdicts if verdict.pair is not None]
    if len(pairs) <= _MOST_WORDS:
        yield from (pair.words_with(decimals) for pair in pairs)
    else:
        better = [pair.evidence.run for pair in pairs if pair.decision == "better"]
        counts = Counter(pair.decision for pair in pairs if pair.decision != "better")
        num_better = sum(name == report.run.name for name in better)
        yield ", ".join(
            [
                f"{len(pairs)} comparisons with {baseline_name(report)}: better in {num_better}",
                f"worse in {len(better) - num_better}",
                *(f"{decision} in {count}" for decision, count in counts.items()),
            ]
        )
    shares = [
        (side, run.judged_at_10)
        for side, run in (("", report.run), (", baseline", report.baseline))
        if run is not None and run.judged_at_10 is not None
    ]
    if shares:
        yield f"judged@10{''.join(f'{side} {share:.2f}' for side, share in shares)}"


_LONGEST_HEADLINE = 100
"""How many characters of reasons the headline has room for; at least one is always given."""


def headline(report: GateReport, decimals: int) -> str:
    """What stopped the run and why, on one line; where nothing did, what passed."""
    verdicts = report.verdicts
    if not verdicts:
        return "PASSED: there are no gates"
    outcome = report.outcome.upper()
    shown = [each for each in verdicts if report.blocks(each)] or list(verdicts)
    # topics that the run lacks are why its means fell
    shown.sort(key=lambda verdict: (verdict.outcome != "failed", verdict.kind != "missing"))
    num_open = sum(each.outcome == "undecided" for each in verdicts)
    also = f", {num_open} undecided" if num_open and report.outcome != "undecided" else ""
    if len(verdicts) == 1:
        outcome += ", though undecided" if num_open and report.passed else ""
        return f"{outcome}: {reason_text(verdicts[0], report, decimals)}"
    count = sum(each.outcome == report.outcome for each in verdicts)
    text = f"{outcome}: {count} of {len(verdicts)} gates{also}"
    if report.passed:
        return text
    for number, verdict in enumerate(shown):
        longer = f"{text}{'; ' if number else ': '}{reason_text(verdict, report, decimals)}"
        if number and len(longer) > _LONGEST_HEADLINE:
            return f"{text}; and {len(shown) - number} more"
        text = longer
    return text


def reason_text(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """What a verdict says, in few words."""
    if verdict.kind != "baseline":
        return verdict_sentence(verdict, report, decimals)
    measure = verdict.measure + (f" [{verdict.topic_class}]" if verdict.topic_class else "")
    drop, tolerance = verdict.difference, verdict.tolerance or 0.0
    position = "is unchanged at"
    if drop:
        by = number_text(abs(drop), decimals, verdict.tolerance)
        position = f"{'fell' if drop < 0 else 'rose'} by {by} to"
    facts = [f"baseline {number_text(verdict.bound, decimals)}"]
    facts.append(f"tolerance {plain_number(tolerance)}")
    if verdict.lower_is_better:
        facts.append("lower is better")
    if verdict.test is not None:
        is_worse = verdict.outcome == "failed"
        p = verdict.test.p_corrected if is_worse else verdict.test.p_not_worse
        words = {
            "failed": "worse: p",
            "passed": "not worse: p",
            "undecided": "may be worse: p of not worse",
        }
        facts.append(f"{words[verdict.outcome]} {p_text(p, 4)}")
    if verdict.reason:
        facts.append(verdict.reason)
    return f"{measure} {position} {number_text(verdict.value, decimals)} ({', '.join(facts)})"


def verdict_sentence(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """What a verdict says, on one line."""
    if verdict.kind == "missing":
        count, topics = int(verdict.value), count_text(verdict.num_topics, "topic")
        if report.options.max_missing is not None:
            return f"the run lacks {count} of {topics}, at most {int(verdict.bound)} allowed"
        return (
            f"the run lacks {count} of {topics}, which {baseline_name(report)} has; "
            f"if that is meant: --max-missing {count}"
        )
    if verdict.kind in ("topic-min", "topic-tolerance"):
        return _topics_sentence(verdict, report, decimals)
    measure = verdict.measure + (f" [{verdict.topic_class}]" if verdict.topic_class else "")
    bound = verdict.bound
    if verdict.kind != "baseline":
        value = number_text(verdict.value, decimals, bound)
        side = "at least" if verdict.kind == "min" else "at most"
        return f"{measure} is {value}, must be {side} {plain_number(bound)}"
    drop = verdict.difference
    position = (
        "equals" if drop == 0 else f"is {number_text(abs(drop), decimals, verdict.tolerance)} "
    )
    if drop:
        position += "below" if drop < 0 else "above"
    return (
        f"{measure} is {number_text(verdict.value, decimals)}, which {position} the "
        f"{number_text(bound, decimals)} of {baseline_name(report)}; tolerance "
        f"{plain_number(verdict.tolerance or 0.0)}"
        + (" (lower is better)" if verdict.lower_is_better else "")
    )


def _topics_sentence(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """How many topics fail, and which; on a pass the worst."""
    golden = "" if report.golden_topics is None else "golden "
    topics = count_text(verdict.num_topics, f"{golden}topic")
    if verdict.kind == "topic-min":
        limit = f"below {plain_number(verdict.bound)}"
    else:
        side = "above" if verdict.lower_is_better else "below"
        limit = f"more than {plain_number(verdict.tolerance or 0.0)} {side} {baseline_name(report)}"
    num_failed = len(verdict.failed_topics)
    if num_failed:
        are = "is" if num_failed == 1 else "are"
        return (
            f"{verdict.measure} of {num_failed} of {topics} {are} {limit}: "
            f"{shortened_list(verdict.failed_topics)}"
        )
    worst = (
        f"; the lowest is {number_text(verdict.value, decimals, verdict.bound)}, "
        f"{id_text(verdict.worst[0].topic)}"
        if verdict.kind == "topic-min"
        else ""
    )
    return f"{verdict.measure} of none of {topics} is {limit}{worst}"


def topic_sentence(drop: TopicDrop, verdict: Verdict, decimals: int) -> str:
    """What a gate on single topics says of one of them."""
    value = number_text(drop.run, decimals, verdict.bound)
    if drop.baseline is None:
        return f"{verdict.measure} is {value}, must be at least {plain_number(verdict.bound)}"
    allowed = verdict.tolerance or 0.0
    change = number_text(
        drop.difference, decimals, allowed if verdict.lower_is_better else -allowed
    )
    return (
        f"{verdict.measure} is {number_text(drop.run, decimals)}, the baseline has "
        f"{number_text(drop.baseline, decimals)}: {change}; tolerance {plain_number(allowed)}"
        + (" (lower is better)" if verdict.lower_is_better else "")
    )


def comparison_lines(verdict: Verdict, report: GateReport, decimals: int) -> Iterator[str]:
    """How a comparison was made, a line each."""
    if verdict.kind != "baseline":
        return
    topics = f"n = {count_text(verdict.num_topics, 'topic')}"
    alpha = report.options.alpha
    if verdict.test is None or alpha is None:
        yield f"{topics}; no test" + (f": {verdict.reason}" if verdict.reason else "")
        return
    test = verdict.test
    count, correction = report.num_comparisons, report.options.correction
    phrase = "each by itself" if correction == "none" else CORRECTIONS[correction].phrase
    comparisons = "1 comparison" if count == 1 else f"{count} comparisons, {phrase}"
    corrected = "" if correction == "none" else f" (corrected {p_text(test.p_corrected)})"
    yield (
        f"{TEST}s, {topics}, {comparisons}; worse: p {p_text(test.p_worse)}{corrected}; not "
        f"worse: p {p_text(test.p_not_worse)}"
    )
    level = plain_number(100 * (1 - alpha))
    edge = report.options.tolerance if verdict.lower_is_better else -report.options.tolerance
    yield (
        f"the difference is at most {number_text(test.high, decimals, edge)} and at "
        f"least {number_text(test.low, decimals, edge)}, each with {level}% confidence"
    )
    if test.constant:
        yield (
            f"the difference is the same on every topic: p is the chance that all "
            f"{verdict.num_topics} signs are equal"
            if verdict.difference
            else "the scores are the same on every topic"
        )
    else:
        worse = "rise" if verdict.lower_is_better else "drop"
        yield (
            f"a {worse} of {number_text(test.detectable, decimals)} or more would have been found "
            f"with a chance of {POWER:.0%}"
        )
    yield from _too_few_topics_lines(verdict, report, decimals)


def _too_few_topics_lines(verdict: Verdict, report: GateReport, decimals: int) -> Iterator[str]:
    """That a run as good as its baseline would hardly pass; from which tolerance on it would."""
    test, tolerance = verdict.test, report.options.tolerance
    if test is not None and test.decidable > tolerance:
        yield (
            f"there are too few topics for a tolerance of {plain_number(tolerance)}: a run that is "
            f"equally good passes with a chance of {POWER:.0%} if the tolerance is at least "
            f"{number_text(test.decidable, decimals)}"
        )


def report_facts(report: GateReport) -> Iterator[tuple[str, str]]:
    """What the whole stands on: (what, text)."""
    topics = report.table.topics
    weighted = ", weighted" if report.table.weights is not None else ""
    counted = f"{len(topics)}{weighted}; a judged topic that a run lacks counts as 0"
    if report.table.common_topics_text:
        counted = f"{report.table.common_topics_text}{weighted}"
    yield "topics", counted
    for side, run_info in (("run", report.run), ("baseline", report.baseline)):
        if run_info is None:
            continue
        yield side, _shown_run_name(run_info)
        lacked = run_info.missing or run_info.left_out
        if lacked:
            num_topics = len(topics) + len(report.table.left_out)
            yield (
                f"{side} lacks",
                f"{len(lacked)} of {count_text(num_topics, 'topic')}: "
                f"{', '.join(map(id_text, lacked))}{'' if run_info.missing else ' (left out)'}",
            )
        if run_info.judged_at_10 is not None:
            yield f"{side} judged@10", f"{run_info.judged_at_10:.2f}"
        if run_info.signature is not None:
            yield f"{side} signature", run_info.signature.short
        if run_info.note:
            yield f"{side} note", printable(run_info.note)
    yield "signature", report.signature.short


def baseline_name(report: GateReport) -> str:
    """What the baseline is called."""
    return _shown_run_name(report.baseline) if report.baseline else ""


def _shown_run_name(run_info: RunInfo) -> str:
    """The name as it can be shown: nothing in it ends a line, on which a CI system may act."""
    return printable(run_info.name if run_info.path != STDIN else "standard input")


def number_text(value: float, decimals: int, bound: float | None = None) -> str:
    """A number with some decimals; with all where fewer would hide on which side of another it is.

    A mean of 0.39996 is not below 0.4 for who reads 0.4000.
    """
    if not math.isfinite(value):
        return "-"
    text = f"{value:.{decimals}f}"
    if bound is not None and value != bound and (float(text) < bound) != (value < bound):
        return repr(value)
    return text


def plain_number(number: float) -> str:
    """A number as a person writes it: 0.4, 10."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


# --- What GitHub shows: annotations, a summary, outputs ---


MAX_PER_KIND = 10
MAX_SUMMARY_BYTES = 1 << 20
_CUT_NOTICE = b"\n\n(the rest is cut: a summary holds 1 MiB)\n"

_Annotation = tuple[dict[str, str], str]
"""Its properties and its text."""


def is_on(environment: Mapping[str, str]) -> bool:
    """Whether this is a step of GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def annotation_lines(report: GateReport, decimals: int) -> Iterator[str]:
    """An error for each gate that stops the run, a warning for each that is open, or a notice."""
    annotations: dict[str, list[_Annotation]] = {"error": [], "warning": []}
    for verdict in report.verdicts:
        if verdict.outcome == "passed":
            continue
        kind = "error" if report.blocks(verdict) else "warning"
        message = f"{verdict.outcome}: {verdict_sentence(verdict, report, decimals)}"
        annotations[kind].append(({"title": f"irev gate: {verdict.name}"}, message))
    for kind, of_kind in annotations.items():
        yield from _first_annotations(kind, of_kind)
    if report.passed:
        yield _workflow_command("notice", {"title": "irev gate"}, headline(report, decimals))


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


def _first_annotations(kind: str, annotations: Sequence[_Annotation]) -> Iterator[str]:
    num_more = len(annotations) - MAX_PER_KIND
    for number, (properties, text) in enumerate(annotations[:MAX_PER_KIND], 1):
        is_last = num_more > 0 and number == MAX_PER_KIND
        more = f" (and {num_more} more)" if is_last else ""
        yield _workflow_command(kind, properties, text + more)


def _workflow_command(kind: str, properties: Mapping[str, str], message: str) -> str:
    property_list = ",".join(
        f"{name}={_escape_message(text).replace(':', '%3A').replace(',', '%2C')}"
        for name, text in properties.items()
    )
    return f"::{kind} {property_list}::{_escape_message(message)}"


def _escape_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


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
    markdown = document_bytes(gate_document(report, decimals), "markdown", decimals)
    _write_step_files(markdown, output_lines(report), environment)


def write_failure(error: IrevError, environment: Mapping[str, str]) -> None:
    """Append to the same files that nothing could be judged."""
    # lines of code by their indentation: no text of a file ends those
    code_block = "".join(f"    {line}\n" for line in str(error).splitlines())
    text = f"### irev gate: nothing could be judged\n\n{code_block}"
    _write_step_files([escaped_bytes(text)], ["outcome=error"], environment)


def _write_step_files(
    summary: Iterable[bytes], outputs: Iterable[str], environment: Mapping[str, str]
) -> None:
    """Append to the step's summary, as much as there is room for, and to its outputs."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if path:
        content = b"".join(summary)
        room = MAX_SUMMARY_BYTES - (os.path.getsize(path) if os.path.exists(path) else 0)
        if len(content) > room:
            kept = content[: max(0, room - len(_CUT_NOTICE))].decode("utf-8", "ignore").encode()
            content = kept + _CUT_NOTICE if room >= len(_CUT_NOTICE) else b""
        _append_to_file(path, content)
    if environment.get("GITHUB_OUTPUT"):
        lines = "".join(f"{line}\n" for line in outputs)
        _append_to_file(environment["GITHUB_OUTPUT"], escaped_bytes(lines))


def _append_to_file(path: str, content: bytes) -> None:
    try:
        with open(path, "ab") as stream:
            stream.write(content)
    except OSError as error:
        raise IrevError(f"{path}: this file cannot be written: {error.strerror}") from None


# --- The JUnit report, which continuous builds show ---


SUITE = "irev gate"
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def junit_document(report: GateReport, decimals: int) -> Iterator[bytes]:
    """The gates; what stops the run is a failure, of the type `failed` or `undecided`.

    A gate on single topics is a test case for each of them.
    """
    # name, the type of the failure or None, lines
    cases: list[tuple[str, str | None, Sequence[str]]] = []
    for verdict in report.verdicts:
        if not verdict.topics:
            lines = [
                verdict_sentence(verdict, report, decimals),
                *comparison_lines(verdict, report, decimals),
                *drop_lines(verdict, decimals),
            ]
            cases.append((verdict.name, verdict.outcome if report.blocks(verdict) else None, lines))
        failed_topics = frozenset(verdict.failed_topics)
        for drop in verdict.topics:
            failure_type = "failed" if drop.topic in failed_topics else None
            name = f"{verdict.name}: topic {id_text(drop.topic)}"
            cases.append((name, failure_type, [topic_sentence(drop, verdict, decimals)]))
    failures = sum(failure_type is not None for _, failure_type, _ in cases)
    suite = _suite_element(tests=len(cases), failures=failures, errors=0)
    properties = SubElement(suite, "properties")
    for name, text in report_facts(report):
        SubElement(properties, "property", name=name, value=_xml_safe(text))
    for name, failure_type, texts in cases:
        element = SubElement(suite, "testcase", classname=SUITE, name=_xml_safe(name))
        message = _xml_safe(texts[0])
        if failure_type is None:
            child = SubElement(element, "system-out")
        else:
            child = SubElement(element, "failure", type=failure_type, message=message)
        child.text = _xml_safe("\n".join(texts))
    yield _junit_bytes(suite)


def junit_error_document(error: IrevError) -> Iterator[bytes]:
    """One test case: nothing could be judged."""
    suite = _suite_element(tests=1, failures=0, errors=1)
    case = SubElement(suite, "testcase", classname=SUITE, name="inputs")
    text = _xml_safe(str(error))
    child = SubElement(case, "error", type=type(error).__name__, message=text.partition("\n")[0])
    child.text = text
    yield _junit_bytes(suite)


def _suite_element(**counts: int) -> Element:
    return Element("testsuite", {"name": SUITE} | {key: str(n) for key, n in counts.items()})


def _junit_bytes(suite: Element) -> bytes:
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _xml_safe(text: str) -> str:
    """Text without what XML cannot hold."""
    return pattern(_NOT_XML).sub("?", escape_non_utf8(text))
