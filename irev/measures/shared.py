"""Working out once what several measures use."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.model import Judged
from irev.core.scores import SMALLEST_MEAN_FACTOR

Result = TypeVar("Result")


class Remembering(Protocol):
    """What keeps what was worked out for it."""

    @property
    def memo(self) -> dict[Any, Any]:
        """Results by what they are."""


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """Keep the function's result with the rankings that it was worked out for.

    The function takes a `Judged`, or what else has a `memo`, and arguments that can be hashed. What
    it returns is shared, so nobody may write into it.
    """

    @wraps(function)
    def recalled(judged: Remembering, *arguments: object) -> Result:
        key = (function, *arguments)
        if key not in judged.memo:
            judged.memo[key] = function(judged, *arguments)
        return cast(Result, judged.memo[key])

    return recalled


@once
def relevant_at(judged: Judged, cutoffs: tuple[int, ...]) -> Ints:
    """int64[T, K]: relevant documents at ranks up to each cutoff."""
    return judged.relevant_index.up_to_all(cutoffs)


def logs(values: Floats) -> Floats:
    """The logarithm of each value, for a geometric mean: at least the smallest factor counts."""
    raised = np.maximum(values, SMALLEST_MEAN_FACTOR)
    return np.array([math.log(value) for value in raised.tolist()])
