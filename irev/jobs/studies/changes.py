"""Rankings of one topic that differ in their judgments, and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.extras import Extras, RunScores, TieSpans
from irev.core.model import Judged, Settings
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import drop_repeated_columns, measure_all, needs_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.measures.requests import Request
    from irev.options import Options

OUTSIDE, POOLED = -1.0, -2.0
"""What stands for a grade where a document is not in the judgments, or pooled but unjudged."""

CELLS = 1 << 21
"""How many grades of a stack are worth holding at once."""


@record
class Stack:
    """V rankings of one length, that hold a judged document at some of J ranks.

    rank     int64[J], rising, from 1
    grade    float64[V, J]; >= 0 judged, -1 not in the judgments, -2 pooled but unjudged
    score    float64[n], the scores of the n documents of a ranking, falling
    level    float64[K], the grades >= 0 that the judgments may hold, rising
    count    int64[V, K], how many documents of the judgments have each, retrieved or not
    pooled   int64[V], how many documents are pooled but unjudged, retrieved or not
    """

    rank: Ints
    grade: Floats
    score: Floats
    level: Floats
    count: Ints
    pooled: Ints

    def judged(self, settings: Settings, *, ties: bool, scores: bool) -> Judged:
        """The rankings as measures see them; ties and scores where they are asked for."""
        number, column = np.nonzero(self.grade != OUTSIDE)
        rankings, length = len(self.grade), len(self.score)
        rank = self.rank[column]
        of_ranking, of_level = np.nonzero(self.count)
        same = np.zeros(rankings, np.int64)
        of_topic = RunScores.build(self.score, np.array([0, length])) if scores else None
        return Judged(
            number,
            rank,
            self.grade[number, column],
            np.full(rankings, length),
            np.searchsorted(of_ranking, np.arange(rankings + 1)),
            self.level[of_level],
            self.count[of_ranking, of_level],
            settings,
            self.pooled,
            Extras(
                _spans(self.score, rank) if ties else None,
                of_topic and of_topic.take_topics(same, self.score[rank - 1]),
            ),
        )


def _spans(score: Floats, rank: Ints) -> TieSpans:
    """The groups of equal scores that documents at some ranks stand in."""
    first = np.searchsorted(-score, -score, "left")
    size = np.searchsorted(-score, -score, "right") - first
    return TieSpans(first[rank - 1] + 1, size[rank - 1])


class Scorer:
    """Measures that have a number for a ranking, ready for stacks.

    requests  what is computed
    names     C printed names
    definitions  printed name -> irev's own name with all parameters, for each
    places    (request, its column) for each of them
    columns   which of all the columns of the requests they are
    """

    def __init__(self, measures: Sequence[str], options: Options, highest: float) -> None:
        """Resolve the names; scales that are left open end at the highest grade."""
        if options.several_orders or options.ties in ("optimistic", "pessimistic"):
            raise UsageError(
                "this study changes judgments, so ties cannot be ordered by grade: --ties"
            )
        asked = resolve_names(measures, options)
        self.requests = drop_repeated_columns([request.close_scales(highest) for request in asked])
        self.settings = options.settings
        self._highest = highest
        for request in self.requests:
            _check(request)
        every = [
            (request, number, column)
            for request in self.requests
            for number, column in enumerate(request.columns)
        ]
        self.columns = [n for n, (_, _, c) in enumerate(every) if c.per_topic and c.kind != "text"]
        if not self.columns:
            raise UsageError(f"there is no number for a ranking in {', '.join(measures)}")
        self.names = tuple(every[n][2].name for n in self.columns)
        self.definitions = {
            c.name: c.canonical or c.name for c in (every[n][2] for n in self.columns)
        }
        self.places: tuple[tuple[Request, int], ...] = tuple(every[n][:2] for n in self.columns)

    def values(self, stack: Stack) -> Floats:
        """float64[V, C]: the value of each measure for each ranking.

        NaN where a grade lies above the highest one and the measure's scale ends there.
        """
        requests = self.requests
        is_beyond = stack.level.max(initial=0.0) > self._highest
        fits = [not (is_beyond and _has_scale(request)) for request in requests]
        judged = stack.judged(
            self.settings,
            ties=any(request.measure.ties for request in requests),
            scores=any(request.measure.scores for request in requests),
        )
        every = np.full(len(stack.grade), -1)
        some = [request for request, is_fit in zip(requests, fits, strict=True) if is_fit]
        kept = np.repeat(fits, [len(request.columns) for request in requests])
        found = np.full((len(every), len(kept)), np.nan)
        found[:, kept] = measure_all(some, every, judged).values
        return found[:, self.columns]


def _has_scale(request: Request) -> bool:
    return any(option.kind == "scale" for option in request.measure.options.values())


def _check(request: Request) -> None:
    name = request.columns[0].name
    if request.measure.needs not in ("qrels", "any"):
        raise UsageError(f"{name} needs judgments by {request.measure.needs}, not by grades alone")
    if needs_ids(request):
        raise UsageError(f"{name} looks at the ids of documents, which are not known here")


def falling_scores(count: int) -> Floats:
    """float64[n]: n, n - 1, ... 1, for rankings that were made."""
    return np.arange(count, 0, -1, dtype=float)


def counted(grades: Floats) -> tuple[Floats, Ints]:
    """(the different grades >= 0, rising; how many documents have each)."""
    level, count = np.unique(grades[grades >= 0], return_counts=True)
    return level, count


_STEP = 2.0**-12
"""By how much a grade is raised where a slope is measured."""


@record
class JudgedRanking:
    """One ranking and the judgments of its topic.

    grade   float64[n], of each rank; -1 not in the judgments, -2 pooled but unjudged
    ideal   float64[], the grades >= 0 of the judgments, retrieved or not, falling
    score   float64[n], falling
    pooled  how many documents are pooled but unjudged, retrieved or not
    """

    grade: Floats
    ideal: Floats
    score: Floats
    pooled: int = 0


@record
class Changes:
    """V changes of one ranking, each of one document.

    place     int64[V], the document's place in the ranking, from 0; -1: it was not retrieved
    old, new  float64[V], its grade before (-1, -2 as in a ranking) and after
    grows     whether the judgments hold the new grade too: R, the number of relevant documents,
              grows, and the ideal list is recomputed; otherwise both stay as they are
    """

    place: Ints
    old: Floats
    new: Floats
    grows: bool

    def pieces(self, size: int) -> Iterator[Changes]:
        """The same, so many at a time."""
        for begin in range(0, len(self.place), size):
            some = slice(begin, begin + size)
            yield Changes(self.place[some], self.old[some], self.new[some], self.grows)


def score_before(scorer: Scorer, ranking: JudgedRanking) -> Floats:
    """float64[C]: the value of each measure as the ranking is."""
    nothing = Changes(np.array([-1]), np.zeros(1), np.zeros(1), grows=False)
    found: Floats = scorer.values(_stack(ranking, nothing))[0]
    return found


def scores_after(scorer: Scorer, ranking: JudgedRanking, changes: Changes) -> Floats:
    """float64[V, C]: the value of each measure after each change, by scoring it again."""
    size = max(1, CELLS // max(1, len(ranking.grade)))
    found = [scorer.values(_stack(ranking, some)) for some in changes.pieces(size)]
    return np.concatenate([np.zeros((0, len(scorer.names))), *found])


def _stack(ranking: JudgedRanking, changes: Changes) -> Stack:
    """The ranking once for each change."""
    rows = np.arange(len(changes.place))
    grade = np.repeat(ranking.grade[None, :], len(rows), axis=0)
    here = np.flatnonzero(changes.place >= 0)
    grade[here, changes.place[here]] = changes.new[here]
    levels = np.unique(np.concatenate([ranking.ideal, changes.new]))
    base = np.bincount(np.searchsorted(levels, ranking.ideal), minlength=len(levels))
    count = np.repeat(base[None, :], len(rows), axis=0)
    pooled = np.full(len(rows), ranking.pooled)
    if changes.grows:
        count[rows, np.searchsorted(levels, changes.new)] += 1
        judged = np.flatnonzero(changes.old >= 0)
        count[judged, np.searchsorted(levels, changes.old[judged])] -= 1
        pooled -= changes.old == POOLED
    ranks = np.arange(1, len(ranking.grade) + 1)
    return Stack(ranks, grade, ranking.score, levels, count, pooled)


def slopes(
    scorer: Scorer, ranking: JudgedRanking, place: Ints, before: Floats, *, grows: bool
) -> Floats:
    """float64[V, C]: the derivative of each measure by the gain of the document at each place.

    It is taken from the values at three grades, the document's own and two a little below it, or
    above it where it would not be relevant below: exact but for rounding where the measure is
    linear or quadratic in the gain. NaN where gains are listed grade by grade, since nothing lies
    between two grades then, and where a grade above would leave the measure's scale.
    """
    old = ranking.grade[place]
    step = np.where(old - 2.0 * _STEP >= scorer.settings.level, -_STEP, _STEP)
    one, two = (
        scores_after(scorer, ranking, Changes(place, old, old + times * step, grows))
        for times in (1, 2)
    )
    found: Floats = (4.0 * one - two - 3.0 * before) / (2.0 * step)[:, None]
    found[:, [_has_listed_gains(request) for request, _ in scorer.places]] = np.nan
    return found


def _has_listed_gains(request: Request) -> bool:
    return isinstance(dict(request.arguments.options).get("gain"), tuple)


def open_places(ranking: JudgedRanking, level: float, depth: int) -> Ints:
    """int64[]: the places, from 0, that hold no relevant document, down to a depth."""
    found: Ints = np.flatnonzero(ranking.grade[:depth] < level)
    return found


def relevant_places(ranking: JudgedRanking, level: float, depth: int) -> Ints:
    """int64[]: the places, from 0, that hold a relevant document, down to a depth."""
    is_relevant: Bools = ranking.grade[:depth] >= level
    return np.flatnonzero(is_relevant)
