"""Runs that are the same under two names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from irev.engine.map_topics import map_topics
from irev.errors import NO_DOCUMENTS, Notice
from irev.rank.ranking import ranks_of_rows
from irev.read.stream import sha256_of

if TYPE_CHECKING:
    from irev.core.judged import Input, Rows
    from irev.engine.map_topics import Step
    from irev.rank.ranking import RankingRule
    from irev.read.layout import ChosenLayout
    from irev.scores.scores import Scores


class SameRankings:
    """Runs seen so far; those with the same scores are read once more, to see how they rank."""

    def __init__(self, layout: ChosenLayout, ranking: RankingRule, threads: int) -> None:
        self._layout, self._ranking, self._threads = layout, ranking, threads
        self._seen: dict[int, list[tuple[str, Input]]] = {}
        self._orders: dict[str, str | None] = {}

    def same_ranking_warning(self, name: str, run: Input, scores: Scores) -> Notice | None:
        """A warning where a run with another name ranks the same documents in the same order."""
        is_empty = any(notice.kind == NO_DOCUMENTS for notice in scores.notices)
        if self._ranking.orders_ties_by_grade or is_empty:
            return None
        if isinstance(run, str | os.PathLike):
            is_there_still = os.path.isfile(run) or os.path.isdir(run)
            if not is_there_still:
                return None  # what can be read once only
        key = hash((scores.topics, scores.account, scores.values.tobytes()))
        others = self._seen.setdefault(key, [])
        for other, other_run in others:
            is_given_twice = isinstance(run, str | os.PathLike) and run == other_run
            if not is_given_twice and self._ranking_hash(other, other_run) == self._ranking_hash(
                name, run
            ):
                return identical_runs_warning(other, name)
        others.append((name, run))
        return None

    def _ranking_hash(self, name: str, run: Input) -> str | None:
        if name not in self._orders:
            self._orders[name] = ranking_hash_unless_ties_by_grade(
                run, self._layout, self._ranking, self._threads
            )
        return self._orders[name]


def identical_runs_warning(one: str, other: str) -> Notice:
    """The warning about two runs that are the same: it does not say which is the copy."""
    message = f"{one} and {other} rank the same documents in the same order"
    return Notice("identical-runs", message)


def ranking_hash_unless_ties_by_grade(
    run: Input, layout: ChosenLayout, ranking: RankingRule, threads: int
) -> str | None:
    """A hash of the topics of a run and the order of their documents.

    None where the judgments order it.
    """
    if ranking.orders_ties_by_grade:
        return None
    parts = map_topics(run, layout, _topic_hashes_step(ranking), threads).results
    return sha256_of(b"".join(sorted(topic_hash for part in parts for topic_hash in part)))


def _topic_hashes_step(ranking: RankingRule) -> Step[list[bytes]]:
    """A hash for each topic, of its id and its documents in their order."""
    from hashlib import sha256

    def topic_hashes(rows: Rows) -> list[bytes]:
        order = np.lexsort((ranks_of_rows(rows, ranking), rows.topic_of_row))
        documents = rows.docs.take(order).compact().to_list()
        ends = rows.start.tolist()
        return [
            sha256(b"\n".join((topic, *documents[first:after]))).digest()
            for topic, first, after in zip(rows.topics, ends, ends[1:], strict=False)
        ]

    return topic_hashes
