"""`irev gate`: whether a run may pass, for continuous integration."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from irev.cli.commands import Job, misused
from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT_SECTION, PLACES
from irev.cli.output import check_files, say, voice, write, write_document
from irev.cli.several_runs import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    starts_with_saved,
)
from irev.core.option_records import Opt, OutputOptions
from irev.errors import IrevError, UsageError
from irev.jobs.gate.rules import SECTION, GateRules, Gates
from irev.writers.forms import OUTPUT_FORMATS, TEXT

if TYPE_CHECKING:
    from irev.jobs.gate.verdicts import GateReport

STOPPED = 1
"""The exit code where the run does not pass."""


class RunOfGate(Runs):
    """What is asked of the run."""

    measures: Annotated[Sequence[str], Opt(
        "-m", "--measure", metavar="NAME", section=SECTION, help_order=-2,
        help="Measure to compare with the baseline; may be repeated. Default: the measures of "
        "--min except shares of judged documents, or map.",
    )] = ()  # fmt: skip


_COLOURS = {
    word: colour
    for outcome, colour in (("passed", "green"), ("failed", "red"), ("undecided", "yellow"))
    for word in (outcome.encode(), outcome.upper().encode())
}


class Told(OutputOptions):
    """What is told of the outcome, and where."""

    format: Annotated[str, FORMAT.replace(
        choices=(TEXT, *OUTPUT_FORMATS),
        help="Output format. csv, tsv, json and jsonl have full precision.",
    )] = TEXT  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE] = False
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    save: Annotated[str | None, Opt(
        "--save", metavar="FILE", section=OUTPUT_SECTION, file="written",
        help="Write the scores by topic to FILE if the run passes, as the next baseline.",
    )] = None  # fmt: skip
    junit: Annotated[str | None, Opt(
        "--junit", metavar="FILE", section=OUTPUT_SECTION, file="written",
        help="Write JUnit XML to FILE, one test case per gate.",
    )] = None  # fmt: skip
    github: Annotated[bool | None, Opt(
        "--github/--no-github", section=OUTPUT_SECTION,
        help="Write GitHub annotations to stderr and append to the files named by "
        "GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. Default: on if GITHUB_ACTIONS is true.",
    )] = None  # fmt: skip

    @property
    def on_github(self) -> bool:
        """Whether GitHub is told."""
        from irev.jobs.gate.github import is_on

        return is_on(os.environ) if self.github is None else self.github


def gate(
    files: tuple[str, ...],
    gates: Gates,
    rules: GateRules,
    told: Told,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Pass or fail a run: limits of its means, and a comparison with a baseline.

    --min and --max are limits of the mean of a measure over all judged topics; a mean equal to its
    limit passes. With --baseline a run fails if a mean drops by more than --tolerance. With --alpha
    one-sided paired t tests decide, and a comparison may stay undecided. A judged topic missing
    from a run counts as 0. With --group-by every gate also applies to each class of topics.

    RUN and the baseline may be saved scores, but only for the same judgments and definitions.
    With --config settings are read from [gate] of a TOML file, or from [tool.irev.gate] of
    pyproject.toml. The command line wins.

    Exit code 0: passed; 1: failed or undecided; 2: not comparable, unreadable, or a wrong option.
    """
    try:
        qrels, run = _files(files, gates)
        report = _judged(qrels, run, gates, rules, told, asked, options)
        voice().heed(report.doubts)
    except IrevError as error:
        _tell_failure(error, told)
        raise
    return _told(report, told)


def _judged(
    qrels: str | None,
    run: str,
    gates: Gates,
    rules: GateRules,
    told: Told,
    asked: Runs,
    options: OptionsOfRuns,
) -> "GateReport":
    from irev.jobs.gate.gate import judge, read_limits

    limits = read_limits("min", gates.min) + read_limits("max", gates.max)
    if not (limits or gates.baseline or told.save):
        raise UsageError("give at least one limit: --min NAME=X, --max NAME=X or --baseline FILE")
    more = [*asked.input_paths(), *options.input_paths()]
    written = [("--save", told.save), ("--junit", told.junit)]
    check_files([qrels, run, *more], written)
    check_files([qrels, run, gates.baseline, *more], written[1:])
    files = (run,) if qrels is None else (qrels, run)
    return judge(
        qrels, run, limits, rules, evaluation_of_runs(files, asked, options),
        baseline=gates.baseline, measures=asked.measures, format=asked.qrels_format,
        drop_undefined=asked.nan == "drop-topic",
    )  # fmt: skip


def _told(report: "GateReport", told: Told) -> int:
    """Write the report to all places; the exit code."""
    from irev.jobs.gate import github
    from irev.jobs.gate.document import document, saved
    from irev.jobs.gate.github import write_junit

    places, code = told.places, 0 if report.passed else STOPPED
    for note in report.notes:
        voice().note(note)
    if told.junit:
        write(write_junit(report, places), told.junit)
    if told.save and report.passed:
        write_document(saved(report), "json", told.save)
    elif told.save:
        voice().note(f"{told.save} was not written, since the run did not pass")
    if told.on_github:
        github.write_summary(report, places, os.environ)
        for line in github.annotated(report, places):
            say(line)
    made = document(report, places, code)
    outcomes = _COLOURS if told.format == "text" else None
    write_document(made, told.format, None, places, csv_safe=told.csv_safe, outcomes=outcomes)
    return code


def _tell_failure(error: IrevError, told: Told) -> None:
    """Let a step of CI show what kept the gates from being judged."""
    if told.junit and not isinstance(error, UsageError):
        from irev.jobs.gate.github import write_error

        write(write_error(error), told.junit)
    if told.on_github:
        from irev.jobs.gate import github

        github.write_failure(error, os.environ)
        for line in github.annotated_error(error):
            say(line)


def _files(files: tuple[str, ...], gates: Gates) -> tuple[str | None, str]:
    """QRELS and RUN, from the command line or the settings; saved scores need no QRELS."""
    if len(files) == 2:
        return files[0], files[1]
    run = files[0] if files else gates.run
    if len(files) > 2 or run is None or (gates.qrels is None and not starts_with_saved([run])):
        raise misused("give a relevance file and one run: irev gate QRELS RUN --min ndcg@10=0.4")
    return gates.qrels, run


command = Job(
    "gate",
    gate,
    "QRELS RUN",
    Gates,
    GateRules,
    Told,
    *records_of_runs((), without=("names",), record=RunOfGate),
    example="irev gate qrels.txt new.run --min ndcg@10=0.4 --baseline old.run",
    settings=' QRELS and RUN are qrels and run there, limits tables: min = {"ndcg@10" = 0.4}.',
)
