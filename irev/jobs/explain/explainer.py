"""How scores of a topic come about: one record for each column that was asked for."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.core.model import Column, Input, Settings, asked_order
from irev.core.record import record
from irev.core.text import as_text
from irev.engine.run_evaluator import RunEvaluator
from irev.errors import IrevError, MismatchError, UsageError
from irev.jobs.explain.details import DIVISORS, HEADINGS, Traced
from irev.jobs.explain.topic import (
    RankedTopic,
    ranked_topics,
    values_of_beginnings,
)
from irev.measures.registry import Fractions, Measure
from irev.options import Options
from irev.rank.judgments import ClassJudgments, SampleJudgments

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.views import Inclusions, Strata
    from irev.measures.requests import Request
    from irev.scores.scores import Scores

Cell: TypeAlias = float | int | str | None


@record(eq=True)
class Fact:
    """Something that holds for the whole ranking: the divisor, the ideal list, a count."""

    name: str
    value: Cell
    meaning: str = ""


@record(eq=True)
class ExplainedScore:
    """How one column's value for one topic comes about.

    `columns` has a list for each heading, a cell for each rank: `rank`, `document`, `score`,
    `grade` (None: not in the qrels; negative: pooled but not judged), what the formula of the
    measure speaks of, `adds` and `value`. `value` is the value of the ranking if it ended there;
    `adds` is by how much it exceeds the one before (None where either is infinite). `start` is the
    value of an empty ranking. `start` and all of `adds` together are `score`.
    """

    name: str
    measure: Measure
    topic: str
    score: float
    start: float
    columns: dict[str, list[Cell]]
    facts: tuple[Fact, ...]
    cutoff: int | None = None


class Explainer:
    """Explains the values of measures for topics of runs, given the judgments."""

    def __init__(
        self,
        qrels: Input,
        measures: Sequence[str],
        options: Options,
        format: str,
        *,
        sign: bool = False,
    ) -> None:
        """Read the judgments.

        `format` is what they hold; `sign`: whether the scores of runs are signed.
        """
        if options.several_orders:
            raise UsageError("one order of tied documents can be explained, not several")
        self.evaluator = evaluator = RunEvaluator(
            qrels, measures, options, qrels_format=format, sign=sign
        )
        self.ranking = options.ranking(format)
        self._asked = [
            (request, place, column)
            for request in evaluator.requests
            for place, column in enumerate(request.columns)
        ]
        columns = [column for *_, column in self._asked]
        self._explained = [n for n in asked_order(columns) if _has_number(columns[n])]
        if not self._explained:
            names = ", ".join(column.name for _, _, column in self._asked)
            raise UsageError(f"there is no number for a topic to explain in {names}")
        prepared_judgments = evaluator.prepared_judgments
        top = float(prepared_judgments.qrels.level_grade.max(initial=0))
        judgments = prepared_judgments.judgments
        self._is_graded = not isinstance(judgments, ClassJudgments)
        self._sample = judgments.sample if isinstance(judgments, SampleJudgments) else None
        self._settings, self._top = options.settings, top

    def explain(self, ranking: RankedTopic) -> list[ExplainedScore]:
        """An explanation for each column that has a number for a topic."""
        values = values_of_beginnings(ranking, self.evaluator.prepared_judgments)
        is_plain = len(ranking.grade) == 1 and self._is_graded
        number = self.evaluator.prepared_judgments.qrels.topic_index[ranking.rows.topics[0]]
        view = _View(self._settings, self._top, is_plain, number, self._sample)
        return [_explanation(*self._asked[n], ranking, values[:, n], view) for n in self._explained]

    def scores(self, run: Input) -> Scores:
        """The scores of all topics of a run."""
        ((_, outcome),) = self.evaluator.outcomes([run])
        if isinstance(outcome, IrevError):
            raise outcome
        return outcome

    def worst(self, scores: Scores) -> bytes:
        """The topic with the worst value of the first measure, of equal ones the first.

        Topics without a relevant document are passed over: there is nothing to explain.
        """
        request, _, column = self._asked[self._explained[0]]
        values = scores.values[:, [each.name for each in scores.columns].index(column.name)]
        without = set(scores.account.without_relevant)
        is_empty = np.array([topic in without for topic in scores.topics])
        values = np.where(is_empty, np.nan, values)
        if np.isnan(values).all():
            what = "a relevant document" if is_empty.all() else f"a value of {column.name}"
            raise MismatchError(f"no topic has {what}: name one with -t")
        is_worse_higher = request.measure.higher_is_better is False
        return scores.topics[int(np.nanargmin(-values if is_worse_higher else values))]

    def topics(self, run: Input, wanted: Container[bytes]) -> dict[bytes, list[ExplainedScore]]:
        """The explanations of some topics of a run, without those that it lacks."""
        found, _ = ranked_topics(run, self.evaluator, self.ranking, wanted)
        return {each.rows.topics[0]: self.explain(each) for each in found}


def _has_number(column: Column) -> bool:
    return column.per_topic and column.kind != "text"


@record(eq=True)
class _View:
    """What all explanations of a call share."""

    settings: Settings
    top: float
    """The highest grade of the qrels."""
    is_plain: bool
    """Whether a document has one grade, whatever stands before it."""
    number: int
    """The number of the topic in the qrels."""
    sample: Strata | Inclusions | None
    """How the judgments were drawn, where that is known."""


def _explanation(
    request: Request,
    place: int,
    column: Column,
    ranking: RankedTopic,
    values: Floats,
    view: _View,
) -> ExplainedScore:
    columns: dict[str, list[Cell]] = {
        "rank": list(range(1, len(ranking.order) + 1)),
        "document": [as_text(document) for document in ranking.documents],
        "score": list(ranking.score.tolist()),
        **_grades(request.measure, ranking),
    }
    cutoff = _cutoff(request, place)
    facts = [Fact("retrieved", len(ranking.order), "documents in the ranking")]
    if view.is_plain and request.measure.needs in ("qrels", "any"):
        traced, rows = _traced(request, cutoff, ranking, view)
        for heading in request.measure.shows:
            cells = HEADINGS[heading](traced).tolist()
            columns[heading] = _placed(cells, rows, len(ranking.order))
        facts += _facts(request.measure, traced)
    elif view.is_plain and view.sample and request.measure.needs in ("strata", "prels"):
        found, terms = _of_sample(request, cutoff, ranking, view, view.sample)
        columns |= found
        facts += terms
    columns["adds"] = _steps(values.tolist())
    columns["value"] = [_tidy(value) for value in values[1:].tolist()]
    return ExplainedScore(
        column.name, request.measure, as_text(ranking.rows.topics[0]), float(values[-1]),
        float(values[0]), columns, tuple(facts), cutoff if isinstance(cutoff, int) else None,
    )  # fmt: skip


def _grades(measure: Measure, ranking: RankedTopic) -> dict[str, list[Cell]]:
    """The grade of each rank, in a column for each judged list."""
    if measure.needs == "prefs":
        return {"judged": ["yes" if grade >= 0 else "no" for grade in ranking.grade[0].tolist()]}
    shown: list[list[Cell]] = [
        # the codes of the engine in the terms of a qrels file
        [None if grade == -1 else -1 if grade < 0 else _tidy(grade) for grade in grades.tolist()]
        for grades in ranking.grade
    ]
    if len(shown) == 1:
        return {"grade": shown[0]}
    return {f"grade {number}": grades for number, grades in enumerate(shown, 1)}


def _traced(
    request: Request, cutoff: float | None, ranking: RankedTopic, view: _View
) -> tuple[Traced, Ints]:
    """The ranking as the measure sees it, and which of the ranks those are."""
    grade, value, least = ranking.grade[0], request.arguments, -math.inf
    level = view.settings.level if value.level is None else value.level
    rows = np.flatnonzero(grade >= 0) if value.condensed else np.arange(len(grade))
    if not request.measure.position:
        least = level if request.measure.relevant_gains else value.level or 0
    traced = Traced(grade[rows], ranking.ideal[0], level, least, cutoff, value, view.top)
    return traced, rows


def _of_sample(
    request: Request,
    cutoff: float | None,
    ranking: RankedTopic,
    view: _View,
    sample: Strata | Inclusions,
) -> tuple[dict[str, list[Cell]], list[Fact]]:
    """The columns and the facts of a measure of samples."""
    from irev.jobs.explain.samples import sampled_terms

    traced, rows = _traced(request, cutoff, ranking, view)
    depth = cutoff if isinstance(cutoff, int) else view.settings.depth
    if request.measure.needs == "strata":
        rows = rows[:depth]
        traced = replace(traced, grade=traced.grade[:depth])
    found, terms = sampled_terms(
        request.measure.shows, traced, ranking.row[0][rows], view.number, sample, depth
    )
    count = len(ranking.order)
    columns = {heading: _placed(cells, rows, count) for heading, cells in found.items()}
    return columns, [Fact(name, _tidy(value), meaning) for name, value, meaning in terms]


def _cutoff(request: Request, place: int) -> float | None:
    """Where a column is cut, at a rank or at a level of recall."""
    if isinstance(request.measure.parameter, Fractions):
        return None
    return request.cutoff(place)


def _placed(cells: Sequence[Any], rows: Ints, count: int) -> list[Cell]:
    """One cell for each rank; None where the measure does not see the document."""
    placed: list[Cell] = [None] * count
    for row, cell in zip(rows.tolist(), cells, strict=True):
        placed[row] = _tidy(cell) if isinstance(cell, float) else cell
    return placed


def _tidy(value: float) -> float | int:
    """A whole number as such."""
    return int(value) if math.isfinite(value) and value == int(value) else value


def _steps(values: list[float]) -> list[Cell]:
    """By how much each value exceeds the one before."""
    return [
        _tidy(after - before) if math.isfinite(after) and math.isfinite(before) else None
        for before, after in pairwise(values)
    ]


def _facts(measure: Measure, traced: Traced) -> list[Fact]:
    relevant = int(traced.relevant.sum())
    facts = [
        Fact("relevant", traced.num_rel, f"documents graded {traced.level} or higher"),
        Fact("relevant retrieved", relevant, "of these"),
        Fact("judged non-relevant", len(traced.ideal) - traced.num_rel, "documents of the qrels"),
        Fact("ideal list", _in_short(traced.ideal_gain), "the positive gains, highest first"),
    ]
    if measure.divisor:
        divisor, meaning = DIVISORS[measure.divisor](traced)
        facts.append(Fact("divisor", _tidy(divisor), meaning))
    return facts


def _in_short(gains: Floats) -> str:
    """Gains, each with how often it occurs: `3 x 2, 1 x 4`."""
    levels, counts = np.unique(gains, return_counts=True)
    pairs = zip(levels.tolist()[::-1], counts.tolist()[::-1], strict=True)
    return ", ".join(f"{gain:g} x {count}" for gain, count in pairs) or "empty"
