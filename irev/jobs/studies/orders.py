"""The orders of runs that a study of correlation compares: their measures, judgments and runs."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from irev.core.option_records import Opt, ResultOptions
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.errors import Told
    from irev.jobs.studies.criteria import Criterion
    from irev.jobs.studies.sweeps import SweepLine
    from irev.options import Options
    from irev.scores.table import ScoreTable

FOUR = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What is looked at where no measure is named: Sakai's four."""

Scored = Callable[[Sequence[str], Sequence[str]], "ScoreTable"]
"""What scores files, judgments and runs or saved scores, by some measures."""


class Teams(ResultOptions):
    """Studies of the best run of each team."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", file="always", sign_content=True,
        help="Which team a run is of: RUN TEAM on each line.",
    )] = None  # fmt: skip
    best: Annotated[str | None, Opt(
        "--best-per-team", metavar="NAME",
        help="With --teams: keep the best run of each team by the mean of this measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        if bool(self.teams) != bool(self.best):
            raise UsageError("use --teams and --best-per-team together")


class Compared(ResultOptions):
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
        "--other-qrels", metavar="FILE", file="always", sign_content=True,
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


def best_of_each(
    teams: Teams, table: "ScoreTable", by: str
) -> tuple["ScoreTable", tuple[str, ...]]:
    """The best run of each team that --teams lists, and what to say."""
    from irev.jobs.leaderboard.teams import (
        best_of_teams,
        names_for_teams,
        read_teams,
        team_notes,
        teams_of,
    )
    from irev.jobs.studies.criteria import best_first

    listing = read_teams(teams.teams or "")
    names = names_for_teams(table)
    team_of = teams_of(names, listing)
    kept = best_of_teams(table.run_names, best_first(table, by), team_of)
    best = table.select_runs(kept)
    said = f"{len(best.run_names)} of {len(table.run_names)} runs: the best of each team by {by}"
    return best, (*team_notes(names, listing, team_of), said)


class Orders(NamedTuple):
    """The orders of the same runs.

    criteria    that order them, under each of the judgments
    table    the scores of the runs, likewise
    lines       what is drawn against a parameter of measures
    parameters  for the outcome, as are the notes
    """

    criteria: "Sequence[Criterion]"
    table: "Sequence[ScoreTable]"
    lines: "Sequence[SweepLine]"
    parameters: dict[str, Any]
    notes: "tuple[Told, ...]"


def orders(
    files: Sequence[str],
    measures: Sequence[str],
    compared: Compared,
    teams: Teams,
    options: "Options",
    scored: Scored,
    *,
    format: str = "qrels",
    is_saved: bool = False,
) -> Orders:
    """Score runs and choose those that are studied.

    Args:
        files: judgments and runs, or saved scores.
        measures: that are compared; none: Sakai's four, or all that saved scores have.
        compared: what is looked at beside them.
        teams: whose best runs are studied.
        options: the choices that define an evaluation.
        scored: what scores files.
        format: what the judgments hold.
        is_saved: whether the files are saved scores.
    """
    from irev.jobs.studies.criteria import criteria_of

    scoring = _Scoring(measures, compared, teams, options, scored, format, is_saved)
    first = scoring.side(files)
    runs, said = _selected(first, compared, teams)
    sides = [first, *(scoring.side((path, *files[1:])) for path in compared.other_qrels)]
    table, notes = _together(sides, runs)
    labels = _labels([files[0], *compared.other_qrels]) if len(sides) > 1 else [""]
    criteria = [
        criterion
        for side, scores, label in zip(sides, table, labels, strict=True)
        for criterion in criteria_of(scores, side.measures, label)
    ]
    parameters = _parameters(files, compared, teams, first, runs)
    return Orders(criteria, table, first.lines, parameters, (*said, *notes))


class _Side(NamedTuple):
    """Scores under some judgments, and which of them are studied, by their printed names."""

    table: "ScoreTable"
    measures: tuple[str, ...]
    by: str
    best: str
    lines: Sequence["SweepLine"]
    notes: tuple[str, ...]


class _Scoring:
    """What is scored, as it was asked for."""

    def __init__(
        self,
        measures: Sequence[str],
        compared: Compared,
        teams: Teams,
        options: "Options",
        scored: Scored,
        format: str,
        is_saved: bool,
    ) -> None:
        from irev.jobs.studies.sweeps import Sweep, has_option, swept
        from irev.measures.naming.name_lists import measure_names

        self.options, self.scored, self.format, self.is_saved = options, scored, format, is_saved
        self.by, self.best = compared.by, teams.best
        measures = measures if is_saved else measure_names(measures) or FOUR
        sweeps = [Sweep.read(text) for text in compared.sweeps]
        if is_saved and sweeps:
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
        from irev.jobs.studies.criteria import printed_names
        from irev.jobs.studies.sweeps import with_printed_names

        selecting = [each for each in (self.by, self.best) if each]
        measures = () if self.is_saved else tuple(dict.fromkeys([*self.studied, *selecting]))
        late = () if self.is_saved else self._late(files[0], measures)
        found = self.scored(files, measures)

        def printed(name: str) -> list[str]:
            return printed_names(name, found, self.options)

        studied = [name for text in self.studied for name in printed(text)]
        studied = studied or [*found.measure_names]
        by, best = (printed(each)[0] if each else studied[0] for each in (self.by, self.best))
        lines = with_printed_names(self.lines, printed)
        return _Side(found, tuple(studied), by, best, lines, late)

    def _late(self, qrels: str, measures: Sequence[str]) -> tuple[str, ...]:
        from irev.engine.evaluator import Evaluator
        from irev.jobs.studies.sweeps import late_notes

        evaluator = Evaluator(qrels, measures, self.options, format=self.format)
        return tuple(
            late_notes(evaluator.requests, evaluator.prepared_judgments.qrels, self.options.level)
        )


def _selected(
    side: _Side, compared: Compared, teams: Teams
) -> tuple["ScoreTable", tuple["Told", ...]]:
    """The best run of each team, and of those the best."""
    from irev.jobs.plots.outcome import notes_of
    from irev.jobs.studies.criteria import top_runs

    table, notes = side.table, [*notes_of(side.table)[1:], *side.notes]
    if teams.teams:
        table, said = best_of_each(teams, table, side.best)
        notes += said
    if compared.top is not None and compared.top < len(table.run_names):
        every, table = len(table.run_names), top_runs(table, compared.top, side.by)
        notes.append(f"{len(table.run_names)} of {every} runs: the best by {side.by}")
    return table, tuple(notes)


def _together(
    sides: Sequence[_Side], runs: "ScoreTable"
) -> tuple[list["ScoreTable"], tuple[str, ...]]:
    """The scores of the runs that are studied under all judgments, on the same topics."""
    if len(sides) == 1:
        return [runs], ()
    from irev.jobs.studies.criteria import on_common_topics

    every = [side.table for side in sides]
    kept = [
        each.select_runs([each.run_names.index(name) for name in runs.run_names]) for each in every
    ]
    return on_common_topics(kept)


def _labels(paths: Sequence[str]) -> list[str]:
    """What judgments are called: after their files, or their paths where those are the same."""
    from irev.core.text import escape_non_utf8

    names = [escape_non_utf8(os.path.basename(path)) for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) < len(paths):
        raise UsageError("--other-qrels: duplicate judgments")
    return [escape_non_utf8(path) for path in paths]


def _parameters(
    files: Sequence[str], compared: Compared, teams: Teams, side: _Side, runs: "ScoreTable"
) -> dict[str, Any]:
    from irev.jobs.plots.outcome import parameters_of

    found = parameters_of(runs)
    found["measures"] = list(side.measures)
    found["topics"] = len(runs.topics)
    if compared.sweeps:
        found["sweeps"], found["against"] = list(compared.sweeps), list(compared.against)
    if compared.other_qrels:
        found["qrels"] = [files[0], *compared.other_qrels]
    if compared.top is not None:
        found["top"] = {"runs": compared.top, "by": side.by}
    if teams.teams:
        found["best of teams"] = {"file": teams.teams, "by": side.best}
    return found
