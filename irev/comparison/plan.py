"""What is compared with what, by which tests, and how their number is made up for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, get_args

from irev.errors import UsageError
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    Settings,
    Tail,
    Zeros,
    resamples_needed,
    resamples_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

TAILS: tuple[Tail, ...] = get_args(Tail)
ZEROS: tuple[Zeros, ...] = get_args(Zeros)


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
    tests: Sequence[str] = ("permutation",)
    correction: str = "holm"
    alpha: float = 0.05
    tail: Tail = "two-sided"
    ci: str = "t"
    resamples: int | None = None
    seed: int = 0
    min_diff: float = 0.0
    zeros: Zeros = "pratt"
    threads: int | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not self.tests:
            raise UsageError(f"a comparison wants a test: {', '.join(TESTS)}")
        choices: list[tuple[str, str, Collection[str]]] = [
            *(("test", test, TESTS) for test in self.tests),
            ("correction", self.correction, CORRECTIONS),
            ("tail", self.tail, TAILS),
            ("interval", self.ci, INTERVALS),
            ("way with zeros", self.zeros, ZEROS),
        ]
        for what, chosen, known in choices:
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
        both = [test for test in self.tests if TESTS[test].simultaneous]
        only = CORRECTIONS[self.correction].test
        if only and (only not in self.tests or len(self.tests) - len(both) > 1):
            raise UsageError(f"{self.correction} corrects the {only} test, and no other")
        if self.tail == "two-sided":
            return
        if not self.baselines:
            raise UsageError(
                f"the tail '{self.tail}' wants a baseline: of all pairs no run is the first"
            )
        if both or only:
            what = f"the test '{both[0]}'" if both else self.correction
            raise UsageError(f"{what} has no one-sided form, and the tail is '{self.tail}'")
        if INTERVALS[self.ci].draws and self.alpha >= 0.5:
            raise UsageError(f"a one-sided interval wants an alpha below 0.5, not {self.alpha}")

    def resamples_of(self, test: str, hypotheses: int) -> int:
        """How many resamples a test draws; 0 if it draws none."""
        return resamples_of(test, self.correction, hypotheses, self.alpha, self.resamples)

    def resamples_needed(self, test: str, hypotheses: int) -> int:
        """How many let the correction reject a single hypothesis among so many."""
        return resamples_needed(test, self.correction, hypotheses, self.alpha)

    def settings(self, resamples: int = 0) -> Settings:
        """What a test or an interval that draws so many is to know."""
        return Settings(
            self.tail, self.alpha, resamples, self.seed, self.threads, self.min_diff,
            self.zeros,
        )  # fmt: skip


class PlanFields(TypedDict, total=False):
    """The fields of `Plan`, as keyword arguments."""

    baselines: Sequence[str]
    tests: Sequence[str]
    correction: str
    alpha: float
    tail: Tail
    ci: str
    resamples: int | None
    seed: int
    min_diff: float
    zeros: Zeros
    threads: int | None
