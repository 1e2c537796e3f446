"""`irev leaderboard`: submissions in order, with what is known of their places."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from irev import config
from irev.cli.command import Command, Output
from irev.cli.commands import ARGUMENTS, INNER, option_defaults, usage_error
from irev.cli.options import (
    DETAILS,
    FORMAT,
    LAYOUT,
    OUTPUT,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
    RecordOptions,
    add_names_of_judged_runs,
    params_of,
    starts_with_saved,
)
from irev.cli.output import (
    refuse_overwriting_and_stdin_twice,
    say,
    say_error,
    terminal_width,
    voice,
    write,
    write_document,
)
from irev.core.job import import_attribute
from irev.core.option_records import Opt
from irev.core.output_files import lock_folder_of, replace_file
from irev.core.text import count_text, escaped_bytes, printable
from irev.engine.run_files import FoundSubmissions, Submission, find_files_below, find_submissions
from irev.errors import (
    GENERAL_NOTE,
    KINDS,
    InputError,
    IrevError,
    MismatchError,
    Notice,
    UsageError,
)
from irev.jobs.leaderboard.leaderboard import (
    SECTION,
    Board,
    Boards,
    LeaderboardOptions,
    NoBoardError,
    broken_submissions,
    leaderboard,
    track_notices,
)
from irev.scores.scores import MISSING_TOPIC
from irev.writers.forms import MACHINE_FORMATS
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from irev.jobs.leaderboard.board import BoardPart
    from irev.jobs.leaderboard.teams import Pseudonyms
    from irev.writers.document import Document


_MOST_MISSING = 3
"""So many runs that lack topics are named on stderr; of more the first stand for all."""


class BoardOutput(Output):
    """What is shown of the boards, and where; for all tracks together."""

    collections: Annotated[
        str | None,
        Opt(
            "--collections",
            metavar="DIR",
            section=SECTION,
            help_order=-9,
            file="always",
            help="Runs on several collections and their mean over these: "
            "DIR/COLLECTION/qrels.txt or qrels/test.tsv, and DIR/COLLECTION/runs/RUN.run or, in "
            "folders given as arguments, RUN/COLLECTION.run. A folder of collections counts once.",
        ),
    ] = None
    anonymous: Annotated[
        bool,
        Opt(
            "--anonymous",
            section=SECTION,
            help_order=-7,
            help="Replace the names of runs and teams by made-up ones.",
        ),
    ] = False
    key: Annotated[
        str | None,
        Opt(
            "--key",
            in_short_help=False,
            metavar="FILE",
            section=SECTION,
            file="written",
            help="Write the key of --anonymous to FILE. Names already in FILE are kept.",
        ),
    ] = None
    team_pages: Annotated[
        str | None,
        Opt(
            "--team-pages",
            in_short_help=False,
            metavar="DIR",
            section=SECTION,
            file="written",
            help="With --teams: write TEAM.html and TEAM.csv of each team into DIR: its own runs "
            "by topic, beside the best, the median and the worst of all runs.",
        ),
    ] = None
    per_topic: Annotated[
        bool,
        Opt(
            "--per-topic",
            in_short_help=True,
            section=OUTPUT_SECTION,
            help="Also print the best, median and worst score of each topic. In csv, tsv and "
            "jsonl: the scores of all runs by topic.",
        ),
    ] = False
    details: Annotated[bool, DETAILS] = False
    format: Annotated[
        str,
        FORMAT.replace(
            help_order=-6,
            help="Output format. html is a single page that loads nothing else.",
        ),
    ] = "table"
    layout: Annotated[Literal["full", "paper"], LAYOUT] = "full"
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[
        int,
        PLACES.replace(
            help="Number of decimals; html has 3 at most. csv, tsv, json and jsonl always have "
            "full precision."
        ),
    ] = 4
    output: Annotated[str | None, OUTPUT] = None
    log: Annotated[
        str | None,
        Opt(
            "--log",
            metavar="FILE",
            section=OUTPUT_SECTION,
            help_order=-5,
            file="written",
            help="Write all details about broken submissions to FILE. No other output quotes their "
            "contents.",
        ),
    ] = None
    codabench: Annotated[
        bool,
        Opt(
            "--codabench",
            section=OUTPUT_SECTION,
            help="Run as the scoring program of CodaBench. The call is irev leaderboard "
            "--codabench INPUT OUTPUT.",
        ),
    ] = False
    tira: Annotated[
        bool,
        Opt(
            "--tira",
            section=OUTPUT_SECTION,
            help="Run as an evaluator for TIRA. The call is irev leaderboard --tira TRUTH_DIR "
            "RUN_DIR OUTPUT_DIR.",
        ),
    ] = False
    output_keys: Annotated[
        str | None,
        Opt(
            "--columns",
            metavar="NAME=KEY,...",
            section=OUTPUT_SECTION,
            help="With --codabench and --tira: output keys of the measures; other measures are "
            "left out.",
        ),
    ] = None

    @property
    def is_for_platform(self) -> bool:
        """Whether a platform's files are written in place of a board."""
        return self.codabench or self.tira

    @property
    def is_page(self) -> bool:
        """Whether the page of results is written."""
        return self.format == "html" and self.layout == "full"

    def refuse_options_that_lack_others(self) -> None:
        """Refuse options that need others."""
        if self.key and not self.anonymous:
            raise UsageError("--key needs --anonymous")
        if self.collections is not None and self.team_pages is not None:
            raise UsageError("--team-pages cannot be combined with --collections")
        if self.output_keys:
            raise UsageError(
                "--columns needs --codabench or --tira; --table-columns names columns of tables"
            )
        if self.layout == "paper" and self.per_topic:
            raise UsageError("--layout paper is one table: leave out --per-topic")

    def refuse_unfit_options(self, options: LeaderboardOptions) -> None:
        """Refuse documents where no page shows them, or where they tell whose a run is.

        Pages of teams need teams.
        """
        if self.team_pages is not None and not options.teams:
            raise UsageError("--team-pages needs --teams FILE")
        if not options.documents:
            return
        if not self.is_page:
            raise UsageError("--documents is for the page: --format html")
        if self.anonymous:
            raise UsageError(
                "--documents cannot be combined with --anonymous: who knows a run's documents "
                "knows whose it is"
            )

    def write_log_and_say_notices(self, boards: Sequence[Board]) -> None:
        """Say on stderr what a reader must know, in full in the log; not what the board shows.

        Where names are made up, stderr may be shown to everybody, too: it quotes neither names nor
        files.
        """
        # on a terminal it would stand there twice; made-up names come without notes
        is_shown = not (self.anonymous or self.is_for_platform or self.format in MACHINE_FORMATS)
        is_shown = is_shown and terminal_width(self.output) is not None
        if self.log:
            write(_problem_log_lines(boards), self.log)
        if self.anonymous:
            boards = [*map(_without_names, boards)]
        warnings = [each for each in track_notices(boards) if each.kind != GENERAL_NOTE]
        missing = [each for each in warnings if each.kind == MISSING_TOPIC]
        if len(missing) > _MOST_MISSING:  # the board counts what each run lacks
            runs_lack = count_text(len(missing) - _MOST_MISSING, "more run lacks", "more runs lack")
            more = f"{runs_lack} judged topics, which count as 0"
            warnings = [each for each in warnings if each not in missing[_MOST_MISSING:]]
            warnings.append(Notice(MISSING_TOPIC, more))
        voice().tell_or_stop_if_strict(warnings)
        for board in boards:
            prefix = f"{board.name}: " if board.name else ""
            for notice in board.warnings:  # of the call, not of the board
                if notice.kind == GENERAL_NOTE and notice.message not in board.notes:
                    voice().note(f"{prefix}{notice.message}")
            if not (is_shown and board.parts and (self.details or self.is_page)):
                for note in board.notes:
                    voice().note(f"{prefix}{note}")
            if not (is_shown and board.parts):
                for line in board.listed_broken():
                    say(f"irev: {prefix}not scored: {line}")
            if board.broken:
                num_scored = max((len(part.standings) for part in board.parts), default=0)
                say(
                    f"irev: {prefix}{num_scored} scored, {len(board.broken)} could not be scored; "
                    f"{self.log or '--log FILE'} says in full what is wrong"
                )

    def page_bytes(self, boards: Sequence[Board]) -> Iterator[bytes]:
        """The boards as a page."""
        from irev.jobs.leaderboard.document import leaderboard_page
        from irev.writers.results_page.page_file import results_page_bytes

        return results_page_bytes(leaderboard_page(boards, min(self.places, PAGE_DECIMALS)))

    def write(self, boards: Board | Boards) -> None:
        """Write the key, then the boards."""
        from irev.jobs.leaderboard.teams import Pseudonyms

        if self.anonymous and self.key:
            # before the boards: whoever reads these may stop before their end
            with lock_folder_of(self.key):
                names = Pseudonyms.read(self.key)
                boards = _hide_names(boards, names)
                write([names.text()], self.key)
        elif self.anonymous:
            boards = _hide_names(boards, Pseudonyms())
        if self.is_page:
            write(self.page_bytes(boards.boards), self.output)
            return
        if self.layout == "paper":
            from irev.jobs.leaderboard.document import boards_paper_document

            document = boards_paper_document(boards)
        else:
            from irev.jobs.leaderboard.document import boards_document

            document = boards_document(boards, self.places, per_topic=self.per_topic)
        self.write_in_form(document)

    def write_in_form(self, document: Document) -> None:
        """Write a document in the form that was asked for."""
        is_safe = self.csv_safe is not False
        write_document(
            document,
            self.format,
            self.output,
            self.places,
            csv_safe=is_safe,
            details=self.details,
        )


def _problem_log_lines(boards: Sequence[Board]) -> Iterator[bytes]:
    """All that is wrong with submissions, in full."""
    for board in boards:
        if board.name:
            yield escaped_bytes(printable(f"# {board.name}") + "\n")
        for broken in board.broken:
            yield escaped_bytes(f"{broken.full_text}\n")
        for line in (*map(str, board.full_warnings), *board.notes):
            yield escaped_bytes(printable(line) + "\n")


def _without_names(board: Board) -> Board:
    """A board without what names runs or files on stderr; files have numbers, by their paths."""
    broken = tuple(
        each._replace(path=f"unreadable-{number}", line=None)
        for number, each in enumerate(board.broken, 1)
    )
    notices = [Notice(each.kind, KINDS[each.kind].meaning) for each in board.warnings]
    warnings = tuple(dict.fromkeys(each for each in notices if each.kind != GENERAL_NOTE))
    return replace(board, broken=broken, notes=(), warnings=warnings)


def _hide_names(boards: Board | Boards, names: Pseudonyms) -> Boards:
    """The boards with made-up names; their notes may name runs and files."""
    return Boards(
        tuple(
            replace(
                each, parts=tuple(map(names.hide_names, each.parts)), notes=(), hides_names=True
            )
            for each in boards.boards
        )
    )


# --- The command ---


_NO_TRACKS = "no [[leaderboard.track]] in the configuration"
_TRACK_EXAMPLE = "each has name, qrels and runs"


class LeaderboardCommand(Command):
    """The command, which makes one board, those of the tracks of a file, or a platform's files."""

    def call(self, files: Sequence[str], options: LeaderboardOptions, *more: Any) -> int:
        """Make the boards, say what a reader must know, write them; the exit code."""
        output: BoardOutput = more[-1]
        if output.is_for_platform:
            return score_submission_for_platform(files, options, more[0].measures, output)
        ctx = click.get_current_context()
        path, tables = ctx.meta.get(INNER, ("", {}))
        if files and tables:
            raise usage_error("with --config the configuration names the files: give none here")
        if output.collections is not None:
            return self._score_collections(files, options, more[0].measures, output)
        if not files and not tables and path:
            raise config.settings_error(path, _NO_TRACKS, _TRACK_EXAMPLE)
        if not files and not tables:
            raise usage_error("give qrels and submissions: irev leaderboard QRELS DIR|RUN...")
        output.refuse_options_that_lack_others()
        output.refuse_unfit_options(options)
        options = options.replace(judged_on_page=output.is_page)
        if path:
            refuse_overwriting_and_stdin_twice([path], output.written_paths())
        try:
            boards: Any
            if files:
                inputs = qrels_and_submissions(files, options, output)
                boards = self.job_function.run(*inputs, more[0].measures, options=options)
            else:
                boards = self._boards_of_tracks(ctx, path, tables["track"], output)
        except NoBoardError as error:
            output.write_log_and_say_notices(error.boards)
            return IrevError.exit_code
        return self.finish(boards, output)

    def _score_collections(
        self,
        folders: Sequence[str],
        options: LeaderboardOptions,
        measures: Sequence[str],
        output: BoardOutput,
    ) -> int:
        """Score runs on several collections, and write their means; the exit code."""
        output.refuse_options_that_lack_others()
        for option, is_given in (
            ("--anonymous", output.anonymous),
            ("--per-topic", output.per_topic),
        ):
            if is_given:
                raise UsageError(f"{option} cannot be combined with --collections")
        inputs = [output.collections, *folders, *options.input_paths()]
        refuse_overwriting_and_stdin_twice(inputs, output.written_paths())
        job = import_attribute("irev.jobs.leaderboard.collections:leaderboard_of_collections")
        try:
            result = job.run(output.collections, folders, measures, options=options)
        except NoBoardError as error:
            output.write_log_and_say_notices(error.boards)
            return IrevError.exit_code
        output.write_log_and_say_notices(result.boards)
        if output.format in MACHINE_FORMATS or terminal_width(output.output) is None:
            for line in result.notes:  # which a terminal shows below the table
                voice().note(line)
        if output.layout == "paper":
            document = import_attribute(result.paper_by)(result)
        else:
            document = result.document_with(output.places)
        output.write_in_form(document)
        code: int = result.strict_exit_code if voice().strict else result.exit_code
        return code

    def finish(self, boards: Board | Boards, output: Any) -> int:
        """Say the warnings and what could not be scored, and write the boards; the exit code."""
        output.write_log_and_say_notices(boards.boards)
        if output.team_pages is not None:
            write_pages = import_attribute("irev.jobs.leaderboard.team_pages:write_team_pages")
            paths = write_pages(boards.boards, output.team_pages)
            voice().note(f"{output.team_pages}: pages of {count_text(len(paths), 'team')}")
        output.write(boards)
        return boards.strict_exit_code if voice().strict else boards.exit_code

    def _boards_of_tracks(
        self, ctx: click.Context, config_path: str, track_tables: Any, output: BoardOutput
    ) -> Boards:
        """The boards of a configuration; what the command line says goes before."""
        if (
            not isinstance(track_tables, list)
            or not track_tables
            or not all(isinstance(t, dict) for t in track_tables)
        ):
            raise config.settings_error(config_path, _NO_TRACKS, _TRACK_EXAMPLE)
        tracks = {}
        for name, (files, defaults) in _checked_tracks(ctx, config_path, track_tables).items():
            track_ctx = command.make_context(
                "irev leaderboard",
                ctx.meta[ARGUMENTS],
                default_map={**(ctx.default_map or {}), **defaults},
            )
            options, measures, _ = command.records(track_ctx)
            output.refuse_unfit_options(options)
            options = options.replace(judged_on_page=output.is_page)
            qrels, runs = qrels_and_submissions(files, options, output)
            tracks[name] = {
                "qrels": qrels,
                "runs": runs,
                "measures": measures.measures,
                "options": options,
            }
        job = import_attribute("irev.jobs.leaderboard.leaderboard:leaderboards")
        boards: Boards = job.run(tracks, options=LeaderboardOptions())
        return boards


def qrels_and_submissions(
    files: Sequence[str], options: LeaderboardOptions, output: BoardOutput
) -> tuple[str | None, FoundSubmissions]:
    """The judgments (None where all files are saved scores) and the files found as submissions."""
    files = add_names_of_judged_runs(files, options.qrels_format)
    if os.path.isdir(files[0]):
        raise UsageError(f"{files[0]} is a directory: put the qrels before it")
    has_qrels = not starts_with_saved(files)
    if has_qrels and len(files) == 1:
        raise UsageError("give submissions: irev leaderboard QRELS DIR|RUN...")
    submissions = find_submissions(files[1:], follow_links=options.follow_links)
    paths = [files[0], *(each.path for each in submissions.files)]
    refuse_overwriting_and_stdin_twice([*paths, *options.input_paths()], output.written_paths())
    if has_qrels:
        return files[0], submissions
    return None, submissions._replace(files=[Submission(files[0]), *submissions.files])


def _checked_tracks(
    ctx: click.Context, config_path: str, tables: Sequence[dict[str, Any]]
) -> dict[str, tuple[list[str], dict[str, Any]]]:
    """Name of a track -> the files of its call, and its options; all are looked at before any."""
    tracks: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for number, table in enumerate(tables, 1):
        settings = dict(table)
        name, qrels, runs = (settings.pop(key, None) for key in ("name", "qrels", "runs"))
        if not isinstance(name, str) or not name:
            raise config.settings_error(
                config_path, f"track {number} has no name", 'name = "passages"'
            )
        prefix = f"track '{name}'"
        runs = [runs] if isinstance(runs, str) else runs
        if not isinstance(runs, list) or not runs or not all(isinstance(r, str) for r in runs):
            raise config.settings_error(
                config_path, f"{prefix}: runs must name files or directories", 'runs = ["runs/"]'
            )
        if not isinstance(qrels, str | None):
            raise config.settings_error(
                config_path, f"{prefix}: qrels must be a path", 'qrels = "qrels.txt"'
            )
        if name in tracks:
            raise config.settings_error(
                config_path, f"two tracks are called '{name}'", "give each its own name"
            )
        files = [
            os.path.join(os.path.dirname(config_path), each)
            for each in filter(None, (qrels, *runs))
        ]
        options = option_defaults(
            ctx, config_path, settings, _TRACK_PARAMETERS, message_prefix=f"{prefix}: "
        )
        tracks[name] = files, options
    return tracks


_TRACK_PARAMETERS = params_of(RecordOptions(LeaderboardOptions), RecordOptions(MeasureOptions))
"""The options that a track can set; the others hold for all tracks together."""

command = LeaderboardCommand(
    "leaderboard",
    "irev.jobs.leaderboard.leaderboard:leaderboard",
    LeaderboardOptions,
    tuple,
    "QRELS DIR|RUN...",
    BoardOutput,
    help="""Score many submissions and rank them by the first measure.

    Directories are searched for submissions, including subdirectories. Links and special files are
    reported and never opened. Without QRELS, submissions are saved scores; with QRELS, saved scores
    are accepted only with --accept-scores. A judged topic missing from a run counts as 0. Equal
    means share a place.

    A submission that cannot be read or exceeds the limits is reported, and the others are scored:
    the exit code is 0, or 1 with --strict; it is 2 where a RUN that you name cannot be opened.
    """,
    measures="map; for saved scores all that they contain",
    example="irev leaderboard -m ndcg_cut.10 -m map --format html --output board.html qrels.txt "
    "runs/",
    inner=("track",),
    shows="--update --only --key --codabench --tira --columns --config",
    strict="Make every warning an error: exit code 2, and nothing on standard output. Exit with 1 "
    "where a submission could not be scored.",
    settings=" Without files, tracks come from [[leaderboard.track]]: name, qrels, runs, options.",
)


# --- `irev leaderboard --codabench` and `--tira`: the scoring program of shared-task platforms ---


BAD_SUBMISSION = 1

_CODABENCH = ("detailed_results.html", "scores.txt", "scores.json")
_TIRA = ("evaluation.prototext",)
"""What is written, what the platform looks for first at the end."""


def score_submission_for_platform(
    files: Sequence[str],
    options: LeaderboardOptions,
    measures: Sequence[str],
    output: BoardOutput,
) -> int:
    """Score one submission and write the files that the platform reads; the exit code.

    CodaBench: INPUT has the judgments in `ref` and the submission in `res`; scores.json,
    scores.txt and detailed_results.html go to OUTPUT. TIRA: evaluation.prototext. A submission that
    cannot be scored leaves no file, those of an earlier call neither, and the exit code is 1. What
    is said on stderr, which platforms show, quotes no file.
    """
    truth, submission, output_folder = _truth_submission_output_folders(files, options, output)
    keys = parse_key_by_measure(output.output_keys)
    _remove_old_outputs(output_folder, _TIRA if output.tira else _CODABENCH, (truth, submission))
    # what lies beside the judgments is the organiser's own
    qrels = find_only_file(truth, "the qrels file", "qrels", follow_links=True)
    try:
        run = find_only_file(submission, "the submission", "run", follow_links=options.follow_links)
    except UsageError as error:
        say_error(error)
        return BAD_SUBMISSION
    except InputError as error:
        run, board = error.path, _unscored_board(error.path, error)
    else:
        board = _board_of_run(qrels, run, measures, options, output)
    # without what the organiser could do: whoever submitted has no options
    broken = (each._replace(meaning=each.meaning.partition(";")[0]) for each in board.broken)
    board = replace(board, broken=tuple(broken))
    output.write_log_and_say_notices([board])
    if not board.parts:
        return BAD_SUBMISSION if board.broken[0].path == run else InputError.exit_code
    contents = _contents_by_name(output, board, keys)
    try:
        os.makedirs(output_folder, exist_ok=True)
    except OSError as error:
        raise IrevError(f"{output_folder} cannot be made: {error.strerror}") from None
    for name, content in contents.items():
        with replace_file(os.path.join(output_folder, name)) as stream:
            stream.write(content)
    return 0


def _truth_submission_output_folders(
    files: Sequence[str], options: LeaderboardOptions, output: BoardOutput
) -> tuple[str, str, str]:
    """The directories of the judgments, of the submission and of the output."""
    if output.codabench and output.tira:
        raise UsageError("--codabench and --tira are for different platforms")
    refused = {
        "--teams": options.teams,
        "--public": options.public,
        "--update": options.update,
        "--anonymous": output.anonymous,
        "--documents": options.documents,
        "--best-per-team": options.best_per_team,
        "--team-pages": output.team_pages,
        "--output": output.output,
        "--group-by": options.classes,
        "--max-runs": options.max_runs not in (None, 1),
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(f"{option} cannot be combined with one submission")
    usage = "INPUT_DIR OUTPUT_DIR" if output.codabench else "TRUTH_DIR RUN_DIR OUTPUT_DIR"
    if len(files) != len(usage.split()):
        which = "--codabench" if output.codabench else "--tira"
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"write irev leaderboard {which} {usage}", context)
    if output.codabench:
        return os.path.join(files[0], "ref"), os.path.join(files[0], "res"), files[1]
    return files[0], files[1], files[2]


def _remove_old_outputs(
    directory: str, names: Sequence[str], input_directories: Sequence[str]
) -> None:
    """Remove what an earlier call wrote."""
    where = os.path.realpath(directory)
    for each in map(os.path.realpath, input_directories):
        if os.path.commonpath([where, each]) == each:
            raise UsageError(
                f"{directory}: the output directory must not be inside an input directory"
            )
    for path in (os.path.join(directory, name) for name in names):
        try:
            os.unlink(path)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise IrevError(f"{path}: this file cannot be removed: {error.strerror}") from None


def _board_of_run(
    qrels_path: str,
    run_path: str,
    measures: Sequence[str],
    options: LeaderboardOptions,
    output: BoardOutput,
) -> Board:
    # one run has nobody to be compared with; of several each would ask the judgments anew, and the
    # platform has room for the scores of one
    options = options.replace(
        test="none", ci="none", accept_scores=False, max_runs=1, judged_on_page=False
    )
    try:
        inputs = qrels_and_submissions((qrels_path, run_path), options, output)
        board = leaderboard.run(*inputs, measures, options=options)
        return replace(board, warnings=tuple(map(_without_counts, board.warnings)))
    except NoBoardError as error:
        return error.boards[0]
    except MismatchError as error:
        return _unscored_board(run_path, error)
    except InputError as error:
        return _unscored_board(error.path, error)


def _without_counts(notice: Notice) -> Notice:
    """What a warning says by its kind alone; topics are told, which the page has, too.

    How many documents are judged, or left out by choice, is no measure that was chosen.
    """
    if notice.kind in (MISSING_TOPIC, "unjudged-topic", GENERAL_NOTE):
        return notice
    return notice._replace(message=KINDS[notice.kind].meaning, hint="")


def _unscored_board(path: str, error: IrevError) -> Board:
    return Board("", (), broken_submissions([(path, error)]))


def _contents_by_name(
    output: BoardOutput, board: Board, key_by_measure: Mapping[str, str]
) -> dict[str, bytes]:
    """What is written: name -> content."""
    from irev.jobs.leaderboard.board import rank_runs, run_signature

    part = board.parts[0]
    values = values_of_keyed_or_all_measures(part, key_by_measure)
    if key_by_measure:  # the others are on the page neither
        columns = [column for column in part.table.columns if column.name in key_by_measure]
        table = replace(
            part.table.select_measures(columns), requested=tuple(each.name for each in columns)
        )
        part = rank_runs(table, part.options.replace(by=None))
        board = replace(board, parts=(part,))
    if output.tira:
        signature = run_signature(part, part.table.runs[0])
        facts = [] if signature is None else [("signature", signature.short)]
        return dict(zip(_TIRA, [prototext(values, facts)], strict=True))
    page = b"".join(output.page_bytes([board]))
    return dict(zip(_CODABENCH, (page, scores_txt(values), scores_json(values)), strict=True))


_ABOUT = re.compile(r"(metadata|ir-metadata|readme)(\.(ya?ml|md|txt))?", re.IGNORECASE)
"""What stands beside a submission and tells of it."""


def find_only_file(
    directory_or_file: str, noun: str, preferred_prefix: str = "", *, follow_links: bool = False
) -> str:
    """The file in a directory, or below: hidden files and descriptions of it do not count.

    Args:
        directory_or_file: where to look; a file is taken as it is.
        noun: what is looked for, for the message.
        preferred_prefix: among several, the only one whose name begins so.
        follow_links: whether links in the directory are followed.
    """
    if os.path.isfile(directory_or_file):
        return directory_or_file
    directory = directory_or_file
    if not os.path.isdir(directory):
        raise UsageError(f"{directory}: there is no such directory, where {noun} should be")
    inside = list(find_files_below(directory, follow_links=follow_links))
    paths = [each[0] for each in inside if not _ABOUT.fullmatch(os.path.basename(each[0]))]
    prefixed_paths = [
        path
        for path in paths
        if preferred_prefix and os.path.basename(path).startswith(preferred_prefix)
    ]
    if len(paths) > 1 and len(prefixed_paths) == 1:
        paths = prefixed_paths
    if len(paths) != 1:
        names = ", ".join(os.path.relpath(f, directory) for f in paths[:5])
        raise UsageError(
            f"{directory}: {noun} must be one file: there {'are' if paths else 'is'} "
            f"{names or 'none'}"
        )
    refused = [each for each in inside if not isinstance(each, Submission)]
    for path, error in refused:
        if path == paths[0]:
            raise error
    return paths[0]


def parse_key_by_measure(text: str | None) -> dict[str, str]:
    """Printed name -> key, as `ndcg_cut_10=score,map=map` says it."""
    keys: dict[str, str] = {}
    if not text:
        return keys
    for part in text.split(","):
        # the last `=`: names of measures may hold others
        name, equals, key = part.strip().rpartition("=")
        if not equals or not name or not key:
            raise UsageError(f"--columns {text}: must be NAME=KEY, such as ndcg_cut_10=score")
        keys[name] = key
    if len({*keys.values()}) < len(keys):
        raise UsageError(f"--columns {text}: two measures have one key")
    return keys


def values_of_keyed_or_all_measures(
    part: BoardPart, key_by_measure: Mapping[str, str]
) -> dict[str, float]:
    """The values of the only run, by the keys of the platform: by printed names where none is said.

    Where keys are said, the measures without one are left out.
    """
    names = part.table.measure_names
    for name in key_by_measure:
        if name not in names:
            raise UsageError(f"--columns: {name} is not one of {', '.join(names)}")
    return {
        key_by_measure.get(name, name): float(part.summary[row, 0])
        for row, name in enumerate(names)
        if not key_by_measure or name in key_by_measure
    }


def scores_json(values: Mapping[str, float]) -> bytes:
    """CodaBench's scores.json: a flat object."""
    return json.dumps(values, allow_nan=False).encode() + b"\n"


def scores_txt(values: Mapping[str, float]) -> bytes:
    """CodaLab's scores.txt: YAML; a key in quotes where it is more than letters and digits."""
    lines = [
        f"{key if re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*', key) else json.dumps(key)}: {value!r}\n"
        for key, value in values.items()
    ]
    return "".join(lines).encode()


def prototext(values: Mapping[str, float], facts: Sequence[tuple[str, str]] = ()) -> bytes:
    """TIRA's evaluation.prototext: a block for each value, and for what else there is to say."""
    pairs = [*values.items(), *facts]
    blocks = [
        f"measure {{\n  key: {json.dumps(str(key))}\n  value: {json.dumps(str(value))}\n}}\n"
        for key, value in pairs
    ]
    return "".join(blocks).encode()
