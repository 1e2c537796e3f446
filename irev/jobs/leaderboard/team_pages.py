"""What each team is sent: its own runs by topic, beside the best, the median and the worst of all.

Nothing of other teams is told but these three numbers, and how many runs there are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irev.core import __version__
from irev.core.judged import Column
from irev.core.output_files import replace_file
from irev.core.record import record
from irev.core.text import as_text, count_text, natural_sort_key, printable
from irev.errors import IrevError, UsageError
from irev.jobs.leaderboard.board import PRIVATE, PUBLIC, BoardPart
from irev.jobs.leaderboard.teams import listed_runs, read_teams, teams_of, teams_of_unscored
from irev.jobs.result import Result
from irev.measures.naming.resolve import lower_is_better
from irev.read.inputs import path_below
from irev.read.stream import sha256_of
from irev.scores.table import RunInfo
from irev.writers.document import Cell, Document, Head, Heading, Lines, Part, Records, Table
from irev.writers.forms import document_bytes

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board


@record
class TeamPage(Result):
    """The runs of a team on a board, beside the best, the median and the worst of all runs.

    `to_frame()` has a row for each run, measure and topic; `text("html")` is the page.
    """

    team: str
    track: str
    runs: tuple[RunInfo, ...]
    """Its own runs that were scored."""
    broken: tuple[str, ...]
    """Its own files that could not be scored, with what is wrong, a line each."""
    parts: tuple[BoardPart, ...]
    """The scores of all runs: on all topics, or on the public ones where topics are divided."""

    shown_by: ClassVar[str] = "irev.jobs.leaderboard.team_pages:team_document"

    def _subject(self) -> str:
        return f"{self.team}, {count_text(len(self.runs), 'run')}"


def team_pages(board: Board) -> dict[str, TeamPage]:
    """Team -> its page, of all teams with a run on the board or one that could not be scored.

    Raises:
        UsageError: the board was made without teams.
    """
    teams = board.parts[0].options.teams
    if not teams:
        raise UsageError("this board has no teams, so no pages of teams")
    if not isinstance(teams, Mapping):
        teams = read_teams(os.fspath(teams))
    # all runs, also where the board shows the best of each team
    table = board.parts[0].all_runs
    runs_by_word = listed_runs(table, teams)
    team_of_run = teams_of(runs_by_word, teams)
    team_of_path = teams_of_unscored((each.path for each in board.broken), runs_by_word, teams)
    # private topics stay private, unless they are all that was asked for
    shown = [part for part in board.parts if part.name in ("", PUBLIC)]
    parts = shown or [part for part in board.parts if part.name == PRIVATE]
    pages = {}
    for team in sorted({*team_of_run.values(), *team_of_path.values()}, key=natural_sort_key):
        broken = []
        for each in board.broken:
            if team_of_path.get(each.path) == team:
                file = path_below(each.path) or os.path.basename(each.path)
                broken.append(str(each._replace(path=file)))
        runs = [run for run in table.runs if team_of_run.get(run.name) == team]
        pages[team] = TeamPage(team, board.name, tuple(runs), tuple(broken), tuple(parts))
    return pages


def write_team_pages(boards: Sequence[Board], folder: str) -> list[str]:
    """Write TEAM.html and TEAM.csv of each team, all of them or none; the paths of the pages.

    Of several tracks those of each are in a folder of its own.
    """
    contents: dict[str, Iterable[bytes]] = {}
    for board in boards:
        if not board.parts:
            continue
        where = os.path.join(folder, *_file_names([board.name])) if board.name else folder
        pages = team_pages(board)
        for name, page in zip(_file_names([*pages]), pages.values(), strict=True):
            for form in ("html", "csv"):
                # runs are called as strangers call files
                text = document_bytes(page.document, form, csv_safe=True)
                contents[os.path.join(where, f"{name}.{form}")] = text
    try:
        for path in contents:
            os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise IrevError(f"{folder} cannot be made: {error.strerror}") from None
    with ExitStack() as stack:  # which gives none of them its name before all are written
        for path, blocks in contents.items():
            stack.enter_context(replace_file(path)).writelines(blocks)
    return [path for path in contents if path.endswith(".html")]


def _file_names(names: Sequence[str]) -> list[str]:
    """Names as files can be called, those that would change or meet another with a hash."""
    plain = [re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:60] for name in names]
    folded = [each.casefold() for each in plain]
    return [
        each if each == name and folded.count(each.casefold()) == 1
        else f"{each or 'team'}-{sha256_of(name.encode('utf-8', 'surrogateescape'))[:8]}"
        for each, name in zip(plain, names, strict=True)
    ]  # fmt: skip


# --- What a page says ---


_FIELDS = ["part", "measure", "topic", "run", "score", "best", "median", "worst"]


def team_document(page: TeamPage, decimals: int = 4) -> Document:
    """How each run stands against the median, then every topic, under each measure."""
    title = f"{f'{page.track}: ' if page.track else ''}runs of {page.team}"
    records = Records("topics", _FIELDS, _record_rows(page))
    return Document(title, _parts(page, decimals), [records], partial(_json_data, page))


def _measures(page: TeamPage) -> Iterator[tuple[BoardPart, Column, Any, Any]]:
    """Each part and measure with float64[T, 3], best, median and worst, and the own scores."""
    for part in page.parts:
        table = part.all_runs
        own = [table.run_names.index(run.name) for run in page.runs]
        for column in table.columns:
            scores = table.scores(column.name)
            ends = [scores.max(axis=1), np.median(scores, axis=1), scores.min(axis=1)]
            if lower_is_better(column):
                ends.reverse()
            yield part, column, np.stack(ends, axis=1), scores[:, own]


def _parts(page: TeamPage, decimals: int) -> Iterator[Part]:
    if page.broken:
        number = count_text(len(page.broken), "file")
        yield Lines([f"{number} could not be scored:", *page.broken])
    if not page.runs:
        return
    names = [run.name for run in page.runs]
    for part, column, ends, own in _measures(page):
        table = part.all_runs
        yield Heading(": ".join(filter(None, (part.name, column.name))), 2)
        sign = -1 if lower_is_better(column) else 1
        for index, name in enumerate(names):
            lead = sign * (own[:, index] - ends[:, 1])
            words = (
                f"above the median on {int((lead > 0).sum())} of {count_text(len(own), 'topic')}"
            )
            best, worst = (int((own[:, index] == ends[:, at]).sum()) for at in (0, 2))
            mean = float(table.means(column.name)[table.run_names.index(name)])
            value = f"{column.name} {mean:.{decimals}f}, " if column.average == "mean" else ""
            yield Lines([f"{name}: {value}{words}, the best on {best}, the worst on {worst}"])
        heads = [Head("topic", "text"), *map(Head, ("best", "median", "worst")), *map(Head, names)]
        rows: list[list[Cell]] = [
            [as_text(topic), *row] for topic, row in
            zip(table.topics, np.hstack([ends, own]).tolist(), strict=True)
        ]  # fmt: skip
        rows.sort(key=lambda row: natural_sort_key(str(row[0])))
        yield Table(heads, rows, caption=f"{column.name} by topic, of {_num_runs(part)}")
    yield Lines([f"best, median and worst are those of {_num_runs(page.parts[0])}", *_lacks(page)])


def _num_runs(part: BoardPart) -> str:
    return f"all {count_text(len(part.all_runs.runs), 'run')}"


def _lacks(page: TeamPage) -> Iterator[str]:
    """Which of its runs lack judged topics, or repeat documents."""
    yield from (
        f"{run.name} lacks {count_text(len(run.missing), 'judged topic')}, counted as 0"
        for run in page.runs
        if run.missing
    )


def _record_rows(page: TeamPage) -> Iterator[list[Any]]:
    for part, column, ends, own in _measures(page):
        for topic, row, scores in zip(
            part.all_runs.topics, ends.tolist(), own.tolist(), strict=True
        ):
            for run, score in zip(page.runs, scores, strict=True):
                yield [part.name, column.name, as_text(topic), run.name, score, *row]


def _json_data(page: TeamPage) -> dict[str, Any]:
    return {
        "irev": __version__,
        "team": page.team,
        "track": page.track,
        "num_runs": len(page.parts[0].all_runs.runs),
        "broken": [*map(printable, page.broken)],
        "topics": [dict(zip(_FIELDS, row, strict=True)) for row in _record_rows(page)],
    }
