"""A leaderboard as one HTML file that loads nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_text
from irev.core.wording import count_text
from irev.jobs.leaderboard.document import board_table, topic_table
from irev.jobs.leaderboard.facts import (
    board_signature,
    fact_lines,
    missing_topic_and_duplicate_lines,
    part_heading,
)
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

    from irev.jobs.leaderboard.board import BoardPart, Standing
    from irev.jobs.leaderboard.results import Board


_MOST_VALUES = 50_000
"""Values by topic and run that a page shows: browsers become slow with more."""

_MANY_RUNS = 12
"""A table of so many runs can be searched."""


def write_page(boards: Sequence[Board], decimals: int, per_topic: bool) -> Iterator[bytes]:
    """The page; with `per_topic` also where there are many values by topic."""
    return live_page(_page_title(boards), _page_sections(boards, decimals, per_topic))


def _page_title(boards: Sequence[Board]) -> str:
    """What the page is about: of a single board its measure, of several their tracks."""
    parts = [part for board in boards for part in board.parts]
    named = [board.name for board in boards if board.name]
    if len(parts) == 1:
        (part,) = parts
        about = f"{count_text(len(part.standings), 'run')} by {part.by}"
        about += f", {count_text(len(part.table.topics), 'topic')}"
        return f"Leaderboard {named[0]}: {about}" if named else f"Leaderboard: {about}"
    by = dict.fromkeys(part.by for part in parts)
    return f"Leaderboard: {', '.join(named or by)}"


def _page_sections(boards: Sequence[Board], decimals: int, per_topic: bool) -> Iterator[str]:
    names = _headings(boards)
    if len(names) > 1:
        yield from contents_list(
            "Boards", [(f"b{part_index}", name) for part_index, name in enumerate(names)]
        )
    part_index = 0
    for board in boards:
        yield from _remarks_section(board)
        for part in board.parts:
            yield from _part_section(
                part, names[part_index] if len(names) > 1 else "", part_index, decimals, per_topic
            )
            part_index += 1


def _headings(boards: Sequence[Board]) -> list[str]:
    """What each part of the boards is called."""
    parts = [(board, part) for board in boards for part in board.parts]
    return [part_heading(*each) or f"Runs by {each[1].by}" for each in parts]


def _part_section(
    part: BoardPart, section_title: str, part_index: int, decimals: int, per_topic: bool
) -> Iterator[str]:
    """The runs, then, folded, what the numbers stand on and the topics.

    `section_title` is empty where the page's title says it.
    """
    if section_title:
        anchor = f"b{part_index}"
        section = f'<section aria-labelledby="{anchor}">\n<h2 id="{anchor}">'
        yield f"{section}{html_text(section_title)}</h2>"
    else:
        yield "<section>"
    for line in missing_topic_and_duplicate_lines(part):
        yield f'<p class="warnings">{html_text(line)}</p>'
    table = shorten_groups(board_table(part))
    has_many_runs = len(part.standings) >= _MANY_RUNS
    yield from html_table(table, decimals, SEARCHABLE if has_many_runs else SORTABLE)
    yield from _test_legend(part)
    caption = "blue: tied with the best" if part.is_tested else ""
    chart = intervals_chart(
        _whisker_of_each_run(part), part.by, f"c{part_index}", f"{part.by} of each run"
    )
    ends = "" if part.options.ci == "none" else " with intervals"
    yield from figure_block(f"Mean {part.by}{ends}", caption, chart)
    yield from folded_block("How the numbers were made", _fact_list(part))
    yield from folded_block(
        "Topics: best, median and worst", html_table(topic_table(part), decimals, SEARCHABLE)
    )
    shown = len(part.table.topics) * len(part.standings)
    if shown > _MOST_VALUES and not per_topic:
        yield f"<p>{shown} values by topic and run are not shown: use --per-topic to add them.</p>"
    else:
        yield from folded_block(
            f"Runs by topic ({len(part.standings)})", _run_blocks(part, part_index, decimals)
        )
    yield "</section>"


_LETTERS = re.compile("[a-z]{4,}")


def shorten_groups(table: Table) -> Table:
    """The table with long groups such as abcdef as a-f: a run's groups follow one another."""
    heads = [column.name for column in table.columns]
    if "groups" not in heads:
        return table
    groups_index = heads.index("groups")
    rows = [list(row) for row in table.rows]
    for row in rows:
        groups = str(row[groups_index])
        if _LETTERS.fullmatch(groups) and ord(groups[-1]) - ord(groups[0]) == len(groups) - 1:
            row[groups_index] = f"{groups[0]}-{groups[-1]}"
    return table._replace(rows=rows)


def _test_legend(part: BoardPart) -> Iterator[str]:
    """What a reader must know of the columns, in a sentence each."""
    if part.is_tested:
        yield (
            f"<p>p: could the difference from the best run be chance? (corrected; level "
            f"{part.options.alpha:g}). tied with best: no run is shown to be "
            "better. groups: runs that share a letter (or number) are not shown to differ.</p>"
        )


def _fact_list(part: BoardPart) -> Iterator[str]:
    """What the numbers of a board stand on."""
    yield from html_list(list(fact_lines(part)))
    signed = board_signature(part)
    if signed is not None:
        yield f"<p>signature: <code>{html_text(signed.short)}</code></p>"


def _whisker_of_each_run(part: BoardPart) -> list[Whisker]:
    """The runs' means with their intervals, best run first."""
    row = part.measure_index
    return [
        Whisker(
            part.run_info(each).name, float(part.summary[row, each.run_index]),
            float(part.low[row, each.run_index]), float(part.high[row, each.run_index]),
            bool(each.tied_with_best),
        )
        for each in part.standings
    ]  # fmt: skip


def _run_blocks(part: BoardPart, part_index: int, decimals: int) -> Iterator[str]:
    scores = part.table.scores(part.by)
    largest_difference = float(np.abs(scores - np.median(scores, axis=1, keepdims=True)).max())
    for rank_index, standing in enumerate(part.standings):
        name = part.run_info(standing).name
        lines = _run_block(
            part, standing, largest_difference, f"r{part_index}-{rank_index}", decimals
        )
        yield from folded_block(f"{standing.place}. {name}", lines)


def _run_block(
    part: BoardPart, standing: Standing, largest_difference: float, chart_id: str, decimals: int
) -> Iterator[str]:
    """A run's values by topic, and how they differ from the median of all runs: by `most` at most.

    All runs are drawn to this one scale, so that they can be compared by eye.
    """
    scores = part.table.scores(part.by)
    own, median = scores[:, standing.run_index], np.median(scores, axis=1)
    differences = (own - median).tolist()
    name = part.run_info(standing).name
    columns = [
        Head("topic", "text"), Head(part.by), Head("median"),
        Head("difference", number_format=f"+.{decimals}f"),
    ]  # fmt: skip
    topics = [*map(as_text, part.table.topics)]
    title = f"{part.by} of {name} minus the median of all runs, topics in decreasing order"
    pairs = list(zip(topics, differences, strict=True))
    yield from differences_chart(pairs, largest_difference, chart_id, title)
    values = list(zip(topics, own.tolist(), median.tolist(), differences, strict=True))
    table = Table(columns, values, caption=f"{part.by} of {name} by topic")
    yield from html_table(table, decimals, SORTABLE)


def _remarks_section(board: Board) -> Iterator[str]:
    """What else a reader must know; folded, which submissions could not be scored."""
    first, *others = board.broken_lines() if board.broken else ("",)
    if not board.notes and not first:
        return
    name = f" of {html_text(board.name)}" if board.name else ""
    yield f'<section class="warnings"><h2>Remarks{name}</h2>'
    if board.notes:
        yield from html_list(board.notes)
    if others:
        yield from folded_block(first.rstrip(":"), html_list(others))
    elif first:
        yield f"<p>{html_text(first)}</p>"
    yield "</section>"
