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
from irev.engine.equal_scores import (
    ORDER_DEPTH,
    EqualScoreCounts,
    count_topics_with_equal_scores,
    deep_topics,
    numbered_topic_counts,
    total_equal_scores,
)
from irev.rank.ranking import first_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from irev.core.arrays import Ints, RowIndices, TopicsByRanks
    from irev.core.judged import Qrels, Rows
    from irev.rank.ranking import Ranked, RankingRule

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

_FIRST = 99
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
    is_judged = _has_grade(ranked.row[:_FIRST], qrels) or _has_grade(ranked.row[_FIRST:], qrels)
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
    from irev.engine.other_ids import TopicJudgedIds

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
