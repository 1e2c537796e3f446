"""Explanations as a document: a table for each, what it is about above, what it stands on below."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.version import __version__
from irev.writers.document import Document, Head, Heading, Lines, Records, Table, rounded_text
from irev.writers.machine import finite_or_none, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.jobs.explain.explain import Explanation
    from irev.jobs.explain.explainer import Cell, ExplainedScore
    from irev.scores.signature import Signature
    from irev.writers.document import Part

SHORTEST_GAP = 4
"""Fewer documents without a judgment that change nothing are shown as they are."""


def explanation_document(explanation: Explanation, decimals: int) -> Document:
    """A table for each score; for machines every rank in full precision."""
    scores, signature = explanation.scores, explanation.signature
    return Document(
        "How scores come about",
        score_parts(scores, signature, decimals, every_rank=explanation.every_rank),
        _rank_records(scores),
        partial(_all_data, scores, signature),
    )


def score_parts(
    explanations: Sequence[ExplainedScore],
    signature: Signature | None,
    decimals: int,
    *,
    every_rank: bool,
) -> Iterator[Part]:
    """A heading, a table and what stands below it for each explanation, then the signature.

    Unless `every_rank`, a table ends where the value changes for the last time, and longer
    stretches of documents without a judgment that change nothing are told in one line.
    """
    for explanation in explanations:
        measure = explanation.measure
        score = _number_text(explanation.score, decimals)
        title = f"{explanation.name} of topic {explanation.topic}: {score}"
        yield Heading(title, below=f"{measure.name} = {measure.formula}")
        yield _score_table(explanation, decimals, every_rank)
        yield Lines(list(_fact_lines(explanation, decimals)))
    if signature is not None:
        yield Lines([signature.short], listed=False)


def _score_table(explanation: ExplainedScore, decimals: int, every_rank: bool) -> Table:
    headings = list(explanation.columns)
    num_ranks = len(explanation.columns["rank"])
    shown: Iterable[int | str]
    shown = range(num_ranks) if every_rank else _shown_rank_indices_and_gaps(explanation)
    rows = [
        ["", each, *[""] * (len(headings) - 2)]
        if isinstance(each, str)
        else [
            _cell_text(heading, cells[each], decimals)
            for heading, cells in explanation.columns.items()
        ]
        for each in shown
    ]
    if explanation.start:
        empty_row = [""] * len(headings)
        empty_row[1], empty_row[-1] = "(nothing)", _number_text(explanation.start, decimals)
        rows.insert(0, empty_row)
    columns = [Head(name, "text" if name == "document" else "number") for name in headings]
    return Table(columns, rows)


def _fact_lines(explanation: ExplainedScore, decimals: int) -> Iterator[str]:
    for fact in explanation.facts:
        value = fact.value if isinstance(fact.value, str) else _number_text(fact.value, decimals)
        meaning = f"  ({fact.meaning})" if fact.meaning else ""
        yield f"{fact.name}: {value}{meaning}"


def _shown_rank_indices_and_gaps(explanation: ExplainedScore) -> Iterator[int | str]:
    """The ranks; and in words what changes nothing, the end and long stretches of unjudged ones."""
    adds = explanation.columns["adds"]
    changing_ranks = [rank_index for rank_index, added in enumerate(adds) if added != 0]
    last_rank_index = max([-1, *changing_ranks, min(explanation.cutoff or 0, len(adds)) - 1])
    grades = [cells for name, cells in explanation.columns.items() if name.startswith("grade")]
    is_silent = [False] * len(adds)
    if grades:
        is_silent = [
            added == 0 and cells.count(None) == len(cells)
            for added, cells in zip(adds, zip(*grades, strict=True), strict=True)
        ]
    rank_index = 0
    while rank_index <= last_rank_index:
        after = rank_index
        while after <= last_rank_index and is_silent[after]:
            after += 1
        if after - rank_index >= SHORTEST_GAP:
            yield f"... {after - rank_index} unjudged"
        else:
            yield from range(rank_index, after)
        yield from range(after, min(after, last_rank_index) + 1)
        rank_index = after + 1
    num_rest = len(adds) - 1 - last_rank_index
    if num_rest:
        yield f"... {num_rest} more"


def _cell_text(heading: str, cell: Cell, decimals: int) -> str:
    """A cell in words: a score has all its digits, and what cannot be said is a dash."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if heading == "score":
        return f"{cell:g}" if cell == float(f"{cell:g}") else repr(cell)
    if heading in ("adds", "value"):
        return _number_text(cell, decimals)
    return str(cell) if isinstance(cell, int) else rounded_text(cell, decimals)


def _number_text(value: float | None, decimals: int) -> str:
    """Whole numbers without decimals; no zero with a sign."""
    if value is None or value != value:
        return "-"
    if isinstance(value, int):
        return str(value)
    return rounded_text(value, decimals)


def _rank_records(explanations: Sequence[ExplainedScore]) -> Iterator[Records]:
    """The ranks; what only some of the measures speak of is empty for the others."""
    names = list(dict.fromkeys(name for each in explanations for name in each.columns))

    def rows() -> Iterator[list[Any]]:
        for each in explanations:
            for row in zip(*each.columns.values(), strict=True):
                cells = dict(zip(each.columns, row, strict=True))
                yield [each.name, each.topic, *(cells.get(name) for name in names)]

    yield Records("ranks", ["measure", "topic", *(n.replace(" ", "_") for n in names)], rows())


def _all_data(
    explanations: Sequence[ExplainedScore], signature: Signature | None
) -> dict[str, Any]:
    """`irev` (the version), `signature` and `explanations`, every rank in full precision.

    An infinite value is null, as is what cannot be said of a document. Bytes that are not UTF-8
    are lone surrogates U+DC80..U+DCFF.
    """
    return {
        "irev": __version__,
        "signature": signature_data(signature),
        "explanations": [_explanation_data(each) for each in explanations],
    }


def _explanation_data(explanation: ExplainedScore) -> dict[str, Any]:
    names = [heading.replace(" ", "_") for heading in explanation.columns]
    return {
        "measure": explanation.name,
        "topic": explanation.topic,
        "formula": explanation.measure.formula,
        "score": finite_or_none(explanation.score),
        "start": finite_or_none(explanation.start),
        "ranks": [
            dict(zip(names, map(finite_or_none, row), strict=True))
            for row in zip(*explanation.columns.values(), strict=True)
        ],
        "facts": {
            fact.name.replace(" ", "_"): finite_or_none(fact.value) for fact in explanation.facts
        },
    }
