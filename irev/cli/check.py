"""`irev check`: everything that is wrong or suspicious in runs and qrels."""

import os
from collections.abc import Sequence
from typing import Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT
from irev.cli.output import check_files, say_error, voice, write_document
from irev.cli.progress import watched
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.engine.confined.limits import Limits
from irev.engine.folders import FOLLOW_LINKS, submissions
from irev.errors import InputError
from irev.jobs.check.rules import CheckRules
from irev.writers.forms import FORMS, TEXT

FOUND, UNREADABLE = 1, 2
"""Exit codes: there are errors; a file cannot be opened."""


class TakenFor(ResultOptions):
    """What the files are taken for."""

    kind: Annotated[Literal["run", "qrels"] | None, Opt(
        "--as", help_order=2, help="Treat all files as runs or as qrels. Default: detected from "
                         "their lines."
    )] = None  # fmt: skip
    topics: Annotated[str | None, Opt(
        "--topics", metavar="FILE", file="always",
        help="File with the topics that a run must have, one per line, and no others.",
    )] = None  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS] = False


class CheckOutput(OutputOptions):
    """What is told of the findings, and where."""

    format: Annotated[str, FORMAT.replace(
        section="Options", help_order=4, choices=(TEXT, *FORMS),
        help="Output format. text has one line per finding.",
    )] = TEXT  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE.replace(section="Options")] = False
    output: Annotated[str | None, OUTPUT.replace(
        section="Options", help="Write to FILE instead of standard output."
    )] = None  # fmt: skip


def check(
    files: tuple[str, ...], rules: CheckRules, taken: TakenFor, found: CheckOutput, limits: Limits
) -> int:
    """Find mistakes and suspicious things in runs and qrels, with line numbers.

    Whether a file is a run or qrels is detected from its lines. A run is checked against the qrels
    given before it: irev check QRELS RUN... Each finding is an error, a warning or a note, and ends
    with its code. A summary line for each file follows. In a directory, all regular files are
    checked, including subdirectories and within the limits, but none of them serves as qrels for
    others. The parts of x.parquet/ are one table.

    Exit code 0: no errors; 1: errors found; 2: a file cannot be opened.
    """
    if not files:
        raise misused("give files: irev check RUN, or irev check QRELS RUN...")
    paths, refused = _expanded(files, taken.follow_links)
    check_files([*paths, taken.topics], [("--output", found.output)])
    topics = None
    if taken.topics is not None:
        from irev.read.topic_files import read_topics

        topics = read_topics(taken.topics)
    from irev.jobs.check import FileReport, check_all
    from irev.jobs.check.document import document

    checked = check_all(paths, rules, topics=topics, kind=taken.kind, limits=limits)
    reports = [*watched(checked, len(paths), "files"), *refused]
    write_document(document(reports, rules), found.format, found.output, csv_safe=found.csv_safe)
    unreadable = [report for report in reports if isinstance(report, InputError)]
    for error in unreadable:
        say_error(error)
    if unreadable:
        return UNREADABLE
    read = [report for report in reports if isinstance(report, FileReport)]
    bad = sum(report.errors + (report.warnings if voice().strict else 0) for report in read)
    return FOUND if bad else 0


def _expanded(files: Sequence[str], follow_links: bool) -> tuple[list[str], list[InputError]]:
    """The files, with those in directories, and what is no regular file there."""
    paths: list[str] = []
    refused: list[InputError] = []
    for file in files:
        if not os.path.isdir(file):
            paths.append(file)
            continue
        inside = submissions([file], follow_links=follow_links)
        paths += (each.path for each in inside.files)
        refused += (error for _, error in inside.refused)
    return paths, refused


command = Job(
    "check",
    check,
    "[QRELS] FILE|DIR...",
    CheckRules,
    TakenFor,
    CheckOutput,
    Limits,
    example="irev check qrels.txt bm25.run rm3.run",
    strict="Exit with 1 where there are warnings, too.",
)
