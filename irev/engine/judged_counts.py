"""How much of a run is judged, counted while it is ranked.

Where all is well this costs a few counts; examples are taken only where it is not.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import ranges
from irev.engine.score_order import score_order, total_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.model import Qrels, Rows
    from irev.engine.score_order import ScoreOrder
    from irev.rank.order import RankingRule
    from irev.rank.ranking import Ranked

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

LEAST_TIMES = 5
"""How many times as many documents another way of writing must make judged."""

_FEW_JUDGMENTS = 1 << 17
"""Up to so many judgments, the documents of all of them are kept for the doubts about many runs."""

_FEW_VALUES = 1 << 8
"""Up to so many values of a topic are quicker sorted than looked through for the lowest."""

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
    score_order     how the scores order the documents; None: nobody looked
    samples         where few are judged: topics, each with its documents up to rank `SHALLOW`
    """

    retrieved: int
    is_judged: bool
    shallow: int
    shallow_judged: int
    depths: Ints
    samples: Sequence[tuple[bytes, list[bytes]]] = ()
    top_judged: int = 0
    score_order: ScoreOrder | None = None

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
    if ranking.ties == "docid":
        order = score_order(rows, qrels.sampled_topics, is_sorted=ranked.is_in_order)
        count = count._replace(score_order=order)
    if not count.is_few:
        if not count.is_partial:
            return count
        return count._replace(
            samples=_shallow_documents_by_topic(rows, qrels, ranking, SOME_SAMPLES)
        )
    # of sparse judgments no way of writing could find so many more
    possible = int(np.minimum(qrels.stop[ranked.lists] - qrels.start[ranked.lists], SHALLOW).sum())
    if count.is_judged and count.shallow_judged * LEAST_TIMES > possible:
        return count
    return count._replace(samples=_shallow_documents_by_topic(rows, qrels, ranking, MOST_SAMPLES))


def count_judged(
    ranked: Ranked, qrels: Qrels, ranking: RankingRule, count_retrieved: Callable[[], int]
) -> JudgedCounts:
    """The same without samples; `count_retrieved` counts them as before any was left out."""
    depths, is_judged = ranked.num_ret, False
    for few in (slice(99), slice(None)):  # most often one of the first is
        is_judged = is_judged or bool(np.count_nonzero(qrels.grade[ranked.row[few]] >= 0))
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


def _judged_topic_indices(rows: Rows, qrels: Qrels) -> Iterator[int]:
    return (index for index, topic in enumerate(rows.topics) if topic in qrels.topic_index)


def _num_rows(rows: Rows, topic_index: int) -> int:
    return int(rows.start[topic_index + 1] - rows.start[topic_index])


def _shallow_documents_by_topic(
    rows: Rows, qrels: Qrels, ranking: RankingRule, max_topics: int
) -> tuple[tuple[bytes, list[bytes]], ...]:
    """Topics that are judged, each with its documents up to rank `SHALLOW`; ties as they come."""
    topic_indices = [*islice(_judged_topic_indices(rows, qrels), max_topics)]
    if not topic_indices:
        return ()
    first, after = rows.start[topic_indices], rows.start[1:][topic_indices]
    size = np.minimum(after - first, SHALLOW)
    best = rows.value if ranking.ties == "rank" else -rows.value
    if np.count_nonzero(rows.clear_flags_at_topic_changes(best[1:] < best[:-1])):
        row_indices = _lowest_rows(best, first, after)
    else:
        row_indices = ranges(first, first + size)
    docs = iter(rows.docs.take(row_indices).to_list())
    topic_docs = (list(islice(docs, count)) for count in size.tolist())
    return tuple(zip((rows.topics[index] for index in topic_indices), topic_docs, strict=True))


def _lowest_rows(values: Floats, first: Ints, after: Ints) -> Ints:
    """The rows of the lowest values of each range, up to `SHALLOW`; equal ones as they come."""
    width = int((after - first).max())
    if width > _FEW_VALUES or len(first) == 1:
        ends = zip(first.tolist(), after.tolist(), strict=True)
        return np.concatenate([start + _lowest_places(values[start:stop]) for start, stop in ends])
    # several short ranges are sorted at once, as the lines of a table
    rows = first[:, None] + np.arange(width)
    is_inside = rows < after[:, None]
    cells = np.where(is_inside, values[np.minimum(rows, len(values) - 1)], np.inf)
    order = first[:, None] + cells.argsort(axis=1, kind="stable")[:, :SHALLOW]
    return order[is_inside[:, :SHALLOW]]


def _lowest_places(values: Floats) -> Ints:
    """Where the lowest values are, up to `SHALLOW` of them, in order; equal ones as they come."""
    if len(values) <= SHALLOW:
        return values.argsort(kind="stable")
    candidates = (values <= np.partition(values, SHALLOW - 1)[SHALLOW - 1]).nonzero()[0]
    lowest: Ints = candidates[values[candidates].argsort(kind="stable")[:SHALLOW]]
    return lowest


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
        total_order([part.score_order for part in parts if part.score_order is not None]),
    )


class JudgedIds(NamedTuple):
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
    is_few = is_sparse(len(qrels.grade), len(qrels.topics), bool((qrels.grade == 0).any()))
    return JudgedIds(topic_ids, all_topics, is_few or not is_graded)


def is_sparse(num_judgments: int, num_topics: int, has_nonrelevant: bool) -> bool:
    """Whether so few documents are judged that good runs have hardly one of them."""
    return num_judgments < _SPARSE * num_topics or not has_nonrelevant
