"""What else is known of rankings, for the few measures that ask: ties, scores, unjudged documents.

Whoever changes the rows of rankings changes these with them, in one go: `RankingExtras`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentValues,
    Floats,
    Ints,
    RowIndices,
    RowMask,
    RowStarts,
    TopicIndices,
    TopicOfRow,
    TopicValues,
    offsets,
    ranks_in_segments,
    run_starts,
    segment_sums,
)
from irev.core.ids import Ids, concatenate_ids
from irev.core.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class TieSpans:
    """The group of equal scores that each of J documents stands in.

    first  int64[J], the rank of the group's first document
    size   int64[J], how many documents are in the group, judged or not; 1: no tie
    """

    first: Ints
    size: Ints

    def take(self, rows: RowIndices | slice) -> TieSpans:
        """Those of some of the documents."""
        return TieSpans(self.first[rows], self.size[rows])

    def close_up(self, topic: TopicOfRow, start: RowStarts) -> TieSpans:
        """The same groups where nothing but the J documents is left of the rankings.

        The documents are ordered by topic and rank; `start` is each topic's slice of them.
        """
        begin = run_starts(topic, self.first)
        size = np.diff(begin)
        first = ranks_in_segments(start)[begin[:-1]]
        return TieSpans(np.repeat(first, size), np.repeat(size, size))


class RunScores(NamedTuple):
    """Scores of some documents of T rankings, and what there is to know of all the others.

    row_scores  float64[J], the score of each row
    high    float64[T], the highest score of all documents retrieved, judged or not
    low     float64[T], the lowest; both are 0 where nothing was retrieved
    excess_sum   float64[T], by how much the scores exceed the lowest,
    in all: sums of scores alone would
            lose the differences between scores that are large
    """

    row_scores: Floats
    high: Floats
    low: Floats
    excess_sum: Floats

    @classmethod
    def build(cls, score: DocumentValues, start: RowStarts) -> RunScores:
        """Those of whole rankings, every document a row, by falling score; `start`: int64[T+1]."""
        count = np.diff(start)
        some = np.flatnonzero(count)
        high, low = np.zeros(len(count)), np.zeros(len(count))
        high[some], low[some] = score[start[some]], score[start[some + 1] - 1]
        # what comes of infinite scores is for the measures to refuse
        with np.errstate(invalid="ignore", over="ignore"):
            excess = score - np.repeat(low, count)
        topic = np.repeat(np.arange(len(count)), count)
        return cls(score, high, low, segment_sums(topic, excess, len(count)))

    @classmethod
    def empty(cls, count: int) -> RunScores:
        """Those of empty rankings."""
        return cls(np.zeros(0), np.zeros(count), np.zeros(count), np.zeros(count))

    def take(self, rows: RowIndices | slice) -> RunScores:
        """The same rankings, of which other documents are rows."""
        return self._replace(row_scores=self.row_scores[rows])

    def take_topics(self, topic_indices: TopicIndices, row_scores: DocumentValues) -> RunScores:
        """Some of the rankings, a ranking as often as it is named, with the rows that they have."""
        return RunScores(
            row_scores,
            self.high[topic_indices],
            self.low[topic_indices],
            self.excess_sum[topic_indices],
        )


class Unjudged(NamedTuple):
    """The retrieved documents that do not stand in the qrels, of T rankings, by topic and rank.

    topic_ids  T ids, the topic of each ranking
    topic  int64[U], which ranking, rising
    rank   int64[U], from 1
    docs   U document ids
    judged_elsewhere  bool[U],
    which of them stand in the qrels for another topic; None: nobody asked
    """

    topic_ids: tuple[bytes, ...]
    topic: Ints
    rank: Ints
    docs: Ids
    judged_elsewhere: Bools | None = None

    def truncate(self, max_rank: int) -> Unjudged:
        """Those down to a rank."""
        rows = np.flatnonzero(self.rank <= max_rank)
        elsewhere = None if self.judged_elsewhere is None else self.judged_elsewhere[rows]
        return Unjudged(
            self.topic_ids, self.topic[rows], self.rank[rows], self.docs.take(rows), elsewhere
        )

    def sampled_mask(self, share: TopicValues, seed: int, replicate: int) -> RowMask:
        """bool[U]: which of them are drawn, where `share` (float64[T]) says how likely that is.

        The draw is by the key of topic and document: the same for every run, and whoever is drawn
        at one share is at a larger one.
        """
        from irev.core.keys import keys_of_rows

        keys = keys_of_rows(seed, replicate, 0, self.topic_ids, self.topic, self.docs)
        row_share = share[self.topic]
        # keys lie below 2**64, which is no uint64 itself
        below = np.array([min(int(s * 2**64), 2**64 - 1) for s in share.tolist()], np.uint64)
        is_sampled: Bools = (keys < below[self.topic]) | (row_share >= 1)
        return is_sampled


class RankingExtras(NamedTuple):
    """What measures may ask for beside ranks and grades; None: nobody asked, or nobody knows.

    ties      which of the J documents have equal scores with which
    scores    the scores; none where a run has ranks instead
    unjudged  the documents that are not in the qrels
    """

    ties: TieSpans | None = None
    scores: RunScores | None = None
    unjudged: Unjudged | None = None

    def take_documents(self, rows: RowIndices | slice) -> RankingExtras:
        """Those of the same rankings, of which other documents are rows."""
        ties, scores = self.ties, self.scores
        if ties is None and scores is None:
            return self
        return RankingExtras(ties and ties.take(rows), scores and scores.take(rows), self.unjudged)

    def truncate(self, max_rank: int) -> RankingExtras:
        """Those of rankings of which only the first documents are kept; no row has gone yet."""
        ties = self.ties
        if ties is not None:
            ties = TieSpans(ties.first, np.minimum(ties.size, max_rank + 1 - ties.first))
        return RankingExtras(ties, self.scores, self.unjudged and self.unjudged.truncate(max_rank))

    def close_up(self, topic: TopicOfRow, start: RowStarts) -> RankingExtras:
        """Those of rankings of which nothing but the J rows is left; `start`: int64[T+1]."""
        return RankingExtras(
            self.ties and self.ties.close_up(topic, start),
            self.scores and RunScores.build(self.scores.row_scores, start),
            self.unjudged and self.unjudged.truncate(0),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[RankingExtras]) -> RankingExtras:
        """Those of several sets of rankings as one."""
        ties = [part.ties for part in parts if part.ties is not None]
        unjudged = [part.unjudged for part in parts if part.unjudged is not None]
        return cls(
            _concatenate_ties(ties) if ties else None,
            concatenate_run_scores([part.scores for part in parts]),
            _concatenate_unjudged(unjudged) if unjudged else None,
        )


NO_RANKING_EXTRAS = RankingExtras()


def concatenate_run_scores(parts: Sequence[RunScores | None]) -> RunScores | None:
    """Several sets of rankings as one; None where the scores are not known."""
    known_parts = [part for part in parts if part is not None]
    return RunScores(*map(np.concatenate, zip(*known_parts, strict=True))) if known_parts else None


def _concatenate_ties(parts: Sequence[TieSpans]) -> TieSpans:
    first, size = [part.first for part in parts], [part.size for part in parts]
    return TieSpans(np.concatenate(first), np.concatenate(size))


def _concatenate_unjudged(parts: Sequence[Unjudged]) -> Unjudged:
    first = offsets([len(part.topic_ids) for part in parts])
    return Unjudged(
        tuple(name for part in parts for name in part.topic_ids),
        np.concatenate([part.topic + at for part, at in zip(parts, first, strict=False)]),
        np.concatenate([part.rank for part in parts]),
        concatenate_ids([part.docs for part in parts]),
        None
        if any(part.judged_elsewhere is None for part in parts)
        else np.concatenate([part.judged_elsewhere for part in parts]),
    )
