"""Tables for people: topics or runs down, measures across, the summary last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from irev.core.text import as_bytes, printable
from irev.errors import MissingExtraError
from irev.writers.account import sentence
from irev.writers.layout import (
    Layout,
    Result,
    cell_text,
    has_labels,
    rows,
    shown_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MARKDOWN_SPECIAL = re.compile(r"[\\|<>*`~$\[\]]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")


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
    with_topics = layout.per_topic or has_labels(results)
    labels = _labels(layout, with_topics=with_topics)
    names = [shown(results[0].scores.columns[index].name) for index in columns]
    body = [
        [
            *(shown(label) for label in _row_labels(result, row.topic, labels)),
            *(shown(cell_text(cell, layout.places)) for cell in row.cells),
        ]
        for result in results
        for row in rows(result.scores, layout, columns)
    ]
    align = ["left"] * len(labels) + ["right"] * len(names)
    table = tabulated(body, [*labels, *names], style, align)
    yield as_bytes(f"{table}\n\n")
    for result in results:
        whose = f"{shown(result.path)}: " if layout.several else ""
        for part in result.scores.summarised():
            label = f"{shown(part.label)}: " if part.of is not None else ""
            yield as_bytes(f"{whose}{label}{shown(sentence(part))}\n")
    for line in _signatures(results):
        yield as_bytes(f"{shown(line)}\n")


def _signatures(results: Sequence[Result]) -> Iterator[str]:
    """A line for all runs, or, where they were not evaluated alike, a line for each."""
    signed = [(r.path, r.scores.signature) for r in results if r.scores.signature is not None]
    if len({signature.without_run for _, signature in signed}) == 1:
        first = signed[0][1]
        yield first.short if len(signed) == 1 else first.without_run
        return
    for path, signature in signed:
        yield f"{path}: {signature.short}"


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
    text = tabulate(
        body,
        headers=headers,
        tablefmt=style,
        disable_numparse=True,
        colalign=align if body else None,
    )
    if style.startswith("latex"):
        # behind \\ and \midrule a bracket would begin an argument
        text = re.sub(r"^(\s*)\[", r"\1{[}", text, flags=re.MULTILINE)
    return text


def _labels(layout: Layout, *, with_topics: bool) -> list[str]:
    if not layout.several:
        return ["topic"]
    return ["run", "topic"] if with_topics else ["run"]


def _row_labels(result: Result, topic: str, labels: Sequence[str]) -> list[str]:
    """The cells that say which row this is: as many as there are labels."""
    named = {"run": result.path, "topic": topic}
    return [named[label] for label in labels]


def markdown(line: str) -> str:
    """A printable line, and nothing in it that Markdown would take for more than a character."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))
