"""What figures have in common: panels, legends beside the data, axes of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.plots.runs import label
from irev.plots.style import new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDEST = 16.0
_MOST_TICKS = 80
_UPRIGHT = 10
_LEVEL_NAMES = 4
"""Up to so many runs have their names written level below them."""
_FEW_ENTRIES = 16
"""A legend of more has smaller letters."""
_ROW = 0.17
"""The inches of a line in a legend."""


def panels(
    count: int, *, width: float = 5.2, height: float = 3.6, across: int = 3
) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, at most `across` beside one another; no empty one is left."""
    columns = min(count, across)
    figure, axes = new_figure(columns, -(-count // columns), width=width, height=height)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """A legend below all panels, where it covers nothing; the figure grows by what it wants."""
    size = 1.0 if len(labels) <= _FEW_ENTRIES else 0.8
    longest = max(len(each) for each in labels)
    room = figure.get_figwidth() / (size * (0.065 * longest + 0.65))
    columns = max(1, min(len(labels), int(room)))
    rows = -(-len(labels) // columns)
    figure.set_figheight(figure.get_figheight() + max(0, rows - 2) * size * _ROW)
    figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, handlelength=3,
        fontsize=8 * size, columnspacing=2 * size,
    )  # fmt: skip


def width_for(places: int, bars: int = 1) -> float:
    """The inches that so many places on an axis want, with so many bars at each."""
    return min(max(5.2, 0.8 + places * (0.1 + 0.1 * bars)), _WIDEST)


def topic_axis(axes: Axes, topics: Sequence[str]) -> None:
    """The x axis with a topic at each whole number; of very many, some are named."""
    step = -(-len(topics) // _MOST_TICKS)
    places = range(0, len(topics), step)
    axes.set_xticks(
        list(places),
        [label(topics[place]) for place in places],
        rotation=90 if len(topics) > _UPRIGHT else 0,
        fontsize=7,
    )
    axes.set_xlim(-0.7, len(topics) - 0.3)
    axes.set_xlabel("topic")
    axes.grid(visible=False, axis="x")


def run_panels(count: int, runs: int, *, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels that each have so many runs beside one another."""
    width = max(3.6, 0.9 + (0.75 if runs <= _LEVEL_NAMES else 0.3) * runs)
    across = max(1, int(_WIDEST / width))
    return panels(count, width=min(width, _WIDEST), height=height, across=min(across, 3))


def run_axis(axes: Axes, runs: Sequence[str]) -> None:
    """The x axis with a run at each whole number; of very many, some are named."""
    many = len(runs) > _LEVEL_NAMES
    places = range(0, len(runs), -(-len(runs) // (2 * _MOST_TICKS)))
    axes.set_xticks(
        list(places),
        [label(runs[place]) for place in places],
        rotation=90 if many else 0,
        fontsize=7 if many else 8,
    )
    axes.set_xlim(-0.6, len(runs) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("run")


def unit_axis(axes: Axes, lowest: float, highest: float, *, bars: bool = False) -> None:
    """The y axis from 0 to 1, where all values lie there; bars stand on its lower end."""
    if lowest >= 0 and highest <= 1:
        axes.set_ylim(0 if bars else -0.025, 1.025)
