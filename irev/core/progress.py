"""How far the reading of inputs is: readers tell it to a watcher, where there is one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Watcher(Protocol):
    """Hears of inputs by their names, from the threads that read them."""

    def has_read(self, name: str, done: int, size: int | None) -> None:
        """So many bytes were read; of how many, None: nobody knows."""

    def has_scored(self, name: str, topics: int) -> None:
        """So many topics are done."""

    def has_ended(self, name: str) -> None:
        """Nothing more is read of it."""


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
