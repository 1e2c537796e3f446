"""How far the reading of inputs is: readers tell it to a watcher, where there is one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")


class Watcher(Protocol):
    """Hears of inputs by their names, from the threads that read them."""

    def has_read(self, name: str, done: int, size: int | None) -> None:
        """So many bytes were read; of how many, None: nobody knows."""

    def has_scored(self, name: str, num_topics: int) -> None:
        """So many topics are done."""

    def has_ended(self, name: str) -> None:
        """Nothing more is read of it."""

    def has_done(self, label: str, num_done: int, num_items: int) -> None:
        """So many items are done of so many; a label such as "runs" says what they are."""


watcher: Watcher | None = None
"""Who hears of it now."""


@contextmanager
def watched_by(someone: Watcher) -> Iterator[None]:
    """Within, this watcher hears of all that is read."""
    global watcher
    before, watcher = watcher, someone
    try:
        yield
    finally:
        watcher = before


def watched(items: Iterable[Item], length: int, label: str) -> Iterator[Item]:
    """The items as they come; the watcher hears how many of so many have come."""
    for number, item in enumerate(items, 1):
        yield item
        if watcher is not None:
            watcher.has_done(label, number, length)


def watching(label: str) -> Callable[[Sequence[Item]], Iterator[Item]]:
    """The same for work whose items are known beforehand."""
    return lambda items: watched(items, len(items), label)
