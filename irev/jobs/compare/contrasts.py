"""The comparison under one measure, on all topics or on a class of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    PairValues,
    RunIndices,
    RunOrPairValues,
    TopicIndices,
    TopicMask,
    TopicsByRuns,
    TopicsByRunsOrPairs,
)
from irev.core.record import record
from irev.core.text import as_text
from irev.core.wording import count_text, list_beginning
from irev.core.workers import default_threads
from irev.errors import MismatchError, UsageError
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.statistics.decisions import (
    DRAWS,
    POWER,
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
    order_by_gain,
    pair_differences,
    pairs_with_baselines,
    scale_of,
    zero_noise,
)
from irev.statistics.families import (
    difference_mask,
    group_labels,
    max_t,
    order_by_mean,
    places_by_letter_group,
    tukey_hsd,
)
from irev.statistics.intervals import Intervals, column_means_and_sds, fit_to_range
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    DoneTest,
    PValues,
    correct_p,
    difference_intervals,
    simultaneous_intervals,
)
from irev.statistics.prediction_powered import PoweredMeans, TwiceJudged, prediction_powered
from irev.statistics.significance_tests import PairedT, Signs, paired_t, sign_test
from irev.statistics.variance import two_way_anova
from irev.writers.document import Head, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.jobs.compare.comparison import CompareOptions
    from irev.scores.table import ScoreTable
    from irev.statistics.methods import InferenceSettings
    from irev.writers.document import Cell


# --- The comparison under one measure, on all topics or on a class of them ---


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


# --- What is asked of pairs besides significance: equality within a margin, chances, risk ---


@record
class DecisionColumns:
    """What was found for S runs and P pairs under a measure, by name of the column.

    pairs  float64[P] each
    runs   float64[S] each
    """

    pairs: Mapping[str, Floats]
    runs: Mapping[str, Floats]


def margins_chances_and_risks(
    table: ScoreTable, contrasts: Sequence[Contrast], options: CompareOptions
) -> tuple[DecisionColumns, ...]:
    """What is asked of each contrast's pairs; each kind of p is corrected over all contrasts."""
    if options.risk and table.weights is not None:
        raise UsageError("risk counts topics equally: leave out --risk or --topic-weights")
    pairs: list[dict[str, Floats]] = [{} for _ in contrasts]
    runs: list[dict[str, Floats]] = [{} for _ in contrasts]
    num_hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    for contrast, pair_values, run_values in zip(contrasts, pairs, runs, strict=True):
        # whatever the measure, higher is better here
        upward_score_matrix = (
            -contrast.score_matrix if contrast.lower_is_better else contrast.score_matrix
        )
        pair_values |= _margin_columns(upward_score_matrix, contrast, options, num_hypotheses)
        pair_values |= _chance_columns(upward_score_matrix, contrast, options)
        has_shares = not contrast.lower_is_better and bool((contrast.score_matrix >= 0).all())
        by_n = options.risk_sd == "n"
        for aversion in options.risk:
            if options.baselines:
                pair_values[f"urisk({aversion:g})"] = u_risk(
                    upward_score_matrix, contrast.run_pairs, aversion
                )
                pair_values[f"trisk({aversion:g})"] = t_risk(
                    upward_score_matrix, contrast.run_pairs, aversion, divides_by_n=by_n
                )
            none = np.full(upward_score_matrix.shape[1], np.nan)
            run_values[f"zrisk({aversion:g})"] = (
                z_risk(upward_score_matrix, aversion) if has_shares else none
            )
            run_values[f"georisk({aversion:g})"] = (
                geo_risk(upward_score_matrix, aversion) if has_shares else none
            )
    for name in ("p_equivalent", "p_not_worse"):
        _correct_column(pairs, name, decision_correction(options))
    return tuple(map(DecisionColumns, pairs, runs))


def decision_correction(options: CompareOptions) -> str:
    """That of the options, where it corrects any p; else Holm's."""
    return options.correction if CORRECTIONS[options.correction].function else "holm"


def _margin_columns(
    upward_score_matrix: TopicsByRuns,
    contrast: Contrast,
    options: CompareOptions,
    num_hypotheses: int,
) -> dict[str, PairValues]:
    if options.margin is None:
        return {}
    sharing_alpha = 1 if options.correction == "none" else num_hypotheses
    equality = equivalence(
        upward_score_matrix, contrast.run_pairs, options.margin, options.alpha, contrast.df,
        sharing_alpha,
    )  # fmt: skip
    return {
        "p_equivalent": equality.p_equal,
        "p_equivalent_corrected": equality.p_equal,
        "p_not_worse": equality.p_not_worse,
        "p_not_worse_corrected": equality.p_not_worse,
        "equal_within": equality.within,
        "detectable": equality.detectable,
    }


def _chance_columns(
    upward_score_matrix: TopicsByRuns, contrast: Contrast, options: CompareOptions
) -> dict[str, PairValues]:
    if options.better_by is None:
        return {}
    chances = bayesian_bootstrap(
        upward_score_matrix, contrast.run_pairs, options.better_by,
        num_resamples=options.resamples or DRAWS, seed=options.seed, threads=options.threads,
    )  # fmt: skip
    return {"better": chances.better, "equal": chances.equal, "worse": chances.worse}


def _correct_column(
    pair_columns: Sequence[dict[str, PairValues]], name: str, correction: str
) -> None:
    """Add the corrected p of a column, over all contrasts together."""
    parts = [columns[name] for columns in pair_columns if name in columns]
    if not parts:
        return
    corrected_p = correct_p(np.concatenate(parts), correction)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    for columns, corrected in zip(pair_columns, np.split(corrected_p, ends), strict=True):
        columns[f"{name}_corrected"] = corrected


# For people


_HEADS = {"p_equivalent_corrected": "p equivalent", "p_not_worse_corrected": "p not worse",
          "equal_within": "equal within", "better": "P(better)", "equal": "P(equal)",
          "worse": "P(worse)"}  # fmt: skip
_UNCORRECTED = ("p_equivalent", "p_not_worse")
"""p that are not corrected: for machines."""


def decisions_by_pair_table(
    rows: Sequence[Row], decisions: DecisionColumns, alpha: float
) -> Table | None:
    """A row for each pair; None where nothing was asked of pairs."""
    names = [name for name in decisions.pairs if name not in _UNCORRECTED]
    if not names:
        return None
    heads = [Head("run", "text"), Head("against", "text"), Head("difference")]
    for name in names:
        is_p = name.startswith("p_")
        heads += [Head(_HEADS.get(name, name), "p" if is_p else "number"), *[Head("")] * is_p]
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Any] = [row["run"], row["against"], row["difference"]]
        for name in names:
            value: Any = row[name]
            mark = ["*" if value <= alpha else ""] if name.startswith("p_") else []
            line += [value, *mark]
        cells.append(line)
    return Table(heads, cells)


def decision_lines(
    table: ScoreTable, options: CompareOptions, num_hypotheses: int, is_moderated: bool
) -> Iterator[str]:
    """What the columns of the decisions say, a line each; they stand beside the p of tests."""
    if options.margin is not None:
        over = CORRECTIONS[decision_correction(options)].title
        yield (
            f"margin {options.margin:g}: p equivalent (two one-sided t tests, TOST) and p not "
            f"worse (non-inferiority), each over "
            f"{count_text(num_hypotheses, 'hypothesis', 'hypotheses')}, {over}"
        )
        level = f"alpha {options.alpha:g}"
        if num_hypotheses > 1 and options.correction != "none":
            level += f" / {num_hypotheses}"
        yield (
            "equal within: the smallest margin for which a pair is equivalent, not corrected; "
            "detectable: the smallest difference that a two-sided t test of these topics finds "
            f"with a chance of {POWER:.0%} at {level}"
        )
        if is_moderated:
            yield (
                "p equivalent, p not worse, equal within and detectable are of plain paired t "
                "tests, whose variances are not moderated"
            )
    if options.better_by is not None:
        num_draws = options.resamples or DRAWS
        yield (
            f"P(better), P(worse): by more than {options.better_by:g}, by the Bayesian bootstrap "
            f"of topics; {num_draws} draws, seed {options.seed}: two standard errors are at most "
            f"{num_draws**-0.5:.4f}; no correction"
        )
        yield (
            "the draws know no differences but those of these topics, so a P of 1 or 0 is not "
            "certain; where the difference is the same on all topics, there is no P"
        )
    if options.risk:
        yield from _risk_lines(table, options)


def _risk_lines(table: ScoreTable, options: CompareOptions) -> Iterator[str]:
    if options.baselines:
        yield (
            "urisk(a): the mean difference from the baseline, each loss counted 1 + a times; "
            "trisk(a): urisk over its standard error, which is no test of equal means unless a is 0"
        )
    yield (
        f"zrisk(a), georisk(a): among these {count_text(len(table.runs), 'run')}; with other "
        "runs they change"
    )
    falling = [column.name for column in table.columns if lower_is_better(column)]
    if falling:
        yield f"zrisk and georisk need higher to be better: none for {', '.join(falling)}"


# --- The prediction-powered estimates of runs and of their differences, for a measure and a c ---


LEAST_TOPICS = 10
"""With fewer topics judged by people no interval is given."""


@record
class Estimates:
    """What is estimated for S runs and P pairs under a measure.

    class_name       the class of topics; empty for all
    measure          its printed name
    topics           ids of the n topics judged by people, in byte order
    human_scores     float64[n, S], by people
    model_scores     float64[n, S], of the same topics by the model
    lower_is_better  whether lower scores are better
    run_order        int64[S]: the runs, the best estimate first
    run_pairs        the pairs, in the order they are shown
    means            of the runs
    pairs            of the differences, the first run minus the second
    corrected        float64[P]: the p of the pairs, corrected over all measures and classes
    """

    class_name: str
    measure: str
    topics: tuple[bytes, ...]
    human_scores: Floats
    model_scores: Floats
    lower_is_better: bool
    run_order: Ints
    run_pairs: RunPairs
    means: PoweredMeans
    pairs: PoweredMeans
    corrected: Floats

    @property
    def name(self) -> str:
        """The measure, and the class where there is one, as notes have them."""
        return f"{self.measure} on {self.class_name}" if self.class_name else self.measure


class TwiceScored(NamedTuple):
    """The scores by people and by the model, and which topics of the model people judged."""

    human: ScoreTable
    model: ScoreTable
    human_indices: Ints


def human_topic_indices(human: ScoreTable, model: ScoreTable) -> TopicIndices:
    """int64[n]: which of all topics those are that people judged."""
    place = {topic: number for number, topic in enumerate(model.topics)}
    lacking = [topic for topic in human.topics if topic not in place]
    if lacking:
        raise MismatchError(
            f"{len(lacking)} of {count_text(len(human.topics), 'topic')} judged by people are "
            "not in the "
            f"judgments of --predicted: {list_beginning(lacking)}"
        )
    n, more = len(human.topics), len(model.topics) - len(human.topics)
    if n < LEAST_TOPICS:
        raise UsageError(f"--predicted needs {LEAST_TOPICS} topics judged by people; there are {n}")
    if more < 2:
        raise UsageError(
            f"--predicted needs two topics that the model alone judged; there are {more}: compare "
            "without --predicted"
        )
    return np.array([place[topic] for topic in human.topics])


def estimate_measures(
    human: ScoreTable, model: ScoreTable, human_indices: TopicIndices, options: CompareOptions
) -> tuple[list[Estimates], list[str]]:
    """The estimates on all topics, then on each class that has enough; and notes on classes."""
    if len(human.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    strata = _strata_by_class(model, human_indices)
    parts = [("", list(strata.values()))]
    notes = []
    for name, topic_mask in strata.items() if len(strata) > 1 else ():
        n = int(np.count_nonzero(topic_mask[human_indices]))
        num_topics = int(np.count_nonzero(topic_mask))
        if n < LEAST_TOPICS or num_topics - n < 2:
            notes.append(
                f"the class {name} has no estimate of its own: {n} of its "
                f"{count_text(num_topics, 'topic')} are judged by people"
            )
        else:
            parts.append((name, [topic_mask]))
    num_pairs = len(compared_pairs(human, np.arange(len(human.runs)), options))
    num_hypotheses = num_pairs * len(parts) * len(human.measure_names)
    scores = TwiceScored(human, model, human_indices)
    estimates = [
        _measure_estimates(class_name, column_index, masks, scores, options, num_hypotheses)
        for class_name, masks in parts
        for column_index in range(len(human.columns))
    ]
    corrected_p = correct_p(
        np.minimum(1.0, np.concatenate([each.pairs.p for each in estimates])), options.correction
    )
    ends = np.cumsum([len(each.run_pairs) for each in estimates])[:-1]
    p_parts = np.split(corrected_p, ends)
    return [replace(e, corrected=p) for e, p in zip(estimates, p_parts, strict=True)], notes


def _strata_by_class(model: ScoreTable, human_indices: TopicIndices) -> dict[str, TopicMask]:
    """Class -> bool[N]; one without a name where topics have no classes."""
    if model.classes is None:
        return {"": np.ones(len(model.topics), bool)}
    times = np.count_nonzero(list(model.classes.values()), axis=0).tolist()
    odd = [t for t, count in zip(model.topics, times, strict=True) if count != 1]
    if odd:
        raise UsageError(
            "--predicted takes classes for strata: each topic must be in one class, unlike "
            f"{list_beginning(odd)}"
        )
    for name, mask in model.classes.items():
        n = int(np.count_nonzero(mask[human_indices]))
        if n < 2:
            raise UsageError(
                f"--predicted needs two topics of each class judged by people; {name} has {n}"
            )
    return dict(model.classes)


def _measure_estimates(
    class_name: str,
    column_index: int,
    strata: Sequence[TopicMask],
    scores: TwiceScored,
    options: CompareOptions,
    num_hypotheses: int,
) -> Estimates:
    """The estimates under a measure, given its number, p not corrected.

    Its name may be another by the model: a scale may end at the highest grade.
    """
    human, human_indices = scores.human, scores.human_indices
    column = human.columns[column_index]
    by_people, by_model = human.values[column_index], scores.model.values[column_index]
    model_alone = np.ones(len(by_model), bool)
    model_alone[human_indices] = False
    is_lower_better = lower_is_better(column)

    def estimate(
        by_people: TopicsByRunsOrPairs, by_model: TopicsByRunsOrPairs, alpha: float, tail: Tail
    ) -> PoweredMeans:
        parts = []
        for mask in strata:
            is_human = mask[human_indices]
            of_both = by_model[human_indices[is_human]]
            parts.append(TwiceJudged(by_people[is_human], of_both, by_model[mask & model_alone]))
        return prediction_powered(
            parts, weight=options.model_weight, target=options.predicted_target,
            level=1 - alpha, tail=tail,
        )  # fmt: skip

    means = estimate(by_people, by_model, options.alpha, "two-sided")
    run_order = order_by_mean(means.mean * (-1 if is_lower_better else 1))
    pairs = compared_pairs(human, run_order, options)
    differences = estimate(
        pair_differences(by_people, pairs), pair_differences(by_model, pairs),
        difference_alpha(options, num_hypotheses),
        swap_tail_if_lower_is_better(options, is_lower_better).tail,
    )  # fmt: skip
    low, high = mean_bounds_or_infinite(column, by_people)
    means = _fit_estimates_to_range(means, low, high, options.alpha)
    differences = _fit_estimates_to_range(
        differences, low - high, high - low, difference_alpha(options, num_hypotheses),
        are_differences=True,
    )  # fmt: skip
    is_human = np.any(strata, axis=0)[human_indices]
    topics = tuple(t for t, keep in zip(human.topics, is_human.tolist(), strict=True) if keep)
    return Estimates(
        class_name, column.name, topics, by_people[is_human], by_model[human_indices[is_human]],
        is_lower_better, run_order, pairs, means, differences, differences.p,
    )  # fmt: skip


def _fit_estimates_to_range(
    estimates: PoweredMeans, low: float, high: float, alpha: float, *, are_differences: bool = False
) -> PoweredMeans:
    """The same with intervals that end at the range of what is estimated; endless ends stay so.

    Where nothing varied they are exact for so many topics as people judged. Differences that are
    all 0 stay 0.
    """

    def fitted(
        mean: RunOrPairValues, se: RunOrPairValues, ends: tuple[RunOrPairValues, RunOrPairValues]
    ) -> Intervals:
        is_constant = (se == 0) & ~(are_differences & (mean == 0))
        level, num_judged = 1 - alpha, estimates.num_judged
        return fit_to_range(Intervals(mean, *ends, level, num_judged, is_constant), low, high)

    powered = fitted(estimates.mean, estimates.se, (estimates.low, estimates.high))
    people = fitted(
        estimates.people, estimates.people_se, (estimates.people_low, estimates.people_high)
    )
    return replace(
        estimates, low=powered.low, high=powered.high, people_low=people.low,
        people_high=people.high,
    )  # fmt: skip


# --- The numbers of a comparison as rows, name -> value: for data formats and tables alike ---


Row = dict[str, object]


def frame_of(rows: Iterator[Row]) -> pd.DataFrame:
    """The rows as a frame, a column for each name."""
    import pandas as pd

    return pd.DataFrame(list(rows))


def mean_rows(
    table: ScoreTable, contrast: Contrast, decisions: DecisionColumns | None = None
) -> Iterator[Row]:
    """The runs, the best mean first.

    `class`, `measure`, `run`, `topics` (how many, n), `mean`, `sd` (by n - 1, of what the
    topics contribute), `low`, `high`, `groups` (of all pairs), what was asked of each run beside,
    and `missing_as_zero`, how many of the topics the run lacks, which count as 0.
    """
    num_missing = _num_missing_by_run(table, contrast)
    _, sd = column_means_and_sds(contrast.score_matrix)
    for run in contrast.run_order.tolist():
        row: Row = {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "run": table.run_names[run],
            "topics": len(contrast.topics),
            "mean": float(contrast.means.mean[run]),
            "sd": float(sd[run]),
            "low": float(contrast.means.low[run]),
            "high": float(contrast.means.high[run]),
        }
        if contrast.run_groups:
            row["groups"] = contrast.run_groups[run]
        for name, values in decisions.runs.items() if decisions else ():
            row[name] = None if np.isnan(values[run]) else float(values[run])
        row["missing_as_zero"] = num_missing[run]
        yield row


def _num_missing_by_run(table: ScoreTable, contrast: Contrast) -> list[int]:
    """For each run how many topics of a contrast it lacks."""
    topics = set(contrast.topics)
    return [len(topics.intersection(entry.missing)) for entry in table.runs]


def pair_rows(
    table: ScoreTable, contrast: Contrast, alpha: float, decisions: DecisionColumns | None = None
) -> Iterator[Row]:
    """The pairs, each with `tests`: name -> p, corrected p, whether significant, and more.

    `class`, `measure`, `run` and `against`, `mean` and `mean_against`, `difference` with `low` and
    `high`, the deviation `s` of the differences, the effect sizes `d_z`, `g_z` and, with an HSD
    test, `es_hsd`, `n` topics, `wins`, `ties`, `losses`, and how many topics either run lacks,
    `missing_as_zero` and `missing_as_zero_against`; then what was asked of each pair beside.
    """
    paired, signs, names = contrast.paired, contrast.signs, table.run_names
    num_missing = _num_missing_by_run(table, contrast)
    means = contrast.means.mean
    for place in range(len(contrast.run_pairs)):
        first, second = int(contrast.run_pairs.first[place]), int(contrast.run_pairs.second[place])
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
        for name, values in decisions.pairs.items() if decisions else ():
            row[name] = float(values[place])
        yield {**row, "tests": test_facts(contrast, place, alpha)}


def test_facts(contrast: Contrast, pair_index: int, alpha: float) -> dict[str, dict[str, Any]]:
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


def flat_pair_row(pair_row: Row) -> Row:
    """The row of a pair with what its tests found in columns of its own: `p_moderated` ..."""
    tests = pair_row["tests"]
    assert isinstance(tests, dict)  # noqa: S101 - rows of pairs have it
    rest = {name: value for name, value in pair_row.items() if name != "tests"}
    return rest | {
        fact if fact.endswith(f"_{test}") else f"{fact}_{test}": value
        for test, facts in tests.items()
        for fact, value in facts.items()
    }


def topic_difference_rows(table: ScoreTable, contrast: Contrast) -> Iterator[Row]:
    """For each pair the topics by their difference, gains first and losses last.

    Equal differences are in the order of the topics' ids. `class`, `measure`, `run`, `against`,
    `topic`, `score`, `score_against`, `difference`.
    """
    scores = table.scores(contrast.measure)[contrast.topic_mask]
    scale = scale_of(scores)
    for first, second in zip(contrast.run_pairs.first, contrast.run_pairs.second, strict=True):
        difference = zero_noise(scores[:, first] - scores[:, second], scale)
        for topic in order_by_gain(difference, lower_is_better=contrast.lower_is_better).tolist():
            yield {
                "class": contrast.class_name,
                "measure": contrast.measure,
                "run": table.run_names[first],
                "against": table.run_names[second],
                "topic": as_text(contrast.topics[topic]),
                "score": float(scores[topic, first]),
                "score_against": float(scores[topic, second]),
                "difference": float(difference[topic]),
            }


def anova_rows(contrast: Contrast) -> Iterator[Row]:
    """The two-way analysis of variance: runs, topics, error.

    `class`, `measure`, `source`, `ss`, `df`, `ms`, `f`, `p`, `partial_omega_2`, `partial_eta_2`.
    """
    anova = two_way_anova(contrast.score_matrix)
    for source, effect in (("runs", anova.runs), ("topics", anova.topics)):
        yield {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "source": source,
            "ss": effect.ss,
            "df": effect.df,
            "ms": effect.ms,
            "f": effect.f,
            "p": effect.p,
            "partial_omega_2": effect.partial_omega_2,
            "partial_eta_2": effect.partial_eta_2,
        }
    yield {
        "class": contrast.class_name,
        "measure": contrast.measure,
        "source": "error",
        "ss": anova.ss_error,
        "df": anova.df_error,
        "ms": anova.ms_error,
        "f": None,
        "p": None,
        "partial_omega_2": None,
        "partial_eta_2": None,
    }
