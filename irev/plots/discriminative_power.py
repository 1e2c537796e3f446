"""Figures of how well and how stably measures tell runs apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.plots.axes import legend, panels
from irev.plots.runs import label
from irev.plots.style import series, style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TIMES = 3
"""The levels of ASL curves are drawn up to so many times the highest alpha, where they matter."""

_FEW = 25
"""A curve of more points has no markers."""


def asl_figure(table: pd.DataFrame, alphas: Sequence[float]) -> Figure:
    """ASL curves: the level that each pair achieves, falling, a line for each measure.

    Args:
        table: columns `gains` (of a panel; may be absent), `measure`, `place` (from 1) and `asl`.
        alphas: where lines are drawn across.
    """

    def finish(panel: Axes, points: pd.DataFrame) -> None:
        for alpha in alphas:
            _across(panel, alpha, f"α = {alpha:g}")
        top = min(1.0, _TIMES * max(alphas))
        if points["asl"].min() > top:
            top = 1.05
        pairs = int(points["place"].max())
        panel.set(xlim=(0, pairs + 1), ylim=(-0.02 * top, top))
        panel.set_xlabel("pairs of runs by their ASL, falling")
        panel.set_ylabel("achieved significance level (ASL)")

    return _figure(table, "place", "asl", finish)


def swap_figure(table: pd.DataFrame, rate: float, upwards: str = "swap rate") -> Figure:
    """Swap rates by the size of the difference, a line for each measure.

    Args:
        table: columns `gains`, `measure`, `difference` (the lower end of a bin) and `rate`.
        rate: where a line is drawn across.
        upwards: what the vertical axis says.
    """
    last = float(table["difference"].max())

    def finish(panel: Axes, points: pd.DataFrame) -> None:
        _across(panel, rate, f"{rate:.0%}")
        ticks = [last * quarter / 4 for quarter in range(5)]
        panel.set_xticks(ticks, [f"{tick:.2f}" for tick in ticks[:-1]] + [f"{last:.2f}+"])
        panel.set_xlim(-0.05 * last, 1.05 * last)
        panel.set_ylim(bottom=-0.01)
        panel.set_xlabel("difference of the means (lower end of a bin)")
        panel.set_ylabel(upwards)

    return _figure(table.dropna(), "difference", "rate", finish)


def stability_figure(table: pd.DataFrame) -> Figure:
    """Error rate against ties as the fuzziness grows, a line for each measure.

    Args:
        table: columns `gains`, `measure`, `fuzziness`, `ties` and `error rate`.
    """

    def finish(panel: Axes, points: pd.DataFrame) -> None:
        panel.set_ylim(bottom=0)
        panel.set_xlabel("proportion of ties")
        panel.set_ylabel("error rate (minority)")

    return _figure(table, "ties", "error rate", finish)


def _figure(
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
                look = {**series(number), **({"marker": ""} if len(line) > _FEW else {})}
                panel.plot(line[x], line[y], label=label(measure), **look)
            finish(panel, points)
            if gains:
                panel.set_title(f"gains {label(str(gains))}")
        handles, names = axes[0].get_legend_handles_labels()
        legend(figure, handles, names)
    return figure


def _across(panel: Axes, height: float, text: str) -> None:
    """A line across the panel, named at its right end outside."""
    panel.axhline(height, color="#555555", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    panel.annotate(
        text, (1.0, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va="center", fontsize=7, color="#333333",
        annotation_clip=False,
    )  # fmt: skip
