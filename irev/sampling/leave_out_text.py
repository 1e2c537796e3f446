"""What runs owe to the pool, as a table for people, as TSV or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from irev.core.text import as_bytes
from irev.writers.trec import real_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.sampling.leave_out import LeftOut

FORMATS = ("table", "tsv", "json")
_HEAD = ("run", "group", "judged", "relevant", "measure", "score", "left_out", "difference")
_TEXTS = (0, 1, 4)
"""The columns of texts, which stand at the left of their column."""


def blocks(found: Iterable[LeftOut], format: str, places: int) -> Iterator[bytes]:
    """A line for each run and measure: how many judgments only its group brought, the scores.

    `table` has `places` decimals, `tsv` and `json` all digits.
    """
    if format == "json":
        yield as_bytes(json.dumps([_object(one) for one in found], indent=1) + "\n")
        return
    lines = [_HEAD, *(line for one in found for line in _lines(one, format, places))]
    if format == "tsv":
        yield from (as_bytes("\t".join(line) + "\n") for line in lines)
        return
    yield from _aligned(lines)


def _object(one: LeftOut) -> dict[str, object]:
    return {
        "run": one.run,
        "group": one.group,
        "judged": one.documents,
        "relevant": one.relevant,
        "measures": {
            column.name: {"score": score, "left_out": other, "difference": other - score}
            for column, score, other in one.pairs()
        },
    }


def _lines(one: LeftOut, format: str, places: int) -> Iterator[Sequence[str]]:
    for column, score, other in one.pairs():
        values = (score, other, other - score)
        if column.kind == "count":
            texts = [str(int(value)) for value in values]
        elif format == "tsv":
            texts = [repr(value) for value in values]
        else:
            texts = [real_text(value, places) for value in values]
        group = "-" if one.group == one.run else one.group
        yield (one.run, group, str(one.documents), str(one.relevant), column.name, *texts)


def _aligned(lines: Sequence[Sequence[str]]) -> Iterator[bytes]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if number in _TEXTS else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield as_bytes("  ".join(cells).rstrip() + "\n")
