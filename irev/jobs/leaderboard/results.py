"""What `irev.leaderboard` gives: boards with typed rows, and what could not be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from irev.core.displayed import HasPaperTable
from irev.core.record import record
from irev.core.text import printable
from irev.core.wording import count_text
from irev.errors import GENERAL_NOTE, KINDS, InputError, IrevError, reason_of
from irev.jobs.result import Result
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.errors import Notice
    from irev.jobs.leaderboard.board import BoardPart, Standing
    from irev.scores.table import ScoreTable

MOST_LISTED = 100
"""How many submissions that could not be scored a text lists; data and the log have all."""

LIMITS = ("max-size", "max-memory", "max-seconds", "reader-crashed", "too-many-runs")
"""Kinds of problems whose messages are irev's own words, for whoever made the submission too."""


class BrokenSubmission(NamedTuple):
    """A submission that could not be scored.

    path, line  the file, and the line of the first problem; empty where names are made up
    kind        of the first problem: one of `KINDS`
    full_text   all that is wrong, which quotes the file: for the organiser alone
    meaning     what is wrong, in words that quote nothing
    """

    path: str
    line: int | None
    kind: str
    full_text: str
    meaning: str

    def data(self) -> dict[str, str | int | None]:
        """What JSON says of it, which quotes nothing."""
        return {
            "path": self.path, "line": self.line, "kind": self.kind, "reason": self.meaning,
        }  # fmt: skip

    def __str__(self) -> str:
        location = self.path if self.line is None else f"{self.path}:{self.line}"
        return printable(f"{location}: {self.meaning}" if location else self.meaning)


def broken_submission(path: str, error: IrevError) -> BrokenSubmission:
    """What an error says of a submission."""
    if isinstance(error, InputError):
        first = error.problems[0]
        # a limit that was hit is said with its size, and quotes nothing
        meaning = first.message if first.kind in LIMITS else KINDS[first.kind].meaning
        return BrokenSubmission(path, first.line, first.kind, str(error), meaning)
    full_text = printable(f"{path}: {reason_of(path, error)}")
    return BrokenSubmission(path, None, error.kind, full_text, KINDS[error.kind].meaning)


def broken_submissions(
    errors_by_path: Iterable[tuple[str, IrevError]],
) -> tuple[BrokenSubmission, ...]:
    """The submissions that could not be scored, in the order of their paths."""
    return tuple(sorted(broken_submission(path, error) for path, error in errors_by_path))


@record
class Board(Result, HasPaperTable):
    """The runs of one evaluation in order: those of the first part of the topics.

    `to_frame()` has a row for each run; `broken` has the submissions that are on no board.
    `warnings` quote no submission, `full_warnings` do.
    """

    name: str
    """Of the track; empty where it is the only one."""
    parts: tuple[BoardPart, ...]
    """All topics, or the public and the private ones; behind each its classes."""
    broken: tuple[BrokenSubmission, ...]
    """The submissions that could not be scored."""
    notes: tuple[str, ...] = ()
    """What a reader must know, a line each."""
    full_warnings: tuple[Notice, ...] = ()
    """The warnings with hints that quote judgments and submissions: for the organiser alone."""
    hides_names: bool = False
    """Whether the names are made up, so that nothing may tell a file."""

    shown_by: ClassVar[str] = "irev.jobs.leaderboard.document:boards_document"
    paper_by: ClassVar[str] = "irev.jobs.leaderboard.paper:boards_paper_document"

    @property
    def boards(self) -> tuple[Board, ...]:
        """This one, as `Boards` have theirs."""
        return (self,)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The places of the runs, the best first."""
        return self.parts[0].standings

    @property
    def table(self) -> ScoreTable:
        """The scores of the runs."""
        return self.parts[0].table

    @property
    def by(self) -> str:
        """The measure that orders the runs."""
        return self.parts[0].by

    @property
    def strict_exit_code(self) -> int:
        """1 where a submission could not be scored."""
        return self.exit_code or int(bool(self.broken))

    def broken_lines(self) -> Iterator[str]:
        """The submissions that could not be read, a line each, below a heading."""
        if not self.broken:
            return
        end = "" if self.hides_names else ":"
        yield f"{count_text(len(self.broken), 'submission')} could not be scored{end}"
        if not self.hides_names:
            yield from self.listed_broken()

    def listed_broken(self) -> Iterator[str]:
        """The first submissions that could not be read, a line each, and the number of more."""
        yield from map(str, self.broken[:MOST_LISTED])
        if len(self.broken) > MOST_LISTED:
            yield f"... and {len(self.broken) - MOST_LISTED:,} more"

    def page(self, decimals: int = PAGE_DECIMALS) -> str:
        """The boards as one HTML page, which loads nothing else; `decimals` of a number."""
        return _page(self, decimals)

    def plot(
        self,
        name: str = "",
        measures: object = (),
        *,
        width: FigureWidth = "page",
        **choices: Any,
    ) -> Figure:
        """A figure of the scores by topic, by default their spread, as `ScoreTable.plot` does."""
        return self.table.plot(name or "distribution", measures, width=width, **choices)

    def _subject(self) -> str:
        if not self.parts:
            return ""
        return f"{count_text(len(self.standings), 'run')} by {self.by}"


@record
class Boards(Result, HasPaperTable):
    """The boards of several tracks, in their order; `to_frame()` has the runs of all."""

    boards: tuple[Board, ...]

    shown_by: ClassVar[str] = "irev.jobs.leaderboard.document:boards_document"
    paper_by: ClassVar[str] = "irev.jobs.leaderboard.paper:boards_paper_document"

    @property
    def strict_exit_code(self) -> int:
        """1 where a submission could not be scored."""
        return self.exit_code or max(board.strict_exit_code for board in self.boards)

    def page(self, decimals: int = PAGE_DECIMALS) -> str:
        """The boards as one HTML page; as `Board.page`."""
        return _page(self, decimals)

    def _subject(self) -> str:
        return count_text(len(self.boards), "track")


def track_notices(boards: Sequence[Board]) -> Iterator[Notice]:
    """The warnings of all boards, then their notes, with the names of their tracks in front."""
    for are_notes in (False, True):
        for board in boards:
            for notice in board.warnings:
                if (notice.kind == GENERAL_NOTE) == are_notes:
                    run = ": ".join(filter(None, (board.name, notice.run)))
                    yield notice._replace(run=run)


def drop_quoting_hint(warning: Notice) -> Notice:
    """A warning without a hint, which may quote a submission."""
    return warning._replace(hint="")


class NoBoardError(IrevError):
    """None of the submissions could be scored; `boards` say what is wrong with each."""

    def __init__(self, boards: tuple[Board, ...]) -> None:
        """Say it in words that quote nothing."""
        self.boards = boards
        lines = [
            f"{f'{board.name}: ' if board.name else ''}not scored: {broken}"
            for board in boards
            for broken in board.broken[:MOST_LISTED]
        ]
        super().__init__("\n".join(lines))


def _page(result: Board | Boards, decimals: int) -> str:
    from irev.jobs.leaderboard.page import leaderboard_page
    from irev.writers.results_page.page_file import results_page_bytes

    return b"".join(results_page_bytes(leaderboard_page(result.boards, decimals))).decode()
