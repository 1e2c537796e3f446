"""Panels with a row for each run, whose names stand once, at the left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.jobs.plots.layout import ROW_HEIGHT, FigureLayout
from irev.jobs.plots.result_parts import run_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.displayed import FigureWidth
    from irev.scores.table import ScoreTable

BEST_ABOVE = "runs by the mean of the first measure, the best above"
_FEW_ROWS_HEIGHT, _HIGHEST_ROW = 1.3, 0.34
"""Inches that the rows of few runs fill, and of the highest row."""


def runs_best_first(table: ScoreTable) -> list[str]:
    """The names of the runs by the mean of the first measure; equal ones by their names."""
    order = np.argsort(-table.merit(table.measure_names[0]), kind="stable")
    names = run_names(table)
    return [names[index] for index in order]


def run_rows_layout(
    num_panels: int, row_names: Sequence[str], width: FigureWidth, *, panel_width: float = 1.5
) -> FigureLayout:
    """Panels side by side whose rows, from the top down, have these names."""
    num_rows = len(row_names)
    row = max(ROW_HEIGHT, min(_HIGHEST_ROW, _FEW_ROWS_HEIGHT / num_rows))
    layout = FigureLayout(
        num_panels, width=width, height=row * num_rows, panel_width=panel_width,
        shared_names=row_names,
    )  # fmt: skip
    for panel in layout.panels:
        layout.name_ticks(panel, "y", range(num_rows), row_names)
        panel.set_ylim(num_rows - 0.5, -0.5)
    return layout
