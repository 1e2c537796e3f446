"""One topic of a run: ranks against scores, and ties."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text, shortened_list
from irev.errors import id_text
from irev.jobs.check.report import Findings, Repeated

if TYPE_CHECKING:
    from irev.core.arrays import Floats, Ints
    from irev.jobs.check.topics import Topic

CUTOFFS = (5, 10, 20, 100, 1000)
"""The usual depths of measures."""


def best(topic: Topic, count: int) -> list[bytes]:
    """The first documents by falling score, equal scores by falling id."""
    score = topic.values[1]
    known = zip(score.tolist(), topic.docs, strict=True)
    found = heapq.nlargest(count, (pair for pair in known if pair[0] == pair[0]))
    return [document for _, document in found]


@dataclass(eq=False, repr=False)
class Ranks:
    """What the rank column shows, topic by topic."""

    findings: Findings
    from_zero: Repeated = field(default_factory=Repeated)
    gaps: Repeated = field(default_factory=Repeated)

    def see(self, topic: Topic) -> None:
        """Look at a topic: its ranks by themselves, and against the scores."""
        rank, score = topic.values
        known = np.flatnonzero(~np.isnan(rank) & ~np.isnan(score))
        if not len(known):
            return
        # within a rank the best first, so that the last of one rank meets the best of the next
        order: Ints = known[np.lexsort((-score[known], rank[known]))]
        steps = np.diff(rank[order])
        if (steps == 0).any():
            self._repeated(topic, order[np.flatnonzero(steps == 0)], order)
        if rank[order[0]] == 0:
            self.from_zero.see(topic.lines[0], topic.name)
        # a line that cannot be read leaves a gap, too
        if len(known) == len(rank) and ((steps > 1).any() or rank[order[0]] > 1):
            self.gaps.see(topic.lines[0], topic.name)
        against = np.flatnonzero((steps > 0) & (score[order][1:] > score[order][:-1]))
        if len(against):
            self._against(topic, order, against, int((steps > 0).sum()))

    def _repeated(self, topic: Topic, firsts: Ints, order: Ints) -> None:
        rank = topic.values[0]
        ranks = sorted({int(number) for number in rank[firsts]})
        rows = np.flatnonzero(rank == rank[firsts[0]])
        self.findings.add(
            "repeated-rank",
            f"topic '{id_text(topic.name)}' has rank {ranks[0]} in {len(rows)} lines; "
            f"{count_text(len(ranks), 'rank')} of {len(order)} documents "
            f"{'is' if len(ranks) == 1 else 'are'} repeated",
            line=topic.lines[int(rows[1])],
            topic=topic.name,
            hint="a rank is given once in a topic",
        )

    def _against(self, topic: Topic, order: Ints, against: Ints, steps: int) -> None:
        rank, score = topic.values
        before, after = int(order[against[0]]), int(order[against[0] + 1])
        hint = "the score alone orders the documents; the rank is not read"
        if len(against) == steps > 1:
            hint = "scores rise from rank to rank: distances, where lower is better, are negated"
        self.findings.add(
            "rank-order",
            f"rank {int(rank[after])} has score {score[after]:g}, which is more than "
            f"{score[before]:g} at rank {int(rank[before])}; "
            f"{count_text(len(against), 'such step')} in topic '{id_text(topic.name)}'",
            line=topic.lines[after],
            topic=topic.name,
            document=topic.docs[after],
            hint=hint,
        )

    def tell(self) -> None:
        """Say what is said once for a file."""
        if self.from_zero.count:
            what = f"ranks begin at 0 in {count_text(self.from_zero.count, 'topic')}"
            self.findings.add(
                "ranks-from-zero", what, line=self.from_zero.line, topic=self.from_zero.topic
            )
        if self.gaps.count:
            what = (
                f"ranks are left out in {count_text(self.gaps.count, 'topic')}; this is the first"
            )
            self.findings.add("rank-gap", what, line=self.gaps.line, topic=self.gaps.topic)


@dataclass(eq=False, repr=False)
class Ties:
    """Equal scores, topic by topic.

    A document is tied where another of its topic has the same score; those are one group.
    """

    findings: Findings
    groups: int = 0
    documents: int = 0
    topics: int = 0
    at: dict[int, list[bytes]] = field(default_factory=dict)

    def see(self, topic: Topic) -> None:
        """Look at a topic's scores."""
        score: Floats = topic.values[1]
        falling = np.sort(score[~np.isnan(score)])[::-1]
        equal = falling[1:] == falling[:-1]
        if not equal.any():
            return
        groups = int(equal[0]) + int((equal[1:] & ~equal[:-1]).sum())
        self.groups += groups
        self.documents += groups + int(equal.sum())
        self.topics += 1
        for cutoff in CUTOFFS:
            if cutoff <= len(equal) and equal[cutoff - 1]:
                self.at.setdefault(cutoff, []).append(topic.name)
        if equal.all() and len(falling) == len(topic.docs):
            self.findings.add(
                "constant-scores",
                f"all {len(falling)} documents of topic '{id_text(topic.name)}' have the score "
                f"{falling[0]:g}",
                line=topic.lines[0],
                topic=topic.name,
                hint="document ids decide the order then, not the ranks",
            )

    def tell(self, topics: int) -> None:
        """Say at which cutoffs ties decide what counts, in how many of the run's topics."""
        for cutoff in CUTOFFS:
            names = [f"'{id_text(name)}'" for name in self.at.get(cutoff, ())]
            if names:
                self.findings.add(
                    "tie-at-cutoff",
                    f"the documents at ranks {cutoff} and {cutoff + 1} have equal scores in "
                    f"{len(names)} of {count_text(topics, 'topic')}: {shortened_list(names)}",
                    hint="ids decide which counts; irev --tie-range shows what it matters",
                )
