"""Verdicts in words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irev.core.text import printable
from irev.core.wording import counted
from irev.errors import shown
from irev.gating.verdicts import POWER
from irev.read.stream import STDIN
from irev.statistics.methods import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.gating.verdicts import GateReport, OneSided, Verdict
    from irev.results.matrices import NamedRun

TEST = f"one-sided {TESTS['t'].phrase}"


def headline(report: GateReport) -> str:
    """One line: `FAILED: 2 of 3 gates`."""
    outcomes = [verdict.outcome for verdict in report.verdicts]
    if not outcomes:
        return "PASSED: there are no gates"
    count = f"{outcomes.count(report.outcome)} of {counted(len(outcomes), 'gate')}"
    is_open = "undecided" in outcomes and report.outcome != "undecided"
    also = f", {outcomes.count('undecided')} undecided" if is_open else ""
    return f"{report.outcome.upper()}: {count}{also}"


def sentence(verdict: Verdict, report: GateReport, places: int) -> str:
    """What a verdict says, on one line."""
    if verdict.kind == "missing":
        return _missing(verdict, report)
    measure = verdict.measure + (f" [{verdict.of}]" if verdict.of else "")
    bound = verdict.bound
    if verdict.kind != "baseline":
        most = "at least" if verdict.kind == "min" else "at most"
        return f"{measure} is {told(verdict.value, places, bound)}, must be {most} {plain(bound)}"
    drop = verdict.difference
    where = "equals" if drop == 0 else f"is {told(abs(drop), places, verdict.tolerance)} "
    if drop:
        where += "below" if drop < 0 else "above"
    return (
        f"{measure} is {told(verdict.value, places)}, which {where} the {told(bound, places)} of "
        f"{baseline_name(report)}; tolerance {plain(verdict.tolerance or 0.0)}"
        + (" (lower is better)" if verdict.falls else "")
    )


def _missing(verdict: Verdict, report: GateReport) -> str:
    count, topics = int(verdict.value), counted(verdict.topics, "topic")
    if report.rules.max_missing is None:
        return (
            f"the run lacks {count} of {topics}, which {baseline_name(report)} has; "
            f"--max-missing {count} allows it"
        )
    return f"the run lacks {count} of {topics}, at most {int(verdict.bound)} allowed"


def details(verdict: Verdict, report: GateReport, places: int) -> Iterator[str]:
    """How a comparison was made, a line each."""
    if verdict.kind != "baseline":
        return
    topics = f"n = {verdict.topics} topics"
    alpha = report.rules.alpha
    if verdict.test is None or alpha is None:
        yield f"{topics}; no test" + (f": {verdict.reason}" if verdict.reason else "")
        return
    test = verdict.test
    yield f"{TEST}s, {topics}, {_family(report)}; {_p_values(test, report)}"
    level = plain(100 * (1 - alpha))
    edge = report.rules.tolerance if verdict.falls else -report.rules.tolerance
    yield (
        f"the difference is at most {told(test.high, places, edge)} and at "
        f"least {told(test.low, places, edge)}, each with {level}% confidence"
    )
    if test.constant:
        yield "the difference is the same on every topic, so no test is needed"
    else:
        worse = "rise" if verdict.falls else "drop"
        yield (
            f"a {worse} of {told(test.detectable, places)} or more would have been found "
            f"with power {POWER:g}"
        )
    if test.decidable > report.rules.tolerance:
        yield (
            f"there are too few topics for a tolerance of {plain(report.rules.tolerance)}: a run "
            f"that is equally good passes with power {POWER:g} if the tolerance is at least "
            f"{told(test.decidable, places)}"
        )


def _family(report: GateReport) -> str:
    count, correction = report.family, report.rules.correction
    how = "each by itself" if correction == "none" else CORRECTIONS[correction].phrase
    return "1 comparison" if count == 1 else f"{count} comparisons, {how}"


def _p_values(test: OneSided, report: GateReport) -> str:
    worse = f"p = {test.p_worse:.3g}"
    if report.rules.correction != "none":
        worse += f" (corrected {test.p_corrected:.3g})"
    return f"worse: {worse}; not worse: p = {test.p_not_worse:.3g}"


def facts(report: GateReport) -> Iterator[tuple[str, str]]:
    """What the whole stands on: (what, text)."""
    topics = report.matrices.topics
    weighted = ", weighted" if report.matrices.weights is not None else ""
    yield "topics", f"{len(topics)}{weighted}; a judged topic that a run lacks counts as 0"
    for what, entry in (("run", report.run), ("baseline", report.baseline)):
        if entry is None:
            continue
        yield what, _path(entry)
        if entry.missing:
            listed = ", ".join(map(shown, entry.missing))
            yield f"{what} lacks", f"{len(entry.missing)} of {len(topics)} topics: {listed}"
        if entry.signature is not None:
            yield f"{what} signature", entry.signature.short
    yield "signature", report.signature.short


def baseline_name(report: GateReport) -> str:
    """What the baseline is called."""
    return os.path.basename(_path(report.baseline)) if report.baseline else ""


def _path(entry: NamedRun) -> str:
    """The path as it can be shown: nothing in it ends a line, on which a CI system may act."""
    return printable(entry.path if entry.path != STDIN else "standard input")


def told(value: float, places: int, beside: float | None = None) -> str:
    """A number with some decimals; with all where fewer would hide on which side of another it is.

    A mean of 0.39996 is not below 0.4 for who reads 0.4000.
    """
    text = f"{value:.{places}f}"
    if beside is not None and value != beside and (float(text) < beside) != (value < beside):
        return repr(value)
    return text


def plain(number: float) -> str:
    """A number as a person writes it: 0.4, 10."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
