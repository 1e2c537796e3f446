"""A text cut into pieces of whole topics, or of whole lines where topics are scattered."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irev.core.arrays import Bytes, keep_freed_memory
from irev.core.ids import PADDING
from irev.core.record import record
from irev.core.text import pattern
from irev.read.stream import RETURNS, Source

PIECE = 2 << 20
"""Bytes of a piece, about: large enough to amortise NumPy's calls, small enough for the caches."""

LONGEST_LINE = 64 << 20
"""Bytes that no line has: what a small compressed file may hold must not fill the memory."""

_WINDOW = 1 << 10
"""How far is looked for the end of a line, at first."""

_DATA = rb"(?m)^[ \t\v\f\r]*+([^\s#]\S*)"
"""A line of data, neither blank nor a comment, up to the end of its topic."""


@record
class Piece:
    """Some whole lines of a text, each with its newline, and spare bytes behind them.

    The first `size` bytes of `buffer` are the lines, and `PADDING` more bytes may be read. A last
    line without a newline has been given one: it `is_mended`. Pieces of a text are numbered from 0.
    """

    buffer: bytearray
    size: int
    is_mended: bool = False
    number: int = 0

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


def pieces(source: Source, *, whole_topics: bool, piece_size: int = 0) -> Iterator[Piece]:
    """Cut an input into pieces of about `piece_size` bytes (0: `PIECE`), more for a long topic.

    A zero byte where no end is in sight makes the last piece: what follows is no text.
    """
    piece_size = piece_size or PIECE
    stream = source.open()
    keep_freed_memory()
    leftover = memoryview(b"")
    num_bytes = piece_size if source.size is None else min(piece_size, source.size + 1)
    num_searched = 0
    while True:
        buffer = bytearray(num_bytes + PADDING + 1)
        num_filled = min(len(leftover), num_bytes)
        buffer[:num_filled] = leftover[:num_filled]
        if num_filled < num_bytes:
            num_filled += source.read_into(stream, memoryview(buffer)[num_filled:num_bytes])
            leftover = memoryview(buffer)[:num_filled]
        data = np.frombuffer(buffer, np.uint8)
        if num_filled < num_bytes:
            end = (
                _end_of_first_topic(data, num_searched, num_filled) if num_searched else num_filled
            )
            if end == num_filled:
                if num_filled:
                    is_mended = buffer[num_filled - 1] != ord("\n")
                    if is_mended:
                        buffer[num_filled] = ord("\n")
                    yield Piece(buffer, num_filled + is_mended, is_mended)
                return
            yield Piece(buffer, end)
            leftover, num_bytes, num_searched = leftover[end:], piece_size, 0
            continue
        end = _end_of_last_line(data, num_filled, source)
        if whole_topics:
            lines, end = end, _start_of_last_topic(data, end)
            if num_searched and end:
                # one very long topic is not sorted together with very many short ones
                end = _end_of_first_topic(data, num_searched, end)
            num_searched = 0 if end else lines
        if not end and buffer.find(b"\0", 0, num_filled) >= 0:
            yield Piece(buffer, num_filled)
            return
        if end:
            yield Piece(buffer, end)
        leftover = leftover[end:]
        # a piece without an end yet grows until it has one; doubling keeps the copying linear
        num_bytes = piece_size if end else 2 * num_filled


def _end_of_last_line(data: Bytes, num_filled: int, source: Source) -> int:
    """Where the last whole line ends, 0 if there is none."""
    end = _line_start(data, num_filled)
    if num_filled - end > LONGEST_LINE:
        message = f"a line has more than {LONGEST_LINE >> 20} MiB: is this text?"
        if b"\r" in data[end : end + _WINDOW].tobytes():
            raise source.problem(message, RETURNS, kind="carriage-return")
        raise source.problem(message)
    return end


def _line_start(data: Bytes, position: int) -> int:
    """Where the line begins that holds the byte before `position`, or begins at it."""
    window = _WINDOW
    while True:
        low = max(0, position - window)
        newline = data[low:position].tobytes().rfind(b"\n")
        if newline >= 0:
            return low + newline + 1
        if low == 0:
            return 0
        window *= 4


def _next_line(data: Bytes, start: int, end: int) -> int:
    """Where the line after the one that begins at `start` begins."""
    window = _WINDOW
    while True:
        newline = data[start : min(end, start + window)].tobytes().find(b"\n")
        if newline >= 0 or start + window >= end:
            return start + newline + 1 if newline >= 0 else end
        window *= 4


def _next_data_line(data: Bytes, start: int, end: int) -> tuple[int, bytes] | None:
    """The first line of data that begins in data[start:end], itself a line's start: (it, topic)."""
    blank = pattern(rb"\s*").match(data.data, start, end)
    if blank is not None:
        # many blank lines cost next to nothing here, and line by line a lot
        start = max(start, _line_start(data, blank.end()))
    match = pattern(_DATA).search(data.data, start, end)
    return None if match is None else (match.start(), match[1])


def _last_data_line(data: Bytes, end: int) -> tuple[int, bytes] | None:
    """The last line of data before `end`, a line's start: (where it begins, its topic)."""
    window = _WINDOW
    while end:
        low = _line_start(data, max(0, end - window))
        is_blank = data[low:end].tobytes().isspace()
        lines = [] if is_blank else list(pattern(_DATA).finditer(data.data, low, end))
        if lines:
            return lines[-1].start(), lines[-1][1]
        end = low
        window = min(4 * window, 1 << 18)
    return None


def _start_of_last_topic(data: Bytes, end: int) -> int:
    """Where the last topic of data[:end] begins: a search by halves, not line by line.

    Where topics are scattered this is still a place where the topic changes.
    """
    last = _last_data_line(data, end)
    if last is None:
        return end
    same, topic = last
    step = 1 << 12
    while True:
        earlier = _last_data_line(data, _line_start(data, max(0, same - step)))
        if earlier is None:
            earlier = _next_data_line(data, 0, end)
            if earlier is None or earlier[1] == topic:
                return 0
        if earlier[1] != topic:
            return _start_of_topic(topic, data, earlier[0], same)
        same = earlier[0]
        step *= 2


def _start_of_topic(topic: bytes, data: Bytes, other_start: int, same_start: int) -> int:
    """Between a line of another topic and one of this: where this one begins."""
    while True:
        middle = _line_start(data, (other_start + same_start) // 2)
        if middle <= other_start:
            middle = _next_line(data, other_start, same_start)
        if middle >= same_start:
            return same_start
        data_line = _next_data_line(data, middle, same_start)
        if data_line is None or data_line[1] == topic:
            same_start = middle
        else:
            other_start = data_line[0]


def _end_of_first_topic(data: Bytes, same_start: int, other_start: int) -> int:
    """Where a topic changes, between a line's start up to which it is one and a line of another."""
    first = _next_data_line(data, 0, other_start)
    while first is not None and same_start < other_start:
        middle = _line_start(data, (same_start + other_start) // 2)
        if middle <= same_start:
            middle = same_start
        data_line = _next_data_line(data, middle, other_start)
        if data_line is None or data_line[1] != first[1]:
            other_start = middle
        else:
            same_start = _next_line(data, data_line[0], other_start)
    return other_start
