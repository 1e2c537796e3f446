"""`irev check`, `irev pool` and `irev sample`: files looked at, and judgments made or thinned."""

import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irev.cli.command import Command, Output, runs_alone
from irev.cli.commands import usage_error
from irev.cli.options import (
    DETAILS,
    FORMAT,
    OUTPUT,
    OUTPUT_OF_ONE_FORM,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    MeasureOptions,
)
from irev.cli.output import refuse_overwriting_and_stdin_twice, write
from irev.core.job import import_attribute
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.engine.run_files import expand_folders
from irev.errors import Notice, UsageError
from irev.jobs.check.check import CheckOptions
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
from irev.jobs.sample.designs import SampleOptions
from irev.writers.forms import OUTPUT_FORMATS, TEXT, form_of_path

if TYPE_CHECKING:
    from irev.jobs.pool.leave_one_out import LeaveOneOutResult


# --- `irev check`: everything that is wrong or suspicious in runs and qrels ---


class CheckOutput(Output):
    """What is told of the findings, and where."""

    without: ClassVar[Sequence[str]] = ("places",)

    format: Annotated[
        str,
        FORMAT.replace(
            section="Options",
            help_order=4,
            choices=(TEXT, *OUTPUT_FORMATS),
            help="Output format. text has one line per finding of one file or with --details.",
        ),
    ] = TEXT
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section="Options"),
        UNSAFE_CSV.replace(section="Options"),
    ] = None
    details: Annotated[
        bool,
        DETAILS.replace(section="Options", help_order=4),
    ] = False
    output: Annotated[
        str | None,
        OUTPUT.replace(
            section="Options",
            help="Write to FILE, in the form of its ending (.csv ...). --format, if given, "
            "decides.",
        ),
    ] = None


def _one_file_or_more(files: Sequence[str]) -> Sequence[str]:
    if not files:
        raise usage_error("give files: irev check RUN, or irev check QRELS RUN...")
    return files


check_command = Command(
    "check",
    "irev.jobs.check.check:check",
    CheckOptions,
    _one_file_or_more,
    "[QRELS] FILE|DIR...",
    CheckOutput,
    help="""Find errors and suspicious lines in runs and qrels, with line numbers.

    Whether a file is a run or qrels is detected from its lines. A run is checked against the qrels
    given before it: irev check QRELS RUN... So are answers against the nuggets or the support that
    were judged. Each finding is an error, a warning or a note, and has a code. Of one file all
    findings are printed; of several files which have errors, a line for each, and some findings of
    each code: --details prints the rest. In a directory, all regular files are checked, including
    subdirectories and within the limits, but none of them serves as qrels for others. The parts of
    x.parquet/ are one table.

    Exit code 0: no errors; 1: errors found; 2: a file cannot be opened.
    """,
    example="irev check qrels.txt bm25.run rm3.run",
    strict="Exit with 1 where there are warnings, too.",
)


# --- `irev pool`: what is to be judged, qrels that come of it, what runs owe to the pool ---


_OPTIONS = {
    "list": {
        "depth", "sample", "seed", "replicate", "ties", "run_format", "columns", "exclude",
        "passages", "design", "report", "output",
    },
    "judgments": {"judgments", "design", "format", "output"},
    "leave_out": {
        "leave_out", "depth", "groups", "measures", "level", "ties", "run_format", "columns",
        "exclude", "passages", "format", "places", "output", "csv_safe",
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

    judgments: Annotated[
        str | None,
        Opt(
            "--judgments",
            metavar="QRELS",
            section="Making qrels of the judgments",
            file="always",
            help_order=-7,
            help="Judgments of the list.",
        ),
    ] = None
    leave_out: Annotated[
        bool,
        Opt(
            "--leave-out",
            section=LEAVE_OUT_SECTION,
            help_order=-7,
            help="Show each run's scores without the judgments that only this run contributed.",
        ),
    ] = False

    @property
    def job_name(self) -> str:
        """Which of the three jobs is meant."""
        if self.judgments is not None:
            return "judgments"
        return "leave_out" if self.leave_out else "list"


class PoolMeasureOptions(MeasureOptions):
    """By what runs are scored."""

    measures: Annotated[
        Sequence[str],
        Opt(
            "-m",
            "--measure",
            metavar="NAME[.PARAMS]",
            section=LEAVE_OUT_SECTION,
            help_order=-5,
            help="Measure; may be repeated. Default: map.",
        ),
    ] = ()


class PoolOutput(Output):
    """What is written, and where."""

    report: Annotated[
        str | None,
        Opt(
            "--report",
            metavar="FILE",
            section=LIST_SECTION,
            help_order=-2,
            file="written",
            help="Write the best rank and runs of each document to FILE.",
        ),
    ] = None
    places: Annotated[
        int,
        PLACES.replace(
            section=LEAVE_OUT_SECTION, help_order=-1, help="Number of decimals. Default: 4."
        ),
    ] = 4
    design: Annotated[
        str | None,
        Opt(
            "--design",
            metavar="FILE",
            help_order=1,
            file="written",
            help="Design file to write or, with --judgments, to read. Default with --output: the "
            "name of its FILE with .design.json.",
        ),
    ] = None
    format: Annotated[
        str | None,
        FORMAT.replace(
            choices=("qrels", "strata", *OUTPUT_FORMATS),
            section="Options",
            help_order=3,
            help="Output format. For qrels: qrels (four columns, the default) or strata (five). "
            "For scores: table (the default) or any other.",
        ),
    ] = None  # type: ignore[assignment]
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section=LEAVE_OUT_SECTION),
        UNSAFE_CSV.replace(section=LEAVE_OUT_SECTION),
    ] = None
    output: Annotated[str | None, OUTPUT_OF_ONE_FORM.replace(section="Options", help_order=3)] = (
        None
    )

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
    if job_name != "leave_out" and output.output is not None:
        form_of_path(output.output, _FORMATS["judgments"])
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


pool_command = PoolCommand(
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


# --- `irev sample`: thin finished judgments, or the collection under them ---


class SampleOutput(Output):
    """What is written, and where.

    Of several samples each has a file of its own, numbered by its replicate.
    """

    without = ("csv_safe", "places")

    format: Annotated[
        str,
        FORMAT.replace(
            choices=("qrels", "strata"),
            section="Options",
            help="Output format: four columns (qrels) or five, TOPIC 0 DOCUMENT STRATUM GRADE "
            "(strata).",
        ),
    ] = "qrels"
    output: Annotated[str | None, OUTPUT_OF_ONE_FORM.replace(section="Options")] = None
    runs_to: Annotated[
        str | None,
        Opt(
            "--runs-to",
            metavar="FOLDER",
            file="written",
            help_order=1,
            help="With --by collection: write the RUNs, without the documents that were removed, "
            "to this folder.",
        ),
    ] = None

    def sample_paths(self, repeat: int, first_replicate: int) -> list[str | None]:
        """Where each sample goes; None: to standard output."""
        if repeat == 1:
            return [self.output]
        if self.output in (None, "-") or self.runs_to is not None:
            raise UsageError(
                f"--repeat {repeat} needs --output FILE, and cannot be combined with --runs-to"
            )
        stem, suffix = os.path.splitext(str(self.output))
        replicates = range(first_replicate, first_replicate + repeat)
        return [f"{stem}-{replicate}{suffix}" for replicate in replicates]

    def refuse_clashes(self, files: Sequence[str], options: SampleOptions) -> None:
        """Refuse what cannot be written of such a sample, or would replace a file."""
        paths = self.sample_paths(options.repeat, options.replicate)
        if self.runs_to is not None:
            if options.method != "collection":
                raise UsageError("--runs-to needs --by collection")
            if "-" in files[1:]:
                raise UsageError(
                    "a run that is to be reduced is read twice: it cannot be standard input"
                )
        outputs = [("--output", path) for path in paths]
        refuse_overwriting_and_stdin_twice([*files, *options.input_paths()], outputs)
        if options.method == "buckley-voorhees" and self.format == "strata":
            raise UsageError("--by buckley-voorhees takes documents away: it has no strata")
        if self.runs_to is not None:
            from irev.jobs.sample.sample import reduced_run_paths

            reduced_run_paths(files[1:], self.runs_to)

    def notices_for_stderr(self, result: "SampleResult") -> "Iterable[Notice]":
        """The warnings and notes, those of several samples by the files they are in."""
        if len(result.samples) == 1:
            return result.warnings
        paths = self.sample_paths(len(result.samples), result.first_replicate)
        return [
            each._replace(message=f"{path}: {each.message}")
            for path, sample in zip(paths, result.samples, strict=True)
            for each in sample.notices
        ]

    def write(self, result: "SampleResult") -> None:
        """Write the reduced runs, then the lines of each sample."""
        if self.runs_to is not None:
            from irev.jobs.sample.sample import reduced_run_paths

            sample: Any  # of a collection
            (sample,) = result.samples
            os.makedirs(self.runs_to, exist_ok=True)
            targets = reduced_run_paths(sample.run_paths, self.runs_to)
            for path, target in zip(sample.run_paths, targets, strict=True):
                with replace_file(target) as stream:
                    stream.writelines(sample.reduced_run(path))
            if self.output is None:
                return
        paths = self.sample_paths(len(result.samples), result.first_replicate)
        for path, sample in zip(paths, result.samples, strict=True):
            write(sample.line_blocks(self.format), path)


class SampleCommand(Command):
    """The command, whose output depends on how many samples there are."""

    def call(self, files: Sequence[str], options: SampleOptions, *more: Any) -> int:
        """Draw the samples and write them."""
        (output,) = more
        inputs = self.job_inputs(files)
        output.refuse_clashes(files, options)
        return self.finish(self.job_function.run(*inputs, options=options), output)


def _qrels_and_any_runs(files: Sequence[str]) -> Sequence[Any]:
    if not files:
        raise usage_error("give qrels: irev sample QRELS --rate 10%")
    return files[0], list(files[1:])


sample_command = SampleCommand(
    "sample",
    "irev.jobs.sample.sample:sample",
    SampleOptions,
    _qrels_and_any_runs,
    "QRELS [RUN...]",
    SampleOutput,
    help="""Sample judgments: keep the grades of a random sample.

    The result is qrels. Sampled documents keep their grades, the others of the pool get -1 (pooled
    but not judged). The same seed draws the same sample, whatever the order of the lines, and a
    higher rate draws a superset.

    uniform: a share of each topic's judged documents. strata: judged documents by the best rank
    that a RUN gives them, with a rate for each range of ranks. budget: a fixed number per topic.
    documents: as strata, but at least two documents of each range, drawn once; estimates beside a
    model's judgments need that (--predicted with -R strata). Draw from the model's
    judgments, replace the grades of the drawn documents by people's, and use --format strata.
    buckley-voorhees: relevant and other documents separately; documents not drawn are removed.
    collection: judgments stay unchanged and documents are drawn: those of a smaller collection, or,
    with --runs-to, the RUNs without the others.
    """,
    option_helps={
        "repeat": "Draw N samples, numbered from --replicate on, each to a file of its own: with "
        "--output thin.qrels to thin-0.qrels, thin-1.qrels ... Default: 1."
    },
    example="irev sample --rate 10% --seed 7 --output thin.txt qrels.txt",
)
