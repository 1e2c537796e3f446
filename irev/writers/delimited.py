"""CSV and TSV: a line for each topic and, as the topic `all`, for the summary.

A line for each class of topics follows, as `all[CLASS]`; weighted means stand under
`all[weighted]`. Columns are `run`, `topic`, one for each measure, and at the end of a summary what
it stands on:
`averaged_over`, the divisor of the means, and `left_out`, how many judged topics the run lacks
that the means do not count; where results are signed, their short `signature`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.writers.account import left_out
from irev.writers.layout import Layout, Result, rows, shown_columns
from irev.writers.machine import delimited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.core.scores import Scores


def write_csv(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """Comma-separated values, quoted where a comma, a quote or a line's end asks for it."""
    return delimited(_rows(results, layout))


def write_tsv(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """Tab-separated values, quoted where a tab, a quote or a line's end asks for it."""
    return delimited(_rows(results, layout), "\t")


def _rows(results: Sequence[Result], layout: Layout) -> Iterator[Iterable[Any]]:
    """An empty field where a measure has no such value."""
    columns = shown_columns(results[0].scores, layout)
    names = (results[0].scores.columns[i].name for i in columns)
    is_signed = any(result.scores.signature for result in results)
    stands_on = ["averaged_over", "left_out", "signature"] if layout.summary else []
    if not is_signed:
        del stands_on[2:]
    yield ["run", "topic", *names, *stands_on]
    for result in results:
        for row in rows(result.scores, layout, columns):
            about = _about(row.of, len(stands_on))
            yield [result.path, row.topic, *row.cells, *about]


def _about(scores: Scores | None, fields: int) -> list[int | str | None]:
    """What a summary stands on, as many fields as there are; nothing for a topic."""
    if scores is None:
        return [None] * fields
    signature = None if scores.signature is None else scores.signature.short
    return [scores.divisor, len(left_out(scores)), signature][:fields]
