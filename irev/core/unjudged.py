"""Retrieved documents outside the pool, by id: for the few measures that draw among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, offsets
from irev.core.ids import Ids, concatenate


@dataclass(frozen=True, eq=False, repr=False)
class Outside:
    """The retrieved documents that do not stand in the qrels, of T rankings, by topic and rank.

    names  T ids, the topic of each ranking
    topic  int64[U], which ranking, rising
    rank   int64[U], from 1
    docs   U document ids
    """

    names: tuple[bytes, ...]
    topic: Ints
    rank: Ints
    docs: Ids

    def up_to(self, most: int) -> Outside:
        """Those down to a rank."""
        rows = np.flatnonzero(self.rank <= most)
        return Outside(self.names, self.topic[rows], self.rank[rows], self.docs.take(rows))

    def drawn(self, share: Floats, seed: int, replicate: int) -> Bools:
        """bool[U]: which of them are drawn, where `share` (float64[T]) says how likely that is.

        The draw is by the key of topic and document: the same for every run, and whoever is drawn
        at one share is at a larger one.
        """
        from irev.core.keys import keys_of_rows

        keys = keys_of_rows(seed, replicate, 0, self.names, self.topic, self.docs)
        wanted = share[self.topic]
        # keys lie below 2**64, which is no uint64 itself
        below = np.array([min(int(s * 2**64), 2**64 - 1) for s in share.tolist()], np.uint64)
        drawn: Bools = (keys < below[self.topic]) | (wanted >= 1)
        return drawn


def joined_outside(parts: Sequence[Outside | None]) -> Outside | None:
    """Several sets of rankings as one; None where the documents are not known."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    first = offsets([len(part.names) for part in known])
    return Outside(
        tuple(name for part in known for name in part.names),
        np.concatenate([part.topic + at for part, at in zip(known, first, strict=False)]),
        np.concatenate([part.rank for part in known]),
        concatenate([part.docs for part in known]),
    )
