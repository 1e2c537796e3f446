"""The leaderboard's page: one file that loads nothing, escapes names, and says what the table says.

That it works in a browser is tried by `make test-browser`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from irev.boards.board import board
from irev.boards.page import differences_chart, intervals_chart, write_page
from irev.boards.rules import BoardRules
from irev.boards.track import Broken, Track
from irev.core.model import Column
from irev.results.matrices import Matrices, NamedRun

HOSTILE = '<img src=x onerror="alert(1)">&\'\u202e'
VOID = {"meta", "link", "path", "circle", "wbr"}


class Page(HTMLParser):
    """The tags of a page, each closed by its own; the texts of the tables' cells."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        """Take a tag."""
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href", "action", "data", "srcset")]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        """A tag that closes itself."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        """It must be the one that was opened last."""
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        """Take what stands in a cell."""
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def track(names=("first", "second"), topics=3, part=""):
    values = np.linspace(0.9, 0.1, topics)[:, None] * np.linspace(1, 0.5, len(names))
    entries = tuple(NamedRun(name, f"{name}.run") for name in names)
    ids = tuple(f"<t{number}>".encode() for number in range(topics))
    scores = Matrices(ids, entries, (Column("map", "map"),), values[None])
    made = board(scores, BoardRules(resamples=100), part=part)
    return Track(
        "", (made,), (Broken("bad<1>.run", 3, "bad-score", "a & b", "a <kind>"),), ("some <note>",)
    )


def page(*tracks, per_topic=False):
    return b"".join(write_page(tracks, 4, per_topic)).decode()


def test_the_page_is_sound_and_escapes():
    text = page(track((HOSTILE, "other")))
    found = Page(text)
    assert "img" not in found.tags
    assert "\u202e" not in text
    assert "bad&lt;1&gt;.run:3: a &lt;kind&gt;" in text
    assert "a &amp; b" not in text
    assert "some &lt;note&gt;" in text
    assert ["1", HOSTILE.replace("\u202e", "\\u202e"), "0.5000"] == found.rows[1][:3]
    assert any(row[0] == "<t1>" for row in found.rows)


def test_nothing_is_loaded():
    text = page(track(part="public"), track(part="private"))
    assert all(link.startswith(("#", "data:")) for link in Page(text).links)
    assert "://" not in text
    assert "@import" not in text
    assert "url(" not in text
    script = re.search("<script>(.*)</script>", text, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text


def test_headings_and_captions():
    found = Page(page(track()))
    assert found.tags.count("h1") == 1
    assert found.tags.count("table") == found.tags.count("caption") == 4
    assert found.tags.count("svg") == found.tags.count("title") - 1 == 3


def test_many_values_are_left_out_unless_asked_for():
    many = track([f"run{number}" for number in range(60)], topics=900)
    assert "54000 values by topic and run are left out" in page(many)
    assert page(track()) == page(track(), per_topic=True)
    assert len(page(many, per_topic=True)) > 10 * len(page(many))


@pytest.mark.parametrize("most", [1.0, 1.5])
def test_bars_stand_for_differences(most):
    lines = "".join(differences_chart([0.5, -1.0, 0.0, 0.25], most, "x", "title"))
    up, down = re.findall(r' d="(M\S+ [^"]*v[^"]*)"', lines)
    full = 54 / most  # 54 px are the largest that any run has
    assert [-float(v) for v in re.findall("v(-?[0-9.]+)", up)] == [0.5 * full, 0.25 * full]
    assert [float(v) for v in re.findall("v(-?[0-9.]+)", down)] == [full]
    assert re.findall(r"<text [^>]*>([^<]*)", lines) == [f"+{most:g}", "0", f"-{most:g}"]


def test_bytes_that_are_not_utf8_are_shown_as_hexadecimal():
    made = page(track(["caf\udce9", "café"]))
    assert r"caf\xe9" in made
    assert "café" in made
    assert "udce9" not in made


def test_intervals_are_drawn_at_their_values():
    made = track(topics=8).boards[0]
    lines = "".join(intervals_chart(made, "x"))
    ticks = [
        (float(x), float(v))
        for x, v in re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">([-\d.]+)', lines)
    ]
    assert len(ticks) >= 3
    (x0, v0), (x1, v1) = ticks[0], ticks[-1]
    circles = [float(x) for x in re.findall(r'cx="([\d.]+)"', lines)]
    wanted = [x0 + (mean - v0) * (x1 - x0) / (v1 - v0) for mean in (0.5, 0.25)]
    assert circles == pytest.approx(wanted, abs=0.2)


@pytest.mark.parametrize("scores", [np.zeros((3, 2)), np.full((1, 2), 0.5), np.full((3, 1), -2.0)])
def test_boards_without_spread_are_drawn(scores):
    topics = tuple(str(number).encode() for number in range(len(scores)))
    entries = tuple(NamedRun(str(number), "") for number in range(scores.shape[1]))
    columns = (Column("map", "map"),)
    made = board(Matrices(topics, entries, columns, scores[None]), BoardRules(resamples=50))
    text = page(Track("", (made,), (), ()))
    Page(text)
    assert "nan" not in text
