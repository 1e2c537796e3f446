"""What measures of several families use: cutoffs, logarithms, and working out once."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import Floats, TopicCountsByCutoffs
from irev.core.judged import SMALLEST_MEAN_FACTOR, Judged

Result = TypeVar("Result")


class HasMemo(Protocol):
    """What keeps what was worked out for it."""

    @property
    def memo(self) -> dict[Any, Any]:
        """Results by what they are."""


def memoize(function: Callable[..., Result]) -> Callable[..., Result]:
    """Keep the function's result with the rankings that it was worked out for.

    The function takes a `Judged`, or what else has a `memo`, and arguments that can be hashed. What
    it returns is shared, so nobody may write into it.
    """

    @wraps(function)
    def call_once(judged: HasMemo, *arguments: object) -> Result:
        key = (call_once, *arguments)  # which pickle finds by its name; the function it does not
        result: Result | None = judged.memo.get(key)
        if result is None:  # what was worked out is something
            result = judged.memo[key] = function(judged, *arguments)
        return result

    return call_once


def memoize_for_same_judged_lists(function: Callable[..., Result]) -> Callable[..., Result]:
    """The same of what follows from the judgments alone: it is kept for later rankings too."""

    @wraps(function)
    def call_once(judged: Judged, *arguments: object) -> Result:
        key = (call_once, *arguments)  # which pickle finds by its name; the function it does not
        result: Result | None = judged.memo_of_lists.get(key)
        if result is None:
            result = judged.memo_of_lists[key] = function(judged, *arguments)
        return result

    return call_once


def logs(values: Floats) -> Floats:
    """The logarithm of each value, for a geometric mean: at least the smallest factor counts."""
    raised = np.maximum(values, SMALLEST_MEAN_FACTOR)
    return np.array([math.log(value) for value in raised.tolist()])


Ranks: TypeAlias = tuple[int | None, ...]
"""Cutoffs, one for each column; None: the whole ranking."""

NoCutoff: TypeAlias = tuple[None, ...]
"""What a measure is handed that takes no cutoff, and so reads none."""

BEHIND_ALL = 2**63 - 1
"""A rank that no ranking reaches."""


@lru_cache(256)
def cutoff_ranks(cutoffs: Ranks) -> tuple[int, ...]:
    """The cutoffs as ranks, where the whole ranking has one that is never reached."""
    return tuple([BEHIND_ALL if cutoff is None else cutoff for cutoff in cutoffs])


def retrieved_at(judged: Judged, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """How many documents were retrieved at ranks up to each cutoff."""
    return np.minimum(judged.num_ret[:, None], np.asarray(cutoff_ranks(cutoffs), np.int64))


@memoize
def relevant_at(judged: Judged, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """Relevant documents at ranks up to each cutoff."""
    if cutoffs == (None,):
        return judged.num_rel_ret[:, None]
    return judged.relevant_index.count_all_up_to(cutoff_ranks(cutoffs))
