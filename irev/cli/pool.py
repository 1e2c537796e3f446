"""`irev pool`: what is to be judged, the qrels that come of it, and what runs owe to the pool."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from irev.cli.command import Command, Output, runs_alone
from irev.cli.commands import usage_error
from irev.cli.options import FORMAT, OUTPUT, PLACES, SAFE_CSV, UNSAFE_CSV, MeasureOptions
from irev.cli.output import refuse_overwriting_and_stdin_twice, write
from irev.core.displayed import import_attribute
from irev.core.option_records import Opt
from irev.engine.run_files import expand_folders
from irev.errors import UsageError
from irev.jobs.pool.pool import (
    LEAVE_OUT_SECTION,
    LIST_SECTION,
    LeaveOneOutOptions,
    PoolOptions,
    PoolQrelsOptions,
    PoolResult,
    SampleResult,
    design_text,
)
from irev.writers.forms import OUTPUT_FORMATS

if TYPE_CHECKING:
    from irev.jobs.pool.leave_one_out import LeaveOneOutResult

_OPTIONS = {
    "list": {
        "depth", "sample", "seed", "replicate", "ties", "run_format", "columns", "exclude",
        "design", "report", "output",
    },
    "judgments": {"judgments", "design", "format", "output"},
    "leave_out": {
        "leave_out", "depth", "groups", "measures", "level", "ties", "run_format", "columns",
        "exclude", "format", "places", "output", "csv_safe",
    },
}  # fmt: skip
"""The three jobs of the command, and the options of each."""

_NUM_FILES = {
    "list": (1, math.inf, "give runs: irev pool DIR|RUN..."),
    "judgments": (0, 0, "give no runs: irev pool --judgments QRELS --design FILE"),
    "leave_out": (2, math.inf, "give qrels and runs: irev pool --leave-out QRELS RUN..."),
}
"""How many files each takes, at least and at most, and what is said of others."""

_FORMATS = {"list": (), "judgments": ("qrels", "strata"), "leave_out": tuple(OUTPUT_FORMATS)}


class PoolCommandOptions(LeaveOneOutOptions, PoolOptions):
    """The options of the three jobs, and which of them is meant."""

    judgments: Annotated[str | None, Opt(
        "--judgments", metavar="QRELS", section="Making qrels of the judgments", file="always",
        help_order=-7, help="Judgments of the list.",
    )] = None  # fmt: skip
    leave_out: Annotated[bool, Opt(
        "--leave-out", section=LEAVE_OUT_SECTION, help_order=-7,
        help="Show each run's scores without the judgments that only this run contributed.",
    )] = False  # fmt: skip

    @property
    def job_name(self) -> str:
        """Which of the three jobs is meant."""
        if self.judgments is not None:
            return "judgments"
        return "leave_out" if self.leave_out else "list"


class PoolMeasureOptions(MeasureOptions):
    """By what runs are scored."""

    measures: Annotated[Sequence[str], Opt(
        "-m", "--measure", metavar="NAME[.PARAMS]", section=LEAVE_OUT_SECTION, help_order=-5,
        help="Measure; may be repeated. Default: map.",
    )] = ()  # fmt: skip


class PoolOutput(Output):
    """What is written, and where."""

    report: Annotated[str | None, Opt(
        "--report", metavar="FILE", section=LIST_SECTION, help_order=-2, file="written",
        help="Write the best rank and runs of each document to FILE.",
    )] = None  # fmt: skip
    places: Annotated[int, PLACES.replace(
        section=LEAVE_OUT_SECTION, help_order=-1, help="Number of decimals. Default: 4."
    )] = 4  # fmt: skip
    design: Annotated[str | None, Opt(
        "--design", metavar="FILE", help_order=1, file="written",
        help="Design file to write or, with --judgments, to read. Default with --output: the name "
        "of its FILE with .design.json.",
    )] = None  # fmt: skip
    format: Annotated[str | None, FORMAT.replace(
        choices=("qrels", "strata", *OUTPUT_FORMATS),
        section="Options", help_order=3,
        help="Output format. For qrels: qrels (four columns, the default) or strata (five). For "
        "scores: table (the default) or any other.",
    )] = None  # type: ignore[assignment]  # fmt: skip
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section=LEAVE_OUT_SECTION),
        UNSAFE_CSV.replace(section=LEAVE_OUT_SECTION),
    ] = None
    output: Annotated[str | None, OUTPUT.replace(section="Options", help_order=3)] = None

    @property
    def design_path(self) -> str | None:
        """Where the design of a list goes."""
        if self.design is None and self.output not in (None, "-"):
            return f"{self.output}.design.json"
        return self.design

    def write(self, result: "PoolResult | SampleResult | LeaveOneOutResult") -> None:
        """Write the list with its report and design, the qrels, or the scores."""
        if isinstance(result, PoolResult):
            lines = result.list_lines()  # which may be refused, before anything is written
            if self.report is not None:
                write(result.contributor_lines(), self.report)
            if self.design_path is not None:
                write([design_text(result.design)], self.design_path)
            write(lines, self.output)
        elif isinstance(result, SampleResult):
            write(result.samples[0].line_blocks(self.format or "qrels"), self.output)
        else:
            self.replace(format=self.format or "table").write_document(result)

    def write_document(self, result: "LeaveOneOutResult") -> None:
        """Write a result as other commands do."""
        super().write(result)


class PoolCommand(Command):
    """The command, which has three jobs."""

    def call(self, files: Sequence[str], options: PoolCommandOptions, *more: Any) -> int:
        """Do the job that is meant."""
        measures, output = more
        files = expand_folders(list(files))
        _refuse_options_and_files_of_other_jobs(files, options, measures, output)
        outputs = [("--output", output.output)]
        if options.job_name == "list":
            outputs += [("--design", output.design_path), ("--report", output.report)]
            refuse_overwriting_and_stdin_twice(files, outputs)
            pool_options = options.base_record(PoolOptions)
            result = self.job_function.run(*self.job_inputs(files), options=pool_options)
        elif options.job_name == "judgments":
            refuse_overwriting_and_stdin_twice([options.judgments, output.design], outputs)
            job = import_attribute("irev.jobs.pool.pool:pool_qrels")
            result = job.run(options.judgments, output.design, options=PoolQrelsOptions())
        else:
            groups_path: Any = options.groups  # on the command line always a path
            refuse_overwriting_and_stdin_twice([*files, groups_path], outputs)
            job = import_attribute("irev.jobs.pool.leave_one_out:leave_one_out")
            requested = [measures.measures] if measures.measures else []
            result = job.run(
                files[0],
                list(files[1:]),
                *requested,
                options=options.base_record(LeaveOneOutOptions),
            )
        return self.finish(result, output)


def _refuse_options_and_files_of_other_jobs(
    files: Sequence[str], options: PoolCommandOptions, measures: MeasureOptions, output: PoolOutput
) -> None:
    """Refuse options of other jobs than the one that is meant, and files that it does not take."""
    job_name = options.job_name
    label = "a list to be judged" if job_name == "list" else f"--{job_name.replace('_', '-')}"
    for record in (options, measures, output):
        for name, field in record.keywords().items():
            if getattr(record, name) != field.default and name not in _OPTIONS[job_name]:
                raise UsageError(f"{field.opt.names[0]} cannot be combined with {label}")
    least, most, usage = _NUM_FILES[job_name]
    if not least <= len(files) <= most:
        raise usage_error(usage)
    if output.format and output.format not in _FORMATS[job_name]:
        raise UsageError(f"--format {output.format} cannot be combined with {label}")
    if job_name == "list" and options.sample != 1.0 and output.design_path is None:
        raise UsageError("--sample needs a file for the design: --design FILE or --output FILE")
    if job_name == "judgments" and output.design is None:
        raise UsageError("--judgments needs the design of the pool: --design FILE")
    if job_name == "leave_out" and "-" in files:
        raise UsageError("--leave-out reads its files twice: none can be standard input (-)")


command = PoolCommand(
    "pool",
    "irev.jobs.pool.pool:pool",
    PoolCommandOptions,
    runs_alone,
    "[QRELS] DIR|RUN...",
    PoolOutput,
    help="""Make the list of documents to judge from the top documents of each run.

    The list has one TOPIC DOCUMENT per line, in an order that reveals neither runs nor ranks. With
    --sample, only a sample is judged, by the best rank of a document in any run. The design file
    says which documents were sampled, and from which runs.

    irev pool --judgments QRELS --design FILE turns the judgments into qrels. Documents of the pool
    that were not to be judged get grade -1.

    irev pool --leave-out -m map QRELS RUN... shows how much each run depends on its own
    contributions: its scores without the judgments of documents that only this run, or only its
    group, contributed. All judged topics count.
    """,
    measures="",
    measures_record=PoolMeasureOptions,
    option_helps={
        "measures": "Measure; may be repeated. Default: map.",
        "sample": "Judge only a sample: 20%, or by best rank, 1-10=100%,11-100=20%.",
    },
    example="irev pool --sample 1-10=100%,11-100=20% --seed 7 --output list.txt *.run",
)
