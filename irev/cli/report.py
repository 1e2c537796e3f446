"""`irev report`: runs evaluated and compared, as one HTML page."""

import os
from typing import Annotated

from irev.cli.commands import Job, misused
from irev.cli.options import OUTPUT, OUTPUT_SECTION, PLACES, Taken
from irev.cli.output import check_files, voice, write
from irev.cli.several_runs import (
    USUAL,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    starts_with_saved,
)
from irev.core.option_records import Opt, OutputOptions
from irev.errors import UsageError
from irev.jobs.compare.plan import ComparisonPlan


class ReportOutput(OutputOptions):
    """What the page is called and shows, and where it goes."""

    title: Annotated[str, Opt(
        "--title", metavar="TEXT", section=OUTPUT_SECTION, in_short_help=True,
        help="The title of the page. Default: the runs and the number of topics.",
    )] = ""  # fmt: skip
    explain: Annotated[int, Opt(
        "--explain", metavar="N", section=OUTPUT_SECTION, least=0, most=20, in_short_help=True,
        help="Explain the scores of N topics either way for each pair of runs. They are the topics "
        "with the largest gains and losses, shown rank by rank.",
    )] = 3  # fmt: skip
    places: Annotated[
        int, PLACES.replace(in_short_help=False, help="Decimals. A p has at least 4.")
    ] = 4
    output: Annotated[str | None, OUTPUT.replace(in_short_help=True)] = None


def report(
    files: tuple[str, ...],
    plan: ComparisonPlan,
    shown: ReportOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Write a report on runs: one HTML page that loads nothing and can be sent to a colleague.

    The page has the means with intervals, the differences with tests, every topic, the topics that
    moved most with their scores explained rank by rank, recall-precision and cutoff curves, and how
    much is unjudged or tied. All runs are compared with the first one, or with each --baseline; the
    first measure orders them. A judged topic that a run lacks counts as 0. The same inputs give the
    same bytes.
    """
    if len(files) < 2:
        raise misused("give a relevance file and runs: irev report QRELS RUN...")
    check_files(
        [*files, *asked.input_paths(), *options.input_paths()], [("--output", shown.output)]
    )
    for path in files:
        if path == "-" or (os.path.exists(path) and not _can_be_read_again(path)):
            raise UsageError(f"{path}: a report reads each file several times: name a regular file")
    if starts_with_saved(files) or any(starts_with_saved([path]) for path in files[1:]):
        raise UsageError("a report needs the runs, not saved scores: irev report QRELS RUN...")
    from irev.jobs.report.page import write_page
    from irev.jobs.report.report import report as made

    found = made(
        files[0], files[1:], asked.measures or USUAL, evaluation_of_runs(files, asked, options),
        plan, format=asked.qrels_format, names=asked.names,
        drop_undefined=asked.nan == "drop-topic", title=shown.title, explain=shown.explain,
    )  # fmt: skip
    voice().heed((*found.warnings, *found.notes))
    write(write_page(found, shown.places), shown.output)
    return 0


def _can_be_read_again(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


command = Job(
    "report",
    report,
    "QRELS RUN...",
    Taken(
        ComparisonPlan,
        say={
            "baselines": "Compare all other runs with RUN (its name, path or tag) instead of with "
            "the first one; may be repeated.",
        },
    ),
    ReportOutput,
    *records_of_runs(USUAL),
    example="irev report --output report.html qrels.txt bm25.run rm3.run",
)
