"""How figures look: one style for paper and screen, told apart without colour too."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from irev.core.job import FigureWidth
from irev.core.text import printable
from irev.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats


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
