"""Several measures in one piece: `map,P@5`, `map ndcg@10`; lists; objects that are measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irev.errors import UsageError, shown_value

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
    from irev.measures.registry import TREC_MEASURES

    with_digits = tuple(name for name in TREC_MEASURES if name[0].isdigit())
    if not text[position : position + 1].isalpha() and not text.startswith(with_digits, position):
        return False
    comma = re.search(_WITH_COMMA, text[last_start : position + 3])
    is_second_half = comma is not None and last_start + comma.start(1) == position
    return not re.match(_PARAMETER, text[position:]) and not is_second_half
