"""A part of the page as it is read without its script; the script says the same in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.writers.pages import html_list, html_text
from irev.writers.results_page.answer import answer_lines
from irev.writers.results_page.comparisons import Comparisons
from irev.writers.results_page.numbers_shown import breakable_text
from irev.writers.results_page.static_tables import run_table_lines, topic_table_lines
from irev.writers.results_page.words import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.writers.results_page.page_data import PagePart

_CODE = ("signature", "command", "commands")
"""Headings of texts that are code."""


def part_lines(part: PagePart) -> Iterator[str]:
    """The answer, the table with its plot, remarks, topics, and how the numbers were made."""
    comparisons = Comparisons(part)
    yield '<section class="part">'
    if part.name:
        yield f'<h2 class="partname">{html_text(part.name)}</h2>'
    yield from answer_lines(part, comparisons)
    yield f"<section><h2>{html_text(say('runs'))}</h2>"
    yield from run_table_lines(part, comparisons)
    notes = [*_notes(part, comparisons)]
    if notes:
        paragraphs = "".join(f"<p>{breakable_text(note)}</p>" for note in notes)
        yield f'<div class="notes">{paragraphs}</div>'
    yield "</section>"
    yield from _remark_lines(part)
    yield from topic_table_lines(part)
    yield f'<section class="made"><h2>{html_text(say("made"))}</h2><dl>'
    for heading, text in part.made:
        shown = f"<code>{html_text(text)}</code>" if heading in _CODE else html_text(text)
        yield f"<dt>{html_text(heading)}</dt><dd>{shown}</dd>"
    yield "</dl></section>\n</section>"


def _notes(part: PagePart, comparisons: Comparisons) -> Iterator[str]:
    """What a reader must know of the columns of tests."""
    if not comparisons.is_tested:
        return
    yield from comparisons.sentences
    yield say("marks", alpha=f"{part.alpha:g}")
    if part.kind == "board" and comparisons.pairs is not None:
        yield say("tied")
    if part.baseline is None:
        baseline = part.runs[comparisons.baseline].short
        yield say("no_baseline", baseline=baseline, measure=part.measures[0].name)


def _remark_lines(part: PagePart) -> Iterator[str]:
    if not part.remarks and not part.broken:
        return
    yield f'<section class="remarks"><h2>{html_text(say("remarks"))}</h2>'
    if part.remarks:
        yield from html_list(part.remarks)
    if part.broken:
        heading, *lines = part.broken
        yield f"<details><summary>{html_text(heading)}</summary>"
        yield from html_list(lines)
        yield "</details>"
    yield "</section>"
