"""From the names that measures are asked for by to what is computed, and in which order.

trec_eval's names come first (`trec_names`). Any other is a measure with named options,
`nDCG(gain=exp)@10`; what another program calls it, `ndcg_burges@10`; what it is to that program,
`gdeval:ndcg@20`; or a suite of them, `suite:beir`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Protocol

from irev.core.arrays import Floats
from irev.core.judged import Column
from irev.core.option_records import MeasureRange
from irev.core.text import parse_c_number, parse_finite_number, parse_whole
from irev.errors import MeasureNamesError, OptionValueError, UsageError, id_text, quote, shown_value
from irev.measures import load_all
from irev.measures.naming.grammar import (
    SUITE_PREFIX,
    Literal,
    Ratio,
    WrittenMap,
    find_suite,
    measure_names,
    parse_value,
)
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.spellings import (
    Meaning,
    Reading,
    has_other_ntcireval_meaning,
    is_spelled,
    meaning_in_program,
    meaning_without_program,
    measure_of_trec_eval_alone,
    name_head,
    possible_readings,
    spelled_names,
    unknown_name_error,
)
from irev.measures.naming.trec_names import ColumnNames, TrecRequests, is_listed
from irev.measures.registry import (
    GENERIC_OPTIONS,
    HIGHEST_GAIN,
    LARGEST_NUMBER,
    MEASURES,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    GainValue,
    Measure,
    Option,
)
from irev.measures.requests import (
    Request,
    canonical_name,
    drop_repeated_columns,
    name_of_alias,
    value_text,
)

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

    @cached_property
    def _defaults(self) -> Defaults:
        return Defaults(self._default_values)

    def requests(self, allow_unused: Sequence[str] = ()) -> list[Request]:
        """What is computed, in the order of the output."""
        of_trec = self._trec.requests()
        if not self._others and not self._default_values:
            return of_trec
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
            of_trec9 = TrecRequests(9)
            if not of_trec9.add(name):
                raise unknown_name_error(name, 9)
            return self._take(
                request._replace(
                    columns=tuple(replace(c, name=f"trec9:{c.name}") for c in request.columns),
                    recall_rounding="upward",
                )
                for request in of_trec9.requests()
            )
        if program == "trec":
            if column_names := self._trec.add(name):
                return column_names
            raise self._unknown(name)
        load_all()
        if program not in PROGRAMS:
            every = ", ".join(["trec", "trec9", *PROGRAMS, "suite"])
            typed = quote(f"{program}:{name}")
            raise UsageError(f"{typed}: no program is called {program}; {every}")
        return self._take_meaning(meaning_in_program(program, name), reading_to_print)

    def _add_named(self, name: str, reading_to_print: Reading | None) -> ColumnNames:
        """Take in a measure with named options, or one of trec_eval's under a name of irev's."""
        load_all()
        meaning = meaning_without_program(name) or _meaning_in_plugins(name)
        if meaning is not None and has_other_ntcireval_meaning(name, meaning):
            return self._add_for_program("ntcir", name, None)
        if meaning is not None:
            return self._take_meaning(meaning, reading_to_print)
        of_trec = measure_of_trec_eval_alone(name)
        if of_trec is not None and of_trec.since <= self._version:
            alone = TrecRequests(self._version)
            alone.add(of_trec.name)
            (request,) = alone.requests()
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

    def _take_meaning(self, meaning: Meaning, reading_to_print: Reading | None) -> ColumnNames:
        meaning = reading_to_print.rename_as_typed(meaning) if reading_to_print else meaning
        return self._take(one_request_per_column(meaning, self._defaults))

    def _take(self, requests: Iterable[Request]) -> ColumnNames:
        """Take in what is not of trec_eval's table, and give its columns."""
        fresh = list(requests)
        self._others += fresh
        return [column.name for request in fresh for column in request.columns]

    def _only_reading_or_refuse_several(self, unknown_name: str) -> Reading | None:
        """The one thing that a name that means nothing as written may stand for; None: nothing."""
        load_all()
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
            irev_names = tuple(
                column.canonical
                or name_of_alias(request.measure.name, request.arguments, request.cutoff(index))
                or column.name
                for request in requests
                for index, column in enumerate(request.columns)
            )
            by_columns.setdefault(irev_names, reading)
        if len(by_columns) > 1:
            several = " or ".join(reading.text for reading in by_columns.values())
            name_text = quote(unknown_name)
            raise UsageError(f"{name_text} could be {several}, which differ: write one of them")
        return next(iter(by_columns.values()), None)

    def _error_if_name_of_other_program(self, name: str) -> UsageError | None:
        """What to say of a name that only other programs have."""
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
        return unknown_name_error(name, self._version, may_be_irev_name=may_be_irev_name)


def _meaning_in_plugins(name: str) -> Meaning | None:
    """What a name means once the measures of installed packages are known too."""
    from irev.measures.plugins import load_installed_plugins

    if measure_of_trec_eval_alone(name):
        return None
    if "@" in name and name.partition("@")[0] in TREC_MEASURES:
        return None
    return meaning_without_program(name) if load_installed_plugins() else None


# --- From what a name means to requests ---


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
            if option is None or name in named:
                continue
            # a value of the wrong kind is meant for other measures
            if isinstance(literal, str):
                fits = option.kind != "choice" or literal in option.choices
            else:
                fits = option.kind == "gain" or name not in FLAGS
            other, value = option.implies or ("", None)
            if fits and named.get(other, value) == value:
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
            printed,
            measure.name,
            measure.kind,
            measure.average,
            measure.per_topic,
            canonical_name(measure, arguments, cutoff),
        )
        yield Request(
            measure,
            replace(arguments, cutoffs=(cutoff,)),
            (column,),
            always_shown=tuple(added),
            full_gain_maps=program is not None and program.full_gain_maps,
        )


def merge_adjacent_requests(requests: Iterable[Request]) -> Iterator[Request]:
    """The requests in order; neighbours that differ in their cutoffs alone become one.

    A column that is asked for again is left out. Those of trec_eval's measures stay as they are.
    """
    names: set[str] = set()
    fresh = []
    for request in requests:
        if request.measure.is_trec_evals_alone or request.columns[0].name not in names:
            fresh.append(request)
            names.update(
                column.name for column in request.columns if not request.measure.is_trec_evals_alone
            )
    for is_mergeable, group in groupby(fresh, _merge_key):
        neighbours = list(group)
        if not is_mergeable:
            yield from neighbours
            continue
        of_columns = [request.arguments.cutoffs[0] for request in neighbours]
        cutoffs = tuple(dict.fromkeys(of_columns))
        yield neighbours[0]._replace(
            arguments=replace(neighbours[0].arguments, cutoffs=cutoffs),
            columns=tuple(request.columns[0] for request in neighbours),
            picks=() if len(cutoffs) == len(of_columns) else tuple(map(cutoffs.index, of_columns)),
        )


def _merge_key(request: Request) -> tuple[Any, ...]:
    """What requests have in common that one computation serves; empty: it stays by itself."""
    if request.measure.is_trec_evals_alone:
        return ()
    arguments = replace(request.arguments, cutoffs=())
    return request.measure.name, request.always_shown, request.full_gain_maps, arguments


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
            from difflib import get_close_matches

            names = [*options, *GENERIC_OPTIONS]
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}"
            raise UsageError(f"measure {measure.name} has no option {quote(name)}; {hint}")
        if name == "rel" and isinstance(literal, str):
            literal = LEVELS.get(literal, literal)
        prefix = f"{measure.name}({name}=...)"
        if name in defaults:
            prefix = f"{_flag(name)}, for {measure.name}"
        try:
            values[name] = option_value(prefix, option, literal)
        except UsageError as error:
            raise OptionValueError(*error.args) from None
    for name in list(values):  # set what a named option brings along
        other, value = (options[name].implies if name in options else None) or ("", None)
        if other and values.setdefault(other, value) != value:
            raise UsageError(
                f"{measure.name}: {name} means {other}={value}, so {other}={values[other]} "
                f"contradicts it"
            )
    return Arguments(
        _cutoff_values(measure, cutoffs),
        tuple((name, values.get(name, option.default)) for name, option in options.items()),
        None if "rel" in options else values.get("rel"),
        False if "condensed" in options else values.get("condensed", False),
    )


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
        low = f"{'above' if option.above_low else 'at least'} {value_text(option.low)}"
        high = f"{'below' if option.below_high else 'at most'} {value_text(option.high)}"
        allowed = high if math.isinf(option.low) else f"{low} and {high}"
        if math.isinf(option.high):
            allowed = f"{low} and finite" if option.below_high else low
        allowed += "".join(f", or {word}" for word in option.words)
        raise UsageError(
            f"{prefix}: {id_text(text.encode())} is out of range: it must be {allowed}"
        )
    return number


def _gain_value(prefix: str, option: Option, literal: Literal) -> GainValue:
    if isinstance(literal, Ratio) and option.kind == "gain":
        # its last part is the gain of grade 1
        falling = [_read_gain(prefix, option, part) for part in literal.parts]
        if any(lower > higher for higher, lower in pairwise(falling)):
            turned = ":".join(reversed(literal.parts))
            raise UsageError(
                f"{prefix}: the ratio {literal} increases, but it runs from the highest grade "
                f"down (NTCIREVAL writes it from the lowest up); did you mean {turned}?"
            )
        return tuple(enumerate(reversed(falling), 1))
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
        typed = id_text(text.encode())
        raise UsageError(f"{prefix}: {typed} is out of range, {low:g} to {high:g}")
    return gain


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
    cutoffs: list[int | float] = []
    for text in texts:
        if rule == "recall":
            level = parse_c_number(text)
            if level is None or not 0 <= level <= 1:
                raise UsageError(
                    f"measure {name} takes levels of recall from 0 to 1, not {quote(text)}"
                )
            cutoffs.append(level)
            continue
        rank = parse_whole(text)
        if rank is None:
            raise UsageError(
                f"measure {name}: {quote(text)} is not a whole number; write {name}@10"
            )
        if not 1 <= rank <= LARGEST_NUMBER:
            limit = "at least 1" if rank < 1 else f"at most {LARGEST_NUMBER}"
            raise UsageError(f"measure {name}: a cutoff is a rank, {limit}, not {rank}")
        cutoffs.append(rank)
    if len(set(cutoffs)) < len(cutoffs):
        twice = next(c for i, c in enumerate(cutoffs) if c in cutoffs[:i])
        raise UsageError(f"measure {name}: the cutoff {value_text(twice)} is given twice")
    return tuple(cutoffs)


# --- Columns of results: which one a name stands for, and what the measure of one is ---
# Results and saved scores know a column by its printed name, and by irev's own where it has one.


def matching_columns(
    name: str, columns: Sequence[Column], options: VersionAndDefaults = PLAIN_NAMING
) -> tuple[Column, ...]:
    """The columns of a result that a name stands for, whatever spelling either was asked for by.

    A printed name stands for its own column. Any other is resolved under the options of the
    evaluation; what it leaves to the judgments, such as the highest grade, is as the result has it.

    Args:
        name: a measure's, with one cutoff or several, a set's or a suite's.
        columns: those of the result.
        options: those of the evaluation.

    Returns:
        The columns in the order of the name's own; none where the result has none of them.
    """
    for column in columns:
        if name in (column.name, column.canonical):
            return (column,)
    same = (
        _same_column(request, index, columns)
        for request in resolve_names([name], options, allow_unused_defaults=True)
        for index in range(len(request.columns))
    )
    return tuple(dict.fromkeys(column for column in same if column is not None))


def column_positions(sought: Sequence[Column], columns: Sequence[Column]) -> list[int | None]:
    """Where each sought column is among others, under its name or another of the measure."""
    by_name = {column.name: index for index, column in reversed(list(enumerate(columns)))}
    positions = [by_name.get(column.name) for column in sought]
    if None in positions:
        by_irev_name = {irev_name(c): index for index, c in reversed(list(enumerate(columns)))}
        for number, column in enumerate(sought):
            if positions[number] is None:
                positions[number] = by_irev_name.get(irev_name(column))
    return positions


def irev_name(column: Column) -> str:
    """Irev's own name for a column, also where trec_eval has one of its own: `nDCG@10`."""
    return column.canonical or _irev_name_of_trec(column.name) or column.name


def _irev_name_of_trec(printed_name: str) -> str | None:
    """Irev's own name for a column of trec_eval's, where both are the same number."""
    head = printed_name
    while head not in TREC_MEASURES:
        head, _, end = head.rpartition("_")
        if not end:
            return None
    try:
        (request,) = resolve_names([printed_name])
        (_,) = request.columns
    except (UsageError, ValueError):
        return None
    return name_of_alias(head, request.arguments, request.arguments.cutoffs[0])


def _same_column(request: Request, index: int, columns: Sequence[Column]) -> Column | None:
    """The one of the columns that is a request's column with that index."""
    (position,) = column_positions([request.columns[index]], columns)
    if position is not None:
        return columns[position]
    for column in columns:
        scale = _highest_grade_option(column) if column.measure == request.measure.name else None
        if scale is not None:
            closed = request.close_scales(scale).columns[index]
            if column_positions([closed], [column]) == [0]:
                return column
    return None


def _highest_grade_option(column: Column) -> float | None:
    """The highest grade that a column's measure was given, where it wants one."""
    try:
        (request,) = resolve_names([irev_name(column)])
    except (UsageError, ValueError):
        # a column of saved scores may be called anything
        return None
    kinds = {name: option.kind for name, option in request.measure.options.items()}
    scales = [v for name, v in request.arguments.options if kinds.get(name) == "scale"]
    return scales[0] if scales and isinstance(scales[0], float) else None


def column_with_bounds(column: Column, ranges: Sequence[MeasureRange]) -> Column:
    """The column with its range, where one was given; that of no name is of unknown measures."""
    for each in ranges:
        if each.measure == column.name or (not each.measure and _record_of(column) is None):
            column = replace(column, bounds=(each.low, each.high))
    return column


def bounds_of(column: Column) -> tuple[float, float]:
    """The least and the greatest value of a measure; infinite for what irev does not know."""
    if column.bounds is not None:
        return column.bounds
    measure = _record_of(column)
    return (-math.inf, math.inf) if measure is None else measure.bounds


def lower_is_better(column: Column) -> bool:
    """Whether lower values of a measure are better; False for what irev does not know."""
    measure = _record_of(column)
    return measure is not None and measure.higher_is_better is False


def about_column(column: Column) -> str:
    """What a measure is, in one line; empty for what irev does not know."""
    measure = _record_of(column)
    return "" if measure is None else measure.title


def mean_bounds_or_infinite(
    column: Column, observed_scores: Floats, *, are_estimates: bool = False
) -> tuple[float, float]:
    """The range of a mean of scores; infinite where it is not known, or one lies outside.

    Saved scores may be called anything. Estimates of single topics may lie outside the range that
    their mean is in.
    """
    low, high = bounds_of(column)
    if are_estimates and column.average == "mean":
        return low, high
    is_inside = (low <= observed_scores) & (observed_scores <= high)
    if column.average == "mean" and observed_scores.size and is_inside.all():
        return low, high
    return -math.inf, math.inf


def takes_gains(column: Column) -> bool:
    """Whether a measure takes gains from grades, so that the scale of these counts."""
    measure = _record_of(column)
    return measure is not None and any("gain" in shown for shown in measure.shows)


def _record_of(column: Column) -> Measure | None:
    load_all()
    return TREC_MEASURES.get(column.measure) or MEASURES.get(column.measure)
