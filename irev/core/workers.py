"""Work on pieces: a few threads that take them in turn, and who hears how far the work is.

Arrow and NumPy let go of the interpreter's lock, so that threads bring something.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from threading import get_ident
from typing import TYPE_CHECKING, Protocol, TypeVar

from irev.core.text import parse_whole
from irev.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future


Piece = TypeVar("Piece")
Result = TypeVar("Result")
Item = TypeVar("Item")


def default_threads() -> int:
    """How many threads to use where no option says: `IREV_THREADS`, or one a processor."""
    text = os.environ.get("IREV_THREADS", "")
    if text:
        number = parse_whole(text)
        if number is None or number < 1:
            raise UsageError(f"IREV_THREADS={text}: give a whole number of at least 1")
        return number
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_order(
    work: Callable[[Piece], Result], items: Iterable[Piece], threads: int
) -> Generator[Result]:
    """The results of `work` on each piece, in the order of the pieces.

    At most two pieces more than there are threads are held at once. A single piece is worked on
    by the caller's own thread: starting threads would cost more than they bring.
    """
    rest = iter(items)
    first = list(islice(rest, 2 if threads > 1 else 0))
    if len(first) < 2:
        yield from map(work, chain(first, rest))
        return

    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[Result]] = deque()
    own = set[int]()
    pool = ThreadPoolExecutor(threads, initializer=lambda: own.add(get_ident()))
    try:
        for piece in chain(first, rest):
            waiting.append(pool.submit(work, piece))
            if len(waiting) > threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # a generator that was dropped may be collected by one of these threads, which cannot
        # wait for itself
        pool.shutdown(wait=get_ident() not in own, cancel_futures=True)


# --- How far the work is: readers tell it to a watcher, where there is one ---


class Watcher(Protocol):
    """Hears of inputs by their names, from the threads that read them."""

    def report_read(self, name: str, done: int, size: int | None) -> None:
        """So many bytes were read; of how many, None: nobody knows."""

    def report_scored(self, name: str, num_topics: int) -> None:
        """So many topics are done."""

    def report_end(self, name: str) -> None:
        """Nothing more is read of it."""

    def report_done(self, label: str, num_done: int, num_items: int) -> None:
        """So many items are done of so many; a label such as "runs" says what they are."""


watcher: Watcher | None = None
"""Who hears of it now."""


@contextmanager
def report_progress_to(new_watcher: Watcher) -> Iterator[None]:
    """Within, this watcher hears of all that is read."""
    global watcher
    before, watcher = watcher, new_watcher
    try:
        yield
    finally:
        watcher = before


def report_progress(items: Iterable[Item], length: int, label: str) -> Iterator[Item]:
    """The items as they come; the watcher hears how many of so many have come."""
    for number, item in enumerate(items, 1):
        yield item
        if watcher is not None:
            watcher.report_done(label, number, length)


def progress_reporter(label: str) -> Callable[[Sequence[Item]], Iterator[Item]]:
    """The same for work whose items are known beforehand."""
    return lambda items: report_progress(items, len(items), label)
