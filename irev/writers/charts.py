"""Charts as SVG within a page: intervals of means, differences by topic, curves.

Their colours are the page's (`page.css`). Texts are escaped; nothing is loaded.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import printable
from irev.writers.pages import html_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_CURVES = 8
"""So many curves can be told apart: the classes s0 to s7 of the page."""

_WIDTH = 560
"""Of charts that are as wide as the page; they shrink with it."""

_LABELS, _LINE, _MARGIN, _AXIS = 170, 20, 8, 40
_LONGEST_LABEL = 20
_BARS_HEIGHT, _SCALE = 130, 52
_MOST_NAMED, _LONGEST_TOPIC = 24, 6
_MOST_TITLED = 120
"""Of more bars each is not an element of its own, with its topic: browsers become slow."""
_SIDE, _HEIGHT, _LEFT, _BELOW = 400, 290, 40, 42


class Whisker(NamedTuple):
    """A mean and its interval, whose ends are NaN where there is none.

    stands_out  whether it is drawn in the other colour
    """

    name: str
    mean: float
    low: float
    high: float
    stands_out: bool = False


class Axis:
    """From values to pixels.

    Args:
        low: the lowest value.
        high: the highest value.
        start: the pixel of the lowest.
        end: the pixel of the highest.
    """

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    @classmethod
    def fit(cls, values: Sequence[float], start_pixel: float, end_pixel: float) -> Axis:
        """One whose ends lie a little outside the values; those that are not finite do not count.

        It does not go below 0 where no value does.
        """
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        margin = (high - low) * 0.04 or abs(high) * 0.1 or 0.1
        below = low - margin
        return cls(max(below, 0.0) if low >= 0 else below, high + margin, start_pixel, end_pixel)

    def pixel(self, value: float) -> float:
        """The pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Round numbers, between three and eight of them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield round(number * step, 12)


def intervals_chart(
    whiskers: Sequence[Whisker], axis_label: str, identifier: str, title: str
) -> Iterator[str]:
    """Means with their intervals, one below the other.

    Args:
        whiskers: in the order in which they are drawn, from above.
        axis_label: what the values are.
        identifier: of the title, unlike any other on the page.
        title: what is drawn.
    """
    values = [value for whisker in whiskers for value in whisker[1:4]]
    scale = Axis.fit(values, _LABELS, _WIDTH - 12)
    bottom = _MARGIN + _LINE * len(whiskers)
    yield from _svg_start(identifier, title, _WIDTH, bottom + _AXIS, "wide")
    for tick in scale.ticks():
        x = scale.pixel(tick)
        yield f'<path class="grid" d="M{x:.1f} {_MARGIN}V{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
    middle, label = (scale.start + scale.end) / 2, html_text(axis_label)
    yield f'<text x="{middle:g}" y="{bottom + 34}" text-anchor="middle">{label}</text>'
    for index, whisker in enumerate(whiskers):
        y = _MARGIN + _LINE * (index + 0.5)
        ends = f" [{whisker.low:.4f}, {whisker.high:.4f}]" if math.isfinite(whisker.low) else ""
        yield f"<g><title>{html_text(whisker.name)}: {whisker.mean:.4f}{ends}</title>"
        label = _short_label(whisker.name)
        yield f'<text x="{_LABELS - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        if ends:
            line = f"M{scale.pixel(whisker.low):.1f} {y:.1f}H{scale.pixel(whisker.high):.1f}"
            yield f'<path class="interval" d="{line}"/>'
        mark = "mean like" if whisker.stands_out else "mean"
        x = scale.pixel(whisker.mean)
        yield f'<circle class="{mark}" cx="{x:.1f}" cy="{y:.1f}" r="4"/></g>'
    yield "</svg>"


def differences_chart(
    topic_differences: Sequence[tuple[str, float]], full_height: float, identifier: str, title: str
) -> Iterator[str]:
    """Differences by topic as bars, from the largest to the smallest.

    Args:
        topic_differences: topics, each with its difference.
        full_height: what a bar of full height stands for.
        identifier: of the title, unlike any other on the page.
        title: what is drawn.
    """
    full_height = full_height or 1.0
    ordered = sorted(topic_differences, key=lambda difference: -difference[1])
    middle, reach = _BARS_HEIGHT / 2, _BARS_HEIGHT / 2 - 12
    step = min(36.0, (_WIDTH - _SCALE) / max(1, len(ordered)))
    has_names = len(ordered) <= _MOST_NAMED
    height = _BARS_HEIGHT + (62 if has_names else 0)
    yield from _svg_start(identifier, title, _WIDTH, height, "wide")
    for value in (full_height, 0.0, -full_height):
        y = middle - value / full_height * reach
        yield f'<path class="grid" d="M{_SCALE} {y:g}H{_WIDTH}"/>'
        label = f"{value:+.2g}" if value else "0"
        yield f'<text x="{_SCALE - 8}" y="{y + 4:g}" text-anchor="end">{label}</text>'
    width = f'stroke-width="{max(0.5, step * 0.7):.1f}"'
    bars: dict[str, list[str]] = {"gain": [], "loss": []}
    for index, (topic, value) in enumerate(ordered):
        x = _SCALE + (index + 0.5) * step
        bar = f"M{x:.1f} {middle:g}v{-value / full_height * reach:.1f}"
        tooltip = f"<title>{html_text(topic)}: {value:+.4f}</title>"
        kind = "gain" if value > 0 else "loss"
        if value and len(ordered) <= _MOST_TITLED:
            yield f'<path class="{kind}" {width} d="{bar}">{tooltip}</path>'
        elif value:
            bars[kind].append(bar)
        if has_names:
            name = html_text(_shorten_middle(topic, _LONGEST_TOPIC))
            rotation = f'transform="rotate(-90 {x + 4:.1f} {_BARS_HEIGHT + 4})"'
            yield (
                f'<text x="{x + 4:.1f}" y="{_BARS_HEIGHT + 4}" text-anchor="end" {rotation}>'
                f"{name}{tooltip}</text>"
            )
    for kind, joined in bars.items():
        if joined:
            yield f'<path class="{kind}" {width} d="{"".join(joined)}"/>'
    yield "</svg>"


class Curve(NamedTuple):
    """A named line: a value for each point of the chart; NaN where it has none."""

    name: str
    values: Sequence[float]


def curves_chart(
    point_labels: Sequence[str],
    curves: Sequence[Curve],
    axis_labels: tuple[str, str],
    identifier: str,
) -> Iterator[str]:
    """Curves over points that stand in equal distances.

    Args:
        point_labels: what stands below each of them.
        curves: at most `MOST_CURVES`, each with a value between 0 and 1 for each point.
        axis_labels: what lies along, and what upwards.
        identifier: of the title, unlike any other on the page.
    """
    x_axis = Axis(0, max(1, len(point_labels) - 1), _LEFT, _SIDE - 12)
    highest = max((v for c in curves for v in c.values if math.isfinite(v)), default=1.0)
    y_axis = Axis(0.0, max(highest, 0.05) * 1.04, _HEIGHT - _BELOW, 8)
    title = f"{axis_labels[1]} by {axis_labels[0]}"
    yield from _svg_start(identifier, title, _SIDE, _HEIGHT, "")
    for tick in y_axis.ticks():
        y = y_axis.pixel(tick)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{_SIDE - 12}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for index, name in enumerate(point_labels):
        x = x_axis.pixel(index)
        yield f'<text x="{x:.1f}" y="{_HEIGHT - 24}" text-anchor="middle">{html_text(name)}</text>'
    middle, label = (_LEFT + _SIDE) / 2, html_text(axis_labels[0])
    yield f'<text x="{middle:g}" y="{_HEIGHT - 6}" text-anchor="middle">{label}</text>'
    for curve_index, curve in enumerate(curves):
        pixels = [(x_axis.pixel(n), y_axis.pixel(v)) for n, v in enumerate(curve.values) if v == v]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in pixels)
        yield (
            f'<path class="curve s{curve_index}" d="M{line}"><title>{html_text(curve.name)}</title>'
            "</path>"
        )
    yield "</svg>"


def key_of_curves(curve_names: Sequence[str]) -> Iterator[str]:
    """Which line is whose."""
    yield '<ul class="key">'
    for curve_index, name in enumerate(curve_names):
        line = f'<path class="curve s{curve_index}" d="M0 6H28"/>'
        yield f'<li><svg viewBox="0 0 28 12" aria-hidden="true">{line}</svg> {html_text(name)}</li>'
    yield "</ul>"


def _svg_start(
    identifier: str, title: str, width: float, height: float, css_class: str
) -> Iterator[str]:
    class_attribute = f' class="{css_class}"' if css_class else ""
    yield (
        f'<svg{class_attribute} viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{identifier}"><title id="{identifier}">{html_text(title)}</title>'
    )


def _short_label(name: str) -> str:
    return escape(_shorten_middle(printable(name), _LONGEST_LABEL))


def _shorten_middle(name: str, max_length: int) -> str:
    """A name whose middle is left out where it is long: its end tells it from others."""
    if len(name) <= max_length:
        return name
    end = max_length // 2
    return f"{name[: max_length - end - 1]}…{name[-end:]}"
