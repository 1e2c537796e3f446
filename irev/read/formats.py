"""The text formats that are read, each as a layout of its lines."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.arrays import Floats, from_arrow
from irev.numbers import real, whole
from irev.read.columns import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.ids import Ids

_WHOLE_WITH_POINT = re.compile(rb"[+-]?[0-9]+\.0*")


def whole_grade(text: bytes) -> float | None:
    """A grade: a whole number; `1.0` is 1."""
    if _WHOLE_WITH_POINT.fullmatch(text):
        text = text[: text.index(b".")]
    number = whole(text)
    try:
        return None if number is None else float(number)
    except OverflowError:
        return None


def real_grade(text: bytes) -> float | None:
    """A grade that may be a fraction; an infinite one has no ratio to others."""
    number = real(text)
    return None if number is None or math.isinf(number) else number


def grades(texts: Ids, parse: Callable[[bytes], float | None]) -> Floats:
    """float64[N]: grades, of which there are few distinct ones; NaN where a text is none."""
    if (texts.length == 1).all():
        digits = texts.data[texts.start] - np.uint8(ord("0"))
        if (digits <= 9).all():
            return digits.astype(np.float64)
    code, distinct = texts.codes()
    values = [parse(text) for text in distinct]
    return np.array([np.nan if value is None else value for value in values], np.float64)[code]


def reals(texts: Ids) -> Floats:
    """float64[N]: real numbers in C's notation; NaN where a text is none."""
    import pyarrow as pa

    try:
        return from_arrow(texts.as_arrow().cast(pa.string()).cast(pa.float64()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = [real(text) for text in texts.to_list()]
        return np.array([np.nan if value is None else value for value in values], np.float64)


_PREFERENCE_FIELDS = ("topic", "group", "subgroup", "document", "level")

RUN = Layout(
    kind="run",
    fields=("topic", "Q0", "document", "rank", "score", "tag"),
    ids=("document",),
    number="score",
    parse=reals,
    wanted="a number",
    more_allowed=True,
    is_real=True,
)
QRELS = Layout(
    kind="qrels",
    fields=("topic", "iteration", "document", "grade"),
    ids=("document",),
    number="grade",
    parse=partial(grades, parse=whole_grade),
    wanted="a whole number",
)
JUDGMENT_GROUPS = Layout(
    kind="qrels_jg file",
    fields=("topic", "group", "document", "grade"),
    ids=("document", "group"),
    number="grade",
    parse=partial(grades, parse=whole_grade),
    wanted="a whole number",
)
PREFERENCES = Layout(
    kind="preference file",
    fields=_PREFERENCE_FIELDS,
    ids=("document", "group", "subgroup"),
    number="level",
    parse=partial(grades, parse=real),
    wanted="a number",
)
GRADED_PREFERENCES = Layout(
    kind="preference file",
    fields=("topic", "group", "document", "level"),
    ids=("document", "group"),
    number="level",
    parse=partial(grades, parse=real),
    wanted="a number",
)

JUDGMENTS = {
    "qrels": QRELS,
    "qrels_jg": JUDGMENT_GROUPS,
    "prefs": PREFERENCES,
    "qrels_prefs": GRADED_PREFERENCES,
}
"""The formats of judgments, by the name that -R gives them."""


def with_real_grades(layout: Layout) -> Layout:
    """The layout, its grades real numbers instead of whole ones."""
    from dataclasses import replace

    return replace(layout, parse=partial(grades, parse=real_grade), wanted="a finite number")
