"""A command as a declaration: the job that it calls, its inputs, its options and its output.

    command = Command(
        "explain", "irev.jobs.explain.explain:explain", ExplainOptions, qrels_and_run, "QRELS RUN",
        ExplainOutput,
        help="Show how the score of one topic is computed ...",
        example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
        measures="map",
    )

The options of the job's record are those of the command; `measures=` adds -m. What is common to all
commands stands here once: read the options and settings, call the job, say its warnings (`--quiet`,
`--strict`), write its document (`--format`, `--output` ...), exit with its code.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import click

from irev.cli.commands import Job, usage_error
from irev.cli.options import (
    FORMAT,
    OUTPUT,
    OUTPUT_SECTION,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
    RecordOptions,
    add_names_of_judged_runs,
    no_scores_text,
    starts_with_saved,
)
from irev.cli.output import refuse_overwriting_and_stdin_twice, say_error, voice, write_document
from irev.core import __version__
from irev.core.job import FigureWidth, import_attribute
from irev.core.option_records import Opt, OptionRecord, OutputOptions
from irev.core.output_files import replace_file
from irev.core.packages import need_packages
from irev.engine.run_files import run_files
from irev.errors import GENERAL_NOTE, IrevError, MissingExtraError, Notice, UsageError
from irev.jobs.result import Result, StudyResult, escape_non_utf8_names, frame_csv
from irev.options import ScoringOptions
from irev.writers.forms import (
    MACHINE_FORMATS,
    OUTPUT_FORMATS,
    TEXT,
    is_parquet_path,
    json_bytes,
)

if TYPE_CHECKING:
    import pandas as pd

    from irev.core.job import JobFunction


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

    @property
    def needed_packages(self) -> Sequence[str]:
        """What this form of output needs beyond click, NumPy and tabulate."""
        is_table = self.format in (TEXT, "table") and is_parquet_path(self.output)
        return ("pyarrow",) if is_table else ()

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
            document,
            self.format,
            self.output,
            self.places,
            csv_safe=self.csv_safe is not False,
            details=getattr(self, "details", False),
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
        measures_help = (
            "Measure or set of measures, as in irev eval; may be repeated. "
            f"Default: {measures or ''}."
        )
        helps = {"measures": measures_help, **shared_helps, **(option_helps or {})}
        parts = [RecordOptions(options, helps)]
        if measures is not None:
            parts.append(RecordOptions(measures_record, helps))
        if inputs_record is not None:
            parts.append(RecordOptions(inputs_record))
        super().__init__(
            name,
            self.call,
            usage,
            *parts,
            RecordOptions(output, helps),
            help=help,
            example=example,
            **facts,
        )
        self.job, self.job_inputs = job, inputs

    def call(self, files: Sequence[str], options: JobOptions, *more: Any) -> int:
        """Call the job, say its warnings, write its result; the exit code."""
        self.refuse_number_of_files(files, options)
        *measures, output = more
        inputs = self.job_inputs(files)
        output.refuse_job_options(options)
        need_packages(*output.needed_packages)
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


# --- How the files of a command line are given to a job ---


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


# --- How the result of a study or a plot reaches the user ---


DATA = Opt("--data", section=OUTPUT_SECTION)
FIGURE_WIDTH = Opt(
    "--width",
    section=OUTPUT_SECTION,
    help="Width of figures: a column of a paper (3.3 inches), a page (7), or a slide (10). Text is "
    "at least 7 points large; more runs make a figure higher.",
)


class StudyOutput(Output):
    """Where the result of a study goes, and in which forms."""

    format: Annotated[
        str,
        FORMAT.replace(
            choices=tuple(OUTPUT_FORMATS),
            help="Output format. csv and tsv contain only the first table, json and jsonl all "
            "tables, in full precision.",
        ),
    ] = "table"
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    output: Annotated[
        str | None,
        OUTPUT.replace(
            metavar="DIR",
            help="Also write tables, figures and parameters.json to DIR.",
        ),
    ] = None
    data: Annotated[
        Literal["csv", "parquet"], DATA.replace(help_order=1, help="Format of the tables in DIR.")
    ] = "csv"
    figures: Annotated[
        str | None,
        Opt(
            "--figures",
            metavar="LIST",
            section=OUTPUT_SECTION,
            help="Formats of the figures in DIR, such as svg,png,pdf, or none. Default: svg, where "
            "matplotlib is installed.",
        ),
    ] = None
    figure_width: Annotated[FigureWidth, FIGURE_WIDTH.replace(spelling="--figure-width")] = "page"

    def _check(self) -> None:
        self.figure_formats()

    def figure_formats(self) -> list[str]:
        """The formats of the figures."""
        from irev.jobs.plots.layout import FORMATS

        named = "svg" if self.figures is None else self.figures
        formats = [form for form in named.split(",") if form not in ("", "none")]
        for form in formats:
            if form not in FORMATS:
                raise UsageError(
                    f"--figures {self.figures}: there is {', '.join(FORMATS)}, and none"
                )
        return formats

    @property
    def needed_packages(self) -> Sequence[str]:
        """Of tables as Parquet; figures are left out where nobody asked for them."""
        return ("pyarrow",) if self.output and self.data == "parquet" else ()

    def written_paths(self) -> "list[tuple[str, str | None]]":
        """None that is known before there is a result."""
        return []

    def notices_for_stderr(self, result: StudyResult) -> "Iterable[Notice]":
        """All but the notes that stand below the tables."""
        for notice in result.warnings:
            if notice.kind != GENERAL_NOTE or self.format in MACHINE_FORMATS:
                yield notice

    def write(self, result: StudyResult) -> None:
        """Write all of it to the directory, if one was named, and print the main tables."""
        if self.output:
            _write_folder(result, self, self.figure_formats())
        write_document(
            result.document_with(self.places),
            self.format,
            None,
            self.places,
            csv_safe=self.csv_safe is not False,
        )


def _write_folder(result: StudyResult, output: StudyOutput, figure_formats: list[str]) -> None:
    """Write tables, parameters and figures, each to a file in the folder of the output."""
    from irev.jobs.plots.layout import figure_bytes

    directory = output.output or ""
    tables = {
        os.path.join(directory, f"{name}.{output.data}"): table
        for name, table in result.tables.items()
    }
    # drawn before anything is written: where that fails, no part of the result lies about
    pictures: dict[str, bytes] = {}
    try:
        for name, draw in result.figures.items() if figure_formats else ():
            figure = draw(width=output.figure_width)
            for form in figure_formats:
                pictures[os.path.join(directory, f"{name}.{form}")] = figure_bytes(figure, form)
    except MissingExtraError as error:
        if output.figures is not None:
            raise
        pictures = {}
        voice().note(f"there are tables in {directory}, but no figures: {error}")
    parameters = os.path.join(directory, "parameters.json")
    written = [("--output", path) for path in (*tables, parameters, *pictures)]
    # all that was given and is the path of a file
    values = click.get_current_context().params.values()
    words = [word for v in values for word in (v if isinstance(v, tuple) else (v,))]
    given_files = [word for word in words if isinstance(word, str) and os.path.isfile(word)]
    refuse_overwriting_and_stdin_twice(given_files, written)
    try:
        os.makedirs(directory, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--output {directory}: this is a file, not a directory") from None
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for path, table in tables.items():
        write_table(table, path, csv_safe=output.csv_safe is not False)
    write_parameters(result, parameters)
    for path, picture in pictures.items():
        with replace_file(path) as stream:
            stream.write(picture)


def write_table(table: "pd.DataFrame", path: str, *, csv_safe: bool = False) -> None:
    """Write a tidy table as the suffix says: `.csv` or `.parquet`."""
    with replace_file(path) as stream:
        if path.endswith(".parquet"):
            table.to_parquet(stream, index=False)
        else:
            stream.writelines(frame_csv(table, safe=csv_safe))


def write_parameters(result: StudyResult, path: str, kind: str = "study") -> None:
    """Write what a study, or another kind of work, depends on."""
    with replace_file(path) as stream:
        parameters = escape_non_utf8_names(result.parameters)
        stream.write(json_bytes({kind: result.name, "irev": __version__, **parameters}))
