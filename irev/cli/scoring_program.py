"""`irev leaderboard --codabench` and `--tira`: the scoring program of shared-task platforms."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from irev.cli.output import replaced, say_error
from irev.cli.tracks import say_tracks, track_of
from irev.errors import InputError, IrevError, MismatchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.boards.track import Track
    from irev.cli.tracks import Shown, Submissions

BAD_SUBMISSION = 1

_CODABENCH = ("detailed_results.html", "scores.txt", "scores.json")
_TIRA = ("evaluation.prototext",)
"""What is written, what the platform looks for first at the end."""


def score(given: Submissions, shown: Shown) -> int:
    """Score one submission and write the files that the platform reads; the exit code.

    CodaBench: INPUT has the judgments in `ref` and the submission in `res`; scores.json,
    scores.txt and detailed_results.html go to OUTPUT. TIRA: evaluation.prototext. A submission that
    cannot be scored leaves no file, those of an earlier call neither, and the exit code is 1. What
    is said on stderr, which platforms show, quotes no file.
    """
    from irev.boards import program

    truth, submission, output = _places(given, shown)
    columns = program.columns_of(shown.columns)
    _remove_old(output, _TIRA if shown.tira else _CODABENCH, (truth, submission))
    # what lies beside the judgments is the organiser's own
    qrels = program.the_only_file(truth, "the relevance file", "qrels", follow_links=True)
    try:
        run = program.the_only_file(
            submission, "the submission", "run", follow_links=given.chosen.follow_links
        )
    except UsageError as error:
        say_error(error)
        return BAD_SUBMISSION
    except InputError as error:
        run, track = error.path, _without_board(error.path, error)
    else:
        track = _track(given, qrels, run)
    say_tracks([track], shown.log)
    if not track.boards:
        return BAD_SUBMISSION if track.broken[0].path == run else InputError.exit_code
    _write(output, _files(shown, track, columns))
    return 0


def _places(given: Submissions, shown: Shown) -> tuple[str, str, str]:
    """The directories of the judgments, of the submission and of the output."""
    if shown.codabench and shown.tira:
        raise UsageError("--codabench and --tira are for different platforms")
    chosen = given.chosen
    refused = {
        "--teams": chosen.teams,
        "--public": chosen.public,
        "--anonymous": shown.anonymous,
        "--best-per-team": chosen.best_per_team,
        "--output": shown.output,
        "--group-by": given.options.classes,
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(f"{option} cannot be combined with one submission")
    wanted = "INPUT_DIR OUTPUT_DIR" if shown.codabench else "TRUTH_DIR RUN_DIR OUTPUT_DIR"
    files = given.files
    if len(files) != len(wanted.split()):
        which = "--codabench" if shown.codabench else "--tira"
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"write irev leaderboard {which} {wanted}", context)
    if shown.codabench:
        return os.path.join(files[0], "ref"), os.path.join(files[0], "res"), files[1]
    return files[0], files[1], files[2]


def _remove_old(directory: str, names: Sequence[str], inputs: Sequence[str]) -> None:
    """Remove what an earlier call wrote.

    Raises:
        UsageError: the directory lies in one that is read.
        IrevError: a file that cannot be removed.
    """
    where = os.path.realpath(directory)
    for each in map(os.path.realpath, inputs):
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


def _track(given: Submissions, qrels: str, run: str) -> Track:
    # one run has nobody to be compared with
    rules = given.rules.but(test="none", interval="none")
    chosen = given.chosen.but(accept_scores=False)
    try:
        return track_of(given._replace(files=(qrels, run), rules=rules, chosen=chosen))
    except MismatchError as error:
        return _without_board(run, error)
    except InputError as error:
        return _without_board(error.path, error)


def _without_board(path: str, error: IrevError) -> Track:
    from irev.boards.track import Track, broken_of

    return Track("", (), broken_of([(path, error)]), ())


def _files(shown: Shown, track: Track, columns: dict[str, str]) -> dict[str, bytes]:
    """What is written: name -> content."""
    from irev.boards import program
    from irev.boards.page import write_page
    from irev.boards.track import signature

    board = track.boards[0]
    found = program.values(board, columns)
    if shown.tira:
        signed = signature(board, board.matrices.entries[0])
        about = [] if signed is None else [("signature", signed.short)]
        return dict(zip(_TIRA, [program.prototext(found, about)], strict=True))
    page = b"".join(write_page([track], shown.places, shown.per_topic))
    contents = page, program.scores_txt(found), program.scores_json(found)
    return dict(zip(_CODABENCH, contents, strict=True))


def _write(directory: str, files: dict[str, bytes]) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for name, content in files.items():
        with replaced(os.path.join(directory, name)) as stream:
            stream.write(content)
