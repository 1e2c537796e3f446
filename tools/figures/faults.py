"""What is wrong with a figure as it is drawn: texts cut or on top of each other, ink on the rim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg

from irev.jobs.plots.layout import plot_style, without_glyph_warnings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 100
_SMALLEST = 7.0
"""Points of print of the smallest text."""
_SLACK = 1.0
"""Dots by which boxes may meet: glyphs begin between dots."""


class _DrawnText(NamedTuple):
    """A line of text as it is drawn, and its box in dots."""

    text: str
    points: float
    left: float
    low: float
    right: float
    high: float


class _RecordingRenderer(RendererAgg):
    """A renderer that writes down which texts it draws, and where."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(width, height, _DPI)  # type: ignore[no-untyped-call]
        self.texts: list[_DrawnText] = []

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, *more: Any, **words: Any
    ) -> None:
        """Draw it, as told."""
        renderer: Any = super()
        width, height, descent = renderer.get_text_width_height_descent(s, prop, False)
        turn = math.radians(angle)
        corners = [
            (x + u * math.cos(turn) - v * math.sin(turn),
             self.height - y + u * math.sin(turn) + v * math.cos(turn))
            for u in (0.0, width)
            for v in (-descent, height - descent)
        ]  # fmt: skip
        across, upwards = zip(*corners, strict=True)
        if s.strip():
            points = prop.get_size_in_points()
            box = (min(across), min(upwards), max(across), max(upwards))
            self.texts.append(_DrawnText(s, points, *box))
        renderer.draw_text(gc, x, y, s, prop, angle, *more, **words)


def figure_faults(figure: Figure) -> list[str]:
    """A sentence for each fault: a text outside or too small, two that overlap, ink on the rim."""
    width, height = figure.get_size_inches() * _DPI
    with plot_style(), without_glyph_warnings():
        renderer = _RecordingRenderer(width, height)
        figure.draw(renderer)
    texts = renderer.texts
    faults = [
        f"outside: {text.text!r}"
        for text in texts
        if min(text.left, text.low, width - text.right, height - text.high) < -_SLACK
    ]
    faults += [
        f"too small: {text.text!r} has {text.points:g} points"
        for text in texts
        if text.points < _SMALLEST
    ]
    boxes = np.array([text[2:] for text in texts]).reshape(-1, 4)
    for index, (text, (left, low, right, high)) in enumerate(zip(texts, boxes, strict=True)):
        later = boxes[index + 1 :]
        meets = (
            (later[:, 0] < right - _SLACK) & (later[:, 2] > left + _SLACK)
            & (later[:, 1] < high - _SLACK) & (later[:, 3] > low + _SLACK)
        )  # fmt: skip
        faults += [
            f"overlap: {text.text!r} and {texts[index + 1 + other].text!r}"
            for other in np.flatnonzero(meets)
        ]
    drawn: Any = renderer
    image = np.asarray(drawn.buffer_rgba())[:, :, :3]
    rim = (image[0], image[-1], image[:, 0], image[:, -1])
    faults += ["ink on the rim"] if any((side < 250).any() for side in rim) else []
    return faults
