"""The text formats that are read, each as a layout of its lines."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, from_arrow
from irev.core.numbers import real, whole
from irev.errors import UsageError
from irev.read import five_fields
from irev.read.layout import Layout
from irev.read.ntcir import LEVELS, first_fields, is_levels, levels_or_classes
from irev.read.sniff import MSMARCO_RUN

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.ids import Ids
    from irev.read.layout import Chosen, Numbers

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


def falling(texts: Ids) -> Floats:
    """float64[N]: ranks as scores, the lower the better; NaN where a text is no whole number."""
    return 0.0 - grades(texts, whole)


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
RANKS = Layout(
    kind=MSMARCO_RUN,
    fields=("topic", "document", "rank"),
    ids=("document",),
    number="rank",
    parse=falling,
    wanted="a whole number",
)
RANKS_AND_SCORES = Layout(
    kind=MSMARCO_RUN,
    fields=("topic", "document", "rank", "score"),
    ids=("document",),
    number="score",
    parse=reals,
    wanted="a number",
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
TRIPLES = Layout(
    kind="qrels of three fields",
    fields=("topic", "document", "grade"),
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

SUBTOPICS = Layout(
    kind="subtopic qrels",
    fields=("topic", "subtopic", "document", "grade"),
    ids=("document", "subtopic"),
    number="grade",
    parse=partial(grades, parse=whole_grade),
    wanted="a whole number",
)
STRATA = Layout(
    kind="file of judgments by strata",
    fields=("topic", "iteration", "document", "stratum", "grade"),
    ids=("document", "stratum"),
    number="grade",
    parse=partial(grades, parse=whole_grade),
    wanted="a whole number",
)
PRELS = Layout(
    kind="prels file",
    fields=("topic", "document", "grade", "method", "probability"),
    ids=("document", "method", "probability"),
    number="grade",
    parse=partial(grades, parse=whole_grade),
    wanted="a whole number",
)

JUDGMENTS = {
    "qrels": QRELS,
    "triples": TRIPLES,
    "qrels_jg": JUDGMENT_GROUPS,
    "prefs": PREFERENCES,
    "qrels_prefs": GRADED_PREFERENCES,
    "subtopics": SUBTOPICS,
    "ntcir": LEVELS,
    "strata": STRATA,
    "prels": PRELS,
}
"""The formats of judgments, by the name that -R gives them."""

RUNS = ("trec_results", "msmarco")
"""The formats of runs, by the names that -T gives them."""


def run_layout(
    format: str = "trec_results", *, by_rank: bool = False, decimal_comma: bool = False
) -> Chosen:
    """How the lines of a run are read.

    Args:
        format: one of `RUNS`. MS MARCO's lines have a rank, which decides, or a score behind it,
            which then decides: the layout is chosen by how the file begins.
        by_rank: whether the number is the rank column, as it stands, whatever else there is.
        decimal_comma: whether numbers may have a decimal comma.
    """

    def varied(layout: Layout) -> Layout:
        layout = with_ranks(layout) if by_rank else layout
        return with_decimal_comma(layout) if decimal_comma else layout

    if format == "msmarco":
        return lambda head: varied(_msmarco(head))
    return varied(RUN)


def _msmarco(head: bytes) -> Layout:
    """The layout of MS MARCO's lines; what has no lines, a table, names its columns."""
    if not head:
        return RUN
    has_scores = len(first_fields(head)) == len(RANKS_AND_SCORES.fields)
    return RANKS_AND_SCORES if has_scores else RANKS


def judgments_layout(
    format: str, head: bytes, *, real_grades: bool = False, decimal_comma: bool = False
) -> Layout:
    """How the lines of a file of judgments are read that begins so.

    A file of NTCIR's three columns, topic, document and level, can be nothing else: it is read as
    that where plain qrels are expected.

    Raises:
        InputError: it is one of the other formats of five fields; the path is still to be named.
    """
    if format == "ntcir":
        return levels_or_classes(head)
    five_fields.check(format, head)
    if format == "qrels" and is_levels(head):
        return LEVELS
    layout = JUDGMENTS[format]
    if real_grades and layout.number == "grade":
        layout = with_real_grades(layout)
    return with_decimal_comma(layout) if decimal_comma else layout


def with_real_grades(layout: Layout) -> Layout:
    """The layout, its grades real numbers instead of whole ones."""
    return replace(layout, parse=partial(grades, parse=real_grade), wanted="a finite number")


def with_ranks(layout: Layout) -> Layout:
    """The layout, its number the rank column instead of the score, which is not read."""
    return replace(layout, number="rank", parse=reals, wanted="a number", is_real=True)


def with_decimal_comma(layout: Layout) -> Layout:
    """The layout, its numbers with a decimal comma or a decimal point."""
    parse = partial(_with_points, parse=RUN.parse if layout.is_real else layout.parse)
    return replace(layout, parse=parse, is_real=False)


def _with_points(texts: Ids, parse: Numbers) -> Floats:
    own = texts.compact()
    own.data[own.data == ord(",")] = ord(".")
    return parse(own)


GradeMap = tuple[tuple[float, float], ...]
"""Grades to be rewritten on reading, each with what it becomes."""


def grade_map(text: str) -> GradeMap:
    """The map that a text such as `-2=0,5=3` stands for.

    Raises:
        UsageError: the text is no such map.
    """
    found: dict[float, float] = {}
    for part in text.split(","):
        old, equals, new = part.partition("=")
        grade, becomes = real_grade(old.encode()), real_grade(new.encode())
        if not equals or grade is None or becomes is None:
            raise UsageError(f"'{part}' is not a pair of grades such as -2=0")
        if grade in found:
            raise UsageError(f"grade {old} is mapped twice")
        found[grade] = becomes
    return tuple(found.items())


def mapped(grade: Floats, pairs: GradeMap) -> Floats:
    """The grades, rewritten all at once: what a grade becomes is not mapped again."""
    result = grade.copy()
    for old, new in pairs:
        result[grade == old] = new
    return result
