"""`irev.compare`: runs set against each other."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
)

import numpy as np

from irev.core.displayed import HasPaperTable, import_attribute
from irev.core.job import job
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.wording import count_text, count_that_is, full_list, list_beginning
from irev.core.workers import default_threads
from irev.engine.score_runs import score_runs, table_if_scores
from irev.errors import GENERAL_NOTE, Notice, UsageError, note
from irev.jobs.compare.contrasts import (
    anova_rows,
    contrasts_and_class_notes,
    flat_pair_row,
    frame_of,
    margins_chances_and_risks,
    mean_rows,
    pair_rows,
    tests_done,
    topic_difference_rows,
)
from irev.jobs.result import Result
from irev.jobs.score_job import watch_runs
from irev.measures.naming.resolve import lower_is_better, takes_gains
from irev.options import ALPHA, PREDICTED_SECTION, SEED, Options, ScoringOptions
from irev.read.formats import GRADED
from irev.scores.signature import ComparisonSignature, comparison_signature
from irev.scores.table import path_of
from irev.statistics.correlation import second_judge_favour_by_run
from irev.statistics.differences import mean_and_sd_of_differences, pair_differences
from irev.statistics.families import pair_variance_ratios
from irev.statistics.intervals import endless_intervals_note, equal_score_notes
from irev.statistics.methods import (
    CORRECTIONS,
    DEFAULT_TEST,
    INTERVALS,
    TESTS,
    InferenceSettings,
    Tail,
    Zeros,
    default_draws_text,
    few_topics_warnings,
    num_resamples_needed,
    num_resamples_of,
    signed_test,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import Ints, TopicIndices
    from irev.core.displayed import FigureWidth
    from irev.core.judged import Input
    from irev.jobs.compare.contrasts import Contrast, DecisionColumns, Estimates, Row
    from irev.jobs.compare.predicted import PredictedComparison
    from irev.scores.table import ScoreTable


# --- What is compared with what, by which tests, and how their number is made up for ---


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
    predicted: Annotated[str | os.PathLike[str] | Any | None, Opt(
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


# --- What comparisons assume of scores, and what can be seen of it where it fails ---
# Of prediction-powered estimates: the topics judged by people must be a random sample of those
# that the model judged. A model that is biased costs width alone, but means by it alone may put
# runs in another order.


NoticeOrText = TypeVar("NoticeOrText", Notice, str)

MANY_TOPICS = 1000
"""With so many topics, differences of no importance are significant."""

FEW_TOPICS = 20
"""With fewer topics judged by people, intervals may hold less than they say."""

FEW_EQUAL_TOPICS = 30
"""With fewer topics of equal weight (Kish), intervals of weighted means hold .91 to .93 of 95%."""

ENOUGH_OTHERS = 20
"""With fewer topics whose score is another, intervals fall short where most scores are 0, or 1."""

FAR = 3.0
"""A distance |z| beyond this has p 0.003 if the topics judged by people are a random sample."""

NO_GAIN = 0.95
"""An interval that is wider than this share of that of people's topics was not worth the model."""


def score_notes(table: ScoreTable, options: CompareOptions) -> Iterator[str]:
    """What a reader must know of the scores."""
    if table.weights is not None:
        yield (
            "topics have weights: means are weighted; intervals and t tests use the linearised "
            "scores of the ratio estimator, tests of signs the score of each topic times its weight"
        )
        topics = (table.df or 0.0) + 1
        if topics < FEW_EQUAL_TOPICS:
            yield (
                f"the weights are so unequal that they leave {topics:.3g} topics of equal weight "
                f"(Kish): with fewer than {FEW_EQUAL_TOPICS} intervals and p of weighted means are "
                "rough"
            )
        if options.min_diff:
            yield "the smallest difference that counts (--min-diff) applies to weighted scores"
    for entry in table.runs:
        if entry.duplicates:
            yield f"{entry.name}: {count_that_is(entry.duplicates, 'repeated document')} left out"
    for column in table.columns:
        if column.average == "sum":
            yield f"{column.name} is compared by its mean over topics, not by its sum"
        if lower_is_better(column):
            yield f"{column.name}: lower is better, so a win is a lower score"
    if len(table.topics) >= MANY_TOPICS:
        yield (
            f"with {len(table.topics)} topics even unimportant differences are significant: "
            "look at the effect sizes first"
        )


def join_notices(
    human_notices: Sequence[NoticeOrText], model_notices: Sequence[NoticeOrText]
) -> Iterator[NoticeOrText]:
    """What is said of the scores by people's judgments, then what else of those by the model's."""
    yield from human_notices
    for each in model_notices:
        if each in human_notices:
            continue
        if isinstance(each, Notice):
            yield each._replace(message=f"by the model's judgments: {each.message}")
        else:
            yield f"by the model's judgments: {each}"


def nonrandom_sample_warnings(
    human: ScoreTable,
    model: ScoreTable,
    human_indices: TopicIndices,
    estimates: Sequence[Estimates],
) -> Iterator[Notice]:
    """What can be seen of topics that were not drawn at random."""
    hint = "the estimates are valid only if people's topics were drawn at random"
    for each in estimates:
        far = each.means.distance * (-1 if each.lower_is_better else 1)
        worst = int(np.argmax(np.abs(far)))
        if abs(far[worst]) > FAR:
            easier = "easier" if far[worst] > 0 else "harder"
            yield Notice(
                "chosen-topics",
                f"{each.name}: the topics judged by people do not look like a random sample: the "
                f"model finds them {easier} (z = {each.means.distance[worst]:.1f} for "
                f"{human.run_names[worst]})",
                hint,
            )
    ids = model.topics
    decimal = all(topic.isdigit() for topic in ids)
    order = sorted(range(len(ids)), key=lambda i: (int(ids[i]) if decimal else 0, ids[i]))
    place = np.argsort(order)[human_indices]
    if int(place.max()) - int(place.min()) + 1 == len(place):
        where = "first" if place.min() == 0 else "last" if place.max() == len(ids) - 1 else ""
        which = f"the {where} {len(place)}" if where else f"{len(place)} in a row"
        yield Notice(
            "chosen-topics",
            f"the topics judged by people are {which} of {len(ids)} in the order of their ids", hint
        )  # fmt: skip


def favoured_run_warnings(
    human: ScoreTable, estimates: Sequence[Estimates], alpha: float
) -> Iterator[Notice]:
    """Runs that the model favours or disfavours; of two runs the one that it favours."""
    for each in estimates:
        errors = second_judge_favour_by_run(each.human_scores, each.model_scores)
        for run in np.flatnonzero(errors.corrected <= alpha).tolist():
            favour = float(errors.favour[run]) * (-1 if each.lower_is_better else 1)
            if len(human.run_names) == 2 and favour < 0:
                continue
            verb = "favours" if favour > 0 else "disfavours"
            yield Notice(
                "favoured-run",
                f"{each.name}: the model {verb} {human.run_names[run]}: its error "
                f"differs from that of the mean run by {errors.favour[run]:+.4f} "
                f"(p = {errors.corrected[run]:.4f})",
                "do not order runs by the model's judgments alone",
            )


def grade_scale_notes(human: ScoreTable, model: ScoreTable) -> Iterator[str]:
    """Scales that differ, where a measure takes gains from grades."""
    for one, other in zip(human.measure_names, model.measure_names, strict=True):
        if one != other:
            yield (
                f"{one} is {other} by the model's judgments: name the scale, so that both use the "
                "same one"
            )


def highest_grade_warnings(
    qrels: Input, options: CompareOptions, human: ScoreTable
) -> Iterator[Notice]:
    """A warning of highest grades that differ, where gains count; a note with --max-grade."""
    if options.qrels_format not in GRADED or not any(map(takes_gains, human.columns)):
        return
    if "-" in (path_of(qrels), path_of(options.predicted)):
        return
    highest = _highest_grade(qrels, options)
    highest_by_model = _highest_grade(options.predicted, options.model_options())
    if highest != highest_by_model:
        yield Notice(
            GENERAL_NOTE if "max" in dict(options.defaults) else "other-grades",
            f"the highest grade is {highest:g} by people and {highest_by_model:g} by the model: "
            "measures with gains from grades are then on two scales; the estimates stay valid, but "
            "the intervals are wider",
            "--predicted-map-grades maps the model's grades, --max-grade names the highest",
        )


def _highest_grade(qrels: Input, options: ScoringOptions) -> float:
    from irev.engine.prepared_judgments import read_judgments

    threads = options.threads or default_threads()
    judgments = read_judgments(
        qrels, options.qrels_format, [], options.base_record(Options), threads
    )
    return float(judgments.qrels.grade.max(initial=0.0))


def heap_warnings(estimates: Estimates, run_names: Sequence[str]) -> Iterator[Notice]:
    """Warnings where most scores by people are 0, or 1, or most differences of two runs are 0."""
    for value in (0.0, 1.0):
        others = np.count_nonzero(estimates.human_scores != value, axis=0)
        yield from _heap_warnings(estimates, "scores of", run_names, value, others)
    by_people, by_model = (
        pair_differences(scores, estimates.run_pairs)
        for scores in (estimates.human_scores, estimates.model_scores)
    )
    differ = np.flatnonzero(by_people.any(axis=0) | by_model.any(axis=0))
    names = [
        f"{run_names[estimates.run_pairs.first[pair]]} and "
        f"{run_names[estimates.run_pairs.second[pair]]}"
        for pair in differ.tolist()
    ]
    others = np.count_nonzero(by_people[:, differ], axis=0)
    yield from _heap_warnings(estimates, "differences of", names, 0.0, others)


def _heap_warnings(
    estimates: Estimates,
    noun_phrase: Literal["scores of", "differences of"],
    run_or_pair_names: Sequence[str],
    value: float,
    num_others: Ints,
) -> Iterator[Notice]:
    """`num_others`: of how many topics the score of each is not the value."""
    n = len(estimates.topics)
    sparse = np.flatnonzero((2 * num_others < n) & (num_others < ENOUGH_OTHERS)).tolist()
    if not sparse:
        return
    fewest = int(num_others[sparse].min())
    needed = max(50, math.ceil(ENOUGH_OTHERS * n / max(fewest, 1) / 10) * 10)
    which = list_beginning([run_or_pair_names[each] for each in sparse])
    yield Notice(
        "mostly-equal",
        f"{estimates.name}: most {noun_phrase} {which} are {value:g}: with {n} topics judged by "
        "people intervals may cover less than their level",
        f"have people judge {needed} topics{'' if fewest else ' or more'}, so that about "
        f"{ENOUGH_OTHERS} are not {value:g}",
    )


def few_topics_and_no_gain_notes(estimates: Estimates, run_names: Sequence[str]) -> Iterator[str]:
    """Few topics, and a model that adds nothing."""
    n = len(estimates.topics)
    if n < FEW_TOPICS:
        yield (
            f"{n} topics judged by people are few: the intervals are right only if scores are not "
            "very skewed"
        )
    wide = estimates.means.width_ratio > NO_GAIN
    if wide.any():
        r = float(estimates.means.correlation[wide].max())
        yield (
            f"{estimates.name}: the model's judgments hardly narrow the intervals of the means of "
            f"{count_text(int(wide.sum()), 'run')} (r up to {r:.2f})"
        )


# --- What a reader must know of the tests of a comparison, a line each ---


FEWEST_BEHIND = 10
"""So many resamples at least should lie behind the end of a bootstrap interval."""


def comparison_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on the scores and on the tests, a line each."""
    yield from general_notes(table, options, contrasts)
    yield from notes_by_contrast(contrasts, options, sum(len(each.run_pairs) for each in contrasts))


def general_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on all contrasts at once."""
    yield from score_notes(table, options)
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    yield from _test_notes(options)
    for test in options.tests:
        if any("Monte Carlo" in contrast.test_results[test].method for contrast in contrasts):
            yield from _resampling_notes(test, options, num_hypotheses)
    yield from _interval_end_notes(options, num_hypotheses)
    for contrast in contrasts if options.ci != "none" else ():
        notes = equal_score_notes(contrast.score_matrix, table.run_names)
        yield from (f"{contrast.name}: {line}" for line in notes)


def notes_by_contrast(
    contrasts: Sequence[Contrast], options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    """The notes on each contrast, under its name."""
    for contrast in contrasts:
        yield from (
            f"{contrast.name}: {line}"
            for line in _contrast_notes(contrast, options, num_hypotheses)
        )


def _test_notes(options: CompareOptions) -> Iterator[str]:
    tests = {name: TESTS[name] for name in options.tests}
    for test in tests.values():
        if test.question:
            yield f"the {test.title} test does not test means: it tests {test.question}"
    for null in dict.fromkeys(
        test.null_hypothesis for test in tests.values() if test.null_hypothesis
    ):
        names = " and ".join(name for name, test in tests.items() if test.null_hypothesis == null)
        yield f"{names}: the null hypothesis is {null}"
    for name, test in tests.items():
        if test.caution:
            yield f"{name} is {test.caution}"


def _variance_and_skewness_notes(contrast: Contrast, options: CompareOptions) -> Iterator[str]:
    """Whether tests assume of differences what these are not: of one variance, symmetric."""
    names = [name for name in options.tests if TESTS[name].assumes_equal_variances]
    if names:
        yield from pair_variance_ratios(contrast.score_matrix).warnings(names)
    tests = list(contrast.results_by_test_done)
    yield from few_topics_warnings(contrast.score_matrix, contrast.run_pairs, tests)


def _resampling_notes(test: str, options: CompareOptions, num_hypotheses: int) -> Iterator[str]:
    num_resamples = options.num_resamples_of(test, num_hypotheses)
    num_needed = options.num_resamples_needed(test, num_hypotheses)
    if num_resamples < num_needed:
        yield (
            f"{test}: with {num_resamples} resamples no p can be small enough to be "
            f"significant among {num_hypotheses} hypotheses; at least {num_needed} are needed"
        )
    elif options.resamples is None and num_resamples == num_needed:
        yield (
            f"{test}: {num_resamples} resamples, so that one of {num_hypotheses} hypotheses can be "
            "rejected"
        )


def _interval_end_notes(options: CompareOptions, num_hypotheses: int) -> Iterator[str]:
    """Whether corrected bootstrap intervals end where hardly a resample is."""
    num_resamples = INTERVALS[options.ci].default_resamples and (
        options.resamples or INTERVALS[options.ci].default_resamples
    )
    if not num_resamples or options.interval_correction != "bonferroni":
        return
    num_needed = math.ceil(FEWEST_BEHIND * 2 * num_hypotheses / options.alpha)
    if num_resamples < num_needed:
        yield (
            f"the intervals of the differences hold for {num_hypotheses} at once, and fewer than "
            f"{FEWEST_BEHIND} of {num_resamples} resamples lie behind their ends: "
            f"use --resamples {num_needed}"
        )


def _contrast_notes(
    contrast: Contrast, options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    num_pairs = len(contrast.run_pairs)
    constant_text = "the same difference on every topic"
    if any(np.isinf(each.facts.get("t", ())).any() for each in contrast.test_results.values()):
        constant_text += f"; p is the chance that all {len(contrast.topics)} signs are equal"
    for flags, words in (
        (contrast.paired.identical, "no difference on any topic; p is 1"),
        (contrast.paired.constant, constant_text),
    ):
        count = int(np.count_nonzero(flags))
        if count:
            yield f"{count} of {num_pairs} pairs {'has' if count == 1 else 'have'} {words}"
    yield from _few_topic_notes(contrast, options, num_hypotheses)
    yield from _variance_and_skewness_notes(contrast, options)
    interval = INTERVALS[options.ci]
    if interval.may_be_endless:
        yield from endless_intervals_note(contrast.means, "means", interval.title)
        # an end of a one-sided interval is infinite by design
        if options.tail == "two-sided":
            differences = contrast.difference_intervals
            yield from endless_intervals_note(differences, "differences", interval.title)


def _few_topic_notes(
    contrast: Contrast, options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    """Whether the most topics with a difference are too few for any p to reach alpha."""
    sign_tests = [test for test in options.tests if TESTS[test].counts_signs]
    if not sign_tests:
        return
    most_topics = int(
        mean_and_sd_of_differences(contrast.contributions, contrast.run_pairs).nonzero.max(
            initial=0
        )
    )
    if not most_topics:
        return
    least_p = math.ldexp(2.0 if options.tail == "two-sided" else 1.0, -most_topics)
    names = " and ".join(sign_tests)
    differ = f"{most_topics} topic{'s' * (most_topics > 1)} that differ{'s' * (most_topics == 1)}"
    if least_p > options.alpha:
        yield f"with {differ} the p of {names} cannot be below {least_p:g}"
    elif CORRECTIONS[options.correction].familywise and least_p * num_hypotheses > options.alpha:
        yield (
            f"with {differ} the p of {names} cannot be below {least_p:g}, which is "
            f"too large to be significant among {num_hypotheses} hypotheses"
        )


# --- `irev.compare`: runs set against each other ---


P = ParamSpec("P")


@record
class Comparison(Result, HasPaperTable):
    """Runs compared under one or several measures.

    `print` and notebooks show the tables of `irev compare`; `means`, `pairs`, `by_topic` and
    `anova` are pandas frames, `to_frame()` that of the pairs.

    table      the scores; judged topics that a run lacks are 0
    options    the choices
    contrasts  what was found, for each measure on all topics, then on each class of them
    decisions  for each contrast what was asked of pairs besides whether they differ
    """

    table: ScoreTable
    options: CompareOptions
    contrasts: tuple[Contrast, ...]
    decisions: tuple[DecisionColumns, ...]

    shown_by: ClassVar[str] = "irev.jobs.compare.document:comparison_document"
    paper_by: ClassVar[str] = "irev.jobs.compare.document:paper_document"

    def _subject(self) -> str:
        runs, measures = ", ".join(self.table.run_names), ", ".join(self.table.measure_names)
        return f"{runs} by {measures} on {count_text(len(self.table.topics), 'topic')}"

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings that are no notes: what makes the scores doubtful, and `missing`."""
        return tuple(each for each in self.warnings if each.kind != GENERAL_NOTE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, a line each; `missing` has more."""
        return tuple(str(each) for each in self.warnings if each.kind == GENERAL_NOTE)

    @property
    def missing(self) -> tuple[str, ...]:
        """Which runs lack judged topics, a line for each."""
        return tuple(map(str, self.table.missing_topic_warnings))

    @property
    def num_hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(contrast.run_pairs) for contrast in self.contrasts)

    @property
    def num_resamples(self) -> dict[str, int]:
        """The number of resamples of each test by resampling whose p is not exact.

        And how many bootstrap intervals draw, under "ci".
        """
        options = self.options
        counts = {
            test: options.num_resamples_of(test, self.num_hypotheses) for test in options.tests
        }
        by_default = INTERVALS[options.ci].default_resamples
        counts["ci"] = by_default and (options.resamples or by_default)
        return {name: count for name, count in counts.items() if count}

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of."""
        table, options = self.table, self.options
        choices: dict[str, Any] = {}
        for name, value in options.signed_values().items():
            choices[name] = value
            if name == "correction":
                choices["hypotheses"] = self.num_hypotheses
        # moderated where any contrast was
        tests = [signed_test(name, tests_done(self.contrasts, name)) for name in options.tests]
        choices["tests"] = list(dict.fromkeys(tests))
        choices["baselines"] = [table.run_names[table.run_index(n)] for n in options.baselines]
        choices["resamples"] = self.num_resamples
        if table.counts_missing_as_zero:
            choices["missing"] = "zero"
        return comparison_signature(table, choices)

    def mean_rows(self) -> Iterator[Row]:
        """The means of the runs with their intervals; see `rows.mean_rows`."""
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            yield from mean_rows(self.table, contrast, decisions)

    def pair_rows(self) -> Iterator[Row]:
        """The pairs, with a mapping of tests in each; see `rows.pair_rows`."""
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            yield from pair_rows(self.table, contrast, self.options.alpha, decisions)

    def topic_difference_rows(self) -> Iterator[Row]:
        """Gains and losses by topic; see `rows.topic_difference_rows`."""
        for contrast in self.contrasts:
            yield from topic_difference_rows(self.table, contrast)

    def anova_rows(self) -> Iterator[Row]:
        """The analyses of variance; see `rows.anova_rows`."""
        for contrast in self.contrasts:
            yield from anova_rows(contrast)

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best run first."""
        return frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair, with columns such as `p_moderated`."""
        return frame_of(map(flat_pair_row, self.pair_rows()))

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic, the largest gain first."""
        return frame_of(self.topic_difference_rows())

    @property
    def anova(self) -> pd.DataFrame:
        """Three rows for each class and measure: runs, topics, error."""
        return frame_of(self.anova_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs

    def plot(
        self,
        name: str = "forest",
        measures: object = (),
        *,
        width: FigureWidth = "page",
        **options: Any,
    ) -> Figure:
        """A figure, drawn by matplotlib.

        Args:
            name: "forest" (differences with intervals), "topics" (differences by topic), "ranks"
                (mean ranks with critical differences), or a figure of scores by topic:
                "per-topic", "median", "scatter", "cutoffs", "distribution".
            measures: of scores by topic, which; none: all.
            width: "column" (3.3 inches), "page" (7) or "slide" (10), as it is printed.
            **options: of scores by topic, those of the figure: `sort="value"` ...

        Raises:
            UsageError: there is no such figure; too many pairs, measures or runs for it.
            MissingExtraError: matplotlib is not installed.
        """
        draw = import_attribute("irev.jobs.plots.comparison_figures:result_figure")
        figure: Figure = draw(self, name, measures, options, width=width)
        return figure


@job(CompareOptions)
def compare(
    qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: CompareOptions
) -> Comparison | PredictedComparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values.

    A judged topic that a run lacks counts as 0. By default all pairs are compared by the
    moderated paired t test, corrected by Holm.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`).
        runs: runs and files of saved scores, in any order: no number depends on it; a list, a
            mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them; where none is named, "map", or all that
            saved scores have.
        options: the record `CompareOptions`, whose fields are keywords, too.

    Returns:
        The comparison: `means`, `pairs`, `by_topic` and `anova` are pandas frames. With
        `predicted=` a `PredictedComparison`, with a test and intervals of its own.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; fewer than two runs or topics.
        InputError: an input that cannot be read.
        MismatchError: scores of different definitions or judgments; no topic in common.

    Warns:
        IrevWarning: a run lacks judged topics; scores may mislead.
    """
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    if options.predicts_from_topics:
        from irev.jobs.compare.predicted import compare_predicted

        return compare_predicted(qrels_or_table, runs, measures, options)
    return compare_table(
        score_runs(qrels_or_table, runs, measures, options, watch=watch_runs), options
    )


def compare_table(table: ScoreTable, options: CompareOptions) -> Comparison:
    """Compare the runs of a table of scores."""
    contrasts, class_notes = contrasts_and_class_notes(table, options)
    lines = (*table.notes, *class_notes, *comparison_notes(table, options, contrasts))
    return Comparison(
        table, options, tuple(contrasts), margins_chances_and_risks(table, contrasts, options),
        warnings=(*table.doubts, *map(note, lines)),
    )  # fmt: skip
