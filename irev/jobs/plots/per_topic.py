"""Bars of runs, topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.jobs.plots.highlights import Highlights, highlight_runs
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.measured_text import short_labels
from irev.jobs.plots.options import PerTopicOptions
from irev.jobs.plots.plot import Plot, make_plot, topic_order
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import COLOURS, GREY, check_panel_count, plot_style, set_unit_axis
from irev.jobs.plots.topic_axis import (
    LACKS_TOPIC,
    blank_missing_topics,
    mark_missing,
    missing_key,
    missing_topics,
    name_topics,
    topic_rows,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.scores.table import ScoreTable


@score_job(PerTopicOptions)
def per_topic(table: ScoreTable, options: PerTopicOptions) -> Plot:
    """Draw the values of measures by topic: a bar for each run, a panel for each measure.

    Of more than eight runs the best by the first measure has bars, or those of `highlight`; the
    others are grey dots. A topic that a run lacks has a cross.

    Args:
        table: the scores.
        options: the record `PerTopicOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, run and value, in the order of the bars: by
        id (2 before 10), or by the mean over the runs, falling; a topic that a run lacks has no
        value.

    Raises:
        UsageError: an option or a measure that makes no sense here; too many measures.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    topics = topic_names(table)
    rows = [
        (measure, topics[topic], name, float(table.scores(measure)[topic, run]))
        for measure in table.measure_names
        for topic in topic_order(table.scores(measure).mean(axis=1), topics, options.sort)
        for run, name in enumerate(run_names(table))
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "value"])
    highlights = highlight_runs(table, options.highlight, table.measure_names[0])
    missing = missing_topics(table)
    draw = partial(per_topic_figure, frame, highlights, missing)
    shown = blank_missing_topics(frame, missing)
    return make_plot("per-topic", table, shown, draw, *highlights.notes, sort=options.sort)


def per_topic_figure(
    frame: pd.DataFrame,
    highlights: Highlights,
    missing: Collection[tuple[str, str]],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `per_topic`.

    Args:
        frame: the rows.
        highlights: which runs have bars; the others are dots.
        missing: (run, topic) of topics that runs lack.
        width: of the figure.
    """
    names, measures = highlights.names, list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(list(dict.fromkeys(frame["run"])))
    topic_ids = list(dict.fromkeys(frame["topic"]))
    rows_of_topics = topic_rows(len(topic_ids), len(names), len(measures), width)
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rows_of_topics), width=width, height=1.7, max_columns=1
        )
        panels = iter(layout.panels)
        for measure in measures:
            values = frame[frame["measure"] == measure].pivot(
                index="topic", columns="run", values="value"
            )
            order = list(dict.fromkeys(frame.loc[frame["measure"] == measure, "topic"]))
            for indices in rows_of_topics:
                panel = next(panels)
                topics = [order[index] for index in indices]
                _draw_bars(panel, values.loc[topics], highlights, missing, labels)
                name_topics(layout, panel, topics, len(rows_of_topics[0]))
                set_unit_axis(panel, "y", values.to_numpy(), has_bars=True)
                if len(rows_of_topics) > 1 and not panel.get_ylim()[0]:
                    panel.set_ylim(top=max(panel.get_ylim()[1], 1.06 * values.to_numpy().max()))
                panel.set_ylabel(measure)
            panel.set_xlabel("topic")
        if len(labels) == 1:
            layout.panels[0].set_title(labels[names[0]])
        if len(labels) > 1:
            layout.set_panel_legend(last=highlights.others_label)
        if any(name in names for name, _ in missing):
            layout.add_legend_entry(missing_key(), LACKS_TOPIC)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_bars(
    panel: Axes,
    values: pd.DataFrame,
    highlights: Highlights,
    missing: Collection[tuple[str, str]],
    labels: Mapping[str, str],
) -> None:
    """Bars of the runs that are told apart, a dot for each other run; a row for each topic."""
    thickness = 0.8 / len(highlights.names)
    positions = np.arange(len(values))
    for index, name in enumerate(highlights.names):
        places = positions + (index - (len(highlights.names) - 1) / 2) * thickness
        panel.bar(places, values[name], thickness * 0.94, color=COLOURS[index], label=labels[name])
        lacking = [
            place
            for place, topic in zip(places, values.index, strict=True)
            if (name, topic) in missing
        ]
        mark_missing(panel, lacking, [0.0] * len(lacking), COLOURS[index])
    for index, name in enumerate(highlights.others):
        panel.plot(
            positions, values[name], linestyle="none", marker="o", markersize=2.2, color=GREY,
            markeredgewidth=0, zorder=3, alpha=0.8,
            label="_other" if index else highlights.others_label,
        )  # fmt: skip
