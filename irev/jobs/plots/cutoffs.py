"""A measure against its cutoff."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.highlights import Highlights, highlight_runs
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.measured_text import short_labels
from irev.jobs.plots.options import CutoffsOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names
from irev.jobs.plots.style import check_panel_count, plot_style, set_unit_axis
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.core.judged import Column
    from irev.scores.table import ScoreTable

_CUTOFF = re.compile(r"(.+)[_@.]([0-9]+)")
_WIDE = 20
"""Where the last cutoff is so many times the first, the axis is logarithmic."""


@score_job(CutoffsOptions)
def cutoffs(table: ScoreTable, options: CutoffsOptions) -> Plot:
    """Draw the mean of measures at each of their cutoffs: a line for each run.

    Of more than eight runs the best by the first measure is in colour, or those of `highlight`.

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
    caption = f"Mean over {count_text(len(table.topics), 'topic')}."
    highlights = highlight_runs(table, options.highlight, table.measure_names[0])
    draw = partial(cutoffs_figure, frame, highlights, caption)
    return make_plot("cutoffs", table, frame, draw, *highlights.notes)


def _mean_rows(table: ScoreTable, column: Column) -> list[tuple[str, int, str, float]]:
    match = _CUTOFF.fullmatch(column.name)
    if match is None or column.average != "mean":
        raise UsageError(f"{column.name} has no cutoff: measures such as P, nDCG@5,10 have")
    means = table.means(column.name).tolist()
    return [
        (match[1], int(match[2]), name, mean)
        for name, mean in zip(run_names(table), means, strict=True)
    ]


def cutoffs_figure(
    frame: pd.DataFrame, highlights: Highlights, caption: str, *, width: FigureWidth = "page"
) -> Figure:
    """The figure of the rows of `cutoffs`."""
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(list(dict.fromkeys(frame["run"])))
    with plot_style(width):
        layout = FigureLayout(len(measures), width=width, height=1.9)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            for name in (*highlights.others, *highlights.names):
                line = rows[rows["run"] == name]
                is_other = name in highlights.others
                label = highlights.others_label if is_other else labels[name]
                panel.plot(line["cutoff"], line["mean"], **highlights.look_of(name), label=label)
            ranks = sorted(set(rows["cutoff"]))
            if ranks[-1] >= _WIDE * ranks[0]:
                panel.set_xscale("log")
            layout.number_ticks(panel, "x", ranks)
            set_unit_axis(panel, "y", rows["mean"].to_numpy())
            panel.set_xlabel("cutoff k (rank)")
            panel.set_ylabel(f"{measure}@k")
        layout.set_panel_legend(last=highlights.others_label)
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()
