"""The ranges of measures that somebody gives: of those that irev does not know, say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from irev.core.text import parse_c_number
from irev.errors import UsageError, shown_value

Bounds: TypeAlias = "Sequence[float] | Mapping[str, Sequence[float]] | Sequence[Any]"
"""(low, high), or a range for each measure; a `MeasureRange`, a pair or a text for each."""


class MeasureRange(NamedTuple):
    """The least and the greatest value of a measure; without a name, of all unknown ones."""

    measure: str
    low: float
    high: float

    def __str__(self) -> str:
        name = f"{self.measure}=" if self.measure else ""
        return f"{name}{self.low:g},{self.high:g}"


def measure_ranges(bounds: Bounds) -> tuple[MeasureRange, ...]:
    """The ranges that are given as (low, high), or for each measure, {"V_strict": (0, 1)}.

    Raises:
        UsageError: these are no ranges; a range that holds nothing, or two of one measure.
    """
    pairs: Sequence[Any]
    if isinstance(bounds, Mapping):
        pairs = [*bounds.items()]
    elif isinstance(bounds, Sequence) and len(bounds) == 2 and all(map(_is_number, bounds)):
        pairs = [("", bounds)]
    elif isinstance(bounds, Sequence) and not isinstance(bounds, str):
        pairs = bounds
    else:
        raise _no_ranges_error(bounds)
    ranges = tuple(map(_measure_range_of_text_or_pair, pairs))
    names = [each.measure for each in ranges]
    for each in ranges:
        if not each.low < each.high:
            raise UsageError(f"--bounds {each}: the first number must be below the second")
        if names.count(each.measure) > 1:
            raise UsageError(f"--bounds: {each.measure or 'unknown measures'} have two ranges")
    return ranges


def _measure_range_of_text_or_pair(text_or_pair: Any) -> MeasureRange:
    """A range of a text such as "0,1" or "V=0,1", of (measure, (low, high)), or as it is."""
    if isinstance(text_or_pair, MeasureRange):
        return text_or_pair
    if isinstance(text_or_pair, str):
        measure, _, ends = text_or_pair.rpartition("=")
        low_text, _, high_text = ends.partition(",")
        low, high = parse_c_number(low_text), parse_c_number(high_text)
        if low is None or high is None:
            wrong = f"--bounds {text_or_pair}: write LOW,HIGH or MEASURE=LOW,HIGH, such as 0,1"
            raise UsageError(wrong)
        return MeasureRange(measure, low, high)
    try:
        measure, (low, high) = text_or_pair
    except (TypeError, ValueError):
        raise _no_ranges_error(text_or_pair) from None
    if not isinstance(measure, str) or not (_is_number(low) and _is_number(high)):
        raise _no_ranges_error(text_or_pair)
    return MeasureRange(measure, float(low), float(high))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return not math.isnan(value)


def _no_ranges_error(bounds: object) -> UsageError:
    return UsageError(
        f"bounds are (low, high), or {{measure: (low, high)}} for each measure, not "
        f"{shown_value(bounds)}"
    )
