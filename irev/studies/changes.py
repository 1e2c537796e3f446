"""What a measure's value becomes when one document of a ranking gets another grade."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.measures.registry import Arguments, GainMap
from irev.studies.stacks import CELLS, POOLED, Scorer, Stack

if TYPE_CHECKING:
    from irev.measures.requests import Request

_STEP = 2.0**-12
"""By how much a grade is raised where a slope is measured."""


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
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
    """float64[V, C]: the value of each measure after each change, by scoring it anew."""
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
    value = request.value
    if isinstance(value, GainMap):
        return bool(value.gains)
    return isinstance(value, Arguments) and isinstance(dict(value.options).get("gain"), tuple)


def open_places(ranking: JudgedRanking, level: float, depth: int) -> Ints:
    """int64[]: the places, from 0, that hold no relevant document, down to a depth."""
    found: Ints = np.flatnonzero(ranking.grade[:depth] < level)
    return found


def relevant_places(ranking: JudgedRanking, level: float, depth: int) -> Ints:
    """int64[]: the places, from 0, that hold a relevant document, down to a depth."""
    is_relevant: Bools = ranking.grade[:depth] >= level
    return np.flatnonzero(is_relevant)
