"""What the scores of a run look like: equal ones, which let ids decide, or ranks.

For equal scores some topics are looked at while the run is ranked, which costs next to nothing. The
bounds were chosen on 87 runs of eight collections of TREC and CLEF, of which two are told: they
have equal scores alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import is_any
from irev.core.wording import count_text
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from irev.core.arrays import TopicCounts, TopicsByRankScores
    from irev.core.judged import Qrels, Rows

_FIRST, ORDER_DEPTH, _FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

_LEAST_TOPICS = 3
"""In fewer topics scores may number the documents by chance, or for a test."""

MOST_GRADES = 20
"""Judgments with more different grades look like scores."""

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


def may_look_like_scores(qrels: Qrels) -> bool:
    """Whether grades are odd enough to look at all of them; mostly a quick no."""
    grades = qrels.level_grade
    if qrels.has_pooled:
        grades = np.concatenate((grades, -qrels.grade[qrels.grade < 0]))
    return bool(len(grades)) and (grades.max() > MOST_GRADES or is_any(grades % 1 > 0))
