"""The comparison under one measure, on all topics or on a class of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.record import record
from irev.core.workers import default_threads
from irev.errors import UsageError
from irev.measures.naming.result_columns import lower_is_better, mean_bounds
from irev.statistics.corrections import max_t
from irev.statistics.differences import RunPairs, every_pair, pairs_with_baselines, scale_of
from irev.statistics.hsd import tukey_hsd
from irev.statistics.intervals import Intervals, clip_intervals
from irev.statistics.letters import differing_runs, group_labels, letter_groups, order_by_mean
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, PValues, Tail, correct_p
from irev.statistics.ranks_and_signs import Signs, sign_test
from irev.statistics.t_tests import PairedT, paired_t

if TYPE_CHECKING:
    from irev.jobs.compare.plan import ComparisonPlan
    from irev.scores.table import ScoreTable
    from irev.statistics.methods import InferenceSettings, IntervalMethod


@record
class Contrast:
    """What is known of S runs and P pairs under a measure, on T topics.

    label            the class of topics; empty for all of them
    measure          its printed name
    topics           ids of the T topics, in byte order
    chosen           bool: which of all topics these are
    scores           float64[T, S]: the scores, linearised where topics have weights, so that plain
                     means and deviations of them are those of the weighted means
    contributed      float64[T, S]: the scores times the weights, for tests that count signs
    df               degrees of freedom of t where topics have weights
    lower_is_better  whether lower scores are better
    order            int64[S]: the runs, the best mean first
    means            the means of the runs, with intervals
    run_pairs        the pairs, in the order they are shown
    paired           mean differences and effect sizes
    differences      the mean differences with intervals; `ComparisonPlan.of_differences` says for
                     how many at once
    signs            wins, ties and losses; a win is a better score, which may be the lower one
    effect_hsd       float64[P]: differences over the root of the residual variance; None without
                     HSD
    results          what each test found
    groups           for each run, in their own order, its groups; empty unless all pairs are tested
    """

    label: str
    measure: str
    topics: tuple[bytes, ...]
    chosen: Bools
    scores: Floats
    contributed: Floats
    df: float | None
    lower_is_better: bool
    order: Ints
    means: Intervals
    run_pairs: RunPairs
    paired: PairedT
    differences: Intervals
    signs: Signs
    effect_hsd: Floats | None
    results: Mapping[str, PValues] = field(default_factory=dict)
    groups: tuple[str, ...] = ()


def compared(table: ScoreTable, plan: ComparisonPlan) -> tuple[list[Contrast], list[str]]:
    """A contrast for each measure on all topics, then on each class; and notes."""
    if len(table.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    parts: list[tuple[str, ScoreTable, Bools]] = []
    notes: list[str] = []
    everything = np.ones(len(table.topics), bool)
    for label, chosen in [("", everything), *(table.classes or {}).items()]:
        if label and np.count_nonzero(chosen) < 2:
            notes.append(f"the class {label} is not compared: it has one topic")
            continue
        parts.append((label, table.select_class(label) if label else table, chosen))
    pairs = len(pairs_of(table, np.arange(len(table.runs)), plan))
    hypotheses = pairs * len(parts) * len(table.measure_names)
    contrasts = [
        _measured(label, measure, part, chosen, plan, hypotheses)
        for label, part, chosen in parts
        for measure in part.measure_names
    ]
    return _with_tests(contrasts, plan), notes


def _measured(
    label: str,
    measure: str,
    table: ScoreTable,
    chosen: Bools,
    plan: ComparisonPlan,
    hypotheses: int,
) -> Contrast:
    """A contrast without its tests."""
    column = table.column(measure)
    scores, contributed = table.linearised_scores(measure), table.contributions(measure)
    is_lower_better = lower_is_better(column)
    order = order_by_mean(table.means(measure) * (-1 if is_lower_better else 1))
    family = pairs_of(table, order, plan)
    better, plan = plan.tail, towards(plan, is_lower_better)
    alpha = plan.alpha / hypotheses if plan.of_differences == "bonferroni" else plan.alpha
    paired = paired_t(scores, family, tail=plan.tail, level=1 - alpha, df=table.df)
    interval, bounds = INTERVALS[plan.ci], mean_bounds(column, table.scores(measure))
    settings = plan.settings(plan.resamples or interval.default_resamples)._replace(df=table.df)
    means = means_of(table, measure, plan)
    differences = Intervals(paired.mean, paired.low, paired.high, 1 - alpha)
    if interval.default_resamples:
        differences = _of_differences(interval, scores, family, settings._replace(alpha=alpha))
    width = bounds[1] - bounds[0]
    differences = clip_intervals(differences, -width, width)
    effect = None
    if any(TESTS[test].simultaneous for test in plan.tests):
        effect = tukey_hsd(scores, family, plan.alpha).effect_size
    upward = -contributed if is_lower_better else contributed
    signs = sign_test(upward, family, min_diff=plan.min_diff, tail=better)
    return Contrast(
        label, measure, table.topics, chosen, scores, contributed, table.df, is_lower_better, order,
        means, family, paired, differences, signs, effect,
    )  # fmt: skip


def means_of(table: ScoreTable, measure: str, plan: ComparisonPlan) -> Intervals:
    """The means of the runs with their intervals, which end at the range of the measure."""
    bounds = mean_bounds(table.column(measure), table.scores(measure))
    interval = INTERVALS[plan.ci]
    settings = plan.settings(plan.resamples or interval.default_resamples)._replace(df=table.df)
    return clip_intervals(
        interval.compute(table.linearised_scores(measure), None, settings), *bounds
    )


def towards(plan: ComparisonPlan, lower_is_better: bool) -> ComparisonPlan:
    """The plan whose tail says where scores lie, not which are better."""
    opposite: dict[Tail, Tail] = {"greater": "less", "less": "greater"}
    return plan.replace(tail=opposite.get(plan.tail, plan.tail)) if lower_is_better else plan


def pairs_of(table: ScoreTable, order: Ints, plan: ComparisonPlan) -> RunPairs:
    """All pairs, the better run first; or each run minus each baseline, the best run first."""
    baselines = [table.run_index(name) for name in plan.baselines]
    if len(set(baselines)) < len(baselines):
        raise UsageError(f"two baselines are the same run: {', '.join(plan.baselines)}")
    place = np.argsort(order)
    runs = len(order)
    pairs = pairs_with_baselines(runs, place[baselines].tolist()) if baselines else every_pair(runs)
    return RunPairs(order[pairs.first], order[pairs.second])


def _of_differences(
    interval: IntervalMethod, scores: Floats, pairs: RunPairs, settings: InferenceSettings
) -> Intervals:
    """The intervals of the mean differences; one end is infinite if they are one-sided."""
    if settings.tail == "two-sided":
        return interval.compute(scores, pairs, settings)
    found = interval.compute(scores, pairs, settings._replace(alpha=2 * settings.alpha))
    endless = np.full(len(pairs), np.inf)
    if settings.tail == "greater":
        return replace(found, high=endless)
    return replace(found, low=-endless)


def _with_tests(contrasts: Sequence[Contrast], plan: ComparisonPlan) -> list[Contrast]:
    """The contrasts with what the tests found, corrected over all of them."""
    hypotheses = sum(len(contrast.run_pairs) for contrast in contrasts)
    found: list[dict[str, PValues]] = [{} for _ in contrasts]
    for test in plan.tests:
        resamples = plan.resamples_of(test, hypotheses)
        results = [
            TESTS[test].compute(
                b.contributed if TESTS[test].counts_signs else b.scores, b.run_pairs,
                towards(plan, b.lower_is_better).settings(resamples)._replace(df=b.df),
            )
            for b in contrasts
        ]  # fmt: skip
        if CORRECTIONS[plan.correction].only_test == test:
            results = _max_t(contrasts, results, plan, resamples)
        elif not TESTS[test].simultaneous:
            results = _corrected(results, plan.correction)
        for place, result in enumerate(results):
            found[place][test] = result
    return [
        replace(
            contrast,
            differences=_of_test(contrast, of_contrast[plan.tests[0]], plan),
            results=of_contrast,
            groups=_groups(contrast, of_contrast[plan.tests[0]], plan),
        )
        for contrast, of_contrast in zip(contrasts, found, strict=True)
    ]


def _of_test(contrast: Contrast, result: PValues, plan: ComparisonPlan) -> Intervals:
    """The intervals of the differences: those of the first test, where it has its own."""
    if plan.of_differences != "test":
        return contrast.differences
    low, high = (np.array(result.facts[end]) for end in ("low", "high"))
    return replace(contrast.differences, low=low, high=high)


def _corrected(results: Sequence[PValues], correction: str) -> list[PValues]:
    """The results of one test, corrected together by a function of p alone."""
    every = [result.p for result in results if result.p is not None]
    # numerical noise may leave a p just above 1
    found = correct_p(np.minimum(1.0, np.concatenate(every)), correction)
    parts = np.split(found, np.cumsum([len(p) for p in every])[:-1])
    return [replace(result, corrected=p) for result, p in zip(results, parts, strict=True)]


def _max_t(
    contrasts: Sequence[Contrast], results: Sequence[PValues], plan: ComparisonPlan, resamples: int
) -> list[PValues]:
    """The results with p corrected by maxT, the same signs for all measures and classes.

    Topics outside a class have no difference in its contrast, which leaves its statistic as it is.
    Drawn, a corrected p may fall below an exact one; it is then set to that.
    """
    columns, first, second, start = [], [], [], 0
    for contrast in contrasts:
        contributed = contrast.contributed
        spread = np.zeros((len(contrast.chosen), contributed.shape[1]))
        spread[contrast.chosen] = contributed / scale_of(contributed)
        columns.append(spread)
        first.append(contrast.run_pairs.first + start)
        second.append(contrast.run_pairs.second + start)
        start += spread.shape[1]
    family = RunPairs(np.concatenate(first), np.concatenate(second))
    found = max_t(
        np.hstack(columns), family, num_resamples=resamples, seed=plan.seed,
        threads=plan.threads or default_threads(),
    )  # fmt: skip
    ends = np.cumsum([len(contrast.run_pairs) for contrast in contrasts])[:-1]
    how = "exact" if found.exact else "Monte Carlo"
    return [
        replace(
            result,
            corrected=np.maximum(p, result.corrected),
            facts={**result.facts, "max_t": [how] * len(p)},
        )
        for result, p in zip(results, np.split(found.p, ends), strict=True)
    ]


def _groups(contrast: Contrast, result: PValues, plan: ComparisonPlan) -> tuple[str, ...]:
    if plan.baselines:
        return ()
    runs = len(contrast.order)
    differ = differing_runs(result.corrected, contrast.run_pairs, runs, plan.alpha)
    found = letter_groups(differ, contrast.order)
    names = group_labels(found, runs)
    in_own_order = [""] * runs
    for place, run in enumerate(contrast.order.tolist()):
        in_own_order[run] = names[place]
    return tuple(in_own_order)
