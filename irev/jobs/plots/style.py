"""How figures look: one style for paper and screen, told apart without colour too."""

from __future__ import annotations

import io
import os
import warnings
from typing import TYPE_CHECKING, Any

from irev.core.text import natural_sort_key
from irev.errors import MissingExtraError, UsageError, id_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's colours, that colour-blind readers can tell apart; the darkest come first."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (3, 3)), (0, (8, 2)))
"""More than most figures have series, so that none of these share one."""

FORMATS = ("svg", "png", "pdf")
"""What a figure can be saved as."""

_STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "irev",
    "pdf.fonttype": 42,
    "text.usetex": False,
    "text.parse_math": False,
}
"""`text.parse_math` off: a `$` in the name of a run is a `$`."""


def plot_style() -> AbstractContextManager[None]:
    """A context in which figures are made and saved in the house's style."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, "backend": "agg", **_STYLE}
    return mpl.rc_context(settings)


def figure_format(path: str, option: str) -> str:
    """What a figure is saved as, by the end of its file's name."""
    file_format = os.path.splitext(path)[1][1:]
    if file_format not in FORMATS:
        endings = ", ".join(f".{each}" for each in FORMATS)
        raise UsageError(f"{option} {path}: a figure's name ends in one of {endings}")
    return file_format


def new_figure(
    num_columns: int = 1,
    num_rows: int = 1,
    *,
    width: float = 5.2,
    height: float = 3.6,
    heights: Sequence[float] = (),
) -> tuple[Figure, list[Axes]]:
    """A figure of so many axes, each `width` by `height` inches; the axes row by row.

    With `heights` each row has its own.
    """
    with plot_style():
        from matplotlib.figure import Figure

        row_heights = heights or (height,) * num_rows
        figure = Figure(figsize=(width * num_columns, sum(row_heights)), layout="constrained")
        axes = figure.subplots(num_rows, num_columns, squeeze=False, height_ratios=row_heights)
        return figure, list(axes.flat)


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
    with plot_style(), warnings.catch_warnings():
        # an id may hold any character, and no font has all of them
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        _fix_layout(figure)
        figure.savefig(buffer, format=file_format, metadata=_WITHOUT_DATE[file_format])
    return buffer.getvalue()


def _fix_layout(figure: Figure) -> None:
    """Settle where everything stands, whatever the figure is saved as and how often."""
    engine = figure.get_layout_engine()
    if engine is not None:
        # twice: the ticks that fit depend on the room, and that on the ticks
        engine.execute(figure)
        engine.execute(figure)
    figure.set_layout_engine("none")


_WITHOUT_DATE: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "irev"},
    "pdf": {"CreationDate": None, "Creator": "irev", "Producer": None},
    "png": {"Software": "irev"},
}


_LONGEST_LABEL = 40


def drawn_label(text: str) -> str:
    """A name of a run or a topic as it can be drawn: cut, nothing unprintable."""
    return id_text(os.fsencode(text), _LONGEST_LABEL)


_WIDEST = 11.0
_MOST_TICKS = 80
_UPRIGHT = 10
_LEVEL_NAMES = 4
"""Up to so many runs have their names written level below them."""
_FEW_ENTRIES = 16
"""A legend of more has smaller letters."""
_ROW = 0.17
"""The inches of a line in a legend."""


def new_panels(
    num_panels: int, *, width: float = 5.2, height: float = 3.6, max_columns: int = 3
) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, at most `max_columns` in a row; no empty one is left."""
    columns = min(num_panels, max_columns)
    figure, axes = new_figure(columns, -(-num_panels // columns), width=width, height=height)
    for spare in axes[num_panels:]:
        spare.remove()
    return figure, axes[:num_panels]


def add_legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
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


def figure_width(num_positions: int, bars_per_position: int = 1) -> float:
    """The inches that so many places on an axis want, with so many bars at each."""
    return min(max(5.2, 0.8 + num_positions * (0.1 + 0.1 * bars_per_position)), _WIDEST)


def sort_by_topic(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table by their `topic`, 2 before 10."""
    topics = table["topic"].tolist()
    return table.iloc[sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))]


def set_topic_axis(axes: Axes, topic_names: Sequence[str]) -> None:
    """The x axis with a topic at each whole number; of very many, some are named."""
    step = -(-len(topic_names) // _MOST_TICKS)
    positions = range(0, len(topic_names), step)
    axes.set_xticks(
        list(positions),
        [drawn_label(topic_names[position]) for position in positions],
        rotation=90 if len(topic_names) > _UPRIGHT else 0,
        fontsize=7,
    )
    axes.set_xlim(-0.7, len(topic_names) - 0.3)
    axes.set_xlabel("topic")
    axes.grid(visible=False, axis="x")


def new_run_panels(num_panels: int, num_runs: int, *, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels that each have so many runs beside one another."""
    width = max(3.6, 0.9 + (0.75 if num_runs <= _LEVEL_NAMES else 0.3) * num_runs)
    num_columns = max(1, int(_WIDEST / width))
    return new_panels(
        num_panels, width=min(width, _WIDEST), height=height, max_columns=min(num_columns, 3)
    )


def set_run_axis(axes: Axes, run_names: Sequence[str]) -> None:
    """The x axis with a run at each whole number; of very many, some are named."""
    is_crowded = len(run_names) > _LEVEL_NAMES
    positions = range(0, len(run_names), -(-len(run_names) // (2 * _MOST_TICKS)))
    axes.set_xticks(
        list(positions),
        [drawn_label(run_names[position]) for position in positions],
        rotation=40 if is_crowded else 0,
        ha="right" if is_crowded else "center",
        rotation_mode="anchor",
        fontsize=7 if is_crowded else 8,
    )
    axes.set_xlim(-0.6, len(run_names) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("run")


def set_unit_axis(axes: Axes, lowest: float, highest: float, *, has_bars: bool = False) -> None:
    """The y axis from 0 to 1, where all values lie there; bars stand on its lower end."""
    if lowest >= 0 and highest <= 1:
        axes.set_ylim(0 if has_bars else -0.025, 1.025)


def add_axes_legend(figure: Figure, axes: Axes) -> None:
    """What the series of some axes are called, outside them."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        add_legend(figure, handles, labels)
