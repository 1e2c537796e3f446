"""Tables for people: topics or runs down, measures across, the summary last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from irev.errors import MissingExtraError
from irev.report.account import sentence
from irev.report.layout import Layout, Result, cell_text, encoded, rows, shown_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MARKDOWN_SPECIAL = re.compile(r"[\\|<>*`~\[\]]|(?<!\w)_|_(?!\w)")


def write_table(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """An aligned table; below it, what the averages stand on."""
    yield from _write(results, layout, "simple", printable)


def write_markdown(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """A table of GitHub's Markdown; below it, what the averages stand on."""
    yield from _write(results, layout, "github", markdown)


def _write(
    results: Sequence[Result], layout: Layout, style: str, shown: Callable[[str], str]
) -> Iterator[bytes]:
    columns = shown_columns(results[0].scores, layout)
    labels = _labels(layout)
    names = [shown(results[0].scores.columns[index].name) for index in columns]
    body = [
        [
            *(shown(label) for label in _row_labels(result, row.topic, layout)),
            *(shown(cell_text(cell, layout.places)) for cell in row.cells),
        ]
        for result in results
        for row in rows(result.scores, layout, columns)
    ]
    align = ["left"] * len(labels) + ["right"] * len(names)
    table = tabulated(body, [*labels, *names], style, align)
    yield encoded(f"{table}\n\n")
    for result in results:
        whose = f"{shown(result.path)}: " if layout.several else ""
        yield encoded(f"{whose}{shown(sentence(result.scores))}\n")


def tabulated(
    body: Sequence[Sequence[str]], headers: Sequence[str], style: str, align: Sequence[str]
) -> str:
    """The text of a table.

    Raises:
        MissingExtraError: tabulate is not installed.
    """
    try:
        from tabulate import tabulate
    except ImportError:
        raise MissingExtraError("tabulate", "all") from None
    # ids such as 007 or 1e5 stay texts: alignment is ours to say
    return tabulate(
        body,
        headers=headers,
        tablefmt=style,
        disable_numparse=True,
        colalign=align if body else None,
    )


def _labels(layout: Layout) -> list[str]:
    if not layout.several:
        return ["topic"]
    return ["run", "topic"] if layout.per_topic else ["run"]


def _row_labels(result: Result, topic: str, layout: Layout) -> list[str]:
    """The cells that say which row this is: as many as `_labels`."""
    if not layout.several:
        return [topic]
    return [result.path, topic] if layout.per_topic else [result.path]


def printable(line: str) -> str:
    """Nothing that would end a line or drive a terminal; bytes that are not UTF-8 stay."""
    return "".join(
        c if c.isprintable() or "\udc80" <= c <= "\udcff" else c.encode("unicode_escape").decode()
        for c in line
    )


def markdown(line: str) -> str:
    """The same, and nothing that Markdown would take for more than a character."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))
