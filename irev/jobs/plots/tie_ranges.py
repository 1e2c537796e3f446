"""How much the order of ties can change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import natural_sort_key
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.options import TieRangesOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    add_legend,
    check_panel_count,
    drawn_label,
    figure_width,
    new_panels,
    new_run_panels,
    plot_style,
    series_style,
    set_run_axis,
    set_topic_axis,
    set_unit_axis,
)
from irev.jobs.score_job import score_job
from irev.rank.ties.several_orders import RANGE_ORDERS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.scores.table import ScoreTable

    _RangeRow = tuple[str, str, str, float, float, float]
    """Measure, topic, run, value, and the values under the pessimistic and the optimistic order."""


@score_job(TieRangesOptions)
def tie_ranges(table: ScoreTable, options: TieRangesOptions) -> Plot:
    """Draw the values of measures under the pessimistic and the optimistic order of ties.

    A table of scores has NAME[pessimistic] and NAME[optimistic] for each measure, as
    `tie_range=True` gives them.

    Args:
        table: the scores.
        options: the record `TieRangesOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic where these are shown, run, value,
        pessimistic and optimistic.

    Raises:
        UsageError: an option that makes no sense here; a measure without a range; too many runs.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    if options.per_topic and len(table.runs) > len(COLOURS):
        raise UsageError(f"--per-topic shows up to {len(COLOURS)} runs, not {len(table.runs)}")
    measures = _measures_with_range(table)
    check_panel_count(len(measures))
    make_rows = _range_rows_by_topic_and_run if options.per_topic else _range_rows_by_run
    rows = [row for measure in measures for row in make_rows(table, measure)]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "value", *RANGE_ORDERS])
    title_parts = []
    if not options.per_topic:
        frame = frame.drop(columns="topic")
        title_parts.append(f"mean over {count_text(len(table.topics), 'topic')}")
    if (frame["pessimistic"] == frame["optimistic"]).all():
        title_parts.append("no order of equal scores changes a value")
    draw = partial(
        topic_ranges_figure if options.per_topic else run_ranges_figure,
        frame,
        "; ".join(title_parts),
    )
    row_kind = "topic" if options.per_topic else "run"
    return make_plot("tie-ranges", table, frame, draw, by=row_kind)


def _measures_with_range(table: ScoreTable) -> list[str]:
    """The measures; each has its values under both orders beside it."""
    names = table.measure_names
    ends = tuple(f"[{order}]" for order in RANGE_ORDERS)
    measures = [name for name in names if not name.endswith(ends)]
    for name in measures:
        if not {f"{name}{end}" for end in ends} <= set(names):
            raise UsageError(f"{name} has no range over orders of tied documents")
    return measures


def _range_rows_by_run(table: ScoreTable, measure: str) -> list[_RangeRow]:
    means = [table.means(name).tolist() for name in _range_measures(measure)]
    return [(measure, "", *row) for row in zip(run_names(table), *means, strict=True)]


def _range_rows_by_topic_and_run(table: ScoreTable, measure: str) -> list[_RangeRow]:
    cells = np.stack([table.scores(name) for name in _range_measures(measure)], axis=-1)
    lines = sorted(
        zip(topic_names(table), cells.tolist(), strict=True),
        key=lambda line: natural_sort_key(line[0]),
    )
    return [
        (measure, topic, name, *cell)
        for topic, line in lines
        for name, cell in zip(run_names(table), line, strict=True)
    ]


def _range_measures(measure: str) -> tuple[str, ...]:
    return measure, *(f"{measure}[{order}]" for order in RANGE_ORDERS)


def run_ranges_figure(frame: pd.DataFrame, title: str) -> Figure:
    """The figure of means by run."""
    measures = list(dict.fromkeys(frame["measure"]))
    num_runs = frame["run"].nunique()
    with plot_style():
        figure, axes = new_run_panels(len(measures), num_runs, height=3.4)
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_ranges(
                panel,
                np.arange(float(num_runs)),
                rows,
                series_style(0),
                "value",
                "pessimistic to optimistic order of ties",
            )
            set_run_axis(panel, rows["run"].tolist())
            panel.set_ylabel(measure)
        handles, labels = axes[0].get_legend_handles_labels()
        add_legend(figure, handles, labels)
        figure.suptitle(title, fontsize=10)
    return figure


def topic_ranges_figure(frame: pd.DataFrame, title: str) -> Figure:
    """The figure of topics, the runs side by side."""
    measures = list(dict.fromkeys(frame["measure"]))
    names = list(dict.fromkeys(frame["run"]))
    topics = list(dict.fromkeys(frame["topic"]))
    with plot_style():
        width = figure_width(len(topics), len(names))
        figure, axes = new_panels(len(measures), width=width, height=3.2, max_columns=1)
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            for index, name in enumerate(names):
                positions = np.arange(float(len(topics)))
                positions += (index - (len(names) - 1) / 2) * 0.8 / len(names)
                run_rows = rows[rows["run"] == name]
                _draw_ranges(panel, positions, run_rows, series_style(index), drawn_label(name))
            set_topic_axis(panel, topics)
            drawn = rows[["value", *RANGE_ORDERS]]
            set_unit_axis(panel, drawn.min(axis=None), drawn.max(axis=None))
            panel.set_ylabel(measure)
        add_legend(figure, *axes[0].get_legend_handles_labels())
        if title:
            figure.suptitle(title, fontsize=10)
    return figure


def _draw_ranges(
    panel: Axes,
    positions: Floats,
    rows: pd.DataFrame,
    series_look: dict[str, Any],
    value_label: str,
    range_label: str = "_range",
) -> None:
    """A bar from one order's value to the other's at each place, and a mark at the value."""
    panel.vlines(
        positions, rows["pessimistic"], rows["optimistic"], color=series_look["color"],
        linewidth=4, alpha=0.35, label=range_label,
    )  # fmt: skip
    for order in RANGE_ORDERS:
        panel.plot(
            positions, rows[order], linestyle="none", marker="_", markersize=7,
            markeredgewidth=1.4, color=series_look["color"], label=f"_{order}",
        )  # fmt: skip
    panel.plot(positions, rows["value"], **{**series_look, "linestyle": "none"}, label=value_label)
