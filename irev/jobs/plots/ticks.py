"""Ticks whose labels fit: numbers are thinned, names level, turned or every so many of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from irev.jobs.plots.measured_text import LINE_HEIGHT, fit_names, text_width_inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from irev.core.arrays import Floats

AxisName = Literal["x", "y"]

_GAP = 0.5
"""Between two labels, in sizes of a letter."""
LONGEST_TURNED = 1.1
"""Inches of a name that stands upright below an axis."""


class TickNames(NamedTuple):
    """Names at places of an axis."""

    panel: Axes
    axis: AxisName
    positions: Sequence[float]
    names: Sequence[str]
    """As they may be drawn: of runs the short ones."""


class TickNumbers(NamedTuple):
    """Numbers that an axis would have as ticks, if there is room for all."""

    panel: Axes
    axis: AxisName
    numbers: Sequence[float]
    labels: Sequence[str]


def axis_of(panel: Axes, axis: AxisName) -> Axis:
    """The x or the y axis of a panel."""
    return panel.xaxis if axis == "x" else panel.yaxis


def label_size() -> float:
    """The points of the labels of ticks, alike on both axes."""
    import matplotlib as mpl

    return float(mpl.rcParams["xtick.labelsize"])


def set_tick_names(names: TickNames, room_inches: float) -> None:
    """Name the ticks: of an x axis level where that fits, else upright, where need be not each.

    Args:
        names: of the ticks.
        room_inches: the widest that a name beside a y axis may be.
    """
    axis = axis_of(names.panel, names.axis)
    points = label_size()
    inches = _inches_along(names.panel, names.axis, names.positions)
    line = LINE_HEIGHT * points / 72
    if names.axis == "x" and _labels_fit_level(
        inches, names.names, points, _panel_width(names.panel)
    ):
        _set_named(axis, names.positions, names.names, 0)
        return
    distance = float(np.abs(np.diff(inches)).min()) if len(inches) > 1 else math.inf
    # rows are as high as their names: not to lose a name for a rounding error
    step = max(1, math.ceil(0.93 * line / distance)) if distance else len(inches)
    kept = names.names[::step]
    fitted = fit_names(kept, points, LONGEST_TURNED if names.axis == "x" else room_inches)
    _set_named(axis, names.positions[::step], fitted, 90 if names.axis == "x" else 0)


def _set_named(axis: Axis, positions: Sequence[float], names: Sequence[str], rotation: int) -> None:
    axis.set_ticks(list(positions), list(names), rotation=rotation)
    axis.set_ticks([], minor=True)


def _inches_along(panel: Axes, axis: AxisName, positions: Sequence[float]) -> Floats:
    """Where positions of an axis stand in the figure."""
    places = np.asarray(positions, dtype=np.float64)
    other = np.full(len(places), (panel.get_ylim() if axis == "x" else panel.get_xlim())[0])
    pairs = np.column_stack((places, other) if axis == "x" else (other, places))
    pixels: Floats = panel.transData.transform(pairs)[:, 0 if axis == "x" else 1]
    return pixels / panel.figure.dpi


def _panel_width(panel: Axes) -> float:
    return float(panel.get_window_extent().width) / panel.figure.dpi


def _labels_fit_level(
    inches: Floats, labels: Sequence[str], font_points: float, widest_inches: float
) -> bool:
    """Whether labels at these places keep a gap of half a letter, and none is wider than all."""
    widths = np.array([text_width_inches(label, font_points) for label in labels])
    if len(widths) and widths.max() > widest_inches:
        return False
    least_distance = (widths[1:] + widths[:-1]) / 2 + _GAP * font_points / 72
    return bool((np.abs(np.diff(inches)) >= least_distance).all())


def set_tick_numbers(ticks: TickNumbers) -> None:
    """Put ticks at these numbers, or at those that have room, the first and the last among them."""
    axis = axis_of(ticks.panel, ticks.axis)
    labels = ticks.labels
    inches = _inches_along(ticks.panel, ticks.axis, ticks.numbers)
    kept = _kept_labels(inches, [_extent(ticks.axis, label, label_size()) for label in labels],
                        _GAP * label_size() / 72)  # fmt: skip
    _set_named(axis, [ticks.numbers[index] for index in kept], [labels[index] for index in kept], 0)


def _kept_labels(inches: Floats, extents: Sequence[float], gap: float) -> list[int]:
    """The first and the last label, and those between that come near neither."""

    def is_clear(one: int, other: int) -> bool:
        distance = abs(float(inches[one] - inches[other]))
        return distance >= (extents[one] + extents[other]) / 2 + gap

    last = len(extents) - 1
    kept = [0]
    for index in range(1, last):
        if is_clear(kept[-1], index) and is_clear(index, last):
            kept.append(index)
    return [*kept, last] if last and is_clear(kept[-1], last) else kept


def _extent(axis: AxisName, label: str, points: float) -> float:
    return text_width_inches(label, points) if axis == "x" else points * LINE_HEIGHT / 72


def thin_ticks(panel: Axes, axis_name: AxisName, *, is_whole: bool) -> None:
    """Take as many ticks of a linear axis, at most 10, as have room for their labels.

    Args:
        panel: where they are.
        axis_name: which axis.
        is_whole: whether the axis counts, so that there is no tick between whole numbers.
    """
    from matplotlib.ticker import MaxNLocator

    axis = axis_of(panel, axis_name)
    points = label_size()
    steps = [1, 2, 5, 10] if is_whole else [1, 2, 2.5, 5, 10]
    for most in (10, 8, 6, 5, 4, 3, 2, 1):
        axis.set_major_locator(MaxNLocator(most, integer=is_whole, steps=steps, min_n_ticks=1))
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        labels = axis.get_major_formatter().format_ticks(ticks)
        inches = np.sort(_inches_along(panel, axis_name, ticks))
        if axis_name == "x":
            has_room = _labels_fit_level(inches, labels, points, _panel_width(panel))
        else:
            has_room = bool((np.diff(inches) >= (LINE_HEIGHT + _GAP) * points / 72).all())
        if has_room:
            return
