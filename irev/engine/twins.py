"""Runs that are the same under two names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from irev.engine.way import over
from irev.errors import Notice
from irev.rank.ranking import ranks_of_rows

if TYPE_CHECKING:
    from irev.core.model import Input, Rows
    from irev.engine.way import Step
    from irev.rank.ranking import Ranking
    from irev.read.layout import Chosen
    from irev.results.scores import Scores


class Twins:
    """Runs seen so far; those with the same scores are read once more, to see how they rank."""

    def __init__(self, layout: Chosen, ranking: Ranking, threads: int) -> None:
        """No run was seen yet."""
        self._layout, self._ranking, self._threads = layout, ranking, threads
        self._seen: dict[int, list[tuple[str, Input]]] = {}
        self._orders: dict[str, set[tuple[bytes, bytes]]] = {}

    def notice(self, name: str, run: Input, scores: Scores) -> Notice | None:
        """A warning where a run with another name ranks the same documents in the same order."""
        if self._ranking.by_grade:
            return None  # the judgments order it
        if isinstance(run, str | os.PathLike) and not os.path.isfile(run):
            return None  # what can be read once only
        key = hash((scores.topics, scores.account, scores.values.tobytes()))
        others = self._seen.setdefault(key, [])
        for other, given in others:
            if other != name and self._order(other, given) == self._order(name, run):
                what = "another run ranks the same documents in the same order"
                return Notice("identical-runs", what, f"it is {other}")
        others.append((name, run))
        return None

    def _order(self, name: str, run: Input) -> set[tuple[bytes, bytes]]:
        """Each topic with a hash of its documents in their order."""
        if name not in self._orders:
            found = over(run, self._layout, self._step(), self._threads).results
            self._orders[name] = {each for part in found for each in part}
        return self._orders[name]

    def _step(self) -> Step[list[tuple[bytes, bytes]]]:
        from hashlib import sha256

        def hashes(rows: Rows) -> list[tuple[bytes, bytes]]:
            order = np.lexsort((ranks_of_rows(rows, self._ranking), rows.topic_of_row))
            documents = rows.docs.take(order).compact().to_list()
            ends = rows.start.tolist()
            return [
                (topic, sha256(b"\n".join(documents[first:after])).digest())
                for topic, first, after in zip(rows.topics, ends, ends[1:], strict=False)
            ]

        return hashes
