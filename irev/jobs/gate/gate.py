"""A gate: whether a run may pass, by limits on its means and on topics, and by a baseline.

`gate` finds the two sides, judges each limit and each comparison, and gives a `GateReport`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from irev.core.arrays import TopicsByRuns, TopicValues
from irev.core.option_records import MeasureRange
from irev.core.record import record
from irev.core.text import as_bytes, count_that_is, shortened_list
from irev.engine.score_runs import score_runs
from irev.errors import MismatchError, Notice, UsageError
from irev.jobs.gate.options import GateOptions
from irev.jobs.result import Result
from irev.jobs.score_job import score_job
from irev.measures.naming.resolve import (
    lower_is_better,
    matching_columns,
    mean_bounds_or_infinite,
    resolve_names,
)
from irev.options import ScoringOptions
from irev.read.inputs import path_of
from irev.scores.saved import read_saved
from irev.scores.scores import MISSING_TOPIC
from irev.scores.signature import ComparisonSignature, comparison_signature, hash_of_topics
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.differences import (
    NEAR,
    Tail,
    mean_and_sd_of_differences,
    order_by_gain,
    pair_differences,
    pairs_with_baselines,
    same_difference_p_values,
    scale_of,
    zero_noise,
)
from irev.statistics.methods import (
    INTERVALS,
    TESTS,
    InferenceSettings,
    correct_p,
    difference_intervals,
)
from irev.statistics.variance import detectable_difference
from irev.statistics.verdicts import POWER, Evidence, PairVerdict, verdict_of

Outcome = Literal["passed", "failed", "undecided"]

TEST_OF_TWO_RUNS = TESTS["t"]
"""There are no other runs that could say how much differences vary."""

MOST_WORST = 10
"""How many topics with drops are named."""


@record(eq=True)
class TopicDrop:
    """How far a run is from its baseline on a topic, run minus baseline.

    Under a least score there is no baseline, and the difference is run minus that score.
    """

    topic: bytes
    run: float
    baseline: float | None
    difference: float


@record(eq=True)
class OneSided:
    """One-sided tests of a mean difference d, run minus baseline, at a tolerance.

    num_topics   n
    sd           of the differences
    low, high    d is at least `low`, and at most `high`, with confidence 1 - alpha each; infinite
                 where every topic has the same difference and the range of the measure is not known
    p_worse      of the test whose null is d >= -tolerance (d <= tolerance where lower is better)
    p_not_worse  of the test whose null is d <= -tolerance (d >= tolerance)
    p_corrected  p_worse, corrected for the number of comparisons
    detectable   the smallest drop that is found to be beyond the tolerance with power 0.8
    decidable    the smallest tolerance at which a run that is as good passes with power 0.8; both
                 NaN where every topic has the same difference
    constant     every topic has the same difference: p is that of as many equal signs
    """

    num_topics: int
    sd: float
    low: float
    high: float
    p_worse: float
    p_not_worse: float
    p_corrected: float
    detectable: float
    decidable: float
    constant: bool


@record(eq=True)
class Verdict:
    """What one gate says.

    kind        a limit's side, that the run is set against a baseline, or that it lacks topics; of
                gates on single topics the least score, or the tolerance
    measure     as it is called by who asked for it; "topics" of those that are missing
    topic_class the class of topics; empty for all of them
    outcome     of this gate
    num_topics  how many the means divide by; how many the gate looks at one by one
    value       of the run, on single topics that of the worst; how many topics it lacks
    bound       the limit, or what the baseline has there
    difference  value minus bound
    tolerance   how far the value may lie below the baseline; None for a limit
    lower_is_better  whether the value may lie so far above the baseline, not below
    test        where there is one
    worst       the topics with the largest drops, the worst first; under a least score the lowest,
                and at least all that fail
    reason      why there is no test though one was asked for
    topics      of a gate on single topics, all that it looks at, in their order
    failed_topics  those of them that fail, the worst first
    pair        what may be said of the run and its baseline, as `compare` says it: two-sided
    """

    kind: Literal["min", "max", "baseline", "missing", "topic-min", "topic-tolerance"]
    measure: str
    topic_class: str
    outcome: Outcome
    num_topics: int
    value: float
    bound: float
    difference: float
    tolerance: float | None = None
    lower_is_better: bool = False
    test: OneSided | None = None
    worst: tuple[TopicDrop, ...] = ()
    reason: str = ""
    topics: tuple[TopicDrop, ...] = ()
    failed_topics: tuple[bytes, ...] = ()
    pair: PairVerdict | None = None

    @property
    def name(self) -> str:
        """What the gate is called: `min ndcg@10`, `baseline map [short]`."""
        return f"{self.kind} {self.measure}" + (
            f" [{self.topic_class}]" if self.topic_class else ""
        )


@record
class GateReport(Result):
    """All verdicts on a run.

    options    the limits, and how the run is compared with its baseline
    verdicts   one for each limit, each measure that is compared, and missing topics
    table      all that was measured, on all topics
    run_index  which run of the table is judged
    baseline   what it was set against, if anything
    means      printed name -> the run's mean, for all that was measured
    notes      what a reader must know, a line each
    golden_topics  those that limits of single topics are for; None: all
    """

    options: GateOptions
    verdicts: tuple[Verdict, ...]
    table: ScoreTable
    run_index: int
    baseline: RunInfo | None
    means: dict[str, float]
    notes: tuple[str, ...] = ()
    golden_topics: tuple[bytes, ...] | None = None

    shown_by: ClassVar[str] = "irev.jobs.gate.document:gate_document"

    @property
    def run(self) -> RunInfo:
        """The run that is judged."""
        return self.table.runs[self.run_index]

    @property
    def signature(self) -> ComparisonSignature:
        """What the verdicts were made of: the scores, both runs, the limits and the options."""
        limits = [
            f"{v.kind}:{v.measure}={v.bound}"
            for v in self.verdicts
            if v.kind in ("min", "max", "topic-min")
        ]
        choices = {}
        for name in (
            "max_missing",
            "tolerance",
            "topic_tolerance",
            "alpha",
            "undecided",
            "correction",
        ):
            if getattr(self.options, name) is not None:
                choices[name] = getattr(self.options, name)
        choices["limits"] = list(dict.fromkeys(limits))
        if self.golden_topics is not None:
            choices["golden_topics"] = hash_of_topics(self.golden_topics)
        runs = {
            each.name: (each.signature and each.signature.run) or each.sha256
            for each in (self.run, self.baseline)
            if each is not None
        }
        return replace(comparison_signature(self.table, choices), runs=runs)

    @property
    def num_comparisons(self) -> int:
        """How many comparisons with the baseline there are."""
        return sum(verdict.kind == "baseline" for verdict in self.verdicts)

    def blocks(self, verdict: Verdict) -> bool:
        """Whether a verdict keeps the run from passing."""
        undecided = verdict.outcome == "undecided" and self.options.undecided == "fail"
        return verdict.outcome == "failed" or undecided

    @property
    def outcome(self) -> Outcome:
        """Of all together: failed if one is, else undecided if one is and must not be."""
        blocking = [verdict.outcome for verdict in self.verdicts if self.blocks(verdict)]
        if not blocking:
            return "passed"
        return "failed" if "failed" in blocking else "undecided"

    def _subject(self) -> str:
        return f"{self.run.name}: {self.outcome}"


@score_job(GateOptions, needs=lambda options: () if options.alpha is None else ("scipy",))
def gate(table: ScoreTable, options: GateOptions) -> GateReport:
    """Let a run pass or fail, by limits on its means and by a baseline.

    Every judged topic counts; one that a run lacks counts as 0. Where there are classes of topics,
    each gate is also judged on the topics of each class.

    Args:
        table: the scores.
        options: the record `GateOptions`, whose fields are keywords, too.

    Returns:
        The verdicts; `passed` where the run may pass.

    Raises:
        TypeError: there is no such option.
        UsageError: an option or a measure that makes no sense here; no limit and no baseline.
        InputError: an input that cannot be read.
        MismatchError: scores that are not comparable; a run of which nothing is judged.
    """
    for doubt in table.doubts:
        if doubt.kind in ("nothing-judged", "nothing-met"):
            raise MismatchError(str(doubt), doubt.kind)
    sides = _gate_sides(table, options)
    limits = [
        *(Limit("min", measure, bound) for measure, bound in options.min.items()),
        *(Limit("max", measure, bound) for measure, bound in options.max.items()),
    ]
    topic_limits = [Limit("topic-min", *pair) for pair in options.topic_min.items()]
    for limit in (*limits, *topic_limits):
        _check_range(limit, options.measure_ranges)
    compared_columns: list[str] = []
    if sides.compared is not None:
        names = options.compared_measures_or_default(table.requested, table.measure_names)
        printed = (_printed_names(name, sides.compared, options) for name in names)
        compared_columns = [*dict.fromkeys(chain.from_iterable(printed))]
        _check_tolerances(compared_columns, options)
    golden_topics = load_golden_topics(options.golden_topics, table.topics)
    verdicts = [
        _limit_verdict(class_table, topic_class, limit, sides.run_index, options)
        for limit in limits
        for topic_class, class_table in _class_tables(table)
    ]
    if sides.compared is not None:
        comparisons = [
            baseline_verdict(class_table, column, sides.pair, options, topic_class=topic_class)
            for column in compared_columns
            for topic_class, class_table in _class_tables(sides.compared)
        ]
        verdicts += correct_verdicts(comparisons, options)
    # classes have no gates on single topics of their own, since each topic has its
    topics = golden_topics or table.topics
    for limit in topic_limits:
        column = _limited_column_name(limit, table, options)
        verdicts.append(least_score_verdict(table, column, sides.run_index, limit.bound, topics))
    if sides.compared is not None and options.topic_tolerance is not None:
        verdicts += [
            topic_drop_verdict(sides.compared, column, sides.pair, options.topic_tolerance, topics)
            for column in compared_columns
        ]
    verdicts += _missing_topics_verdicts(sides, options)
    _refuse_level_that_no_grade_reaches(table, verdicts)
    report = GateReport(
        options=options,
        verdicts=tuple(verdicts),
        table=table,
        run_index=sides.run_index,
        baseline=None if sides.compared is None else sides.compared.runs[sides.pair[1]],
        means={name: _run_summary(table, name, sides.run_index) for name in table.measure_names},
        notes=(*sides.notes, *_judged_share_notes(sides)),
        warnings=sides.warnings,
        golden_topics=golden_topics,
    )
    return report if report.outcome == "passed" else replace(report, exit_code=1)


_JUDGED_APART = 0.1
"""Shares of judged documents that are so far apart make a difference that need not be one."""


def _judged_share_notes(sides: GateSides) -> Iterator[str]:
    """Whether the run and its baseline are judged differently well."""
    if sides.compared is None:
        return
    share, baseline_share = (sides.compared.runs[index].judged_at_10 for index in sides.pair)
    if share is None or baseline_share is None:
        return
    if abs(share - baseline_share) > _JUDGED_APART:
        yield (
            f"of the first 10 documents {share:.0%} are judged, of the baseline's "
            f"{baseline_share:.0%}; what is not judged counts as not relevant"
        )


def _refuse_level_that_no_grade_reaches(table: ScoreTable, verdicts: Sequence[Verdict]) -> None:
    """Refuse a gate whose scores are all 0 because no document is relevant: it measures nothing."""
    unreached = [doubt for doubt in table.doubts if doubt.kind == "below-level"]
    names = {each.measure for each in verdicts} & {*table.measure_names}
    if unreached and names and not any(table.scores(name).any() for name in names):
        raise MismatchError(
            f"{unreached[0]}, so that no document is relevant and the gate would measure nothing"
        )


class GateSides(NamedTuple):
    """What the limits and the comparison look at.

    limited    the scores under all measures; the run is its run `run_index`
    compared   those of the run and the baseline, by the indices `pair`; None without a baseline
    notes      what a reader must know, a line each
    warnings   warnings that scores may mislead
    """

    limited: ScoreTable
    run_index: int
    compared: ScoreTable | None
    pair: tuple[int, int]
    notes: tuple[str, ...]
    warnings: tuple[Notice, ...]


def _gate_sides(table: ScoreTable, options: GateOptions) -> GateSides:
    """Find the run and its baseline, and see to it that they can be compared."""
    if options.baseline is None:
        run_index = _single_index(table, [*range(len(table.runs))])
        return GateSides(table, run_index, None, (0, 0), table.notes, table.doubts)
    both, notes = table, table.notes
    if options.has_saved_baseline:
        run_index = _single_index(table, [*range(len(table.runs))])
        names = options.compared_measures_or_default(table.requested, table.measure_names)
        single = replace(table, requested=(), warnings=())  # those of the run are told already
        both = score_runs(
            None, [single, options.baseline], names, options.base_record(ScoringOptions)
        )
        notes = tuple(dict.fromkeys((*notes, *both.notes)))
        if len(both.runs) < 2:
            raise UsageError(f"{options.baseline} has none of the measures: {', '.join(names)}")
        baseline_index = _single_index(
            both, _run_indices_of_input(both, 1), path_of(options.baseline)
        )
        pair = (_single_index(both, [*{0, 1} - {baseline_index}]), baseline_index)
    elif len(table.runs) == 1 and options.is_own_baseline(table.runs[0].path):
        run_index, pair = 0, (0, 0)
    else:
        name = options.baseline
        # in a table the baseline is the run of that name, else the one given second
        if name in table.run_names and name not in [run.path for run in table.runs]:
            baseline_index = table.run_names.index(name)
        else:
            baseline_index = _single_index(table, _run_indices_of_input(table, 1))
        others = [*{*range(len(table.runs))} - {baseline_index}]
        run_index = _single_index(table, others)
        pair = (run_index, baseline_index)
    doubts = (each for each in table.doubts if each.kind != MISSING_TOPIC)
    unused = [each for each in both.warnings if each.kind == "unused-option"]
    warnings = tuple(dict.fromkeys((*doubts, *unused, *both.missing_topic_warnings)))
    return GateSides(table, run_index, both, pair, notes, warnings)


def _run_indices_of_input(table: ScoreTable, input_index: int) -> list[int]:
    return [index for index, run in enumerate(table.runs) if run.input_index == input_index]


def _single_index(table: ScoreTable, run_indices: list[int], source: str = "") -> int:
    if len(run_indices) != 1:
        paths = dict.fromkeys(filter(None, (table.runs[index].path for index in run_indices)))
        source = source or ", ".join(paths)
        if not source:  # scores in memory
            names = [table.run_names[index] for index in run_indices]
            raise UsageError(
                f"a gate takes the scores of one run, not of {len(names)} "
                f"({shortened_list(names)}); another can be the --baseline"
            )
        if os.path.isfile(source):
            names = [each.runs[0].name for each in read_saved(source)]
        else:
            names = [table.run_names[index] for index in run_indices]
        hint = f": name one, {source}[{names[0]}]" if names and len(paths) == 1 else ""
        raise UsageError(
            f"{source} holds the scores of {len(run_indices)} runs, expected one"
            f" ({shortened_list(names)}){hint}"
        )
    return run_indices[0]


# --- Limits ---


class Limit(NamedTuple):
    """The least, or the most, that the mean of a measure may be, or its score on a topic."""

    side: Literal["min", "max", "topic-min"]
    measure: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value is within; one that equals the bound is, but for rounding."""
        slack = NEAR * max(1.0, abs(self.bound))
        if self.side == "min":
            return value >= self.bound - slack
        return value <= self.bound + slack


def _check_range(limit: Limit, ranges: Sequence[MeasureRange]) -> None:
    """Refuse a limit that a measure cannot reach, or that holds whatever the run."""
    low, high = _range_of_measure(limit.measure, ranges)
    if limit.bound <= high and (limit.bound >= low or limit.side != "max"):
        return
    is_percent = high == 1 < limit.bound <= 100
    hint = f"; write --{limit.side} {limit.measure}={limit.bound / 100:.4g}" if is_percent else ""
    raise UsageError(
        f"--{limit.side} {limit.measure}={limit.bound:g}: {limit.measure} is from {low:g} to "
        f"{high:g}{hint}"
    )


def _range_of_measure(measure: str, ranges: Sequence[MeasureRange]) -> tuple[float, float]:
    """The least and the greatest value of a measure; endless where nobody knows."""
    try:
        requests = resolve_names([measure])
    except UsageError:
        requests = []  # a column of saved scores
    by_measure = {each.measure: each for each in ranges}
    range_by_user = by_measure.get(measure, None if requests else by_measure.get(""))
    if range_by_user is not None:
        return range_by_user.low, range_by_user.high
    bounds = [request.measure.bounds for request in requests] or [(-math.inf, math.inf)]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _check_tolerances(measures: Iterable[str], options: GateOptions) -> None:
    """Refuse a tolerance that no drop of any measure exceeds, such as one in percent."""
    ranges = {measure: _range_of_measure(measure, options.measure_ranges) for measure in measures}
    widest = max(ranges, key=lambda measure: ranges[measure][1] - ranges[measure][0])
    low, high = ranges[widest]
    for option, tolerance in (
        ("--tolerance", options.tolerance),
        ("--topic-tolerance", options.topic_tolerance or 0.0),
    ):
        if tolerance > high - low:
            is_percent = high - low == 1 and tolerance <= 100
            hint = f"; write {option} {tolerance / 100:.4g}" if is_percent else ""
            raise UsageError(
                f"{option} {tolerance:g}: {widest} is from {low:g} to {high:g}, so that no drop is "
                f"larger{hint}"
            )


def _limit_verdict(
    table: ScoreTable, topic_class: str, limit: Limit, run_index: int, options: GateOptions
) -> Verdict:
    column_name = _limited_column_name(limit, table, options)
    value = _run_summary(table, column_name, run_index)
    return Verdict(
        kind=limit.side,
        measure=column_name,
        topic_class=topic_class,
        outcome="passed" if limit.holds(value) else "failed",
        num_topics=len(table.topics),
        value=value,
        bound=limit.bound,
        difference=value - limit.bound,
    )


def _limited_column_name(limit: Limit, table: ScoreTable, options: GateOptions) -> str:
    column_names = _printed_names(limit.measure, table, options)
    if len(column_names) > 1:
        raise UsageError(
            f"--{limit.side} {limit.measure}: this names {len(column_names)} measures: name one"
        )
    return column_names[0]


def _printed_names(measure: str, table: ScoreTable, options: GateOptions) -> list[str]:
    """The printed names that a measure's name stands for."""
    columns = matching_columns(measure, table.columns, options)
    if not columns:
        raise UsageError(f"{measure} has no values by topic: it cannot be gated")
    return [column.name for column in columns]


def _run_summary(table: ScoreTable, column_name: str, run_index: int) -> float:
    """The summary of a measure, as an evaluation prints it: a sum for counts of documents."""
    if table.column(column_name).average == "sum":
        return float(np.cumsum(table.scores(column_name)[:, run_index])[-1])
    return float(table.means(column_name)[run_index])


def _missing_topics_verdicts(sides: GateSides, options: GateOptions) -> Iterator[Verdict]:
    """Whether the run has the topics that it must have; nothing where nobody limits that."""
    table, (run_index, baseline_index) = sides.compared or sides.limited, sides.pair
    run = table.runs[run_index if sides.compared else sides.run_index]
    missing = set(run.missing)
    if options.max_missing is None:
        missing -= set(table.runs[baseline_index].missing) if sides.compared else missing
        if not missing:
            return
    else:
        # also those that it lacks and that are left out, so that they count for neither side
        missing |= set(run.left_out)
    num_missing, max_missing = float(len(missing)), float(options.max_missing or 0)
    yield Verdict(
        kind="missing",
        measure="topics",
        topic_class="",
        outcome="passed" if num_missing <= max_missing else "failed",
        num_topics=len(table.topics) + len(table.left_out),
        value=num_missing,
        bound=max_missing,
        difference=num_missing - max_missing,
    )


def _class_tables(table: ScoreTable) -> Iterator[tuple[str, ScoreTable]]:
    """All topics, then each class of them by its name."""
    yield "", table
    for name in table.classes or ():
        yield name, table.select_class(name)


def baseline_verdict(
    table: ScoreTable,
    column_name: str,
    run_and_baseline_indices: tuple[int, int],
    options: GateOptions,
    *,
    topic_class: str = "",
) -> Verdict:
    """The verdict on the means of a run and its baseline, and the topics that dropped most.

    Without alpha a run fails whose mean lies more than the tolerance below. With alpha it fails
    where the one-sided interval of the mean difference says so: its upper end lies below
    -tolerance. It passes where the lower end does not. Otherwise the verdict is open. Where every
    topic has the same difference, p decides, and equal scores on all topics pass. Of a measure
    that is better where it is lower, all this is said of its negative: a rise is the drop.

    Args:
        table: the scores.
        column_name: of the measure, as printed.
        run_and_baseline_indices: the indices of the run and of the baseline.
        options: the tolerance and alpha; `correct_verdicts` does what there is to correct.
        topic_class: the class that the topics are of.
    """
    means = table.means(column_name)[list(run_and_baseline_indices)]
    is_lower_better = lower_is_better(table.column(column_name))
    scores = table.linearised_score_matrix(column_name)[:, list(run_and_baseline_indices)] * (
        -1.0 if is_lower_better else 1.0
    )
    difference = float(zero_noise(means[0] - means[1], scale_of(scores)))
    gain = -difference if is_lower_better else difference
    least_gain = -options.tolerance - NEAR * max(scale_of(scores), options.tolerance)
    verdict = Verdict(
        kind="baseline",
        measure=column_name,
        topic_class=topic_class,
        outcome="failed" if gain < least_gain else "passed",
        num_topics=len(table.topics),
        value=float(means[0]),
        bound=float(means[1]),
        difference=difference,
        tolerance=options.tolerance,
        lower_is_better=is_lower_better,
        worst=_worst_drops(table, column_name, run_and_baseline_indices, is_lower_better),
    )
    if options.alpha is None:
        return verdict
    if verdict.num_topics < 2:
        return replace(verdict, outcome="undecided", reason="one topic is too few for a test")
    bounds = mean_bounds_or_infinite(
        table.column(column_name), table.scores(column_name), are_estimates=table.is_estimated
    )
    width = bounds[1] - bounds[0]
    test = _one_sided_test(scores, gain, options, table.df, width)
    outcome = _outcome_of_test(test, scores, options.alpha, least_gain)
    if is_lower_better:
        test = replace(test, low=-test.high, high=-test.low)
    names = [table.run_names[index] for index in run_and_baseline_indices]
    evidence = _evidence(verdict, names, scores, gain, options, table.df, width)
    return replace(verdict, outcome=outcome, test=test, pair=verdict_of(evidence))


def _evidence(
    verdict: Verdict,
    names: Sequence[str],
    run_and_baseline_scores: TopicsByRuns,
    gain: float,
    options: GateOptions,
    df: float | None,
    width: float,
) -> Evidence:
    """What the two-sided t test found of the run and its baseline; higher scores are better."""
    pair, test = pairs_with_baselines(2, [1]), TEST_OF_TWO_RUNS
    alpha, tolerance = options.alpha or 0.0, options.tolerance
    settings = InferenceSettings(alpha=alpha, df=df)

    def p_of(shift: float, tail: Tail) -> float:
        shifted = run_and_baseline_scores + np.array([shift, 0.0])
        return float(test.compute(shifted, pair, settings._replace(tail=tail)).corrected[0])

    interval = difference_intervals(
        test, INTERVALS["t"], run_and_baseline_scores, pair, settings, width
    )
    sd = float(mean_and_sd_of_differences(run_and_baseline_scores, pair).sd[0])
    return Evidence(
        run=names[0],
        against=names[1],
        measure=verdict.measure,
        difference=gain,
        low=float(interval.low[0]),
        high=float(interval.high[0]),
        sd=sd,
        num_topics=verdict.num_topics,
        p=p_of(0.0, "two-sided"),
        num_differing=int(np.count_nonzero(pair_differences(run_and_baseline_scores, pair))),
        is_constant=not sd and gain != 0,
        df=df,
        alpha=alpha,
        class_name=verdict.topic_class,
        lower_is_better=verdict.lower_is_better,
        width=width,
        margin=tolerance or None,
        p_equal=max(p_of(tolerance, "greater"), p_of(-tolerance, "less")),
        topics_of_weight=None if df is None else df + 1,
    )


def _outcome_of_test(
    test: OneSided, scores: TopicsByRuns, alpha: float, least_gain: float
) -> Outcome:
    if test.constant:
        if test.p_worse <= alpha:
            return "failed"
        is_equal = not pair_differences(scores, pairs_with_baselines(2, [1])).any()
        return "passed" if is_equal or test.p_not_worse <= alpha else "undecided"
    if test.high < least_gain:
        return "failed"
    return "passed" if test.low >= least_gain else "undecided"


def _one_sided_test(
    run_and_baseline_scores: TopicsByRuns,
    mean_gain: float,
    options: GateOptions,
    df: float | None,
    width: float,
) -> OneSided:
    """The tests at the tolerance; `width`: of the range of the measure."""
    tolerance, alpha = options.tolerance, options.alpha or 0.0
    # a difference of -tolerance becomes 0, which is what the tests test against
    raised = run_and_baseline_scores + np.array([tolerance, 0.0])
    pair = pairs_with_baselines(2, [1])
    test, interval = TEST_OF_TWO_RUNS, INTERVALS["t"]
    below = InferenceSettings(tail="less", alpha=alpha, df=df)
    above = below._replace(tail="greater")
    p_worse, p_not_worse = (
        float(test.compute(raised, pair, settings).corrected[0]) for settings in (below, above)
    )
    differences = mean_and_sd_of_differences(raised, pair)
    num_topics, mean, sd = len(raised), differences.mean[0], float(differences.sd[0])
    if sd:
        low = mean_gain - float(mean - interval.compute(raised, pair, above).low[0])
        high = mean_gain + float(interval.compute(raised, pair, below).high[0] - mean)
        drop = detectable_difference(num_topics, sd, alpha, 1 - POWER, "less")
    else:
        from_below, from_above = (
            difference_intervals(test, interval, run_and_baseline_scores, pair, settings, width)
            for settings in (above, below)
        )
        low, high = float(from_below.low[0]), float(from_above.high[0])
        drop = math.nan
        if mean == 0 and mean_gain:
            # the drop is the tolerance itself, which is not worse
            p_not_worse = float(
                same_difference_p_values(np.ones(1), (df or num_topics - 1) + 1, "greater")[0]
            )
    return OneSided(
        num_topics=num_topics,
        sd=sd,
        low=low,
        high=high,
        p_worse=p_worse,
        p_not_worse=p_not_worse,
        p_corrected=p_worse,
        detectable=tolerance + drop,
        decidable=drop,
        constant=not sd,
    )


def _worst_drops(
    table: ScoreTable,
    column_name: str,
    run_and_baseline_indices: tuple[int, int],
    is_lower_better: bool,
) -> tuple[TopicDrop, ...]:
    scores = table.scores(column_name)[:, list(run_and_baseline_indices)]
    differences = zero_noise(scores[:, 0] - scores[:, 1], scale_of(scores))
    order = order_by_gain(differences, lower_is_better=not is_lower_better)[:MOST_WORST].tolist()
    return tuple(
        TopicDrop(
            table.topics[row],
            float(scores[row, 0]),
            float(scores[row, 1]),
            float(differences[row]),
        )
        for row in order
        if (differences[row] > 0 if is_lower_better else differences[row] < 0)
    )


def correct_verdicts(verdicts: Sequence[Verdict], options: GateOptions) -> list[Verdict]:
    """The verdicts with p-values corrected: where a drop is no longer significant, it is open."""
    tests = [verdict.test for verdict in verdicts if verdict.test is not None]
    if options.correction == "none" or options.alpha is None or not tests:
        return list(verdicts)
    p = correct_p(np.array([test.p_worse for test in tests]), options.correction).tolist()
    pairs = [verdict.pair.evidence for verdict in verdicts if verdict.pair is not None]
    p_of_pairs, p_equal = (
        correct_p(np.array(values), options.correction).tolist()
        for values in ([pair.p for pair in pairs], [pair.p_equal for pair in pairs])
    )
    corrected = []
    for verdict in verdicts:
        if verdict.pair is not None:
            evidence = verdict.pair.evidence._replace(
                p=p_of_pairs.pop(0), p_equal=p_equal.pop(0), num_hypotheses=len(pairs)
            )
            verdict = replace(verdict, pair=verdict_of(evidence))
        if verdict.test is not None:
            test = replace(verdict.test, p_corrected=p.pop(0))
            is_open = verdict.outcome == "failed" and test.p_corrected > options.alpha
            outcome: Outcome = "undecided" if is_open else verdict.outcome
            verdict = replace(verdict, test=test, outcome=outcome)
        corrected.append(verdict)
    return corrected


# --- Single topics ---


def load_golden_topics(
    topics_or_path: str | os.PathLike[str] | Sequence[bytes | str] | None,
    judged_topics: Sequence[bytes],
) -> tuple[bytes, ...] | None:
    """The golden topics in byte order; None where there is no list.

    Raises:
        InputError: the file cannot be read.
        MismatchError: a topic that is not judged.
        UsageError: the list is empty.
    """
    if topics_or_path is None:
        return None
    source = "the list of golden topics"
    if isinstance(topics_or_path, str | os.PathLike):
        from irev.read.topic_files import read_topic_ids

        source = os.fspath(topics_or_path)
        topics = read_topic_ids(source)
    else:
        topics = tuple(sorted(set(map(as_bytes, topics_or_path))))
    if not topics:
        raise UsageError("the list of golden topics is empty")
    unjudged = sorted(set(topics).difference(judged_topics))
    if unjudged:
        raise MismatchError(
            f"{source}: {count_that_is(len(unjudged), 'golden topic')} not among the judged "
            f"topics: {shortened_list(unjudged)}"
        )
    return topics


def least_score_verdict(
    table: ScoreTable,
    column_name: str,
    run_index: int,
    bound: float,
    topic_ids: Sequence[bytes],
) -> Verdict:
    """Whether a run has at least a score on each of some topics; one that it lacks has 0."""
    scores = table.scores(column_name)[_rows_of_topics(table, topic_ids), run_index]
    margins = zero_noise(scores - bound, max(1.0, abs(bound)))
    drops = [
        TopicDrop(topic, score, None, margin)
        for topic, score, margin in zip(topic_ids, scores.tolist(), margins.tolist(), strict=True)
    ]
    verdict = _verdict_on_topics("topic-min", column_name, drops, margins, 0.0, MOST_WORST)
    return replace(verdict, bound=bound)


def topic_drop_verdict(
    table: ScoreTable,
    column_name: str,
    run_and_baseline_indices: tuple[int, int],
    tolerance: float,
    topic_ids: Sequence[bytes],
) -> Verdict:
    """Whether none of some topics is more than the tolerance worse than in the baseline."""
    scores = table.scores(column_name)[_rows_of_topics(table, topic_ids)][
        :, run_and_baseline_indices
    ]
    differences = zero_noise(scores[:, 0] - scores[:, 1], scale_of(scores))
    drops = [
        TopicDrop(topic, run, baseline, difference)
        for topic, (run, baseline), difference in zip(
            topic_ids, scores.tolist(), differences.tolist(), strict=True
        )
    ]
    is_lower_better = lower_is_better(table.column(column_name))
    gains = -differences if is_lower_better else differences
    slack = NEAR * max(scale_of(scores), tolerance)
    num_worst = min(MOST_WORST, int(np.count_nonzero(gains < 0)))
    verdict = _verdict_on_topics(
        "topic-tolerance", column_name, drops, gains, -tolerance - slack, num_worst
    )
    return replace(verdict, tolerance=tolerance, lower_is_better=is_lower_better)


def _rows_of_topics(table: ScoreTable, topic_ids: Sequence[bytes]) -> list[int]:
    row_of_topic = {topic: row for row, topic in enumerate(table.topics)}
    return [row_of_topic[topic] for topic in topic_ids]


def _verdict_on_topics(
    kind: Literal["topic-min", "topic-tolerance"],
    measure: str,
    drops: Sequence[TopicDrop],
    gains: TopicValues,
    least_gain: float,
    num_worst: int,
) -> Verdict:
    """Whether all topics gain as much as they must; so many of the worst, and all that fail.

    A topic whose score is not defined fails: nothing shows that it holds.
    """
    defined = np.where(np.isnan(gains), -np.inf, gains)
    order = np.argsort(defined, kind="stable").tolist()
    worst = [drops[row] for row in order]
    failed_topics = tuple(drops[row].topic for row in order if defined[row] < least_gain)
    return Verdict(
        kind=kind,
        measure=measure,
        topic_class="",
        outcome="failed" if failed_topics else "passed",
        num_topics=len(drops),
        value=worst[0].run,
        bound=float(worst[0].baseline or 0.0),
        difference=worst[0].difference,
        worst=tuple(worst[: max(num_worst, len(failed_topics))]),
        topics=tuple(drops),
        failed_topics=failed_topics,
    )
