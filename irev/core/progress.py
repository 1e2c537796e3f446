"""How far the reading of inputs is: readers tell it to a watcher, where there is one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")


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
