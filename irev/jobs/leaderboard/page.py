"""A leaderboard as one HTML file that loads nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_text
from irev.core.wording import count_text
from irev.jobs.leaderboard.document import board_table, topic_table
from irev.jobs.leaderboard.track import board_signature, facts, heading, missing_lines
from irev.writers.charts import Whisker, differences_chart, intervals_chart
from irev.writers.document import Head, Table
from irev.writers.live_page import (
    SEARCHABLE,
    SORTABLE,
    contents_list,
    figure_block,
    folded_block,
    live_page,
)
from irev.writers.pages import html_list, html_table, html_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.leaderboard.board import Board, Standing
    from irev.jobs.leaderboard.track import Track


_MOST_VALUES = 50_000
"""Values by topic and run that a page shows: browsers become slow with more."""

_MANY_RUNS = 12
"""A table of so many runs can be searched."""


def write_page(tracks: Sequence[Track], decimals: int, per_topic: bool) -> Iterator[bytes]:
    """The page; with `per_topic` also where there are many values by topic."""
    return live_page(_title(tracks), _page(tracks, decimals, per_topic))


def _title(tracks: Sequence[Track]) -> str:
    """What the page is about: of a single board its measure, of several their tracks."""
    boards = [board for track in tracks for board in track.boards]
    named = [track.name for track in tracks if track.name]
    if len(boards) == 1:
        (board,) = boards
        about = f"{count_text(len(board.standings), 'run')} by {board.by}"
        about += f", {count_text(len(board.table.topics), 'topic')}"
        return f"Leaderboard {named[0]}: {about}" if named else f"Leaderboard: {about}"
    by = dict.fromkeys(board.by for board in boards)
    return f"Leaderboard: {', '.join(named or by)}"


def _page(tracks: Sequence[Track], decimals: int, per_topic: bool) -> Iterator[str]:
    names = _names(tracks)
    if len(names) > 1:
        yield from contents_list("Boards", [(f"b{at}", name) for at, name in enumerate(names)])
    at = 0
    for track in tracks:
        yield from _remarks(track)
        for board in track.boards:
            yield from _board(board, names[at] if len(names) > 1 else "", at, decimals, per_topic)
            at += 1


def _names(tracks: Sequence[Track]) -> list[str]:
    boards = [(track, board) for track in tracks for board in track.boards]
    return [heading(*each) or f"Runs by {each[1].by}" for each in boards]


def _board(board: Board, name: str, at: int, decimals: int, per_topic: bool) -> Iterator[str]:
    """The runs, then, folded, what the numbers stand on and the topics.

    `name` is empty where the page's title says it.
    """
    if name:
        yield f'<section aria-labelledby="b{at}">\n<h2 id="b{at}">{html_text(name)}</h2>'
    else:
        yield "<section>"
    for line in missing_lines(board):
        yield f'<p class="warnings">{html_text(line)}</p>'
    table = in_short(board_table(board))
    many = len(board.standings) >= _MANY_RUNS
    yield from html_table(table, decimals, SEARCHABLE if many else SORTABLE)
    yield from _legend(board)
    about = "blue: not shown to differ from the best" if board.tested else ""
    chart = intervals_chart(_whiskers(board), board.by, f"c{at}", f"{board.by} of each run")
    ends = "" if board.rules.interval == "none" else " with intervals"
    yield from figure_block(f"Mean {board.by}{ends}", about, chart)
    yield from folded_block("How the numbers were made", _made(board))
    yield from folded_block(
        "Topics: best, median and worst", html_table(topic_table(board), decimals, SEARCHABLE)
    )
    shown = len(board.table.topics) * len(board.standings)
    if shown > _MOST_VALUES and not per_topic:
        yield f"<p>{shown} values by topic and run are not shown: use --per-topic to add them.</p>"
    else:
        yield from folded_block(
            f"Runs by topic ({len(board.standings)})", _runs(board, at, decimals)
        )
    yield "</section>"


_LETTERS = re.compile("[a-z]{4,}")


def in_short(table: Table) -> Table:
    """The table with long groups such as abcdef as a-f: a run's groups follow one another."""
    heads = [column.name for column in table.columns]
    if "groups" not in heads:
        return table
    at = heads.index("groups")
    rows = [list(row) for row in table.rows]
    for row in rows:
        groups = str(row[at])
        if _LETTERS.fullmatch(groups) and ord(groups[-1]) - ord(groups[0]) == len(groups) - 1:
            row[at] = f"{groups[0]}-{groups[-1]}"
    return table._replace(rows=rows)


def _legend(board: Board) -> Iterator[str]:
    """What a reader must know of the columns, in a sentence each."""
    if board.tested:
        yield (
            f"<p>p: could the difference from the best run be chance? (corrected; level "
            f"{board.rules.alpha:g}). as best: not shown to differ from the best run. groups: runs "
            "that share a letter (or number) are not shown to differ.</p>"
        )


def _made(board: Board) -> Iterator[str]:
    """What the numbers of a board stand on."""
    yield from html_list(list(facts(board)))
    signed = board_signature(board)
    if signed is not None:
        yield f"<p>signature: <code>{html_text(signed.short)}</code></p>"


def _whiskers(board: Board) -> list[Whisker]:
    """The runs' means with their intervals, best run first."""
    row = board.row
    return [
        Whisker(
            board.entry(each).name, float(board.summary[row, each.number]),
            float(board.low[row, each.number]), float(board.high[row, each.number]),
            bool(each.as_best),
        )
        for each in board.standings
    ]  # fmt: skip


def _runs(board: Board, at: int, decimals: int) -> Iterator[str]:
    scores = board.table.scores(board.by)
    most = float(np.abs(scores - np.median(scores, axis=1, keepdims=True)).max())
    for number, standing in enumerate(board.standings):
        name = board.entry(standing).name
        lines = _run(board, standing, most, f"r{at}-{number}", decimals)
        yield from folded_block(f"{standing.place}. {name}", lines)


def _run(
    board: Board, standing: Standing, most: float, identifier: str, decimals: int
) -> Iterator[str]:
    """A run's values by topic, and how they differ from the median of all runs: by `most` at most.

    All runs are drawn to this one scale, so that they can be compared by eye.
    """
    scores = board.table.scores(board.by)
    own, median = scores[:, standing.number], np.median(scores, axis=1)
    differences = (own - median).tolist()
    name = board.entry(standing).name
    columns = [
        Head("topic", "text"), Head(board.by), Head("median"),
        Head("difference", number_format=f"+.{decimals}f"),
    ]  # fmt: skip
    topics = [*map(as_text, board.table.topics)]
    title = f"{board.by} of {name} minus the median of all runs, topics in decreasing order"
    pairs = list(zip(topics, differences, strict=True))
    yield from differences_chart(pairs, most, identifier, title)
    values = list(zip(topics, own.tolist(), median.tolist(), differences, strict=True))
    table = Table(columns, values, caption=f"{board.by} of {name} by topic")
    yield from html_table(table, decimals, SORTABLE)


def _remarks(track: Track) -> Iterator[str]:
    """What else a reader must know; folded, which submissions could not be scored."""
    first, *others = track.broken_lines() if track.broken else ("",)
    if not track.notes and not first:
        return
    name = f" of {html_text(track.name)}" if track.name else ""
    yield f'<section class="warnings"><h2>Remarks{name}</h2>'
    if track.notes:
        yield from html_list(track.notes)
    if others:
        yield from folded_block(first.rstrip(":"), html_list(others))
    elif first:
        yield f"<p>{html_text(first)}</p>"
    yield "</section>"
