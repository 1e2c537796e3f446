"""Figure of rank-biased overlap, topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.plots.axes import topic_axis, width_for
from irev.plots.curves import legend_of
from irev.plots.style import COLOURS, new_figure, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def overlap_figure(table: pd.DataFrame, title: str) -> Figure:
    """A bar for each topic, with the range that documents not seen leave open.

    Args:
        table: columns `topic`, `rbo_ext`, `rbo_min` and `rbo_max`.
        title: what stands above.
    """
    value = table["rbo_ext"].to_numpy()
    below, above = table["rbo_min"].to_numpy(), table["rbo_max"].to_numpy()
    place = np.arange(len(value))
    with style():
        figure, (axes,) = new_figure(width=width_for(len(value)))
        axes.bar(place, value, 0.7, color=COLOURS[0], label="RBO (ext)")
        reach = np.maximum([value - below, above - value], 0.0)
        axes.errorbar(
            place, value, yerr=reach, fmt="none", ecolor="#444444", elinewidth=1.0, capsize=2.0,
            label="from min to max",
        )  # fmt: skip
        axes.set_ylim(0.0, 1.025)
        axes.set_ylabel("rank-biased overlap")
        axes.set_title(title)
        topic_axis(axes, list(table["topic"]))
        legend_of(figure, axes)
    return figure
