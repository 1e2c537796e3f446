"""Which of two runs is preferred, topic by topic, from the ranks of their relevant documents.

What the preferences are, and their sources, is said in `irev.statistics.recall_pairs`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from irev.core import workers
from irev.core.arrays import Floats, Ints, offsets, ranges, starts_of
from irev.core.record import record
from irev.core.wording import count_text
from irev.engine.inputs import error_naming_run
from irev.engine.join_scores import align_topics, distinct_tables, replace_run_info
from irev.engine.judged_share import judged_share
from irev.engine.map_topics import map_topics
from irev.engine.run_evaluator import RunEvaluator
from irev.engine.score_runs import (
    concerns_runs,
    default_options,
    missing_topic_warnings,
    name_inputs,
)
from irev.errors import IrevError, MismatchError, UsageError
from irev.jobs.plots.outcome import parameters_of, run_names, signed_by_scores, topic_names
from irev.jobs.plots.style import label, panels, style
from irev.jobs.studies.plans import PreferenceTest
from irev.jobs.study_result import StudyResult
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import empty_rankings, rank_rows
from irev.read.formats import GRADED
from irev.scores.run_names import distinct_names
from irev.scores.table import ScoreTable
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.methods import TESTS, InferenceSettings, correct_p
from irev.statistics.ranks_and_signs import sign_test
from irev.statistics.recall_pairs import PREFERENCES, UNSEEN, RecallPairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.model import Input, Rows
    from irev.engine.judged_share import JudgedShare
    from irev.engine.score_runs import NamedInput, NameSource
    from irev.errors import Told
    from irev.options import Options
    from irev.rank.ranking import Ranked
    from irev.scores.scores import Scores

NAME = "preference"
DEFAULT = ("rpp", "lexirecall", "lexiprecision")
"""The preferences that are looked at where none is named."""


def preference(
    qrels: Input,
    runs: Sequence[Input],
    preferences: Sequence[str] = DEFAULT,
    test: PreferenceTest | None = None,
    *,
    options: Options | None = None,
    format: str = "qrels",
    names: NameSource = "file",
    watched: Callable[[Iterable[Any], int], Iterable[Any]] = lambda items, _: items,
) -> StudyResult:
    """The mean preference between the runs of each pair, with wins, ties, losses and tests.

    A positive preference is one for the first run of a pair. Relevant is a grade of
    `options.level` or more. A judged topic that a run lacks is an empty ranking; a topic without
    relevant documents is a tie.

    `preferences`: some of `irev.statistics.recall_pairs.PREFERENCES`. `options`: the choices of the
    evaluation; every judged topic counts by default.

    Returns:
        Tables `pairs` (measure, run, other, preference, wins, ties, losses of topics, sign p, p,
        both as corrected) and `topics` (run, other, topic, each preference); the figure `pairs`.
    """
    test, options = test or PreferenceTest(), options or default_options()
    chosen = _chosen(preferences)
    if len(runs) < 2:
        raise UsageError("this study compares runs: give two or more")
    found = relevant_ranks(qrels, runs, options, format=format, names=names, watched=watched)
    family = every_pair(len(runs))
    by_name = {name: _preferences(found, family, name) for name in chosen}
    tables = {
        "pairs": _pairs(found.table, family, by_name, test),
        "topics": _topics(found.table, family, by_name),
    }
    about = parameters_of(found.table)
    # there is no score that could be 0
    about.pop("missing_count_as_zero", None)
    parameters = {
        **about, "preferences": list(chosen), "level": options.level, "missing": "empty",
        **test.parameters(len(family)),
    }  # fmt: skip
    tests = test.said(len(found.table.topics), len(family))
    notes = (*_notes(found, chosen, options.level), tests)
    figures = {"pairs": partial(pairs_figure, tables["pairs"])}
    outcome = StudyResult(NAME, parameters, tables, ("pairs",), figures, remarks=notes)
    return signed_by_scores(outcome, found.table)


def _chosen(preferences: Sequence[str]) -> tuple[str, ...]:
    for name in preferences:
        if name not in PREFERENCES:
            raise UsageError(f"no preference is called {name}: {', '.join(PREFERENCES)}")
    return tuple(dict.fromkeys(preferences)) or DEFAULT


def _preferences(found: RelevantRanks, run_pairs: RunPairs, name: str) -> Floats:
    """float64[T, P]: the preference of each topic between the runs of each pair."""
    prefer, _ = PREFERENCES[name]
    pairs = zip(run_pairs.first.tolist(), run_pairs.second.tolist(), strict=True)
    return np.stack([prefer(found.pairs(*pair)) for pair in pairs], axis=1)


def _pairs(
    table: ScoreTable, pairs: RunPairs, by_name: Mapping[str, Floats], test: PreferenceTest
) -> pd.DataFrame:
    import pandas as pd

    names = run_names(table)
    runs = {
        "run": [names[number] for number in pairs.first.tolist()],
        "other": [names[number] for number in pairs.second.tolist()],
    }
    return pd.concat(
        [
            pd.DataFrame({"measure": name, **runs, **_tested(values, test)})
            for name, values in by_name.items()
        ],
        ignore_index=True,
    )


def _tested(values: Floats, test: PreferenceTest) -> dict[str, Any]:
    """The columns of the P pairs, given float64[T, P]."""
    pairs = values.shape[1]
    # a preference is a difference already: it is set against 0
    scores = np.column_stack([values, np.zeros(len(values))])
    family = RunPairs(np.arange(pairs), np.full(pairs, pairs))
    signs = sign_test(scores, family)
    settings = InferenceSettings(num_resamples=test.drawn(pairs), seed=test.seed)
    p = TESTS[test.kind].compute(scores, family, settings).corrected
    columns = {
        "preference": np.cumsum(values, axis=0)[-1] / len(values),
        "wins": signs.wins, "ties": signs.ties, "losses": signs.losses, "sign p": signs.p,
    }  # fmt: skip
    if test.correction == "none":
        return {**columns, "p": p}
    corrected, signs_corrected = (correct_p(each, test.correction) for each in (p, signs.p))
    return {**columns, "corrected sign p": signs_corrected, "p": p, "corrected p": corrected}


def _topics(table: ScoreTable, pairs: RunPairs, by_name: Mapping[str, Floats]) -> pd.DataFrame:
    import pandas as pd

    names, topics = run_names(table), topic_names(table)
    return pd.DataFrame(
        {
            "run": np.repeat([names[number] for number in pairs.first.tolist()], len(topics)),
            "other": np.repeat([names[number] for number in pairs.second.tolist()], len(topics)),
            "topic": topics * len(pairs),
            **{name: values.T.ravel() for name, values in by_name.items()},
        }
    )


_MOST_NAMED = 60
"""More rows have no room for their names."""


def pairs_figure(table: pd.DataFrame) -> Figure:
    """For each preference a square, a cell for each pair: is the row's run preferred?

    The runs are in the order of their mean preference over the others, by the first measure.
    """
    names = list(dict.fromkeys([*table["run"], *table["other"]]))
    place = {name: number for number, name in enumerate(names)}
    squares = {}
    for measure, rows in table.groupby("measure", sort=False):
        square = np.zeros((len(names), len(names)))
        first, second = rows["run"].map(place), rows["other"].map(place)
        square[first, second] = rows["preference"]
        square[second, first] = -rows["preference"]
        squares[str(measure)] = square
    order = np.argsort(-next(iter(squares.values())).sum(axis=1), kind="stable")
    said = [label(names[at]) for at in order] if len(names) <= _MOST_NAMED else []
    with style():
        side = min(max(2.6, 0.9 + 0.22 * len(names)), 9.0)
        figure, axes = panels(len(squares), width=side + 0.8, height=side)
        for panel, (measure, square) in zip(axes, squares.items(), strict=True):
            image = panel.imshow(square[np.ix_(order, order)], cmap="RdBu", vmin=-1, vmax=1)
            panel.set_title(measure)
            panel.grid(visible=False)
            slant: dict[str, Any] = {"rotation": 90, "fontsize": 7}
            panel.set_xticks(range(len(said)), said, **slant)
            panel.set_yticks(range(len(said)), said, fontsize=7)
        bar = figure.colorbar(image, ax=axes, shrink=0.8)
        bar.set_label("mean preference\n(blue: for the row)", fontsize=8)
    return figure


def _notes(found: RelevantRanks, chosen: Sequence[str], level: int) -> Iterator[Told]:
    topics = found.table.topics
    yield (
        f"over {count_text(len(topics), 'topic')}; relevant is a grade of {level} or more; a "
        "positive "
        "preference favours the first run of a pair"
    )
    for name in chosen:
        yield f"{name}: {PREFERENCES[name][1]}"
    yield from found.notes
    yield from missing_topic_warnings(found.table, "empty rankings")
    without = int(np.count_nonzero(np.diff(found.start) == 0))
    if without:
        yield f"{count_text(without, 'topic')} without relevant documents: a tie of all runs"


@record
class RelevantRanks:
    """The ranks of the relevant documents in S runs, on T topics.

    table  the topics and the runs, without measures
    start     int64[T+1], each topic's slice of its levels of recall, 1 ... R
    rank      int64[S, n], the rank at each level; `UNSEEN` where the run does not reach it
    notes     what a reader must know: notes and warnings
    """

    table: ScoreTable
    start: Ints
    rank: Ints
    notes: tuple[Told, ...]

    def pairs(self, first: int, second: int) -> RecallPairs:
        """Two of the runs, by their numbers."""
        return RecallPairs(self.start, self.rank[first], self.rank[second])


@record
class _RankedRun:
    """A run with its relevant documents retrieved: number of the topic in the qrels, and rank."""

    table: ScoreTable
    number: Ints
    rank: Ints


class _RanksReader(RunEvaluator):
    """Judgments by grades that find the relevant documents of runs."""

    def __init__(self, qrels: Input, options: Options, format: str) -> None:
        super().__init__(qrels, ["num_rel"], options, qrels_format=format, sign=True)

    @property
    def graded(self) -> GradedJudgments:
        """The judgments."""
        return cast("GradedJudgments", self.prepared_judgments.judgments)

    def num_rel(self, numbers: Ints) -> Ints:
        """int64[]: R of some topics, by their numbers in the qrels."""
        return self.graded.judged_view(empty_rankings(numbers)).num_rel

    def find(self, run: NamedInput, names: NameSource, threads: int) -> tuple[_RankedRun, Scores]:
        """Read a run and find its relevant documents; its scores say what is doubtful."""
        qrels, ranking = self.graded.qrels, self.prepared_judgments.ranking

        def step(rows: Rows) -> tuple[Ranked, JudgedShare]:
            found = rank_rows(rows, qrels, ranking)
            return found, judged_share(found, rows, qrels, ranking)

        read = map_topics(run.source, self.run_layout, step, threads, sign=True)
        parts, topics, ranks = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for each, about in read.results:
            judged = self.graded.judged_view(each)
            parts.append(self.prepared_judgments.part_of(each, judged, about))
            topics.append(each.lists[judged.relevant_topic])
            ranks.append(judged.relevant_rank)
        scores = self.scores_of(parts, read.run_id)
        signature = self.sign(scores, read.sha256).signature
        signature = signature and replace(signature, measures={})
        scores = replace(scores, signature=signature, notices=(*scores.notices, *read.notices))
        table = replace_run_info(run.scored_table(scores, names), duplicates=0)
        return _RankedRun(table, np.concatenate(topics), np.concatenate(ranks)), scores


def relevant_ranks(
    qrels: Input,
    runs: Sequence[Input],
    options: Options,
    *,
    format: str = "qrels",
    names: NameSource = "file",
    watched: Callable[[Iterable[Any], int], Iterable[Any]] = lambda items, _: items,
) -> RelevantRanks:
    """Read runs, each once, and find the ranks of their relevant documents."""
    if format not in GRADED:
        raise UsageError(f"-R {format}: the judgments must be {' or '.join(GRADED)}")
    if options.several_orders:
        raise UsageError("this study needs one order of tied documents: --ties")
    reader = _RanksReader(qrels, options, format)
    threads = options.threads or workers.default_threads()

    def find(run: NamedInput) -> tuple[_RankedRun, Scores]:
        try:
            return reader.find(run, names, threads if len(runs) == 1 else 1)
        except MismatchError as error:
            raise error_naming_run(run.label, error) from None

    inputs = name_inputs(runs)
    read = workers.map_in_order(find, inputs, threads)
    ranked = list(_with_twins(reader, inputs, watched(read, len(runs))))
    tables = distinct_tables([each.table for each in ranked], [each.forms for each in inputs])
    ranked = [ranked[table.runs[0].input_index] for table in tables]
    table, notes = align_topics(tables, tables[0].columns, options)
    doubts = [
        notice._replace(run=each.run_names[0])
        for each in tables
        for notice in filter(concerns_runs, each.warnings)
    ]
    numbers = np.array([reader.graded.qrels.topic_index[t] for t in table.topics], np.int64)
    start = offsets(reader.num_rel(numbers))
    rank = np.stack([_at_levels(each, numbers, start) for each in ranked])
    no_values: Floats = np.zeros((0, len(numbers), len(tables)))
    warnings: tuple[Told, ...] = (*filter(concerns_runs, reader.notices), *doubts, *notes)
    return RelevantRanks(replace(table, columns=(), values=no_values), start, rank, warnings)


def _with_twins(
    reader: RunEvaluator, inputs: Sequence[NamedInput], ranked: Iterable[tuple[_RankedRun, Scores]]
) -> Iterator[_RankedRun]:
    """The runs with what makes them doubtful, also that one is the same as one before."""
    ranked_runs, scores = zip(*ranked, strict=True)
    names = distinct_names([each.forms for each in inputs])
    outcomes = reader.add_twin_warnings(
        zip([each.source for each in inputs], scores, strict=True), names
    )
    for run, (_, outcome) in zip(ranked_runs, outcomes, strict=True):
        if isinstance(outcome, IrevError):
            yield run
        else:
            yield replace(run, table=replace(run.table, warnings=outcome.notices))


def _at_levels(run: _RankedRun, numbers: Ints, start: Ints) -> Ints:
    """int64[n]: the rank at each level of recall of the topics that count."""
    place = np.full(max(numbers.max(), run.number.max(initial=0)) + 1, -1)
    place[numbers] = np.arange(len(numbers))
    topic = place[run.number]
    kept = np.flatnonzero(topic >= 0)
    # a topic's documents follow one another by rank
    kept = kept[np.argsort(topic[kept], kind="stable")]
    begin = starts_of(topic[kept], len(numbers))
    rank = np.full(int(start[-1]), UNSEEN)
    rank[ranges(start[:-1], start[:-1] + np.diff(begin))] = run.rank[kept]
    return rank
