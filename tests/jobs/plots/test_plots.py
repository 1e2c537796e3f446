"""`irev plot`: what stands in the axes, and what is written beside a figure."""

from __future__ import annotations

import json
import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from irev import compare, plots
from irev.cli.commands import irev
from irev.cli.plot import PLOTS
from irev.core import __version__
from irev.engine.score_runs import score_runs
from irev.errors import IrevWarning, UsageError
from irev.jobs.plots.layout import COLOURS, drawn_label, figure_bytes, series_style
from irev.jobs.plots.plot import Plot, TieRangesOptions
from irev.jobs.result import frame_csv
from irev.options import ScoringOptions
from irev.plots import (
    cutoffs,
    distribution,
    median,
    per_topic,
    recall_precision,
    scatter,
    tie_ranges,
)
from irev.scores.table import ScoreTable
from tests.files import SAMPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAMPLE_RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]

# the lecture slides' examples of a ranking with six relevant documents
EXAMPLES = {"one": "1 1 0 1 0 1 0 0 0 0 0 0 1 1", "two": "1 0 1 0 1 0 0 1 1 0 0 0 0 1"}
EXAMPLE_FILES = [f"{name}.run" for name in EXAMPLES]
POINTS = {
    "one": [(1, 1), (2, 1), (4, 0.75), (6, 0.667), (13, 0.3846), (14, 0.4286)],
    "two": [(1, 1), (3, 0.667), (5, 0.6), (8, 0.5), (9, 0.556), (14, 0.429)],
}
LINES = {
    "one": [1, 1, 1, 1, 0.75, 0.75, 0.6667, 0.4286, 0.4286, 0.4286, 0.4286],
    "two": [1, 1, 0.6667, 0.6667, 0.6, 0.6, 0.5556, 0.5556, 0.5556, 0.4286, 0.4286],
}
AREAS = {"one": 0.704976, "two": 0.625132}

# rank of the one relevant document by topic; 0: the run lacks the topic
RANKS = {
    "a": {"t1": 1, "t2": 2, "t3": 4},
    "b": {"t1": 2, "t2": 2, "t3": 0},
    "c": {"t1": 4, "t2": 1, "t3": 1},
    "d": {"t1": 5, "t2": 4, "t3": 2},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small files above, in the current folder."""
    monkeypatch.chdir(tmp_path)
    six = "".join(f"q 0 rel{number} 1\n" for number in range(1, 7))
    Path("six.qrels").write_text(six, encoding="utf-8")
    for name, pattern in EXAMPLES.items():
        numbers = iter(range(1, 7))
        docs = [f"rel{next(numbers)}" if hit == "1" else "x" for hit in pattern.split()]
        write_run(
            f"{name}.run",
            {"q": [f"{doc}{rank}" * (doc == "x") or doc for rank, doc in enumerate(docs)]},
        )
    Path("rr.qrels").write_text(
        "".join(f"{topic} 0 rel 1\n" for topic in ("t1", "t2", "t3")), encoding="utf-8"
    )
    for name, ranks in RANKS.items():
        lists = {
            topic: [f"x{at}" for at in range(1, rank)] + ["rel"]
            for topic, rank in ranks.items()
            if rank
        }
        write_run(f"{name}.run", lists)


def write_run(name: str, lists: dict[str, list[str]], score: float | None = None) -> None:
    lines = [
        f"{topic} Q0 {doc} {rank} {1000 - rank if score is None else score} tag\n"
        for topic, docs in lists.items()
        for rank, doc in enumerate(docs, 1)
    ]
    Path(name).write_text("".join(lines), encoding="utf-8")


def small(
    *names: str,
    measures: tuple[str, ...] = ("recip_rank",),
    options: ScoringOptions | None = None,
) -> ScoreTable:
    files = [f"{name}.run" for name in names or RANKS]
    return score_runs("rr.qrels", files, measures, options)


def figure_of(plot: Plot) -> Figure:
    return plot.plot()


def table_of(plot: Plot) -> pd.DataFrame:
    return plot.to_frame()


def lines_of(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """The last line of each label: its points."""
    return {
        str(line.get_label()): [
            (float(x), float(y))
            for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
        ]
        for line in axes.get_lines()
    }


def points_of(axes: Axes, label: str) -> list[tuple[float, float]]:
    """The points of all lines of a label."""
    return [
        (float(x), float(y))
        for line in axes.get_lines()
        if line.get_label() == label
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    ]


def caption_of(figure: Figure) -> str:
    return figure.get_supxlabel().replace("\n", " ")


def assert_points(drawn: list[tuple[float, float]], wanted: list[tuple[float, float]]) -> None:
    np.testing.assert_allclose(drawn, wanted, rtol=1e-12)


def legend_of(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def heights(axes: Axes) -> list[float]:
    return [float(bar.get_height()) for bar in axes.patches]  # type: ignore[attr-defined]


def row_labels(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_yticklabels()]


def tick_labels(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_xticklabels()]


# --- recall and precision ---


def test_points_and_line_of_a_topic() -> None:
    record = recall_precision("six.qrels", EXAMPLE_FILES, topic=b"q")
    table = table_of(record)
    for name in EXAMPLES:
        rows = table[table["run"] == name]
        points = rows[rows["what"] == "point"]
        assert points["rank"].tolist() == [rank for rank, _ in POINTS[name]]
        assert points["recall"].tolist() == pytest.approx([n / 6 for n in range(1, 7)])
        assert points["precision"].tolist() == pytest.approx([p for _, p in POINTS[name]], abs=5e-4)
        line = rows[rows["what"] == "interpolated"]
        assert line["recall"].tolist() == [tenth / 10 for tenth in range(11)]
        assert line["precision"].tolist() == pytest.approx(LINES[name], abs=5e-5)
        (area,) = rows.loc[rows["what"] == "average precision", "precision"]
        assert area == pytest.approx(AREAS[name], abs=1e-6)
    # four of the first six are relevant in one, three in the other
    even = table[table["what"] == "break-even"]
    assert even["precision"].tolist() == pytest.approx([4 / 6, 3 / 6])
    assert even["recall"].tolist() == even["precision"].tolist()


def test_axes_of_a_curve() -> None:
    figure = figure_of(recall_precision("six.qrels", EXAMPLE_FILES, topic=b"q"))
    (axes,) = figure.axes
    drawn = lines_of(axes)
    assert [y for _, y in drawn["one"]] == pytest.approx(LINES["one"], abs=5e-5)
    assert [y for _, y in drawn["two"]] == pytest.approx(LINES["two"], abs=5e-5)
    dots = [line for line in axes.get_lines() if line.get_label() == "_points"]
    assert [np.size(line.get_xdata()) for line in dots] == [6, 6]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("recall", "precision")
    assert axes.get_title() == "topic q"
    assert axes.get_xlim() == axes.get_ylim() == (-0.02, 1.02)
    assert legend_of(figure) == [
        "one: AP 0.7050", "two: AP 0.6251", "at a relevant document",
        "break-even (R-precision)",
    ]  # fmt: skip


def test_curve_of_means() -> None:
    Path("two.qrels").write_text("t1 0 r1 1\nt1 0 r2 1\nt2 0 r 1\n", encoding="utf-8")
    write_run("m.run", {"t1": ["r1", "x1", "x2", "x3", "r2"], "t2": ["x", "r"]})
    table = table_of(recall_precision("two.qrels", ["m.run"]))
    line = table[table["what"] == "interpolated"]["precision"].tolist()
    # t1: 1 up to a recall of .5, then 2/5; t2: 1/2 everywhere
    assert line == pytest.approx([0.75] * 6 + [0.45] * 5)
    # the longest ranking has five documents: no points farther down
    points = table[table["what"] == "point"]
    assert points["rank"].tolist() == [5]
    assert points["recall"].tolist() == [1.0]
    assert points["precision"].tolist() == pytest.approx([(2 / 5 + 1 / 5) / 2])


def test_curve_of_a_topic_that_a_run_lacks() -> None:
    record = recall_precision("rr.qrels", ["a.run", "b.run"], topic=b"t3")
    table = table_of(record)
    lacking = table[table["run"] == "b"]
    assert set(lacking["what"]) == {"interpolated", "break-even", "average precision"}
    assert (lacking["precision"] == 0).all()
    assert any("b lacks 1 of 1 judged topic," in note for note in record.notes)


def test_curve_under_many_orders_is_refused() -> None:
    with pytest.raises(UsageError, match="one order"):
        recall_precision("six.qrels", ["one.run"], ties="average", topic=b"q")


# --- topics ---


def test_bars_by_topic() -> None:
    record = per_topic(small("a", "b"))
    (axes,) = figure_of(record).axes
    assert heights(axes) == [1, 0.5, 0.25, 0.5, 0.5, 0]
    assert tick_labels(axes) == ["t1", "t2", "t3"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("topic", "recip_rank")
    assert axes.get_ylim() == (0, 1.025)
    assert legend_of(figure_of(record)) == ["a", "b", "lacks the topic, which counts as 0"]
    # b lacks the third topic: a cross on the axis in place of a bar
    assert_points(lines_of(axes)["_missing"], [(2.2, 0)])
    # the data have no number there
    assert table_of(record)["value"].fillna(-1).tolist() == [1, 0.5, 0.5, 0.5, 0.25, -1]


def test_data_beside_figures_have_an_empty_cell_where_a_run_lacks_the_topic() -> None:
    """The run b lacks the third of three topics, on which a has 0.25."""
    for record, last in (
        (per_topic(small("a", "b")), "recip_rank,t3,b,"),
        (distribution(small("a", "b")), "recip_rank,b,score,t3,"),
        (median(small("a", "b"), run="b"), "recip_rank,t3,,0.125,"),
        (scatter(small("a", "b")), "recip_rank,t3,0.25,,a"),
    ):
        assert last in b"".join(frame_csv(table_of(record))).decode().split()
    both = small("a", "b", options=TieRangesOptions())
    ranges = tie_ranges(both, per_topic=True)
    assert "recip_rank,t3,b,,," in b"".join(frame_csv(table_of(ranges))).decode().split()


def test_bars_by_value() -> None:
    (axes,) = figure_of(per_topic(small("d"), sort="value")).axes
    assert tick_labels(axes) == ["t3", "t2", "t1"]
    assert heights(axes) == [0.5, 0.25, 0.2]
    assert axes.get_title() == "d"


def test_difference_from_the_median() -> None:
    record = median(small(), run="a")
    # the medians of four runs: the mean of the two in the middle
    assert table_of(record)["median"].tolist() == pytest.approx([0.375, 0.5, 0.375])
    assert table_of(record)["difference"].tolist() == pytest.approx([0.625, 0, -0.125])
    (axes,) = figure_of(record).axes
    assert heights(axes) == pytest.approx([0.625, 0, -0.125])
    assert axes.get_ylim() == pytest.approx((-0.675, 0.675))
    assert axes.get_title() == "a against the median of all 4 runs, including this one"
    assert "difference" in axes.get_ylabel()
    above, _, below = (bar.get_facecolor() for bar in axes.patches)
    assert above != below


def test_difference_by_value() -> None:
    found = table_of(median(small(), run="c", sort="value"))
    assert found["topic"].tolist() == ["t3", "t2", "t1"]
    assert found["difference"].tolist() == pytest.approx([0.625, 0.5, -0.125])


def test_a_median_wants_runs() -> None:
    with pytest.raises(UsageError, match="called 'z'"):
        median(small(), run="z")
    with pytest.raises(UsageError, match="two runs"):
        median(small("a"), run="a")


def test_scatter_counts_who_is_better() -> None:
    record = scatter(small("a", "b"), x="b")
    assert table_of(record)["better"].tolist() == ["a", "tie", "a"]
    (axes,) = figure_of(record).axes
    drawn = lines_of(axes)
    assert drawn["a better"] == [(0.5, 1)]
    assert (0, 0.25) in points_of(axes, "_missing")
    assert drawn["b better"] == []
    assert drawn["equal"] == [(0.5, 0.5)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("b", "a")
    assert axes.get_title() == "recip_rank"
    assert caption_of(figure_of(record)) == (
        "recip_rank, 3 topics: b better: 0, a better: 2, equal: 1."
    )
    assert axes.get_xlim() == axes.get_ylim() == pytest.approx((-0.03, 1.03))


def test_scatter_of_a_measure_that_is_better_low() -> None:
    found = table_of(scatter(small("a", "c", measures=("SL",)), x="a"))
    # search lengths: 1 2 4 against 4 1 1
    assert found["better"].tolist() == ["a", "c", "c"]


def test_scatter_wants_two_runs() -> None:
    with pytest.raises(UsageError, match="two runs"):
        scatter(small())


# --- summaries ---


def test_cutoffs() -> None:
    record = cutoffs(small("a", "c", measures=("P.1,2,5", "nDCG@1,50")))
    one, other = figure_of(record).axes
    drawn = lines_of(one)
    assert_points(drawn["a"], [(1, 1 / 3), (2, 1 / 3), (5, 1 / 5)])
    assert_points(drawn["c"], [(1, 2 / 3), (2, 1 / 3), (5, 1 / 5)])
    assert tick_labels(one) == ["1", "2", "5"]
    assert (one.get_xlabel(), one.get_ylabel()) == ("cutoff k (rank)", "P@k")
    assert (one.get_xscale(), other.get_xscale()) == ("linear", "log")
    assert other.get_ylabel() == "nDCG@k"
    assert legend_of(figure_of(record)) == ["a", "c"]


def test_a_measure_without_cutoff() -> None:
    with pytest.raises(UsageError, match="recip_rank has no cutoff"):
        cutoffs(small("a"))


def test_distribution() -> None:
    record = distribution(small("a", "b"))
    table = table_of(record)
    mine = table[table["run"] == "a"].set_index("what")["value"]
    assert mine["score"].tolist() == [1, 0.5, 0.25]
    # quartiles of .25 .5 1 by linear interpolation
    assert [mine[what] for what in ("first quartile", "median", "third quartile")] == [
        0.375, 0.5, 0.75
    ]  # fmt: skip
    assert (mine["lower whisker"], mine["upper whisker"]) == (0.25, 1)
    assert mine["mean"] == pytest.approx(1.75 / 3)
    (axes,) = figure_of(record).axes
    drawn = lines_of(axes)
    assert [x for x, _ in drawn["topic"]] == [1, 0.5, 0.25]
    assert_points(drawn["mean"], [(1.75 / 3, 0), (1 / 3, 1)])
    # b lacks a topic
    assert [x for x, _ in drawn["_missing"]] == [0]
    assert row_labels(axes) == ["a", "b"]
    assert legend_of(figure_of(record)) == ["topic", "mean", "lacks the topic, which counts as 0"]
    # the box of a: from the first to the third quartile
    box = axes.patches[0]
    assert (box.get_x(), box.get_width()) == (0.375, 0.375)  # type: ignore[attr-defined]


@pytest.mark.thorough
def test_tie_ranges() -> None:
    # both documents tie, and x stands before rel where ids decide
    write_run("tied.run", {topic: ["rel", "x"] for topic in ("t1", "t2", "t3")}, score=1)
    found = small("tied", "a", options=TieRangesOptions())
    record = tie_ranges(found)
    assert table_of(record).values.tolist() == [
        ["recip_rank", "tied", 0.5, 0.5, 1.0],
        ["recip_rank", "a", *[pytest.approx(1.75 / 3)] * 3],
    ]
    (axes,) = figure_of(record).axes
    assert row_labels(axes) == ["a", "tied"]
    assert_points(lines_of(axes)["value"], [(1.75 / 3, 0), (0.5, 1)])
    (spans,) = axes.collections
    assert spans.get_segments()[1].tolist() == [[0.5, 1], [1, 1]]  # type: ignore[attr-defined]
    # each end has a mark of its own, which is seen where both are one
    assert_points(lines_of(axes)["_pessimistic"], [(1.75 / 3, 0), (0.5, 1)])
    assert_points(lines_of(axes)["_optimistic"], [(1.75 / 3, 0), (1, 1)])
    # where the value is the best of all orders, the bar begins below it
    write_run("best.run", {topic: ["rel", "a"] for topic in ("t1", "t2", "t3")}, score=1)
    for by in ("run", "topic"):
        (axes,) = figure_of(
            tie_ranges(small("best", options=TieRangesOptions()), per_topic=by == "topic")
        ).axes
        is_level = by == "run"
        assert lines_of(axes)["value" if is_level else "best"][0] == (
            (1, 0) if is_level else (0, 1)
        )
        (bars,) = axes.collections
        ends = [[0.5, 0], [1, 0]] if is_level else [[0, 0.5], [0, 1]]
        assert bars.get_segments()[0].tolist() == ends  # type: ignore[attr-defined]
    without = tie_ranges(small("a", options=TieRangesOptions()))
    assert caption_of(figure_of(without)) == (
        "Mean over 3 topics; runs by the mean of the first measure, the best above. "
        "No order of equal scores changes a value."
    )
    by_topic = tie_ranges(found, per_topic=True)
    assert len(table_of(by_topic)) == 6
    (axes,) = figure_of(by_topic).axes
    assert tick_labels(axes) == ["t1", "t2", "t3"]
    assert [y for _, y in lines_of(axes)["a"]] == [1, 0.5, 0.25]


def test_a_figure_has_so_much_room() -> None:
    with pytest.raises(UsageError, match="room for 12"):
        per_topic(small(measures=("P.1,2,3,4,5,6,7,8,9,10,11,12,13",)))


def copies(count: int) -> list[str]:
    names = [f"copy{number}.run" for number in range(count)]
    for name in names:
        Path(name).write_bytes(Path("a.run").read_bytes())
    return names


@pytest.mark.in_turn(4)
@pytest.mark.parametrize("function", [per_topic, cutoffs, recall_precision, tie_ranges])
def test_more_than_eight_runs_are_grey_but_for_some(function: Any) -> None:
    """The best, or those that are named, are in colour; the notes say so."""
    keywords: dict[str, Any] = {"per_topic": True} if function is tie_ranges else {}
    if function is not recall_precision:
        keywords["measures"] = "P@1,2"
    runs = [*copies(9), "d.run"]
    plot = function("rr.qrels", runs, **keywords)
    assert "9 other runs" in legend_of(figure_of(plot))
    assert any("drawn in colour: copy0 (the best by" in note for note in plot.notes)
    plot = function("rr.qrels", runs, highlight=["d", "copy3"], **keywords)
    legend = legend_of(figure_of(plot))
    assert [label.partition(":")[0] for label in legend[:2]] == ["d", "copy3"]
    assert "8 other runs" in legend
    assert any("drawn in colour: d, copy3" in note for note in plot.notes)
    with pytest.raises(UsageError, match="no run is called 'z'"):
        function("rr.qrels", runs, highlight=["z"], **keywords)
    with pytest.raises(UsageError, match="tells 8 runs apart, not 9"):
        function("rr.qrels", runs, highlight=[f"copy{n}" for n in range(9)], **keywords)


@pytest.mark.parametrize("function", [per_topic, cutoffs, recall_precision, tie_ranges])
def test_runs_have_their_colours_and_stand_as_given(function: Any) -> None:
    """Whichever are highlighted; so the colours of two figures of the same runs agree."""
    keywords: dict[str, Any] = {"per_topic": True} if function is tie_ranges else {}
    if function is not recall_precision:
        keywords["measures"] = "P@1,2"
    runs = ["d.run", "b.run", "a.run"]
    for highlight, expected in (((), {"d": 0, "b": 1, "a": 2}), (("a", "b"), {"a": 2, "b": 1})):
        figure = figure_of(function("rr.qrels", runs, highlight=highlight, **keywords))
        (legend,) = figure.legends
        found, handles = {}, cast("list[Any]", legend.legend_handles)
        for text, handle in zip(legend.get_texts(), handles, strict=True):
            name = text.get_text().partition(":")[0]
            if name in expected:
                is_bar = hasattr(handle, "get_facecolor")
                colour = handle.get_facecolor() if is_bar else handle.get_color()
                found[name] = [to_hex(each) for each in COLOURS].index(to_hex(colour))
        assert list(found.items()) == list(expected.items())


def test_a_figure_shows_itself_in_a_notebook() -> None:
    figure: Any = per_topic(small("a", "b")).plot()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_the_baselines_of_a_comparison_are_in_colour() -> None:
    comparison = compare("rr.qrels", [*copies(9), "d.run"], "P@1,2", baselines=["copy4"])
    figure = comparison.plot("cutoffs")
    assert legend_of(figure) == ["copy0", "copy4", "8 other runs"]


# --- the command ---


def call(*arguments: str) -> tuple[int, bytes, str]:
    outcome = CliRunner().invoke(irev, ["plot", *arguments])
    return outcome.exit_code, outcome.stdout_bytes, outcome.stderr


MORE = {"median": ["--run", "a.run"]}
FILES = ["rr.qrels", "a.run", "b.run"]


@pytest.mark.thorough
def test_every_form_is_one_figure() -> None:
    outputs = ["--output", "f.svg", "--output", "f.png", "--output", "f.pdf"]
    assert call("per-topic", *FILES, *outputs, "--data", "parquet")[0] == 0
    assert Path("f.pdf").read_bytes().startswith(b"%PDF")
    height, width, _ = matplotlib.image.imread("f.png").shape
    assert width > height > 300
    table = pd.read_parquet("f.parquet")
    assert table["topic"].tolist() == ["t1", "t1", "t2", "t2", "t3", "t3"]
    assert not Path("f.csv").exists()


@pytest.mark.thorough
def test_the_order_of_runs_and_threads_change_nothing() -> None:
    forms = ("svg", "png", "pdf")
    for name, files in (("one", FILES), ("two", [FILES[0], *reversed(FILES[1:])])):
        threads = "1" if name == "one" else "2"
        outputs = [word for form in forms for word in ("--output", f"{name}.{form}")]
        assert call("distribution", *files, "--threads", threads, *outputs)[0] == 0
    for suffix in (*forms, "csv", "json"):
        assert Path(f"one.{suffix}").read_bytes() == Path(f"two.{suffix}").read_bytes()


def test_the_first_run_of_a_scatter_plot_is_across() -> None:
    assert call("scatter", "rr.qrels", "b.run", "a.run", "--output", "s.svg")[0] == 0
    assert pd.read_csv("s.csv")["x"].fillna(-1).tolist() == [0.5, 0.5, -1]  # it lacks the last


@pytest.mark.thorough
def test_saved_scores_are_drawn_like_their_runs() -> None:
    saved = ["--format", "json", "-q", "-c", "-m", "map", *FILES, "--output", "saved.json"]
    assert CliRunner().invoke(irev, saved).exit_code == 0
    assert call("scatter", "saved.json", "--output", "one.svg")[0] == 0
    assert call("scatter", *FILES, "--output", "two.svg")[0] == 0
    assert Path("one.svg").read_bytes() == Path("two.svg").read_bytes()


def test_refused() -> None:
    Path("runs.csv").write_bytes(Path("a.run").read_bytes())
    before = sorted(os.listdir())
    for arguments, said in [
        (["per-topic", *FILES], "--output"),
        (["per-topic", *FILES, "--output", "figure.gif"], ".svg, .png, .pdf"),
        (["per-topic", *FILES, "--output", "f.svg", "--output", "f.svg"], "twice"),
        (["per-topic", "rr.qrels", "--output", "f.svg"], "and a run"),
        (["per-topic", "rr.qrels", "runs.csv", "--output", "runs.svg"], "would overwrite"),
        (["per-topic", "rr.qrels", "a.run", "a.run", "--output", "f.svg"], "called a:"),
        (["per-topic", *FILES, "-m", "runid", "--output", "f.svg"], "runid"),
        (["per-topic", *FILES, "--topics", "run", "--output", "f.svg"], "--topics"),
        (["median", *FILES, "--run", "z", "--output", "f.svg"], "z"),
        (["median", *FILES, "--output", "f.svg"], "--run"),
        (["recall-precision", *FILES, "-t", "t9", "--output", "f.svg"], "t9"),
        (["tie-ranges", *FILES, "-m", "num_ret", "--output", "f.svg"], "num_ret"),
        (["pie", *FILES], "no kind 'pie'"),
    ]:
        code, out, err = call(*arguments)
        assert (code if code else 2, out) == (2, b""), arguments
        outcome = CliRunner().invoke(irev, ["plot", *arguments])
        assert said in f"{err}{outcome.exception}", arguments
        assert "Traceback" not in err, arguments
        assert sorted(os.listdir()) == before, arguments


@pytest.mark.thorough
def test_any_id_can_be_drawn() -> None:
    # no font has all characters, `$` is no formula, and a name need not be UTF-8
    Path("odd.qrels").write_text("東京 0 rel 1\n$a_b$ 0 rel 1\n<&> 0 rel 1\n", encoding="utf-8")
    write_run("odd.run", {"東京": ["rel"], "$a_b$": ["rel"], "<&>": ["rel"]})
    odd = os.fsdecode(b"odd\xff.run")
    os.rename("odd.run", odd)
    for kind in ("distribution", "recall-precision", "per-topic"):
        files = ["odd.svg", "odd.pdf"] if kind == "per-topic" else ["odd.svg"]
        assert call(kind, "odd.qrels", odd, *chain(*(("--output", name) for name in files)))[0] == 0
    text = Path("odd.svg").read_text(encoding="utf-8")
    assert "$a_b$" in text
    assert "&lt;&amp;&gt;" in text
    assert "odd\\xff" in text


@pytest.mark.thorough
def test_many_runs() -> None:
    """With as many runs as a track has, every name is read and nothing lies on anything else."""
    qrels, names = str(SAMPLE / "qrels.txt"), [f"a-long-name-of-a-run-{n}" for n in range(32)]
    runs = dict.fromkeys(names, SAMPLE_RUNS[0])
    many = score_runs(qrels, runs, ["map", "P.5"], TieRangesOptions())
    one = score_runs(qrels, runs, ["map"])
    for record in (cutoffs(score_runs(qrels, runs, ["P"])), distribution(one), tie_ranges(many)):
        figure = figure_of(record)
        assert figure.get_figwidth() == 7
        assert figure_bytes(figure, "png")
        renderer = FigureCanvasAgg(figure).get_renderer()
        (legend,) = figure.legends
        page, shown = figure.bbox, legend.get_window_extent(renderer)
        assert page.y0 <= shown.y0
        assert shown.y1 <= page.y1
        for axes in figure.axes:
            box = axes.get_tightbbox(renderer)
            assert box is not None
            assert not shown.overlaps(box)
        # of several panels the first names the rows
        if record.name != "cutoffs":
            assert sorted(row_labels(figure.axes[0])) == sorted(names)


def test_looks_of_series() -> None:
    assert len({tuple(series_style(number).items()) for number in range(256)}) == 256


@pytest.mark.thorough
def test_sample_runs() -> None:
    """Every kind draws the sample runs, in axes with labels and inside the page."""
    qrels = str(SAMPLE / "qrels.txt")
    found = score_runs(qrels, SAMPLE_RUNS, ["map", "P.5"], TieRangesOptions())
    plain = score_runs(qrels, SAMPLE_RUNS, ["map", "P.5"])
    records = [
        recall_precision(qrels, SAMPLE_RUNS), per_topic(plain), median(plain, run="rm3"),
        scatter(score_runs(qrels, SAMPLE_RUNS[:2], ["map"])), distribution(plain),
        tie_ranges(found),
        cutoffs(score_runs(qrels, SAMPLE_RUNS, ["P", "ndcg_cut"])),
    ]  # fmt: skip
    for record in records:
        figure = figure_of(record)
        assert figure_bytes(figure, "png")
        renderer = FigureCanvasAgg(figure).get_renderer()
        page = figure.bbox
        for axes in figure.axes:
            assert axes.get_xlabel()
            assert axes.get_ylabel() or record.name in ("distribution", "tie-ranges")
            box = axes.get_tightbbox(renderer)
            assert box is not None
            assert box.x0 >= page.x0 - 1
            assert box.x1 <= page.x1 + 1
            assert box.y0 >= page.y0 - 1
            assert box.y1 <= page.y1 + 1
            for legend in figure.legends:
                assert not legend.get_window_extent(renderer).overlaps(axes.get_window_extent())
        assert np.isfinite(figure.get_size_inches()).all()


def test_a_name_is_drawn_cut_and_without_what_cannot_be_printed():
    assert drawn_label("bm25.run") == "bm25.run"
    written = drawn_label("a\tb\udcff" + "x" * 500)
    assert written.isprintable()
    assert len(written) < 100


# --- Python and the command line ---


CALLS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "recall-precision": ({"recall_rule": "te10"}, ("--recall-rule", "te10")),
    "per-topic": ({"sort": "value"}, ("--sort", "value")),
    "median": ({"run": "a"}, ("--run", "a")),
    "scatter": ({}, ()),
    "cutoffs": ({"measures": "P@1,2"}, ("-m", "P@1,2")),
    "distribution": ({"measures": ["map", "P@1"]}, ("-m", "map,P@1")),
    "tie-ranges": ({"per_topic": True}, ("--per-topic",)),
}
"""Kind -> keywords in Python, arguments of the command line."""


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("kind", CALLS)
def test_function_and_command_draw_the_same(kind: str) -> None:
    assert CALLS.keys() == PLOTS.keys()
    keywords, arguments = CALLS[kind]
    function = getattr(plots, kind.replace("-", "_"))
    qrels, *runs = FILES
    with pytest.warns(IrevWarning, match="b lacks 1 of 3 judged topics") as caught:
        plot = function(qrels, runs, **keywords)
    code, _, err = call(kind, *arguments, *FILES, "--output", "figure.svg")
    assert code == plot.exit_code == 0
    lines = [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in plot.warnings]
    assert err.splitlines() == lines
    assert len(caught) == sum(not notice.is_note for notice in plot.warnings)
    assert Path("figure.svg").read_bytes() == figure_bytes(plot.plot(), "svg")
    assert Path("figure.csv").read_bytes() == b"".join(frame_csv(plot.to_frame()))
    facts = json.loads(Path("figure.json").read_text(encoding="utf-8"))
    assert facts == {
        "plot": kind,
        "irev": __version__,
        **json.loads(json.dumps(plot.parameters)),
        "notes": list(plot.notes),
    }
    assert plot.to_dict()["parameters"] == json.loads(json.dumps(plot.parameters))


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("kind", CALLS)
def test_a_table_gives_the_same_figure(kind: str) -> None:
    function = getattr(plots, kind.replace("-", "_"))
    qrels, *runs = FILES
    keywords = {**CALLS[kind][0]}
    measures = keywords.pop("measures", function.options.default_measures)
    if kind == "recall-precision":
        _, measures = function.options(**keywords).scored_inputs((), ())
    options = TieRangesOptions() if "tie" in kind else ScoringOptions()
    table = score_runs(qrels, runs, measures, options)
    of_files = {"measures": measures} if kind != "recall-precision" else {}
    drawn = [function(table, **keywords), function(qrels, runs, **of_files, **keywords)]
    assert figure_bytes(drawn[0].plot(), "svg") == figure_bytes(drawn[1].plot(), "svg")
    assert drawn[0].warnings == drawn[1].warnings


def test_options_that_make_no_sense() -> None:
    qrels, *runs = FILES
    with pytest.raises(UsageError, match=r'name the run to show, as in run="rm3\.run"'):
        median(qrels, runs)
    with pytest.raises(UsageError, match="sort cannot be 'down': topic, value"):
        per_topic(qrels, runs, sort="down")  # type: ignore[arg-type]
