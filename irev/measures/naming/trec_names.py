"""Names in trec_eval's way: measures, sets of them, and columns as they are printed.

`P` is a measure, `P.5,10` the measure with parameters, `P_5` one column, `official` a set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from irev.core.model import Column
from irev.errors import UsageError
from irev.measures.naming.parameters import (
    default_arguments,
    parse_parameter,
    printed_names,
    quoted,
    usage_example,
)
from irev.measures.registry import (
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Fractions,
    Measure,
    measures_of_set,
    output_order,
)
from irev.measures.requests import Request

_PARAMETERS = re.compile(r"[-+.,0-9]|.*=")
"""How the parameters in a printed name begin; anything else is a wrong name."""

LONGEST_HINT = 60
"""How many characters of what should be written are shown."""


@dataclass
class _Wanted:
    """How a measure was asked for."""

    plain: bool = False
    """By its bare name or through a set."""
    text: str | None = None
    """The first parameters after a dot; they win over later ones."""
    printed: dict[str, str] = field(default_factory=dict)
    """Names of single columns, with the parameters in them."""

    def take(self, name: str, how: str, text: str) -> None:
        """Take in a name that asks for the measure in one of the three ways."""
        if how == "plain":
            self.plain = True
        elif how == "printed":
            self.printed.setdefault(name, text)
        elif self.text is None:
            self.text = text


class TrecRequests:
    """What is asked for of trec_eval's table of measures."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._known = {name: m for name, m in TREC_MEASURES.items() if m.since <= version}
        self._asked: dict[str, _Wanted] = {}

    def add(self, name: str) -> list[str]:
        """Take a name in.

        Returns:
            The columns that the name alone asks for; none where trec_eval has no such name.
        """
        alone: dict[str, _Wanted] = {}
        for measure, how, text in _read(name, self._known, self._version):
            for asked in (self._asked, alone):
                asked.setdefault(measure.name, _Wanted()).take(name, how, text)
        return [column.name for request in self._of(alone) for column in request.columns]

    def requests(self) -> list[Request]:
        """What was asked for, in the order of the table."""
        return self._of(self._asked)

    def _of(self, asked: Mapping[str, _Wanted]) -> list[Request]:
        chosen = output_order([self._known[name] for name in asked])
        return [request for m in chosen for request in _requests(m, asked[m.name])]


def ignored_parameter_warnings(names: Sequence[str]) -> Iterator[str]:
    """A line for each measure that is asked for with parameters again, of which the first hold."""
    given: dict[str, dict[str, None]] = {}
    for name in names:
        head, dot, text = name.partition(".")
        if dot and head in TREC_MEASURES:
            given.setdefault(head, {})[text] = None
    for head, texts in given.items():
        first, *others = texts
        if not others:
            continue
        more = f" and {len(others) - 1} more are" if len(others) > 1 else " is"
        listed = isinstance(TREC_MEASURES[head].parameter, Cutoffs | Fractions)
        every = dict.fromkeys(",".join(texts).split(","))
        joined = f"{head}.{','.join(every)}" if listed else f"{head}_{others[0]}"
        if len(joined) > LONGEST_HINT:
            joined = f"{head}.{first},{others[0]},..."
        yield (
            f"-m {head}.{others[0]}{more} not used, since of several the first holds, as in "
            f"trec_eval: {head}.{first}; write -m {joined}"
        )


Found = tuple[Measure, str, str]
"""A measure, how it is asked for (plain, dotted or printed), and the parameter text."""


def _read(name: str, known: Mapping[str, Measure], version: int) -> list[Found]:
    """The measures that one name asks for; none where it is no name of trec_eval's."""
    head, dot, text = name.partition(".")
    if head in SET_NAMES:
        if dot:
            raise UsageError(f"{quoted(name)}: a set takes no parameters; write {head}")
        return [(measure, "plain", "") for measure in measures_of_set(head, version)]
    if "(" in name or "@" in name:
        return []
    if head not in known:
        return _column(name, known)
    if not dot:
        return [(known[head], "plain", "")]
    if not text:
        raise UsageError(
            f"{quoted(name)}: no parameters after the dot; write {head}"
            + (f" or {usage_example(known[head], 2)}" if known[head].parameter else "")
        )
    parse_parameter(known[head], text)
    return [(known[head], "dotted", text)]


def _column(name: str, known: Mapping[str, Measure]) -> list[Found]:
    """The measure and the parameters of a column as it is printed, such as `P_5`."""
    fitting = [m for m in known.values() if m.parameter and name.startswith(f"{m.name}_")]
    if not fitting:
        return []
    measure = max(fitting, key=lambda m: len(m.name))
    text = name[len(measure.name) + 1 :]
    if not _PARAMETERS.match(text):
        return []
    if isinstance(measure.parameter, Cutoffs | Fractions):
        listed = text.replace("_", ",")
        printed = printed_names(measure, parse_parameter(measure, listed), listed)
        if printed != (name,):
            raise UsageError(
                f"no column is called {quoted(name)}, it would be {' and '.join(printed)}; "
                f"write {measure.name}.{listed}"
            )
    parse_parameter(measure, text)
    return [(measure, "printed", text)]


def _requests(measure: Measure, asked: _Wanted) -> Iterator[Request]:
    """The requests for one measure: one for all its cutoffs, else one for each parameter text."""
    if isinstance(measure.parameter, Cutoffs | Fractions):
        yield _joined(measure, asked)
        return
    texts: list[str | None] = []
    if asked.plain or asked.text is not None:
        texts.append(asked.text)
    texts += [text for text in asked.printed.values() if text != asked.text]
    for text in texts:
        value = default_arguments(measure) if text is None else parse_parameter(measure, text)
        yield Request(measure, value, _columns(measure, value, text))


def _joined(measure: Measure, asked: _Wanted) -> Request:
    """One request for all the values of a list that were asked for."""
    values: list[float] = []
    if asked.text is not None:
        values += _levels(parse_parameter(measure, asked.text))
    elif asked.plain:
        values += _levels(default_arguments(measure))
    there = printed_names(measure, Arguments(tuple(values)), None)
    for name, text in asked.printed.items():
        if name not in there:
            values += _levels(parse_parameter(measure, text))
    rising = Arguments(tuple(sorted(values)))
    return Request(measure, rising, _columns(measure, rising, None))


def _levels(value: Arguments) -> list[float]:
    return [level for level in value.cutoffs if level is not None]


def _columns(measure: Measure, value: Arguments, text: str | None) -> tuple[Column, ...]:
    return tuple(
        Column(name, measure.name, measure.kind, measure.average, measure.per_topic)
        for name in printed_names(measure, value, text)
    )
