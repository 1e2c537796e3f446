"""One topic of a run: ranks against scores, and ties."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text, shortened_list
from irev.errors import id_text
from irev.jobs.check.report import Findings, FindingTally

if TYPE_CHECKING:
    from irev.core.arrays import Floats, Ints
    from irev.jobs.check.topics import Topic

CUTOFFS = (5, 10, 20, 100, 1000)
"""The usual depths of measures."""


def best_documents(topic: Topic, count: int) -> list[bytes]:
    """The first documents by falling score, equal scores by falling id."""
    score = topic.values[1]
    pairs = zip(score.tolist(), topic.docs, strict=True)
    best = heapq.nlargest(count, (pair for pair in pairs if pair[0] == pair[0]))
    return [document for _, document in best]


@dataclass(eq=False, repr=False)
class Ranks:
    """What the rank column shows, topic by topic."""

    findings: Findings
    from_zero: FindingTally = field(default_factory=FindingTally)
    gaps: FindingTally = field(default_factory=FindingTally)

    def see(self, topic: Topic) -> None:
        """Look at a topic: its ranks by themselves, and against the scores."""
        rank, score = topic.values
        numbered = np.flatnonzero(~np.isnan(rank) & ~np.isnan(score))
        if not len(numbered):
            return
        # within a rank the best first, so that the last of one rank meets the best of the next
        order: Ints = numbered[np.lexsort((-score[numbered], rank[numbered]))]
        steps = np.diff(rank[order])
        if (steps == 0).any():
            self._tell_repeated_ranks(topic, order[np.flatnonzero(steps == 0)], order)
        if rank[order[0]] == 0:
            self.from_zero.see(topic.lines[0], topic.name)
        # a line that cannot be read leaves a gap, too
        if len(numbered) == len(rank) and ((steps > 1).any() or rank[order[0]] > 1):
            self.gaps.see(topic.lines[0], topic.name)
        rising_steps = np.flatnonzero((steps > 0) & (score[order][1:] > score[order][:-1]))
        if len(rising_steps):
            self._tell_rising_scores(topic, order, rising_steps, int((steps > 0).sum()))

    def _tell_repeated_ranks(self, topic: Topic, repeated_rows: Ints, order: Ints) -> None:
        rank = topic.values[0]
        ranks = sorted({int(number) for number in rank[repeated_rows]})
        rows = np.flatnonzero(rank == rank[repeated_rows[0]])
        self.findings.add(
            "repeated-rank",
            f"topic '{id_text(topic.name)}' has rank {ranks[0]} in {len(rows)} lines; "
            f"{count_text(len(ranks), 'rank')} of {len(order)} documents "
            f"{'is' if len(ranks) == 1 else 'are'} repeated",
            line=topic.lines[int(rows[1])],
            topic=topic.name,
            hint="a rank is given once in a topic",
        )

    def _tell_rising_scores(
        self, topic: Topic, order: Ints, rising_steps: Ints, num_steps: int
    ) -> None:
        rank, score = topic.values
        upper_row, lower_row = int(order[rising_steps[0]]), int(order[rising_steps[0] + 1])
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
        if self.from_zero.count:
            message = f"ranks begin at 0 in {count_text(self.from_zero.count, 'topic')}"
            self.findings.add(
                "ranks-from-zero", message, line=self.from_zero.line, topic=self.from_zero.topic
            )
        if self.gaps.count:
            message = (
                f"ranks are left out in {count_text(self.gaps.count, 'topic')}; this is the first"
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
    topics_at_cutoff: dict[int, list[bytes]] = field(default_factory=dict)

    def see(self, topic: Topic) -> None:
        """Look at a topic's scores."""
        score: Floats = topic.values[1]
        falling = np.sort(score[~np.isnan(score)])[::-1]
        equal = falling[1:] == falling[:-1]
        if not equal.any():
            return
        num_groups = int(equal[0]) + int((equal[1:] & ~equal[:-1]).sum())
        self.num_groups += num_groups
        self.num_documents += num_groups + int(equal.sum())
        self.num_topics += 1
        for cutoff in CUTOFFS:
            if cutoff <= len(equal) and equal[cutoff - 1]:
                self.topics_at_cutoff.setdefault(cutoff, []).append(topic.name)
        if equal.all() and len(falling) == len(topic.docs):
            self.findings.add(
                "constant-scores",
                f"all {len(falling)} documents of topic '{id_text(topic.name)}' have the score "
                f"{falling[0]:g}",
                line=topic.lines[0],
                topic=topic.name,
                hint="document ids decide the order then, not the ranks",
            )

    def tell(self, num_run_topics: int) -> None:
        """Say at which cutoffs ties decide what counts, in how many of the run's topics."""
        for cutoff in CUTOFFS:
            topics = [f"'{id_text(name)}'" for name in self.topics_at_cutoff.get(cutoff, ())]
            if topics:
                self.findings.add(
                    "tie-at-cutoff",
                    f"the documents at ranks {cutoff} and {cutoff + 1} have equal scores in "
                    f"{len(topics)} of {count_text(num_run_topics, 'topic')}: "
                    f"{shortened_list(topics)}",
                    hint="ids decide which counts; irev --tie-range shows what it matters",
                )
