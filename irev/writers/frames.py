"""Tables of pandas as a document has them: what studies and plots give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.writers.document import Head, Records, Table
from irev.writers.machine import delimited

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

_PROBABILITIES = ("p", "new p", "p equal", "corrected p", "sign p", "corrected sign p")
"""Columns whose small values are told apart from 0."""


def table_of(frame: pd.DataFrame) -> Table:
    """A table for people.

    `attrs["forms"]` of a frame may hold how numbers of a column are formatted: {"alpha": "g"}.
    """
    forms = frame.attrs.get("forms", {})
    columns = []
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iufb"
        kind = "p" if name in _PROBABILITIES else "number" if is_number else "text"
        columns.append(Head(str(name), kind, forms.get(name, "")))
    return Table(columns, list(_rows(frame)), ruled=False)


def records_of_frame(name: str, frame: pd.DataFrame, **more: Any) -> Records:
    """Its rows in full precision, nothing where there is no number; `more` stands behind each."""
    rows = ([*row, *more.values()] for row in _rows(frame))
    return Records(name, [*map(str, frame.columns), *more], rows)


def objects_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Its rows as JSON has them."""
    from irev.writers.machine import finite

    return [
        {str(name): finite(value) for name, value in zip(frame.columns, row, strict=True)}
        for row in _rows(frame)
    ]


def csv_of(frame: pd.DataFrame, *, safe: bool = False) -> Iterator[bytes]:
    """It as CSV, harmless to spreadsheets and terminals where it is to be `safe`."""
    yield from delimited([frame.columns, *_rows(frame)], safe=safe)


def _rows(frame: pd.DataFrame) -> Iterator[list[Any]]:
    """Rows of plain values, None for what is no number."""
    import pandas as pd

    for row in frame.itertuples(index=False, name=None):
        yield [None if value is pd.NA or value != value else _plain(value) for value in row]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
