"""A leaderboard as one HTML file that loads nothing else.

Without scripts everything can be read; the script only sorts. `#selftest` behind the address sorts
every column and leaves the outcome in the attribute `data-selftest` of the document.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from irev.boards.charts import differences_chart, intervals_chart
from irev.boards.document import board_table, topic_table
from irev.boards.track import board_signature, facts, heading, missing_lines
from irev.core.text import as_text, printable
from irev.core.version import version
from irev.writers.document import Column, Table
from irev.writers.pages import html_list, html_table, html_text, page_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.boards.board import Board, Standing
    from irev.boards.track import Track

_MOST_VALUES = 50_000
"""Values by topic and run that a page shows: browsers become slow with more."""

_SORTABLE = "sortable"
"""The class of the tables that the script sorts."""


def write_page(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """The page; with `per_topic` also where there are many values by topic."""
    return map(page_bytes, _page(tracks, places, per_topic))


def _page(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[str]:
    script, style = _file("page.js"), _file("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<title>Leaderboard</title>\n<link rel="icon" href="data:,">\n<style>{style}</style>'
    yield "</head>\n<body>\n<main>\n<h1>Leaderboard</h1>"
    if sum(len(track.boards) for track in tracks) > 1:
        yield '<nav aria-label="Boards"><ul>'
        for at, name in _names(tracks):
            yield f'<li><a href="#b{at}">{html_text(name)}</a></li>'
        yield "</ul></nav>"
    at = 0
    for track in tracks:
        for board in track.boards:
            yield from _board(track, board, at, places, per_topic)
            at += 1
        yield from _remarks(track)
    yield f"</main>\n<footer><p>Made with irev {html_text(version())}.</p></footer>"
    yield f"<script>{script}</script>\n</body>\n</html>"


@cache
def _file(name: str) -> str:
    return resources.files("irev.boards").joinpath(name).read_text("utf-8")


def _names(tracks: Sequence[Track]) -> list[tuple[int, str]]:
    boards = [(track, board) for track in tracks for board in track.boards]
    return [(at, heading(*each) or "Board") for at, each in enumerate(boards)]


def _board(track: Track, board: Board, at: int, places: int, per_topic: bool) -> Iterator[str]:
    name = heading(track, board) or f"Runs by {board.by}"
    yield f'<section aria-labelledby="b{at}">\n<h2 id="b{at}">{html_text(name)}</h2>'
    yield from html_table(board_table(board), places, _SORTABLE)
    yield "<figure>"
    yield from intervals_chart(board, f"c{at}")
    blue = ", blue where it is not different from the best" if board.tested else ""
    ends = "" if board.rules.interval == "none" else ", and its interval"
    yield f"<figcaption>{html_text(board.by)}: mean{blue}{ends}.</figcaption></figure>"
    yield "<ul>"
    for line in (*facts(board), *missing_lines(board)):
        yield f"<li>{html_text(line)}</li>"
    signed = board_signature(board)
    if signed is not None:
        yield f"<li>signature: <code>{html_text(signed.short)}</code></li>"
    yield "</ul>"
    yield from _topics(board, places)
    shown = len(board.matrices.topics) * len(board.standings)
    if shown > _MOST_VALUES and not per_topic:
        yield f"<p>{shown} values by topic and run are left out: --per-topic brings them.</p>"
    else:
        yield "<h3>Runs by topic</h3>"
        scores = board.matrices.of(board.by)
        most = float(np.abs(scores - np.median(scores, axis=1, keepdims=True)).max())
        for number, standing in enumerate(board.standings):
            yield from _run(board, standing, most, f"r{at}-{number}", places)
    yield "</section>"


def _topics(board: Board, places: int) -> Iterator[str]:
    """The best, the median and the worst score of each topic."""
    yield "<details>\n<summary>Topics: best, median and worst</summary>"
    yield from html_table(topic_table(board), places, _SORTABLE)
    yield "</details>"


def _run(
    board: Board, standing: Standing, most: float, identifier: str, places: int
) -> Iterator[str]:
    """A run's values by topic, and how they differ from the median of all runs: by `most` at most.

    All runs are drawn to this one scale, so that they can be compared by eye.
    """
    scores = board.matrices.of(board.by)
    own, median = scores[:, standing.number], np.median(scores, axis=1)
    differences = own - median
    name = board.entry(standing).name
    columns = [
        Column("topic", "text"), Column(board.by), Column("median"),
        Column("difference", form=f"+.{places}f"),
    ]  # fmt: skip
    topics = map(as_text, board.matrices.topics)
    values = zip(topics, own.tolist(), median.tolist(), differences.tolist(), strict=True)
    yield f"<details>\n<summary>{standing.place}. {html_text(name)}</summary>"
    title = f"{board.by} of {printable(name)} less the median of all runs, topics in falling order"
    yield from differences_chart(differences.tolist(), most, identifier, title)
    table = Table(columns, list(values), caption=f"{board.by} of {name} by topic")
    yield from html_table(table, places, _SORTABLE)
    yield "</details>"


def _remarks(track: Track) -> Iterator[str]:
    """What is wrong with submissions, and what else a reader must know."""
    lines = [*(f"note: {note}" for note in track.notes), *track.broken_lines()]
    if lines:
        name = f" of {html_text(track.name)}" if track.name else ""
        yield f"<section><h2>Remarks{name}</h2>"
        yield from html_list(lines)
        yield "</section>"
