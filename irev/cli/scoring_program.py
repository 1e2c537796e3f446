"""`irev leaderboard --codabench` and `--tira`: the scoring program of shared-task platforms."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from irev.cli.output import say_error
from irev.core.output_files import replace_file
from irev.engine.run_files import Submission, find_files_below
from irev.errors import (
    GENERAL_NOTE,
    KINDS,
    InputError,
    IrevError,
    MismatchError,
    Notice,
    UsageError,
)
from irev.scores.scores import MISSING_TOPIC

if TYPE_CHECKING:
    from irev.cli.leaderboard import BoardOutput
    from irev.jobs.leaderboard.board import BoardPart
    from irev.jobs.leaderboard.leaderboard import Board, BrokenSubmission, LeaderboardOptions


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
    board = replace(board, broken=tuple(map(_without_hint, board.broken)))
    output.write_log_and_say_notices([board])
    if not board.parts:
        return BAD_SUBMISSION if board.broken[0].path == run else InputError.exit_code
    _write_files(output_folder, _contents_by_name(output, board, keys))
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
    from irev.cli.inputs import qrels_and_submissions
    from irev.jobs.leaderboard.leaderboard import NoBoardError, leaderboard

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


def _without_hint(broken: BrokenSubmission) -> BrokenSubmission:
    """What is wrong without what the organiser could do: whoever submitted has no options."""
    return broken._replace(meaning=broken.meaning.partition(";")[0])


def _unscored_board(path: str, error: IrevError) -> Board:
    from irev.jobs.leaderboard.leaderboard import Board, broken_submissions

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


def _write_files(directory: str, content_by_name: dict[str, bytes]) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for name, content in content_by_name.items():
        with replace_file(os.path.join(directory, name)) as stream:
            stream.write(content)


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
