"""`irev pool`: what is to be judged, the qrels that come of it, and what runs owe to the pool."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT, PLACES
from irev.cli.output import check_files, voice, write, write_document, write_list
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.core.text import as_bytes
from irev.errors import Notice, UsageError
from irev.options import LEVEL, SEED, Options
from irev.read.formats import JUDGMENTS
from irev.writers.forms import OUTPUT_FORMATS

if TYPE_CHECKING:
    from irev.core.pool import Pool
    from irev.jobs.pool.judging_plan import Finished, JudgingPlan
    from irev.jobs.pool.rates import RankStratum
    from irev.read.formats import RunFormat

DEPTH = 100

_LIST, _FINISH = "Making the list", "Making qrels of the judgments"
_LEAVE_OUT = "Leaving runs out"

_RUN_FORMAT = Options().run_format

_JOBS = {
    "list": {
        "depth", "sample", "seed", "replicate", "ties", "run_format", "design", "report", "output",
    },
    "judgments": {"judgments", "design", "format", "output"},
    "leave_out": {
        "leave_out", "depth", "groups", "measures", "level", "ties", "run_format", "format",
        "places", "output", "csv_safe",
    },
}  # fmt: skip
"""The three jobs of the command, and the options of each."""

_FORMATS = {"judgments": ("qrels", "strata"), "leave_out": tuple(OUTPUT_FORMATS)}


class Pooling(ResultOptions):
    """What is pooled, and what is asked of it; None is what nobody asked for."""

    depth: Annotated[int | None, Opt(
        "--depth", metavar="N", least=1,
        help="Number of documents of each run and topic in the pool. Default: 100, or the depth "
        "of the strata of --sample.",
    )] = None  # fmt: skip
    sample: Annotated[str | None, Opt(
        "--sample", metavar="RATE", section=_LIST,
        help="Judge only a sample: 20%, or by best rank, 1-10=100%,11-100=20%.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.replace(
        section=_LIST, least=None,
        help="Seed of the sample and of the order of the list. Default: 0.",
    )] = None  # fmt: skip
    replicate: Annotated[int | None, Opt(
        "--replicate", metavar="N", section=_LIST, least=0,
        help="Number of the sample, if you draw several with one seed. Default: 0.",
    )] = None  # fmt: skip
    judgments: Annotated[str | None, Opt(
        "--judgments", metavar="QRELS", section=_FINISH, file="always",
        help="Judgments of the list.",
    )] = None  # fmt: skip
    leave_out: Annotated[bool, Opt(
        "--leave-out", section=_LEAVE_OUT,
        help="Show each run's scores without the judgments that only this run contributed.",
    )] = False  # fmt: skip
    groups: Annotated[str | None, Opt(
        "--groups", metavar="FILE", section=_LEAVE_OUT, file="always",
        help="Leave out whole groups of runs: one RUN GROUP per line.",
    )] = None  # fmt: skip
    measures: Annotated[Sequence[str], Opt(
        "-m", "--measure", metavar="NAME[.PARAMS]", section=_LEAVE_OUT,
        help="Measure; may be repeated. Default: map.",
    )] = ()  # fmt: skip
    level: Annotated[int | None, LEVEL.replace(
        section=_LEAVE_OUT, help="Smallest grade that counts as relevant. Default: 1."
    )] = None  # fmt: skip
    ties: Annotated[Literal["docid-desc", "docid-asc", "input", "rank"] | None, Opt(
        "--ties", metavar="ORDER", help_order=2,
        help="Order of documents with equal scores: docid-desc (the default), docid-asc, input or "
        "rank (the rank column decides the whole order).",
    )] = None  # fmt: skip
    run_format: Annotated["RunFormat | None", Options.fields()["run_format"].opt.replace(
        section="Options", help_order=4
    )] = None  # fmt: skip


class PoolOutput(OutputOptions):
    """What is written, and where."""

    report: Annotated[str | None, Opt(
        "--report", metavar="FILE", section=_LIST, file="written",
        help="Write the best rank and the runs of each document to FILE.",
    )] = None  # fmt: skip
    places: Annotated[int | None, PLACES.replace(
        section=_LEAVE_OUT, help="Number of decimals. Default: 4."
    )] = None  # fmt: skip
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
    )] = None  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE.replace(section=_LEAVE_OUT)] = False
    output: Annotated[str | None, OUTPUT.replace(section="Options")] = None


def pool(files: tuple[str, ...], asked: Pooling, written: PoolOutput) -> int:
    """Make the list of documents to judge from the top documents of each run.

    The list has one TOPIC DOCUMENT per line, in an order that reveals neither runs nor ranks. With
    --sample, only a sample is judged, by the best rank of a document in any run. The design file
    says which documents were sampled, and from which runs.

    irev pool --judgments QRELS --design FILE turns the judgments into qrels. Documents of the pool
    that were not to be judged get grade -1.

    irev pool --leave-out -m map QRELS RUN... shows how much each run depends on its own
    contributions: its scores without the judgments of documents that only this run, or only its
    group, contributed. All judged topics count.
    """
    job = _job(files, asked, written)
    if job == "list":
        _make_list(files, asked, written)
    elif job == "judgments":
        _finish(asked.judgments or "", written)
    else:
        _leave_out(files, asked, written)
    return 0


def _job(files: tuple[str, ...], asked: Pooling, written: PoolOutput) -> str:
    """Which of the jobs is wanted; options of others are refused."""
    job = "list"
    if asked.judgments is not None:
        job = "judgments"
    elif asked.leave_out:
        job = "leave_out"
    for record in (asked, written):
        for name, field in record.fields().items():
            if getattr(record, name) not in (None, False, ()) and name not in _JOBS[job]:
                raise UsageError(f"{field.opt.names[0]} cannot be combined with {_named(job)}")
    wanted = {"list": 1, "judgments": 0, "leave_out": 2}[job]
    if len(files) < wanted or (not wanted and files):
        usage = {
            "list": "give runs: irev pool RUN...",
            "judgments": "give no runs: irev pool --judgments QRELS --design FILE",
            "leave_out": "give a relevance file and runs: irev pool --leave-out QRELS RUN...",
        }[job]
        raise misused(usage)
    if written.format is not None and written.format not in _FORMATS[job]:
        raise UsageError(f"--format {written.format} cannot be combined with {_named(job)}")
    return job


def _named(job: str) -> str:
    return "a list to be judged" if job == "list" else f"--{job.replace('_', '-')}"


def _make_list(runs: tuple[str, ...], asked: Pooling, written: PoolOutput) -> None:
    output, design = written.output, written.design
    if design is None and output not in (None, "-"):
        design = f"{output}.design.json"
    if design is None and asked.sample is not None:
        raise UsageError("--sample needs a file for the design: --design FILE or --output FILE")
    outputs = [("--output", output), ("--design", design), ("--report", written.report)]
    check_files(runs, outputs)
    strata, depth = _strata(asked.depth, asked.sample)

    from irev.engine.pools import make_pool
    from irev.jobs.pool.judging_plan import design_blocks, plan, to_be_judged
    from irev.rank.order import RankingRule

    ties = asked.ties or "docid-desc"
    ranking = RankingRule(
        ids_rising=ties == "docid-asc", ties=ties if ties in ("input", "rank") else "docid"
    )
    found = make_pool(runs, depth, ranking, run_format=asked.run_format or _RUN_FORMAT)
    planned = plan(found, strata, asked.seed or 0, asked.replicate or 0)
    if written.report is not None:
        write(_report(found, runs), written.report)
    if design is not None:
        write(design_blocks(planned, found, runs, depth, ties), design)
    write_list(to_be_judged(planned), ("topic", "document"), output)
    _tell_contributions(found, planned, runs)


def _strata(depth: int | None, sample: str | None) -> "tuple[tuple[RankStratum, ...], int | None]":
    """The strata, which hold every rank of the pool, and the pool's depth; None: no end."""
    from fractions import Fraction

    from irev.jobs.pool.rates import RankStratum, covering, rate_or_strata

    rate = Fraction(1) if sample is None else rate_or_strata(sample)
    if isinstance(rate, tuple):
        return covering(rate, depth)
    depth = depth or DEPTH
    return (RankStratum(1, depth, rate),), depth


def _report(pool: "Pool", runs: Sequence[str]) -> Iterator[bytes]:
    """A line for each document of the pool: its best rank, and the runs that brought it."""
    yield b"topic\tdocument\tbest_rank\truns\tcontributors\n"
    names = [as_bytes(run) for run in runs]
    start, run = pool.start.tolist(), pool.run.tolist()
    rows = zip(pool.topic.tolist(), pool.docs.to_list(), pool.best_rank.tolist(), strict=True)
    for number, (topic, document, rank) in enumerate(rows):
        of = [names[which] for which in run[start[number] : start[number + 1]]]
        fields = (pool.topics[topic], document, rank, len(of), b" ".join(of))
        yield b"%b\t%b\t%d\t%d\t%b\n" % fields


def _tell_contributions(pool: "Pool", planned: "JudgingPlan", runs: Sequence[str]) -> None:
    from irev.engine.pools import unique_documents

    unique = unique_documents(pool)
    for run, documents, alone in zip(runs, pool.num_contributed.tolist(), unique, strict=True):
        voice().note(f"{run}: {documents} documents, {alone} of them from no other run")
    voice().note(
        f"{int(planned.chosen.sum())} of {len(planned.chosen)} documents of the pool "
        f"are to be judged, for {len(pool.topics)} topics"
    )


def _finish(judgments: str, written: PoolOutput) -> None:
    if written.design is None:
        raise UsageError("--judgments needs the design of the pool: --design FILE")
    check_files([judgments, written.design], [("--output", written.output)])
    from irev.core.workers import default_threads
    from irev.engine.prepared_judgments import read_judgments
    from irev.jobs.pool.judging_plan import finished, judgment_lines, read_design

    plan = read_design(written.design)
    read = read_judgments(judgments, "qrels", [], Options(), default_threads())
    done = finished(plan, read.qrels)
    told = voice()
    warnings = list(_warnings(done))
    if told.strict:
        told.heed(warnings)
    form = written.format or "qrels"
    names = [stratum.name for stratum in plan.strata] if form == "strata" else None
    lines = judgment_lines(plan.topics, plan.topic, plan.docs, done.grade, names, plan.stratum)
    write_list(lines, JUDGMENTS[form].layouts[0].fields, written.output)
    told.tell(warnings)


def _warnings(done: "Finished") -> Iterator[Notice]:
    if done.missing:
        yield Notice(
            "unfinished-pool",
            f"{done.missing} documents that were to be judged have no grade: they are written as "
            "not drawn, although the sample included them",
        )
    said = {
        "were not to be judged: their grades are left out": done.beyond,
        "are not in the pool, and left out": done.foreign,
    }
    for what, count in said.items():
        if count:
            yield Notice("unfinished-pool", f"{count} judged documents {what}")


def _leave_out(files: tuple[str, ...], asked: Pooling, written: PoolOutput) -> None:
    qrels, *runs = files
    if files.count("-"):
        raise UsageError("--leave-out reads its files twice: none can be standard input (-)")
    check_files([*files, asked.groups], [("--output", written.output)])
    from irev.jobs.pool.leave_out import leave_out, read_groups
    from irev.jobs.sample.document import leave_out_document

    groups = None if asked.groups is None else read_groups(asked.groups, runs)
    level = 1 if asked.level is None else asked.level
    run_format = asked.run_format or _RUN_FORMAT
    options = Options(level=level, topics="qrels", ties=asked.ties, run_format=run_format)
    measures = asked.measures or ("map",)
    found, doubts = leave_out(qrels, runs, measures, options, asked.depth or DEPTH, groups)
    voice().heed(doubts)
    places = 4 if written.places is None else written.places
    write_document(
        leave_out_document(found), written.format or "table", written.output, places,
        csv_safe=written.csv_safe,
    )  # fmt: skip


command = Job(
    "pool",
    pool,
    "[QRELS] RUN...",
    Pooling,
    PoolOutput,
    example="irev pool --sample 1-10=100%,11-100=20% --seed 7 --output list.txt *.run",
)
