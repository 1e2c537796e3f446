"""What follows from some judged topics alone, kept from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

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

    def __reduce__(self) -> tuple[type[TopicMemo[Any]], tuple[()]]:
        """For `copy` and `pickle`: a copy has forgotten all, and works it out where it needs it."""
        return TopicMemo, ()

    def get(self, key: Hashable, make_with_num_documents: Callable[[], tuple[Value, int]]) -> Value:
        """The value of a key; the function makes it, and says how many documents it is about."""
        value = self._values.get(key)
        if value is None:
            value, num_documents = make_with_num_documents()
            if num_documents > self._room:
                self._values.clear()
                self._room = _MOST_KEPT
            if num_documents <= self._room:
                self._room -= num_documents
                self._values[key] = value
        return value
