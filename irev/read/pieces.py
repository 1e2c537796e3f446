"""A text cut into pieces of whole topics, or of whole lines where topics are scattered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bytes
from irev.core.ids import PADDING
from irev.core.record import record
from irev.read.stream import RETURNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.read.stream import Source

PIECE = 2 << 20
"""Bytes of a piece, about: large enough to amortise NumPy's calls, small enough for the caches."""

_LARGEST_FREED = 6 << 20
"""Bytes of a block whose release tells glibc to keep smaller ones, which it maps anew otherwise."""

LONGEST_LINE = 64 << 20
"""Bytes that no line has: what a small compressed file may hold must not fill the memory."""

_WINDOW = 1 << 10
"""How far is looked for the end of a line, at first."""

_BLANK = re.compile(rb"\s*")

_DATA = re.compile(rb"^[ \t\v\f\r]*+([^\s#]\S*)", re.MULTILINE)
"""A line of data, neither blank nor a comment, up to the end of its topic."""


@record
class Piece:
    """Some whole lines of a text, each with its newline, and spare bytes behind them.

    The first `size` bytes of `buffer` are the lines, and `PADDING` more bytes may be read. A last
    line without a newline has been given one: it `is_mended`.
    """

    buffer: bytearray
    size: int
    is_mended: bool = False

    @property
    def data(self) -> Bytes:
        """uint8[size + PADDING]: the lines and the spare bytes."""
        return np.frombuffer(self.buffer, np.uint8, self.size + PADDING)

    @property
    def text(self) -> memoryview:
        """The bytes of the lines."""
        return memoryview(self.buffer)[: self.size]

    def has(self, byte: bytes) -> bool:
        """Whether a byte occurs in the lines."""
        return self.buffer.find(byte, 0, self.size) >= 0


def pieces(source: Source, *, whole_topics: bool, size: int = 0) -> Iterator[Piece]:
    """Cut an input into pieces of about `size` bytes (0: `PIECE`), or more for a longer topic.

    A zero byte where no end is in sight makes the last piece: what follows is no text.
    """
    size = size or PIECE
    stream = source.open()
    np.empty(_LARGEST_FREED, np.uint8)
    rest = memoryview(b"")
    wanted = size if source.size is None else min(size, source.size + 1)
    of_one_topic = 0
    while True:
        buffer = bytearray(wanted + PADDING + 1)
        filled = min(len(rest), wanted)
        buffer[:filled] = rest[:filled]
        if filled < wanted:
            filled += source.read_into(stream, memoryview(buffer)[filled:wanted])
            rest = memoryview(buffer)[:filled]
        data = np.frombuffer(buffer, np.uint8)
        if filled < wanted:
            end = _end_of_first_topic(data, of_one_topic, filled) if of_one_topic else filled
            if end == filled:
                if filled:
                    yield _last(buffer, filled)
                return
            yield Piece(buffer, end)
            rest, wanted, of_one_topic = rest[end:], size, 0
            continue
        end = _end_of_last_line(data, filled, source)
        if whole_topics:
            lines, end = end, _start_of_last_topic(data, end)
            if of_one_topic and end:
                # one very long topic is not sorted together with very many short ones
                end = _end_of_first_topic(data, of_one_topic, end)
            of_one_topic = 0 if end else lines
        if not end and buffer.find(b"\0", 0, filled) >= 0:
            yield Piece(buffer, filled)
            return
        if end:
            yield Piece(buffer, end)
        rest = rest[end:]
        # a piece without an end yet grows until it has one; doubling keeps the copying linear
        wanted = size if end else 2 * filled


def _last(buffer: bytearray, filled: int) -> Piece:
    is_mended = buffer[filled - 1] != ord("\n")
    if is_mended:
        buffer[filled] = ord("\n")
        filled += 1
    return Piece(buffer, filled, is_mended)


def _end_of_last_line(data: Bytes, filled: int, source: Source) -> int:
    """Where the last whole line ends, 0 if there is none."""
    end = _line_start(data, filled)
    if filled - end > LONGEST_LINE:
        what = f"a line has more than {LONGEST_LINE >> 20} MiB: is this text?"
        if b"\r" in data[end : end + _WINDOW].tobytes():
            raise source.problem(what, RETURNS, kind="carriage-return")
        raise source.problem(what)
    return end


def _line_start(data: Bytes, position: int) -> int:
    """Where the line begins that holds the byte before `position`, or begins at it."""
    window = _WINDOW
    while True:
        low = max(0, position - window)
        found = data[low:position].tobytes().rfind(b"\n")
        if found >= 0:
            return low + found + 1
        if low == 0:
            return 0
        window *= 4


def _next_line(data: Bytes, start: int, end: int) -> int:
    """Where the line after the one that begins at `start` begins."""
    window = _WINDOW
    while True:
        found = data[start : min(end, start + window)].tobytes().find(b"\n")
        if found >= 0 or start + window >= end:
            return start + found + 1 if found >= 0 else end
        window *= 4


def _next_data(data: Bytes, start: int, end: int) -> tuple[int, bytes] | None:
    """The first line of data that begins in data[start:end], itself a line's start: (it, topic)."""
    blank = _BLANK.match(data.data, start, end)
    if blank is not None:
        # many blank lines cost next to nothing here, and line by line a lot
        start = max(start, _line_start(data, blank.end()))
    found = _DATA.search(data.data, start, end)
    return None if found is None else (found.start(), found[1])


def _last_data(data: Bytes, end: int) -> tuple[int, bytes] | None:
    """The last line of data before `end`, a line's start: (where it begins, its topic)."""
    window = _WINDOW
    while end:
        low = _line_start(data, max(0, end - window))
        is_blank = data[low:end].tobytes().isspace()
        lines = [] if is_blank else list(_DATA.finditer(data.data, low, end))
        if lines:
            return lines[-1].start(), lines[-1][1]
        end = low
        window = min(4 * window, 1 << 18)
    return None


def _start_of_last_topic(data: Bytes, end: int) -> int:
    """Where the last topic of data[:end] begins: a search by halves, not line by line.

    Where topics are scattered this is still a place where the topic changes.
    """
    last = _last_data(data, end)
    if last is None:
        return end
    same, topic = last
    step = 1 << 12
    while True:
        before = _last_data(data, _line_start(data, max(0, same - step)))
        if before is None:
            before = _next_data(data, 0, end)
            if before is None or before[1] == topic:
                return 0
        if before[1] != topic:
            return _first_line_of(topic, data, before[0], same)
        same = before[0]
        step *= 2


def _end_of_first_topic(data: Bytes, same: int, other: int) -> int:
    """Where a topic changes, between a line's start up to which it is one and a line of another."""
    first = _next_data(data, 0, other)
    while first is not None and same < other:
        middle = _line_start(data, (same + other) // 2)
        if middle <= same:
            middle = same
        found = _next_data(data, middle, other)
        if found is None or found[1] != first[1]:
            other = middle
        else:
            same = _next_line(data, found[0], other)
    return other


def _first_line_of(topic: bytes, data: Bytes, other: int, same: int) -> int:
    """Between a line of another topic and one of this: where this one begins."""
    while True:
        middle = _line_start(data, (other + same) // 2)
        if middle <= other:
            middle = _next_line(data, other, same)
        if middle >= same:
            return same
        found = _next_data(data, middle, same)
        if found is None or found[1] == topic:
            same = middle
        else:
            other = found[0]
