"""Sorted keys of (segment, document): one sort finds duplicates and serves every look-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Ints, Words
from irev.core.frozen import frozen
from irev.core.ids import SEEDS

if TYPE_CHECKING:
    from irev.core.ids import Ids

_PACKED_ROWS = range(1 << 9, 1 << 20)
"""So many rows are sorted with their numbers in their keys, beside enough bits of the hash: fewer
are not worth the steps."""


@frozen
class Pairs:
    """N distinct pairs of a segment and a document, by segment and hash.

    keys     uint64[N], rising: the segment in the high bits, then bits of the document's hash;
             no two are equal
    rows     int64[N], the row of each key
    docs     the documents, by row
    hashes   uint64[N], theirs, by row
    seed     of the hashes
    numbers  the number of each distinct document, where it stands in the place of the hash
    """

    keys: Words
    rows: Ints
    docs: Ids
    hashes: Words
    seed: int
    segment_bits: int
    dropped_bits: int
    numbers: dict[bytes, int] | None = None

    @property
    def doc_hashes(self) -> Words:
        """uint64[N]: the hashes of the documents with seed 0, by row."""
        is_known = self.seed == 0 and self.numbers is None
        return self.hashes if is_known else self.docs.hashes()

    def find(self, segment: Ints, docs: Ids, hashes: Words) -> tuple[Ints, Ints]:
        """Which of some other pairs occur here: (their places, the rows they have here).

        `hashes` are those of `docs` with seed 0; rising needles are found fastest.
        """
        if self.numbers is not None:
            hashes = _numbered(docs, self.numbers, self.segment_bits)
        elif self.seed:
            hashes = docs.hashes(self.seed)
        wanted = _keys(segment, hashes, self.segment_bits)
        if self.dropped_bits:
            wanted >>= np.uint64(self.dropped_bits)
        at = self.keys[:-1].searchsorted(wanted)  # what is above all keys is at the last one
        found = (self.keys[at] == wanted).nonzero()[0] if len(self.keys) else at[:0]
        rows = self.rows[at[found]]
        if self.numbers is None and self.docs.num_words <= 1 and docs.num_words <= 1:
            # of a single word the hash is another for every id
            same = self.hashes[rows] == hashes[found]
        else:
            same = self.docs.equal(rows, docs, found)
        return (found, rows) if np.count_nonzero(same) == len(same) else (found[same], rows[same])


def sorted_pairs(segment: Ints, segments: int, docs: Ids) -> Pairs | tuple[Ints, Ints]:
    """The pairs of rows that lie by segment; or, if a pair occurs twice, the rows of such pairs.

    Where distinct documents have equal keys, other hashes are tried, and then the documents are
    numbered: the result never rests on hashes, and nobody can choose ids that take long.
    """
    segment_bits = (segments - 1).bit_length()
    row_bits = (len(docs) - 1).bit_length() if len(docs) in _PACKED_ROWS else 0
    for seed in range(SEEDS):
        hashes = docs.hashes(seed)
        keys = _keys(segment, hashes, segment_bits)
        if row_bits:
            # the row takes the place of the hash's last bits: sorting values is quicker than
            # sorting numbers of rows by values
            place = np.uint64((1 << row_bits) - 1)
            keys &= ~place
            keys |= np.arange(len(keys), dtype=np.uint64)
            keys.sort()
            rows = (keys & place).view(np.int64)
            keys >>= np.uint64(row_bits)
        else:
            rows = np.argsort(keys)
            keys = keys[rows]
        equal = (keys[1:] == keys[:-1]).nonzero()[0]
        if not len(equal):
            return Pairs(keys, rows, docs, hashes, seed, segment_bits, row_bits)
        rows = rows[np.lexsort((rows, keys))]  # of what is equal the earlier row first
        one, other = rows[equal], rows[equal + 1]
        same = docs.equal(one, docs, other)
        if same.any():
            return one[same], other[same]
        row_bits = 0  # many topics beside a long one leave the hash too few bits
    code, distinct = docs.codes()
    hashes = code.astype(np.uint64) << np.uint64(segment_bits)
    keys = _keys(segment, hashes, segment_bits)
    rows = np.argsort(keys, kind="stable")
    keys = keys[rows]
    equal = np.flatnonzero(keys[1:] == keys[:-1])
    if len(equal):
        return rows[equal], rows[equal + 1]
    numbers = {doc: number for number, doc in enumerate(distinct)}
    return Pairs(keys, rows, docs, hashes, 0, segment_bits, 0, numbers)


def _numbered(docs: Ids, numbers: dict[bytes, int], segment_bits: int) -> Words:
    """The numbers in place of hashes; documents without one get the first that is none."""
    found = [numbers.get(doc, len(numbers)) for doc in docs.compact().to_list()]
    return np.array(found, np.uint64) << np.uint64(segment_bits)


def _keys(segment: Ints, hashes: Words, segment_bits: int) -> Words:
    keys: Words = hashes >> np.uint64(segment_bits)
    if segment_bits:
        keys |= segment.view(np.uint64) << np.uint64(64 - segment_bits)
    return keys
