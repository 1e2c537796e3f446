"""How the scores of runs are spread over the topics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.plots.axes import run_axis, run_panels, unit_axis
from irev.plots.record import Record
from irev.plots.runs import check_room, notes_of, parameters_of, run_names, topic_names
from irev.plots.style import COLOURS, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered

NAME = "distribution"
SCORE, MEAN = "score", "mean"
BOX = {"whislo": "lower whisker", "q1": "first quartile", "med": "median", "q3": "third quartile",
       "whishi": "upper whisker"}  # fmt: skip
"""matplotlib's names for the parts of a box, and those of the table."""

_GOLDEN = (5**0.5 - 1) / 2


def distribution(gathered: Gathered) -> Record:
    """The scores of each run over the topics: a box, the mean, and a point for each topic.

    A box reaches from the first to the third quartile (interpolated linearly), with a line at the
    median; the whiskers to the farthest topics within 1.5 times its length.

    Args:
        gathered: the runs and their scores.

    Returns:
        The table `distribution` (measure, run, what, topic, value; `what` is score, mean, or a part
        of the box) and the figure.

    Raises:
        UsageError: an option that makes no sense.
        MissingExtraError: matplotlib is not installed.
    """
    import pandas as pd

    matrices = gathered.matrices
    check_room(len(matrices.columns))
    rows = [
        row
        for measure in matrices.measures
        for run in range(len(matrices.runs))
        for row in _rows(matrices, measure, run)
    ]
    table = pd.DataFrame(rows, columns=["measure", "run", "what", "topic", "value"])
    title = f"{len(matrices.topics)} topics"
    return Record(
        NAME, parameters_of(gathered), {NAME: table}, (NAME,),
        {NAME: partial(draw, table, title)}, notes_of(gathered),
    )  # fmt: skip


def _rows(matrices: Matrices, measure: str, run: int) -> list[tuple[str, str, str, str, float]]:
    name, values = run_names(matrices)[run], matrices.of(measure)[:, run]
    rows = [
        (measure, name, SCORE, topic, value)
        for topic, value in zip(topic_names(matrices), values.tolist(), strict=True)
    ]
    rows.append((measure, name, MEAN, "", float(matrices.means(measure)[run])))
    with style():
        from matplotlib.cbook import boxplot_stats

        (box,) = boxplot_stats(values)
    return rows + [(measure, name, what, "", float(box[key])) for key, what in BOX.items()]


def draw(table: pd.DataFrame, title: str) -> Figure:
    """The figure of a table of `distribution`."""
    measures = list(dict.fromkeys(table["measure"]))
    with style():
        figure, axes = run_panels(len(measures), table["run"].nunique(), height=3.6)
        for panel, measure in zip(axes, measures, strict=True):
            rows = table[table["measure"] == measure]
            _draw(panel, rows)
            unit_axis(panel, rows["value"].min(), rows["value"].max())
            panel.set_ylabel(f"{measure} of a topic")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        figure.suptitle(title, fontsize=10)
    return figure


def _draw(panel: Axes, rows: pd.DataFrame) -> None:
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
