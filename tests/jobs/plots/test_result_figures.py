"""The figures of `irev compare --plot`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irev
from irev.core.model import Column
from irev.core.text import natural_sort_key
from irev.errors import UsageError
from irev.jobs.compare.comparison import Comparison, compare_table
from irev.jobs.compare.options import CompareOptions
from irev.jobs.plots.result_figures import COMPARISON_FIGURES, comparison_figure
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.ranks_and_signs import critical_difference, mean_ranks
from tests.command import irev as command
from tests.files import CASES, SAMPLE
from tests.statistics_rows import matrix

with (CASES / "statistics" / "beyond_expected.csv").open(encoding="utf-8", newline="") as lines:
    EXPECTED = {row["id"]: row["value"] for row in csv.DictReader(lines)}

F2, NAMES = matrix("F2")


def compared(scores: Any = F2, measure: str = "map", **choices: Any) -> Comparison:
    topics = tuple(f"{topic}".encode() for topic in sorted(map(str, range(1, len(scores) + 1))))
    entries = tuple(RunInfo(f"run{run}", f"run{run}") for run in range(scores.shape[1]))
    table = ScoreTable(topics, entries, (Column(measure, measure.split("(")[0]),), scores[None])
    return compare_table(table, CompareOptions(tests=["t"], **choices))


def panels_of(found: Comparison, kind: str) -> list[Any]:
    return list(comparison_figure(found, kind).axes)


def test_names_in_natural_order() -> None:
    names = ["10", "2", "007", "a10", "a2", "1", "7", "a", ""]
    assert sorted(names, key=natural_sort_key) == ["", "1", "2", "007", "7", "10", "a", "a2", "a10"]


def test_mean_ranks_and_their_critical_difference() -> None:
    expected = [float(EXPECTED[f"nemenyi-{name}"]) for name in NAMES]
    assert mean_ranks(F2).tolist() == expected
    assert critical_difference(4, 8) == pytest.approx(float(EXPECTED["nemenyi-cd"]), rel=1e-8)


def test_a_forest_plot() -> None:
    found = compared(margin=0.05)
    figure = comparison_figure(found, "forest")
    panel: Any = figure.axes[0]
    rows = found.pairs
    said = [label.get_text() for label in panel.get_yticklabels()]
    assert said == [f"{a} − {b}" for a, b in zip(rows["run"], rows["against"], strict=True)]
    (intervals,) = (c for c in panel.collections if len(c.get_paths()) == len(rows))
    ends = np.array([path.vertices[:, 0] for path in intervals.get_paths()])
    np.testing.assert_allclose(ends, rows[["low", "high"]].to_numpy())
    # the filled points are the pairs that the table marks
    marks = [line for line in panel.lines if line.get_marker() == "o"]
    filled = {
        round(x, 9)
        for line in marks
        if line.get_markerfacecolor() != "white"
        for x in line.get_xdata()
    }
    assert filled == set(rows.loc[rows["significant_t"], "difference"].round(9))
    assert "simultaneous for all 6 (Bonferroni)" in figure.get_suptitle()
    assert "within the margin of 0.05" in [t.get_text() for t in figure.legends[0].get_texts()]


def test_a_difference_that_was_found_though_its_interval_holds_0_is_explained() -> None:
    # run3 - run2 has t = 2.3 and p = 0.029, which Holm leaves and Bonferroni multiplies by 3
    aside = 0.02 * np.tile([1.0, -1.0], 15)
    better = 2.3 * aside.std(ddof=1) / 30**0.5
    scores = np.column_stack([np.repeat([0.48, 0.52], 15), np.full(30, 0.6), 0.6 + better + aside])
    found = compared(scores)
    holds_0 = (found.pairs["low"] <= 0) & (found.pairs["high"] >= 0)
    assert (holds_0 & found.pairs["significant_t"]).any()
    assert "Holm's correction steps down" in comparison_figure(found, "forest").get_suptitle()
    assert "steps down" not in comparison_figure(compared(), "forest").get_suptitle()


def test_an_interval_without_an_end_goes_to_the_edge() -> None:
    found = compared(baselines=["run1"], tail="greater")
    (panel,) = panels_of(found, "forest")
    paths = [c.get_paths() for c in panel.collections if len(c.get_paths()) == 3]
    assert {path.vertices[1, 0] for path in paths[0]} == {panel.get_xlim()[1]}


def test_differences_by_topic_in_natural_order() -> None:
    scores = np.arange(24.0).reshape(12, 2) ** 2 / 600
    (panel,) = panels_of(compared(scores), "topics")
    names = [label.get_text() for label in panel.get_xticklabels()]
    assert names == [str(number) for number in range(1, 13)]
    # topics are in byte order in the scores: 1, 10, 11, 12, 2, ...
    differences = dict(zip(sorted(names), scores[:, 1] - scores[:, 0], strict=True))
    heights = [bar.get_height() for bar in panel.patches]
    assert heights == pytest.approx([differences[name] for name in names])
    assert all(0.5 < bar.get_width() < 1 for bar in panel.patches)  # topics are 1 apart


def test_panels_of_topics_end_a_little_beyond_the_bars() -> None:
    """At 6 % of what all panels of a measure span, 0 among it."""
    scores = np.array([[0.5, 0.1], [0.75, 0.25], [0.25, 0.125]])
    (panel,) = panels_of(compared(scores), "topics")
    assert panel.get_ylim() == pytest.approx((-0.03, 0.53))


def test_a_loss_is_a_rise_where_lower_is_better() -> None:
    colours = []
    for measure in ("map", "SetE(beta=1)"):
        (panel,) = panels_of(compared(F2[:, :2], measure), "topics")
        colours.append([bar.get_facecolor() for bar in panel.patches if bar.get_height()])
    # the better run of the pair comes first, so the bars change sides and keep their colour
    assert colours[0] == colours[1]


def test_mean_ranks_are_drawn() -> None:
    figure = comparison_figure(compared(), "ranks")
    said = [text.get_text() for text in figure.axes[0].texts]
    assert "run0 (1.38)" in said
    assert "critical difference 1.66 (Nemenyi, alpha 0.05)" in said
    assert "not means" in figure.get_supxlabel()
    # names stand outside the scale from 1 to 4, those of the lower half of the ranks on its left
    names: list[Any] = [text for text in figure.axes[0].texts if text.get_text()[:3] == "run"]
    places = sorted((float(text.get_text()[6:-1]), text.get_position()[0]) for text in names)
    assert [place < 1 for _, place in places] == [True, True, False, False]
    assert [place > 4 for _, place in places] == [False, False, True, True]


def test_ticks_of_many_mean_ranks() -> None:
    """The first, the last and every fifth have a number."""
    scores = np.random.default_rng(1).random((5, 23))
    (panel,) = panels_of(compared(scores), "ranks")
    said = [text.get_text() for text in panel.texts if text.get_text().isdigit()]
    assert said == ["1", "5", "10", "15", "20", "23"]
    ticks = [line for line in panel.lines if line.get_color() == "black" and line.get_ydata()[1]]
    assert [[*line.get_xdata()] for line in ticks[:23]] == [[n, n] for n in range(1, 24)]
    assert {line.get_ydata()[0] for line in ticks[:23]} == {0}  # they stand on the line


@pytest.mark.parametrize(
    ("kind", "scores", "said"),
    [
        ("forest", np.random.default_rng(1).random((5, 13)), "room for 60 pairs, not 78"),
        ("topics", F2[:, [0, 1, 2, 3, 0, 1]], "room for 12 panels, not 15"),
        ("ranks", F2[:, :2], "for 3 to 40 runs, not 2"),
    ],
)
def test_what_has_no_room(kind: str, scores: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        comparison_figure(compared(scores), kind)


def test_the_command_writes_figures(tmp_path: Path) -> None:
    runs = ["bm25.run", "rm3.run", "fusion.run"]
    paths = [tmp_path / "f.svg", tmp_path / "f.png"]
    asked = [f"--plot={path}" for path in paths]
    ran = command("compare", *asked, "--format=json", "qrels.txt", *runs, cwd=SAMPLE)
    assert ran.code == 0, ran.err
    assert len(json.loads(ran.out)["pairs"]) == 3
    assert "fusion − bm25" in paths[0].read_text(encoding="utf-8")
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    ran = command("compare", "--plot=f.gif", "qrels.txt", *runs, cwd=SAMPLE)
    assert (ran.code, ran.out) == (2, b"")
    assert "--plot f.gif: a figure's name ends in one of .svg, .png, .pdf" in ran.err


def test_python_draws_them_too() -> None:
    runs = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "fusion.run")]
    found = irev.compare(str(SAMPLE / "qrels.txt"), runs, baselines=["bm25"])
    for kind in COMPARISON_FIGURES:
        assert found.plot(kind).axes
    with pytest.raises(UsageError, match=r"no figure 'wood' of scores.*forest"):
        found.plot("wood")
