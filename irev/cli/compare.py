"""`irev compare`, `irev gate` and `irev report`: runs set against each other, or a baseline."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import click

from irev.cli.command import FIGURE_WIDTH, Command, Output, qrels_and_runs_or_saved_scores
from irev.cli.commands import usage_error
from irev.cli.options import (
    DETAILS,
    FORMAT,
    LAYOUT,
    OUTPUT,
    OUTPUT_OF_ONE_FORM,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
    starts_with_saved,
)
from irev.cli.output import (
    is_said_beside,
    refuse_overwriting_and_stdin_twice,
    say,
    terminal_width,
    voice,
    write,
    write_document,
)
from irev.core.job import FigureWidth
from irev.core.option_records import Opt, ResultOptions
from irev.core.output_files import replace_file
from irev.errors import IrevError, Notice, UsageError, note
from irev.jobs.compare.comparison import CompareOptions, Comparison
from irev.jobs.gate.options import SECTION, GateOptions
from irev.jobs.report import Report, ReportOptions, report_page
from irev.writers.forms import OUTPUT_FORMATS, SEPARATORS, TEXT
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from irev.jobs.compare.predicted import PredictedComparison
    from irev.jobs.gate.gate import GateReport
    from irev.writers.document import Document


# --- `irev compare`: runs set against each other ---


class CompareOutput(Output):
    """What is written of a comparison, and where."""

    per_topic: Annotated[
        bool,
        Opt(
            "--per-topic",
            in_short_help=True,
            section=OUTPUT_SECTION,
            help="Also print gains and losses by topic.",
        ),
    ] = False
    anova: Annotated[
        bool,
        Opt(
            "--anova",
            section=OUTPUT_SECTION,
            help="Also print the two-way analysis of variance (runs and topics).",
        ),
    ] = False
    layout: Annotated[
        Literal["full", "paper"],
        LAYOUT.replace(
            in_short_help=True,
            help="All tables (full), or one for a paper (paper). That has runs and measures, the "
            "best in bold, letters for the runs that are beaten, and a caption that says how that "
            "was tested.",
        ),
    ] = "full"
    format: Annotated[
        str,
        FORMAT.replace(
            help="Output format. json and jsonl contain everything in full precision, csv and tsv "
            "the pairs (or the table of --per-topic or --anova).",
        ),
    ] = "table"
    details: Annotated[bool, DETAILS] = False
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[
        int,
        PLACES.replace(
            help="Number of decimals; a p value has at least 4.",
        ),
    ] = 4
    output: Annotated[str | None, OUTPUT] = None
    plots: Annotated[
        Sequence[str],
        Opt(
            "--plot",
            metavar="FILE.svg|.png|.pdf",
            section=OUTPUT_SECTION,
            help_order=40,
            file="written",
            help="Also draw a figure; may be repeated. It needs the extra plot.",
        ),
    ] = ()
    plot_kind: Annotated[
        Literal["forest", "topics", "ranks"],
        Opt(
            "--plot-kind",
            section=OUTPUT_SECTION,
            help="Differences of pairs (forest) or by topic (topics), or mean ranks (ranks). The "
            "first with intervals, the last with Nemenyi's critical difference.",
        ),
    ] = "forest"

    width: Annotated[
        FigureWidth,
        FIGURE_WIDTH.replace(
            help="Width of the figure: a column of a paper (3.3 inches), a page (7), or a slide "
            "(10).",
        ),
    ] = "page"

    def _check(self) -> None:
        if self.format in SEPARATORS and self.per_topic and self.anova:
            raise UsageError(
                f"{self.format} holds one table: --per-topic or --anova; json holds all"
            )
        if self.layout == "paper" and (self.per_topic or self.anova):
            raise UsageError("--layout paper is one table: leave out --per-topic and --anova")
        if self.plots:
            from irev.jobs.plots.layout import figure_format

            for path in self.plots:
                figure_format(path, "--plot")

    def refuse_job_options(self, options: CompareOptions) -> None:
        """Refuse what a comparison by a model's judgments does not have."""
        if not options.predicts_from_topics:
            return
        if self.anova:
            raise UsageError("--predicted has no analysis of variance: leave out --anova")
        if self.layout == "paper":
            raise UsageError("--predicted has one layout: leave out --layout paper")
        if self.plots:
            raise UsageError("--predicted has no figure: leave out --plot")

    def note_lack_of_room(self, inputs: Sequence[Any], options: CompareOptions) -> None:
        """Say that there is no room in the figure before the tests are computed."""
        _, runs = inputs
        if not self.plots or len(runs) < 3:
            return
        from irev.jobs.plots.comparison_figures import room_refusal

        refusal = room_refusal(self.plot_kind, len(runs), len(options.baselines))
        if refusal:
            voice().note(f"{refusal}; no figure will be drawn, the tables follow")

    def written_paths(self) -> "list[tuple[str, str | None]]":
        """(option, path) of the files that are written."""
        return [*super().written_paths(), *(("--plot", path) for path in self.plots)]

    def write(self, result: "Comparison | PredictedComparison") -> None:
        """Write the figure and the tables; these alone where the figure has no room for all."""
        document = self._document(result)
        refusal = self._refusal(result) if self.plots else ""
        if self.plots and not refusal:
            from irev.jobs.plots.layout import figure_bytes, figure_format

            figure = result.plot(self.plot_kind, width=self.width)
            pictures = [
                (path, figure_bytes(figure, figure_format(path, "--plot"))) for path in self.plots
            ]
            for path, picture in pictures:
                with replace_file(path) as stream:
                    stream.write(picture)
        write_document(
            document,
            self.format,
            self.output,
            self.places,
            csv_safe=self.csv_safe is not False,
            details=self.details,
        )
        if refusal:
            raise UsageError(f"{', '.join(self.plots)}: not drawn; {refusal}")

    def _refusal(self, result: Any) -> str:
        from irev.jobs.plots.comparison_figures import room_refusal

        num_runs, num_baselines = len(result.table.runs), len(result.options.baselines)
        return room_refusal(self.plot_kind, num_runs, num_baselines, len(result.contrasts))

    def _document(self, result: Any) -> "Document":
        """The tables: on a terminal a line about missing topics, said already, is not repeated."""
        if result.options.predicts_from_topics:
            from irev.jobs.compare.predicted import predicted_document

            return predicted_document(result, self.places, per_topic=self.per_topic)
        if self.layout == "paper":
            from irev.jobs.compare.paper import paper_document

            return paper_document(result)
        from irev.jobs.compare.document import comparison_document

        return comparison_document(
            result,
            self.places,
            per_topic=self.per_topic,
            anova=self.anova,
            lists_missing_topics=not is_said_beside(self.output),
        )


def _qrels_and_runs_or_saved_scores(files: Sequence[str]) -> tuple[str | None, list[str]]:
    if not files:
        raise usage_error("give qrels and runs, or saved scores: irev compare QRELS RUN RUN")
    return qrels_and_runs_or_saved_scores(files)


compare_command = Command(
    "compare",
    "irev.jobs.compare.comparison:compare",
    CompareOptions,
    _qrels_and_runs_or_saved_scores,
    "QRELS RUN...",
    CompareOutput,
    help="""Compare runs: means with intervals, paired differences, significance tests.

    The verdict comes first; all pairs, and how they were tested: --details.

    All pairs of runs are compared, or all runs with each --baseline. A judged topic missing from a
    run counts as 0. NAME=FILE calls a run NAME. RUN may also be saved scores (irev's JSON or CSV,
    trec_eval's -q output, a matrix of scores); then leave out QRELS.

    The verdict says which run is better and by how much, or what these topics cannot tell. Below it
    stand means with intervals, and the p value of the difference from the best run or the baseline.

    The default is the moderated t test, with Holm's correction for the number of pairs times
    measures. That test learns from all pairs which variance is usual; with two runs it is the
    paired t test. The order of the runs and the number of threads never change a number.

    --predicted takes a model's judgments of all topics, of which people judged a random sample. It
    estimates the means that people would have found, with intervals that are valid however good or
    bad the model is.
    """,
    measures="map; for saved scores all that they contain",
    shows="--plot --plot-kind --margin --better-by --risk --config",
    example="irev compare -m map --baseline bm25.run qrels.txt bm25.run rm3.run",
)


# --- `irev gate`: whether a run may pass, for continuous integration ---


_COLOURS = {
    word: colour
    for outcome, colour in (("passed", "green"), ("failed", "red"), ("undecided", "yellow"))
    for word in (outcome.encode(), outcome.upper().encode())
}


GATE_MEASURES = Opt(
    "-m",
    "--measure",
    metavar="NAME",
    section=SECTION,
    help_order=-2,
    help="Measure to compare with the baseline; may be repeated. Default: the measures of --min "
    "and --topic-min except shares of judged documents, or map.",
)


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

    format: Annotated[
        str,
        FORMAT.replace(
            choices=(TEXT, *OUTPUT_FORMATS),
            help="Output format. csv, tsv, json and jsonl have full precision.",
        ),
    ] = TEXT
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    details: Annotated[bool, DETAILS] = False
    save: Annotated[
        str | None,
        Opt(
            "--save",
            metavar="FILE",
            section=OUTPUT_SECTION,
            file="written",
            help="Write the scores of a run that passes to FILE. FILE has the scores by "
            "topic, and can be the next --baseline.",
        ),
    ] = None
    note: Annotated[
        str | None,
        Opt(
            "--note",
            metavar="TEXT",
            section=OUTPUT_SECTION,
            help="With --save: write TEXT into FILE. Say why this run is the baseline: gates with "
            "it show that.",
        ),
    ] = None
    junit: Annotated[
        str | None,
        Opt(
            "--junit",
            metavar="FILE",
            section=OUTPUT_SECTION,
            file="written",
            help="Write JUnit XML to FILE, one test case per gate; of limits by topic, per topic.",
        ),
    ] = None
    github: Annotated[
        bool | None,
        Opt(
            "--github/--no-github",
            section=OUTPUT_SECTION,
            help="Tell GitHub: annotations, summary of the step, outputs. Annotations go to "
            "stderr, the others to the files named by GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. "
            "Default: on if GITHUB_ACTIONS is true.",
        ),
    ] = None

    unreadable: Annotated[
        int,
        Opt(
            "--unreadable",
            metavar="N",
            section=OUTPUT_SECTION,
            least=1,
            most=255,
            help="Exit code where the gates could not be judged. With 125, git bisect run skips "
            "such commits.",
        ),
    ] = IrevError.exit_code

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


gate_command = GateCommand(
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
    shows="--save --note --junit --github --columns --config",
    option_helps={"measures": GATE_MEASURES.help_text},
    settings=' QRELS and RUN are qrels and run there, limits tables: min = {"ndcg@10" = 0.4}.',
    example="irev gate qrels.txt new.run --min ndcg@10=0.4 --baseline old.run",
)


# --- `irev report`: runs evaluated and compared, as one HTML page ---


class ReportPageOutput(Output):
    """Where the page goes."""

    without: ClassVar[Sequence[str]] = ("format", "csv_safe")

    places: Annotated[
        int, PLACES.replace(in_short_help=False, most=4, help="Decimals. A p has 4.")
    ] = PAGE_DECIMALS
    output: Annotated[str | None, OUTPUT_OF_ONE_FORM.replace(help_order=1)] = None

    def refuse_job_options(self, options: ReportOptions) -> None:
        """Refuse to pour a page into a terminal."""
        if terminal_width(self.output) is not None and self.output is None:
            raise UsageError("a page is for a browser: name its file, as in --output report.html")

    def write(self, report: "Report") -> None:
        """Write the page."""
        from irev.writers.results_page.page_file import results_page_bytes

        write(results_page_bytes(report_page(report, self.places)), self.output)


report_command = Command(
    "report",
    "irev.jobs.report:report",
    ReportOptions,
    qrels_and_runs_or_saved_scores,
    "[QRELS] RUN...",
    ReportPageOutput,
    help="""Write a report on runs: one HTML page that loads nothing and can be sent to a colleague.

    The page says which run is best, what the tests show and what is doubtful; it has one table of
    all measures with intervals, every topic, and the first documents of two runs side by side.
    Readers choose the measure and the baseline: at the beginning the first --baseline, else the
    best run by the first measure. A judged topic that a run lacks counts as 0. The same inputs
    give the same bytes. Without QRELS all files are saved scores. Of several runs one that cannot
    be read is left out and named: the exit code is 2.
    """,
    measures="map, ndcg_cut.10, P.10; for saved scores all that they contain",
    option_helps={
        "baselines": "Compare all other runs with RUN (its name, path or tag) at the beginning, "
        "p corrected for these pairs alone; may be repeated.",
    },
    example="irev report --output report.html qrels.txt bm25.run rm3.run",
)
