"""`irev study correlation`: how alike measures or judgments order the same runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.gathering import evaluation_options, gathered, gathering_options, starts_with_saved
from irev.cli.studies.teams import best_of_each, team_options
from irev.cli.studies.testing import SEED, confidence_of, significance_of, significance_options
from irev.cli.types import whole_number
from irev.core.wording import listed
from irev.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered
    from irev.options import Options
    from irev.studies.correlation import Resampling
    from irev.studies.sweeps import Line

MEASURES = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What is looked at where no measure is named: Sakai's four."""

_MOST_TOPICS = 10


def correlation(**given: Any) -> int:
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

    _check(given)
    study = _Scoring(given)
    how, resampling = significance_of(given), _resampling(given)
    first = study.side(given["files"])
    runs = _selected(first, given)
    sides = [first, *(study.side((path, *given["files"][1:])) for path in given["other_qrels"])]
    matrices, notes = _together(sides, runs)
    labels = _labels([given["files"][0], *given["other_qrels"]]) if len(sides) > 1 else [""]
    criteria = [
        criterion
        for side, scores, label in zip(sides, matrices, labels, strict=True)
        for criterion in criteria_of(scores, side.measures, label)
    ]
    record = studied(
        criteria, run_names(runs.matrices),
        Study(how, resampling, first.lines, _watched),
        parameters=_parameters(given, first, runs), notes=(*runs.notes, *notes),
    )  # fmt: skip
    return deliver(signed_by_scores(record, *matrices), given)


@dataclass(frozen=True, eq=False, repr=False)
class _Side:
    """Scores under some judgments, and which of them are studied, by their printed names."""

    gathered: Gathered
    measures: tuple[str, ...]
    by: str
    best: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class _Runs:
    """The runs that are studied, and what was said of them."""

    matrices: Matrices
    notes: tuple[str, ...]


class _Scoring:
    """What is scored, as it was asked for."""

    def __init__(self, given: dict[str, Any]) -> None:
        from irev.studies.sweeps import Sweep, has_option, swept

        self.given = given
        self.is_saved = starts_with_saved(given["files"])
        self.options: Options = evaluation_options(given)
        measures = given["measures"] or (() if self.is_saved else MEASURES)
        sweeps = [Sweep.read(text) for text in given["sweeps"]]
        if self.is_saved and sweeps:
            raise UsageError(
                "--sweep scores runs under several parameters: QRELS RUN... go with it"
            )
        self.lines = swept(measures, sweeps, given["against"], self.options)
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
        selecting = [each for each in (self.given["by"], self.given["best"]) if each]
        from irev.studies.criteria import scored_columns
        from irev.studies.sweeps import with_printed_names

        asked = () if self.is_saved else tuple(dict.fromkeys([*self.studied, *selecting]))
        late = () if self.is_saved else self._late(files[0], asked)
        found = gathered({**self.given, "files": files, "measures": asked})

        def printed(name: str) -> list[str]:
            return [each.name for each in scored_columns(name, found.matrices, self.options)]

        measures = [name for text in self.studied for name in printed(text)]
        measures = measures or [*found.matrices.measures]
        by, best = (
            printed(self.given[name])[0] if self.given[name] else measures[0]
            for name in ("by", "best")
        )
        lines = with_printed_names(self.lines, printed)
        return _Side(found, tuple(measures), by, best, tuple(lines), late)

    def _late(self, qrels: str, measures: Sequence[str]) -> tuple[str, ...]:
        from irev.engine.evaluator import Evaluator
        from irev.studies.sweeps import late_arrivals

        format = self.given["qrels_format"]
        evaluator = Evaluator(qrels, measures, self.options, format=format)
        found = late_arrivals(evaluator.requests, evaluator.judge.qrels, self.options.level)
        return tuple(_late_notes(found))


def _late_notes(late: Sequence[tuple[str, float, bytes, int]]) -> Iterable[str]:
    """A line for each measure that lets all relevant documents of some topics come late."""
    for measure in dict.fromkeys(name for name, *_ in late):
        topics = [(topic, count) for name, _, topic, count in late if name == measure]
        base = next(base for name, base, *_ in late if name == measure)
        named = [f"{shown(topic)} (R={count})" for topic, count in topics]
        yield (
            f"{measure}: up to rank {base:g} nothing is lost by coming late, and "
            f"{len(topics)} topics have fewer relevant documents (Sakai 2006): "
            f"{listed(named, _MOST_TOPICS)}"
        )


def _selected(side: _Side, given: dict[str, Any]) -> _Runs:
    """The best run of each team, and of those the best."""
    from irev.plots.record import notes_of
    from irev.studies.criteria import top_runs

    matrices, notes = side.gathered.matrices, [*notes_of(side.gathered)[1:], *side.notes]
    if given["teams"]:
        matrices, said = best_of_each(given, matrices, side.best)
        notes += said
    if given["top"] is not None and given["top"] < len(matrices.runs):
        every, matrices = len(matrices.runs), top_runs(matrices, given["top"], side.by)
        notes.append(f"{len(matrices.runs)} of {every} runs: the best by {side.by}")
    return _Runs(matrices, tuple(notes))


def _together(sides: Sequence[_Side], runs: _Runs) -> tuple[list[Matrices], tuple[str, ...]]:
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


def _parameters(given: dict[str, Any], side: _Side, runs: _Runs) -> dict[str, Any]:
    from dataclasses import replace

    from irev.plots.record import parameters_of

    found = parameters_of(replace(side.gathered, matrices=runs.matrices))
    found["measures"] = list(side.measures)
    found["topics"] = len(runs.matrices.topics)
    if given["sweeps"]:
        found["sweeps"], found["against"] = list(given["sweeps"]), list(given["against"])
    if given["other_qrels"]:
        found["qrels"] = [given["files"][0], *given["other_qrels"]]
    if given["top"] is not None:
        found["top"] = {"runs": given["top"], "by": side.by}
    if given["teams"]:
        found["best of teams"] = {"file": given["teams"], "by": side.best}
    return found


def _resampling(given: dict[str, Any]) -> Resampling | None:
    from irev.studies.correlation import Resampling

    if given["resamples"] is None:
        if given["seed"] is not None:
            raise UsageError("--seed is of intervals: --resamples B asks for them")
        return None
    return Resampling(given["resamples"], given["seed"] or 0, confidence_of(given))


def _watched(pairs: Sequence[Any]) -> Iterable[Any]:
    from irev.cli.progress import shown as bar

    return bar(pairs, len(pairs), "pairs of measures")


def _check(given: dict[str, Any]) -> None:
    """Refuse options that do not go together, before a file is opened."""
    files = given["files"]
    if not files or (len(files) < 2 and not starts_with_saved(files)):
        raise click.UsageError(
            "a relevance file and runs are wanted, or saved scores: irev study correlation "
            "QRELS RUN...",
            click.get_current_context(silent=True),
        )
    wrong = {
        "standard input (-) cannot be read twice: give the judgments as a file": files[0] == "-",
        "--by says which runs are the best: it goes with --top": given["by"]
        and given["top"] is None,
        "--teams and --best-per-team go together": bool(given["teams"]) != bool(given["best"]),
        "--against says what a --sweep is compared with": given["against"] and not given["sweeps"],
        "--sweep and --other-qrels do not go together": given["sweeps"] and given["other_qrels"],
        "--other-qrels goes with QRELS RUN...": given["other_qrels"] and starts_with_saved(files),
    }
    for message, is_so in wrong.items():
        if is_so:
            raise UsageError(message)


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "--sweep", "sweeps", multiple=True, metavar="PARAMETER=LIST",
            help="Give every measure asked for that has this parameter each of these values: "
            "beta=0.1,1,10,100,1000; b=2,5,10; gain=3:2:1,10:5:1. May be repeated.",
        ),
        Option(
            "--against", multiple=True, metavar="NAME",
            help="With --sweep: what is compared with; may be repeated. Default: AP, and the "
            "measure as it was asked for.",
        ),
        Option(
            "--other-qrels", multiple=True, metavar="FILE",
            help="Order the runs under these judgments too; may be repeated.",
        ),
        Option("--top", type=whole_number(2), metavar="N", help="Keep the N best runs."),
        Option(
            "--by", metavar="NAME",
            help="With --top: by the mean of this measure; of equal runs the first by name. "
            "Default: the first measure.",
        ),
        *team_options(),
        Option(
            "--resamples", type=whole_number(2), metavar="B",
            help="Standard errors of tau_b and tau_AP, and intervals of the level 1 - A, from B "
            "samples of the topics.",
        ),
        SEED,
        *significance_options(),
    ]  # fmt: skip


command = Job(
    "correlation",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS] RUN..."),
        *_own_options(), *study_options(), *gathering_options(MEASURES, without=("classes",)),
    ],
    callback=correlation,
    help=correlation.__doc__,
    epilog="Examples: irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation ap.csv p10.csv --resamples 1000",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
