"""Options, each declared once: a field of a record says all that there is to know of an option.

The field's name is the keyword in Python and the key in irev.toml; its annotation has the type, the
choices, and (`Opt`) the spellings, the help and the range; its default is the default:

    class Plan(Choices):
        alpha: Annotated[float, Opt("--alpha", metavar="A", help="The level of tests.")] = 0.05

What computes takes `Choices`, all of which a signature can hold; what writes takes a `Delivery`.
The type checker keeps the two apart. A module that declares records evaluates its annotations: it
has no `from __future__ import annotations`. Nothing here knows the command line's library.
"""

import operator
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from irev.errors import UsageError

Effect = Literal["values", "means", "reading", "draws", "nothing"]
"""What an option can change: values; only means; which columns there are and which files are read,
but no value; values where something is drawn; nothing."""


class Opt:
    """What there is to say of an option beside its name, type and default.

    names     the spellings; without any the option stands in configuration files alone
    help      for the command line; the default is added where it does not speak of it
    metavar   how the help calls a value
    section   of the help
    place     in the help: options stand by rising place, and 0 is that of the one declared before
    least     of a number; `most` likewise
    inside    both ends of what a number lies between, not on
    choices   the words that a text can be, or what gives them
    noun      what messages about a wrong choice call it
    words     what words of the command line stand for, where the values are no text
    read      makes a value of a text; a ValueError is the user's mistake
    value     of a field that this flag sets to it, beside the option that can set it to anything
    part      the option gives a field of pairs the one that begins with this word
    file      whether a value is the path of a file that is read ("always"), or may be one
              ("maybe"); or of one that is written ("written")
    effect    what the option can change
    always    where a signature names the option first, whatever its value; 0: where it is not at
              its default
    short     what the short form of a signature calls it
    content   a signature has the content in place of the value
    table     a configuration file has a table of numbers for texts such as NAME=X
    complete  gives (value, help) that a text may be the beginning of
    acts      it executes, writes, or trusts what a submission brings: no configuration file sets it
              that the user did not name
    daily     whether the short help has the option, by the first sentence of its help; None: where
              it is an option of few commands
    """

    __slots__ = (
        "acts", "always", "choices", "complete", "content", "daily", "effect", "file", "help",
        "inside", "least", "metavar", "most", "names", "noun", "part", "place", "read", "section",
        "short", "table", "value", "words",
    )  # fmt: skip

    def __init__(
        self,
        *names: str,
        help: str = "",
        metavar: str = "",
        section: str = "Options",
        place: int = 0,
        least: int | None = None,
        most: int | None = None,
        inside: tuple[float, float] | None = None,
        choices: Collection[str] | Callable[[], Collection[str]] = (),
        noun: str = "",
        words: Mapping[str, Any] | None = None,
        read: Callable[[str], Any] | None = None,
        value: Any = None,
        part: str = "",
        file: Literal["", "always", "maybe", "written"] = "",
        effect: Effect = "values",
        always: int = 0,
        short: str = "",
        content: bool = False,
        table: bool = False,
        complete: Callable[[], Iterator[tuple[str, str]]] | None = None,
        acts: bool = False,
        daily: bool | None = None,
    ) -> None:
        self.names, self.help, self.metavar, self.section = names, help, metavar, section
        self.place, self.least, self.most, self.inside = place, least, most, inside
        self.choices, self.noun, self.words = choices, noun, words
        self.read, self.value, self.part, self.file = read, value, part, file
        self.effect, self.always, self.short, self.content = effect, always, short, content
        self.table, self.complete, self.acts = table, complete, acts or file == "written"
        self.daily = daily

    def but(self, **other: Any) -> "Opt":
        """The same, but for what is said here."""
        said = {name: getattr(self, name) for name in self.__slots__} | other
        return Opt(*said.pop("names"), **said)

    @property
    def long(self) -> str:
        """The last long spelling, without dashes."""
        return next((n[2:] for n in reversed(self.names) if n.startswith("--")), "")


_KINDS: Mapping[Any, tuple[str, Callable[[Any], Any]]] = {
    bool: ("true or false", lambda value: value),
    int: ("a whole number", operator.index),
    float: ("a number", float),
    str: ("text", lambda value: value),
}
"""Type -> (how messages call it, what makes it of what is like it)."""


class Field:
    """An option as a record has it.

    options  what is said of it, by what the command line calls each option: as the field, if the
             option gives all of it, else by its long spelling
    opt      the option that can be anything; the first, where all give a part
    type     what the record says of its values, for those who read
    kind     bool, int, float or str where it can be nothing else beside them, and None
    many     whether it is a sequence of such values
    """

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        kind, *opts = get_args(annotation)
        self.name, self.default = name, default
        self.opt: Opt = next((o for o in opts if o.value is None and not o.part), opts[0])
        self.options: Mapping[str, Opt] = {
            name if opt is self.opt and not opt.part else opt.long.replace("-", "_"): opt
            for opt in opts
        }
        self.type = getattr(kind, "__forward_arg__", kind)
        self.many = get_origin(kind) is Sequence
        kind = get_args(kind)[0] if self.many else kind
        kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        self._words = tuple(w for k in kinds if get_origin(k) is Literal for w in get_args(k))
        self.may_be_none = NoneType in kinds or default is None
        others = [k for k in kinds if get_origin(k) is not Literal and k is not NoneType]
        self.kind: type | None = others[0] if len(others) == 1 and others[0] in _KINDS else None
        self.is_open = bool(others) and self.kind is None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it can be."""
        more = self.opt.choices
        return (*self._words, *(more() if callable(more) else more))

    def given(self, said: Mapping[str, Any]) -> Any:
        """The value of a field of several options, given what the command line calls these."""
        if self.opt.part:
            parts = [(opt.part, said.get(called)) for called, opt in self.options.items()]
            return tuple((part, value) for part, value in parts if value is not None)
        value = said.get(self.name)
        for called, opt in self.options.items():
            if opt is not self.opt and said.get(called):
                if value not in (None, opt.value):
                    raise UsageError(
                        f"{opt.names[0]} means {self.opt.names[-1]} {opt.value}: it contradicts "
                        f"{self.opt.names[-1]} {value}"
                    )
                value = opt.value
        return self.default if value is None else value

    def checked(self, value: Any) -> Any:
        """A value as the record holds it."""
        if value is None and self.may_be_none:
            return None
        if not self.many:
            return self._one(value)
        if isinstance(value, str) and self.kind is str:
            value = [value]
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise UsageError(f"{self.name} must be a list, not {value!r}")
        return tuple(self._one(each) for each in value)

    def _one(self, value: Any) -> Any:
        words = self.choices
        if words and (isinstance(value, str) or not (self.kind or self.is_open)):
            if value in words:
                return value
            wrong = f"{self.name} cannot be"
            if self.opt.noun:
                wrong = f"there is no {self.opt.noun}"
            raise UsageError(f"{wrong} {value!r}: {', '.join(words)}")
        if self.kind is None:
            return value
        wanted, made = _KINDS[self.kind]
        is_like = isinstance(value, str) == (self.kind is str)
        if not is_like or isinstance(value, bool) != (self.kind is bool):
            raise UsageError(f"{self.name} must be {wanted}, not {value!r}")
        try:
            found = made(value)
        except (TypeError, ValueError):
            raise UsageError(f"{self.name} must be {wanted}, not {value!r}") from None
        least, most = self.opt.least, self.opt.most
        if least is not None and found < least:
            raise UsageError(f"{self.name} must be at least {least}, not {found}")
        if most is not None and found > most:
            raise UsageError(f"{self.name} must be at most {most}, not {found}")
        if self.opt.inside and not self.opt.inside[0] < found < self.opt.inside[1]:
            low, high = self.opt.inside
            raise UsageError(f"{self.name} must be above {low:g} and below {high:g}, not {found:g}")
        return found


_HABITS = {
    **dict.fromkeys(("metric", "metrics", "measure", "measures"), "write measures='map ndcg@10'"),
    **dict.fromkeys(("k", "cutoff", "cutoffs"), "a cutoff is part of a measure: 'ndcg@10'"),
}
"""A keyword of other packages -> what to write."""


def near(word: str, known: Sequence[str]) -> str:
    """A hint at what was meant."""
    if word in _HABITS:
        return f"; {_HABITS[word]}"
    from difflib import get_close_matches

    found = get_close_matches(word, known, n=1)
    return f"; did you mean '{found[0]}'?" if found else ""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Options that belong together: typed, checked, frozen, equal by value."""

    @classmethod
    @cache
    def fields(cls) -> Mapping[str, Field]:
        """The options by name; made when first asked for."""
        said = {n: kind for each in reversed(cls.__mro__) for n, kind in _own(each).items()}
        return {name: Field(name, kind, getattr(cls, name)) for name, kind in said.items()}

    def __init__(self, **given: Any) -> None:
        """Keep the values of the fields; those that are not given are at their defaults."""
        fields = self.fields()
        for name in given.keys() - fields.keys():
            hint = self.meant(name) or near(name, tuple(fields))
            raise TypeError(f"{type(self).__name__} has no option '{name}'{hint}")
        for name, field in fields.items():
            value = given.get(name, field.default)
            vars(self)[name] = value if value is field.default else field.checked(value)
        self._check()

    def _check(self) -> None:
        """Refuse what makes no sense together."""

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Self:
        """The record, given what the command line calls the options; others are passed by."""
        fields = cls.fields()
        found = {name: said[name] for name in fields.keys() & said.keys() if said[name] is not None}
        joint = [field for name, field in fields.items() if [*field.options] != [name]]
        return cls(**found | {field.name: field.given(said) for field in joint})

    @classmethod
    def meant(cls, name: str) -> str:
        """A hint at the field that an option of the command line gives; none for other names."""
        for field in cls.fields().values():
            for called, opt in field.options.items():
                spelled = {called, *(each.lstrip("-").replace("-", "_") for each in opt.names)}
                if not any(each == name or each.startswith(f"{name}_") for each in spelled):
                    continue
                value = "..." if opt.value is None else repr(opt.value)
                return f"; write {field.name}={f'[({opt.part!r}, ...)]' if opt.part else value}"
        return ""

    def but(self, **other: Any) -> Self:
        """The same, but for what is said here."""
        return type(self)(**{**vars(self), **other})

    def paths(self) -> list[str]:
        """The files that are read, as far as options name them."""
        found = []
        for name, field in self.fields().items():
            value = getattr(self, name)
            for each in value if field.many else (value,):
                if field.opt.file in ("always", "maybe") and isinstance(each, str | os.PathLike):
                    path = os.fspath(each)
                    if field.opt.file == "always" or path == "-" or os.path.exists(path):
                        found.append(path)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        fields = self.fields()
        said = [f"{n}={v!r}" for n, v in vars(self).items() if v != fields[n].default]
        return f"{type(self).__name__}({', '.join(said)})"


class Choices(Record):
    """What can change a number; a signature can hold all of it."""

    def choices(self) -> dict[str, Any]:
        """All of it by name, as JSON has it."""
        fields = self.fields()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if fields[name].opt.effect != "nothing"
        }


class Delivery(Record):
    """What cannot: the form of what is written, and where it goes."""


def _own(cls: type) -> Mapping[str, Any]:
    """What a class itself annotates as options."""
    said = getattr(cls, "__annotations__", {}) if cls.__module__ != "builtins" else {}
    return {name: kind for name, kind in said.items() if get_origin(kind) is Annotated}
