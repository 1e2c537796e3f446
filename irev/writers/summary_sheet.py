"""The summary sheet of a run, as TREC prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import as_text, escaped_bytes, printable
from irev.measures.families.interpolation import (
    RECALL_LEVELS,
    RULES_IN_WORDS,
    recall_level_measures,
)
from irev.writers.account import topics_sentence
from irev.writers.trec import ScoredFile, ScoreLayout, real_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.scores.scores import Scores

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = (("Retrieved", "num_ret"), ("Relevant", "num_rel"), ("Rel-ret", "num_rel_ret"))
_OTHERS = ("num_q", *(name for _, name in COUNTS), "map", "Rprec", "P")


def sheet_measures(recall_rule: str) -> tuple[str, ...]:
    """What a sheet shows, whatever else could be asked for; P has a sheet's cutoffs."""
    return (*_OTHERS, *recall_level_measures(recall_rule))


_WIDTH = 56


class SheetSection(NamedTuple):
    """A part of a sheet: a heading, the heads of its two columns, and rows."""

    title: str
    heads: tuple[str, str]
    rows: list[tuple[str, str]]


def write_summary_sheets(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """A sheet for each run, empty lines between them."""
    for number, result in enumerate(results):
        if number:
            yield b"\n\n"
        yield escaped_bytes("\n".join(_sheet_lines(result, layout)) + "\n")


def _sheet_lines(result: ScoredFile, layout: ScoreLayout) -> Iterator[str]:
    for section in sheet_sections(result, layout):
        yield section.title
        if section.heads[1]:
            yield _two_columns(f"   {section.heads[0]}", section.heads[1])
        for name, value in section.rows:
            yield _two_columns(f"   {name}", value)
        yield ""
    yield from sheet_notes(result.scores, layout.recall_rule)


def _two_columns(left: str, right: str) -> str:
    return f"{left} {right.rjust(_WIDTH - len(left) - 1)}"


def sheet_sections(result: ScoredFile, layout: ScoreLayout) -> list[SheetSection]:
    """The parts of a run's sheet, in TREC's words."""
    values = result.scores.summary()
    counts = {column.name for column in result.scores.columns if column.kind == "count"}

    def real(name: str) -> str:
        return real_text(values[name], layout.decimals)

    def count(name: str) -> str:
        # a mean over orders of ties is no count
        return str(int(values[name])) if name in counts else real(name)

    description = result.place if layout.description is None else layout.description
    run_rows = [
        ("Run Number", printable(as_text(result.scores.run_id))),
        ("Run Description", printable(description)),
        ("Number of Topics", count("num_q")),
    ]
    at_levels = zip(RECALL_LEVELS, recall_level_measures(layout.recall_rule), strict=True)
    return [
        SheetSection("Summary Statistics", ("", ""), run_rows),
        SheetSection(
            "Total number of documents over all topics", ("", ""),
            [(f"{title}:", count(name)) for title, name in COUNTS],
        ),
        SheetSection(
            "Recall Level Precision Averages", ("Recall", "Precision"),
            [(f"{level:.2f}", real(name)) for level, name in at_levels],
        ),
        SheetSection(
            "Average precision over all relevant docs", ("", ""),
            [("non-interpolated", real("map"))],
        ),
        SheetSection(
            "Document Level Averages", ("", "Precision"),
            [(f"At {cutoff:>4} docs", real(f"P_{cutoff}")) for cutoff in CUTOFFS],
        ),
        SheetSection(
            "R-Precision (precision after R docs retrieved (where R is the\n"
            "number of relevant documents))", ("", ""),
            [("Exact", real("Rprec"))],
        ),
    ]  # fmt: skip


def sheet_notes(scores: Scores, recall_rule: str) -> Iterator[str]:
    """What the averages rest on: the rule of the recall levels, the topics, the signature."""
    yield f"recall levels: {RULES_IN_WORDS[recall_rule]}; --recall-rule {recall_rule}"
    yield printable(topics_sentence(scores))
    if scores.signature is not None:
        yield printable(scores.signature.short)
