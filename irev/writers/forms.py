"""The forms of output: a function for each, which writes any `Document`.

`OUTPUT_FORMATS` has them by name, and `--format` of every command offers what stands there. A form
is added here alone. What only one of them needs is imported when it is used: names of forms stand
in the help of every command. Below the forms stands how headings, lines and tables are set as text,
in LaTeX, in HTML and in a notebook, and how values are set for machines, as JSON and as lines.
"""

from __future__ import annotations

import io
import math
import os
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

from irev.core.text import count_text, escaped_bytes, printable, spreadsheet_safe
from irev.errors import UsageError
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Marked,
    Part,
    Strong,
    Table,
    best_text,
    cell_text,
    finite_or_none,
)

FormatWriter: TypeAlias = Callable[[Document, int, int | None], Iterator[bytes]]

OUTPUT_FORMATS: dict[str, FormatWriter] = {}
"""Name -> what writes a document, given the decimals and how wide a terminal is, if it is one."""

TEXT = "text"
"""The form of commands whose plain text is a report, line after line; of others, a table."""

PARQUET = ".parquet"
"""What the name of a file ends with that a Parquet table is written to."""

ENDINGS = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv",
    ".tex": "latex", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html",
}  # fmt: skip
"""What the name of a file ends with -> the form that it asks for."""

_ENDINGS_NOT_WRITTEN = frozenset({
    ".pdf", ".ps", ".eps", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".xls", ".xlsx",
    ".xlsm", ".ods", ".numbers", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".xml", ".yaml",
    ".yml", ".feather", ".arrow", ".ipc", ".orc", ".db", ".sqlite", ".duckdb", ".pkl",
    ".pickle", ".npy", ".npz", ".h5", ".rds", ".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".7z",
    ".tar",
})  # fmt: skip
"""Endings that promise what no form of output is."""

MACHINE_FORMATS: list[str] = []
"""The forms that are in full precision and say nothing in words."""

SEPARATORS: dict[str, str] = {}
"""Those that hold one table alone -> what stands between two cells."""


def document_bytes(
    document: Document,
    output_format: str,
    decimals: int = 4,
    width: int | None = None,
    *,
    csv_safe: bool = False,
    details: bool = False,
) -> Iterator[bytes]:
    """A document in a form, in blocks of bytes; what cannot be written is said before the first.

    Args:
        document: what is written.
        output_format: one of `OUTPUT_FORMATS`, or `TEXT`.
        decimals: decimals, in the forms that people read.
        width: of the terminal that it is written to; None: it is written elsewhere.
        csv_safe: whether texts in csv and tsv are made harmless to spreadsheets and terminals.
        details: whether people are shown the details too; LaTeX and machines always have them.
    """
    if not details and output_format != "latex":
        document = document.in_brief()
    if csv_safe and output_format in SEPARATORS:
        return _first_table_delimited(document, SEPARATORS[output_format], safe=True)
    if output_format == TEXT and document.report_lines is not None:
        return (escaped_bytes(f"{line}\n") for line in document.report_lines)
    write = OUTPUT_FORMATS["table" if output_format == TEXT else output_format]
    return write(document, decimals, width)


def text_of(
    document: Document,
    output_format: str,
    decimals: int = 4,
    width: int | None = None,
    *,
    details: bool = False,
) -> str:
    """A document in a form, as a text without the last line end."""
    if output_format not in (TEXT, *OUTPUT_FORMATS):
        raise UsageError(
            f"unknown format '{output_format}': choose one of {', '.join((TEXT, *OUTPUT_FORMATS))}"
        )
    blocks = document_bytes(document, output_format, decimals, width, details=details)
    return b"".join(blocks).decode("utf-8", "backslashreplace").rstrip("\n")


def is_parquet_path(path: str | None) -> bool:
    """Whether the name of a file asks for a Parquet table."""
    return path is not None and path.lower().endswith(PARQUET)


def form_of_path(path: str, forms: Collection[str]) -> str:
    """The form that the name of a file asks for by its end; empty where it asks for none.

    Args:
        path: of the file that is written.
        forms: what can be written to it; Parquet, too, where there is a table.

    Raises:
        UsageError: the name promises what is not written.
    """
    ending = os.path.splitext(path)[1].lower()
    form = ENDINGS.get(ending, "")
    has_table = "table" in forms
    is_page = "html" in forms and not has_table
    is_refused = (ending == PARQUET and not has_table) or (ending == ".txt" and is_page)
    if is_refused or ending in _ENDINGS_NOT_WRITTEN or (form and form not in forms):
        first_endings = {of_it: each for each, of_it in reversed(ENDINGS.items())}
        offered = [
            first_endings[each] for each in OUTPUT_FORMATS if each in {*first_endings} & {*forms}
        ]
        offered += [] if is_page else [".txt", PARQUET][: 1 + has_table]
        there_is = f"the name can end in {', '.join(offered)}"
        hint = "; a browser prints the page as PDF" if ending == ".pdf" and "html" in forms else ""
        raise UsageError(f"{path}: no {ending} is written here; {there_is}{hint}")
    return form


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


@_define_output_format("table")
def _plain(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Plain text; on a terminal a table that is wider is turned or cut into blocks of columns."""
    return document_blocks(document, TableStyle("simple", printable, printable), decimals, width)


@_define_output_format("markdown")
def _markdown(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """GitHub's Markdown."""

    def heading(line: str, level: int) -> str:
        text = escape_markdown(line)
        return f"**{text}**" if level > 3 else f"{'#' * level} {text}"

    style = TableStyle(
        "github",
        escape_markdown,
        lambda cell: f"**{escape_markdown(cell)}**",
        heading,
        lambda line, listed: f"{'- ' * listed}{escape_markdown(line)}",
        superscript="<sup>{}</sup>".format,
        subscript="<sub>{}</sub>".format,
    )
    return document_blocks(document, style, decimals)


@_define_output_format("latex")
def _latex(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """Tables of LaTeX's booktabs; all else is said in comments."""

    def comment(line: str, level_or_listed: object) -> str:
        return f"% {printable(line)}"

    # tabulate escapes what is special to LaTeX in cells, so that commands come in afterwards
    style = TableStyle(
        "latex_booktabs",
        printable,
        lambda cell: f"\2{printable(cell)}\3",
        comment,
        comment,
        marks_best=True,
        superscript="\4{}\3".format,
        subscript="\5{}\3".format,
    )
    return document_blocks(document, style, decimals)


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
    for records in document.records:
        if records.fields:
            yield from delimited_line_blocks([records.fields], separator, safe=safe)
        yield from delimited_line_blocks(records.rows, separator, safe=safe)
        return


@_define_output_format("json", for_machines=True)
def _json(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """One value with everything that is known, in full precision."""
    yield json_bytes(document.data())


@_define_output_format("jsonl", for_machines=True)
def _jsonl(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """A line for each row of each table: an object with the table's name and the row's fields."""
    for records in document.records:
        yield from json_line_blocks(
            {"table": records.name, **dict(zip(records.fields, row, strict=True))}
            for row in records.rows
        )


@_define_output_format("html")
def _html(document: Document, decimals: int, width: int | None) -> Iterator[bytes]:
    """One page that loads and runs nothing; a rounded number has all its digits inside."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    title = html_text(document.title)
    before = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{_PAGE_STYLE}</style>\n</head>\n<body>",
        f"<h1>{title}</h1>",
    )
    lines = chain(before, html_parts(document.parts, decimals), ["</body>\n</html>"])
    return map(page_bytes, lines)


# --- Headings, lines and tables as text, Markdown and LaTeX ---


class TableStyle(NamedTuple):
    """How a form for people sets what stands in a document.

    tabulate_format  tabulate's name for how it sets tables
    escape           makes a text stand for itself
    emphasise        makes a text stand out
    format_heading   sets a heading, given its level
    format_line      sets a line; whether it is an item of a list
    marks_best       whether the best value of a column stands out
    superscript      sets marks behind a number, above
    subscript        likewise, below
    """

    tabulate_format: str
    escape: Callable[[str], str]
    emphasise: Callable[[str], str]
    format_heading: Callable[[str, int], str] = lambda text, level: printable(text)
    format_line: Callable[[str, bool], str] = lambda text, listed: printable(text)
    marks_best: bool = False
    superscript: Callable[[str], str] = "^{}".format
    subscript: Callable[[str], str] = "_{}".format


def document_blocks(
    document: Document, style: TableStyle, decimals: int, width: int | None = None
) -> Iterator[bytes]:
    """The parts of a document, an empty line between them; tables as wide as there is room for."""
    is_first = True
    for part in document.parts:
        text = _part_text(part, style, decimals, width)
        if text:
            yield escaped_bytes(text if is_first else f"\n{text}")
            is_first = False


def text_table(table: Table, decimals: int) -> str:
    """A table in plain text, for a report that is told line by line."""
    return _table_text(table, TableStyle("simple", str, str), decimals, None)


def _part_text(part: Part, style: TableStyle, decimals: int, width: int | None) -> str:
    if isinstance(part, Table):
        if part.label and style.tabulate_format.startswith("latex"):
            return _latex_float(part, style, decimals)
        table = _table_text(part, style, decimals, width) + "\n"
        if not part.label:
            return table
        is_plain = style.tabulate_format == "simple"
        caption_lines = _wrap(part.caption, 80) if is_plain else [part.caption]
        below = [*caption_lines, "", part.source] if part.source else caption_lines
        return f"{table}\n" + "".join(f"{style.format_line(line, False)}\n" for line in below)
    if not isinstance(part, Heading):
        lines: list[str] = []
        for line in part.lines:
            if width is None or len(line) <= width:
                lines.append(line)
            else:  # as wide as the terminal; a signature, which has no blanks, stays on one line
                indent = " " * (len(line) - len(line.lstrip()))
                lines += _wrap(line, width, subsequent_indent=indent)
        return "".join(f"{style.format_line(line, part.listed)}\n" for line in lines)
    heading = f"{style.format_heading(part.text, part.level)}\n"
    if style.tabulate_format == "simple":
        folded = textwrap.wrap(part.below, 80, break_on_hyphens=False)
        return heading + "".join(f"{style.format_line(line, False)}\n" for line in folded)
    return heading + (f"\n{style.format_line(part.below, False)}\n" if part.below else "")


_wrap = partial(textwrap.wrap, break_on_hyphens=False, break_long_words=False)


def _table_text(table: Table, style: TableStyle, decimals: int, width: int | None) -> str:
    grid = _grid_of(table, style, decimals)
    is_plain = not table.ruled and style.tabulate_format == "simple"
    tabulate_format = "plain" if is_plain else style.tabulate_format
    whole = grid.typeset(tabulate_format)
    if width is None or _text_width(whole) <= width or not table.rows:
        return whole
    # the columns that say what a row is: up to the end of the first texts
    texts = [index for index, is_left in enumerate(grid.left) if is_left]
    num_keys = next((index for index in texts if index + 1 not in texts), 0) + 1
    transposed = grid.transpose().typeset(tabulate_format) if num_keys == 1 else whole
    if _text_width(transposed) <= width:
        return transposed
    return "\n\n".join(_column_blocks(grid, num_keys, tabulate_format, width))


def _column_blocks(grid: _Grid, num_keys: int, tabulate_format: str, width: int) -> Iterator[str]:
    """As many columns at a time as there is room for, each time behind those of the keys.

    A column without a head, of marks, stays with the one before.
    """
    units: list[list[int]] = []
    for index in range(num_keys, len(grid.heads)):
        if units and not grid.heads[index]:
            units[-1].append(index)
        else:
            units.append([index])
    keys = column_indices = list(range(num_keys))
    for added in units:
        wider = grid.select([*column_indices, *added]).typeset(tabulate_format)
        if column_indices != keys and _text_width(wider) > width:
            yield grid.select(column_indices).typeset(tabulate_format)
            column_indices = keys
        column_indices = [*column_indices, *added]
    yield grid.select(column_indices).typeset(tabulate_format)


def _text_width(text: str) -> int:
    return max(map(len, text.splitlines()))


class _Grid(NamedTuple):
    """A table as texts, column by column: its head, its cells, whether they stand at the left."""

    heads: list[str]
    columns: list[Sequence[str]]
    left: list[bool]

    @property
    def texts(self) -> list[list[str]]:
        """Each column with its head."""
        return [[head, *cells] for head, cells in zip(self.heads, self.columns, strict=True)]

    def typeset(self, tabulate_format: str) -> str:
        """The text of the table."""
        import tabulate

        rows = list(zip(*self.columns, strict=True))
        sides = ["left" if is_left else "right" for is_left in self.left]
        # ids such as 007 or 1e5 stay texts: alignment is ours to say
        wide_chars_mode = tabulate.WIDE_CHARS_MODE
        tabulate.WIDE_CHARS_MODE = False  # the text would depend on whether wcwidth is installed
        try:
            text = tabulate.tabulate(
                rows,
                self.heads,
                tabulate_format,
                disable_numparse=True,
                colalign=sides if rows else None,
            )
        finally:
            tabulate.WIDE_CHARS_MODE = wide_chars_mode
        if tabulate_format.startswith("latex"):
            # behind \\ and \midrule a bracket would begin an argument, and a star belong to \\
            text = re.sub(r"^(\s*)([\[*])", r"\1{\2}", text, flags=re.MULTILINE)
            text = text.replace("\2", r"\textbf{").replace("\3", "}")
            text = text.replace("\4", r"\textsuperscript{").replace("\5", r"\textsubscript{")
            text = text.replace("\6", r"\allowbreak{}").replace("\7", r"\raggedright{}")
            text = _align_cells_of_latex(text, self.left)
        return text

    def transpose(self) -> _Grid:
        """Its columns as rows: the first column becomes the heads."""
        rows = list(zip(*self.columns[1:], strict=True))
        heads = [self.heads[0], *self.columns[0]]
        return _Grid(heads, [self.heads[1:], *rows], [True, *[False] * len(rows)])

    def select(self, column_indices: Sequence[int]) -> _Grid:
        """Some of its columns."""
        selected = ([series[index] for index in column_indices] for series in self)
        return _Grid(*selected)  # type: ignore[arg-type]


def _align_cells_of_latex(text: str, is_left: Sequence[bool]) -> str:
    """The lines of a table with their cells as wide as the widest of their columns, no wider."""
    lines = text.split("\n")
    cells_of_line = {
        number: [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        for number, line in enumerate(lines)
        if line.endswith(r"\\")
    }
    widths = [max(map(len, column)) for column in zip(*cells_of_line.values(), strict=True)]
    for number, cells in cells_of_line.items():
        aligned = [
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(cells, widths, is_left, strict=True)
        ]
        lines[number] = f" {' & '.join(aligned)} \\\\"
    return "\n".join(lines)


def _grid_of(table: Table, style: TableStyle, decimals: int) -> _Grid:
    return _Grid(
        [style.escape(column.name) for column in table.columns],
        list(column_texts(table, style, decimals)),
        [column.kind == "text" for column in table.columns],
    )


def column_texts(table: Table, style: TableStyle, decimals: int) -> Iterator[list[str]]:
    """The cells of each column as a form shows them."""
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        texts = [cell_text(cell, column, decimals) for cell in cells]
        best = best_text(column, cells, texts) if style.marks_best or table.label else None
        with_stars = table.label and style.tabulate_format == "simple"
        strong = "*{}*".format if with_stars else style.emphasise
        shown = []
        for cell, text in zip(cells, texts, strict=True):
            is_strong = isinstance(cell, Strong) or text == best
            shown.append(strong(text) if is_strong else style.escape(text))
            if isinstance(cell, Marked):
                shown[-1] += style.superscript(cell.marks_above) if cell.marks_above else ""
                shown[-1] += style.subscript(cell.marks_below) if cell.marks_below else ""
        yield shown


_MARKDOWN_SPECIAL = re.compile(
    r"[\\|<>*`~$\[\]]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|^[#+=-](?!\d)|(?<=^\d)[.)](?=\s)"
)


def escape_markdown(line: str) -> str:
    """A printable line, and nothing in it that Markdown would take for more than a character."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))


_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\textbar\allowbreak{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
"""What LaTeX takes for more than a character; a line may end behind the bars of a signature."""


def escape_latex(line: str) -> str:
    """A printable line of running text, and nothing in it that is a command of LaTeX."""
    words = printable(line).split("<=")
    escaped = ("".join(_LATEX_SPECIAL.get(each, each) for each in word) for word in words)
    # of 2 pairs x 3 measures
    return re.sub(r" x (?=\d)", r" \\ensuremath{\\times} ", r"\ensuremath{\leq}".join(escaped))


# --- How a table of LaTeX is set so that it fits ---


BREAKS = re.compile(r"(?<=[-_./])")
"""Behind which characters of a name a line may end."""


def _latex_float(table: Table, style: TableStyle, decimals: int) -> str:
    """A table of LaTeX with its caption, as wide as a column of a paper or as its page."""
    grid = _grid_of(table, style, decimals)
    texts_at = [index for index, is_left in enumerate(grid.left) if is_left]
    names_index = max(
        texts_at, key=lambda index: max(map(len, grid.columns[index]), default=0), default=None
    )
    fit = largest_paper_fit(grid.texts, names_index)
    if fit is None and texts_at == [0]:
        # a row for each column, where that is narrow enough
        turned = _Grid(
            ["", *grid.columns[0]],
            [grid.heads[1:], *map(list, zip(*grid.columns[1:], strict=True))],
            [True, *[False] * len(grid.columns[0])],
        )
        if fit := largest_paper_fit(turned.texts, 0):
            grid, names_index = turned, 0
    too_wide = "" if fit else "% wider than 7 inches: name fewer measures\n"
    source = f"% {printable(table.source)}\n" if table.source else ""
    fit = fit or PaperFit("table*", r"\scriptsize")
    if not fit.points or names_index is None:
        text = grid.typeset(style.tabulate_format)
    else:
        grid.columns[names_index] = [
            "\7" + "\6".join(BREAKS.split(cell)) if cell else ""
            for cell in grid.columns[names_index]
        ]
        text = grid.typeset(style.tabulate_format)
        start = text.index("{tabular}{") + len("{tabular}{") + names_index
        text = f"{text[:start]}p{{{fit.points:.0f}pt}}{text[start + 1 :]}"
    return (
        f"% needs \\usepackage{{booktabs}}\n{too_wide}{source}"
        f"\\begin{{{fit.environment}}}\n\\centering\n"
        f"\\caption{{{escape_latex(table.caption)}}}\n\\label{{{table.label}}}\n"
        f"{fit.size}\\setlength{{\\tabcolsep}}{{3pt}}\n{text}\n\\end{{{fit.environment}}}\n"
    )


COLUMN_POINTS = 238.0
"""How wide a column of a paper is: 3.3 inches, in points of TeX."""

PAGE_POINTS = 505.0
"""And both columns: 7 inches."""


# The width of a table


class PaperFit(NamedTuple):
    """How a table is set so that it fits.

    environment   "table", in a column, or "table*", across the page
    size          the command of the size of its letters
    points        how wide its text column is, in which names are wrapped; 0: as wide as they are
    """

    environment: str
    size: str
    points: float = 0.0


_EMS = {r"\small": 9.25, r"\footnotesize": 8.5, r"\scriptsize": 8.3}
"""Sizes -> points of an em: the widths below are those of letters of 10 points, and the letters of
9, 8 and 7 points are a little wider than their size says."""


def largest_paper_fit(columns: Sequence[Sequence[str]], names_index: int | None) -> PaperFit | None:
    """How a table is set so that it fits; None if it is too wide for a page.

    The letters are as large as they can be, and a column is preferred to a page.

    Args:
        columns: the texts of its columns, each with its head.
        names_index: the index of the column whose names can be wrapped; None: there is none.
    """
    widths = [max(map(width_in_ems, texts), default=0.0) for texts in columns]
    names = 0.0 if names_index is None else widths[names_index]
    parts = (
        [] if names_index is None else [p for t in columns[names_index] for p in BREAKS.split(t)]
    )
    longest_part = max(map(width_in_ems, parts), default=0.0)
    for environment, room, num_lines, num_sizes in (
        ("table", COLUMN_POINTS, 1, 2),
        ("table", COLUMN_POINTS, 2, 2),
        ("table*", PAGE_POINTS, 1, 2),
        ("table*", PAGE_POINTS, 6, 3),
    ):
        for size, em in list(_EMS.items())[:num_sizes]:
            # \\tabcolsep, which is 3 points, on both sides of a column
            left = room - 6.0 * len(columns) - em * (sum(widths) - names)
            if em * names <= left:
                return PaperFit(environment, size)
            # lines end behind parts of names, so that they are not all full
            if em * longest_part <= left and em * names <= 0.9 * left * num_lines and num_lines > 1:
                return PaperFit(environment, size, left)
    return None


_WIDTHS = {
    "ijl.,:;'!|[]": 0.29, "frst()-/ I": 0.4, "cevz": 0.46, "mMW%@": 1.03,
    "ABDEGHKNOQUVXYwT+=<>&": 0.79, "CFLPRSZJ": 0.74, "0123456789abdghknopqux$*_?#\"y": 0.56,
}  # fmt: skip
_WIDTH_OF = {letter: width for letters, width in _WIDTHS.items() for letter in letters}
_RAISED_TEXT = re.compile("[\4\5][^\3]*\3")


def width_in_ems(text: str) -> float:
    r"""How wide a text is at most, in ems of Computer Modern.

    What stands between `\2` and `\3` is bold, between `\4` or `\5` and `\3` raised or lowered.
    """
    raised = "".join(_RAISED_TEXT.findall(text))
    plain = _width_of_letters(_RAISED_TEXT.sub("", text)) * (1.16 if "\2" in text else 1)
    return plain + 0.75 * _width_of_letters(raised)


def _width_of_letters(text: str) -> float:
    return sum(_WIDTH_OF.get(letter, 1.0) for letter in text if letter > "\5")


# --- HTML: pages that load and run nothing, and what they are made of ---


_PAGE_STYLE = """
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
    from html import escape  # it brings its table of entities

    return escape(printable(line))


def html_list(lines: Sequence[str]) -> Iterator[str]:
    """Lines as the items of a list."""
    yield "<ul>"
    yield from (f"<li>{html_text(line)}</li>" for line in lines)
    yield "</ul>"


_HTML_STYLE = TableStyle(
    "",
    html_text,
    lambda text: f"<strong>{html_text(text)}</strong>",
    marks_best=True,
    superscript="<sup>{}</sup>".format,
    subscript="<sub>{}</sub>".format,
)


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


# --- A document as a piece of a notebook ---
# Notebooks run no script of an output that they do not trust, so there is none: what is long is
# folded by the browser itself, and nothing can be sorted. Where styles are taken out, too, as in
# notebooks on GitHub, plain tables are left.


SHOWN_ROWS = 20
"""So many rows of a long table are shown at first."""

MOST_ROWS = 1000
"""And so many when it is unfolded."""

_SHOWN_LINES = 8

_MOST_COLUMNS = 9
"""A table of one row with more columns stands upright."""

# no colour but the notebook's own, which is light or dark
_NOTEBOOK_STYLE = """<style>
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
    lines = [_NOTEBOOK_STYLE, *_part_lines(document.in_brief().parts)]
    if document.brief is not None:
        lines += _details_lines("details", _part_lines(document.parts))
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


# --- Lines for machines ---


_ROWS_AT_ONCE = 1000

_INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that drive a terminal or change the order of what is read; JSON escapes those below
U+0020 by itself."""


def json_bytes(finite_value: Any) -> bytes:
    """A value as JSON; characters that drive a terminal are escaped.

    So is a lone surrogate, a byte that is not UTF-8, as JSON itself would.
    """
    import json

    text = json.dumps(finite_value, indent=1, ensure_ascii=False, allow_nan=False)
    return _terminal_safe_json(text) + b"\n"


def _terminal_safe_json(text: str) -> bytes:
    if text.isascii() and "\x7f" not in text:
        return text.encode()
    # such a character can only stand within a string, where its escape means the same
    text = _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode("utf-8", "backslashreplace")


def json_line_blocks(rows: Iterable[Any]) -> Iterator[bytes]:
    """A line of JSON for each row, some at a time; what is no finite number is null."""
    import json

    remaining = iter(rows)
    while block := list(islice(remaining, _ROWS_AT_ONCE)):
        lines = (
            json.dumps(finite_or_none(row), ensure_ascii=False, allow_nan=False) for row in block
        )
        yield _terminal_safe_json("".join(f"{line}\n" for line in lines))


def delimited_line_blocks(
    rows: Iterable[Iterable[Any]], separator: str = ",", *, safe: bool = False
) -> Iterator[bytes]:
    """Rows as lines, in full precision; quoted where the separator, a quote or a line's end is.

    Where it is to be `safe`, no text is a formula of a spreadsheet or drives a terminal.
    """
    import csv

    remaining = iter(rows)
    if safe:
        remaining = (
            [spreadsheet_safe(c) if isinstance(c, str) else c for c in row] for row in remaining
        )
    while block := list(islice(remaining, _ROWS_AT_ONCE)):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(block)
        yield escaped_bytes(buffer.getvalue())
