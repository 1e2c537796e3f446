"""Names in trec_eval's way: measures, sets of them, and columns as they are printed.

`P` is a measure, `P.5,10` the measure with a parameter, `P_5` one column, `official` a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

from irev.core.judged import Column
from irev.core.text import parse_c_number, parse_whole, pattern
from irev.errors import UsageError, quote
from irev.measures.registry import (
    LARGEST_NUMBER,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Numbers,
    aliased_measure,
    measures_of_set,
    output_order,
)
from irev.measures.requests import Request

Number = TypeVar("Number", int, float)

ColumnNames: TypeAlias = list[str]
"""The columns that a name alone asks for, as they are printed."""

LONGEST_HINT = 60
"""How many characters of what should be written are shown."""


class _TrecRequest(NamedTuple):
    """That a name asks for a measure."""

    measure: Measure
    printed_name: str = ""
    """Of a single column, with the parameter in it."""
    parameter: str | None = None
    """What stands behind the dot, or in the printed name; None: the bare name, or a set's."""


class TrecRequests:
    """What is asked for of trec_eval's table of measures."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._measures = {name: m for name, m in TREC_MEASURES.items() if m.since <= version}
        self._trec_requests: list[_TrecRequest] = []

    def add(self, name: str) -> ColumnNames:
        """Take a name in.

        Returns:
            The columns that the name alone asks for; none where trec_eval has no such name.
        """
        trec_requests = _requests_if_trec_name(name, self._measures, self._version)
        self._trec_requests += trec_requests
        return [
            column.name
            for request in _ordered_requests(trec_requests)
            for column in request.columns
        ]

    def requests(self) -> list[Request]:
        """What was asked for, in the order of the table."""
        return _ordered_requests(self._trec_requests)


def repeated_parameter_warnings(names: Sequence[str]) -> Iterator[str]:
    """A line for each measure that is asked for with parameters again, of which the first hold."""
    parameters: dict[str, dict[str, None]] = {}
    for name in names:
        head, dot, text = name.partition(".")
        if dot and head in TREC_MEASURES:
            parameters.setdefault(head, {})[text] = None
    for head, texts in parameters.items():
        first, *others = texts
        if not others:
            continue
        more = f" and {len(others) - 1} more are" if len(others) > 1 else " is"
        all_values = dict.fromkeys(",".join(texts).split(","))
        joined = f"{head}.{','.join(all_values)}" if is_listed(head) else f"{head}_{others[0]}"
        if len(joined) > LONGEST_HINT:
            joined = f"{head}.{first},{others[0]},..."
        yield (
            f"-m {head}.{others[0]}{more} not used, since of several the first holds, as in "
            f"trec_eval: {head}.{first}; write -m {joined}"
        )


def is_listed(name: str) -> bool:
    """Whether the parameter of a measure of trec_eval's is a list with a column for each value."""
    return isinstance(TREC_MEASURES[name].parameter, Cutoffs | Fractions)


def _requests_if_trec_name(
    name: str, measures: Mapping[str, Measure], version: int
) -> list[_TrecRequest]:
    """The measures that one name asks for; none where it is no name of trec_eval's."""
    head, dot, text = name.partition(".")
    if head in SET_NAMES:
        if dot:
            raise UsageError(f"{quote(name)}: a set takes no parameters; write {head}")
        return [_TrecRequest(measure) for measure in measures_of_set(head, version)]
    if "(" in name or "@" in name:
        return []
    if head not in measures:
        return _parse_printed_name(name, measures)
    measure = measures[head]
    if not dot:
        return [_TrecRequest(measure)]
    if not text:
        raise UsageError(
            f"{quote(name)}: no parameters after the dot; write {head}"
            + (f" or {usage_example(measure, 2)}" if measure.parameter else "")
        )
    parse_parameter(measure, text)
    return [_TrecRequest(measure, "", text)]


def _parse_printed_name(name: str, measures: Mapping[str, Measure]) -> list[_TrecRequest]:
    """The measure and the parameter of a column as it is printed, such as `P_5`."""
    fitting = [m for m in measures.values() if m.parameter and name.startswith(f"{m.name}_")]
    if not fitting:
        return []
    measure = max(fitting, key=lambda m: len(m.name))
    text = name[len(measure.name) + 1 :]
    if not pattern(r"[-+.,0-9]|.*=").match(text):  # how no parameter begins is a wrong name
        return []
    if is_listed(measure.name):
        listed = text.replace("_", ",")
        printed = printed_names(measure, parse_parameter(measure, listed), listed)
        if printed != (name,):
            raise UsageError(
                f"no column is called {quote(name)}, it would be {' and '.join(printed)}; "
                f"write {measure.name}.{listed}"
            )
    parse_parameter(measure, text)
    return [_TrecRequest(measure, name, text)]


def _ordered_requests(trec_requests: Sequence[_TrecRequest]) -> list[Request]:
    """The requests in the order of the table."""
    by_measure: dict[str, list[_TrecRequest]] = {}
    for asking in trec_requests:
        by_measure.setdefault(asking.measure.name, []).append(asking)
    measures = output_order([asking.measure for asking in trec_requests])
    return [each for m in measures for each in _measure_requests(m, by_measure[m.name])]


def _measure_requests(measure: Measure, trec_requests: Sequence[_TrecRequest]) -> Iterator[Request]:
    """The requests for one measure: one for all values of a list, else one for each parameter.

    Of several parameters behind dots the first holds, also for the bare name.
    """
    is_plain = any(asking.parameter is None for asking in trec_requests)
    dotted = next((a.parameter for a in trec_requests if a.parameter and not a.printed_name), None)
    printed = {a.printed_name: a.parameter for a in trec_requests if a.printed_name}
    if is_listed(measure.name):
        values: list[float] = []
        if is_plain or dotted is not None:
            values += _values(measure, dotted)
        there = printed_names(measure, Arguments(tuple(values)), None)
        for name, text in printed.items():
            if name not in there:
                values += _values(measure, text)
        rising = Arguments(tuple(sorted(values)))
        yield Request(measure, rising, _columns(measure, rising, None))
        return
    texts = [dotted] if is_plain or dotted is not None else []
    texts += [text for text in printed.values() if text != dotted]
    for text in texts:
        arguments = default_arguments(measure) if text is None else parse_parameter(measure, text)
        yield Request(measure, arguments, _columns(measure, arguments, text))


def _values(measure: Measure, text: str | None) -> list[float]:
    """The values of a list; without a text the usual ones."""
    arguments = default_arguments(measure) if text is None else parse_parameter(measure, text)
    return [value for value in arguments.cutoffs if value is not None]


def _columns(measure: Measure, arguments: Arguments, text: str | None) -> tuple[Column, ...]:
    return tuple(
        Column(name, measure.name, measure.kind, measure.average, measure.per_topic)
        for name in printed_names(measure, arguments, text)
    )


def default_arguments(measure: Measure) -> Arguments:
    """The arguments of a measure whose parameter is not given."""
    match measure.parameter:
        case Cutoffs(default=cutoffs) | Fractions(default=cutoffs):
            return Arguments(cutoffs)
        case Numbers(default=numbers):
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _gain_arguments_or_defaults(measure.parameter, {}, None)
    return Arguments(options=tuple((name, o.default) for name, o in measure.options.items()))


def parse_parameter(measure: Measure, text: str) -> Arguments:
    """The arguments that a parameter's text stands for."""
    match measure.parameter:
        case Cutoffs():
            ranks = _parse_numbers_in_typed_order(measure, text, parse_whole, "whole number")
            for rank in ranks:
                if rank < 1:
                    problem = f"a cutoff is a rank, at least 1, not {rank}"
                    raise _parameter_error(measure, text, problem)
                if rank > LARGEST_NUMBER:
                    raise _parameter_error(measure, text, f"a cutoff is at most {LARGEST_NUMBER}")
            return Arguments(_sort_and_refuse_repeats(measure, text, ranks))
        case Fractions():
            numbers = _parse_numbers_in_typed_order(measure, text, parse_c_number, "number")
            return Arguments(_sort_and_refuse_repeats(measure, text, numbers))
        case Numbers(length=length):
            numbers = _parse_numbers_in_typed_order(measure, text, parse_c_number, "number")
            if length is not None and len(numbers) != length:
                problem = f"{length} numbers expected, found {len(numbers)}"
                raise _parameter_error(measure, text, problem)
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _parse_gains(measure, measure.parameter, text)
    name, aliased = measure.name, aliased_measure(measure.name)
    can_be_cut = aliased is not None and aliased[0].cutoff_rule == "optional"
    raise UsageError(
        f"measure {name} takes no parameters, but got {quote(text)}; write {name}"
        + (f" or {name}@{text}" if can_be_cut and parse_whole(text) else "")
    )


def printed_names(measure: Measure, arguments: Arguments, text: str | None) -> tuple[str, ...]:
    """The names of the columns; `text` is the parameter as it was given, if it was."""
    match measure.parameter:
        case Cutoffs():
            return tuple(f"{measure.name}_{cutoff}" for cutoff in arguments.cutoffs)
        case Fractions():
            return tuple(f"{measure.name}_{f'{level:3.2f}'[:8]}" for level in arguments.cutoffs)
    return (measure.name if text is None else f"{measure.name}_{text}",)


def usage_example(measure: Measure, max_values: int | None = None) -> str:
    """How a parameter of this measure is written: its default, or at most so many values of it."""
    match measure.parameter:
        case Cutoffs(default=default):
            text = ",".join(map(str, default[:max_values]))
        case Numbers(default=default, length=int()):
            text = ",".join(f"{number:g}" for number in default)
        case Fractions(default=default) | Numbers(default=default):
            text = ",".join(f"{number:g}" for number in default[:max_values])
        case Gains(persistence=persistence, grades=grades):
            parts = [] if persistence is None else [f"p={persistence:g}"]
            text = ",".join([*parts, *(["1=3", "2=9"] if grades else [])])
        case _:
            return measure.name
    return f"{measure.name}.{text}"


def _parameter_error(measure: Measure, text: str, problem: str) -> UsageError:
    name, example = quote(f"{measure.name}.{text}"), usage_example(measure, 2)
    return UsageError(f"measure {name}: {problem}; write for instance {example}")


def _parse_numbers_in_typed_order(
    measure: Measure, text: str, parse_number: Callable[[str], Number | None], kind_of_number: str
) -> tuple[Number, ...]:
    """The numbers between the commas."""
    numbers: list[Number] = []
    for part in text.split(","):
        number = parse_number(part)
        if number is None:
            raise _parameter_error(measure, text, f"{quote(part)} is not a {kind_of_number}")
        numbers.append(number)
    return tuple(numbers)


def _sort_and_refuse_repeats(
    measure: Measure, text: str, numbers: tuple[Number, ...]
) -> tuple[Number, ...]:
    rising = tuple(sorted(numbers))
    for number, following in pairwise(rising):
        if number == following:
            raise _parameter_error(measure, text, f"{number} is given twice")
    return rising


def _parse_gains(measure: Measure, parameter: Gains, text: str) -> Arguments:
    gains: dict[int, float] = {}
    persistence: float | None = None
    for part in text.split(","):
        left, equals, right = part.partition("=")
        number = parse_c_number(right)
        if not equals or "=" in right:
            raise _parameter_error(measure, text, f"{quote(part)} is not a pair with one '='")
        if number is None:
            problem = f"{quote(right)} in {quote(part)} is not a number"
            raise _parameter_error(measure, text, problem)
        grade = parse_whole(left) if parameter.grades else None
        if left == "p" and parameter.persistence is not None:
            if persistence is not None:
                raise _parameter_error(measure, text, "p is given twice")
            persistence = number
        elif grade is None or abs(grade) > LARGEST_NUMBER:
            keys = ["p"] if parameter.persistence is not None else []
            keys += ["a whole grade"] if parameter.grades else []
            problem = f"{quote(left)} in {quote(part)} is not {' or '.join(keys)}"
            raise _parameter_error(measure, text, problem)
        elif grade in gains:
            raise _parameter_error(measure, text, f"the gain of {grade} is given twice")
        else:
            gains[grade] = number
    return _gain_arguments_or_defaults(parameter, gains, persistence)


def _gain_arguments_or_defaults(
    parameter: Gains, gains: Mapping[int, float], persistence: float | None
) -> Arguments:
    """Gains for some grades, and the persistence, at their defaults where there are none."""
    options: list[tuple[str, Any]] = []
    if parameter.grades:
        options.append(("gain", tuple(gains.items()) or "linear"))
    if parameter.persistence is not None:
        options.append(("p", parameter.persistence if persistence is None else persistence))
    return Arguments(options=tuple(options))
