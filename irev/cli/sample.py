"""`irev sample`: thin finished judgments, or the collection under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.files import check_files, write
from irev.cli.messages import say
from irev.cli.options import Taken, parameters_of
from irev.cli.output import replaced
from irev.cli.types import whole_number
from irev.errors import UsageError
from irev.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from irev.core.arrays import Bools, Ints
    from irev.core.model import Qrels
    from irev.sampling.designs import Sample
    from irev.sampling.rates import Stratum

DESIGNS = ("uniform", "strata", "buckley-voorhees", "budget", "collection")


def sample(**given: Any) -> int:
    """Thin finished judgments: keep the grades of a sample, drawn by a seed.

    The result is qrels again: documents of the sample keep their grades, the others of the pool
    have -1, pooled but not judged. The same seed gives the same sample, whatever the order of the
    lines, and a higher rate a sample that holds the smaller one.

    uniform: a part of each topic's judged documents. strata: the judged documents by the best rank
    that a RUN gives them, each range of ranks with its rate. budget: so many of each topic.
    buckley-voorhees: relevant and other documents apart, and those not drawn are taken away.
    collection: the judgments stay as they are, and what is drawn are documents: those that stay in
    a smaller collection, or, with --runs-to, the RUNs without the others.
    """
    flags = _checked(given)
    from irev.core.workers import default_threads
    from irev.engine.judgments import read_judgments

    options = Options(
        level=flags.level,
        real_grades=flags.real_grades,
        grade_map=flags.grade_map or (),
    )
    qrels = read_judgments(flags.files[0], "qrels", [], options, default_threads()).qrels
    if flags.by == "collection":
        _reduce(flags, qrels)
    else:
        write(_lines(flags, qrels), flags.output)
    return 0


@dataclass(frozen=True)
class _Flags:
    """What was asked for."""

    files: tuple[str, ...]
    by: str
    rate: Fraction | tuple[Stratum, ...] | None
    budget: str | None
    seed: int
    replicate: int
    level: int
    format: str
    output: str | None
    runs_to: str | None
    real_grades: bool
    grade_map: Sequence[tuple[float, float]] | None


def _checked(given: dict[str, Any]) -> _Flags:
    """The flags, without what makes no sense."""
    if not given["files"]:
        raise click.UsageError(
            "a relevance file is wanted: irev sample QRELS --rate 10%",
            click.get_current_context(silent=True),
        )
    from irev.sampling.rates import rate_or_strata

    rate = None if given["rate"] is None else rate_or_strata(given["rate"])
    by = given["by"] or _design(given, rate)
    flags = _Flags(**{**given, "by": by, "rate": rate})
    _check_rate(flags)
    _check_files(flags)
    if by == "buckley-voorhees" and flags.format == "strata":
        raise UsageError("--by buckley-voorhees takes documents away: it has no strata")
    return flags


def _design(given: dict[str, Any], rate: Fraction | tuple[Stratum, ...] | None) -> str:
    if given["budget"] is not None:
        return "budget"
    return "strata" if isinstance(rate, tuple) else "uniform"


def _check_rate(flags: _Flags) -> None:
    if flags.by == "budget":
        if flags.budget is None or flags.rate is not None:
            raise UsageError("--by budget wants --budget N or FILE, and no --rate")
        return
    if flags.budget is not None:
        raise UsageError(f"--budget does not go with --by {flags.by}")
    if flags.rate is None:
        raise UsageError(f"a rate is wanted: --rate {_example(flags.by)}")
    if isinstance(flags.rate, tuple) != (flags.by == "strata"):
        raise UsageError(f"--by {flags.by} wants a rate such as {_example(flags.by)}")


def _example(by: str) -> str:
    return "1-10=100%,11-50=30%" if by == "strata" else "10%"


def _check_files(flags: _Flags) -> None:
    runs = flags.files[1:]
    if flags.by == "strata" and not runs:
        raise UsageError("--by strata wants the runs of the pool: irev sample QRELS RUN... --rate")
    if flags.by not in ("strata", "collection") and runs:
        raise UsageError(f"--by {flags.by} reads no runs: {runs[0]}")
    if flags.runs_to is not None and flags.by != "collection":
        raise UsageError("--runs-to goes with --by collection")
    if flags.runs_to is not None and "-" in runs:
        raise UsageError("a run that is to be reduced is read twice: it cannot be standard input")
    check_files([*flags.files, flags.budget], [("--output", flags.output)])


def _lines(flags: _Flags, qrels: Qrels) -> Iterator[bytes]:
    """The thinned judgments."""
    import numpy as np

    from irev.sampling.plans import UNJUDGED, judgment_lines

    stratum, names = _strata(flags, qrels)
    found = _drawn(flags, qrels, stratum)
    keeps_pool = flags.by != "buckley-voorhees"
    rows = np.flatnonzero(stratum >= 0 if keeps_pool else found.chosen | (qrels.grade < 0))
    _tell(qrels, found, stratum >= 0, flags.level)
    return judgment_lines(
        qrels.topics,
        qrels.topic_of_row[rows],
        qrels.docs.take(rows),
        np.where(found.chosen, qrels.grade, UNJUDGED)[rows],
        names if flags.format == "strata" else None,
        stratum[rows],
    )


def _strata(flags: _Flags, qrels: Qrels) -> tuple[Ints, list[str]]:
    """(the stratum of each row of the qrels, -1: in none; the strata's names)."""
    import numpy as np

    if not isinstance(flags.rate, tuple):
        return np.zeros(len(qrels.grade), np.int64), ["all"]
    from irev.sampling.pools import pooled
    from irev.sampling.rates import strata_of

    pool = pooled(flags.files[1:], flags.rate[-1].last)
    stratum = strata_of(pool.best_rank_in(qrels), flags.rate)
    return stratum, [each.name for each in flags.rate]


def _drawn(flags: _Flags, qrels: Qrels, stratum: Ints) -> Sample:
    from irev.sampling import designs

    rate, seed, replicate, level = flags.rate, flags.seed, flags.replicate, flags.level
    if isinstance(rate, tuple):
        rates = [each.rate for each in rate]
        return designs.stratified(qrels, stratum, rates, seed, replicate, level=level)
    if rate is None:
        budget = _budget(flags.budget or "")
        return designs.budgeted(qrels, budget, seed, replicate, level=level)
    draw = designs.buckley_voorhees if flags.by == "buckley-voorhees" else designs.uniform
    return draw(qrels, rate, seed, replicate, level=level)


def _budget(text: str) -> int | dict[bytes, int]:
    """How many documents: of each topic, or by topic as a file says."""
    from irev.core.numbers import whole

    number = whole(text)
    if number is not None:
        if number < 1:
            raise UsageError(f"--budget {text}: at least 1 is wanted")
        return number
    from irev.sampling.designs import read_budgets

    return read_budgets(text)


def _tell(qrels: Qrels, found: Sample, inside: Bools, level: int) -> None:
    """Say what was drawn, and which topics do not nest."""
    from irev.errors import shown

    judged = qrels.grade >= 0
    chosen = qrels.grade[found.chosen]
    say(
        f"irev: note: {len(chosen)} of {int(judged.sum())} judged documents kept, "
        f"{int((chosen >= level).sum())} of {int((qrels.grade >= level).sum())} relevant ones"
    )
    outside = int((judged & ~inside).sum())
    if outside:
        lost = int((qrels.grade[~inside] >= level).sum())
        say(
            f"irev: note: {outside} judged documents, {lost} of them relevant, "
            "are in no stratum and left out"
        )
    if len(found.redrawn):
        names = ", ".join(shown(qrels.topics[topic]) for topic in found.redrawn.tolist())
        say(
            "irev: note: drawn again until a relevant document was in the sample, which for these "
            f"topics does not nest: {names}"
        )
    empty = _topics_without(qrels, found).tolist()
    if empty:
        names = ", ".join(shown(qrels.topics[topic]) for topic in empty)
        say(f"irev: warning: no judgment is left of topics {names}")


def _topics_without(qrels: Qrels, found: Sample) -> Ints:
    """The topics with judgments of which none was drawn."""
    import numpy as np

    topic = qrels.topic_of_row
    return np.setdiff1d(topic[qrels.grade >= 0], topic[found.chosen])


def _reduce(flags: _Flags, qrels: Qrels) -> None:
    """Write the documents of a smaller collection, or the runs without the others."""
    from fractions import Fraction

    from irev.core.workers import default_threads
    from irev.sampling.reduction import documents_of, kept_documents, reduced_run, targets

    assert isinstance(flags.rate, Fraction)  # noqa: S101 - has been checked
    runs = flags.files[1:]
    into = [] if flags.runs_to is None else targets(runs, flags.runs_to)
    documents = documents_of(qrels, runs, default_threads())
    kept = kept_documents(documents, flags.rate, flags.seed, flags.replicate)
    say(f"irev: note: {len(kept)} of {len(documents)} documents of the collection stay")
    for run, target in zip(runs, into, strict=False):
        with replaced(target) as stream:
            stream.writelines(reduced_run(run, kept))
    if not into or flags.output is not None:
        write((b"%b\n" % document for document in kept), flags.output)


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["files"], nargs=-1, metavar="QRELS [RUN...]"),
        Option(
            "--rate", metavar="RATE",
            help="How much is kept: 10% or 0.1; or, by ranks of the pool, 1-10=100%,11-50=30%, "
            "where 51-=5% holds all deeper ones and those that no run retrieved.",
        ),
        Option(
            "--by", type=click.Choice(DESIGNS),
            help="What is drawn. Default: uniform; strata where RATE names ranks; budget with "
            "--budget.",
        ),
        Option(
            "--budget", metavar="N|FILE",
            help="Keep N judged documents of each topic, or as FILE says, TOPIC N a line.",
        ),
        Option("--seed", type=whole_number(), default=0, metavar="N", help="The seed. Default: 0."),
        Option(
            "--replicate", type=whole_number(0), default=0, metavar="N",
            help="Which of several samples of one seed. Default: 0.",
        ),
        Option(
            "-l", "--level_for_rel", "level", type=whole_number(0), default=1, metavar="N",
            help="The smallest relevant grade: a topic is drawn again while no document of its "
            "sample reaches it. Default: 1.",
        ),
        Option(
            "--format", type=click.Choice(["qrels", "strata"]), default="qrels",
            help="Four columns, or five: TOPIC 0 DOCUMENT STRATUM GRADE. Default: qrels.",
        ),
        Option("--output", metavar="FILE", help="Write to FILE, whole or not at all."),
        Option(
            "--runs-to", metavar="FOLDER",
            help="With --by collection: write the RUNs there without the documents not drawn.",
        ),
        *parameters_of(Taken(Options, only=("real_grades", "grade_map"))),
    ]  # fmt: skip


command = Job(
    "sample",
    params=_parameters(),
    callback=sample,
    help=sample.__doc__,
    epilog="Example: irev sample --rate 10% --seed 7 --output thin.txt qrels.txt",
    context_settings={"help_option_names": ["-h", "--help"]},
)
