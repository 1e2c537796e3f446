"""Leaderboards for people: plain tables, Markdown, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.boards.track import (
    facts,
    heading,
    missing_lines,
    others,
    several_teams,
    signature,
    topic_rows,
)
from irev.core.text import as_bytes, printable
from irev.writers.layout import p_text
from irev.writers.table import markdown, tabulated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from irev.boards.board import Board, Standing
    from irev.boards.track import Track


def write_table(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """Aligned tables; below each, what it stands on."""
    for line in _lines(tracks, places, per_topic, "simple", printable, "{}", "{}"):
        yield as_bytes(f"{line}\n")


def write_markdown(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """Tables of GitHub's Markdown; below each, what it stands on."""
    for line in _lines(tracks, places, per_topic, "github", markdown, "## {}", "- {}"):
        yield as_bytes(f"{line}\n")


def write_latex(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """Tables for LaTeX's booktabs; what they stand on, in comments."""
    for line in _lines(tracks, places, per_topic, "latex_booktabs", printable, "% {}", "% {}"):
        yield as_bytes(f"{line}\n")


def _lines(
    tracks: Sequence[Track], places: int, per_topic: bool, style: str,
    shown: Callable[[str], str], title: str, item: str,
) -> Iterator[str]:  # fmt: skip
    is_first = True
    for track in tracks:
        for board in track.boards:
            if not is_first:
                yield ""
            is_first = False
            yield from _board_lines(track, board, places, style, shown, title, item)
            if per_topic:
                yield from ("", _topics(board, places, style, shown))
        if not track.boards:
            yield from ([] if is_first else [""])
            is_first = False
            yield title.format(shown(track.name))
        below = [*(f"note: {note}" for note in track.notes), *track.broken_lines()]
        if below:
            yield from ("", *(item.format(shown(line)) for line in below))


def _board_lines(
    track: Track, board: Board, places: int, style: str, shown: Callable[[str], str], title: str,
    item: str,
) -> Iterator[str]:  # fmt: skip
    name = heading(track, board)
    if name:
        yield from (title.format(shown(name)), "")
    head, rows = board_table(board, places)
    left = {"run", "team", "groups"}
    align = ["left" if cell in left else "right" for cell in head]
    body = [[shown(cell) for cell in row] for row in rows]
    yield tabulated(body, [shown(cell) for cell in head], style, align)
    yield ""
    for line in (*facts(board), *missing_lines(board)):
        yield item.format(shown(line))
    signed = signature(board)
    if signed is not None:
        yield item.format(shown(f"signature: {signed.short}"))


def board_table(board: Board, places: int) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a board, as text."""
    level = f"{100 * (1 - board.rules.alpha):g}%"
    has_interval = board.standings[0].low is not None
    has_teams = several_teams(board)
    repaired = any(entry.duplicates for entry in board.matrices.entries)
    names = board.matrices.measures
    head = [
        "place", "run", *(["team", "of team"] if has_teams else []), board.by,
        *([f"{level} interval", f"{level} places"] if has_interval else []),
        *(["p", "as best", "groups"] if board.tested else []),
        *(["w/t/l"] if len(board.standings) > 1 else []), "missing",
        *(["repeated"] if repaired else []), *(names[row] for row in others(board)),
    ]  # fmt: skip
    return head, [
        _row(board, standing, places, has_interval, has_teams, repaired)
        for standing in board.standings
    ]


def _row(
    board: Board, standing: Standing, places: int, has_interval: bool, has_teams: bool,
    repaired: bool,
) -> list[str]:  # fmt: skip
    entry, number = board.entry(standing), standing.number
    cells = [str(standing.place), entry.name]
    if has_teams:
        cells += [standing.team or "", str(standing.of_team)]
    cells.append(value_text(board, board.row, number, places))
    if has_interval:
        low, high = board.low[board.row, number], board.high[board.row, number]
        nothing = low != low
        cells.append("" if nothing else f"[{low:.{places}f}, {high:.{places}f}]")
        cells.append(f"{standing.low}-{standing.high}")
    if board.tested:
        is_alike = "yes" if standing.as_best else "no"
        cells += [p_text(standing.p_best), is_alike, standing.groups]
    if len(board.standings) > 1:
        cells.append("" if standing is board.standings[0] else "/".join(map(str, standing.against)))
    cells.append(str(len(entry.missing)))
    if repaired:
        cells.append(str(entry.duplicates))
    return cells + [value_text(board, row, number, places) for row in others(board)]


def value_text(board: Board, row: int, number: int, places: int) -> str:
    """A mean, or a sum of counts."""
    value = float(board.summary[row, number])
    if board.matrices.columns[row].average == "sum" and value.is_integer():
        return str(int(value))
    return f"{value:.{places}f}"


def _topics(board: Board, places: int, style: str, shown: Callable[[str], str]) -> str:
    """The best, the median and the worst score of each topic."""
    head = ["topic", f"best {board.by}", "best run", "median", "worst"]
    body = [
        [
            shown(row.topic),
            f"{row.best:.{places}f}",
            shown(_few(row.runs)),
            f"{row.median:.{places}f}",
            f"{row.worst:.{places}f}",
        ]
        for row in topic_rows(board)
    ]
    align = ["left", "right", "left", "right", "right"]
    return tabulated(body, [shown(cell) for cell in head], style, align)


def _few(runs: Sequence[str]) -> str:
    """A run, or how many there are behind it."""
    return runs[0] if len(runs) == 1 else f"{runs[0]} and {len(runs) - 1} more"
