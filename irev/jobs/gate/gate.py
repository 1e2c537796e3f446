"""The gate itself: its two sides, its limits, and the comparison with a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.core.record import record
from irev.core.text import parse_decimal
from irev.engine.score_runs import missing_topic_warnings, score_runs
from irev.errors import MismatchError, Notice, UsageError
from irev.jobs.gate.rules import GateRules
from irev.jobs.gate.verdicts import GateReport, Verdict, compared, corrected
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.result_columns import columns_named
from irev.scores.saved import is_saved
from irev.statistics.differences import NEAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.options import Options
    from irev.scores.table import ScoreTable


DEFAULT_MEASURE = "map"
"""What is compared with a baseline where nothing else was asked for."""


def judge(
    qrels: str | None,
    run: str,
    limits: Sequence[Limit],
    rules: GateRules,
    options: Options,
    *,
    baseline: str | None = None,
    measures: Sequence[str] = (),
    format: str = "qrels",
    drop_undefined: bool = False,
) -> GateReport:
    """Judge a run by limits on its means and, with a baseline, by its drops.

    Every judged topic counts; one that a run lacks counts as 0. Where there are classes of topics,
    each gate is also judged on the topics of each class.

    Args:
        qrels: judgments; None where the run, and the baseline, are saved scores.
        run: a run, or saved scores of one.
        limits: of the means of measures; one that equals its limit is within.
        rules: how the run is compared with its baseline.
        options: the choices of the evaluation.
        baseline: a run, which is scored under the same judgments, or saved scores of one.
        measures: what is compared with the baseline; otherwise the measures that have a least
            value, but for shares of judged documents; otherwise map.
        format: what the qrels hold.
        drop_undefined: whether topics on which some score is not a finite number are left out.
    """
    for limit in limits:
        _check_range(limit)
    names = list(measures) or _effectiveness(limits) or [DEFAULT_MEASURE]
    wanted = dict.fromkeys(limit.measure for limit in limits)
    if baseline is not None or measures or not limits:
        wanted |= dict.fromkeys(names)
    sides = sides_of(
        qrels, run, baseline, list(wanted), names, options, format=format,
        drop_undefined=drop_undefined,
    )  # fmt: skip
    verdicts = [
        _limited(part, of, limit, sides.number, options)
        for limit in limits
        for of, part in _parts(sides.limited)
    ]
    verdicts += corrected(list(_drops(sides, names, rules, options)), rules)
    verdicts += _missing(sides, rules)
    limited, both = sides.limited, sides.compared
    return GateReport(
        rules=rules,
        verdicts=tuple(verdicts),
        table=limited,
        number=sides.number,
        run=limited.runs[sides.number],
        baseline=None if both is None else both.runs[sides.sides[1]],
        means={name: _mean(limited, name, sides.number) for name in limited.measure_names},
        notes=sides.notes,
        doubts=sides.doubts,
    )


def _effectiveness(limits: Sequence[Limit]) -> list[str]:
    """The measures with a least value, but for guards of the judgments."""
    return [limit.measure for limit in limits if limit.side == "min" and not _is_guard(limit)]


def _is_guard(limit: Limit) -> bool:
    try:
        requests = resolve_names([limit.measure])
    except UsageError:
        # a column of saved scores may have any name
        return False
    return all(request.measure.name == "Judged" for request in requests)


def _check_range(limit: Limit) -> None:
    """Refuse a limit that a measure cannot reach, or that holds whatever the run."""
    try:
        requests = resolve_names([limit.measure])
    except UsageError:
        return  # it may be a column of saved scores
    low = min(request.measure.bounds[0] for request in requests)
    high = max(request.measure.bounds[1] for request in requests)
    if limit.bound <= high and (limit.bound >= low or limit.side == "min"):
        return
    is_percent = high == 1 < limit.bound <= 100
    hint = f"; write {limit.measure}={limit.bound / 100:.4g}" if is_percent else ""
    raise UsageError(
        f"--{limit.side} {limit.measure}={limit.bound:g}: {limit.measure} is from {low:g} to "
        f"{high:g}{hint}"
    )


def _parts(table: ScoreTable) -> Iterator[tuple[str, ScoreTable]]:
    """All topics, then each class of them."""
    yield "", table
    for name in table.classes or ():
        yield name, table.with_class(name)


def _limited(part: ScoreTable, of: str, limit: Limit, run: int, options: Options) -> Verdict:
    columns = _printed(limit.measure, part, options)
    if len(columns) > 1:
        raise UsageError(
            f"--{limit.side} {limit.measure}: this names {len(columns)} measures: name one"
        )
    value = _mean(part, columns[0], run)
    return Verdict(
        kind=limit.side,
        measure=columns[0],
        of=of,
        outcome="passed" if limit.holds(value) else "failed",
        topics=len(part.topics),
        value=value,
        bound=limit.bound,
        difference=value - limit.bound,
    )


def _drops(
    sides: Sides, names: Sequence[str], rules: GateRules, options: Options
) -> Iterator[Verdict]:
    if sides.compared is None:
        return
    printed = dict.fromkeys(
        column for name in names for column in _printed(name, sides.compared, options)
    )
    for measure in printed:
        for of, part in _parts(sides.compared):
            yield compared(part, measure, sides.sides, rules, of=of)


def _missing(sides: Sides, rules: GateRules) -> Iterator[Verdict]:
    """Whether the run has the topics that it must have."""
    table, (run, baseline) = sides.compared or sides.limited, sides.sides
    lacks = set(table.runs[run if sides.compared else sides.number].missing)
    if rules.max_missing is None:
        lacks -= set(table.runs[baseline].missing) if sides.compared else lacks
        if not lacks:
            return
    count, most = float(len(lacks)), float(rules.max_missing or 0)
    yield Verdict(
        kind="missing",
        measure="topics",
        of="",
        outcome="passed" if count <= most else "failed",
        topics=len(table.topics),
        value=count,
        bound=most,
        difference=count - most,
    )


def _printed(name: str, table: ScoreTable, options: Options) -> list[str]:
    """The printed names that a measure's name stands for."""
    found = columns_named(name, table.columns, options)
    if not found:
        raise UsageError(f"{name} has no values by topic: it cannot be gated")
    return [column.name for column in found]


def _mean(table: ScoreTable, name: str, run: int) -> float:
    """The summary of a measure, as an evaluation prints it: a sum for counts of documents."""
    if table.column(name).average == "sum":
        return float(np.cumsum(table.scores(name)[:, run])[-1])
    return float(table.means(name)[run])


@record
class Sides:
    """What the limits and the comparisons look at.

    limited   the scores under all measures, on all topics; the run is its column `number`
    compared  those of the run and the baseline, whose columns are `sides`; None without baseline
    notes     what a reader must know, a line each
    doubts    warnings that scores may mislead
    """

    limited: ScoreTable
    number: int
    compared: ScoreTable | None
    sides: tuple[int, int]
    notes: tuple[str, ...]
    doubts: tuple[Notice, ...] = ()


def sides_of(
    qrels: str | None,
    run: str,
    baseline: str | None,
    measures: Sequence[str],
    compared: Sequence[str],
    options: Options,
    *,
    format: str = "qrels",
    drop_undefined: bool = False,
) -> Sides:
    """Score a run and its baseline, and see to it that they can be compared.

    Args:
        qrels: judgments; None where the run, and the baseline, are saved scores.
        run: a run, or saved scores of one.
        baseline: likewise; a run is scored under the same judgments.
        measures: names of all that is measured of the run.
        compared: names of what is compared; the baseline needs no others.
        options: the choices of the evaluation.
        format: what the qrels hold.
        drop_undefined: whether topics on which some score is not a finite number are left out.
    """
    is_saved_baseline = baseline is not None and baseline != run and _is_saved(baseline)
    runs = [run]
    if baseline is not None and baseline != run and not is_saved_baseline:
        runs.append(baseline)
    first = score_runs(
        qrels, runs, measures, options, format=format, drop_undefined=drop_undefined
    )  # fmt: skip
    for doubt in first.doubts:
        if doubt.kind in ("nothing-judged", "nothing-met"):
            raise MismatchError(str(doubt), doubt.kind)
    limited, notes = first, list(first.notes)
    number = _column_of(limited, run)
    if baseline is None:
        doubts = (*first.doubts, *missing_topic_warnings(limited))
        return Sides(limited, number, None, (0, 0), tuple(notes), doubts)
    both = limited
    if is_saved_baseline:
        second = score_runs(
            None, [limited, baseline], compared, options, drop_undefined=drop_undefined
        )  # fmt: skip
        both = second
        notes += [note for note in second.notes if note not in notes]
        if len(both.runs) < 2:
            raise UsageError(f"{baseline} has none of the measures: {', '.join(compared)}")
    sides = (_column_of(both, run), _column_of(both, baseline))
    doubts = (*first.doubts, *missing_topic_warnings(both))
    return Sides(limited, number, both, sides, tuple(notes), doubts)


def _is_saved(path: str) -> bool:
    return path != "-" and is_saved(path)


def _column_of(table: ScoreTable, path: str) -> int:
    """Which column comes from a file."""
    found = [n for n, entry in enumerate(table.runs) if entry.path == path]
    if len(found) != 1:
        raise UsageError(f"{path} holds the scores of {len(found)} runs, expected one")
    return found[0]


Side = Literal["min", "max"]


@record(eq=True)
class Limit:
    """The least, or the most, that the mean of a measure may be."""

    side: Side
    measure: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value is within; one that equals the bound is, but for rounding."""
        slack = NEAR * max(1.0, abs(self.bound))
        if self.side == "min":
            return value >= self.bound - slack
        return value <= self.bound + slack


def read_limit(side: Side, text: str) -> Limit:
    """The limit that `NAME=X` stands for; X is behind the last `=`, since names may have some."""
    name, _, number = text.rpartition("=")
    bound = parse_decimal(number)
    if not name or bound is None:
        raise UsageError(f"--{side} {text}: must be a measure and a number, such as ndcg@10=0.4")
    return Limit(side, name, bound)


def read_limits(side: Side, texts: Iterable[str]) -> list[Limit]:
    """The limits of one side, each measure once."""
    found = [read_limit(side, text) for text in texts]
    names = [limit.measure for limit in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--{side} {name}: there are two limits of one measure")
    return found
