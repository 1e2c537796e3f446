"""Keys of (segment, document): one table of them finds duplicates and serves every look-up."""

from __future__ import annotations

from typing import Any

import numpy as np

from irev.core.arrays import Ints, RowIndices, Words, are_all, is_any
from irev.core.ids import FEW_IDS, SEEDS, Ids
from irev.core.record import record

_FEW = 1 << 7
"""Fewer keys are sorted: a table would take more steps."""

_SLOTS_PER_KEY = 4
"""A table has so many slots for each key, or up to twice as many."""


@record
class _Table:
    """Where N distinct keys are found.

    keys    uint64[N]
    slots   int16[] or wider: by the first bits of a key, the row of the only such key, or 0 where
            there is none; ~row of one of them where there are several. None: there is no table
    shift   how many bits of a key are not among its first ones
    others  int64[]: the rows of the keys whose slot has another one's row, by key
    sorted  uint64[]: the keys of these
    """

    keys: Words
    slots: Any
    shift: int
    others: Ints
    sorted: Words

    def rows_of(self, keys: Words) -> tuple[Ints, RowIndices]:
        """Which of some keys are here: (their places, the rows they have here)."""
        if not len(self.keys):
            none = np.zeros(0, np.int64)
            return none, none
        if self.slots is None:
            rows = self._rows_of_crowded(keys)
        else:
            slot = (keys >> np.uint64(self.shift)).view(np.int64)
            rows = self.slots[slot]
            crowded = (rows < 0).nonzero()[0]
            rows[crowded] = ~rows[crowded]
            elsewhere = crowded[self.keys[rows[crowded]] != keys[crowded]]
            rows[elsewhere] = self._rows_of_crowded(keys[elsewhere])
        places = (self.keys[rows] == keys).nonzero()[0]
        return places, rows[places].astype(np.int64, copy=False)

    def _rows_of_crowded(self, keys: Words) -> RowIndices:
        # what is above all keys is looked for at the last one
        return self.others[self.sorted[:-1].searchsorted(keys)]


@record
class _NamedIndex:
    """A few documents of a single segment, looked up by their names."""

    docs: Ids
    row_of_name: dict[bytes, int]

    @property
    def doc_hashes(self) -> Words:
        """uint64[N]: the hashes of the documents with seed 0, by row."""
        return self.docs.hashes()

    def find(self, segment: Ints, docs: Ids, hashes: Words) -> tuple[Ints, RowIndices]:
        """Which of some other documents occur here: (their places, the rows they have here).

        `hashes` are those of `docs` with seed 0.
        """
        row_of_name = self.row_of_name
        rows = np.array([row_of_name.get(name, -1) for name in docs.names], np.int64)
        places = (rows >= 0).nonzero()[0]
        return places, rows[places]


@record
class _KeyedIndex:
    """Any number of pairs, looked up by keys.

    A key has the segment in its high bits, then bits of the document's hash; no two are equal.

    docs     the documents, by row
    hashes   uint64[N], theirs, by row
    seed     of the hashes
    numbers  the number of each distinct document, where it stands in the place of the hash
    """

    _table: _Table
    docs: Ids
    hashes: Words
    seed: int
    segment_bits: int
    numbers: dict[bytes, int] | None = None

    @property
    def doc_hashes(self) -> Words:
        """uint64[N]: the hashes of the documents with seed 0, by row."""
        is_known = self.seed == 0 and self.numbers is None
        return self.hashes if is_known else self.docs.hashes()

    def find(self, segment: Ints, docs: Ids, hashes: Words) -> tuple[Ints, RowIndices]:
        """Which of some other pairs occur here: (their places, the rows they have here).

        `hashes` are those of `docs` with seed 0.
        """
        if self.numbers is not None:
            # documents without a number get the first that is none
            none = len(self.numbers)
            numbers = [self.numbers.get(doc, none) for doc in docs.compact().to_list()]
            hashes = np.array(numbers, np.uint64) << np.uint64(self.segment_bits)
        elif self.seed:
            hashes = docs.hashes(self.seed)
        places, rows = self._table.rows_of(_pair_keys(segment, hashes, self.segment_bits))
        if self.numbers is None and self.docs.num_words <= 1 and docs.num_words <= 1:
            # of a single word the hash is another for every id
            if not self.segment_bits:
                return places, rows  # the keys are the hashes
            same = self.hashes[rows] == hashes[places]
        else:
            same = self.docs.equal(rows, docs, places)
        return (places, rows) if are_all(same) else (places[same], rows[same])


DocumentIndex = _NamedIndex | _KeyedIndex
"""N distinct pairs of a segment and a document, and where they stand."""


def index_documents(
    segment: Ints, num_segments: int, docs: Ids
) -> DocumentIndex | tuple[RowIndices, RowIndices]:
    """The pairs of rows; or, if a pair occurs twice, the rows of such pairs, the earlier first.

    `segment[i]`, below `num_segments`, is that of row i; rows of a segment that lie together are
    found fastest. Where distinct documents have equal keys, other hashes are tried, and then the
    documents are numbered: the result never rests on hashes, and nobody can choose ids that take
    long.
    """
    if num_segments == 1 and len(docs) <= FEW_IDS:
        row_of_name = dict(zip(docs.names, range(len(docs)), strict=True))
        if len(row_of_name) == len(docs):
            return _NamedIndex(docs, row_of_name)
    bits = (num_segments - 1).bit_length()
    for seed in range(SEEDS):
        hashes = docs.hashes(seed)
        keys = _pair_keys(segment, hashes, bits)
        table = _table(keys, num_segments, bits)
        if table is not None:
            return _KeyedIndex(table, docs, hashes, seed, bits)
        one, other = _equal_key_rows(keys)
        same = docs.equal(one, docs, other)
        if same.any():
            return one[same], other[same]
    code, distinct = docs.codes()
    hashes = code.astype(np.uint64) << np.uint64(bits)
    keys = _pair_keys(segment, hashes, bits)
    table = _table(keys, num_segments, bits)
    if table is None:
        return _equal_key_rows(keys)
    numbers = {doc: number for number, doc in enumerate(distinct)}
    return _KeyedIndex(table, docs, hashes, 0, bits, numbers)


def _pair_keys(segment: Ints, hashes: Words, segment_bits: int) -> Words:
    if not segment_bits:
        return hashes
    keys: Words = hashes >> np.uint64(segment_bits)
    keys |= segment.view(np.uint64) << np.uint64(64 - segment_bits)
    return keys


def _table(keys: Words, num_segments: int, segment_bits: int) -> _Table | None:
    """The table of some keys; None: two are equal.

    The slots of a segment lie together, as its rows mostly do: all of them stay in a cache.
    """
    slots: Any = None
    shift = 0
    if len(keys) < _FEW:
        others = keys.argsort()
    else:
        bits = (_SLOTS_PER_KEY * len(keys) // num_segments).bit_length()
        shift = 64 - segment_bits - bits
        slot = (keys >> np.uint64(shift)).view(np.int64)
        slots = np.zeros(num_segments << bits, np.min_scalar_type(-len(keys)))
        rows = np.arange(len(keys), dtype=slots.dtype)
        slots[slot] = rows
        there = slots[slot]
        others = (there != rows).nonzero()[0]
        if (keys[there[others]] == keys[others]).any():
            return None
        slots[slot[others]] = ~there[others]
        others = others[keys[others].argsort()]
    in_order = keys[others]
    if is_any(in_order[1:] == in_order[:-1]):
        return None
    return _Table(keys, slots, shift, others, in_order)


def _equal_key_rows(keys: Words) -> tuple[RowIndices, RowIndices]:
    """The rows of equal keys, side by side and the earlier one first."""
    rows = keys.argsort(kind="stable")
    keys = keys[rows]
    equal = (keys[1:] == keys[:-1]).nonzero()[0]
    return rows[equal], rows[equal + 1]
