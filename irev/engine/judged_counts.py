"""How much of a run is judged, counted while it is ranked.

Where all is well this costs a few counts; examples are taken only where it is not.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import is_any
from irev.core.record import record
from irev.core.wording import count_text
from irev.errors import Notice
from irev.rank.ranking import first_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from irev.core.arrays import Ints, RowIndices, TopicCounts, TopicsByRanks, TopicsByRankScores
    from irev.core.judged import Qrels, Rows
    from irev.rank.ranking import Ranked, RankingRule


# --- What the scores of a run look like: equal ones, which let ids decide, or ranks ---
# For equal scores some topics are looked at while the run is ranked, which costs next to nothing.
# The bounds were chosen on 87 runs of eight collections of TREC and CLEF, of which two are told:
# they have equal scores alone.


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


# --- How much of a run is judged, counted while it is ranked ---


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

_FIRST_of_judged_counts = 99
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

    def count_retrieved() -> int:
        return sum(_num_rows(rows, number) for number in _judged_topic_indices(rows, qrels))

    count = count_judged(ranked, qrels, ranking, count_retrieved)
    scored = deep_topics(rows, qrels.sampled_topics) if ranking.ties != "rank" else []
    # of a topic without documents, which may all have been left out, there is nothing to look at
    with_documents = (t for t in _judged_topic_indices(rows, qrels) if _num_rows(rows, t))
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
        samples = _documents_of_topics(rows, sampled, shallow)
    equal_scores = count_topics_with_equal_scores(top_scores, rows.topic_lengths[scored])
    equal_scores = equal_scores._replace(num_numbered=numbered.num_numbered)
    return count._replace(equal_scores=equal_scores, samples=samples)


def _num_samples(count: JudgedCounts, ranked: Ranked, qrels: Qrels) -> int:
    """Of how many topics the first documents are looked at."""
    is_few = count.is_few
    if not (is_few or count.is_partial):
        return 0
    is_sparse, is_whole_run = _are_sparse(qrels), len(ranked.lists) == len(qrels.start)
    if is_whole_run and is_sparse and not is_few:
        return 0  # of sparse judgments nothing is said then, unless few of another part are judged
    is_all_judged = is_whole_run and count.is_judged and len(ranked.row) == len(qrels.grade)
    if is_all_judged and (is_sparse or not is_few):
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
    # most often one of the first is
    is_judged = _has_grade(ranked.row[:_FIRST_of_judged_counts], qrels) or _has_grade(
        ranked.row[_FIRST_of_judged_counts:], qrels
    )
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


def _has_grade(qrels_rows: RowIndices, qrels: Qrels) -> bool:
    if not qrels.has_pooled:
        return len(qrels_rows) > 0
    return is_any(qrels.grade[qrels_rows] >= 0)


def _judged_topic_indices(rows: Rows, qrels: Qrels) -> Iterator[int]:
    return (index for index, topic in enumerate(rows.topics) if topic in qrels.topic_index)


def _num_rows(rows: Rows, topic_index: int) -> int:
    return int(rows.start[topic_index + 1] - rows.start[topic_index])


def _documents_of_topics(
    rows: Rows, topic_indices: Sequence[int], rows_at_ranks: TopicsByRanks
) -> tuple[tuple[bytes, list[bytes]], ...]:
    """The ids of topics, each with its documents at the first ranks."""
    docs = iter(rows.docs.take(rows_at_ranks.ravel()).to_list())
    return tuple(
        (rows.topics[topic], [*islice(docs, rows_at_ranks.shape[1])][: _num_rows(rows, topic)])
        for topic in topic_indices
    )


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
    from irev.engine.doubts import TopicJudgedIds

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
    return JudgedIds(topic_ids, all_topics, _are_sparse(qrels) or not is_graded)


def _are_sparse(qrels: Qrels) -> bool:
    return is_sparse(len(qrels.grade), len(qrels.topics), qrels.has_nonrelevant)


def is_sparse(num_judgments: int, num_topics: int, has_nonrelevant: bool) -> bool:
    """Whether so few documents are judged that good runs have hardly one of them."""
    return num_judgments < _SPARSE * num_topics or not has_nonrelevant
