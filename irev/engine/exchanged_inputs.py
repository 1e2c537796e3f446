"""Judgments and a run that were exchanged, or one input given as both: what their numbers tell.

All numbers are looked at, but only where the judgments may be scores. The bounds were chosen on
real pairs of judgments and runs, and on random ones of many kinds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.engine.equal_scores import EXCHANGED, MOST_GRADES
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import RowValues, TopicOfRow

_HIGHEST_GRADE, _GRADE_STEPS = 5, (20, 3)
"""Grades that are fractions mostly are no higher, and multiples of 0.05 or of a third."""

_MOST_EQUAL_SCORES, _LEAST_EQUAL_GRADES = 0.05, 0.1
"""Of the pairs of documents of a topic so many have equal scores at most, equal grades at least."""

_MOST_POINTS = 100
"""Whole grades are no higher, be it points."""

_ENOUGH_PAIRS = 45
"""Fewer pairs of documents may all have different grades by chance."""


class NumberFacts(NamedTuple):
    """What the scores or the grades of some whole topics look like.

    num_rows       documents
    num_pairs      pairs of documents of one topic
    num_equal      those of them with equal numbers
    num_odd        documents whose number is no whole one, or beyond `_MOST_POINTS`
    distinct       the different numbers, no more than one beyond `MOST_GRADES`
    are_places     whether the numbers of each topic fall by one, as those of ranked lists do
    total          the sum of all
    """

    num_rows: int
    num_pairs: int
    num_equal: int
    num_odd: int
    distinct: frozenset[float]
    are_places: bool
    total: float

    @property
    def look_like_scores(self) -> bool:
        """Whether they are fractions, or many, of which hardly two are equal within a topic."""
        are_many = len(self.distinct) > MOST_GRADES
        if not (are_many or 2 * self.num_odd > self.num_rows):
            return False
        if not self.num_pairs and len(self.distinct) < min(self.num_rows, MOST_GRADES + 1):
            return False
        if all(map(_is_usual_grade, self.distinct)):
            return self.num_pairs >= _ENOUGH_PAIRS and not self.num_equal
        return self.num_equal <= _MOST_EQUAL_SCORES * self.num_pairs

    def look_like_grades(self, num_pairs_of_judgments: int) -> bool:
        """Whether they are few, and neither places in ranked lists nor all different."""
        if len(self.distinct) > MOST_GRADES:
            return False
        if self.num_odd:
            # a fraction may be a score, too: so few different ones are grades
            enough = self.num_pairs >= _ENOUGH_PAIRS
            return enough and self.num_equal >= _LEAST_EQUAL_GRADES * self.num_pairs
        if not self.num_pairs:
            # one document for each topic is a short list, or all that is relevant
            return num_pairs_of_judgments >= _ENOUGH_PAIRS
        are_low = max(map(abs, self.distinct)) <= 2 * _HIGHEST_GRADE
        return not self.are_places and (self.num_equal > 0 or are_low)

    def are_those_of(self, other: NumberFacts) -> bool:
        """Whether they seem to be the same numbers."""
        is_same_total = math.isclose(self.total, other.total)
        return self._replace(total=0.0) == other._replace(total=0.0) and is_same_total


def number_facts(topic_of_row: TopicOfRow, numbers: RowValues) -> NumberFacts:
    """What the numbers of some whole topics look like, in whatever order."""
    order = np.lexsort((numbers, topic_of_row))
    topic, rising = topic_of_row[order], numbers[order]
    of_one_topic = topic[1:] == topic[:-1]
    ends = (
        np.flatnonzero(np.append(True, ~of_one_topic)),
        np.flatnonzero(np.append(True, ~of_one_topic | (rising[1:] != rising[:-1]))),
    )
    num_pairs, num_equal = (
        int((length * (length - 1) // 2).sum())
        for length in (np.diff(start, append=len(topic)) for start in ends)
    )
    with np.errstate(all="ignore"):  # of infinite scores, and of very large ones
        differences = rising[1:][of_one_topic] - rising[:-1][of_one_topic]
        total = float(numbers.sum())
    distinct = np.unique(rising)[: MOST_GRADES + 1].tolist()
    is_odd = (numbers != np.floor(numbers)) | (np.abs(numbers) > _MOST_POINTS)
    return NumberFacts(
        len(numbers), num_pairs, num_equal, int(np.count_nonzero(is_odd)), frozenset(distinct),
        bool((differences == 1).all()), total,
    )  # fmt: skip


def total_number_facts(parts: Sequence[NumberFacts]) -> NumberFacts:
    """The same of all parts of an input."""
    distinct = sorted(frozenset().union(*(part.distinct for part in parts)))
    return NumberFacts(
        sum(part.num_rows for part in parts), sum(part.num_pairs for part in parts),
        sum(part.num_equal for part in parts), sum(part.num_odd for part in parts),
        frozenset(distinct[: MOST_GRADES + 1]), all(part.are_places for part in parts),
        sum(part.total for part in parts),
    )  # fmt: skip


def exchanged_input_warnings(
    judgments: NumberFacts, run: NumberFacts, *, is_same_input: bool
) -> Iterator[Notice]:
    """A warning where judgments look like scores and scores like grades, or both are one input."""
    if is_same_input and run.are_those_of(judgments):
        yield Notice(
            EXCHANGED,
            "the judgments were given as the run, too: each document has its grade as its score",
            "name the run behind the judgments",
        )
    elif judgments.look_like_scores and run.look_like_grades(judgments.num_pairs):
        kind = "few" if run.num_odd else "few whole"
        yield Notice(
            EXCHANGED,
            f"the scores of the run are {kind} numbers",
            "the judgments have many different grades: are run and judgments exchanged? the "
            "judgments come first",
        )


def _is_usual_grade(number: float) -> bool:
    """Whether a number is one of those that people and models give as grades."""
    if number.is_integer():
        return 0 <= number <= _MOST_POINTS
    return 0 <= number <= _HIGHEST_GRADE and any(
        math.isclose(number * step, round(number * step), abs_tol=0.01) for step in _GRADE_STEPS
    )
