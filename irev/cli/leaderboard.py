"""`irev leaderboard`: submissions in order, with what is known of their places."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev import config
from irev.cli.board_output import BoardOutput
from irev.cli.command import Command
from irev.cli.commands import usage_error
from irev.cli.options import MeasureOptions
from irev.cli.output import refuse_overwriting_and_stdin_twice, voice
from irev.cli.record_options import RecordOptions, params_of
from irev.cli.settings import ARGUMENTS, INNER, option_defaults
from irev.cli.submission_files import qrels_and_submissions
from irev.core.displayed import import_attribute
from irev.errors import IrevError
from irev.jobs.leaderboard.leaderboard import LeaderboardOptions

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board, Boards

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
