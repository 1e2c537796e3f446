"""Results as a Parquet file, for DuckDB, Polars, pandas and Spark, and for irev itself.

Scores are a tidy table: a row for each value of a topic, with the columns `run`, `topic`, `measure`
and `value`. Means are not among the rows, so that `avg(value)` is one. The file's metadata have
under the key `irev` what JSON has besides: means, signature, topics that a run lacks. Of other
results the first table stands there, as in CSV.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from irev.core.text import escape_non_utf8
from irev.scores.saved import METADATA_KEY
from irev.writers.machine import finite_or_none
from irev.writers.scores import scores_document, topic_value_columns
from irev.writers.trec import ScoreLayout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from irev.writers.document import Document
    from irev.writers.trec import ScoredFile


def scores_parquet(results: Sequence[ScoredFile]) -> bytes:
    """The values of each topic of some runs; in the metadata, what JSON without topics holds."""
    import pyarrow as pa

    layout = ScoreLayout(several_runs=len(results) > 1)
    data = scores_document(results, layout).data()
    runs: list[str] = []
    topics: list[str] = []
    measures: list[str] = []
    values: list[float | None] = []
    for result in results:
        topic_ids, columns = topic_value_columns(result.scores)
        for name, cells in columns.items():
            runs += [escape_non_utf8(result.name)] * len(cells)
            topics += topic_ids
            measures += [name] * len(cells)
            values += cells
    table = pa.table(
        {
            "run": pa.array(runs, pa.string()),
            "topic": pa.array([escape_non_utf8(topic) for topic in topics], pa.string()),
            "measure": pa.array(measures, pa.string()),
            "value": pa.array(values, pa.float64()),
        }
    )
    return _parquet_bytes(table, data)


def table_parquet(document: Document) -> bytes:
    """The first table of a document; in the metadata, the version and the signature."""
    import pyarrow as pa

    records = next(iter(document.records))
    rows = [list(row) for row in records.rows]
    columns = [_column([row[index] for row in rows]) for index in range(len(records.fields))]
    data = document.data()
    facts = data if isinstance(data, dict) else {}
    metadata = {key: facts[key] for key in ("irev", "signature") if key in facts}
    return _parquet_bytes(
        pa.table(columns, names=list(records.fields)), {**metadata, "table": records.name}
    )


def _column(cells: Sequence[Any]) -> pa.Array:
    """The cells of a column: numbers where all are, else texts."""
    import pyarrow as pa

    if any(isinstance(cell, str) for cell in cells):
        return pa.array([None if c is None else escape_non_utf8(str(c)) for c in cells])
    if any(isinstance(cell, float) for cell in cells):
        return pa.array([None if c is None else float(c) for c in cells], pa.float64())
    if all(cell is None for cell in cells):
        return pa.array(cells, pa.string())
    return pa.array(cells)


def _parquet_bytes(table: pa.Table, facts: Mapping[str, Any]) -> bytes:
    from pyarrow.parquet import write_table

    metadata = {METADATA_KEY: json.dumps(finite_or_none(facts)).encode()}
    stream = io.BytesIO()
    write_table(table.replace_schema_metadata(metadata), stream)
    return stream.getvalue()
