"""The columns of files: the numbers in them, maps of grades, and what columns are called.

Numbers are read a column at a time: scores, ranks, grades, levels. NumPy is imported where it is
used: to name the formats and to tell them apart needs none.
"""

from __future__ import annotations

import io
import math
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from irev.core.packages import has_package
from irev.core.record import record
from irev.core.text import as_text, parse_c_number, parse_whole, pattern
from irev.errors import UsageError, shown_value

if TYPE_CHECKING:
    from irev.core.arrays import Floats, RowValues
    from irev.core.ids import Ids


def whole_grade(text: bytes) -> float | None:
    """A grade: a whole number; `1.0` is 1."""
    if pattern(rb"[+-]?[0-9]+\.0*").fullmatch(text):
        text = text[: text.index(b".")]
    return _double(parse_whole(text))


def real_grade(text: bytes) -> float | None:
    """A grade that may be a fraction; an infinite one has no ratio to others."""
    number = parse_c_number(text)
    return None if number is None or math.isinf(number) else number


def level_grade(text: bytes) -> float | None:
    """The grade that a level of NTCIR is: `L2` is 2."""
    return _double(parse_whole(text[1:])) if pattern(rb"L[0-9]+").fullmatch(text) else None


def _double(number: int | None) -> float | None:
    try:
        return None if number is None else float(number)
    except OverflowError:
        return None


def parse_grades(texts: Ids, parse: Callable[[bytes], float | None]) -> RowValues:
    """float64[N]: grades, of which there are few distinct ones; NaN where a text is none."""
    import numpy as np

    if (texts.length == 1).all() and parse(b"0") == 0:
        digits = texts.data[texts.start] - np.uint8(ord("0"))
        if (digits <= 9).all():
            return digits.astype(np.float64)
    code, distinct = texts.codes()
    return _nan_filled(map(parse, distinct))[code]


_WORTH_ARROW = 100_000
"""In the time that Arrow takes to be loaded, Python reads about so many numbers."""
_DECIMALS_WORTH_ARROW = 300_000
"""So many decimals NumPy reads before: a run that goes on has Arrow in the end, which is faster."""

_num_read = 0

_LONGEST_DECIMAL = 18
"""Bytes; the digits of a longer number are more than a double holds."""
_LARGEST_EXACT = 2.0**53
_POWERS_OF_TEN = [10.0**exponent for exponent in range(_LONGEST_DECIMAL)]


def parse_reals_or_nan(texts: Ids) -> RowValues:
    """float64[N]: real numbers in C's notation; NaN where a text is none."""
    global _num_read
    _num_read += len(texts)
    if "pyarrow" in sys.modules or (_num_read > _DECIMALS_WORTH_ARROW and has_package("pyarrow")):
        return _reals_by_arrow(texts)
    decimals = _parse_decimals(texts)
    if decimals is not None:
        return decimals
    is_worth_arrow = _num_read > _WORTH_ARROW and has_package("pyarrow")
    return _reals_by_arrow(texts) if is_worth_arrow else _reals_by_python(texts)


def _parse_decimals(texts: Ids) -> Floats | None:
    """float64[N]: numbers such as `-12.345`; None where one is written otherwise.

    The digits of a number are a whole number, to be divided by a power of ten. Both are exact, so
    the quotient is rounded once, to the nearest double (Clinger 1990).
    """
    import numpy as np

    from irev.core.arrays import largest_or_zero

    longest = largest_or_zero(texts.length)
    if not 0 < longest <= _LONGEST_DECIMAL:
        return None
    # a row for each byte, which lies in one piece: NumPy goes through it several times as fast
    bytes_by_place = np.empty((8 * texts.num_words, len(texts)), np.uint8)
    for number in range(texts.num_words):
        word = texts.word(number).view(np.uint8).reshape(-1, 8)
        bytes_by_place[8 * number : 8 * number + 8] = word.T
    first, *more = bytes_by_place[:longest]
    is_negative = first == ord("-")
    first[is_negative] = ord("0")
    magnitude = np.zeros(len(texts))
    num_digits, num_decimals = np.zeros((2, len(texts)), np.uint8)
    is_behind_point = np.zeros(len(texts), bool)
    for byte in (first, *more):
        digit = byte - np.uint8(ord("0"))
        is_digit = digit <= 9
        is_point = byte == ord(".")
        if not (is_digit | is_point | (byte == 0)).all() or (is_point & is_behind_point).any():
            return None
        magnitude *= is_digit * np.uint8(9) + np.uint8(1)
        magnitude += digit * is_digit
        num_digits += is_digit
        num_decimals += is_digit & is_behind_point
        is_behind_point |= is_point
    if not (num_digits > is_negative).all() or magnitude.max() >= _LARGEST_EXACT:
        return None
    if num_decimals.any():
        magnitude /= np.take(_POWERS_OF_TEN, num_decimals)
    return np.negative(magnitude, out=magnitude, where=is_negative)


def _reals_by_python(texts: Ids) -> RowValues:
    import numpy as np

    numbers = texts.to_list()
    # of these bytes Python reads numbers as C does, or refuses them
    if not b"".join(numbers).translate(None, b"0123456789.-eE"):
        with suppress(ValueError):
            return np.frombuffer(array("d", map(float, numbers)))
    return _nan_filled(map(parse_c_number, numbers))


def _reals_by_arrow(texts: Ids) -> RowValues:
    import numpy as np
    import pyarrow as pa

    # what pyarrow.compute hands on; to import that takes longer than half a million numbers
    from pyarrow._compute import CastOptions, call_function

    # the texts where they lie, and whatever is between them as nulls
    count, size = len(texts), len(texts.data)
    kind, width = (pa.string(), np.int32) if size < 1 << 31 else (pa.large_string(), np.int64)
    bounds = np.empty(2 * count + 1, width)
    bounds[:-1:2] = texts.start
    np.add(texts.start, texts.length, out=bounds[1::2], casting="unsafe")
    bounds[-1] = size
    is_text = np.full((2 * count + 7) // 8, 0b01010101, np.uint8)
    buffers = [pa.py_buffer(each) for each in (is_text, bounds, texts.data)]
    try:
        texts_array = pa.Array.from_buffers(kind, 2 * count, buffers)
        numbers_array = call_function("cast", [texts_array], CastOptions.safe(pa.float64()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _nan_filled(map(parse_c_number, texts.to_list()))
    values: Floats = np.frombuffer(numbers_array.buffers()[1], np.float64, 2 * count)[::2].copy()
    return values


def falling_ranks(texts: Ids) -> RowValues:
    """float64[N]: ranks as scores, the lower the better; NaN where a text is no whole number."""
    return 0.0 - parse_grades(texts, lambda text: _double(parse_whole(text)))


def _nan_filled(values: Iterable[float | None]) -> RowValues:
    import numpy as np

    return np.array([np.nan if value is None else value for value in values], np.float64)


def replace_commas(texts: Ids) -> Ids:
    """The texts, their commas points."""
    own = texts.compact()
    own.data[own.data == ord(",")] = ord(".")
    return own


GradeMap = tuple[tuple[float | str, float], ...]
"""Grades to be rewritten on reading, each with what it becomes. In place of a grade there may be
the text of a range, whose ends belong to it: `0.5..0.8`, `0.5..` (from 0.5 on) or `..0.2`."""


def parse_grade_map(text: str) -> GradeMap:
    """The map that a text such as `-2=0,5=3` or `0.5..=1` stands for."""
    new_grades: dict[float | str, float] = {}
    for part in text.split(","):
        old, _, new = part.rpartition("=")
        becomes = real_grade(new.encode())
        grade = old if _range_ends(old) else real_grade(old.encode())
        if grade is None or becomes is None:
            raise UsageError(f"'{part}' is not a pair of grades such as -2=0 or 0.5..=1")
        if grade in new_grades:
            raise UsageError(f"grade {old} is mapped twice")
        new_grades[grade] = becomes
    return tuple(new_grades.items())


def grade_range(grades: float | str) -> tuple[float, float]:
    """The ends of a range of grades; of a single grade that itself twice.

    Raises:
        UsageError: a text that is no range.
    """
    if not isinstance(grades, str):
        return grades, grades
    ends = _range_ends(grades)
    if ends is None:
        raise UsageError(f"'{grades}' is not a range of grades such as 0.5..")
    return ends


def check_grade_map(grade_map: Mapping[Any, Any]) -> None:
    """Refuse what is no map of grades, or of ranges of grades, to finite numbers."""
    for grades, new in grade_map.items():
        if not isinstance(grades, str) and not _is_finite_number(grades):
            raise UsageError(f"grade_map: {shown_value(grades)} is neither a grade nor a range")
        if not _is_finite_number(new):
            raise UsageError(f"grade_map: {shown_value(new)} is not a grade")
        grade_range(grades)


def _is_finite_number(value: Any) -> bool:
    try:
        return not isinstance(value, str | bytes) and math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def _range_ends(text: str) -> tuple[float, float] | None:
    low_text, dots, high_text = text.partition("..")
    low = real_grade(low_text.encode()) if low_text else -math.inf
    high = real_grade(high_text.encode()) if high_text else math.inf
    if not dots or low is None or high is None or low > high:
        return None
    return low, high


def map_grades(grade: RowValues, pairs: GradeMap) -> RowValues:
    """The grades, rewritten all at once: what a grade becomes is not mapped again.

    Of several pairs that hold for a grade the first counts.
    """
    result = grade.copy()
    for old, new in reversed(pairs):
        low, high = grade_range(old)
        result[(grade >= low) & (grade <= high)] = new
    return result


# --- The line of a table as text that names its columns ---


ColumnNames = tuple[tuple[str, str], ...]
"""Which columns of tables hold which fields, as far as the user says so: `Options.own_columns`."""

NAMES = {
    "topic": ("topic", "topic_id", "query", "query_id", "qid", "q_id"),
    "document": ("document", "document_id", "doc", "doc_id", "docid", "docno", "corpus_id", "pid"),
    "score": ("score", "sim"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "score"),
    "level": ("level", "preference"),
    "group": ("group", "jg"),
    "subtopic": ("subtopic", "subtopic_id", "intent", "aspect"),
    "class": ("class", "class_id", "equivalence_class"),
    "subgroup": ("subgroup", "jsg"),
    "stratum": ("stratum", "strata"),
    "method": ("method",),
    "probability": ("probability", "prob", "inclusion_probability"),
    "run": ("run", "run_id", "runid"),
    "measure": ("measure", "metric"),
}
"""The usual names of each column; case does not matter, and `-` is `_`."""


@record
class Header:
    """The first line of a table as text.

    separator  what stands between two cells, a comma or a tab
    cells      the names of the columns
    line       its number, from 1: before it are blank lines and comments
    """

    separator: str
    cells: list[str]
    line: int


def columns_by_field(columns: Mapping[str, str]) -> ColumnNames:
    """The fields that a user names, by their own or usual names, with their columns."""
    column_of_field: dict[str, str] = {}
    for name, column in columns.items():
        if not isinstance(name, str) or not isinstance(column, str):
            raise UsageError(
                f"columns: fields and columns are texts, not {shown_value((name, column))}"
            )
        plain = plain_name(name)
        fields = [plain] if plain in NAMES else [field for field in NAMES if plain in NAMES[field]]
        if not fields:
            raise UsageError(f"columns: there is no field '{name}': {', '.join(NAMES)}")
        column_of_field[fields[0]] = column
    return tuple(sorted(column_of_field.items()))


def plain_name(name: str) -> str:
    """The name of a column as it stands in `NAMES`."""
    return name.strip().lower().replace("-", "_")


def find_header(head: bytes, columns: ColumnNames = ()) -> Header | None:
    """The line that names columns, where a text that begins so is a table; None where it is none.

    A table names a column for topics and one for documents, as usual or as the user says, with
    commas or tabs between the cells, and nothing in that line is a number: in a line of a run or of
    judgments something is.
    """
    number, line = next(
        (
            (number, line.rstrip(b"\r\n"))
            for number, line in enumerate(io.BytesIO(head), 1)
            if line.strip() and not line.lstrip().startswith(b"#")
        ),
        (0, b""),
    )
    separator = b"\t" if b"\t" in line else b","
    if separator not in line or any(map(_is_number, line.split())):
        return None
    import csv

    try:
        cells = next(csv.reader([as_text(line)], delimiter=separator.decode()))
    except csv.Error:
        return None
    if not names_topics_and_documents(cells, columns) or any(
        _is_number(cell.encode(errors="replace")) for cell in cells
    ):
        return None
    return Header(separator.decode(), cells, number)


def _is_number(text: bytes) -> bool:
    # a run may be one with decimal commas
    return parse_c_number(text.replace(b",", b".")) is not None or level_grade(text) is not None


def names_topics_and_documents(names: list[str], columns: ColumnNames = ()) -> bool:
    """Whether columns of such names hold topics and documents."""
    return names_topics(names, columns) and _names_field("document", names, columns)


def names_topics(names: list[str], columns: ColumnNames = ()) -> bool:
    """Whether a column of such names holds topics."""
    return _names_field("topic", names, columns)


def _names_field(field: str, names: list[str], columns: ColumnNames) -> bool:
    is_usual = not {plain_name(name) for name in names}.isdisjoint(NAMES[field])
    return is_usual or dict(columns).get(field) in names
