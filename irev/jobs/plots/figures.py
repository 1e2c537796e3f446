"""Figures that several studies draw: curves, squares of values, runs as points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.jobs.plots.style import (
    COLOURS,
    label,
    legend,
    legend_of,
    new_figure,
    panels,
    series,
    style,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats

_FEW = 40
"""Where a line has more points, there are no markers."""


def curves(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    by: str,
    labels: tuple[str, str],
    zero: bool = False,
    steps: bool = False,
) -> Figure:
    """A line for each value of a column, in the order of the table.

    Args:
        table: a line for each point.
        x: the column of the horizontal axis.
        y: the column of the vertical axis.
        by: the column that names the series.
        labels: what the axes say.
        zero: whether a line is drawn at 0.
        steps: whether a value holds up to the next point.
    """
    from matplotlib.ticker import MaxNLocator

    with style():
        figure, (axes,) = new_figure()
        if zero:
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        groups = list(table.groupby(by, sort=False))
        has_markers = all(len(points) <= _FEW for _, points in groups)
        for number, (name, points) in enumerate(groups):
            look = {**series(number), **({} if has_markers else {"marker": ""})}
            draws = "steps-post" if steps else "default"
            axes.plot(points[x], points[y], label=str(name), drawstyle=draws, **look)
        if table[x].dtype.kind == "i":
            # there is no rank 2.5
            axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        legend_of(figure, axes)
    return figure


def matrix(
    table: pd.DataFrame,
    value: str,
    *,
    label: str,
    text: str | None = None,
    places: int = 3,
    axes_labels: tuple[str, str] = ("", ""),
) -> Figure:
    """A coloured cell for each line of a table; its first two columns name the row and the column.

    Args:
        table: one line for each cell, row by row.
        value: the column that is drawn, which may be NaN.
        label: what the values are.
        text: the column that is written into the cells; None: the value.
        places: decimals of the values.
        axes_labels: what the axes say.
    """
    names = list(dict.fromkeys(table.iloc[:, 0]))
    place = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    rows = [place[name] for name in table.iloc[:, 0]]
    columns = [place[name] for name in table.iloc[:, 1]]
    cells[rows, columns] = table[value]
    if text is None:
        said = ["" if np.isnan(each) else f"{each:.{places}f}" for each in table[value].tolist()]
        low = _tenth_below(cells)
        # long names stand aslant and want room
        side, beside = max(3.4, 0.75 * len(names)), 1.4
        slant: dict[str, Any] = {"rotation": 30, "ha": "right"}
    else:
        said, low = [str(each) for each in table[text]], 0.0
        side, beside = max(3.2, 0.7 * len(names)), 1.2
        slant = {}
    with style():
        figure, (axes,) = new_figure(width=side + beside, height=side)
        axes.grid(visible=False)
        image = axes.imshow(np.ma.masked_invalid(cells), cmap="cividis", vmin=low, vmax=1.0)
        for row, column, word in zip(rows, columns, said, strict=True):
            is_dark = cells[row, column] < low + 0.55 * (1.0 - low)
            colour = "white" if is_dark else "black"
            axes.text(column, row, word, ha="center", va="center", color=colour, fontsize=8)
        axes.set_xticks(range(len(names)), names, **slant)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        figure.colorbar(image, ax=axes, label=label, shrink=0.85)
    return figure


def _tenth_below(cells: Floats) -> float:
    """Where the scale begins, so that cells can be told apart."""
    if not np.isfinite(cells).any():
        return 0.0
    return min(0.9, math.floor(10.0 * float(np.nanmin(cells))) / 10.0)


def scatter_figure(
    table: pd.DataFrame, taus: Mapping[tuple[str, str], float], *, diagonal: bool = False
) -> Figure:
    """A point for each run: its mean under one measure across, under another upwards.

    `taus`: tau_b of each two measures. `diagonal`: whether both are of one unit, so that equal
    means lie on a line.
    """
    groups = list(table.groupby(["measure", "with"], sort=False))
    with style():
        figure, axes = panels(len(groups), width=3.4, height=3.1)
        for panel, ((across, upwards), points) in zip(axes, groups, strict=True):
            _scattered(panel, points)
            if diagonal:
                low = max(panel.get_xlim()[0], panel.get_ylim()[0])
                high = min(panel.get_xlim()[1], panel.get_ylim()[1])
                panel.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
            panel.set_title(f"tau b = {taus[str(across), str(upwards)]:.3f}", fontsize=9)
            panel.set_xlabel(f"mean {label(str(across))}")
            panel.set_ylabel(f"mean {label(str(upwards))}")
    return figure


_FEW_NAMES = 15
"""The points of more runs have no names: they would cover each other."""


def _scattered(panel: Axes, points: pd.DataFrame) -> None:
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
    where = points[["x", "y"]].to_numpy(np.float64)
    # what names of axes leave of the panel is not known yet
    at = panel.transData.transform(where) * (_LEFT * 72 / panel.figure.dpi)
    taken = np.hstack([at - 2.5, at + 2.5])  # left, low, right and high of what is there
    for run, place, (x, y) in zip(points["run"], where.tolist(), at, strict=True):
        name = label(str(run))
        width, height = _LETTER[0] * len(name), _LETTER[1]
        boxes = [
            np.array([left, y + up, left + width, y + up + height])
            for left in (x + _ASIDE, x - _ASIDE - width)
            for up in (_ABOVE, -_ABOVE - height)
        ]
        free = [box for box in boxes if not _covers(box, taken)]
        box = (free or boxes)[0]
        taken = np.vstack([taken, box])
        panel.annotate(
            name,
            (place[0], place[1]),
            xytext=(box[0] - x, box[1] - y),
            textcoords="offset points",
            fontsize=6.5,
        )


_LEFT = 0.75
"""How much of a panel is left when its axes and titles have their room, at least."""

_ASIDE, _ABOVE = 4.0, 2.0
"""How far a name is from its point, in points of print."""


def _covers(box: Floats, others: Floats) -> bool:
    """Whether a box meets any other."""
    return bool(((others[:, :2] < box[2:]) & (others[:, 2:] > box[:2])).all(axis=1).any())


_FEW_OF_PAIRS = 25
"""A curve of more points has no markers there."""


def by_gains(
    table: pd.DataFrame, x: str, y: str, finish: Callable[[Axes, pd.DataFrame], None]
) -> Figure:
    """A panel for each definition of gains, a line for each measure."""
    if "gains" not in table:
        table = table.assign(gains="")
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        groups = list(table.groupby("gains", sort=False))
        figure, axes = panels(len(groups), width=5.2 if len(groups) == 1 else 4.2, height=3.7)
        for panel, (gains, points) in zip(axes, groups, strict=True):
            for number, measure in enumerate(measures):
                line = points[points["measure"] == measure]
                look = {**series(number), **({"marker": ""} if len(line) > _FEW_OF_PAIRS else {})}
                panel.plot(line[x], line[y], label=label(measure), **look)
            finish(panel, points)
            if gains:
                panel.set_title(f"gains {label(str(gains))}")
        handles, names = axes[0].get_legend_handles_labels()
        legend(figure, handles, names)
    return figure


def across(panel: Axes, height: float, text: str) -> None:
    """A line across the panel, named at its right end outside."""
    panel.axhline(height, color="#555555", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    panel.annotate(
        text, (1.0, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va="center", fontsize=7, color="#333333",
        annotation_clip=False,
    )  # fmt: skip
