r"""Keyed randomness: draws that depend on what is drawn and on the seed, and on nothing else.

A document's key is the number in the first 8 bytes, the highest first, of the SHA-256 of

    SEED \0 REPLICATE \0 ATTEMPT \0 TOPIC \0 DOCUMENT

the numbers in decimal. A sample of n documents is those with the n lowest keys. So it does not
depend on the order of files, on threads, on other topics or on versions of a generator, and a
larger sample holds every smaller one of the same seed, replicate and attempt.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Ints, RowMask, TopicOfRow, Words, segment_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from irev.core.ids import Ids

SHUFFLE = -1
"""The attempt whose keys order lists for people: no draw has it, so that the order betrays none."""

EVERY_TOPIC = b""
"""The topic of documents that are drawn once for all topics."""


def sampling_key(seed: int, replicate: int, attempt: int, topic: bytes, document: bytes) -> int:
    """The key of one document, below 2**64."""
    return int(_document_keys(seed, replicate, attempt, topic, [document])[0])


def keys_of_rows(
    seed: int,
    replicate: int,
    attempt: int,
    topics: Sequence[bytes],
    topic_of_row: TopicOfRow,
    docs: Ids,
) -> Words:
    """uint64[N]: the keys of N documents, given the topic of each, which rises."""
    start = segment_starts(topic_of_row, len(topics))
    keys = np.empty(len(docs), np.uint64)
    for number in np.flatnonzero(np.diff(start)).tolist():
        rows = slice(start[number], start[number + 1])
        ids = docs.take(rows)
        keys[rows] = _document_keys(seed, replicate, attempt, topics[number], _id_list(ids))
    return keys


def sample_size(rate: Fraction, count: int) -> int:
    """How many of `count` a rate makes: rounded, halves upward; at least 1 where there is any."""
    nearest = (2 * rate.numerator * count + rate.denominator) // (2 * rate.denominator)
    return min(count, max(1, nearest))


def lowest_keys_mask(keys: Words, group_of_row: Ints, num_lowest_of_group: Ints) -> RowMask:
    """bool[N]: which rows have the lowest keys of their group, `num_lowest_of_group[g]` of each."""
    order = np.lexsort((keys, group_of_row))
    start = segment_starts(group_of_row[order], len(num_lowest_of_group))
    place = np.arange(len(order)) - start[group_of_row[order]]
    is_lowest = np.zeros(len(order), bool)
    is_lowest[order] = place < num_lowest_of_group[group_of_row[order]]
    return is_lowest


def _id_list(ids: Ids) -> list[bytes]:
    # a slice still refers to all the data of its column: only its own bytes are copied
    return ids.compact().to_list()


def _document_keys(
    seed: int, replicate: int, attempt: int, topic: bytes, documents: Iterable[bytes]
) -> Words:
    prefix = b"\0".join([*(b"%d" % n for n in (seed, replicate, attempt)), topic, b""])
    sha256 = hashlib.sha256
    digests = b"".join([sha256(prefix + document).digest()[:8] for document in documents])
    return np.frombuffer(digests, ">u8").astype(np.uint64)
