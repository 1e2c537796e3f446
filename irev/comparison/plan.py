"""What is compared with what, by which tests, and how their number is made up for."""

import math
from collections.abc import Sequence
from typing import Annotated

from irev.core.records import Choices, Opt
from irev.core.wording import every
from irev.errors import UsageError
from irev.options import ALPHA, SEED
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    InferenceSettings,
    Tail,
    Zeros,
    draws_said,
    resamples_needed,
    resamples_of,
)

_SECTION = "Options of the comparison"

_EVERY_TEST = "; ".join(f"{name}: {test.phrase}" for name, test in TESTS.items())
_SIMULTANEOUS = every([name for name, test in TESTS.items() if test.simultaneous])
_NOT_OF_MEANS = every([name for name, test in TESTS.items() if test.question])
_OF_ONE_TEST = "".join(
    f" {name} is for the {correction.test} test."
    for name, correction in CORRECTIONS.items()
    if correction.test
)


class ComparisonPlan(Choices):
    """The choices of a comparison.

    Raises:
        UsageError: on a choice that makes no sense, or two that do not go together.
    """

    baselines: Annotated[Sequence[str], Opt(
        "--baseline", metavar="RUN", section=_SECTION,
        help="Set all other runs against this one (its name, path or tag), not all pairs; may be "
        "repeated.",
    )] = ()  # fmt: skip
    """Runs that all others are set against, by name, path or tag; none means all pairs."""
    tests: Annotated[Sequence[str], Opt(
        "--test", section=_SECTION, choices=tuple(TESTS), noun="test",
        help=f"The test; may be repeated. {_EVERY_TEST}. {_SIMULTANEOUS} are corrected in "
        f"themselves; {_NOT_OF_MEANS} do not test means.",
    )] = ("permutation",)  # fmt: skip
    """Which, in the order they are shown; groups go by the first."""
    correction: Annotated[str, Opt(
        "--correction", section=_SECTION, choices=tuple(CORRECTIONS), noun="correction",
        help="For the number of hypotheses, pairs times measures (times classes of topics)."
        + _OF_ONE_TEST,
    )] = "holm"  # fmt: skip
    """For the number of hypotheses: pairs x measures (x classes of topics)."""
    alpha: Annotated[float, ALPHA.but(section=_SECTION)] = 0.05
    """The level of tests and, as 1 - alpha, of intervals."""
    tail: Annotated[Tail, Opt(
        "--tail", section=_SECTION, noun="tail",
        help="With --baseline: whether a run may be greater, that is better, or less.",
    )] = "two-sided"  # fmt: skip
    """"greater" asks whether a run is better than its baseline."""
    ci: Annotated[str, Opt(
        "--ci", section=_SECTION, choices=tuple(INTERVALS), noun="interval",
        help="The intervals of means and mean differences.",
    )] = "t"  # fmt: skip
    """Which intervals."""
    resamples: Annotated[int | None, Opt(
        "--resamples", metavar="N", least=1, section=_SECTION,
        help=f"How many each test by resampling draws. Default: {draws_said()}, and more where the "
        "correction could else reject nothing.",
    )] = None  # fmt: skip
    """How many each test by resampling draws; None: as many as the record of a test says, and more
    where a correction over so many hypotheses could else reject none."""
    seed: Annotated[int, SEED.but(section=_SECTION)] = 0
    """What all draws depend on."""
    min_diff: Annotated[float, Opt(
        "--min-diff", metavar="X", section=_SECTION,
        help="Differences up to X are ties in wins, ties and losses and for the sign test.",
    )] = 0.0  # fmt: skip
    """Differences up to this are ties in wins, ties and losses and for the sign test."""
    zeros: Annotated[Zeros, Opt(
        "--zeros", section=_SECTION, noun="way with zeros",
        help="What the Wilcoxon test does with topics of equal scores.",
    )] = "pratt"  # fmt: skip
    """What becomes of equal scores in the Wilcoxon test."""
    threads: Annotated[int | None, Opt(least=1, effect="nothing")] = None
    """How many work; never changes a result."""

    def _check(self) -> None:
        if not self.tests:
            raise UsageError(f"a comparison wants a test: {', '.join(TESTS)}")
        for what, given in (("tests", self.tests), ("baselines", self.baselines)):
            if len(set(given)) < len(given):
                raise UsageError(f"one of the {what} is named twice: {', '.join(given)}")
        if not 0 <= self.min_diff < math.inf:
            raise UsageError(f"the smallest difference that counts cannot be {self.min_diff}")
        self._check_together()

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

    def settings(self, resamples: int = 0) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        return InferenceSettings(
            self.tail, self.alpha, resamples, self.seed, self.threads, self.min_diff,
            self.zeros,
        )  # fmt: skip
