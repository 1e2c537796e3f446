"""`irev study correlation`: how alike measures or judgments order the same runs."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.progress import watching
from irev.cli.several_runs import (
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
    scored,
    starts_with_saved,
)
from irev.core.records import Choices, Opt
from irev.core.tuples import NamedTuple
from irev.errors import UsageError
from irev.options import Options
from irev.studies.plans import (
    Resampling,
    Significance,
)

if TYPE_CHECKING:
    from irev.engine.gather import Gathered
    from irev.errors import Told
    from irev.options import Options
    from irev.results.matrices import Matrices
    from irev.studies.sweeps import SweepLine

GRADED = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What correlation looks at where no measure is named: Sakai's four."""


def check_runs(files: Sequence[str], study: str) -> None:
    """Refuse a command line without runs."""
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise misused(
            f"give a relevance file and runs, or saved scores: irev study {study} QRELS RUN..."
        )


def refuse(wrong: dict[str, Any]) -> None:
    """Refuse options that cannot be combined, before a file is opened."""
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)


def names_of(name: str, matrices: "Matrices", options: "Options") -> list[str]:
    """The names under which the scores of a measure stand."""
    from irev.studies.criteria import scored_columns

    return [column.name for column in scored_columns(name, matrices, options)]


class Teams(Choices):
    """Studies of the best run of each team."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", file="always", content=True,
        help="Which team a run is of: RUN TEAM on each line.",
    )] = None  # fmt: skip
    best: Annotated[str | None, Opt(
        "--best-per-team", metavar="NAME",
        help="With --teams: keep the best run of each team by the mean of this measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        if bool(self.teams) != bool(self.best):
            raise UsageError("use --teams and --best-per-team together")


def best_of_each(teams: Teams, matrices: "Matrices", by: str) -> tuple["Matrices", tuple[str, ...]]:
    """The best run of each team that --teams lists, and what to say."""
    from irev.boards.teams import best_of_teams, names_for_teams, read_teams, team_notes, teams_of
    from irev.studies.criteria import best_first

    listing = read_teams(teams.teams or "")
    names = names_for_teams(matrices)
    team_of = teams_of(names, listing)
    kept = best_of_teams(matrices.runs, best_first(matrices, by), team_of)
    best = matrices.with_runs(kept)
    said = f"{len(best.runs)} of {len(matrices.runs)} runs: the best of each team by {by}"
    return best, (*team_notes(names, listing, team_of), said)


class Compared(Choices):
    """What a study of correlation looks at, beside its measures."""

    sweeps: Annotated[Sequence[str], Opt(
        "--sweep", metavar="PARAMETER=LIST",
        help="Give every measure asked for that has this parameter each of these values: "
        "beta=0.1,1,10,100,1000; b=2,5,10; gain=3:2:1,10:5:1. May be repeated.",
    )] = ()  # fmt: skip
    against: Annotated[Sequence[str], Opt(
        "--against", metavar="NAME",
        help="With --sweep: what is compared with; may be repeated. Default: AP, and the "
        "measure as it was asked for.",
    )] = ()  # fmt: skip
    other_qrels: Annotated[Sequence[str], Opt(
        "--other-qrels", metavar="FILE", file="always", content=True,
        help="Order the runs under these judgments too; may be repeated.",
    )] = ()  # fmt: skip
    top: Annotated[int | None, Opt(
        "--top", metavar="N", least=2, help="Keep the N best runs."
    )] = None  # fmt: skip
    by: Annotated[str | None, Opt(
        "--by", metavar="NAME",
        help="With --top: by the mean of this measure; of equal runs the first by name. "
        "Default: the first measure.",
    )] = None  # fmt: skip


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

    A judged topic that a run lacks counts as 0, and a warning on stderr says so.
    """
    from irev.plots.outcome import run_names, signed_by_scores
    from irev.studies.correlation import Study
    from irev.studies.correlation import correlation as studied
    from irev.studies.criteria import criteria_of

    check_runs(files, "correlation")
    is_saved = starts_with_saved(files)
    swept, others = compared.sweeps, compared.other_qrels
    refuse({
        "standard input (-) cannot be read twice: give the judgments as a file": files[0] == "-",
        "--by needs --top": compared.by
        and compared.top is None,
        "--against needs --sweep": compared.against and not swept,
        "--sweep and --other-qrels cannot be combined": swept and others,
        "--other-qrels needs QRELS RUN...": others and is_saved,
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
    outcome = studied(
        criteria, run_names(runs.matrices),
        Study(how, drawn, first.lines, watching("pairs of measures")),
        parameters=_parameters(files, compared, teams, first, runs),
        notes=(*runs.notes, *notes),
    )  # fmt: skip
    return deliver(signed_by_scores(outcome, *matrices), output)


class _Side(NamedTuple):
    """Scores under some judgments, and which of them are studied, by their printed names."""

    gathered: "Gathered"
    measures: tuple[str, ...]
    by: str
    best: str
    lines: Sequence["SweepLine"]
    notes: tuple[str, ...]


class _Runs(NamedTuple):
    """The runs that are studied, and what was said of them."""

    matrices: "Matrices"
    notes: "tuple[Told, ...]"


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
        from irev.measures.lists import listed
        from irev.studies.sweeps import Sweep, has_option, swept

        self.asked, self.given = asked, options
        self.is_saved = starts_with_saved(files)
        self.options = evaluation_of_runs(files, asked, options)
        self.by, self.best = compared.by, teams.best
        measures = asked.measures if self.is_saved else listed(asked.measures) or GRADED
        sweeps = [Sweep.read(text) for text in compared.sweeps]
        if self.is_saved and sweeps:
            raise UsageError("--sweep scores runs under several parameters: give QRELS RUN...")
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
            return names_of(name, found.matrices, self.options)

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
    from irev.plots.outcome import notes_of
    from irev.studies.criteria import top_runs

    matrices, notes = side.gathered.matrices, [*notes_of(side.gathered)[1:], *side.notes]
    if teams.teams:
        matrices, said = best_of_each(teams, matrices, side.best)
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
        raise UsageError("--other-qrels: duplicate judgments")
    return [storable(path) for path in paths]


def _parameters(
    files: tuple[str, ...], compared: Compared, teams: Teams, side: _Side, runs: _Runs
) -> dict[str, Any]:
    from irev.plots.outcome import parameters_of

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


correlation_command = Job(
    "correlation", correlation, "[QRELS] RUN...", Compared, Teams, Resampling, Significance,
    StudyOutput, *records_of_runs(GRADED, without=("classes",)),
    example="irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation ap.csv p10.csv --resamples 1000",
)  # fmt: skip
