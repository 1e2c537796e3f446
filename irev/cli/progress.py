"""How far a long command is: one line on a terminal, rewritten as it goes on, wiped at the end."""

from __future__ import annotations

import os
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from irev.core.output_files import undo_on_signal
from irev.core.workers import report_progress_to
from irev.errors import id_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FIRST, _NEXT = 1.0, 0.1
"""Seconds before the line appears, and between two of its states."""

_LONGEST = 40
"""Bytes of a file's name that are shown."""


class ProgressLine:
    """The line of a command: how many files are done, and how far the one is that was read last.

    It hears of files from the threads that read them.
    """

    def __init__(self, stream: TextIO, width: int, clock: Callable[[], float] = monotonic) -> None:
        from threading import RLock

        self._stream, self._width, self._clock, self._lock = stream, width, clock, RLock()
        self._next = clock() + _FIRST
        self._shown = 0
        self._items = ""
        self._read: dict[str, str] = {}
        self._scored: dict[str, str] = {}

    def report_read(self, name: str, done: int, size: int | None) -> None:
        """Show which share of a file was read, or how much where its size is not known."""
        self._read[name] = f"{done / 1e6:.0f} MB" if not size else f"{min(done / size, 1):.0%}"
        self._show(name)

    def report_scored(self, name: str, num_topics: int) -> None:
        """Show how many topics of a file are done."""
        self._scored[name] = f"{num_topics:,} topic{'s' * (num_topics != 1)}"
        self._show(name)

    def report_end(self, name: str) -> None:
        """Forget a file."""
        self._read.pop(name, None)
        self._scored.pop(name, None)
        if not self._items:
            self._set_text("")

    def report_done(self, label: str, num_done: int, num_items: int) -> None:
        """Show how many items are done; a label such as "runs" says what they are."""
        self._items = f"{label}: {num_done} of {num_items}" if num_done < num_items else ""
        if self._items:
            self._show()
        else:
            self._set_text("")

    @contextmanager
    def hide(self) -> Iterator[None]:
        """Within, the line is empty, and nobody shows anything."""
        with self._lock:
            self.wipe()
            yield

    def wipe(self) -> None:
        """Leave the line empty."""
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r")
            self._shown = 0

    def _show(self, name: str = "") -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _NEXT
        state = ", ".join(filter(None, (self._read.get(name), self._scored.get(name))))
        file = f"{id_text(os.fsencode(os.path.basename(name)), _LONGEST)}: {state}" if state else ""
        self._set_text("; ".join(filter(None, (self._items, file)))[: self._width - 1])

    def _set_text(self, text: str) -> None:
        """Put a text in the line, unless somebody else is writing: nobody waits for that."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not text:
                self.wipe()
                return
            self._write(f"\r{text:<{self._shown}}")
            self._shown = len(text)
        finally:
            self._lock.release()

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._next = float("inf")


_line: ProgressLine | None = None
"""That of the command that runs."""


@contextmanager
def show_progress(stream: TextIO | None, columns_of: Callable[[TextIO], int]) -> Iterator[None]:
    """Within, a line on the stream says how far the command is, if the stream is a terminal."""
    global _line
    if stream is None or not stream.isatty():
        yield
        return
    before, _line = _line, ProgressLine(stream, columns_of(stream))
    try:
        with undo_on_signal(_line.wipe), report_progress_to(_line):
            yield
    finally:
        with _line.hide():
            _line = before


@contextmanager
def hide_progress() -> Iterator[None]:
    """Within, something else is written to the terminal."""
    if _line is None:
        yield
        return
    with _line.hide():
        yield
