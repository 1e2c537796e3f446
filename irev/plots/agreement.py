"""Figures of two sets of judgments against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.plots.axes import topic_axis, width_for
from irev.plots.curves import legend_of
from irev.plots.style import new_figure, series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_LINES = {"agreement": "equal grades", "kappa": "kappa", "alpha ordinal": "alpha (ordinal)"}
"""What is drawn of each topic, and what it is called."""


def confusion_figure(table: pd.DataFrame) -> Figure:
    """A cell for each two grades: how many documents, coloured by their share of the row.

    Args:
        table: columns `first`, `second`, `documents` and `share`, row by row.
    """
    grades = list(dict.fromkeys(table["first"]))
    size = len(grades)
    share = table["share"].to_numpy().reshape(size, size)
    counts = table["documents"].to_numpy().reshape(size, size)
    side = max(3.2, 0.7 * size)
    with style():
        figure, (axes,) = new_figure(width=side + 1.2, height=side)
        axes.grid(visible=False)
        image = axes.imshow(share, cmap="cividis", vmin=0.0, vmax=1.0)
        for (row, column), count in np.ndenumerate(counts):
            colour = "white" if share[row, column] < 0.55 else "black"
            axes.text(column, row, str(count), ha="center", va="center", color=colour, fontsize=8)
        axes.set_xticks(range(size), grades)
        axes.set_yticks(range(size), grades)
        axes.set_xlabel("grade in the second judgments")
        axes.set_ylabel("grade in the first judgments")
        figure.colorbar(image, ax=axes, label="share of the row", shrink=0.85)
    return figure


def agreement_figure(table: pd.DataFrame) -> Figure:
    """The share of equal grades, kappa and alpha of each topic, topics in the table's order.

    Args:
        table: columns `topic`, `agreement`, `kappa` and `alpha ordinal`, which may be NaN.
    """
    with style():
        figure, (axes,) = new_figure(width=width_for(len(table)))
        place = np.arange(len(table))
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        for number, (column, name) in enumerate(_LINES.items()):
            look = {**series(number), "linestyle": "none"}
            axes.plot(place, table[column].to_numpy(), label=name, **look)
        axes.set_ylim(top=1.025)
        axes.set_ylabel("agreement")
        topic_axis(axes, list(table["topic"]))
        legend_of(figure, axes)
    return figure
