"""A gate's report as a document and in words, and the scores that it saves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, printable
from irev.core.version import __version__
from irev.core.wording import count_text
from irev.errors import id_text
from irev.jobs.gate.verdicts import POWER
from irev.read.stream import STDIN
from irev.statistics.methods import CORRECTIONS, DEFAULT_TEST, TESTS
from irev.writers.document import Document, Head, Heading, Lines, Records, Strong, Table
from irev.writers.machine import finite_or_none, run_facts, signature_data
from irev.writers.scores import scores_document as document_of_scores
from irev.writers.tables import text_table
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.jobs.gate.verdicts import GateReport, OneSided, Verdict
    from irev.scores.table import RunInfo
    from irev.writers.document import Part


_WIDTH = 10
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
    for part in _estimates(report):
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
        if verdict.kind == "baseline":
            yield Heading(verdict.name, 4)
            yield Lines(list(comparison_lines(verdict, report, decimals)))
            if _has_drops(verdict):
                yield _drop_table(verdict, decimals, baseline_name(report))
    yield from _estimates(report)
    yield Lines([f"{fact_name}: {fact}" for fact_name, fact in report_facts(report)])


def _estimates(report: GateReport) -> Iterator[Part]:
    """What is said of scores that were estimated from a sample of documents."""
    if report.table.is_estimated:
        from irev.writers.document_estimates import estimate_parts

        yield from estimate_parts(report.table, report.options.alpha or _USUAL_ALPHA)


def _has_drops(verdict: Verdict) -> bool:
    return verdict.outcome != "passed" and bool(verdict.worst)


def drop_lines(verdict: Verdict, decimals: int) -> list[str]:
    """The topics that dropped most, where a gate did not pass, as lines of text."""
    if not _has_drops(verdict):
        return []
    return text_table(_drop_table(verdict, decimals, "baseline"), decimals).splitlines()


def _drop_table(verdict: Verdict, decimals: int, baseline_heading: str) -> Table:
    """The topics that dropped most."""
    names = ("run", baseline_heading, "difference")
    rows = [
        [
            id_text(drop.topic),
            *(number_text(score, decimals) for score in (drop.run, drop.baseline, drop.difference)),
        ]
        for drop in verdict.worst
    ]
    return Table([Head("topic", "text"), *map(Head, names)], rows, ruled=False)


# In words


TEST = f"one-sided {TESTS[DEFAULT_TEST].phrase}"


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
    yield (
        f"{TEST}s (of two runs: paired t), {topics}, {_correction_phrase(report)}; "
        f"{_p_value_text(test, report)}"
    )
    level = plain_number(100 * (1 - alpha))
    edge = report.options.tolerance if verdict.lower_is_better else -report.options.tolerance
    yield (
        f"the difference is at most {number_text(test.high, decimals, edge)} and at "
        f"least {number_text(test.low, decimals, edge)}, each with {level}% confidence"
    )
    if test.constant:
        yield "the difference is the same on every topic, so no test is needed"
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
    yield "topics", f"{len(topics)}{weighted}; a judged topic that a run lacks counts as 0"
    for side, run_info in (("run", report.run), ("baseline", report.baseline)):
        if run_info is None:
            continue
        yield side, _shown_run_name(run_info)
        if run_info.missing:
            topic_list = ", ".join(map(id_text, run_info.missing))
            yield (
                f"{side} lacks",
                f"{len(run_info.missing)} of {count_text(len(topics), 'topic')}: {topic_list}",
            )
        if run_info.signature is not None:
            yield f"{side} signature", run_info.signature.short
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
    text = f"{value:.{decimals}f}"
    if bound is not None and value != bound and (float(text) < bound) != (value < bound):
        return repr(value)
    return text


def plain_number(number: float) -> str:
    """A number as a person writes it: 0.4, 10."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


# For machines


def _verdict_records(report: GateReport) -> Iterator[Records]:
    """The gates, each with its test; then the topics that dropped most."""
    gates = [_verdict_data(verdict) for verdict in report.verdicts]
    names = list(dict.fromkeys(name for gate in gates for name in gate if name != "worst"))
    if "test" in names:
        test_index = names.index("test")
        tests = [gate["test"] for gate in gates if gate.get("test")]
        names[test_index : test_index + 1] = list(tests[0]) if tests else []
    flat = [{**gate, **(gate.get("test") or {})} for gate in gates]
    yield Records("gates", names, ([gate.get(name) for name in names] for gate in flat))
    drops = (
        [gate["measure"], gate["class"], *drop.values()]
        for gate in gates
        for drop in gate.get("worst", ())
    )
    fields = ["measure", "class", "topic", "run", "baseline", "difference"]
    yield Records("drops", fields, drops)


def _report_data(report: GateReport) -> dict[str, Any]:
    """`outcome`, `gates`, `run`, `baseline` and what they stand on; numbers in full precision.

    A gate has `kind` (min, max, baseline, missing), `measure`, `class` (null: all topics),
    `outcome`, `topics`, `value`, `bound`, `difference`; of a baseline also `tolerance`, `test`
    (null without alpha) and `worst`, the topics that dropped most. Numbers that are not finite are
    null.
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
        "missing_count_as_zero": True,
        "weighted": report.table.weights is not None,
        "means": {name: finite_or_none(mean) for name, mean in report.means.items()},
        "run": run_facts(report.run),
        "baseline": None if report.baseline is None else run_facts(report.baseline),
        "gates": [_verdict_data(verdict) for verdict in report.verdicts],
        "signature": signature_data(report.signature),
        "notes": list(report.notes),
    }
    if report.table.is_estimated:
        from irev.writers.document_estimates import estimate_rows

        rows = estimate_rows(report.table, options.alpha or _USUAL_ALPHA)
        data["estimates"] = finite_or_none(list(rows))
    return data


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
        fields["worst"] = [
            {
                "topic": as_text(drop.topic),
                "run": drop.run,
                "baseline": drop.baseline,
                "difference": drop.difference,
            }
            for drop in verdict.worst
        ]
    return fields


def _test_data(test: OneSided) -> dict[str, Any]:
    return {
        "n": test.num_topics,
        "sd": test.sd,
        "low": test.low,
        "high": test.high,
        "p_worse": test.p_worse,
        "p_worse_corrected": test.p_corrected,
        "p_not_worse": test.p_not_worse,
        "detectable_drop": test.detectable,
        "decidable_tolerance": test.decidable,
        "constant": test.constant,
    }


def baseline_document(report: GateReport) -> Document:
    """The run's scores by topic, with their signature, as `irev eval -q` has them."""
    scores = report.table.run(report.run.name)
    return document_of_scores(
        [ScoredFile(report.run.name, scores, report.run.path)], ScoreLayout(per_topic=True)
    )
