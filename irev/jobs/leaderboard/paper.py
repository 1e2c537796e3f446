"""A leaderboard as the table of a paper: places, runs and measures, letters of groups, a caption.

The caption says how the runs were ordered and tested; all else stands in the full layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import count_text
from irev.jobs.leaderboard.document import boards_document, mean_or_sum
from irev.jobs.leaderboard.facts import (
    board_signature,
    missing_topic_and_repeated_document_lines,
    other_measure_indices,
    part_heading,
)
from irev.measures.naming.resolve import lower_is_better
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.document import Document, Head, Marked
from irev.writers.paper import paper_run_names, paper_table, shorten_run_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.jobs.leaderboard.board import BoardPart
    from irev.jobs.leaderboard.results import Board, Boards
    from irev.writers.document import Cell, Table


def boards_paper_document(result: Board | Boards) -> Document:
    """A table for each board; for machines the boards as ever."""
    tables = [
        _paper_table(part, part_heading(board, part))
        for board in result.boards
        for part in board.parts
    ]
    return boards_document(result)._replace(parts=tables)


def _paper_table(part: BoardPart, heading: str) -> Table:
    full_names = [part.run_info(each).name for each in part.standings]
    names, left_out = paper_run_names(full_names)
    has_interval = part.options.ci != "none" and len(part.table.topics) > 1
    has_teams = any(standing.team for standing in part.standings)
    by, *others = part.measure_index, *other_measure_indices(part)
    heads = [
        Head(""), Head("run", "text"), *([Head("team", "text")] if has_teams else []),
        _measure_head(part, by), *([Head("interval")] if has_interval else []),
        *(_measure_head(part, index) for index in others),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for name, standing in zip(names, part.standings, strict=True):
        run_index = standing.run_index
        mean = mean_or_sum(part, by, run_index)
        row: list[Cell] = [standing.place, name]
        row += [standing.team or ""] if has_teams else []
        row.append(Marked(float(mean), standing.groups) if part.is_tested else mean)
        if has_interval:
            row.append((float(part.low[by, run_index]), float(part.high[by, run_index])))
        rows.append([*row, *(mean_or_sum(part, index, run_index) for index in others)])
    sentences = [*shorten_run_names(_caption(part, heading), full_names, names), *left_out]
    return paper_table(heads, rows, sentences, label=heading, signature=board_signature(part))


def _measure_head(part: BoardPart, measure_index: int) -> Head:
    column = part.table.columns[measure_index]
    is_mean = column.average in ("mean", "geometric")
    return Head(column.name, higher_is_better=not lower_is_better(column) if is_mean else None)


def _caption(part: BoardPart, heading: str) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    options, test = part.options, TESTS.get(part.test_done)
    title = f"{heading}: " if heading else ""
    weighted = "weighted means" if part.table.weights is not None else "means"
    order = "increasing" if part.lower_is_better else "decreasing"
    interval = (
        f", with its {100 * (1 - options.alpha):g}% {INTERVALS[options.ci].title} interval"
        + exact_intervals_text([part.table.linearised_score_matrix(part.by)])
        if options.ci != "none" and len(part.table.topics) > 1
        else ""
    )
    topics = part.table.common_topics_text or (
        f"{count_text(len(part.table.topics), 'topic')} (topics that a run lacks count as 0)"
    )
    yield (
        f"{title}{count_text(len(part.table.runs), 'run')} by {order} {part.by}{interval}; "
        f"{weighted} over {topics}, best in bold."
    )
    if part.num_team_runs:
        yield f"The best of the {count_text(part.num_team_runs, 'run')} of each team."
    if part.is_tested and test is not None:
        pairs = "the pair" if part.num_pairs == 1 else f"all {part.num_pairs} pairs"
        corrected = (
            f"for {pairs} at once"
            if test.simultaneous
            else f"{CORRECTIONS[options.correction].title} for {pairs}"
        )
        yield (
            "Runs that share a letter do not differ significantly under "
            f"{part.by} (p > {options.alpha:g}, {test.phrase}, two-sided, {corrected})."
        )
    yield from (f"Note: {text}." for text in missing_topic_and_repeated_document_lines(part))
