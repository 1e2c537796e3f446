"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click
from click.core import ParameterSource

from irev.cli.commands import ARGUMENTS, COMMANDS, Job, full_help
from irev.cli.options import (
    CSV_SAFE,
    FORMAT,
    LAYOUT,
    OUTPUT,
    PLACES,
    MeasureOptions,
    SectionOption,
    add_names_of_judged_runs,
    measure_name_completions,
)
from irev.cli.output import (
    print_out,
    refuse_overwriting_and_stdin_twice,
    say_error,
    terminal_width,
    voice,
)
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.core.output_files import replace_file
from irev.core.packages import need_packages
from irev.core.text import count_text
from irev.core.workers import report_progress
from irev.errors import InputError, IrevError, Notice, StrictError, UsageError
from irev.options import DEPTH_POOL, ELDER, OWN, REPEAT, SAMPLES, EvaluationOptions
from irev.writers.document import Document, Lines
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS, document_bytes, is_parquet_path

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.core.judged import Column, Input
    from irev.engine.evaluate import RunEvaluator
    from irev.engine.run_files import RunFiles
    from irev.writers.trec import ScoredFile, ScoreLayout


TREC = "trec"
"""trec_eval's text, the form of `irev eval` where none is named."""

SHEETS = ("sheet", "sheet-html")
"""Forms of `irev eval` alone: TREC's summary sheet, as text and as a page."""

FLAT = "flat"
"""The means under the keys that logs of experiments take: a form of `irev eval` alone."""


class EvalEngineAndSampleOptions(ResultOptions):
    """How the runs are read and evaluated, beside the choices of the evaluation."""

    zscores: Annotated[
        str | None,
        Opt(
            "-Z",
            "--Zscore",
            metavar="FILE",
            section=ELDER,
            help_order=12,
            file="always",
            help="Print z scores, using the means and standard deviations in FILE.",
        ),
    ] = None
    samples: Annotated[Sequence[str], SAMPLES] = ()
    repeat: Annotated[int, REPEAT] = 10
    engine: Annotated[
        Literal["local", "spark"],
        Opt(
            "--engine",
            section=OWN,
            help_order=33,
            effect="nothing",
            help="Where to rank runs: on this machine (local, the default) or by Spark, for runs "
            "in a cluster (paths or URIs of text or Parquet, a folder of runs). Results are the "
            "same.",
        ),
    ] = "local"


class EvalOutput(OutputOptions):
    """What is printed of an evaluation, and where."""

    per_topic: Annotated[
        bool,
        Opt(
            "-q",
            "--query_eval_wanted",
            section=ELDER,
            help_order=1,
            in_short_help=True,
            help="Also print the values of each topic.",
        ),
    ] = False
    no_summary: Annotated[
        bool,
        Opt(
            "-n",
            "--nosummary",
            section=ELDER,
            help_order=5,
            help="Do not print the summary over topics.",
        ),
    ] = False
    format: Annotated[
        str,
        FORMAT.replace(section=OWN, help_order=26, choices=(TREC, *OUTPUT_FORMATS, FLAT, *SHEETS)),
    ] = TREC
    layout: Annotated[
        Literal["full", "paper"],
        LAYOUT.replace(
            section=OWN,
            help="All values (full), or a table for a paper (paper). That has runs and measures, "
            "the best in bold, and a caption; --format latex, markdown, html or table. In LaTeX it "
            "is as wide as a column or a page.",
        ),
    ] = "full"
    csv_safe: Annotated[bool, CSV_SAFE.replace(section=OWN)] = False
    places: Annotated[
        int | None,
        PLACES.replace(
            section=OWN,
            help="Number of decimals. csv, tsv, json and jsonl always have full precision. "
            "Default: 4, or 2 with --percent.",
        ),
    ] = None
    percent: Annotated[
        bool,
        Opt(
            "--percent",
            section=OWN,
            in_short_help=False,
            help="Multiply values by 100, in tables and with --score-only.",
        ),
    ] = False
    score_only: Annotated[
        bool,
        Opt(
            "--score-only",
            section=OWN,
            in_short_help=False,
            help="Print only the numbers. There is one line per run, with tabs between the "
            "measures.",
        ),
    ] = False
    sort: Annotated[
        str | None,
        Opt(
            "--sort",
            metavar="MEASURE",
            section=OWN,
            in_short_help=True,
            completions=measure_name_completions,
            help="Put the best run first. Runs with equal values keep their order.",
        ),
    ] = None
    stats: Annotated[
        bool,
        Opt(
            "--stats",
            section=OWN,
            in_short_help=True,
            help="Also print sd, variance, median and 95% t interval. They are over topics; sd and "
            "variance are those of a sample (divided by n - 1). In trec: NAME[sd], "
            "NAME[variance], NAME[median], NAME[low], NAME[high].",
        ),
    ] = False
    recall_rule: Annotated[
        Literal["ge", "band", "te9", "te10"] | None,
        Opt(
            "--recall-rule",
            section=OWN,
            help="With --format sheet: which points count for a recall level. Recall at least the "
            "level (ge, as irev plot recall-precision), up to a tenth above it (band), or level * "
            "R rounded as trec_eval 9 (te9) or 10 (te10) does. Default: as the trec_eval of "
            "--compat.",
        ),
    ] = None
    description: Annotated[
        str | None,
        Opt(
            "--description",
            metavar="TEXT",
            section=OWN,
            help="With --format sheet: Run Description. Default: the path of the run.",
        ),
    ] = None
    output: Annotated[
        str | None,
        OUTPUT.replace(
            section=OWN,
            help="Write to FILE, in the form of its ending (.csv ...). --format, if given, "
            "decides. FILE.parquet gets a table of run, topic, measure and value. On an error FILE "
            "is left unchanged.",
        ),
    ] = None

    @property
    def is_parquet(self) -> bool:
        """Whether the values of each topic are written as a Parquet table."""
        return self.format == TREC and is_parquet_path(self.output)

    @property
    def needed_packages(self) -> list[str]:
        """What this form of output needs beyond click, NumPy and tabulate."""
        is_page = self.format == "sheet-html"
        needs = {"pyarrow": self.is_parquet, "scipy": self.stats, "pandas": is_page}
        return [package for package, is_needed in needs.items() if is_needed]

    @property
    def is_sheet(self) -> bool:
        """Whether TREC's summary sheet is written."""
        return self.format in SHEETS

    @property
    def prints_each_run(self) -> bool:
        """Whether each run is printed once it is scored: the text of several is that of each."""
        return self.format == TREC and not (self.score_only or self.sort or self.output)

    @property
    def decimals(self) -> int:
        """How many decimals are shown."""
        if self.places is None:
            return 2 if self.percent else 4
        return self.places

    def sheet_measures(self, options: EvaluationOptions) -> Sequence[str]:
        """What a summary sheet shows."""
        from irev.writers.scores import sheet_measures

        return sheet_measures(self._recall_rule(options))

    def score_layout(
        self, options: EvaluationOptions, *, several_runs: bool, zscores: bool
    ) -> ScoreLayout:
        """What is shown of the scores, and how."""
        from irev.writers.trec import ScoreLayout

        return ScoreLayout(
            per_topic=self.per_topic,
            summary=not self.no_summary,
            several_runs=several_runs,
            decimals=self.decimals,
            zscores=zscores,
            percent=self.percent,
            stats=self.stats,
            recall_rule=self._recall_rule(options),
            description=self.description,
        )

    def _recall_rule(self, options: EvaluationOptions) -> str:
        return self.recall_rule or f"te{options.version}"

    def without_notices_below_table(self, notices: Iterable[Notice]) -> Iterable[Notice]:
        """Those of a run, but for what a line below the table says of its topics."""
        if self.score_only or self.format in (TREC, FLAT, *MACHINE_FORMATS):
            return notices
        from irev.writers.trec import BELOW_TABLE

        return (each for each in notices if each.kind not in BELOW_TABLE)

    def refuse_clashing_options(
        self,
        options: EvaluationOptions,
        measures: MeasureOptions,
        inputs: EvalEngineAndSampleOptions,
    ) -> None:
        """Refuse what cannot be combined; the first row that applies says why."""
        is_trec, is_flat = self.format == TREC, self.format == FLAT
        is_paper, is_spark = self.layout == "paper", inputs.engine != "local"
        shows_percent = self.score_only if is_trec else self.format not in MACHINE_FORMATS
        form, engine, pool = f"--format {self.format}", f"--engine {inputs.engine}", options.pool
        place = form if is_flat else f"--output {self.output}"
        depth_pool = f"--pool {pool}"
        is_given = {
            "-m": measures.measures, "-n": self.no_summary, "-q": self.per_topic,
            "-Z": inputs.zscores is not None, "--description": self.description is not None,
            engine: is_spark, form: not is_trec, "--group-by": options.classes,
            "--judged": options.judged_shares, "--layout paper": is_paper,
            "--percent": self.percent,
            depth_pool: isinstance(pool, str) and pool.startswith(DEPTH_POOL),
            "--recall-rule": self.recall_rule, "--repeat": inputs.repeat != type(inputs).repeat,
            "--residuals": options.residuals, "--sample": inputs.samples,
            "--score-only": self.score_only, "--sort": self.sort, "--stats": self.stats,
            "--tie-range": options.tie_range, "--topic-weights": options.weights,
        }  # fmt: skip
        clashes: list[tuple[object, Sequence[str], str]] = [
            # when, which options are refused then, why
            (inputs.samples, ["-n", "-Z", "--stats", "--sort", "--percent", "--score-only"],
             "--sample reports summaries under samples: {option} cannot be combined with it"),
            (options.predicted is not None, ["--sample", "-Z", engine],
             "--predicted cannot be combined with {option}"),
            (self.score_only, [form, "-q", "-n", "--stats", "-Z", "--group-by"],
             "--score-only cannot be combined with {option}"),
            (self.stats and not is_trec, ["-q"], "--stats cannot be combined with {option}"),
            (self.stats, ["-n", "-Z", "--topic-weights"],
             "--stats cannot be combined with {option}"),
            (self.stats and self.is_sheet, [form], "--stats cannot be combined with {option}"),
            (is_trec or is_flat or self.is_sheet, ["--layout paper"],
             "{option} needs a form with tables: --format latex, markdown, html or table"),
            (is_paper, ["-q", "-n", "--stats", "--score-only", "--sample"],
             "--layout paper is one table of means: leave out {option}"),
            (not self.is_sheet, ["--recall-rule", "--description"],
             "{option} needs --format sheet or sheet-html"),
            (self.is_sheet or not shows_percent, ["--percent"],
             "{option} cannot be combined with {form}: use --format table, markdown, latex or "
             "html, or --score-only"),
            # means under flat names, or values of topics alone
            (is_flat, ["-q"], "{place} cannot be combined with {option}"),
            (is_flat or self.is_parquet,
             ["-n", "--stats", "--score-only", "--percent", "--sample"],
             "{place} cannot be combined with {option}"),
            (is_flat, ["--group-by", "--topic-weights"],
             "{place} cannot be combined with {option}"),
            (self.is_sheet,
             ["-m", "-q", "-n", "-Z", "--tie-range", "--residuals", "--judged", "--group-by",
              "--topic-weights", "--sample"],
             "{form} is TREC's summary sheet: {option} does not apply"),
            (not inputs.samples, ["--repeat"], "{option} needs --sample"),
            (is_spark, ["--sample"], "{engine} cannot be combined with {option}"),
            (is_spark, [depth_pool], "{engine} cannot be combined with {option}: name a file"),
        ]  # fmt: skip
        for applies, names, sentence in clashes:
            for option in names:
                if applies and is_given[option]:
                    raise UsageError(
                        sentence.format(option=option, form=form, place=place, engine=engine)
                    )


# --- The command ---


def evaluate(
    files: tuple[str, ...],
    options: EvaluationOptions,
    measures: MeasureOptions,
    inputs: EvalEngineAndSampleOptions,
    output: EvalOutput,
) -> int:
    """Score runs against relevance judgments, with the output of trec_eval.

    Files may be compressed (gzip, bzip2, xz, zstd, lz4), tables (CSV, JSON lines, Parquet ...), or
    - for standard input.

    With one run and trec_eval's options the output is trec_eval's, byte for byte. With several runs
    a line "# RUN" comes before the lines of each; NAME=FILE gives a run a name of your own. Blank
    lines and lines that start with # are skipped. Options and files may be mixed, and long options
    abbreviated.
    """
    # the help needs none of it
    from irev.engine.run_files import RunFiles, run_files
    from irev.read.stream import given_name_of

    output.refuse_clashing_options(options, measures, inputs)
    need_packages(*output.needed_packages)
    is_local = inputs.engine == "local"
    files = tuple(add_names_of_judged_runs(files, options.qrels_format))
    runs = run_files(files[1:]) if is_local else RunFiles([*files[1:]], [], searched=False)
    qrels = files[0]
    read = [qrels, *runs.paths, *inputs.input_paths(), *options.input_paths()]
    refuse_overwriting_and_stdin_twice(read, [("--output", output.output)])
    if not is_local and any(map(given_name_of, files)):
        raise UsageError(f"NAME=FILE cannot be combined with --engine {inputs.engine}")
    if output.description is not None and len(runs.paths) > 1:
        raise UsageError("--description describes one run: give one run")
    if isinstance(options.pool, str) and options.pool.startswith(DEPTH_POOL):
        from irev.engine.score_runs import options_with_pool

        options = options_with_pool(options, runs.paths)
    names = output.sheet_measures(options) if output.format in SHEETS else measures.measures
    call = EvalCall(qrels, runs, names, options, inputs, output, RunMessages(output))
    return call.write(call.blocks_of_scores_under_samples if inputs.samples else call.score_blocks)


class _EvalCommand(Job):
    """The command, whose -h also tells of commands, formats and measures."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All commands, by what they are for."""
        last_purpose, rows = "", []
        for name, entry in COMMANDS.items():
            purpose = entry.purpose if entry.purpose != last_purpose else ""
            rows.append((f"{purpose:9} {name}", entry.line))
            last_purpose = entry.purpose
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Print the help, or evaluate."""
        values = ctx.params
        if values["help"] or values["help_all"]:
            print_help(ctx)
            return 0
        # trec_eval's -o takes no file: what follows it is a run
        for option, file in pairwise(ctx.meta[ARGUMENTS]):
            if option == "-o" and not file.startswith("-") and not os.path.lexists(file):
                raise UsageError(f"-o does nothing, as in trec_eval: write --output {file}")
        from irev.read.formats import JUDGMENTS

        qrels_format = JUDGMENTS.get(values["qrels_format"])
        if len(values["files"]) < (1 if qrels_format and qrels_format.holds_runs else 2):
            raise click.UsageError("give qrels and a run: irev QRELS RUN...", ctx)
        return super().invoke(ctx)


def _print_version_and_exit(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from irev.core import __version__

        click.echo(f"irev {__version__} (trec_eval 10.0 compatible)", err=True)
        ctx.exit(0)


def _complete_file_or_command(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files; and commands, where the first word may be one."""
    from click.shell_completion import CompletionItem

    items = [CompletionItem(incomplete, type="file")]
    if not ctx.params.get("files"):
        items += [
            CompletionItem(name, help=entry.line)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
    return items


def _valueless_option(*names: str, help_order: int, **facts: Any) -> SectionOption:
    """An option that gives no value to anything."""
    facts["expose_value"] = names[-1].startswith("help")
    return SectionOption(
        *names,
        section=ELDER,
        from_trec_eval=True,
        help_order=help_order,
        in_short_help=False,
        **facts,
    )


command = _EvalCommand(
    "eval",
    evaluate,
    click.Argument(
        ["files"], nargs=-1, metavar="QRELS RUN...", shell_complete=_complete_file_or_command
    ),
    _valueless_option(
        "-h", "--help", "help", help_order=0, is_flag=True,
        help="Print this help, and the documentation of measures named with -m and of formats "
        "named with -R and -T; then exit.",
    ),
    _valueless_option(
        "--help-all", "help_all", help_order=0, is_flag=True,
        help="The same, with all options, and the formats of QRELS and RUN.",
    ),
    _valueless_option(
        "-v", "--version", help_order=0, is_flag=True, is_eager=True,
        callback=_print_version_and_exit,
        help="Print the version on stderr and exit.",
    ),
    EvaluationOptions,
    MeasureOptions,
    _valueless_option(
        "-o", "old_format", help_order=11, is_flag=True, help="Ignored (kept for compatibility).",
    ),
    _valueless_option(
        "--Output_old_results_format", "old_format_name", help_order=11, metavar="ANY",
        help="Ignored (kept for compatibility).",
    ),
    EvalEngineAndSampleOptions,
    EvalOutput,
    example="irev -q -m map -m ndcg_cut.10 qrels.txt bm25.run",
    help_option=False,
    shows="--columns --ties --tie-range --layout",
)  # fmt: skip


# --- How runs are evaluated, one after the other, and their scores written ---


class RunMessages:
    """Says what is wrong or doubtful with runs, and knows the exit code.

    several_runs  whether the run is named
    exit_code     0 as long as nothing was wrong
    broken_runs   the paths of the runs that could not be scored, and why
    """

    def __init__(self, output: EvalOutput) -> None:
        self._output, self.several_runs, self.exit_code = output, False, 0
        self.broken_runs: list[tuple[str, IrevError]] = []

    def say(self, notices: Sequence[Notice], run_name: str = "") -> None:
        """Say the notices of a run; without a name of all runs, or of those that they name."""
        if not notices:
            return
        speaker = voice()
        if run_name and self.several_runs:
            notices = [notice.about(run_name) for notice in notices]
        speaker.tell(self._output.without_notices_below_table(notices))
        if speaker.failed:
            self.exit_code = max(self.exit_code, StrictError.exit_code)

    def fail(self, path: str, error: IrevError) -> None:
        """Say what is wrong with a run."""
        self.broken_runs.append((path, error))
        say_error(error, path if self.several_runs else "")
        self.exit_code = max(self.exit_code, error.exit_code)


class EvalCall(NamedTuple):
    """One call: what is evaluated, in which way, and how it is written."""

    qrels: str
    runs: RunFiles
    measures: Sequence[str]
    options: EvaluationOptions
    inputs: EvalEngineAndSampleOptions
    output: EvalOutput
    messages: RunMessages

    def write(self, make_blocks: Callable[[], Iterable[bytes]]) -> int:
        """Print what is made, or write it to a file if nothing was wrong; the exit code."""
        messages, path = self.messages, self.output.output
        if path in (None, "-"):
            blocks = make_blocks()
            if blocks and not (messages.exit_code and voice().strict):
                print_out(blocks)
            return messages.exit_code
        with replace_file(path) as stream:
            blocks = make_blocks()
            if messages.exit_code:
                raise IrevError(f"{path} was not written")
            stream.writelines(blocks)
        return messages.exit_code

    def score_blocks(self) -> Iterable[bytes]:
        """The scores of the runs, as far as they are not printed as each is there."""
        from irev.read.inputs import names_of_runs

        evaluator_class: type[RunEvaluator]
        sources: Sequence[Input]
        if self.inputs.engine == "local":
            from irev.engine.evaluate import RunEvaluator
            from irev.read.inputs import split_run_tables

            evaluator_class = RunEvaluator
            sources = split_run_tables(self.runs.paths, self.options.own_columns)
            several_runs = len(sources) > 1 or self.runs.searched
        else:
            from irev.spark.evaluation import SparkEvaluator, runs_at

            evaluator_class = SparkEvaluator
            sources = runs = runs_at(self.runs.paths)
            several_runs = len(runs) > 1 or any(run.run_column for run in runs)
        self.messages.several_runs = several_runs
        # trec_eval's text has no place for a signature
        sign = self.output.format != TREC or self.output.is_parquet
        evaluator = evaluator_class(self.qrels, self.measures, self.options, sign=sign)
        sort = self.output.sort
        sort_column = sort and _sort_column(sort, evaluator.columns, self.options)
        self.messages.say(evaluator.notices)
        layout = self.output.score_layout(
            self.options, several_runs=several_runs, zscores=self.inputs.zscores is not None
        )
        results = self._scored_files_while_reporting_broken_ones(evaluator, sources)
        if self.output.prints_each_run and not voice().strict:
            for result in results:
                print_out(self._blocks([result], layout))
            return ()
        waiting = [*results]
        if self.inputs.engine != "local":
            names = names_of_runs([result.path for result in waiting])
            waiting = [r._replace(name=name) for r, name in zip(waiting, names, strict=True)]
        if sort_column:
            from irev.writers.scores import best_first

            waiting = best_first(waiting, sort_column)
        return self._blocks(waiting, layout) if waiting else ()

    def _scored_files_while_reporting_broken_ones(
        self, evaluator: RunEvaluator, sources: Sequence[Input]
    ) -> Iterator[ScoredFile]:
        """The runs as they are scored; behind each what is doubtful about it is said."""
        from irev.read.inputs import names_of_runs
        from irev.writers.trec import ScoredFile, topic_class_and_tie_warnings

        zscores = None
        if self.inputs.zscores is not None:
            from irev.engine.join_scores import read_zscores

            zscores = read_zscores(self.inputs.zscores)
        for path, error in self.runs.refused:
            self.messages.fail(path, error)
        # Spark finds several runs behind a path: these are named when all are there
        is_local = self.inputs.engine == "local"
        names = names_of_runs(sources) if is_local else []
        outcomes = report_progress(evaluator.outcomes(sources, names), len(sources), "runs")
        for index, (source, outcome) in enumerate(outcomes):
            path = source if isinstance(source, str) else str(source)
            name = names[index] if is_local else path
            if isinstance(outcome, IrevError):
                self.messages.fail(path, _first_problem_if_perhaps_no_run(source, outcome))
                continue
            scores = zscores.apply(outcome) if zscores else outcome
            yield ScoredFile(name, scores, path)
            self.messages.say([*outcome.notices, *topic_class_and_tie_warnings(outcome)], name)
        self.messages.say(evaluator.estimate_notices)

    def _blocks(self, results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterable[bytes]:
        """Scores in the form that was asked for."""
        output_format = self.output.format
        if self.output.score_only:
            from irev.writers.scores import summary_value_lines

            return summary_value_lines(results, layout)
        if output_format == FLAT:
            from irev.writers.forms import json_bytes
            from irev.writers.scores import flat_means

            return [json_bytes(flat_means(results, layout))]
        if self.output.is_parquet:
            from irev.writers.scores import scores_parquet

            return [scores_parquet(results)]
        if output_format == TREC:
            from irev.writers.trec import write_trec_text

            return write_trec_text(results, layout)
        if output_format == "sheet":
            from irev.writers.scores import write_summary_sheets

            return write_summary_sheets(results, layout)
        if output_format == "sheet-html":
            from irev.jobs.plots.recall_precision import write_sheet_page

            return write_sheet_page(results, layout)
        if self.output.layout == "paper":
            from irev.writers.scores import scores_paper_document as results_document
        elif self.output.stats:
            from irev.writers.scores import spread_document as results_document
        else:
            from irev.writers.scores import scores_document as results_document
        document = results_document(results, layout)
        if any(result.scores.estimates is not None for result in results):
            document = _with_estimates(document, results)
        return self._document_blocks(document)

    def _document_blocks(self, document: Document) -> Iterable[bytes]:
        output = self.output
        width = terminal_width(output.output)
        if self.messages.broken_runs:
            document = _with_broken_runs(document, self.messages.broken_runs)
        return document_bytes(
            document, output.format, output.decimals, width, csv_safe=output.csv_safe
        )

    def blocks_of_scores_under_samples(self) -> Iterable[bytes]:
        """The scores of the runs under samples of the judgments."""
        from irev.jobs.sample.designs import SampledEvaluationOptions
        from irev.jobs.sample.evaluation import evaluate_samples, trec_lines

        output, messages = self.output, self.messages
        options = SampledEvaluationOptions.from_keywords(
            self.options,
            {
                "samples": self.inputs.samples,
                "repeat": self.inputs.repeat,
                "per_topic": output.per_topic,
                "sign": output.format != TREC,
                "keep_going": True,
            },
        )
        result = evaluate_samples.run(self.qrels, self.runs.paths, self.measures, options=options)
        messages.several_runs = result.several_runs
        messages.say(result.warnings)
        for path, error in (*self.runs.refused, *result.broken):
            messages.fail(path, error)
        if not result.runs:
            return ()
        if output.format == TREC:
            return trec_lines(result, output.decimals)
        return self._document_blocks(result.document_with(output.decimals))


def _first_problem_if_perhaps_no_run(source: Input, error: IrevError) -> IrevError:
    """What is wrong with a run; of a file that was found and may be no run the first problem."""
    from irev.read.stream import FoundFile

    if not isinstance(source, FoundFile) or not isinstance(error, InputError):
        return error
    first = error.problems[0]
    # what is wrong with the first line of a file in a folder that may be no run
    if first.line is None or first.kind not in ("field-count", "bad-score"):
        return error
    hint = "if this is no run, keep it elsewhere, or name the runs one by one; irev check says more"
    return InputError([first._replace(hint=hint)])


def _with_broken_runs(document: Document, broken_runs: Sequence[tuple[str, IrevError]]) -> Document:
    """The document with the runs that could not be scored below its tables, and in its data."""
    from irev.jobs.leaderboard.leaderboard import broken_submissions

    broken = broken_submissions(broken_runs)
    lines = [f"{count_text(len(broken), 'run')} could not be scored:", *map(str, broken)]

    def data() -> dict[str, Any]:
        return {**document.data(), "broken": [each.data() for each in broken]}

    return document._replace(parts=[*document.parts, Lines(lines, listed=False)], data=data)


def _with_estimates(document: Document, results: Sequence[ScoredFile]) -> Document:
    """The document with what is behind estimates from a sample of documents."""
    from irev.engine.join_scores import scored_run_table
    from irev.writers.document import finite_or_none, table_of_rows
    from irev.writers.scores import LEGEND, estimate_rows

    rows = [
        row
        for result in results
        for row in estimate_rows(scored_run_table(result.name, result.path, result.scores))
    ]

    def data() -> dict[str, Any]:
        return {**document.data(), "estimates": finite_or_none(rows)}

    parts = [*document.parts, table_of_rows(rows[0], rows), Lines(list(LEGEND))]
    return document._replace(parts=parts, data=data)


def _sort_column(
    name_after_sort: str, columns: Sequence[Column], options: EvaluationOptions
) -> Column:
    """The column that --sort names."""
    from irev.measures.naming.resolve import matching_columns

    for column in matching_columns(name_after_sort, columns, options):
        if column.average in ("mean", "geometric", "sum"):
            return column
    names = ", ".join(column.name for column in columns[:8])
    raise UsageError(f"--sort {name_after_sort}: the runs have {names}; add it with -m")


# --- What `irev -h` prints: the help, and the formats and measures that are named beside it ---


def print_help(ctx: click.Context) -> None:
    """Print the short page or all of it, then the formats and measures that are named.

    A format that is not known is left out.
    """
    values, is_all = ctx.params, ctx.params["help_all"]
    if values["plugins"]:
        from irev.measures.plugins import load_plugins

        load_plugins(values["plugins"])
    parts = [f"{full_help(ctx) if is_all else ctx.get_help()}\n"]
    for name in ("run_format", "qrels_format"):
        if is_all or ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            from irev.read.formats import JUDGMENTS, RUNS

            formats = RUNS if name == "run_format" else JUDGMENTS
            parts.append(formats[values[name]].help if values[name] in formats else "")
    if values["measures"] or is_all:
        version = 9 if values["compat"] == "trec9" else 10
        parts.append("".join(_measure_helps(values["measures"], version)))
    print_out([f"{'-' * 23}\n".join(filter(None, parts)).encode()])


def _measure_helps(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.describe import measure_help
    from irev.measures.naming.resolve import PlainNaming, resolve_names

    yield "The measures asked for:\n"
    try:
        requests = resolve_names(names, PlainNaming(version))
    except UsageError:
        # parameters play no part here: a name in trec_eval's way counts up to its dot; an empty
        # parameter is as wrong as anywhere
        bare_names = [
            name if name.endswith(".") or set("(@:") & set(name) else name.partition(".")[0]
            for name in names
        ]
        requests = resolve_names(bare_names, PlainNaming(version))
    for request in requests:
        yield f"\n{measure_help(request.measure).rstrip()}\n"
