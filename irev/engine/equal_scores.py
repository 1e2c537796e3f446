"""What the scores of a run look like: equal ones, which let ids decide; ranks; grades.

For equal scores some topics are looked at while the run is ranked, which costs next to nothing. The
bounds were chosen on 87 runs of eight collections of TREC and CLEF, of which two are told: they
have equal scores alone. All scores are looked at where the judgments look like scores.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import is_any
from irev.core.wording import count_text
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from irev.core.arrays import RowValues, TopicCounts, TopicOfRow, TopicsByRankScores
    from irev.core.model import Qrels, Rows

_FIRST, ORDER_DEPTH, _FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

_LEAST_TOPICS = 3
"""In fewer topics scores may number the documents by chance, or for a test."""

_MOST_GRADES = 20
"""Judgments with more different grades look like scores."""

_HIGHEST_GRADE, _GRADE_STEPS = 5, (20, 3)
"""Grades that are fractions mostly are no higher, and multiples of 0.05 or of a third."""

_MOST_EQUAL_SCORES, _LEAST_EQUAL_GRADES = 0.05, 0.1
"""Of the pairs of documents of a topic so many have equal scores at most, equal grades at least."""

_MOST_POINTS = 100
"""Whole grades are no higher, be it points."""

_ENOUGH_PAIRS = 45
"""Fewer pairs of documents may all have different grades by chance."""

EXCHANGED = "exchanged-inputs"
"""The kind of the warning that run and judgments seem to be exchanged."""

RANKS_DECIDE = "--ties rank ranks by the rank column"
_INPUT_DECIDES = "--ties input keeps the order of the run"
_ALL_ORDERS_COUNT = "--ties average takes the mean over all orders"


class EqualScoreCounts(NamedTuple):
    """How many topics of a run have equal scores at the top.

    num_topics  topics whose scores were looked at
    num_tied    those of them whose first 10 documents, or all of fewer, have the same score
    num_coarse  those of them whose first 20 documents have 4 different scores at most
    num_numbered  those of them whose scores number the lines: 1, 2, 3 ...
    num_short   those of the tied ones that have fewer than 10 documents
    """

    num_topics: int = 0
    num_tied: int = 0
    num_coarse: int = 0
    num_numbered: int = 0
    num_short: int = 0

    @property
    def are_mostly_tied(self) -> bool:
        """Whether in most topics nothing but equal scores stands first."""
        return 2 * self.num_tied > self.num_topics


def deep_topics(rows: Rows, topic_ids: Collection[bytes]) -> list[int]:
    """Which topics of some rows are among the given ones, and say something of equal scores."""
    start = rows.start
    return [
        index
        for index, topic in enumerate(rows.topics)
        if topic in topic_ids and start[index + 1] - start[index] >= _LEAST_DOCUMENTS
    ]


def numbered_topic_counts(
    rows: Rows, topic_indices: Sequence[int] | None = None
) -> EqualScoreCounts:
    """How many of some topics, or of all deep ones, number their lines, as ranks do: no more."""
    if topic_indices is None:
        topic_indices = deep_topics(rows, set(rows.topics))
    starts = rows.start.tolist()
    num_numbered = 0
    for index in topic_indices:
        scores = rows.value[starts[index] : starts[index + 1]]
        num_numbered += scores[0] in (0, 1) and bool(
            (scores == scores[0] + np.arange(len(scores))).all()
        )
    return EqualScoreCounts(len(topic_indices), num_numbered=num_numbered)


def numbering_warnings(parts: Sequence[EqualScoreCounts]) -> Iterator[Notice]:
    """A warning where the scores of a run without ranks look like ranks, given all its parts."""
    counts = total_equal_scores(parts)
    if counts is not None and counts.num_numbered == counts.num_topics >= _LEAST_TOPICS:
        yield Notice(
            "rank-order",
            "the scores number the documents of each topic, 1, 2, 3, ...",
            "are they ranks? higher scores rank first: write 1/rank, or lists of documents",
        )


def count_topics_with_equal_scores(
    top_scores: TopicsByRankScores, num_documents: TopicCounts
) -> EqualScoreCounts:
    """How many topics have equal scores at the top, given how many documents each has.

    `top_scores`: float64[T, `ORDER_DEPTH`], falling; the last one fills up.
    """
    num_tied = num_coarse = num_short = 0
    for scores, size in zip(top_scores.tolist(), num_documents.tolist(), strict=True):
        if scores[0] == scores[_FIRST - 1]:
            num_tied += 1
            num_short += size < _FIRST
        elif size >= ORDER_DEPTH and len(set(scores)) <= _FEW_VALUES:
            num_coarse += 1
    return EqualScoreCounts(len(num_documents), num_tied, num_coarse, num_short=num_short)


def total_equal_scores(parts: Sequence[EqualScoreCounts]) -> EqualScoreCounts | None:
    """The same of all parts of a run; None: nobody looked at any."""
    return EqualScoreCounts(*map(sum, zip(*parts, strict=True))) if parts else None


def equal_score_warnings(
    counts: EqualScoreCounts,
    *,
    has_ranks: bool,
    may_average: bool = True,
    has_tie_range: bool = False,
) -> Iterator[Notice]:
    """Warnings where ids order the equal scores of most topics of a run.

    `has_ranks`: ranks stand beside the scores. `may_average`: the judgments allow several orders of
    equal scores. `has_tie_range`: the range over these orders is told already.
    """
    num_few = counts.num_tied + counts.num_coarse
    if 2 * num_few <= counts.num_topics:
        return
    topics = f"{count_text(counts.num_topics, 'topic')} looked at"
    advice = [RANKS_DECIDE if has_ranks else _INPUT_DECIDES]
    of_fewer = ", or all of fewer," if counts.num_short else ""
    if counts.are_mostly_tied:
        first = f"the first {_FIRST} documents{of_fewer}"
        if counts.num_short == counts.num_tied:
            first = "all documents"
        if may_average and not has_ranks:
            advice.append(_ALL_ORDERS_COUNT)
        yield Notice(
            "constant-scores",
            f"{first} have equal scores in {counts.num_tied} of {topics}, so that ids decide",
            ", ".join(advice),
        )
    else:
        if may_average and not has_tie_range:
            advice.append("--tie-range shows how much it matters")
        yield Notice(
            "few-scores",
            f"the first {ORDER_DEPTH} documents{of_fewer} have at most {_FEW_VALUES} different "
            f"scores in {num_few} of {topics}, so that ids decide often",
            ", ".join(advice),
        )


# scores or grades


class NumberFacts(NamedTuple):
    """What the scores or the grades of some whole topics look like.

    num_rows       documents
    num_pairs      pairs of documents of one topic
    num_equal      those of them with equal numbers
    num_odd        documents whose number is no whole one, or beyond `_MOST_POINTS`
    distinct       the different numbers, no more than one beyond `_MOST_GRADES`
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
        are_many = len(self.distinct) > _MOST_GRADES
        if not (are_many or 2 * self.num_odd > self.num_rows):
            return False
        if not self.num_pairs and len(self.distinct) < min(self.num_rows, _MOST_GRADES + 1):
            return False
        if all(map(_is_usual_grade, self.distinct)):
            return self.num_pairs >= _ENOUGH_PAIRS and not self.num_equal
        return self.num_equal <= _MOST_EQUAL_SCORES * self.num_pairs

    def look_like_grades(self, num_pairs_of_judgments: int) -> bool:
        """Whether they are few, and neither places in ranked lists nor all different."""
        if len(self.distinct) > _MOST_GRADES:
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
    distinct = np.unique(rising)[: _MOST_GRADES + 1].tolist()
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
        frozenset(distinct[: _MOST_GRADES + 1]), all(part.are_places for part in parts),
        sum(part.total for part in parts),
    )  # fmt: skip


def may_look_like_scores(qrels: Qrels) -> bool:
    """Whether grades are odd enough to look at all of them; mostly a quick no."""
    grades = qrels.level_grade
    if qrels.has_pooled:
        grades = np.concatenate((grades, -qrels.grade[qrels.grade < 0]))
    return bool(len(grades)) and (grades.max() > _MOST_GRADES or is_any(grades % 1 > 0))


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
