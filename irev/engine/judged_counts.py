"""How much of a run is judged, counted while it is ranked.

Where all is well this costs a few counts; examples are taken only where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Ints, TopicCounts, TopicsByRankScores, is_any
from irev.core.judged import Qrels, Rows
from irev.core.record import record
from irev.engine.spellings import TopicJudgedIds
from irev.rank.ranking import Ranked, RankingRule, first_rows

SHALLOW = 10
"""The rank down to which the share of judged documents is told."""

TOP = 5
"""The rank down to which documents should be judged, where those below are."""

FEW, MOST = 0.1, 0.75
"""A share of judged documents that is less is a warning; one that makes some of the others looked
at."""

MOST_SAMPLES, SOME_SAMPLES = 50, 4
"""Of so many topics of a part of a run the first documents are looked at, where few are judged, and
where many are not."""

LEAST_FACTOR = 5
"""How many times as many documents another way of writing must make judged."""

_FEW_JUDGMENTS = 1 << 17
"""Up to so many judgments, the documents of all of them are kept for the doubts about many runs."""

_SOME_ROWS = 99
"""Among so many judged documents one mostly has a grade."""

_SPARSE = 5
"""With fewer judgments a topic, in the mean, good runs have hardly a judged document either."""


class JudgedCounts(NamedTuple):
    """Counts of how much of some rankings is judged.

    retrieved       documents of judged topics
    is_judged       whether one of them has a grade
    shallow         documents up to rank `SHALLOW`
    shallow_judged  how many of these stand in the judgments
    depths          int64[], how many documents each ranking has
    top_judged      those of them up to rank `TOP`
    equal_scores    how many topics have equal scores at the top; None: nobody looked
    samples         where few are judged: topics, each with its documents up to rank `SHALLOW`
    """

    retrieved: int
    is_judged: bool
    shallow: int
    shallow_judged: int
    depths: Ints
    samples: Sequence[tuple[bytes, list[bytes]]] = ()
    top_judged: int = 0
    equal_scores: EqualScoreCounts | None = None

    @property
    def is_few(self) -> bool:
        """Whether of the first documents hardly one is judged."""
        return self.shallow_judged < FEW * self.shallow or not self.is_judged

    @property
    def is_partial(self) -> bool:
        """Whether many of the first documents are not judged."""
        return self.shallow_judged < MOST * self.shallow


def judged_counts(ranked: Ranked, rows: Rows, qrels: Qrels, ranking: RankingRule) -> JudgedCounts:
    """How much of some topics of a run is judged."""

    def judged_topics() -> Iterator[int]:
        return (n for n, topic in enumerate(rows.topics) if topic in qrels.topic_index)

    def count_retrieved() -> int:
        return sum(_num_rows(rows, number) for number in judged_topics())

    count = count_judged(ranked, qrels, ranking, count_retrieved)
    scored = deep_topics(rows, qrels.sampled_topics) if ranking.ties != "rank" else []
    # of a topic without documents, which may all have been left out, there is nothing to look at
    with_documents = (number for number in judged_topics() if _num_rows(rows, number))
    sampled = [*islice(with_documents, _num_samples(count, ranked, qrels))]
    topics = [*dict.fromkeys([*scored, *sampled])] if sampled else scored
    if not topics:
        return count
    order = ranked.order
    numbered = numbered_topic_counts(rows, scored)
    if not sampled and order is not None and order.has_no_ties:
        return JudgedCounts(*count[:-1], numbered)
    key = -rows.value if ranking.ties == "rank" else rows.value
    is_in_order = order is not None and order.rises is None
    first = first_rows(rows, key, topics, ORDER_DEPTH, is_in_order=is_in_order)
    top_scores = rows.value[first[: len(scored)]]
    samples: tuple[tuple[bytes, list[bytes]], ...] = ()
    if sampled:
        place = {topic: index for index, topic in enumerate(topics)}
        shallow = first[[place[topic] for topic in sampled], :SHALLOW]
        docs = iter(rows.docs.take(shallow.ravel()).to_list())
        samples = tuple(
            (rows.topics[topic], [*islice(docs, shallow.shape[1])][: _num_rows(rows, topic)])
            for topic in sampled
        )
    equal_scores = count_topics_with_equal_scores(top_scores, rows.topic_lengths[scored])
    equal_scores = equal_scores._replace(num_numbered=numbered.num_numbered)
    return count._replace(equal_scores=equal_scores, samples=samples)


def _num_samples(count: JudgedCounts, ranked: Ranked, qrels: Qrels) -> int:
    """Of how many topics the first documents are looked at."""
    is_few = count.is_few
    if not (is_few or count.is_partial):
        return 0
    is_whole_run = len(ranked.lists) == len(qrels.start)
    are_sparse = is_sparse(len(qrels.grade), len(qrels.topics), qrels.has_nonrelevant)
    if is_whole_run and are_sparse and not is_few:
        return 0  # of sparse judgments nothing is said then, unless few of another part are judged
    is_all_judged = is_whole_run and count.is_judged and len(ranked.row) == len(qrels.grade)
    if is_all_judged and (are_sparse or not is_few):
        return 0  # there is no judged document that another way of writing could find
    if not is_few:
        return SOME_SAMPLES
    if not count.shallow_judged:
        return MOST_SAMPLES
    # of sparse judgments no way of writing could find so many more
    possible = int(np.minimum(qrels.stop[ranked.lists] - qrels.start[ranked.lists], SHALLOW).sum())
    is_enough = count.is_judged and count.shallow_judged * LEAST_FACTOR > possible
    return 0 if is_enough else MOST_SAMPLES


def count_judged(
    ranked: Ranked, qrels: Qrels, ranking: RankingRule, count_retrieved: Callable[[], int]
) -> JudgedCounts:
    """The same without samples; `count_retrieved` counts them as before any was left out."""
    depths = ranked.num_ret
    if qrels.has_pooled:
        # most often one of the first has a grade
        some, others = ranked.row[:_SOME_ROWS], ranked.row[_SOME_ROWS:]
        is_judged = is_any(qrels.grade[some] >= 0) or is_any(qrels.grade[others] >= 0)
    else:
        is_judged = len(ranked.row) > 0
    if ranking.judged_only:
        # the others are left out already: whether there is one shows all the same
        return JudgedCounts(0 if is_judged else count_retrieved(), is_judged, 0, 0, depths)
    counts = depths.tolist()
    shallow = sum(map(min, counts, repeat(SHALLOW)))
    shallow_judged = int(np.count_nonzero(ranked.rank <= SHALLOW))
    top_judged = int(np.count_nonzero(ranked.rank <= TOP)) if shallow_judged else 0
    return JudgedCounts(
        sum(counts), is_judged, shallow, shallow_judged, depths, top_judged=top_judged
    )


def _num_rows(rows: Rows, topic_index: int) -> int:
    return int(rows.start[topic_index + 1] - rows.start[topic_index])


def run_totals(parts: Sequence[JudgedCounts]) -> JudgedCounts:
    """The same of all parts of a run."""
    if len(parts) == 1:
        return parts[0]
    return JudgedCounts(
        sum(part.retrieved for part in parts),
        any(part.is_judged for part in parts),
        sum(part.shallow for part in parts),
        sum(part.shallow_judged for part in parts),
        np.concatenate([part.depths for part in parts]),
        tuple(islice((sample for part in parts for sample in part.samples), MOST_SAMPLES)),
        sum(part.top_judged for part in parts),
        total_equal_scores([part.equal_scores for part in parts if part.equal_scores is not None]),
    )


@record
class JudgedIds:
    """What is judged, as far as a doubt about a run needs it.

    of_topic       gives the judged documents of a topic
    of_all_topics  gives those of all topics
    is_sparse      whether there are so few that good runs have hardly a judged document either
    """

    of_topic: Callable[[bytes], Collection[bytes]]
    of_all_topics: Callable[[], Collection[bytes]]
    is_sparse: bool


def judged_ids(qrels: Qrels, *, is_graded: bool = True) -> JudgedIds:
    """Those of qrels; how many preferences there should be is not known, so that few are few.

    They may be looked at for many runs: what was worked out for some topics is kept.
    """

    @lru_cache(MOST_SAMPLES)
    def topic_ids(topic: bytes) -> Collection[bytes]:
        index = qrels.topic_index[topic]
        lists = range(*qrels.list_start[index : index + 2].tolist())
        slices = (slice(int(qrels.start[row]), int(qrels.stop[row])) for row in lists)
        return TopicJudgedIds(
            document for rows in slices for document in qrels.docs.take(rows).compact().to_list()
        )

    @lru_cache(1)
    def all_ids() -> Collection[bytes]:
        return frozenset(qrels.docs.to_list())

    all_topics = all_ids if len(qrels.grade) <= _FEW_JUDGMENTS else qrels.docs.to_list
    are_sparse = is_sparse(len(qrels.grade), len(qrels.topics), qrels.has_nonrelevant)
    return JudgedIds(topic_ids, all_topics, are_sparse or not is_graded)


def is_sparse(num_judgments: int, num_topics: int, has_nonrelevant: bool) -> bool:
    """Whether so few documents are judged that good runs have hardly one of them."""
    return num_judgments < _SPARSE * num_topics or not has_nonrelevant


# --- What the scores of a run look like: equal ones, which let ids decide, or ranks ---
# For equal scores some topics are looked at while the run is ranked, which costs next to nothing.
# The bounds were chosen on 87 runs of eight collections of TREC and CLEF, of which two are told:
# they have equal scores alone.


FIRST, ORDER_DEPTH, FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

MOST_GRADES = 20
"""Judgments with more different grades look like scores."""

EXCHANGED = "exchanged-inputs"
"""The kind of the warning that run and judgments seem to be exchanged."""


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


def count_topics_with_equal_scores(
    top_scores: TopicsByRankScores, num_documents: TopicCounts
) -> EqualScoreCounts:
    """How many topics have equal scores at the top, given how many documents each has.

    `top_scores`: float64[T, `ORDER_DEPTH`], falling; the last one fills up.
    """
    num_tied = num_coarse = num_short = 0
    for scores, size in zip(top_scores.tolist(), num_documents.tolist(), strict=True):
        if scores[0] == scores[FIRST - 1]:
            num_tied += 1
            num_short += size < FIRST
        elif size >= ORDER_DEPTH and len(set(scores)) <= FEW_VALUES:
            num_coarse += 1
    return EqualScoreCounts(len(num_documents), num_tied, num_coarse, num_short=num_short)


def total_equal_scores(parts: Sequence[EqualScoreCounts]) -> EqualScoreCounts | None:
    """The same of all parts of a run; None: nobody looked at any."""
    return EqualScoreCounts(*map(sum, zip(*parts, strict=True))) if parts else None


def may_look_like_scores(qrels: Qrels) -> bool:
    """Whether grades are odd enough to look at all of them; mostly a quick no."""
    grades = qrels.level_grade
    if qrels.has_pooled:
        grades = np.concatenate((grades, -qrels.grade[qrels.grade < 0]))
    return bool(len(grades)) and (grades.max() > MOST_GRADES or is_any(grades % 1 > 0))
