"""The legend of a figure: as many columns as its labels have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.jobs.plots.measured_text import text_width_inches, wrap_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

_HANDLE, _PAD, _SPACING = 2.6, 0.7, 1.6
"""The length of a mark, the space behind it, the space between columns, in sizes of a letter."""


def add_legend(
    figure: Figure, handles: Sequence[Any], labels: Sequence[str], room_inches: float
) -> Legend:
    """A legend that is no wider than its room; its place is still to be set."""
    import matplotlib as mpl

    points = float(mpl.rcParams["legend.fontsize"])
    beside = (_HANDLE + _PAD) * points / 72
    fitted = [wrap_text(label, points, 0.96 * room_inches - beside) for label in labels]
    widths = [1.02 * text_width_inches(label, points) + beside for label in fitted]
    columns = next(
        number
        for number in range(len(labels), 0, -1)
        if number == 1 or _columns_width(widths, number, _SPACING * points / 72) <= room_inches
    )
    return figure.legend(
        handles, fitted, loc="lower center", ncols=columns, handlelength=_HANDLE,
        handletextpad=_PAD, columnspacing=_SPACING, borderaxespad=0.0, borderpad=0.0,
    )  # fmt: skip


def _columns_width(widths: Sequence[float], num_columns: int, spacing: float) -> float:
    """Inches of so many columns, which matplotlib fills in turn, the first ones more."""
    size, more = divmod(len(widths), num_columns)
    total, start = spacing * (num_columns - 1), 0
    for column in range(num_columns):
        end = start + size + (column < more)
        total += max(widths[start:end])
        start = end
    return total
