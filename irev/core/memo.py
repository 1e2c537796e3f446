"""What follows from some judged topics alone, kept from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Value = TypeVar("Value")

_MOST_KEPT = 1 << 17
"""Values are kept for so many judged documents at most."""


class TopicMemo(Generic[Value]):
    """Values by key. When there is no room for another, all are forgotten."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Value] = {}
        self._room = _MOST_KEPT

    def get(self, key: Hashable, make: Callable[[], tuple[Value, int]]) -> Value:
        """The value of a key; `make` gives it, and how many documents it is about."""
        value = self._values.get(key)
        if value is None:
            value, size = make()
            if size > self._room:
                self._values.clear()
                self._room = _MOST_KEPT
            if size <= self._room:
                self._room -= size
                self._values[key] = value
        return value
