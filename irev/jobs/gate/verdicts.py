"""What a gate finds: verdicts, and how one on the drop below a baseline is made."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.core.record import record
from irev.jobs.gate.rules import GateRules
from irev.measures.naming.result_columns import lower_is_better
from irev.scores.signature import signed
from irev.statistics.differences import NEAR, order_by_gain, scale_of, zero_noise
from irev.statistics.methods import correct_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats
    from irev.errors import Notice
    from irev.scores.signature import ComparisonSignature
    from irev.scores.table import RunInfo, ScoreTable


Outcome = Literal["passed", "failed", "undecided"]

POWER = 0.8
"""The power with which the smallest drop is found that a report names."""


@record(eq=True)
class TopicDrop:
    """A topic on which a run is worse than its baseline; the difference is run minus baseline."""

    topic: bytes
    run: float
    baseline: float
    difference: float


@record(eq=True)
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


@record(eq=True)
class Verdict:
    """What one gate says.

    kind             a limit's side, that the run is set against a baseline, or that it lacks topics
    measure          as it is called by who asked for it; "topics" of those that are missing
    of               the class of topics; empty for all of them
    outcome          of this gate
    topics           how many the means divide by
    value            of the run; how many topics it lacks
    bound            the limit, or the mean of the baseline
    difference       value minus bound
    tolerance        how far the value may lie below the baseline; None for a limit
    lower_is_better  lower values are better: the value may lie so far above the baseline
    test             where there is one
    worst            the topics with the largest drops, the worst first
    reason           why there is no test though one was asked for
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
    lower_is_better: bool = False
    test: OneSided | None = None
    worst: tuple[TopicDrop, ...] = ()
    reason: str = ""

    @property
    def name(self) -> str:
        """What the gate is called: `min ndcg@10`, `baseline map [short]`."""
        return f"{self.kind} {self.measure}" + (f" [{self.of}]" if self.of else "")


@record
class GateReport:
    """All verdicts on a run.

    table     all that was measured, on all topics; the run is its column `number`
    run       the run
    baseline  what it was set against, if anything
    means     printed name -> the run's mean, for all that was measured
    """

    rules: GateRules
    verdicts: tuple[Verdict, ...]
    table: ScoreTable
    number: int
    run: RunInfo
    baseline: RunInfo | None
    means: dict[str, float]
    notes: tuple[str, ...] = field(default=())
    doubts: tuple[Notice, ...] = field(default=())

    @property
    def signature(self) -> ComparisonSignature:
        """What the verdicts were made of: the scores, both runs, the limits and the rules."""
        limits = [
            f"{v.kind}:{v.measure}={v.bound}" for v in self.verdicts if v.kind in ("min", "max")
        ]
        choices = {
            n: value for n, value in self.rules.values_by_name().items() if value is not None
        }
        choices["limits"] = list(dict.fromkeys(limits))
        runs = {
            each.name: (each.signature and each.signature.run) or each.sha256
            for each in (self.run, self.baseline)
            if each is not None
        }
        return replace(signed(self.table, choices), runs=runs)

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


MOST_WORST = 10
"""How many topics with drops are named."""


def compared(
    table: ScoreTable, measure: str, sides: tuple[int, int], rules: GateRules, *, of: str = ""
) -> Verdict:
    """The verdict on the means of a run and its baseline, and the topics that dropped most.

    Without alpha a run fails whose mean lies more than the tolerance below. With alpha it fails
    where the one-sided interval of the mean difference says so: its upper end lies below
    -tolerance. It passes where the lower end does not. Otherwise the verdict is open. Of a measure
    that is better where it is lower, all this is said of its negative: a rise is the drop.

    Args:
        table: the scores.
        measure: by its printed name.
        sides: the columns of the run and of the baseline.
        rules: the tolerance and alpha; `corrected` does what there is to correct.
        of: the class that the topics are of.
    """
    means = table.means(measure)[list(sides)]
    is_lower_better = lower_is_better(table.column(measure))
    scores = table.linearised(measure)[:, list(sides)] * (-1.0 if is_lower_better else 1.0)
    difference = float(zero_noise(means[0] - means[1], scale_of(scores)))
    gain = -difference if is_lower_better else difference
    found = Verdict(
        kind="baseline",
        measure=measure,
        of=of,
        outcome=_by_means(gain, scores, rules),
        topics=len(table.topics),
        value=float(means[0]),
        bound=float(means[1]),
        difference=difference,
        tolerance=rules.tolerance,
        lower_is_better=is_lower_better,
        worst=_worst(table, measure, sides, lower_is_better=is_lower_better),
    )
    if rules.alpha is None:
        return found
    if found.topics < 2:
        return replace(found, outcome="undecided", reason="one topic is too few for a test")
    test = _tested(scores, gain, rules.tolerance, rules.alpha, table.df)
    outcome = _by_test(test, scores, rules)
    if is_lower_better:
        test = replace(test, low=-test.high, high=-test.low)
    return replace(found, outcome=outcome, test=test)


def corrected(verdicts: Sequence[Verdict], rules: GateRules) -> list[Verdict]:
    """The verdicts with p-values corrected: where a drop is no longer significant, it is open."""
    tests = [verdict.test for verdict in verdicts if verdict.test is not None]
    if rules.correction == "none" or rules.alpha is None or not tests:
        return list(verdicts)
    p = correct_p(np.array([test.p_worse for test in tests]), rules.correction).tolist()
    found = []
    for verdict in verdicts:
        if verdict.test is not None:
            test = replace(verdict.test, p_corrected=p.pop(0))
            is_open = verdict.outcome == "failed" and test.p_corrected >= rules.alpha
            outcome: Outcome = "undecided" if is_open else verdict.outcome
            verdict = replace(verdict, test=test, outcome=outcome)
        found.append(verdict)
    return found


def _by_means(gain: float, scores: Floats, rules: GateRules) -> Outcome:
    slack = NEAR * max(scale_of(scores), rules.tolerance)
    return "failed" if gain < -rules.tolerance - slack else "passed"


def _by_test(test: OneSided, scores: Floats, rules: GateRules) -> Outcome:
    slack = NEAR * max(scale_of(scores), rules.tolerance)
    if test.high < -rules.tolerance - slack:
        return "failed"
    return "passed" if test.low >= -rules.tolerance - slack else "undecided"


def _tested(
    scores: Floats, gain: float, tolerance: float, alpha: float, df: float | None
) -> OneSided:
    from irev.statistics.differences import pairs_with_baselines
    from irev.statistics.power import detectable_difference
    from irev.statistics.t_tests import paired_t

    # a difference of -tolerance becomes 0, which is what the tests test against
    raised = scores + np.array([tolerance, 0.0])
    family = pairs_with_baselines(2, [1])
    worse = paired_t(raised, family, tail="less", level=1 - alpha, df=df)
    not_worse = paired_t(raised, family, tail="greater", level=1 - alpha, df=df)
    sd, topics, mean = float(worse.sd[0]), len(scores), worse.mean[0]
    found = detectable_difference(topics, sd, alpha, 1 - POWER, "less") if sd else 0.0
    return OneSided(
        topics=topics,
        sd=sd,
        low=gain - float(mean - not_worse.low[0]),
        high=gain + float(worse.high[0] - mean),
        p_worse=float(worse.p[0]),
        p_not_worse=float(not_worse.p[0]),
        p_corrected=float(worse.p[0]),
        detectable=tolerance + found,
        decidable=found,
        constant=not sd,
    )


def _worst(
    table: ScoreTable, measure: str, sides: tuple[int, int], *, lower_is_better: bool
) -> tuple[TopicDrop, ...]:
    scores = table.scores(measure)[:, list(sides)]
    differences = zero_noise(scores[:, 0] - scores[:, 1], scale_of(scores))
    order = order_by_gain(differences, lower_is_better=not lower_is_better)[:MOST_WORST].tolist()
    return tuple(
        TopicDrop(
            table.topics[row],
            float(scores[row, 0]),
            float(scores[row, 1]),
            float(differences[row]),
        )
        for row in order
        if (differences[row] > 0 if lower_is_better else differences[row] < 0)
    )
