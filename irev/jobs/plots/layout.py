"""Where everything in a figure stands: texts are measured before the panels are placed.

A figure is as wide as it is printed and as high as its parts need: rows of panels, the
legend, the caption. A drawing function makes a `FigureLayout`, draws in its panels, tells it names
of ticks, a legend and sentences for the caption, and gives back `finish()`. Below: texts, legends,
ticks and names that fit, and how figures look: colours, marks, sizes.
"""

from __future__ import annotations

import io
import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from irev.core.job import FigureWidth
from irev.core.text import printable, short_run_names
from irev.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    from irev.core.arrays import Floats


AxisName = Literal["x", "y"]

LINE_HEIGHT = 1.2
"""Of the size of its letters."""

_DPI = 100.0

_RIM = 0.05
"""Inches that stay empty all around."""

_GAP = 0.1
"""Inches between two parts."""

_ROUNDS = 3
"""Ticks and lines of titles depend on the room, and the room on them."""

_BAR, _BAR_GAP = 0.1, 0.07
"""Inches of a colour bar, and between it and its panel."""

_NAMES_SHARE = 0.42
"""Of the figure's width: the most that names beside an axis have."""

ROW_HEIGHT = 0.1625
"""Inches on a page of a row that has a name: 1.3 of a line."""

_LARGEST_SQUARE = 3.9
"""Inches on a page of the side of a panel that is a square."""

_NARROWEST = 0.45
"""Inches of a panel, whatever stands beside it."""


class FigureLayout:
    """A figure whose panels are placed when all that stands around them is known."""

    def __init__(
        self,
        num_panels: int,
        *,
        width: FigureWidth,
        height: float | Sequence[float] | None,
        panel_width: float = 1.7,
        max_columns: int = 3,
        group_size: int = 0,
        shared_names: Sequence[str] = (),
    ) -> None:
        """Make the figure with its panels, which stand row by row.

        Args:
            num_panels: how many panels there are.
            width: of the figure.
            height: inches of a panel, or of each row of panels, on a page (with larger text they
                are higher); None: panels are squares.
            panel_width: inches that a panel wants; fewer stand side by side where there is less.
            max_columns: panels in a row, at most.
            group_size: so many panels begin a new row; 0: none do.
            shared_names: names of the rows of all panels, which only the first of a row has.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._size, self._width = SIZES[width], width
        self.scale = self._size.text / 8.5
        """Lengths for the text of a page, as they are with this figure's."""
        self.figure: Figure = Figure(figsize=(self._size.inches, 3.0), dpi=_DPI)
        FigureCanvasAgg(self.figure)
        names_width = self._names_room(shared_names) if shared_names else 0.0
        beside = 0.15 if shared_names else 0.55 * self.scale
        room = (self._size.inches - names_width) / (panel_width * self.scale + beside)
        group = group_size or num_panels
        self.num_columns = max(1, min(max_columns, group, int(room)))
        rows_of_group = -(-group // self.num_columns)
        self._cells = []
        for index in range(num_panels):
            row_of_group, column = divmod(index % group, self.num_columns)
            self._cells.append((index // group * rows_of_group + row_of_group, column))
        self.num_rows = 1 + max(row for row, _ in self._cells)
        self._heights = height
        self.panels: list[Axes] = [
            self.figure.add_axes((0.1, 0.1, 0.8, 0.8), label=f"panel {index}")
            for index in range(num_panels)
        ]
        self._shares_names = bool(shared_names)
        self._names: list[TickNames] = []
        self._numbers: list[TickNumbers] = []
        self._whole_axes: set[tuple[Axes, AxisName]] = set()
        self._colour_bars: dict[Axes, Axes] = {}
        self._points: list[PointNames] = []
        self._cell_texts: list[tuple[Axes, Text, float]] = []
        self._level_names: dict[Axes, list[Any]] = {}
        self._sentences = list[str]()
        self._handles, self._labels = list[Any](), list[str]()

    def is_first_of_row(self, panel: Axes) -> bool:
        """Whether no panel stands on its left."""
        return self._cells[self.panels.index(panel)][1] == 0

    def add_sentence(self, sentence: str) -> None:
        """Put a sentence into the caption below the figure: counts, methods, what is left out."""
        if sentence and sentence not in self._sentences:
            self._sentences.append(sentence)

    def set_legend(self, handles: Sequence[Any], labels: Sequence[str]) -> None:
        """Put what is drawn below the panels, by its names."""
        self._handles, self._labels = list(handles), list(labels)

    def add_legend_entry(self, handle: Any, label: str) -> None:
        """Add what a mark means to the legend."""
        self._handles.append(handle)
        self._labels.append(label)

    def set_panel_legend(self, last: str = "") -> None:
        """Put the named things of the panels there, each name once; one of them is the last."""
        by_label: dict[str, Any] = {}
        for panel in self.panels:
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                by_label.setdefault(label, handle)
        if last in by_label:
            by_label[last] = by_label.pop(last)
        self.set_legend(list(by_label.values()), list(by_label))

    def name_ticks(
        self, panel: Axes, axis: AxisName, positions: Sequence[float], names: Sequence[str]
    ) -> None:
        """Give names to places of an axis: of runs or measures, of topics."""
        self._names.append(TickNames(panel, axis, positions, names))
        panel.grid(visible=False, axis=axis)

    def number_ticks(
        self,
        panel: Axes,
        axis: AxisName,
        numbers: Sequence[float],
        labels: Sequence[str] = (),
    ) -> None:
        """Put ticks at these numbers of an axis, if there is room; without labels as they are."""
        texts = labels or [f"{number:g}" for number in numbers]
        self._numbers.append(TickNumbers(panel, axis, numbers, texts))

    def count_by(self, panel: Axes, axis: AxisName) -> None:
        """Have ticks at whole numbers only."""
        self._whole_axes.add((panel, axis))

    def add_colour_bar(self, panel: Axes, image: Any, label: str) -> None:
        """Put the scale of colours at the right of a panel."""
        bar = self.figure.add_axes((0.9, 0.1, 0.05, 0.8), label="colour bar")
        self.figure.colorbar(image, cax=bar, label=label)
        self._colour_bars[panel] = bar

    def name_points(
        self, panel: Axes, x: Sequence[float], y: Sequence[float], names: Sequence[str]
    ) -> None:
        """Name points of a panel, as far as there is room beside them."""
        self._points.append(PointNames(panel, x, y, names))

    def write_in_cell_if_all_fit(
        self,
        panel: Axes,
        x: int,
        y: int,
        text: str,
        colour: str,
        font_points: float,
        widest_text_inches: float,
    ) -> None:
        """Write into a cell of a square of values, unless the widest text has no room in one."""
        label = panel.text(x, y, text, ha="center", va="center", color=colour, fontsize=font_points)
        self._cell_texts.append((panel, label, widest_text_inches))

    def draw_named_level(self, panel: Axes, height: float, name: str) -> None:
        """Draw a line across a panel at a height, and name it at its right end."""
        panel.axhline(height, color="#555555", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        label = panel.annotate(
            name,
            (1.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=self._size.text - 1.0,
            color="#333333",
            annotation_clip=False,
        )
        self._level_names.setdefault(panel, []).append(label)

    def finish(self) -> Figure:
        """The figure, with everything in its place."""
        with plot_style(self._width), without_glyph_warnings():
            texts = self._wrapped_texts()
            left, right = np.full(self.num_columns, 0.5), np.full(self.num_columns, 0.1)
            above, below = np.full(self.num_rows, 0.2), np.full(self.num_rows, 0.4)
            if self._shares_names:
                for panel in self.panels:
                    if not self.is_first_of_row(panel):
                        panel.tick_params(labelleft=False)
            for _ in range(_ROUNDS):
                self._place(left, right, above, below)
                self._fit_ticks()
                for text, written, panel, is_upright in texts:
                    box = panel.get_position()
                    inches_wide, inches_high = self.figure.get_size_inches()
                    room = box.width * inches_wide
                    if is_upright:
                        room = max(0.8, box.height * inches_high)
                    text.set_text(wrap_text(written, float(text.get_fontsize()), room))
                for panel, labels in self._level_names.items():
                    spread_level_names(panel, labels, LINE_HEIGHT * (self._size.text - 1.0) / 72)
                left, right, above, below = self._margins()
            self._place(left, right, above, below)
            num_unnamed = sum(
                name_points_and_count_unnamed(points, self._size.text - 1.5)
                for points in self._points
            )
            for panel, _, widest in self._cell_texts:
                cells = abs(panel.get_xlim()[1] - panel.get_xlim()[0])
                if 1.1 * widest > panel.get_position().width * self._size.inches / cells:
                    for _, label, _ in self._cell_texts:
                        label.set_visible(False)
                    break
            if num_unnamed:
                verb = "point has" if num_unnamed == 1 else "points have"
                self.add_sentence(f"{num_unnamed} {verb} no room for a name.")
            self._place(left, right, above, below)
        # in a notebook the figure shows itself, whether or not that draws by matplotlib's own rules
        vars(self.figure)["_repr_png_"] = partial(figure_bytes, self.figure, "png")
        return self.figure

    def _wrapped_texts(self) -> list[tuple[Text, str, Axes, bool]]:
        """Titles and labels of axes as they were written, and whether they stand upright."""
        texts = []
        for panel in self.panels:
            labels = [
                (panel.title, False),
                (panel.xaxis.label, False),
                (panel.yaxis.label, True),
            ]
            if panel in self._colour_bars:
                labels.append((self._colour_bars[panel].yaxis.label, True))
            for text, is_upright in labels:
                if text.get_text():
                    texts.append((text, text.get_text(), panel, is_upright))
        return texts

    def _names_room(self, names: Sequence[str]) -> float:
        """Inches that names beside an axis have: few long ones do not widen it for all."""
        widths = sorted(text_width_inches(name, self._size.text - 1.0) for name in names)
        usual = max(1.5 * widths[int(0.8 * (len(widths) - 1))], 0.25 * self._size.inches)
        return min(1.01 * widths[-1], usual, _NAMES_SHARE * self._size.inches)

    def _fit_ticks(self) -> None:
        named: set[tuple[Axes, AxisName]] = set()
        for names in self._names:
            room = self._names_room(names.names) if len(names.names) else 0.0
            set_tick_names(names, room)
            named.add((names.panel, names.axis))
        for numbers in self._numbers:
            set_tick_numbers(numbers)
            named.add((numbers.panel, numbers.axis))
        for panel in self.panels:
            for axis in ("x", "y"):
                is_numeric = axis_of(panel, axis).get_scale() == "linear"
                if (panel, axis) not in named and is_numeric and panel.axison:
                    thin_ticks(panel, axis, is_whole=(panel, axis) in self._whole_axes)
        for bar in self._colour_bars.values():
            thin_ticks(bar, "y", is_whole=False)

    def _margins(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Inches that stand left and right of the panels of a column, above and below of a row."""
        left, right = np.zeros(self.num_columns), np.zeros(self.num_columns)
        above, below = np.zeros(self.num_rows), np.zeros(self.num_rows)
        for panel, (row, column) in zip(self.panels, self._cells, strict=True):
            inner, outer = panel.get_window_extent(), _outer_box(panel)
            at_right, top, bottom = outer.x1 - inner.x1, outer.y1, outer.y0
            if panel in self._colour_bars:
                bar = _outer_box(self._colour_bars[panel])
                beyond = bar.x1 - self._colour_bars[panel].get_window_extent().x1
                at_right = (_BAR + _BAR_GAP) * self.figure.dpi + max(0.0, beyond)
                # numbers at its ends may stand farther out than the panel
                top, bottom = max(top, bar.y1), min(bottom, bar.y0)
            sides = (inner.x0 - outer.x0, at_right, top - inner.y1, inner.y0 - bottom)
            for margins, index, side in zip(
                (left, right, above, below), (column, column, row, row), sides, strict=True
            ):
                margins[index] = max(margins[index], side / self.figure.dpi)
        return left, right, above, below

    def _place(self, left: Floats, right: Floats, above: Floats, below: Floats) -> None:
        """Set the height of the figure, and where its parts stand."""
        width = self._size.inches
        gaps = _GAP * (self.num_columns - 1)
        taken = 2 * _RIM + gaps + float(left.sum() + right.sum())
        inner_width = max(_NARROWEST, (width - taken) / self.num_columns)
        if self._heights is None:
            inner_width = min(inner_width, _LARGEST_SQUARE * self.scale)
        spare = max(0.0, width - taken - self.num_columns * inner_width)
        heights = [inner_width] * self.num_rows
        if isinstance(self._heights, Sequence):
            heights = [self.scale * height for height in self._heights]
        elif self._heights is not None:
            heights = [self.scale * self._heights] * self.num_rows
        caption_size = self._size.text - 1.0
        caption = wrap_text(" ".join(self._sentences), caption_size, 0.97 * (width - 2 * _RIM))
        caption_height = 0.0
        if caption:
            caption_height = (1 + caption.count("\n")) * LINE_HEIGHT * caption_size / 72 + 0.03
        for old_legend in list(self.figure.legends):
            old_legend.remove()
        legend: Legend | None = None
        legend_height = 0.0
        if self._labels:
            legend = add_legend(self.figure, self._handles, self._labels, width - 2 * _RIM)
            dots = legend.get_window_extent(measuring_renderer(_DPI)).height
            legend_height = dots / self.figure.dpi + _GAP
        rows = float(above.sum() + below.sum()) + sum(heights) + _GAP * (self.num_rows - 1)
        below_legend = _RIM + caption_height + (_GAP if caption else 0.0)
        height = _RIM + rows + (below_legend + legend_height)
        self.figure.set_size_inches(width, height)
        if caption:
            self.figure.supxlabel(
                caption,
                x=_RIM / width,
                y=_RIM / height,
                ha="left",
                va="bottom",
                color="#444444",
                linespacing=LINE_HEIGHT,
            )
        if legend is not None:
            anchor = (0.5, below_legend / height)
            legend.set_bbox_to_anchor(anchor, transform=self.figure.transFigure)
        row_steps = np.cumsum(above + np.array(heights) + below + _GAP)
        tops = height - _RIM - np.concatenate(([0.0], row_steps[:-1]))
        column_steps = np.cumsum(left + inner_width + right + _GAP)
        starts = np.concatenate(([0.0], column_steps[:-1])) + (_RIM + spare / 2)
        for panel, (row, column) in zip(self.panels, self._cells, strict=True):
            x0 = starts[column] + left[column]
            y0 = tops[row] - above[row] - heights[row]
            panel_height = heights[row] / height
            panel.set_position((x0 / width, y0 / height, inner_width / width, panel_height))
            if panel in self._colour_bars:
                at = (x0 + inner_width + _BAR_GAP) / width
                bar_position = (at, y0 / height, _BAR / width, panel_height)
                self._colour_bars[panel].set_position(bar_position)


def _outer_box(panel: Axes) -> Bbox:
    """What a panel takes with all that stands around it, in dots."""
    return panel.get_tightbbox(measuring_renderer(_DPI)) or panel.get_window_extent()


# --- Text as it will be printed ---

_MEASURING_DPI = 600.0


@cache
def measuring_renderer(dpi: float) -> RendererAgg:
    """A renderer that draws nothing and measures texts."""
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(8, 8, dpi)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=20_000)
def _line_width_inches(line: str, font_points: float) -> float:
    from matplotlib.font_manager import FontProperties

    with without_glyph_warnings():
        renderer: Any = measuring_renderer(_MEASURING_DPI)
        width, _, _ = renderer.get_text_width_height_descent(
            line, FontProperties(family="DejaVu Sans", size=font_points), False
        )
    return float(width) / _MEASURING_DPI


def text_width_inches(text: str, font_points: float) -> float:
    """How wide a text of this size is, by the renderer."""
    return max(_line_width_inches(line, font_points) for line in text.split("\n"))


def wrap_text(text: str, font_points: float, room_inches: float) -> str:
    """The text in lines that are no wider than the room.

    A line ends at a blank, within a longer word behind `-_./,` and else anywhere.
    """
    lines = []
    for written in text.split("\n"):
        line = ""
        for word in written.split(" "):
            longer = f"{line} {word}" if line else word
            if text_width_inches(longer, font_points) <= room_inches:
                line = longer
                continue
            if line:
                lines.append(line)
            *broken, line = _broken_word(word, font_points, room_inches)
            lines += broken
        lines.append(line)
    return "\n".join(lines)


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

    def without_middle(num_kept: int) -> str:
        end = min(num_kept, round(num_kept * share_of_end))
        return f"{text[: num_kept - end]}…{text[len(text) - end :]}"

    low, high = 2, len(text) - 1  # letters that are kept
    while low < high:
        middle = (low + high + 1) // 2
        if text_width_inches(without_middle(middle), font_points) <= room_inches:
            low = middle
        else:
            high = middle - 1
    return without_middle(low)


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
    numbered = {}
    for number, name in enumerate(dict.fromkeys(names), 1):
        room_before = room_inches - text_width_inches(f" {number}", font_points)
        numbered[name] = f"{shorten_middle(name, font_points, room_before)} {number}"
    return [numbered[name] for name in names]


def short_labels(names: Sequence[str]) -> tuple[Mapping[str, str], str]:
    """Full name -> the short one that is drawn; and the sentence that says what was left out."""
    short = short_run_names(names)
    labels = {name: drawn_label(label) for name, label in zip(names, short.names, strict=True)}
    return labels, short.left_out if short.left_out_beginnings else ""


# --- The legend of a figure: as many columns as its labels have room for ---

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
        handles,
        fitted,
        loc="lower center",
        ncols=columns,
        handlelength=_HANDLE,
        handletextpad=_PAD,
        columnspacing=_SPACING,
        borderaxespad=0.0,
        borderpad=0.0,
    )


def _columns_width(widths: Sequence[float], num_columns: int, spacing: float) -> float:
    """Inches of so many columns, which matplotlib fills in turn, the first ones more."""
    size, more = divmod(len(widths), num_columns)
    total, start = spacing * (num_columns - 1), 0
    for column in range(num_columns):
        end = start + size + (column < more)
        total += max(widths[start:end])
        start = end
    return total


# --- Ticks whose labels fit ---

_LABEL_GAP = 0.5
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


def set_tick_numbers(ticks: TickNumbers) -> None:
    """Put ticks at these numbers, or at those that have room, the first and the last among them."""
    axis = axis_of(ticks.panel, ticks.axis)
    labels = ticks.labels
    inches = _inches_along(ticks.panel, ticks.axis, ticks.numbers)
    points = label_size()
    extents = [LINE_HEIGHT * points / 72] * len(labels)
    if ticks.axis == "x":
        extents = [text_width_inches(label, points) for label in labels]
    gap = _LABEL_GAP * points / 72

    def is_clear(one: int, other: int) -> bool:
        distance = abs(float(inches[one] - inches[other]))
        return distance >= (extents[one] + extents[other]) / 2 + gap

    last = len(labels) - 1
    kept = [0]
    for index in range(1, last):
        if is_clear(kept[-1], index) and is_clear(index, last):
            kept.append(index)
    if last and is_clear(kept[-1], last):
        kept.append(last)
    _set_named(axis, [ticks.numbers[index] for index in kept], [labels[index] for index in kept], 0)


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
            has_room = bool((np.diff(inches) >= (LINE_HEIGHT + _LABEL_GAP) * points / 72).all())
        if has_room:
            return


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
    least_distance = (widths[1:] + widths[:-1]) / 2 + _LABEL_GAP * font_points / 72
    return bool((np.abs(np.diff(inches)) >= least_distance).all())


# --- Names at points and lines of a panel, where they cover nothing ---


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
        for box in boxes:
            is_inside = (box[:2] >= low).all() and (box[2:] <= high).all()
            meets = ((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1)
            if is_inside and not meets.any():
                break
        else:
            num_unnamed += 1
            continue
        taken = np.vstack([taken, box])
        panel.annotate(
            name,
            (x, y),
            xytext=(box[0] - left, (box[1] + box[3]) / 2 - base),
            textcoords="offset points",
            fontsize=size,
            va="center",
        )
    return num_unnamed


def spread_level_names(panel: Axes, labels: Sequence[Any], line_inches: float) -> None:
    """Move the names of lines across a panel until each has a line of its own."""
    dpi = panel.figure.dpi
    heights = [float(panel.transData.transform((0.0, label.xy[1]))[1]) / dpi for label in labels]
    lowest = -np.inf
    for index in sorted(range(len(labels)), key=lambda index: heights[index]):
        place = max(heights[index], lowest + line_inches)
        labels[index].xyann = (3, 72 * (place - heights[index]))
        lowest = place


# --- How figures look: one style for paper and screen, told apart without colour too ---


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
"""Okabe and Ito's colours but for yellow, and Tol's wine: colour-blind readers tell them apart."""
GREY = "#A8A8A8"
"""Of what is not told apart."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (3, 3)), (0, (8, 2)))
"""More than most figures have series, so that none of these share one."""

FORMATS = ("svg", "png", "pdf")
"""What a figure can be saved as."""


class FigureSize(NamedTuple):
    """The printed width of a figure in inches, and the size of its text in points."""

    inches: float
    text: float
    """Of labels and legends; titles have a point more, ticks and captions one less."""


SIZES: dict[FigureWidth, FigureSize] = {
    "column": FigureSize(3.3, 8.0),
    "page": FigureSize(7.0, 8.5),
    "slide": FigureSize(10.0, 13.0),
}
"""No text is smaller than 7 points: a figure is as large as it is printed."""


_STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.linewidth": 0.7,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "irev",
    "pdf.fonttype": 42,
    "text.hinting": "none",
    "text.usetex": False,
    "text.parse_math": False,
}
"""`text.parse_math` off: a `$` in the name of a run is a `$`. Hinting would change widths."""


def plot_style(width: FigureWidth = "page") -> AbstractContextManager[None]:
    """A context in which figures of this width are made and saved in the house's style."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    text = SIZES[width].text
    settings: dict[Any, Any] = {
        **mpl.rcParamsDefault,
        "backend": "agg",
        **_STYLE,
        "font.size": text,
        "axes.titlesize": text + 0.5,
        "figure.titlesize": text + 1.0,
        "axes.labelsize": text,
        "xtick.labelsize": text - 1.0,
        "ytick.labelsize": text - 1.0,
        "legend.fontsize": text - 0.5,
        "figure.labelsize": text - 1.0,
        "lines.linewidth": 0.15 * text,
        "lines.markersize": 0.45 * text,
    }
    return mpl.rc_context(settings)


def figure_format(path: str, option: str) -> str:
    """What a figure is saved as, by the end of its file's name."""
    file_format = os.path.splitext(path)[1][1:]
    if file_format not in FORMATS:
        endings = ", ".join(f".{each}" for each in FORMATS)
        raise UsageError(f"{option} {path}: a figure's name ends in one of {endings}")
    return file_format


MOST_MEASURES = 12
"""How many measures one figure has room for."""


def check_panel_count(num_measures: int) -> None:
    """Refuse more panels than one figure has room for."""
    if num_measures > MOST_MEASURES:
        raise UsageError(
            f"a figure has room for {MOST_MEASURES} measures, not {num_measures}: name fewer with "
            "-m"
        )


def series_style(series_index: int) -> dict[str, Any]:
    """How the series of a number (from 0) is drawn; of 256, no two have all the same look."""
    looks = len(COLOURS) * len(LINES)
    return {
        "color": COLOURS[series_index % len(COLOURS)],
        "marker": MARKERS[(series_index + series_index // looks) % len(MARKERS)],
        "linestyle": LINES[(series_index // len(COLOURS) + series_index) % len(LINES)],
    }


def figure_bytes(figure: Figure, file_format: str) -> bytes:
    """A figure as the bytes of a file of that kind; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with plot_style(), without_glyph_warnings():
        figure.savefig(buffer, format=file_format, metadata=_WITHOUT_DATE[file_format])
    return buffer.getvalue()


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """An id may hold any character, and no font has all of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


_WITHOUT_DATE: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "irev"},
    "pdf": {"CreationDate": None, "Creator": "irev", "Producer": None},
    "png": {"Software": "irev"},
}


_LONGEST_LABEL = 96


def drawn_label(text: str) -> str:
    """A name of a run or a topic as it can be drawn: nothing unprintable, no endless one."""
    label = printable(text)
    half = _LONGEST_LABEL // 2 - 1
    return label if len(label) <= _LONGEST_LABEL else f"{label[:half]}…{label[-half:]}"


def set_unit_axis(
    panel: Axes, axis: Literal["x", "y"], values: Floats, *, has_bars: bool = False
) -> None:
    """An axis from 0 to 1, where all values lie there; bars stand on its lower end."""
    values = values[np.isfinite(values)]
    if len(values) and values.min() >= 0 and values.max() <= 1:
        panel.set(**{f"{axis}lim": (0 if has_bars else -0.025, 1.025)})
