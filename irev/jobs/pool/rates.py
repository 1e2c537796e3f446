"""Rates of sampling as they are written: `10%`, `0.1`, `1/3`, `1-10=100%,11-50=30%`.

A rate is an exact fraction: 14.5 of 100 documents is a half that is rounded as the rule says, which
the nearest binary number to 0.145 is not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from irev.core.arrays import Ints
from irev.core.record import record
from irev.errors import UsageError

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+|[0-9]+/0*[1-9][0-9]*)(%?)", re.ASCII)
_RANKS = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?", re.ASCII)
_HINT = "such as 1-10=100%,11-50=30%"


@record(eq=True)
class RankStratum:
    """The documents whose best rank is in `first`..`last`, and the rate at which they are drawn.

    Without a `last` it reaches to the end, and holds the documents too that no run retrieved.
    """

    first: int
    last: int | None
    rate: Fraction

    @property
    def name(self) -> str:
        """The ranks: `11-50`, `7`, `51-`."""
        if self.last == self.first:
            return str(self.first)
        return f"{self.first}-{'' if self.last is None else self.last}"


def rate(text: str) -> Fraction:
    """The rate that a text is: above 0, at most 1."""
    found = _NUMBER.fullmatch(text)
    if found is None or len(text) > 100:
        raise UsageError(f"'{text}' is not a rate such as 10% or 0.1")
    value = Fraction(found[1].rstrip(".")) / (100 if found[2] else 1)
    if not 0 < value <= 1:
        hint = f"; {text}% is written with its %" if 1 < value <= 100 and not found[2] else ""
        raise UsageError(f"a rate is above 0 and at most 100%, not {text}{hint}")
    return value


def strata(text: str) -> tuple[RankStratum, ...]:
    """The strata that a text names, in the order of their ranks."""
    found = tuple(sorted(map(_stratum, text.split(",")), key=lambda stratum: stratum.first))
    for one, next_one in pairwise(found):
        if one.last is None or one.last >= next_one.first:
            raise UsageError(f"the strata {one.name} and {next_one.name} overlap")
    return found


def rate_or_strata(text: str) -> Fraction | tuple[RankStratum, ...]:
    """A rate, or strata where there is a `=`."""
    return strata(text) if "=" in text else rate(text)


def strata_of(best_rank: Ints, strata: tuple[RankStratum, ...]) -> Ints:
    """int64[N]: the stratum of each best rank (0: not retrieved); -1 where it is in none."""
    found = np.full(len(best_rank), -1)
    for number, stratum in enumerate(strata):
        inside = best_rank >= stratum.first
        inside = (
            inside | (best_rank == 0)
            if stratum.last is None
            else inside & (best_rank <= stratum.last)
        )
        found[inside] = number
    return found


def covering(
    strata: tuple[RankStratum, ...], depth: int | None
) -> tuple[tuple[RankStratum, ...], int | None]:
    """The strata of a pool and its depth, which is where they end if none is given.

    The last stratum may be open; it ends where the pool does.
    """
    following = 1
    for stratum in strata:
        if stratum.first != following:
            raise UsageError(f"rank {following} of the pool is in no stratum")
        following = 0 if stratum.last is None else stratum.last + 1
    end = strata[-1].last
    if end is None and depth is not None and depth >= strata[-1].first:
        return (*strata[:-1], replace(strata[-1], last=depth)), depth
    if depth is not None and depth != end:
        raise UsageError(f"the strata end at rank {end or strata[-1].first}, the pool at {depth}")
    return strata, end


def percent(value: Fraction) -> str:
    """A rate as it is written: `12.5%`, and `1/3` where no decimal says it."""
    text = f"{float(value * 100):.12g}%"
    return text if _is_exact(text, value) else str(value)


def _is_exact(text: str, value: Fraction) -> bool:
    return Fraction(text[:-1]) / 100 == value


def _stratum(part: str) -> RankStratum:
    ranks, equals, text = part.partition("=")
    found = _RANKS.fullmatch(ranks)
    if not equals or found is None:
        raise UsageError(f"'{part}' is not a stratum: write ranks and a rate, {_HINT}")
    first = int(found[1])
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"'{ranks}' is not a range of ranks from 1, {_HINT}")
    return RankStratum(first, last, rate(text))
