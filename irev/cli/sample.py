"""`irev sample`: thin finished judgments, or the collection under them."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.options import FORMAT, OUTPUT, Taken
from irev.cli.output import check_files, replaced, voice, write_list
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.errors import Notice, UsageError
from irev.options import LEVEL, SEED, Options
from irev.read.formats import JUDGMENTS, run_layout

if TYPE_CHECKING:
    from fractions import Fraction

    from irev.core.arrays import Bools, Ints
    from irev.core.model import Qrels
    from irev.jobs.pool.designs import Sample
    from irev.jobs.pool.rates import RankStratum


def _rate(text: str) -> "Fraction | tuple[RankStratum, ...]":
    from irev.jobs.pool.rates import rate_or_strata

    return rate_or_strata(text)


class Sampling(ResultOptions):
    """What is drawn."""

    rate: Annotated["Fraction | tuple[RankStratum, ...] | None", Opt(
        "--rate", metavar="RATE", parse=_rate,
        help="Share to keep: 10% or 0.1, or by ranks of the pool, 1-10=100%,11-50=30%. 51-=5% "
        "covers all deeper documents and those that no run retrieved.",
    )] = None  # fmt: skip
    by: Annotated[
        Literal["uniform", "strata", "buckley-voorhees", "budget", "collection"] | None,
        Opt("--by", help="Sampling method. Default: uniform; strata if RATE names ranks; "
                    "budget with --budget."),
    ] = None  # fmt: skip
    budget: Annotated[str | None, Opt(
        "--budget", metavar="N|FILE", file="maybe",
        help="Keep N judged documents of each topic, or as many as FILE says, one TOPIC N per "
        "line.",
    )] = None  # fmt: skip
    seed: Annotated[int, SEED.replace(least=None, help="Seed of the sample.")] = 0
    replicate: Annotated[int, Opt(
        "--replicate", metavar="N", least=0, help="Number of the sample, if you draw several "
                                             "with one seed."
    )] = 0  # fmt: skip
    level: Annotated[int, LEVEL.replace(
        help="Smallest grade that counts as relevant. A topic is drawn again until its sample "
        "contains such a document.",
    )] = 1  # fmt: skip


class Replicates(ResultOptions):
    """How many samples are drawn."""

    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", least=1,
        help="Draw N samples, numbered from --replicate on, each to a file of its own: with "
        "--output thin.qrels to thin-0.qrels, thin-1.qrels ...",
    )] = 1  # fmt: skip


class SampleOutput(OutputOptions):
    """What is written, and where."""

    format: Annotated[str, FORMAT.replace(
        choices=("qrels", "strata"),
        section="Options",
        help="Output format: four columns (qrels) or five, TOPIC 0 DOCUMENT STRATUM GRADE "
        "(strata).",
    )] = "qrels"  # fmt: skip
    output: Annotated[str | None, OUTPUT.replace(section="Options")] = None
    runs_to: Annotated[str | None, Opt(
        "--runs-to", metavar="FOLDER", file="written",
        help="With --by collection: write the RUNs, without the documents that were removed, to "
        "this folder.",
    )] = None  # fmt: skip


def sample(
    files: tuple[str, ...],
    drawn: Sampling,
    replicates: Replicates,
    written: SampleOutput,
    options: Options,
) -> int:
    """Sample judgments: keep the grades of a random sample.

    The result is qrels. Sampled documents keep their grades, the others of the pool get -1 (pooled
    but not judged). The same seed draws the same sample, whatever the order of the lines, and a
    higher rate draws a superset.

    uniform: a share of each topic's judged documents. strata: judged documents by the best rank
    that a RUN gives them, with a rate for each range of ranks. budget: a fixed number per topic.
    buckley-voorhees: relevant and other documents separately; documents not drawn are removed.
    collection: judgments stay unchanged and documents are drawn: those of a smaller collection, or,
    with --runs-to, the RUNs without the others.
    """
    if not files:
        raise misused("give a relevance file: irev sample QRELS --rate 10%")
    if drawn.by is None:
        drawn = drawn.replace(by=_design(drawn))
    _check_rate(drawn)
    each = list(_each(drawn, replicates.repeat, written))
    _check_files(files, drawn, [one for _, one in each])
    if drawn.by == "buckley-voorhees" and written.format == "strata":
        raise UsageError("--by buckley-voorhees takes documents away: it has no strata")
    from irev.core.workers import default_threads
    from irev.engine.prepared_judgments import read_judgments

    options = options.replace(level=drawn.level)
    qrels = read_judgments(files[0], "qrels", [], options, default_threads()).qrels
    for number, one in each:
        if drawn.by == "collection":
            _reduce(files[1:], number, one, qrels, options)
        else:
            lines = _lines(files[1:], number, qrels, one, options, several=len(each) > 1)
            write_list(lines, JUDGMENTS[one.format].layouts[0].fields, one.output)
    return 0


def _each(
    drawn: Sampling, repeat: int, written: SampleOutput
) -> Iterator[tuple[Sampling, SampleOutput]]:
    """Each sample and where it goes."""
    if repeat == 1:
        yield drawn, written
        return
    if written.output in (None, "-") or written.runs_to is not None:
        raise UsageError(
            f"--repeat {repeat} needs --output FILE, and cannot be combined with --runs-to"
        )
    stem, suffix = os.path.splitext(str(written.output))
    for number in range(drawn.replicate, drawn.replicate + repeat):
        yield drawn.replace(replicate=number), written.replace(output=f"{stem}-{number}{suffix}")


def _design(drawn: Sampling) -> str:
    if drawn.budget is not None:
        return "budget"
    return "strata" if isinstance(drawn.rate, tuple) else "uniform"


def _check_rate(drawn: Sampling) -> None:
    if drawn.by == "budget":
        if drawn.budget is None or drawn.rate is not None:
            raise UsageError("--by budget needs --budget N or FILE, and no --rate")
        return
    if drawn.budget is not None:
        raise UsageError(f"--budget cannot be combined with --by {drawn.by}")
    if drawn.rate is None:
        raise UsageError(f"give a rate: --rate {_example(drawn.by)}")
    if isinstance(drawn.rate, tuple) != (drawn.by == "strata"):
        raise UsageError(f"--by {drawn.by} needs a rate such as {_example(drawn.by)}")


def _example(by: str | None) -> str:
    return "1-10=100%,11-50=30%" if by == "strata" else "10%"


def _check_files(files: tuple[str, ...], drawn: Sampling, outputs: Sequence[SampleOutput]) -> None:
    runs = files[1:]
    if drawn.by == "strata" and not runs:
        raise UsageError("--by strata needs the runs of the pool: irev sample QRELS RUN... --rate")
    if drawn.by not in ("strata", "collection") and runs:
        raise UsageError(f"--by {drawn.by} reads no runs: {runs[0]}")
    runs_to = outputs[0].runs_to
    if runs_to is not None and drawn.by != "collection":
        raise UsageError("--runs-to needs --by collection")
    if runs_to is not None and "-" in runs:
        raise UsageError("a run that is to be reduced is read twice: it cannot be standard input")
    check_files([*files, drawn.budget], [("--output", each.output) for each in outputs])


def _lines(
    runs: tuple[str, ...], drawn: Sampling, qrels: "Qrels", written: SampleOutput,
    options: Options, *, several: bool,
) -> Iterator[bytes]:  # fmt: skip
    """The thinned judgments."""
    import numpy as np

    from irev.jobs.pool.judging_plan import UNJUDGED, judgment_lines

    stratum, names = _strata(runs, drawn, qrels, options)
    found = _drawn(drawn, qrels, stratum)
    keeps_pool = drawn.by != "buckley-voorhees"
    rows = np.flatnonzero(stratum >= 0 if keeps_pool else found.chosen | (qrels.grade < 0))
    whose = f"{written.output}: " if several else ""
    _tell(qrels, found, stratum >= 0, drawn.level, whose)
    return judgment_lines(
        qrels.topics,
        qrels.topic_of_row[rows],
        qrels.docs.take(rows),
        np.where(found.chosen, qrels.grade, UNJUDGED)[rows],
        names if written.format == "strata" else None,
        stratum[rows],
    )


def _strata(
    runs: tuple[str, ...], drawn: Sampling, qrels: "Qrels", options: Options
) -> "tuple[Ints, list[str]]":
    """(the stratum of each row of the qrels, -1: in none; the strata's names)."""
    import numpy as np

    if not isinstance(drawn.rate, tuple):
        return np.zeros(len(qrels.grade), np.int64), ["all"]
    from irev.engine.pools import make_pool
    from irev.jobs.pool.rates import strata_of

    pool = make_pool(runs, drawn.rate[-1].last, run_format=options.run_format)
    stratum = strata_of(pool.best_ranks_of(qrels), drawn.rate)
    return stratum, [each.name for each in drawn.rate]


def _drawn(drawn: Sampling, qrels: "Qrels", stratum: "Ints") -> "Sample":
    from irev.jobs.pool import designs

    rate, seed, replicate, level = drawn.rate, drawn.seed, drawn.replicate, drawn.level
    if isinstance(rate, tuple):
        rates = [each.rate for each in rate]
        return designs.stratified(qrels, stratum, rates, seed, replicate, level=level)
    if rate is None:
        budget = _budget(drawn.budget or "")
        return designs.budgeted(qrels, budget, seed, replicate, level=level)
    draw = designs.buckley_voorhees if drawn.by == "buckley-voorhees" else designs.uniform
    return draw(qrels, rate, seed, replicate, level=level)


def _budget(text: str) -> int | dict[bytes, int]:
    """How many documents: of each topic, or by topic as a file says."""
    from irev.core.text import parse_whole

    number = parse_whole(text)
    if number is not None:
        if number < 1:
            raise UsageError(f"--budget {text}: must be at least 1")
        return number
    from irev.jobs.pool.designs import read_budgets

    return read_budgets(text)


def _tell(qrels: "Qrels", found: "Sample", inside: "Bools", level: int, whose: str) -> None:
    """Say what was drawn, and which topics do not nest."""
    from irev.errors import id_text

    judged = qrels.grade >= 0
    chosen = qrels.grade[found.chosen]
    told = voice()
    told.note(
        f"{whose}{len(chosen)} of {int(judged.sum())} judged documents kept, "
        f"{int((chosen >= level).sum())} of {int((qrels.grade >= level).sum())} relevant ones"
    )
    outside = int((judged & ~inside).sum())
    if outside:
        lost = int((qrels.grade[~inside] >= level).sum())
        told.note(
            f"{whose}{outside} judged documents, {lost} of them relevant, are in no stratum and "
            "left out"
        )
    if len(found.redrawn):
        names = ", ".join(id_text(qrels.topics[topic]) for topic in found.redrawn.tolist())
        told.note(
            f"{whose}topics drawn again until the sample had a relevant document, so their "
            f"samples do not nest: {names}"
        )
    empty = _topics_without(qrels, found).tolist()
    if empty:
        names = ", ".join(id_text(qrels.topics[topic]) for topic in empty)
        told.heed([Notice("nothing-kept", f"{whose}no judgments are left for topics {names}")])


def _topics_without(qrels: "Qrels", found: "Sample") -> "Ints":
    """The topics with judgments of which none was drawn."""
    import numpy as np

    topic = qrels.topic_of_row
    return np.setdiff1d(topic[qrels.grade >= 0], topic[found.chosen])


def _reduce(
    runs: tuple[str, ...], drawn: Sampling, written: SampleOutput, qrels: "Qrels", options: Options
) -> None:
    """Write the documents of a smaller collection, or the runs without the others."""
    from fractions import Fraction

    from irev.core.workers import default_threads
    from irev.jobs.sample.reduction import documents_of, kept_documents, reduced_run, targets

    assert isinstance(drawn.rate, Fraction)  # noqa: S101 - has been checked
    into = [] if written.runs_to is None else targets(runs, written.runs_to)
    layout = run_layout(options.run_format)
    documents = documents_of(qrels, runs, layout, default_threads())
    kept = kept_documents(documents, drawn.rate, drawn.seed, drawn.replicate)
    voice().note(f"{len(kept)} of {len(documents)} documents of the collection stay")
    for run, target in zip(runs, into, strict=False):
        with replaced(target) as stream:
            stream.writelines(reduced_run(run, kept, layout))
    lines = (b"%b\n" % document for document in kept)
    if into and written.output is None:
        voice().keep_list(lines, ("document",), None)
    else:
        write_list(lines, ("document",), written.output)


command = Job(
    "sample",
    sample,
    "QRELS [RUN...]",
    Sampling,
    Replicates,
    SampleOutput,
    Taken(Options, only=("real_grades", "grade_map", "run_format")),
    example="irev sample --rate 10% --seed 7 --output thin.txt qrels.txt",
)
