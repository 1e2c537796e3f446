"""From the names that measures are asked for by to what is computed, and in which order.

`P` is a measure, `P.5,10` the measure with parameters, `P_5` one column as it is printed, and
`official` a set of measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from irev.errors import UsageError
from irev.measures.described import describe
from irev.measures.parameters import Value, default_of, printed_names, quoted, usage, value_of
from irev.measures.registry import (
    REGISTRY,
    SETS,
    Arguments,
    Cutoffs,
    Fractions,
    Measure,
    in_order,
    members,
)
from irev.model import Column, Judged, RankedPreferences

__all__ = ["Request", "describe", "resolve"]

DEFAULT = "official"
"""The set that is computed when none is asked for."""

_PARAMETERS = re.compile(r"[-+.,0-9]|.*=")
"""How the parameters in a printed name begin; anything else is a wrong name."""


class Request(NamedTuple):
    """A measure to compute, with the value of its parameter, and the columns that it fills."""

    measure: Measure
    value: Value
    columns: tuple[Column, ...]

    def values(self, rankings: Judged | RankedPreferences) -> Any:
        """float64[T, K], a column for each of `columns`; or T strings for a measure of texts."""
        compute, width = self.measure.compute, len(self.columns)
        if isinstance(self.value, Arguments):
            if isinstance(rankings, Judged):
                rankings = rankings.as_asked(self.value.level, condensed=self.value.condensed)
            found = compute(rankings, self.value.cutoffs, **dict(self.value.options))
        else:
            found = compute(rankings) if self.value is None else compute(rankings, self.value)
        if self.measure.kind == "text":
            return found
        return found.reshape(rankings.num_topics, width)


@dataclass
class _Asked:
    """How a measure was asked for."""

    plain: bool = False
    """By its bare name or through a set."""
    text: str | None = None
    """The first parameters after a dot; they win over later ones."""
    printed: dict[str, str] = field(default_factory=dict)
    """Names of single columns, with the parameters in them."""


def resolve(names: Sequence[str], version: int = 10) -> list[Request]:
    """What the names ask for, in the order of the output, no column twice.

    Args:
        names: measures, measures with parameters, sets, or columns; none: the set "official".
        version: the major version of trec_eval whose measures there are.

    Raises:
        UsageError: a name or its parameters are wrong; one line says how to mend it.
    """
    known = {name: m for name, m in REGISTRY.items() if m.since <= version}
    asked: dict[str, _Asked] = {}
    for name in names or (DEFAULT,):
        for measure, how, text in _read(name, known, version):
            entry = asked.setdefault(measure.name, _Asked())
            if how == "plain":
                entry.plain = True
            elif how == "printed":
                entry.printed.setdefault(name, text)
            elif entry.text is None:
                entry.text = text
    chosen = in_order([known[name] for name in asked])
    return [request for m in chosen for request in _requests(m, asked[m.name])]


def _read(name: str, known: dict[str, Measure], version: int) -> Iterator[tuple[Measure, str, str]]:
    """The measures that one name asks for, each with how it does and the parameter text."""
    head, dot, text = name.partition(".")
    if head in SETS:
        if dot:
            raise UsageError(f"{quoted(name)}: a set takes no parameters; write {head}")
        yield from ((measure, "plain", "") for measure in members(head, version))
    elif head not in known:
        yield _column(name, known)
    elif not dot:
        yield known[head], "plain", ""
    elif not text:
        raise UsageError(
            f"{quoted(name)}: no parameters after the dot; write {head}"
            + (f" or {usage(known[head], 2)}" if known[head].parameter else "")
        )
    else:
        value_of(known[head], text)
        yield known[head], "dotted", text


def _column(name: str, known: dict[str, Measure]) -> tuple[Measure, str, str]:
    """The measure and the parameters of a column as it is printed, such as `P_5`."""
    fitting = [m for m in known.values() if m.parameter and name.startswith(f"{m.name}_")]
    if not fitting:
        raise _unknown(name, known)
    measure = max(fitting, key=lambda m: len(m.name))
    text = name[len(measure.name) + 1 :]
    if not _PARAMETERS.match(text):
        raise _unknown(name, known)
    if isinstance(measure.parameter, Cutoffs | Fractions):
        listed = text.replace("_", ",")
        printed = printed_names(measure, value_of(measure, listed), listed)
        if printed != (name,):
            raise UsageError(
                f"no column is called {quoted(name)}, it would be {' and '.join(printed)}; "
                f"write {measure.name}.{listed}"
            )
    value_of(measure, text)
    return measure, "printed", text


def _unknown(name: str, known: dict[str, Measure]) -> UsageError:
    """What to say of a name that is none."""
    from difflib import get_close_matches

    head = name.partition(".")[0]
    if head in REGISTRY:
        return UsageError(
            f"measure {quoted(head)} is not among those of the version of trec_eval asked for; "
            f"trec_eval {REGISTRY[head].since} has it"
        )
    names = {each.lower(): each for each in (*known, *SETS)}
    near = [names[each] for each in get_close_matches(head.lower(), names)]
    near = near or [each for each in known if head.startswith(f"{each}_")]
    hint = f"did you mean {' or '.join(near)}?" if near else f"the sets are {', '.join(SETS)}"
    return UsageError(f"no measure or set is called {quoted(head or name)}; {hint}")


def _requests(measure: Measure, asked: _Asked) -> Iterator[Request]:
    """The requests for one measure: one for all its cutoffs, else one for each parameter text."""
    if isinstance(measure.parameter, Cutoffs | Fractions):
        yield _joined(measure, asked)
        return
    texts: list[str | None] = []
    if asked.plain or asked.text is not None:
        texts.append(asked.text)
    texts += [text for text in asked.printed.values() if text != asked.text]
    for text in texts:
        value = default_of(measure) if text is None else value_of(measure, text)
        yield Request(measure, value, _columns(measure, value, text))


def _joined(measure: Measure, asked: _Asked) -> Request:
    """One request for all the values of a list that were asked for."""
    values: list[float] = []
    if asked.text is not None:
        values += _list(value_of(measure, asked.text))
    elif asked.plain:
        values += _list(default_of(measure))
    there = printed_names(measure, tuple(values), None)
    for name, text in asked.printed.items():
        if name not in there:
            values += _list(value_of(measure, text))
    rising = tuple(sorted(values))
    return Request(measure, rising, _columns(measure, rising, None))


def _list(value: Value) -> tuple[float, ...]:
    if not isinstance(value, tuple):
        raise TypeError(f"{value} is not a list")
    return value


def _columns(measure: Measure, value: Value, text: str | None) -> tuple[Column, ...]:
    return tuple(
        Column(name, measure.name, measure.kind, measure.average, measure.per_topic)
        for name in printed_names(measure, value, text)
    )
