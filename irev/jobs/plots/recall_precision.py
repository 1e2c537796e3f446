"""Recall-precision curves: the points themselves, and interpolated at eleven levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.text import as_text
from irev.engine.evaluator import Evaluator
from irev.engine.score_runs import default_options, score_runs
from irev.errors import UsageError
from irev.jobs.explain.topic import ranked_topic
from irev.jobs.plots.outcome import plotted, run_names
from irev.jobs.plots.style import label, legend, new_figure, series, style
from irev.jobs.study_result import StudyResult
from irev.measures.families.interpolation import RECALL_LEVELS, recall_level_measures
from irev.measures.shared_options import STANDARD_CUTOFFS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.model import Input
    from irev.engine.score_runs import NameSource
    from irev.options import Options
    from irev.scores.table import ScoreTable

COLUMNS = ("run", "what", "rank", "recall", "precision")
POINT, LINE, EVEN, AREA = "point", "interpolated", "break-even", "average precision"

_EVEN, _AREA = ("Rprec",), ("map",)

Point: TypeAlias = tuple[int, float, float]
"""Rank, recall, precision."""


def recall_precision(
    qrels: Input,
    runs: Sequence[str],
    options: Options | None = None,
    *,
    format: str = "qrels",
    names: NameSource = "file",
    topic: bytes | None = None,
    rule: str = "ge",
) -> StudyResult:
    """Recall-precision curves of runs, as means over all judged topics or for one topic.

    The line is interpolated precision at the recall levels 0.0, 0.1, ... 1.0: by default
    the highest at any rank with at least that recall. The points are recall and precision at each
    relevant document of the topic; over all topics they are the means at the ranks 5, 10, 15, 20,
    30, 100, ... as far down as the longest ranking goes. The break-even point is R-precision, where
    both are equal.

    Args:
        qrels: judgments, as for `irev.evaluate`.
        runs: paths of runs.
        options: the choices of the evaluation; every judged topic counts by default.
        format: what a qrels file holds.
        names: whether a run is called after its file or after its tag.
        topic: the topic; None: all of them.
        rule: which points serve a recall level, one of `RULES`.

    Returns:
        The table `recall-precision` (run; what: point, interpolated, break-even or average
        precision; rank; recall; precision) and the figure of it.

    Source: Salton and McGill 1983, Introduction to Modern Information Retrieval.
    """
    import pandas as pd

    options = options or default_options()
    at_levels = recall_level_measures(rule)
    measures = ["num_ret", *_AREA, *_EVEN, *at_levels]
    if topic is None:
        measures += ["P", "recall"]
    else:
        options = options.replace(only_topic=topic)
    score_table = score_runs(qrels, runs, measures, options, format=format, names=names)
    points = _mean_points if topic is None else _points_of(qrels, topic, options, format)
    rows: list[tuple[Any, ...]] = []
    for run, name in enumerate(run_names(score_table)):
        rows += [(name, POINT, *point) for point in points(score_table, run)]
        line, even, area = ([*_means(score_table, run, each)] for each in (at_levels, _EVEN, _AREA))
        rows += summary_rows(name, line, even[0], area[0])
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"rank": "Int64"})
    chosen = None if topic is None else label(as_text(topic))
    title = f"mean over {len(score_table.topics)} topics" if chosen is None else f"topic {chosen}"
    each = "at rank 5, 10, 15, 20 ..." if chosen is None else "at a relevant document"
    draws = partial(draw, table, title, points=each)
    return plotted("recall-precision", score_table, table, draws, *score_table.doubts, topic=chosen)


def _means(table: ScoreTable, run: int, measures: Sequence[str]) -> list[float]:
    return [float(table.means(measure)[run]) for measure in measures]


def summary_rows(name: str, line: list[float], even: float, area: float) -> list[tuple[Any, ...]]:
    """Rows of the table: precision at the recall levels, R-precision, average precision."""
    rows: list[tuple[Any, ...]] = [
        (name, LINE, None, level, value) for level, value in zip(RECALL_LEVELS, line, strict=True)
    ]
    return [*rows, (name, EVEN, None, even, even), (name, AREA, None, np.nan, area)]


def _mean_points(table: ScoreTable, run: int) -> list[Point]:
    """(rank, mean recall, mean precision) at trec_eval's ranks, as deep as any ranking goes."""
    cuts = [cut for cut in STANDARD_CUTOFFS if cut <= table.scores("num_ret").max()]
    recall = _means(table, run, [f"recall_{cut}" for cut in cuts])
    precision = _means(table, run, [f"P_{cut}" for cut in cuts])
    return list(zip(cuts, recall, precision, strict=True))


def _points_of(
    qrels: Input, topic: bytes, options: Options, format: str
) -> Callable[[ScoreTable, int], list[Point]]:
    """What finds (rank, recall, precision) at each relevant document of a topic."""
    if options.several_orders:
        raise UsageError(
            "a curve of one topic needs one order of tied documents: use another --ties"
        )
    evaluator = Evaluator(qrels, ["map"], options, format=format)
    ranking = options.ranking(format)

    def points(table: ScoreTable, run: int) -> list[Point]:
        entry = table.runs[run]
        if topic in entry.missing:
            return []
        if entry.path == "-":
            raise UsageError(
                "the curve of a topic reads the run twice: give a file, not standard input (-)"
            )
        found, _ = ranked_topic(entry.path, evaluator, topic, ranking)
        if len(found.grade) > 1:
            raise UsageError(
                f"topic {label(as_text(topic))} has several groups of judgments, so it has no "
                "single curve"
            )
        rank = np.flatnonzero(found.grade[0] >= options.level) + 1
        relevant = np.count_nonzero(found.ideal[0] >= options.level)
        nth = np.arange(1, len(rank) + 1)
        points = zip(rank.tolist(), (nth / relevant).tolist(), (nth / rank).tolist(), strict=True)
        return list(points)

    return points


def draw(table: pd.DataFrame, title: str, *, several: bool = True, points: str = "") -> Figure:
    """The figure of a table of `recall_precision`.

    Args:
        table: rows of the columns `COLUMNS`.
        title: what stands above it.
        several: whether the legend names the runs.
        points: what the points are.
    """
    with style():
        figure, (axes,) = new_figure(width=4.9, height=5.3)
        axes.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.8, zorder=1)
        handles, labels = [], []
        for number, name in enumerate(dict.fromkeys(table["run"])):
            rows = table[table["run"] == name]
            line, dots, even, area = (rows[rows["what"] == w] for w in (LINE, POINT, EVEN, AREA))
            look = series(number)
            (handle,) = axes.plot(line["recall"], line["precision"], **look)
            handle.set_label(label(name))
            hollow = {**look, "linestyle": "none", "markerfacecolor": "white", "markersize": 3.5}
            axes.plot(dots["recall"], dots["precision"], **hollow, label="_points")
            axes.plot(
                even["recall"], even["precision"], linestyle="none", marker="*", markersize=11,
                color=look["color"], markeredgecolor="black", markeredgewidth=0.6,
                zorder=4, label="_break-even",
            )  # fmt: skip
            handles.append(handle)
            said = f"AP {float(area['precision'].iloc[0]):.4f}"
            labels.append(f"{label(name)}: {said}" if several else said)
        _add_keys(axes, handles, labels, points if (table["what"] == POINT).any() else "")
        axes.set(xlabel="recall", ylabel="precision", title=title)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        axes.set_xticks(np.arange(11) / 10)
        axes.set_yticks(np.arange(11) / 10)
        legend(figure, handles, labels)
    return figure


def _add_keys(axes: Any, handles: list[Any], labels: list[str], points: str) -> None:
    """What the marks mean, whatever the run."""
    if points:
        handles += axes.plot(
            [], [], linestyle="none", marker="o", color="black", markerfacecolor="white"
        )
        labels.append(points)
    handles += axes.plot([], [], linestyle="none", marker="*", markersize=9, color="black")
    labels.append("break-even (R-precision)")
