"""How the scores of a run order its documents: equal scores, or few of them, let ids decide.

Some topics are looked at while the run is ranked, which costs next to nothing. The bounds were
chosen on 87 runs of eight collections of TREC and CLEF, of which two are told: they have equal
scores alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import lengths_of
from irev.core.wording import count_text
from irev.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.model import Rows

_FIRST, _DEPTH, _FEW_VALUES = 10, 20, 4
"""Ranks that should not all have one score; ranks that should have more than a few scores."""

_LEAST_DOCUMENTS = 5
"""A topic with fewer documents says nothing about equal scores."""

RANKS_DECIDE = "--ties rank ranks by the rank column"


class ScoreOrder(NamedTuple):
    """How the scores of some topics of a run order its documents.

    num_topics  topics whose scores were looked at
    num_tied    those of them whose first 10 documents all have the same score
    num_coarse  those of them whose first 20 documents have 4 different scores at most
    """

    num_topics: int = 0
    num_tied: int = 0
    num_coarse: int = 0


def score_order(rows: Rows, sampled_topics: Collection[bytes], *, is_sorted: bool) -> ScoreOrder:
    """How the scores of some whole topics order their documents."""
    lengths = lengths_of(rows.start)
    deep = np.flatnonzero(lengths >= _LEAST_DOCUMENTS).tolist()
    indices = [index for index in deep if rows.topics[index] in sampled_topics]
    if not indices:
        return ScoreOrder()
    first, length = rows.start[indices], lengths[indices]
    top = _top_scores(rows.value, first, length, is_sorted=is_sorted)
    last = np.minimum(length, _DEPTH) - 1
    is_tied = top[:, 0] == top[np.arange(len(top)), np.minimum(last, _FIRST - 1)]
    num_values = 1 + (top[:, 1:] != top[:, :-1]).sum(axis=1)
    is_coarse = (length >= _DEPTH) & (num_values <= _FEW_VALUES)
    return ScoreOrder(len(first), int(is_tied.sum()), int((is_coarse & ~is_tied).sum()))


def _top_scores(scores: Floats, first: Ints, length: Ints, *, is_sorted: bool) -> Floats:
    """float64[T, 20]: the highest scores of topics, falling; the last one fills up."""
    if is_sorted:
        places = first[:, None] + np.minimum(np.arange(_DEPTH), length[:, None] - 1)
        return scores[places]
    top = np.empty((len(first), _DEPTH))
    for row, (begin, size) in enumerate(zip(first.tolist(), length.tolist(), strict=True)):
        own = scores[begin : begin + size]
        highest = np.sort(own if size <= _DEPTH else np.partition(own, size - _DEPTH)[-_DEPTH:])
        top[row, : len(highest)] = highest[::-1]
        top[row, len(highest) :] = highest[0]
    return top


def total_order(parts: Sequence[ScoreOrder]) -> ScoreOrder | None:
    """The same of all parts of a run; None: nobody looked at any."""
    return ScoreOrder(*map(sum, zip(*parts, strict=True))) if parts else None


def score_order_warnings(order: ScoreOrder) -> Iterator[Notice]:
    """Warnings where equal scores order most topics of a run, so that ids decide."""
    which = f"in {order.num_tied} of {count_text(order.num_topics, 'topic')} looked at"
    if 2 * order.num_tied > order.num_topics:
        yield Notice(
            "constant-scores",
            f"the first {_FIRST} documents have equal scores {which}, so that ids decide",
            RANKS_DECIDE,
        )
    elif 2 * (order.num_tied + order.num_coarse) > order.num_topics:
        several = order.num_tied + order.num_coarse
        yield Notice(
            "few-scores",
            f"the first {_DEPTH} documents have at most {_FEW_VALUES} different scores in "
            f"{several} of {count_text(order.num_topics, 'topic')} looked at, so that ids decide "
            "often",
            f"{RANKS_DECIDE}, --tie-range shows how much it matters",
        )
