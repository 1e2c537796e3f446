"""A gate's report as a document, in plain text gate after gate; the scores that it saves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import as_text
from irev.core.version import __version__
from irev.errors import shown
from irev.gating.words import TEST, baseline_name, details, facts, headline, sentence, told
from irev.results.scores import Account, Basis, Scores
from irev.writers.document import Document, Head, Heading, Lines, Records, Strong, Table
from irev.writers.machine import about_run, both_forms, finite
from irev.writers.scores import document as document_of_scores
from irev.writers.tables import text_table
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.gating.verdicts import GateReport, OneSided, Verdict
    from irev.writers.document import Part

_WIDTH = 10


def document(report: GateReport, places: int, exit_code: int = 0) -> Document:
    """The verdicts, how they were made, and the topics that dropped most.

    Args:
        report: the report.
        places: decimals.
        exit_code: what the program ends with.
    """
    return Document(
        f"irev gate: {headline(report)}",
        _parts(report, places),
        _records(report),
        partial(_data, report, exit_code),
        _told(report, places),
    )


# For people


def _told(report: GateReport, places: int) -> Iterator[str]:
    """The headline, a line for each gate with what it stands on, and the facts."""
    yield from (headline(report), "")
    for verdict in report.verdicts:
        yield f"{verdict.outcome:<{_WIDTH}}{sentence(verdict, report, places)}"
        yield from (f"{'':<{_WIDTH}}{line}" for line in details(verdict, report, places))
        if _has_drops(verdict):
            drops = text_table(_drops(verdict, places, "baseline"), places)
            yield from (f"{'':<{_WIDTH}}{line}" for line in drops.splitlines())
    if not report.verdicts:
        yield from (f"{name} {told(mean, places)}" for name, mean in report.means.items())
    yield ""
    all_facts = list(facts(report))
    width = max(len(what) for what, _ in all_facts) + 2
    yield from (f"{what:<{width}}{text}" for what, text in all_facts)


def _parts(report: GateReport, places: int) -> Iterator[Part]:
    """A table of the gates, what they stand on, and the topics that dropped most."""
    yield Heading(f"irev gate: {headline(report)}")
    rows: list[list[str]] = []
    for verdict in report.verdicts:
        outcome = verdict.outcome if verdict.outcome == "passed" else Strong(verdict.outcome)
        rows.append([verdict.name, outcome, sentence(verdict, report, places)])
    if not report.verdicts:
        rows = [[name, "measured", told(mean, places)] for name, mean in report.means.items()]
    yield Table([Head(name, "text") for name in ("gate", "outcome", "")], rows)
    for verdict in report.verdicts:
        if verdict.kind == "baseline":
            yield Heading(verdict.name, 4)
            yield Lines(list(details(verdict, report, places)))
            if _has_drops(verdict):
                yield _drops(verdict, places, baseline_name(report))
    yield Lines([f"{what}: {text}" for what, text in facts(report)])


def _has_drops(verdict: Verdict) -> bool:
    return verdict.outcome != "passed" and bool(verdict.worst)


def _drops(verdict: Verdict, places: int, baseline: str) -> Table:
    """The topics that dropped most."""
    names = ("run", baseline, "difference")
    rows = [
        [shown(drop.topic), *(told(v, places) for v in (drop.run, drop.baseline, drop.difference))]
        for drop in verdict.worst
    ]
    return Table([Head("topic", "text"), *map(Head, names)], rows, ruled=False)


# For machines


def _records(report: GateReport) -> Iterator[Records]:
    """The gates, each with its test; then the topics that dropped most."""
    gates = [_gate(verdict) for verdict in report.verdicts]
    names = list(dict.fromkeys(name for gate in gates for name in gate if name != "worst"))
    if "test" in names:
        at = names.index("test")
        tests = [gate["test"] for gate in gates if gate.get("test")]
        names[at : at + 1] = list(tests[0]) if tests else []
    flat = [{**gate, **(gate.get("test") or {})} for gate in gates]
    yield Records("gates", names, ([gate.get(name) for name in names] for gate in flat))
    drops = (
        [gate["measure"], gate["class"], *drop.values()]
        for gate in gates
        for drop in gate.get("worst", ())
    )
    fields = ["measure", "class", "topic", "run", "baseline", "difference"]
    yield Records("drops", fields, drops)


def _data(report: GateReport, exit_code: int) -> dict[str, Any]:
    """`outcome`, `gates`, `run`, `baseline` and what they stand on; numbers in full precision.

    A gate has `kind` (min, max, baseline, missing), `measure`, `class` (null: all topics),
    `outcome`, `topics`, `value`, `bound`, `difference`; of a baseline also `tolerance`, `test`
    (null without alpha) and `worst`, the topics that dropped most. Numbers that are not finite are
    null.
    """
    rules = report.rules
    return {
        "outcome": report.outcome,
        "exit_code": exit_code,
        "irev": __version__,
        "test": None if rules.alpha is None else TEST,
        "alpha": rules.alpha,
        "undecided": rules.undecided,
        "correction": rules.correction,
        "family": report.family,
        "averaged_over": len(report.matrices.topics),
        "missing_count_as_zero": True,
        "weighted": report.matrices.weights is not None,
        "means": {name: finite(mean) for name, mean in report.means.items()},
        "run": about_run(report.run),
        "baseline": None if report.baseline is None else about_run(report.baseline),
        "gates": [_gate(verdict) for verdict in report.verdicts],
        "signature": both_forms(report.signature),
        "notes": list(report.notes),
    }


def _gate(verdict: Verdict) -> dict[str, Any]:
    about: dict[str, Any] = {
        "kind": verdict.kind,
        "measure": verdict.measure,
        "class": verdict.of or None,
        "outcome": verdict.outcome,
        "topics": verdict.topics,
        "value": finite(verdict.value),
        "bound": finite(verdict.bound),
        "difference": finite(verdict.difference),
    }
    if verdict.kind == "baseline":
        about["tolerance"] = verdict.tolerance
        about["test"] = None if verdict.test is None else _test(verdict.test)
        about["reason"] = verdict.reason or None
        about["worst"] = [
            {
                "topic": as_text(drop.topic),
                "run": drop.run,
                "baseline": drop.baseline,
                "difference": drop.difference,
            }
            for drop in verdict.worst
        ]
    return about


def _test(test: OneSided) -> dict[str, Any]:
    return {
        "n": test.topics,
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


def saved(report: GateReport) -> Document:
    """The run's scores by topic, with their signature, as `irev eval -q` has them."""
    matrices, entry = report.matrices, report.run
    basis = None
    if matrices.weights is not None:
        basis = Basis(matrices.topics, np.zeros(len(matrices.topics)), matrices.weights)
    scores = Scores(
        run_id=entry.run_id,
        topics=matrices.topics,
        columns=matrices.columns,
        values=matrices.values[:, :, report.number].T,
        texts={},
        divisor=len(matrices.topics),
        totals={},
        account=Account(missing=entry.missing),
        signature=entry.signature,
        basis=basis,
    )
    return document_of_scores([ScoredFile(entry.path, scores)], ScoreLayout(per_topic=True))
