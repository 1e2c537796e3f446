"""How the scores of runs are spread over the topics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.wording import count_text
from irev.jobs.plots.measured_text import short_labels
from irev.jobs.plots.options import DistributionOptions
from irev.jobs.plots.plot import Plot, make_plot
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.run_rows import BEST_ABOVE, run_rows_layout, runs_best_first
from irev.jobs.plots.style import COLOURS, check_panel_count, plot_style, set_unit_axis
from irev.jobs.plots.topic_axis import (
    LACKS_TOPIC,
    blank_missing_topics,
    missing_key,
    missing_topics,
)
from irev.jobs.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
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
        and value; a topic that a run lacks has none.

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
        for row in _score_mean_and_box_rows(table, measure, run_index)
    ]
    frame = pd.DataFrame(rows, columns=_DistributionRow._fields)
    order = runs_best_first(table)
    caption = f"Over {count_text(len(table.topics), 'topic')}; {BEST_ABOVE}."
    missing = missing_topics(table)
    draw = partial(distribution_figure, frame, order, caption, missing)
    return make_plot("distribution", table, blank_missing_topics(frame, missing), draw)


class _DistributionRow(NamedTuple):
    """A number of a run; `what` it is: the score of a topic, the mean, a part of the box."""

    measure: str
    run: str
    what: str
    topic: str
    value: float


def _score_mean_and_box_rows(
    table: ScoreTable, measure: str, run_index: int
) -> list[_DistributionRow]:
    name, values = run_names(table)[run_index], table.scores(measure)[:, run_index]
    rows = [
        _DistributionRow(measure, name, SCORE, topic, value)
        for topic, value in zip(topic_names(table), values.tolist(), strict=True)
    ]
    mean = float(table.means(measure)[run_index])
    rows.append(_DistributionRow(measure, name, MEAN, "", mean))
    with plot_style():
        from matplotlib.cbook import boxplot_stats

        (box,) = boxplot_stats(values)
    return rows + [
        _DistributionRow(measure, name, part, "", float(box[key])) for key, part in BOX.items()
    ]


def distribution_figure(
    frame: pd.DataFrame,
    run_order: Sequence[str],
    caption: str,
    missing: Collection[tuple[str, str]] = (),
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `distribution`.

    Args:
        frame: the rows.
        run_order: the runs from the top down.
        caption: what stands below.
        missing: (run, topic) of topics that runs lack.
        width: of the figure.
    """
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(run_order)
    with plot_style(width):
        layout = run_rows_layout(len(measures), [labels[name] for name in run_order], width)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_boxes(panel, rows, run_order, missing)
            set_unit_axis(panel, "x", rows["value"].to_numpy())
            panel.set_xlabel(f"{measure} of a topic")
        handles, texts = layout.panels[0].get_legend_handles_labels()
        if missing:
            handles, texts = [*handles, missing_key()], [*texts, LACKS_TOPIC]
        layout.set_legend(handles, texts)
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_boxes(
    panel: Axes,
    rows: pd.DataFrame,
    run_order: Sequence[str],
    missing: Collection[tuple[str, str]],
) -> None:
    for index, name in enumerate(run_order):
        topics = rows[(rows["run"] == name) & (rows["what"] == SCORE)]
        is_missing = np.array([(name, topic) in missing for topic in topics["topic"]], dtype=bool)
        scores = topics["value"].to_numpy()
        # points beside one another, always at the same places
        places = index + 0.6 * ((np.arange(len(scores)) * _GOLDEN) % 1 - 0.5)
        panel.plot(
            scores[~is_missing], places[~is_missing], linestyle="none", marker="o",
            markersize=2.5, color=COLOURS[0], alpha=0.6, markeredgewidth=0,
            label="_scores" if index else "topic",
        )  # fmt: skip
        panel.plot(
            scores[is_missing], places[is_missing], linestyle="none", marker="x",
            markersize=3.5, color="black", label="_missing",
        )  # fmt: skip
    rows_of_runs = np.arange(len(run_order))
    part = {
        what: rows[rows["what"] == what].set_index("run")["value"].loc[list(run_order)].to_numpy()
        for what in (MEAN, *BOX.values())
    }
    low, high = part[BOX["q1"]], part[BOX["q3"]]
    line: dict[str, Any] = {"color": "black", "linewidth": 0.8}
    panel.barh(
        rows_of_runs, high - low, 0.7, left=low, facecolor="none", edgecolor="black", linewidth=0.8
    )
    for inner, outer in ((low, part[BOX["whislo"]]), (high, part[BOX["whishi"]])):
        panel.hlines(rows_of_runs, inner, outer, **line)
        panel.vlines(outer, rows_of_runs - 0.2, rows_of_runs + 0.2, **line)
    panel.vlines(
        part[BOX["med"]], rows_of_runs - 0.35, rows_of_runs + 0.35, color="black", linewidth=1.6
    )
    panel.plot(
        part[MEAN], rows_of_runs, linestyle="none", marker="D", markersize=4.5, color=COLOURS[1],
        markeredgecolor="white", zorder=5, label=MEAN,
    )  # fmt: skip
