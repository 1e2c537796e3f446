"""Results in a notebook: tables in its own colours, long ones folded, and nothing that runs."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys

import pytest

from irev import compare, evaluate, leaderboard
from irev.writers.document import Document, Head, Lines, Table
from irev.writers.forms import MOST_ROWS, SHOWN_ROWS, notebook_html
from tests.files import SAMPLE

QRELS, FIRST = SAMPLE / "qrels.txt", SAMPLE / "first"


def shown(num_rows: int) -> str:
    table = Table([Head("run", "text"), Head("map")], [[f"r{n}", n / 7] for n in range(num_rows)])
    return notebook_html(Document("", [table], (), dict))


@pytest.mark.parametrize("num_rows", [0, 1, SHOWN_ROWS, SHOWN_ROWS + 2])
def test_a_short_table_is_shown_whole(num_rows: int) -> None:
    html = shown(num_rows)
    assert html.count("<tr>") == 1 + num_rows
    assert "<details" not in html


def test_a_long_table_is_folded() -> None:
    html = shown(60)
    folded, first = html.split('<div class="first">')
    assert re.findall(r'<td class="text">(\w+)</td>', folded) == [f"r{n}" for n in range(60)]
    assert first.count("<tr>") == 1 + SHOWN_ROWS
    assert "<summary>all 60 rows</summary>" in folded
    assert "... 40 more rows" in first


def test_a_very_long_table_says_where_the_rest_is() -> None:
    html = shown(MOST_ROWS + 1)
    assert html.count("<tr>") == 2 + MOST_ROWS + SHOWN_ROWS
    assert "the first 1,000 of 1,001 rows; to_frame() has all" in html


def test_one_row_of_many_columns_stands_upright() -> None:
    heads = [Head("topic", "text"), *(Head(f"m{n}", "p") for n in range(12))]
    html = notebook_html(Document("", [Table(heads, [["all", 0.00001, *[0.25] * 11]])], (), dict))
    assert "<td>&lt;0.0001</td>" in html
    assert html.count("<tr>") == 13
    assert '<th scope="col">all</th>' in html


def test_many_notes_are_folded() -> None:
    lines = [Lines([f"note {n}" for n in range(9)])]
    assert "<summary>9 notes</summary>" in notebook_html(Document("", lines, (), dict))
    assert "<details" not in notebook_html(Document("", [Lines(["a"])], (), dict))


def test_results_have_nothing_that_runs_or_loads_and_no_colour_of_their_own() -> None:
    runs = [str(FIRST / "bm25.run"), str(FIRST / "neural.run")]
    table = evaluate(FIRST / "qrels.txt", runs, "map P@5")
    for result in (table, table["bm25"], compare(table), leaderboard(table)):
        html = result._repr_html_()
        assert html.startswith('<div class="irev">')
        assert not re.search(r"<script|\son\w+=|https?:|url\(|@import|<link|<img", html)
        assert not re.search(r"(?<!-)(?:color|background): *#", html)
        assert "tabular-nums" in html


def test_scores_by_topic_are_folded_below() -> None:
    runs = [str(FIRST / "bm25.run"), str(FIRST / "neural.run")]
    table = evaluate(FIRST / "qrels.txt", runs, "map P@5")
    html = table._repr_html_()
    assert "<summary>map of 10 topics</summary>" in html
    assert "<summary>P@5 of 10 topics</summary>" in html
    # topic 301: average precision of bm25, then of neural, as by trec_eval
    assert '<tr><td class="text">301</td><td>0.2454</td><td>0.7111</td></tr>' in html
    alone = table["bm25"]._repr_html_()
    assert "<summary>10 topics</summary>" in alone
    assert alone.count("<tr>") == 2 + 11


def test_a_notebook_loads_no_pandas() -> None:
    code = (
        "import sys, irev; from glob import glob\n"
        f"f = {str(FIRST)!r}\n"
        "t = irev.evaluate(f + '/qrels.txt', f + '/*.run', 'map')\n"
        "for result in (t, t['bm25']): result._repr_html_()\n"
        "assert not {'pandas', 'matplotlib', 'tabulate'} & set(sys.modules), 'imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_a_table_for_a_paper_is_a_text_that_shows_the_table() -> None:
    scores = evaluate({"q": {"d": 1}}, {"q": ["d"]}, "map")
    paper = scores.paper("markdown")
    assert isinstance(paper, str)
    assert repr(paper) == str(paper) == scores.paper("markdown")
    assert "\n| map" in repr(paper)
    for _ in range(2):  # a cell may be run again
        assert '<td class="text">map</td><td data-v="1.0">1.0000</td>' in paper._repr_html_()
    assert type(pickle.loads(pickle.dumps(paper))) is str
