"""`irev leaderboard`: submissions in order, with what is known of their places."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev import config
from irev.cli.commands import Job
from irev.cli.options import Taken, parameters_of
from irev.cli.output import terminal_width, voice
from irev.cli.settings import ARGUMENTS, INNER, option_defaults
from irev.cli.several_runs import OptionsOfRuns, Runs, records_of_runs
from irev.cli.tracks import Shown, Submissions, say_tracks, track_of
from irev.engine.confined.limits import Limits
from irev.errors import IrevError, UsageError
from irev.jobs.leaderboard.rules import BoardRules, Chosen
from irev.writers.forms import MACHINE_FORMATS

if TYPE_CHECKING:
    from irev.jobs.leaderboard.track import Track

NONE_SCORED = IrevError.exit_code
"""The exit code where no submission of any track could be scored."""


def leaderboard(
    files: tuple[str, ...],
    rules: BoardRules,
    chosen: Chosen,
    shown: Shown,
    asked: Runs,
    options: OptionsOfRuns,
    limits: Limits,
) -> int:
    """Score many submissions and rank them by the first measure.

    Directories are searched for submissions, including subdirectories. Links and special files are
    reported and never opened. Without QRELS, submissions are saved scores; with QRELS, saved scores
    are accepted only with --accept-scores. A judged topic missing from a run counts as 0. Equal
    means share a place.

    A submission that cannot be read or exceeds the limits is reported, and the others are scored:
    the exit code is 0, or 1 with --strict.
    """
    written = (("--output", shown.output), ("--key", shown.key), ("--log", shown.log))
    given = Submissions(files, rules, chosen, asked, options, limits, written)
    if shown.codabench or shown.tira:
        from irev.cli.scoring_program import score

        return score(given, shown)
    ctx = click.get_current_context()
    path, tables = ctx.meta.get(INNER, ("", {}))
    _check(ctx, files, shown, path, tables, written)
    tracks = [track_of(given)] if files else _configured(ctx, path, tables["track"], written)
    # on a terminal it would stand there twice; made-up names come without notes
    is_seen = terminal_width(shown.output) is not None and not shown.anonymous
    say_tracks(tracks, shown.log, below_board=is_seen and shown.format not in MACHINE_FORMATS)
    if not any(track.boards for track in tracks):
        return NONE_SCORED
    _deliver(tracks, shown)
    return 1 if voice().strict and any(track.broken for track in tracks) else 0


def _check(
    ctx: click.Context,
    files: tuple[str, ...],
    shown: Shown,
    path: str,
    tables: Mapping[str, Any],
    written: Sequence[tuple[str, str | None]],
) -> None:
    from irev.cli.output import check_files

    if files and tables:
        raise click.UsageError(
            "with --config the configuration names the files: give none here", ctx
        )
    if not files and not tables and path:
        raise config.settings_error(
            path, "no [[leaderboard.track]] in the configuration", "each has name, qrels and runs"
        )
    if not files and not tables:
        raise click.UsageError(
            "give a relevance file and submissions: irev leaderboard QRELS DIR|RUN...", ctx
        )
    if shown.key and not shown.anonymous:
        raise UsageError("--key needs --anonymous")
    if shown.columns:
        raise UsageError("--columns needs --codabench or --tira")
    check_files([path or None], written)


def _configured(
    ctx: click.Context, path: str, tables: Any, written: tuple[tuple[str, str | None], ...]
) -> "list[Track]":
    """The tracks of a configuration; what the command line says goes before."""
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        raise config.settings_error(
            path, "no [[leaderboard.track]] in the configuration", "each has name, qrels and runs"
        )
    tracks: list[Track] = []
    for name, files, settings in _read(ctx, path, tables):
        here = command.make_context(
            "irev leaderboard", ctx.meta[ARGUMENTS],
            default_map={**(ctx.default_map or {}), **settings},
        )  # fmt: skip
        rules, chosen, _, asked, options, limits = command.records(here)
        given = Submissions(files, rules, chosen, asked, options, limits, written)
        tracks.append(track_of(given, name))
    return tracks


def _read(
    ctx: click.Context, path: str, tables: Sequence[dict[str, Any]]
) -> list[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """(name, files, options) of each track; all are looked at before one is scored."""
    found: list[tuple[str, tuple[str, ...], dict[str, Any]]] = []
    for number, table in enumerate(tables, 1):
        settings = dict(table)
        name, qrels, runs = (settings.pop(key, None) for key in ("name", "qrels", "runs"))
        if not isinstance(name, str) or not name:
            raise config.settings_error(path, f"track {number} has no name", 'name = "passages"')
        where = f"track '{name}'"
        runs = [runs] if isinstance(runs, str) else runs
        if not isinstance(runs, list) or not runs or not all(isinstance(r, str) for r in runs):
            raise config.settings_error(
                path, f"{where}: runs must name files or directories", 'runs = ["runs/"]'
            )
        if not isinstance(qrels, str | None):
            raise config.settings_error(
                path, f"{where}: qrels must be a path", 'qrels = "qrels.txt"'
            )
        if name in (each[0] for each in found):
            raise config.settings_error(
                path, f"two tracks are called '{name}'", "give each its own name"
            )
        files = [os.path.join(os.path.dirname(path), each) for each in filter(None, (qrels, *runs))]
        options = option_defaults(ctx, path, settings, _OF_TRACKS, prefix=f"{where}: ")
        found.append((name, tuple(files), options))
    return found


def _deliver(tracks: "Sequence[Track]", shown: Shown) -> None:
    from irev.cli.output import write, write_document

    key = b""
    if shown.anonymous:
        tracks, key = _anonymous(tracks, shown.key)
    if shown.key:
        # before the boards: whoever reads these may stop before their end
        write([key], shown.key)
    if shown.format == "html":
        from irev.jobs.leaderboard.page import write_page

        write(write_page(tracks, shown.places, shown.per_topic), shown.output)
        return
    from irev.jobs.leaderboard.document import document

    made = document(tracks, per_topic=shown.per_topic)
    safe = shown.csv_safe is not False
    write_document(made, shown.format, shown.output, shown.places, csv_safe=safe)


def _anonymous(tracks: "Sequence[Track]", path: str | None) -> "tuple[list[Track], bytes]":
    """The tracks with made-up names, and the key to these."""
    from irev.jobs.leaderboard.teams import Pseudonyms

    names = Pseudonyms.read(path) if path else Pseudonyms()
    hidden = [
        # notes may name runs and files
        replace(t, boards=tuple(map(names.applied, t.boards)), notes=(), hides=True)
        for t in tracks
    ]
    return hidden, names.text()


_OF_RUNS = records_of_runs(without=("names",))
_OF_TRACKS = parameters_of(Taken(BoardRules), Taken(Chosen), *_OF_RUNS, Taken(Limits))
"""The options that a track can set; the others hold for all tracks together."""

command = Job(
    "leaderboard",
    leaderboard,
    "QRELS DIR|RUN...",
    BoardRules,
    Chosen,
    Shown,
    *_OF_RUNS,
    Limits,
    example="irev leaderboard -m ndcg_cut.10 -m map --format html --output board.html qrels.txt "
    "runs/",
    inner=("track",),
    strict="Make every warning an error: exit code 2, and nothing on standard output. Exit with 1 "
    "where a submission could not be scored.",
    settings=" Without files, tracks come from [[leaderboard.track]]: name, qrels, runs, options.",
)
