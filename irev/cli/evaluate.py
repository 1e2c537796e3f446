"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irev.cli.arguments import SectionOption
from irev.cli.commands import COMMANDS, Job
from irev.cli.help import full_help
from irev.cli.options import SHEETS, EvalInputOptions, EvalOutput, evaluation_of, load_plugins
from irev.cli.output import check_files, print_out, replaced, say_error, terminal_width, voice
from irev.cli.settings import ARGUMENTS
from irev.core.progress import report_progress
from irev.engine.run_files import RunFiles, run_files
from irev.errors import IrevError, Notice, StrictError, UsageError
from irev.options import DEPTH, ELDER, Options
from irev.read.formats import JUDGMENTS, RUNS
from irev.writers.forms import MACHINE_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from click.shell_completion import CompletionItem

    from irev.core.model import Column, Input
    from irev.engine.run_evaluator import RunEvaluator
    from irev.engine.zscores import ZScores
    from irev.scores.scores import Scores
    from irev.writers.trec import ScoredFile, ScoreLayout

_STDOUT = "-"
_RULE = "-" * 23


def evaluate(
    files: tuple[str, ...], options: Options, asked: EvalInputOptions, printed: EvalOutput
) -> int:
    """Score runs against relevance judgments, with the output of trec_eval.

    Files may be compressed (gzip, bzip2, xz, zstd, lz4), tables (CSV, JSON lines, Parquet ...), or
    - for standard input.

    With one run and trec_eval's options the output is trec_eval's, byte for byte. With several runs
    a line "# RUN" comes before the lines of each. Blank lines and lines that start with # are
    skipped. Options and files may be mixed, and long options abbreviated.
    """
    _check_output(options, asked, printed)
    found = run_files(files[1:]) if asked.engine == "local" else RunFiles([*files[1:]], [], False)
    files = (files[0], *found.paths)
    check_files(
        [*files, *asked.input_paths(), *options.input_paths()], [("--output", printed.output)]
    )
    if printed.format in SHEETS:
        printed = printed.replace(recall_rule=printed.recall_rule or f"te{options.version}")
        asked = _asked_of_sheets(options, asked, printed)
        if printed.description is not None and len(files) > 2:
            raise UsageError("--description describes one run: give one run")
    if asked.samples:
        if asked.engine != "local":
            raise UsageError(f"--engine {asked.engine} cannot be combined with --sample")
        from irev.cli.sampled import run

        return run(files, options, asked, printed)
    return _Evaluation(files, options, asked, printed, found).run()


def _check_output(options: Options, asked: EvalInputOptions, printed: EvalOutput) -> None:
    """Refuse ways to print that cannot be combined."""
    form = printed.format
    is_text = form == "trec" and not printed.score_only
    clashes: dict[str, dict[str, object]] = {
        "--score-only": {
            f"--format {form}": form != "trec", "-q": printed.per_topic, "-n": printed.no_summary,
            "--stats": printed.stats, "-Z": asked.zscores, "--group-by": options.classes,
        },
        "--stats": {
            "-q": printed.per_topic and form != "trec", "-n": printed.no_summary,
            "-Z": asked.zscores, "--topic-weights": options.weights,
            f"--format {form}": form in SHEETS,
        },
    }  # fmt: skip
    for option, others in clashes.items():
        for other, is_given in others.items():
            if is_given and getattr(printed, option[2:].replace("-", "_")):
                raise UsageError(f"{option} cannot be combined with {other}")
    for option, given in (
        ("--recall-rule", printed.recall_rule), ("--description", printed.description),
    ):  # fmt: skip
        if given is not None and form not in SHEETS:
            raise UsageError(f"{option} needs --format {' or '.join(SHEETS)}")
    if printed.percent and (is_text or form in (*MACHINE_FORMATS, *SHEETS)):
        raise UsageError(
            f"--percent cannot be combined with --format {form}: use --format table, markdown, "
            "latex or html, or --score-only"
        )


def _asked_of_sheets(
    options: Options, asked: EvalInputOptions, printed: EvalOutput
) -> EvalInputOptions:
    """What is asked, with the measures of a sheet."""
    from irev.writers.summary_sheet import sheet_measures

    refused = {
        "-m": asked.measures,
        "-q": printed.per_topic,
        "-n": printed.no_summary,
        "-Z": asked.zscores is not None,
        "--tie-range": options.tie_range,
        "--residuals": options.residuals,
        "--judged": options.judged_shares,
        "--group-by": options.classes,
        "--topic-weights": options.weights,
        "--sample": asked.samples,
    }
    for name, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"--format {printed.format} is TREC's summary sheet: {name} does not apply"
            )
    return asked.replace(measures=sheet_measures(str(printed.recall_rule)))


def written_sheets(
    form: str, results: Sequence[ScoredFile], layout: ScoreLayout
) -> Iterator[bytes]:
    """The sheets of runs, as text or as a page with their plots."""
    if form == "sheet":
        from irev.writers.summary_sheet import write_summary_sheets

        return write_summary_sheets(results, layout)
    from irev.jobs.plots.sheet_html import write_sheet_page

    return write_sheet_page(results, layout)


class _Evaluation:
    """One call: the runs are evaluated, shown, and what went wrong is kept in mind."""

    def __init__(
        self, files: tuple[str, ...], options: Options, asked: EvalInputOptions,
        printed: EvalOutput, found: RunFiles,
    ) -> None:  # fmt: skip
        from irev.writers.trec import ScoreLayout

        self.files, self.options, self.asked, self.printed = files, options, asked, printed
        self.runs: Sequence[Input] = files[1:]
        self.layout: ScoreLayout = ScoreLayout(
            per_topic=printed.per_topic,
            summary=not printed.no_summary,
            several_runs=len(self.runs) > 1 or found.searched,
            decimals=printed.decimals,
            zscores=asked.zscores is not None,
            percent=printed.percent,
            stats=printed.stats,
            recall_rule=printed.recall_rule or "te10",
            description=printed.description,
        )
        self.found = found
        self.sorted_by: Column | None = None
        # trec_eval's text for several runs is that for each, one behind the other
        self.at_once = (
            printed.format == "trec"
            and not (printed.score_only or printed.sort)
            and not voice().strict
            and not printed.output
        )
        self.failed = False
        self.exit_code = 0

    def run(self) -> int:
        """Evaluate and print; the exit code."""
        evaluator, zscores = self._prepare()
        output = self.printed.output
        if output in (None, _STDOUT):
            results = self._results(evaluator, zscores)
            if results and not (self.failed and voice().strict):
                print_out(self._written(results))
            return self.exit_code
        with replaced(output) as stream:
            results = self._results(evaluator, zscores)
            if self.failed:
                raise _NotWrittenError(output)
            stream.writelines(self._written(results))
        return self.exit_code

    def _written(self, results: Sequence[ScoredFile]) -> Iterator[bytes]:
        """The results in the form that was asked for."""
        form = self.printed.format
        if self.printed.score_only:
            from irev.writers.scores import bare_lines

            return bare_lines(results, self.layout)
        if form == "trec":
            from irev.writers.trec import write_trec_text

            return write_trec_text(results, self.layout)
        if form in SHEETS:
            return written_sheets(form, results, self.layout)
        from irev.writers.forms import document_bytes

        if self.printed.stats:
            from irev.writers.spread import spread_document as results_document
        else:
            from irev.writers.scores import scores_document as results_document

        width = terminal_width(self.printed.output)
        made = results_document(results, self.layout)
        return document_bytes(
            made, form, self.layout.decimals, width, csv_safe=self.printed.csv_safe
        )

    def _prepare(self) -> tuple[RunEvaluator, ZScores | None]:
        asked = self.asked
        # trec_eval's text has no place for a signature
        evaluator = self._engine()(
            self.files[0],
            asked.measures,
            evaluation_of(self.files, asked, self.options),
            qrels_format=asked.qrels_format,
            sign=self.printed.format != "trec",
        )
        if self.printed.sort:
            self.sorted_by = self._column_of(self.printed.sort, evaluator.columns)
        self._say(evaluator.notices)
        if asked.zscores is None:
            return evaluator, None
        from irev.engine.zscores import read_zscores

        return evaluator, read_zscores(asked.zscores)

    def _engine(self) -> type[RunEvaluator]:
        """What evaluates; of Spark's, the runs are those that the paths lead to."""
        if self.asked.engine == "local":
            from irev.engine.run_evaluator import RunEvaluator

            return RunEvaluator
        from irev.spark.cluster import runs_at
        from irev.spark.evaluation import SparkEvaluator

        pool = self.options.pool
        if isinstance(pool, str) and pool.startswith(DEPTH):
            raise UsageError(f"--engine spark cannot be combined with --pool {pool}: name a file")
        self.runs = runs_at(self.files[1:])
        several = len(self.runs) > 1 or any(run.run_column for run in self.runs)
        self.layout = self.layout._replace(several_runs=several)
        return SparkEvaluator

    def _results(self, evaluator: RunEvaluator, zscores: ZScores | None) -> list[ScoredFile]:
        """The runs' results that are still to be printed."""
        from irev.scores.run_names import name_runs
        from irev.writers.trec import ScoredFile

        for path, error in self.found.refused:
            self._fail(error, path)
        waiting = []
        is_local = self.asked.engine == "local"
        names = [*name_runs(self.runs)] if is_local else []
        outcomes = report_progress(evaluator.outcomes(self.runs, names), len(self.runs), "runs")
        for number, (given, outcome) in enumerate(outcomes):
            path = str(given)
            # Spark finds several runs behind a path
            name = names[number] if is_local else path
            if isinstance(outcome, IrevError):
                self._fail(outcome, path)
                continue
            result = ScoredFile(name, zscores.apply(outcome) if zscores else outcome, path)
            if self.at_once:
                print_out(self._written([result]))
            else:
                waiting.append(result)
            self._tell(name, outcome)
        if not is_local:
            names = [*name_runs([result.path for result in waiting])]
            waiting = [r._replace(name=name) for r, name in zip(waiting, names, strict=True)]
        return self._sorted(waiting)

    def _sorted(self, results: list[ScoredFile]) -> list[ScoredFile]:
        """The runs by their means under the measure of --sort, the best first."""
        by = self.sorted_by
        if by is None or not results:
            return results
        from irev.measures.naming.result_columns import lower_is_better

        at = [column.name for column in results[0].scores.columns].index(by.name)
        sign = 1 if lower_is_better(by) else -1

        def place(result: ScoredFile) -> tuple[bool, float]:
            value = result.scores.summary_of(at)
            if not isinstance(value, float) or value != value:
                return True, 0.0
            return False, sign * value

        return sorted(results, key=place)

    def _column_of(self, name: str, columns: Sequence[Column]) -> Column:
        """The column that --sort means."""
        from irev.measures.naming.result_columns import columns_named

        for column in columns_named(name, columns, self.options):
            if column.average in ("mean", "geometric", "sum"):
                return column
        listed = ", ".join(column.name for column in columns[:8])
        raise UsageError(f"--sort {name}: the runs have {listed}; add it with -m")

    def _fail(self, error: IrevError, path: str) -> None:
        say_error(error, path if self.layout.several_runs else "")
        self.failed = True
        self.exit_code = max(self.exit_code, error.exit_code)

    def _tell(self, name: str, scores: Scores) -> None:
        """Say what makes the scores doubtful, and which topics were left out."""
        from irev.writers.account import topic_warnings

        more = topic_warnings(scores, below_table=self.printed.tells_topics)
        self._say([*scores.notices, *more], f"{name}: " if self.layout.several_runs else "")

    def _say(self, notices: Iterable[Notice], whose: str = "") -> None:
        told = voice()
        told.tell(notices, whose)
        if told.failed:
            self.failed = True
            self.exit_code = max(self.exit_code, StrictError.exit_code)


class _NotWrittenError(IrevError):
    """Some run failed, so that the file is left as it was."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was not written")


class _Job(Job):
    """The command, whose -h also tells of commands, formats and measures."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All commands, by what they are for."""
        before, rows = "", []
        for name, entry in COMMANDS.items():
            purpose = entry.purpose if entry.purpose != before else ""
            rows.append((f"{purpose:9} {name}", entry.line))
            before = entry.purpose
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Print the help, or evaluate."""
        given = ctx.params
        load_plugins(given["plugins"])
        if given["help"] or given["help_all"]:
            _print_help(ctx)
            return 0
        _mind_old_format(ctx.meta[ARGUMENTS])
        if len(given["files"]) < 2:
            raise click.UsageError("give a relevance file and a run: irev QRELS RUN...", ctx)
        if given["samples"]:
            from irev.cli import sampled

            sampled.refuse_options(
                EvalOutput.from_option_values(given), EvalInputOptions.from_option_values(given)
            )
        return super().invoke(ctx)


def _mind_old_format(arguments: Sequence[str]) -> None:
    """trec_eval's -o takes no file: what follows it is a run."""
    for option, file in pairwise(arguments):
        if option == "-o" and not file.startswith("-") and not os.path.lexists(file):
            raise UsageError(f"-o does nothing, as in trec_eval: write --output {file}")


def _print_help(ctx: click.Context) -> None:
    """Print the short page or all of it, then the formats and measures that are named.

    A format that is not known is left out.
    """
    given, is_all = ctx.params, ctx.params["help_all"]
    parts = [f"{full_help(ctx) if is_all else ctx.get_help()}\n"]
    formats = (("run_format", RUNS), ("qrels_format", JUDGMENTS))
    for name, known in formats:
        is_named = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if (is_named or is_all) and given[name] in known:
            parts.append(known[given[name]].help)
    if given["measures"] or is_all:
        version = 9 if given["compat"] == "trec9" else 10
        parts.append("".join(_measures_asked_for(given["measures"], version)))
    print_out([f"{_RULE}\n".join(parts).encode()])


def _measures_asked_for(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.descriptions import measure_help
    from irev.measures.naming.resolve import PlainNaming, resolve_names

    yield "The measures asked for:\n"
    try:
        requests = resolve_names(names, PlainNaming(version))
    except UsageError:
        # parameters play no part here; an empty one is as wrong as anywhere
        plain = [_without_parameters(name) for name in names]
        requests = resolve_names(plain, PlainNaming(version))
    for request in requests:
        yield f"\n{measure_help(request.measure).rstrip()}\n"


def _without_parameters(name: str) -> str:
    """The name in trec_eval's way without what follows its dot; any other as it is."""
    if name.endswith(".") or set("(@:") & set(name):
        return name
    return name.partition(".")[0]


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
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


def _elder(*names: str, place: int, **facts: Any) -> SectionOption:
    """An option that gives no value to anything."""
    facts["expose_value"] = names[-1].startswith("help")
    return SectionOption(
        *names, section=ELDER, from_trec_eval=True, help_order=place, in_short_help=False, **facts
    )


command = _Job(
    "eval",
    evaluate,
    click.Argument(["files"], nargs=-1, metavar="QRELS RUN...", shell_complete=_complete_file),
    _elder(
        "-h", "--help", "help", place=0, is_flag=True,
        help="Print this help, and the documentation of measures named with -m and of formats "
        "named with -R and -T; then exit.",
    ),
    _elder(
        "--help-all", "help_all", place=0, is_flag=True,
        help="The same, with all options, and the formats of QRELS and RUN.",
    ),
    _elder(
        "-v", "--version", place=0, is_flag=True, is_eager=True, callback=_version,
        help="Print the version on stderr and exit.",
    ),
    Options,
    _elder("-o", "old_format", place=11, is_flag=True, help="Does nothing."),
    _elder(
        "--Output_old_results_format", "old_format_name", place=11, metavar="ANY",
        help="Does nothing, with its value.",
    ),
    EvalInputOptions,
    EvalOutput,
    example="irev -q -m map -m ndcg_cut.10 qrels.txt bm25.run",
    help_option=False,
)  # fmt: skip
