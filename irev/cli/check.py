"""`irev check`: everything that is wrong or suspicious in runs and qrels."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.files import check_files, write_document
from irev.cli.messages import say_error
from irev.cli.types import whole_number
from irev.errors import InputError, UsageError
from irev.writers.forms import FORMS, TEXT

if TYPE_CHECKING:
    from irev.checking import Rules

PROFILES = ("default", "trec", "msmarco", "tira", "strict")

FOUND, UNREADABLE = 1, 2
"""Exit codes: there are errors; a file cannot be opened."""


def check(**given: Any) -> int:
    """Find everything that is wrong or suspicious in runs and qrels, with line numbers.

    What a file is, run or qrels, is seen from its lines. A run is held against the qrels that
    stand before it: irev check QRELS RUN... Each finding is an error, a warning or a note and ends
    with a code; then comes one line for each file.

    Exit code 0: no errors; 1: there are some; 2: a file cannot be opened.
    """
    if not given["files"]:
        raise click.UsageError(
            "files are wanted: irev check RUN, or irev check QRELS RUN...",
            click.get_current_context(silent=True),
        )
    check_files([*given["files"], given["topics"]], [("--output", given["output"])])
    rules = _rules(given)
    topics = None
    if given["topics"] is not None:
        from irev.read.topic_list import read_topics

        topics = read_topics(given["topics"])
    from irev.checking import Report, check_all
    from irev.checking.document import document

    reports = list(check_all(given["files"], rules, topics=topics, kind=given["kind"]))
    write_document(document(reports, rules), given["format"], given["output"])
    unreadable = [report for report in reports if isinstance(report, InputError)]
    for error in unreadable:
        say_error(error)
    if unreadable:
        return UNREADABLE
    read = [report for report in reports if isinstance(report, Report)]
    bad = sum(report.errors + (report.warnings if given["strict"] else 0) for report in read)
    return FOUND if bad else 0


def _rules(given: dict[str, Any]) -> Rules:
    from irev.checking import Rules

    docno = None
    if given["docno"] is not None:
        try:
            docno = re.compile(os.fsencode(given["docno"]))
        except re.error as error:
            raise UsageError(f"--docno {given['docno']}: no regular expression: {error}") from None
    return Rules(given["profile"], given["max_per_topic"], docno, given["max_findings"])


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["files"], nargs=-1, metavar="[QRELS] FILE..."),
        Option(
            "--profile", type=click.Choice(PROFILES), default="default",
            help="Whose rules hold beside the general ones: trec (one tag of 1 to 25 letters, "
            "digits, - and _ that is the file's name; six fields; no more than --max-per-topic), "
            "msmarco (also topic, document, rank; ranks from 1, each once), tira (at least 5 "
            "lines and 3 topics, at most 75 MB), strict (notes are warnings, warnings errors).",
        ),
        Option(
            "--as", "kind", type=click.Choice(["run", "qrels"]),
            help="What all files are. Default: what they look like.",
        ),
        Option(
            "--topics", metavar="FILE",
            help="The topics that a run must have, and no others: one a line.",
        ),
        Option(
            "--max-per-topic", type=whole_number(1), metavar="N",
            help="How many documents a topic of a run may have: more are an error. Default: more "
            "than 1000 are a warning, and an error with --profile trec or msmarco.",
        ),
        Option("--docno", metavar="REGEX", help="What every document id must match as a whole."),
        Option(
            "--max-findings", type=whole_number(0), default=25, metavar="N",
            help="How many findings of one code are shown for a file; the rest is counted. "
            "Default: 25.",
        ),
        Option("--strict", is_flag=True, help="Exit with 1 where there are warnings, too."),
        Option(
            "--format", type=click.Choice([TEXT, *FORMS]), default="text",
            help="The form of the output; text has a line for each finding. Default: text.",
        ),
        Option("--output", metavar="FILE", help="Write there instead of to standard output."),
    ]  # fmt: skip


command = Job(
    "check",
    params=_parameters(),
    callback=check,
    help=check.__doc__,
    epilog="Example: irev check qrels.txt bm25.run rm3.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
