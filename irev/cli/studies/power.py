"""`irev study discriminative-power` and `robustness`: what measures tell."""

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.output import check_files
from irev.cli.several_runs import (
    ONLY_GRADES,
    OptionsOfRuns,
    Runs,
    default_measures,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.cli.studies.inputs import check_runs, refuse
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import progress_reporter, report_progress
from irev.errors import UsageError
from irev.jobs.studies.options.shared import FOUR, TeamOptions
from irev.jobs.studies.plans import Beside, PairTest, SampledRates
from irev.options import TOPICS

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


class OtherCollections(ResultOptions):
    """Which collections stand beside the first."""

    collections: Annotated[Sequence[str], Opt(
        "--collection", metavar="'QRELS RUN...'", file="maybe",
        help="Files of another collection, in quotes, as in --collection 'trec7/qrels.txt "
        "trec7/runs/*'. The tables and figures have all collections side by side. May be "
        "repeated.",
    )] = ()  # fmt: skip

    def files(self) -> list[list[str]]:
        """The files of each collection: judgments, then runs."""
        import shlex

        from irev.cli.run_files import run_files

        found = []
        for text in self.collections:
            try:
                qrels, *runs = shlex.split(text)
            except ValueError:
                raise UsageError(f"--collection {text!r}: give 'QRELS RUN...'") from None
            found.append([qrels, *run_files(runs).regular()])
        return found


class TopicsOfSamples(ResultOptions):
    """Over which topics means under samples are."""

    topics: Annotated[Literal["both", "qrels", "run"] | os.PathLike[str], TOPICS.replace(
        metavar="qrels|FILE", section="Options of the runs", help_order=0,
        help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, the "
        "default), or over those listed in FILE.",
    )] = "qrels"  # fmt: skip


def robustness(
    files: tuple[str, ...],
    sampling: SampledRates,
    beside: OtherCollections,
    output: StudyOutput,
    over: TopicsOfSamples,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Show how well measures keep the order of runs when few documents are judged.

    For each rate, a random share of every topic's judgments is kept, the same for all runs and
    measures, and the runs' means are compared with those of average precision under all judgments
    (measures that do not estimate it: with their own): Kendall's tau, Pearson's rho, the RMS error
    over runs, and the mean value over runs, each a mean over --repeat samples. QRELS must hold
    complete judgments. As in Yilmaz and Aslam 2006.

    --imperfect also takes away a share of the collection from the runs, while all judgments stay.

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    collections = [list(files), *beside.files()]
    if min(map(len, collections)) < 3:
        raise misused(
            "give a relevance file and two runs or more: irev study robustness QRELS RUN..."
        )
    options = options.replace(topics=over.topics)
    # to take documents away, everything is read again
    read = [*chain.from_iterable(collections), *asked.input_paths(), *options.input_paths()]
    check_files(read * (2 if sampling.imperfect else 1), ())
    from irev.jobs.studies.robustness import MEASURES
    from irev.jobs.studies.robustness import robustness as studied

    outcomes = {
        _called(qrels, collections): studied(
            qrels, runs, asked.measures or MEASURES, sampling,
            options=evaluation_of_runs((qrels, *runs), asked, options), format=asked.qrels_format,
            names=asked.names, watched=lambda items, count: report_progress(items, count, "runs"),
        )
        for qrels, *runs in collections
    }  # fmt: skip
    if len(outcomes) < len(collections):
        raise UsageError("--collection: each collection has a relevance file of its own")
    if len(outcomes) == 1:
        return deliver(next(iter(outcomes.values())), output)
    from irev.jobs.studies.robustness import side_by_side

    return deliver(side_by_side(outcomes), output)


def _called(qrels: str, collections: Sequence[Sequence[str]]) -> str:
    """The name of a collection: that of its relevance file, or its path where others have it."""
    name = os.path.basename(qrels)
    return name if [os.path.basename(each[0]) for each in collections].count(name) == 1 else qrels


robustness_command = Job(
    "robustness", robustness, "QRELS RUN...", SampledRates, OtherCollections, StudyOutput,
    TopicsOfSamples,
    *records_of_runs(
        without=("judged_only", "classes", "weights", "duplicates", "intents", "nan", "topics"),
        say={
            "measures": default_measures("bpref-10, bpref, indAP, subAP, infAP and AP"),
            "qrels_format": ONLY_GRADES,
            "pool": "The pool that samples are drawn from, where QRELS does not hold all of it: a "
            "file with a topic and a document on each line, or the first N documents of each RUN. "
            "What has no grade there counts as judged and not relevant.",
        },
    ),
    example="irev study robustness qrels.txt runs/* --output robustness;  "
    "irev study robustness qrels.txt runs/* --rates 5,10,30 --imperfect 50,75,100 -m infAP -m AP;  "
    "irev study robustness trec8.qrels trec8/* --collection 'trec7.qrels trec7/*' --output grid",
)  # fmt: skip
