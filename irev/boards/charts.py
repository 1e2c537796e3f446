"""The charts of the page: plain SVG, so that a page needs no other program."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from irev.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.boards.board import Board

_WIDTH, _LABELS, _LINE, _MARGIN = 760, 220, 18, 24
_LONGEST_LABEL = 30
_BARS_HEIGHT, _SCALE = 120, 48


def intervals_chart(board: Board, identifier: str) -> Iterator[str]:
    """The runs' means with their intervals, best run first."""
    row = board.row
    numbers = [standing.number for standing in board.standings]
    means = board.summary[row, numbers].tolist()
    low, high = (ends[row, numbers].tolist() for ends in (board.low, board.high))
    ends = [value for value in (*means, *low, *high) if math.isfinite(value)]
    scale = _Scale(min(ends), max(ends))
    height = _LINE * len(numbers) + 2 * _MARGIN
    title = f"{board.by} of each run with its interval, in the order of the board"
    yield from _begin(identifier, title, _WIDTH, height)
    for tick in scale.ticks():
        x = scale.at(tick)
        yield f'<path class="grid" d="M{x:.1f} {_MARGIN}V{height - _MARGIN}"/>'
        yield f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>'
    for place, standing in enumerate(board.standings):
        y = _MARGIN + _LINE * (place + 0.5)
        name = _cut(board.entry(standing).name)
        yield f'<text x="{_LABELS - 8}" y="{y + 4:.1f}" text-anchor="end">{name}</text>'
        if math.isfinite(low[place]):
            ends_at = f"M{scale.at(low[place]):.1f} {y:.1f}H{scale.at(high[place]):.1f}"
            yield f'<path class="interval" d="{ends_at}"/>'
        mark = "mean like" if standing.as_best else "mean"
        yield f'<circle class="{mark}" cx="{scale.at(means[place]):.1f}" cy="{y:.1f}" r="4"/>'
    yield "</svg>"


def differences_chart(
    differences: Sequence[float], most: float, identifier: str, title: str
) -> Iterator[str]:
    """Differences by topic as bars, from the largest gain to the largest loss.

    Args:
        differences: one for each topic.
        most: what a bar of full height stands for.
        identifier: of the title, unlike any other on the page.
        title: what is drawn.
    """
    most = most or 1.0
    middle, reach = _BARS_HEIGHT / 2, _BARS_HEIGHT / 2 - 6
    step = min(24.0, (_WIDTH - _SCALE) / max(1, len(differences)))
    yield from _begin(identifier, title, _WIDTH, _BARS_HEIGHT)
    for value in (most, 0.0, -most):
        y = middle - value / most * reach
        yield f'<path class="grid" d="M{_SCALE} {y:g}H{_WIDTH}"/>'
        label = f"{value:+.2g}" if value else "0"
        yield f'<text x="{_SCALE - 8}" y="{y + 4:g}" text-anchor="end">{label}</text>'
    for gains in (True, False):
        bars = "".join(
            f"M{_SCALE + (place + 0.5) * step:.1f} {middle:g}v{-value / most * reach:.1f}"
            for place, value in enumerate(sorted(differences, reverse=True))
            if value and (value > 0) == gains
        )
        if bars:
            kind = "gain" if gains else "loss"
            yield f'<path class="{kind}" stroke-width="{max(0.5, step * 0.7):.1f}" d="{bars}"/>'
    yield "</svg>"


class _Scale:
    """From values to pixels; the ends lie a little outside the values."""

    def __init__(self, low: float, high: float) -> None:
        margin = (high - low) * 0.04 or abs(high) * 0.1 or 0.1
        self.low, self.high = low - margin, high + margin

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return _LABELS + share * (_WIDTH - _LABELS - 12)

    def ticks(self) -> Iterator[float]:
        """Round numbers, between three and eight of them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield round(number * step, 12)


def _begin(identifier: str, title: str, width: float, height: float) -> Iterator[str]:
    yield (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{identifier}"><title id="{identifier}">{escape(title)}</title>'
    )


def _cut(name: str) -> str:
    shown = printable(name)
    return escape(shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…")
