"""A gate's report for machines: JSON; and the scores that are a later gate's baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.scores import Account, Basis, Scores
from irev.core.text import as_text
from irev.core.version import version
from irev.gating.words import TEST
from irev.writers.forms import written
from irev.writers.machine import about_run, as_json, finite
from irev.writers.scores import document
from irev.writers.trec import Layout, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.gating.verdicts import OneSided, Report, Verdict


def write_json(report: Report, exit_code: int) -> Iterator[bytes]:
    """`outcome`, `gates`, `run`, `baseline` and what they stand on; numbers in full precision.

    A gate has `kind` (min, max, baseline), `measure`, `class` (null: all topics), `outcome`,
    `topics`, `value`, `bound`, `difference`; of a baseline also `tolerance`, `test` (null without
    alpha) and `worst`, the topics that dropped most. Numbers that are not finite are null.
    """
    rules = report.rules
    whole = {
        "outcome": report.outcome,
        "exit_code": exit_code,
        "irev": version(),
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
        "notes": list(report.notes),
    }
    yield as_json(whole)


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
        "constant": test.constant,
    }


def saved(report: Report) -> Iterator[bytes]:
    """The run's scores by topic, with their signature, as `irev eval -q --format json` has them."""
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
    return written(document([Result(entry.path, scores)], Layout(per_topic=True)), "json")
