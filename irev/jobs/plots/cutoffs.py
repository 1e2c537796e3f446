"""A measure against its cutoff."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.options import CutoffsOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names
from irev.jobs.plots.style import (
    add_legend,
    check_panel_count,
    drawn_label,
    new_panels,
    plot_style,
    series_style,
    set_unit_axis,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.model import Column
    from irev.scores.table import ScoreTable

_CUTOFF = re.compile(r"(.+)[_@.]([0-9]+)")
_WIDE = 20
"""Where the last cutoff is so many times the first, the axis is logarithmic."""


@score_job(CutoffsOptions)
def cutoffs(table: ScoreTable, options: CutoffsOptions) -> Plot:
    """Draw the mean of measures at each of their cutoffs: a line for each run.

    Args:
        table: the scores.
        options: the record `CutoffsOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, cutoff, run and mean.

    Raises:
        UsageError: an option that makes no sense here; a measure without a cutoff.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    rows = [row for column in table.columns for row in _mean_rows(table, column)]
    frame = pd.DataFrame(rows, columns=["measure", "cutoff", "run", "mean"])
    index_of_measure = {name: index for index, name in enumerate(dict.fromkeys(frame["measure"]))}
    check_panel_count(len(index_of_measure))
    order = np.lexsort((frame["cutoff"], frame["measure"].map(index_of_measure)))
    frame = frame.iloc[order].reset_index(drop=True)
    title = f"mean over {count_text(len(table.topics), 'topic')}"
    return make_plot("cutoffs", table, frame, partial(cutoffs_figure, frame, title))


def _mean_rows(table: ScoreTable, column: Column) -> list[tuple[str, int, str, float]]:
    match = _CUTOFF.fullmatch(column.name)
    if match is None or column.average != "mean":
        raise UsageError(f"{column.name} has no cutoff: measures such as P, nDCG@5,10 have")
    means = table.means(column.name).tolist()
    return [
        (match[1], int(match[2]), name, mean)
        for name, mean in zip(run_names(table), means, strict=True)
    ]


def cutoffs_figure(frame: pd.DataFrame, title: str) -> Figure:
    """The figure of the rows of `cutoffs`."""
    measures = list(dict.fromkeys(frame["measure"]))
    with plot_style():
        figure, axes = new_panels(len(measures), width=4.2, height=3.4)
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            for index, name in enumerate(dict.fromkeys(rows["run"])):
                line = rows[rows["run"] == name]
                panel.plot(
                    line["cutoff"], line["mean"], **series_style(index), label=drawn_label(name)
                )
            _draw_cutoff_axis(panel, sorted(set(rows["cutoff"])))
            set_unit_axis(panel, rows["mean"].min(), rows["mean"].max())
            panel.set_ylabel(f"{measure}@k")
        figure.suptitle(title, fontsize=10)
        add_legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _draw_cutoff_axis(panel: Axes, ranks: Sequence[int]) -> None:
    if ranks[-1] >= _WIDE * ranks[0]:
        panel.set_xscale("log")
    panel.set_xticks(ranks, [str(rank) for rank in ranks], fontsize=7)
    panel.set_xticks([], minor=True)
    panel.set_xlabel("cutoff k (rank)")
