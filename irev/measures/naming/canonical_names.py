"""The one name of a column: `nDCG(gain=exp)@10`, with options that are not at their defaults."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from irev.measures.registry import Arguments, Measure, aliased_measure


def canonical_name(
    measure: Measure,
    value: Arguments,
    cutoff: int | float | None,
    forced: Collection[str] = (),
) -> str:
    """The one name of a column: options that are at their default are mostly left out.

    Shown are those that differ from it, those whose record says so, those that come with the value
    that another option has (which then need not be shown itself), and the `forced` ones.
    """
    written = ",".join(_written_options(measure, value, forced))
    at = "" if cutoff is None else f"@{value_text(cutoff)}"
    return f"{measure.name}({written}){at}" if written else f"{measure.name}{at}"


def _written_options(measure: Measure, value: Arguments, forced: Collection[str]) -> Iterator[str]:
    given, options = dict(value.options), measure.options
    said = {option.implies for name, option in options.items() if given[name] is not None}
    for name, option in options.items():
        found = given[name]
        if found is None or ((name, found) in said and name not in forced):
            continue
        if option.implies is not None and name not in forced:
            other, wanted = option.implies
            is_shown = given.get(other) == wanted
        else:
            is_shown = option.shown or found != option.default or name in forced
        if is_shown:
            yield f"{name}={value_text(found)}"
    if value.level is not None:
        yield f"rel={value.level}"
    if value.condensed:
        yield "condensed=true"


def name_of_alias(trec_name: str, arguments: Arguments, cutoff: float | None) -> str | None:
    """Irev's own name for one of trec_eval's, with arguments of that; None: it has no such name."""
    aliased = aliased_measure(trec_name)
    if aliased is None or aliased[1].compute or aliased[1].differs:
        return None
    measure, alias = aliased
    options = {name: option.default for name, option in measure.options.items()}
    options |= {**alias.options, **dict(arguments.options)}
    return canonical_name(measure, Arguments(options=tuple(options.items())), cutoff)


def unbounding_option(measure: Measure) -> tuple[str, str] | None:
    """The option and its value with which alone the measure has no upper bound, if so."""
    for name, option in measure.options.items():
        if option.unbounded:
            return name, option.unbounded
    return None


def value_text(value: Any) -> str:
    """A value as it is written in a name: numbers without needless zeros, maps in braces."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case float() if value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        case tuple():
            return "{" + ",".join(f"{value_text(g)}:{value_text(v)}" for g, v in value) + "}"
    return repr(float(value)) if isinstance(value, float) else str(value)
