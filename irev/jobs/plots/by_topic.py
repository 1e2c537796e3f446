"""Figures of scores by topic: all runs, one and the median, two runs, spread, orders of ties."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, TopicsByRuns
from irev.core.job import FigureWidth
from irev.core.text import count_text, natural_sort_key
from irev.errors import UsageError, note
from irev.jobs.plots.layout import (
    COLOURS,
    GREY,
    MARKERS,
    FigureLayout,
    check_panel_count,
    drawn_label,
    plot_style,
    series_style,
    set_unit_axis,
    short_labels,
)
from irev.jobs.plots.plot import (
    BEST_ABOVE,
    LACKS_TOPIC,
    DistributionOptions,
    Highlights,
    MedianOptions,
    PerTopicOptions,
    Plot,
    ScatterOptions,
    TieRangesOptions,
    TopicOrder,
    blank_missing_topics,
    draw_topic_differences,
    highlight_runs,
    make_plot,
    mark_missing,
    missing_key,
    missing_topics,
    name_topics,
    run_names,
    run_rows_layout,
    runs_best_first,
    topic_names,
    topic_order,
    topic_rows,
    two_runs_text,
)
from irev.jobs.score_job import score_job
from irev.measures.naming.resolve import lower_is_better
from irev.rank.ties import RANGE_ORDERS
from irev.scores.table import ScoreTable
from irev.statistics.differences import scale_of, zero_noise

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# --- Bars of runs, topic by topic ---


@score_job(PerTopicOptions)
def per_topic(table: ScoreTable, options: PerTopicOptions) -> Plot:
    """Draw the values of measures by topic: a bar for each run, a panel for each measure.

    Of more than eight runs the best by the first measure has bars, or those of `highlight`; the
    others are grey dots. A topic that a run lacks has a cross.

    Args:
        table: the scores.
        options: the record `PerTopicOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, run and value, in the order of the bars: by
        id (2 before 10), or by the mean over the runs, falling; a topic that a run lacks has no
        value.

    Raises:
        UsageError: an option or a measure that makes no sense here; too many measures.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    table = table.in_given_order()
    topics = topic_names(table)
    rows = [
        (measure, topics[topic], name, float(table.scores(measure)[topic, run]))
        for measure in table.measure_names
        for topic in topic_order(table.scores(measure).mean(axis=1), topics, options.sort)
        for run, name in enumerate(run_names(table))
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "value"])
    highlights = highlight_runs(table, options.highlight, table.measure_names[0])
    missing = missing_topics(table)
    draw = partial(per_topic_figure, frame, highlights, missing)
    shown = blank_missing_topics(frame, missing)
    return make_plot("per-topic", table, shown, draw, *highlights.notes, sort=options.sort)


def per_topic_figure(
    frame: pd.DataFrame,
    highlights: Highlights,
    missing: Collection[tuple[str, str]],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `per_topic`.

    Args:
        frame: the rows.
        highlights: which runs have bars; the others are dots.
        missing: (run, topic) of topics that runs lack.
        width: of the figure.
    """
    names, measures = highlights.names, list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(list(dict.fromkeys(frame["run"])))
    topic_ids = list(dict.fromkeys(frame["topic"]))
    rows_of_topics = topic_rows(len(topic_ids), len(names), len(measures), width)
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rows_of_topics), width=width, height=1.7, max_columns=1
        )
        panels = iter(layout.panels)
        for measure in measures:
            values = frame[frame["measure"] == measure].pivot(
                index="topic", columns="run", values="value"
            )
            order = list(dict.fromkeys(frame.loc[frame["measure"] == measure, "topic"]))
            for indices in rows_of_topics:
                panel = next(panels)
                topics = [order[index] for index in indices]
                _draw_bars(panel, values.loc[topics], highlights, missing, labels)
                name_topics(layout, panel, topics, len(rows_of_topics[0]))
                set_unit_axis(panel, "y", values.to_numpy(), has_bars=True)
                if len(rows_of_topics) > 1 and not panel.get_ylim()[0]:
                    panel.set_ylim(top=max(panel.get_ylim()[1], 1.06 * values.to_numpy().max()))
                panel.set_ylabel(measure)
            panel.set_xlabel("topic")
        if len(labels) == 1:
            layout.panels[0].set_title(labels[names[0]])
        if len(labels) > 1:
            layout.set_panel_legend(last=highlights.others_label)
        if any(name in names for name, _ in missing):
            layout.add_legend_entry(missing_key(), LACKS_TOPIC)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_bars(
    panel: Axes,
    values: pd.DataFrame,
    highlights: Highlights,
    missing: Collection[tuple[str, str]],
    labels: Mapping[str, str],
) -> None:
    """Bars of the runs that are told apart, a dot for each other run; a row for each topic."""
    thickness = 0.8 / len(highlights.names)
    positions = np.arange(len(values))
    for index, name in enumerate(highlights.names):
        places = positions + (index - (len(highlights.names) - 1) / 2) * thickness
        colour = highlights.style_of(name)["color"]
        panel.bar(places, values[name], thickness * 0.94, color=colour, label=labels[name])
        is_missing = [(name, topic) in missing for topic in values.index]
        mark_missing(panel, places, is_missing, colour)
    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 2.2, "color": GREY}
    for index, name in enumerate(highlights.others):
        label = "_other" if index else highlights.others_label
        panel.plot(
            positions, values[name], **dot, markeredgewidth=0, zorder=3, alpha=0.8, label=label
        )


# --- A run against the median of all runs, topic by topic ---


MEDIAN_COLUMNS = ("measure", "topic", "value", "median", "difference")


@score_job(MedianOptions)
def median(table: ScoreTable, options: MedianOptions) -> Plot:
    """Draw how far a run is above or below the median of all runs, topic by topic.

    The run itself is among those that the median is of; of an even number of runs it is the mean of
    the two in the middle.

    Args:
        table: the scores.
        options: the record `MedianOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, value, median and difference, in the order of
        the bars: by id (2 before 10), or by the difference, falling; of a topic that the run lacks
        the median alone.

    Raises:
        UsageError: an option or a measure that makes no sense here; one run alone.
        InputError: an input that cannot be read.

    Source: the summary sheets of TREC, appendix of each year's proceedings.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    run_index = table.run_index(options.run or "")
    if len(table.runs) < 2:
        raise UsageError("a median needs at least two runs")
    topics, rows = topic_names(table), []
    for measure in table.measure_names:
        rows += difference_rows(measure, topics, table.scores(measure), run_index, options.sort)
    frame = pd.DataFrame(rows, columns=list(MEDIAN_COLUMNS))
    name = run_names(table)[run_index]
    about = f"against the median of all {count_text(len(table.runs), 'run')}, including this one"
    labels, _ = short_labels(run_names(table))
    missing = missing_topics(table)
    lacked = {topic for run, topic in missing if run == name}
    draw = partial(median_figure, frame, f"{labels[name]} {about}", lacked)
    shown = blank_missing_topics(frame, missing, ("value", "difference"), name)
    return make_plot(
        "median", table, shown, draw, note(f"{name} {about}"), run=name, sort=options.sort
    )


def difference_rows(
    measure: str,
    topic_labels: Sequence[str],
    score_matrix: TopicsByRuns,
    run_index: int,
    sort: TopicOrder = "topic",
) -> list[tuple[str, str, float, float, float]]:
    """Rows of `MEDIAN_COLUMNS` for one measure, given float64[T, S] values by topic and run."""
    medians = np.median(score_matrix, axis=1)
    values = score_matrix[:, run_index]
    differences = values - medians
    numbers = np.column_stack((values, medians, differences)).tolist()
    return [
        (measure, topic_labels[index], *numbers[index])
        for index in topic_order(differences, topic_labels, sort)
    ]


def median_figure(
    frame: pd.DataFrame, title: str, missing: Collection[str] = (), *, width: FigureWidth = "page"
) -> Figure:
    """The figure of the rows of `median`; `missing`: topics that the run lacks."""
    measures = list(dict.fromkeys(frame["measure"]))
    rows_of_topics = topic_rows(frame["topic"].nunique(), 1, len(measures), width)
    with plot_style(width):
        layout = FigureLayout(
            len(measures) * len(rows_of_topics), width=width, height=1.7, max_columns=1
        )
        panels = iter(layout.panels)
        for measure in measures:
            rows = frame[frame["measure"] == measure]
            farthest = float(np.abs(rows["difference"]).max()) or 1.0
            for indices in rows_of_topics:
                panel = next(panels)
                some = rows.iloc[indices.start : indices.stop]
                draw_topic_differences(
                    panel, some["difference"].to_numpy(), some["topic"].isin(missing).tolist()
                )
                name_topics(layout, panel, some["topic"].tolist(), len(rows_of_topics[0]))
                panel.set_ylim(-1.08 * farthest, 1.08 * farthest)
                panel.set_ylabel(f"{measure}: difference")
            panel.set_xlabel("topic")
        if missing:
            layout.set_legend([missing_key()], [LACKS_TOPIC])
        layout.panels[0].set_title(title)
        return layout.finish()


# --- Two runs against each other, a point for each topic ---


TIE = "tie"


@score_job(ScatterOptions)
def scatter(table: ScoreTable, options: ScatterOptions) -> Plot:
    """Draw two runs against each other: a point for each topic, and how many topics each run wins.

    Values that differ by no more than rounding are equal.

    Args:
        table: the scores.
        options: the record `ScatterOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, topic, x, y, and in better the name of a run, or tie;
        a topic that a run lacks, and that counts as 0, has no x or y.

    Raises:
        UsageError: an option or a measure that makes no sense here; more or fewer than two runs.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    if len(table.runs) != 2:
        raise UsageError(two_runs_text(len(table.runs)))
    # two runs of one file have no order but that of their names
    table = table.in_given_order()
    x_index = 0 if options.x is None else table.run_index(options.x)
    runs = run_names(table)
    names = (runs[x_index], runs[1 - x_index])
    rows: list[tuple[str, str, float, float, str]] = []
    for column in table.columns:
        both = table.scores(column.name)
        x, y = both[:, x_index], both[:, 1 - x_index]
        gain = zero_noise(y - x, scale_of(both)) * (-1 if lower_is_better(column) else 1)
        better = [TIE if not each else names[int(each > 0)] for each in gain.tolist()]
        topics = topic_names(table)
        rows += zip([column.name] * len(x), topics, x.tolist(), y.tolist(), better, strict=True)
    frame = pd.DataFrame(rows, columns=["measure", "topic", "x", "y", "better"])
    missing = missing_topics(table)
    draw = partial(scatter_figure, frame, names, missing, looks=(x_index, 1 - x_index))
    shown = frame
    for axis, name in zip(("x", "y"), names, strict=True):
        shown = blank_missing_topics(shown, missing, (axis,), name)
    return make_plot(
        "scatter", table, shown, draw, x=drawn_label(names[0]), y=drawn_label(names[1])
    )


def scatter_figure(
    frame: pd.DataFrame,
    axis_run_names: Sequence[str],
    missing: Collection[tuple[str, str]] = (),
    *,
    looks: Sequence[int] = (0, 1),
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `scatter`.

    Args:
        frame: the rows.
        axis_run_names: the runs across and upwards.
        missing: (run, topic) of topics that a run lacks.
        looks: the numbers of their looks.
        width: of the figure.
    """
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(axis_run_names)
    winner_labels = [
        (winner, f"{labels[winner]} better" if winner != TIE else "equal")
        for winner in (*axis_run_names, TIE)
    ]
    lacking = {topic for _, topic in missing}
    with plot_style(width):
        layout = FigureLayout(len(measures), width=width, height=None)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_topic_points(panel, rows, winner_labels, (*looks, 2), lacking)
            panel.set(
                title=measure, xlabel=labels[axis_run_names[0]], ylabel=labels[axis_run_names[1]]
            )
            counts = [
                f"{label}: {np.count_nonzero(rows['better'] == winner)}"
                for winner, label in winner_labels
            ]
            num_topics = count_text(len(rows), "topic")
            layout.add_sentence(f"{measure}, {num_topics}: {', '.join(counts)}.")
        handles, texts = layout.panels[0].get_legend_handles_labels()
        if lacking:
            handles, texts = [*handles, missing_key()], [*texts, "a run lacks the topic"]
        layout.set_legend(handles, texts)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_topic_points(
    panel: Axes,
    rows: pd.DataFrame,
    winner_labels: Sequence[tuple[str, str]],
    looks: Sequence[int],
    lacking: Collection[str],
) -> None:
    """Draw the points of a measure, in the legend by who wins."""
    both = np.concatenate((rows["x"], rows["y"]))
    low, high = float(both.min()), float(both.max())
    ends = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high if high > low else low + 1)
    panel.plot(ends, ends, color="#888888", linewidth=0.8, zorder=1)
    for look_number, (winner, label) in zip(looks, winner_labels, strict=True):
        points = rows[rows["better"] == winner]
        colour = COLOURS[look_number] if winner != TIE else "#777777"
        look: dict[str, Any] = {"linestyle": "none", "color": colour}
        is_missing = points["topic"].isin(lacking)
        seen, unseen = points[~is_missing], points[is_missing]
        panel.plot(
            seen["x"],
            seen["y"],
            **look,
            marker=MARKERS[look_number],
            markersize=4.5,
            markeredgecolor="white",
            markeredgewidth=0.4,
            label=label,
        )
        panel.plot(unseen["x"], unseen["y"], **look, marker="x", label="_missing")
    margin = 0.03 * (ends[1] - ends[0])
    limits = (ends[0] - margin, ends[1] + margin)
    panel.set(xlim=limits, ylim=limits)


# --- How the scores of runs are spread over the topics ---


SCORE, MEAN = "score", "mean"
BOX = {
    "whislo": "lower whisker",
    "q1": "first quartile",
    "med": "median",
    "q3": "third quartile",
    "whishi": "upper whisker",
}
"""matplotlib's names for the parts of a box, and those of the rows."""

_GOLDEN = (5**0.5 - 1) / 2


@score_job(DistributionOptions)
def distribution(table: ScoreTable, options: DistributionOptions) -> Plot:
    """Draw how scores are spread over the topics: for each run a box, the mean, a point a topic.

    A box reaches from the first to the third quartile (interpolated linearly), with a line at the
    median; the whiskers to the farthest topics within 1.5 times its length.

    Args:
        table: the scores.
        options: the record `DistributionOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, run, what (score, mean, or a part of the box), topic
        and value; a topic that a run lacks has none.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    check_panel_count(len(table.columns))
    rows = [
        row
        for measure in table.measure_names
        for run_index in range(len(table.runs))
        for row in _score_mean_and_box_rows(table, measure, run_index)
    ]
    frame = pd.DataFrame(rows, columns=_DistributionRow._fields)
    order = runs_best_first(table)
    caption = f"Over {count_text(len(table.topics), 'topic')}; {BEST_ABOVE}."
    missing = missing_topics(table)
    draw = partial(distribution_figure, frame, order, caption, missing)
    return make_plot("distribution", table, blank_missing_topics(frame, missing), draw)


class _DistributionRow(NamedTuple):
    """A number of a run; `what` it is: the score of a topic, the mean, a part of the box."""

    measure: str
    run: str
    what: str
    topic: str
    value: float


def _score_mean_and_box_rows(
    table: ScoreTable, measure: str, run_index: int
) -> list[_DistributionRow]:
    name, values = run_names(table)[run_index], table.scores(measure)[:, run_index]
    rows = [
        _DistributionRow(measure, name, SCORE, topic, value)
        for topic, value in zip(topic_names(table), values.tolist(), strict=True)
    ]
    mean = float(table.means(measure)[run_index])
    rows.append(_DistributionRow(measure, name, MEAN, "", mean))
    with plot_style():
        from matplotlib.cbook import boxplot_stats

        (box,) = boxplot_stats(values)
    return rows + [
        _DistributionRow(measure, name, part, "", float(box[key])) for key, part in BOX.items()
    ]


def distribution_figure(
    frame: pd.DataFrame,
    run_order: Sequence[str],
    caption: str,
    missing: Collection[tuple[str, str]] = (),
    *,
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `distribution`.

    Args:
        frame: the rows.
        run_order: the runs from the top down.
        caption: what stands below.
        missing: (run, topic) of topics that runs lack.
        width: of the figure.
    """
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(run_order)
    with plot_style(width):
        layout = run_rows_layout(len(measures), [labels[name] for name in run_order], width)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            _draw_boxes(panel, rows, run_order, missing)
            set_unit_axis(panel, "x", rows["value"].to_numpy())
            panel.set_xlabel(f"{measure} of a topic")
        handles, texts = layout.panels[0].get_legend_handles_labels()
        if missing:
            handles, texts = [*handles, missing_key()], [*texts, LACKS_TOPIC]
        layout.set_legend(handles, texts)
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()


def _draw_boxes(
    panel: Axes,
    rows: pd.DataFrame,
    run_order: Sequence[str],
    missing: Collection[tuple[str, str]],
) -> None:
    for index, name in enumerate(run_order):
        topics = rows[(rows["run"] == name) & (rows["what"] == SCORE)]
        is_missing = np.array([(name, topic) in missing for topic in topics["topic"]], dtype=bool)
        scores = topics["value"].to_numpy()
        # points beside one another, always at the same places
        places = index + 0.6 * ((np.arange(len(scores)) * _GOLDEN) % 1 - 0.5)
        panel.plot(
            scores[~is_missing],
            places[~is_missing],
            linestyle="none",
            marker="o",
            markersize=2.5,
            color=COLOURS[0],
            alpha=0.6,
            markeredgewidth=0,
            label="_scores" if index else "topic",
        )
        panel.plot(
            scores[is_missing],
            places[is_missing],
            linestyle="none",
            marker="x",
            markersize=3.5,
            color="black",
            label="_missing",
        )
    rows_of_runs = np.arange(len(run_order))
    part = {
        what: rows[rows["what"] == what].set_index("run")["value"].loc[list(run_order)].to_numpy()
        for what in (MEAN, *BOX.values())
    }
    low, high = part[BOX["q1"]], part[BOX["q3"]]
    line: dict[str, Any] = {"color": "black", "linewidth": 0.8}
    panel.barh(
        rows_of_runs, high - low, 0.7, left=low, facecolor="none", edgecolor="black", linewidth=0.8
    )
    for inner, outer in ((low, part[BOX["whislo"]]), (high, part[BOX["whishi"]])):
        panel.hlines(rows_of_runs, inner, outer, **line)
        panel.vlines(outer, rows_of_runs - 0.2, rows_of_runs + 0.2, **line)
    panel.vlines(
        part[BOX["med"]], rows_of_runs - 0.35, rows_of_runs + 0.35, color="black", linewidth=1.6
    )
    panel.plot(
        part[MEAN],
        rows_of_runs,
        linestyle="none",
        marker="D",
        markersize=4.5,
        color=COLOURS[1],
        markeredgecolor="white",
        zorder=5,
        label=MEAN,
    )


# --- How much the order of ties can change ---


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
    table = table.in_given_order()
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
                    _draw_ranges(panel, places, run_rows, highlights.style_of(name), labels[name])
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
