"""Where everything in a figure stands: texts are measured before the panels are placed.

A figure is as wide as it is printed and as high as its parts need: rows of panels, the
legend, the caption. A drawing function makes a `FigureLayout`, draws in its panels, tells it names
of ticks, a legend and sentences for the caption, and gives back `finish()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.jobs.plots.legend import add_legend
from irev.jobs.plots.measured_text import (
    LINE_HEIGHT,
    measuring_renderer,
    text_height_inches,
    text_width_inches,
    wrap_text,
)
from irev.jobs.plots.point_names import (
    PointNames,
    name_points_and_count_unnamed,
    spread_level_names,
)
from irev.jobs.plots.style import SIZES, plot_style, without_glyph_warnings
from irev.jobs.plots.ticks import (
    AxisName,
    TickNames,
    TickNumbers,
    axis_of,
    set_tick_names,
    set_tick_numbers,
    thin_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    from irev.core.arrays import Floats
    from irev.core.displayed import FigureWidth

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
        names_width = 0.0
        if shared_names:
            names_width = self._names_room(shared_names)
        beside = 0.15 if shared_names else 0.55 * self.scale
        room = (self._size.inches - names_width) / (panel_width * self.scale + beside)
        group = group_size or num_panels
        self.num_columns = max(1, min(max_columns, group, int(room)))
        rows_of_group = -(-group // self.num_columns)
        self._cells = [
            (index // group * rows_of_group + index % group // self.num_columns,
             index % group % self.num_columns)
            for index in range(num_panels)
        ]  # fmt: skip
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

    # what drawing functions say

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
            name, (1.0, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
            textcoords="offset points", va="center", fontsize=self._size.text - 1.0,
            color="#333333", annotation_clip=False,
        )  # fmt: skip
        self._level_names.setdefault(panel, []).append(label)

    # how it is placed

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
                self._wrap(texts)
                for panel, labels in self._level_names.items():
                    spread_level_names(panel, labels, LINE_HEIGHT * (self._size.text - 1.0) / 72)
                left, right, above, below = self._margins()
            self._place(left, right, above, below)
            num_unnamed = sum(
                name_points_and_count_unnamed(points, self._size.text - 1.5)
                for points in self._points
            )
            if not all(self._has_room(panel, widest) for panel, _, widest in self._cell_texts):
                for _, label, _ in self._cell_texts:
                    label.set_visible(False)
            if num_unnamed:
                verb = "point has" if num_unnamed == 1 else "points have"
                self.add_sentence(f"{num_unnamed} {verb} no room for a name.")
            self._place(left, right, above, below)
        return self.figure

    def _has_room(self, panel: Axes, widest: float) -> bool:
        """Whether a text of this width fits into a cell of a panel."""
        cells = abs(panel.get_xlim()[1] - panel.get_xlim()[0])
        inches = panel.get_position().width * self._size.inches
        return 1.1 * widest <= inches / cells

    def _wrapped_texts(self) -> list[tuple[Text, str, Axes, bool]]:
        """Titles and labels of axes as they were written, and whether they stand upright."""
        texts = []
        for panel in self.panels:
            bar = self._colour_bars.get(panel)
            bar_label = [(bar.yaxis.label, True)] if bar is not None else []
            for text, is_upright in [
                (panel.title, False), (panel.xaxis.label, False), (panel.yaxis.label, True),
                *bar_label,
            ]:  # fmt: skip
                if text.get_text():
                    texts.append((text, text.get_text(), panel, is_upright))
        return texts

    def _wrap(self, texts: Sequence[tuple[Text, str, Axes, bool]]) -> None:
        for text, written, panel, is_upright in texts:
            box = panel.get_position()
            width, height = self.figure.get_size_inches()
            room = max(0.8, box.height * height) if is_upright else box.width * width
            text.set_text(wrap_text(written, float(text.get_fontsize()), room))

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
        heights = self._panel_heights(inner_width)
        caption_size = self._size.text - 1.0
        caption = wrap_text(" ".join(self._sentences), caption_size, 0.97 * (width - 2 * _RIM))
        caption_height = text_height_inches(caption, caption_size) + 0.03 if caption else 0.0
        for old_legend in list(self.figure.legends):
            old_legend.remove()
        legend: Legend | None = None
        legend_height = 0.0
        if self._labels:
            legend = add_legend(self.figure, self._handles, self._labels, width - 2 * _RIM)
            legend_height = (
                legend.get_window_extent(measuring_renderer(_DPI)).height / self.figure.dpi + _GAP
            )
        rows = float(above.sum() + below.sum()) + sum(heights) + _GAP * (self.num_rows - 1)
        below_panels = _RIM + caption_height + (_GAP if caption else 0.0) + legend_height
        height = _RIM + rows + below_panels
        self.figure.set_size_inches(width, height)
        if caption:
            self.figure.supxlabel(
                caption, x=_RIM / width, y=_RIM / height, ha="left", va="bottom", color="#444444",
                linespacing=LINE_HEIGHT,
            )  # fmt: skip
        if legend is not None:
            base = _RIM + caption_height + (_GAP if caption else 0.0)
            legend.set_bbox_to_anchor((0.5, base / height), transform=self.figure.transFigure)
        tops = height - _RIM - np.concatenate(
            ([0.0], np.cumsum(above + np.array(heights) + below + _GAP)[:-1])
        )  # fmt: skip
        starts = np.concatenate(([0.0], np.cumsum(left + inner_width + right + _GAP)[:-1]))
        starts += _RIM + spare / 2
        for panel, (row, column) in zip(self.panels, self._cells, strict=True):
            x0 = starts[column] + left[column]
            y0 = tops[row] - above[row] - heights[row]
            panel.set_position(
                (x0 / width, y0 / height, inner_width / width, heights[row] / height)
            )
            if panel in self._colour_bars:
                self._colour_bars[panel].set_position(
                    ((x0 + inner_width + _BAR_GAP) / width, y0 / height, _BAR / width,
                     heights[row] / height)
                )  # fmt: skip

    def _panel_heights(self, inner_width: float) -> list[float]:
        """Inches of the panels of each row."""
        if self._heights is None:
            return [inner_width] * self.num_rows
        if isinstance(self._heights, Sequence):
            return [self.scale * height for height in self._heights]
        return [self.scale * self._heights] * self.num_rows


def _outer_box(panel: Axes) -> Bbox:
    """What a panel takes with all that stands around it, in dots."""
    return panel.get_tightbbox(measuring_renderer(_DPI)) or panel.get_window_extent()
