"""Bars of a measure, topic by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats
from irev.errors import UsageError
from irev.plots.axes import legend, panels, topic_axis, unit_axis, width_for
from irev.plots.record import Record
from irev.plots.runs import check_room, label, notes_of, parameters_of, run_names, topic_names
from irev.plots.style import COLOURS, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.engine.gather import Gathered

NAME = "per-topic"


def per_topic(
    gathered: Gathered,
    *,
    sort: str = "topic",
) -> Record:
    """The values of measures by topic, a bar for each run, a panel for each measure.

    Args:
        gathered: the runs and their scores; at most as many as there are colours, 8.
        sort: "topic": by id, in byte order; "value": by the mean over the runs, falling.

    Returns:
        The table `per-topic` (measure, topic, run, value; in the order of the bars) and the figure.

    Raises:
        UsageError: too many runs or measures.
    """
    import pandas as pd

    matrices = gathered.matrices
    check_room(len(matrices.columns))
    if len(matrices.runs) > len(COLOURS):
        raise UsageError(
            f"bars can be told apart for up to {len(COLOURS)} runs, not {len(matrices.runs)}"
        )
    topics = topic_names(matrices)
    rows = [
        (measure, topics[topic], name, float(matrices.of(measure)[topic, run]))
        for measure in matrices.measures
        for topic in ordered(matrices.of(measure).mean(axis=1), sort)
        for run, name in enumerate(run_names(matrices))
    ]
    table = pd.DataFrame(rows, columns=["measure", "topic", "run", "value"])
    return Record(
        NAME, parameters_of(gathered, sort=sort), {NAME: table}, (NAME,),
        {NAME: partial(draw, table)}, notes_of(gathered),
    )  # fmt: skip


def ordered(values: Floats, sort: str) -> list[int]:
    """The places of values as they are, or from the highest down; equal ones as they are."""
    if sort == "topic":
        return list(range(len(values)))
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    return order


def draw(table: pd.DataFrame) -> Figure:
    """The figure of a table of `per_topic`."""
    names = list(dict.fromkeys(table["run"]))
    measures = list(dict.fromkeys(table["measure"]))
    places = table["topic"].nunique()
    with style():
        width = width_for(places, len(names))
        figure, axes = panels(len(measures), width=width, height=3.0, across=1)
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
