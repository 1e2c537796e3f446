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

from irev.core.arrays import Floats, Ints, RankValues, ranges, segment_sums
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

    overlap  X_d: documents in common, those in part counted in part
    size     what the overlap is at most: A_d = overlap/size
    mean     the mean contribution, at depth d, of the documents that only the longer
             ranking has and has shown in part at least
    most     what the overlap could be more: the shorter ranking may go on with the
             documents that only the longer has, in their order
    """

    overlap: RankValues
    size: RankValues
    mean: RankValues
    most: RankValues


def rbo(
    first_ranking: Groups, second_ranking: Groups, persistence: float = 0.9, ties: Ties = "a"
) -> Overlap:
    """RBO of two rankings, each a list of groups of tied documents, best first.

    Two empty rankings have ext 1, an empty one and another 0.

    Args:
        first_ranking: as `[["d7"], ["d2", "d5"], ["d1"]]`.
        second_ranking: likewise.
        persistence: the persistence; the first 10 ranks weigh 86% at 0.9.
        ties: see `Ties`.
    """
    if ties not in ("a", "b", "w"):
        raise UsageError(f"ties of RBO are 'a', 'b' or 'w', not {ties!r}")
    shorter, longer = sorted((_Ranking(first_ranking), _Ranking(second_ranking)), key=len)
    return _overlap_of_depths(
        _describe_depths(shorter, longer, ties), len(shorter), len(longer), persistence
    )


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

    def shares(self, document_positions: Ints, depth_of_document: Ints, ties: Ties) -> Floats:
        """How much of each document is in the ranking down to the depth beside it: 0 to 1."""
        top, bottom = self.top[document_positions], self.bottom[document_positions]
        if ties == "w":
            return (depth_of_document >= top).astype(np.float64)
        shares: Floats = np.clip((depth_of_document - top + 1) / (bottom - top + 1), 0, 1)
        return shares

    def sizes_by_depth(self, deepest: int, ties: Ties) -> RankValues:
        """Down to each depth, the sum of shares, or for `b` that of squares.

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


def _describe_depths(shorter: _Ranking, longer: _Ranking, ties: Ties) -> _Depths:
    """What is seen of two rankings."""
    shorter_length, deepest = len(shorter), len(longer)
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
    size = (shorter.sizes_by_depth(deepest, ties), longer.sizes_by_depth(deepest, ties))
    mean, most = _mean_and_most_of_longer_only(longer, alone, shorter_length, ties)
    return _Depths(
        overlap[1:],
        (size[0] + size[1]) / 2 if ties == "w" else np.sqrt(size[0] * size[1]),
        mean,
        most,
    )


def _mean_and_most_of_longer_only(
    longer: _Ranking, only_in_longer: Ints, shorter_length: int, ties: Ties
) -> tuple[RankValues, RankValues]:
    """`_Depths.mean` and `.most` of the documents that the longer alone has.

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


def _overlap_of_depths(
    depths: _Depths, shorter_length: int, longer_length: int, persistence: float
) -> Overlap:
    """The three parts of the sum, for rankings of s and l documents."""
    if not 0 < persistence < 1:
        raise UsageError(f"the persistence of RBO must be above 0 and below 1, not {persistence:g}")
    if not longer_length:
        return Overlap(1.0, 0.0, 1.0)
    depth = np.arange(1, longer_length + 1)
    weight = persistence**depth
    agreement = (
        float(depths.overlap[shorter_length - 1] / depths.size[shorter_length - 1])
        if shorter_length
        else 0.0
    )
    beyond = np.maximum(depth - shorter_length, 0)
    at_end = float(depths.overlap[-1])

    def sum_of(more: Floats | float) -> float:
        return float(np.cumsum((depths.overlap + more) / depths.size * weight)[-1])

    # of all documents that either ranking shows or hides, f are different
    f = int(longer_length + shorter_length - at_end)
    over_depth, powers = _log_and_power_tails(persistence, f)
    rising = (
        2 * (powers[longer_length] - powers[f])
        - f * (over_depth[longer_length] - over_depth[f])
        + powers[f]
    )
    share = (at_end + (longer_length - shorter_length) * agreement) / longer_length
    factor = (1 - persistence) / persistence
    return Overlap(
        float(factor * (sum_of(beyond * agreement * depths.mean) + share * powers[longer_length])),
        float(factor * (sum_of(0.0) + at_end * over_depth[longer_length])),
        float(factor * (sum_of(depths.most) + rising)),
    )


def _log_and_power_tails(persistence: float, last_depth: int) -> tuple[Floats, Floats]:
    """float64[last+1] each: the sums of p^d/d and of p^d over all depths d > 0, 1, ..., last."""
    depth = np.arange(last_depth, 0, -1, dtype=np.float64)
    end = _log_tail(persistence, last_depth)
    # from the far end on, so that small sums keep their digits
    over_depth: Floats = np.cumsum(np.concatenate(([end], persistence**depth / depth)))[::-1]
    powers: Floats = persistence ** np.arange(1.0, last_depth + 2) / (1 - persistence)
    return over_depth, powers


def _log_tail(persistence: float, last_depth: int) -> float:
    """The sum of p^d/d over d > last."""
    if last_depth * (1 - persistence) < 1:
        # most of the sum is left: the difference loses nothing
        depth = np.arange(1, last_depth + 1)
        return -math.log1p(-persistence) - float((persistence**depth / depth).sum())
    terms = math.ceil(40 / (1 - persistence))  # p^terms is below e^-40
    depth = np.arange(last_depth + 1, last_depth + 1 + terms)
    return float((persistence**depth / depth).sum())
