"""Text as it will be printed: measured, wrapped, shortened until it fits; lengths are inches."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from irev.core.short_names import short_run_names
from irev.jobs.plots.style import drawn_label, without_glyph_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.backends.backend_agg import RendererAgg

_DPI = 600.0
LINE_HEIGHT = 1.2
"""Of the size of its letters."""


@cache
def measuring_renderer(dpi: float) -> RendererAgg:
    """A renderer that draws nothing and measures texts."""
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(8, 8, dpi)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=20_000)
def _line_width_inches(line: str, font_points: float) -> float:
    from matplotlib.font_manager import FontProperties

    with without_glyph_warnings():
        renderer: Any = measuring_renderer(_DPI)
        width, _, _ = renderer.get_text_width_height_descent(
            line, FontProperties(family="DejaVu Sans", size=font_points), False
        )
    return float(width) / _DPI


def text_width_inches(text: str, font_points: float) -> float:
    """How wide a text of this size is, by the renderer."""
    return max(_line_width_inches(line, font_points) for line in text.split("\n"))


def text_height_inches(text: str, font_points: float) -> float:
    """How high its lines are."""
    return (1 + text.count("\n")) * LINE_HEIGHT * font_points / 72


def wrap_text(text: str, font_points: float, room_inches: float) -> str:
    """The text in lines that are no wider than the room.

    A line ends at a blank, within a longer word behind `-_./,` and else anywhere.
    """
    return "\n".join(_wrapped_line(line, font_points, room_inches) for line in text.split("\n"))


def _wrapped_line(text: str, font_points: float, room_inches: float) -> str:
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if text_width_inches(longer, font_points) <= room_inches:
            line = longer
            continue
        if line:
            lines.append(line)
        *broken, line = _broken_word(word, font_points, room_inches)
        lines += broken
    return "\n".join([*lines, line])


def _broken_word(word: str, font_points: float, room_inches: float) -> list[str]:
    """The lines of a word; each but the last is full."""
    if text_width_inches(word, font_points) <= room_inches:
        return [word]
    lines, line = [], ""
    for piece in re.findall(r"[^-_./,]*[-_./,]|[^-_./,]+", word):
        pieces = [piece] if text_width_inches(piece, font_points) <= room_inches else list(piece)
        for part in pieces:
            if line and text_width_inches(line + part, font_points) > room_inches:
                lines.append(line)
                line = ""
            line += part
    return [*lines, line]


def shorten_middle(
    text: str, font_points: float, room_inches: float, share_of_end: float = 0.6
) -> str:
    """The text, or its beginning and its end where it has no room; `share_of_end` of it is the end.

    The end is what tells most names of runs apart.
    """
    if text_width_inches(text, font_points) <= room_inches:
        return text
    low, high = 2, len(text) - 1  # letters that are kept
    while low < high:
        middle = (low + high + 1) // 2
        if (
            text_width_inches(_without_middle(text, middle, share_of_end), font_points)
            <= room_inches
        ):
            low = middle
        else:
            high = middle - 1
    return _without_middle(text, low, share_of_end)


def _without_middle(text: str, num_kept: int, share_of_end: float) -> str:
    end = min(num_kept, round(num_kept * share_of_end))
    return f"{text[: num_kept - end]}…{text[len(text) - end :]}"


def fit_names(names: Sequence[str], font_points: float, room_inches: float) -> list[str]:
    """Distinct names that are no wider than the room, in the same order.

    Where names differ in the part that would be left out, another part is; where none will do, they
    are numbered.
    """
    distinct = len(set(names))
    for share in (0.6, 0.3, 0.85, 0.0, 1.0):
        fitted = [shorten_middle(name, font_points, room_inches, share) for name in names]
        if len(set(fitted)) == distinct:
            return fitted
    numbers = {name: f" {number}" for number, name in enumerate(dict.fromkeys(names), 1)}
    return [
        shorten_middle(
            name, font_points, room_inches - text_width_inches(numbers[name], font_points)
        )
        + numbers[name]
        for name in names
    ]


def short_labels(names: Sequence[str]) -> tuple[Mapping[str, str], str]:
    """Full name -> the short one that is drawn; and the sentence that says what was left out."""
    short = short_run_names(names)
    labels = {name: drawn_label(label) for name, label in zip(names, short.names, strict=True)}
    return labels, short.left_out if short.left_out_beginnings else ""
