"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import SectionOption
from irev.cli.commands import COMMANDS, Job
from irev.cli.eval_options import SHEETS, TREC, EvalInputOptions, EvalOutput
from irev.cli.options import MeasureOptions
from irev.cli.output import check_files, print_out, replace_file, say_error, terminal_width, voice
from irev.cli.settings import ARGUMENTS
from irev.core.progress import report_progress
from irev.core.record import record
from irev.engine.run_files import RunFiles, run_files
from irev.errors import IrevError, StrictError, UsageError
from irev.options import DEPTH, ELDER, EvaluationOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from click.shell_completion import CompletionItem

    from irev.core.model import Input
    from irev.engine.run_evaluator import RunEvaluator
    from irev.errors import Notice
    from irev.writers.document import Document
    from irev.writers.trec import ScoredFile, ScoreLayout

_STDOUT = "-"


def evaluate(
    files: tuple[str, ...],
    options: EvaluationOptions,
    measures: MeasureOptions,
    inputs: EvalInputOptions,
    output: EvalOutput,
) -> int:
    """Score runs against relevance judgments, with the output of trec_eval.

    Files may be compressed (gzip, bzip2, xz, zstd, lz4), tables (CSV, JSON lines, Parquet ...), or
    - for standard input.

    With one run and trec_eval's options the output is trec_eval's, byte for byte. With several runs
    a line "# RUN" comes before the lines of each. Blank lines and lines that start with # are
    skipped. Options and files may be mixed, and long options abbreviated.
    """
    output.check_options(options, measures, inputs)
    is_local = inputs.engine == "local"
    runs = run_files(files[1:]) if is_local else RunFiles([*files[1:]], [], searched=False)
    qrels = files[0]
    read = [qrels, *runs.paths, *inputs.input_paths(), *options.input_paths()]
    check_files(read, [("--output", output.output)])
    if output.description is not None and len(runs.paths) > 1:
        raise UsageError("--description describes one run: give one run")
    if isinstance(options.pool, str) and options.pool.startswith(DEPTH):
        from irev.engine.score_runs import options_with_pool

        options = options_with_pool(options, runs.paths)
    names = output.measure_names(options, measures)
    call = _Evaluation(qrels, runs, names, options, inputs, output, _RunMessages(output))
    return call.write(call.sampled_blocks if inputs.samples else call.score_blocks)


class _RunMessages:
    """Says what is wrong or doubtful with runs, and knows the exit code.

    several_runs  whether the run is named
    exit_code     0 as long as nothing was wrong
    """

    def __init__(self, output: EvalOutput) -> None:
        self._output, self.several_runs, self.exit_code = output, False, 0

    def say(self, notices: Sequence[Notice], name: str = "") -> None:
        """Say the notices of a run; without a name of all runs, or of those that they name."""
        if not notices:
            return
        speaker = voice()
        owner_prefix = f"{name}: " if name and self.several_runs else ""
        speaker.tell(self._output.notices_to_say(notices), owner_prefix)
        if speaker.failed:
            self.exit_code = max(self.exit_code, StrictError.exit_code)

    def fail(self, path: str, error: IrevError) -> None:
        """Say what is wrong with a run."""
        say_error(error, path if self.several_runs else "")
        self.exit_code = max(self.exit_code, error.exit_code)


@record
class _Evaluation:
    """One call: what is evaluated, in which way, and how it is written."""

    qrels: str
    runs: RunFiles
    measures: Sequence[str]
    options: EvaluationOptions
    inputs: EvalInputOptions
    output: EvalOutput
    messages: _RunMessages

    def write(self, make_blocks: Callable[[], Iterable[bytes]]) -> int:
        """Print what is made, or write it to a file if nothing was wrong; the exit code."""
        messages, path = self.messages, self.output.output
        if path in (None, _STDOUT):
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
        from irev.scores.run_names import name_runs

        evaluator_class, sources, several_runs = self._engine()
        self.messages.several_runs = several_runs
        # trec_eval's text has no place for a signature
        sign = self.output.format != TREC
        evaluator = evaluator_class(self.qrels, self.measures, self.options, sign=sign)
        sort_column = self.output.sort_column(evaluator.columns, self.options)
        self.messages.say(evaluator.notices)
        has_zscores = self.inputs.zscores is not None
        layout = self.output.layout(self.options, several_runs=several_runs, zscores=has_zscores)
        results = self._scored_files(evaluator, sources)
        if self.output.prints_each_run and not voice().strict:
            for result in results:
                print_out(self._blocks([result], layout))
            return ()
        waiting = [*results]
        if self.inputs.engine != "local":
            names = name_runs([result.path for result in waiting])
            waiting = [r._replace(name=name) for r, name in zip(waiting, names, strict=True)]
        if sort_column is not None:
            from irev.writers.scores import best_first

            waiting = best_first(waiting, sort_column)
        return self._blocks(waiting, layout) if waiting else ()

    def _engine(self) -> tuple[type[RunEvaluator], Sequence[Input], bool]:
        """(what evaluates; the runs, of Spark those that the paths lead to; whether several)."""
        if self.inputs.engine == "local":
            from irev.engine.run_evaluator import RunEvaluator

            paths = self.runs.paths
            return RunEvaluator, paths, len(paths) > 1 or self.runs.searched
        from irev.spark.cluster import runs_at
        from irev.spark.evaluation import SparkEvaluator

        runs = runs_at(self.runs.paths)
        return SparkEvaluator, runs, len(runs) > 1 or any(run.run_column for run in runs)

    def _scored_files(
        self, evaluator: RunEvaluator, sources: Sequence[Input]
    ) -> Iterator[ScoredFile]:
        """The runs as they are scored; behind each what is doubtful about it is said."""
        from irev.scores.run_names import name_runs
        from irev.writers.account import topic_warnings
        from irev.writers.trec import ScoredFile

        zscores = None
        if self.inputs.zscores is not None:
            from irev.engine.zscores import read_zscores

            zscores = read_zscores(self.inputs.zscores)
        for path, error in self.runs.refused:
            self.messages.fail(path, error)
        # Spark finds several runs behind a path: these are named when all are there
        is_local = self.inputs.engine == "local"
        names = [*name_runs(sources)] if is_local else []
        outcomes = report_progress(evaluator.outcomes(sources, names), len(sources), "runs")
        for index, (source, outcome) in enumerate(outcomes):
            path = str(source)
            name = names[index] if is_local else path
            if isinstance(outcome, IrevError):
                self.messages.fail(path, outcome)
                continue
            scores = zscores.apply(outcome) if zscores else outcome
            yield ScoredFile(name, scores, path)
            self.messages.say([*outcome.notices, *topic_warnings(outcome)], name)

    def _blocks(self, results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterable[bytes]:
        """Scores in the form that was asked for."""
        output_format = self.output.format
        if self.output.score_only:
            from irev.writers.scores import bare_lines

            return bare_lines(results, layout)
        if output_format == TREC:
            from irev.writers.trec import write_trec_text

            return write_trec_text(results, layout)
        if output_format in SHEETS:
            return sheet_blocks(output_format, results, layout)
        if self.output.stats:
            from irev.writers.spread import spread_document as results_document
        else:
            from irev.writers.scores import scores_document as results_document
        return self._document_blocks(results_document(results, layout))

    def _document_blocks(self, document: Document) -> Iterable[bytes]:
        from irev.writers.forms import document_bytes

        output = self.output
        width = terminal_width(output.output)
        return document_bytes(
            document, output.format, output.decimals, width, csv_safe=output.csv_safe
        )

    def sampled_blocks(self) -> Iterable[bytes]:
        """The scores of the runs under samples of the judgments."""
        from irev.jobs.sample.document import trec_lines
        from irev.jobs.sample.options import SampledEvaluationOptions
        from irev.jobs.sample.sampled_runs import evaluate_samples

        output, messages = self.output, self.messages
        options = SampledEvaluationOptions.from_keywords(
            self.options,
            {
                "samples": self.inputs.samples, "repeat": self.inputs.repeat,
                "per_topic": output.per_topic, "sign": output.format != TREC, "keep_going": True,
            },
        )  # fmt: skip
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


def sheet_blocks(
    output_format: str, results: Sequence[ScoredFile], layout: ScoreLayout
) -> Iterator[bytes]:
    """The sheets of runs, as text or as a page with their plots."""
    if output_format == "sheet":
        from irev.writers.summary_sheet import write_summary_sheets

        return write_summary_sheets(results, layout)
    from irev.jobs.plots.sheet_html import write_sheet_page

    return write_sheet_page(results, layout)


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
            from irev.cli.eval_help import print_help

            print_help(ctx)
            return 0
        _refuse_value_of_o(ctx.meta[ARGUMENTS])
        if len(values["files"]) < 2:
            raise click.UsageError("give a relevance file and a run: irev QRELS RUN...", ctx)
        return super().invoke(ctx)


def _refuse_value_of_o(arguments: Sequence[str]) -> None:
    """trec_eval's -o takes no file: what follows it is a run."""
    for option, file in pairwise(arguments):
        if option == "-o" and not file.startswith("-") and not os.path.lexists(file):
            raise UsageError(f"-o does nothing, as in trec_eval: write --output {file}")


def _version(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from irev.core.version import __version__

        click.echo(f"irev {__version__} (trec_eval 10.0 compatible)", err=True)
        ctx.exit(0)


def _complete_file(
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
    click.Argument(["files"], nargs=-1, metavar="QRELS RUN...", shell_complete=_complete_file),
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
        "-v", "--version", help_order=0, is_flag=True, is_eager=True, callback=_version,
        help="Print the version on stderr and exit.",
    ),
    EvaluationOptions,
    MeasureOptions,
    _valueless_option("-o", "old_format", help_order=11, is_flag=True, help="Does nothing."),
    _valueless_option(
        "--Output_old_results_format", "old_format_name", help_order=11, metavar="ANY",
        help="Does nothing, with its value.",
    ),
    EvalInputOptions,
    EvalOutput,
    example="irev -q -m map -m ndcg_cut.10 qrels.txt bm25.run",
    help_option=False,
)  # fmt: skip
