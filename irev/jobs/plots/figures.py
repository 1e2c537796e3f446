"""Figures that several studies draw: curves, squares of values, runs as points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.jobs.plots.style import (
    COLOURS,
    add_axes_legend,
    add_legend,
    drawn_label,
    new_figure,
    new_panels,
    plot_style,
    series_style,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats

_FEW = 40
"""Where a line has more points, there are no markers."""


def curves_figure(
    table: pd.DataFrame,
    *,
    x_column: str,
    y_column: str,
    series_column: str,
    axes_labels: tuple[str, str],
    has_zero_line: bool = False,
    is_stepped: bool = False,
) -> Figure:
    """A line for each value of a column, in the order of the table.

    Args:
        table: a line for each point.
        x_column: the column of the horizontal axis.
        y_column: the column of the vertical axis.
        series_column: the column that names the series.
        axes_labels: what the axes say.
        has_zero_line: whether a line is drawn at 0.
        is_stepped: whether a value holds up to the next point.
    """
    from matplotlib.ticker import MaxNLocator

    with plot_style():
        figure, (axes,) = new_figure()
        if has_zero_line:
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        groups = list(table.groupby(series_column, sort=False))
        has_markers = all(len(points) <= _FEW for _, points in groups)
        for series_index, (name, points) in enumerate(groups):
            look = {**series_style(series_index), **({} if has_markers else {"marker": ""})}
            draws = "steps-post" if is_stepped else "default"
            axes.plot(points[x_column], points[y_column], label=str(name), drawstyle=draws, **look)
        if table[x_column].dtype.kind == "i":
            # there is no rank 2.5
            axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        add_axes_legend(figure, axes)
    return figure


def matrix_figure(
    table: pd.DataFrame,
    value_column: str,
    *,
    value_label: str,
    text_column: str | None = None,
    decimals: int = 3,
    axes_labels: tuple[str, str] = ("", ""),
) -> Figure:
    """A coloured cell for each line of a table; its first two columns name the row and the column.

    Args:
        table: one line for each cell, row by row.
        value_column: the column that is drawn, which may be NaN.
        value_label: what the values are.
        text_column: the column that is written into the cells; None: the value.
        decimals: decimals of the values.
        axes_labels: what the axes say.
    """
    names = list(dict.fromkeys(table.iloc[:, 0]))
    index_of_name = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    rows = [index_of_name[name] for name in table.iloc[:, 0]]
    columns = [index_of_name[name] for name in table.iloc[:, 1]]
    cells[rows, columns] = table[value_column]
    if text_column is None:
        cell_texts = [
            "" if np.isnan(each) else f"{each:.{decimals}f}"
            for each in table[value_column].tolist()
        ]
        low = _scale_start(cells)
        # long names stand aslant and want room
        side, beside = max(3.4, 0.75 * len(names)), 1.4
        slant: dict[str, Any] = {"rotation": 30, "ha": "right"}
    else:
        cell_texts, low = [str(each) for each in table[text_column]], 0.0
        side, beside = max(3.2, 0.7 * len(names)), 1.2
        slant = {}
    with plot_style():
        figure, (axes,) = new_figure(width=side + beside, height=side)
        axes.grid(visible=False)
        image = axes.imshow(np.ma.masked_invalid(cells), cmap="cividis", vmin=low, vmax=1.0)
        for row, column, word in zip(rows, columns, cell_texts, strict=True):
            is_dark = cells[row, column] < low + 0.55 * (1.0 - low)
            colour = "white" if is_dark else "black"
            axes.text(column, row, word, ha="center", va="center", color=colour, fontsize=8)
        axes.set_xticks(range(len(names)), names, **slant)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        figure.colorbar(image, ax=axes, label=value_label, shrink=0.85)
    return figure


def _scale_start(cells: Floats) -> float:
    """Where the scale begins, so that cells can be told apart."""
    if not np.isfinite(cells).any():
        return 0.0
    return min(0.9, math.floor(10.0 * float(np.nanmin(cells))) / 10.0)


def run_scatter_figure(
    table: pd.DataFrame, taus: Mapping[tuple[str, str], float], *, has_diagonal: bool = False
) -> Figure:
    """A point for each run: its mean under one measure across, under another upwards.

    `taus`: tau_b of each two measures. `has_diagonal`: whether both are of one unit, so that equal
    means lie on a line.
    """
    groups = list(table.groupby(["measure", "with"], sort=False))
    with plot_style():
        figure, axes = new_panels(len(groups), width=3.4, height=3.1)
        for panel, ((x_measure, y_measure), points) in zip(axes, groups, strict=True):
            _draw_points(panel, points)
            if has_diagonal:
                low = max(panel.get_xlim()[0], panel.get_ylim()[0])
                high = min(panel.get_xlim()[1], panel.get_ylim()[1])
                panel.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
            panel.set_title(f"tau b = {taus[str(x_measure), str(y_measure)]:.3f}", fontsize=9)
            panel.set_xlabel(f"mean {drawn_label(str(x_measure))}")
            panel.set_ylabel(f"mean {drawn_label(str(y_measure))}")
    return figure


_FEW_NAMES = 15
"""The points of more runs have no names: they would cover each other."""


def _draw_points(panel: Axes, points: pd.DataFrame) -> None:
    panel.plot(
        points["x"], points["y"], linestyle="none", marker="o", markersize=4.5, color=COLOURS[0],
        markeredgecolor="white", markeredgewidth=0.5,
    )  # fmt: skip
    panel.margins(0.12 if len(points) <= _FEW_NAMES else 0.06)
    if len(points) <= _FEW_NAMES:
        _name_points(panel, points)


_LETTER = (3.8, 7.5)
"""Width and height of a letter of a point's name, in points of print."""


def _name_points(panel: Axes, points: pd.DataFrame) -> None:
    """A name at each point, at the first of its corners where it covers no other name or point."""
    panel.autoscale_view()
    positions = points[["x", "y"]].to_numpy(np.float64)
    # what names of axes leave of the panel is not known yet
    pixels = panel.transData.transform(positions) * (_LEFT * 72 / panel.figure.dpi)
    taken_boxes = np.hstack(
        [pixels - 2.5, pixels + 2.5]
    )  # left, low, right and high of what is there
    for run, position, (x, y) in zip(points["run"], positions.tolist(), pixels, strict=True):
        name = drawn_label(str(run))
        width, height = _LETTER[0] * len(name), _LETTER[1]
        boxes = [
            np.array([left, y + up, left + width, y + up + height])
            for left in (x + _ASIDE, x - _ASIDE - width)
            for up in (_ABOVE, -_ABOVE - height)
        ]
        free = [box for box in boxes if not _overlaps_any(box, taken_boxes)]
        box = (free or boxes)[0]
        taken_boxes = np.vstack([taken_boxes, box])
        panel.annotate(
            name,
            (position[0], position[1]),
            xytext=(box[0] - x, box[1] - y),
            textcoords="offset points",
            fontsize=6.5,
        )


_LEFT = 0.75
"""How much of a panel is left when its axes and titles have their room, at least."""

_ASIDE, _ABOVE = 4.0, 2.0
"""How far a name is from its point, in points of print."""


def _overlaps_any(box: Floats, other_boxes: Floats) -> bool:
    """Whether a box meets any other."""
    return bool(((other_boxes[:, :2] < box[2:]) & (other_boxes[:, 2:] > box[:2])).all(axis=1).any())


_FEW_OF_PAIRS = 25
"""A curve of more points has no markers there."""


def gain_definitions_figure(
    table: pd.DataFrame,
    x_column: str,
    y_column: str,
    finish_panel: Callable[[Axes, pd.DataFrame], None],
) -> Figure:
    """A panel for each definition of gains, a line for each measure."""
    if "gains" not in table:
        table = table.assign(gains="")
    measures = list(dict.fromkeys(table["measure"]))
    with plot_style():
        groups = list(table.groupby("gains", sort=False))
        figure, axes = new_panels(len(groups), width=5.2 if len(groups) == 1 else 4.2, height=3.7)
        for panel, (gains, points) in zip(axes, groups, strict=True):
            for series_index, measure in enumerate(measures):
                line = points[points["measure"] == measure]
                line_style = {
                    **series_style(series_index),
                    **({"marker": ""} if len(line) > _FEW_OF_PAIRS else {}),
                }
                panel.plot(line[x_column], line[y_column], label=drawn_label(measure), **line_style)
            finish_panel(panel, points)
            if gains:
                panel.set_title(f"gains {drawn_label(str(gains))}")
        handles, names = axes[0].get_legend_handles_labels()
        add_legend(figure, handles, names)
    return figure


def draw_level_line(panel: Axes, height: float, label: str) -> None:
    """A line across the panel, named at its right end outside."""
    panel.axhline(height, color="#555555", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    panel.annotate(
        label, (1.0, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va="center", fontsize=7, color="#333333",
        annotation_clip=False,
    )  # fmt: skip
