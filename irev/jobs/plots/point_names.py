"""Names at points and lines of a panel, where they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.jobs.plots.measured_text import LINE_HEIGHT, text_width_inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irev.core.arrays import Floats


class PointNames(NamedTuple):
    """Points of a panel and what they are called."""

    panel: Axes
    x: Sequence[float]
    y: Sequence[float]
    names: Sequence[str]


_ASIDE = 3.5
"""How far a name is from its point, in points of print."""


def name_points_and_count_unnamed(points: PointNames, font_points: float) -> int:
    """Write names at points, each where it covers no other name or point; how many have no room.

    Args:
        points: the points and their names.
        font_points: the size of the letters, which is at least 7.
    """
    panel, size = points.panel, max(7.0, font_points)
    to_print = 72 / panel.figure.dpi
    places = panel.transData.transform(np.column_stack((points.x, points.y))) * to_print
    frame = panel.get_window_extent()
    low, high = np.array([frame.x0, frame.y0]) * to_print, np.array([frame.x1, frame.y1]) * to_print
    taken = np.hstack([places - 2.5, places + 2.5])  # left, low, right and high of what is there
    num_unnamed = 0
    for name, x, y, (left, base) in zip(points.names, points.x, points.y, places, strict=True):
        # a renderer of another kind may set letters a little wider
        width, height = 1.04 * 72 * text_width_inches(name, size), LINE_HEIGHT * size
        boxes = [
            np.array([left + dx, base + dy, left + dx + width, base + dy + height])
            for dy in (-height / 2, _ASIDE - 1, -_ASIDE + 1 - height)
            for dx in (_ASIDE, -_ASIDE - width, -width / 2)
            if not (dx == -width / 2 and dy == -height / 2)
        ]
        box = next(
            (
                box
                for box in boxes
                if (box[:2] >= low).all() and (box[2:] <= high).all() and not _overlaps(box, taken)
            ),
            None,
        )
        if box is None:
            num_unnamed += 1
            continue
        taken = np.vstack([taken, box])
        panel.annotate(
            name, (x, y), xytext=(box[0] - left, (box[1] + box[3]) / 2 - base),
            textcoords="offset points", fontsize=size, va="center",
        )  # fmt: skip
    return num_unnamed


def _overlaps(box: Floats, other_boxes: Floats) -> bool:
    """Whether a box meets any other."""
    return bool(((other_boxes[:, :2] < box[2:]) & (other_boxes[:, 2:] > box[:2])).all(axis=1).any())


def spread_level_names(panel: Axes, labels: Sequence[Any], line_inches: float) -> None:
    """Move the names of lines across a panel until each has a line of its own."""
    dpi = panel.figure.dpi
    heights = [float(panel.transData.transform((0.0, label.xy[1]))[1]) / dpi for label in labels]
    lowest = -np.inf
    for index in sorted(range(len(labels)), key=lambda index: heights[index]):
        place = max(heights[index], lowest + line_inches)
        labels[index].xyann = (3, 72 * (place - heights[index]))
        lowest = place
