"""What a comparison was made of: the scores' own signature, and the choices of the comparison."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from irev.core.text import as_bytes
from irev.core.version import version
from irev.signature import SHORT_HASH, Signature

if TYPE_CHECKING:
    from irev.comparison.plan import Plan
    from irev.core.matrices import Matrices


@dataclass(frozen=True)
class ComparisonSignature:
    """The signature of a comparison.

    shared  what all scores have in common, as far as it is known
    runs    the names of the runs, each with the hash of the run, or of the saved scores that do not
            tell it; None for what was in memory
    choices the choices of the comparison by name
    """

    shared: Signature
    runs: dict[str, str | None]
    choices: dict[str, Any]

    @property
    def short(self) -> str:
        """One line: the scores' signature, `runs` with their number, and the choices."""
        lines = "".join(f"{name}={digest or '-'}\n" for name, digest in self.runs.items())
        digest = hashlib.sha256(as_bytes(lines)).hexdigest()
        parts = [self.shared.short, f"runs:{len(self.runs)}@{digest[:SHORT_HASH]}"]
        parts += [f"{name}:{_text(value)}" for name, value in self.choices.items()]
        return "|".join(parts)

    @property
    def long(self) -> dict[str, Any]:
        """All parts, as JSON has them."""
        return {"scores": self.shared.long, "runs": self.runs, "comparison": self.choices}


def signed(matrices: Matrices, choices: dict[str, Any]) -> ComparisonSignature:
    """The signature of anything that was made of the runs of some matrices."""
    known = [entry.signature for entry in matrices.entries if entry.signature is not None]
    first = known[0] if known else Signature()
    named = {c.name: first.measures.get(c.name, c.canonical or c.name) for c in matrices.columns}
    # in their own order, whatever that of the names was
    measures = {name: named[name] for name in (*first.measures, *named) if name in named}
    shared = replace(
        first, version=version(), measures=measures, run=None, seed=None,
        divisor=len(matrices.topics), dropped=sum(entry.duplicates for entry in matrices.entries),
    )  # fmt: skip
    runs = {e.name: (e.signature and e.signature.run) or e.sha256 for e in matrices.entries}
    return ComparisonSignature(shared, runs, choices)


def signature_of(
    matrices: Matrices, plan: Plan, hypotheses: int, resamples: dict[str, int]
) -> ComparisonSignature:
    """The signature of a comparison of the runs of some matrices."""
    choices = {
        "baselines": [matrices.runs[matrices.number_of(name)] for name in plan.baselines],
        "tests": list(plan.tests),
        "correction": plan.correction,
        "hypotheses": hypotheses,
        "alpha": plan.alpha,
        "tail": plan.tail,
        "ci": plan.ci,
        "resamples": resamples,
        "seed": plan.seed,
        "min_diff": plan.min_diff,
        "zeros": plan.zeros,
        "missing": "zero",
    }
    return signed(matrices, choices)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={each}" for name, each in value.items()) or "-"
    if isinstance(value, list):
        return ",".join(map(str, value)) or "-"
    return str(value)
