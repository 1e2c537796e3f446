"""Curves: one quantity against another, a line for each series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.plots.axes import legend
from irev.plots.style import new_figure, series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def legend_of(figure: Figure, axes: Axes) -> None:
    """What the series of some axes are called, outside them."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        legend(figure, handles, names)
