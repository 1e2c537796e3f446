"""The exact distribution of a sum whose terms have random signs.

Two ways: counting over whole numbers, for any number of terms, and listing all sums of each half of
the terms, for a few terms of any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.workers import default_threads, in_order
from irev.statistics.tolerance import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.statistics.methods import Tail

_CELLS = 1 << 16
"""Numbers in a table of pairs x sums: it must stay in the processor's cache."""


def whole_p(terms: Ints, tail: Tail, threads: int | None = None) -> Floats:
    """float64[P]: the chance that a sum of the terms under random signs is as extreme as the sum.

    It is never 0; chances too small for a number are `SMALLEST`.

    With a = |terms|, the sum of s_t a_t is 2 q - sum(a), where q adds up the terms that keep their
    sign. The ways to reach each q are counted term by term, up to the q that stands for the
    observed sum and no further. The steps are (number of terms) x (sum of a) at most.

    Args:
        terms: int64[P, T]; zeros are no terms.
        tail: "two-sided" compares absolute sums.
        threads: how many to use; no result depends on it.
    """
    size = np.abs(terms)
    observed = terms.sum(axis=1)
    reach = (size.sum(axis=1) - np.abs(observed)) // 2
    below, at = np.zeros(len(terms)), np.zeros(len(terms))

    def fill(rows: Ints) -> None:
        below[rows], at[rows] = _chances(size[rows], reach[rows])

    for _ in in_order(fill, _tables(reach), threads or default_threads()):
        pass
    return _of_tail(below, at, observed, tail)


def _tables(reach: Ints) -> Iterator[Ints]:
    """The rows in turn that share a table: of like width, and as many as the cache holds."""
    order = np.argsort(reach, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * (reach[order[stop]] + 1) <= _CELLS:
            stop += 1
        yield order[start:stop]
        start = stop


def _of_tail(below: Floats, at: Floats, observed: Ints, tail: Tail) -> Floats:
    """p, from the chances of a sum below -|observed| and of one at it."""
    if tail == "two-sided":
        return np.clip(2.0 * (below + at), SMALLEST, 1.0)
    towards = observed >= 0 if tail == "greater" else observed <= 0
    return np.where(towards, np.maximum(below + at, SMALLEST), 1.0 - below)


def _chances(size: Ints, reach: Ints) -> tuple[Floats, Floats]:
    """The chances that the terms with their own sign add up to less than `reach`, and to it."""
    width = int(reach.max()) + 1
    chance = np.zeros((len(size), width))
    chance[:, 0] = 1.0
    for value in np.unique(size[size > 0]).tolist():
        times = np.count_nonzero(size == value, axis=1)
        for time in range(int(times.max())):
            _add_term(chance, times > time, value)
    places = np.arange(width)
    below = np.where(places < reach[:, None], chance, 0.0)
    at = chance[np.arange(len(size)), reach]
    return np.cumsum(below, axis=1)[:, -1], at


def _add_term(chance: Floats, rows: Bools, value: int) -> None:
    """One more term: it adds to the sum, or it does not, with chance 1/2 each."""
    if rows.all():
        chance *= 0.5
        if value < chance.shape[1]:
            chance[:, value:] += chance[:, :-value]
        return
    table = chance[rows]
    table *= 0.5
    if value < table.shape[1]:
        table[:, value:] += table[:, :-value]
    chance[rows] = table


def listed_p(terms: Floats, slack: float, tail: Tail) -> float:
    """The chance that a sum under random signs is as extreme as the sum of the terms.

    All 2^(n/2) sums of each half are listed, one half is sorted, and for each sum of the other it
    is looked up how many reach the observed one together with it (Horowitz & Sahni 1974). Time
    and memory grow with 2^(n/2).

    Args:
        terms: float64[n]; zeros cost time and change nothing.
        slack: how far below the observed sum another may lie and still be as large.
        tail: "two-sided" compares absolute sums.
    """
    half = len(terms) // 2
    left, right = np.sort(_signed_sums(terms[:half])), np.sort(_signed_sums(terms[half:]))
    observed = float(np.cumsum(terms)[-1]) if len(terms) else 0.0
    if tail == "less":
        observed = -observed  # the sums are as many on one side as on the other
    least = (abs(observed) if tail == "two-sided" else observed) - slack
    if tail == "two-sided" and least <= 0:
        return 1.0
    reaching = len(left) - np.searchsorted(left, least - right, "left")
    count = int(reaching.sum()) * (2 if tail == "two-sided" else 1)
    return float(count / 2 ** len(terms))


def _signed_sums(terms: Floats) -> Floats:
    """float64[2^n]: the sums of the terms under all choices of signs."""
    sums = np.zeros(1)
    for term in terms.tolist():
        sums = np.concatenate((sums - term, sums + term))
    return sums
