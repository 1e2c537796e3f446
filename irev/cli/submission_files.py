"""Which files of a command line are judgments, and which are submissions."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irev.cli.judged_runs import add_judged_runs
from irev.cli.output import check_files
from irev.cli.saved_files import starts_with_saved
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.cli.board_output import BoardOutput
    from irev.jobs.leaderboard.options import LeaderboardOptions


def submission_inputs(
    files: Sequence[str], options: "LeaderboardOptions", output: "BoardOutput"
) -> tuple[str | None, Any]:
    """The judgments (None where all files are saved scores) and the files found as submissions."""
    from irev.engine.folders import Submission, find_submissions

    files = add_judged_runs(files, options.qrels_format)
    has_qrels = _has_qrels(files)
    submissions = find_submissions(files[1:], follow_links=options.follow_links)
    paths = [files[0], *(each.path for each in submissions.files)]
    check_files([*paths, *options.input_paths()], output.written_paths())
    if has_qrels:
        return files[0], submissions
    return None, submissions._replace(files=[Submission(files[0]), *submissions.files])


def _has_qrels(files: Sequence[str]) -> bool:
    """Whether the first file holds judgments, not saved scores."""
    if os.path.isdir(files[0]):
        raise UsageError(f"{files[0]} is a directory: put the qrels before it")
    if starts_with_saved(files):
        return False
    if len(files) == 1:
        raise UsageError("give submissions: irev leaderboard QRELS DIR|RUN...")
    return True
