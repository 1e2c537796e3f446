"""The tests by their names: each takes scores and pairs, and gives p with what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.comparison.plan import SIMULTANEOUS
from irev.core.arrays import Floats
from irev.core.workers import default_threads
from irev.statistics import bootstrap, randomisation
from irev.statistics.bootstrap import bootstrap_test
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.hsd import tukey_hsd
from irev.statistics.paired import paired_t
from irev.statistics.randomised_hsd import randomised_hsd
from irev.statistics.signs import sign_test
from irev.statistics.wilcoxon import wilcoxon

if TYPE_CHECKING:
    from irev.comparison.plan import Plan
    from irev.statistics.families import Family
    from irev.statistics.resampled import Resampled

RANDOMISED_HSD_RESAMPLES = 10_000

TITLES = {
    "t": "paired t",
    "permutation": "permutation of the two runs of a topic",
    "wilcoxon": "Wilcoxon signed rank",
    "sign": "sign",
    "bootstrap": "paired bootstrap, shifted and studentised (Sakai 2006)",
    "hsd": "Tukey HSD of two-way data (topics and runs)",
    "rthsd": "randomised Tukey HSD",
    "rthsd-t": "randomised Tukey HSD, studentised (irev's own)",
}

NOT_OF_MEANS = {
    "wilcoxon": "whether differences lie symmetrically about 0",
    "sign": "whether a topic is won as often as lost",
}
"""Tests that do not test the difference of means, with what they ask."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What a test found for P pairs.

    p          float64[P]: not corrected; None of a test that is corrected in itself
    corrected  float64[P]: corrected for the number of hypotheses
    facts      further values by name, one for each pair, such as `count` and `resamples`
    method     P words: how p was found; empty where there is one way only
    """

    p: Floats | None
    corrected: Floats
    facts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    method: Sequence[str] = ()


def resamples_of(test: str, plan: Plan, hypotheses: int) -> int | None:
    """How many resamples a test draws; None if it draws none."""
    by_default = {
        "permutation": randomisation.RESAMPLES,
        "bootstrap": bootstrap.RESAMPLES,
        "rthsd": RANDOMISED_HSD_RESAMPLES,
        "rthsd-t": RANDOMISED_HSD_RESAMPLES,
    }
    if test not in by_default:
        return None
    if plan.resamples is not None:
        return plan.resamples
    return max(by_default[test], resamples_wanted(test, plan, hypotheses))


def resamples_wanted(test: str, plan: Plan, hypotheses: int) -> int:
    """How many resamples let the correction reject a single hypothesis among so many."""
    counted = float(hypotheses)
    if test in SIMULTANEOUS or plan.correction in ("none", "maxt"):
        counted = 1.0
    elif plan.correction == "by":
        counted *= float(np.cumsum(1 / np.arange(1, hypotheses + 1))[-1])
    return randomisation.resamples_needed(max(1, int(np.ceil(counted))), plan.alpha, least=1)


def tested(test: str, scores: Floats, family: Family, plan: Plan, hypotheses: int) -> Outcome:
    """The outcome of a test, not corrected yet unless it is so in itself.

    Args:
        test: its name.
        scores: float64[T, S].
        family: P pairs of runs.
        plan: the choices.
        hypotheses: how many are corrected for together.
    """
    return _METHODS[test](scores, family, plan, resamples_of(test, plan, hypotheses) or 0)


def corrected(outcomes: Sequence[Outcome], correction: str) -> list[Outcome]:
    """The outcomes of one test, corrected together by a function of p alone."""
    if correction == "none" or any(outcome.p is None for outcome in outcomes):
        return list(outcomes)
    every = [outcome.p for outcome in outcomes if outcome.p is not None]
    # numerical noise may leave a p just above 1
    found = CORRECTIONS[correction](np.minimum(1.0, np.concatenate(every)))
    ends = np.cumsum([len(p) for p in every])[:-1]
    parts = np.split(found, ends)
    return [replace(outcome, corrected=p) for outcome, p in zip(outcomes, parts, strict=True)]


def _t(scores: Floats, family: Family, plan: Plan, _: int) -> Outcome:
    found = paired_t(scores, family, tail=plan.tail)
    facts = {"t": found.t.tolist(), "df": [found.df] * len(family)}
    return Outcome(found.p, found.p, facts)


def _permutation(scores: Floats, family: Family, plan: Plan, resamples: int) -> Outcome:
    return _of_resampled(
        randomisation.randomisation(
            scores, family, tail=plan.tail, resamples=resamples, seed=plan.seed,
            threads=plan.threads,
        )
    )  # fmt: skip


def _bootstrap(scores: Floats, family: Family, plan: Plan, resamples: int) -> Outcome:
    return _of_resampled(
        bootstrap_test(
            scores, family, tail=plan.tail, resamples=resamples, seed=plan.seed,
            threads=plan.threads,
        )
    )  # fmt: skip


def _of_resampled(found: Resampled) -> Outcome:
    facts = {
        "count": found.count.tolist(),
        "resamples": found.resamples.tolist(),
        "error": found.error.tolist(),
        "asl": found.asl.tolist(),
    }
    words = {"lattice": "exact", "listed": "exact", "identical": "exact"}
    return Outcome(found.p, found.p, facts, [words.get(how, how) for how in found.method])


def _wilcoxon(scores: Floats, family: Family, plan: Plan, _: int) -> Outcome:
    found = wilcoxon(scores, family, zeros=plan.zeros, tail=plan.tail)
    facts = {
        "w_plus": found.positive.tolist(),
        "w_minus": found.negative.tolist(),
        "zeros": found.zeros.tolist(),
    }
    how = "exact" if found.exact else "asymptotic"
    return Outcome(found.p, found.p, facts, [how] * len(family))


def _sign(scores: Floats, family: Family, plan: Plan, _: int) -> Outcome:
    p = sign_test(scores, family, min_diff=plan.min_diff, tail=plan.tail).p
    return Outcome(p, p)


def _hsd(scores: Floats, family: Family, plan: Plan, _: int) -> Outcome:
    found = tukey_hsd(scores, family, plan.alpha)
    facts = {"q": found.q.tolist(), "low": found.low.tolist(), "high": found.high.tolist()}
    return Outcome(None, np.minimum(1.0, found.p), facts)


def _rthsd(scores: Floats, family: Family, plan: Plan, resamples: int) -> Outcome:
    return _randomised_hsd(scores, family, plan, resamples, studentised=False)


def _rthsd_t(scores: Floats, family: Family, plan: Plan, resamples: int) -> Outcome:
    return _randomised_hsd(scores, family, plan, resamples, studentised=True)


def _randomised_hsd(
    scores: Floats, family: Family, plan: Plan, resamples: int, *, studentised: bool
) -> Outcome:
    found = randomised_hsd(
        scores, family, studentised=studentised, resamples=resamples, seed=plan.seed,
        threads=plan.threads or default_threads(),
    )  # fmt: skip
    facts = {
        "statistic": found.statistic.tolist(),
        "count": found.count.tolist(),
        "resamples": [resamples] * len(family),
        "error": np.sqrt(found.p * (1 - found.p) / resamples).tolist(),
        "asl": found.asl.tolist(),
    }
    return Outcome(None, found.p, facts, ["Monte Carlo"] * len(family))


_METHODS: dict[str, Callable[[Floats, Family, Plan, int], Outcome]] = {
    "t": _t,
    "permutation": _permutation,
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "bootstrap": _bootstrap,
    "hsd": _hsd,
    "rthsd": _rthsd,
    "rthsd-t": _rthsd_t,
}
