"""Limits of a measure's mean: `ndcg@10=0.40`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from irev.core.numbers import real
from irev.errors import UsageError
from irev.statistics.differences import NEAR

if TYPE_CHECKING:
    from collections.abc import Iterable

Side = Literal["min", "max"]


@dataclass(frozen=True)
class Limit:
    """The least, or the most, that the mean of a measure may be."""

    side: Side
    measure: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value is within; one that equals the bound is, but for rounding."""
        slack = NEAR * max(1.0, abs(self.bound))
        if self.side == "min":
            return value >= self.bound - slack
        return value <= self.bound + slack


def read_limit(side: Side, text: str) -> Limit:
    """The limit that `NAME=X` stands for; X is behind the last `=`, since names may have some.

    Raises:
        UsageError: it is none.
    """
    name, _, number = text.rpartition("=")
    bound = real(number)
    if not name or bound is None or not math.isfinite(bound):
        raise UsageError(f"--{side} {text}: a measure and a number are wanted: ndcg@10=0.4")
    return Limit(side, name, bound)


def read_limits(side: Side, texts: Iterable[str]) -> list[Limit]:
    """The limits of one side, each measure once.

    Raises:
        UsageError: one is none, or a measure has two.
    """
    found = [read_limit(side, text) for text in texts]
    names = [limit.measure for limit in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--{side} {name}: there are two limits of one measure")
    return found
