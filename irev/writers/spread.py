"""The spread of scores over topics as a document: a line for each run and measure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.statistics.intervals import LEVEL, TopicSpread, topic_spreads
from irev.writers.document import Document, Head, Lines, Records, Table
from irev.writers.machine import finite_or_none
from irev.writers.scores import PERCENT, footer_lines, percent_factor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.writers.document import Cell, Part
    from irev.writers.trec import ScoredFile, ScoreLayout

_FIELDS = ("topics", "mean", "sd", "variance", "median", "ci_low", "ci_high")


def spread_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """Mean, sd, variance, median and interval of each measure of each run and class of topics."""
    return Document(
        "Spread of scores over topics",
        _table_and_notes(results, layout),
        [Records("spread", ("run", "label", "measure", *_FIELDS), _record_rows(results))],
        partial(_spread_data, results),
    )


def _table_and_notes(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[Part]:
    spread_lines = [*_labelled_spreads(results)]
    with_labels = len({label for _, label, _ in spread_lines}) > 1
    heads = [
        *([Head("run", "text")] if layout.several_runs else []),
        *([Head("topics of", "text")] if with_labels else []),
        *(Head("measure", "text"), Head("topics"), Head("mean"), Head("sd"), Head("variance")),
        *(Head("median"), Head(f"{LEVEL:.0%} interval")),
    ]
    rows: list[list[Cell]] = []
    for name, label, spread in spread_lines:
        factor = percent_factor(spread.column, layout)
        mean, sd, variance, median, low, high = (
            _scaled_number(value, power)
            for value, power in zip(
                spread[2:], (factor, factor, factor**2, *[factor] * 3), strict=True
            )
        )
        interval = None if low is None or high is None else (low, high)
        rows.append([
            *([name] if layout.several_runs else []),
            *([label] if with_labels else []),
            spread.column.name, spread.num_topics, mean, sd, variance, median, interval,
        ])  # fmt: skip
    yield Table(heads, rows)
    yield Lines([*([PERCENT] if layout.percent else []), *footer_lines(results, layout)], False)


def _scaled_number(value: float, factor: float) -> float | None:
    return None if value != value else value * factor


def _labelled_spreads(results: Sequence[ScoredFile]) -> Iterator[tuple[str, str, TopicSpread]]:
    for result in results:
        for part in result.scores.summarised_scores():
            for spread in topic_spreads(part):
                yield result.name, part.summary_label, spread


def _record_rows(results: Sequence[ScoredFile]) -> Iterator[list[Any]]:
    for name, label, spread in _labelled_spreads(results):
        numbers = map(finite_or_none, spread[1:])
        yield [name, label, spread.column.name, *numbers]


def _spread_data(results: Sequence[ScoredFile]) -> dict[str, Any]:
    """`irev` (the version), the `level` of intervals, and `rows` as CSV has them."""
    fields = ("run", "label", "measure", *_FIELDS)
    rows = [
        dict(zip(fields, map(finite_or_none, row), strict=True)) for row in _record_rows(results)
    ]
    return {"irev": __version__, "level": LEVEL, "rows": rows}
