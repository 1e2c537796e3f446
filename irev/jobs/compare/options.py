"""What is compared with what, by which tests, and how their number is made up for."""

import math
import os
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.wording import full_list
from irev.errors import UsageError
from irev.options import ALPHA, PREDICTED_SECTION, SEED, ScoringOptions
from irev.statistics.methods import (
    CORRECTIONS,
    DEFAULT_TEST,
    INTERVALS,
    TESTS,
    InferenceSettings,
    Tail,
    Zeros,
    default_draws_text,
    num_resamples_needed,
    num_resamples_of,
)

_SECTION = "Options of the comparison"

_EVERY_TEST = "; ".join(f"{name}: {test.phrase}" for name, test in TESTS.items())
_SIMULTANEOUS = full_list([name for name, test in TESTS.items() if test.simultaneous])
_NOT_OF_MEANS = full_list([name for name, test in TESTS.items() if test.question])
_OF_ONE_TEST = "".join(
    f" {name} is for the {correction.only_test} test."
    for name, correction in CORRECTIONS.items()
    if correction.only_test
)


_SIGNED = (
    "baselines", "tests", "correction", "alpha", "tail", "ci", "resamples", "seed", "min_diff",
    "zeros",
)  # fmt: skip
"""The choices that the signature of every comparison has, in this order."""

_OF_DECISIONS = "Options of decisions"
_DECISIONS = ("margin", "better_by", "risk", "risk_sd")
"""What is asked of pairs besides whether they differ: a signature has it where somebody asked."""


class _Unnamed(tuple[str, ...]):
    """The tests that are done where none was named; somebody may name the same one."""

    __slots__ = ()


class CompareOptions(ScoringOptions):
    """The choices of a comparison."""

    warns_unjudged: ClassVar[bool] = True
    predicts_topics: ClassVar[bool] = True

    baselines: Annotated[Sequence[str], Opt(
        "--baseline", metavar="RUN", section=_SECTION,
        help="Compare all other runs with RUN (its name, path or tag) instead of all pairs; may "
        "be repeated.",
    )] = ()  # fmt: skip
    """Runs that all others are set against, by name, path or tag; none means all pairs."""
    tests: Annotated[Sequence[str], Opt(
        "--test", section=_SECTION, choices=tuple(TESTS), noun="test",
        help=f"Significance test; may be repeated. {_EVERY_TEST}. {_SIMULTANEOUS} need no further "
        f"correction; {_NOT_OF_MEANS} do not test means.",
    )] = _Unnamed((DEFAULT_TEST,))  # fmt: skip
    """Which, in the order they are shown; groups go by the first."""
    correction: Annotated[str, Opt(
        "--correction", section=_SECTION, choices=tuple(CORRECTIONS), noun="correction",
        help="Correction for multiple testing. Hypotheses are pairs times measures (times classes)."
        + _OF_ONE_TEST,
    )] = "holm"  # fmt: skip
    """For the number of hypotheses: pairs x measures (x classes of topics)."""
    alpha: Annotated[float, ALPHA.replace(section=_SECTION)] = 0.05
    """The level of tests and, as 1 - alpha, of intervals."""
    tail: Annotated[Tail, Opt(
        "--tail", section=_SECTION, noun="tail",
        help="With --baseline: test whether runs are better (greater) or worse (less).",
    )] = "two-sided"  # fmt: skip
    """"greater" asks whether a run is better than its baseline."""
    ci: Annotated[str, Opt(
        "--ci", section=_SECTION, choices=tuple(INTERVALS), noun="interval",
        help="Confidence intervals of means and mean differences. hall: of means, corrected for "
        "skewness (Hall 1992); differences have the interval of t.",
    )] = "t"  # fmt: skip
    """Which intervals."""
    resamples: Annotated[int | None, Opt(
        "--resamples", metavar="N", least=1, most=10_000_000, section=_SECTION,
        help=f"Number of resamples for tests that resample. Default: {default_draws_text()}, more "
        "if the correction would otherwise be unable to reject anything.",
    )] = None  # fmt: skip
    """How many each test by resampling draws; None: as many as the record of a test says, and more
    where a correction over so many hypotheses could else reject none."""
    seed: Annotated[int, SEED.replace(section=_SECTION)] = 0
    """What all draws depend on."""
    min_diff: Annotated[float, Opt(
        "--min-diff", in_short_help=False, metavar="X", section=_SECTION,
        help="Count differences up to X as ties, in wins, ties and losses and in the sign test.",
    )] = 0.0  # fmt: skip
    """Differences up to this are ties in wins, ties and losses and for the sign test."""
    zeros: Annotated[Zeros, Opt(
        "--zeros", in_short_help=False, section=_SECTION, noun="way with zeros",
        help="How the Wilcoxon test treats topics with equal scores.",
    )] = "pratt"  # fmt: skip
    """What becomes of equal scores in the Wilcoxon test."""
    margin: Annotated[float | None, Opt(
        "--margin", in_short_help=False, metavar="M", section=_OF_DECISIONS,
        help="Test whether runs are equal within M (two one-sided t tests, TOST), and whether a "
        "run is not worse by M (non-inferiority). Also print the smallest margin that would do, "
        "and the smallest difference that these topics can show.",
    )] = None  # fmt: skip
    """Runs whose means differ by less are as good as equal; None: that is not tested."""
    better_by: Annotated[float | None, Opt(
        "--better-by", in_short_help=False, metavar="D", section=_OF_DECISIONS,
        help="Print the probability that a run is better, or worse, by more than D (Bayesian "
        "bootstrap over topics).",
    )] = None  # fmt: skip
    """A difference worth having, whose probability is estimated; None: it is not."""
    risk: Annotated[Sequence[float], Opt(
        "--risk", in_short_help=False, metavar="A", section=_OF_DECISIONS,
        help="Print risk, where each loss counts 1 + A times: URisk and TRisk against each "
        "--baseline, ZRisk and GeoRisk of each run among all. May be repeated.",
    )] = ()  # fmt: skip
    """How much more losses count than gains; may be several."""
    risk_sd: Annotated[Literal["n-1", "n"], Opt(
        "--risk-sd", in_short_help=False, section=_OF_DECISIONS,
        help="Divisor of the variance in TRisk; n reproduces the authors' program.",
    )] = "n-1"  # fmt: skip
    """What the variance of TRisk divides by."""
    predicted: Annotated["str | os.PathLike[str] | Any | None", Opt(
        "--predicted", metavar="AUTO_QRELS", section=PREDICTED_SECTION, file="always",
        help="A model's judgments of all topics, of which QRELS has human ones for a random "
        "sample: estimate the means that people would have found on all. This is "
        "prediction-powered inference (PPI++), with a test and intervals of its own. With -R "
        "strata: of all documents of the pools, of which people judged a random sample.",
    )] = None  # fmt: skip
    """The model's judgments, as `evaluate` takes judgments: of all topics, or with `strata` of all
    documents of the pools."""
    predicted_target: Annotated[Literal["population", "topics"], Opt(
        "--predicted-target", in_short_help=False, section=PREDICTED_SECTION,
        help="What the means are about: the population that the topics were drawn from, or the "
        "topics of AUTO_QRELS themselves.",
    )] = "population"  # fmt: skip
    """Whether means are about the population that the topics come from, or these topics alone."""

    def _check(self) -> None:
        super()._check()
        if not self.tests:
            raise UsageError(f"a comparison needs a test; choose one of {', '.join(TESTS)}")
        for noun, names in (("tests", self.tests), ("baselines", self.baselines)):
            if len(set(names)) < len(names):
                raise UsageError(f"one of the {noun} is named twice: {', '.join(names)}")
        if not 0 <= self.min_diff < math.inf:
            raise UsageError(f"the smallest difference that counts cannot be {self.min_diff}")
        self._check_tests()
        self._check_decisions()
        if self.predicts_from_topics:
            self._check_predicted()
        else:
            for option in self._chosen_options(("predicted_target",)):
                raise UsageError(f"{option} needs --predicted and whole topics judged by people")

    def _check_tests(self) -> None:
        simultaneous = [test for test in self.tests if TESTS[test].simultaneous]
        only = CORRECTIONS[self.correction].only_test
        is_other_test = only not in self.tests or len(self.tests) - len(simultaneous) > 1
        if only and is_other_test and self.predicted is None:
            raise UsageError(f"{self.correction} works with the {only} test only: --test {only}")
        if self.tail == "two-sided":
            return
        if not self.baselines:
            raise UsageError(
                f"--tail {self.tail} needs --baseline: a pair of runs has no direction without it"
            )
        if simultaneous or only:
            method = f"the test '{simultaneous[0]}'" if simultaneous else self.correction
            raise UsageError(f"{method} has no one-sided form: leave out --tail {self.tail}")
        if INTERVALS[self.ci].default_resamples and self.alpha >= 0.5:
            raise UsageError(f"a one-sided interval needs an alpha below 0.5, not {self.alpha}")

    def _check_decisions(self) -> None:
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise UsageError(f"--margin must be above 0, not {self.margin:g}")
        if self.better_by is not None and not 0 <= self.better_by < math.inf:
            raise UsageError(f"--better-by must be 0 or more, not {self.better_by:g}")
        for aversion in self.risk:
            if not 0 <= aversion < math.inf:
                raise UsageError(f"--risk must be 0 or more, not {aversion:g}")
        if len(set(self.risk)) < len(self.risk):
            raise UsageError("--risk: a value is given twice")

    def _check_predicted(self) -> None:
        """Refuse what estimates by two sorts of judgments have no part for."""
        for option in self._chosen_options(_DECISIONS):
            raise UsageError(f"--predicted has no use for {option}: leave it out")
        if self.nan != "error":
            raise UsageError("--predicted needs all judged topics: leave out --nan")
        if self._chosen_options(("tests",)):
            raise UsageError("--predicted has a test of its own: leave out --test")
        if self.ci != "t":
            raise UsageError(
                f"--predicted has t intervals: --ci {self.ci} cannot be combined with it"
            )
        correction = CORRECTIONS[self.correction]
        if correction.function is None:
            raise UsageError(
                f"--predicted: {self.correction} is for the {correction.only_test} test"
            )
        if self.weights is not None:
            raise UsageError(
                "--predicted cannot be combined with --topic-weights: topics count equally"
            )
        if self.topics != "qrels":
            raise UsageError("--predicted needs all judged topics: leave out --topics")
        if self.no_relevant != "zero":
            raise UsageError(
                "--predicted needs all judged topics: --no-rel skip would leave out those that one "
                "side finds nothing relevant for"
            )
        for option in self._chosen_options(("resamples", "zeros", "min_diff")):
            raise UsageError(f"--predicted has no use for {option}: leave it out")

    @property
    def predicts_from_topics(self) -> bool:
        """Whether people judged a sample of the topics, and a model all, not of the documents."""
        return self.predicted is not None and self.qrels_format != "strata"

    @property
    def names_tests(self) -> bool:
        """Whether somebody named the tests, be it the one that is the default."""
        return not isinstance(self.tests, _Unnamed)

    @property
    def interval_correction(self) -> Literal["test", "bonferroni", "each"]:
        """What the intervals of differences go with: they hold as the p of the first test do.

        "test" says that the test has simultaneous intervals, "bonferroni" that each is of level
        1 - alpha / m, m the number of hypotheses, and "each" that they hold one by one.
        """
        if TESTS[self.tests[0]].simultaneous:
            return "test"
        return "bonferroni" if CORRECTIONS[self.correction].familywise else "each"

    def num_resamples_of(self, test: str, num_hypotheses: int) -> int:
        """How many resamples a test draws; 0 if it draws none."""
        return num_resamples_of(test, self.correction, num_hypotheses, self.alpha, self.resamples)

    def num_resamples_needed(self, test: str, num_hypotheses: int) -> int:
        """How many let the correction reject a single hypothesis among so many."""
        return num_resamples_needed(test, self.correction, num_hypotheses, self.alpha)

    def inference_settings(self, num_resamples: int = 0) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        return InferenceSettings(
            self.tail, self.alpha, num_resamples, self.seed, self.threads, self.min_diff,
            self.zeros,
        )  # fmt: skip

    def signed_values(self) -> dict[str, Any]:
        """The choices that a signature has, by name: of those about decisions what was chosen.

        The correction is None where every test is corrected in itself.
        """
        values = self.values_by_name()
        if all(TESTS[test].simultaneous for test in self.tests):
            values["correction"] = None
        fields = self.fields()
        decisions = {
            name: values[name] for name in _DECISIONS if getattr(self, name) != fields[name].default
        }
        return {name: values[name] for name in _SIGNED} | decisions
