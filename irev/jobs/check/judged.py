"""What a run's documents are held against: who was judged, and how much of the run that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.engine.judged_share import MOST_SAMPLES, JudgedIds, JudgedShare, is_sparse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class JudgedDocuments:
    """The judged documents of each topic, kept as text: a set is made when a topic is asked for.

    has_nonrelevant  whether some of them have the grade 0
    """

    def __init__(self) -> None:
        self._judged: dict[bytes, bytes] = {}
        self._pooled: dict[bytes, bytes] = {}
        self._count = 0
        self.has_nonrelevant = False

    def add(self, topic: bytes, judged: Collection[bytes], pooled: Collection[bytes] = ()) -> None:
        """Take the judged documents of a topic, and those that are in the pool alone."""
        self._judged[topic] = b"\n".join(judged)
        if pooled:
            self._pooled[topic] = b"\n".join(pooled)
        self._count += len(judged) + len(pooled)

    def __contains__(self, topic: object) -> bool:
        """Whether the topic is judged."""
        return topic in self._judged

    def topics(self) -> list[bytes]:
        """The judged topics, in the order of the file."""
        return list(self._judged)

    def judged_documents(self, topic: bytes) -> set[bytes]:
        """The judged documents of a topic."""
        return _id_set(self._judged[topic])

    def pooled_documents(self, topic: bytes) -> set[bytes]:
        """The same with those that are in the pool alone."""
        return self.judged_documents(topic) | _id_set(self._pooled.get(topic, b""))

    @property
    def judged_ids(self) -> JudgedIds:
        """What a doubt about a run needs of them."""
        few = is_sparse(self._count, len(self._judged), self.has_nonrelevant)
        return JudgedIds(
            self.pooled_documents,
            lambda: set().union(*map(self.pooled_documents, self._judged)),
            few,
        )


def _id_set(joined: bytes) -> set[bytes]:
    return set(joined.split(b"\n")) if joined else set()


class Coverage:
    """How much of a run is judged, topic by topic."""

    def __init__(self, judgments: JudgedDocuments) -> None:
        self.judgments = judgments
        self.num_retrieved = self.num_judged = self._shallow = self._shallow_judged = 0
        self._shallow_pooled = 0
        self._samples: list[tuple[bytes, list[bytes]]] = []

    def see(self, topic: bytes, docs: list[bytes], top: list[bytes]) -> None:
        """Take the documents of a judged topic, and those up to rank `SHALLOW`."""
        judged, pooled = (
            self.judgments.judged_documents(topic),
            self.judgments.pooled_documents(topic),
        )
        self.num_retrieved += len(docs)
        self.num_judged += _count_judged(docs, judged)
        self._shallow += len(top)
        self._shallow_judged += _count_judged(top, judged)
        self._shallow_pooled += _count_judged(top, pooled)
        if len(self._samples) < MOST_SAMPLES:
            self._samples.append((topic, top))

    @property
    def share(self) -> float:
        """Which share of the documents up to rank `SHALLOW` is judged; 0 where there are none."""
        return self._shallow_judged / self._shallow if self._shallow else 0.0

    @property
    def judged_share(self) -> JudgedShare:
        """What a doubt about the run needs."""
        return JudgedShare(
            self.num_retrieved, self.num_judged > 0, self._shallow, self._shallow_pooled,
            depths=np.zeros(0, np.int64), samples=tuple(self._samples),
        )  # fmt: skip


def _count_judged(documents: Iterable[bytes], judged: set[bytes]) -> int:
    return sum(map(judged.__contains__, documents))
