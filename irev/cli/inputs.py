"""Which files of a command line are judgments, and which are submissions."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irev.cli.output import refuse_overwriting_and_stdin_twice
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.cli.leaderboard import BoardOutput
    from irev.engine.run_files import FoundSubmissions
    from irev.jobs.leaderboard.leaderboard import LeaderboardOptions


# --- The runs of judgments that hold them, where a command line names none ---


def add_names_of_judged_runs(files: Sequence[str], qrels_format: str | None) -> Sequence[str]:
    """The files of a command line; of judgments of answers alone, with the names of their runs."""
    if len(files) != 1 or qrels_format is None:
        return files
    from irev.read.formats import JUDGMENTS

    if qrels_format not in JUDGMENTS or not JUDGMENTS[qrels_format].holds_runs:
        return files
    from irev.engine.answers import read_judged_answers

    if files[0] == "-":
        raise UsageError("judgments on standard input (-) are read once: name the runs")
    return [*files, *read_judged_answers(files[0], qrels_format).run_names]


# --- Whether the files of a command line are saved scores, which need no judgments ---


_STDIN = "-"


def no_scores_text(path: str) -> str:
    """What is wrong with a single file that holds no saved scores."""
    from irev.scores.saved import table_hint

    what = f"{path} contains no saved scores, and no run was given"
    hint = "" if path == _STDIN else table_hint(path)
    return f"{what}; {hint}" if hint else what


def starts_with_saved(files: Sequence[str]) -> bool:
    """Whether the first file holds saved scores, so that no judgments are wanted."""
    if not files or files[0] == _STDIN:
        return False
    from irev.scores.saved import is_saved

    return is_saved(files[0])


# --- Which files of a command line are judgments, and which are submissions ---


def qrels_and_submissions(
    files: Sequence[str], options: "LeaderboardOptions", output: "BoardOutput"
) -> "tuple[str | None, FoundSubmissions]":
    """The judgments (None where all files are saved scores) and the files found as submissions."""
    from irev.engine.run_files import Submission, find_submissions

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
