"""The comparison under one measure, on all topics or on a class of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import PairValues, RunIndices, TopicMask, TopicsByRuns
from irev.core.record import record
from irev.core.workers import default_threads
from irev.errors import UsageError
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.statistics.differences import RunPairs, every_pair, pairs_with_baselines, scale_of
from irev.statistics.families import (
    difference_mask,
    group_labels,
    max_t,
    order_by_mean,
    places_by_letter_group,
    tukey_hsd,
)
from irev.statistics.intervals import (
    Intervals,
    difference_intervals,
    fit_to_range,
    simultaneous_intervals,
)
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    DoneTest,
    PValues,
    Tail,
    correct_p,
)
from irev.statistics.significance_tests import PairedT, Signs, paired_t, sign_test

if TYPE_CHECKING:
    from irev.jobs.compare.options import CompareOptions
    from irev.scores.table import ScoreTable
    from irev.statistics.methods import InferenceSettings


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


def contrasts_and_class_notes(
    table: ScoreTable, options: CompareOptions
) -> tuple[list[Contrast], list[str]]:
    """A contrast for each measure on all topics, then on each class; and notes on classes."""
    if len(table.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    parts: list[tuple[str, ScoreTable, TopicMask]] = []
    notes: list[str] = []
    all_topics = np.ones(len(table.topics), bool)
    for class_name, topic_mask in [("", all_topics), *(table.classes or {}).items()]:
        if class_name and np.count_nonzero(topic_mask) < 2:
            notes.append(f"the class {class_name} is not compared: it has one topic")
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
    return _test_contrasts(table, contrasts, options), notes


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
    score_matrix, contributions = (
        class_table.linearised_score_matrix(measure),
        class_table.weighted_score_matrix(measure),
    )
    is_lower_better = lower_is_better(column)
    run_order = order_by_mean(class_table.means(measure) * (-1 if is_lower_better else 1))
    pairs = compared_pairs(class_table, run_order, options)
    oriented = swap_tail_if_lower_is_better(options, is_lower_better)
    alpha = difference_alpha(options, num_hypotheses)
    paired = paired_t(score_matrix, pairs, tail=oriented.tail, level=1 - alpha, df=class_table.df)
    bounds = mean_bounds_or_infinite(
        column, class_table.scores(measure), are_estimates=class_table.is_estimated
    )
    settings = _interval_settings(oriented, class_table.df)._replace(alpha=alpha)
    first_test, interval = TESTS[options.tests[0]], INTERVALS[options.ci]
    differences = difference_intervals(
        first_test, interval, score_matrix, pairs, settings, bounds[1] - bounds[0]
    )
    effect = None
    if any(TESTS[test].simultaneous for test in options.tests):
        effect = tukey_hsd(score_matrix, pairs, options.alpha).effect_size
    upward = -contributions if is_lower_better else contributions
    signs = sign_test(upward, pairs, min_diff=options.min_diff, tail=options.tail)
    return Contrast(
        class_name, measure, class_table.topics, topic_mask, score_matrix, contributions,
        class_table.df, is_lower_better, run_order, run_means(class_table, measure, oriented),
        pairs, paired, differences, signs, effect,
    )  # fmt: skip


def difference_alpha(options: CompareOptions, num_hypotheses: int) -> float:
    """The alpha of the interval of one difference among so many."""
    if options.interval_correction == "bonferroni":
        return options.alpha / num_hypotheses
    return options.alpha


def _interval_settings(options: CompareOptions, df: float | None) -> InferenceSettings:
    num_resamples = options.resamples or INTERVALS[options.ci].default_resamples
    return options.inference_settings(num_resamples)._replace(df=df)


def run_means(table: ScoreTable, measure: str, options: CompareOptions) -> Intervals:
    """The means of the runs with their intervals, which end at the range of the measure."""
    scores = table.scores(measure)
    bounds = mean_bounds_or_infinite(
        table.column(measure), scores, are_estimates=table.is_estimated
    )
    settings = _interval_settings(options, table.df)
    means = INTERVALS[options.ci].compute(table.linearised_score_matrix(measure), None, settings)
    return fit_to_range(means, *bounds)


def swap_tail_if_lower_is_better(options: CompareOptions, is_lower_better: bool) -> CompareOptions:
    """The options whose tail says where scores lie, not which are better."""
    opposite: dict[Tail, Tail] = {"greater": "less", "less": "greater"}
    if is_lower_better and options.tail in opposite:
        return options.replace(tail=opposite[options.tail])
    return options


def compared_pairs(
    table: ScoreTable,
    run_order: RunIndices,
    options: CompareOptions,
) -> RunPairs:
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


def _test_contrasts(
    table: ScoreTable, contrasts: Sequence[Contrast], options: CompareOptions
) -> list[Contrast]:
    """The contrasts with what the tests found, corrected over all of them."""
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    results_by_test: list[dict[str, PValues]] = [{} for _ in contrasts]
    for test in options.tests:
        num_resamples = options.num_resamples_of(test, num_hypotheses)
        results = [_test_contrast(each, test, options, num_resamples) for each in contrasts]
        if CORRECTIONS[options.correction].only_test == test:
            results = _correct_by_max_t(contrasts, results, options, num_resamples)
        elif not TESTS[test].simultaneous:
            results = _correct_results(results, options.correction)
        for by_test, result in zip(results_by_test, results, strict=True):
            by_test[test] = result
    return [
        replace(
            contrast,
            difference_intervals=_tested_intervals(
                table, contrast, by_test[options.tests[0]], options
            ),
            test_results=by_test,
            run_groups=_run_groups(contrast, by_test[options.tests[0]], options),
        )
        for contrast, by_test in zip(contrasts, results_by_test, strict=True)
    ]


def _test_contrast(
    contrast: Contrast, test_name: str, options: CompareOptions, num_resamples: int
) -> PValues:
    """The p of the pairs by a test, not yet corrected over the contrasts."""
    test = TESTS[test_name]
    oriented = swap_tail_if_lower_is_better(options, contrast.lower_is_better)
    settings = oriented.inference_settings(num_resamples)._replace(df=contrast.df)
    score_matrix = contrast.contributions if test.counts_signs else contrast.score_matrix
    return test.compute(score_matrix, contrast.run_pairs, settings)


def _tested_intervals(
    table: ScoreTable, contrast: Contrast, p_values: PValues, options: CompareOptions
) -> Intervals:
    """The intervals of the differences: those of the first test, where it has its own."""
    intervals = contrast.difference_intervals
    if options.interval_correction != "test":
        return intervals
    low, high = mean_bounds_or_infinite(
        table.column(contrast.measure), table.scores(contrast.measure)[contrast.topic_mask],
        are_estimates=table.is_estimated,
    )  # fmt: skip
    num_pairs = len(every_pair(len(table.runs)))
    return simultaneous_intervals(
        intervals.mean, p_values, options.alpha, intervals.num_topics, num_pairs, high - low
    )


def _correct_results(results: Sequence[PValues], correction: str) -> list[PValues]:
    """The results of one test, corrected together by a function of p alone."""
    p_parts = [p_values.p for p_values in results if p_values.p is not None]
    # numerical noise may leave a p just above 1
    corrected_p = correct_p(np.minimum(1.0, np.concatenate(p_parts)), correction)
    parts = np.split(corrected_p, np.cumsum([len(p) for p in p_parts])[:-1])
    return [replace(each, corrected=p) for each, p in zip(results, parts, strict=True)]


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
        np.hstack(columns), RunPairs(np.concatenate(first), np.concatenate(second)),
        num_resamples=num_resamples, seed=options.seed,
        threads=options.threads or default_threads(),
    )  # fmt: skip
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


def _run_groups(contrast: Contrast, p_values: PValues, options: CompareOptions) -> tuple[str, ...]:
    if options.baselines:
        return ()
    num_runs = len(contrast.run_order)
    differ = difference_mask(p_values.corrected, contrast.run_pairs, num_runs, options.alpha)
    labels = group_labels(places_by_letter_group(differ, contrast.run_order), num_runs)
    label_of_run = dict(zip(contrast.run_order.tolist(), labels, strict=True))
    return tuple(label_of_run[run] for run in range(num_runs))
