"""The gate itself: its two sides, its limits, and the comparison with a baseline."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from irev.core.text import as_bytes
from irev.core.wording import count_that_is, shortened_list
from irev.engine.score_runs import score_runs
from irev.errors import MismatchError, UsageError
from irev.jobs.gate.options import GateOptions
from irev.jobs.gate.verdicts import (
    MOST_WORST,
    GateReport,
    TopicDrop,
    Verdict,
    baseline_verdict,
    correct_verdicts,
)
from irev.jobs.score_job import score_job
from irev.measures.naming.resolve import lower_is_better, matching_columns, resolve_names
from irev.options import ScoringOptions
from irev.scores.saved import read_saved
from irev.scores.scores import MISSING_TOPIC
from irev.scores.table import path_of
from irev.statistics.differences import NEAR, scale_of, zero_noise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.core.arrays import TopicValues
    from irev.core.bounds import MeasureRange
    from irev.errors import Notice
    from irev.scores.table import ScoreTable


# --- Gates on single topics ---


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
    order, failed_topics = _drops_worst_first_and_failed_ids(drops, margins, 0.0)
    return Verdict(
        kind="topic-min",
        measure=column_name,
        topic_class="",
        outcome="failed" if failed_topics else "passed",
        num_topics=len(drops),
        value=order[0].run,
        bound=bound,
        difference=order[0].difference,
        worst=tuple(order[: max(MOST_WORST, len(failed_topics))]),
        topics=tuple(drops),
        failed_topics=failed_topics,
    )


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
    order, failed_topics = _drops_worst_first_and_failed_ids(drops, gains, -tolerance - slack)
    num_drops = int(np.count_nonzero(gains < 0))
    return Verdict(
        kind="topic-tolerance",
        measure=column_name,
        topic_class="",
        outcome="failed" if failed_topics else "passed",
        num_topics=len(drops),
        value=order[0].run,
        bound=float(order[0].baseline or 0.0),
        difference=order[0].difference,
        tolerance=tolerance,
        lower_is_better=is_lower_better,
        worst=tuple(order[: max(min(MOST_WORST, num_drops), len(failed_topics))]),
        topics=tuple(drops),
        failed_topics=failed_topics,
    )


def _rows_of_topics(table: ScoreTable, topic_ids: Sequence[bytes]) -> list[int]:
    row_of_topic = {topic: row for row, topic in enumerate(table.topics)}
    return [row_of_topic[topic] for topic in topic_ids]


def _drops_worst_first_and_failed_ids(
    drops: Sequence[TopicDrop], gains: TopicValues, least_gain: float
) -> tuple[list[TopicDrop], tuple[bytes, ...]]:
    """All drops, the worst first, and the topics that gain less than they must.

    A topic whose score is not defined fails: nothing shows that it holds.
    """
    defined = np.where(np.isnan(gains), -np.inf, gains)
    order = np.argsort(defined, kind="stable").tolist()
    failed_topics = tuple(drops[row].topic for row in order if defined[row] < least_gain)
    return [drops[row] for row in order], failed_topics


# --- The gate itself: its two sides, its limits, and the comparison with a baseline ---


STOPPED = 1
"""The exit code where the run does not pass."""


@score_job(GateOptions)
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
    if sides.compared is not None:
        _check_tolerances(_compared_column_names(sides.compared, sides, options), options)
    golden_topics = load_golden_topics(options.golden_topics, table.topics)
    verdicts = [
        _limit_verdict(class_table, topic_class, limit, sides.run_index, options)
        for limit in limits
        for topic_class, class_table in _class_tables(table)
    ]
    verdicts += correct_verdicts(list(_uncorrected_baseline_verdicts(sides, options)), options)
    verdicts += _topic_verdicts(sides, options, golden_topics or table.topics)
    missing_verdict = _missing_topics_verdict(sides, options)
    verdicts += [] if missing_verdict is None else [missing_verdict]
    report = GateReport(
        options=options,
        verdicts=tuple(verdicts),
        table=table,
        run_index=sides.run_index,
        baseline=None if sides.compared is None else sides.compared.runs[sides.pair[1]],
        means={name: _run_summary(table, name, sides.run_index) for name in table.measure_names},
        notes=sides.notes,
        warnings=sides.warnings,
        golden_topics=golden_topics,
    )
    return report if report.outcome == "passed" else replace(report, exit_code=STOPPED)


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
    notes = table.notes
    both = table
    if options.has_saved_baseline:
        run_index = _single_index(table, [*range(len(table.runs))])
        names = options.compared_measures_or_default(table.requested, table.measure_names)
        single = replace(table, requested=())
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
        baseline_index = _baseline_index(table, options)
        others = [*{*range(len(table.runs))} - {baseline_index}]
        run_index = _single_index(table, others)
        pair = (run_index, baseline_index)
    doubts = (each for each in table.doubts if each.kind != MISSING_TOPIC)
    unused = [each for each in both.warnings if each.kind == "unused-option"]
    warnings = tuple(dict.fromkeys((*doubts, *unused, *both.missing_topic_warnings)))
    return GateSides(table, run_index, both, pair, notes, warnings)


def _run_indices_of_path(table: ScoreTable, path: object) -> list[int]:
    return [index for index, run in enumerate(table.runs) if run.path == path]


def _baseline_index(table: ScoreTable, options: GateOptions) -> int:
    """Which run is the baseline: in a table that one by its name, else the one given second."""
    name = options.baseline
    if name in table.run_names and not _run_indices_of_path(table, name):
        return table.run_names.index(name)
    return _single_index(table, _run_indices_of_input(table, 1))


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


def _check_range(limit: Limit, ranges: Sequence[MeasureRange]) -> None:
    """Refuse a limit that a measure cannot reach, or that holds whatever the run."""
    low, high = _range_of_measure(limit.measure, ranges) or (-math.inf, math.inf)
    if limit.bound <= high and (limit.bound >= low or limit.side != "max"):
        return
    is_percent = high == 1 < limit.bound <= 100
    hint = f"; write {limit.measure}={limit.bound / 100:.4g}" if is_percent else ""
    raise UsageError(
        f"--{limit.side} {limit.measure}={limit.bound:g}: {limit.measure} is from {low:g} to "
        f"{high:g}{hint}"
    )


def _range_of_measure(measure: str, ranges: Sequence[MeasureRange]) -> tuple[float, float] | None:
    """The least and the greatest value of a measure; None: nobody knows."""
    try:
        requests = resolve_names([measure])
    except UsageError:
        requests = []  # a column of saved scores
    by_measure = {each.measure: each for each in ranges}
    range_by_user = by_measure.get(measure, None if requests else by_measure.get(""))
    if range_by_user is not None:
        return range_by_user.low, range_by_user.high
    if not requests:
        return None
    return (
        min(request.measure.bounds[0] for request in requests),
        max(request.measure.bounds[1] for request in requests),
    )


def _check_tolerances(measures: Iterable[str], options: GateOptions) -> None:
    """Refuse a tolerance that no drop of any measure exceeds, such as one in percent."""
    ranges = {measure: _range_of_measure(measure, options.measure_ranges) for measure in measures}
    widths = {
        measure: math.inf if low_and_high is None else low_and_high[1] - low_and_high[0]
        for measure, low_and_high in ranges.items()
    }
    widest = max(widths, key=widths.__getitem__)
    low, high = ranges[widest] or (-math.inf, math.inf)
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


def _class_tables(table: ScoreTable) -> Iterator[tuple[str, ScoreTable]]:
    """All topics, then each class of them by its name."""
    yield "", table
    for name in table.classes or ():
        yield name, table.select_class(name)


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


def _compared_column_names(
    table: ScoreTable, sides: GateSides, options: GateOptions
) -> dict[str, None]:
    """The printed names of what is compared with the baseline, each once."""
    names = options.compared_measures_or_default(
        sides.limited.requested, sides.limited.measure_names
    )
    return dict.fromkeys(
        column for name in names for column in _printed_names(name, table, options)
    )


def _uncorrected_baseline_verdicts(sides: GateSides, options: GateOptions) -> Iterator[Verdict]:
    table = sides.compared
    if table is None:
        return
    for measure in _compared_column_names(table, sides, options):
        for topic_class, class_table in _class_tables(table):
            yield baseline_verdict(
                class_table, measure, sides.pair, options, topic_class=topic_class
            )


def _topic_verdicts(
    sides: GateSides, options: GateOptions, topic_ids: tuple[bytes, ...]
) -> Iterator[Verdict]:
    """The gates on single topics; classes have none of their own, since each topic has its."""
    for measure, bound in options.topic_min.items():
        limit = Limit("topic-min", measure, bound)
        column_name = _limited_column_name(limit, sides.limited, options)
        yield least_score_verdict(sides.limited, column_name, sides.run_index, bound, topic_ids)
    if sides.compared is not None and options.topic_tolerance is not None:
        for column_name in _compared_column_names(sides.compared, sides, options):
            yield topic_drop_verdict(
                sides.compared, column_name, sides.pair, options.topic_tolerance, topic_ids
            )


def _missing_topics_verdict(sides: GateSides, options: GateOptions) -> Verdict | None:
    """Whether the run has the topics that it must have; None: nobody limits what it lacks."""
    table, (run_index, baseline_index) = sides.compared or sides.limited, sides.pair
    run = table.runs[run_index if sides.compared else sides.run_index]
    missing = set(run.missing)
    if options.max_missing is None:
        missing -= set(table.runs[baseline_index].missing) if sides.compared else missing
        if not missing:
            return None
    else:
        # also those that it lacks and that are left out, so that they count for neither side
        missing |= set(run.left_out)
    num_missing, max_missing = float(len(missing)), float(options.max_missing or 0)
    return Verdict(
        kind="missing",
        measure="topics",
        topic_class="",
        outcome="passed" if num_missing <= max_missing else "failed",
        num_topics=len(table.topics) + len(table.left_out),
        value=num_missing,
        bound=max_missing,
        difference=num_missing - max_missing,
    )


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
