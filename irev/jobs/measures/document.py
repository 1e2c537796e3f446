"""Measures, suites and pages of measures, as documents."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from irev.measures.describe import (
    direction_text,
    measure_json,
    measure_signature,
    measures_by_family,
    page_markdown,
    page_text,
    range_text,
    suite_list_item_markdown,
    suite_text,
)
from irev.measures.registry import Cutoffs, Fractions, aliased_measure
from irev.writers.document import Document, Head, Heading, Lines, Records, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.jobs.measures.measure_list import MeasureList, MeasurePage
    from irev.measures.naming.suites import Suite
    from irev.measures.registry import Measure, TrecName
    from irev.writers.document import Part

_FIELDS = (
    "name", "written", "title", "family", "range", "higher_is_better", "kind", "summary",
    "judgments", "sets", "aliases", "formula", "source",
)  # fmt: skip
"""Of a record, what a row tells."""

_MOST_NAMES = 20
"""How many names of other measures are shown."""

_WIDEST_NAME = 24
"""How wide the column of names is in a list."""


def list_document(result: MeasureList, decimals: int) -> Document:
    """The measures by family, or the suites; rows have more of their records."""
    if result.suites:
        return _suites_document(result.suites)
    heads = [Head(name, "text") for name in ("measure", "title", "range", "better", "sets")]
    parts = [
        part
        for family, members in measures_by_family(result.measures)
        for part in (
            Heading(family),
            Table(heads, [
                [measure_signature(m), m.title, range_text(m), direction_text(m), ", ".join(m.sets)]
                for m in members
            ]),
        )
    ]  # fmt: skip
    records = [Records("measures", _FIELDS, map(_row, result.measures))]
    blocks = (
        _separate_blocks(map(page_text, result.descriptions()))
        if result.are_named
        else _list_blocks(result.measures)
    )
    return Document(
        "Measures", parts, records, lambda: [measure_json(each) for each in result.measures],
        _lines(chain(blocks, [_see_also_line(result.also)])),
    )  # fmt: skip


def page_document(result: MeasurePage, decimals: int) -> Document:
    """The paragraphs and facts of a measure; its record as JSON has it."""
    description = result.description
    rows = [[*fact] for fact in description.facts]
    heads = [Head(name, "text") for name in ("fact", "text")]
    parts: list[Part] = [Lines(description.paragraphs, listed=False), Table(heads, rows)]
    return Document(
        f"{measure_signature(result.measure)}: {result.measure.title}",
        parts,
        [Records("facts", ("fact", "text"), rows)],
        lambda: measure_json(result.measure),
        _lines([page_text(description), _see_also_line(result.also)]),
    )


def markdown_pages(result: MeasureList | MeasurePage) -> Iterator[str]:
    """The pages of measures, or the suites, as Markdown."""
    suites = getattr(result, "suites", ())
    pages = (
        map(suite_list_item_markdown, suites)
        if suites
        else map(page_markdown, result.descriptions())
    )
    return _separate_blocks(pages)


def _separate_blocks(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks of text with an empty line between two."""
    for index, block in enumerate(blocks):
        yield f"\n{block}" if index else block


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """The lines of blocks of text, each of which ends in a line end."""
    return (line for block in blocks if block for line in block.removesuffix("\n").split("\n"))


def _list_blocks(measures: Sequence[Measure]) -> Iterator[str]:
    """A line for each measure, by family; trec_eval's names for it stand behind the title."""
    names = {measure.name for measure in measures}
    aliased = {m.name for m in measures if (a := aliased_measure(m.name)) and a[0].name in names}
    for index, (family, members) in enumerate(measures_by_family(measures)):
        yield ("\n" if index else "") + f"{family}\n"
        for measure in members:
            if measure.position and measure.name in aliased:
                continue
            trec_names = [_trec_spelling(each) for each in measure.trec if each.name in aliased]
            more = f" ({', '.join(trec_names)})" if trec_names else ""
            name = _abbreviated_signature(measure)
            yield f"  {name:<{_WIDEST_NAME}} {measure.title}{more}\n"


def _trec_spelling(name: TrecName) -> str:
    """How trec_eval writes one of its names."""
    letters: dict[type, str] = {Cutoffs: ".k", Fractions: ".x"}
    return name.name + letters.get(type(name.parameter), "")


def _abbreviated_signature(measure: Measure) -> str:
    """How the measure is written, without its options where they are many."""
    name = measure_signature(measure)
    return name if len(name) <= _WIDEST_NAME else re.sub(r"[(].*[)]", "(...)", name)


def _see_also_line(names: Sequence[str]) -> str:
    """Other measures, as many as are read; empty where there is none."""
    num_more = len(names) - _MOST_NAMES
    more = f" and {num_more} more" if num_more > 0 else ""
    return f"\nSee also: {', '.join(names[:_MOST_NAMES])}{more}\n" if names else ""


def _row(measure: Measure) -> list[Any]:
    """The fields of a row."""
    values = {**measure_json(measure), "range": range_text(measure)}
    return [", ".join(v) if isinstance(v, list) else v for v in map(values.get, _FIELDS)]


def _suites_document(suites: Sequence[Suite]) -> Document:
    """The suites, each in a row."""
    rows: list[list[Any]] = [
        [s.name, s.title, ", ".join(s.measures), s.source, s.version] for s in suites
    ]
    names = ("name", "title", "measures", "source", "version")
    heads = [Head(name, "text") for name in names]
    return Document(
        "Suites of measures",
        [Table(heads, rows)],
        [Records("suites", names, rows)],
        lambda: [s._asdict() for s in suites],
        _lines(_separate_blocks(map(suite_text, suites))),
    )
