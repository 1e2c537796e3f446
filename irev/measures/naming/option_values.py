"""Options and cutoffs of a name: from what is written to the `Arguments` of its measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from irev.core.text import real, whole
from irev.errors import UsageError
from irev.measures.naming.canonical_names import value_text
from irev.measures.naming.grammar import Literal, Ratio, WrittenMap, parse_value
from irev.measures.naming.parameters import LARGEST, quoted
from irev.measures.registry import Arguments, GainValue, Measure, NamedOptions, Option

LEVEL = Option("the smallest relevant grade", 1, kind="whole", low=0)
CONDENSED = Option("whether unjudged documents are dropped first", False, kind="flag")

HIGHEST_GAIN = 1e100
"""What a gain may be; sums of such gains are still finite."""

GENERIC: Mapping[str, Option] = {"rel": LEVEL, "condensed": CONDENSED}
"""Options that every measure has."""

LEVELS: Mapping[str, str] = {"relaxed": "1", "rigid": "2"}
"""What may stand for `rel`: NTCIR's names for B or better and for A or better (Kishida 2005)."""


def measure_arguments(
    measure: Measure, given: Sequence[tuple[str, Literal]], cutoffs: Sequence[str]
) -> Arguments:
    """What the options and cutoffs of a name stand for."""
    options = measure.options
    values: dict[str, Any] = {}
    for name, literal in given:
        option = options.get(name) or GENERIC.get(name)
        if option is None:
            raise _no_option(measure, name)
        if name == "rel" and isinstance(literal, str):
            literal = LEVELS.get(literal, literal)
        values[name] = option_value(f"{measure.name}({name}=...)", option, literal)
    _imply(measure, options, values)
    level = None if "rel" in options else values.get("rel")
    condensed = False if "condensed" in options else values.get("condensed", False)
    return Arguments(
        _cutoffs(measure, cutoffs),
        tuple((name, values.get(name, option.default)) for name, option in options.items()),
        level,
        condensed,
    )


def _imply(measure: Measure, options: Mapping[str, Option], values: dict[str, Any]) -> None:
    """Set what a named option brings along."""
    for name in list(values):
        option = options.get(name)
        if option is not None and option.implies is not None:
            other, value = option.implies
            if values.setdefault(other, value) != value:
                raise UsageError(
                    f"{measure.name}: {name} means {other}={value}, so {other}={values[other]} "
                    f"contradicts it"
                )


def _no_option(measure: Measure, name: str) -> UsageError:
    from difflib import get_close_matches

    known = [*measure.options, *GENERIC]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
    return UsageError(f"measure {measure.name} has no option {quoted(name)}; {hint}")


def option_value(where: str, option: Option, literal: Literal) -> Any:
    """The value that a literal stands for, for an option of some kind."""
    if option.kind in ("gain", "map"):
        return _gain(where, option, literal)
    if not isinstance(literal, str):
        raise UsageError(f"{where}: {value_text(literal)} is a list of gains, not {_kind(option)}")
    match option.kind:
        case "choice":
            return _choice(where, option, literal)
        case "flag":
            return _flag(where, literal)
        case "scale" if literal in option.choices:
            return literal
        case "whole":
            return _number(where, option, literal, whole(literal))
        case _:
            return _number(where, option, literal, real(literal))


def _kind(option: Option) -> str:
    kinds = {
        "choice": "one of " + ", ".join(option.choices),
        "flag": "true or false",
        "whole": "a whole number",
        "map": "a map from grades to numbers, as {1:4,2:3}",
        "gain": f"one of {', '.join(option.choices)}, a map {{1:1,2:5}} or a ratio 5:1",
    }
    return kinds.get(option.kind, "a number")


def _choice(where: str, option: Option, text: str) -> str:
    if text not in option.choices:
        raise UsageError(f"{where}: {quoted(text)} is not {_kind(option)}")
    return text


def _flag(where: str, text: str) -> bool:
    known = {"true": True, "false": False}
    if text.lower() not in known:
        raise UsageError(f"{where}: {quoted(text)} is neither true nor false")
    return known[text.lower()]


def _number(where: str, option: Option, text: str, number: float | None) -> float:
    if number is None:
        raise UsageError(f"{where}: {quoted(text)} is not {_kind(option)}")
    is_above = number > option.low if option.above_low else number >= option.low
    is_below = number < option.high if option.below_high else number <= option.high
    if not is_above or not is_below:
        raise UsageError(f"{where}: {text} is out of range: it must be {_range(option)}")
    return number


def _range(option: Option) -> str:
    low = f"{'above' if option.above_low else 'at least'} {value_text(option.low)}"
    high = f"{'below' if option.below_high else 'at most'} {value_text(option.high)}"
    if math.isinf(option.low) or math.isinf(option.high):
        return high if math.isinf(option.low) else low
    return f"{low} and {high}"


def _gain(where: str, option: Option, literal: Literal) -> GainValue:
    if isinstance(literal, Ratio) and option.kind == "gain":
        return _from_ratio(where, literal)
    if isinstance(literal, str | Ratio):
        return _choice(where, option, value_text(literal))
    gains: dict[int, float] = {}
    for left, right in literal.items:
        grade, gain = whole(left), real(right)
        if grade is None or abs(grade) > LARGEST:
            raise UsageError(f"{where}: {quoted(left)} is not a whole grade")
        if gain is None:
            raise UsageError(f"{where}: {quoted(right)} is not a number")
        _check_gain(where, right, gain)
        if grade in gains:
            raise UsageError(f"{where}: grade {grade} is given twice")
        gains[grade] = gain
    return tuple(sorted(gains.items()))


def _check_gain(where: str, text: str, gain: float) -> None:
    """Refuse gains of which sums are infinite: a ratio of two of those is no number."""
    if abs(gain) > HIGHEST_GAIN:
        raise UsageError(f"{where}: {text} is out of range, -{HIGHEST_GAIN:g} to {HIGHEST_GAIN:g}")


def _from_ratio(where: str, ratio: Ratio) -> GainValue:
    """The map that a ratio stands for: its last part is the gain of grade 1."""
    gains = []
    for part in ratio.parts:
        gain = real(part)
        if gain is None:
            raise UsageError(f"{where}: {quoted(part)} is not a number")
        _check_gain(where, part, gain)
        gains.append(gain)
    if any(lower > higher for higher, lower in pairwise(gains)):
        turned = ":".join(reversed(ratio.parts))
        raise UsageError(
            f"{where}: the ratio {':'.join(ratio.parts)} increases, but it runs from the highest "
            f"grade down (NTCIREVAL writes it from the lowest up); did you mean {turned}?"
        )
    return tuple(enumerate(reversed(gains), 1))


def literal_of(value: Any) -> Literal:
    """A value of Python, or one as it is written, taken apart."""
    if isinstance(value, str):
        return parse_value(value)
    if isinstance(value, Mapping):
        return WrittenMap(tuple((value_text(k), value_text(v)) for k, v in value.items()))
    return value_text(value)


def _cutoffs(measure: Measure, given: Sequence[str]) -> tuple[int | float | None, ...]:
    name, rule = measure.name, _rule(measure)
    if not given:
        if rule in ("required", "recall"):
            example = f"{name}@{0.1 if rule == 'recall' else 10}"
            raise UsageError(f"measure {name} needs a cutoff; write for instance {example}")
        return (None,)
    if rule == "none":
        raise UsageError(f"measure {name} is not cut, but got '@{','.join(given)}'; write {name}")
    cutoffs = [_cutoff(name, text, by_recall=rule == "recall") for text in given]
    if len(set(cutoffs)) < len(cutoffs):
        twice = next(c for i, c in enumerate(cutoffs) if c in cutoffs[:i])
        raise UsageError(f"measure {name}: the cutoff {value_text(twice)} is given twice")
    return tuple(cutoffs)


def _rule(measure: Measure) -> str:
    return measure.parameter.cutoff if isinstance(measure.parameter, NamedOptions) else "none"


def _cutoff(name: str, text: str, *, by_recall: bool) -> int | float:
    if by_recall:
        level = real(text)
        if level is None or not 0 <= level <= 1:
            raise UsageError(f"measure {name} is cut at a recall from 0 to 1, not {quoted(text)}")
        return level
    rank = whole(text)
    if rank is None:
        raise UsageError(f"measure {name}: {quoted(text)} is not a whole number; write {name}@10")
    if rank > LARGEST:
        raise UsageError(f"measure {name}: a cutoff is a rank, at most {LARGEST}, not {rank}")
    if rank < 1:
        raise UsageError(f"measure {name}: a cutoff is a rank, at least 1, not {rank}")
    return rank
