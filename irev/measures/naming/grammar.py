"""How a measure with named options is written: `Name(option=value, ...)@cutoff,cutoff`.

    measure  = NAME [ "(" [ option { "," option } ] ")" ] [ "@" ATOM { "," ATOM } ]
    option   = ATOM "=" value
    value    = ATOM | quoted | ATOM ":" ATOM { ":" ATOM } | "{" [ pair { "," pair } ] "}"
    pair     = ATOM ":" ATOM

An atom is a number or a bare word; blanks may stand anywhere between the parentheses. What an atom
means is for the measure's record to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from irev.core.record import record
from irev.errors import UsageError, quote, shown_value
from irev.measures.registry import TREC_MEASURES


@record(eq=True)
class WrittenMap:
    """A map as written: `{1:1,2:5}`."""

    items: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in self.items) + "}"


@record(eq=True)
class Ratio:
    """A ratio as written: `10:5:1`."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ":".join(self.parts)


Literal: TypeAlias = str | WrittenMap | Ratio
"""A value as written: a number, a word, a map or a ratio."""


class WrittenName(NamedTuple):
    """A name taken apart."""

    name: str
    options: tuple[tuple[str, Literal], ...] = ()
    cutoffs: tuple[str, ...] = ()
    head: str = ""
    """What stands before the cutoffs, without blanks."""


_TOKEN = re.compile(r"""\s+|'[^']*'|"[^"]*"|[^\s(){}=:,@'"]+|.""", re.DOTALL)
_SPECIAL = frozenset("(){}=:,@'\"")


class _Token(NamedTuple):
    text: str
    place: int

    @property
    def is_blank(self) -> bool:
        return self.text.isspace()

    @property
    def is_quoted(self) -> bool:
        return len(self.text) > 1 and self.text[0] in "'\""

    @property
    def is_atom(self) -> bool:
        return bool(self.text) and self.text[0] not in _SPECIAL and not self.is_blank


def parse_name(text: str) -> WrittenName:
    """Take a name with named options apart."""
    return _Reader(text).measure()


def parse_value(text: str) -> Literal:
    """Take a value apart that stands by itself; a map may also be written `1=1,2=5`."""
    return _Reader(text).lone_value()


class _Reader:
    """Reads a text token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [_Token(m.group(), m.start()) for m in _TOKEN.finditer(text)]
        self.tokens.append(_Token("", len(text)))
        self.at = 0
        self.inside = False

    @property
    def next(self) -> _Token:
        while self.inside and self.tokens[self.at].is_blank:
            self.at += 1
        return self.tokens[self.at]

    def measure(self) -> WrittenName:
        name = self.atom("a measure's name")
        options = self.options() if self.next.text == "(" else ()
        head = "".join(token.text for token in self.tokens[: self.at] if not token.is_blank)
        cutoffs: list[str] = []
        while self.take("," if cutoffs else "@"):
            cutoffs.append(self.atom("a cutoff"))
        self.end("," if cutoffs else "@")
        return WrittenName(name, options, tuple(cutoffs), head)

    def lone_value(self) -> Literal:
        if self.text[:1] != "{" and "=" in self.text:
            items = [self.pair("=")]
            while self.take(","):
                items.append(self.pair("="))
            self.end(",")
            return WrittenMap(tuple(items))
        value = self.value()
        self.end("")
        return value

    def options(self) -> tuple[tuple[str, Literal], ...]:
        self.inside = self.take("(")
        options: dict[str, Literal] = {}
        while self.next.text != ")":
            token = self.next
            name = self.atom("an option's name or ')'")
            if name in options:
                place = _place_text(token)
                raise UsageError(f"{quote(self.text)}: at {place} {name} is given twice")
            self.need("=", f"'=' and a value for {name}")
            options[name] = self.value()
            if self.next.text != ")":
                self.need(",", "',' or ')'")
                if self.next.text == ")":
                    raise self.expectation_error("an option after the comma")
        self.inside = False
        self.at += 1
        return tuple(options.items())

    def value(self) -> Literal:
        token = self.next
        if token.text == "{":
            return self.map()
        if token.is_quoted:
            self.at += 1
            return token.text[1:-1]
        parts = [self.atom("a value")]
        while self.take(":"):
            parts.append(self.atom("a number after ':'"))
        return parts[0] if len(parts) == 1 else Ratio(tuple(parts))

    def map(self) -> WrittenMap:
        self.need("{", "'{'")
        items: list[tuple[str, str]] = []
        while self.next.text != "}":
            items.append(self.pair(":"))
            if not self.take(","):
                break
        self.need("}", "',' or '}'")
        return WrittenMap(tuple(items))

    def pair(self, separator: str) -> tuple[str, str]:
        left = self.atom("a grade")
        self.need(separator, f"'{separator}' and a gain")
        return left, self.atom("a gain")

    def atom(self, noun: str) -> str:
        token = self.next
        if not token.is_atom:
            raise self.expectation_error(noun)
        self.at += 1
        return token.text

    def take(self, text: str) -> bool:
        is_next = self.next.text == text
        self.at += is_next
        return is_next

    def need(self, text: str, noun: str) -> None:
        if not self.take(text):
            raise self.expectation_error(noun)

    def end(self, further: str) -> None:
        if self.next.text:
            raise self.expectation_error(f"'{further}' or the end" if further else "the end")

    def expectation_error(self, noun: str) -> UsageError:
        actual = f", not {quote(self.next.text)}" if self.next.text else ""
        return UsageError(
            f"{quote(self.text)}: expected {noun} at {_place_text(self.next)}{actual}"
        )


def _place_text(token: _Token) -> str:
    return f"character {token.place + 1}" if token.text else "the end"


# --- Several measures in one piece ---


_PART = r"""(?P<quoted>'[^']*'|"[^"]*")|[({]|[)}]|[, \t]+"""
_PARAMETER = r"\w+=|(?i:inf|infinity|nan)(?!\w)"
"""What stands before a parameter's value, as in `rbp.1=2,p=0.5`, or a number in letters."""
_WITH_COMMA = r"(?:^|[:, \t])NCU(?:gu|rb),(P|BR|IE)(?![\w.])"
"""Names that NTCIREVAL writes with a comma."""

SUITE_PREFIX = "suite:"
"""What stands before a suite's name where measures are asked for."""

WANTED = "write 'map ndcg@10', ['map', 'ndcg@10'], or a measure's object"


def measure_names(measures: object) -> tuple[str, ...]:
    """The names of measures, one by one, however asked for (see `texts_before_splitting`)."""
    return tuple(name for text in texts_before_splitting(measures) for name in _split_names(text))


def texts_before_splitting(measures: object) -> tuple[str, ...]:
    """What measures are asked for by; each text may have several names.

    Args:
        measures: a text with one name or several, behind commas or blanks; an object whose text is
            a measure's name, such as one of ir_measures; or some of these together.
    """
    if isinstance(measures, str) or _is_measure(measures):
        return (str(measures),)
    if not isinstance(measures, Iterable) or isinstance(measures, bytes | Mapping):
        raise _wrong(measures)
    # the order of a set is another in each process
    ordered = sorted(measures, key=str) if isinstance(measures, set | frozenset) else measures
    texts = []
    for each in ordered:
        if not isinstance(each, str) and not _is_measure(each):
            raise _wrong(each)
        texts.append(str(each))
    return tuple(texts)


def _is_measure(value: Any) -> bool:
    """Whether an object may be a measure of another program: its class says how it is written."""
    kind: Any = type(value)
    if kind.__module__ == "builtins" or isinstance(value, type | Iterable):
        return False
    return kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__


def _wrong(value: object) -> UsageError:
    return UsageError(f"{shown_value(value)} ({type(value).__name__}) is not a measure: {WANTED}")


def _split_names(text: str) -> Iterator[str]:
    """The names in a text: they end at a comma or a blank before a letter, outside brackets."""
    if not any(between in text for between in ", \t"):
        yield text
        return
    start = depth = 0
    for match in re.finditer(_PART, text):
        part, end = match[0], match.end()
        if part in "({":
            depth += 1
        elif part in ")}":
            depth -= 1
        elif not depth and not match["quoted"] and _name_begins(text, start, end):
            if match.start() > start:
                yield text[start : match.start()]
            start = end
    yield text[start:].rstrip()


def _name_begins(text: str, last_start: int, position: int) -> bool:
    """Whether a name begins at a place, where the one before it began at `last_start`."""
    with_digits = tuple(name for name in TREC_MEASURES if name[0].isdigit())
    if not text[position : position + 1].isalpha() and not text.startswith(with_digits, position):
        return False
    comma = re.search(_WITH_COMMA, text[last_start : position + 3])
    is_second_half = comma is not None and last_start + comma.start(1) == position
    return not re.match(_PARAMETER, text[position:]) and not is_second_half
