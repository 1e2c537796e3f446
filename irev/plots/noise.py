"""Figures of scores under judgments that vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.plots.curves import legend_of
from irev.plots.style import COLOURS, new_figure, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_MANY = 30
"""With more topics, their names are not written."""


def topics_figure(table: pd.DataFrame) -> Figure:
    """Mean and standard deviation of each topic, an axes for each measure.

    Args:
        table: columns `topic`, `measure`, `mean` and `sd`; topics stand by their mean, falling.
    """
    with style():
        groups = list(table.groupby("measure", sort=False))
        count = int(table["topic"].nunique())
        figure, every = new_figure(1, len(groups), width=max(5.2, 0.11 * count), height=2.8)
        for axes, (name, points) in zip(every, groups, strict=True):
            ordered = points.sort_values(["mean", "topic"], ascending=[False, True])
            place = np.arange(1, len(ordered) + 1)
            axes.errorbar(
                place, ordered["mean"], yerr=ordered["sd"], fmt="o", color=COLOURS[0],
                ecolor="#888888", elinewidth=1.0, capsize=2.0, label="mean ± sd over judgments",
            )  # fmt: skip
            axes.set_ylabel(str(name))
            if count <= _MANY:
                axes.set_xticks(place, list(ordered["topic"]), rotation=60, ha="right")
        every[-1].set_xlabel("topic" if count <= _MANY else "topics by their mean, falling")
        legend_of(figure, every[0])
    return figure


def parts_figure(table: pd.DataFrame) -> Figure:
    """The two parts of the variance of each measure, and what one judgment alone gives.

    Args:
        table: columns `measure`, `between topics`, `within topics` and `mean V_p`.
    """
    with style():
        figure, (axes,) = new_figure(width=max(4.0, 1.6 + 0.9 * len(table)))
        place = np.arange(len(table))
        between, within = table["between topics"], table["within topics"]
        axes.bar(place, between, 0.55, color=COLOURS[0], label="between topics (σ²μ)")
        axes.bar(
            place, within, 0.55, bottom=between, color=COLOURS[4], hatch="//", edgecolor="white",
            label="within topics (σ²d)",
        )  # fmt: skip
        axes.plot(
            place, table["mean V_p"], linestyle="", marker="D", color="black",
            label="one judgment (mean Vp)",
        )  # fmt: skip
        axes.set_xticks(place, list(table["measure"]))
        axes.set_ylabel("variance of a topic's score")
        legend_of(figure, axes)
    return figure
