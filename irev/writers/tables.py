"""Headings, lines and tables as the forms for people set them: each says how in a `TableStyle`."""

from __future__ import annotations

import re
import textwrap
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import escaped_bytes, printable
from irev.writers.document import Heading, Marked, Strong, Table, best_text, cell_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from irev.writers.document import Document, Part


_FOLD = 80
"""Where plain text folds long sentences."""


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
        return table + _caption_below(part, style) if part.label else table
    if not isinstance(part, Heading):
        lines = part.lines
        if width is not None:
            lines = [*chain.from_iterable(_fold_line(line, width) for line in lines)]
        return "".join(f"{style.format_line(line, part.listed)}\n" for line in lines)
    heading = f"{style.format_heading(part.text, part.level)}\n"
    if style.tabulate_format == "simple":
        folded = textwrap.wrap(part.below, _FOLD, break_on_hyphens=False)
        return heading + "".join(f"{style.format_line(line, False)}\n" for line in folded)
    return heading + (f"\n{style.format_line(part.below, False)}\n" if part.below else "")


def _fold_line(line: str, width: int) -> list[str]:
    """A sentence as wide as the terminal; a signature, which has no blanks, stays on one line."""
    if len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def _latex_float(table: Table, style: TableStyle, decimals: int) -> str:
    """A table of LaTeX with its caption, as wide as a column of a paper or as its page."""
    from irev.writers.paper import BREAKS, PaperFit, largest_paper_fit

    grid = _grid_of(table, style, decimals)
    texts_at = [index for index, is_left in enumerate(grid.left) if is_left]
    names_index = max(
        texts_at, key=lambda index: max(map(len, grid.columns[index]), default=0), default=None
    )
    columns = [[head, *cells] for head, cells in zip(grid.heads, grid.columns, strict=True)]
    fit = largest_paper_fit(columns, names_index)
    too_wide = "" if fit else "% wider than 7 inches: name fewer measures\n"
    fit = fit or PaperFit("table*", r"\scriptsize")
    grid = grid._replace(columns=list(grid.columns))
    if fit.points and names_index is not None:
        grid.columns[names_index] = [
            "\7" + "\6".join(BREAKS.split(cell)) if cell else ""
            for cell in grid.columns[names_index]
        ]
    text = grid.typeset(style.tabulate_format)
    if fit.points and names_index is not None:
        start = text.index("{tabular}{") + len("{tabular}{") + names_index
        text = f"{text[:start]}p{{{fit.points:.0f}pt}}{text[start + 1 :]}"
    return (
        f"% needs \\usepackage{{booktabs}}\n{too_wide}{_latex_comment(table.source)}"
        f"\\begin{{{fit.environment}}}\n\\centering\n"
        f"\\caption{{{escape_latex(table.caption)}}}\n\\label{{{table.label}}}\n"
        f"{fit.size}\\setlength{{\\tabcolsep}}{{3pt}}\n{text}\n\\end{{{fit.environment}}}\n"
    )


def _caption_below(table: Table, style: TableStyle) -> str:
    """The caption of a table, and what it has no room for."""
    caption_lines = [table.caption]
    if style.tabulate_format == "simple":
        caption_lines = textwrap.wrap(
            table.caption, _FOLD, break_on_hyphens=False, break_long_words=False
        )
    lines = [*caption_lines, "", table.source] if table.source else caption_lines
    return "\n" + "".join(f"{style.format_line(line, False)}\n" for line in lines)


def _latex_comment(text: str) -> str:
    """A comment of LaTeX: one line, whatever a name holds."""
    return f"% {printable(text)}\n" if text else ""


class _Grid(NamedTuple):
    """A table as texts, column by column: its head, its cells, whether they stand at the left."""

    heads: list[str]
    columns: list[Sequence[str]]
    left: list[bool]

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


def _grid_of(table: Table, style: TableStyle, decimals: int) -> _Grid:
    return _Grid(
        [style.escape(column.name) for column in table.columns],
        list(column_texts(table, style, decimals)),
        [column.kind == "text" for column in table.columns],
    )


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


def column_texts(table: Table, style: TableStyle, decimals: int) -> Iterator[list[str]]:
    """The cells of each column as a form shows them."""
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        texts = [cell_text(cell, column, decimals) for cell in cells]
        best = best_text(column, cells, texts) if style.marks_best or table.label else None
        with_stars = table.label and style.tabulate_format == "simple"
        strong = "*{}*".format if with_stars else style.emphasise
        yield [
            (strong(text) if isinstance(cell, Strong) or text == best else style.escape(text))
            + (_marks_text(cell, style) if isinstance(cell, Marked) else "")
            for cell, text in zip(cells, texts, strict=True)
        ]


def _marks_text(cell: Marked, style: TableStyle) -> str:
    """The marks of a number as a form sets them."""
    above = style.superscript(cell.marks_above) if cell.marks_above else ""
    return above + (style.subscript(cell.marks_below) if cell.marks_below else "")


def _text_width(text: str) -> int:
    return max(map(len, text.splitlines()))


def _column_blocks(grid: _Grid, num_keys: int, tabulate_format: str, width: int) -> Iterator[str]:
    """As many columns at a time as there is room for, each time behind those of the keys."""
    column_indices = list(range(num_keys))
    for index in range(num_keys, len(grid.heads)):
        wider = grid.select([*column_indices, index]).typeset(tabulate_format)
        if len(column_indices) > num_keys and _text_width(wider) > width:
            yield grid.select(column_indices).typeset(tabulate_format)
            column_indices = list(range(num_keys))
        column_indices.append(index)
    yield grid.select(column_indices).typeset(tabulate_format)


_MARKDOWN_SPECIAL = re.compile(
    r"[\\|<>*`~$\[\]]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|^[#+=-](?!\d)|(?<=^\d)[.)](?=\s)"
)


def escape_markdown(line: str) -> str:
    """A printable line, and nothing in it that Markdown would take for more than a character."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))


_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\textbar\allowbreak{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
"""What LaTeX takes for more than a character; a line may end behind the bars of a signature."""


def escape_latex(line: str) -> str:
    """A printable line of running text, and nothing in it that is a command of LaTeX."""
    words = printable(line).split("<=")
    escaped = ("".join(_LATEX_SPECIAL.get(each, each) for each in word) for word in words)
    return r"\ensuremath{\leq}".join(escaped)
