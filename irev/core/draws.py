"""Random draws that depend on a seed alone: not on threads, memory, other runs, or NumPy's version.

Documents are drawn by keys, resamples in blocks of fixed size, each from a generator of its own. Of
a generator only the raw 64-bit words are used: their sequence is part of PCG64's definition.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    ResamplesByTopics,
    RowMask,
    TopicDraws,
    TopicOctetsByResamples,
    TopicOfRow,
    Words,
    segment_starts,
)
from irev.core.ids import Ids

if TYPE_CHECKING:
    from fractions import Fraction


# --- Keyed randomness ---
# A document's key is the number in the first 8 bytes, the highest first, of the SHA-256 of
#     SEED \0 REPLICATE \0 ATTEMPT \0 TOPIC \0 DOCUMENT
# the numbers in decimal. A sample of n documents is those with the n lowest keys. So it does not
# depend on the order of files, on threads, on other topics or on versions of a generator, and a
# larger sample holds every smaller one of the same seed, replicate and attempt.


SHUFFLE = -1
"""The attempt whose keys order lists for people: no draw has it, so that the order betrays none."""

EVERY_TOPIC = b""
"""The topic of documents that are drawn once for all topics."""


def keys_of_rows(
    seed: int,
    replicate: int,
    attempt: int,
    topics: Sequence[bytes],
    topic_of_row: TopicOfRow,
    docs: Ids,
) -> Words:
    """uint64[N]: the keys of N documents, given the topic of each, which rises."""
    sha256 = hashlib.sha256
    start = segment_starts(topic_of_row, len(topics))
    keys = np.empty(len(docs), np.uint64)
    for number in np.flatnonzero(np.diff(start)).tolist():
        rows = slice(start[number], start[number + 1])
        numbers = (b"%d" % each for each in (seed, replicate, attempt))
        prefix = b"\0".join([*numbers, topics[number], b""])
        # a slice still refers to all the data of its column: only its own bytes are copied
        documents = docs.take(rows).compact().to_list()
        digests = b"".join([sha256(prefix + document).digest()[:8] for document in documents])
        keys[rows] = np.frombuffer(digests, ">u8")
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


# --- Resamples, in blocks ---


BLOCK = 1024
"""Resamples in a block."""

DrawKind = Literal["sign", "topic", "order", "split", "noise", "share"]
"""What is drawn: signs of differences, topics with replacement, orders of runs within a topic,
divisions of the topics, noise in a simulation, shares of the topics."""

_NUMBER: dict[DrawKind, int] = {kind: number for number, kind in enumerate(get_args(DrawKind), 1)}
"""What makes the generators of a seed differ: a new kind is the last."""


def resample_blocks(num_resamples: int) -> Iterator[tuple[int, int]]:
    """The blocks of so many resamples: (number, size); the last may be smaller."""
    for number, start in enumerate(range(0, num_resamples, BLOCK)):
        yield number, min(BLOCK, num_resamples - start)


def random_words(seed: int, kind: DrawKind, block_index: int, num_words: int) -> Words:
    """uint64[num_words]: the raw words of a block; a shorter call gives the start of a longer."""
    generator = np.random.PCG64(np.random.SeedSequence([seed, _NUMBER[kind], block_index]))
    drawn: Words = generator.random_raw(num_words)
    return drawn


def random_word_pieces(
    seed: int, kind: DrawKind, block_index: int, words_per_piece: int, num_pieces: int
) -> Iterator[Words]:
    """The first words of a block, piece by piece: uint64[words_per_piece] each."""
    generator = np.random.PCG64(np.random.SeedSequence([seed, _NUMBER[kind], block_index]))
    for _ in range(num_pieces):
        drawn: Words = generator.random_raw(words_per_piece)
        yield drawn


def random_signs(seed: int, block_index: int, num_resamples: int, num_topics: int) -> Bools:
    """bool[resamples, topics]: fair coins."""
    drawn = random_sign_bits(seed, block_index, num_resamples, num_topics)
    return np.unpackbits(drawn.T, axis=1, count=num_topics, bitorder="little").astype(bool)


def random_sign_bits(
    seed: int, block_index: int, num_resamples: int, num_topics: int
) -> TopicOctetsByResamples:
    """uint8[ceil(topics / 8), resamples]: the same coins, those of eight topics in a byte.

    The lowest bit is that of the first topic of the eight; bits behind the last topic are noise.
    """
    words_per_sample = -(-num_topics // 64)
    drawn = random_words(seed, "sign", block_index, num_resamples * words_per_sample).astype("<u8")
    all_bytes = drawn.view(np.uint8).reshape(num_resamples, words_per_sample * 8)
    return np.ascontiguousarray(all_bytes[:, : -(-num_topics // 8)].T)


def topic_samples(
    seed: int, block_index: int, num_resamples: int, num_topics: int, sample_size: int = 0
) -> TopicDraws:
    """int64[resamples, size]: indices of topics drawn with replacement; size 0 means all T."""
    sample_size = sample_size or num_topics
    drawn = random_words(seed, "topic", block_index, num_resamples * sample_size)
    # the upper 32 bits times T, shifted back: no topic is favoured by more than T / 2**32
    topic_indices = ((drawn >> np.uint64(32)) * np.uint64(num_topics)) >> np.uint64(32)
    return topic_indices.astype(np.int64).reshape(num_resamples, sample_size)


def topic_draws(seed: int, num_resamples: int, num_topics: int, sample_size: int = 0) -> TopicDraws:
    """int64[B, size]: indices of topics drawn with replacement; size 0 means all T.

    The draws are those of every bootstrap of the same seed here.
    """
    drawn = [
        topic_samples(seed, block_index, block_size, num_topics, sample_size)
        for block_index, block_size in resample_blocks(num_resamples)
    ]
    return np.concatenate(drawn) if drawn else np.empty((0, sample_size or num_topics), np.int64)


def random_shares(
    seed: int, block_index: int, num_resamples: int, num_topics: int
) -> ResamplesByTopics:
    """float64[resamples, topics]: shares of 1, uniform among all that there are.

    The gaps between T - 1 uniform numbers in order, which needs no logarithm.
    """
    drawn = random_words(seed, "share", block_index, num_resamples * (num_topics - 1)).reshape(
        num_resamples, num_topics - 1
    )
    ends = np.zeros((num_resamples, num_topics + 1))
    ends[:, 1:-1] = np.sort((drawn >> np.uint64(11)) * 2.0**-53, axis=1)
    ends[:, -1] = 1.0
    return np.diff(ends, axis=1)


def topic_counts_of_draws(samples: TopicDraws, num_topics: int) -> ResamplesByTopics:
    """float64[B, T]: how often each topic is in each sample."""
    rows = np.arange(len(samples))[:, None] * num_topics
    count = np.bincount((samples + rows).ravel(), minlength=len(samples) * num_topics)
    return count.reshape(len(samples), num_topics).astype(np.float64)
