"""A leaderboard as one HTML file that loads nothing else.

Without scripts everything can be read; the script only sorts. `#selftest` behind the address sorts
every column and leaves the outcome in the attribute `data-selftest` of the document.
"""

from __future__ import annotations

import base64
import hashlib
import math
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from irev.boards.document import board_table, topic_table
from irev.boards.track import board_signature, facts, heading, missing_lines
from irev.core.text import as_text, printable
from irev.core.version import __version__
from irev.writers.document import Head, Table
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
    yield f"</main>\n<footer><p>Made with irev {html_text(__version__)}.</p></footer>"
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
        Head("topic", "text"), Head(board.by), Head("median"),
        Head("difference", form=f"+.{places}f"),
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


_WIDTH, _LABELS, _LINE, _MARGIN = 760, 220, 18, 24
_LONGEST_LABEL = 30
_BARS_HEIGHT, _SCALE = 120, 48


def intervals_chart(board: Board, identifier: str) -> Iterator[str]:
    """The runs' means with their intervals, best run first."""
    row = board.row
    numbers = [standing.number for standing in board.standings]
    means = board.summary[row, numbers].tolist()
    low, high = (ends[row, numbers].tolist() for ends in (board.low, board.high))
    ends = [value for value in (*means, *low, *high) if math.isfinite(value)]
    scale = _Scale(min(ends), max(ends))
    height = _LINE * len(numbers) + 2 * _MARGIN
    title = f"{board.by} of each run with its interval, in the order of the board"
    yield from _begin(identifier, title, _WIDTH, height)
    for tick in scale.ticks():
        x = scale.at(tick)
        yield f'<path class="grid" d="M{x:.1f} {_MARGIN}V{height - _MARGIN}"/>'
        yield f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>'
    for place, standing in enumerate(board.standings):
        y = _MARGIN + _LINE * (place + 0.5)
        name = _cut(board.entry(standing).name)
        yield f'<text x="{_LABELS - 8}" y="{y + 4:.1f}" text-anchor="end">{name}</text>'
        if math.isfinite(low[place]):
            ends_at = f"M{scale.at(low[place]):.1f} {y:.1f}H{scale.at(high[place]):.1f}"
            yield f'<path class="interval" d="{ends_at}"/>'
        mark = "mean like" if standing.as_best else "mean"
        yield f'<circle class="{mark}" cx="{scale.at(means[place]):.1f}" cy="{y:.1f}" r="4"/>'
    yield "</svg>"


def differences_chart(
    differences: Sequence[float], most: float, identifier: str, title: str
) -> Iterator[str]:
    """Differences by topic as bars, from the largest gain to the largest loss.

    Args:
        differences: one for each topic.
        most: what a bar of full height stands for.
        identifier: of the title, unlike any other on the page.
        title: what is drawn.
    """
    most = most or 1.0
    middle, reach = _BARS_HEIGHT / 2, _BARS_HEIGHT / 2 - 6
    step = min(24.0, (_WIDTH - _SCALE) / max(1, len(differences)))
    yield from _begin(identifier, title, _WIDTH, _BARS_HEIGHT)
    for value in (most, 0.0, -most):
        y = middle - value / most * reach
        yield f'<path class="grid" d="M{_SCALE} {y:g}H{_WIDTH}"/>'
        label = f"{value:+.2g}" if value else "0"
        yield f'<text x="{_SCALE - 8}" y="{y + 4:g}" text-anchor="end">{label}</text>'
    for gains in (True, False):
        bars = "".join(
            f"M{_SCALE + (place + 0.5) * step:.1f} {middle:g}v{-value / most * reach:.1f}"
            for place, value in enumerate(sorted(differences, reverse=True))
            if value and (value > 0) == gains
        )
        if bars:
            kind = "gain" if gains else "loss"
            yield f'<path class="{kind}" stroke-width="{max(0.5, step * 0.7):.1f}" d="{bars}"/>'
    yield "</svg>"


class _Scale:
    """From values to pixels; the ends lie a little outside the values."""

    def __init__(self, low: float, high: float) -> None:
        margin = (high - low) * 0.04 or abs(high) * 0.1 or 0.1
        self.low, self.high = low - margin, high + margin

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return _LABELS + share * (_WIDTH - _LABELS - 12)

    def ticks(self) -> Iterator[float]:
        """Round numbers, between three and eight of them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield round(number * step, 12)


def _begin(identifier: str, title: str, width: float, height: float) -> Iterator[str]:
    yield (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{identifier}"><title id="{identifier}">{escape(title)}</title>'
    )


def _cut(name: str) -> str:
    shown = printable(name)
    return escape(shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…")
