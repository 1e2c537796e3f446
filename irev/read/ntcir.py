"""NTCIR's judgments: levels such as L2 for grades, and classes of equivalent documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from irev.core.numbers import whole
from irev.read.layout import Layout

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.ids import Ids

KIND = "NTCIR qrels"

_LEVEL = re.compile(rb"L[0-9]+")


def level_grade(text: bytes) -> float | None:
    """The grade that a level is: `L2` is 2."""
    number = whole(text[1:]) if _LEVEL.fullmatch(text) else None
    try:
        return None if number is None else float(number)
    except OverflowError:
        return None


def levels(texts: Ids) -> Floats:
    """float64[N]: the grades of levels; NaN where a text is none."""
    code, distinct = texts.codes()
    values = [level_grade(text) for text in distinct]
    return np.array([np.nan if value is None else value for value in values], np.float64)[code]


LEVELS = Layout(
    kind=KIND,
    fields=("topic", "document", "grade"),
    ids=("document",),
    number="grade",
    parse=levels,
    wanted="a level such as L2",
)
CLASSES = Layout(
    kind=KIND,
    fields=("topic", "document", "grade", "class"),
    ids=("document", "class"),
    number="grade",
    parse=levels,
    wanted="a level such as L2",
)


def levels_or_classes(head: bytes) -> Layout:
    """The layout of a text that begins so: with a fourth field, the equivalence class, or not."""
    return CLASSES if len(first_fields(head)) == len(CLASSES.fields) else LEVELS


def is_levels(head: bytes) -> bool:
    """Whether a text that begins so can be nothing but topic, document and level."""
    fields = first_fields(head)
    return len(fields) == len(LEVELS.fields) and level_grade(fields[-1]) is not None


def first_fields(head: bytes) -> list[bytes]:
    """The fields of the first line of data in the first bytes of a text."""
    for line in head.split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            return fields
    return []
