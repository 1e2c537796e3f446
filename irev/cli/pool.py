"""`irev pool`: what is to be judged, the qrels that come of it, and what runs owe to the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.files import check_files, write
from irev.cli.messages import say
from irev.cli.types import whole_number
from irev.core.text import as_bytes
from irev.errors import StrictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.sampling.plans import Finished, Plan
    from irev.sampling.pools import Pool
    from irev.sampling.rates import Stratum

DEPTH = 100
_TIES = ("docid-desc", "docid-asc", "input", "rank")

_JOBS = {
    "list": {"depth", "sample", "seed", "replicate", "ties", "design", "report", "output"},
    "judgments": {"judgments", "design", "format", "strict", "output"},
    "leave_out": {
        "leave_out", "depth", "groups", "measures", "level", "ties", "format", "places", "output",
    },
}  # fmt: skip
"""The three jobs of the command, and the options of each."""

_FORMATS = {"judgments": ("qrels", "strata"), "leave_out": ("table", "tsv", "json")}


def pool(**given: Any) -> int:
    """Make the list of documents to be judged from the first ones of each run.

    The list, a line TOPIC DOCUMENT for each, is in an order that shows no run and no rank. With
    --sample only a part of it is to be judged, by the best rank that a run gives a document; the
    design file says which, and from which runs.

    irev pool --judgments QRELS --design FILE makes qrels of the judgments: the documents of the
    pool that were not to be judged have -1.

    irev pool --leave-out -m map QRELS RUN... shows what each run owes to the pool: its scores
    without the judgments of documents that it alone, or only its group, had among the first ones.
    All judged topics count.
    """
    job = _job(given)
    if job == "list":
        _make_list(given)
    elif job == "judgments":
        _finish(given)
    else:
        _leave_out(given)
    return 0


def _job(given: dict[str, Any]) -> str:
    """Which of the jobs is wanted; options of others are refused."""
    job = "list"
    if given["judgments"] is not None:
        job = "judgments"
    elif given["leave_out"]:
        job = "leave_out"
    for name, value in given.items():
        if name != "files" and value not in (None, False, ()) and name not in _JOBS[job]:
            option = "-m" if name == "measures" else "-l" if name == "level" else _dashed(name)
            raise UsageError(f"{option} does not go with {_named(job)}")
    wanted = {"list": 1, "judgments": 0, "leave_out": 2}[job]
    if len(given["files"]) < wanted or (not wanted and given["files"]):
        usage = {
            "list": "runs are wanted: irev pool RUN...",
            "judgments": "no runs are wanted: irev pool --judgments QRELS --design FILE",
            "leave_out": "a relevance file and runs are wanted: irev pool --leave-out QRELS RUN...",
        }[job]
        raise click.UsageError(usage, click.get_current_context(silent=True))
    if given["format"] is not None and given["format"] not in _FORMATS[job]:
        raise UsageError(f"--format {given['format']} does not go with {_named(job)}")
    return job


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(job: str) -> str:
    return "a list to be judged" if job == "list" else _dashed(job)


def _make_list(given: dict[str, Any]) -> None:
    runs, output = given["files"], given["output"]
    design = given["design"]
    if design is None and output not in (None, "-"):
        design = f"{output}.design.json"
    if design is None and given["sample"] is not None:
        raise UsageError("--sample wants a place for the design: --design FILE or --output FILE")
    written = [("--output", output), ("--design", design), ("--report", given["report"])]
    check_files(runs, written)
    strata, depth = _strata(given)

    from irev.rank.ranking import Ranking
    from irev.sampling.plans import design_blocks, plan, to_be_judged
    from irev.sampling.pools import pooled

    ties = given["ties"] or _TIES[0]
    ranking = Ranking(
        ids_rising=ties == "docid-asc", ties=ties if ties in ("input", "rank") else "docid"
    )
    found = pooled(runs, depth, ranking)
    planned = plan(found, strata, given["seed"] or 0, given["replicate"] or 0)
    if given["report"] is not None:
        write(_report(found, runs), given["report"])
    if design is not None:
        write(design_blocks(planned, found, runs, depth, ties), design)
    write(to_be_judged(planned), output)
    _tell_contributions(found, planned, runs)


def _strata(given: dict[str, Any]) -> tuple[tuple[Stratum, ...], int | None]:
    """The strata, which hold every rank of the pool, and the pool's depth; None: no end."""
    from fractions import Fraction

    from irev.sampling.rates import Stratum, covering, rate_or_strata

    depth: int | None = given["depth"]
    rate = Fraction(1) if given["sample"] is None else rate_or_strata(given["sample"])
    if isinstance(rate, tuple):
        return covering(rate, depth)
    depth = depth or DEPTH
    return (Stratum(1, depth, rate),), depth


def _report(pool: Pool, runs: Sequence[str]) -> Iterator[bytes]:
    """A line for each document of the pool: its best rank, and the runs that brought it."""
    yield b"topic\tdocument\tbest_rank\truns\tcontributors\n"
    names = [as_bytes(run) for run in runs]
    start, run = pool.start.tolist(), pool.run.tolist()
    rows = zip(pool.topic.tolist(), pool.docs.to_list(), pool.best_rank.tolist(), strict=True)
    for number, (topic, document, rank) in enumerate(rows):
        of = [names[which] for which in run[start[number] : start[number + 1]]]
        fields = (pool.topics[topic], document, rank, len(of), b" ".join(of))
        yield b"%b\t%b\t%d\t%d\t%b\n" % fields


def _tell_contributions(pool: Pool, planned: Plan, runs: Sequence[str]) -> None:
    from irev.sampling.pools import unique_documents

    unique = unique_documents(pool)
    for run, documents, alone in zip(runs, pool.contributed.tolist(), unique, strict=True):
        say(f"irev: note: {run}: {documents} documents, {alone} of them from no other run")
    say(
        f"irev: note: {int(planned.chosen.sum())} of {len(planned.chosen)} documents of the pool "
        f"are to be judged, for {len(pool.topics)} topics"
    )


def _finish(given: dict[str, Any]) -> None:
    if given["design"] is None:
        raise UsageError("--judgments wants the design of the pool: --design FILE")
    check_files([given["judgments"], given["design"]], [("--output", given["output"])])
    from irev.core.workers import default_threads
    from irev.engine.judgments import read_judgments
    from irev.options import Options
    from irev.sampling.plans import finished, judgment_lines, read_design

    plan = read_design(given["design"])
    read = read_judgments(given["judgments"], "qrels", [], Options(), default_threads())
    done = finished(plan, read.qrels)
    messages = list(_warnings(done))
    if messages and given["strict"]:
        raise StrictError("; ".join(messages))
    names = [stratum.name for stratum in plan.strata] if given["format"] == "strata" else None
    lines = judgment_lines(plan.topics, plan.topic, plan.docs, done.grade, names, plan.stratum)
    write(lines, given["output"])
    for message in messages:
        say(f"irev: warning: {message}")


def _warnings(done: Finished) -> Iterator[str]:
    if done.missing:
        yield (
            f"{done.missing} documents that were to be judged have no grade: they are written as "
            "not drawn, though chance did not decide it"
        )
    if done.beyond:
        yield f"{done.beyond} judged documents were not to be judged: their grades are left out"
    if done.foreign:
        yield f"{done.foreign} judged documents are not in the pool, and left out"


def _leave_out(given: dict[str, Any]) -> None:
    qrels, *runs = given["files"]
    if given["files"].count("-"):
        raise UsageError("--leave-out reads its files twice: none can be standard input (-)")
    check_files([*given["files"], given["groups"]], [("--output", given["output"])])
    from irev.options import Options
    from irev.sampling.leave_out import leave_out, read_groups
    from irev.sampling.leave_out_text import blocks

    groups = None if given["groups"] is None else read_groups(given["groups"], runs)
    level = 1 if given["level"] is None else given["level"]
    options = Options(level=level, topics="qrels", ties=given["ties"])
    measures = given["measures"] or ("map",)
    found = leave_out(qrels, runs, measures, options, given["depth"] or DEPTH, groups)
    places = 4 if given["places"] is None else given["places"]
    write(list(blocks(found, given["format"] or "table", places)), given["output"])


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["files"], nargs=-1, metavar="[QRELS] RUN..."),
        Option(
            "--depth", type=whole_number(1), metavar="N",
            help="How many documents of each run and topic make the pool. Default: 100, or where "
            "the strata of --sample end.",
        ),
        Option(
            "--sample", metavar="RATE", section="Making the list",
            help="Judge a part: 20%; or by best rank, 1-10=100%,11-100=20%.",
        ),
        Option(
            "--seed", type=whole_number(), metavar="N", section="Making the list",
            help="Seed of the sample and of the order. Default: 0.",
        ),
        Option(
            "--replicate", type=whole_number(0), metavar="N", section="Making the list",
            help="Which of several samples of one seed. Default: 0.",
        ),
        Option(
            "--report", metavar="FILE", section="Making the list",
            help="Write who contributed what: for each document its best rank and its runs.",
        ),
        Option(
            "--design", metavar="FILE",
            help="The design file, written or, with --judgments, read. Default, with --output: "
            "its FILE with .design.json.",
        ),
        Option(
            "--judgments", metavar="QRELS", section="Making qrels of the judgments",
            help="The judgments of the list.",
        ),
        Option(
            "--strict", is_flag=True, section="Making qrels of the judgments",
            help="Make every warning an error.",
        ),
        Option(
            "--leave-out", is_flag=True, section="Leaving runs out",
            help="Show each run's scores without the judgments that only it brought.",
        ),
        Option(
            "--groups", metavar="FILE", section="Leaving runs out",
            help="Leave out whole groups of runs: RUN GROUP a line.",
        ),
        Option(
            "-m", "--measure", "measures", multiple=True, metavar="NAME[.PARAMS]",
            section="Leaving runs out",
            help="Add a measure; may be repeated. Default: map.",
        ),
        Option(
            "-l", "--level_for_rel", "level", type=whole_number(0), metavar="N",
            section="Leaving runs out", help="The smallest relevant grade. Default: 1.",
        ),
        Option(
            "--places", type=whole_number(0, 17), metavar="N", section="Leaving runs out",
            help="Decimals of the table. Default: 4.",
        ),
        Option(
            "--ties", type=click.Choice(_TIES), metavar="ORDER",
            help="How documents of equal scores are ordered: docid-desc (the default), docid-asc, "
            "input or rank (by the rank column alone).",
        ),
        Option(
            "--format", type=click.Choice([name for names in _FORMATS.values() for name in names]),
            help="Of qrels: qrels (four columns, the default) or strata (five). Of the scores: "
            "table (the default), tsv or json.",
        ),
        Option("--output", metavar="FILE", help="Write to FILE, whole or not at all."),
    ]  # fmt: skip


command = Job(
    "pool",
    params=_parameters(),
    callback=pool,
    help=pool.__doc__,
    epilog="Example: irev pool --sample 1-10=100%,11-100=20% --seed 7 --output list.txt *.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
