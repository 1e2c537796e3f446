"""`irev study discriminative-power`: how often measures tell two runs apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.gathering import evaluation_options, gathered, gathering_options, starts_with_saved
from irev.cli.studies.choices import real_numbers
from irev.cli.studies.teams import best_of_each, team_options
from irev.cli.types import whole_number
from irev.errors import UsageError
from irev.statistics.methods import TESTS

if TYPE_CHECKING:
    from irev.core.matrices import Matrices
    from irev.options import Options
    from irev.studies.criteria import Block

MEASURES = ("AP", "Q", "nDCG(b=2)@1000", "genAP", "nDCG@10", "P@10")
"""What is looked at where no measure is named."""


def discriminative_power(**given: Any) -> int:
    """Show how often measures find two runs significantly different, and from which difference on.

    QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
    file. All pairs of runs are tested by the paired bootstrap test of Sakai (SIGIR 2006), with the
    same samples of the topics for all measures and gains. For each measure: the significant pairs
    (68/105=65%), and the estimated difference: the largest that is needed for significance. --test
    has others: by the randomised Tukey HSD the difference is its critical one, the same for all
    pairs, and the other tests give none.

    Several --gains make a block of results each. --teams with --best-per-team keeps one run of
    each team. --swap, --stability and --concordance add what other methods say of the measures.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.cli.progress import shown
    from irev.studies.discriminative_power import ALPHAS, PairTest
    from irev.studies.discriminative_power import discriminative_power as studied
    from irev.studies.stability import Beside

    _check(given)
    alphas = tuple(
        dict.fromkeys(a for text in given["alphas"] for a in real_numbers("--alpha", text))
    )
    test = PairTest(
        alphas or ALPHAS, given["resamples"], given["size"] or 0, given["seed"], given["test"]
    )
    chosen = _chosen(given)
    beside = Beside(
        given["swap"], given["replaced"], given["stability"], given["trials"] or 1000, chosen.gold
    )
    record = studied(
        chosen.blocks, test, against=chosen.against, beside=beside, notes=chosen.notes,
        watched=lambda work: shown(work, len(work), "measures"),
    )  # fmt: skip
    if given["teams"]:
        selection = {"file": given["teams"], "by": given["best"]}
        record = replace(record, parameters={**record.parameters, "best of teams": selection})
    return deliver(record, given)


def _check(given: dict[str, Any]) -> None:
    """Refuse options that do not go together, before a file is opened."""
    files = given["files"]
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise click.UsageError(
            "a relevance file and runs are wanted, or saved scores: irev study "
            "discriminative-power QRELS RUN...",
            click.get_current_context(silent=True),
        )
    several = len(given["all_gains"]) > 1
    wrong = {
        "--teams and --best-per-team go together": bool(given["teams"]) != bool(given["best"]),
        "--gains score runs: they go with QRELS RUN...": given["all_gains"]
        and starts_with_saved(files),
        "standard input (-) cannot be read twice: give files": several and "-" in files,
        "--with-replacement goes with --swap": given["replaced"] and not given["swap"],
        "--trials go with --swap or --stability": given["trials"]
        and not (given["swap"] or given["stability"]),
    }
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)
    if len(set(given["all_gains"])) < len(given["all_gains"]):
        raise UsageError("--gains: the same gains stand twice")


@dataclass(frozen=True, eq=False, repr=False)
class _Chosen:
    """The scores; by their printed names the gold measures and the baseline; what was said."""

    blocks: list[Block]
    gold: tuple[str, ...]
    against: str | None
    notes: tuple[str, ...]


def _chosen(given: dict[str, Any]) -> _Chosen:
    from irev.studies.criteria import Block

    is_saved = starts_with_saved(given["files"])
    asked = given["measures"] or (() if is_saved else MEASURES)
    more = [*([given["best"]] if given["best"] else []), *given["gold"]]
    blocks: list[Block] = []
    gold: tuple[str, ...] = ()
    by, against = "", given["against"]
    for gains in given["all_gains"] or (None,):
        one = {**given, "gains": gains, "measures": () if is_saved else (*asked, *more)}
        found = gathered(one)
        printed = partial(_printed, found.matrices, evaluation_options(one))
        names = found.matrices.measures
        if asked and (more or is_saved):
            names = tuple(dict.fromkeys(name for text in asked for name in printed(text)))
        if not blocks:
            gold = tuple(printed(text)[0] for text in given["gold"])
            by = printed(given["best"])[0] if given["best"] else ""
            against = printed(against)[0] if against else None
        blocks.append(Block(gains or "", found, names))
    if not given["teams"]:
        return _Chosen(blocks, gold, against, ())
    best, notes = best_of_each(given, blocks[0].matrices, by)
    kept = [blocks[0].matrices.runs.index(run) for run in best.runs]
    blocks = [
        replace(block, gathered=replace(block.gathered, matrices=block.matrices.with_runs(kept)))
        for block in blocks
    ]
    return _Chosen(blocks, gold, against, notes)


def _printed(matrices: Matrices, options: Options, name: str) -> list[str]:
    """The names under which the scores of a measure stand."""
    from irev.studies.criteria import scored_columns

    return [column.name for column in scored_columns(name, matrices, options)]


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "--alpha", "alphas", multiple=True, metavar="A",
            help="A level of significance; may be repeated. Default: 0.05 and 0.01.",
        ),
        Option(
            "--test", type=click.Choice(TESTS), default="bootstrap",
            help="The test of all pairs. Default: bootstrap.",
        ),
        Option(
            "-B", "--resamples", type=whole_number(1), default=1000, metavar="B",
            help="How many samples of the topics, or permutations, are drawn. Default: 1000.",
        ),
        Option(
            "--seed", type=whole_number(0), default=0, metavar="N",
            help="What samples and sets of topics are drawn from. Default: 0.",
        ),
        Option(
            "--topic-set-size", "size", type=whole_number(2), metavar="C",
            help="Sets of so many topics. Default: all topics for samples with replacement, half "
            "of them for --swap and --stability. For more than half, --swap extrapolates.",
        ),
        Option(
            "--against", metavar="NAME",
            help="Mark the measures that find more significant pairs than this one. Default: AP.",
        ),
        Option(
            "--gains", "all_gains", multiple=True, metavar="MAP|RATIO|exp",
            help="The gains of grades, such as 3:2:1 from the highest grade down; repeated, a "
            "block of results for each.",
        ),
        *team_options(),
    ]  # fmt: skip


def _other_methods() -> list[click.Parameter]:
    section = "Other methods"
    return [
        Option(
            "--swap", is_flag=True, section=section,
            help="The swap method (Voorhees and Buckley 2002): how often two disjoint sets of "
            "topics contradict each other, and the difference that is required.",
        ),
        Option(
            "--with-replacement", "replaced", is_flag=True, section=section,
            help="With --swap: two samples of all topics with replacement (Sakai 2006).",
        ),
        Option(
            "--stability", is_flag=True, section=section,
            help="The stability method (Buckley and Voorhees 2000): error rates and ties.",
        ),
        Option(
            "--trials", type=whole_number(1), metavar="N", section=section,
            help="With --swap or --stability: how many sets are drawn. Default: 1000.",
        ),
        Option(
            "--concordance", "gold", multiple=True, metavar="GOLD", section=section,
            help="Where two measures disagree, which of them agrees with this simple one (Sakai "
            "2012); may be repeated.",
        ),
    ]  # fmt: skip


command = Job(
    "discriminative-power",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS] RUN..."),
        *_own_options(), *_other_methods(), *study_options(),
        *gathering_options(MEASURES, without=("classes", "gains")),
    ],
    callback=discriminative_power,
    help=discriminative_power.__doc__,
    epilog="Examples: irev study discriminative-power qrels.txt runs/* -m AP -m Q --gains 3:2:1 "
    "--gains 10:5:1 --output power;  "
    "irev study discriminative-power ap.csv p10.csv --against ap --swap",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
