"""Headings, lines and tables as the forms for people set them: each says how in a `TableStyle`."""

from __future__ import annotations

import re
import textwrap
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import as_bytes, printable
from irev.writers.document import Heading, Marked, Strong, Table, best_text, cell_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from irev.writers.document import Document, Part


_FOLD = 80
"""Where plain text folds long sentences."""


class TableStyle(NamedTuple):
    """How a form for people sets what stands in a document.

    style    tabulate's name for how it sets tables
    escape   makes a text stand for itself
    strong   makes a text stand out
    heading  sets a heading, given its level
    line     sets a line; whether it is an item of a list
    bold     whether the best value of a column stands out
    raise_   sets marks behind a number
    """

    style: str
    escape: Callable[[str], str]
    strong: Callable[[str], str]
    heading: Callable[[str, int], str] = lambda text, level: printable(text)
    line: Callable[[str, bool], str] = lambda text, listed: printable(text)
    bold: bool = False
    raise_: Callable[[str], str] = "^{}".format


def document_blocks(
    document: Document, style: TableStyle, decimals: int, width: int | None = None
) -> Iterator[bytes]:
    """The parts of a document, an empty line between them; tables as wide as there is room for."""
    is_first = True
    for part in document.parts:
        text = _part(part, style, decimals, width)
        if text:
            yield as_bytes(text if is_first else f"\n{text}")
            is_first = False


def text_table(table: Table, decimals: int) -> str:
    """A table in plain text, for a report that is told line by line."""
    return _table(table, TableStyle("simple", str, str), decimals, None)


def _part(part: Part, style: TableStyle, decimals: int, width: int | None) -> str:
    if isinstance(part, Table):
        table = _table(part, style, decimals, width) + "\n"
        return _captioned(table, part, style) if part.label else table
    if not isinstance(part, Heading):
        lines = part.lines if width is None else [*chain(*(_folded(n, width) for n in part.lines))]
        return "".join(f"{style.line(line, part.listed)}\n" for line in lines)
    heading = f"{style.heading(part.text, part.level)}\n"
    if style.style == "simple":
        folded = textwrap.wrap(part.below, _FOLD, break_on_hyphens=False)
        return heading + "".join(f"{style.line(line, False)}\n" for line in folded)
    return heading + (f"\n{style.line(part.below, False)}\n" if part.below else "")


def _folded(line: str, width: int) -> list[str]:
    """A sentence as wide as the terminal; a signature, which has no blanks, stays on one line."""
    if len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def _captioned(text: str, table: Table, style: TableStyle) -> str:
    """A table with its caption: a float of LaTeX, elsewhere the caption below."""
    if style.style.startswith("latex"):
        above = f"\\caption{{{latex(table.caption)}}}\n\\label{{{table.label}}}\n"
        return (
            "% needs \\usepackage{booktabs}\n"
            f"{_comment(table.source)}"
            f"\\begin{{table}}\n\\centering\n{above}"
            f"\\small\\setlength{{\\tabcolsep}}{{3pt}}\n{text}\\end{{table}}\n"
        )
    folded = [table.caption]
    if style.style == "simple":
        folded = textwrap.wrap(table.caption, _FOLD, break_on_hyphens=False, break_long_words=False)
    lines = [*folded, "", table.source] if table.source else folded
    return text + "\n" + "".join(f"{style.line(line, False)}\n" for line in lines)


def _comment(text: str) -> str:
    """A comment of LaTeX: one line, whatever a name holds."""
    return f"% {printable(text)}\n" if text else ""


class _Grid(NamedTuple):
    """A table as texts, column by column: its head, its cells, whether they stand at the left."""

    heads: list[str]
    columns: list[Sequence[str]]
    left: list[bool]

    def set(self, style: str) -> str:
        """The text of the table."""
        from tabulate import tabulate

        rows = list(zip(*self.columns, strict=True))
        sides = ["left" if is_left else "right" for is_left in self.left]
        # ids such as 007 or 1e5 stay texts: alignment is ours to say
        text = tabulate(
            rows, self.heads, style, disable_numparse=True, colalign=sides if rows else None
        )
        if style.startswith("latex"):
            # behind \\ and \midrule a bracket would begin an argument
            text = re.sub(r"^(\s*)\[", r"\1{[}", text, flags=re.MULTILINE)
            text = text.replace("\2", r"\textbf{").replace("\3", "}")
            text = text.replace("\4", r"\textsuperscript{")
        return text

    def turned(self) -> _Grid:
        """Its columns as rows: the first column becomes the heads."""
        rows = list(zip(*self.columns[1:], strict=True))
        heads = [self.heads[0], *self.columns[0]]
        return _Grid(heads, [self.heads[1:], *rows], [True, *[False] * len(rows)])

    def part(self, columns: Sequence[int]) -> _Grid:
        """Some of its columns."""
        chosen = ([each[at] for at in columns] for each in self)
        return _Grid(*chosen)  # type: ignore[arg-type]


def _table(table: Table, look: TableStyle, decimals: int, width: int | None) -> str:
    grid = _Grid(
        [look.escape(column.name) for column in table.columns],
        list(column_texts(table, look, decimals)),
        [column.kind == "text" for column in table.columns],
    )
    style = look.style if table.ruled or look.style != "simple" else "plain"
    whole = grid.set(style)
    if width is None or _breadth(whole) <= width or not table.rows:
        return whole
    # the columns that say what a row is: up to the end of the first texts
    texts = [at for at, is_left in enumerate(grid.left) if is_left]
    keys = next((at for at in texts if at + 1 not in texts), 0) + 1
    turned = grid.turned().set(style) if keys == 1 else whole
    return turned if _breadth(turned) <= width else "\n\n".join(_blocks(grid, keys, style, width))


def column_texts(table: Table, style: TableStyle, decimals: int) -> Iterator[list[str]]:
    """The cells of each column as a form shows them."""
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        shown = [cell_text(cell, column, decimals) for cell in cells]
        top = best_text(column, cells, shown) if style.bold or table.label else None
        strong = "*{}*".format if table.label and style.style == "simple" else style.strong
        yield [
            (strong(text) if isinstance(cell, Strong) or text == top else style.escape(text))
            + (style.raise_(cell.marks) if isinstance(cell, Marked) and cell.marks else "")
            for cell, text in zip(cells, shown, strict=True)
        ]


def _breadth(text: str) -> int:
    return max(map(len, text.splitlines()))


def _blocks(grid: _Grid, keys: int, style: str, width: int) -> Iterator[str]:
    """As many columns at a time as there is room for, each time behind those of the keys."""
    chosen = list(range(keys))
    for at in range(keys, len(grid.heads)):
        if len(chosen) > keys and _breadth(grid.part([*chosen, at]).set(style)) > width:
            yield grid.part(chosen).set(style)
            chosen = list(range(keys))
        chosen.append(at)
    yield grid.part(chosen).set(style)


_MARKDOWN_SPECIAL = re.compile(
    r"[\\|<>*`~$\[\]]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|^[#+=-](?!\d)|(?<=^\d)[.)](?=\s)"
)


def markdown(line: str) -> str:
    """A printable line, and nothing in it that Markdown would take for more than a character."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))


_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\textbar\allowbreak{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
"""What LaTeX takes for more than a character; a line may end behind the bars of a signature."""


def latex(line: str) -> str:
    """A printable line of running text, and nothing in it that is a command of LaTeX."""
    words = printable(line).split("<=")
    escaped = ("".join(_LATEX_SPECIAL.get(each, each) for each in word) for word in words)
    return r"\ensuremath{\leq}".join(escaped)
