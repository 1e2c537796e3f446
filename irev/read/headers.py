"""The first line of a table as text: which columns it names, and whether it names any."""

from __future__ import annotations

import io
from collections.abc import Mapping

from irev.core.record import record
from irev.core.text import as_text, parse_c_number
from irev.errors import UsageError, shown_value
from irev.read.values import level_grade

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
    for number, line in enumerate(io.BytesIO(head), 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return _parse_header(line.rstrip(b"\r\n"), number, columns)
    return None


def names_topics_and_documents(names: list[str], columns: ColumnNames = ()) -> bool:
    """Whether columns of such names hold topics and documents."""
    return names_topics(names, columns) and _names_field("document", names, columns)


def names_topics(names: list[str], columns: ColumnNames = ()) -> bool:
    """Whether a column of such names holds topics."""
    return _names_field("topic", names, columns)


def _names_field(field: str, names: list[str], columns: ColumnNames) -> bool:
    is_usual = not {plain_name(name) for name in names}.isdisjoint(NAMES[field])
    return is_usual or dict(columns).get(field) in names


def _parse_header(line: bytes, number: int, columns: ColumnNames) -> Header | None:
    separator = b"\t" if b"\t" in line else b","
    if separator not in line or any(map(_is_number, line.split())):
        return None
    import csv

    text = as_text(line)
    try:
        cells = next(csv.reader([text], delimiter=separator.decode()))
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
