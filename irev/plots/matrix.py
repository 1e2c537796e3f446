"""A square of values for each two of some things, such as correlations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.plots.style import new_figure, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def matrix(table: pd.DataFrame, *, label: str, places: int = 3) -> Figure:
    """A coloured cell with its number for each line of a table.

    Args:
        table: columns `measure` (the row), `with` (the column) and `value`, which may be NaN.
        label: what the values are.
        places: decimals of the numbers.
    """
    names = list(dict.fromkeys(table["measure"]))
    place = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    rows = [place[name] for name in table["measure"]]
    columns = [place[name] for name in table["with"]]
    cells[rows, columns] = table["value"]
    low = 0.0
    if np.isfinite(cells).any():
        # the scale begins at a tenth, so that cells can be told apart
        low = min(0.9, math.floor(10.0 * float(np.nanmin(cells))) / 10.0)
    side = max(3.4, 0.75 * len(names))
    with style():
        figure, (axes,) = new_figure(width=side + 1.4, height=side)
        axes.grid(visible=False)
        image = axes.imshow(np.ma.masked_invalid(cells), cmap="cividis", vmin=low, vmax=1.0)
        for row, column in zip(rows, columns, strict=True):
            value = cells[row, column]
            is_dark = value < low + 0.55 * (1.0 - low)
            text = "" if np.isnan(value) else f"{value:.{places}f}"
            colour = "white" if is_dark else "black"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
        axes.set_yticks(range(len(names)), names)
        figure.colorbar(image, ax=axes, label=label, shrink=0.85)
    return figure
