"""Two runs against each other, a point for each topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.errors import UsageError
from irev.measures.direction import lower_is_better
from irev.plots.axes import legend, panels
from irev.plots.record import Record
from irev.plots.runs import (
    check_room,
    label,
    notes_of,
    parameters_of,
    run_names,
    topic_names,
)
from irev.plots.style import COLOURS, MARKERS, style
from irev.statistics.tolerance import scale_of, without_noise

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.matrices import Matrices
    from irev.core.scores import Column
    from irev.engine.gather import Gathered

NAME = "scatter"
TIE = "tie"


def scatter(
    gathered: Gathered,
    x: str | None = None,
) -> Record:
    """The values of two runs by topic, one across and the other upwards.

    Topics on which the better value is the first run's, the second's, or neither's are told apart
    and counted; values that differ by no more than rounding are equal.

    Args:
        gathered: the runs and their scores; two of them.
        x: the run whose values are across, by its name or path; None: the first by name.

    Returns:
        The table `scatter` (measure, topic, x, y, better: the name of a run, or tie) and the
        figure.

    Raises:
        UsageError: not two runs, or an option that makes no sense.
    """
    import pandas as pd

    matrices = gathered.matrices
    check_room(len(matrices.columns))
    if len(matrices.runs) != 2:
        raise UsageError(f"a scatter plot wants two runs, not {len(matrices.runs)}")
    across = 0 if x is None else matrices.number_of(x)
    runs = run_names(matrices)
    names = (runs[across], runs[1 - across])
    rows = [row for column in matrices.columns for row in _rows(matrices, column, across)]
    table = pd.DataFrame(rows, columns=["measure", "topic", "x", "y", "better"])
    parameters = parameters_of(gathered, x=label(names[0]), y=label(names[1]))
    return Record(
        NAME, parameters, {NAME: table}, (NAME,), {NAME: partial(draw, table, names)},
        notes_of(gathered),
    )  # fmt: skip


def _rows(
    matrices: Matrices, column: Column, across: int
) -> list[tuple[str, str, float, float, str]]:
    both = matrices.of(column.name)
    x, y = both[:, across], both[:, 1 - across]
    gain = without_noise(y - x, scale_of(both))
    if lower_is_better(column):
        gain = -gain
    runs = run_names(matrices)
    better = [
        TIE if not each else runs[1 - across if each > 0 else across] for each in gain.tolist()
    ]
    names = [column.name] * len(better)
    return list(zip(names, topic_names(matrices), x.tolist(), y.tolist(), better, strict=True))


def draw(table: pd.DataFrame, names: Sequence[str]) -> Figure:
    """The figure of a table of `scatter`; `names` are those of the runs across and upwards."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = panels(len(measures), width=4.2, height=4.9)
        for panel, measure in zip(axes, measures, strict=True):
            _draw(panel, table[table["measure"] == measure], names)
        legend(figure, *axes[0].get_legend_handles_labels())
    return figure


def _draw(panel: Axes, rows: pd.DataFrame, names: Sequence[str]) -> None:
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
