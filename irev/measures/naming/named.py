"""Requests for measures with named options: from what was asked for to what is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from irev.core.model import Column
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.naming.canonical_names import canonical_name, value_text
from irev.measures.naming.grammar import Literal
from irev.measures.naming.option_values import literal_of, measure_arguments
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.spellings import Meaning
from irev.measures.registry import MEASURES, Arguments, Measure, Option
from irev.measures.requests import Request

FLAGS = {"beta": "--beta", "b": "--log-base", "gain": "--gains", "max": "--max-grade"}
"""How the command line calls a default."""


class Defaults:
    """Options that hold for every measure asked for that has them and does not name them."""

    def __init__(self, given: Sequence[tuple[str, Any]]) -> None:
        self._given = {name: _literal(name, value) for name, value in given}
        self._used: set[str] = set()

    def missing_from(self, measure: Measure, meaning: Meaning) -> dict[str, Literal]:
        """Those that hold for a measure, given what its name says."""
        named = dict(meaning.options)
        found = {}
        for name, literal in self._given.items():
            option = measure.options.get(name)
            if option is None or name in named or not _fits(option, name, literal):
                continue
            if option.implies is not None and _contradicts(option.implies, named):
                continue
            found[name] = literal
        self._used.update(found)
        return found

    def check(self, used_elsewhere: Sequence[str] = ()) -> None:
        """Refuse a default that is of no use to anything asked for, nor elsewhere."""
        for name, literal in self._given.items():
            if name not in self._used and name not in used_elsewhere:
                raise UsageError(
                    f"{FLAGS.get(name, name)} {value_text(literal)} applies to none of the "
                    f"requested measures: none has an option {name} that its name does not set"
                )


def _literal(name: str, value: Any) -> Literal:
    try:
        return literal_of(value)
    except UsageError as error:
        raise UsageError(f"{FLAGS.get(name, name)} {error}") from None


def _fits(option: Option, name: str, literal: Literal) -> bool:
    """Whether the value is one for this option; one of the wrong kind is meant for others."""
    if isinstance(literal, str):
        return option.kind != "choice" or literal in option.choices
    return option.kind == "gain" or name not in FLAGS


def _contradicts(implied: tuple[str, Any], named: Mapping[str, Literal]) -> bool:
    other, value = implied
    return other in named and named[other] != value


@record(eq=True)
class Entry:
    """One column that was asked for."""

    measure: Measure
    value: Arguments
    column: Column
    forced: tuple[str, ...]
    maps_all: bool = False


def entries(meaning: Meaning, defaults: Defaults) -> Iterator[Entry]:
    """The columns that a name asks for, one for each cutoff."""
    measure = MEASURES[meaning.name]
    added = defaults.missing_from(measure, meaning)
    value = measure_arguments(measure, [*meaning.options, *added.items()], meaning.cutoffs)
    typed = meaning.cutoffs if meaning.appends else ("",) * len(value.cutoffs)
    for cutoff, text in zip(value.cutoffs, typed, strict=True):
        canonical = canonical_name(measure, value, cutoff)
        # what another program means stays its name; the scale is no definition but a fact
        changed = [n for n in added if not meaning.fixed or measure.options[n].kind != "scale"]
        if meaning.head and not changed:
            printed = f"{meaning.head}{text and meaning.at}{text}{meaning.tail}"
        else:
            printed = canonical_name(measure, value, cutoff, added)
        column = Column(
            printed, measure.name, measure.kind, measure.average, measure.per_topic, canonical
        )
        one = replace(value, cutoffs=(cutoff,))
        yield Entry(measure, one, column, tuple(added), _maps_all(meaning))


def _maps_all(meaning: Meaning) -> bool:
    """Whether the program whose definition is meant wants a gain for every grade."""
    program = PROGRAMS.get(meaning.head.partition(":")[0]) if meaning.fixed else None
    return program is not None and program.maps_all


@dataclass
class _Columns:
    """Columns beside each other that one computation fills."""

    measure: Measure
    value: Arguments
    forced: tuple[str, ...]
    maps_all: bool
    cutoffs: list[int | float | None] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    picks: list[int] = field(default_factory=list)

    def takes(self, entry: Entry) -> bool:
        """Whether the entry differs in its cutoff alone."""
        mine, its = replace(self.value, cutoffs=()), replace(entry.value, cutoffs=())
        return (self.measure.name, self.forced, self.maps_all, mine) == (
            entry.measure.name,
            entry.forced,
            entry.maps_all,
            its,
        )

    def add(self, entry: Entry) -> None:
        """Put the entry's column behind the others."""
        (cutoff,) = entry.value.cutoffs
        if cutoff not in self.cutoffs:
            self.cutoffs.append(cutoff)
        self.columns.append(entry.column)
        self.picks.append(self.cutoffs.index(cutoff))

    def request(self) -> Request:
        """What is computed."""
        value = replace(self.value, cutoffs=tuple(self.cutoffs))
        picks = () if self.picks == list(range(len(self.cutoffs))) else tuple(self.picks)
        return Request(
            self.measure, value, tuple(self.columns), picks, self.forced, maps_all=self.maps_all
        )


def grouped(asked: Iterable[Entry | Request]) -> Iterator[Request]:
    """Requests in the order asked; columns that one computation fills come out of one request.

    A column that is asked for again is left out.
    """
    group: _Columns | None = None
    seen: set[str] = set()
    for entry in asked:
        if isinstance(entry, Entry):
            if entry.column.name in seen:
                continue
            seen.add(entry.column.name)
        if isinstance(entry, Entry) and group is not None and group.takes(entry):
            group.add(entry)
            continue
        if group is not None:
            yield group.request()
            group = None
        if isinstance(entry, Request):
            yield entry
        else:
            group = _Columns(entry.measure, entry.value, entry.forced, entry.maps_all)
            group.add(entry)
    if group is not None:
        yield group.request()
