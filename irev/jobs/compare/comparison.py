"""`irev.compare`: runs set against each other.

From top to bottom: what can be asked (`CompareOptions`), the function, and how a comparison is
made, in the order in which it happens: the contrast of each measure on all topics and on each class
of them, its tests with their corrections, what is asked besides significance, what may be said of
each pair, what a reader must be told; last the result and its rows. `document` shows it; with a
model's judgments of further topics `predicted` compares.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from irev.core.arrays import Floats, PairValues, RunIndices, TopicMask, TopicsByRuns
from irev.core.job import FigureWidth, HasPaperTable, import_attribute, job
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import cached_property, record
from irev.core.text import as_text, count_text, count_that_is, full_list
from irev.core.workers import default_threads
from irev.engine.score_runs import score_runs, table_if_scores
from irev.errors import GENERAL_NOTE, Notice, UsageError, note
from irev.jobs.result import Result
from irev.jobs.score_job import watch_runs
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.options import ALPHA, PREDICTED_SECTION, SEED, ScoringOptions
from irev.scores.signature import ComparisonSignature, comparison_signature
from irev.scores.table import ScoreTable
from irev.statistics.decisions import (
    DRAWS,
    bayesian_bootstrap,
    equivalence,
    geo_risk,
    t_risk,
    u_risk,
    z_risk,
)
from irev.statistics.differences import (
    RunPairs,
    Tail,
    every_pair,
    mean_and_sd_of_differences,
    order_by_gain,
    pairs_with_baselines,
    scale_of,
    zero_noise,
)
from irev.statistics.families import (
    difference_mask,
    group_labels,
    max_t,
    order_by_mean,
    pair_variance_ratios,
    places_by_letter_group,
    tukey_hsd,
)
from irev.statistics.intervals import (
    Intervals,
    column_means_and_sds,
    endless_intervals_note,
    equal_score_notes,
    fit_to_range,
)
from irev.statistics.methods import (
    CORRECTIONS,
    DEFAULT_TEST,
    INTERVALS,
    TESTS,
    DoneTest,
    InferenceSettings,
    PValues,
    correct_p,
    default_draws_text,
    difference_intervals,
    few_topics_warnings,
    num_resamples_needed,
    num_resamples_of,
    signed_test,
    simultaneous_intervals,
)
from irev.statistics.significance_tests import PairedT, Signs, Zeros, paired_t, sign_test
from irev.statistics.variance import two_way_anova
from irev.statistics.verdicts import Evidence, PairVerdict, verdict_of
from irev.writers.document import Row

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.jobs.compare.predicted import PredictedComparison


# --- What is compared with what, by which tests, and how their number is made up for ---


_SECTION = "Options of the comparison"
_OF_DECISIONS = "Options of decisions"

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
        "--tail", in_short_help=False, section=_SECTION, noun="tail",
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
        "--resamples", in_short_help=False, metavar="N", least=1, most=10_000_000,
        section=_SECTION,
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
        help="Test whether runs are equal within M (TOST). It is two one-sided t tests; one of "
        "them alone says that a run is not worse by M (non-inferiority). Also print the smallest "
        "margin that would do, and the smallest difference that these topics detect.",
    )] = None  # fmt: skip
    """Runs whose means differ by less are as good as equal; None: that is not tested."""
    difference: Annotated[float | None, Opt(
        "--difference", in_short_help=False, metavar="D", section=_OF_DECISIONS,
        help="Where nothing is decided, say how many topics a difference of D needs. Default: "
        "0.05 of the range of the measure.",
    )] = None  # fmt: skip
    """The difference whose topics are counted where nothing is decided; None: 0.05 of the measure's
    range."""
    better_by: Annotated[float | None, Opt(
        "--better-by", in_short_help=False, metavar="D", section=_OF_DECISIONS,
        help="Print how likely a run is better by more than D. Also how likely it is worse by more "
        "than D; both by the Bayesian bootstrap over topics.",
    )] = None  # fmt: skip
    """A difference worth having, whose probability is estimated; None: it is not."""
    risk: Annotated[Sequence[float], Opt(
        "--risk", in_short_help=False, metavar="A", section=_OF_DECISIONS,
        help="Print risk, where each loss counts 1 + A times. URisk and TRisk are against each "
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
        help="A model's judgments, beside people's in QRELS. People judged a random sample of "
        "the topics, the model all: estimate the means that people would have found on all. This "
        "is "
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
        if self.difference is not None and not 0 < self.difference < math.inf:
            raise UsageError(f"--difference must be above 0, not {self.difference:g}")
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
                f"--predicted needs all judged topics, scored alike: --no-rel {self.no_relevant} "
                "would set those apart that one side finds nothing relevant for"
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

    @property
    def interval_resamples(self) -> int:
        """How many resamples intervals draw; 0 if they draw none."""
        by_default = INTERVALS[self.ci].default_resamples
        return by_default and (self.resamples or by_default)

    def num_resamples_of(self, test: str, num_hypotheses: int) -> int:
        """How many resamples a test draws; 0 if it draws none."""
        return num_resamples_of(test, self.correction, num_hypotheses, self.alpha, self.resamples)

    def num_resamples_needed(self, test: str, num_hypotheses: int) -> int:
        """How many let the correction reject a single hypothesis among so many."""
        return num_resamples_needed(test, self.correction, num_hypotheses, self.alpha)

    def inference_settings(
        self, num_resamples: int = 0, df: float | None = None
    ) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        return InferenceSettings(
            self.tail,
            self.alpha,
            num_resamples,
            self.seed,
            self.threads,
            self.min_diff,
            self.zeros,
            df,
        )

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


@job(CompareOptions, needs=lambda options: ("scipy",))
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
        # what compares by two sorts of judgments stands above this module
        compare_predicted = import_attribute("irev.jobs.compare.predicted:compare_predicted")
        predicted: PredictedComparison = compare_predicted(qrels_or_table, runs, measures, options)
        return predicted
    table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
    return compare_table(table, options)


def compare_table(table: ScoreTable, options: CompareOptions) -> Comparison:
    """Compare the runs of a table of scores."""
    if len(table.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    # each measure on all topics, then on each class of them
    parts: list[tuple[str, ScoreTable, TopicMask]] = []
    class_notes = []
    all_topics = np.ones(len(table.topics), bool)
    for class_name, topic_mask in [("", all_topics), *(table.classes or {}).items()]:
        if class_name and np.count_nonzero(topic_mask) < 2:
            class_notes.append(f"the class {class_name} is not compared: it has one topic")
            continue
        part = table.select_class(class_name) if class_name else table
        parts.append((class_name, part, topic_mask))
    num_pairs = len(compared_pairs(table, np.arange(len(table.runs)), options))
    num_hypotheses = num_pairs * len(parts) * len(table.measure_names)
    contrasts = [
        _contrast_before_tests(class_name, measure, part, topic_mask, options, num_hypotheses)
        for class_name, part, topic_mask in parts
        for measure in part.measure_names
    ]
    contrasts = _test_contrasts(table, contrasts, options)
    decisions = _margins_chances_and_risks(table, contrasts, options)
    lines = (*table.notes, *class_notes, *comparison_notes(table, options, contrasts))
    warnings = (*table.doubts, *map(note, lines))
    return Comparison(table, options, tuple(contrasts), decisions, warnings=warnings)


# --- The comparison under one measure, on all topics or on a class of them, and its tests ---


@record
class Contrast:
    """What is known of S runs and P pairs under a measure, on T topics.

    class_name            the class of topics; empty for all of them
    measure               its printed name
    topics                ids of the T topics, in byte order
    topic_mask            bool: which of all topics these are
    score_matrix          float64[T, S]: the scores, linearised where topics have weights, so that
                          plain means and deviations of them are those of the weighted means
    contributions         float64[T, S]: the scores times the weights, for tests that count signs
    df                    degrees of freedom of t where topics have weights
    lower_is_better       whether lower scores are better
    run_order             int64[S]: the runs, the best mean first
    means                 the means of the runs, with intervals
    run_pairs             the pairs, in the order they are shown
    paired                mean differences and effect sizes
    difference_intervals  the mean differences with intervals;
                          `CompareOptions.interval_correction` says for how many at once
    signs                 wins, ties and losses; a win is a better score, which may be the lower one
    effect_hsd            float64[P]: differences over the root of the residual variance; None
                          without HSD
    width                 of the range of the measure; infinite where it has none
    test_results          what each test found
    run_groups            for each run, in their own order, its groups; empty unless all pairs are
                          tested
    """

    class_name: str
    measure: str
    topics: tuple[bytes, ...]
    topic_mask: TopicMask
    score_matrix: TopicsByRuns
    contributions: TopicsByRuns
    df: float | None
    lower_is_better: bool
    run_order: RunIndices
    means: Intervals
    run_pairs: RunPairs
    paired: PairedT
    difference_intervals: Intervals
    signs: Signs
    effect_hsd: PairValues | None
    width: float = math.inf
    test_results: Mapping[str, PValues] = field(default_factory=dict)
    run_groups: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The measure, and the class where there is one."""
        return f"{self.measure}{f' on {self.class_name}' if self.class_name else ''}"

    def test_done(self, test_name: str) -> str:
        """The name of the test that was done where this one was asked for."""
        return self.test_results[test_name].done or test_name

    @property
    def results_by_test_done(self) -> Mapping[str, PValues]:
        """What each test found, by the names of those that were done."""
        return {self.test_done(name): result for name, result in self.test_results.items()}


def tests_done(contrasts: Sequence[Contrast], test_name: str) -> list[DoneTest]:
    """What was done on each contrast where a test was asked for."""
    return [DoneTest(contrast.test_done(test_name), contrast.name) for contrast in contrasts]


def _contrast_before_tests(
    class_name: str,
    measure: str,
    class_table: ScoreTable,
    topic_mask: TopicMask,
    options: CompareOptions,
    num_hypotheses: int,
) -> Contrast:
    """A contrast without its tests, of the table of the topics of a class."""
    column = class_table.column(measure)
    score_matrix = class_table.linearised_score_matrix(measure)
    contributions = class_table.weighted_score_matrix(measure)
    is_lower_better = lower_is_better(column)
    run_order = order_by_mean(class_table.means(measure) * (-1 if is_lower_better else 1))
    pairs = compared_pairs(class_table, run_order, options)
    oriented = swap_tail_if_lower_is_better(options, is_lower_better)
    alpha = difference_alpha(options, num_hypotheses)
    paired = paired_t(score_matrix, pairs, tail=oriented.tail, level=1 - alpha, df=class_table.df)
    bounds = mean_bounds_or_infinite(
        column, class_table.scores(measure), are_estimates=class_table.is_estimated
    )
    settings = oriented.inference_settings(options.interval_resamples, class_table.df)
    differences = difference_intervals(
        TESTS[options.tests[0]],
        INTERVALS[options.ci],
        score_matrix,
        pairs,
        settings._replace(alpha=alpha),
        bounds[1] - bounds[0],
    )
    effect = None
    if any(TESTS[test].simultaneous for test in options.tests):
        effect = tukey_hsd(score_matrix, pairs, options.alpha).effect_size
    upward = -contributions if is_lower_better else contributions
    signs = sign_test(upward, pairs, min_diff=options.min_diff, tail=options.tail)
    return Contrast(
        class_name,
        measure,
        class_table.topics,
        topic_mask,
        score_matrix,
        contributions,
        class_table.df,
        is_lower_better,
        run_order,
        run_means(class_table, measure, oriented),
        pairs,
        paired,
        differences,
        signs,
        effect,
        bounds[1] - bounds[0],
    )


def compared_pairs(table: ScoreTable, run_order: RunIndices, options: CompareOptions) -> RunPairs:
    """All pairs, the better run first; or each run minus each baseline, the best run first."""
    baselines = [table.run_index(name) for name in options.baselines]
    if len(set(baselines)) < len(baselines):
        raise UsageError(f"two baselines are the same run: {', '.join(options.baselines)}")
    place = np.argsort(run_order)
    num_runs = len(run_order)
    pairs = every_pair(num_runs)
    if baselines:
        pairs = pairs_with_baselines(num_runs, place[baselines].tolist())
    return RunPairs(run_order[pairs.first], run_order[pairs.second])


def swap_tail_if_lower_is_better(options: CompareOptions, is_lower_better: bool) -> CompareOptions:
    """The options whose tail says where scores lie, not which are better."""
    opposite: dict[Tail, Tail] = {"greater": "less", "less": "greater"}
    if is_lower_better and options.tail in opposite:
        return options.replace(tail=opposite[options.tail])
    return options


def difference_alpha(options: CompareOptions, num_hypotheses: int) -> float:
    """The alpha of the interval of one difference among so many."""
    if options.interval_correction == "bonferroni":
        return options.alpha / num_hypotheses
    return options.alpha


def run_means(table: ScoreTable, measure: str, options: CompareOptions) -> Intervals:
    """The means of the runs with their intervals, which end at the range of the measure."""
    scores = table.scores(measure)
    bounds = mean_bounds_or_infinite(
        table.column(measure), scores, are_estimates=table.is_estimated
    )
    settings = options.inference_settings(options.interval_resamples, table.df)
    means = INTERVALS[options.ci].compute(table.linearised_score_matrix(measure), None, settings)
    return fit_to_range(means, *bounds)


def _test_contrasts(
    table: ScoreTable, contrasts: Sequence[Contrast], options: CompareOptions
) -> list[Contrast]:
    """The contrasts with what the tests found, corrected over all of them."""
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    results_by_test: list[dict[str, PValues]] = [{} for _ in contrasts]
    for test_name in options.tests:
        test, results = TESTS[test_name], []
        num_resamples = options.num_resamples_of(test_name, num_hypotheses)
        for contrast in contrasts:
            oriented = swap_tail_if_lower_is_better(options, contrast.lower_is_better)
            settings = oriented.inference_settings(num_resamples, contrast.df)
            scores = contrast.contributions if test.counts_signs else contrast.score_matrix
            results.append(test.compute(scores, contrast.run_pairs, settings))
        if CORRECTIONS[options.correction].only_test == test_name:
            results = _correct_by_max_t(contrasts, results, options, num_resamples)
        elif not test.simultaneous:
            p_parts = [result.p for result in results if result.p is not None]
            corrected = correct_together(p_parts, options.correction)
            results = [replace(r, corrected=p) for r, p in zip(results, corrected, strict=True)]
        for by_test, result in zip(results_by_test, results, strict=True):
            by_test[test_name] = result
    tested = []
    for contrast, by_test in zip(contrasts, results_by_test, strict=True):
        first_result = by_test[options.tests[0]]
        tested.append(
            replace(
                contrast,
                difference_intervals=_tested_intervals(table, contrast, first_result, options),
                test_results=by_test,
                run_groups=_run_groups(contrast, first_result, options),
            )
        )
    return tested


def correct_together(p_parts: Sequence[PairValues], correction: str) -> list[PairValues]:
    """The p of several contrasts, corrected for the number of all by a function of p alone."""
    # numerical noise may leave a p just above 1
    corrected_p = correct_p(np.minimum(1.0, np.concatenate(p_parts)), correction)
    return np.split(corrected_p, np.cumsum([len(p) for p in p_parts])[:-1])


def _correct_by_max_t(
    contrasts: Sequence[Contrast],
    results: Sequence[PValues],
    options: CompareOptions,
    num_resamples: int,
) -> list[PValues]:
    """The results with p corrected by maxT, the same signs for all measures and classes.

    Topics outside a class have no difference in its contrast, which leaves its statistic as it is.
    Drawn, a corrected p may fall below an exact one; it is then set to that.
    """
    columns, first, second, start = [], [], [], 0
    for contrast in contrasts:
        contributions = contrast.contributions
        spread = np.zeros((len(contrast.topic_mask), contributions.shape[1]))
        spread[contrast.topic_mask] = contributions / scale_of(contributions)
        columns.append(spread)
        first.append(contrast.run_pairs.first + start)
        second.append(contrast.run_pairs.second + start)
        start += spread.shape[1]
    joint = max_t(
        np.hstack(columns),
        RunPairs(np.concatenate(first), np.concatenate(second)),
        num_resamples=num_resamples,
        seed=options.seed,
        threads=options.threads or default_threads(),
    )
    ends = np.cumsum([len(contrast.run_pairs) for contrast in contrasts])[:-1]
    method = "exact" if joint.exact else "Monte Carlo"
    return [
        replace(
            result,
            corrected=np.maximum(p, result.corrected),
            facts={**result.facts, "max_t": [method] * len(p)},
        )
        for result, p in zip(results, np.split(joint.p, ends), strict=True)
    ]


def _tested_intervals(
    table: ScoreTable, contrast: Contrast, p_values: PValues, options: CompareOptions
) -> Intervals:
    """The intervals of the differences: those of the first test, where it has its own."""
    intervals = contrast.difference_intervals
    if options.interval_correction != "test":
        return intervals
    low, high = mean_bounds_or_infinite(
        table.column(contrast.measure),
        table.scores(contrast.measure)[contrast.topic_mask],
        are_estimates=table.is_estimated,
    )
    num_pairs = len(every_pair(len(table.runs)))
    return simultaneous_intervals(
        intervals.mean, p_values, options.alpha, intervals.num_topics, num_pairs, high - low
    )


def _run_groups(contrast: Contrast, p_values: PValues, options: CompareOptions) -> tuple[str, ...]:
    if options.baselines:
        return ()
    num_runs = len(contrast.run_order)
    differ = difference_mask(p_values.corrected, contrast.run_pairs, num_runs, options.alpha)
    labels = group_labels(places_by_letter_group(differ, contrast.run_order), num_runs)
    label_of_run = dict(zip(contrast.run_order.tolist(), labels, strict=True))
    return tuple(label_of_run[run] for run in range(num_runs))


# --- What is asked of pairs besides significance: equality within a margin, chances, risk ---


@record
class DecisionColumns:
    """What was found for S runs and P pairs under a measure, by name of the column.

    pairs  float64[P] each
    runs   float64[S] each
    """

    pairs: Mapping[str, Floats]
    runs: Mapping[str, Floats]


def _margins_chances_and_risks(
    table: ScoreTable, contrasts: Sequence[Contrast], options: CompareOptions
) -> tuple[DecisionColumns, ...]:
    """What is asked of each contrast's pairs; each kind of p is corrected over all contrasts."""
    if options.risk and table.weights is not None:
        raise UsageError("risk counts topics equally: leave out --risk or --topic-weights")
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    decisions = [_decisions_before_correction(each, options, num_hypotheses) for each in contrasts]
    if options.margin is not None:
        for name in ("p_equivalent", "p_not_worse"):
            p_parts = [pairs[name] for pairs, _ in decisions]
            corrected = correct_together(p_parts, decision_correction(options))
            for (pairs, _), p in zip(decisions, corrected, strict=True):
                pairs[f"{name}_corrected"] = p
    return tuple(DecisionColumns(pairs, runs) for pairs, runs in decisions)


def _decisions_before_correction(
    contrast: Contrast, options: CompareOptions, num_hypotheses: int
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The columns of the pairs and of the runs of a contrast, by name."""
    pair_columns: dict[str, Floats] = {}
    run_columns: dict[str, Floats] = {}
    pairs = contrast.run_pairs
    # whatever the measure, higher is better here
    upward = -contrast.score_matrix if contrast.lower_is_better else contrast.score_matrix
    if options.margin is not None:
        sharing_alpha = 1 if options.correction == "none" else num_hypotheses
        equality = equivalence(
            upward, pairs, options.margin, options.alpha, contrast.df, sharing_alpha
        )
        pair_columns |= {
            "p_equivalent": equality.p_equal,
            "p_equivalent_corrected": equality.p_equal,
            "p_not_worse": equality.p_not_worse,
            "p_not_worse_corrected": equality.p_not_worse,
            "equal_within": equality.within,
            "detectable": equality.detectable,
        }
    if options.better_by is not None:
        chances = bayesian_bootstrap(
            upward,
            pairs,
            options.better_by,
            num_resamples=options.resamples or DRAWS,
            seed=options.seed,
            threads=options.threads,
        )
        pair_columns |= {"better": chances.better, "equal": chances.equal, "worse": chances.worse}
    has_shares = not contrast.lower_is_better and bool((contrast.score_matrix >= 0).all())
    none = np.full(upward.shape[1], np.nan)
    for aversion in options.risk:
        if options.baselines:
            by_n = options.risk_sd == "n"
            pair_columns[f"urisk({aversion:g})"] = u_risk(upward, pairs, aversion)
            pair_columns[f"trisk({aversion:g})"] = t_risk(
                upward, pairs, aversion, divides_by_n=by_n
            )
        run_columns[f"zrisk({aversion:g})"] = z_risk(upward, aversion) if has_shares else none
        run_columns[f"georisk({aversion:g})"] = geo_risk(upward, aversion) if has_shares else none
    return pair_columns, run_columns


def decision_correction(options: CompareOptions) -> str:
    """That of the options, where it corrects any p; else Holm's."""
    return options.correction if CORRECTIONS[options.correction].function else "holm"


# --- What may be said of each pair ---


def pair_verdicts(
    contrast: Contrast,
    decisions: DecisionColumns,
    run_names: Sequence[str],
    options: CompareOptions,
    num_hypotheses: int,
) -> Iterator[PairVerdict]:
    """The verdict on each pair of a contrast, by the first test."""
    test, result = TESTS[options.tests[0]], contrast.test_results[options.tests[0]]
    if test.simultaneous:
        num_hypotheses = len(every_pair(len(run_names)))
    elif options.correction == "none":
        num_hypotheses = 1
    towards = -1.0 if contrast.lower_is_better else 1.0
    ends = contrast.difference_intervals.low, contrast.difference_intervals.high
    low, high = (-ends[1], -ends[0]) if contrast.lower_is_better else ends
    num_differing = mean_and_sd_of_differences(contrast.contributions, contrast.run_pairs).nonzero
    nothing = [math.nan] * len(contrast.run_pairs)
    sd, df = (result.facts.get(fact) for fact in ("s_moderated", "df"))
    favours = None
    if "w_plus" in result.facts:
        favours = towards * np.subtract(result.facts["w_plus"], result.facts["w_minus"])
    elif test.question:
        favours = contrast.signs.wins - contrast.signs.losses
    for place, (first, second) in enumerate(contrast.run_pairs.places()):
        yield verdict_of(
            Evidence(
                run_names[first],
                run_names[second],
                contrast.measure,
                difference=towards * float(contrast.paired.mean[place]) + 0.0,
                low=float(low[place]) + 0.0,
                high=float(high[place]) + 0.0,
                sd=float(contrast.paired.sd[place] if sd is None else sd[place]),
                num_topics=len(contrast.topics),
                p=float(result.corrected[place]),
                num_differing=int(num_differing[place]),
                is_constant=bool(contrast.paired.constant[place]),
                df=contrast.df if df is None else float(df[place]),
                alpha=options.alpha,
                num_hypotheses=num_hypotheses,
                tail=options.tail,
                class_name=contrast.class_name,
                lower_is_better=contrast.lower_is_better,
                width=contrast.width,
                asked=options.difference,
                margin=options.margin,
                p_equal=float(decisions.pairs.get("p_equivalent_corrected", nothing)[place]),
                favours=None if favours is None else float(favours[place]),
                topics_of_weight=None if contrast.df is None else contrast.df + 1,
            )
        )


# --- What a reader must know of the scores and of the tests, a line each ---


MANY_TOPICS = 1000
"""With so many topics, differences of no importance are significant."""

FEW_EQUAL_TOPICS = 30
"""With fewer topics of equal weight (Kish), intervals of weighted means hold .91 to .93 of 95%."""

FEWEST_BEHIND = 10
"""So many resamples at least should lie behind the end of a bootstrap interval."""


def comparison_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on the scores and on the tests, a line each."""
    yield from general_notes(table, options, contrasts)
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    yield from notes_by_contrast(contrasts, options, num_hypotheses)


def general_notes(
    table: ScoreTable, options: CompareOptions, contrasts: Sequence[Contrast]
) -> Iterator[str]:
    """The notes on all contrasts at once."""
    yield from score_notes(table, options)
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    yield from _test_notes(options, contrasts, num_hypotheses)
    # corrected bootstrap intervals may end where hardly a resample is
    num_resamples = options.interval_resamples
    if num_resamples and options.interval_correction == "bonferroni":
        num_needed = math.ceil(FEWEST_BEHIND * 2 * num_hypotheses / options.alpha)
        if num_resamples < num_needed:
            yield (
                f"the intervals of the differences hold for {num_hypotheses} at once, and fewer "
                f"than {FEWEST_BEHIND} of {num_resamples} resamples lie beyond their ends: "
                f"use --resamples {num_needed}"
            )
    for contrast in contrasts:
        for line in equal_score_notes(contrast.score_matrix, table.run_names):
            yield f"{contrast.name}: {line}"


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


def _test_notes(
    options: CompareOptions, contrasts: Sequence[Contrast], num_hypotheses: int
) -> Iterator[str]:
    """What tests ask and assume, and whether those that resampled drew enough."""
    tests = {name: TESTS[name] for name in options.tests}
    for test in tests.values():
        if test.question:
            yield f"the {test.title} test does not test means: it tests {test.question}"
    nulls = [test.null_hypothesis for test in tests.values() if test.null_hypothesis]
    for null in dict.fromkeys(nulls):
        names = " and ".join(name for name, test in tests.items() if test.null_hypothesis == null)
        yield f"{names}: the null hypothesis is {null}"
    for name, test in tests.items():
        if test.caution:
            yield f"{name} is {test.caution}"
    for name in tests:
        if not any("Monte Carlo" in contrast.test_results[name].method for contrast in contrasts):
            continue
        num_resamples = options.num_resamples_of(name, num_hypotheses)
        num_needed = options.num_resamples_needed(name, num_hypotheses)
        if num_resamples < num_needed:
            yield (
                f"{name}: with {num_resamples} resamples no p can be small enough to be "
                f"significant among {count_text(num_hypotheses, 'hypothesis', 'hypotheses')}; at "
                f"least {num_needed} are needed"
            )
        elif options.resamples is None and num_resamples == num_needed:
            yield (
                f"{name}: {num_resamples} resamples, so that one of {num_hypotheses} hypotheses "
                "can be rejected"
            )


def notes_by_contrast(
    contrasts: Sequence[Contrast], options: CompareOptions, num_hypotheses: int
) -> Iterator[str]:
    """The notes on each contrast, under its name."""
    for contrast in contrasts:
        for line in _contrast_notes(contrast, options, num_hypotheses):
            yield f"{contrast.name}: {line}"


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
            pairs = count_text(num_pairs, "pair")
            yield f"{count} of {pairs} {'has' if count == 1 else 'have'} {words}"
    yield from _few_topic_notes(contrast, options, num_hypotheses)
    # tests assume of differences what these may not be: of one variance, symmetric
    names = [name for name in options.tests if TESTS[name].assumes_equal_variances]
    if names:
        yield from pair_variance_ratios(contrast.score_matrix).warnings(names)
    tests = list(contrast.results_by_test_done)
    yield from few_topics_warnings(contrast.score_matrix, contrast.run_pairs, tests)
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
    differences = mean_and_sd_of_differences(contrast.contributions, contrast.run_pairs)
    most_topics = int(differences.nonzero.max(initial=0))
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


# --- The result, and its rows ---


class ComparedRuns(Result):
    """What all comparisons give: rows of runs, of pairs and of topics, as pandas frames too."""

    def mean_rows(self) -> Iterator[Row]:
        """A row for each class, measure and run, the best run first."""
        raise NotImplementedError

    def pair_rows(self) -> Iterator[Row]:
        """A row for each class, measure and pair."""
        raise NotImplementedError

    def topic_difference_rows(self) -> Iterator[Row]:
        """A row for each class, measure, pair and topic, the largest gain first."""
        raise NotImplementedError

    @property
    def pair_verdicts(self) -> Sequence[Sequence[PairVerdict]]:
        """For each class and measure what may be said of each pair, in the order of the pairs."""
        raise NotImplementedError

    def verdict_rows(self) -> Iterator[Row]:
        """A row for each class, measure and pair, in the order of the pairs.

        `class`, `measure`, `run` and `against`: the first is the better run, or the one whose mean
        is better. `verdict`: "better", "equal", "cannot be decided" or "not decided"; `words`, a
        sentence; `difference`, positive where `run` is better, with `low`, `high`, `p`, `n` topics
        and `s`, the standard deviation that the test used; `detectable`, the difference that these
        topics detect; `topics_needed` for `asked_difference`, with `topics_needed_low` and
        `topics_needed_high`.
        """
        for verdicts in self.pair_verdicts:
            for verdict in verdicts:
                yield verdict.row()

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row for each class, measure and pair: what may be said of it (`verdict_rows`)."""
        return _frame_of(self.verdict_rows())

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings that are no notes: what makes the scores doubtful, that runs lack topics."""
        return tuple(each for each in self.warnings if each.kind != GENERAL_NOTE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides these, a line each."""
        return tuple(str(each) for each in self.warnings if each.kind == GENERAL_NOTE)

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best run first."""
        return _frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair; what tests found is in `p_moderated` ..."""
        return _frame_of(map(flat_pair_row, self.pair_rows()))

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic, the largest gain first."""
        return _frame_of(self.topic_difference_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs


@record
class Comparison(ComparedRuns, HasPaperTable):
    """Runs compared under one or several measures.

    `print` and notebooks show what `irev compare` does; `verdicts`, `means`, `pairs`, `by_topic`
    and `anova` are pandas frames, `to_frame()` that of the pairs.

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
    paper_by: ClassVar[str] = "irev.jobs.compare.paper:paper_document"

    def _subject(self) -> str:
        runs, measures = ", ".join(self.table.run_names), ", ".join(self.table.measure_names)
        return f"{runs} by {measures} on {count_text(len(self.table.topics), 'topic')}"

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
        counts["ci"] = options.interval_resamples
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

    @cached_property
    def pair_verdicts(self) -> Sequence[Sequence[PairVerdict]]:
        """For each class and measure what may be said of each pair, in the order of the pairs."""
        run_names, count = self.table.run_names, self.num_hypotheses
        return [
            list(pair_verdicts(contrast, decisions, run_names, self.options, count))
            for contrast, decisions in zip(self.contrasts, self.decisions, strict=True)
        ]

    def mean_rows(self) -> Iterator[Row]:
        """The runs, the best mean first.

        `class`, `measure`, `run`, `topics` (how many, n), `mean`, `sd` (by n - 1, of what the
        topics contribute), `low`, `high`, `groups` (of all pairs), what was asked of each run
        beside, and `missing_as_zero`, how many of the topics the run lacks, which count as 0.
        """
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            num_missing = _num_missing_by_run(self.table, contrast)
            _, sd = column_means_and_sds(contrast.score_matrix)
            for run in contrast.run_order.tolist():
                row: Row = {
                    "class": contrast.class_name,
                    "measure": contrast.measure,
                    "run": self.table.run_names[run],
                    "topics": len(contrast.topics),
                    "mean": float(contrast.means.mean[run]),
                    "sd": float(sd[run]),
                    "low": float(contrast.means.low[run]),
                    "high": float(contrast.means.high[run]),
                }
                if contrast.run_groups:
                    row["groups"] = contrast.run_groups[run]
                for name, values in decisions.runs.items():
                    row[name] = None if np.isnan(values[run]) else float(values[run])
                row["missing_as_zero"] = num_missing[run]
                yield row

    def pair_rows(self) -> Iterator[Row]:
        """The pairs, each with `tests`: name -> p, corrected p, whether significant, and more.

        `class`, `measure`, `run` and `against`, `mean` and `mean_against`, `difference` with `low`
        and `high`, the deviation `s` of the differences, the effect sizes `d_z`, `g_z` and, with an
        HSD test, `es_hsd`, `n` topics, `wins`, `ties`, `losses`, and how many topics either run
        lacks, `missing_as_zero` and `missing_as_zero_against`; then what was asked of each pair
        beside. At the end the `verdict`, the `better_run`, None where none is, and its `words`.
        """
        verdicts = chain.from_iterable(self.pair_verdicts)
        for row, verdict in zip(self.tested_pair_rows(), verdicts, strict=True):
            yield row | verdict_facts(verdict)

    def tested_pair_rows(self) -> Iterator[Row]:
        """The same without the verdicts."""
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            paired, signs, names = contrast.paired, contrast.signs, self.table.run_names
            num_missing = _num_missing_by_run(self.table, contrast)
            means = contrast.means.mean
            for place, (first, second) in enumerate(contrast.run_pairs.places()):
                row: Row = {
                    "class": contrast.class_name,
                    "measure": contrast.measure,
                    "run": names[first],
                    "against": names[second],
                    "mean": float(means[first]),
                    "mean_against": float(means[second]),
                    "difference": float(paired.mean[place]),
                    "low": float(contrast.difference_intervals.low[place]),
                    "high": float(contrast.difference_intervals.high[place]),
                    "s": float(paired.sd[place]),
                    "d_z": float(paired.d_z[place]),
                    "g_z": float(paired.g_z[place]),
                }
                if contrast.effect_hsd is not None:
                    row["es_hsd"] = float(contrast.effect_hsd[place])
                row |= {
                    "n": len(contrast.topics),
                    "wins": int(signs.wins[place]),
                    "ties": int(signs.ties[place]),
                    "losses": int(signs.losses[place]),
                    "missing_as_zero": num_missing[first],
                    "missing_as_zero_against": num_missing[second],
                }
                for name, values in decisions.pairs.items():
                    row[name] = float(values[place])
                yield {**row, "tests": _test_facts(contrast, place, self.options.alpha)}

    def topic_difference_rows(self) -> Iterator[Row]:
        """For each pair the topics by their difference, gains first and losses last.

        Equal differences are in the order of the topics' ids. `class`, `measure`, `run`, `against`,
        `topic`, `score`, `score_against`, `difference`.
        """
        for contrast in self.contrasts:
            scores = self.table.scores(contrast.measure)[contrast.topic_mask]
            scale = scale_of(scores)
            for first, second in contrast.run_pairs.places():
                difference = zero_noise(scores[:, first] - scores[:, second], scale)
                order = order_by_gain(difference, lower_is_better=contrast.lower_is_better)
                for topic in order.tolist():
                    yield {
                        "class": contrast.class_name,
                        "measure": contrast.measure,
                        "run": self.table.run_names[first],
                        "against": self.table.run_names[second],
                        "topic": as_text(contrast.topics[topic]),
                        "score": float(scores[topic, first]),
                        "score_against": float(scores[topic, second]),
                        "difference": float(difference[topic]),
                    }

    def anova_rows(self) -> Iterator[Row]:
        """The two-way analysis of variance: runs, topics, error.

        `class`, `measure`, `source`, `ss`, `df`, `ms`, `f`, `p`, `partial_omega_2` and
        `partial_eta_2`.
        """
        names = ("ss", "df", "ms", "f", "p", "partial_omega_2", "partial_eta_2")
        for contrast in self.contrasts:
            anova = two_way_anova(contrast.score_matrix)
            error = (anova.ss_error, anova.df_error, anova.ms_error, None, None, None, None)
            for source, values in (
                ("runs", [getattr(anova.runs, name) for name in names]),
                ("topics", [getattr(anova.topics, name) for name in names]),
                ("error", error),
            ):
                yield {
                    "class": contrast.class_name,
                    "measure": contrast.measure,
                    "source": source,
                    **dict(zip(names, values, strict=True)),
                }

    @property
    def anova(self) -> pd.DataFrame:
        """Three rows for each class and measure: runs, topics, error."""
        return _frame_of(self.anova_rows())

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


def _num_missing_by_run(table: ScoreTable, contrast: Contrast) -> list[int]:
    """For each run how many topics of a contrast it lacks."""
    topics = set(contrast.topics)
    return [len(topics.intersection(entry.missing)) for entry in table.runs]


def _test_facts(contrast: Contrast, pair_index: int, alpha: float) -> dict[str, dict[str, Any]]:
    """What each test found for a pair; the p of a test that is corrected in itself is None."""
    facts_by_test = {}
    for name, result in contrast.results_by_test_done.items():
        corrected = float(result.corrected[pair_index])
        facts: dict[str, Any] = {
            "p": None if result.p is None else float(result.p[pair_index]),
            "corrected": corrected,
            "significant": corrected <= alpha,
        }
        if result.method:
            facts["method"] = result.method[pair_index]
        facts |= {fact: values[pair_index] for fact, values in result.facts.items()}
        facts_by_test[name] = facts
    return facts_by_test


def verdict_facts(verdict: PairVerdict) -> Row:
    """What the row of a pair has of its verdict, in this order."""
    is_better = verdict.decision == "better"
    return {
        "verdict": verdict.decision,
        "better_run": verdict.evidence.run if is_better else None,
        "words": verdict.words,
    }


def flat_pair_row(pair_row: Row) -> Row:
    """The row of a pair with what its tests found in columns of its own: `p_moderated` ..."""
    row: Row = {}
    for name, value in pair_row.items():
        if name != "tests":
            row[name] = value
            continue
        row |= {
            fact if fact.endswith(f"_{test}") else f"{fact}_{test}": found
            for test, facts in value.items()
            for fact, found in facts.items()
        }
    return row


def _frame_of(rows: Iterator[Row]) -> pd.DataFrame:
    """The rows as a frame, a column for each name."""
    import pandas as pd

    return pd.DataFrame(list(rows))
