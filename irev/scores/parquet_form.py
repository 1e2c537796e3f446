"""Scores in the long form as a Parquet table, such as `irev eval --output x.parquet` writes."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, escape_non_utf8
from irev.scores.json_form import table_of_run
from irev.scores.long_form import ScoreRow, indices_of_head, runs_of_rows
from irev.scores.saved_runs import RunValues, name_by_path, name_without_endings, tables_of_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from irev.scores.saved_file import SavedFile
    from irev.scores.table import ScoreTable

PARQUET_MARK = b"PAR1"
METADATA_KEY = b"irev"
"""Under which key the metadata of a Parquet file hold what is known of the scores, as JSON."""


def is_score_parquet(path: str) -> bool:
    """Whether a file is a Parquet table of scores in the long form."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as stream:
            mark = stream.read(len(PARQUET_MARK))
    except OSError:  # whoever reads it says so
        return False
    if mark != PARQUET_MARK:
        return False
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except (OSError, pa.ArrowException):
        return False
    return indices_of_head(names) is not None


def read_parquet(saved: SavedFile) -> list[ScoreTable]:
    """The runs of a Parquet table; irev's own has more in its metadata."""
    about, rows = _metadata_and_rows(saved)
    runs, names = runs_of_rows(saved, rows)
    if not about.get("runs"):
        tables = tables_of_runs(saved, runs.values(), names)
        return name_by_path(tables) if "" in runs else name_without_endings(tables)
    document = {"measures": names, "note": about.get("note")}
    try:
        described = {escape_non_utf8(facts["run"]): facts for facts in about["runs"]}
        return [
            table_of_run(saved, document, {**described[name], "topics": _json_topics(run)})
            for name, run in runs.items()
        ]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise saved.problem(None, "the metadata of this Parquet file do not fit its rows") from None


def _json_topics(run: RunValues) -> dict[str, dict[str, float]]:
    return {as_text(topic): values for topic, values in run.by_topic.items()}


def _metadata_and_rows(saved: SavedFile) -> tuple[Mapping[str, Any], Iterator[ScoreRow]]:
    """(what irev wrote beside the values, if it did; the values)."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(pa.BufferReader(saved.content)).read()
        about = json.loads((table.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    except (OSError, ValueError, pa.ArrowException) as error:
        message = " ".join(str(error).split())
        raise saved.problem(None, f"this Parquet file is damaged: {message}") from None
    indices = indices_of_head(table.column_names) or {}
    columns = {field: table.column(index).to_pylist() for field, index in indices.items()}
    runs = columns.get("run", [""] * table.num_rows)
    return about, (
        ScoreRow(
            None, str(run), str(topic), str(measure), _number(saved, row, value), f"row {row}: "
        )
        for row, (run, topic, measure, value) in enumerate(
            zip(runs, columns["topic"], columns["measure"], columns["value"], strict=True), 1
        )
    )  # fmt: skip


def _number(saved: SavedFile, row: int, value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise saved.problem(None, f"row {row}: {value!r} is not a number")
    return float(value)
