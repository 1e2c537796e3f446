"""Figures that several studies draw: curves, squares of values, runs as points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.measured_text import short_labels, text_width_inches
from irev.jobs.plots.style import COLOURS, drawn_label, plot_style, series_style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.core.displayed import FigureWidth

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
    width: FigureWidth = "page",
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
        width: of the figure.
    """
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.6)
        (axes,) = layout.panels
        if has_zero_line:
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        groups = list(table.groupby(series_column, sort=False))
        has_markers = all(len(points) <= _FEW for _, points in groups)
        for series_index, (name, points) in enumerate(groups):
            look = {**series_style(series_index), **({} if has_markers else {"marker": ""})}
            draws = "steps-post" if is_stepped else "default"
            axes.plot(
                points[x_column], points[y_column], label=drawn_label(str(name)), drawstyle=draws,
                **look,
            )  # fmt: skip
        if table[x_column].dtype.kind == "i":
            # there is no rank 2.5
            layout.count_by(axes, "x")
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        layout.set_panel_legend()
        return layout.finish()


def matrix_figure(
    table: pd.DataFrame,
    value_column: str,
    *,
    value_label: str,
    text_column: str | None = None,
    decimals: int = 3,
    axes_labels: tuple[str, str] = ("", ""),
    width: FigureWidth = "page",
) -> Figure:
    """A coloured cell for each line of a table; its first two columns name the row and the column.

    Args:
        table: one line for each cell, row by row.
        value_column: the column that is drawn, which may be NaN.
        value_label: what the values are.
        text_column: the column that is written into the cells, if there is room; None: the value.
        decimals: decimals of the values.
        axes_labels: what the axes say.
        width: of the figure.
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
    else:
        cell_texts, low = [str(each) for each in table[text_column]], 0.0
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=None)
        (axes,) = layout.panels
        axes.grid(visible=False)
        image = axes.imshow(
            np.ma.masked_invalid(cells), cmap="cividis", vmin=low, vmax=1.0, aspect="auto"
        )
        size = 7.0 * layout.scale if width == "slide" else 7.0
        widest = max(text_width_inches(text, size) for text in cell_texts)
        for row, column, word in zip(rows, columns, cell_texts, strict=True):
            is_dark = cells[row, column] < low + 0.55 * (1.0 - low)
            colour = "white" if is_dark else "black"
            layout.write_in_cell_if_all_fit(axes, column, row, word, colour, size, widest)
        labels = [drawn_label(str(name)) for name in names]
        layout.name_ticks(axes, "x", range(len(names)), labels)
        layout.name_ticks(axes, "y", range(len(names)), labels)
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        layout.add_colour_bar(axes, image, value_label)
        return layout.finish()


def _scale_start(cells: Floats) -> float:
    """Where the scale begins, so that cells can be told apart."""
    if not np.isfinite(cells).any():
        return 0.0
    return min(0.9, math.floor(10.0 * float(np.nanmin(cells))) / 10.0)


def run_means_scatter_figure(
    table: pd.DataFrame,
    tau_by_measures: Mapping[tuple[str, str], float],
    *,
    has_diagonal: bool = False,
    width: FigureWidth = "page",
) -> Figure:
    """A point for each run: its mean under one measure across, under another upwards.

    `tau_by_measures`: tau_b of each two measures. `has_diagonal`: whether both are of one unit, so
    that equal means lie on a line.
    """
    groups = list(table.groupby(["measure", "with"], sort=False))
    labels, left_out = short_labels(list(dict.fromkeys(table["run"])))
    with plot_style(width):
        layout = FigureLayout(len(groups), width=width, height=None)
        for panel, ((x_measure, y_measure), points) in zip(layout.panels, groups, strict=True):
            panel.plot(
                points["x"], points["y"], linestyle="none", marker="o", markersize=4.0,
                color=COLOURS[0], markeredgecolor="white", markeredgewidth=0.5,
            )  # fmt: skip
            panel.margins(0.12)
            panel.set(xlim=panel.get_xlim(), ylim=panel.get_ylim())
            if len(points) <= _MOST_NAMED:
                names = [labels[run] for run in points["run"]]
                layout.name_points(panel, points["x"].tolist(), points["y"].tolist(), names)
            if has_diagonal:
                low = max(panel.get_xlim()[0], panel.get_ylim()[0])
                high = min(panel.get_xlim()[1], panel.get_ylim()[1])
                panel.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
            panel.set_title(f"tau b = {tau_by_measures[str(x_measure), str(y_measure)]:.3f}")
            panel.set_xlabel(f"mean {drawn_label(str(x_measure))}")
            panel.set_ylabel(f"mean {drawn_label(str(y_measure))}")
        layout.add_sentence(left_out)
        return layout.finish()


_MOST_NAMED = 20
"""The points of more runs have no names: few would find room."""

_FEW_OF_PAIRS = 25
"""A curve of more points has no markers there."""


def measure_lines_by_gains_figure(
    table: pd.DataFrame,
    x_column: str,
    y_column: str,
    finish_panel: Callable[[FigureLayout, Axes, pd.DataFrame], None],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """A panel for each definition of gains, a line for each measure."""
    if "gains" not in table:
        table = table.assign(gains="")
    measures = list(dict.fromkeys(table["measure"]))
    with plot_style(width):
        groups = list(table.groupby("gains", sort=False))
        layout = FigureLayout(len(groups), width=width, height=2.4, panel_width=2.4)
        for panel, (gains, points) in zip(layout.panels, groups, strict=True):
            for series_index, measure in enumerate(measures):
                line = points[points["measure"] == measure]
                line_style: dict[str, Any] = {
                    **series_style(series_index),
                    **({"marker": ""} if len(line) > _FEW_OF_PAIRS else {}),
                }
                panel.plot(line[x_column], line[y_column], label=drawn_label(measure), **line_style)
            finish_panel(layout, panel, points)
            if gains:
                panel.set_title(f"gains {drawn_label(str(gains))}")
        layout.set_panel_legend()
        return layout.finish()
