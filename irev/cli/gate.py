"""`irev gate`: whether a run may pass, for continuous integration."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from irev.cli.arguments import starts_with_saved
from irev.cli.command import Command, Output
from irev.cli.commands import usage_error
from irev.cli.options import (
    DETAILS,
    FORMAT,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
)
from irev.cli.output import refuse_overwriting_and_stdin_twice, say, voice, write, write_document
from irev.core.option_records import Opt, ResultOptions
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.gate.options import SECTION, GateOptions
from irev.writers.forms import OUTPUT_FORMATS, TEXT

if TYPE_CHECKING:
    from irev.jobs.gate.gate import GateReport

_COLOURS = {
    word: colour
    for outcome, colour in (("passed", "green"), ("failed", "red"), ("undecided", "yellow"))
    for word in (outcome.encode(), outcome.upper().encode())
}


GATE_MEASURES = Opt(
    "-m", "--measure", metavar="NAME", section=SECTION, help_order=-2,
    help="Measure to compare with the baseline; may be repeated. Default: the measures of --min "
    "and --topic-min except shares of judged documents, or map.",
)  # fmt: skip


class GateMeasureOptions(MeasureOptions):
    """What is compared with the baseline."""

    measures: Annotated[Sequence[str], GATE_MEASURES] = ()


class GateInputOptions(ResultOptions):
    """The inputs, which can stand in a file of options."""

    qrels: Annotated[str | None, Opt(file="always")] = None
    """The judgments, where the command line does not say."""
    run: Annotated[str | None, Opt(file="always")] = None
    """The run, likewise."""


class GateOutput(Output):
    """What is told of the outcome, and where."""

    without = ("output",)

    format: Annotated[str, FORMAT.replace(
        choices=(TEXT, *OUTPUT_FORMATS),
        help="Output format. csv, tsv, json and jsonl have full precision.",
    )] = TEXT  # fmt: skip
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    details: Annotated[bool, DETAILS] = False
    save: Annotated[str | None, Opt(
        "--save", metavar="FILE", section=OUTPUT_SECTION, file="written",
        help="Write the scores by topic to FILE if the run passes, as the next baseline.",
    )] = None  # fmt: skip
    note: Annotated[str | None, Opt(
        "--note", metavar="TEXT", section=OUTPUT_SECTION,
        help="With --save: write TEXT into FILE, such as why this run is the baseline. Gates with "
        "that baseline show it.",
    )] = None  # fmt: skip
    junit: Annotated[str | None, Opt(
        "--junit", metavar="FILE", section=OUTPUT_SECTION, file="written",
        help="Write JUnit XML to FILE, one test case per gate; of limits by topic, per topic.",
    )] = None  # fmt: skip
    github: Annotated[bool | None, Opt(
        "--github/--no-github", section=OUTPUT_SECTION,
        help="Write GitHub annotations to stderr and append to the files named by "
        "GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. Default: on if GITHUB_ACTIONS is true.",
    )] = None  # fmt: skip

    unreadable: Annotated[int, Opt(
        "--unreadable", metavar="N", section=OUTPUT_SECTION, least=1, most=255,
        help="Exit code where the gates could not be judged. With 125, git bisect run skips such "
        "commits.",
    )] = IrevError.exit_code  # fmt: skip

    @property
    def is_on_github(self) -> bool:
        """Whether GitHub is told."""
        from irev.jobs.gate.document import is_on

        return is_on(os.environ) if self.github is None else self.github

    def notices_for_stderr(self, report: "GateReport") -> "Iterable[Notice]":
        """The warnings, then the notes on the scores."""
        return (*report.warnings, *map(note, report.notes))

    def write(self, report: "GateReport") -> None:
        """Write the report to all places."""
        from irev.jobs.gate.document import (
            annotation_lines,
            baseline_document,
            junit_document,
            write_summary,
        )

        if self.junit:
            write(junit_document(report, self.places), self.junit)
        if self.save and report.passed:
            write_document(baseline_document(report, self.note or ""), "json", self.save)
        elif self.save:
            voice().note(f"{self.save} was not written, since the run did not pass")
        if self.is_on_github:
            write_summary(report, self.places, os.environ)
            for line in annotation_lines(report, self.places):
                say(line)
        document = report.document_with(self.places)
        colours = _COLOURS if self.format == TEXT else None
        write_document(
            document,
            self.format,
            None,
            self.places,
            csv_safe=self.csv_safe is not False,
            details=self.details,
            colour_of_outcome=colours,
        )

    def write_failure(self, error: IrevError) -> None:
        """Let a step of CI show what kept the gates from being judged."""
        from irev.jobs.gate.document import (
            error_annotation_lines,
            junit_error_document,
            write_failure,
        )

        if self.junit and not isinstance(error, UsageError):
            write(junit_error_document(error), self.junit)
        if self.is_on_github:
            write_failure(error, os.environ)
            for line in error_annotation_lines(error):
                say(line)


def _qrels_and_run_of_files_or_settings(files: Sequence[str]) -> tuple[str | None, str]:
    """QRELS RUN, from the command line or the settings; saved scores need no QRELS."""
    settings = click.get_current_context().params
    if len(files) == 2:
        return files[0], files[1]
    run = files[0] if files else settings.get("run")
    qrels = settings.get("qrels")
    if len(files) > 2 or run is None or (qrels is None and not starts_with_saved([run])):
        raise usage_error("give qrels and one run: irev gate QRELS RUN --min ndcg@10=0.4")
    return qrels, run


class GateCommand(Command):
    """The command, whose failures a step of CI can show."""

    def call(self, files: Sequence[str], options: GateOptions, *more: Any) -> int:
        """Judge the run; what keeps the gates from being judged is told as their outcome is."""
        output: GateOutput = more[-1]
        measures = more[0].measures
        try:
            if output.note and not output.save:
                raise UsageError("--note needs --save FILE")
            qrels, run = self.job_inputs(files)
            read = [qrels, run, *options.input_paths()]
            written = output.written_paths()
            refuse_overwriting_and_stdin_twice(
                [path for path in read if path != options.baseline], written
            )
            refuse_overwriting_and_stdin_twice(
                read, [each for each in written if each[0] != "--save"]
            )
            if output.save:  # what passes without a limit can be the first baseline
                options = options.replace(without_limits=True)
            return self.finish(self.job_function.run(qrels, run, measures, options=options), output)
        except IrevError as error:
            error.exit_code = output.unreadable
            output.write_failure(error)
            raise


command = GateCommand(
    "gate",
    "irev.jobs.gate.gate:gate",
    GateOptions,
    _qrels_and_run_of_files_or_settings,
    "QRELS RUN",
    GateOutput,
    help="""Pass or fail a run: limits of its means, and a comparison with a baseline.

    --min and --max are limits of the mean of a measure over all judged topics; a mean equal to its
    limit passes. With --baseline a run fails if a mean drops by more than --tolerance. With --alpha
    one-sided paired t tests decide, and a comparison may stay undecided. A judged topic missing
    from a run counts as 0. With --group-by every gate also applies to each class of topics.
    --topic-min and --topic-tolerance limit the score of each topic by itself.

    RUN and the baseline may be saved scores, but only for the same judgments and definitions. With
    --config settings are read from [gate] of a TOML file, or from [tool.irev.gate] of
    pyproject.toml. The command line wins.

    Exit code 0: passed; 1: failed or undecided; 2, or that of --unreadable: not comparable,
    unreadable, or a wrong option.
    """,
    measures="",
    inputs_record=GateInputOptions,
    measures_record=GateMeasureOptions,
    option_helps={"measures": GATE_MEASURES.help_text},
    settings=' QRELS and RUN are qrels and run there, limits tables: min = {"ndcg@10" = 0.4}.',
    example="irev gate qrels.txt new.run --min ndcg@10=0.4 --baseline old.run",
)
