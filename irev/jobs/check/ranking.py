"""The topics of a run: ranks against scores, and ties."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import (
    RowIndices,
    RowStarts,
    RowValues,
    TopicOfRow,
    lengths_of,
    segment_starts,
)
from irev.core.wording import count_text, shortened_list
from irev.engine.doubts import (
    exchanged_columns_warning,
    find_reversed_ranks,
    has_exchanged_columns,
    rank_order_warnings,
)
from irev.engine.judged_counts import (
    ORDER_DEPTH,
    EqualScoreCounts,
    count_topics_with_equal_scores,
    deep_topics,
    equal_score_warnings,
    numbered_topic_counts,
    numbering_warnings,
    total_equal_scores,
)
from irev.errors import id_text
from irev.jobs.check.report import Findings, FindingTally
from irev.jobs.check.topics import lines_of, tally_topics, topics_of
from irev.rank.ranking import first_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Bools, Floats, Ints
    from irev.core.judged import Rows
    from irev.jobs.check.topics import Topic

CUTOFFS = (5, 10, 20, 100, 1000)
"""The usual depths of measures."""


def best_documents(topic: Topic, count: int) -> list[bytes]:
    """The first documents by falling score, equal scores by falling id."""
    (score,) = topic.values
    pairs = zip(score.tolist(), topic.docs, strict=True)
    best = heapq.nlargest(count, (pair for pair in pairs if pair[0] == pair[0]))
    return [document for _, document in best]


def sort_in_topics(topic_of_row: TopicOfRow, *keys: Floats) -> RowIndices:
    """int64[N]: the rows by topic, of each by keys that rise, the first deciding."""
    before = topic_of_row[1:] == topic_of_row[:-1]
    falls = np.zeros_like(before)
    for key in keys:
        falls |= before & (key[1:] < key[:-1])
        before = before & (key[1:] == key[:-1])
    if falls.any():
        return np.lexsort((*reversed(keys), topic_of_row))
    return np.arange(len(topic_of_row))


@dataclass(eq=False, repr=False)
class Ranks:
    """What the rank column shows, topic by topic."""

    findings: Findings
    from_zero: FindingTally = field(default_factory=FindingTally)
    gaps: FindingTally = field(default_factory=FindingTally)
    num_reversed: int = 0
    num_ranked: int = 0
    are_exchanged: bool = True

    def see(self, rows: Rows, rank: RowValues) -> None:
        """Look at some topics: their ranks by themselves, and against the scores."""
        score = rows.value
        numbered = np.flatnonzero(~(np.isnan(rank) | np.isnan(score)))
        self.are_exchanged &= has_exchanged_columns(rows.topic_of_row, rank, score)
        if not len(numbered):
            return
        topic = rows.topic_of_row[numbered]
        # within a rank the best first, so that the last of one rank meets the best of the next
        order = numbered[sort_in_topics(topic, rank[numbered], -score[numbered])]
        start = segment_starts(topic, len(rows.topics))
        is_same_topic = topic[1:] == topic[:-1]
        steps = np.where(is_same_topic, np.diff(rank[order]), np.nan)
        first_rank = np.full(len(rows.topics), np.nan)
        first_rank[topic[::-1]] = rank[order[::-1]]  # of several the last, which is the first here
        tally_topics(self.from_zero, rows, first_rank == 0)
        # a line that cannot be read leaves a gap, too
        has_gap = first_rank > 1
        has_gap[topic[1:][steps > 1]] = True
        has_gap &= lengths_of(start) == rows.topic_lengths
        tally_topics(self.gaps, rows, has_gap)
        ranks = find_reversed_ranks(topic, rank[order], score[order], len(rows.topics))
        self.num_ranked += int(ranks.is_comparable_topic.sum())
        self.num_reversed += int(ranks.is_reversed_topic.sum())
        is_odd = (steps == 0) | ranks.next_row_rises
        odd_topics = np.unique(topic[1:][is_odd])
        for index, odd_topic in zip(
            odd_topics.tolist(), topics_of(rows, odd_topics, (rank, score)), strict=True
        ):
            self._tell_steps(odd_topic, order[start[index] : start[index + 1]] - rows.start[index])

    def _tell_steps(self, topic: Topic, rows_in_order: RowIndices) -> None:
        """Tell of ranks that are repeated, and of scores that rise, in a topic's order."""
        rank, score = topic.values
        steps = np.diff(rank[rows_in_order])
        if (steps == 0).any():
            self._tell_repeated_ranks(
                topic, rows_in_order[np.flatnonzero(steps == 0)], rows_in_order
            )
        rising_steps = np.flatnonzero(
            (steps > 0) & (score[rows_in_order][1:] > score[rows_in_order][:-1])
        )
        if len(rising_steps):
            self._tell_rising_scores(topic, rows_in_order, rising_steps, int((steps > 0).sum()))

    def _tell_repeated_ranks(
        self, topic: Topic, repeated_rows: RowIndices, rows_in_order: RowIndices
    ) -> None:
        rank = topic.values[0]
        ranks = sorted({int(number) for number in rank[repeated_rows]})
        rows = np.flatnonzero(rank == rank[repeated_rows[0]])
        self.findings.add(
            "repeated-rank",
            f"rank {ranks[0]} occurs on {len(rows)} lines of topic '{id_text(topic.name)}'"
            + (f"; so do {count_text(len(ranks) - 1, 'other rank')}" if len(ranks) > 1 else ""),
            line=topic.lines[int(rows[1])],
            topic=topic.name,
            hint="each rank should occur once per topic",
        )

    def _tell_rising_scores(
        self, topic: Topic, rows_in_order: RowIndices, rising_steps: Ints, num_steps: int
    ) -> None:
        rank, score = topic.values
        upper_row, lower_row = (
            int(rows_in_order[rising_steps[0]]),
            int(rows_in_order[rising_steps[0] + 1]),
        )
        hint = "the score alone orders the documents; the rank is not read"
        if len(rising_steps) == num_steps > 1:
            hint = "scores rise from rank to rank: distances, where lower is better, are negated"
        self.findings.add(
            "rank-order",
            f"rank {int(rank[lower_row])} has score {score[lower_row]:g}, which is more than "
            f"{score[upper_row]:g} at rank {int(rank[upper_row])}; "
            f"{count_text(len(rising_steps), 'such step')} in topic '{id_text(topic.name)}'",
            line=topic.lines[lower_row],
            topic=topic.name,
            document=topic.docs[lower_row],
            hint=hint,
        )

    def tell(self) -> None:
        """Say what is said once for a file."""
        self.findings.add_notices(rank_order_warnings(self.num_reversed, self.num_ranked))
        if self.are_exchanged and self.num_ranked:
            self.findings.add_notices([exchanged_columns_warning()])
        if self.from_zero.count:
            message = f"ranks begin at 0 in {count_text(self.from_zero.count, 'topic')}"
            self.findings.add(
                "ranks-from-zero", message, line=self.from_zero.line, topic=self.from_zero.topic
            )
        if self.gaps.count:
            message = (
                f"ranks are missing in {count_text(self.gaps.count, 'topic')}; this is the first"
            )
            self.findings.add("rank-gap", message, line=self.gaps.line, topic=self.gaps.topic)


@dataclass(eq=False, repr=False)
class Ties:
    """Equal scores, topic by topic.

    A document is tied where another of its topic has the same score; those are one group.
    """

    findings: Findings
    num_groups: int = 0
    num_documents: int = 0
    num_topics: int = 0
    has_ranks: bool = False
    topics_at_cutoff: dict[int, list[bytes]] = field(default_factory=dict)
    equal_scores: EqualScoreCounts = field(default_factory=EqualScoreCounts)

    def see(self, rows: Rows, *, has_ranks: bool = True) -> None:
        """Look at the scores of some topics, which without ranks beside them may be ranks."""
        self.has_ranks |= has_ranks
        scored = np.flatnonzero(~np.isnan(rows.value))
        if len(scored) == len(rows.value):
            deep = deep_topics(rows, set(rows.topics))
            first = first_rows(rows, rows.value, deep, ORDER_DEPTH)
            own = count_topics_with_equal_scores(rows.value[first], rows.topic_lengths[deep])
            if not has_ranks:
                own = own._replace(num_numbered=numbered_topic_counts(rows, deep).num_numbered)
            self.equal_scores = total_equal_scores([self.equal_scores, own]) or own
        topic, score = rows.topic_of_row[scored], rows.value[scored]
        falling = score[sort_in_topics(topic, -score)]
        is_equal = (falling[1:] == falling[:-1]) & (topic[1:] == topic[:-1])
        if not is_equal.any():
            return
        num_equal = np.bincount(topic[1:][is_equal], minlength=len(rows.topics))
        num_groups = int(is_equal[0]) + int((is_equal[1:] & ~is_equal[:-1]).sum())
        self.num_groups += num_groups
        self.num_documents += num_groups + int(num_equal.sum())
        self.num_topics += int((num_equal > 0).sum())
        start = segment_starts(topic, len(rows.topics))
        self._see_cutoffs(rows.topics, start, is_equal)
        is_constant = (num_equal > 0) & (num_equal == rows.topic_lengths - 1)
        lines = lines_of(rows)[rows.start[:-1]]
        for index in np.flatnonzero(is_constant).tolist():
            self.findings.add(
                "constant-scores",
                f"all {num_equal[index] + 1} documents of topic '{id_text(rows.topics[index])}' "
                f"have the score {falling[start[index + 1] - 1]:g}",
                line=int(lines[index]),
                topic=rows.topics[index],
                hint="document ids decide the order then, not the ranks",
            )

    def _see_cutoffs(self, topics: Sequence[bytes], start: RowStarts, is_equal: Bools) -> None:
        """Look at which topics have equal scores on both sides of a cutoff."""
        indices_at_cutoff = {}
        for cutoff in CUTOFFS:
            deep = np.flatnonzero(lengths_of(start) > cutoff)
            tied = deep[is_equal[start[deep] + cutoff - 1]]
            if len(tied):
                indices_at_cutoff[cutoff] = tied.tolist()
        # in the order in which topics have them
        for cutoff, indices in sorted(indices_at_cutoff.items(), key=lambda item: item[1][0]):
            names = self.topics_at_cutoff.setdefault(cutoff, [])
            names += (topics[index] for index in indices)

    def tell(self, num_run_topics: int) -> None:
        """Say where ties decide what counts, in how many of the run's topics."""
        self.findings.add_notices(numbering_warnings([self.equal_scores]))
        warnings = equal_score_warnings(self.equal_scores, has_ranks=self.has_ranks)
        self.findings.add_notices(warnings)
        for cutoff in CUTOFFS:
            topics = [f"'{id_text(name)}'" for name in self.topics_at_cutoff.get(cutoff, ())]
            if topics:
                self.findings.add(
                    "tie-at-cutoff",
                    f"the documents at ranks {cutoff} and {cutoff + 1} have equal scores in "
                    f"{len(topics)} of {count_text(num_run_topics, 'topic')}: "
                    f"{shortened_list(topics)}",
                    hint="ids decide which counts; irev --tie-range shows how much it matters",
                )
