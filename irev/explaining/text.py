"""Explanations as text: tables for people, JSON for programs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from irev.core.text import as_bytes, printable
from irev.writers.entries import both_forms
from irev.writers.layout import signless_zero
from irev.writers.machine import as_json, finite
from irev.writers.table import tabulated
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.explaining.explanation import Cell, Explanation
    from irev.signature import Signature

SHORTEST_GAP = 4
"""Fewer documents without a judgment that change nothing are shown as they are."""

_TEXTS = ("document",)


def write_table(
    explanations: Sequence[Explanation], places: int, *, every_rank: bool
) -> Iterator[bytes]:
    """A table for each explanation, with what it is about above and what it stands on below.

    Unless `every_rank`, the table ends where the value changes for the last time, and longer
    stretches of documents without a judgment that change nothing are told in one line.
    """
    for number, explanation in enumerate(explanations):
        text = "\n" if number else ""
        text += _table(explanation, places, every_rank=every_rank)
        yield as_bytes(text)


def _table(explanation: Explanation, places: int, *, every_rank: bool) -> str:
    headings = list(explanation.columns)
    rows = [
        [_cell(heading, cell, places) for heading, cell in zip(headings, row, strict=True)]
        for row in zip(*explanation.columns.values(), strict=True)
    ]
    if not every_rank:
        rows = _shortened(rows, explanation)
    if explanation.start:
        nothing = [""] * len(headings)
        nothing[1], nothing[-1] = "(nothing)", _number(explanation.start, places)
        rows.insert(0, nothing)
    align = ["left" if heading in _TEXTS else "right" for heading in headings]
    table = tabulated(rows, headings, "simple", align)
    return "\n".join(
        [*_above(explanation, places), "", table, "", *_below(explanation, places), ""]
    )


def _above(explanation: Explanation, places: int) -> list[str]:
    score = _number(explanation.score, places)
    about = explanation.measure
    formula = textwrap.wrap(f"{about.name} = {about.formula}", 80, break_on_hyphens=False)
    return [f"{explanation.name} of topic {printable(explanation.topic)}: {score}", *formula]


def _below(explanation: Explanation, places: int) -> list[str]:
    lines = []
    for fact in explanation.facts:
        value = fact.value if isinstance(fact.value, str) else _number(fact.value, places)
        meaning = f"  ({fact.meaning})" if fact.meaning else ""
        lines.append(f"{fact.name}: {value}{meaning}")
    return lines


def _shortened(rows: list[list[str]], explanation: Explanation) -> list[list[str]]:
    """Without what changes nothing: the end, and long stretches of unjudged documents."""
    adds = explanation.columns["adds"]
    changing = [place for place, added in enumerate(adds) if added != 0]
    last = max([-1, *changing, min(explanation.cutoff or 0, len(adds)) - 1])
    grades = [cells for name, cells in explanation.columns.items() if name.startswith("grade")]
    silent = [
        added == 0 and bool(grades) and all(cells[place] is None for cells in grades)
        for place, added in enumerate(adds)
    ]
    shown: list[list[str]] = []
    place = 0
    while place <= last:
        after = place
        while after <= last and silent[after]:
            after += 1
        if after - place >= SHORTEST_GAP:
            shown.append(_gap(rows[0], f"... {after - place} unjudged"))
        else:
            shown += rows[place:after]
        shown += rows[after : min(after, last) + 1]
        place = after + 1
    rest = len(rows) - 1 - last
    if rest:
        shown.append(_gap(rows[0], f"... {rest} more"))
    return shown


def _gap(like: list[str], text: str) -> list[str]:
    """A line that says what is not shown."""
    return ["", text, *[""] * (len(like) - 2)]


def _cell(heading: str, cell: Cell, places: int) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return printable(cell)
    if heading == "score":
        return f"{cell:g}" if cell == float(f"{cell:g}") else repr(cell)
    if heading in ("adds", "value"):
        return _number(cell, places)
    return str(cell) if isinstance(cell, int) else f"{cell:.{places}f}"


def _number(value: float | None, places: int) -> str:
    """Whole numbers without decimals; no zero with a sign."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return signless_zero(value, places)


def write_json(explanations: Sequence[Explanation], signature: Signature | None) -> Iterator[bytes]:
    """`irev` (the version), `signature` and `explanations`, every rank in full precision.

    An infinite value is null, as is what cannot be said of a document. Bytes that are not UTF-8
    are lone surrogates U+DC80..U+DCFF.
    """
    yield as_json(
        {
            "irev": version(),
            "signature": both_forms(signature),
            "explanations": [_as_object(each) for each in explanations],
        }
    )


def _as_object(explanation: Explanation) -> dict[str, Any]:
    names = [heading.replace(" ", "_") for heading in explanation.columns]
    return {
        "measure": explanation.name,
        "topic": explanation.topic,
        "formula": explanation.measure.formula,
        "score": finite(explanation.score),
        "start": finite(explanation.start),
        "ranks": [
            dict(zip(names, map(finite, row), strict=True))
            for row in zip(*explanation.columns.values(), strict=True)
        ],
        "facts": {fact.name.replace(" ", "_"): finite(fact.value) for fact in explanation.facts},
    }
