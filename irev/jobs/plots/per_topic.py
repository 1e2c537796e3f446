"""Bars of runs, topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.jobs.plots.options import PerTopicOptions
from irev.jobs.plots.plot import Plot, make_plot, topic_order
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    add_legend,
    check_panel_count,
    drawn_label,
    figure_width,
    new_panels,
    plot_style,
    set_topic_axis,
    set_unit_axis,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.scores.table import ScoreTable


@score_job(PerTopicOptions)
def per_topic(table: ScoreTable, options: PerTopicOptions) -> Plot:
    """Draw the values of measures by topic: a bar for each run, a panel for each measure.

    Args:
        table: the scores.
        options: the record `PerTopicOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, run and value, in the order of the bars: by
        id (2 before 10), or by the mean over the runs, falling.

    Raises:
        UsageError: an option or a measure that makes no sense here; too many runs or measures.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    if len(table.runs) > len(COLOURS):
        raise UsageError(f"a bar chart shows up to {len(COLOURS)} runs, not {len(table.runs)}")
    topics = topic_names(table)
    rows = [
        (measure, topics[topic], name, float(table.scores(measure)[topic, run]))
        for measure in table.measure_names
        for topic in topic_order(table.scores(measure).mean(axis=1), topics, options.sort)
        for run, name in enumerate(run_names(table))
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "value"])
    draw = partial(per_topic_figure, frame)
    return make_plot("per-topic", table, frame, draw, sort=options.sort)


def per_topic_figure(frame: pd.DataFrame) -> Figure:
    """The figure of the rows of `per_topic`."""
    names = list(dict.fromkeys(frame["run"]))
    measures = list(dict.fromkeys(frame["measure"]))
    num_topics = frame["topic"].nunique()
    with plot_style():
        width = figure_width(num_topics, len(names))
        figure, axes = new_panels(len(measures), width=width, height=3.4, max_columns=1)
        thickness = 0.8 / len(names)
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            for index, name in enumerate(names):
                values = rows.loc[rows["run"] == name, "value"]
                shift = (index - (len(names) - 1) / 2) * thickness
                panel.bar(
                    np.arange(num_topics) + shift, values, thickness * 0.94,
                    color=COLOURS[index], label=drawn_label(name),
                )  # fmt: skip
            set_topic_axis(panel, list(dict.fromkeys(rows["topic"])))
            set_unit_axis(panel, rows["value"].min(), rows["value"].max(), has_bars=True)
            panel.set_ylabel(measure)
        if len(names) == 1:
            axes[0].set_title(drawn_label(names[0]))
        else:
            add_legend(figure, *axes[0].get_legend_handles_labels())
    return figure
