"""Figures for planning: power and reliability against the number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.plots.axes import legend, panels
from irev.plots.runs import label
from irev.plots.style import series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def power_figure(table: pd.DataFrame, wanted: float) -> Figure:
    """The power of the paired t test against the topics, a panel for each measure.

    Args:
        table: columns `measure`, `variance is`, `topics` and `power`.
        wanted: the power that is wanted, drawn as a line.
    """
    return _curves(table, "variance is", "power", "power of the paired t test", wanted)


def reliability_figure(table: pd.DataFrame, wanted: float) -> Figure:
    """E rho^2 and Phi against the topics, a panel for each measure.

    Args:
        table: columns `measure`, `coefficient`, `topics` and `value`.
        wanted: the reliability that is wanted, drawn as a line.
    """
    return _curves(table, "coefficient", "value", "reliability", wanted)


def _curves(table: pd.DataFrame, by: str, y: str, called: str, wanted: float) -> Figure:
    groups = list(table.groupby("measure", sort=False))
    with style():
        figure, axes = panels(len(groups), width=4.2, height=3.2)
        for panel, (measure, rows) in zip(axes, groups, strict=True):
            panel.axhline(
                wanted, color="#777777", linewidth=0.9, zorder=1, label=f"wanted: {wanted:g}"
            )
            _lines(panel, rows, by, y)
            panel.set_title(label(str(measure)))
            panel.set_xlabel("topics")
            panel.set_ylabel(called)
            panel.set_ylim(0.0, 1.04)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _lines(panel: Axes, rows: pd.DataFrame, by: str, y: str) -> None:
    for number, (name, points) in enumerate(rows.groupby(by, sort=False)):
        look = {**series(number), "marker": ""}
        said = f"variance: {name}" if by == "variance is" else str(name)
        panel.plot(points["topics"], points[y], label=said, **look)
