"""What a gate finds: verdicts, and how one on the drop below a baseline is made."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from irev.core.record import record
from irev.core.text import printable
from irev.core.wording import count_text, shortened_list
from irev.errors import id_text
from irev.jobs.gate.options import GateOptions
from irev.jobs.result import Result
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.read.stream import STDIN
from irev.scores.signature import comparison_signature, hash_of_topics
from irev.statistics.differences import (
    NEAR,
    mean_and_sd_of_differences,
    order_by_gain,
    pair_differences,
    pairs_with_baselines,
    same_difference_p_values,
    scale_of,
    zero_noise,
)
from irev.statistics.methods import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    InferenceSettings,
    correct_p,
    difference_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import TopicsByRuns
    from irev.scores.signature import ComparisonSignature
    from irev.scores.table import RunInfo, ScoreTable


# --- What a gate finds: verdicts, and how one on the drop below a baseline is made ---


Outcome = Literal["passed", "failed", "undecided"]

RULES = ("max_missing", "tolerance", "topic_tolerance", "alpha", "undecided", "correction")
"""The options that a signature names, as far as they are given."""

TEST_OF_TWO_RUNS = "t"
"""There are no other runs that could say how much differences vary."""

POWER = 0.8
"""The power with which the smallest drop is found that a report names."""


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
        values = {name: getattr(self.options, name) for name in RULES}
        choices = {name: value for name, value in values.items() if value is not None}
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


MOST_WORST = 10
"""How many topics with drops are named."""


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
    verdict = Verdict(
        kind="baseline",
        measure=column_name,
        topic_class=topic_class,
        outcome=_outcome_of_means(gain, scores, options),
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
    test = _one_sided_test(scores, gain, options, table.df, bounds[1] - bounds[0])
    outcome = _outcome_of_test(test, scores, options)
    if is_lower_better:
        test = replace(test, low=-test.high, high=-test.low)
    return replace(verdict, outcome=outcome, test=test)


def correct_verdicts(verdicts: Sequence[Verdict], options: GateOptions) -> list[Verdict]:
    """The verdicts with p-values corrected: where a drop is no longer significant, it is open."""
    tests = [verdict.test for verdict in verdicts if verdict.test is not None]
    if options.correction == "none" or options.alpha is None or not tests:
        return list(verdicts)
    p = correct_p(np.array([test.p_worse for test in tests]), options.correction).tolist()
    corrected = []
    for verdict in verdicts:
        if verdict.test is not None:
            test = replace(verdict.test, p_corrected=p.pop(0))
            is_open = verdict.outcome == "failed" and test.p_corrected > options.alpha
            outcome: Outcome = "undecided" if is_open else verdict.outcome
            verdict = replace(verdict, test=test, outcome=outcome)
        corrected.append(verdict)
    return corrected


def _outcome_of_means(mean_gain: float, scores: TopicsByRuns, options: GateOptions) -> Outcome:
    slack = NEAR * max(scale_of(scores), options.tolerance)
    return "failed" if mean_gain < -options.tolerance - slack else "passed"


def _outcome_of_test(test: OneSided, scores: TopicsByRuns, options: GateOptions) -> Outcome:
    slack = NEAR * max(scale_of(scores), options.tolerance)
    if test.constant:
        alpha = options.alpha or 0.0
        if test.p_worse <= alpha:
            return "failed"
        is_equal = not pair_differences(scores, pairs_with_baselines(2, [1])).any()
        return "passed" if is_equal or test.p_not_worse <= alpha else "undecided"
    if test.high < -options.tolerance - slack:
        return "failed"
    return "passed" if test.low >= -options.tolerance - slack else "undecided"


def _one_sided_test(
    run_and_baseline_scores: TopicsByRuns,
    mean_gain: float,
    options: GateOptions,
    df: float | None,
    width: float,
) -> OneSided:
    """The tests at the tolerance; `width`: of the range of the measure."""
    from irev.statistics.variance import detectable_difference

    tolerance, alpha = options.tolerance, options.alpha or 0.0
    # a difference of -tolerance becomes 0, which is what the tests test against
    raised = run_and_baseline_scores + np.array([tolerance, 0.0])
    pair = pairs_with_baselines(2, [1])
    test, interval = TESTS[TEST_OF_TWO_RUNS], INTERVALS["t"]
    below, above = (
        InferenceSettings(tail=tail, alpha=alpha, df=df) for tail in ("less", "greater")
    )
    p_worse, p_not_worse = (
        float(test.compute(raised, pair, settings).corrected[0]) for settings in (below, above)
    )
    differences = mean_and_sd_of_differences(raised, pair)
    sd, num_topics, mean = (
        float(differences.sd[0]),
        len(run_and_baseline_scores),
        differences.mean[0],
    )
    low, high = (
        mean_gain - float(mean - interval.compute(raised, pair, above).low[0]),
        mean_gain + float(interval.compute(raised, pair, below).high[0] - mean),
    )
    drop = math.nan
    if sd:
        drop = detectable_difference(num_topics, sd, alpha, 1 - POWER, "less")
    else:
        low, high = (
            float(end[0])
            for end in (
                difference_intervals(
                    test, interval, run_and_baseline_scores, pair, above, width
                ).low,
                difference_intervals(
                    test, interval, run_and_baseline_scores, pair, below, width
                ).high,
            )
        )
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


# --- What a gate's report says in words ---


TEST = f"one-sided {TESTS[TEST_OF_TWO_RUNS].phrase}"


def headline(report: GateReport) -> str:
    """One line: `FAILED: 2 of 3 gates`."""
    outcomes = [verdict.outcome for verdict in report.verdicts]
    if not outcomes:
        return "PASSED: there are no gates"
    count = f"{outcomes.count(report.outcome)} of {count_text(len(outcomes), 'gate')}"
    is_open = "undecided" in outcomes and report.outcome != "undecided"
    also = f", {outcomes.count('undecided')} undecided" if is_open else ""
    return f"{report.outcome.upper()}: {count}{also}"


def verdict_sentence(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """What a verdict says, on one line."""
    if verdict.kind == "missing":
        return _missing_topics_sentence(verdict, report)
    if verdict.kind in ("topic-min", "topic-tolerance"):
        return _topics_sentence(verdict, report, decimals)
    measure = verdict.measure + (f" [{verdict.topic_class}]" if verdict.topic_class else "")
    bound = verdict.bound
    if verdict.kind != "baseline":
        value = number_text(verdict.value, decimals, bound)
        side = "at least" if verdict.kind == "min" else "at most"
        return f"{measure} is {value}, must be {side} {plain_number(bound)}"
    drop = verdict.difference
    position = (
        "equals" if drop == 0 else f"is {number_text(abs(drop), decimals, verdict.tolerance)} "
    )
    if drop:
        position += "below" if drop < 0 else "above"
    return (
        f"{measure} is {number_text(verdict.value, decimals)}, which {position} the "
        f"{number_text(bound, decimals)} of {baseline_name(report)}; tolerance "
        f"{plain_number(verdict.tolerance or 0.0)}"
        + (" (lower is better)" if verdict.lower_is_better else "")
    )


def _missing_topics_sentence(verdict: Verdict, report: GateReport) -> str:
    count, topics = int(verdict.value), count_text(verdict.num_topics, "topic")
    if report.options.max_missing is None:
        return (
            f"the run lacks {count} of {topics}, which {baseline_name(report)} has; "
            f"--max-missing {count} allows it"
        )
    return f"the run lacks {count} of {topics}, at most {int(verdict.bound)} allowed"


def _topics_sentence(verdict: Verdict, report: GateReport, decimals: int) -> str:
    """How many topics fail, and which; on a pass the worst."""
    golden = "" if report.golden_topics is None else "golden "
    topics = count_text(verdict.num_topics, f"{golden}topic")
    if verdict.kind == "topic-min":
        limit = f"below {plain_number(verdict.bound)}"
    else:
        side = "above" if verdict.lower_is_better else "below"
        limit = f"more than {plain_number(verdict.tolerance or 0.0)} {side} {baseline_name(report)}"
    num_failed = len(verdict.failed_topics)
    if num_failed:
        are = "is" if num_failed == 1 else "are"
        return (
            f"{verdict.measure} of {num_failed} of {topics} {are} {limit}: "
            f"{shortened_list(verdict.failed_topics)}"
        )
    worst = (
        f"; the lowest is {number_text(verdict.value, decimals, verdict.bound)}, "
        f"{id_text(verdict.worst[0].topic)}"
        if verdict.kind == "topic-min"
        else ""
    )
    return f"{verdict.measure} of none of {topics} is {limit}{worst}"


def topic_sentence(drop: TopicDrop, verdict: Verdict, decimals: int) -> str:
    """What a gate on single topics says of one of them."""
    value = number_text(drop.run, decimals, verdict.bound)
    if drop.baseline is None:
        return f"{verdict.measure} is {value}, must be at least {plain_number(verdict.bound)}"
    allowed = verdict.tolerance or 0.0
    change = number_text(
        drop.difference, decimals, allowed if verdict.lower_is_better else -allowed
    )
    return (
        f"{verdict.measure} is {number_text(drop.run, decimals)}, the baseline has "
        f"{number_text(drop.baseline, decimals)}: {change}; tolerance {plain_number(allowed)}"
        + (" (lower is better)" if verdict.lower_is_better else "")
    )


def comparison_lines(verdict: Verdict, report: GateReport, decimals: int) -> Iterator[str]:
    """How a comparison was made, a line each."""
    if verdict.kind != "baseline":
        return
    topics = f"n = {count_text(verdict.num_topics, 'topic')}"
    alpha = report.options.alpha
    if verdict.test is None or alpha is None:
        yield f"{topics}; no test" + (f": {verdict.reason}" if verdict.reason else "")
        return
    test = verdict.test
    yield (f"{TEST}s, {topics}, {_correction_phrase(report)}; {_p_value_text(test, report)}")
    level = plain_number(100 * (1 - alpha))
    edge = report.options.tolerance if verdict.lower_is_better else -report.options.tolerance
    yield (
        f"the difference is at most {number_text(test.high, decimals, edge)} and at "
        f"least {number_text(test.low, decimals, edge)}, each with {level}% confidence"
    )
    if test.constant:
        yield (
            f"the difference is the same on every topic: p is the chance that all "
            f"{verdict.num_topics} signs are equal"
            if verdict.difference
            else "the scores are the same on every topic"
        )
    else:
        worse = "rise" if verdict.lower_is_better else "drop"
        yield (
            f"a {worse} of {number_text(test.detectable, decimals)} or more would have been found "
            f"with power {POWER:g}"
        )
    if test.decidable > report.options.tolerance:
        yield (
            f"there are too few topics for a tolerance of "
            f"{plain_number(report.options.tolerance)}: a run that is equally good "
            f"passes with power {POWER:g} if the tolerance is at least "
            f"{number_text(test.decidable, decimals)}"
        )


def _correction_phrase(report: GateReport) -> str:
    count, correction = report.num_comparisons, report.options.correction
    phrase = "each by itself" if correction == "none" else CORRECTIONS[correction].phrase
    return "1 comparison" if count == 1 else f"{count} comparisons, {phrase}"


def _p_value_text(test: OneSided, report: GateReport) -> str:
    worse = f"p = {test.p_worse:.3g}"
    if report.options.correction != "none":
        worse += f" (corrected {test.p_corrected:.3g})"
    return f"worse: {worse}; not worse: p = {test.p_not_worse:.3g}"


def report_facts(report: GateReport) -> Iterator[tuple[str, str]]:
    """What the whole stands on: (what, text)."""
    topics = report.table.topics
    weighted = ", weighted" if report.table.weights is not None else ""
    counted = f"{len(topics)}{weighted}; a judged topic that a run lacks counts as 0"
    if report.table.common_topics_text:
        counted = f"{report.table.common_topics_text}{weighted}"
    yield "topics", counted
    for side, run_info in (("run", report.run), ("baseline", report.baseline)):
        if run_info is None:
            continue
        yield side, _shown_run_name(run_info)
        lacked = run_info.missing or run_info.left_out
        if lacked:
            num_topics = len(topics) + len(report.table.left_out)
            yield (
                f"{side} lacks",
                f"{len(lacked)} of {count_text(num_topics, 'topic')}: "
                f"{', '.join(map(id_text, lacked))}{'' if run_info.missing else ' (left out)'}",
            )
        if run_info.signature is not None:
            yield f"{side} signature", run_info.signature.short
        if run_info.note:
            yield f"{side} note", printable(run_info.note)
    yield "signature", report.signature.short


def baseline_name(report: GateReport) -> str:
    """What the baseline is called."""
    return _shown_run_name(report.baseline) if report.baseline else ""


def _shown_run_name(run_info: RunInfo) -> str:
    """The name as it can be shown: nothing in it ends a line, on which a CI system may act."""
    return printable(run_info.name if run_info.path != STDIN else "standard input")


def number_text(value: float, decimals: int, bound: float | None = None) -> str:
    """A number with some decimals; with all where fewer would hide on which side of another it is.

    A mean of 0.39996 is not below 0.4 for who reads 0.4000.
    """
    if not math.isfinite(value):
        return "-"
    text = f"{value:.{decimals}f}"
    if bound is not None and value != bound and (float(text) < bound) != (value < bound):
        return repr(value)
    return text


def plain_number(number: float) -> str:
    """A number as a person writes it: 0.4, 10."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
