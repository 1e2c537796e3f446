"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import SectionOption
from irev.cli.commands import COMMANDS, Job
from irev.cli.options import SHEETS, AskedOfRuns, Printed, evaluation_of, load_plugins
from irev.cli.output import check_files, print_out, replaced, say_error, terminal_width, voice
from irev.errors import IrevError, Notice, StrictError, UsageError
from irev.options import DEPTH, ELDER, Options
from irev.read.formats import JUDGMENTS, RUNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from click.shell_completion import CompletionItem

    from irev.core.model import Input
    from irev.engine.evaluator import Evaluator
    from irev.engine.zscores import ZScores
    from irev.results.scores import Scores
    from irev.writers.trec import ScoredFile, ScoreLayout

_STDOUT = "-"
_RULE = "-" * 23


def evaluate(files: tuple[str, ...], options: Options, asked: AskedOfRuns, printed: Printed) -> int:
    """Evaluate each RUN against QRELS and print trec_eval's lines.

    Either file may be - for standard input, compressed (gzip, bzip2, xz, zstd, lz4), and hold
    blank lines and # comments. Options and files come in any order, and long options may be cut
    short. With one run and trec_eval's options the output is trec_eval's, byte for byte; several
    runs are evaluated one after another, with a line "# RUN" before each.
    """
    check_files([*files, *asked.paths(), *options.paths()], [("--output", printed.output)])
    if printed.format in SHEETS:
        asked = _asked_of_sheets(options, asked, printed)
    if asked.samples:
        if asked.engine != "local":
            raise UsageError(f"--engine {asked.engine} does not go with --sample")
        from irev.cli.sampled import run

        return run(files, options, asked, printed)
    return _Evaluation(files, options, asked, printed).run()


def _asked_of_sheets(options: Options, asked: AskedOfRuns, printed: Printed) -> AskedOfRuns:
    """What is asked, with the measures of a sheet.

    Raises:
        UsageError: an option that a sheet has no place for.
    """
    from irev.writers.sheet import MEASURES

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
                f"--format {printed.format} shows what TREC's summary sheets show: {name} does not "
                "go with it"
            )
    return asked.but(measures=MEASURES)


def written_sheets(
    form: str, results: Sequence[ScoredFile], layout: ScoreLayout
) -> Iterator[bytes]:
    """The sheets of runs, as text or as a page with their plots."""
    if form == "sheet":
        from irev.writers.sheet import write as write_text

        return write_text(results, layout)
    from irev.plots.sheet_html import write as write_page

    return write_page(results, layout)


class _Evaluation:
    """One call: the runs are evaluated, shown, and what went wrong is kept in mind."""

    def __init__(
        self, files: tuple[str, ...], options: Options, asked: AskedOfRuns, printed: Printed
    ) -> None:
        from irev.writers.trec import ScoreLayout

        self.files, self.options, self.asked, self.printed = files, options, asked, printed
        self.runs: Sequence[Input] = files[1:]
        self.layout: ScoreLayout = ScoreLayout(
            per_topic=printed.per_topic,
            summary=not printed.no_summary,
            several=len(self.runs) > 1,
            places=printed.places,
            zscores=asked.zscores is not None,
        )
        # trec_eval's text for several runs is that for each, one behind the other
        self.at_once = printed.format == "trec" and not voice().strict and not printed.output
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
        if form == "trec":
            from irev.writers.trec import write

            return write(results, self.layout)
        if form in SHEETS:
            return written_sheets(form, results, self.layout)
        from irev.writers.forms import written
        from irev.writers.scores import document

        width = terminal_width(self.printed.output)
        made = document(results, self.layout)
        return written(made, form, self.layout.places, width, csv_safe=self.printed.csv_safe)

    def _prepare(self) -> tuple[Evaluator, ZScores | None]:
        asked = self.asked
        # trec_eval's text has no place for a signature
        evaluator = self._engine()(
            self.files[0],
            asked.measures,
            evaluation_of(self.files, asked, self.options),
            format=asked.qrels_format,
            sign=self.printed.format != "trec",
        )
        self._say(evaluator.notices)
        if asked.zscores is None:
            return evaluator, None
        from irev.engine.zscores import read_zscores

        return evaluator, read_zscores(asked.zscores)

    def _engine(self) -> type[Evaluator]:
        """What evaluates; of Spark's, the runs are those that the paths lead to."""
        if self.asked.engine == "local":
            from irev.engine.evaluator import Evaluator

            return Evaluator
        from irev.spark.cluster import runs_at
        from irev.spark.evaluation import SparkEvaluator

        pool = self.options.pool
        if isinstance(pool, str) and pool.startswith(DEPTH):
            raise UsageError(f"--engine spark does not go with --pool {pool}: name a file")
        self.runs = runs_at(self.files[1:])
        several = len(self.runs) > 1 or any(run.by for run in self.runs)
        self.layout = self.layout._replace(several=several)
        return SparkEvaluator

    def _results(self, evaluator: Evaluator, zscores: ZScores | None) -> list[ScoredFile]:
        """The runs' results that are still to be printed."""
        from irev.writers.trec import ScoredFile

        waiting = []
        for given, outcome in evaluator.outcomes(self.runs):
            path = str(given)
            if isinstance(outcome, IrevError):
                self._fail(outcome, path)
                continue
            result = ScoredFile(path, zscores.apply(outcome) if zscores else outcome)
            if self.at_once:
                print_out(self._written([result]))
            else:
                waiting.append(result)
            self._tell(path, outcome)
        return waiting

    def _fail(self, error: IrevError, path: str) -> None:
        say_error(error, path if self.layout.several else "")
        self.failed = True
        self.exit_code = max(self.exit_code, error.exit_code)

    def _tell(self, path: str, scores: Scores) -> None:
        """Say what makes the scores doubtful, and which topics were left out."""
        from irev.writers.account import notes

        self._say([*scores.notices, *notes(scores)], f"{path}: " if self.layout.several else "")

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
    """The command, whose -h also tells of formats and measures."""

    def invoke(self, ctx: click.Context) -> Any:
        """Print the help, or evaluate."""
        given = ctx.params
        load_plugins(given["plugins"])
        if given["help"]:
            version = 9 if given["compat"] == "trec9" else 10
            _print_help(given["measures"], given["qrels_format"], given["run_format"], version)
            return 0
        if len(given["files"]) < 2:
            raise click.UsageError("give a relevance file and a run: irev QRELS RUN...", ctx)
        if given["samples"]:
            from irev.cli import sampled

            sampled.check(Printed.of(given), AskedOfRuns.of(given))
        from irev.read.formats import JUDGMENTS, RUNS

        _check_format("-R", given["qrels_format"], JUDGMENTS)
        _check_format("-T", given["run_format"], RUNS)
        return super().invoke(ctx)


def _print_help(measures: Sequence[str], qrels_format: str, run_format: str, version: int) -> None:
    """Print the help of the current command; a format that is not known is left out."""
    parts = [click.get_current_context().get_help() + "\n"]
    parts += [RUNS[run_format].help] if run_format in RUNS else []
    parts += [JUDGMENTS[qrels_format].help] if qrels_format in JUDGMENTS else []
    parts.append("".join(_measures_asked_for(measures, version)))
    print_out([f"{_RULE}\n".join(parts).encode()])


def _measures_asked_for(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.names import Plain, describe, resolve

    yield "The measures asked for:\n"
    try:
        requests = resolve(names, Plain(version))
    except UsageError:
        # parameters play no part here; an empty one is as wrong as anywhere
        plain = [_without_parameters(name) for name in names]
        requests = resolve(plain, Plain(version))
    for request in requests:
        yield f"\n{describe(request.measure).rstrip()}\n"


def _without_parameters(name: str) -> str:
    """The name in trec_eval's way without what follows its dot; any other as it is."""
    if name.endswith(".") or set("(@:") & set(name):
        return name
    return name.partition(".")[0]


def _check_format(option: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise UsageError(f"{option}: there is no format '{name}'; there is {', '.join(known)}")


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
        near = {name: line for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)}
        items += [CompletionItem(name, help=line) for name, line in near.items()]
    return items


def _elder(*names: str, place: int, **facts: Any) -> SectionOption:
    """An option that gives no value to anything."""
    facts["expose_value"] = names[-1] == "help"
    return SectionOption(*names, section=ELDER, elder=True, place=place, **facts)


command = _Job(
    "eval",
    evaluate,
    click.Argument(["files"], nargs=-1, metavar="QRELS RUN...", shell_complete=_complete_file),
    _elder(
        "-h", "--help", "help", place=0, is_flag=True,
        help="Print this help, the file formats, and what is known of the measures named with -m; "
        "then exit.",
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
    AskedOfRuns,
    Printed,
    example="irev -q -m map -m ndcg_cut.10 qrels.txt bm25.run",
    help_option=False,
    finds=False,
)  # fmt: skip
