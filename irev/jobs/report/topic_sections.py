"""The parts of a report's page that are about topics: bars, scores, explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_text
from irev.jobs.explain.document import score_parts
from irev.writers.charts import differences_chart
from irev.writers.document import Head, Strong, Table
from irev.writers.live_page import SEARCHABLE, SORTABLE, figure_block, folded_block
from irev.writers.pages import html_parts, html_table, html_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.report.report import Report, RunPair
    from irev.writers.document import Cell, Part

_MOST_VALUES = 50_000
"""Scores by topic and run that a page shows: browsers become slow with more."""

MOST_PAIRS = 12
"""So many pairs have a chart each, and a column in the table of topics."""

_MOST_RANKS = 15
"""So many lines of an explanation are shown."""


def topic_score_lines(report: Report, decimals: int) -> Iterator[str]:
    """The differences as bars, and every score in a table."""
    measure, names = report.means[0].measure, report.table.run_names
    ids = [as_text(topic) for topic in report.table.topics]
    scores = report.table.scores(measure)
    charts = report.pairs[:MOST_PAIRS]
    most = max((float(np.abs(pair.differences).max()) for pair in charts), default=0.0)
    if charts:
        yield '<div class="charts">'
    for number, pair in enumerate(charts):
        title = f"{measure}: {_pair_name(names, pair, 'minus')}, by topic"
        pairs = list(zip(ids, pair.differences.tolist(), strict=True))
        chart = differences_chart(pairs, most, f"d{number}", title)
        caption = _pair_name(names, pair, "minus")
        yield from figure_block(caption, f"{measure} by topic, {pair.direction_text}", chart)
    if charts:
        yield "</div>"
    if scores.size > _MOST_VALUES:
        yield f"<p>{scores.size} scores by topic and run are not shown: there are too many.</p>"
        return
    columns = [Head("topic", "text"), *(Head(name) for name in names)]
    columns += [
        Head(
            f"{names[pair.run_index]} minus {names[pair.against_index]}",
            number_format=f"+.{decimals}f",
        )
        for pair in charts
    ]
    differences = [pair.differences.tolist() for pair in charts]
    rows = [
        [topic, *own, *(each[number] for each in differences)]
        for number, (topic, own) in enumerate(zip(ids, scores.tolist(), strict=True))
    ]
    table = Table(columns, rows, caption=f"{measure} by topic")
    yield from html_table(
        table, decimals, SEARCHABLE, row_links=_explanation_anchors(report, range(len(ids)))
    )


def _pair_name(names: Sequence[str], pair: RunPair, word: str) -> str:
    """The names of two runs with a word between them."""
    return f"{names[pair.run_index]} {word} {names[pair.against_index]}"


def _explanation_anchors(report: Report, topic_indices: Sequence[int]) -> list[str]:
    """For each topic the identifier of its explanation, or nothing."""
    explained = {topic_index for _, topic_index in report.explanations}
    ids = report.table.topics
    return [
        f"t{topic_index}" if ids[topic_index] in explained else "" for topic_index in topic_indices
    ]


def moved_topic_lines(report: Report, decimals: int) -> Iterator[str]:
    """The topics that moved most, pair by pair; below, how their scores come about."""
    names, ids = report.table.run_names, report.table.topics
    measure = report.means[0].measure
    scores = report.table.scores(measure)
    runs_of_topic: dict[int, set[int]] = {}
    pairs = [pair for pair in report.pairs if pair.moved_topics]
    if pairs:
        yield '<div class="charts">'
    for pair in pairs:
        links = _explanation_anchors(report, pair.moved_topics)
        yield from html_table(
            _moved_table(report, pair, decimals), decimals, SORTABLE, row_links=links
        )
        for topic in pair.moved_topics:
            runs_of_topic.setdefault(topic, set()).update((pair.run_index, pair.against_index))
    if pairs:
        yield "</div>"
    if report.lowest_topics:
        rows = [(as_text(ids[topic]), float(scores[topic, 0])) for topic in report.lowest_topics]
        table = Table(
            [Head("topic", "text"), Head(measure)], rows, caption=f"{measure}, lowest first"
        )
        yield from html_table(
            table, decimals, SORTABLE, row_links=_explanation_anchors(report, report.lowest_topics)
        )
        runs_of_topic = {topic: {0} for topic in report.lowest_topics}
    if not report.explanations:
        return
    yield f"<h3>How {html_text(measure)} is computed on these topics, rank by rank</h3>"
    measure_record = next(iter(report.explanations.values())).measure
    formula = html_text(f"{measure_record.name} = {measure_record.formula}")
    yield f"<p>{formula}. adds: what a rank adds to the score.</p>"
    for topic in sorted(runs_of_topic):
        lines = [*_explanation_html_lines(report, topic, sorted(runs_of_topic[topic]), decimals)]
        scores_text = ", ".join(
            f"{names[run]} {scores[topic, run]:.{decimals}f}"
            for run in sorted(runs_of_topic[topic])
        )
        yield from folded_block(f"Topic {as_text(ids[topic])}: {scores_text}", lines, f"t{topic}")


def _moved_table(report: Report, pair: RunPair, decimals: int) -> Table:
    names = report.table.run_names
    scores = report.table.scores(report.means[0].measure)
    rows: list[list[Cell]] = [
        [
            as_text(report.table.topics[topic]), float(scores[topic, pair.against_index]),
            float(scores[topic, pair.run_index]), float(pair.differences[topic]),
        ]
        for topic in pair.moved_topics
    ]  # fmt: skip
    columns = [
        Head("topic", "text"), Head(names[pair.against_index]), Head(names[pair.run_index]),
        Head("difference", number_format=f"+.{decimals}f"),
    ]  # fmt: skip
    return Table(
        columns, rows, caption=f"{names[pair.run_index]} against {names[pair.against_index]}"
    )


def _explanation_html_lines(
    report: Report, topic_index: int, run_indices: Sequence[int], decimals: int
) -> Iterator[str]:
    """Those of a topic, side by side where there is room."""
    yield '<div class="charts">'
    for run_index in run_indices:
        explanation = report.explanations.get((run_index, report.table.topics[topic_index]))
        yield f"<div>\n<h4>{html_text(report.table.run_names[run_index])}</h4>"
        if explanation is None:
            yield "<p>The run has no document for this topic, which counts as 0.</p>"
        else:
            # the formula stands above all of them
            _, *parts = score_parts([explanation], None, decimals, every_rank=False)
            yield from html_parts(map(_shorten_table, parts), decimals)
        yield "</div>"
    yield "</div>"


def _shorten_table(part: Part) -> Part:
    """A table that is not long; what it is about is said above it."""
    if not isinstance(part, Table) or len(part.rows) <= _MOST_RANKS:
        return part
    left_out = len(part.rows) - _MOST_RANKS
    last = ["", Strong(f"... {left_out} more lines"), *[""] * (len(part.columns) - 2)]
    return part._replace(rows=[*part.rows[:_MOST_RANKS], last])
