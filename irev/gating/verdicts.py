"""What a gate finds: verdicts, and how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from irev.results.signature import signed

if TYPE_CHECKING:
    from irev.errors import Notice
    from irev.gating.rules import GateRules
    from irev.results.matrices import Matrices, NamedRun
    from irev.results.signature import ComparisonSignature

Outcome = Literal["passed", "failed", "undecided"]

POWER = 0.8
"""The power with which the smallest drop is found that a report names."""


@dataclass(frozen=True)
class TopicDrop:
    """A topic on which a run is worse than its baseline; the difference is run minus baseline."""

    topic: bytes
    run: float
    baseline: float
    difference: float


@dataclass(frozen=True)
class OneSided:
    """One-sided paired t tests of a mean difference d, run minus baseline, at a tolerance.

    topics       n
    sd           of the differences
    low, high    d is at least `low`, and at most `high`, with confidence 1 - alpha each
    p_worse      of the test whose null is d >= -tolerance (d <= tolerance where lower is better)
    p_not_worse  of the test whose null is d <= -tolerance (d >= tolerance)
    p_corrected  p_worse, corrected for the number of comparisons
    detectable   the smallest drop that is found to be beyond the tolerance with power 0.8
    decidable    the smallest tolerance at which a run that is as good passes with power 0.8
    constant     every topic has the same difference, so that chance has no part in it
    """

    topics: int
    sd: float
    low: float
    high: float
    p_worse: float
    p_not_worse: float
    p_corrected: float
    detectable: float
    decidable: float
    constant: bool


@dataclass(frozen=True)
class Verdict:
    """What one gate says.

    kind        a limit's side, that the run is set against a baseline, or that it lacks topics
    measure     as it is called by who asked for it; "topics" of those that are missing
    of          the class of topics; empty for all of them
    outcome     of this gate
    topics      how many the means divide by
    value       of the run; how many topics it lacks
    bound       the limit, or the mean of the baseline
    difference  value minus bound
    tolerance   how far the value may lie below the baseline; None for a limit
    falls       lower values are better: the value may lie so far above the baseline
    test        where there is one
    worst       the topics with the largest drops, the worst first
    reason      why there is no test though one was asked for
    """

    kind: Literal["min", "max", "baseline", "missing"]
    measure: str
    of: str
    outcome: Outcome
    topics: int
    value: float
    bound: float
    difference: float
    tolerance: float | None = None
    falls: bool = False
    test: OneSided | None = None
    worst: tuple[TopicDrop, ...] = ()
    reason: str = ""

    @property
    def name(self) -> str:
        """What the gate is called: `min ndcg@10`, `baseline map [short]`."""
        return f"{self.kind} {self.measure}" + (f" [{self.of}]" if self.of else "")


@dataclass(frozen=True, eq=False, repr=False)
class GateReport:
    """All verdicts on a run.

    matrices  all that was measured, on all topics; the run is its column `number`
    run       the run
    baseline  what it was set against, if anything
    means     printed name -> the run's mean, for all that was measured
    """

    rules: GateRules
    verdicts: tuple[Verdict, ...]
    matrices: Matrices
    number: int
    run: NamedRun
    baseline: NamedRun | None
    means: dict[str, float]
    notes: tuple[str, ...] = field(default=())
    doubts: tuple[Notice, ...] = field(default=())

    @property
    def signature(self) -> ComparisonSignature:
        """What the verdicts were made of: the scores, both runs, the limits and the rules."""
        limits = [
            f"{v.kind}:{v.measure}={v.bound}" for v in self.verdicts if v.kind in ("min", "max")
        ]
        choices = {n: value for n, value in self.rules.choices().items() if value is not None}
        choices["limits"] = list(dict.fromkeys(limits))
        runs = {
            each.name: (each.signature and each.signature.run) or each.sha256
            for each in (self.run, self.baseline)
            if each is not None
        }
        return replace(signed(self.matrices, choices), runs=runs)

    @property
    def family(self) -> int:
        """How many comparisons with the baseline there are."""
        return sum(verdict.kind == "baseline" for verdict in self.verdicts)

    def blocks(self, verdict: Verdict) -> bool:
        """Whether a verdict keeps the run from passing."""
        undecided = verdict.outcome == "undecided" and self.rules.undecided == "fail"
        return verdict.outcome == "failed" or undecided

    @property
    def outcome(self) -> Outcome:
        """Of all together: failed if one is, else undecided if one is and must not be."""
        blocking = [verdict.outcome for verdict in self.verdicts if self.blocks(verdict)]
        if not blocking:
            return "passed"
        return "failed" if "failed" in blocking else "undecided"

    @property
    def passed(self) -> bool:
        """Whether the run may pass."""
        return self.outcome == "passed"
