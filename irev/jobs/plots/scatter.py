"""Two runs against each other, a point for each topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.measured_text import short_labels
from irev.jobs.plots.options import ScatterOptions, two_runs_text
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import COLOURS, MARKERS, check_panel_count, drawn_label, plot_style
from irev.jobs.plots.topic_axis import blank_missing_topics, missing_key, missing_topics
from irev.jobs.score_job import score_job
from irev.measures.naming.resolve import lower_is_better
from irev.statistics.differences import scale_of, zero_noise

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.core.judged import Column
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
        The figure. `to_frame()` has measure, topic, x, y, and in better the name of a run, or tie;
        a topic that a run lacks, and that counts as 0, has no x or y.

    Raises:
        UsageError: an option or a measure that makes no sense here; more or fewer than two runs.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    if len(table.runs) != 2:
        raise UsageError(two_runs_text(len(table.runs)))
    x_index = _first_run_index(table) if options.x is None else table.run_index(options.x)
    runs = run_names(table)
    names = (runs[x_index], runs[1 - x_index])
    rows = [
        row for column in table.columns for row in _topic_rows_with_winner(table, column, x_index)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "x", "y", "better"])
    missing = missing_topics(table)
    draw = partial(scatter_figure, frame, names, missing)
    shown = frame
    for column, name in zip(("x", "y"), names, strict=True):
        shown = blank_missing_topics(shown, missing, (column,), name)
    return make_plot(
        "scatter", table, shown, draw, x=drawn_label(names[0]), y=drawn_label(names[1])
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


def scatter_figure(
    frame: pd.DataFrame,
    axis_run_names: Sequence[str],
    missing: Collection[tuple[str, str]] = (),
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `scatter`.

    Args:
        frame: the rows.
        axis_run_names: the runs across and upwards.
        missing: (run, topic) of topics that a run lacks.
        width: of the figure.
    """
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(axis_run_names)
    winner_labels = [
        (winner, f"{labels[winner]} better" if winner != TIE else "equal")
        for winner in (*axis_run_names, TIE)
    ]
    lacking = {topic for _, topic in missing}
    with plot_style(width):
        layout = FigureLayout(len(measures), width=width, height=None)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_topic_points(panel, rows, winner_labels, lacking)
            panel.set(
                title=measure, xlabel=labels[axis_run_names[0]], ylabel=labels[axis_run_names[1]]
            )
            counts = [
                f"{label}: {np.count_nonzero(rows['better'] == winner)}"
                for winner, label in winner_labels
            ]
            num_topics = count_text(len(rows), "topic")
            layout.add_sentence(f"{measure}, {num_topics}: {', '.join(counts)}.")
        handles, texts = layout.panels[0].get_legend_handles_labels()
        if lacking:
            handles, texts = [*handles, missing_key()], [*texts, "a run lacks the topic"]
        layout.set_legend(handles, texts)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_topic_points(
    panel: Axes,
    rows: pd.DataFrame,
    winner_labels: Sequence[tuple[str, str]],
    lacking: Collection[str],
) -> None:
    """Draw the points of a measure, in the legend by who wins."""
    both = np.concatenate((rows["x"], rows["y"]))
    low, high = float(both.min()), float(both.max())
    ends = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high if high > low else low + 1)
    panel.plot(ends, ends, color="#888888", linewidth=0.8, zorder=1)
    for index, (winner, label) in enumerate(winner_labels):
        points = rows[rows["better"] == winner]
        look: dict[str, Any] = {
            "linestyle": "none", "color": COLOURS[index] if winner != TIE else "#777777",
        }  # fmt: skip
        is_missing = points["topic"].isin(lacking)
        seen, unseen = points[~is_missing], points[is_missing]
        panel.plot(
            seen["x"], seen["y"], **look, marker=MARKERS[index], markersize=4.5,
            markeredgecolor="white", markeredgewidth=0.4, label=label,
        )  # fmt: skip
        panel.plot(unseen["x"], unseen["y"], **look, marker="x", label="_missing")
    margin = 0.03 * (ends[1] - ends[0])
    limits = (ends[0] - margin, ends[1] + margin)
    panel.set(xlim=limits, ylim=limits)
