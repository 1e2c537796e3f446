"""What the order of equal scores can change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.errors import UsageError
from irev.plots.axes import (
    legend,
    panels,
    run_axis,
    run_panels,
    topic_axis,
    unit_axis,
    width_for,
)
from irev.plots.record import Record
from irev.plots.runs import check_room, label, notes_of, parameters_of, run_names, topic_names
from irev.plots.style import COLOURS, series, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered

NAME = "tie-ranges"


def tie_ranges(
    gathered: Gathered,
    *,
    by: str = "run",
) -> Record:
    """The value of measures, and the least and the greatest that orders of equal scores give.

    Args:
        gathered: the runs and their scores, evaluated with `tie_range`.
        by: "run": means over the topics; "topic": each topic, for up to 8 runs.

    Returns:
        The table `tie-ranges` (measure, topic, where it is by topic, run, value, min, max) and the
        figure.

    Raises:
        UsageError: a measure that has no better end, or an option that makes no sense.
    """
    import pandas as pd

    matrices = gathered.matrices
    if by == "topic" and len(matrices.runs) > len(COLOURS):
        raise UsageError(
            f"topics can be shown for up to {len(COLOURS)} runs, not {len(matrices.runs)}"
        )
    chosen = _with_range(matrices)
    check_room(len(chosen))
    rows = [row for measure in chosen for row in _rows(matrices, measure, by)]
    table = pd.DataFrame(rows, columns=["measure", "topic", "run", "value", "min", "max"])
    title = f"mean over {len(matrices.topics)} topics"
    if by == "run":
        table = table.drop(columns="topic")
    draw = partial(draw_runs, table, title) if by == "run" else partial(draw_topics, table)
    return Record(
        NAME, parameters_of(gathered, by=by), {NAME: table}, (NAME,), {NAME: draw},
        notes_of(gathered),
    )  # fmt: skip


def _rows(
    matrices: Matrices, measure: str, by: str
) -> list[tuple[str, str, str, float, float, float]]:
    names = (measure, f"{measure}[min]", f"{measure}[max]")
    if by == "run":
        cells, topics = np.stack([[matrices.means(name)] for name in names], axis=-1), [""]
    else:
        cells = np.stack([matrices.of(name) for name in names], axis=-1)
        topics = topic_names(matrices)
    return [
        (measure, topic, name, *cell)
        for topic, line in zip(topics, cells.tolist(), strict=True)
        for name, cell in zip(run_names(matrices), line, strict=True)
    ]


def _with_range(matrices: Matrices) -> list[str]:
    """The measures; each has its least and its greatest beside it."""
    names = matrices.measures
    chosen = [name for name in names if not name.endswith(("[min]", "[max]"))]
    for name in chosen:
        if f"{name}[min]" not in names or f"{name}[max]" not in names:
            raise UsageError(f"{name} has no range over orders of ties here")
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
                "least to greatest over orders of ties",
            )
            run_axis(panel, rows["run"].tolist())
            panel.set_ylabel(measure)
        handles, labels = axes[0].get_legend_handles_labels()
        legend(figure, handles, labels)
        figure.suptitle(title, fontsize=10)
    return figure


def draw_topics(table: pd.DataFrame) -> Figure:
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
