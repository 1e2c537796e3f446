"""The topics of a leaderboard in parts: public and private ones, and classes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import begun
from irev.errors import MismatchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from irev.results.matrices import Matrices

PUBLIC, PRIVATE = "public", "private"


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Some of the topics.

    name      what it is called; empty for all topics
    matrices  the scores on them
    kind      "all", "split" (public or private) or "class"
    """

    name: str
    matrices: Matrices
    kind: str = "all"


def split(matrices: Matrices, public: frozenset[bytes]) -> tuple[Part, Part]:
    """The public topics and the private ones.

    Raises:
        MismatchError: one of the two would be empty.
    """
    mask = np.array([topic in public for topic in matrices.topics])
    if mask.all() or not mask.any():
        which = "every topic is public" if mask.all() else "none of the topics is public"
        raise MismatchError(f"{which}: both parts need at least one topic")
    return (
        Part(PUBLIC, matrices.with_topics(mask), "split"),
        Part(PRIVATE, matrices.with_topics(~mask), "split"),
    )


def drawn(topics: Sequence[bytes], share: Fraction, seed: int) -> frozenset[bytes]:
    r"""A share of the topics: those with the lowest SHA-256 of `SEED \0 public \0 TOPIC`.

    The number is rounded, halves upward; at least 1, and one less than all of them at most. A
    larger share of the same seed holds a smaller one.

    Raises:
        UsageError: there are fewer than two topics.
    """
    if len(topics) < 2:
        raise UsageError("--public: with one topic there is nothing to divide")
    nearest = (2 * share.numerator * len(topics) + share.denominator) // (2 * share.denominator)
    size = min(max(1, nearest), len(topics) - 1)
    return frozenset(sorted(topics, key=lambda topic: _key(seed, topic))[:size])


def unknown_note(matrices: Matrices, public: frozenset[bytes]) -> Iterator[str]:
    """Which of the topics that were listed as public are not there."""
    unknown = sorted(public.difference(matrices.topics))
    if unknown:
        which = f"{len(unknown)} topics listed as public are not among the judged ones"
        yield f"{which}: {begun(unknown)}"


def with_classes(part: Part) -> Iterator[Part]:
    """A part, and behind it its topics of each class, where there are classes."""
    yield replace(part, matrices=replace(part.matrices, classes=None))
    for name, members in (part.matrices.classes or {}).items():
        if members.any():
            whose = f"{part.name}, {name}" if part.name else name
            yield Part(whose, part.matrices.of_class(name), "class")


def _key(seed: int, topic: bytes) -> bytes:
    return hashlib.sha256(b"%d\0public\0%s" % (seed, topic)).digest()
