"""From the names that measures are asked for by to what is computed, and in which order.

trec_eval's names come first (`trec_names`). Any other is a measure with named options,
`nDCG(gain=exp)@10`; what another program calls it, `ndcg_burges@10`; what it is to that program,
`gdeval:ndcg@20`; or a suite of them, `suite:beir`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from irev.errors import UsageError
from irev.measures import load_all
from irev.measures.naming.canonical_names import name_of_alias
from irev.measures.naming.name_lists import measure_names
from irev.measures.naming.parameters import quoted
from irev.measures.naming.suites import SUITE_PREFIX, SUITES, find_suite
from irev.measures.naming.trec_names import TrecRequests
from irev.measures.registry import (
    SET_NAMES,
    TREC_MEASURES,
    Cutoffs,
    Fractions,
)
from irev.measures.requests import Request, drop_repeated_columns

if TYPE_CHECKING:
    from irev.measures.naming.named import Defaults, Entry
    from irev.measures.naming.spellings import Meaning
    from irev.measures.naming.typed_names import Typed

DEFAULT = "official"
"""The set that is computed when none is asked for."""

_PEER = re.compile(r"([A-Za-z_]\w*):")


class NamingOptions(Protocol):
    """What of the options bears on what a name means."""

    @property
    def version(self) -> int:
        """The major version of trec_eval whose measures there are."""

    @property
    def defaults(self) -> Sequence[tuple[str, Any]]:
        """Options of measures, and the value that holds where a name leaves the option open."""

    @property
    def spare_defaults(self) -> Sequence[str]:
        """Which of those need not touch a measure."""


class PlainNaming(NamedTuple):
    """A naming under which nothing but the names themselves counts."""

    version: int = 10
    defaults: Sequence[tuple[str, Any]] = ()
    spare_defaults: Sequence[str] = ()


PLAIN_NAMING = PlainNaming()


def resolve_names(
    names: object, options: NamingOptions = PLAIN_NAMING, *, some: bool = False, typed: bool = True
) -> list[Request]:
    """What the names ask for, no column twice: trec_eval's in its order, then the others as asked.

    The columns know their places among the names.

    Args:
        names: measures, with parameters or options or without, sets, columns and suites, listed in
            any way (`measure_names`); none: the set "official".
        options: those of the evaluation: the version of trec_eval, and what holds for all measures
            whose names leave it open (beta, base, gains, highest grade).
        some: whether these are some of the measures asked for, so that an option of all may touch
            none of them.
        typed: whether what people type for a name is understood too.
    """
    asked = _Asked(options.version, options.defaults)
    spread = list(_spread(names)) or [DEFAULT]
    wrong: dict[str, None] = {}
    place: dict[str, int] = {}
    for number, name in enumerate(spread):
        try:
            for column in asked.add(name, typed=typed):
                place.setdefault(column, number)
        except UsageError as error:
            wrong[str(error)] = None
    if wrong:
        raise UsageError("\n".join(wrong))
    every = [option for option, _ in options.defaults]
    requests = asked.requests(every if some else options.spare_defaults)
    if len(spread) == 1:
        return requests
    return [
        request._replace(
            columns=tuple(replace(c, asked=place.get(c.name, len(spread))) for c in request.columns)
        )
        for request in requests
    ]


def _spread(names: object) -> Iterator[str]:
    """The names one by one, with suites as the measures in them."""
    for name in measure_names(names):
        if name.startswith(SUITE_PREFIX):
            yield from find_suite(name.removeprefix(SUITE_PREFIX)).measures
        else:
            yield name


class _Asked:
    """Everything that is asked for."""

    def __init__(self, version: int, defaults: Sequence[tuple[str, Any]]) -> None:
        self._version = version
        self._table = TrecRequests(version)
        self._others: list[Entry | Request] = []
        self._given = defaults
        self._defaults: Defaults | None = None

    def add(self, name: str, *, typed: bool = True) -> list[str]:
        """The columns that a name asks for, if need be by what people type for it."""
        try:
            return self._add(name)
        except UsageError as error:
            if not typed:
                raise
            meant = self._typed(name)
            if meant is None:
                raise self._of_another_program(name) or error from None
            return self._add(meant.text, meant)

    def _typed(self, name: str) -> Typed | None:
        """The one thing that a name may stand for that is none as it stands; None: nothing."""
        load_all()
        from irev.measures.naming.typed_names import readings

        peer = _PEER.match(name)
        program = peer[1] if peer else ""
        found: dict[tuple[str, ...], Typed] = {}
        for typed in readings(name[peer.end() :] if peer else name, program):
            alone = _Asked(self._version, self._given)
            try:
                alone._add(typed.text)
                requests = alone.requests([option for option, _ in self._given])
            except UsageError:
                continue
            found.setdefault(tuple(name for each in requests for name in _irev_names(each)), typed)
        if len(found) > 1:
            several = " or ".join(typed.text for typed in found.values())
            raise UsageError(f"{quoted(name)} could be {several}, which differ: write one of them")
        return next(iter(found.values()), None)

    def _of_another_program(self, name: str) -> UsageError | None:
        """What to say of a name that only other programs have."""
        from irev.measures.naming.programs import PROGRAMS
        from irev.measures.naming.spellings import is_known

        head = _head(name)
        if _PEER.match(name) or head in TREC_MEASURES or head in SET_NAMES or is_known(head):
            return None
        for peer, program in PROGRAMS.items():
            try:
                _Asked(self._version, ())._add(f"{peer}:{name}")
            except UsageError:
                continue
            return UsageError(f"{quoted(name)} is of {program.title}: write {peer}:{name}")
        return None

    def _add(self, name: str, typed: Typed | None = None) -> list[str]:
        """Take in what a name asks for as it stands, printed as it was typed."""
        peer = _PEER.match(name)
        if peer is not None:
            return self._add_of_peer(peer[1], name[peer.end() :], typed)
        if columns := self._table.add(name):
            return columns
        head = name.partition(".")[0]
        # what trec_eval has, but not with these parameters or in this version
        if not name or (head in TREC_MEASURES and not set("(@") & set(name)):
            raise _unknown(name, self._version)
        return self._add_named(name, typed)

    def _take(self, found: Iterable[Entry | Request]) -> list[str]:
        """Take in what is not of trec_eval's table."""
        columns = []
        for each in found:
            self._others.append(each)
            of_each = each.columns if isinstance(each, Request) else (each.column,)
            columns += [column.name for column in of_each]
        return columns

    def requests(self, used_elsewhere: Sequence[str] = ()) -> list[Request]:
        """What is computed, in the order of the output."""
        of_table = self._table.requests()
        if not self._others and not self._given:
            return of_table
        from irev.measures.naming.named import grouped

        self._of_defaults().check(used_elsewhere)
        return drop_repeated_columns([*of_table, *grouped(self._others)])

    def _of_defaults(self) -> Defaults:
        from irev.measures.naming.named import Defaults

        if self._defaults is None:
            self._defaults = Defaults(self._given)
        return self._defaults

    def _add_of_peer(self, peer: str, name: str, typed: Typed | None) -> list[str]:
        if peer == "trec9":
            return self._take(_of_trec9(name))
        if peer != "trec":
            return self._add_foreign(peer, name, typed)
        if columns := self._table.add(name):
            return columns
        raise _unknown(name, self._version)

    def _add_foreign(self, peer: str, name: str, typed: Typed | None = None) -> list[str]:
        load_all()
        from irev.measures.naming.named import entries
        from irev.measures.naming.programs import PROGRAMS
        from irev.measures.naming.spellings import meaning_to

        if peer not in PROGRAMS:
            known = ", ".join(["trec", "trec9", *PROGRAMS, "suite"])
            raise UsageError(f"{quoted(f'{peer}:{name}')}: no program is called {peer}; {known}")
        found = meaning_to(peer, name)
        return self._take(entries(typed.printed(found) if typed else found, self._of_defaults()))

    def _add_named(self, name: str, typed: Typed | None) -> list[str]:
        load_all()
        from irev.measures.naming.named import entries
        from irev.measures.naming.spellings import is_print_of_ntcireval, meaning, only_in_trec_eval

        found = meaning(name) or _of_plugins(name)
        if found is not None and is_print_of_ntcireval(name, found):
            return self._add_foreign("ntcir", name)
        if found is not None:
            found = typed.printed(found) if typed else found
            return self._take(entries(found, self._of_defaults()))
        if (only := only_in_trec_eval(name)) and only.since <= self._version:
            return self._take(_renamed(only.name, name, self._version))
        if columns := self._add_cut(name):
            return columns
        raise _unknown(name, self._version, is_own=True)

    def _add_cut(self, name: str) -> list[str]:
        """A measure of trec_eval's written with cutoffs behind an @: `ndcg_cut@10`."""
        head = name.partition("@")[0]
        measure = TREC_MEASURES.get(head)
        if measure is None or not isinstance(measure.parameter, Cutoffs | Fractions):
            return []
        return self._table.add(f"{head}.{name[len(head) + 1 :]}")


def _of_plugins(name: str) -> Meaning | None:
    """What a name means once the measures of installed packages are known too."""
    from irev.measures.naming.spellings import meaning, only_in_trec_eval
    from irev.measures.plugins import load_installed_plugins

    if only_in_trec_eval(name) or ("@" in name and name.partition("@")[0] in TREC_MEASURES):
        return None
    return meaning(name) if load_installed_plugins() else None


def _of_trec9(name: str) -> list[Request]:
    """What trec_eval 9 makes of a name."""
    table = TrecRequests(9)
    if not table.add(name):
        raise _unknown(name, 9)
    return [
        request._replace(
            columns=tuple(replace(c, name=f"trec9:{c.name}") for c in request.columns),
            rounding="upward",
        )
        for request in table.requests()
    ]


def _renamed(name: str, printed: str, version: int) -> list[Request]:
    """A measure of trec_eval's with one column, under another name."""
    table = TrecRequests(version)
    table.add(name)
    (request,) = table.requests()
    (column,) = request.columns
    return [request._replace(columns=(replace(column, name=printed, canonical=name),))]


def _irev_names(request: Request) -> Iterator[str]:
    """Irev's own names for the columns, also where trec_eval has one of its own."""
    for index, column in enumerate(request.columns):
        own = column.canonical or name_of_alias(
            request.measure.name, request.arguments, request.cutoff(index)
        )
        yield own or column.name


def _head(name: str) -> str:
    """A name without what its parameters, options or cutoffs may be."""
    return re.split(r"[.(@]", name, maxsplit=1)[0]


def _unknown(name: str, version: int, *, is_own: bool = False) -> UsageError:
    """What to say of a name that trec_eval has not, nor irev, where it may be irev's own."""
    from irev.measures.naming.spellings import is_known
    from irev.measures.naming.typed_names import persistence_or_cutoff

    head = _head(name)
    if either := persistence_or_cutoff(name):
        return UsageError(f"{quoted(name)}: is that number p or a cutoff? write {either}")
    if head in TREC_MEASURES and TREC_MEASURES[head].since > version:
        return UsageError(
            f"measure {quoted(head)} is not among those of the version of trec_eval asked for; "
            f"trec_eval {TREC_MEASURES[head].since} has it"
        )
    if (head in TREC_MEASURES or head in SET_NAMES) and head != name:
        return UsageError(
            f"{quoted(name)}: {head} is a name of trec_eval's, which has no options in "
            f"parentheses and no cutoff there; irev -h -m {head} says what it takes"
        )
    if is_own and head != name and is_known(head):
        return UsageError(
            f"{quoted(name)}: {head} is not written like this; irev measures {head} says what it "
            "takes"
        )
    if any(name == suite.name for suite in SUITES):
        near = f"{SUITE_PREFIX}{name}"
    else:
        near = _nearest(head, version)
    hint = f"did you mean {near}?" if near else f"the sets are {', '.join(SET_NAMES)}"
    return UsageError(f"no measure or set is called {quoted(head or name)}; {hint}")


def _nearest(head: str, version: int) -> str:
    """The three names that are most like one that is none, as a list in words."""
    from difflib import SequenceMatcher, get_close_matches

    load_all()
    from irev.measures.naming.spellings import ANYCASE, EVERYWHERE, names_for

    known = [name for name, measure in TREC_MEASURES.items() if measure.since <= version]
    names: dict[str, list[str]] = {}
    for each in (*known, *SET_NAMES, *names_for(EVERYWHERE), *names_for(ANYCASE)):
        names.setdefault(each.lower(), []).append(each)
    # of names that differ in case alone the one most like what was typed
    near = [
        max(names[each], key=lambda name: SequenceMatcher(None, head, name).ratio())
        for each in get_close_matches(head.lower(), names)
    ]
    near = near or [each for each in known if head.startswith(f"{each}_")]
    return " or ".join(filter(None, [", ".join(near[:-1]), *near[-1:]]))
