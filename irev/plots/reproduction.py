"""Figure of reproduced effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.plots.curves import legend_of
from irev.plots.runs import label
from irev.plots.style import new_figure, series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def effects_figure(table: pd.DataFrame) -> Figure:
    """The difference of relative improvements against the effect ratio, a point for each measure.

    Where the lines at 1 and 0 cross, the reproduction is perfect.

    Args:
        table: columns `measure`, `ER`, `ER low`, `ER high` and `DeltaRI`; what is NaN is not drawn.
    """
    with style():
        figure, (axes,) = new_figure(width=4.8, height=3.8)
        axes.axvline(1.0, color="#777777", linewidth=0.8, zorder=1)
        axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        names = list(table["measure"])
        ratio, apart = table["ER"].to_numpy(), table["DeltaRI"].to_numpy()
        low, high = table["ER low"].to_numpy(), table["ER high"].to_numpy()
        for number, name in enumerate(names):
            reach = np.array([[ratio[number] - low[number]], [high[number] - ratio[number]]])
            look = {**series(number), "linestyle": "none"}
            axes.errorbar(
                ratio[number : number + 1], apart[number : number + 1],
                xerr=np.maximum(reach, 0.0), label=label(str(name)), capsize=3.0, elinewidth=1.0,
                **look,
            )  # fmt: skip
        axes.set_xlabel("effect ratio (ER)")
        axes.set_ylabel("difference of relative improvements (DeltaRI)")
        axes.margins(0.1)
        legend_of(figure, axes)
    return figure
