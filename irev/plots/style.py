"""How figures look: one style for paper and screen, told apart without colour too."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from irev.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's colours, that colour-blind readers can tell apart; the darkest come first."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")

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
    """A context in which figures are made and saved in the house's style.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, "backend": "agg", **_STYLE}
    return mpl.rc_context(settings)


def new_figure(
    columns: int = 1, rows: int = 1, *, width: float = 5.2, height: float = 3.6
) -> tuple[Figure, list[Axes]]:
    """A figure of so many axes, each `width` by `height` inches; the axes row by row."""
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        return figure, list(axes.flat)


def series(number: int) -> dict[str, Any]:
    """How the series of a number (from 0) is drawn; of 256, no two have all the same look."""
    looks = len(COLOURS) * len(LINES)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[(number + number // looks) % len(MARKERS)],
        "linestyle": LINES[(number // len(COLOURS) + number) % len(LINES)],
    }


def drawn(figure: Figure, kind: str) -> bytes:
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
    # twice: the ticks that fit depend on the room, and that on the ticks
    figure.draw_without_rendering()
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


_WITHOUT_DATE: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "irev"},
    "pdf": {"CreationDate": None, "Creator": "irev", "Producer": None},
    "png": {"Software": "irev"},
}
