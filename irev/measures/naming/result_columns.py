"""Columns of results: which one a name stands for, and what the measure of one is.

Results and saved scores know a column by its printed name, and by irev's own where it has one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.errors import UsageError
from irev.measures import load_all
from irev.measures.naming.resolve import PLAIN_NAMING, VersionAndDefaults, resolve_names
from irev.measures.registry import MEASURES, TREC_MEASURES, Measure
from irev.measures.requests import name_of_alias

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.bounds import MeasureRange
    from irev.core.judged import Column
    from irev.measures.requests import Request


def matching_columns(
    name: str, columns: Sequence[Column], options: VersionAndDefaults = PLAIN_NAMING
) -> tuple[Column, ...]:
    """The columns of a result that a name stands for, whatever spelling either was asked for by.

    A printed name stands for its own column. Any other is resolved under the options of the
    evaluation; what it leaves to the judgments, such as the highest grade, is as the result has it.

    Args:
        name: a measure's, with one cutoff or several, a set's or a suite's.
        columns: those of the result.
        options: those of the evaluation.

    Returns:
        The columns in the order of the name's own; none where the result has none of them.
    """
    for column in columns:
        if name in (column.name, column.canonical):
            return (column,)
    same = (
        _same_column(request, index, columns)
        for request in resolve_names([name], options, allow_unused_defaults=True)
        for index in range(len(request.columns))
    )
    return tuple(dict.fromkeys(column for column in same if column is not None))


def column_positions(sought: Sequence[Column], columns: Sequence[Column]) -> list[int | None]:
    """Where each sought column is among others, under its name or another of the measure."""
    by_name = {column.name: index for index, column in reversed(list(enumerate(columns)))}
    positions = [by_name.get(column.name) for column in sought]
    if None in positions:
        by_irev_name = {irev_name(c): index for index, c in reversed(list(enumerate(columns)))}
        for number, column in enumerate(sought):
            if positions[number] is None:
                positions[number] = by_irev_name.get(irev_name(column))
    return positions


def irev_name(column: Column) -> str:
    """Irev's own name for a column, also where trec_eval has one of its own: `nDCG@10`."""
    return column.canonical or _irev_name_of_trec(column.name) or column.name


def _irev_name_of_trec(printed_name: str) -> str | None:
    """Irev's own name for a column of trec_eval's, where both are the same number."""
    head = printed_name
    while head not in TREC_MEASURES:
        head, _, end = head.rpartition("_")
        if not end:
            return None
    try:
        (request,) = resolve_names([printed_name])
        (_,) = request.columns
    except (UsageError, ValueError):
        return None
    return name_of_alias(head, request.arguments, request.arguments.cutoffs[0])


def _same_column(request: Request, index: int, columns: Sequence[Column]) -> Column | None:
    """The one of the columns that is a request's column with that index."""
    (position,) = column_positions([request.columns[index]], columns)
    if position is not None:
        return columns[position]
    for column in columns:
        scale = _highest_grade_option(column) if column.measure == request.measure.name else None
        if scale is not None:
            closed = request.close_scales(scale).columns[index]
            if column_positions([closed], [column]) == [0]:
                return column
    return None


def _highest_grade_option(column: Column) -> float | None:
    """The highest grade that a column's measure was given, where it wants one."""
    try:
        (request,) = resolve_names([irev_name(column)])
    except (UsageError, ValueError):
        # a column of saved scores may be called anything
        return None
    kinds = {name: option.kind for name, option in request.measure.options.items()}
    scales = [v for name, v in request.arguments.options if kinds.get(name) == "scale"]
    return scales[0] if scales and isinstance(scales[0], float) else None


def column_with_bounds(column: Column, ranges: Sequence[MeasureRange]) -> Column:
    """The column with its range, where one was given; that of no name is of unknown measures."""
    for each in ranges:
        if each.measure == column.name or (not each.measure and _record_of(column) is None):
            column = replace(column, bounds=(each.low, each.high))
    return column


def bounds_of(column: Column) -> tuple[float, float]:
    """The least and the greatest value of a measure; infinite for what irev does not know."""
    if column.bounds is not None:
        return column.bounds
    measure = _record_of(column)
    return (-math.inf, math.inf) if measure is None else measure.bounds


def lower_is_better(column: Column) -> bool:
    """Whether lower values of a measure are better; False for what irev does not know."""
    measure = _record_of(column)
    return measure is not None and measure.higher_is_better is False


def about_column(column: Column) -> str:
    """What a measure is, in one line; empty for what irev does not know."""
    measure = _record_of(column)
    return "" if measure is None else measure.title


def mean_bounds_or_infinite(
    column: Column, observed_scores: Floats, *, are_estimates: bool = False
) -> tuple[float, float]:
    """The range of a mean of scores; infinite where it is not known, or one lies outside.

    Saved scores may be called anything. Estimates of single topics may lie outside the range that
    their mean is in.
    """
    low, high = bounds_of(column)
    if are_estimates and column.average == "mean":
        return low, high
    is_inside = (low <= observed_scores) & (observed_scores <= high)
    if column.average == "mean" and observed_scores.size and is_inside.all():
        return low, high
    return -math.inf, math.inf


def takes_gains(column: Column) -> bool:
    """Whether a measure takes gains from grades, so that the scale of these counts."""
    measure = _record_of(column)
    return measure is not None and any("gain" in shown for shown in measure.shows)


def _record_of(column: Column) -> Measure | None:
    load_all()
    return TREC_MEASURES.get(column.measure) or MEASURES.get(column.measure)
