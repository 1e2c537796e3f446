"""Figures of rank correlations: against a parameter, and the means behind them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from irev.plots.axes import panels
from irev.plots.curves import legend_of
from irev.plots.runs import label
from irev.plots.style import COLOURS, new_figure, series, style

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE = 10
"""Where the largest value is so many times the smallest, the axis is logarithmic."""


def sweep_figure(table: pd.DataFrame) -> Figure:
    """Tau against a parameter, a line for each measure and what it is compared with.

    The axis is logarithmic for positive numbers that lie far apart; what are no such numbers stand
    beside one another at equal distances, in the order of the table.

    Args:
        table: columns `measure`, `against`, that of the parameter, `as printed`, `tau_b` ...
    """
    parameter = str(table.columns[2])
    values = list(dict.fromkeys(table[parameter]))
    numbers = _numbers(values)
    places = dict(zip(values, numbers or range(len(values)), strict=True))
    with style():
        figure, (axes,) = new_figure(width=5.6, height=3.8)
        lines = table.groupby(["measure", "against"], sort=False)
        for number, ((measure, against), points) in enumerate(lines):
            axes.plot(
                [places[value] for value in points[parameter]], points["tau_b"],
                label=f"{label(str(measure))} with {label(str(against))}", **series(number),
            )  # fmt: skip
        if numbers and max(numbers) >= _WIDE * min(numbers):
            axes.set_xscale("log")
        axes.set_xticks(list(places.values()), [label(value) for value in values])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(parameter)
        axes.set_ylabel("Kendall's tau_b")
        axes.set_ylim(top=1.0 + 0.03 * (1.0 - axes.get_ylim()[0]))
        legend_of(figure, axes)
    return figure


def _numbers(values: Sequence[str]) -> list[float]:
    """The values as positive finite numbers; none where one is no such number."""
    found = []
    for value in values:
        try:
            number = float(value)
        except ValueError:
            return []
        if not 0 < number < math.inf:
            return []
        found.append(number)
    return found


def scatter_figure(table: pd.DataFrame) -> Figure:
    """A point for each run: its mean under one measure across, under another upwards.

    Args:
        table: columns `measure` and `with` (of a panel), `run`, `x` and `y`.
    """
    groups = list(table.groupby(["measure", "with"], sort=False))
    with style():
        figure, axes = panels(len(groups), width=3.4, height=3.1)
        for panel, ((across, upwards), points) in zip(axes, groups, strict=True):
            _scattered(panel, points)
            panel.set_xlabel(f"mean {label(str(across))}")
            panel.set_ylabel(f"mean {label(str(upwards))}")
    return figure


def _scattered(panel: Axes, points: pd.DataFrame) -> None:
    panel.plot(
        points["x"], points["y"], linestyle="none", marker="o", markersize=4.5, color=COLOURS[0],
        markeredgecolor="white", markeredgewidth=0.5,
    )  # fmt: skip
    panel.margins(0.06)
