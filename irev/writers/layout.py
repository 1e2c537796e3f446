"""What the writers share: results, how they are laid out, and their cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from irev.core.scores import SUMMARY
from irev.core.text import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.scores import Column, Scores

Cell: TypeAlias = float | int | str | None
"""A value as the machine forms carry it; None where a column has none."""

_LEAST_P_PLACES = 4


@dataclass(frozen=True)
class Result:
    """The scores of one run, and the path it was read from."""

    path: str
    scores: Scores


@dataclass(frozen=True)
class Layout:
    """What is shown, and how; `places` are decimals, for the forms that people read."""

    per_topic: bool = False
    summary: bool = True
    several: bool = False
    places: int = 4
    zscores: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table: a topic's values or a summary's, by column.

    `of` is what it is a summary of: all topics or those of a class; None for a topic.
    """

    topic: str
    of: Scores | None
    cells: list[Cell]


def shown_columns(scores: Scores, layout: Layout) -> list[int]:
    """The columns that have a value in what the layout shows."""
    return [
        index
        for index, column in enumerate(scores.columns)
        if (layout.per_topic and column.per_topic) or (layout.summary and column.average != "none")
    ]


def rows(scores: Scores, layout: Layout, columns: list[int]) -> Iterator[Row]:
    """The topics' rows, if they are wanted, the summary's, and that of each class of topics."""
    if layout.per_topic:
        values = [_topic_cells(scores, index) for index in columns]
        for row, topic in enumerate(scores.topics):
            yield Row(as_text(topic), None, [cells[row] for cells in values])
    if layout.summary:
        for part in scores.summarised():
            yield Row(part.label, part, [_summary_cell(part, index) for index in columns])


def has_labels(results: Sequence[Result]) -> bool:
    """Whether the summaries' labels say more than that they are summaries."""
    return any(part.label != SUMMARY for part in results[0].scores.summarised())


def cell_text(cell: Cell, places: int) -> str:
    """A value as people read it."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return real_text(cell, places)
    return str(cell)


def real_text(value: float, places: int, width: int = 0) -> str:
    """A real as C prints it: a NaN keeps its sign."""
    if math.isnan(value) and math.copysign(1.0, value) < 0:
        return "-nan".rjust(width)
    return f"{value:{width}.{places}f}"


def signless_zero(value: float, places: int) -> str:
    """A real of which nothing is left by rounding has no sign."""
    text = f"{value:.{places}f}"
    return text.lstrip("-") if math.isfinite(value) and float(text) == 0 else text


def p_text(p: float | None, places: int = 4) -> str:
    """A p-value with 4 decimals at least; one that would be 0 is said to be below the last."""
    if p is None:
        return ""
    places = max(places, _LEAST_P_PLACES)
    least = f"{10.0**-places:.{places}f}"
    return f"<{least}" if p < float(least) else f"{p:.{places}f}"


def _topic_cells(scores: Scores, index: int) -> list[Cell]:
    column = scores.columns[index]
    if not column.per_topic:
        return [None] * len(scores.topics)
    if index in scores.texts:
        return [as_text(value) for value in scores.texts[index]]
    return [_number(column, value) for value in scores.values[:, index].tolist()]


def _summary_cell(scores: Scores, index: int) -> Cell:
    value = scores.summary_of(index)
    if value is None or isinstance(value, bytes):
        return None if value is None else as_text(value)
    return _number(scores.columns[index], value)


def _number(column: Column, value: float) -> float | int:
    return int(value) if column.kind == "count" else float(value)
