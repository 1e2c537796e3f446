"""How the scores of runs are spread over the topics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.wording import count_text
from irev.jobs.plots.options import DistributionOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    check_panel_count,
    new_run_panels,
    plot_style,
    set_run_axis,
    set_unit_axis,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.scores.table import ScoreTable

SCORE, MEAN = "score", "mean"
BOX = {"whislo": "lower whisker", "q1": "first quartile", "med": "median", "q3": "third quartile",
       "whishi": "upper whisker"}  # fmt: skip
"""matplotlib's names for the parts of a box, and those of the rows."""

_GOLDEN = (5**0.5 - 1) / 2


@score_job(DistributionOptions)
def distribution(table: ScoreTable, options: DistributionOptions) -> Plot:
    """Draw how scores are spread over the topics: for each run a box, the mean, a point a topic.

    A box reaches from the first to the third quartile (interpolated linearly), with a line at the
    median; the whiskers to the farthest topics within 1.5 times its length.

    Args:
        table: the scores.
        options: the record `DistributionOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, run, what (score, mean, or a part of the box), topic
        and value.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    rows = [
        row
        for measure in table.measure_names
        for run_index in range(len(table.runs))
        for row in _run_rows(table, measure, run_index)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "run", "what", "topic", "value"])
    title = count_text(len(table.topics), "topic")
    return make_plot("distribution", table, frame, partial(distribution_figure, frame, title))


def _run_rows(
    table: ScoreTable, measure: str, run_index: int
) -> list[tuple[str, str, str, str, float]]:
    name, values = run_names(table)[run_index], table.scores(measure)[:, run_index]
    rows = [
        (measure, name, SCORE, topic, value)
        for topic, value in zip(topic_names(table), values.tolist(), strict=True)
    ]
    rows.append((measure, name, MEAN, "", float(table.means(measure)[run_index])))
    with plot_style():
        from matplotlib.cbook import boxplot_stats

        (box,) = boxplot_stats(values)
    return rows + [(measure, name, part, "", float(box[key])) for key, part in BOX.items()]


def distribution_figure(frame: pd.DataFrame, title: str) -> Figure:
    """The figure of the rows of `distribution`."""
    measures = list(dict.fromkeys(frame["measure"]))
    with plot_style():
        figure, axes = new_run_panels(len(measures), frame["run"].nunique(), height=3.6)
        for panel, measure in zip(axes, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_boxes(panel, rows)
            set_unit_axis(panel, rows["value"].min(), rows["value"].max())
            panel.set_ylabel(f"{measure} of a topic")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        figure.suptitle(title, fontsize=10)
    return figure


def _draw_boxes(panel: Axes, rows: pd.DataFrame) -> None:
    names = list(dict.fromkeys(rows["run"]))
    boxes: list[dict[str, Any]] = []
    for index, name in enumerate(names):
        run_rows = rows[rows["run"] == name]
        value = run_rows.set_index("what")["value"]
        boxes.append({key: float(value[part]) for key, part in BOX.items()})
        scores = run_rows.loc[run_rows["what"] == SCORE, "value"].to_numpy()
        # points beside one another, always at the same places
        shift = (np.arange(len(scores)) * _GOLDEN) % 1 - 0.5
        panel.plot(
            index + 0.36 * shift, scores, linestyle="none", marker="o", markersize=3.5,
            color=COLOURS[0], alpha=0.75, markeredgewidth=0, label="_scores" if index else "topic",
        )  # fmt: skip
        panel.plot(
            [index], [float(value[MEAN])], linestyle="none", marker="D", markersize=6,
            color=COLOURS[1], markeredgecolor="white", zorder=5,
            label="_mean" if index else "mean",
        )  # fmt: skip
    panel.bxp(
        boxes, positions=range(len(names)), widths=0.55, showfliers=False,
        medianprops={"color": "black", "linewidth": 1.6},
    )  # fmt: skip
    set_run_axis(panel, names)
