"""`irev.leaderboard`: many submissions scored at once, in order, with what is known of places."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.wording import count_text
from irev.engine.run_files import (
    FoundSubmissions,
    find_submissions,
    refuse_too_many_runs,
    rewindable,
    runs_by_name_if_several,
    submission_names,
)
from irev.engine.score_runs import score_runs
from irev.errors import InputError, NoneScoredError, UsageError, note
from irev.jobs.leaderboard.options import LeaderboardOptions
from irev.jobs.leaderboard.results import (
    Board,
    Boards,
    NoBoardError,
    broken_submissions,
    drop_quoting_hint,
    track_notices,
)
from irev.jobs.score_job import scoring_job, tracks_job, watch_runs
from irev.measures.naming.grammar import measure_names
from irev.options import DEPTH, Options
from irev.read.stream import FoundFile, FoundFolder
from irev.scores.saved_runs import saved_scores_error
from irev.scores.table import ScoreTable, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.core.judged import Input
    from irev.core.option_records import OptionRecord
    from irev.errors import IrevError, Notice


@scoring_job(LeaderboardOptions)
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
    board = _ranked_board("", qrels_or_table, runs, measures, options)
    if not board.parts:
        raise NoBoardError((board,))
    return board


@tracks_job(LeaderboardOptions)
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
    inputs = [(name, *_track_inputs(name, track, options)) for name, track in tracks.items()]
    updates = [os.path.realpath(each[-1].update) for each in inputs if each[-1].update is not None]
    if len(set(updates)) < len(updates):
        raise UsageError("each track needs an --update file of its own")
    boards = tuple(_ranked_board(*each) for each in inputs)
    if not any(board.parts for board in boards):
        raise NoBoardError(boards)
    return Boards(
        boards,
        warnings=tuple(track_notices(boards)),
        exit_code=max(board.exit_code for board in boards),
    )


def _track_inputs(
    name: str, track: Mapping[str, Any], options: OptionRecord
) -> tuple[Any, Any, Any, LeaderboardOptions]:
    """The judgments, runs, measures and options of a track."""
    fields = dict(track)
    qrels, runs = fields.pop("qrels", None), fields.pop("runs", ())
    measures = fields.pop("measures", ())
    if not isinstance(runs, FoundSubmissions | Mapping) and not len(runs):
        raise UsageError(f"track '{name}' has no runs")
    record = fields.pop("options", options)
    return qrels, runs, measures, LeaderboardOptions.from_keywords(record, fields)


def _ranked_board(
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
            qrels_or_table, runs, measures, options, watch=watch_runs,
            first_documents=options.first_documents_need,
        )  # fmt: skip
        return _board_with_topic_parts(name, table, options)
    try:
        if found_files.refused and not found_files.files:
            raise NoneScoredError(found_files.refused)
        if qrels_or_table is None:
            paths = [each.path for each in found_files.files]
            table = score_runs(
                None, paths, measures, options, keep_going=True, watch=watch_runs,
                check_saved_scores=partial(
                    refuse_too_many_runs, max_runs=options.max_runs, is_only=len(paths) == 1
                ),
            )  # fmt: skip
        elif options.predicted is not None:
            # one weight of the model for all runs: they are scored together, by this process
            names = submission_names(found_files.files)
            runs = {n: each.path for n, each in zip(names, found_files.files, strict=True)}
            table = score_runs(
                qrels_or_table, runs, measures, options, keep_going=True, watch=watch_runs,
                check_saved_scores=partial(_refuse_saved_scores, accepts=options.accept_scores),
            )  # fmt: skip
        else:
            table, unchanged = _score_submissions_and_note_kept(
                qrels_or_table, found_files, measures, options
            )
    except NoneScoredError as error:
        return Board(name, (), broken_submissions({*found_files.refused, *error.broken}))
    board = _board_with_topic_parts(name, table, options)
    return replace(
        board,
        broken=broken_submissions((*found_files.refused, *table.broken)),
        warnings=(*map(drop_quoting_hint, board.warnings), *unchanged),
        exit_code=InputError.exit_code if _lacks_named_file(table.broken) else 0,
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
    if options.documents:
        _refuse_documents_without_judgments(qrels_or_table, options)


def _refuse_documents_without_judgments(qrels_or_table: Any, options: LeaderboardOptions) -> None:
    """Refuse to show documents and grades that are not there, or that are to be hidden."""
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


def _lacks_named_file(broken: Iterable[tuple[str, IrevError]]) -> bool:
    """Whether a file that was named, not found in a directory, cannot be opened."""
    return any(
        error.problems[0].kind == "no-file"
        for path, error in broken
        if isinstance(error, InputError) and not isinstance(path, FoundFile | FoundFolder)
    )


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
    matches = [
        file
        for path in inputs
        for file in (runs_by_name_if_several(path, splits_tables=False) or {"": path}).values()
    ]
    return find_submissions(map(path_of, matches), follow_links=follow_links)


def _score_submissions_and_note_kept(
    qrels: Any, found_files: FoundSubmissions, measures: object, options: LeaderboardOptions
) -> tuple[ScoreTable, tuple[Notice, ...]]:
    """The scores of submissions, from workers: the files are strangers'; how many were kept."""
    from irev.jobs.leaderboard.scoring import ScoringSetup, ScoringWorkers
    from irev.measures.naming.resolve import resolve_names

    if isinstance(options.pool, str) and options.pool.startswith(DEPTH):
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
        path_of(qrels) or qrels, requested, evaluation, options.qrels_format,
        tuple(options.plugins), options.accept_scores, options.nan == "drop-topic",
        options.measure_ranges, options.first_documents_need, max_runs=options.max_runs,
    )  # fmt: skip
    paths = [each.path for each in found_files.files]
    update = "" if options.update is None else os.fspath(options.update)
    if update and any(os.path.realpath(update) == os.path.realpath(path) for path in paths):
        raise UsageError(f"--update {update}: this file lies among the submissions")
    with ScoringWorkers(setup, paths, options, update) as workers:
        # imported while the judgments are read
        import irev.jobs.leaderboard.board
        import irev.jobs.leaderboard.facts  # noqa: F401

        if options.ci in ("t", "hall"):  # others may do without
            import scipy.special  # noqa: F401

        table = workers.score_table(submission_names(found_files.files), watch_runs)
    count = f"{workers.num_unchanged} of {count_text(len(paths), 'submission')}"
    table = replace(table, requested=tuple(measure_names(measures)))
    return table, (note(f"{update}: the scores of {count} are kept ones"),) if update else ()


def _board_with_topic_parts(
    track_name: str,
    table: ScoreTable,
    options: LeaderboardOptions,
) -> Board:
    """The boards of the parts of the topics, with all that must be said of the scores."""
    from irev.jobs.leaderboard.board import rank_runs
    from irev.jobs.leaderboard.teams import listed_runs, read_teams, team_notes, teams_of
    from irev.jobs.leaderboard.topic_parts import PUBLIC, topic_parts_and_note, without_topics

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
    return Board(
        track_name,
        tuple(rank_runs(part.table, options, part_name=part.name, teams=teams) for part in parts),
        broken_submissions(table.broken),
        tuple(notes),
        full_warnings=table.doubts,
        warnings=(*doubts, *map(note, notes)),
    )
