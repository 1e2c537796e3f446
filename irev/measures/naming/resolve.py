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

from irev.errors import MeasureNamesError, OptionValueError, UsageError, quote
from irev.measures import load_all
from irev.measures.naming.name_lists import SUITE_PREFIX, measure_names
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.trec_names import ColumnNames, TrecRequests, is_listed
from irev.measures.registry import SET_NAMES, TREC_MEASURES
from irev.measures.requests import Request, drop_repeated_columns, name_of_alias

if TYPE_CHECKING:
    from irev.measures.naming.named_requests import Defaults
    from irev.measures.naming.spellings import Meaning
    from irev.measures.naming.typed_names import Reading

DEFAULT_SET = "official"
"""The set that is computed when none is asked for."""

_PROGRAM = re.compile(r"([A-Za-z_]\w*):")


class VersionAndDefaults(Protocol):
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
    names: object,
    options: VersionAndDefaults = PLAIN_NAMING,
    *,
    allow_unused_defaults: bool = False,
    lenient: bool = True,
) -> list[Request]:
    """What the names ask for, no column twice: trec_eval's in its order, then the others as asked.

    The columns know their places among the names.

    Args:
        names: measures, with parameters or options or without, sets, columns and suites, listed in
            any way (`measure_names`); none: the set "official".
        options: those of the evaluation: the version of trec_eval, and what holds for all measures
            whose names leave it open (beta, base, gains, highest grade).
        allow_unused_defaults: whether such an option may touch none of these measures, since they
            are some of those asked for.
        lenient: whether what people type for a name is understood too.
    """
    resolver = _Resolver(options.version, options.defaults)
    single_names = list(expand_suites(names)) or [DEFAULT_SET]
    problems: dict[str, None] = {}
    name_indices: dict[str, int] = {}
    for index, name in enumerate(single_names):
        try:
            for column_name in resolver.add(name, lenient=lenient):
                name_indices.setdefault(column_name, index)
        except UsageError as error:
            problems[str(error)] = None
    if problems:
        raise MeasureNamesError(problems)
    every = [option for option, _ in options.defaults]
    requests = resolver.requests(every if allow_unused_defaults else options.spare_defaults)
    if len(single_names) == 1:
        return requests
    last = len(single_names)
    return [
        request._replace(
            columns=tuple(
                replace(c, asked_index=name_indices.get(c.name, last)) for c in request.columns
            )
        )
        for request in requests
    ]


def expand_suites(names: object) -> Iterator[str]:
    """The names one by one, with suites as the measures in them."""
    for name in measure_names(names):
        if name.startswith(SUITE_PREFIX):
            from irev.measures.naming.suites import find_suite

            yield from find_suite(name.removeprefix(SUITE_PREFIX)).measures
        else:
            yield name


class _Resolver:
    """Takes names in one by one, and has the requests for all of them."""

    def __init__(self, version: int, defaults: Sequence[tuple[str, Any]]) -> None:
        self._version = version
        self._trec = TrecRequests(version)
        self._others: list[Request] = []
        self._default_values = defaults
        self._defaults_read: Defaults | None = None

    @property
    def _defaults(self) -> Defaults:
        from irev.measures.naming.named_requests import Defaults

        if self._defaults_read is None:
            self._defaults_read = Defaults(self._default_values)
        return self._defaults_read

    def requests(self, allow_unused: Sequence[str] = ()) -> list[Request]:
        """What is computed, in the order of the output."""
        of_trec = self._trec.requests()
        if not self._others and not self._default_values:
            return of_trec
        from irev.measures.naming.named_requests import merge_adjacent_requests

        self._defaults.refuse_unused(allow_unused)
        return drop_repeated_columns([*of_trec, *merge_adjacent_requests(self._others)])

    def add(self, name: str, *, lenient: bool = True) -> ColumnNames:
        """The columns that a name asks for, if need be by what people type for it."""
        try:
            return self._add_without_guessing(name)
        except UsageError as error:
            if not lenient or isinstance(error, OptionValueError):
                raise
            reading = self._only_reading_or_refuse_several(name)
            if reading is None:
                raise self._error_if_name_of_other_program(name) or error from None
            return self._add_without_guessing(reading.text, reading)

    def _add_without_guessing(
        self, name: str, reading_to_print: Reading | None = None
    ) -> ColumnNames:
        """Take in what a name asks for as it stands, printed as it was typed."""
        program = _PROGRAM.match(name)
        if program is not None:
            return self._add_for_program(program[1], name[program.end() :], reading_to_print)
        if column_names := self._trec.add(name):
            return column_names
        head = name.partition(".")[0]
        # what trec_eval has, but not with these parameters or in this version
        if not name or (head in TREC_MEASURES and not set("(@") & set(name)):
            raise self._unknown(name)
        return self._add_named(name, reading_to_print)

    def _add_for_program(
        self, program: str, name: str, reading_to_print: Reading | None
    ) -> ColumnNames:
        """Take in what a name means to another program."""
        if program == "trec9":
            return self._take(_requests_of_trec_eval_9_name(name))
        if program == "trec":
            if column_names := self._trec.add(name):
                return column_names
            raise self._unknown(name)
        load_all()
        from irev.measures.naming.spellings import meaning_in_program

        if program not in PROGRAMS:
            every = ", ".join(["trec", "trec9", *PROGRAMS, "suite"])
            typed = quote(f"{program}:{name}")
            raise UsageError(f"{typed}: no program is called {program}; {every}")
        return self._take_meaning(meaning_in_program(program, name), reading_to_print)

    def _add_named(self, name: str, reading_to_print: Reading | None) -> ColumnNames:
        """Take in a measure with named options, or one of trec_eval's under a name of irev's."""
        load_all()
        from irev.measures.naming.spellings import (
            has_other_ntcireval_meaning,
            meaning_without_program,
            measure_of_trec_eval_alone,
        )

        meaning = meaning_without_program(name) or _meaning_in_plugins(name)
        if meaning is not None and has_other_ntcireval_meaning(name, meaning):
            return self._add_for_program("ntcir", name, None)
        if meaning is not None:
            return self._take_meaning(meaning, reading_to_print)
        of_trec = measure_of_trec_eval_alone(name)
        if of_trec is not None and of_trec.since <= self._version:
            (request,) = self._trec_request(of_trec.name)
            (column,) = request.columns
            column = replace(column, name=name, canonical=of_trec.name)
            return self._take([request._replace(columns=(column,))])
        # a measure of trec_eval's with cutoffs behind an @: ndcg_cut@10
        head, _, cutoffs = name.partition("@")
        is_cut = head in TREC_MEASURES and is_listed(head)
        column_names = self._trec.add(f"{head}.{cutoffs}") if is_cut else []
        if not column_names:
            raise self._unknown(name, may_be_irev_name=True)
        return column_names

    def _trec_request(self, name: str) -> list[Request]:
        """What a name of trec_eval's asks for by itself."""
        alone = TrecRequests(self._version)
        alone.add(name)
        return alone.requests()

    def _take_meaning(self, meaning: Meaning, reading_to_print: Reading | None) -> ColumnNames:
        from irev.measures.naming.named_requests import one_request_per_column

        meaning = reading_to_print.rename_as_typed(meaning) if reading_to_print else meaning
        return self._take(one_request_per_column(meaning, self._defaults))

    def _take(self, requests: Iterable[Request]) -> ColumnNames:
        """Take in what is not of trec_eval's table, and give its columns."""
        fresh = list(requests)
        self._others += fresh
        return [column.name for request in fresh for column in request.columns]

    def _only_reading_or_refuse_several(self, unknown_name: str) -> Reading | None:
        """The one thing that a name may stand for that is none as it stands; None: nothing."""
        load_all()
        from irev.measures.naming.typed_names import possible_readings

        match = _PROGRAM.match(unknown_name)
        program, rest = (match[1], unknown_name[match.end() :]) if match else ("", unknown_name)
        by_columns: dict[tuple[str, ...], Reading] = {}
        for reading in possible_readings(rest, program):
            alone = _Resolver(self._version, self._default_values)
            try:
                alone._add_without_guessing(reading.text)
                requests = alone.requests([option for option, _ in self._default_values])
            except OptionValueError:
                raise
            except UsageError:
                continue
            irev_names = tuple(own for request in requests for own in _irev_names(request))
            by_columns.setdefault(irev_names, reading)
        if len(by_columns) > 1:
            several = " or ".join(reading.text for reading in by_columns.values())
            name_text = quote(unknown_name)
            raise UsageError(f"{name_text} could be {several}, which differ: write one of them")
        return next(iter(by_columns.values()), None)

    def _error_if_name_of_other_program(self, name: str) -> UsageError | None:
        """What to say of a name that only other programs have."""
        from irev.measures.naming.spellings import is_spelled, spelled_names
        from irev.measures.naming.typed_names import name_head

        head = name_head(name)
        is_ours = head in TREC_MEASURES or head in SET_NAMES or is_spelled(head)
        if _PROGRAM.match(name) or (is_ours and not name.startswith(f"{head}.")):
            return None
        for program_name, program in PROGRAMS.items():
            # where the measure of a program must be cut, with a cutoff
            is_name = name in spelled_names(program_name)
            for text in (name, f"{name}@10") if is_name else (name,):
                try:
                    _Resolver(self._version, ())._add_without_guessing(f"{program_name}:{text}")
                except UsageError:
                    continue
                return UsageError(
                    f"{quote(name)} is a name in {program.title}: write {program_name}:{text}"
                )
        return None

    def _unknown(self, name: str, *, may_be_irev_name: bool = False) -> UsageError:
        from irev.measures.naming.typed_names import unknown_name_error

        return unknown_name_error(name, self._version, may_be_irev_name=may_be_irev_name)


def _meaning_in_plugins(name: str) -> Meaning | None:
    """What a name means once the measures of installed packages are known too."""
    from irev.measures.naming.spellings import meaning_without_program, measure_of_trec_eval_alone
    from irev.measures.plugins import load_installed_plugins

    if measure_of_trec_eval_alone(name):
        return None
    if "@" in name and name.partition("@")[0] in TREC_MEASURES:
        return None
    return meaning_without_program(name) if load_installed_plugins() else None


def _requests_of_trec_eval_9_name(name: str) -> list[Request]:
    """What trec_eval 9 makes of a name."""
    from irev.measures.naming.typed_names import unknown_name_error

    of_trec9 = TrecRequests(9)
    if not of_trec9.add(name):
        raise unknown_name_error(name, 9)
    return [
        request._replace(
            columns=tuple(replace(c, name=f"trec9:{c.name}") for c in request.columns),
            recall_rounding="upward",
        )
        for request in of_trec9.requests()
    ]


def _irev_names(request: Request) -> Iterator[str]:
    """Irev's own names for the columns, also where trec_eval has one of its own."""
    for index, column in enumerate(request.columns):
        own = column.canonical or name_of_alias(
            request.measure.name, request.arguments, request.cutoff(index)
        )
        yield own or column.name
