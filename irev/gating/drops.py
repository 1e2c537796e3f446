"""A run against its baseline: whether its mean dropped, and what the topics say to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.gating.rules import GateRules
from irev.gating.verdicts import POWER, OneSided, Outcome, TopicDrop, Verdict
from irev.measures.names import lower_is_better
from irev.statistics.differences import NEAR, scale_of, without_noise
from irev.statistics.methods import adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats
    from irev.results.matrices import Matrices

MOST_WORST = 10
"""How many topics with drops are named."""


def compared(
    matrices: Matrices, measure: str, sides: tuple[int, int], rules: GateRules, *, of: str = ""
) -> Verdict:
    """The verdict on the means of a run and its baseline, and the topics that dropped most.

    Without alpha a run fails whose mean lies more than the tolerance below. With alpha it fails
    where the one-sided interval of the mean difference says so: its upper end lies below
    -tolerance. It passes where the lower end does not. Otherwise the verdict is open. Of a measure
    that is better where it is lower, all this is said of its negative: a rise is the drop.

    Args:
        matrices: the scores.
        measure: by its printed name.
        sides: the columns of the run and of the baseline.
        rules: the tolerance and alpha; `corrected` does what there is to correct.
        of: the class that the topics are of.
    """
    means = matrices.means(measure)[list(sides)]
    falls = lower_is_better(matrices.column(measure))
    scores = matrices.linearised(measure)[:, list(sides)] * (-1.0 if falls else 1.0)
    difference = float(without_noise(means[0] - means[1], scale_of(scores)))
    gain = -difference if falls else difference
    found = Verdict(
        kind="baseline",
        measure=measure,
        of=of,
        outcome=_by_means(gain, scores, rules),
        topics=len(matrices.topics),
        value=float(means[0]),
        bound=float(means[1]),
        difference=difference,
        tolerance=rules.tolerance,
        falls=falls,
        worst=_worst(matrices, measure, sides, falls=falls),
    )
    if rules.alpha is None:
        return found
    if found.topics < 2:
        return replace(found, outcome="undecided", reason="one topic is too few for a test")
    test = _tested(scores, gain, rules.tolerance, rules.alpha, matrices.df)
    outcome = _by_test(test, scores, rules)
    if falls:
        test = replace(test, low=-test.high, high=-test.low)
    return replace(found, outcome=outcome, test=test)


def corrected(verdicts: Sequence[Verdict], rules: GateRules) -> list[Verdict]:
    """The verdicts with p-values corrected: where a drop is no longer significant, it is open."""
    tests = [verdict.test for verdict in verdicts if verdict.test is not None]
    if rules.correction == "none" or rules.alpha is None or not tests:
        return list(verdicts)
    p = adjusted(np.array([test.p_worse for test in tests]), rules.correction).tolist()
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
    from irev.statistics.differences import against
    from irev.statistics.power import detectable_difference
    from irev.statistics.t_tests import paired_t

    # a difference of -tolerance becomes 0, which is what the tests test against
    raised = scores + np.array([tolerance, 0.0])
    family = against(2, [1])
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
    matrices: Matrices, measure: str, sides: tuple[int, int], *, falls: bool
) -> tuple[TopicDrop, ...]:
    scores = matrices.of(measure)[:, list(sides)]
    differences = without_noise(scores[:, 0] - scores[:, 1], scale_of(scores))
    gains = -differences if falls else differences
    order = np.argsort(gains, kind="stable")[:MOST_WORST].tolist()
    return tuple(
        TopicDrop(
            matrices.topics[row],
            float(scores[row, 0]),
            float(scores[row, 1]),
            float(differences[row]),
        )
        for row in order
        if gains[row] < 0
    )
