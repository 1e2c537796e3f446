"""Two runs against each other, a point for each topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.options import ScatterOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    MARKERS,
    add_legend,
    check_panel_count,
    drawn_label,
    new_panels,
    plot_style,
)
from irev.jobs.score_job import score_job
from irev.measures.naming.result_columns import lower_is_better
from irev.statistics.differences import scale_of, zero_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.model import Column
    from irev.scores.table import ScoreTable

TIE = "tie"


@score_job(ScatterOptions)
def scatter(table: ScoreTable, options: ScatterOptions) -> Plot:
    """Draw two runs against each other: a point for each topic, and how many topics each run wins.

    Values that differ by no more than rounding are equal.

    Args:
        table: the scores.
        options: the record `ScatterOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, x, y, and in better the name of a run, or tie.

    Raises:
        UsageError: an option or a measure that makes no sense here; more or fewer than two runs.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    if len(table.runs) != 2:
        raise UsageError(f"a scatter plot needs two runs, not {len(table.runs)}")
    x_index = _first_run_index(table) if options.x is None else table.run_index(options.x)
    runs = run_names(table)
    names = (runs[x_index], runs[1 - x_index])
    rows = [
        row for column in table.columns for row in _topic_rows_with_winner(table, column, x_index)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "x", "y", "better"])
    draw = partial(scatter_figure, frame, names)
    return make_plot(
        "scatter", table, frame, draw, x=drawn_label(names[0]), y=drawn_label(names[1])
    )


def _first_run_index(table: ScoreTable) -> int:
    """Which run was given first; two runs of one file have no order but that of their names."""
    places = [run.input_index for run in table.runs]
    return places.index(min(places))


def _topic_rows_with_winner(
    table: ScoreTable, column: Column, x_index: int
) -> list[tuple[str, str, float, float, str]]:
    both = table.scores(column.name)
    x, y = both[:, x_index], both[:, 1 - x_index]
    gain = zero_noise(y - x, scale_of(both))
    if lower_is_better(column):
        gain = -gain
    runs = run_names(table)
    better = [
        TIE if not each else runs[1 - x_index if each > 0 else x_index] for each in gain.tolist()
    ]
    names = [column.name] * len(better)
    return list(zip(names, topic_names(table), x.tolist(), y.tolist(), better, strict=True))


def scatter_figure(frame: pd.DataFrame, axis_run_names: Sequence[str]) -> Figure:
    """The figure of the rows of `scatter`; `axis_run_names`: across and upwards."""
    measures = list(dict.fromkeys(frame["measure"]))
    with plot_style():
        figure, axes = new_panels(len(measures), width=4.2, height=4.9)
        for panel, measure in zip(axes, measures, strict=True):
            _draw_topic_points(panel, frame[frame["measure"] == measure], axis_run_names)
        add_legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _draw_topic_points(panel: Axes, rows: pd.DataFrame, axis_run_names: Sequence[str]) -> None:
    both = np.concatenate((rows["x"], rows["y"]))
    low, high = float(both.min()), float(both.max())
    ends = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high if high > low else low + 1)
    panel.plot(ends, ends, color="#888888", linewidth=0.8, zorder=1)
    counts = []
    for index, winner in enumerate((*axis_run_names, TIE)):
        points = rows[rows["better"] == winner]
        meaning = f"{drawn_label(winner)} better" if winner != TIE else "equal"
        counts.append(f"{meaning}: {len(points)}")
        panel.plot(
            points["x"], points["y"], linestyle="none", marker=MARKERS[index], markersize=5,
            color=COLOURS[index] if winner != TIE else "#777777", markeredgecolor="white",
            markeredgewidth=0.5, label=meaning,
        )  # fmt: skip
    margin = 0.03 * (ends[1] - ends[0])
    panel.set(xlim=(ends[0] - margin, ends[1] + margin), ylim=(ends[0] - margin, ends[1] + margin))
    panel.set(
        xlabel=drawn_label(axis_run_names[0]), ylabel=drawn_label(axis_run_names[1]), box_aspect=1
    )
    panel.set_title(
        f"{rows['measure'].iloc[0]}, {count_text(len(rows), 'topic')}\n{', '.join(counts)}",
        fontsize=8,
    )
