"""Figures of runs: a measure against its cutoff, its spread over topics, its range over ties."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import natural_sort_key
from irev.errors import UsageError
from irev.jobs.plots.outcome import check_room, plotted, run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    label,
    legend,
    panels,
    run_axis,
    run_panels,
    series,
    style,
    topic_axis,
    unit_axis,
    width_for,
)
from irev.jobs.study_result import StudyResult

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.core.model import Column
    from irev.scores.table import ScoreTable


_CUTOFF = re.compile(r"(.+)[_@.]([0-9]+)")
_WIDE = 20
"""Where the last cutoff is so many times the first, the axis is logarithmic."""


def cutoffs(score_table: ScoreTable) -> StudyResult:
    """The mean of measures at each of their cutoffs, a line for each run, a panel for each measure.

    Returns:
        The table `cutoffs` (measure, cutoff, run, mean) and the figure.
    """
    import pandas as pd

    rows = [row for column in score_table.columns for row in _cutoff_rows(score_table, column)]
    table = pd.DataFrame(rows, columns=["measure", "cutoff", "run", "mean"])
    place = {measure: at for at, measure in enumerate(dict.fromkeys(table["measure"]))}
    check_room(len(place))
    order = np.lexsort((table["cutoff"], table["measure"].map(place)))
    table = table.iloc[order].reset_index(drop=True)
    title = f"mean over {len(score_table.topics)} topics"
    return plotted("cutoffs", score_table, table, partial(cutoffs_figure, table, title))


def _cutoff_rows(table: ScoreTable, column: Column) -> list[tuple[str, int, str, float]]:
    parts = _CUTOFF.fullmatch(column.name)
    if parts is None or column.average != "mean":
        raise UsageError(f"{column.name} has no cutoff: measures such as P, nDCG@5,10 have")
    means = table.means(column.name).tolist()
    return [
        (parts[1], int(parts[2]), name, mean)
        for name, mean in zip(run_names(table), means, strict=True)
    ]


def cutoffs_figure(table: pd.DataFrame, title: str) -> Figure:
    """The figure of a table of `cutoffs`."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = panels(len(measures), width=4.2, height=3.4)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            for number, name in enumerate(dict.fromkeys(rows["run"])):
                some = rows[rows["run"] == name]
                panel.plot(some["cutoff"], some["mean"], **series(number), label=label(name))
            _cutoff_axis(panel, sorted(set(rows["cutoff"])))
            unit_axis(panel, rows["mean"].min(), rows["mean"].max())
            panel.set_ylabel(f"{measure}@k")
        figure.suptitle(title, fontsize=10)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _cutoff_axis(panel: Axes, ranks: Sequence[int]) -> None:
    if ranks[-1] >= _WIDE * ranks[0]:
        panel.set_xscale("log")
    panel.set_xticks(ranks, [str(rank) for rank in ranks], fontsize=7)
    panel.set_xticks([], minor=True)
    panel.set_xlabel("cutoff k (rank)")


SCORE, MEAN = "score", "mean"
BOX = {"whislo": "lower whisker", "q1": "first quartile", "med": "median", "q3": "third quartile",
       "whishi": "upper whisker"}  # fmt: skip
"""matplotlib's names for the parts of a box, and those of the table."""

_GOLDEN = (5**0.5 - 1) / 2


def distribution(score_table: ScoreTable) -> StudyResult:
    """The scores of each run over the topics: a box, the mean, and a point for each topic.

    A box reaches from the first to the third quartile (interpolated linearly), with a line at the
    median; the whiskers to the farthest topics within 1.5 times its length.

    Returns:
        The table `distribution` (measure, run, what, topic, value; `what` is score, mean, or a part
        of the box) and the figure.
    """
    import pandas as pd

    check_room(len(score_table.columns))
    rows = [
        row
        for measure in score_table.measure_names
        for run in range(len(score_table.run_names))
        for row in _distribution_rows(score_table, measure, run)
    ]
    table = pd.DataFrame(rows, columns=["measure", "run", "what", "topic", "value"])
    title = f"{len(score_table.topics)} topics"
    return plotted("distribution", score_table, table, partial(distribution_figure, table, title))


def _distribution_rows(
    table: ScoreTable, measure: str, run: int
) -> list[tuple[str, str, str, str, float]]:
    name, values = run_names(table)[run], table.scores(measure)[:, run]
    rows = [
        (measure, name, SCORE, topic, value)
        for topic, value in zip(topic_names(table), values.tolist(), strict=True)
    ]
    rows.append((measure, name, MEAN, "", float(table.means(measure)[run])))
    with style():
        from matplotlib.cbook import boxplot_stats

        (box,) = boxplot_stats(values)
    return rows + [(measure, name, what, "", float(box[key])) for key, what in BOX.items()]


def distribution_figure(table: pd.DataFrame, title: str) -> Figure:
    """The figure of a table of `distribution`."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = run_panels(len(measures), table["run"].nunique(), height=3.6)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            _draw_boxes(panel, rows)
            unit_axis(panel, rows["value"].min(), rows["value"].max())
            panel.set_ylabel(f"{measure} of a topic")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        figure.suptitle(title, fontsize=10)
    return figure


def _draw_boxes(panel: Axes, rows: pd.DataFrame) -> None:
    names = list(dict.fromkeys(rows["run"]))
    boxes: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        some = rows[rows["run"] == name]
        value = some.set_index("what")["value"]
        boxes.append({key: float(value[what]) for key, what in BOX.items()})
        scores = some.loc[some["what"] == SCORE, "value"].to_numpy()
        # points beside one another, always at the same places
        aside = (np.arange(len(scores)) * _GOLDEN) % 1 - 0.5
        panel.plot(
            number + 0.36 * aside, scores, linestyle="none", marker="o", markersize=3.5,
            color=COLOURS[0], alpha=0.75, markeredgewidth=0, label="_scores" if number else "topic",
        )  # fmt: skip
        panel.plot(
            [number], [float(value[MEAN])], linestyle="none", marker="D", markersize=6,
            color=COLOURS[1], markeredgecolor="white", zorder=5,
            label="_mean" if number else "mean",
        )  # fmt: skip
    panel.bxp(
        boxes, positions=range(len(names)), widths=0.55, showfliers=False,
        medianprops={"color": "black", "linewidth": 1.6},
    )  # fmt: skip
    run_axis(panel, names)


def tie_ranges(
    score_table: ScoreTable,
    *,
    by: str = "run",
) -> StudyResult:
    """The value of measures, and the least and the greatest that orders of equal scores give.

    `by`: "run": means over the topics; "topic": each topic, for up to 8 runs.

    Returns:
        The table `tie-ranges` (measure, topic, where it is by topic, run, value, min, max) and the
        figure.
    """
    import pandas as pd

    if by == "topic" and len(score_table.run_names) > len(COLOURS):
        raise UsageError(
            f"topics can be shown for up to {len(COLOURS)} runs, not {len(score_table.run_names)}"
        )
    chosen = _with_range(score_table)
    check_room(len(chosen))
    rows = [row for measure in chosen for row in _range_rows(score_table, measure, by)]
    table = pd.DataFrame(rows, columns=["measure", "topic", "run", "value", "min", "max"])
    said = []
    if by == "run":
        table = table.drop(columns="topic")
        said.append(f"mean over {len(score_table.topics)} topics")
    if (table["min"] == table["max"]).all():
        said.append("no order of equal scores changes a value")
    draw = partial(draw_runs if by == "run" else draw_topics, table, "; ".join(said))
    return plotted("tie-ranges", score_table, table, draw, by=by)


def _range_rows(
    table: ScoreTable, measure: str, by: str
) -> list[tuple[str, str, str, float, float, float]]:
    names = (measure, f"{measure}[min]", f"{measure}[max]")
    if by == "run":
        cells, topics = np.stack([[table.means(name)] for name in names], axis=-1), [""]
    else:
        cells = np.stack([table.scores(name) for name in names], axis=-1)
        topics = topic_names(table)
    lines = sorted(
        zip(topics, cells.tolist(), strict=True), key=lambda line: natural_sort_key(line[0])
    )
    return [
        (measure, topic, name, *cell)
        for topic, line in lines
        for name, cell in zip(run_names(table), line, strict=True)
    ]


def _with_range(table: ScoreTable) -> list[str]:
    """The measures; each has its least and its greatest beside it."""
    names = table.measure_names
    chosen = [name for name in names if not name.endswith(("[min]", "[max]"))]
    for name in chosen:
        if f"{name}[min]" not in names or f"{name}[max]" not in names:
            raise UsageError(f"{name} has no range over orders of tied documents")
    return chosen


def draw_runs(table: pd.DataFrame, title: str) -> Figure:
    """The figure of means by run."""
    measures = list(dict.fromkeys(table["measure"]))
    runs = table["run"].nunique()
    with style():
        figure, axes = run_panels(len(measures), runs, height=3.4)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            _ranges(
                panel,
                np.arange(float(runs)),
                rows,
                series(0),
                "value",
                "lowest to highest over all orders of ties",
            )
            run_axis(panel, rows["run"].tolist())
            panel.set_ylabel(measure)
        handles, labels = axes[0].get_legend_handles_labels()
        legend(figure, handles, labels)
        figure.suptitle(title, fontsize=10)
    return figure


def draw_topics(table: pd.DataFrame, title: str) -> Figure:
    """The figure of topics, the runs side by side."""
    measures = list(dict.fromkeys(table["measure"]))
    names = list(dict.fromkeys(table["run"]))
    topics = list(dict.fromkeys(table["topic"]))
    with style():
        width = width_for(len(topics), len(names))
        figure, axes = panels(len(measures), width=width, height=3.2, across=1)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            for number, name in enumerate(names):
                shift = (number - (len(names) - 1) / 2) * 0.8 / len(names)
                some = rows[rows["run"] == name]
                _ranges(
                    panel, np.arange(float(len(topics))) + shift, some, series(number), label(name)
                )
            topic_axis(panel, topics)
            unit_axis(panel, rows["min"].min(), rows["max"].max())
            panel.set_ylabel(measure)
        legend(figure, *axes[0].get_legend_handles_labels())
        if title:
            figure.suptitle(title, fontsize=10)
    return figure


def _ranges(
    panel: Axes,
    places: Floats,
    rows: pd.DataFrame,
    look: dict[str, Any],
    name: str,
    span: str = "_range",
) -> None:
    panel.vlines(
        places, rows["min"], rows["max"], color=look["color"], linewidth=4, alpha=0.35, label=span
    )
    for end, marker in (("min", "_"), ("max", "_")):
        panel.plot(
            places, rows[end], linestyle="none", marker=marker, markersize=7,
            markeredgewidth=1.4, color=look["color"], label=f"_{end}",
        )  # fmt: skip
    panel.plot(places, rows["value"], **{**look, "linestyle": "none"}, label=name)
