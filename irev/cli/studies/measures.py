"""`irev study correlation`, `discriminative-power` and `robustness`: studies of measures."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from irev.cli.commands import Job
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.files import check_files
from irev.cli.gathering import (
    OptionsOfRuns,
    Runs,
    default_measures,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.records import Choices
from irev.errors import UsageError
from irev.options import TOPICS
from irev.studies.choices import (
    Beside,
    Compared,
    GainsAndBaseline,
    PairTest,
    Resampling,
    Sampling,
    Significance,
    Teams,
)

if TYPE_CHECKING:
    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered
    from irev.options import Options
    from irev.studies.criteria import Block
    from irev.studies.sweeps import Line

_GRADED = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What correlation looks at where no measure is named: Sakai's four."""

_SENSITIVE = (*_GRADED, "nDCG@10", "P@10")
"""The same of discriminative-power."""


def _check_files(files: Sequence[str], study: str) -> None:
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise click.UsageError(
            f"a relevance file and runs are wanted, or saved scores: irev study {study} QRELS "
            "RUN...",
            click.get_current_context(silent=True),
        )


def _refuse(wrong: dict[str, Any]) -> None:
    """Refuse options that do not go together, before a file is opened."""
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)


def _printed(name: str, matrices: "Matrices", options: "Options") -> list[str]:
    """The names under which the scores of a measure stand."""
    from irev.studies.criteria import scored_columns

    return [column.name for column in scored_columns(name, matrices, options)]


def _best_of_each(
    teams: Teams, matrices: "Matrices", by: str
) -> tuple["Matrices", tuple[str, ...]]:
    """The best run of each team that --teams lists, and what to say."""
    from irev.boards.teams import read_teams, team_notes, teams_of
    from irev.studies.criteria import best_of_teams

    listing = read_teams(teams.teams or "")
    team_of = teams_of(matrices, listing)
    best = best_of_teams(matrices, team_of, by)
    said = f"{len(best.runs)} of {len(matrices.runs)} runs: the best of each team by {by}"
    return best, (*team_notes(matrices, listing, team_of), said)


def correlation(
    files: tuple[str, ...],
    compared: Compared,
    teams: Teams,
    resampling: Resampling,
    how: Significance,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """How alike several measures, or several judgments, order the same runs.

    QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
    file. For all pairs of measures: Kendall's tau_b and tau_a with p, tau_AP (the row is the truth)
    and tau_AP,b, Spearman's rho, Pearson's r, the RMS error of the means, and how many pairs of
    runs are found significantly different in the same or in opposite directions.

    --sweep draws the correlation against a parameter of measures: lines over beta, over the base
    of a logarithm, over gain ratios. --other-qrels adds the orders under other judgments, on the
    topics that all of them have.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.plots.record import run_names
    from irev.studies.correlation import Study
    from irev.studies.correlation import correlation as studied
    from irev.studies.criteria import criteria_of
    from irev.studies.signing import signed_by_scores

    _check_files(files, "correlation")
    is_saved = starts_with_saved(files)
    swept, others = compared.sweeps, compared.other_qrels
    _refuse({
        "standard input (-) cannot be read twice: give the judgments as a file": files[0] == "-",
        "--by says which runs are the best: it goes with --top": compared.by
        and compared.top is None,
        "--against says what a --sweep is compared with": compared.against and not swept,
        "--sweep and --other-qrels do not go together": swept and others,
        "--other-qrels goes with QRELS RUN...": others and is_saved,
    })  # fmt: skip
    study = _Scoring(files, compared, teams, asked, options)
    first = study.side(files)
    runs = _selected(first, compared, teams)
    sides = [first, *(study.side((path, *files[1:])) for path in others)]
    matrices, notes = _together(sides, runs)
    labels = _labels([files[0], *others]) if len(sides) > 1 else [""]
    criteria = [
        criterion
        for side, scores, label in zip(sides, matrices, labels, strict=True)
        for criterion in criteria_of(scores, side.measures, label)
    ]
    drawn = None if resampling.resamples is None else resampling.but(confidence=1 - how.alpha)
    record = studied(
        criteria, run_names(runs.matrices), Study(how, drawn, first.lines, _watched_pairs),
        parameters=_parameters(files, compared, teams, first, runs),
        notes=(*runs.notes, *notes),
    )  # fmt: skip
    return deliver(signed_by_scores(record, *matrices), output)


class _Side(NamedTuple):
    """Scores under some judgments, and which of them are studied, by their printed names."""

    gathered: "Gathered"
    measures: tuple[str, ...]
    by: str
    best: str
    lines: Sequence["Line"]
    notes: tuple[str, ...]


class _Runs(NamedTuple):
    """The runs that are studied, and what was said of them."""

    matrices: "Matrices"
    notes: tuple[str, ...]


class _Scoring:
    """What is scored, as it was asked for."""

    def __init__(
        self,
        files: tuple[str, ...],
        compared: Compared,
        teams: Teams,
        asked: Runs,
        options: OptionsOfRuns,
    ) -> None:
        from irev.studies.sweeps import Sweep, has_option, swept

        self.asked, self.given = asked, options
        self.is_saved = starts_with_saved(files)
        self.options = evaluation_of_runs(files, asked, options)
        self.by, self.best = compared.by, teams.best
        measures = asked.measures or (() if self.is_saved else _GRADED)
        sweeps = [Sweep.read(text) for text in compared.sweeps]
        if self.is_saved and sweeps:
            raise UsageError(
                "--sweep scores runs under several parameters: QRELS RUN... go with it"
            )
        self.lines = swept(measures, sweeps, compared.against, self.options)
        points = [name for line in self.lines for _, name in line.points]
        references = [line.against for line in self.lines]
        unmoved = [
            name
            for name in measures
            if not any(has_option(name, sweep.name, self.options) for sweep in sweeps)
        ]
        self.studied = tuple(dict.fromkeys([*references, *unmoved, *points]))

    def side(self, files: Sequence[str]) -> _Side:
        """The scores under the judgments of the first file."""
        from irev.studies.sweeps import with_printed_names

        selecting = [each for each in (self.by, self.best) if each]
        measures = () if self.is_saved else tuple(dict.fromkeys([*self.studied, *selecting]))
        late = () if self.is_saved else self._late(files[0], measures)
        found = scored(files, self.asked.but(measures=measures), self.given)

        def printed(name: str) -> list[str]:
            return _printed(name, found.matrices, self.options)

        studied = [name for text in self.studied for name in printed(text)]
        studied = studied or [*found.matrices.measures]
        by, best = (printed(each)[0] if each else studied[0] for each in (self.by, self.best))
        lines = with_printed_names(self.lines, printed)
        return _Side(found, tuple(studied), by, best, lines, late)

    def _late(self, qrels: str, measures: Sequence[str]) -> tuple[str, ...]:
        from irev.engine.evaluator import Evaluator
        from irev.studies.sweeps import late_notes

        format = self.asked.qrels_format
        evaluator = Evaluator(qrels, measures, self.options, format=format)
        return tuple(late_notes(evaluator.requests, evaluator.yardstick.qrels, self.options.level))


def _selected(side: _Side, compared: Compared, teams: Teams) -> _Runs:
    """The best run of each team, and of those the best."""
    from irev.plots.record import notes_of
    from irev.studies.criteria import top_runs

    matrices, notes = side.gathered.matrices, [*notes_of(side.gathered)[1:], *side.notes]
    if teams.teams:
        matrices, said = _best_of_each(teams, matrices, side.best)
        notes += said
    if compared.top is not None and compared.top < len(matrices.runs):
        every, matrices = len(matrices.runs), top_runs(matrices, compared.top, side.by)
        notes.append(f"{len(matrices.runs)} of {every} runs: the best by {side.by}")
    return _Runs(matrices, tuple(notes))


def _together(sides: Sequence[_Side], runs: _Runs) -> tuple[list["Matrices"], tuple[str, ...]]:
    """The scores of the runs that are studied under all judgments, on the same topics."""
    if len(sides) == 1:
        return [runs.matrices], ()
    from irev.studies.criteria import on_common_topics

    every = [side.gathered.matrices for side in sides]
    kept = [
        each.with_runs([each.runs.index(name) for name in runs.matrices.runs]) for each in every
    ]
    return on_common_topics(kept)


def _labels(paths: Sequence[str]) -> list[str]:
    """What judgments are called: after their files, or their paths where those are the same."""
    from irev.core.text import storable

    names = [storable(os.path.basename(path)) for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) < len(paths):
        raise UsageError("--other-qrels: the same judgments stand twice")
    return [storable(path) for path in paths]


def _parameters(
    files: tuple[str, ...], compared: Compared, teams: Teams, side: _Side, runs: _Runs
) -> dict[str, Any]:
    from irev.plots.record import parameters_of

    found = parameters_of(replace(side.gathered, matrices=runs.matrices))
    found["measures"] = list(side.measures)
    found["topics"] = len(runs.matrices.topics)
    if compared.sweeps:
        found["sweeps"], found["against"] = list(compared.sweeps), list(compared.against)
    if compared.other_qrels:
        found["qrels"] = [files[0], *compared.other_qrels]
    if compared.top is not None:
        found["top"] = {"runs": compared.top, "by": side.by}
    if teams.teams:
        found["best of teams"] = {"file": teams.teams, "by": side.best}
    return found


def _watched_pairs(pairs: Sequence[Any]) -> Iterable[Any]:
    from irev.cli.progress import shown

    return shown(pairs, len(pairs), "pairs of measures")


correlation_command = Job(
    "correlation", correlation, "[QRELS] RUN...", Compared, Teams, Resampling, Significance,
    StudyOutput, *records_of_runs(_GRADED, without=("classes",)),
    example="irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation ap.csv p10.csv --resamples 1000",
)  # fmt: skip


def discriminative_power(
    files: tuple[str, ...],
    test: PairTest,
    chosen: GainsAndBaseline,
    teams: Teams,
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

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.studies.discriminative_power import discriminative_power as studied

    _check_files(files, "discriminative-power")
    _refuse({
        "--gains score runs: they go with QRELS RUN...": chosen.all_gains
        and starts_with_saved(files),
        "standard input (-) cannot be read twice: give files": len(chosen.all_gains) > 1
        and "-" in files,
    })  # fmt: skip
    alphas = test.levels  # a wrong one is said before a file is opened
    blocks, more = _blocks(files, chosen, teams, beside, asked, options)
    notes: tuple[str, ...] = ()
    if teams.teams:
        best, notes = _best_of_each(teams, blocks[0].matrices, more.by)
        kept = [blocks[0].matrices.runs.index(run) for run in best.runs]
        blocks = [block.with_runs(kept) for block in blocks]
    record = studied(
        blocks, test.but(alphas=alphas), against=more.against,
        beside=beside.but(gold=more.gold), notes=notes, watched=_watched_measures,
    )  # fmt: skip
    if teams.teams:
        selection = {"file": teams.teams, "by": teams.best}
        record = replace(record, parameters={**record.parameters, "best of teams": selection})
    return deliver(record, output)


class _More(NamedTuple):
    """Measures with a part of their own, by their printed names in the first block."""

    gold: tuple[str, ...]
    by: str
    against: str | None


def _blocks(
    files: tuple[str, ...],
    chosen: GainsAndBaseline,
    teams: Teams,
    beside: Beside,
    asked: Runs,
    options: OptionsOfRuns,
) -> tuple[list["Block"], _More]:
    """The scores, a block for each definition of gains."""
    from irev.studies.criteria import Block

    is_saved = starts_with_saved(files)
    wanted = asked.measures or (() if is_saved else _SENSITIVE)
    extra = [*([teams.best] if teams.best else []), *beside.gold]
    asked = asked.but(measures=() if is_saved else (*wanted, *extra))
    blocks: list[Block] = []
    for gains in chosen.all_gains or (None,):
        under = options if gains is None else _with_gains(options, gains)
        found = scored(files, asked, under)
        evaluation = evaluation_of_runs(files, asked, under)
        names = found.matrices.measures
        if wanted and (extra or is_saved):
            every = (_printed(text, found.matrices, evaluation) for text in wanted)
            names = tuple(dict.fromkeys(name for some in every for name in some))
        if not blocks:
            gold = tuple(_printed(text, found.matrices, evaluation)[0] for text in beside.gold)
            by, against = (
                _printed(each, found.matrices, evaluation)[0] if each else ""
                for each in (teams.best, chosen.against)
            )
        blocks.append(Block(gains or "", found, names))
    return blocks, _More(gold, by, against or None)


def _with_gains(options: OptionsOfRuns, gains: str) -> OptionsOfRuns:
    """The same with the gains of grades for all measures whose names leave them open."""
    known = {**dict(options.defaults), "gain": gains}
    parts = [opt.part for opt in options.fields()["defaults"].opts]
    return options.but(defaults=tuple((part, known[part]) for part in parts if part in known))


def _watched_measures(work: Sequence[Any]) -> Iterable[Any]:
    from irev.cli.progress import shown

    return shown(work, len(work), "measures")


discriminative_power_command = Job(
    "discriminative-power", discriminative_power, "[QRELS] RUN...", PairTest, GainsAndBaseline,
    Teams, Beside, StudyOutput, *records_of_runs(_SENSITIVE, without=("classes", "gains")),
    example="irev study discriminative-power qrels.txt runs/* -m AP -m Q --gains 3:2:1 "
    "--gains 10:5:1 --output power;  "
    "irev study discriminative-power ap.csv p10.csv --against ap --swap",
)  # fmt: skip


class TopicsOfSamples(Choices):
    """Over which topics means under samples are."""

    topics: Annotated[Literal["both", "qrels", "run"] | os.PathLike[str], TOPICS.but(
        metavar="qrels|FILE", section="Options of the runs", place=0,
        help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, the "
        "default), or over those listed in FILE.",
    )] = "qrels"  # fmt: skip


def robustness(
    files: tuple[str, ...],
    sampling: Sampling,
    output: StudyOutput,
    over: TopicsOfSamples,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Show how far measures keep the order of runs when few documents are judged.

    For each rate, a random share of every topic's judgments is kept, the same for all runs and
    measures, and the runs' means are compared with those of average precision under all judgments
    (measures that do not estimate it: with their own): Kendall's tau, Pearson's rho, the RMS error
    over runs, and the mean value over runs, each a mean over --repeat samples. QRELS must hold
    complete judgments. As in Yilmaz and Aslam 2006.

    --imperfect also takes away a share of the collection from the runs, while all judgments stay.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    if len(files) < 3:
        raise click.UsageError(
            "a relevance file and two runs or more are wanted: irev study robustness QRELS RUN...",
            click.get_current_context(silent=True),
        )
    options = options.but(topics=over.topics)
    # to take documents away, everything is read again
    read = [*files, *asked.paths(), *options.paths()]
    check_files(read * (2 if sampling.imperfect else 1), ())
    from irev.cli.progress import shown
    from irev.studies.robustness import MEASURES
    from irev.studies.robustness import robustness as studied

    record = studied(
        files[0], files[1:], asked.measures or MEASURES, sampling,
        options=evaluation_of_runs(files, asked, options), format=asked.qrels_format,
        names=asked.names, watched=lambda items, count: shown(items, count, "runs"),
    )  # fmt: skip
    return deliver(record, output)


robustness_command = Job(
    "robustness", robustness, "QRELS RUN...", Sampling, StudyOutput, TopicsOfSamples,
    *records_of_runs(
        without=("judged_only", "classes", "weights", "duplicates", "intents", "nan", "topics"),
        say={
            "measures": default_measures("bpref-10, bpref, indAP, subAP, infAP and AP"),
            "qrels_format": "What QRELS holds: qrels (the default) or ntcir.",
            "pool": "The pool that samples are drawn from, where QRELS does not hold all of it: a "
            "file with a topic and a document on each line, or the first N documents of each RUN. "
            "What has no grade there counts as judged and not relevant.",
        },
    ),
    example="irev study robustness qrels.txt runs/* --output robustness;  "
    "irev study robustness qrels.txt runs/* --rates 5,10,30 --imperfect 50,75,100 -m infAP -m AP",
)  # fmt: skip
