"""Parameters of measures: read from text, and as the printed names have them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

from irev.core.text import as_bytes, real, whole
from irev.errors import UsageError, shown
from irev.measures.registry import (
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    NamedOptions,
    Numbers,
)

LARGEST = 2**63 - 1
"""The largest whole number that is read, as there."""

Number = TypeVar("Number", int, float)


def default_arguments(measure: Measure) -> Arguments:
    """The value of a parameter that is not given."""
    match measure.parameter:
        case Cutoffs(default=cutoffs) | Fractions(default=cutoffs):
            return Arguments(cutoffs)
        case Numbers(default=numbers):
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _with_gains(measure.parameter, {}, None)
        case NamedOptions(options=options):
            return Arguments(options=tuple((n, o.default) for n, o in options.items()))
    return Arguments()


def parse_parameter(measure: Measure, text: str) -> Arguments:
    """The value that a parameter text stands for."""
    match measure.parameter:
        case Cutoffs():
            return Arguments(_cutoffs(measure, text))
        case Fractions():
            return Arguments(_in_order(measure, text, _numbers(measure, text)))
        case Numbers(length=length):
            numbers = _numbers(measure, text)
            if length is not None and len(numbers) != length:
                wanted = f"{length} numbers expected, found {len(numbers)}"
                raise _wrong(measure, text, wanted)
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _gains(measure, measure.parameter, text)
    name = measure.name
    raise UsageError(f"measure {name} takes no parameters, but got {quoted(text)}; write {name}")


def printed_names(measure: Measure, value: Arguments, text: str | None) -> tuple[str, ...]:
    """The names of the columns; `text` is the parameter as it was given, if it was."""
    match measure.parameter:
        case Cutoffs():
            return tuple(f"{measure.name}_{cutoff}" for cutoff in value.cutoffs)
        case Fractions():
            return tuple(f"{measure.name}_{f'{level:3.2f}'[:8]}" for level in value.cutoffs)
    return (measure.name if text is None else f"{measure.name}_{text}",)


def usage_example(measure: Measure, most: int | None = None) -> str:
    """How a parameter of this measure is written: its default, or at most so many values of it."""
    match measure.parameter:
        case Cutoffs(default=default):
            text = ",".join(map(str, default[:most]))
        case Numbers(default=default, length=int()):
            text = ",".join(f"{number:g}" for number in default)
        case Fractions(default=default) | Numbers(default=default):
            text = ",".join(f"{number:g}" for number in default[:most])
        case Gains(persistence=persistence, grades=grades):
            parts = [] if persistence is None else [f"p={persistence:g}"]
            text = ",".join([*parts, *(["1=3", "2=9"] if grades else [])])
        case _:
            return measure.name
    return f"{measure.name}.{text}"


def quoted(text: str) -> str:
    """As it can be shown in a message."""
    return f"'{shown(as_bytes(text))}'"


def _wrong(measure: Measure, text: str, what: str) -> UsageError:
    name = quoted(f"{measure.name}.{text}")
    return UsageError(f"measure {name}: {what}; write for instance {usage_example(measure, 2)}")


def _parts(
    measure: Measure, text: str, read: Callable[[str], Number | None], kind: str
) -> tuple[Number, ...]:
    """The numbers between the commas."""
    numbers: list[Number] = []
    for part in text.split(","):
        number = read(part)
        if number is None:
            raise _wrong(measure, text, f"{quoted(part)} is not a {kind}")
        numbers.append(number)
    return tuple(numbers)


def _numbers(measure: Measure, text: str) -> tuple[float, ...]:
    return _parts(measure, text, real, "number")


def _cutoffs(measure: Measure, text: str) -> tuple[int, ...]:
    cutoffs = _parts(measure, text, whole, "whole number")
    for cutoff in cutoffs:
        if cutoff < 1:
            raise _wrong(measure, text, f"a cutoff is a rank, at least 1, not {cutoff}")
        if cutoff > LARGEST:
            raise _wrong(measure, text, f"a cutoff is at most {LARGEST}")
    return _in_order(measure, text, cutoffs)


def _in_order(measure: Measure, text: str, numbers: tuple[Number, ...]) -> tuple[Number, ...]:
    rising = tuple(sorted(numbers))
    for number, following in pairwise(rising):
        if number == following:
            raise _wrong(measure, text, f"{number} is given twice")
    return rising


def _gains(measure: Measure, parameter: Gains, text: str) -> Arguments:
    gains: dict[int, float] = {}
    persistence: float | None = None
    for part in text.split(","):
        left, equals, right = part.partition("=")
        number = real(right)
        if not equals or "=" in right:
            raise _wrong(measure, text, f"{quoted(part)} is not a pair with one '='")
        if number is None:
            raise _wrong(measure, text, f"{quoted(right)} in {quoted(part)} is not a number")
        grade = whole(left) if parameter.grades else None
        if left == "p" and parameter.persistence is not None:
            if persistence is not None:
                raise _wrong(measure, text, "p is given twice")
            persistence = number
        elif grade is None or abs(grade) > LARGEST:
            raise _wrong(
                measure, text, f"{quoted(left)} in {quoted(part)} is not {_keys(parameter)}"
            )
        elif grade in gains:
            raise _wrong(measure, text, f"the gain of {grade} is given twice")
        else:
            gains[grade] = number
    return _with_gains(parameter, gains, persistence)


def _with_gains(parameter: Gains, gains: dict[int, float], p: float | None) -> Arguments:
    """Gains for some grades, and the persistence, at their defaults where there are none."""
    options: list[tuple[str, Any]] = []
    if parameter.grades:
        options.append(("gain", tuple(gains.items()) or "linear"))
    if parameter.persistence is not None:
        options.append(("p", parameter.persistence if p is None else p))
    return Arguments(options=tuple(options))


def _keys(parameter: Gains) -> str:
    """What may stand to the left of an equals sign."""
    keys = ["p"] if parameter.persistence is not None else []
    return " or ".join([*keys, *(["a whole grade"] if parameter.grades else [])])
