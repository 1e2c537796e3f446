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


def style() -> Any:
    """A context in which figures are made and saved in the house's style."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, "backend": "agg", **_STYLE}
    return mpl.rc_context(settings)


def figure_format(path: str, option: str) -> str:
    """What a figure is saved as, by the end of its file's name."""
    form = os.path.splitext(path)[1][1:]
    if form not in FORMATS:
        known = ", ".join(f".{each}" for each in FORMATS)
        raise UsageError(f"{option} {path}: a figure's name ends in one of {known}")
    return form


def new_figure(
    columns: int = 1,
    rows: int = 1,
    *,
    width: float = 5.2,
    height: float = 3.6,
    heights: Sequence[float] = (),
) -> tuple[Figure, list[Axes]]:
    """A figure of so many axes, each `width` by `height` inches; the axes row by row.

    With `heights` each row has its own.
    """
    with style():
        from matplotlib.figure import Figure

        each = heights or (height,) * rows
        figure = Figure(figsize=(width * columns, sum(each)), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, height_ratios=each)
        return figure, list(axes.flat)


MOST_MEASURES = 12
"""How many measures one figure has room for."""


def check_room(num_measures: int) -> None:
    """Refuse more panels than one figure has room for."""
    if num_measures > MOST_MEASURES:
        raise UsageError(
            f"a figure has room for {MOST_MEASURES} measures, not {num_measures}: name fewer with "
            "-m"
        )


def series(number: int) -> dict[str, Any]:
    """How the series of a number (from 0) is drawn; of 256, no two have all the same look."""
    looks = len(COLOURS) * len(LINES)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[(number + number // looks) % len(MARKERS)],
        "linestyle": LINES[(number // len(COLOURS) + number) % len(LINES)],
    }


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file of that kind; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with style(), warnings.catch_warnings():
        # an id may hold any character, and no font has all of them
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        _lay_out(figure)
        figure.savefig(buffer, format=kind, metadata=_WITHOUT_DATE[kind])
    return buffer.getvalue()


def _lay_out(figure: Figure) -> None:
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


def label(text: str) -> str:
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


def in_natural_order(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table by their `topic`, 2 before 10."""
    topics = table["topic"].tolist()
    return table.iloc[sorted(range(len(topics)), key=lambda at: natural_sort_key(topics[at]))]


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
        rotation=40 if many else 0,
        ha="right" if many else "center",
        rotation_mode="anchor",
        fontsize=7 if many else 8,
    )
    axes.set_xlim(-0.6, len(runs) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("run")


def unit_axis(axes: Axes, lowest: float, highest: float, *, bars: bool = False) -> None:
    """The y axis from 0 to 1, where all values lie there; bars stand on its lower end."""
    if lowest >= 0 and highest <= 1:
        axes.set_ylim(0 if bars else -0.025, 1.025)


def legend_of(figure: Figure, axes: Axes) -> None:
    """What the series of some axes are called, outside them."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        legend(figure, handles, names)
