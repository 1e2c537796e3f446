"""`irev sample`: thin finished judgments, or the collection under them."""

import os
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from irev.cli.command import Command, Output
from irev.cli.commands import usage_error
from irev.cli.options import FORMAT, OUTPUT
from irev.cli.output import refuse_overwriting_and_stdin_twice, write
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.errors import Notice, UsageError
from irev.jobs.pool.pool import SampleResult
from irev.jobs.sample.designs import SampleOptions


class SampleOutput(Output):
    """What is written, and where.

    Of several samples each has a file of its own, numbered by its replicate.
    """

    without = ("csv_safe", "places")

    format: Annotated[str, FORMAT.replace(
        choices=("qrels", "strata"),
        section="Options",
        help="Output format: four columns (qrels) or five, TOPIC 0 DOCUMENT STRATUM GRADE "
        "(strata).",
    )] = "qrels"  # fmt: skip
    output: Annotated[str | None, OUTPUT.replace(section="Options")] = None
    runs_to: Annotated[str | None, Opt(
        "--runs-to", metavar="FOLDER", file="written", help_order=1,
        help="With --by collection: write the RUNs, without the documents that were removed, to "
        "this folder.",
    )] = None  # fmt: skip

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


command = SampleCommand(
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
    documents: as strata, but at least two documents of each range and never drawn again, which
    estimates beside a model's judgments need (--predicted with -R strata). Draw from the model's
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
