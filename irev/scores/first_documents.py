"""The first documents of a run with their grades, as they stand beside its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Bools, Bytes, Words

DEPTH = 10
"""So many documents of each topic are looked at."""

NOT_JUDGED = "-"
"""In place of a grade."""


class RunFirstDocuments(NamedTuple):
    """The first documents of a run on all T topics that may be evaluated; of one it lacks none.

    topics        T ids, in byte order
    num_shown     uint8[T], how many there are, at most `DEPTH`
    num_judged    uint8[T], how many of these have a grade
    is_tied       bool[T], whether equal scores stand on both sides of the last
    list_hashes   uint64[T], equal where the same documents stand in the same order
    documents     their ids, the first first; None: they were only counted
    grades        the grade of each, or `NOT_JUDGED`; None likewise
    """

    topics: tuple[bytes, ...]
    num_shown: Bytes
    num_judged: Bytes
    is_tied: Bools
    list_hashes: Words
    documents: tuple[tuple[str, ...], ...] | None = None
    grades: tuple[tuple[str, ...], ...] | None = None

    def values(self) -> list[Any]:
        """All but the topics, as a message holds it."""
        arrays = (self.num_shown, self.num_judged, self.is_tied, self.list_hashes)
        return [*(array.tobytes() for array in arrays), self.documents, self.grades]

    @classmethod
    def from_values(cls, topics: tuple[bytes, ...], values: Sequence[Any]) -> RunFirstDocuments:
        """The way back.

        Raises:
            ValueError: these are no such values.
        """
        types = (np.uint8, np.uint8, np.bool_, np.uint64)
        arrays: list[Any] = [
            np.frombuffer(each, kind) for each, kind in zip(values, types, strict=False)
        ]
        texts = [
            None if lists is None else tuple(tuple(map(str, texts)) for texts in lists)
            for lists in values[4:]
        ]
        if {len(each) for each in (*arrays, *filter(None, texts))} - {len(topics)}:
            raise ValueError("not as many first documents as topics")
        return cls(topics, *arrays, *texts)
