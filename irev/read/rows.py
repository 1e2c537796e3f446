"""Runs and qrels as rows, (topic, document, number), and as the objects of other packages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from irev.core.judged import MAPPINGS
from irev.errors import InputError, MissingExtraError, Problem
from irev.read.frames import empty_table_problem, frame_rows, is_table, library_of, table_problem
from irev.read.memory import mapping_rows

if TYPE_CHECKING:
    from irev.core.judged import BatchesOfWholeTopics
    from irev.read.layout import Layout

_LEAST = 3
"""A row has a topic, a document and a number."""

_READ = (
    "give a path, a mapping {topic: {document: number}}, a pandas, polars or Arrow table, or rows "
    "(topic, document, number)"
)


FrameMappingOrRows: TypeAlias = Any
"""What holds a run or judgments in memory; a data set of ir_datasets is one, too."""


def rows_in_memory(data: FrameMappingOrRows, layout: Layout) -> BatchesOfWholeTopics:
    """The rows of anything that is no file, as whole topics."""
    try:
        return _rows_in_memory(data, layout)
    except (RuntimeError, ValueError) as error:
        # another thread writes to it; a whole number has more digits than Python writes
        raise table_problem(layout, f"it cannot be read: {error}") from error


def _rows_in_memory(data: FrameMappingOrRows, layout: Layout) -> BatchesOfWholeTopics:
    if isinstance(data, MAPPINGS):
        return mapping_rows(data, layout)
    # a Series of pandas 2.2 has neither, and is told what it lacks
    if is_table(data) or hasattr(data, "__arrow_c_stream__") or library_of(data) == "pandas":
        return frame_rows(data, layout)
    reading = getattr(data, "qrels_iter" if layout.kind == "qrels" else "scoreddocs_iter", None)
    if reading is not None:
        return mapping_rows(_columns_of_rows(_fetch_rows(reading, layout), layout), layout)
    if hasattr(data, "docs_iter") or hasattr(data, "dataset_id"):
        raise table_problem(layout, f"the data set has no {layout.kind}")
    if hasattr(data, "to_dict"):
        return mapping_rows(data.to_dict(), layout)
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return mapping_rows(_columns_of_rows(data, layout), layout)
    raise table_problem(layout, f"{type(data).__name__} objects cannot be read: {_READ}")


def _fetch_rows(iterate: Callable[[], Iterable[Any]], layout: Layout) -> list[Any]:
    """The rows of a data set, which ir_datasets downloads where it has to."""
    try:
        return list(iterate())
    except (OSError, RuntimeError) as error:
        message = f"the {layout.kind} of the data set cannot be read or downloaded: {error}"
        raise table_problem(layout, " ".join(message.split())) from error


def load_ir_dataset(irds_name: str) -> Any:
    """A data set of ir_datasets by its name, such as `irds:vaswani`."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir_datasets") from None
    try:
        return ir_datasets.load(irds_name.partition(":")[2])
    except KeyError:
        message = "ir_datasets knows no such data set"
        raise InputError([Problem(irds_name, None, "no-file", message)]) from None


_NO_CELLS = (Mapping, tuple, list, set, frozenset, os.PathLike)


def is_row(value: Any) -> bool:
    """Whether it is one row: a tuple, a list or a mapping of plain values."""
    values = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(values, tuple | list) or len(values) < _LEAST:
        return False
    return not any(isinstance(cell, _NO_CELLS) or is_table(cell) for cell in values)


def _columns_of_rows(rows: Iterable[Any], layout: Layout) -> Mapping[str, list[Any]]:
    """The columns of rows by name."""
    row_list = list(rows)
    if not row_list:
        raise empty_table_problem(layout, "rows")
    first = row_list[0]
    if isinstance(first, Mapping):
        names = list(map(str, first))
        row_values: Iterator[Any] = (
            list(row.values()) if _is_like(row, first) else None for row in row_list
        )
    else:
        names = list(getattr(first, "_fields", ("topic", "document", layout.number)))
        row_values = (row if isinstance(row, tuple | list) else None for row in row_list)
    wrong = f"rows are (topic, document, {layout.number}), named tuples or mappings"
    cells = []
    for number, row in enumerate(row_values, 1):
        if row is None or len(row) != len(names):
            raise table_problem(layout, f"row {number} is {row_list[number - 1]!r:.60}: {wrong}")
        cells.append(row)
    return dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))


def _is_like(row: Any, first: Mapping[Any, Any]) -> bool:
    return isinstance(row, Mapping) and list(row) == list(first)
