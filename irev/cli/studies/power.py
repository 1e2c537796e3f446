"""`irev study discriminative-power` and `robustness`: what measures tell."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

from irev.cli.commands import Job
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.several_runs import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.cli.studies.inputs import check_runs, refuse
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import progress_reporter
from irev.errors import UsageError
from irev.jobs.studies.options.shared import FOUR, TeamOptions
from irev.jobs.studies.plans import Beside, PairTest

if TYPE_CHECKING:
    from irev.jobs.studies.criteria import Block

_SENSITIVE = (*FOUR, "nDCG@10", "P@10")
"""The same of discriminative-power."""


class GainsAndBaseline(ResultOptions):
    """Under which gains measures are looked at, and which of them all are set against."""

    against: Annotated[str | None, Opt(
        "--against", metavar="NAME",
        help="Mark the measures that find more significant pairs than this one. Default: AP.",
    )] = None  # fmt: skip
    all_gains: Annotated[Sequence[str], Opt(
        "--gains", metavar="MAP|RATIO|exp",
        help="The gains of grades, such as 3:2:1 from the highest grade down; repeated, a "
        "block of results for each.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        if len(set(self.all_gains)) < len(self.all_gains):
            raise UsageError("--gains: duplicate gains")


def discriminative_power(
    files: tuple[str, ...],
    test: PairTest,
    chosen: GainsAndBaseline,
    teams: TeamOptions,
    beside: Beside,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Show how often measures find two runs significantly different, and from which difference on.

    QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
    file. All pairs of runs are tested by the paired bootstrap test of Sakai (SIGIR 2006), with the
    same samples of the topics for all measures and gains. For each measure: the significant pairs
    (68/105=65%), and the estimated difference: the largest that is needed for significance. --test
    has others: by the randomised Tukey HSD the difference is its critical one, the same for all
    pairs, and the other tests give none.

    Several --gains make a block of results each. --teams with --best-per-team keeps one run of
    each team. --swap, --stability and --concordance add what other methods say of the measures.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.jobs.studies.discriminative_power import discriminative_power as studied

    check_runs(files, "discriminative-power")
    refuse({
        "--gains needs QRELS RUN...": chosen.all_gains
        and starts_with_saved(files),
        "standard input (-) cannot be read twice: give files": len(chosen.all_gains) > 1
        and "-" in files,
    })  # fmt: skip
    alphas = test.levels  # a wrong one is said before a file is opened
    blocks, more = _blocks(files, chosen, teams, beside, asked, options)
    notes: tuple[str, ...] = ()
    if teams.teams:
        from irev.jobs.studies.orders import best_of_each

        best, notes = best_of_each(teams, blocks[0].table, more.by)
        kept = [blocks[0].table.run_names.index(run) for run in best.run_names]
        blocks = [block.with_runs(kept) for block in blocks]
    outcome = studied(
        blocks, test.replace(alphas=alphas), against=more.against,
        beside=beside.replace(gold=more.gold), notes=notes, watched=progress_reporter("measures"),
    )  # fmt: skip
    if teams.teams:
        selection = {"file": teams.teams, "by": teams.best}
        outcome = replace(outcome, parameters={**outcome.parameters, "best of teams": selection})
    return deliver(outcome, output)


class _More(NamedTuple):
    """Measures with a part of their own, by their printed names in the first block."""

    gold: tuple[str, ...]
    by: str
    against: str | None


def _blocks(
    files: tuple[str, ...],
    chosen: GainsAndBaseline,
    teams: TeamOptions,
    beside: Beside,
    asked: Runs,
    options: OptionsOfRuns,
) -> tuple[list["Block"], _More]:
    """The scores, a block for each definition of gains."""
    from irev.jobs.studies.criteria import Block, printed_names

    is_saved = starts_with_saved(files)
    wanted = asked.measures or (() if is_saved else _SENSITIVE)
    extra = [*([teams.best] if teams.best else []), *beside.gold]
    asked = asked.replace(measures=() if is_saved else (*wanted, *extra))
    blocks: list[Block] = []
    for gains in chosen.all_gains or (None,):
        under = options if gains is None else _with_gains(options, gains)
        found = scored(files, asked, under)
        evaluation = evaluation_of_runs(files, asked, under)
        names = found.measure_names
        if wanted and (extra or is_saved):
            every = (printed_names(text, found, evaluation) for text in wanted)
            names = tuple(dict.fromkeys(name for some in every for name in some))
        if not blocks:
            gold = tuple(printed_names(text, found, evaluation)[0] for text in beside.gold)
            by, against = (
                printed_names(each, found, evaluation)[0] if each else ""
                for each in (teams.best, chosen.against)
            )
        blocks.append(Block(gains or "", found, names))
    return blocks, _More(gold, by, against or None)


def _with_gains(options: OptionsOfRuns, gains: str) -> OptionsOfRuns:
    """The same with the gains of grades for all measures whose names leave them open."""
    known = {**dict(options.defaults), "gain": gains}
    parts = [opt.pair_key for opt in options.fields()["defaults"].opts.values()]
    return options.replace(defaults=tuple((part, known[part]) for part in parts if part in known))


discriminative_power_command = Job(
    "discriminative-power", discriminative_power, "[QRELS] RUN...", PairTest, GainsAndBaseline,
    TeamOptions, Beside, StudyOutput, *records_of_runs(_SENSITIVE, without=("classes", "gains")),
    example="irev study discriminative-power qrels.txt runs/* -m AP -m Q --gains 3:2:1 "
    "--gains 10:5:1 --output power;  "
    "irev study discriminative-power ap.csv p10.csv --against ap --swap",
)  # fmt: skip
