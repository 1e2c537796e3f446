"""The columns of files: the numbers in them, maps of grades, and what columns are called.

Numbers are read a column at a time: scores, ranks, grades, levels. NumPy is imported where it is
used: to name the formats and to tell them apart needs none.
"""

from __future__ import annotations

import io
import math
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from irev.core.packages import has_package
from irev.core.record import record
from irev.core.text import as_bytes, as_text, parse_c_number, parse_whole, pattern
from irev.errors import UsageError, shown_value
from irev.read.layout import looks_like_scores

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
        # times 10 where there is a digit, times 1 elsewhere; in bytes, which is quicker
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
    # of 0 this makes 0.0, where a minus sign would make -0.0
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


# --- Ids of passages, which begin with that of their document ---


def passage_pattern(text: str) -> re.Pattern[bytes] | None:
    """The pattern whose group is the document of a passage; None: the text parts its id.

    Raises:
        UsageError: a pattern that is wrong, or has several groups.
    """
    if not text:
        raise UsageError(
            "--passages: give what separates the id of a document from the rest, such as #"
        )
    if len(text) == 1 or "(" not in text:
        return None
    try:
        compiled = re.compile(as_bytes(text))
    except re.error as error:
        raise UsageError(f"--passages '{text}' is not a regular expression: {error}") from None
    if compiled.groups != 1:
        raise UsageError(f"--passages '{text}' must have one group, which is the document")
    return compiled


def document_ids(passage_ids: Ids, text: str) -> tuple[Ids, int]:
    """The documents of passages, and how many ids were cut; `text` is as `Options.passages`.

    An id of which nothing would be left stays.
    """
    import numpy as np

    from irev.core.ids import Ids, ids_from_bytes

    compiled = passage_pattern(text)
    if compiled is not None:
        code, distinct = passage_ids.codes()
        matches = [compiled.fullmatch(each) for each in distinct]
        documents = [(m and m[1]) or each for m, each in zip(matches, distinct, strict=True)]
        is_cut = np.array([a != b for a, b in zip(documents, distinct, strict=True)], bool)
        return ids_from_bytes(documents).take(code), int(np.count_nonzero(is_cut[code]))
    sign = as_bytes(text)
    data, start, length = passage_ids.data, passage_ids.start, passage_ids.length
    last = len(data) - len(sign) + 1
    fits = data[:last] == sign[0]
    for at, byte in enumerate(sign[1:], 1):
        fits &= data[at : last + at] == byte
    places = np.append(-1, np.flatnonzero(fits))
    place = places[places.searchsorted(start + length - len(sign), "right") - 1]
    is_cut = place > start
    cut_length = np.where(is_cut, place - start, length).astype(np.int64)
    return Ids(data, start, cut_length), int(np.count_nonzero(is_cut))


# --- The line of a table as text that names its columns ---


ColumnNames = tuple[tuple[str, str], ...]
"""Which columns of tables hold which fields, as far as the user says so: `Options.own_columns`."""

FILE_KINDS = ("qrels", "run")
"""The kinds of files of which columns may be named apart."""

NAMES = {
    "topic": (
        "topic", "topic_id", "query", "query_id", "qid", "q_id", "query_text", "question",
        "question_id", "request_id",
    ),
    "document": ("document", "document_id", "doc", "doc_id", "docid", "docno", "corpus_id", "pid"),
    "score": ("score", "sim"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "rating", "score"),
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
}  # fmt: skip
"""The usual names of each column; case does not matter, and `-` and blanks are `_`."""

FURTHER_NAMES = {
    "topic": (
        "queryid", "queryno", "querynumber", "topicid", "topicno", "topicnumber", "questionid",
        "requestid", "request", "searchid", "userid", "user", "uid",
    ),
    "document": (
        "documentid", "documentids", "documents", "documentnumber", "docnumber", "docids", "docs",
        "passageid", "passageids", "passage", "chunkid", "chunkids", "chunk", "itemid", "itemids",
        "item", "iid", "productid", "product", "_id",
    ),
    "score": (
        "prediction", "similarity", "relevancescore", "retrievalscore", "rating", "_score",
        "scores", "est",
    ),
    "grade": ("judgement", "ratings", "grades", "labels", "relevances"),
}  # fmt: skip
"""Names of columns where none has a usual name, without `_`: those of recommenders, search engines
and pipelines."""

_TYPES = (":token", ":float")
"""What RecBole writes behind the names of columns."""


@record
class Header:
    """The first line of a table as text.

    separator  what stands between two cells, one of `SEPARATORS`
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
        # of files of one kind: qrels:document
        kind, colon, field_name = name.rpartition(":")
        plain = plain_name(field_name)
        fields = [plain] if plain in NAMES else [field for field in NAMES if plain in NAMES[field]]
        if not fields or kind not in ("", *FILE_KINDS):
            raise UsageError(
                f"columns: there is no field '{name}': {', '.join(NAMES)}, of one file "
                "qrels:FIELD or run:FIELD"
            )
        column_of_field[f"{kind}{colon}{fields[0]}"] = column
    return tuple(sorted(column_of_field.items()))


def plain_name(name: str) -> str:
    """The name of a column as it stands in `NAMES`."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    for each in _TYPES:
        plain = plain.removesuffix(each)
    return plain


def is_further_name(plain: str, field: str) -> bool:
    """Whether a `plain_name` is one of a field where no column has a usual name of it."""
    names = FURTHER_NAMES.get(field, ())
    return plain in names or plain.replace("_", "") in names


def resolve_columns(columns: ColumnNames, kind: str) -> ColumnNames:
    """The columns of one of `FILE_KINDS`: what is said of all files, and what of this one."""
    shared, own = {}, {}
    for name, column in columns:
        file, _, field = name.rpartition(":")
        if not file:
            shared[field] = column
        elif file == kind:
            own[field] = column
    return tuple(sorted((shared | own).items()))


SEPARATORS = "\t;|,"
"""What may stand between the cells of a table as text."""


def find_header(
    head: bytes, columns: ColumnNames = (), *, any_names: bool = False
) -> Header | None:
    """The line that names columns, where a text that begins so is a table; None where it is none.

    A table names a column for topics and one for documents, as usual or as the user says, with one
    separator between the cells, and nothing in that line is a number: in a line of a run or of
    judgments something is. With `any_names` three names or more are enough, whatever they are.
    """
    number, line = next(
        (
            (number, line.rstrip(b"\r\n"))
            for number, line in enumerate(io.BytesIO(head), 1)
            if line.strip() and not line.lstrip().startswith(b"#")
        ),
        (0, b""),
    )
    text = as_text(line)
    separators = ["\t"] if "\t" in text else [each for each in SEPARATORS if each in text]
    if not separators or any(map(_is_number, line.split())):
        return None
    # the likeliest comes first; within quotes there may be others
    separators.sort(key=text.count, reverse=True)
    heads = [Header(each, _cells(text, each), number) for each in separators]
    known = (each for each in heads if names_topics_and_documents(each.cells, columns))
    if (header := next(known, None)) is not None or not any_names or looks_like_scores(head):
        return header
    return next((each for each in heads if _are_names(each.cells)), None)


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line; none where it cannot be read so, or one is a number."""
    import csv

    try:
        cells = next(csv.reader([line], delimiter=separator))
    except csv.Error:
        return []
    has_number = any(_is_number(cell.encode(errors="replace")) for cell in cells)
    return [] if has_number else cells


def _are_names(cells: Sequence[str]) -> bool:
    """Whether cells can be nothing but the names of columns, some of them unknown."""
    is_name = pattern(r"[^\W\d][\w .:@/()#%-]{0,63}").fullmatch
    iterations = {"Q0", "q0"}  # of a line whose numbers are none
    return len(cells) > 2 and all(map(is_name, cells)) and iterations.isdisjoint(cells)


def _is_number(text: bytes) -> bool:
    # a run may be one with decimal commas
    return parse_c_number(text.replace(b",", b".")) is not None or level_grade(text) is not None


def names_topics_and_documents(names: Sequence[str], columns: ColumnNames = ()) -> bool:
    """Whether columns of such names hold topics and documents."""
    return names_topics(names, columns) and _names_field("document", names, columns)


def names_topics(names: Sequence[str], columns: ColumnNames = ()) -> bool:
    """Whether a column of such names holds topics."""
    return _names_field("topic", names, columns)


def _names_field(field: str, names: Sequence[str], columns: ColumnNames) -> bool:
    plain_names = set(map(plain_name, names))
    return (
        not plain_names.isdisjoint(NAMES[field])
        or dict(columns).get(field) in names
        or any(is_further_name(name, field) for name in plain_names)
    )
