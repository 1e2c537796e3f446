"""Rank-biased overlap of two rankings of documents, of any lengths, with ties.

Webber, Moffat and Zobel, TOIS 2010, "A similarity measure for indefinite rankings"; Corsi and
Urbano, SIGIR 2024, "The treatment of ties in rank-biased overlap", for ties.

RBO = (1-p)/p * sum over depths d of A_d p^d, where the agreement A_d is X_d/d without ties and X_d
is how many documents the two rankings have in common down to d. With s and l documents in the
shorter and in the longer ranking, the sum has three parts: what both show (d <= s), what only the
longer shows (s < d <= l), and what neither shows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.core.arrays import Floats, Ints, ranges, segment_sums
from irev.core.record import record
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    Groups = Sequence[Sequence[Hashable]]

Ties = Literal["a", "b", "w"]
"""`a`: a tie hides an order that is not known, and RBO is its mean over all orders; `b`: that,
corrected for the information lost, so that a ranking has RBO 1 with itself; `w`: tied documents
really share one rank."""


@record(eq=True)
class Overlap:
    """RBO of two rankings.

    ext  if what is not seen agrees as what is seen: the point value, from 0 to 1
    min  if the rankings have nothing more in common
    max  if they have as much more in common as can be
    """

    ext: float
    min: float
    max: float

    @property
    def res(self) -> float:
        """What the unseen documents can change: max - min."""
        return self.max - self.min


@record
class _Depths:
    """What is seen of two rankings down to each depth 1, 2, ..., l.

    overlap  float64[l], X_d: documents in common, those in part counted in part
    size     float64[l], what the overlap is at most: A_d = overlap/size
    mean     float64[l], the mean contribution, at depth d, of the documents that only the longer
             ranking has and has shown in part at least
    most     float64[l], what the overlap could be more: the shorter ranking may go on with the
             documents that only the longer has, in their order
    """

    overlap: Floats
    size: Floats
    mean: Floats
    most: Floats


def rbo(x: Groups, y: Groups, p: float = 0.9, ties: Ties = "a") -> Overlap:
    """RBO of two rankings, each a list of groups of tied documents, best first.

    Two empty rankings have ext 1, an empty one and another 0.

    Args:
        x: as `[["d7"], ["d2", "d5"], ["d1"]]`.
        y: likewise.
        p: the persistence; the first 10 ranks weigh 86% at 0.9.
        ties: see `Ties`.
    """
    if ties not in ("a", "b", "w"):
        raise UsageError(f"ties of RBO are 'a', 'b' or 'w', not {ties!r}")
    shorter, longer = sorted((_Ranking(x), _Ranking(y)), key=len)
    return _overlap(_depths(shorter, longer, ties), len(shorter), len(longer), p)


class _Ranking:
    """The documents of a ranking, with the first and the last rank of each one's group."""

    def __init__(self, groups: Groups) -> None:
        size = np.array([len(group) for group in groups], np.int64)
        size_of = np.repeat(size, size)
        self.bottom: Ints = np.repeat(np.cumsum(size), size)
        self.top: Ints = self.bottom - size_of + 1
        documents = [document for group in groups for document in group]
        self.place = {document: place for place, document in enumerate(documents)}
        if len(self.place) < len(documents):
            twice = next(d for n, d in enumerate(documents) if self.place[d] != n)
            raise UsageError(f"the document {twice!r} is in a ranking twice")

    def __len__(self) -> int:
        return len(self.place)

    def shares(self, positions: Ints, depths: Ints, ties: Ties) -> Floats:
        """How much of documents is in the ranking down to depths: 0 to 1."""
        top, bottom = self.top[positions], self.bottom[positions]
        if ties == "w":
            return (depths >= top).astype(np.float64)
        shares: Floats = np.clip((depths - top + 1) / (bottom - top + 1), 0, 1)
        return shares

    def sizes(self, deepest: int, ties: Ties) -> Floats:
        """float64[deepest]: down to each depth, the sum of shares, or for `b` that of squares.

        Below the last document the ranking goes on without ties.
        """
        depth = np.arange(1, deepest + 1, dtype=np.float64)
        seen = len(self)
        if ties == "w":
            depth[:seen] = self.bottom
        elif ties == "b":
            above = self.top - 1
            depth[:seen] = above + (depth[:seen] - above) ** 2 / (self.bottom - above)
        return depth


def _depths(shorter: _Ranking, longer: _Ranking, ties: Ties) -> _Depths:
    """What is seen of two rankings."""
    s, deepest = len(shorter), len(longer)
    # the place in the shorter ranking of each document of the longer, -1 where it is not in it
    position = np.array([shorter.place.get(each, -1) for each in longer.place], np.int64)
    in_longer, alone = np.flatnonzero(position >= 0), np.flatnonzero(position < 0)
    in_shorter = position[in_longer]
    # a document counts in part while it is within a group, and in full from its last rank on
    start = np.maximum(shorter.top[in_shorter], longer.top[in_longer])
    full = np.maximum(shorter.bottom[in_shorter], longer.bottom[in_longer])
    depth = ranges(start, full)
    length = full - start
    part = shorter.shares(np.repeat(in_shorter, length), depth, ties) * longer.shares(
        np.repeat(in_longer, length), depth, ties
    )
    overlap = segment_sums(depth, part, deepest + 1) + np.cumsum(
        np.bincount(full, minlength=deepest + 1)
    )
    size = (shorter.sizes(deepest, ties), longer.sizes(deepest, ties))
    mean, most = _longer_only(longer, alone, s, ties)
    return _Depths(
        overlap[1:],
        (size[0] + size[1]) / 2 if ties == "w" else np.sqrt(size[0] * size[1]),
        mean,
        most,
    )


def _longer_only(
    longer: _Ranking, only_in_longer: Ints, shorter_length: int, ties: Ties
) -> tuple[Floats, Floats]:
    """float64[l] each: `_Depths.mean` and `.most` of the documents that the longer alone has.

    At a depth, those of the groups above count in full, and those of the depth's own group all
    alike.
    """
    deepest = len(longer)
    depth = np.arange(1, deepest + 1)
    above = np.searchsorted(only_in_longer, longer.top - 1)
    within = np.searchsorted(only_in_longer, longer.bottom) - above
    share = longer.shares(depth - 1, depth, ties)
    active = above + within
    mean = (above + within * share) / np.maximum(active, 1)
    taken = np.clip(depth - shorter_length, 0, active)
    most = np.minimum(taken, above) + np.maximum(taken - above, 0) * share
    return mean, most


def _overlap(depths: _Depths, s: int, l: int, p: float) -> Overlap:  # noqa: E741
    """The three parts of the sum, for rankings of s and l documents."""
    if not 0 < p < 1:
        raise UsageError(f"the persistence of RBO must be above 0 and below 1, not {p:g}")
    if not l:
        return Overlap(1.0, 0.0, 1.0)
    depth = np.arange(1, l + 1)
    weight = p**depth
    agreement = float(depths.overlap[s - 1] / depths.size[s - 1]) if s else 0.0
    beyond = np.maximum(depth - s, 0)
    at_end = float(depths.overlap[-1])

    def sum_of(more: Floats | float) -> float:
        return float(np.cumsum((depths.overlap + more) / depths.size * weight)[-1])

    # of all documents that either ranking shows or hides, f are different
    f = int(l + s - at_end)
    over_depth, powers = _tails(p, f)
    rising = 2 * (powers[l] - powers[f]) - f * (over_depth[l] - over_depth[f]) + powers[f]
    share = (at_end + (l - s) * agreement) / l
    factor = (1 - p) / p
    return Overlap(
        float(factor * (sum_of(beyond * agreement * depths.mean) + share * powers[l])),
        float(factor * (sum_of(0.0) + at_end * over_depth[l])),
        float(factor * (sum_of(depths.most) + rising)),
    )


def _tails(p: float, last: int) -> tuple[Floats, Floats]:
    """float64[last+1] each: the sums of p^d/d and of p^d over all depths d > 0, 1, ..., last."""
    depth = np.arange(last, 0, -1, dtype=np.float64)
    end = _log_tail(p, last)
    # from the far end on, so that small sums keep their digits
    over_depth: Floats = np.cumsum(np.concatenate(([end], p**depth / depth)))[::-1]
    powers: Floats = p ** np.arange(1.0, last + 2) / (1 - p)
    return over_depth, powers


def _log_tail(p: float, last: int) -> float:
    """The sum of p^d/d over d > last."""
    if last * (1 - p) < 1:
        # most of the sum is left: the difference loses nothing
        depth = np.arange(1, last + 1)
        return -math.log1p(-p) - float((p**depth / depth).sum())
    terms = math.ceil(40 / (1 - p))  # p^terms is below e^-40
    depth = np.arange(last + 1, last + 1 + terms)
    return float((p**depth / depth).sum())
