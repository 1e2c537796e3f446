"""A run against the median of all runs, topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError, note
from irev.jobs.plots.options import MedianOptions
from irev.jobs.plots.plot import Plot, make_plot, topic_order
from irev.jobs.plots.result_parts import topic_names
from irev.jobs.plots.style import (
    COLOURS,
    check_panel_count,
    drawn_label,
    figure_width,
    new_panels,
    plot_style,
    set_topic_axis,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import TopicsByRuns
    from irev.jobs.plots.options import TopicOrder
    from irev.scores.table import ScoreTable

MEDIAN_COLUMNS = ("measure", "topic", "value", "median", "difference")


@score_job(MedianOptions)
def median(table: ScoreTable, options: MedianOptions) -> Plot:
    """Draw how far a run is above or below the median of all runs, topic by topic.

    The run itself is among those that the median is of; of an even number of runs it is the mean of
    the two in the middle.

    Args:
        table: the scores.
        options: the record `MedianOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, value, median and difference, in the order of
        the bars: by id (2 before 10), or by the difference, falling.

    Raises:
        UsageError: an option or a measure that makes no sense here; one run alone.
        InputError: an input that cannot be read.

    Source: the summary sheets of TREC, appendix of each year's proceedings.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    run_index = table.run_index(options.run or "")
    if len(table.runs) < 2:
        raise UsageError("a median needs at least two runs")
    topics, rows = topic_names(table), []
    for measure in table.measure_names:
        rows += difference_rows(measure, topics, table.scores(measure), run_index, options.sort)
    frame = pd.DataFrame(rows, columns=list(MEDIAN_COLUMNS))
    name = drawn_label(table.run_names[run_index])
    title = (
        f"{name} against the median of all {count_text(len(table.runs), 'run')}, including this one"
    )
    draw = partial(median_figure, frame, title)
    return make_plot("median", table, frame, draw, note(title), run=name, sort=options.sort)


def difference_rows(
    measure: str,
    topic_labels: Sequence[str],
    score_matrix: TopicsByRuns,
    run_index: int,
    sort: TopicOrder = "topic",
) -> list[tuple[str, str, float, float, float]]:
    """Rows of `MEDIAN_COLUMNS` for one measure, given float64[T, S] values by topic and run."""
    medians = np.median(score_matrix, axis=1)
    values = score_matrix[:, run_index]
    differences = values - medians
    return [
        (
            measure,
            topic_labels[index],
            float(values[index]),
            float(medians[index]),
            float(differences[index]),
        )
        for index in topic_order(differences, topic_labels, sort)
    ]


def median_figure(frame: pd.DataFrame, title: str) -> Figure:
    """The figure of the rows of `median`."""
    measures = list(dict.fromkeys(frame["measure"]))
    num_topics = frame["topic"].nunique()
    with plot_style():
        figure, axes = new_panels(
            len(measures), width=figure_width(num_topics), height=3.0, max_columns=1
        )
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            values = rows["difference"].to_numpy()
            colours = [COLOURS[1] if value < 0 else COLOURS[0] for value in values]
            panel.bar(np.arange(num_topics), values, 0.75, color=colours)
            panel.axhline(0, color="black", linewidth=0.8)
            set_topic_axis(panel, rows["topic"].tolist())
            farthest = float(np.abs(values).max()) or 1.0
            panel.set_ylim(-1.08 * farthest, 1.08 * farthest)
            panel.set_ylabel(f"{measure}: difference\nfrom the median")
        axes[0].set_title(title, fontsize=9)
    return figure
