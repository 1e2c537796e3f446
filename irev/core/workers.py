"""A few threads that work on pieces in turn; Arrow and NumPy let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections import deque
from itertools import chain, islice
from threading import get_ident
from typing import TYPE_CHECKING, TypeVar

from irev.core.text import parse_whole
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Future

Piece = TypeVar("Piece")
Result = TypeVar("Result")


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
