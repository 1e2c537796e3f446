"""Figures of topics: bars of runs, a run against the median of all, two runs against each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.core.text import natural_sort_key
from irev.errors import UsageError
from irev.jobs.plots.outcome import check_room, plotted, run_names, topic_names
from irev.jobs.plots.style import (
    COLOURS,
    MARKERS,
    label,
    legend,
    panels,
    style,
    topic_axis,
    unit_axis,
    width_for,
)
from irev.jobs.study_result import StudyResult
from irev.measures.naming.result_columns import lower_is_better
from irev.statistics.differences import scale_of, zero_noise

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.model import Column
    from irev.scores.table import ScoreTable


def per_topic(
    score_table: ScoreTable,
    *,
    sort: str = "topic",
) -> StudyResult:
    """The values of measures by topic, a bar for each run, a panel for each measure.

    `sort`: "topic": by id, in natural order (2 before 10); "value": by the mean over the runs,
    falling.

    Returns:
        The table `per-topic` (measure, topic, run, value; in the order of the bars) and the figure.
    """
    import pandas as pd

    check_room(len(score_table.columns))
    if len(score_table.run_names) > len(COLOURS):
        raise UsageError(
            f"bars can be told apart for up to {len(COLOURS)} runs, "
            f"not {len(score_table.run_names)}"
        )
    topics = topic_names(score_table)
    rows = [
        (measure, topics[topic], name, float(score_table.scores(measure)[topic, run]))
        for measure in score_table.measure_names
        for topic in ordered(score_table.scores(measure).mean(axis=1), topics, sort)
        for run, name in enumerate(run_names(score_table))
    ]
    table = pd.DataFrame(rows, columns=["measure", "topic", "run", "value"])
    return plotted("per-topic", score_table, table, partial(per_topic_figure, table), sort=sort)


def ordered(values: Floats, topics: Sequence[str], sort: str) -> list[int]:
    """The places of topics in natural order, or of values from the highest down."""
    by_id = sorted(range(len(topics)), key=lambda at: natural_sort_key(topics[at]))
    if sort == "topic":
        return by_id
    return sorted(by_id, key=lambda at: -values[at])


def per_topic_figure(table: pd.DataFrame) -> Figure:
    """The figure of a table of `per_topic`."""
    names = list(dict.fromkeys(table["run"]))
    measures = list(dict.fromkeys(table["measure"]))
    places = table["topic"].nunique()
    with style():
        width = width_for(places, len(names))
        figure, axes = panels(len(measures), width=width, height=3.4, across=1)
        thickness = 0.8 / len(names)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            for number, name in enumerate(names):
                values = rows.loc[rows["run"] == name, "value"]
                shift = (number - (len(names) - 1) / 2) * thickness
                panel.bar(
                    np.arange(places) + shift, values, thickness * 0.94,
                    color=COLOURS[number], label=label(name),
                )  # fmt: skip
            topic_axis(panel, list(dict.fromkeys(rows["topic"])))
            unit_axis(panel, rows["value"].min(), rows["value"].max(), bars=True)
            panel.set_ylabel(measure)
        if len(names) == 1:
            axes[0].set_title(label(names[0]))
        else:
            legend(figure, *axes[0].get_legend_handles_labels())
    return figure


MEDIAN_COLUMNS = ("measure", "topic", "value", "median", "difference")


def median(
    score_table: ScoreTable,
    run: str,
    *,
    sort: str = "topic",
) -> StudyResult:
    """The difference of a run's values from the median of all runs, by topic.

    The run itself is among those that the median is of; of an even number of runs it is the mean of
    the two in the middle.

    `run`: the name of the run that is shown. `sort`: "topic": by id, in natural order (2 before
    10); "value": by the difference, falling.

    Returns:
        The table `median` (measure, topic, value, median, difference; in the order of the bars) and
        the figure.

    Source: the summary sheets of TREC, appendix of each year's proceedings.
    """
    import pandas as pd

    check_room(len(score_table.columns))
    mine = score_table.run_index(run)
    if len(score_table.run_names) < 2:
        raise UsageError("a median needs at least two runs")
    topics, rows = topic_names(score_table), []
    for measure in score_table.measure_names:
        rows += difference_rows(measure, topics, score_table.scores(measure), mine, sort)
    table = pd.DataFrame(rows, columns=list(MEDIAN_COLUMNS))
    name = label(score_table.run_names[mine])
    title = (
        f"{name} against the median of all {len(score_table.run_names)} runs, including this one"
    )
    draw = partial(median_figure, table, title)
    return plotted("median", score_table, table, draw, title, run=name, sort=sort)


def difference_rows(
    measure: str, topics: Sequence[str], values: Floats, run: int, sort: str = "topic"
) -> list[tuple[str, str, float, float, float]]:
    """Rows of the table for one measure, given float64[T, S] values by topic and run."""
    middle = np.median(values, axis=1)
    difference = values[:, run] - middle
    return [
        (measure, topics[at], float(values[at, run]), float(middle[at]), float(difference[at]))
        for at in ordered(difference, topics, sort)
    ]


def median_figure(table: pd.DataFrame, title: str) -> Figure:
    """The figure of a table of `median`."""
    measures = list(dict.fromkeys(table["measure"]))
    places = table["topic"].nunique()
    with style():
        figure, axes = panels(len(measures), width=width_for(places), height=3.0, across=1)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            values = rows["difference"].to_numpy()
            colours = [COLOURS[1] if value < 0 else COLOURS[0] for value in values]
            panel.bar(np.arange(places), values, 0.75, color=colours)
            panel.axhline(0, color="black", linewidth=0.8)
            topic_axis(panel, rows["topic"].tolist())
            farthest = float(np.abs(values).max()) or 1.0
            panel.set_ylim(-1.08 * farthest, 1.08 * farthest)
            panel.set_ylabel(f"{measure}: difference\nfrom the median")
        axes[0].set_title(title, fontsize=9)
    return figure


TIE = "tie"


def scatter(
    score_table: ScoreTable,
    x: str | None = None,
) -> StudyResult:
    """The values of two runs by topic, one across and the other upwards.

    Topics on which the better value is the first run's, the second's, or neither's are told apart
    and counted; values that differ by no more than rounding are equal.

    `x`: the run whose values are across, by its name or path; None: the first by name.

    Returns:
        The table `scatter` (measure, topic, x, y, better: the name of a run, or tie) and the
        figure.
    """
    import pandas as pd

    check_room(len(score_table.columns))
    if len(score_table.run_names) != 2:
        raise UsageError(f"a scatter plot needs two runs, not {len(score_table.run_names)}")
    across = 0 if x is None else score_table.run_index(x)
    runs = run_names(score_table)
    names = (runs[across], runs[1 - across])
    rows = [
        row for column in score_table.columns for row in _scatter_rows(score_table, column, across)
    ]
    table = pd.DataFrame(rows, columns=["measure", "topic", "x", "y", "better"])
    draw = partial(scatter_figure, table, names)
    return plotted("scatter", score_table, table, draw, x=label(names[0]), y=label(names[1]))


def _scatter_rows(
    table: ScoreTable, column: Column, across: int
) -> list[tuple[str, str, float, float, str]]:
    both = table.scores(column.name)
    x, y = both[:, across], both[:, 1 - across]
    gain = zero_noise(y - x, scale_of(both))
    if lower_is_better(column):
        gain = -gain
    runs = run_names(table)
    better = [
        TIE if not each else runs[1 - across if each > 0 else across] for each in gain.tolist()
    ]
    names = [column.name] * len(better)
    return list(zip(names, topic_names(table), x.tolist(), y.tolist(), better, strict=True))


def scatter_figure(table: pd.DataFrame, names: Sequence[str]) -> Figure:
    """The figure of a table of `scatter`; `names` are those of the runs across and upwards."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = panels(len(measures), width=4.2, height=4.9)
        for panel, measure in zip(axes, measures, strict=True):
            _draw_scatter(panel, table[table["measure"] == measure], names)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _draw_scatter(panel: Axes, rows: pd.DataFrame, names: Sequence[str]) -> None:
    both = np.concatenate((rows["x"], rows["y"]))
    low, high = float(both.min()), float(both.max())
    ends = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high if high > low else low + 1)
    panel.plot(ends, ends, color="#888888", linewidth=0.8, zorder=1)
    counts = []
    for number, who in enumerate((*names, TIE)):
        some = rows[rows["better"] == who]
        said = f"{label(who)} better" if who != TIE else "equal"
        counts.append(f"{said}: {len(some)}")
        panel.plot(
            some["x"], some["y"], linestyle="none", marker=MARKERS[number], markersize=5,
            color=COLOURS[number] if who != TIE else "#777777", markeredgecolor="white",
            markeredgewidth=0.5, label=said,
        )  # fmt: skip
    margin = 0.03 * (ends[1] - ends[0])
    panel.set(xlim=(ends[0] - margin, ends[1] + margin), ylim=(ends[0] - margin, ends[1] + margin))
    panel.set(xlabel=label(names[0]), ylabel=label(names[1]), box_aspect=1)
    panel.set_title(
        f"{rows['measure'].iloc[0]}, {len(rows)} topics\n{', '.join(counts)}", fontsize=8
    )
