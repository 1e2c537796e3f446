"""The forms of output: a function for each, which writes any `Document`.

`OUTPUT_FORMATS` has them by name, and `--format` of every command offers what stands there. A form
is added here alone. What only one of them needs is imported when it is used: names of forms stand
in the help of every command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from irev.writers.document import Document

    FormatWriter: TypeAlias = Callable[[Document, int, int | None], Iterator[bytes]]

OUTPUT_FORMATS: dict[str, FormatWriter] = {}
"""Name -> what writes a document, given the decimals and how wide a terminal is, if it is one."""


TEXT = "text"
"""The form of commands whose plain text is a report, line after line; of others, a table."""

PARQUET = ".parquet"
"""What the name of a file ends with that a Parquet table is written to."""

MACHINE_FORMATS: list[str] = []
"""The forms that are in full precision and say nothing in words."""

SEPARATORS: dict[str, str] = {}
"""Those that hold one table alone -> what stands between two cells."""


def _define_output_format(
    name: str, *, for_machines: bool = False, separator: str = ""
) -> Callable[[FormatWriter], FormatWriter]:
    def enter(write: FormatWriter) -> FormatWriter:
        OUTPUT_FORMATS[name] = write
        if for_machines:
            MACHINE_FORMATS.append(name)
        if separator:
            SEPARATORS[name] = separator
        return write

    return enter


def document_bytes(
    document: Document,
    output_format: str,
    decimals: int = 4,
    width: int | None = None,
    *,
    csv_safe: bool = False,
) -> Iterator[bytes]:
    """A document in a form, in blocks of bytes; what cannot be written is said before the first.

    Args:
        document: what is written.
        output_format: one of `OUTPUT_FORMATS`, or `TEXT`.
        decimals: decimals, in the forms that people read.
        width: of the terminal that it is written to; None: it is written elsewhere.
        csv_safe: whether texts in csv and tsv are made harmless to spreadsheets and terminals.
    """
    if csv_safe and output_format in SEPARATORS:
        return _first_table_delimited(document, SEPARATORS[output_format], safe=True)
    if output_format == TEXT and document.report_lines is not None:
        return _report_bytes(document.report_lines)
    return OUTPUT_FORMATS["table" if output_format == TEXT else output_format](
        document, decimals, width
    )


def is_parquet_path(path: str | None) -> bool:
    """Whether the name of a file asks for a Parquet table."""
    return path is not None and path.lower().endswith(PARQUET)


def text_of(
    document: Document, output_format: str, decimals: int = 4, width: int | None = None
) -> str:
    """A document in a form, as a text without the last line end."""
    from irev.errors import UsageError

    if output_format not in (TEXT, *OUTPUT_FORMATS):
        raise UsageError(
            f"unknown format '{output_format}': choose one of {', '.join((TEXT, *OUTPUT_FORMATS))}"
        )
    blocks = document_bytes(document, output_format, decimals, width)
    return b"".join(blocks).decode("utf-8", "backslashreplace").rstrip("\n")


def _report_bytes(lines: Iterable[str]) -> Iterator[bytes]:
    from irev.core.text import escaped_bytes

    for line in lines:
        yield escaped_bytes(f"{line}\n")


# For people


@_define_output_format("table")
def _plain(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Plain text; on a terminal a table that is wider is turned or cut into blocks of columns."""
    from irev.core.text import printable
    from irev.writers.tables import TableStyle, document_blocks

    return document_blocks(document, TableStyle("simple", printable, printable), decimals, width)


@_define_output_format("markdown")
def _markdown(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """GitHub's Markdown."""
    from irev.writers.tables import TableStyle, document_blocks, escape_markdown

    def heading(line: str, level: int) -> str:
        text = escape_markdown(line)
        return f"**{text}**" if level > 3 else f"{'#' * level} {text}"

    style = TableStyle(
        "github", escape_markdown, lambda cell: f"**{escape_markdown(cell)}**", heading,
        lambda line, listed: f"{'- ' * listed}{escape_markdown(line)}",
        superscript="<sup>{}</sup>".format, subscript="<sub>{}</sub>".format,
    )  # fmt: skip
    return document_blocks(document, style, decimals)


@_define_output_format("latex")
def _latex(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Tables of LaTeX's booktabs; all else is said in comments."""
    from irev.core.text import printable
    from irev.writers.tables import TableStyle, document_blocks

    def comment(line: str, level_or_listed: object) -> str:
        return f"% {printable(line)}"

    # tabulate escapes what is special to LaTeX in cells, so that commands come in afterwards
    style = TableStyle(
        "latex_booktabs", printable, lambda cell: f"\2{printable(cell)}\3", comment, comment,
        marks_best=True, superscript="\4{}\3".format, subscript="\5{}\3".format,
    )  # fmt: skip
    return document_blocks(document, style, decimals)


# For machines


@_define_output_format("csv", for_machines=True, separator=",")
def _csv(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Comma-separated values of the first table, in full precision."""
    return _first_table_delimited(document, SEPARATORS["csv"])


@_define_output_format("tsv", for_machines=True, separator="\t")
def _tsv(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Tab-separated values, likewise."""
    return _first_table_delimited(document, SEPARATORS["tsv"])


def _first_table_delimited(
    document: Document, separator: str, *, safe: bool = False
) -> Iterator[bytes]:
    from irev.writers.machine import delimited_line_blocks

    for records in document.records:
        if records.fields:
            yield from delimited_line_blocks([records.fields], separator, safe=safe)
        yield from delimited_line_blocks(records.rows, separator, safe=safe)
        return


@_define_output_format("json", for_machines=True)
def _json(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """One value with everything that is known, in full precision."""
    from irev.writers.machine import json_bytes

    yield json_bytes(document.data())


@_define_output_format("jsonl", for_machines=True)
def _jsonl(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """A line for each row of each table: an object with the table's name and the row's fields."""
    from irev.writers.machine import json_line_blocks

    for records in document.records:
        yield from json_line_blocks(
            {"table": records.name, **dict(zip(records.fields, row, strict=True))}
            for row in records.rows
        )


# For browsers


@_define_output_format("html")
def _html(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """One page that loads and runs nothing; a rounded number has all its digits inside."""
    from irev.writers.pages import page_bytes, page_lines

    return map(page_bytes, page_lines(document, decimals))
