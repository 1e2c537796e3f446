"""`irev check`: everything that is wrong or suspicious in runs and qrels."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.cli.command import Command, Output
from irev.cli.commands import usage_error
from irev.cli.options import DETAILS, FORMAT, OUTPUT, SAFE_CSV, UNSAFE_CSV
from irev.jobs.check.check import CheckOptions
from irev.writers.forms import OUTPUT_FORMATS, TEXT


class CheckOutput(Output):
    """What is told of the findings, and where."""

    without: ClassVar[Sequence[str]] = ("places",)

    format: Annotated[str, FORMAT.replace(
        section="Options", help_order=4, choices=(TEXT, *OUTPUT_FORMATS),
        help="Output format. text has one line per finding of one file or with --details.",
    )] = TEXT  # fmt: skip
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section="Options"),
        UNSAFE_CSV.replace(section="Options"),
    ] = None
    details: Annotated[bool, DETAILS.replace(
        section="Options", help_order=4, help="Print every finding of every file.",
    )] = False  # fmt: skip
    output: Annotated[
        str | None,
        OUTPUT.replace(section="Options", help="Write to FILE instead of standard output."),
    ] = None


def _files(files: Sequence[str]) -> Sequence[str]:
    if not files:
        raise usage_error("give files: irev check RUN, or irev check QRELS RUN...")
    return files


command = Command(
    "check",
    "irev.jobs.check.check:check",
    CheckOptions,
    _files,
    "[QRELS] FILE|DIR...",
    CheckOutput,
    help="""Find errors and suspicious lines in runs and qrels, with line numbers.

    Whether a file is a run or qrels is detected from its lines. A run is checked against the qrels
    given before it: irev check QRELS RUN... So are answers against the nuggets or the support that
    were judged. Each finding is an error, a warning or a note, and has a code. Of one file all
    findings are printed; of several files which have errors, a line for each, and some findings of
    each code: --details prints the rest. In a directory, all regular files are checked, including
    subdirectories and within the limits, but none of them serves as qrels for others. The parts of
    x.parquet/ are one table.

    Exit code 0: no errors; 1: errors found; 2: a file cannot be opened.
    """,
    example="irev check qrels.txt bm25.run rm3.run",
    strict="Exit with 1 where there are warnings, too.",
)
