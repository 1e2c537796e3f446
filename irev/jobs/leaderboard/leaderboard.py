"""`irev.leaderboard`: many submissions scored at once, in order, with what is known of places.

The choices, the boards that are the result, and the way there: submissions are found, scored (by
workers, where they are strangers'), and their runs put in order on each part of the topics.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from irev.core import workers
from irev.core.job import FigureWidth, HasPaperTable, import_attribute, job
from irev.core.judged import Input
from irev.core.option_records import Opt
from irev.core.record import record
from irev.core.text import count_text, full_list, printable
from irev.engine.confined import Limits
from irev.engine.evaluate import FirstDocumentsNeed
from irev.engine.run_files import (
    FOLLOW_LINKS,
    MAX_RUNS,
    FoundSubmissions,
    find_submissions,
    refuse_too_many_runs,
    submission_names,
)
from irev.engine.score_runs import score_runs, table_if_scores
from irev.errors import (
    GENERAL_NOTE,
    KINDS,
    InputError,
    IrevError,
    NoneScoredError,
    Notice,
    UsageError,
    note,
    reason_of,
)
from irev.jobs.result import Result
from irev.jobs.score_job import watch_runs
from irev.measures.naming.grammar import measure_names
from irev.measures.naming.resolve import resolve_names
from irev.options import ALPHA, COLUMNS, DEPTH_POOL, SEED, Options, ScoringOptions
from irev.read.inputs import given_runs, path_of, rewindable
from irev.read.stream import FoundFile, FoundFolder
from irev.scores.saved_runs import saved_scores_error
from irev.scores.table import ScoreTable
from irev.statistics.methods import (
    CORRECTIONS,
    DEFAULT_TEST,
    INTERVALS,
    TESTS,
    InferenceSettings,
    num_resamples_needed,
)
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irev.jobs.leaderboard.board import BoardPart, Standing
    from irev.jobs.leaderboard.team_pages import TeamPage
    from irev.statistics.verdicts import PairVerdict


SECTION = "Options of the board"

FAMILYWISE = tuple(name for name, each in CORRECTIONS.items() if each.familywise)
"""The corrections under which all that a board says of its pairs holds at once."""

TEST_NAMES = (*TESTS, "none")
INTERVAL_NAMES = (*INTERVALS, "none")
_CORRECTED = full_list([name for name in TEST_NAMES if name in TESTS and TESTS[name].simultaneous])
_OF_ONE_TEST = "".join(
    f" {name} is for the {CORRECTIONS[name].only_test} test."
    for name in FAMILYWISE
    if CORRECTIONS[name].only_test
)


class LeaderboardOptions(ScoringOptions, Limits):
    """How the runs of a board are ordered and tested, which are shown, and their limits."""

    without: ClassVar[Sequence[str]] = ("names",)

    columns: Annotated[Mapping[str, str] | Sequence[tuple[str, str]], COLUMNS.replace(
        spelling="--table-columns"  # the other speaks of a board
    )] = ()  # fmt: skip
    """As elsewhere; on the command line `--table-columns`."""
    by: Annotated[str | None, Opt(
        "--by", metavar="NAME", section=SECTION, help_order=-9,
        help="Measure that ranks the runs. Default: the first.",
    )] = None  # fmt: skip
    """The measure that orders the runs, however it is spelled; of several in one name, and of all
    where it is None, the first that has a mean."""
    test: Annotated[str, Opt(
        "--test", section=SECTION, choices=TEST_NAMES, noun="test",
        help=f"Test of all pairs of runs. {_CORRECTED} need no further correction, but assume "
        "that the differences of all pairs have the same variance.",
    )] = DEFAULT_TEST  # fmt: skip
    """What says which runs differ; of all pairs of runs, and corrected for all of them: one of
    `TEST_NAMES`. docs/evidence/statistics.md says why the default is what it is."""
    correction: Annotated[str, Opt(
        "--correction", in_short_help=False, section=SECTION, choices=FAMILYWISE, noun="correction",
        help="Correction for the number of pairs." + _OF_ONE_TEST,
    )] = "holm"  # fmt: skip
    """Of a test that is not corrected in itself, for the number of pairs."""
    ci: Annotated[str, Opt(
        "--ci", section=SECTION, choices=INTERVAL_NAMES, noun="interval",
        help="Confidence intervals of means. hall: corrected for skewness (Hall 1992).",
    )] = "t"  # fmt: skip
    """Of the means: one of `INTERVAL_NAMES`."""
    alpha: Annotated[float, ALPHA.replace(
        section=SECTION, help="Significance level; intervals have level 1 - A."
    )] = 0.05  # fmt: skip
    """The level of the test; intervals are of level 1 - alpha."""
    resamples: Annotated[int, Opt(
        "--resamples", in_short_help=False, metavar="N", section=SECTION, least=1, most=10_000_000,
        help="Number of resamples of the test and of bootstrap intervals. A test with a correction "
        "draws more if it could otherwise not reject anything.",
    )] = 10_000  # fmt: skip
    """Of tests that draw, at least, and of bootstrap intervals."""
    seed: Annotated[int, SEED.replace(section=SECTION, help_order=-8)] = 0
    """Of all draws."""
    teams: Annotated[str | os.PathLike[str] | Mapping[str, str] | None, Opt(
        "--teams", metavar="FILE", section=SECTION, help_order=-8, file="always",
        help="Team of each run, one RUN TEAM per line. RUN is a run's name on the board, its "
        "file, or a folder with runs.",
    )] = None  # fmt: skip
    """The team of each run: a file, or a mapping {run: team}."""
    best_per_team: Annotated[bool, Opt(
        "--best-per-team", section=SECTION, help="Show only the best run of each team."
    )] = False  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS.replace(section=SECTION)] = False
    max_runs: Annotated[int | None, MAX_RUNS.replace(section=SECTION)] = None
    """How many runs a submission may hold. None: a file in a folder one, a table that is named by
    its path 1,000, or any number where it is the only submission."""
    public: Annotated[str | os.PathLike[str] | float | None, Opt(
        "--public", metavar="FILE|SHARE", section=SECTION, file="maybe",
        help="Make two boards, for public and private topics. The public topics are listed in "
        "FILE, or drawn at random as a SHARE such as 30%.",
    )] = None  # fmt: skip
    """The public topics: a file that lists them, or their share, "30%" or 0.3."""
    accept_scores: Annotated[bool, Opt(
        "--accept-scores", in_short_help=False, section=SECTION,
        help="Accept saved scores as submissions, even with QRELS. irev cannot check "
        "such scores.",
    )] = False  # fmt: skip
    update: Annotated[str | os.PathLike[str] | None, Opt(
        "--update", in_short_help=False, metavar="FILE", section=SECTION, file="written",
        effect="nothing",
        help="Keep scores in FILE for the next call. Submissions that have not changed are then "
        "not scored again. FILE is trusted: nobody else may write it.",
    )] = None  # fmt: skip
    """A file that keeps the scores from one call to the next; it is made where there is none."""
    only: Annotated[Literal["public", "private"] | None, Opt(
        "--only", in_short_help=False, section=SECTION, help="With --public: show only that board."
    )] = None  # fmt: skip
    title: Annotated[str, Opt(
        "--title", in_short_help=False, metavar="TEXT", section=SECTION, effect="nothing",
        help="The title of the page. Default: the measure, and how many runs and topics there are.",
    )] = ""  # fmt: skip
    """The title of the page of the board."""
    documents: Annotated[bool, Opt(
        "--documents", in_short_help=False, section=SECTION, effect="nothing",
        help="Let the html page show the first 10 documents of each run, with their grades. "
        "Without it a board tells no document.",
    )] = False  # fmt: skip
    """Whether the page of the board shows the first documents of the runs, with their grades."""
    judged_on_page: Annotated[bool, Opt(
        effect="nothing",
        help="Whether the html page says how many of the first documents of each run are judged.",
    )] = True  # fmt: skip
    """Whether the page says how many of the first documents of each run are judged, and what else
    they tell. Without a page there is no need to look at them."""

    def _check(self) -> None:
        super()._check()
        Limits._check(self)
        only = CORRECTIONS[self.correction].only_test
        if only and self.test != only:
            raise UsageError(f"--correction {self.correction} is for --test {only}")

    @property
    def first_documents_need(self) -> FirstDocumentsNeed:
        """Whether runs tell their first documents; scores that are kept serve a page, too."""
        if self.documents:
            return "documents"
        return "counts" if self.judged_on_page or self.update is not None else ""

    def num_resamples(self, num_pairs: int) -> int:
        """How many resamples the test of so many pairs draws; 0 if it draws none."""
        test = TESTS[self.test]
        if not test.default_resamples:
            return 0
        if test.simultaneous:
            return self.resamples
        needed = num_resamples_needed(self.test, self.correction, num_pairs, self.alpha)
        return max(self.resamples, needed)

    def inference_settings(self, num_resamples: int) -> InferenceSettings:
        """What a test or an interval that draws so many is to know."""
        threads = self.threads or workers.default_threads()
        return InferenceSettings(
            alpha=self.alpha, num_resamples=num_resamples, seed=self.seed, threads=threads
        )


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
        return {"path": self.path, "line": self.line, "kind": self.kind, "reason": self.meaning}

    def __str__(self) -> str:
        location = self.path if self.line is None else f"{self.path}:{self.line}"
        return printable(f"{location}: {self.meaning}" if location else self.meaning)


def broken_submissions(
    errors_by_path: Iterable[tuple[str, IrevError]],
) -> tuple[BrokenSubmission, ...]:
    """The submissions that could not be scored, in the order of their paths."""
    broken = []
    for path, error in errors_by_path:
        if isinstance(error, InputError):
            first = error.problems[0]
            # a limit that was hit is said with its size, and quotes nothing
            meaning = first.message if first.kind in LIMITS else KINDS[first.kind].meaning
            # the option of that name speaks of a board here
            full_text = str(error).replace(
                "--columns ", f"{LeaderboardOptions.fields()['columns'].opt.spelling} "
            )
            broken.append(BrokenSubmission(path, first.line, first.kind, full_text, meaning))
        else:
            full_text = printable(f"{path}: {reason_of(path, error)}")
            meaning = KINDS[error.kind].meaning
            broken.append(BrokenSubmission(path, None, error.kind, full_text, meaning))
    return tuple(sorted(broken))


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
    paper_by: ClassVar[str] = "irev.jobs.leaderboard.document:boards_paper_document"

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
    def verdict(self) -> PairVerdict | None:
        """What may be said of the best run and the second; None where nothing was tested."""
        return self.parts[0].verdict

    @property
    def by(self) -> str:
        """The measure that orders the runs."""
        return self.parts[0].by

    @property
    def strict_exit_code(self) -> int:
        """1 where a submission could not be scored."""
        return self.exit_code or int(bool(self.broken))

    def broken_lines(self, most: int = MOST_LISTED) -> Iterator[str]:
        """The submissions that could not be read, a line each, below a heading."""
        if not self.broken:
            return
        end = "" if self.hides_names else ":"
        yield f"{count_text(len(self.broken), 'submission')} could not be scored{end}"
        if not self.hides_names:
            yield from self.listed_broken(most)

    def listed_broken(self, most: int = MOST_LISTED) -> Iterator[str]:
        """The first submissions that could not be read, a line each, and the number of more."""
        yield from map(str, self.broken[:most])
        if len(self.broken) > most:
            yield f"... and {len(self.broken) - most:,} more"

    def page(self, decimals: int = PAGE_DECIMALS) -> str:
        """The boards as one HTML page, which loads nothing else; `decimals` of a number."""
        return _page(self, decimals)

    def team_pages(self) -> dict[str, TeamPage]:
        """Team -> its own runs by topic, beside the best, the median and the worst of all.

        Raises:
            UsageError: the board was made without `teams`.
        """
        pages: dict[str, TeamPage] = import_attribute(
            "irev.jobs.leaderboard.team_pages:team_pages"
        )(self)
        return pages

    def write_team_pages(self, folder: str | os.PathLike[str]) -> list[str]:
        """Write TEAM.html and TEAM.csv of each team into a folder, all or none: their paths."""
        paths: list[str] = import_attribute("irev.jobs.leaderboard.team_pages:write_team_pages")(
            (self,), os.fspath(folder)
        )
        return paths

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
    paper_by: ClassVar[str] = "irev.jobs.leaderboard.document:boards_paper_document"

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
    from irev.jobs.leaderboard.document import leaderboard_page
    from irev.writers.results_page.page_file import results_page_bytes

    return b"".join(results_page_bytes(leaderboard_page(result.boards, decimals))).decode()


def _needed_packages(options: LeaderboardOptions) -> Sequence[str]:
    # what a test found is told as a verdict, with the topics that it needs
    interval = INTERVALS.get(options.ci)
    needs_scipy = options.test in TESTS or (interval is not None and interval.needs_scipy)
    return ("scipy",) if needs_scipy else ()


@job(LeaderboardOptions, needs=_needed_packages)
def leaderboard(
    qrels_or_table: Input,
    runs: Input = (),
    measures: object = (),
    *,
    options: LeaderboardOptions,
) -> Board:
    """Score many runs and put them in order, with what the tests say of their places.

    Paths of runs and directories are submissions: each is scored within the limits, in a process of
    its own, and one that cannot be read is reported in `broken`. Runs in memory, runs in a mapping
    by name, and a table of scores are your own and taken directly.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`).
        runs: paths of runs and directories, one or a list; or runs of your own by name,
            {"bm25": frame}, or in a list.
        measures: names as `irev.evaluate` takes them; the first orders the runs.
        options: the record `LeaderboardOptions`, whose fields are keywords, too.

    Returns:
        The board: `to_frame()` has a row for each run, `page()` is the board as HTML.

    Raises:
        TypeError: there is no such option.
        UsageError: an option or a measure that makes no sense.
        InputError: judgments, or a run in memory, that cannot be read.
        IrevError: no submission could be scored.
    """
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    board = ranked_board("", qrels_or_table, runs, measures, options)
    if not board.parts:
        raise NoBoardError((board,))
    return board


@job(LeaderboardOptions, needs=_needed_packages)
def leaderboards(tracks: Mapping[str, Mapping[str, Any]], *, options: LeaderboardOptions) -> Boards:
    """Make the boards of several tracks, as `irev.leaderboard` makes one.

    Args:
        tracks: name -> `qrels`, `runs`, `measures` and options of a track, those that differ from
            the others: {"passages": {"qrels": "p.txt", "runs": "p/", "measures": "ndcg@10"}}.
        options: the record `LeaderboardOptions` of all tracks, whose fields are keywords, too.

    Returns:
        The boards, in the order of the tracks: `to_frame()` has the runs of all.

    Raises:
        TypeError: there is no such option.
        UsageError: a track without runs; an option or a measure that makes no sense.
        InputError: judgments, or a run in memory, that cannot be read.
        IrevError: no submission of any track could be scored.
    """
    inputs: list[tuple[str, Any, Any, Any, LeaderboardOptions]] = []
    for name, track in tracks.items():
        fields = dict(track)
        qrels, runs = fields.pop("qrels", None), fields.pop("runs", ())
        measures, shared = fields.pop("measures", ()), fields.pop("options", options)
        if not isinstance(runs, FoundSubmissions | Mapping) and not len(runs):
            raise UsageError(f"track '{name}' has no runs")
        own = LeaderboardOptions.from_keywords(shared, fields)
        inputs.append((name, qrels, runs, measures, own))
    updates = [os.path.realpath(each[-1].update) for each in inputs if each[-1].update is not None]
    if len(set(updates)) < len(updates):
        raise UsageError("each track needs an --update file of its own")
    boards = tuple(ranked_board(*each) for each in inputs)
    if not any(board.parts for board in boards):
        raise NoBoardError(boards)
    return Boards(
        boards,
        warnings=tuple(track_notices(boards)),
        exit_code=max(board.exit_code for board in boards),
    )


def ranked_board(
    name: str, qrels_or_table: Any, runs: Any, measures: object, options: LeaderboardOptions
) -> Board:
    """The board of a track; without parts where no submission could be scored."""
    found_files = None
    unchanged: tuple[Notice, ...] = ()
    if not isinstance(qrels_or_table, ScoreTable):
        found_files = _find_submissions_of_paths(runs, follow_links=options.follow_links)
    _refuse_contradicting_options(qrels_or_table, found_files, options)
    if found_files is None:
        table = score_runs(
            qrels_or_table,
            runs,
            measures,
            options,
            watch=watch_runs,
            first_documents=options.first_documents_need,
        )
        return _board_with_topic_parts(name, table, options)
    try:
        if found_files.refused and not found_files.files:
            raise NoneScoredError(found_files.refused)
        if qrels_or_table is None:
            paths = [each.path for each in found_files.files]
            table = score_runs(
                None,
                paths,
                measures,
                options,
                keep_going=True,
                watch=watch_runs,
                check_saved_scores=partial(
                    refuse_too_many_runs, max_runs=options.max_runs, is_only=len(paths) == 1
                ),
            )
        elif options.predicted is not None:
            # one weight of the model for all runs: they are scored together, by this process
            names = submission_names(found_files.files)
            runs = {n: each.path for n, each in zip(names, found_files.files, strict=True)}
            table = score_runs(
                qrels_or_table,
                runs,
                measures,
                options,
                keep_going=True,
                watch=watch_runs,
                check_saved_scores=partial(_refuse_saved_scores, accepts=options.accept_scores),
            )
        else:
            table, unchanged = _score_submissions_and_note_kept(
                qrels_or_table, found_files, measures, options
            )
    except NoneScoredError as error:
        return Board(name, (), broken_submissions({*found_files.refused, *error.broken}))
    board = _board_with_topic_parts(name, table, options)
    # one that was named, not found in a directory
    lacks_named_file = any(
        error.problems[0].kind == "no-file"
        for path, error in table.broken
        if isinstance(error, InputError) and not isinstance(path, FoundFile | FoundFolder)
    )
    return replace(
        board,
        broken=broken_submissions((*found_files.refused, *table.broken)),
        # a hint may quote a submission
        warnings=(*(each._replace(hint="") for each in board.warnings), *unchanged),
        exit_code=InputError.exit_code if lacks_named_file else 0,
    )


def _refuse_contradicting_options(
    qrels_or_table: Any, found_files: FoundSubmissions | None, options: LeaderboardOptions
) -> None:
    if options.best_per_team and not options.teams:
        raise UsageError("--best-per-team needs --teams FILE")
    if options.only and not options.public:
        raise UsageError("--only needs --public")
    if options.update is not None and not (path_of(qrels_or_table) and found_files):
        raise UsageError("--update needs judgments and submissions in files")
    if options.update is not None and options.predicted is not None:
        raise UsageError("--update cannot be combined with --predicted")
    if not options.documents:
        return
    # no documents and grades are shown that are not there, or that are to be hidden
    if qrels_or_table is None or isinstance(qrels_or_table, ScoreTable):
        raise UsageError("--documents needs judgments and runs: scores tell no documents")
    if options.predicted is not None:
        raise UsageError("--documents cannot be combined with --predicted")
    if options.public and options.only != "public":
        raise UsageError(
            "--documents would show the documents and grades of private topics: add --only public"
        )


def _refuse_saved_scores(path: str, num_runs: int, *, accepts: bool) -> None:
    if num_runs and not accepts:
        raise saved_scores_error(path)


def _find_submissions_of_paths(runs: Any, *, follow_links: bool) -> FoundSubmissions | None:
    """The files that paths and directories mean; None of runs that are the caller's own."""
    if isinstance(runs, FoundSubmissions):
        return runs
    runs = rewindable(runs)
    inputs = runs if isinstance(runs, list | tuple) else [runs]
    are_paths = [bool(path_of(each)) for each in inputs]
    if not any(are_paths):
        return None
    if not all(are_paths):
        raise UsageError('give all runs by name, {"bm25": run, "rm3": "rm3.run"}, or paths alone')
    matches = [file for path in inputs for file in given_runs(path, looks_inside=False).sources]
    return find_submissions(map(path_of, matches), follow_links=follow_links)


def _score_submissions_and_note_kept(
    qrels: Any, found_files: FoundSubmissions, measures: object, options: LeaderboardOptions
) -> tuple[ScoreTable, tuple[Notice, ...]]:
    """The scores of submissions, from workers: the files are strangers'; how many were kept."""
    from irev.jobs.leaderboard.scoring import ScoringSetup, ScoringWorkers

    if isinstance(options.pool, str) and options.pool.startswith(DEPTH_POOL):
        # it would be made of strangers' files here
        raise UsageError(
            f"--pool {options.pool}: make the pool of the submissions beforehand: irev pool"
        )
    options.load_plugins()
    if options.topics == "run":
        raise UsageError("--topics run: runs are compared on the same topics: qrels, both or FILE")
    requested = tuple(measure_names(measures)) or options.default_measures
    evaluation = options.base_record(Options)
    if isinstance(evaluation.topics, os.PathLike):
        # a wrong name is said before a file is opened
        resolve_names(requested, evaluation)
        evaluation = evaluation.read_topic_list()
    setup = ScoringSetup(
        path_of(qrels) or qrels,
        requested,
        evaluation,
        options.qrels_format,
        tuple(options.plugins),
        options.accept_scores,
        options.nan == "drop-topic",
        options.measure_ranges,
        options.first_documents_need,
        max_runs=options.max_runs,
    )
    paths = [each.path for each in found_files.files]
    update = "" if options.update is None else os.fspath(options.update)
    if update and any(os.path.realpath(update) == os.path.realpath(path) for path in paths):
        raise UsageError(f"--update {update}: this file lies among the submissions")
    with ScoringWorkers(setup, paths, options, update) as workers:
        # imported while the judgments are read
        import irev.jobs.leaderboard.board  # noqa: F401

        if options.ci in ("t", "hall"):  # others may do without
            import scipy.special  # noqa: F401

        table = workers.score_table(submission_names(found_files.files), watch_runs)
    count = f"{workers.num_unchanged} of {count_text(len(paths), 'submission')}"
    table = replace(table, requested=tuple(measure_names(measures)))
    return table, (note(f"{update}: the scores of {count} are kept ones"),) if update else ()


def _board_with_topic_parts(
    track_name: str, table: ScoreTable, options: LeaderboardOptions
) -> Board:
    """The boards of the parts of the topics, with all that must be said of the scores."""
    from irev.jobs.leaderboard.board import PUBLIC, rank_runs, topic_parts_and_note, without_topics
    from irev.jobs.leaderboard.teams import listed_runs, read_teams, team_notes, teams_of

    notes = [*table.notes]
    teams: Mapping[str, str] = {}
    if options.teams:
        team_of_listed_word = options.teams
        if not isinstance(team_of_listed_word, Mapping):
            team_of_listed_word = read_teams(os.fspath(team_of_listed_word))
        runs_by_listed_word = listed_runs(table, team_of_listed_word)
        teams = teams_of(runs_by_listed_word, team_of_listed_word)
        notes += team_notes(table, runs_by_listed_word, team_of_listed_word, teams)
    parts, part_note = topic_parts_and_note(table, options)
    doubts = table.doubts
    if options.only == PUBLIC:
        shown = parts[0].table
        private = [topic for topic in table.topics if topic not in shown.topics]
        doubts = tuple(without_topics(shown.doubts, private))
        notes = [each.message for each in without_topics(map(note, notes), private)]
    notes += [part_note] if part_note else []
    ranked = [rank_runs(part.table, options, part_name=part.name, teams=teams) for part in parts]
    # what the board itself says in its details alone
    test_notes = [
        note(f"{f'{part.name}, ' if part.name else ''}{part.by}: {line}")
        for part in ranked
        for line in part.test_notes
    ]
    return Board(
        track_name,
        tuple(ranked),
        broken_submissions(table.broken),
        tuple(notes),
        full_warnings=table.doubts,
        warnings=(*doubts, *map(note, notes), *test_notes),
    )
