"""How much the order of ties can change."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats
from irev.core.job import FigureWidth
from irev.core.text import count_text, natural_sort_key
from irev.errors import UsageError
from irev.jobs.plots.figures import (
    BEST_ABOVE,
    LACKS_TOPIC,
    Highlights,
    blank_missing_topics,
    highlight_runs,
    mark_missing,
    missing_key,
    missing_topics,
    name_topics,
    run_rows_layout,
    runs_best_first,
    topic_rows,
)
from irev.jobs.plots.layout import FigureLayout, short_labels
from irev.jobs.plots.plot import Plot, TieRangesOptions, make_plot, run_names, topic_names
from irev.jobs.plots.style import GREY, check_panel_count, plot_style, series_style, set_unit_axis
from irev.jobs.score_job import score_job
from irev.rank.ties import RANGE_ORDERS
from irev.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@score_job(TieRangesOptions)
def tie_ranges(table: ScoreTable, options: TieRangesOptions) -> Plot:
    """Draw the values of measures under the pessimistic and the optimistic order of ties.

    A table of scores has NAME[pessimistic] and NAME[optimistic] for each measure, as
    `tie_range=True` gives them.

    Args:
        table: the scores.
        options: the record `TieRangesOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic where these are shown, run, value,
        pessimistic and optimistic; by topic, one that a run lacks has no values.

    Raises:
        UsageError: an option that makes no sense here; a measure without a range.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    # each measure has its values under both orders beside it
    ends = tuple(f"[{order}]" for order in RANGE_ORDERS)
    measures = [name for name in table.measure_names if not name.endswith(ends)]
    for measure in measures:
        if not {f"{measure}{end}" for end in ends} <= set(table.measure_names):
            raise UsageError(f"{measure} has no range over orders of tied documents")
    check_panel_count(len(measures))
    rows: list[tuple[str, str, str, float, float, float]] = []
    for measure in measures:
        names = [measure, *(f"{measure}{end}" for end in ends)]
        if not options.per_topic:
            means = [table.means(name).tolist() for name in names]
            rows += [(measure, "", *row) for row in zip(run_names(table), *means, strict=True)]
            continue
        cells = np.stack([table.scores(name) for name in names], axis=-1)
        lines = sorted(
            zip(topic_names(table), cells.tolist(), strict=True),
            key=lambda line: natural_sort_key(line[0]),
        )
        rows += [
            (measure, topic, name, *cell)
            for topic, line in lines
            for name, cell in zip(run_names(table), line, strict=True)
        ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "value", *RANGE_ORDERS])
    if not options.per_topic:
        frame = frame.drop(columns="topic")
    highlights = highlight_runs(table, options.highlight, measures[0])
    drawn = frame[~frame["run"].isin(highlights.others)] if options.per_topic else frame
    has_range = bool((drawn["pessimistic"] != drawn["optimistic"]).any())
    same = "" if has_range else "No order of equal scores changes a value."
    if options.per_topic:
        missing = missing_topics(table)
        draw = partial(topic_ranges_figure, frame, highlights, same, missing)
        shown = blank_missing_topics(frame, missing, ("value", *RANGE_ORDERS))
        return make_plot("tie-ranges", table, shown, draw, *highlights.notes, by="topic")
    mean = f"Mean over {count_text(len(table.topics), 'topic')}; {BEST_ABOVE}. {same}".strip()
    draw = partial(run_ranges_figure, frame, runs_best_first(table), mean)
    return make_plot("tie-ranges", table, frame, draw, by="run")


def run_ranges_figure(
    frame: pd.DataFrame, run_order: Sequence[str], caption: str, *, width: FigureWidth = "page"
) -> Figure:
    """The figure of means by run; `run_order`: from the top down."""
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(run_order)
    with plot_style(width):
        layout = run_rows_layout(len(measures), [labels[name] for name in run_order], width)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure].set_index("run").loc[list(run_order)]
            _draw_ranges(
                panel,
                np.arange(float(len(run_order))),
                rows,
                series_style(0),
                "value",
                "pessimistic to optimistic order of ties",
                is_level=True,
            )
            panel.set_xlabel(measure)
        layout.set_panel_legend()
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()


def topic_ranges_figure(
    frame: pd.DataFrame,
    highlights: Highlights,
    caption: str,
    missing: Collection[tuple[str, str]] = (),
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of topics, the runs side by side; of the others it has the values alone."""
    measures = list(dict.fromkeys(frame["measure"]))
    names = highlights.names
    topics = list(dict.fromkeys(frame["topic"]))
    labels, left_out = short_labels(list(dict.fromkeys(frame["run"])))
    rows_of_topics = topic_rows(len(topics), 2 * len(names), len(measures), width)
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rows_of_topics), width=width, height=1.8, max_columns=1
        )
        panels = iter(layout.panels)
        for measure in measures:
            rows = frame[frame["measure"] == measure]
            for indices in rows_of_topics:
                panel = next(panels)
                some = topics[indices.start : indices.stop]
                of_topics = rows[rows["topic"].isin(some)]
                positions = np.arange(float(len(some)))
                for name in highlights.others:
                    values = of_topics.loc[of_topics["run"] == name, "value"]
                    panel.plot(
                        positions,
                        values,
                        linestyle="none",
                        marker="o",
                        markersize=2.2,
                        color=GREY,
                        markeredgewidth=0,
                        label=highlights.others_label,
                    )
                for index, name in enumerate(names):
                    places = positions + (index - (len(names) - 1) / 2) * 0.8 / len(names)
                    run_rows = of_topics[of_topics["run"] == name]
                    _draw_ranges(panel, places, run_rows, series_style(index), labels[name])
                    is_missing = [(name, topic) in missing for topic in some]
                    mark_missing(panel, places, is_missing, "black")
                name_topics(layout, panel, some, len(rows_of_topics[0]))
                set_unit_axis(panel, "y", rows[["value", *RANGE_ORDERS]].to_numpy())
                panel.set_ylabel(measure)
            panel.set_xlabel("topic")
        layout.set_panel_legend(last=highlights.others_label)
        if any(name in names for name, _ in missing):
            layout.add_legend_entry(missing_key(), LACKS_TOPIC)
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_ranges(
    panel: Axes,
    positions: Floats,
    rows: pd.DataFrame,
    series_look: dict[str, Any],
    value_label: str,
    range_label: str = "_range",
    *,
    is_level: bool = False,
) -> None:
    """A bar from one order's value to the other's at each place, and a mark at the value.

    With `is_level` the places are rows, otherwise columns.
    """
    draw_bars = panel.hlines if is_level else panel.vlines
    draw_bars(
        positions,
        rows["pessimistic"],
        rows["optimistic"],
        color=series_look["color"],
        linewidth=4,
        alpha=0.35,
        label=range_label,
    )
    for order in RANGE_ORDERS:
        ends = (rows[order], positions) if is_level else (positions, rows[order])
        panel.plot(
            *ends,
            linestyle="none",
            marker="|" if is_level else "_",
            markersize=6,
            markeredgewidth=1.4,
            color=series_look["color"],
            label=f"_{order}",
        )
    points = (rows["value"], positions) if is_level else (positions, rows["value"])
    panel.plot(*points, **{**series_look, "linestyle": "none"}, label=value_label)
