"""`irev.report` and its command are one; of a table of scores it has what these tell."""

from __future__ import annotations

import re
import warnings
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irev
from irev.core.judged import Column
from irev.errors import UsageError
from irev.jobs.compare.comparison import CompareOptions
from irev.scores.table import RunInfo, ScoreTable
from tests.command import irev as command
from tests.files import SAMPLE
from tests.pages import Page, page_data

QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("rm3.run", "bm25.run", "dense.run.gz")]
any_report: Any = irev.report


def report(*inputs: Any, **options: Any) -> tuple[irev.Report, list[str]]:
    """The report, and what Python warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = irev.report(*inputs, **options)
    return found, [str(each.message) for each in caught]


def test_the_command_is_the_function(tmp_path: Path) -> None:
    arguments = ("-m", "P.10,map", "--title", "Ours", "--alpha", ".1")
    ran = command("report", *arguments, QRELS, *RUNS)
    found, told = report(QRELS, RUNS, "P.10 map", title="Ours", alpha=0.1)
    assert found.html == found.text("html") == ran.out.decode()
    assert found.exit_code == ran.code == 0
    said = [line.removeprefix("irev: ") for line in ran.err.splitlines()]
    assert said == [f"{'note' if each.is_note else 'warning'}: {each}" for each in found.warnings]
    assert told == [str(each) for each in found.doubts if not each.is_note]
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == ran.out
    # a notebook shows the page itself, line by line
    (shown,) = re.findall(r'^<iframe srcdoc="([^"]*)" [^>]*></iframe>$', found._repr_html_())
    assert unescape(shown) == found.html


def test_a_page_is_not_poured_over_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("irev.cli.compare.terminal_width", lambda path: None if path else 80)
    ran = command("report", QRELS, *RUNS)
    assert (ran.code, ran.out) == (2, b"")
    assert "as in --output report.html" in ran.err
    assert command("report", QRELS, *RUNS, "--output", tmp_path / "page.html").code == 0
    # who asks for it has it
    assert command("report", QRELS, *RUNS, "--output", "-").out.startswith(b"<!DOCTYPE html>")


def test_its_comparison_is_that_of_compare() -> None:
    """With a baseline; without one with the best run, p corrected for all pairs."""
    found, _ = report(QRELS, RUNS, "map", baselines=["rm3"])
    with pytest.warns(irev.IrevWarning, match="dense lacks 1"):
        comparison = irev.compare(QRELS, RUNS, "map", baselines=["rm3"])
    assert found.comparison is not None
    assert list(found.comparison.pair_rows()) == list(comparison.pair_rows())
    assert found.comparison.options == CompareOptions(baselines=("rm3",))
    assert str(found) == str(comparison)
    assert found.to_dict() == comparison.to_dict()
    assert found.to_frame().equals(comparison.means)


def test_without_a_baseline_all_pairs_are_compared() -> None:
    """As `irev.compare` does; the page has each measure as a family of its own."""
    found, _ = report(QRELS, RUNS, "P.10 map")
    with pytest.warns(irev.IrevWarning, match="dense lacks 1"):
        comparison = irev.compare(QRELS, RUNS, "P.10 map")
    assert found.comparison is not None
    assert list(found.comparison.pair_rows()) == list(comparison.pair_rows())
    (part,) = page_data(found.html)["parts"]
    assert part["baseline"] is None
    assert "all 3 pairs under a measure" in part["test"]
    assert [len(each["p"]) for each in part["pairs"]] == [3, 3]


def test_of_a_table_of_scores_there_are_no_runs_to_read() -> None:
    whole, _ = report(QRELS, RUNS, "map")
    found, _ = report(whole.table)
    assert (found.facts, found.first_documents) == (None, None)
    assert "there are no curves: it takes runs and complete judgments" in "\n".join(found.notes)
    (part,), (of_runs,) = (page_data(each.html)["parts"] for each in (found, whole))
    for key in ("means", "pairs", "scores", "test", "between"):
        assert part[key] == of_runs[key]
    assert (part["curves"], part["documents"]) == (None, None)
    # the table knows its share of judged documents
    assert part["judged_at"] == of_runs["judged_at"] == 10
    assert {topic["relevant"] for topic in part["topics"]} == {None}


@pytest.mark.parametrize(
    ("min_diff", "counts"), [(0, "2/1/2"), (0.0003, "1/3/1"), (0.0004, "0/5/0")]
)
def test_differences_up_to_the_smallest_that_counts_are_ties(min_diff: float, counts: str) -> None:
    """The end itself is a tie, though 0.0003 / 0.0001 is a little less than 3."""
    gains = [0.0003, 0.0004, 0.0, -0.0003, -0.0004]
    values = np.array([[[0.5, 0.5 + gain] for gain in gains]])
    runs = (RunInfo("base", "base.run"), RunInfo("other", "other.run"))
    table = ScoreTable((b"1", b"2", b"3", b"4", b"5"), runs, (Column("map", "map"),), values)
    found, _ = report(table, baselines=["base"], min_diff=min_diff)
    (part,) = page_data(found.html)["parts"]
    assert part["tie"] == round(min_diff * 10_000)
    rows = Page(found.html).tables["Runs, sorted by map"]
    (other,) = (row for row in rows if row[1].text == "other")
    # place, run, plot, map, difference, p, w/t/l
    assert other[6].text == counts


def test_wrong_options_are_spoken_of_as_keywords() -> None:
    with pytest.raises(UsageError, match="this is a run: give its qrels first"):
        irev.report(None, RUNS)


def test_run_of_a_folder_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    for path in RUNS:
        (folder / Path(path).name).write_bytes(Path(path).read_bytes())
    whole = command("report", "-m", "map", QRELS, folder)
    (folder / "broken.run").write_text("1 Q0 a 1 none x\n")  # before dense and rm3
    ran = command("report", "-m", "map", QRELS, folder)
    assert (whole.code, ran.code) == (0, 2)
    assert f"warning: left out: {folder}/broken.run:1: score 'none' is not a number" in ran.err
    parts = [page_data(each.out.decode())["parts"][0] for each in (whole, ran)]
    for key in ("runs", "means", "scores", "curves", "documents", "judged_at"):
        assert parts[0][key] == parts[1][key], key
    assert "left out: " in ran.out.decode()
    # what can be called again beside the folder
    assert f"irev report -m map {Path(QRELS).name} team/" in ran.out.decode()
    only = command("report", QRELS, folder / "broken.run")
    assert (only.code, only.out) == (2, b"")
    assert command("--strict", "report", QRELS, folder).out == b""
