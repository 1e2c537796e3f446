"""Which files of a command line are judgments, and which are submissions."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irev.cli.judged_runs import add_names_of_judged_runs
from irev.cli.output import refuse_overwriting_and_stdin_twice
from irev.cli.saved_files import starts_with_saved
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.cli.board_output import BoardOutput
    from irev.engine.run_files import FoundSubmissions
    from irev.jobs.leaderboard.leaderboard import LeaderboardOptions


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
