"""The tables of the page as it is read without its script: runs with their plot, and topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.writers.pages import html_text
from irev.writers.results_page.numbers_shown import (
    breakable,
    confidence_text,
    p_shown,
    percent,
    rounded,
    signed,
)
from irev.writers.results_page.words import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.writers.results_page.comparisons import Comparisons, RunDifference
    from irev.writers.results_page.page_data import PagePart, PageRun

_MARKS = {1: ("\u25b2", "better"), -1: ("\u25bc", "worse"), 0: ("\u00b7", "neither")}
"""For each verdict its sign, and what it is called."""

_PLOT_MARGIN = 4
"""Per cent of the plot at either end, so that no mark is cut."""


class _Scale(NamedTuple):
    """From values to per cent of the width of a plot."""

    low: float
    high: float

    def position(self, value: float) -> str:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return f"{_PLOT_MARGIN + (100 - 2 * _PLOT_MARGIN) * share:.2f}%"


def run_table_lines(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """All runs by the first measure, with all measures, differences and what the tests say."""
    ends = part.means[0][np.isfinite(part.means[0])]
    scale = _Scale(float(ends.min(initial=math.inf)), float(ends.max(initial=-math.inf)))
    columns = _Columns(part, comparisons)
    yield '<div class="board"><table class="runs plain">'
    caption = say("table_caption", column=part.measures[0].name)
    yield f'<caption class="sr">{html_text(caption)}</caption>'
    yield "<thead><tr>"
    yield "".join(_head(text, css_class) for text, css_class in columns.heads_and_css_classes())
    yield "</tr></thead>\n<tbody>"
    for run in comparisons.order:
        yield f"<tr>{''.join(columns.cells(run, scale))}</tr>"
    yield "</tbody></table></div>"


def _head(text: str, css_class: str) -> str:
    class_attribute = f' class="{css_class}"' if css_class else ""
    return f'<th scope="col"{class_attribute}>{html_text(text)}</th>'


class _Columns:
    """Which columns there are, and the cells of a run."""

    def __init__(self, part: PagePart, comparisons: Comparisons) -> None:
        self.part, self.comparisons = part, comparisons
        self.has_several = len(part.runs) > 1
        self.has_places = part.kind == "board" and comparisons.pairs is not None
        self.has_counts = self.has_several and part.scores is not None
        self.has_p = self.has_several and comparisons.is_tested

    def heads_and_css_classes(self) -> Iterator[tuple[str, str]]:
        """Those of the columns, from left to right."""
        part, level = self.part, confidence_text(self.part)
        has_interval = bool(np.isfinite(part.means[0, :, 1]).any())
        if self.has_several:
            yield say("place"), ""
        if self.has_places:
            yield say("places", confidence=level), ""
        yield say("run"), "text"
        yield say("mean_interval_plot" if has_interval else "mean_plot", confidence=level), "plot"
        for measure in part.measures:
            yield measure.name, ""
        if self.has_several:
            yield say("difference"), ""
        if self.has_p:
            yield say("p"), ""
        if self.has_counts:
            yield say("w/t/l"), ""
        if part.judged_rank is not None:
            yield say("judged", rank=part.judged_rank), ""

    def cells(self, run: int, scale: _Scale) -> Iterator[str]:
        """The cells of a run."""
        part, comparisons = self.part, self.comparisons
        difference = comparisons.baseline_difference(run)
        if self.has_several:
            yield f"<td>{comparisons.place(run)}</td>"
        if self.has_places:
            first, last = comparisons.open_places(run)
            places = f"{first}\u2013{last}"
            yield f"<td>{f'<b>{places}</b>' if first == 1 else places}</td>"
        yield _name_cell(part.runs[run], run == comparisons.baseline and self.has_several)
        yield _plot_cell(
            part.means[0, run].tolist(), scale, difference, run == comparisons.baseline
        )
        for means in part.means:
            yield f"<td>{rounded(float(means[run, 0]), part.decimals)}</td>"
        if self.has_several:
            yield f"<td>{self._difference_text(run, difference)}</td>"
        if self.has_p:
            yield f"<td>{'' if difference is None else html_text(p_shown(difference.p))}</td>"
        if self.has_counts:
            counts = "/".join(map(str, comparisons.wins_ties_losses(run)))
            yield f"<td>{'' if run == comparisons.baseline else counts}</td>"
        if part.judged_rank is not None:
            yield f"<td>{percent(part.runs[run].judged)}</td>"

    def _difference_text(self, run: int, difference: RunDifference | None) -> str:
        """How far a run is from the baseline, with the mark of what the test says."""
        comparisons, decimals = self.comparisons, self.part.decimals
        if run == comparisons.baseline:
            return ""
        if difference is None:
            return signed(float(comparisons.differences[run, comparisons.baseline]), decimals)
        mark, name = _MARKS[difference.verdict]
        verdict = html_text(say(f"verdict_{name}"))
        return (
            f'{signed(difference.difference, decimals)} <span class="{name}" '
            f'aria-hidden="true">{mark}</span><span class="sr">, {verdict}</span>'
        )


def _name_cell(run: PageRun, is_baseline: bool) -> str:
    name = f'<span class="name" title="{html_text(run.name)}">{breakable(run.short)}</span>'
    team = f' <span class="team">{html_text(run.team)}</span>' if run.team else ""
    tag = f' <span class="tag">{html_text(say("baseline"))}</span>' if is_baseline else ""
    return f'<th scope="row" class="text">{name}{team}{tag}</th>'


def _plot_cell(
    mean_low_high: Sequence[float],
    scale: _Scale,
    difference: RunDifference | None,
    is_baseline: bool,
) -> str:
    mean, low, high = mean_low_high
    css_class = "self" if is_baseline else _MARKS[difference.verdict if difference else 0][1]
    bar = ""
    if low == low:
        bar = (
            f'<line class="bar" x1="{scale.position(low)}" x2="{scale.position(high)}" '
            'y1="50%" y2="50%"/>'
        )
    dot = f'<circle class="dot" r="4" cx="{scale.position(mean)}" cy="50%"/>'
    svg = f'<svg aria-hidden="true"><g class="{css_class}">{bar}{dot}</g></svg>'
    return f'<td class="plot">{svg}</td>'


def topic_table_lines(part: PagePart) -> Iterator[str]:
    """For each topic the lowest, the median and the highest score under the first measure."""
    if part.scores is None:
        return
    scores = np.nan_to_num(part.scores[0]) / 1e4
    has_relevant = any(topic.num_relevant is not None for topic in part.topics)
    names = ["topic", *(["relevant"] if has_relevant else []), "lowest", "median", "highest"]
    label = html_text(say("topics"))
    yield f"<section><h2>{label}</h2>"
    yield f'<div class="scroll tall" tabindex="0" role="region" aria-label="{label}">'
    yield '<table class="topics">'
    yield f'<caption class="sr">{html_text(part.measures[0].name)}</caption>'
    heads = "".join(_head(say(name), "text" if name == "topic" else "") for name in names)
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>"
    columns = scores.min(axis=1), np.median(scores, axis=1), scores.max(axis=1)
    for topic, *values in zip(part.topics, *(column.tolist() for column in columns), strict=True):
        relevant = "" if topic.num_relevant is None else topic.num_relevant
        cells = [f"<td>{relevant}</td>"] if has_relevant else []
        cells += [f"<td>{rounded(value, part.decimals)}</td>" for value in values]
        yield f'<tr><th scope="row" class="text">{html_text(topic.id)}</th>{"".join(cells)}</tr>'
    yield "</tbody></table></div></section>"
