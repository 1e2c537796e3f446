"""What a page tells of the first documents of runs: themselves, shares judged, and doubts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import mean_of
from irev.core.wording import count_text, shortened_list
from irev.scores.scores import DEPTH, NOT_JUDGED
from irev.writers.results_page.documents import TopDocuments
from irev.writers.results_page.numbers_shown import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Bools, Floats, RunIndices, TopicIndices, Words
    from irev.scores.scores import RunFirstDocuments
    from irev.writers.results_page.page_data import PageRun

ENOUGH_JUDGED = 0.9
"""A run of whose first documents less is judged is doubtful."""

_MANY_TIES = 0.1
_NEARLY_ALL, _LEAST_TOPICS = 0.9, 5
"""Runs that agree on this share of so many topics at least are nearly the same."""


class FirstDocumentsOfRuns:
    """The first documents of S runs, of some of which nothing is known, on T topics of a page."""

    def __init__(self, firsts: Sequence[RunFirstDocuments | None], topics: Sequence[bytes]) -> None:
        """Take those of the topics, in the order of these."""
        self._firsts, self.num_topics = firsts, len(topics)
        self._topic_indices: list[TopicIndices | None] = []
        indices_by_topics: dict[int, TopicIndices] = {}
        for first in firsts:
            if first is None:
                self._topic_indices.append(None)
                continue
            key = id(first.topics)
            if key not in indices_by_topics:
                place = {topic: index for index, topic in enumerate(first.topics)}
                indices_by_topics[key] = np.array([place[topic] for topic in topics], np.int64)
            self._topic_indices.append(indices_by_topics[key])

    def _column(self, run: int, name: str) -> Any:
        """A column of a run of which something is known, on the topics of the page."""
        return getattr(self._firsts[run], name)[self._topic_indices[run]]

    @property
    def known_runs(self) -> list[int]:
        """The runs of which something is known."""
        return [run for run, first in enumerate(self._firsts) if first is not None]

    def judged_shares(self, weights: Floats | None) -> list[float | None]:
        """For each run which share of its first documents is judged, in the mean of the topics."""
        shares: list[float | None] = [None] * len(self._firsts)
        for run in self.known_runs:
            judged = self._column(run, "num_judged").astype(float)
            by_topic = judged / np.maximum(self._column(run, "num_shown"), 1)
            mean = mean_of(by_topic)
            if weights is not None:
                mean = float(np.cumsum(by_topic * weights)[-1] / np.cumsum(weights)[-1])
            shares[run] = round(mean, 4)
        return shares

    def documents(self) -> TopDocuments | None:
        """The documents with their grades; None: they were only counted."""
        lists: list[tuple[tuple[str, ...], ...]] = [((),) * self.num_topics] * len(self._firsts)
        grades: list[dict[str, str]] = [{} for _ in range(self.num_topics)]
        has_documents = False
        for run in self.known_runs:
            first, indices = self._firsts[run], self._topic_indices[run]
            assert first is not None  # noqa: S101 - these runs are known
            if first.documents is None or first.grades is None or indices is None:
                continue
            has_documents = True
            lists[run] = tuple(first.documents[index] for index in indices.tolist())
            for of_topic, ids, index in zip(grades, lists[run], indices.tolist(), strict=True):
                texts = zip(ids, first.grades[index], strict=True)
                of_topic.update((id_, grade) for id_, grade in texts if grade != NOT_JUDGED)
        return TopDocuments(DEPTH, tuple(lists), tuple(grades)) if has_documents else None

    def doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        """What they say that makes numbers doubtful, a sentence each."""
        yield from self._tie_doubts(run_names)
        yield from self._copy_doubts(run_names)

    def _tie_doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        counts = [(int(self._column(run, "is_tied").sum()), run) for run in self.known_runs]
        tied = [(n, run_names[run]) for n, run in counts if n > _MANY_TIES * self.num_topics]
        if not tied:
            return
        tied.sort(key=lambda each: (-each[0], each[1]))
        listed = ", ".join(f"{name} ({count_text(count, 'topic')})" for count, name in tied[:3])
        more = f" and {len(tied) - 3} more" if len(tied) > 3 else ""
        yield (
            f"Equal scores at ranks {DEPTH} and {DEPTH + 1}, where the rule for ties decides: "
            f"{listed}{more}."
        )

    def _copy_doubts(self, run_names: Sequence[str]) -> Iterator[str]:
        if self.num_topics < _LEAST_TOPICS or not self.known_runs:
            return
        runs = self.known_runs
        hashes = np.stack([self._column(run, "list_hashes") for run in runs])
        pairs = _pairs_of_equal_lists(hashes, _NEARLY_ALL * self.num_topics)
        for run, other, count in pairs:
            names = run_names[runs[run]], run_names[runs[other]]
            yield (
                f"{names[0]} and {names[1]} have the same first {DEPTH} documents "
                f"on {count} of {self.num_topics} topics."
            )


def _pairs_of_equal_lists(hashes: Words, least: float) -> list[tuple[int, int, int]]:
    """Pairs of runs whose lists are the same on so many topics at least, and on how many.

    Args:
        hashes: uint64[S, T], those of the lists.
        least: on how many.
    """
    pairs = []
    for run, own in enumerate(hashes[:-1]):
        is_same: Bools = hashes[run + 1 :] == own
        counts = is_same.sum(axis=1)
        others: RunIndices = np.flatnonzero(counts >= least)
        pairs += [(run, run + 1 + other, int(counts[other])) for other in others.tolist()]
    return pairs


def few_judged_doubts(runs: Sequence[PageRun], rank: int) -> Iterator[str]:
    """A sentence on the runs of whose first documents too few are judged."""
    low = [(run.judged, run) for run in runs if run.judged is not None]
    low = sorted(((share, run) for share, run in low if share < ENOUGH_JUDGED), key=_by_share)
    if low:
        listed = shortened_list([f"{run.short} ({percent(share)})" for share, run in low], 3)
        yield (
            f"Fewer than {percent(ENOUGH_JUDGED)} of the first {rank} documents are judged: "
            f"{listed}. A document that is not judged counts as not relevant."
        )


def _by_share(share_and_run: tuple[float, PageRun]) -> tuple[float, str]:
    share, run = share_and_run
    return share, run.name
