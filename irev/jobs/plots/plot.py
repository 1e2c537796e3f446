"""The result of every plot, what each is asked for, and the figures that several studies draw.

Below these stands what several figures have: which runs are told apart, panels with a row for each
run, topics side by side.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from irev.core import __version__
from irev.core.arrays import TopicValues
from irev.core.job import DrawFigure, FigureWidth
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text, escape_non_utf8, natural_sort_key
from irev.errors import GENERAL_NOTE, MissingExtraError, Notice, UsageError, note
from irev.jobs.plots.layout import (
    COLOURS,
    GREY,
    ROW_HEIGHT,
    SIZES,
    FigureLayout,
    drawn_label,
    figure_bytes,
    plot_style,
    series_style,
    short_labels,
    text_width_inches,
)
from irev.jobs.result import StudyResult
from irev.measures.families.average_precision import recall_level_measures
from irev.options import PREDICTED, Options, ScoringOptions
from irev.read.batches import sha256_of_input
from irev.read.stream import STDIN, sha256_of
from irev.scores.signature import SHORT_HASH, ComparisonSignature, Signature, options_part
from irev.scores.signature import comparison_signature as signed_scores
from irev.scores.table import ScoreTable
from irev.writers.document import run_facts, signature_data, signatures_data
from irev.writers.forms import html_text

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@record
class Plot(StudyResult):
    """A figure of runs: `plot()` draws it, and `to_frame()` is what it shows."""

    def _repr_html_(self) -> str:
        """The figure, for notebooks; without matplotlib what it shows, as a table."""
        try:
            page = figure_bytes(self.plot(), "svg").decode()
        except MissingExtraError as error:
            return f"<p>no figure: {html_text(str(error))}</p>\n{super()._repr_html_()}"
        return page[page.index("<svg") :]


def make_plot(
    name: str,
    table: ScoreTable,
    frame: pd.DataFrame,
    draw: DrawFigure,
    *notices: Notice,
    **choices: Any,
) -> Plot:
    """A plot of a table of scores.

    Args:
        name: what it is called on the command line.
        table: the scores.
        frame: what the figure shows.
        draw: draws the figure in a width.
        notices: what a reader must know beside what the scores tell.
        choices: what it depends on beside the scores, as JSON can hold it.
    """
    return Plot(
        name,
        parameters_of(table, **choices),
        {name: frame},
        (name,),
        {name: draw},
        (*notes_of(table), *notices),
        doubts=table.doubts,
    )


def topic_order(scores: TopicValues, topics: Sequence[str], sort: TopicOrder) -> list[int]:
    """The indices of topics in natural order, or by their values from the highest down."""
    by_id = sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))
    if sort == "topic":
        return by_id
    return sorted(by_id, key=lambda index: -scores[index])


# --- What each figure of runs is asked for ---

SECTION = "Options of the plot"
SORT = Opt(
    "--sort",
    section=SECTION,
    help="Order of the topics: by id (topic; 2 before 10) or by value, highest first (value).",
)
TopicOrder = Literal["topic", "value"]
HIGHLIGHT = Opt(
    "--highlight",
    metavar="RUN",
    section=SECTION,
    help="Run to draw in colour, the others in grey; may be repeated, up to 8 times. By default "
    "up to 8 runs are all in colour, and of more only the best.",
)


class PlotOptions(ScoringOptions):
    """The choices of every figure; none has a place for classes and weights of topics."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)


class RecallPrecisionOptions(PlotOptions):
    """Which topic is shown, and how precision is interpolated."""

    without: ClassVar[Sequence[str]] = ("defaults",)

    recall_rule: Annotated[Literal["ge", "band", "te9", "te10"], Opt(
        "--recall-rule", section=SECTION,
        help="Which points count for a recall level: recall at least the level (ge), up to a tenth "
        "above it (band), or level * R rounded as trec_eval 9 (te9) or 10 (te10) does.",
    )] = "ge"  # fmt: skip
    """Which points serve a recall level."""
    topic: Annotated[
        bytes | str | None,
        Opt("-t", "--topic", metavar="TOPIC", section=SECTION, help="Topic to show."),
    ] = None
    """The topic; None: the mean over all of them."""
    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The runs, and what a curve is made of."""
        levels = recall_level_measures(self.recall_rule)
        at_ranks = ("P", "recall") if self.topic is None else ()
        return runs, ("num_ret", "map", "Rprec", *levels, *at_ranks)

    def evaluation(self) -> Options:
        """Of the topic alone, where one is shown."""
        return self.base_record(Options).replace(only_topic=self.topic)


class PerTopicOptions(PlotOptions):
    """How topics stand in the figure, and which runs have bars."""

    sort: Annotated[TopicOrder, SORT] = "topic"
    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()


class MedianOptions(PlotOptions):
    """Which run is shown, and how topics stand in the figure."""

    run: Annotated[str | None, Opt(
        "--run", metavar="NAME", section=SECTION,
        help="Run to show, by the name of its file, as rm3.run.  [required]",
    )] = None  # fmt: skip
    sort: Annotated[TopicOrder, SORT] = "topic"

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The same, if it is said which run is shown."""
        if self.run is None:
            raise UsageError("name the run to show, as in --run rm3.run")
        return runs, measures


class ScatterOptions(PlotOptions):
    """Which of the two runs is across."""

    x: Annotated[str | None, Opt(help="Run whose values are across, by its name or path.")] = None
    """The run whose values are across; None: the one that was given first."""

    def scored_inputs(self, runs: Any, measures: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """The same, unless there are too many runs to score them for nothing."""
        if isinstance(runs, list | tuple | Mapping) and len(runs) > 2:
            raise UsageError(two_runs_text(len(runs)))
        return runs, measures


def two_runs_text(num_runs: int) -> str:
    """What is wrong with any other number of runs."""
    return f"scatter draws two runs, {num_runs} given: name two, or use per-topic"


class CutoffsOptions(PlotOptions):
    """The choices of the figure of means at cutoffs."""

    default_measures: ClassVar[tuple[str, ...]] = ("P", "recall", "ndcg_cut")

    highlight: Annotated[Sequence[str], HIGHLIGHT] = ()


class DistributionOptions(PlotOptions):
    """The choices of the figure of scores over topics."""


class TieRangesOptions(PlotOptions):
    """Whether topics are shown."""

    per_topic: Annotated[bool, Opt(
        "--per-topic", section=SECTION,
        help="Show the runs' values by topic instead of their means.",
    )] = False  # fmt: skip
    highlight: Annotated[
        Sequence[str],
        HIGHLIGHT.replace(
            help="With --per-topic: run to draw in colour, the others in grey; may be repeated, up "
            "to 8 times."
        ),
    ] = ()

    def evaluation(self) -> Options:
        """With the ends of the ranges."""
        return self.base_record(Options).replace(tie_range=True)


# --- What the results of studies and plots are made of, and the notes that all of them have ---


def run_names(table: ScoreTable) -> list[str]:
    """The runs' names as tables can hold them: bytes that are no UTF-8 are escaped."""
    return [escape_non_utf8(name) for name in table.run_names]


def topic_names(table: ScoreTable) -> list[str]:
    """The topics likewise."""
    return [escape_non_utf8(topic) for topic in table.topics]


def parameters_of(table: ScoreTable, **choices: Any) -> dict[str, Any]:
    """What a figure depends on, as JSON can hold it: runs, how they were scored, choices."""
    return {
        "measures": list(table.measure_names),
        **choices,
        "averaged_over": len(table.topics),
        "missing_count_as_zero": table.counts_missing_as_zero,
        "runs": [run_facts(entry) for entry in table.runs],
        "signature": signature_data(signed_scores(table, choices)),
    }


def notes_of(table: ScoreTable) -> tuple[Notice, ...]:
    """Over how many topics a figure is, and which of them runs lack."""
    return (
        note(f"over {table.topics_text}"),
        *(notice for notice in table.warnings if notice.kind == GENERAL_NOTE),
        *table.missing_topic_warnings,
    )


def input_label(source: Any) -> str:
    """How an input is called where a study says what it rests on."""
    is_path = isinstance(source, str) or hasattr(source, "__fspath__")
    return escape_non_utf8(str(source)) if is_path else "(in memory)"


_ELSEWHERE = (
    "measures",
    "level",
    "qrels",
    "run",
    "runs",
    "original",
    "new",
    "other runs",
    "format",
    "signature",
    "averaged_over",
    "missing_count_as_zero",
)
"""Parameters that stand in other parts of a signature."""

_LONG = 60
"""A choice with more characters stands as its hash in the short form."""


def add_signature(
    result: StudyResult,
    definitions: Mapping[str, str],
    options: Options,
    *,
    qrels: Sequence[Input] = (),
    runs: Sequence[Input] = (),
    qrels_format: str = "qrels",
    divisor: int | None = None,
) -> StudyResult:
    """The outcome with its signature among the parameters, as `signature`.

    Args:
        result: the outcome of a study of judgments and runs themselves.
        definitions: of the measures: printed name -> irev's own name with all parameters.
        options: the choices that define an evaluation.
        qrels: the judgments, as `irev.evaluate` takes them; standard input has no hash.
        runs: the runs, likewise.
        qrels_format: of the judgments.
        divisor: over how many topics the means are; None: there are no such means.
    """
    first, *more = [_input_hash(each) for each in qrels] or [None]
    shared = Signature(
        __version__,
        definitions,
        options_part(options, qrels_format),
        first,
        files={f"qrels {place}": each for place, each in enumerate(more, 2)},
        divisor=divisor,
    )
    hashes = {input_label(run): _input_hash(run) for run in runs}
    return _put_signatures(result, [ComparisonSignature(shared, hashes, _signed_choices(result))])


def add_score_signatures(result: StudyResult, *tables: ScoreTable) -> StudyResult:
    """The same of a study of scores, with what makes these doubtful.

    Under several judgments there is a signature for each.
    """
    choices = _signed_choices(result)
    doubts = tuple(doubt for table in tables for doubt in table.doubts)
    signatures = [signed_scores(table, choices) for table in tables]
    return _put_signatures(replace(result, doubts=doubts), signatures)


def _put_signatures(result: StudyResult, signatures: Sequence[ComparisonSignature]) -> StudyResult:
    parameters = {**result.parameters, "signature": signatures_data(signatures)}
    return replace(result, parameters=parameters)


def _signed_choices(result: StudyResult) -> dict[str, Any]:
    choices: dict[str, Any] = {"study": result.name}
    for name, value in result.parameters.items():
        if name not in _ELSEWHERE:
            text = str(value)
            hashed = f"@{sha256_of(text.encode())[:SHORT_HASH]}"
            choices[name] = value if len(text) <= _LONG else hashed
    return choices


def _input_hash(source: Input) -> str | None:
    """SHA-256 of an input, as scores are signed by it; None where it cannot be read once more."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source)
    if path == STDIN or not (os.path.isfile(path) or os.path.isdir(path)):
        return None
    return sha256_of_input(path)


# --- Figures of several studies: curves, squares of values, runs as points ---


_FEW, _FEW_OF_PAIRS = 40, 25
"""Where a line has more points, there are no markers; in panels side by side."""

_MOST_NAMED = 20
"""The points of more runs have no names: few would find room."""


def curves_figure(
    table: pd.DataFrame,
    *,
    x_column: str,
    y_column: str,
    series_column: str,
    axes_labels: tuple[str, str],
    has_zero_line: bool = False,
    is_stepped: bool = False,
    width: FigureWidth = "page",
) -> Figure:
    """A line for each value of a column, in the order of the table.

    Args:
        table: a line for each point.
        x_column: the column of the horizontal axis.
        y_column: the column of the vertical axis.
        series_column: the column that names the series.
        axes_labels: what the axes say.
        has_zero_line: whether a line is drawn at 0.
        is_stepped: whether a value holds up to the next point.
        width: of the figure.
    """
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.6)
        (axes,) = layout.panels
        if has_zero_line:
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        groups = list(table.groupby(series_column, sort=False))
        has_markers = all(len(points) <= _FEW for _, points in groups)
        for series_index, (name, points) in enumerate(groups):
            look = series_style(series_index)
            look["drawstyle"] = "steps-post" if is_stepped else "default"
            if not has_markers:
                look["marker"] = ""
            axes.plot(points[x_column], points[y_column], label=drawn_label(str(name)), **look)
        if table[x_column].dtype.kind == "i":
            # there is no rank 2.5
            layout.count_by(axes, "x")
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        layout.set_panel_legend()
        return layout.finish()


def matrix_figure(
    table: pd.DataFrame,
    value_column: str,
    *,
    value_label: str,
    text_column: str | None = None,
    decimals: int = 3,
    axes_labels: tuple[str, str] = ("", ""),
    width: FigureWidth = "page",
) -> Figure:
    """A coloured cell for each line of a table; its first two columns name the row and the column.

    Args:
        table: one line for each cell, row by row.
        value_column: the column that is drawn, which may be NaN.
        value_label: what the values are.
        text_column: the column that is written into the cells, if there is room; None: the value.
        decimals: decimals of the values.
        axes_labels: what the axes say.
        width: of the figure.
    """
    names = list(dict.fromkeys(table.iloc[:, 0]))
    index_of_name = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    rows = [index_of_name[name] for name in table.iloc[:, 0]]
    columns = [index_of_name[name] for name in table.iloc[:, 1]]
    cells[rows, columns] = table[value_column]
    if text_column is None:
        cell_texts = [
            "" if np.isnan(each) else f"{each:.{decimals}f}"
            for each in table[value_column].tolist()
        ]
        # the scale begins where cells can be told apart
        low = 0.0
        if np.isfinite(cells).any():
            low = min(0.9, math.floor(10.0 * float(np.nanmin(cells))) / 10.0)
    else:
        cell_texts, low = [str(each) for each in table[text_column]], 0.0
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=None)
        (axes,) = layout.panels
        axes.grid(visible=False)
        image = axes.imshow(
            np.ma.masked_invalid(cells), cmap="cividis", vmin=low, vmax=1.0, aspect="auto"
        )
        size = 7.0 * layout.scale if width == "slide" else 7.0
        widest = max(text_width_inches(text, size) for text in cell_texts)
        for row, column, word in zip(rows, columns, cell_texts, strict=True):
            is_dark = cells[row, column] < low + 0.55 * (1.0 - low)
            colour = "white" if is_dark else "black"
            layout.write_in_cell_if_all_fit(axes, column, row, word, colour, size, widest)
        labels = [drawn_label(str(name)) for name in names]
        layout.name_ticks(axes, "x", range(len(names)), labels)
        layout.name_ticks(axes, "y", range(len(names)), labels)
        axes.set_xlabel(axes_labels[0])
        axes.set_ylabel(axes_labels[1])
        layout.add_colour_bar(axes, image, value_label)
        return layout.finish()


def run_means_scatter_figure(
    table: pd.DataFrame,
    tau_by_measures: Mapping[tuple[str, str], float],
    *,
    has_diagonal: bool = False,
    width: FigureWidth = "page",
) -> Figure:
    """A point for each run: its mean under one measure across, under another upwards.

    `tau_by_measures`: tau_b of each two measures. `has_diagonal`: whether both are of one unit, so
    that equal means lie on a line.
    """
    groups = list(table.groupby(["measure", "with"], sort=False))
    labels, left_out = short_labels(list(dict.fromkeys(table["run"])))
    with plot_style(width):
        layout = FigureLayout(len(groups), width=width, height=None)
        for panel, ((x_measure, y_measure), points) in zip(layout.panels, groups, strict=True):
            panel.plot(
                points["x"],
                points["y"],
                linestyle="none",
                marker="o",
                markersize=4.0,
                color=COLOURS[0],
                markeredgecolor="white",
                markeredgewidth=0.5,
            )
            panel.margins(0.12)
            panel.set(xlim=panel.get_xlim(), ylim=panel.get_ylim())
            if len(points) <= _MOST_NAMED:
                names = [labels[run] for run in points["run"]]
                layout.name_points(panel, points["x"].tolist(), points["y"].tolist(), names)
            if has_diagonal:
                low = max(panel.get_xlim()[0], panel.get_ylim()[0])
                high = min(panel.get_xlim()[1], panel.get_ylim()[1])
                panel.plot([low, high], [low, high], color="#888888", linewidth=0.8, zorder=1)
            panel.set_title(f"tau b = {tau_by_measures[str(x_measure), str(y_measure)]:.3f}")
            panel.set_xlabel(f"mean {drawn_label(str(x_measure))}")
            panel.set_ylabel(f"mean {drawn_label(str(y_measure))}")
        layout.add_sentence(left_out)
        return layout.finish()


def measure_lines_by_gains_figure(
    table: pd.DataFrame,
    x_column: str,
    y_column: str,
    finish_panel: Callable[[FigureLayout, Axes, pd.DataFrame], None],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """A panel for each definition of gains, a line for each measure."""
    if "gains" not in table:
        table = table.assign(gains="")
    measures = list(dict.fromkeys(table["measure"]))
    with plot_style(width):
        groups = list(table.groupby("gains", sort=False))
        layout = FigureLayout(len(groups), width=width, height=2.4, panel_width=2.4)
        for panel, (gains, points) in zip(layout.panels, groups, strict=True):
            for series_index, measure in enumerate(measures):
                line = points[points["measure"] == measure]
                look = series_style(series_index)
                if len(line) > _FEW_OF_PAIRS:
                    look["marker"] = ""
                panel.plot(line[x_column], line[y_column], label=drawn_label(measure), **look)
            finish_panel(layout, panel, points)
            if gains:
                panel.set_title(f"gains {drawn_label(str(gains))}")
        layout.set_panel_legend()
        return layout.finish()


# --- Which runs a figure tells apart, where it has more than eight ---


MOST_TOLD_APART = len(COLOURS)
"""Runs that have a colour and a mark of their own."""


class Highlights(NamedTuple):
    """The runs of a figure: those that are told apart, and the others."""

    names: tuple[str, ...]
    """Of the runs that are told apart, in the order of the figure."""
    looks: tuple[int, ...]
    """The numbers of their looks: their places among all runs as given, but no two alike."""
    others: tuple[str, ...]
    """Of those that are drawn in grey."""
    notes: tuple[Notice, ...]
    """What is said of the choice; none where all runs are told apart."""

    def style_of(self, name: str) -> dict[str, Any]:
        """How a run that is told apart is drawn."""
        return series_style(self.looks[self.names.index(name)])

    def look_of(self, name: str) -> dict[str, Any]:
        """How the series of a run is drawn."""
        if name in self.names:
            return {**self.style_of(name), "zorder": 3}
        return {"color": GREY, "linestyle": "-", "marker": "", "linewidth": 0.6, "zorder": 1.5}

    @property
    def others_label(self) -> str:
        """What the legend says of the others."""
        return count_text(len(self.others), "other run")


def highlight_runs(table: ScoreTable, highlight: Sequence[str], measure: str) -> Highlights:
    """Tell the named runs apart; where none is named all of up to eight, and of more the best.

    Args:
        table: the scores, the runs in the order in which they were given.
        highlight: names, paths or tags of runs.
        measure: what the best run is best by.
    """
    names = run_names(table)
    if not highlight and len(names) <= MOST_TOLD_APART:
        return Highlights(tuple(names), tuple(range(len(names))), (), ())
    if highlight:
        indices = list(dict.fromkeys(table.run_index(name) for name in highlight))
        reason = "as --highlight says"
    else:
        indices = [int(np.argmax(table.merit(measure)))]
        reason = f"the best by {measure}; --highlight RUN names others"
    if len(indices) > MOST_TOLD_APART:
        raise UsageError(
            f"a figure tells {MOST_TOLD_APART} runs apart, not {len(indices)}: --highlight fewer"
        )
    told_apart = tuple(names[index] for index in indices)
    others = tuple(name for index, name in enumerate(names) if index not in indices)
    looks: dict[int, int] = {}
    for index in sorted(indices):
        look = index % MOST_TOLD_APART
        while look in looks.values():
            look = (look + 1) % MOST_TOLD_APART
        looks[index] = look
    numbers = tuple(looks[index] for index in indices)
    if not others:
        return Highlights(told_apart, numbers, (), ())
    text = f"drawn in colour: {', '.join(told_apart)} ({reason}); in grey: {len(others)} more"
    return Highlights(told_apart, numbers, others, (note(text),))


# --- Panels with a row for each run, whose names stand once, at the left ---


BEST_ABOVE = "runs by the mean of the first measure, the best above"
_FEW_ROWS_HEIGHT, _HIGHEST_ROW = 1.3, 0.34
"""Inches that the rows of few runs fill, and of the highest row."""


def runs_best_first(table: ScoreTable) -> list[str]:
    """The names of the runs by the mean of the first measure; equal ones by their names."""
    order = np.argsort(-table.merit(table.measure_names[0]), kind="stable")
    names = run_names(table)
    return [names[index] for index in order]


def run_rows_layout(
    num_panels: int, row_names: Sequence[str], width: FigureWidth, *, panel_width: float = 1.5
) -> FigureLayout:
    """Panels side by side whose rows, from the top down, have these names."""
    num_rows = len(row_names)
    row = max(ROW_HEIGHT, min(_HIGHEST_ROW, _FEW_ROWS_HEIGHT / num_rows))
    layout = FigureLayout(
        num_panels,
        width=width,
        height=row * num_rows,
        panel_width=panel_width,
        shared_names=row_names,
    )
    for panel in layout.panels:
        layout.name_ticks(panel, "y", range(num_rows), row_names)
        panel.set_ylim(num_rows - 0.5, -0.5)
    return layout


# --- Topics side by side: on one axis, or in several rows where they are many ---


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
    panel: Axes,
    places: npt.NDArray[Any],
    is_missing: Sequence[bool],
    colour: str,
    heights: npt.NDArray[Any] | None = None,
) -> None:
    """A cross at each place of a topic that a run lacks, at 0 if there are no heights."""
    lacks = np.asarray(is_missing, dtype=bool)
    if lacks.any():
        panel.plot(
            places[lacks],
            np.zeros(int(lacks.sum())) if heights is None else heights[lacks],
            linestyle="none",
            marker="x",
            color=colour,
            zorder=4,
            clip_on=False,
            label="_missing",
        )


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
    places = np.arange(len(values))
    face_colours, edge_widths = np.where(lacks, "white", colours), np.where(lacks, 0.6, 0.0)
    panel.bar(places, values, 0.75, color=face_colours, edgecolor=colours, linewidth=edge_widths)
    mark_missing(panel, places, is_missing, "black", values)
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
