"""The figures of `irev compare --plot`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irev
from irev.core.judged import Column
from irev.core.text import natural_sort_key
from irev.errors import UsageError
from irev.jobs.compare.comparison import CompareOptions, Comparison, compare_table
from irev.jobs.plots.comparison_figures import COMPARISON_FIGURES, comparison_figure
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.significance_tests import critical_difference, mean_ranks
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


def caption_of(figure: Any) -> str:
    return str(figure.get_supxlabel()).replace("\n", " ")


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
    assert "simultaneous for all 6 (Bonferroni)" in caption_of(figure)
    assert "within the margin of 0.05" in [t.get_text() for t in figure.legends[0].get_texts()]


def test_a_difference_that_was_found_though_its_interval_holds_0_is_explained() -> None:
    # run3 - run2 has t = 2.3 and p = 0.029, which Holm leaves and Bonferroni multiplies by 3
    aside = 0.02 * np.tile([1.0, -1.0], 15)
    better = 2.3 * aside.std(ddof=1) / 30**0.5
    scores = np.column_stack([np.repeat([0.48, 0.52], 15), np.full(30, 0.6), 0.6 + better + aside])
    found = compared(scores)
    holds_0 = (found.pairs["low"] <= 0) & (found.pairs["high"] >= 0)
    assert (holds_0 & found.pairs["significant_t"]).any()
    assert "wider than the test needs" in caption_of(comparison_figure(found, "forest"))
    assert "wider than" not in caption_of(comparison_figure(compared(), "forest"))


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
    panel: Any
    (panel,) = figure.axes
    # F2's mean ranks in order, and bars of half the critical difference to each side
    ranks = sorted(float(EXPECTED[f"nemenyi-{name}"]) for name in NAMES)
    said = [text.get_text() for text in panel.get_yticklabels()]
    assert [text.split(" (")[1] for text in said] == [f"{rank:.2f})" for rank in ranks]
    assert said[0] == "run0 (1.38)"
    half = float(EXPECTED["nemenyi-cd"]) / 2
    (bars,) = (c for c in panel.collections if len(c.get_paths()) == 4)
    ends = [path.vertices[:, 0].tolist() for path in bars.get_paths()]
    assert ends == [pytest.approx([rank - half, rank + half]) for rank in ranks]
    # filled: as far as the test shows no worse than the first
    filled = next(line for line in panel.lines if line.get_markerfacecolor() != "white")
    assert list(filled.get_xdata()) == [rank for rank in ranks if rank - ranks[0] < 2 * half]
    assert "Critical difference 1.66 (Nemenyi, alpha 0.05)" in caption_of(figure)
    assert "not means" in caption_of(figure)


def test_a_label_of_one_baseline_is_the_other_run() -> None:
    figure = comparison_figure(compared(baselines=["run1"]), "forest")
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.get_yticklabels()] == ["run0", "run2", "run3"]
    assert panel.get_xlabel() == "difference from run1"


def test_measures_share_the_rows_of_a_forest() -> None:
    """A pair that another measure has the other way round is turned."""
    scores = np.stack([F2[:, :2], 1 - F2[:, :2]])
    topics = tuple(f"{topic}".encode() for topic in range(1, len(F2) + 1))
    entries = tuple(RunInfo(f"run{run}", f"run{run}") for run in range(2))
    columns = (Column("map", "map"), Column("P_5", "P"))
    found = compare_table(ScoreTable(topics, entries, columns, scores), CompareOptions(tests=["t"]))
    panels: list[Any] = panels_of(found, "forest")
    one, other = panels
    assert one.lines[1].get_xdata() == pytest.approx(-np.asarray(other.lines[1].get_xdata()))
    assert [text.get_text() for text in one.get_yticklabels()] == ["run0 − run1"]


@pytest.mark.parametrize(
    ("kind", "scores", "said"),
    [
        ("forest", np.random.default_rng(1).random((5, 13)), "room for 60 pairs, not 78"),
        ("topics", F2[:, [0, 1, 2, 3, 0, 1]], "room for 12 panels, not 15"),
        ("ranks", F2[:, :2], "for 3 to 100 runs, not 2"),
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


def test_too_many_pairs_are_told_before_the_tests_and_the_table_is_printed(tmp_path: Path) -> None:
    runs = []
    for number in range(12):
        runs.append(str(tmp_path / f"r{number}.run"))
        Path(runs[-1]).write_bytes((SAMPLE / "bm25.run").read_bytes())
    path = tmp_path / "f.svg"
    ran = command("compare", f"--plot={path}", "--test=t", "qrels.txt", *runs, cwd=SAMPLE)
    reason = "a forest plot has room for 60 pairs, not 66: name a --baseline"
    first, *_, last = ran.err.splitlines()
    assert first == f"irev: note: {reason}; no figure will be drawn, the tables follow"
    assert last == f"irev: error: {path}: not drawn; {reason}"
    assert ran.code == 2
    assert ran.out.startswith(b"no difference: the same scores of all runs on every topic")
    assert all(f"\nr{number} ".encode() in ran.out for number in range(12))
    assert not path.exists()
    # who asks for no figure hears nothing of its room
    without = command("compare", "--test=t", "qrels.txt", *runs, cwd=SAMPLE)
    assert (without.code, without.out) == (0, ran.out)
    assert "figure" not in without.err


@pytest.mark.thorough
def test_python_draws_them_too() -> None:
    runs = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "fusion.run")]
    found = irev.compare(str(SAMPLE / "qrels.txt"), runs, baselines=["bm25"])
    for kind in COMPARISON_FIGURES:
        assert found.plot(kind).axes
    with pytest.raises(UsageError, match=r"no figure 'wood' of scores.*forest"):
        found.plot("wood")
