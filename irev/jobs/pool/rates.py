"""Rates of sampling as they are written: `10%`, `0.1`, `1/3`, `1-10=100%,11-50=30%`.

A rate is an exact fraction: 14.5 of 100 documents is a half that is rounded as the rule says, which
the nearest binary number to 0.145 is not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np

from irev.core.arrays import DocumentRanks, Ints
from irev.core.record import record
from irev.errors import UsageError, shown_value

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


def parse_rate(text: str) -> Fraction:
    """The rate that a text is: above 0, at most 1."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 100:
        raise UsageError(f"'{text}' is not a rate such as 10% or 0.1")
    value = Fraction(match[1].rstrip(".")) / (100 if match[2] else 1)
    if not 0 < value <= 1:
        hint = f"; {text}% is written with its %" if 1 < value <= 100 and not match[2] else ""
        raise UsageError(f"a rate must be above 0 and at most 100%, not {text}{hint}")
    return value


def parse_strata(text: str) -> tuple[RankStratum, ...]:
    """The strata that a text names, in the order of their ranks."""
    strata = tuple(sorted(map(_parse_stratum, text.split(",")), key=lambda stratum: stratum.first))
    for stratum, next_stratum in pairwise(strata):
        if stratum.last is None or stratum.last >= next_stratum.first:
            raise UsageError(f"the strata {stratum.name} and {next_stratum.name} overlap")
    return strata


RateOrStrata = Fraction | tuple[RankStratum, ...]


def parse_rate_or_strata(rate: object) -> RateOrStrata:
    """A rate, or strata where there is a `=` in a text; a number is the rate that it is written as.

    What has been parsed stays as it is.
    """
    if isinstance(rate, Fraction | tuple):
        return rate
    is_number = isinstance(rate, int | float) and not isinstance(rate, bool) and abs(rate) < 1e9
    if not is_number and not isinstance(rate, str):
        raise UsageError(f"{shown_value(rate)} is not a rate such as 10% or 0.1")
    text = rate if isinstance(rate, str) else f"{Decimal(str(rate)):f}"
    return parse_strata(text) if "=" in text else parse_rate(text)


def strata_of(best_rank: DocumentRanks, strata: tuple[RankStratum, ...]) -> Ints:
    """int64[N]: the stratum of each best rank (0: not retrieved); -1 where it is in none."""
    stratum_of_rank = np.full(len(best_rank), -1)
    for index, stratum in enumerate(strata):
        is_inside = best_rank >= stratum.first
        is_inside = (
            is_inside | (best_rank == 0)
            if stratum.last is None
            else is_inside & (best_rank <= stratum.last)
        )
        stratum_of_rank[is_inside] = index
    return stratum_of_rank


def close_strata_at_depth(
    strata: tuple[RankStratum, ...], depth: int | None
) -> tuple[tuple[RankStratum, ...], int | None]:
    """The strata of a pool and its depth, which is where they end if none is given.

    The last stratum may be open; it ends where the pool does.
    """
    next_rank = 1
    for stratum in strata:
        if stratum.first != next_rank:
            raise UsageError(f"rank {next_rank} of the pool is in no stratum")
        next_rank = 0 if stratum.last is None else stratum.last + 1
    end = strata[-1].last
    if end is None and depth is not None and depth >= strata[-1].first:
        return (*strata[:-1], replace(strata[-1], last=depth)), depth
    if depth is not None and depth != end:
        raise UsageError(f"the strata end at rank {end or strata[-1].first}, the pool at {depth}")
    return strata, end


def rate_text(rate: Fraction) -> str:
    """A rate as it is written: `12.5%`, and `1/3` where no decimal says it."""
    text = f"{float(rate * 100):.12g}%"
    return text if Fraction(text[:-1]) / 100 == rate else str(rate)


def _parse_stratum(text: str) -> RankStratum:
    ranks, equals, rate = text.partition("=")
    match = _RANKS.fullmatch(ranks)
    if not equals or match is None:
        raise UsageError(f"'{text}' is not a stratum: write ranks and a rate, {_HINT}")
    first = int(match[1])
    last = int(match[3]) if match[3] else None if match[2] else first
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"'{ranks}' is not a range of ranks from 1, {_HINT}")
    return RankStratum(first, last, parse_rate(rate))
