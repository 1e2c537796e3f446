"""A document as a piece of a notebook: tables in the notebook's own colours, long ones folded.

Notebooks run no script of an output that they do not trust, so there is none: what is long is
folded by the browser itself, and nothing can be sorted. Where styles are taken out, too, as in
notebooks on GitHub, plain tables are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import count_text
from irev.writers.document import Head, Keyed, Lines, Table, cell_text
from irev.writers.pages import html_parts, html_table, html_text, page_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from irev.writers.document import Cell, Document, Part

SHOWN_ROWS = 20
"""So many rows of a long table are shown at first."""
MOST_ROWS = 1000
"""And so many when it is unfolded."""
_SHOWN_LINES = 8
_MOST_COLUMNS = 9
"""A table of one row with more columns stands upright."""

# no colour but the notebook's own, which is light or dark
_STYLE = """<style>
.irev { overflow-x: auto; max-width: 100%; }
.irev table { border-collapse: collapse; margin: .5em 0; width: auto; background: none;
  color: inherit; font-size: .95em; }
.irev th, .irev td { padding: .2em .7em; border: 0; border-bottom: 1px solid #80808059;
  text-align: right; white-space: nowrap; background: none; max-width: none; color: inherit;
  font-variant-numeric: tabular-nums lining-nums; }
.irev thead th { border-bottom: 1px solid currentColor; font-weight: 600; vertical-align: bottom; }
.irev th.text, .irev td.text { text-align: left; }
.irev caption { text-align: left; font-weight: 600; caption-side: top; color: inherit;
  padding: .2em 0; }
.irev h2, .irev h3, .irev h4 { font-size: 1.05em; font-weight: 600; margin: .8em 0 .2em; }
.irev ul { margin: .3em 0; padding-left: 1.3em; font-size: .9em; overflow-wrap: anywhere; }
.irev p { margin: .3em 0; overflow-wrap: anywhere; }
.irev summary { cursor: pointer; opacity: .8; }
.irev details[open] + .first { display: none; }
</style>"""


def notebook_html(document: Document, folded: Iterable[tuple[str, Document]] = ()) -> str:
    """The parts of a document, and below them what a reader unfolds.

    Args:
        document: the result.
        folded: what the other parts are, each with its document.
    """
    lines = [_STYLE, *_part_lines(document.parts)]
    for summary, other in folded:
        lines += _details_lines(summary, _part_lines(other.parts))
    text = page_bytes("\n".join(lines)).decode().rstrip("\n")
    return f'<div class="irev">\n{text}\n</div>'


def _part_lines(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Table) and not part.label:
            yield from _table_lines(_upright(part))
        elif isinstance(part, Lines) and len(part.lines) > _SHOWN_LINES:
            yield from _details_lines(f"{len(part.lines)} notes", html_parts([part], 4))
        else:
            yield from html_parts([part], 4)


def _upright(table: Table) -> Table:
    """A table of one row and many columns, turned: its heads are the first column."""
    if len(table.rows) != 1 or len(table.columns) <= _MOST_COLUMNS:
        return table
    (cells,) = table.rows
    keys = [i for i, column in enumerate(table.columns) if column.kind == "text"][:1]
    value_head = str(cells[keys[0]]) if keys else ""
    rows: list[list[Cell]] = [
        [column.name, Keyed(cell_text(cell, column, 4), cell) if isinstance(cell, float) else cell]
        for index, (column, cell) in enumerate(zip(table.columns, cells, strict=True))
        if index not in keys
    ]
    return table._replace(columns=[Head("", "text"), Head(value_head)], rows=rows)


def _table_lines(table: Table) -> Iterator[str]:
    """A table; of a long one the first rows, and all when a reader unfolds it."""
    num_rows = len(table.rows)
    # two more rows are not worth a click
    if num_rows <= SHOWN_ROWS + 2:
        yield from html_table(table, 4, exact_values=False)
        return
    shown = table._replace(rows=table.rows[:MOST_ROWS])
    opening, heads, *rows, closing = html_table(shown, 4, exact_values=False)
    summary = f"all {count_text(num_rows, 'row')}"
    if num_rows > MOST_ROWS:
        summary = f"the first {MOST_ROWS:,} of {num_rows:,} rows; to_frame() has all"
    yield from _details_lines(summary, [opening, heads, *rows, closing])
    yield '<div class="first">'
    yield from (opening, heads, *rows[:SHOWN_ROWS], closing)
    yield f"<p>... {num_rows - SHOWN_ROWS:,} more rows</p></div>"


def _details_lines(summary: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{html_text(summary)}</summary>"
    yield from lines
    yield "</details>"
