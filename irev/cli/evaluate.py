"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import SectionOption
from irev.cli.commands import COMMANDS, Job
from irev.cli.eval_options import SHEETS, EvalEngineAndSampleOptions, EvalOutput
from irev.cli.judged_runs import add_names_of_judged_runs
from irev.cli.options import MeasureOptions
from irev.cli.output import refuse_overwriting_and_stdin_twice
from irev.cli.settings import ARGUMENTS
from irev.errors import UsageError
from irev.options import DEPTH, ELDER, EvaluationOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


_STDOUT = "-"


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
    a line "# RUN" comes before the lines of each. Blank lines and lines that start with # are
    skipped. Options and files may be mixed, and long options abbreviated.
    """
    # the help needs none of it
    from irev.cli.eval_call import EvalCall, RunMessages
    from irev.engine.run_files import RunFiles, run_files

    output.refuse_clashing_options(options, measures, inputs)
    is_local = inputs.engine == "local"
    files = tuple(add_names_of_judged_runs(files, options.qrels_format))
    runs = run_files(files[1:]) if is_local else RunFiles([*files[1:]], [], searched=False)
    qrels = files[0]
    read = [qrels, *runs.paths, *inputs.input_paths(), *options.input_paths()]
    refuse_overwriting_and_stdin_twice(read, [("--output", output.output)])
    if output.description is not None and len(runs.paths) > 1:
        raise UsageError("--description describes one run: give one run")
    if isinstance(options.pool, str) and options.pool.startswith(DEPTH):
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
            from irev.cli.eval_help import print_help

            print_help(ctx)
            return 0
        _refuse_value_of_o(ctx.meta[ARGUMENTS])
        from irev.read.formats import JUDGMENTS

        qrels_format = JUDGMENTS.get(values["qrels_format"])
        if len(values["files"]) < (1 if qrels_format and qrels_format.holds_runs else 2):
            raise click.UsageError("give qrels and a run: irev QRELS RUN...", ctx)
        return super().invoke(ctx)


def _refuse_value_of_o(arguments: Sequence[str]) -> None:
    """trec_eval's -o takes no file: what follows it is a run."""
    for option, file in pairwise(arguments):
        if option == "-o" and not file.startswith("-") and not os.path.lexists(file):
            raise UsageError(f"-o does nothing, as in trec_eval: write --output {file}")


def _print_version_and_exit(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from irev.core.version import __version__

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
)  # fmt: skip
