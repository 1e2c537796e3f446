"""A measure against the rank at which it stops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.plots.axes import legend, panels, unit_axis
from irev.plots.record import Record
from irev.plots.runs import check_room, label, notes_of, parameters_of, run_names
from irev.plots.style import series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.matrices import Matrices
    from irev.core.scores import Column
    from irev.engine.gather import Gathered

NAME = "cutoffs"

_CUTOFF = re.compile(r"(.+)[_@.]([0-9]+)")
_WIDE = 20
"""Where the last cutoff is so many times the first, the axis is logarithmic."""


def cutoffs(gathered: Gathered) -> Record:
    """The mean of measures at each of their cutoffs, a line for each run, a panel for each measure.

    Args:
        gathered: the runs and their scores.

    Returns:
        The table `cutoffs` (measure, cutoff, run, mean) and the figure.

    Raises:
        UsageError: a measure without cutoffs, or an option that makes no sense.
    """
    import pandas as pd

    matrices = gathered.matrices
    rows = [row for column in matrices.columns for row in _rows(matrices, column)]
    table = pd.DataFrame(rows, columns=["measure", "cutoff", "run", "mean"])
    place = {measure: at for at, measure in enumerate(dict.fromkeys(table["measure"]))}
    check_room(len(place))
    order = np.lexsort((table["cutoff"], table["measure"].map(place)))
    table = table.iloc[order].reset_index(drop=True)
    title = f"mean over {len(matrices.topics)} topics"
    return Record(
        NAME, parameters_of(gathered), {NAME: table}, (NAME,),
        {NAME: partial(draw, table, title)}, notes_of(gathered),
    )  # fmt: skip


def _rows(matrices: Matrices, column: Column) -> list[tuple[str, int, str, float]]:
    parts = _CUTOFF.fullmatch(column.name)
    if parts is None or column.average != "mean":
        raise UsageError(f"{column.name} has no cutoff: measures such as P, nDCG@5,10 have")
    means = matrices.means(column.name).tolist()
    return [
        (parts[1], int(parts[2]), name, mean)
        for name, mean in zip(run_names(matrices), means, strict=True)
    ]


def draw(table: pd.DataFrame, title: str) -> Figure:
    """The figure of a table of `cutoffs`."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = panels(len(measures), width=4.2, height=3.4)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            for number, name in enumerate(dict.fromkeys(rows["run"])):
                some = rows[rows["run"] == name]
                panel.plot(some["cutoff"], some["mean"], **series(number), label=label(name))
            _cutoff_axis(panel, sorted(set(rows["cutoff"])))
            unit_axis(panel, rows["mean"].min(), rows["mean"].max())
            panel.set_ylabel(f"{measure}@k")
        figure.suptitle(title, fontsize=10)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _cutoff_axis(panel: Axes, ranks: Sequence[int]) -> None:
    if ranks[-1] >= _WIDE * ranks[0]:
        panel.set_xscale("log")
    panel.set_xticks(ranks, [str(rank) for rank in ranks], fontsize=7)
    panel.set_xticks([], minor=True)
    panel.set_xlabel("cutoff k (rank)")
