"""What is in memory, where a path is expected."""

from __future__ import annotations

from typing import Any


class Held(str):
    """The name of a run or of judgments that are not read from a path of that name.

    It is taken wherever a path is; readers take what it holds: `given`.
    """

    __slots__ = ("given",)

    given: Any

    def __new__(cls, name: str, given: Any) -> Held:
        """Keep what is called so."""
        held = super().__new__(cls, name)
        held.given = given
        return held

    def __reduce__(self) -> tuple[Any, ...]:
        """What makes it anew in another process."""
        return Held, (str(self), self.given)
