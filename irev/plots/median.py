"""How far a run is above or below the median of all runs, topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.plots.axes import panels, topic_axis, width_for
from irev.plots.per_topic import ordered
from irev.plots.record import Record
from irev.plots.runs import check_room, label, notes_of, parameters_of, topic_names
from irev.plots.style import COLOURS, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.engine.gather import Gathered

NAME = "median"
COLUMNS = ("measure", "topic", "value", "median", "difference")


def median(
    gathered: Gathered,
    run: str,
    *,
    sort: str = "topic",
) -> Record:
    """The difference of a run's values from the median of all runs, by topic.

    The run itself is among those that the median is of; of an even number of runs it is the mean of
    the two in the middle.

    Args:
        gathered: the runs and their scores; two at least.
        run: the name of the run that is shown.
        sort: "topic": by id, in byte order; "value": by the difference, falling.

    Returns:
        The table `median` (measure, topic, value, median, difference; in the order of the bars) and
        the figure.

    Raises:
        UsageError: the run is not among the runs, or an option that makes no sense.

    Source: the summary sheets of TREC, appendix of each year's proceedings.
    """
    import pandas as pd

    matrices = gathered.matrices
    check_room(len(matrices.columns))
    mine = matrices.number_of(run)
    if len(matrices.runs) < 2:
        raise UsageError("a median wants at least two runs")
    topics, rows = topic_names(matrices), []
    for measure in matrices.measures:
        rows += difference_rows(measure, topics, matrices.of(measure), mine, sort)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    name = label(matrices.runs[mine])
    title = f"{name} against the median of all {len(matrices.runs)} runs, itself among them"
    return Record(
        NAME, parameters_of(gathered, run=name, sort=sort), {NAME: table}, (NAME,),
        {NAME: partial(draw, table, title)}, (*notes_of(gathered), title),
    )  # fmt: skip


def difference_rows(
    measure: str, topics: Sequence[str], values: Floats, run: int, sort: str = "topic"
) -> list[tuple[str, str, float, float, float]]:
    """Rows of the table for one measure.

    Args:
        measure: its printed name.
        topics: T ids.
        values: float64[T, S], by topic and run.
        run: the place of the run among the S.
        sort: "topic" or "value".
    """
    middle = np.median(values, axis=1)
    difference = values[:, run] - middle
    return [
        (measure, topics[at], float(values[at, run]), float(middle[at]), float(difference[at]))
        for at in ordered(difference, sort)
    ]


def draw(table: pd.DataFrame, title: str) -> Figure:
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
