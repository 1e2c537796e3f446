"""The leaderboard's page: one file that loads nothing, escapes names, and says what the table says.

That it works in a browser is tried by `make test-browser`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from irev.core.model import Column
from irev.jobs.leaderboard.board import rank_runs
from irev.jobs.leaderboard.options import LeaderboardOptions
from irev.jobs.leaderboard.page import shorten_groups, write_page
from irev.jobs.leaderboard.results import Board, BrokenSubmission
from irev.scores.table import RunInfo, ScoreTable
from irev.writers.document import Head, Table
from tests.pages import Page, nothing_is_loaded

HOSTILE = '<img src=x onerror="alert(1)">&\'\u202e'


def track(names=("first", "second"), topics=3, part=""):
    values = np.linspace(0.9, 0.1, topics)[:, None] * np.linspace(1, 0.5, len(names))
    entries = tuple(RunInfo(name, f"{name}.run") for name in names)
    ids = tuple(f"<t{number}>".encode() for number in range(topics))
    scores = ScoreTable(ids, entries, (Column("map", "map"),), values[None])
    result = rank_runs(scores, LeaderboardOptions(resamples=100), part_name=part)
    return Board(
        "",
        (result,),
        (BrokenSubmission("bad<1>.run", 3, "bad-score", "a & b", "a <kind>"),),
        ("some <note>",),
    )


def page(*tracks, per_topic=False):
    return b"".join(write_page(tracks, 4, per_topic)).decode()


def test_the_page_is_sound_and_escapes():
    text = page(track((HOSTILE, "other")))
    actual = Page(text)
    assert "img" not in actual.tags
    assert "\u202e" not in text
    assert "bad&lt;1&gt;.run:3: a &lt;kind&gt;" in text
    assert "a &amp; b" not in text
    assert "some &lt;note&gt;" in text
    assert ["1", HOSTILE.replace("\u202e", "\\u202e"), "0.5000"] == actual.rows[1][:3]
    assert any(row[0] == "<t1>" for row in actual.rows)


def test_nothing_is_loaded():
    nothing_is_loaded(page(track(part="public"), track(part="private")))


def test_headings_and_captions():
    text = page(track())
    actual = Page(text)
    assert "<title>Leaderboard: 2 runs by map, 3 topics</title>" in text
    assert actual.tags.count("h1") == 1
    assert actual.tags.count("table") == actual.tags.count("caption") == 4
    assert actual.tags.count("svg") == 3
    assert 'id="b0"' not in text  # a board that is alone needs no heading


def test_of_several_boards_each_has_a_heading_and_a_link():
    text = page(track(part="public"), track(part="private"))
    assert "<title>Leaderboard: map</title>" in text
    for at, name in enumerate(("public", "private")):
        assert f'<a href="#b{at}">{name}</a>' in text
        assert f'<h2 id="b{at}">{name}</h2>' in text


def test_the_details_and_what_could_not_be_scored_are_folded():
    """A reader sees the runs; 100 rejected files and the tests' details take a line each."""
    broken = tuple(BrokenSubmission(f"bad{n}", n, "bad-score", "", "why") for n in range(1, 100))
    text = page(replace(track(), broken=broken))
    before = text[: text.index("<table")]
    assert "<summary>99 submissions could not be scored</summary>" in before
    assert text.index("<summary>Runs by topic (2)</summary>") < text.index("1. first")
    result = text[text.index("<summary>How the numbers were made") :]
    assert "alpha 0.05" in result[: result.index("</details>")]
    assert "alpha" not in before


@pytest.mark.parametrize(
    ("groups", "shown"),
    [("abcdef", "a-f"), ("cdef", "c-f"), ("abc", "abc"), ("abdef", "abdef"), ("[1..9]", "[1..9]")],
)
def test_long_groups_are_shortened(groups, shown):
    """Of many runs most are in many groups, whose letters follow one another."""
    table = Table([Head("run", "text"), Head("groups", "text")], [["bm25", groups]])
    assert shorten_groups(table).rows == [["bm25", shown]]
    assert shorten_groups(table._replace(columns=table.columns[:1], rows=[["bm25"]])).rows == [
        ["bm25"]
    ]


def test_many_values_are_left_out_unless_asked_for():
    many = track([f"run{number}" for number in range(60)], topics=900)
    assert "54000 values by topic and run are not shown" in page(many)
    assert page(track()) == page(track(), per_topic=True)
    assert len(page(many, per_topic=True)) > 10 * len(page(many))


def test_bytes_that_are_not_utf8_are_shown_as_hexadecimal():
    result = page(track(["caf\udce9", "café"]))
    assert r"caf\xe9" in result
    assert "café" in result
    assert "udce9" not in result


@pytest.mark.parametrize("scores", [np.zeros((3, 2)), np.full((1, 2), 0.5), np.full((3, 1), -2.0)])
def test_boards_without_spread_are_drawn(scores):
    topics = tuple(str(number).encode() for number in range(len(scores)))
    entries = tuple(RunInfo(str(number), "") for number in range(scores.shape[1]))
    columns = (Column("map", "map"),)
    part = rank_runs(
        ScoreTable(topics, entries, columns, scores[None]), LeaderboardOptions(resamples=50)
    )
    text = page(Board("", (part,), (), ()))
    Page(text)
    assert "nan" not in text
