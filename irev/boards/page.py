"""A leaderboard as one HTML file that loads nothing else.

Without scripts everything can be read; the script only sorts. `#selftest` behind the address sorts
every column and leaves the outcome in the attribute `data-selftest` of the document.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from irev.boards.charts import differences_chart, intervals_chart
from irev.boards.tables import board_table
from irev.boards.track import facts, heading, missing_lines, signature, topic_rows
from irev.core.text import as_bytes, as_text, printable
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.boards.board import Board, Standing
    from irev.boards.track import Track

_MOST_VALUES = 50_000
"""Values by topic and run that a page shows: browsers become slow with more."""

_TEXTS = frozenset({"run", "team", "groups", "topic", "best run"})
"""The columns that hold no numbers."""


def write_page(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """The page; with `per_topic` also where there are many values by topic."""
    for line in _page(tracks, places, per_topic):
        # bytes of names that are not UTF-8 are shown as \xNN
        text = as_bytes(f"{line}\n")
        yield text.decode("utf-8", "backslashreplace").encode()


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
            yield f'<li><a href="#b{at}">{_text(name)}</a></li>'
        yield "</ul></nav>"
    at = 0
    for track in tracks:
        for board in track.boards:
            yield from _board(track, board, at, places, per_topic)
            at += 1
        yield from _remarks(track)
    yield f"</main>\n<footer><p>Made with irev {_text(version())}.</p></footer>"
    yield f"<script>{script}</script>\n</body>\n</html>"


@cache
def _file(name: str) -> str:
    return resources.files("irev.boards").joinpath(name).read_text("utf-8")


def _names(tracks: Sequence[Track]) -> list[tuple[int, str]]:
    boards = [(track, board) for track in tracks for board in track.boards]
    return [(at, heading(*each) or "Board") for at, each in enumerate(boards)]


def _text(line: str) -> str:
    return escape(printable(line))


def _board(track: Track, board: Board, at: int, places: int, per_topic: bool) -> Iterator[str]:
    name = heading(track, board) or f"Runs by {board.by}"
    yield f'<section aria-labelledby="b{at}">\n<h2 id="b{at}">{_text(name)}</h2>'
    head, rows = board_table(board, places)
    each = zip(board.standings, rows, strict=True)
    keys = [_keys(board, standing, head, row) for standing, row in each]
    order = "rising" if board.falls else "falling"
    yield from _table(f"Runs by {order} {board.by}", head, rows, keys)
    yield "<figure>"
    yield from intervals_chart(board, f"c{at}")
    blue = ", blue where it is not different from the best" if board.tested else ""
    ends = "" if board.rules.interval == "none" else ", and its interval"
    yield f"<figcaption>{_text(board.by)}: mean{blue}{ends}.</figcaption></figure>"
    yield "<ul>"
    for line in (*facts(board), *missing_lines(board)):
        yield f"<li>{_text(line)}</li>"
    signed = signature(board)
    if signed is not None:
        yield f"<li>signature: <code>{_text(signed.short)}</code></li>"
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


def _keys(board: Board, standing: Standing, head: Sequence[str], row: Sequence[str]) -> list[str]:
    """What each cell is sorted by: the numbers behind what is shown."""
    number = standing.number
    known = {
        name: repr(float(board.summary[at, number]))
        for at, name in enumerate(board.matrices.measures)
    }
    p = standing.p_best
    known |= {"p": "" if p is None else repr(p), "w/t/l": str(standing.against[0])}
    level = f"{100 * (1 - board.rules.alpha):g}%"
    known |= {f"{level} places": str(standing.low)}
    low = float(board.low[board.row, number])
    known[f"{level} interval"] = "" if low != low else repr(low)
    return [known.get(name, cell) for name, cell in zip(head, row, strict=True)]


def _topics(board: Board, places: int) -> Iterator[str]:
    """The best, the median and the worst score of each topic."""
    rows, keys = [], []
    for row in topic_rows(board):
        best = row.runs[0] + (f" and {len(row.runs) - 1} more" if len(row.runs) > 1 else "")
        values = (row.best, row.median, row.worst)
        texts = [f"{value:.{places}f}" for value in values]
        rows.append([row.topic, texts[0], best, *texts[1:]])
        keys.append([row.topic, repr(row.best), best, *map(repr, values[1:])])
    yield "<details>\n<summary>Topics: best, median and worst</summary>"
    yield from _table(
        f"{board.by} of the runs by topic", ["topic", "best", "best run", "median", "worst"],
        rows, keys,
    )  # fmt: skip
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
    rows, keys = [], []
    for topic, *values in zip(
        board.matrices.topics, own.tolist(), median.tolist(), differences.tolist(), strict=True
    ):
        texts = [f"{value:.{places}f}" for value in values[:2]]
        rows.append([as_text(topic), *texts, f"{values[2]:+.{places}f}"])
        keys.append([as_text(topic), *map(repr, values)])
    yield f"<details>\n<summary>{standing.place}. {_text(name)}</summary>"
    title = f"{board.by} of {printable(name)} less the median of all runs, topics in falling order"
    yield from differences_chart(differences.tolist(), most, identifier, title)
    yield from _table(
        f"{board.by} of {name} by topic", ["topic", board.by, "median", "difference"], rows, keys
    )
    yield "</details>"


def _table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], keys: Sequence[Sequence[str]]
) -> Iterator[str]:
    kinds = [' class="text"' if name in _TEXTS else "" for name in head]
    yield f'<div class="scroll"><table class="sortable"><caption>{_text(caption)}</caption>'
    cells = zip(head, kinds, strict=True)
    names = "".join(
        f'<th scope="col"{kind}>{_text(name).replace("/", "/<wbr>")}</th>' for name, kind in cells
    )
    yield f"<thead><tr>{names}</tr></thead>\n<tbody>"
    for row, key in zip(rows, keys, strict=True):
        shown = (
            f"<td{kind}{_key(cell, by)}>{_text(cell)}</td>"
            for kind, cell, by in zip(kinds, row, key, strict=True)
        )
        yield f"<tr>{''.join(shown)}</tr>"
    yield "</tbody></table></div>"


def _key(cell: str, key: str) -> str:
    return "" if key == cell else f' data-v="{escape(printable(key))}"'


def _remarks(track: Track) -> Iterator[str]:
    """What is wrong with submissions, and what else a reader must know."""
    lines = [*(f"note: {note}" for note in track.notes), *track.broken_lines()]
    if lines:
        name = f" of {_text(track.name)}" if track.name else ""
        yield f"<section><h2>Remarks{name}</h2><ul>"
        yield from (f"<li>{_text(line)}</li>" for line in lines)
        yield "</ul></section>"
