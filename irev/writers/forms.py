"""The forms of output: a function for each, which writes any `Document`.

`FORMS` has them by name, and `--format` of every command offers what stands there. A form is added
here alone. What only one of them needs is imported when it is used: names of forms stand in the
help of every command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from irev.writers.document import Document, Part, Table

    Form: TypeAlias = Callable[[Document, int, int | None], Iterator[bytes]]

FORMS: dict[str, Form] = {}
"""Name -> what writes a document, given the decimals and how wide a terminal is, if it is one."""


TEXT = "text"
"""The form of commands whose plain text is a report, line after line; of others, a table."""

FOR_MACHINES = ("csv", "tsv", "json", "jsonl")
"""The forms that are in full precision and say nothing in words."""


def _form(name: str) -> Callable[[Form], Form]:
    def added(write: Form) -> Form:
        FORMS[name] = write
        return write

    return added


def written(
    document: Document, form: str, places: int = 4, width: int | None = None
) -> Iterator[bytes]:
    """A document in a form, in blocks of bytes; what cannot be written is said before the first.

    Args:
        document: what is written.
        form: one of `FORMS`, or `TEXT`.
        places: decimals, in the forms that people read.
        width: of the terminal that it is written to; None: it is written elsewhere.
    """
    if form == TEXT and document.told is not None:
        return _told(document.told)
    return FORMS["table" if form == TEXT else form](document, places, width)


def _told(lines: Iterable[str]) -> Iterator[bytes]:
    from irev.core.text import as_bytes

    for line in lines:
        yield as_bytes(f"{line}\n")


# For people


class Look(NamedTuple):
    """How a form for people sets what stands in a document.

    style    tabulate's name for how it sets tables
    escape   makes a text stand for itself
    strong   makes a text stand out
    heading  sets a heading, given its level
    line     sets a line; whether it is an item of a list
    bold     whether the best value of a column stands out
    """

    style: str
    escape: Callable[[str], str]
    strong: Callable[[str], str]
    heading: Callable[[str, int], str]
    line: Callable[[str, bool], str]
    bold: bool = False


@_form("table")
def _plain(document: Document, places: int, width: int | None) -> Iterator[bytes]:
    """Plain text; on a terminal a table that is wider is turned or cut into blocks of columns."""
    from irev.core.text import printable

    def line(text: str, _: object) -> str:
        return printable(text)

    return _parts(document, Look("simple", printable, printable, line, line), places, width)


@_form("markdown")
def _markdown(document: Document, places: int, _: int | None) -> Iterator[bytes]:
    """GitHub's Markdown."""

    def heading(line: str, level: int) -> str:
        return f"**{markdown(line)}**" if level > 3 else f"{'#' * level} {markdown(line)}"

    look = Look(
        "github", markdown, lambda cell: f"**{markdown(cell)}**", heading,
        lambda line, listed: f"{'- ' * listed}{markdown(line)}",
    )  # fmt: skip
    return _parts(document, look, places)


_MARKDOWN_SPECIAL = re.compile(
    r"[\\|<>*`~$\[\]]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|^[#+=-](?!\d)|(?<=^\d)[.)](?=\s)"
)


def markdown(line: str) -> str:
    """A printable line, and nothing in it that Markdown would take for more than a character."""
    from irev.core.text import printable

    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", printable(line))


@_form("latex")
def _latex(document: Document, places: int, _: int | None) -> Iterator[bytes]:
    """Tables of LaTeX's booktabs; all else is said in comments."""
    from irev.core.text import printable

    def comment(line: str, _: object) -> str:
        return f"% {printable(line)}"

    # tabulate escapes what is special to LaTeX in cells, so that commands come in afterwards
    look = Look("latex_booktabs", printable, "\2{}\3".format, comment, comment, bold=True)
    return _parts(document, look, places)


def _parts(
    document: Document, look: Look, places: int, width: int | None = None
) -> Iterator[bytes]:
    """The parts, an empty line between them."""
    from tabulate import tabulate  # noqa: F401 - where it is missing nothing is written at all

    from irev.core.text import as_bytes

    is_first = True
    for part in document.parts:
        text = _part(part, look, places, width)
        if text:
            yield as_bytes(text if is_first else f"\n{text}")
            is_first = False


def text_table(table: Table, places: int) -> str:
    """A table in plain text, for a report that is told line by line."""
    look = Look("simple", str, str, _same, _same)
    return _table(table, look, places, None)


def _part(part: Part, look: Look, places: int, width: int | None) -> str:
    from irev.writers.document import Heading, Table

    if isinstance(part, Table):
        return _table(part, look, places, width) + "\n"
    if not isinstance(part, Heading):
        return "".join(f"{look.line(line, part.listed)}\n" for line in part.lines)
    below = "".join(f"{look.line(line, True)}\n" for line in part.below)
    # plain lines below a line of `#`: in Markdown a list wants an empty line before it
    gap = "\n" * (bool(below) and look.style == "github")
    return f"{look.heading(part.text, part.level)}\n{gap}{below}"


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


def _table(table: Table, look: Look, places: int, width: int | None) -> str:
    grid = _Grid(
        [look.escape(column.name) for column in table.columns],
        list(_typeset(table, look, places)),
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


def _typeset(table: Table, look: Look, places: int) -> Iterator[list[str]]:
    """The cells of each column as a form shows them."""
    from irev.writers.document import Strong, best, in_words

    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        shown = [in_words(cell, column, places) for cell in cells]
        top = best(column, cells, shown) if look.bold else None
        yield [
            look.strong(text) if isinstance(cell, Strong) or text == top else look.escape(text)
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


# For machines


@_form("csv")
def _csv(document: Document, _: int, __: int | None) -> Iterator[bytes]:
    """Comma-separated values of the first table, in full precision."""
    return _delimited(document, ",")


@_form("tsv")
def _tsv(document: Document, _: int, __: int | None) -> Iterator[bytes]:
    """Tab-separated values, likewise."""
    return _delimited(document, "\t")


def _delimited(document: Document, separator: str) -> Iterator[bytes]:
    from irev.writers.machine import delimited

    for records in document.records:
        if records.fields:
            yield from delimited([records.fields], separator)
        yield from delimited(records.rows, separator)
        return


@_form("json")
def _json(document: Document, _: int, __: int | None) -> Iterator[bytes]:
    """One value with everything that is known, in full precision."""
    from irev.writers.machine import as_json

    yield as_json(document.data())


@_form("jsonl")
def _jsonl(document: Document, _: int, __: int | None) -> Iterator[bytes]:
    """A line for each row of each table: an object with the table's name and the row's fields."""
    from irev.writers.machine import json_lines

    for records in document.records:
        yield from json_lines(
            {"table": records.name, **dict(zip(records.fields, row, strict=True))}
            for row in records.rows
        )


# A page

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


@_form("html")
def _html(document: Document, places: int, _: int | None) -> Iterator[bytes]:
    """One page that loads and runs nothing; a rounded number has all its digits inside."""
    for line in _page(document, places):
        yield page_bytes(line)


def page_bytes(line: str) -> bytes:
    r"""A line of a page: bytes of names that are not UTF-8 are shown as `\xNN`."""
    from irev.core.text import as_bytes

    return as_bytes(f"{line}\n").decode("utf-8", "backslashreplace").encode()


def _page(document: Document, places: int) -> Iterator[str]:
    from irev.writers.document import Heading, Table

    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html_text(document.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{html_text(document.title)}</h1>"
    for part in document.parts:
        if isinstance(part, Table):
            yield from html_table(part, places)
            continue
        lines: Sequence[str]
        if isinstance(part, Heading):
            yield f"<h{part.level}>{html_text(part.text)}</h{part.level}>"
            lines = part.below
        else:
            lines = part.lines
        if lines:
            yield from html_list(lines)
    yield "</body>\n</html>"


def html_text(line: str) -> str:
    """A printable line in which nothing is a tag."""
    from html import escape

    from irev.core.text import printable

    return escape(printable(line))


def html_list(lines: Sequence[str]) -> Iterator[str]:
    """Lines as the items of a list."""
    yield "<ul>"
    yield from (f"<li>{html_text(line)}</li>" for line in lines)
    yield "</ul>"


def html_table(table: Table, places: int, kind: str = "") -> Iterator[str]:
    """A table; a cell that shows less than its value has this in `data-v`.

    Args:
        table: the table.
        places: decimals.
        kind: the class of the table, for a page's own script.
    """
    look = Look("", html_text, lambda text: f"<strong>{html_text(text)}</strong>", _same, _same,
                bold=True)  # fmt: skip
    kinds = [' class="text"' if column.kind == "text" else "" for column in table.columns]
    heads = "".join(
        f'<th scope="col"{kind}>{html_text(column.name).replace("/", "/<wbr>")}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    )
    caption = f"<caption>{html_text(table.caption)}</caption>" if table.caption else ""
    is_a = f' class="{kind}"' if kind else ""
    yield f'<div class="scroll"><table{is_a}>{caption}\n<thead><tr>{heads}</tr></thead>\n<tbody>'
    shown = zip(*_typeset(table, look, places), strict=True)
    for row, texts in zip(table.rows, shown, strict=False):
        cells = zip(kinds, row, texts, strict=True)
        yield "<tr>" + "".join(f"<td{kind}{_key(v)}>{t}</td>" for kind, v, t in cells) + "</tr>"
    yield "</tbody></table></div>"


def _same(line: str, _: object) -> str:
    return line


def _key(value: Any) -> str:
    """The number behind what is shown: of an interval its lower end."""
    from irev.writers.document import Keyed

    if isinstance(value, Keyed):
        value = value.key
    elif isinstance(value, tuple):
        value = value[0]
    elif not isinstance(value, float):
        return ""
    return f' data-v="{value!r}"' if value == value else ' data-v=""'
