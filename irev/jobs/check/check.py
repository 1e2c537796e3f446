"""`irev.check`: everything that is wrong or suspicious in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from irev.core.job import file_job
from irev.core.record import record
from irev.core.wording import count_text
from irev.core.workers import report_progress
from irev.engine.confined import Limits
from irev.engine.run_files import find_submissions, runs_by_name_if_several
from irev.errors import InputError
from irev.jobs.check.file_check import RUN
from irev.jobs.check.options import CheckOptions
from irev.jobs.check.report import FileReport
from irev.jobs.check.rules import CheckRules
from irev.jobs.check.several import check_runs_by_last_qrels
from irev.jobs.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

HAS_ERRORS, UNREADABLE = 1, 2
"""Exit codes: there are errors; a file cannot be opened."""


@record
class CheckReport(Result):
    """What was found in files: `passed` where there is no error.

    `to_frame()` has a row for each finding; `errors` are of the files that cannot be opened.
    """

    reports: tuple[FileReport | InputError, ...]
    """Of each file, in order: what was found in it, or why it cannot be opened."""
    rules: CheckRules

    shown_by: ClassVar[str] = "irev.jobs.check.document:check_document"

    @property
    def files(self) -> tuple[FileReport, ...]:
        """The files that were read, each with its findings."""
        return tuple(each for each in self.reports if isinstance(each, FileReport))

    @property
    def strict_exit_code(self) -> int:
        """1 where there are warnings, too."""
        return self.exit_code or HAS_ERRORS * any(report.warnings for report in self.files)

    def _subject(self) -> str:
        count = sum(report.errors for report in self.files)
        return f"{count_text(len(self.reports), 'file')}: {count_text(count, 'error')}"


@file_job(CheckOptions)
def check(*files: Any, options: CheckOptions) -> CheckReport:
    """Find everything that is wrong or suspicious in runs and qrels, as `irev check` does.

    Args:
        *files: paths: runs, or qrels before runs; directories.
        options: the record `CheckOptions`, whose fields are keywords, too.

    Returns:
        The findings: `passed` where there is no error, `to_frame()` has a row for each.

    Raises:
        TypeError: there is no such option; something in memory, in place of a path.
        UsageError: an option that makes no sense.
    """
    paths, refused = _files_with_those_in_folders(
        [*_path_texts(files)], follow_links=options.follow_links
    )
    topics = None
    if options.topics is not None:
        from irev.read.topic_files import read_topic_ids

        topics = read_topic_ids(os.fspath(options.topics))
    rules, limits = options.base_record(CheckRules), options.base_record(Limits)
    outcomes = check_runs_by_last_qrels(
        paths, rules, topics=topics, kind=options.kind, found_file_limits=limits,
        qrels_format=options.qrels_format,
    )  # fmt: skip
    reports = (
        *_note_late_qrels([*report_progress(outcomes, len(paths), "files")], rules),
        *refused,
    )
    errors = tuple(each for each in reports if isinstance(each, InputError))
    has_errors = any(isinstance(each, FileReport) and each.errors for each in reports)
    code = UNREADABLE if errors else HAS_ERRORS * has_errors
    return CheckReport(reports, rules, errors=errors, exit_code=code)


def _note_late_qrels(
    reports: Sequence[FileReport | InputError], rules: CheckRules
) -> Iterator[FileReport | InputError]:
    """The reports, with a note in that of a run before all qrels, where there are qrels."""
    files = (each for each in reports if isinstance(each, FileReport))
    qrels = next((each for each in files if each.judgments is not None), None)
    is_late = qrels is not None
    for report in reports:
        is_late = is_late and report is not qrels
        if qrels and is_late and isinstance(report, FileReport) and report.kind == RUN:
            report = report.add_finding(
                "late-qrels",
                f"not held against {qrels.file}, which comes after it",
                severity=rules.severity("late-qrels"),
                hint="give the qrels first: irev check QRELS RUN...",
            )
        yield report


def _path_texts(files: Iterable[Any]) -> Iterator[str]:
    """The paths that are given, one by one, in lists or by wildcards."""
    for file in files:
        for path in (runs_by_name_if_several(file, splits_tables=False) or {"": file}).values():
            if not isinstance(path, str | os.PathLike):
                raise TypeError(
                    "irev.check looks at the lines of files: give paths. Write a table to a file "
                    'first: run.to_csv("run.csv", index=False)'
                )
            yield os.fspath(path)


def _files_with_those_in_folders(
    paths: list[str], *, follow_links: bool
) -> tuple[list[str], list[InputError]]:
    """The files, with those in directories, and what is no regular file there."""
    files: list[str] = []
    refused: list[InputError] = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        in_folder = find_submissions([path], follow_links=follow_links)
        files += (each.path for each in in_folder.files)
        refused += (error for _, error in in_folder.refused)
    return files, refused
