"""CSV and TSV: columns run, topic and one for each measure; topic `all` is the summary."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from irev.report.layout import Layout, Result, encoded, rows, shown_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def write_csv(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """Comma-separated values, quoted where a comma, a quote or a line's end asks for it."""
    return _write(results, layout, ",")


def write_tsv(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """Tab-separated values, quoted where a tab, a quote or a line's end asks for it."""
    return _write(results, layout, "\t")


def _write(results: Sequence[Result], layout: Layout, separator: str) -> Iterator[bytes]:
    """Numbers in full precision; an empty field where a measure has no such value."""
    buffer = io.StringIO()
    table = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    columns = shown_columns(results[0].scores, layout)
    table.writerow(["run", "topic", *(results[0].scores.columns[i].name for i in columns)])
    for result in results:
        for row in rows(result.scores, layout, columns):
            table.writerow([result.path, row.topic, *row.cells])
        yield encoded(buffer.getvalue())
        buffer.seek(0)
        buffer.truncate()
