"""A document as one HTML file that loads and runs nothing; what pages are made of."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from irev.core.text import escaped_bytes, printable
from irev.writers.document import Heading, Keyed, Marked, Table
from irev.writers.tables import TableStyle, column_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from irev.writers.document import Document, Part

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: 1.5rem 0 .5rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
td, th { padding: .2rem .8rem; text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums lining-nums; } .text { text-align: left; }
thead th { border-bottom: 1px solid; } tr + tr td { border-top: 1px solid #8884; }
"""


def page_bytes(line: str) -> bytes:
    r"""A line of a page: bytes of names that are not UTF-8 are shown as `\xNN`."""
    return escaped_bytes(f"{line}\n")


def page_lines(document: Document, decimals: int) -> Iterator[str]:
    """The lines of a page; what is rounded has all its digits inside."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html_text(document.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{html_text(document.title)}</h1>"
    yield from html_parts(document.parts, decimals)
    yield "</body>\n</html>"


def html_parts(parts: Iterable[Part], decimals: int) -> Iterator[str]:
    """The parts of a document, below each other."""
    for part in parts:
        if isinstance(part, Table):
            yield from html_table(part._replace(caption="") if part.label else part, decimals)
            if part.label:
                yield f"<p>{html_text(part.caption)}</p>"
            if part.source:
                yield f"<p><small>{html_text(part.source)}</small></p>"
            continue
        if isinstance(part, Heading):
            yield f"<h{part.level}>{html_text(part.text)}</h{part.level}>"
            if part.below:
                yield f"<p>{html_text(part.below)}</p>"
        elif part.lines:
            yield from html_list(part.lines)


def html_text(line: str) -> str:
    """A printable line in which nothing is a tag."""
    return escape(printable(line))


def html_list(lines: Sequence[str]) -> Iterator[str]:
    """Lines as the items of a list."""
    yield "<ul>"
    yield from (f"<li>{html_text(line)}</li>" for line in lines)
    yield "</ul>"


def html_table(table: Table, decimals: int, *, exact_values: bool = True) -> Iterator[str]:
    """A table; a cell that shows less than its value has this in `data-v` if these are wanted."""
    cell_classes = [' class="text"' if column.kind == "text" else "" for column in table.columns]
    heads = "".join(
        f'<th scope="col"{cell_class}>{html_text(column.name).replace("/", "/<wbr>")}</th>'
        for column, cell_class in zip(table.columns, cell_classes, strict=True)
    )
    caption = f"<caption>{html_text(table.caption)}</caption>" if table.caption else ""
    yield f'<div class="scroll"><table>{caption}'
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>"
    shown = zip(*column_texts(table, _HTML_STYLE, decimals), strict=True)
    for row, texts in zip(table.rows, shown, strict=False):
        cells = zip(cell_classes, row, texts, strict=True)
        row_html = "".join(
            f"<td{cell_class}{_sort_attribute(value) if exact_values else ''}>{text}</td>"
            for cell_class, value, text in cells
        )
        yield f"<tr>{row_html}</tr>"
    yield "</tbody></table></div>"


def _sort_attribute(value: Any) -> str:
    """The number behind what is shown: of an interval its lower end."""
    if isinstance(value, Keyed):
        value = value.key
    elif isinstance(value, Marked):
        value = value.value
    elif isinstance(value, tuple):
        value = value[0]
    elif not isinstance(value, float):
        return ""
    return f' data-v="{value!r}"' if math.isfinite(value) else ' data-v=""'


_HTML_STYLE = TableStyle(
    "", html_text, lambda text: f"<strong>{html_text(text)}</strong>", marks_best=True,
    superscript="<sup>{}</sup>".format, subscript="<sub>{}</sub>".format,
)  # fmt: skip
