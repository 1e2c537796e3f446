"""A run against the median of all runs, topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError, note
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.measured_text import short_labels
from irev.jobs.plots.options import MedianOptions
from irev.jobs.plots.plot import Plot, make_plot, topic_order
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import check_panel_count, plot_style
from irev.jobs.plots.topic_axis import (
    LACKS_TOPIC,
    blank_missing_topics,
    draw_topic_differences,
    missing_key,
    missing_topics,
    name_topics,
    topic_rows,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import TopicsByRuns
    from irev.core.displayed import FigureWidth
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
        the bars: by id (2 before 10), or by the difference, falling; of a topic that the run lacks
        the median alone.

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
    name = run_names(table)[run_index]
    about = f"against the median of all {count_text(len(table.runs), 'run')}, including this one"
    labels, _ = short_labels(run_names(table))
    missing = missing_topics(table)
    lacked = {topic for run, topic in missing if run == name}
    draw = partial(median_figure, frame, f"{labels[name]} {about}", lacked)
    shown = blank_missing_topics(frame, missing, ("value", "difference"), name)
    return make_plot(
        "median", table, shown, draw, note(f"{name} {about}"), run=name, sort=options.sort
    )


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


def median_figure(
    frame: pd.DataFrame, title: str, missing: Collection[str] = (), *, width: FigureWidth = "page"
) -> Figure:
    """The figure of the rows of `median`; `missing`: topics that the run lacks."""
    measures = list(dict.fromkeys(frame["measure"]))
    rows_of_topics = topic_rows(frame["topic"].nunique(), 1, len(measures), width)
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rows_of_topics), width=width, height=1.7, max_columns=1
        )
        panels = iter(layout.panels)
        for measure in measures:
            rows = frame[frame["measure"] == measure]
            farthest = float(np.abs(rows["difference"]).max()) or 1.0
            for indices in rows_of_topics:
                panel = next(panels)
                some = rows.iloc[indices.start : indices.stop]
                draw_topic_differences(
                    panel, some["difference"].to_numpy(), some["topic"].isin(missing).tolist()
                )
                name_topics(layout, panel, some["topic"].tolist(), len(rows_of_topics[0]))
                panel.set_ylim(-1.08 * farthest, 1.08 * farthest)
                panel.set_ylabel(f"{measure}: difference")
            panel.set_xlabel("topic")
        if missing:
            layout.set_legend([missing_key()], [LACKS_TOPIC])
        layout.panels[0].set_title(title)
        return layout.finish()
