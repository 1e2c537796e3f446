"""`irev leaderboard`: submissions in order, with what is known of their places."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from irev import config
from irev.cli.command import Command, Output
from irev.cli.commands import usage_error
from irev.cli.inputs import qrels_and_submissions
from irev.cli.options import (
    FORMAT,
    LAYOUT,
    OUTPUT,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
    RecordOptions,
    params_of,
)
from irev.cli.output import (
    refuse_overwriting_and_stdin_twice,
    say,
    terminal_width,
    voice,
    write,
    write_document,
)
from irev.cli.settings import ARGUMENTS, INNER, option_defaults
from irev.core.displayed import import_attribute
from irev.core.option_records import Opt
from irev.core.output_files import lock_folder_of
from irev.core.text import escaped_bytes, printable
from irev.errors import GENERAL_NOTE, KINDS, IrevError, Notice, UsageError
from irev.jobs.leaderboard.leaderboard import SECTION, LeaderboardOptions
from irev.writers.forms import MACHINE_FORMATS
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board, Boards


# --- The form and the place of what `irev leaderboard` writes: boards, key, log ---


class BoardOutput(Output):
    """What is shown of the boards, and where; for all tracks together."""

    anonymous: Annotated[bool, Opt(
        "--anonymous", section=SECTION, help_order=-7,
        help="Replace the names of runs and teams by made-up ones.",
    )] = False  # fmt: skip
    key: Annotated[str | None, Opt(
        "--key", in_short_help=False, metavar="FILE", section=SECTION, file="written",
        help="Write the key of --anonymous to FILE. Names already in FILE are kept.",
    )] = None  # fmt: skip
    per_topic: Annotated[bool, Opt(
        "--per-topic", in_short_help=True, section=OUTPUT_SECTION,
        help="Also print the best, median and worst score of each topic. In csv, tsv and jsonl: "
        "the scores of all runs by topic.",
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        help_order=-6,
        help="Output format. html is a single page that loads nothing else.",
    )] = "table"  # fmt: skip
    layout: Annotated[Literal["full", "paper"], LAYOUT] = "full"
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(
        help="Number of decimals; html has 3 at most. csv, tsv, json and jsonl always have full "
        "precision."
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT] = None
    log: Annotated[str | None, Opt(
        "--log", metavar="FILE", section=OUTPUT_SECTION, help_order=-5, file="written",
        help="Write all details about broken submissions to FILE. No other output quotes their "
        "contents.",
    )] = None  # fmt: skip
    codabench: Annotated[bool, Opt(
        "--codabench", section=OUTPUT_SECTION,
        help="Run as the scoring program of CodaBench: irev leaderboard --codabench INPUT OUTPUT.",
    )] = False  # fmt: skip
    tira: Annotated[bool, Opt(
        "--tira", section=OUTPUT_SECTION,
        help="Run as an evaluator for TIRA: irev leaderboard --tira TRUTH_DIR RUN_DIR OUTPUT_DIR.",
    )] = False  # fmt: skip
    output_keys: Annotated[str | None, Opt(
        "--columns", metavar="NAME=KEY,...", section=OUTPUT_SECTION,
        help="With --codabench and --tira: output keys of the measures; other measures are left "
        "out.",
    )] = None  # fmt: skip

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
        if self.output_keys:
            raise UsageError("--columns needs --codabench or --tira")
        if self.layout == "paper" and self.per_topic:
            raise UsageError("--layout paper is one table: leave out --per-topic")

    def refuse_documents_off_page_or_anonymous(self, options: LeaderboardOptions) -> None:
        """Refuse documents where no page shows them, or where they tell whose a run is."""
        if not options.documents:
            return
        if not self.is_page:
            raise UsageError("--documents is for the page: --format html")
        if self.anonymous:
            raise UsageError(
                "--documents cannot be combined with --anonymous: who knows a run's documents "
                "knows whose it is"
            )

    def write_log_and_say_notices(self, boards: "Sequence[Board]") -> None:
        """Say on stderr what a reader must know, in full in the log; not what the board shows.

        Where names are made up, stderr may be shown to everybody, too: it quotes neither names nor
        files.
        """
        from irev.jobs.leaderboard.leaderboard import track_notices

        # on a terminal it would stand there twice; made-up names come without notes
        has_notes = not (self.anonymous or self.is_for_platform or self.format in MACHINE_FORMATS)
        shows_notes = has_notes and terminal_width(self.output) is not None
        if self.log:
            write(_problem_log_lines(boards), self.log)
        if self.anonymous:
            boards = [*map(_without_names, boards)]
        voice().tell_or_stop_if_strict(
            each for each in track_notices(boards) if each.kind != GENERAL_NOTE
        )
        for board in boards:
            prefix = f"{board.name}: " if board.name else ""
            for notice in board.warnings:  # of the call, not of the board
                if notice.kind == GENERAL_NOTE and notice.message not in board.notes:
                    voice().note(f"{prefix}{notice.message}")
            if not (shows_notes and board.parts):
                for note in board.notes:
                    voice().note(f"{prefix}{note}")
                for line in board.listed_broken():
                    say(f"irev: {prefix}not scored: {line}")
            if board.broken:
                num_scored = max((len(part.standings) for part in board.parts), default=0)
                say(
                    f"irev: {prefix}{num_scored} scored, {len(board.broken)} could not be scored; "
                    f"{self.log or '--log FILE'} says in full what is wrong"
                )

    def page_bytes(self, boards: "Sequence[Board]") -> Iterator[bytes]:
        """The boards as a page."""
        from irev.jobs.leaderboard.document import leaderboard_page
        from irev.writers.results_page.page_file import results_page_bytes

        return results_page_bytes(leaderboard_page(boards, min(self.places, PAGE_DECIMALS)))

    def write(self, boards: "Board | Boards") -> None:
        """Write the key, then the boards."""
        if self.anonymous and self.key:
            # before the boards: whoever reads these may stop before their end
            with lock_folder_of(self.key):
                boards, key = _anonymous_boards_and_key(boards, self.key)
                write([key], self.key)
        elif self.anonymous:
            boards, _ = _anonymous_boards_and_key(boards, None)
        if self.format == "html" and self.layout == "full":
            write(self.page_bytes(boards.boards), self.output)
            return
        if self.layout == "paper":
            from irev.jobs.leaderboard.document import boards_paper_document

            document = boards_paper_document(boards)
        else:
            from irev.jobs.leaderboard.document import boards_document

            document = boards_document(boards, per_topic=self.per_topic)
        is_safe = self.csv_safe is not False
        write_document(document, self.format, self.output, self.places, csv_safe=is_safe)


def _problem_log_lines(boards: "Sequence[Board]") -> Iterator[bytes]:
    """All that is wrong with submissions, in full."""
    for board in boards:
        if board.name:
            yield escaped_bytes(printable(f"# {board.name}") + "\n")
        for broken in board.broken:
            yield escaped_bytes(f"{broken.full_text}\n")
        for line in (*map(str, board.full_warnings), *board.notes):
            yield escaped_bytes(printable(line) + "\n")


def _without_names(board: "Board") -> "Board":
    """A board without what names runs or files on stderr."""
    broken = tuple(each._replace(path="", line=None) for each in board.broken)
    notices = [Notice(each.kind, KINDS[each.kind].meaning) for each in board.warnings]
    warnings = tuple(dict.fromkeys(each for each in notices if each.kind != GENERAL_NOTE))
    return replace(board, broken=broken, notes=(), warnings=warnings)


class _BoardsAndKey(NamedTuple):
    """Boards with made-up names, and the text of the file that says whose these are."""

    boards: "Boards"
    key_text: bytes


def _anonymous_boards_and_key(
    boards: "Board | Boards", path_of_key_to_extend: str | None
) -> _BoardsAndKey:
    """The boards with made-up names, and the key to these."""
    from irev.jobs.leaderboard.leaderboard import Boards
    from irev.jobs.leaderboard.teams import Pseudonyms

    extended_path = path_of_key_to_extend
    names = Pseudonyms.read(extended_path) if extended_path else Pseudonyms()
    hidden = tuple(
        # notes may name runs and files
        replace(each, parts=tuple(map(names.hide_names, each.parts)), notes=(), hides_names=True)
        for each in boards.boards
    )
    return _BoardsAndKey(Boards(hidden), names.text())


# --- `irev leaderboard`: submissions in order, with what is known of their places ---


NONE_SCORED = IrevError.exit_code
"""The exit code where no submission of any track could be scored."""

_NO_TRACKS = "no [[leaderboard.track]] in the configuration"
_TRACK_EXAMPLE = "each has name, qrels and runs"


class _Track(NamedTuple):
    """A track of a configuration: the files of its call, and its options that the file gives."""

    name: str
    files: tuple[str, ...]
    option_defaults: dict[str, Any]


class LeaderboardCommand(Command):
    """The command, which makes one board, those of the tracks of a file, or a platform's files."""

    def call(self, files: Sequence[str], options: LeaderboardOptions, *more: Any) -> int:
        """Make the boards, say what a reader must know, write them; the exit code."""
        from irev.jobs.leaderboard.leaderboard import NoBoardError

        output: BoardOutput = more[-1]
        if output.is_for_platform:
            from irev.cli.scoring_program import score_submission_for_platform

            return score_submission_for_platform(files, options, more[0].measures, output)
        ctx = click.get_current_context()
        path, tables = ctx.meta.get(INNER, ("", {}))
        _refuse_both_files_and_tracks_or_neither(files, path, tables)
        output.refuse_options_that_lack_others()
        output.refuse_documents_off_page_or_anonymous(options)
        options = options.replace(judged_on_page=output.is_page)
        if path:
            refuse_overwriting_and_stdin_twice([path], output.written_paths())
        try:
            boards: Any = (
                self.job_function.run(
                    *qrels_and_submissions(files, options, output),
                    more[0].measures,
                    options=options,
                )
                if files
                else self._boards_of_tracks(ctx, path, tables["track"], output)
            )
        except NoBoardError as error:
            output.write_log_and_say_notices(error.boards)
            return NONE_SCORED
        return self.finish(boards, output)

    def finish(self, boards: "Board | Boards", output: Any) -> int:
        """Say the warnings and what could not be scored, and write the boards; the exit code."""
        output.write_log_and_say_notices(boards.boards)
        output.write(boards)
        return boards.strict_exit_code if voice().strict else boards.exit_code

    def _boards_of_tracks(
        self, ctx: click.Context, config_path: str, track_tables: Any, output: BoardOutput
    ) -> "Boards":
        """The boards of a configuration; what the command line says goes before."""
        if (
            not isinstance(track_tables, list)
            or not track_tables
            or not all(isinstance(t, dict) for t in track_tables)
        ):
            raise config.settings_error(config_path, _NO_TRACKS, _TRACK_EXAMPLE)
        tracks = {}
        for track in _checked_tracks(ctx, config_path, track_tables):
            track_ctx = command.make_context(
                "irev leaderboard", ctx.meta[ARGUMENTS],
                default_map={**(ctx.default_map or {}), **track.option_defaults},
            )  # fmt: skip
            options, measures, _ = command.records(track_ctx)
            output.refuse_documents_off_page_or_anonymous(options)
            options = options.replace(judged_on_page=output.is_page)
            qrels, runs = qrels_and_submissions(track.files, options, output)
            tracks[track.name] = {
                "qrels": qrels, "runs": runs, "measures": measures.measures, "options": options,
            }  # fmt: skip
        job = import_attribute("irev.jobs.leaderboard.leaderboard:leaderboards")
        boards: Boards = job.run(tracks, options=LeaderboardOptions())
        return boards


def _refuse_both_files_and_tracks_or_neither(
    files: Sequence[str], config_path: str, tables_by_name: Mapping[str, Any]
) -> None:
    """Refuse files beside a configuration that names them, and a call with neither."""
    if files and tables_by_name:
        raise usage_error("with --config the configuration names the files: give none here")
    if not files and not tables_by_name and config_path:
        raise config.settings_error(config_path, _NO_TRACKS, _TRACK_EXAMPLE)
    if not files and not tables_by_name:
        raise usage_error("give qrels and submissions: irev leaderboard QRELS DIR|RUN...")


def _checked_tracks(
    ctx: click.Context, config_path: str, tables: Sequence[dict[str, Any]]
) -> list[_Track]:
    """The tracks of their tables; all are looked at before one is scored."""
    tracks: list[_Track] = []
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
        if name in (track.name for track in tracks):
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
        tracks.append(_Track(name, tuple(files), options))
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
    strict="Make every warning an error: exit code 2, and nothing on standard output. Exit with 1 "
    "where a submission could not be scored.",
    settings=" Without files, tracks come from [[leaderboard.track]]: name, qrels, runs, options.",
)
