"""Identifiers as spans of bytes, and where documents are found by them.

They are never decoded, never numbers, and compared eight bytes at a time.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import (
    Bools,
    Bytes,
    Ints,
    RowIndices,
    RowMask,
    RowStarts,
    Words,
    are_all,
    arrow_array,
    byte_order,
    is_any,
    largest_or_zero,
    numpy_view,
    offsets,
    ranges,
    run_starts,
)
from irev.core.packages import has_package
from irev.core.record import cached_property, record

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa


# --- Identifiers as spans of bytes ---


PADDING = 8
"""Spare bytes behind the data, so that a word can be read at any byte of an id."""

_MASK = np.array([(1 << 8 * k) - 1 for k in range(9)], np.uint64)
"""What is kept of a word of which k bytes belong to the id."""

_FEW_WORDS = 32
"""Up to so many words ids are looked at together, word by word; longer ones each by itself."""

_BEGINNING = 1 << 12
"""So many ids show whether equal ones stand together."""

_FEW_IDS = 1 << 16
"""Up to so many ids, a dictionary is quicker than the start of Arrow's functions."""

FEW_IDS = 1 << 9
"""Up to so many ids, to look them up one by one is quicker than all at once by their words."""

_MANY_IDS = 1 << 18
"""More ids are hashed so many at a time, in little memory."""

SEEDS = 3
"""How many different hashes an id has."""

_KEYS = np.frombuffer(os.urandom(SEEDS * _FEW_WORDS * 16), np.uint64).reshape(SEEDS, -1, 2) | 1
"""uint64[SEEDS, words, 2]: odd multipliers that nobody outside this process knows.

They are there before any thread is, and one hash of an id is all that a process ever sees: what is
handed to another process is hashed there again.
"""


_ALL = slice(None)


@record
class Ids:
    """N identifiers: `length[i]` bytes of `data` from `start[i]`; at least `PADDING` bytes spare.

    No id holds a zero byte, so that zero-padded words compare as the bytes do.
    """

    data: Bytes
    start: Ints
    length: Ints

    def __len__(self) -> int:
        """N."""
        return len(self.start)

    def __getitem__(self, row: int) -> bytes:
        """One id."""
        start = int(self.start[row])
        return self.data[start : start + int(self.length[row])].tobytes()

    @property
    def is_wide(self) -> bool:
        """Whether places and lengths are 64 bits wide, as those are that `take` gives."""
        return self.start.dtype == self.length.dtype == np.int64

    def take(self, rows: RowIndices | slice) -> Ids:
        """Some of the ids, over the same data."""
        start, length = self.start[rows], self.length[rows]
        return Ids(
            self.data, start.astype(np.int64, copy=False), length.astype(np.int64, copy=False)
        )

    def to_list(self) -> list[bytes]:
        """The ids as bytes objects."""
        if not len(self):
            return []
        first = int(self.start[self.start.argmin()])  # a small call of min costs twice
        start = self.start - first
        end = start + self.length
        data = self.data[first : first + largest_or_zero(end)].tobytes()
        return [data[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]

    @cached_property
    def names(self) -> list[bytes]:
        """The same list, kept: nobody may change it."""
        return self.to_list()

    def compact(self) -> Ids:
        """The same ids, one after another in data of their own."""
        ends: Ints = np.cumsum(self.length, dtype=np.int64)
        size = int(ends[-1]) if len(ends) else 0
        data = np.zeros(size + PADDING, np.uint8)
        data[:size] = self.data[ranges(self.start, self.start + self.length)]
        return Ids(data, ends - self.length, self.length)

    def compact_aligned(self) -> Ids:
        """The same ids in data of their own, each in whole words where that takes little more."""
        width = max(1, self.num_words)
        if width > _FEW_WORDS or 8 * width * len(self) > 16 * len(self) + 2 * int(
            self.length.sum()
        ):
            return self.compact()
        words = np.zeros((len(self) + 1, width), "<u8")
        for number in range(width):
            words[:-1, number] = self.word(number)
        data = words.view(np.uint8).ravel()
        start = 8 * width * np.arange(len(self), dtype=_narrow(len(data)))
        return Ids(data, start, self.length.astype(np.int16))

    def word(self, number: int, rows: RowIndices | slice = _ALL) -> Words:
        """uint64[]: eight bytes of some ids, little-endian, zero behind the end; number 0 first."""
        start, length = self.start, self.length
        if rows is not _ALL:
            start, length = start[rows], length[rows]
        if number:
            # an id may end before this word, and the data too
            start = np.minimum(start + 8 * number, len(self._words) - 1)
            length = length - 8 * number  # below 0 is nothing
        words = self._words[start]
        words &= _MASK.take(length, mode="clip")
        return words

    @cached_property
    def num_words(self) -> int:
        """How many words the longest id fills."""
        return (largest_or_zero(self.length) + 7) // 8

    @cached_property
    def _words(self) -> Words:
        # a word at every byte: unaligned, overlapping, nothing copied
        count = len(self.data) - PADDING + 1
        return np.ndarray((count,), "<u8", self.data, strides=(1,))

    def hashes(self, seed: int = 0) -> Words:
        """uint64[N]: a hash of each id's bytes, keyed by the process, good in its high bits.

        Each word is multiplied, its bytes reversed, and multiplied again; the sum is the hash. For
        any two ids whose words differ, the high B bits are equal under at most 2^(1-B) + 2^-52 of
        all keys: two words differ by 2^j times an odd number. The first product differs at bit j,
        and t leading bytes of it are alike under 2 of 2^8t keys only, so that its bytes reversed
        differ by 2^k times an odd number, k at most 8t + 7. That, times an odd key, is spread
        evenly over the multiples of 2^k, wherever the other words put it.
        """
        if len(self) > _MANY_IDS:
            result = np.empty(len(self), np.uint64)
            for first in range(0, len(self), _MANY_IDS):
                some = slice(first, first + _MANY_IDS)
                result[some] = self.take(some).hashes(seed)
            return result
        if not self.num_words:
            return np.zeros(len(self), np.uint64)
        part = self
        rows: Ints | slice = _ALL
        for number in range(min(self.num_words, _FEW_WORDS)):
            if _is_looked_at_again(number):  # a few longer ids among many cost only what they are
                rows = np.flatnonzero(self.length > 8 * number)
                part = self.take(rows)
            # a word beyond the id's end is 0 and adds 0: the other ids of a batch do not matter
            word = part.word(number)
            word *= _KEYS[seed, number, 0]
            word.byteswap(inplace=True)
            word *= _KEYS[seed, number, 1]
            if number == 0:
                result = word
            elif part is self:
                result += word
            else:
                result[rows] += word
        if self.num_words > _FEW_WORDS:
            from hashlib import blake2b

            key = _KEYS[seed].tobytes()[: blake2b.MAX_KEY_SIZE]
            for row in np.flatnonzero(self.length > 8 * _FEW_WORDS).tolist():
                digest = blake2b(self[row], key=key, digest_size=8).digest()
                result[row] = int.from_bytes(digest, "little")
        return result

    def equal(self, rows: RowIndices, other: Ids, other_rows: RowIndices) -> RowMask:
        """bool[len(rows)]: whether id rows[i] here is id other_rows[i] there."""
        length = self.length[rows]
        same: Bools = length == other.length[other_rows]
        few: Ints | slice = _ALL
        num_words = min(self.num_words, other.num_words)
        for number in range(min(num_words, _FEW_WORDS)):
            if _is_looked_at_again(number):
                few = np.flatnonzero(length > 8 * number)
            words, others = self.word(number, rows[few]), other.word(number, other_rows[few])
            same[few] &= words == others
        if num_words > _FEW_WORDS:
            for index in np.flatnonzero(same & (length > 8 * _FEW_WORDS)).tolist():
                same[index] = self[rows[index]] == other[other_rows[index]]
        return same

    def sort_keys(self, *, rising: bool = True) -> list[Words]:
        """Keys for `np.lexsort`, the last deciding: the ids in byte order, or against it."""
        if self.num_words <= _FEW_WORDS:
            keys = [self.word(number).byteswap() for number in reversed(range(self.num_words))]
        else:
            ids = self.to_list()
            keys = [np.empty(len(ids), np.uint64)]
            keys[0][byte_order(ids)] = np.arange(len(ids), dtype=np.uint64)
        return keys if rising else [~key for key in keys]

    def codes(self) -> tuple[Ints, list[bytes]]:
        """Which distinct id each one is: (int64[N], the distinct ids in order of appearance)."""
        if len(self) == 1:
            return np.zeros(1, np.int64), self.to_list()
        some = min(len(self), _BEGINNING)
        start = self.take(slice(some))._starts_of_equal_neighbours()
        if 2 * len(start) <= some:
            start = self._starts_of_equal_neighbours()
            code, distinct = self.take(start[:-1])._codes()
            return np.repeat(code, np.diff(start)), distinct
        return self._codes()

    def _starts_of_equal_neighbours(self) -> RowStarts:
        """int64[R+1]: where each run of equal ids starts, and the end."""
        if not len(self):
            return np.zeros(1, np.int64)
        if self.num_words <= _FEW_WORDS:
            return run_starts(*map(self.word, range(max(1, self.num_words))))
        rows = np.arange(len(self))
        return run_starts(np.concatenate(([0], np.cumsum(~self.equal(rows[1:], self, rows[:-1])))))

    def _codes(self) -> tuple[Ints, list[bytes]]:
        if len(self) > _FEW_IDS and has_package("pyarrow"):
            import pyarrow as pa

            # of the ids themselves Arrow's table would have hashes that everyone can calculate

            hashes = arrow_array(self.hashes(), pa.uint64())
            code: Ints = numpy_view(hashes.dictionary_encode().indices)
            rows = np.arange(len(self))
            first = np.empty(int(code.max()) + 1, np.int64)
            first[code[::-1]] = rows[::-1]
            # of a single word the hash is another for every id
            if self.num_words == 1 or self.equal(rows, self, first[code]).all():
                return code, self.take(first).compact().to_list()
        numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        codes = map(numbers.__getitem__, self.compact().to_list())
        return np.fromiter(codes, np.int64, len(self)), list(numbers)

    def arrow_binary_column(self) -> pa.Array:
        """The ids as an Arrow column of bytes."""
        import pyarrow as pa

        packed = self.compact()
        offsets = np.append(packed.start, len(packed.data) - PADDING)
        kind, width = (
            (pa.binary(), np.int32) if offsets[-1] < 2**31 else (pa.large_binary(), np.int64)
        )
        buffers = [None, pa.py_buffer(offsets.astype(width)), pa.py_buffer(packed.data)]
        return pa.Array.from_buffers(kind, len(self), buffers)


def _is_looked_at_again(word_number: int) -> bool:
    """Whether the ids that reach this word may be so few that they are taken out."""
    return word_number >= 8 and word_number & (word_number - 1) == 0


def ids_from_arrow(column: pa.Array) -> Ids:
    """The ids of an Arrow binary or string column without nulls; the bytes are copied once."""
    import pyarrow as pa

    wide = pa.types.is_large_binary(column.type) or pa.types.is_large_string(column.type)
    bounds = np.frombuffer(column.buffers()[1], np.int64 if wide else np.int32)
    start: Ints = bounds[column.offset : column.offset + len(column) + 1].astype(np.int64)
    buffer = column.buffers()[2]
    data = np.zeros(int(start[-1] - start[0]) + PADDING, np.uint8)
    if buffer is not None:
        data[:-PADDING] = np.frombuffer(buffer, np.uint8)[start[0] : start[-1]]
    start -= start[0]
    return Ids(data, start[:-1], np.diff(start))


class NamedIds(Ids):
    """Identifiers that are bytes objects already; their spans are made when somebody needs them."""

    def __init__(self, names: list[bytes]) -> None:
        self.names = names

    def __len__(self) -> int:
        """N."""
        return len(self.names)

    def __getitem__(self, row: int) -> bytes:
        """One id."""
        return self.names[row]

    @property
    def is_wide(self) -> bool:
        """Whether places and lengths are 64 bits wide: they are."""
        return True

    def to_list(self) -> list[bytes]:
        """The ids as bytes objects."""
        return [*self.names]

    @cached_property
    def data(self) -> Bytes:
        """The bytes of all ids, and the spare ones."""
        return np.frombuffer(b"".join(self.names) + bytes(PADDING), np.uint8)

    @cached_property
    def start(self) -> Ints:
        """int64[N]: where each id begins in the data."""
        return self.length.cumsum() - self.length

    @cached_property
    def length(self) -> Ints:
        """int64[N]: how many bytes each id has."""
        return np.fromiter(map(len, self.names), np.int64, len(self.names))


def ids_from_bytes(ids: Sequence[bytes]) -> Ids:
    """The ids of a sequence of bytes objects."""
    return NamedIds([*ids])


def concatenate_ids(parts: Sequence[Ids]) -> Ids:
    """All the ids of several columns, one column after another."""
    if len(parts) == 1:
        return parts[0]
    base = offsets([len(part.data) - PADDING for part in parts])
    row = offsets([len(part) for part in parts])
    data = np.zeros(int(base[-1]) + PADDING, np.uint8)
    narrow = _narrow(len(data))
    lengths = np.result_type(*(part.length for part in parts))
    start, length = np.empty(row[-1], narrow), np.empty(row[-1], lengths)
    for number, part in enumerate(parts):
        data[base[number] : base[number + 1]] = part.data[:-PADDING]
        here = slice(row[number], row[number + 1])
        np.add(part.start, base[number], out=start[here], casting="unsafe")
        length[here] = part.length
    return Ids(data, start, length)


def _narrow(size: int) -> Any:
    """The type of places in data of some size: as narrow as can be, for there are very many."""
    return np.int32 if size < 1 << 30 else np.int64


def ids_from_data_and_lengths(data: Bytes, lengths: npt.NDArray[np.integer[Any]]) -> Ids:
    """Ids that stand one after another in the data, given the length of each.

    The starts are as narrow as they can be: there may be very many ids.
    """
    length: Any = lengths
    start: Any = np.cumsum(length, dtype=np.uint32 if len(data) < 1 << 32 else np.int64)
    start -= length
    return Ids(data, start, length)


# --- Keys of (segment, document): one table of them finds duplicates and serves every look-up ---


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
