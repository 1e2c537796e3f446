"""What a gate's report says in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from irev.core.text import printable
from irev.core.wording import count_text, shortened_list
from irev.errors import id_text
from irev.jobs.gate.verdicts import POWER, TEST_OF_TWO_RUNS
from irev.read.stream import STDIN
from irev.statistics.methods import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.jobs.gate.verdicts import GateReport, OneSided, TopicDrop, Verdict
    from irev.scores.table import RunInfo

TEST = f"one-sided {TESTS[TEST_OF_TWO_RUNS].phrase}"


def headline(report: GateReport) -> str:
    """One line: `FAILED: 2 of 3 gates`."""
    outcomes = [verdict.outcome for verdict in report.verdicts]
    if not outcomes:
        return "PASSED: there are no gates"
    count = f"{outcomes.count(report.outcome)} of {count_text(len(outcomes), 'gate')}"
    is_open = "undecided" in outcomes and report.outcome != "undecided"
    also = f", {outcomes.count('undecided')} undecided" if is_open else ""
    return f"{report.outcome.upper()}: {count}{also}"


def verdict_sentence(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """What a verdict says, on one line."""
    if verdict.kind == "missing":
        return _missing_topics_sentence(verdict, report)
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


def _missing_topics_sentence(verdict: Verdict, report: GateReport) -> str:
    count, topics = int(verdict.value), count_text(verdict.num_topics, "topic")
    if report.options.max_missing is None:
        return (
            f"the run lacks {count} of {topics}, which {baseline_name(report)} has; "
            f"--max-missing {count} allows it"
        )
    return f"the run lacks {count} of {topics}, at most {int(verdict.bound)} allowed"


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
    yield (f"{TEST}s, {topics}, {_correction_phrase(report)}; {_p_value_text(test, report)}")
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
            f"with power {POWER:g}"
        )
    if test.decidable > report.options.tolerance:
        yield (
            f"there are too few topics for a tolerance of "
            f"{plain_number(report.options.tolerance)}: a run that is equally good "
            f"passes with power {POWER:g} if the tolerance is at least "
            f"{number_text(test.decidable, decimals)}"
        )


def _correction_phrase(report: GateReport) -> str:
    count, correction = report.num_comparisons, report.options.correction
    phrase = "each by itself" if correction == "none" else CORRECTIONS[correction].phrase
    return "1 comparison" if count == 1 else f"{count} comparisons, {phrase}"


def _p_value_text(test: OneSided, report: GateReport) -> str:
    worse = f"p = {test.p_worse:.3g}"
    if report.options.correction != "none":
        worse += f" (corrected {test.p_corrected:.3g})"
    return f"worse: {worse}; not worse: p = {test.p_not_worse:.3g}"


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
