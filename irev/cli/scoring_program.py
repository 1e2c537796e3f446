"""`irev leaderboard --codabench` and `--tira`: the scoring program of shared-task platforms."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from irev.cli.output import replaced, say_error
from irev.errors import InputError, IrevError, MismatchError, UsageError

if TYPE_CHECKING:
    from irev.boards.track import Track
    from irev.cli.tracks import Shown, Submissions

BAD_SUBMISSION = 1


def score(given: Submissions, shown: Shown) -> int:
    """Score one submission and write the files that the platform reads; the exit code.

    CodaBench: INPUT has the judgments in `ref` and the submission in `res`; scores.json,
    scores.txt and detailed_results.html go to OUTPUT. TIRA: evaluation.prototext. A submission that
    cannot be scored leaves no file, and the exit code is 1.
    """
    from irev.boards import program

    truth, submission, output = _places(given, shown)
    columns = program.columns_of(shown.columns)
    # what lies beside the judgments is the organiser's own
    qrels = program.the_only_file(truth, "the relevance file", "qrels", follow_links=True)
    try:
        run = program.the_only_file(
            submission, "the submission", "run", follow_links=given.chosen.follow_links
        )
    except (InputError, UsageError) as error:
        say_error(error)
        return BAD_SUBMISSION
    try:
        track = _track(given, qrels, run)
    except (InputError, MismatchError) as error:
        if isinstance(error, InputError) and error.path == qrels:
            raise
        say_error(error, run)
        return BAD_SUBMISSION
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
            raise UsageError(f"{option} does not go with one submission")
    wanted = "INPUT_DIR OUTPUT_DIR" if shown.codabench else "TRUTH_DIR RUN_DIR OUTPUT_DIR"
    files = given.files
    if len(files) != len(wanted.split()):
        which = "--codabench" if shown.codabench else "--tira"
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"wanted is irev leaderboard {which} {wanted}", context)
    if shown.codabench:
        return os.path.join(files[0], "ref"), os.path.join(files[0], "res"), files[1]
    return files[0], files[1], files[2]


def _track(given: Submissions, qrels: str, run: str) -> Track:
    from irev.cli.tracks import say_track, track_of

    # one run has nobody to be compared with
    rules = given.rules.but(test="none", interval="none")
    track = track_of(given._replace(files=(qrels, run), rules=rules))
    say_track(track)
    return track


def _files(shown: Shown, track: Track, columns: dict[str, str]) -> dict[str, bytes]:
    """What is written: name -> content, what the platform looks for first at the end."""
    from irev.boards import program
    from irev.boards.page import write_page
    from irev.boards.track import signature

    board = track.boards[0]
    found = program.values(board, columns)
    if shown.tira:
        signed = signature(board, board.matrices.entries[0])
        about = [] if signed is None else [("signature", signed.short)]
        return {"evaluation.prototext": program.prototext(found, about)}
    page = b"".join(write_page([track], shown.places, shown.per_topic))
    return {
        "detailed_results.html": page,
        "scores.txt": program.scores_txt(found),
        "scores.json": program.scores_json(found),
    }


def _write(directory: str, files: dict[str, bytes]) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for name, content in files.items():
        with replaced(os.path.join(directory, name)) as stream:
            stream.write(content)
