"""Topics side by side: on one axis, or in several rows where they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import natural_sort_key
from irev.jobs.plots.result_parts import run_names, topic_names
from irev.jobs.plots.style import COLOURS, SIZES, drawn_label

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from irev.core.arrays import TopicValues
    from irev.core.displayed import FigureWidth
    from irev.jobs.plots.layout import FigureLayout
    from irev.scores.table import ScoreTable

_BAR, _BETWEEN = 1.6, 1.2
"""Points of print of a bar and of the space between topics, at least where there is room."""
_ALL_NAMED = 60
"""Up to so many topics all have their names, in as many rows as that needs."""
_MOST_ROWS = 4
"""So many rows fill a page."""

LACKS_TOPIC = "lacks the topic, which counts as 0"
"""What a cross means."""


def topic_rows(num_topics: int, num_bars: int, num_panels: int, width: FigureWidth) -> list[range]:
    """The topics of each row of a panel, so that bars and names have room.

    Args:
        num_topics: topics that are drawn.
        num_bars: bars of each.
        num_panels: panels, each of which has these rows.
        width: of the figure.
    """
    size = SIZES[width]
    room = (size.inches - 0.75) * 72
    topic_width = _BAR * num_bars + _BETWEEN
    if num_topics <= _ALL_NAMED:
        topic_width = max(topic_width, 1.2 * (size.text - 1))
    num_rows = -(-num_topics // max(1, int(room / topic_width)))
    num_rows = max(1, min(num_rows, max(2, _MOST_ROWS // num_panels)))
    each = -(-num_topics // num_rows)
    return [range(start, min(start + each, num_topics)) for start in range(0, num_topics, each)]


def name_topics(
    layout: FigureLayout, panel: Axes, topics: Sequence[str], topics_in_row: int
) -> None:
    """Name the topics at 0, 1, ... of an x axis that has room for a full row."""
    layout.name_ticks(panel, "x", range(len(topics)), [drawn_label(topic) for topic in topics])
    panel.set_xlim(-0.7, topics_in_row - 0.3)


def mark_missing(
    panel: Axes, positions: Sequence[float], heights: Sequence[float], colour: str
) -> None:
    """A cross for each topic that a run lacks."""
    if positions:
        panel.plot(
            positions, heights, linestyle="none", marker="x", color=colour, zorder=4,
            clip_on=False, label="_missing",
        )  # fmt: skip


def draw_topic_differences(
    panel: Axes,
    differences: TopicValues,
    is_missing: Sequence[bool],
    *,
    is_lower_better: bool = False,
) -> None:
    """A bar for each topic, blue for better, red for worse; with a cross where it is missing.

    Args:
        panel: where they are drawn, from 0 on.
        differences: by topic.
        is_missing: by topic, whether a run lacks it.
        is_lower_better: whether lower is better.
    """
    values, lacks = np.asarray(differences), np.asarray(is_missing, dtype=bool)
    is_gain = values < 0 if is_lower_better else values >= 0
    colours = np.where(is_gain, COLOURS[0], COLOURS[1])
    panel.bar(
        np.arange(len(values)), values, 0.75, color=np.where(lacks, "white", colours),
        edgecolor=colours, linewidth=np.where(lacks, 0.6, 0.0),
    )  # fmt: skip
    mark_missing(panel, np.flatnonzero(lacks).tolist(), values[lacks].tolist(), "black")
    panel.axhline(0, color="black", linewidth=0.8)


def missing_key() -> Any:
    """The mark of a missing topic for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", marker="x", color="black")


def missing_topics(table: ScoreTable) -> frozenset[tuple[str, str]]:
    """(run, topic) of the topics that runs lack, both as figures name them."""
    topics = dict(zip(table.topics, topic_names(table), strict=True))
    return frozenset(
        (name, topics[topic])
        for name, run in zip(run_names(table), table.runs, strict=True)
        for topic in run.missing
        if topic in topics
    )


def blank_missing_topics(
    frame: pd.DataFrame,
    missing: Collection[tuple[str, str]],
    columns: Sequence[str] = ("value",),
    run: str = "",
) -> pd.DataFrame:
    """The rows of a figure as they are written: what a run lacks has no number.

    Args:
        frame: with a topic in each row, and a run, where they are of several.
        missing: (run, topic) of topics that runs lack.
        columns: those of the numbers.
        run: the run of all rows; empty: each names its own.
    """
    if not missing:
        return frame
    names = [run] * len(frame) if run else frame["run"]
    lacks = [pair in missing for pair in zip(names, frame["topic"], strict=True)]
    shown = frame.copy()
    shown.loc[lacks, list(columns)] = float("nan")
    return shown


def sort_by_topic(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table by their `topic`, 2 before 10."""
    topics = table["topic"].tolist()
    return table.iloc[sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))]
