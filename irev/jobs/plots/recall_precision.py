"""Recall-precision curves, measures against their cutoffs, and the sheets of runs as a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.arrays import TopicValues
from irev.core.job import FigureWidth, job
from irev.core.judged import Input
from irev.core.text import as_bytes, as_text, count_text, escape_non_utf8, escaped_bytes
from irev.engine.evaluate import RunEvaluator
from irev.engine.score_runs import judged_table, score_runs
from irev.errors import UsageError
from irev.jobs.explain.topic import ranked_topic
from irev.jobs.plots.by_topic import MEDIAN_COLUMNS, difference_rows, median_figure
from irev.jobs.plots.layout import (
    FigureLayout,
    check_panel_count,
    drawn_label,
    figure_bytes,
    plot_style,
    series_style,
    set_unit_axis,
    short_labels,
)
from irev.jobs.plots.plot import (
    CutoffsOptions,
    Highlights,
    Plot,
    RecallPrecisionOptions,
    highlight_runs,
    make_plot,
    run_names,
)
from irev.jobs.score_job import score_job
from irev.measures.families.average_precision import RECALL_LEVELS, recall_level_measures
from irev.measures.shared import STANDARD_CUTOFFS
from irev.read.inputs import given_runs
from irev.scores.scores import MISSING_TOPIC, Scores
from irev.scores.table import ScoreTable
from irev.writers.forms import html_text
from irev.writers.scores import SheetSection, sheet_notes, sheet_sections
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# --- Recall and precision: the points themselves, and interpolated at eleven levels ---


COLUMNS = ("run", "what", "rank", "recall", "precision")
POINT, LINE, BREAK_EVEN, AREA = "point", "interpolated", "break-even", "average precision"

RankRecallPrecision: TypeAlias = tuple[int, float, float]
"""Rank, recall, precision."""


@job(RecallPrecisionOptions)
def recall_precision(qrels: Input, runs: Input = (), *, options: RecallPrecisionOptions) -> Plot:
    """Draw recall-precision curves of runs, as means over all judged topics or for one topic.

    The line is interpolated precision at the recall levels 0.0, 0.1, ... 1.0: by default
    the highest at any rank with at least that recall. The points are recall and precision at each
    relevant document of the topic; over all topics they are the means at the ranks 5, 10, 15, 20,
    30, 100, ... as far down as the longest ranking goes. The break-even point is R-precision, where
    both are equal.

    Args:
        qrels: judgments, as `irev.evaluate` takes them; or a table of scores that has all measures
            of a curve: num_ret, map, Rprec, precision at the recall levels, P and recall.
        runs: runs: a list, a mapping by name, a path with wildcards.
        options: the record `RecallPrecisionOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has run, what (point, interpolated, break-even or average
        precision), rank, recall and precision.

    Raises:
        UsageError: an option that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: there is no such topic.

    Of more than eight runs the best is in colour, or those of `highlight`.

    Source: Salton and McGill 1983, Introduction to Modern Information Retrieval.
    """
    import pandas as pd

    if isinstance(qrels, ScoreTable):
        table = judged_table(qrels, runs, (), options.evaluation())
    else:
        table = score_runs(qrels, runs, (), options)
    table = table.in_given_order()
    topic_id = None if options.topic is None else as_bytes(options.topic)
    find_points = (
        _mean_points_at_cutoffs
        if topic_id is None
        else _topic_points_function(qrels, runs, topic_id, options)
    )
    levels = recall_level_measures(options.recall_rule)
    rows: list[tuple[Any, ...]] = []
    for run_index, name in enumerate(run_names(table)):
        rows += [(name, POINT, *point) for point in find_points(table, run_index)]
        precisions, (r_precision, average_precision) = (
            _mean_values(table, run_index, measures) for measures in (levels, ("Rprec", "map"))
        )
        rows += summary_rows(name, precisions, r_precision, average_precision)
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"rank": "Int64"})
    topic_label, point_label = None, "at rank 5, 10, 15, 20 ..."
    title = f"mean over {count_text(len(table.topics), 'topic')}"
    if topic_id is not None:
        topic_label, point_label = drawn_label(as_text(topic_id)), "at a relevant document"
        title = f"topic {topic_label}"
    highlights = highlight_runs(table, options.highlight, "map")
    draw = partial(curve_figure, frame, title, highlights, point_label=point_label)
    doubts = (doubt for doubt in table.doubts if doubt.kind != MISSING_TOPIC)
    plot = make_plot(
        "recall-precision", table, frame, draw, *highlights.notes, *doubts, topic=topic_label
    )
    # they stand below the notes
    return replace(plot, doubts=())


def _mean_values(table: ScoreTable, run_index: int, measures: Sequence[str]) -> list[float]:
    return [float(table.means(measure)[run_index]) for measure in measures]


def summary_rows(
    run_name: str, precisions: list[float], r_precision: float, average_precision: float
) -> list[tuple[Any, ...]]:
    """Rows of `COLUMNS`: precision at the recall levels, R-precision, average precision."""
    rows: list[tuple[Any, ...]] = [
        (run_name, LINE, None, level, value)
        for level, value in zip(RECALL_LEVELS, precisions, strict=True)
    ]
    rows.append((run_name, BREAK_EVEN, None, r_precision, r_precision))
    return [*rows, (run_name, AREA, None, np.nan, average_precision)]


def _mean_points_at_cutoffs(table: ScoreTable, run_index: int) -> list[RankRecallPrecision]:
    """(rank, mean recall, mean precision) at trec_eval's ranks, as deep as any ranking goes."""
    ranks = [rank for rank in STANDARD_CUTOFFS if rank <= table.scores("num_ret").max()]
    recall = _mean_values(table, run_index, [f"recall_{rank}" for rank in ranks])
    precision = _mean_values(table, run_index, [f"P_{rank}" for rank in ranks])
    return list(zip(ranks, recall, precision, strict=True))


def _topic_points_function(
    qrels: Input, runs: Input, topic_id: bytes, options: RecallPrecisionOptions
) -> Callable[[ScoreTable, int], list[RankRecallPrecision]]:
    """What finds (rank, recall, precision) at each relevant document of a topic, of each run."""
    evaluation = options.evaluation()
    if evaluation.several_orders:
        raise UsageError(
            "a curve of one topic needs one order of tied documents: use another --ties"
        )
    if isinstance(qrels, ScoreTable):
        raise UsageError("the curve of a topic needs judgments and runs, not a table of scores")
    evaluator = RunEvaluator(qrels, ["map"], evaluation, qrels_format=options.qrels_format)
    ranking = evaluation.ranking_rule(options.qrels_format)
    sources = given_runs(runs, options.own_columns).sources

    def points(table: ScoreTable, run_index: int) -> list[RankRecallPrecision]:
        run = table.runs[run_index]
        if topic_id in run.missing:
            return []
        if run.path == "-":
            raise UsageError(
                "the curve of a topic reads the run twice: give a file, not standard input (-)"
            )
        ranked, _ = ranked_topic(sources[run.input_index], evaluator, topic_id, ranking)
        if len(ranked.grade) > 1:
            raise UsageError(
                f"topic {drawn_label(as_text(topic_id))} has several groups of judgments, so it "
                "has no single curve"
            )
        ranks = np.flatnonzero(ranked.grade[0] >= evaluation.level) + 1
        num_relevant = np.count_nonzero(ranked.ideal[0] >= evaluation.level)
        num_found = np.arange(1, len(ranks) + 1)
        recall, precision = num_found / num_relevant, num_found / ranks
        return list(zip(ranks.tolist(), recall.tolist(), precision.tolist(), strict=True))

    return points


def curve_figure(
    frame: pd.DataFrame,
    title: str,
    highlights: Highlights,
    *,
    point_label: str = "",
    width: FigureWidth = "page",
) -> Figure:
    """The figure of the rows of `recall_precision`.

    Args:
        frame: rows of the columns `COLUMNS`.
        title: what stands above it.
        highlights: which runs are told apart; none: a run alone, which the legend does not name.
        point_label: what the points are.
        width: of the figure.
    """
    names = list(dict.fromkeys(frame["run"]))
    labels, left_out = short_labels(names)
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=None)
        (axes,) = layout.panels
        axes.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.8, zorder=1)
        told_apart = highlights.names or names
        for name in (*highlights.others, *told_apart):
            rows = frame[frame["run"] == name]
            line_rows, point_rows, break_even_row, area_row = (
                rows[rows["what"] == kind] for kind in (LINE, POINT, BREAK_EVEN, AREA)
            )
            if name in highlights.others:
                axes.plot(
                    line_rows["recall"],
                    line_rows["precision"],
                    **highlights.look_of(name),
                    label=highlights.others_label,
                )
                continue
            line_style = highlights.style_of(name) if highlights.names else series_style(0)
            area_text = f"AP {float(area_row['precision'].iloc[0]):.4f}"
            (handle,) = axes.plot(
                line_rows["recall"], line_rows["precision"], **line_style, label=name
            )
            layout.add_legend_entry(
                handle, f"{labels[name]}: {area_text}" if highlights.names else area_text
            )
            point_style = {
                **line_style,
                "linestyle": "none",
                "markerfacecolor": "white",
                "markersize": 3.5,
            }
            axes.plot(point_rows["recall"], point_rows["precision"], **point_style, label="_points")
            axes.plot(
                break_even_row["recall"],
                break_even_row["precision"],
                linestyle="none",
                marker="*",
                markersize=10,
                color=line_style["color"],
                markeredgecolor="black",
                markeredgewidth=0.6,
                zorder=4,
                label="_break-even",
            )
        if highlights.others:
            layout.add_legend_entry(axes.get_lines()[1], highlights.others_label)
        # what the marks mean, whatever the run
        if point_label and (frame["what"] == POINT).any():
            (point,) = axes.plot(
                [], [], linestyle="none", marker="o", color="black", markerfacecolor="white"
            )
            layout.add_legend_entry(point, point_label)
        (star,) = axes.plot([], [], linestyle="none", marker="*", markersize=8, color="black")
        layout.add_legend_entry(star, "break-even (R-precision)")
        axes.set(xlabel="recall", ylabel="precision", title=title)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        layout.add_sentence(left_out)
        return layout.finish()


# --- A measure against its cutoff ---


_CUTOFF = re.compile(r"(.+)[_@.]([0-9]+)")
_WIDE = 20
"""Where the last cutoff is so many times the first, the axis is logarithmic."""


@score_job(CutoffsOptions)
def cutoffs(table: ScoreTable, options: CutoffsOptions) -> Plot:
    """Draw the mean of measures at each of their cutoffs: a line for each run.

    Of more than eight runs the best by the first measure is in colour, or those of `highlight`.

    Args:
        table: the scores.
        options: the record `CutoffsOptions`, whose fields are keywords, too.

    Returns:
        The figure. `to_frame()` has measure, cutoff, run and mean.

    Raises:
        UsageError: an option that makes no sense here; a measure without a cutoff.
        InputError: an input that cannot be read.
    """
    import pandas as pd

    table = table.in_given_order()
    rows: list[tuple[str, int, str, float]] = []
    for column in table.columns:
        match = _CUTOFF.fullmatch(column.name)
        if match is None or column.average != "mean":
            raise UsageError(f"{column.name} has no cutoff: measures such as P, nDCG@5,10 have")
        means = table.means(column.name).tolist()
        rows += [
            (match[1], int(match[2]), name, mean)
            for name, mean in zip(run_names(table), means, strict=True)
        ]
    frame = pd.DataFrame(rows, columns=["measure", "cutoff", "run", "mean"])
    index_of_measure = {name: index for index, name in enumerate(dict.fromkeys(frame["measure"]))}
    check_panel_count(len(index_of_measure))
    order = np.lexsort((frame["cutoff"], frame["measure"].map(index_of_measure)))
    frame = frame.iloc[order].reset_index(drop=True)
    caption = f"Mean over {count_text(len(table.topics), 'topic')}."
    highlights = highlight_runs(table, options.highlight, table.measure_names[0])
    draw = partial(cutoffs_figure, frame, highlights, caption)
    return make_plot("cutoffs", table, frame, draw, *highlights.notes)


def cutoffs_figure(
    frame: pd.DataFrame, highlights: Highlights, caption: str, *, width: FigureWidth = "page"
) -> Figure:
    """The figure of the rows of `cutoffs`."""
    measures = list(dict.fromkeys(frame["measure"]))
    labels, left_out = short_labels(list(dict.fromkeys(frame["run"])))
    with plot_style(width):
        layout = FigureLayout(len(measures), width=width, height=1.9)
        for panel, measure in zip(layout.panels, measures, strict=True):
            rows = frame[frame["measure"] == measure]
            for name in (*highlights.others, *highlights.names):
                line = rows[rows["run"] == name]
                is_other = name in highlights.others
                label = highlights.others_label if is_other else labels[name]
                panel.plot(line["cutoff"], line["mean"], **highlights.look_of(name), label=label)
            ranks = sorted(set(rows["cutoff"]))
            if ranks[-1] >= _WIDE * ranks[0]:
                panel.set_xscale("log")
            layout.number_ticks(panel, "x", ranks)
            set_unit_axis(panel, "y", rows["mean"].to_numpy())
            panel.set_xlabel("cutoff k (rank)")
            panel.set_ylabel(f"{measure}@k")
        layout.set_panel_legend(last=highlights.others_label)
        layout.add_sentence(caption)
        layout.add_sentence(left_out)
        return layout.finish()


# --- The summary sheets of runs as one HTML page, with their plots ---


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #111; background: #fff; margin: 2rem auto;
  max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; border-top: 2px solid #111; padding-top: .8rem;
  margin-top: 2.2rem; overflow-wrap: anywhere; } h3 { font-size: .95rem; margin: 1rem 0 .3rem; }
.sheet { display: flex; flex-wrap: wrap; gap: 0 2.5rem; } .sheet > div { flex: 1 1 20rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .1rem .3rem; border-bottom: 1px solid #ddd;
  overflow-wrap: anywhere; }
th { font-weight: 600; } td:last-child, th:last-child { text-align: right; }
figure { margin: 1rem 0 0; } figcaption { font-size: .85rem; color: #444; }
svg { max-width: 100%; height: auto; } .note { font-size: .85rem; color: #444;
  overflow-wrap: anywhere; }
@media print { section { break-after: page; } }
"""

_ID = re.compile(r'(\bid="|url\(#|href="#)')
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def write_sheet_page(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """One page: for each run its sheet and its recall-precision curve.

    If there are several runs, also its difference from their median by topic.
    """
    pages = [_run_section(results, number, layout) for number in range(len(results))]
    title = "Summary sheet" if len(results) == 1 else f"Summary sheets of {len(results)} runs"
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{''.join(pages)}</body>\n</html>\n"
    )
    yield escaped_bytes(page)


def _run_section(results: Sequence[ScoredFile], run_index: int, layout: ScoreLayout) -> str:
    result = results[run_index]
    sections = sheet_sections(result, layout)
    columns = (sections[:2] + sections[3:4], sections[2:3], sections[4:])
    tables = "".join(f"<div>{''.join(map(_section_table, column))}</div>\n" for column in columns)
    figures = _figure_element(
        recall_precision_figure(result, layout.recall_rule),
        f"r{run_index}c-",
        "Recall-precision curve: the averages at the recall levels above, and the break-even point "
        "(R-precision).",
    )
    if len(results) > 1:
        figures += _figure_element(
            median_difference_figure(results, run_index),
            f"r{run_index}d-",
            f"Difference from the median in average precision, by topic. The median is of all "
            f"{count_text(len(results), 'run')}, including this one; a topic that a run lacks "
            "counts as 0.",
        )
    notes = "".join(
        f'<p class="note">{escape(line)}</p>\n'
        for line in sheet_notes(result.scores, layout.recall_rule)
    )
    name = html_text(result.place)
    sheet = f'<div class="sheet">\n{tables}</div>\n'
    return f"<section>\n<h2>{name}</h2>\n{sheet}{figures}{notes}</section>\n"


def _section_table(section: SheetSection) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in section.heads)
    head = f"<thead><tr>{heads}</tr></thead>" if section.heads[1] else ""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in section.rows
    )
    return f"<h3>{escape(section.title)}</h3><table>{head}<tbody>{rows}</tbody></table>"


def _figure_element(figure: Figure, id_prefix: str, caption: str) -> str:
    """A figure as an element of a page; its ids begin with the prefix, unlike any other's."""
    svg = figure_bytes(figure, "svg").decode()
    svg = _METADATA.sub("", svg[svg.index("<svg") :])
    svg = _ID.sub(rf"\g<1>{id_prefix}", svg)
    return f"<figure>\n{svg}<figcaption>{escape(caption)}</figcaption>\n</figure>\n"


def recall_precision_figure(result: ScoredFile, recall_rule: str) -> Figure:
    """The recall-precision curve of a sheet's own averages."""
    import pandas as pd

    values, run_label = result.scores.summary(), drawn_label(result.name)
    precisions = [float(values[name]) for name in recall_level_measures(recall_rule)]
    rows = summary_rows(run_label, precisions, float(values["Rprec"]), float(values["map"]))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    title = f"{run_label}: mean over {count_text(result.scores.divisor, 'topic')}"
    return curve_figure(table, title, Highlights((), (), (), ()))


def median_difference_figure(results: Sequence[ScoredFile], run_index: int) -> Figure:
    """The difference of a run's average precision from the median of all runs, by topic."""
    import pandas as pd

    # the topics of the averages, and the judged ones that the runs lack
    topic_ids = sorted(
        {
            topic_id
            for result in results
            for topic_id in (*result.scores.topics, *result.scores.account.missing)
        }
    )
    values = np.stack([_average_precisions(result.scores, topic_ids) for result in results], axis=1)
    names = [escape_non_utf8(topic_id) for topic_id in topic_ids]
    rows = difference_rows("AP", names, values, run_index)
    table = pd.DataFrame(rows, columns=list(MEDIAN_COLUMNS))
    run_label = drawn_label(results[run_index].name)
    title = f"{run_label} against the median of all {count_text(len(results), 'run')}"
    missing = set(map(escape_non_utf8, results[run_index].scores.account.missing))
    return median_figure(table, title, missing)


def _average_precisions(scores: Scores, topic_ids: Sequence[bytes]) -> TopicValues:
    """Average precision by topic, 0 where the run has none."""
    column = [score_column.name for score_column in scores.columns].index("map")
    value_of_topic = dict(zip(scores.topics, scores.values[:, column].tolist(), strict=True))
    return np.array([value_of_topic.get(topic_id, 0.0) for topic_id in topic_ids])
