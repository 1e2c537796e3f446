"""A command as a declaration: the job that it calls, its inputs, its options and its output.

    command = Command(
        "explain", "irev.jobs.explain.explain:explain", ExplainOptions, qrels_and_run, "QRELS RUN",
        ExplainOutput,
        help=\"\"\"Show how the score of one topic is computed ...\"\"\",
        example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
        measures="map",
    )

The options of the job's record are those of the command; `measures=` adds -m. What is common to all
commands stands here once: read the options and settings, call the job, say its warnings (`--quiet`,
`--strict`), write its document (`--format`, `--output` ...), exit with its code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from irev.cli.commands import Job, usage_error
from irev.cli.judged_runs import add_names_of_judged_runs
from irev.cli.options import (
    FORMAT,
    OUTPUT,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
)
from irev.cli.output import refuse_overwriting_and_stdin_twice, say_error, voice, write_document
from irev.cli.record_options import RecordOptions
from irev.cli.saved_files import no_scores_text, starts_with_saved
from irev.core.displayed import import_attribute
from irev.core.option_records import OutputOptions
from irev.engine.run_files import run_files
from irev.options import ScoringOptions

if TYPE_CHECKING:
    from irev.core.job import JobFunction
    from irev.core.option_records import OptionRecord
    from irev.errors import Notice
    from irev.jobs.result import Result

JobResult: TypeAlias = Any
"""The result of the command's job, a `Result`: a command of its own says of which class."""
JobOptions: TypeAlias = Any
"""The options of the command's job, an `OptionRecord`: a command of its own says of which class."""

FilesToJobInputs = Callable[[Sequence[str]], Sequence[Any]]
"""Makes the inputs of a job of the files of a command line, or says what is wanted (`misused`)."""


SCORING_HELPS = {
    "classes": "Also compute everything for each class of topics. FILE has a topic and its class "
    "on each line.",
    "weights": "Use weighted means, also in tests. FILE has a topic and its weight on each line.",
}
"""What options of every evaluation are called where runs are set against each other."""


_MEASURES_HELP = "Measure or set of measures, as in irev eval; may be repeated. Default: {}."
"""The help of -m, given the measures where none is named."""


class Output(OutputOptions):
    """In which form the result of a job is written, and where.

    A command whose options are others than these has its own class: it declares fields anew, leaves
    some out (`without`), and writes more (`write`), such as figures.
    """

    format: Annotated[str, FORMAT] = "table"
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    output: Annotated[str | None, OUTPUT] = None

    def written_paths(self) -> "list[tuple[str, str | None]]":
        """(option, path) of the files that are written."""
        return [
            (field.opt.names[-1], getattr(self, name))
            for name, field in self.keywords().items()
            if field.opt.file == "written" and not field.is_sequence
        ]

    def refuse_job_options(self, options: JobOptions) -> None:
        """Refuse what makes no sense with the options of the job, before it is done."""

    def note_lack_of_room(self, inputs: Sequence[Any], options: JobOptions) -> None:
        """Say before the job is done what its inputs are too many for."""

    def notices_for_stderr(self, result: JobResult) -> "Iterable[Notice]":
        """The warnings and notes that are said on stderr: all, unless the output has some."""
        warnings: Iterable[Notice] = result.warnings
        return warnings

    def write(self, result: JobResult) -> None:
        """Write the result."""
        document = result.document_with(self.places)
        write_document(
            document, self.format, self.output, self.places, csv_safe=self.csv_safe is not False
        )


class Command(Job):
    """A command that calls a job and writes its result."""

    def __init__(
        self,
        name: str,
        job: str,
        options: "type[OptionRecord]",
        inputs: FilesToJobInputs,
        usage: str | click.Argument,
        output: type[Output] = Output,
        *,
        help: str,
        example: str,
        measures: str | None = None,
        measures_record: type[MeasureOptions] = MeasureOptions,
        inputs_record: "type[OptionRecord] | None" = None,
        option_helps: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        """Declare a command.

        Args:
            name: of the command.
            job: what it calls, as `module:function`; it is imported when it is called.
            options: the record of its options, which are the command's.
            inputs: makes the positional inputs of the job of the files.
            usage: how the usage line calls the files, or the argument itself, called `files`.
            output: the record of the form and the place of the output.
            help: what the command does, for `--help`.
            example: what stands behind "Example: " in the help.
            measures: of a job that takes measures, what the help of -m says of the default.
            measures_record: where -m is declared.
            inputs_record: of inputs that a file of options can name.
            option_helps: names of fields, with the help that their options have here.
            facts: others of `commands.Job`: `strict`, what the help says of --strict ...
        """
        shared_helps = SCORING_HELPS if issubclass(options, ScoringOptions) else {}
        default = _MEASURES_HELP.format(measures or "")
        helps = {"measures": default, **shared_helps, **(option_helps or {})}
        parts = [RecordOptions(options, helps)]
        if measures is not None:
            parts.append(RecordOptions(measures_record, helps))
        if inputs_record is not None:
            parts.append(RecordOptions(inputs_record))
        super().__init__(
            name, self.call, usage, *parts, RecordOptions(output, helps),
            help=help, example=example, **facts,
        )  # fmt: skip
        self.job, self.job_inputs = job, inputs

    def call(self, files: Sequence[str], options: JobOptions, *more: Any) -> int:
        """Call the job, say its warnings, write its result; the exit code."""
        self.refuse_number_of_files(files, options)
        *measures, output = more
        inputs = self.job_inputs(files)
        output.refuse_job_options(options)
        output.note_lack_of_room(inputs, options)
        refuse_overwriting_and_stdin_twice([*files, *options.input_paths()], output.written_paths())
        named = [each.measures for each in measures if each.measures]
        return self.finish(self.job_function.run(*inputs, *named, options=options), output)

    def refuse_number_of_files(self, files: Sequence[str], options: JobOptions) -> None:
        """Refuse fewer or more files than these options go with."""

    @property
    def job_function(self) -> "JobFunction[Result]":
        """The job, imported when it is first called."""
        job: JobFunction[Result] = import_attribute(self.job)
        return job

    def finish(self, result: JobResult, output: Output) -> int:
        """Say the warnings of a result, and write it; the exit code."""
        voice().tell_or_stop_if_strict(output.notices_for_stderr(result))
        output.write(result)
        for error in result.errors:
            say_error(error)
        exit_code: int = result.strict_exit_code if voice().strict else result.exit_code
        return exit_code


# How the files of a command line are given to a job


def qrels_and_run(files: Sequence[str]) -> Sequence[str]:
    """QRELS RUN: judgments and one run."""
    if len(files) != 2:
        name = click.get_current_context().command_path
        raise usage_error(f"give qrels and one run: {name} QRELS RUN")
    return files


def words(files: Sequence[str]) -> Sequence[Any]:
    """WORD...: words."""
    return [list(files)]


def runs_alone(files: Sequence[str]) -> Sequence[Any]:
    """RUN...: runs."""
    return [list(files)]


def qrels_and_runs_or_saved_scores(files: Sequence[str]) -> tuple[str | None, list[str]]:
    """QRELS RUN..., with the runs in folders; or saved scores alone, which need no judgments."""
    if starts_with_saved(files):
        return None, list(files)
    files = add_names_of_judged_runs(files, click.get_current_context().params.get("qrels_format"))
    if len(files) < 2:
        reason = f"{no_scores_text(files[0])}; " if files else ""
        name = click.get_current_context().command_path
        raise usage_error(f"{reason}give qrels and runs, or saved scores: {name} QRELS RUN...")
    return files[0], list(run_files(files[1:]).regular())
