"""From what a name means to requests: its options and cutoffs become arguments of the measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

from irev.core.judged import Column
from irev.core.text import parse_c_number, parse_finite_number, parse_whole
from irev.errors import OptionValueError, UsageError, id_text, quote, shown_value
from irev.measures.naming.grammar import Literal, Ratio, WrittenMap, parse_value
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.spellings import Meaning
from irev.measures.registry import (
    GENERIC_OPTIONS,
    HIGHEST_GAIN,
    LARGEST_NUMBER,
    MEASURES,
    Arguments,
    GainValue,
    Measure,
    Option,
)
from irev.measures.requests import Request, canonical_name, value_text

LEVELS: Mapping[str, str] = {"relaxed": "1", "rigid": "2"}
"""What may stand for `rel`: NTCIR's names for B or better and for A or better (Kishida 2005)."""

FLAGS = {"beta": "--beta", "b": "--log-base", "gain": "--gains", "max": "--max-grade"}
"""How the command line calls a default."""


def _flag(name: str) -> str:
    """How a message calls a default; those without an option of the command line as Python does."""
    return FLAGS.get(name, f'defaults["{name}"]')


class Defaults:
    """Options that hold for every measure asked for that has them and does not name them."""

    def __init__(self, values: Sequence[tuple[str, Any]]) -> None:
        self._literals = {name: _default_literal(name, value) for name, value in values}
        self._used: set[str] = set()

    def literals_for(self, measure: Measure, meaning: Meaning) -> dict[str, Literal]:
        """Those that hold for a measure, given what its name says."""
        named = dict(meaning.options)
        literals = {}
        for name, literal in self._literals.items():
            option = measure.options.get(name)
            if option is None or name in named or not _fits(option, name, literal):
                continue
            if option.implies is not None and _contradicts(option.implies, named):
                continue
            literals[name] = literal
        self._used.update(literals)
        return literals

    def refuse_unused(self, allowed: Sequence[str] = ()) -> None:
        """Refuse a default that no measure asked for has taken, but for the allowed ones."""
        for name, literal in self._literals.items():
            if name not in self._used and name not in allowed:
                raise UsageError(
                    f"{_flag(name)} {value_text(literal)} has no effect: no requested "
                    f"measure has an option {name} that its name leaves open"
                )


def _default_literal(name: str, value: Any) -> Literal:
    """A default as it is written, be it a value of Python."""
    flag = _flag(name)
    try:
        if isinstance(value, Mapping):
            return WrittenMap(tuple((value_text(k), value_text(v)) for k, v in value.items()))
        return parse_value(value) if isinstance(value, str) else value_text(value)
    except UsageError as error:
        raise UsageError(f"{flag} {error}") from None
    except ValueError:
        raise UsageError(f"{flag}: {shown_value(value)} is out of range") from None


def _fits(option: Option, name: str, literal: Literal) -> bool:
    """Whether the value is one for this option; one of the wrong kind is meant for others."""
    if isinstance(literal, str):
        return option.kind != "choice" or literal in option.choices
    return option.kind == "gain" or name not in FLAGS


def _contradicts(implied: tuple[str, Any], named: Mapping[str, Literal]) -> bool:
    other, value = implied
    return other in named and named[other] != value


def one_request_per_column(meaning: Meaning, defaults: Defaults) -> Iterator[Request]:
    """A request for each column that a name asks for, which is one for each cutoff."""
    measure = MEASURES[meaning.measure_name]
    added = defaults.literals_for(measure, meaning)
    arguments = measure_arguments(measure, meaning.options, meaning.cutoffs, added)
    # what another program means stays its name; the scale is no definition but a fact
    is_changed = any(
        not meaning.follows_program or measure.options[name].kind != "scale" for name in added
    )
    program = PROGRAMS.get(meaning.head.partition(":")[0]) if meaning.follows_program else None
    typed = meaning.cutoffs if meaning.has_cutoffs else ("",) * len(arguments.cutoffs)
    for cutoff, text in zip(arguments.cutoffs, typed, strict=True):
        if meaning.head and not is_changed:
            printed = f"{meaning.head}{text and meaning.separator}{text}{meaning.tail}"
        else:
            printed = canonical_name(measure, arguments, cutoff, added)
        column = Column(
            printed, measure.name, measure.kind, measure.average, measure.per_topic,
            canonical_name(measure, arguments, cutoff),
        )  # fmt: skip
        yield Request(
            measure, replace(arguments, cutoffs=(cutoff,)), (column,), always_shown=tuple(added),
            full_gain_maps=program is not None and program.full_gain_maps,
        )  # fmt: skip


def merge_adjacent_requests(requests: Iterable[Request]) -> Iterator[Request]:
    """The requests in order; neighbours that differ in their cutoffs alone become one.

    A column that is asked for again is left out. Those of trec_eval's measures stay as they are.
    """
    names: set[str] = set()
    fresh = []
    for request in requests:
        if request.measure.position or request.columns[0].name not in names:
            fresh.append(request)
            names.update(column.name for column in request.columns if not request.measure.position)
    for is_mergeable, group in groupby(fresh, _merge_key):
        neighbours = list(group)
        yield from [_merge_columns(neighbours)] if is_mergeable else neighbours


def _merge_key(request: Request) -> tuple[Any, ...]:
    """What requests have in common that one computation serves; empty: it stays by itself."""
    if request.measure.position:
        return ()
    arguments = replace(request.arguments, cutoffs=())
    return request.measure.name, request.always_shown, request.full_gain_maps, arguments


def _merge_columns(requests: Sequence[Request]) -> Request:
    """One request for several of one column each."""
    of_columns = [request.arguments.cutoffs[0] for request in requests]
    cutoffs = tuple(dict.fromkeys(of_columns))
    return requests[0]._replace(
        arguments=replace(requests[0].arguments, cutoffs=cutoffs),
        columns=tuple(request.columns[0] for request in requests),
        picks=() if len(cutoffs) == len(of_columns) else tuple(map(cutoffs.index, of_columns)),
    )


def measure_arguments(
    measure: Measure,
    literals: Sequence[tuple[str, Literal]],
    cutoffs: Sequence[str],
    defaults: Mapping[str, Literal],
) -> Arguments:
    """What the options and cutoffs of a name stand for, with the defaults that hold for it."""
    options = measure.options
    values: dict[str, Any] = {}
    for name, literal in (*literals, *defaults.items()):
        option = options.get(name) or GENERIC_OPTIONS.get(name)
        if option is None:
            raise _no_option_error(measure, name)
        if name == "rel" and isinstance(literal, str):
            literal = LEVELS.get(literal, literal)
        prefix = f"{measure.name}({name}=...)"
        if name in defaults:
            prefix = f"{_flag(name)}, for {measure.name}"
        try:
            values[name] = option_value(prefix, option, literal)
        except UsageError as error:
            raise OptionValueError(*error.args) from None
    _set_implied_or_refuse_contradiction(measure, values)
    return Arguments(
        _cutoff_values(measure, cutoffs),
        tuple((name, values.get(name, option.default)) for name, option in options.items()),
        None if "rel" in options else values.get("rel"),
        False if "condensed" in options else values.get("condensed", False),
    )


def _set_implied_or_refuse_contradiction(measure: Measure, values: dict[str, Any]) -> None:
    """Set what a named option brings along."""
    for name in list(values):
        option = measure.options.get(name)
        if option is not None and option.implies is not None:
            other, value = option.implies
            if values.setdefault(other, value) != value:
                raise UsageError(
                    f"{measure.name}: {name} means {other}={value}, so {other}={values[other]} "
                    f"contradicts it"
                )


def _no_option_error(measure: Measure, name: str) -> UsageError:
    from difflib import get_close_matches

    names = [*measure.options, *GENERIC_OPTIONS]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}"
    return UsageError(f"measure {measure.name} has no option {quote(name)}; {hint}")


def option_value(prefix: str, option: Option, literal: Literal) -> Any:
    """The value that a literal stands for; messages begin with the prefix."""
    if option.kind in ("gain", "map"):
        return _gain_value(prefix, option, literal)
    if not isinstance(literal, str):
        text = value_text(literal)
        raise UsageError(f"{prefix}: {text} is a list of gains, not {_option_kind_text(option)}")
    if literal in option.words:
        return option.words[literal]
    match option.kind:
        case "choice":
            return _choice(prefix, option, literal)
        case "flag":
            if literal.lower() not in ("true", "false"):
                raise UsageError(f"{prefix}: {quote(literal)} is neither true nor false")
            return literal.lower() == "true"
        case "scale" if literal in option.choices:
            return literal
        case "grade":
            return _checked_number(prefix, option, literal, parse_finite_number(literal))
        case "whole":
            return _checked_number(prefix, option, literal, parse_whole(literal))
        case _:
            return _checked_number(prefix, option, literal, parse_c_number(literal))


def _option_kind_text(option: Option) -> str:
    kinds = {
        "choice": "one of " + ", ".join(option.choices),
        "flag": "true or false",
        "whole": "a whole number",
        "map": "a map from grades to numbers, as {1:4,2:3}",
        "gain": f"one of {', '.join(option.choices)}, a map {{1:1,2:5}} or a ratio 5:1",
    }
    return kinds.get(option.kind, "a number")


def _choice(prefix: str, option: Option, text: str) -> str:
    if text not in option.choices:
        raise UsageError(f"{prefix}: {quote(text)} is not {_option_kind_text(option)}")
    return text


def _checked_number(prefix: str, option: Option, text: str, number: float | None) -> float:
    if number is None:
        raise UsageError(f"{prefix}: {quote(text)} is not {_option_kind_text(option)}")
    if option.kind in ("whole", "grade", "scale"):
        option = option._replace(
            low=max(option.low, -LARGEST_NUMBER), high=min(option.high, LARGEST_NUMBER)
        )
    is_above = number > option.low if option.above_low else number >= option.low
    is_below = number < option.high if option.below_high else number <= option.high
    if not is_above or not is_below:
        range_text = "".join([_range_text(option), *(f", or {word}" for word in option.words)])
        raise UsageError(f"{prefix}: {_shown(text)} is out of range: it must be {range_text}")
    return number


def _shown(number: str) -> str:
    """A number as it was typed; of a long one the beginning."""
    return id_text(number.encode())


def _range_text(option: Option) -> str:
    low = f"{'above' if option.above_low else 'at least'} {value_text(option.low)}"
    high = f"{'below' if option.below_high else 'at most'} {value_text(option.high)}"
    if math.isinf(option.high):
        return f"{low} and finite" if option.below_high else low
    return high if math.isinf(option.low) else f"{low} and {high}"


def _gain_value(prefix: str, option: Option, literal: Literal) -> GainValue:
    if isinstance(literal, Ratio) and option.kind == "gain":
        return _gains_of_ratio(prefix, option, literal)
    if isinstance(literal, str | Ratio):
        return _choice(prefix, option, value_text(literal))
    gains: dict[float, float] = {}
    for left, right in literal.items:
        grade = parse_finite_number(left)
        if grade is None or abs(grade) > LARGEST_NUMBER:
            raise UsageError(f"{prefix}: {quote(left)} is not a grade")
        gain = _read_gain(prefix, option, right)
        if grade in gains:
            raise UsageError(f"{prefix}: grade {grade} is given twice")
        gains[grade] = gain
    return tuple(sorted(gains.items()))


def _read_gain(prefix: str, option: Option, text: str) -> float:
    """A gain of which sums are finite: a ratio of two infinite ones is no number."""
    gain = parse_c_number(text)
    if gain is None:
        raise UsageError(f"{prefix}: {quote(text)} is not a number")
    low, high = max(option.low, -HIGHEST_GAIN), min(option.high, HIGHEST_GAIN)
    if not low <= gain <= high:
        raise UsageError(f"{prefix}: {_shown(text)} is out of range, {low:g} to {high:g}")
    return gain


def _gains_of_ratio(prefix: str, option: Option, highest_first: Ratio) -> GainValue:
    """The map that a ratio stands for: its last part is the gain of grade 1."""
    gains = [_read_gain(prefix, option, part) for part in highest_first.parts]
    if any(lower > higher for higher, lower in pairwise(gains)):
        turned = ":".join(reversed(highest_first.parts))
        raise UsageError(
            f"{prefix}: the ratio {highest_first} increases, but it runs from the highest grade "
            f"down (NTCIREVAL writes it from the lowest up); did you mean {turned}?"
        )
    return tuple(enumerate(reversed(gains), 1))


def _cutoff_values(measure: Measure, texts: Sequence[str]) -> tuple[int | float | None, ...]:
    name, rule = measure.name, measure.cutoff_rule
    if not texts:
        if rule in ("required", "recall"):
            example = f"{name}@{0.1 if rule == 'recall' else 10}"
            raise UsageError(f"measure {name} needs a cutoff; write for instance {example}")
        return (None,)
    if rule == "none":
        raise UsageError(
            f"measure {name} takes no cutoff, but got '@{','.join(texts)}'; write {name}"
        )
    read = _recall_level if rule == "recall" else _rank_cutoff
    cutoffs = [read(name, text) for text in texts]
    if len(set(cutoffs)) < len(cutoffs):
        twice = next(c for i, c in enumerate(cutoffs) if c in cutoffs[:i])
        raise UsageError(f"measure {name}: the cutoff {value_text(twice)} is given twice")
    return tuple(cutoffs)


def _recall_level(name: str, text: str) -> float:
    level = parse_c_number(text)
    if level is None or not 0 <= level <= 1:
        raise UsageError(f"measure {name} takes levels of recall from 0 to 1, not {quote(text)}")
    return level


def _rank_cutoff(name: str, text: str) -> int:
    rank = parse_whole(text)
    if rank is None:
        raise UsageError(f"measure {name}: {quote(text)} is not a whole number; write {name}@10")
    limit = "at least 1" if rank < 1 else f"at most {LARGEST_NUMBER}"
    if not 1 <= rank <= LARGEST_NUMBER:
        raise UsageError(f"measure {name}: a cutoff is a rank, {limit}, not {rank}")
    return rank
