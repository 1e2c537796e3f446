"""What measures see where more is known of a judged document than its grade."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irev.core.arrays import Ints
from irev.core.frozen import frozen
from irev.core.model import Judged

if TYPE_CHECKING:
    from typing import Self


@frozen
class RowJudged:
    """Rankings, and which row of the qrels each of their judged documents is.

    judged  the rankings
    number  int64[T], which topic of the qrels each ranking is for; -1: none
    row     int64[J], which row of the qrels each row of `judged` is
    """

    judged: Judged
    number: Ints
    row: Ints

    @property
    def num_topics(self) -> int:
        """T, the number of rankings."""
        return self.judged.num_topics

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that several measures use, kept by what they are."""
        return {}

    def as_asked(self, level: int | None, *, condensed: bool) -> Self:
        """The same rankings under another level, or with unjudged documents dropped."""
        judged = self.judged.as_asked(level, condensed=condensed)
        if judged is self.judged:
            return self
        key = ("as_asked", level, condensed)
        if key not in self.memo:
            rows = self.judged.judged_rows if condensed else slice(None)
            self.memo[key] = replace(self, judged=judged, row=self.row[rows])
        asked: Self = self.memo[key]
        return asked
