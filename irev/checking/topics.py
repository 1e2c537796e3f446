"""Lines brought together by topic: streamed where topics stand together, else gathered."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class ScatteredError(Exception):
    """A topic's lines do not stand together, so that they must be gathered."""


@dataclass(frozen=True, eq=False, repr=False)
class Topic:
    """The N lines of a topic, in the order of the file.

    name     the topic
    docs     N document ids
    lines    N line numbers, from 1, rising
    values   float64[N] for each column of numbers; NaN where the text was none
    """

    name: bytes
    docs: list[bytes]
    lines: Sequence[int]
    values: tuple[Floats, ...]


class _Gathered:
    """The lines of a topic so far, in little memory."""

    def __init__(self, columns: int) -> None:
        self.docs = bytearray()
        self.lines = array("Q")
        self.values = tuple(array("d") for _ in range(columns))

    def topic(self, name: bytes) -> Topic:
        values = tuple(np.frombuffer(column, np.float64) for column in self.values)
        return Topic(name, bytes(self.docs[:-1]).split(b"\n"), self.lines, values)


class ByTopic:
    """Takes lines and hands each topic on once it is whole.

    Unless `gather`, a topic is whole where another begins, and one that comes again raises
    `ScatteredError`. With it, topics are whole at the end, and `scattered` tells the line in which
    each of those topics first comes again.
    """

    def __init__(self, columns: int, done: Callable[[Topic], None], *, gather: bool) -> None:
        """Keep what is to be done with a whole topic of so many columns of numbers."""
        self.scattered: dict[bytes, int] = {}
        self._columns = columns
        self._done = done
        self._gather = gather
        self._open: dict[bytes, _Gathered] = {}
        self._seen: set[bytes] = set()
        self._last: bytes | None = None

    def add(
        self,
        topics: Sequence[bytes],
        docs: Sequence[bytes],
        lines: Sequence[int],
        values: Sequence[Floats],
    ) -> None:
        """Take some lines.

        Raises:
            ScatteredError: lines of a topic that was handed on already.
        """
        at = 0
        for topic, same in groupby(topics):
            end = at + sum(1 for _ in same)
            if topic != self._last:
                self._begin(topic, lines[at])
            part = self._open[topic]
            part.docs += b"\n".join(docs[at:end]) + b"\n"
            part.lines.extend(lines[at:end])
            for column, numbers in zip(part.values, values, strict=True):
                column.frombytes(numbers[at:end].tobytes())
            at = end

    def _begin(self, topic: bytes, line: int) -> None:
        self._last = topic
        if topic in self._seen:
            if not self._gather:
                raise ScatteredError
            self.scattered.setdefault(topic, line)
            return
        if not self._gather:
            self.end()
        self._seen.add(topic)
        self._open[topic] = _Gathered(self._columns)

    def end(self) -> None:
        """Hand on what is there."""
        for name in list(self._open):
            self._done(self._open.pop(name).topic(name))
