"""What is compared with what, by which tests, and how their number is made up for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

TestName = Literal["t", "permutation", "wilcoxon", "sign", "bootstrap", "hsd", "rthsd", "rthsd-t"]
CorrectionName = Literal["none", "bonferroni", "holm", "bh", "by", "maxt"]
TailName = Literal["two-sided", "greater", "less"]
IntervalName = Literal["t", "percentile", "bca", "bootstrap-t"]
ZerosName = Literal["pratt", "wilcox", "zsplit"]

TESTS: tuple[TestName, ...] = get_args(TestName)
CORRECTIONS: tuple[CorrectionName, ...] = get_args(CorrectionName)
TAILS: tuple[TailName, ...] = get_args(TailName)
INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)
ZEROS: tuple[ZerosName, ...] = get_args(ZerosName)

SIMULTANEOUS: frozenset[str] = frozenset({"hsd", "rthsd", "rthsd-t"})
"""The tests whose p is corrected for all pairs of the runs, under one measure."""

CORRECTION_TITLES = {
    "none": "not corrected",
    "bonferroni": "corrected by Bonferroni",
    "holm": "corrected by Holm",
    "bh": "corrected by Benjamini-Hochberg (false discovery rate)",
    "by": "corrected by Benjamini-Yekutieli (false discovery rate)",
    "maxt": "corrected by single-step maxT",
}


@dataclass(frozen=True)
class Plan:
    """The choices of a comparison.

    baselines   runs that all others are set against, by name, path or tag; none means all pairs
    tests       which, in the order they are shown; groups go by the first
    correction  for the number of hypotheses: pairs x measures (x classes of topics)
    alpha       the level of tests and, as 1 - alpha, of intervals
    tail        "greater" asks whether a run is better than its baseline
    ci          which intervals
    resamples   how many each test by resampling draws; None: 100,000 permutations, 10,000 of
                others, and more where a correction over so many hypotheses could else reject none
    seed        what all draws depend on
    min_diff    differences up to this are ties in wins, ties and losses and for the sign test
    zeros       what becomes of equal scores in the Wilcoxon test
    threads     how many work; never changes a result

    Raises:
        UsageError: on a choice that makes no sense, or two that do not go together.
    """

    baselines: Sequence[str] = ()
    tests: Sequence[TestName] = ("permutation",)
    correction: CorrectionName = "holm"
    alpha: float = 0.05
    tail: TailName = "two-sided"
    ci: IntervalName = "t"
    resamples: int | None = None
    seed: int = 0
    min_diff: float = 0.0
    zeros: ZerosName = "pratt"
    threads: int | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not self.tests:
            raise UsageError(f"a comparison wants a test: {', '.join(TESTS)}")
        for what, chosen, known in (
            *(("test", test, TESTS) for test in self.tests),
            ("correction", self.correction, CORRECTIONS),
            ("tail", self.tail, TAILS),
            ("interval", self.ci, INTERVALS),
            ("way with zeros", self.zeros, ZEROS),
        ):
            if chosen not in known:
                raise UsageError(f"there is no {what} '{chosen}': {', '.join(known)}")
        for what, given in (("tests", self.tests), ("baselines", self.baselines)):
            if len(set(given)) < len(given):
                raise UsageError(f"one of the {what} is named twice: {', '.join(given)}")
        self._check_numbers()
        self._check_together()

    def _check_numbers(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha lies between 0 and 1, not at {self.alpha}")
        if not 0 <= self.min_diff < math.inf:
            raise UsageError(f"the smallest difference that counts cannot be {self.min_diff}")
        if self.resamples is not None and self.resamples < 1:
            raise UsageError(f"at least one resample is wanted, not {self.resamples}")
        if self.seed < 0:
            raise UsageError(f"a seed is a whole number from 0 on, not {self.seed}")

    def _check_together(self) -> None:
        others = [t for t in self.tests if t != "permutation" and t not in SIMULTANEOUS]
        if self.correction == "maxt" and (others or "permutation" not in self.tests):
            raise UsageError("maxt corrects the permutation test, and no other")
        if self.tail == "two-sided":
            return
        if not self.baselines:
            raise UsageError(
                f"the tail '{self.tail}' wants a baseline: of all pairs no run is the first"
            )
        both = [test for test in self.tests if test in SIMULTANEOUS]
        if both or self.correction == "maxt":
            what = f"the test '{both[0]}'" if both else "maxt"
            raise UsageError(f"{what} has no one-sided form, and the tail is '{self.tail}'")
        if self.ci != "t" and self.alpha >= 0.5:
            raise UsageError(f"a one-sided interval wants an alpha below 0.5, not {self.alpha}")


class PlanFields(TypedDict, total=False):
    """The fields of `Plan`, as keyword arguments."""

    baselines: Sequence[str]
    tests: Sequence[TestName]
    correction: CorrectionName
    alpha: float
    tail: TailName
    ci: IntervalName
    resamples: int | None
    seed: int
    min_diff: float
    zeros: ZerosName
    threads: int | None
