"""What a command gives, before any form of output: headings, lines and tables, rows, and data.

A command fills a `Document`; `irev.writers.forms` writes it in every form. `parts` are for people:
text, Markdown, LaTeX and HTML show them in their order. `records` are the same numbers for
machines, in full precision: CSV and TSV have the first table, JSON lines all of them. `data` is the
whole as JSON holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from irev.core.text import as_text

if TYPE_CHECKING:
    from irev.scores.table import RunInfo


class Keyed(NamedTuple):
    """A cell that says what it is in words of its own, and the number that it is sorted by."""

    text: str
    key: float


class Strong(str):
    """A text that stands out, where a form can show it."""

    __slots__ = ()


class Marked(NamedTuple):
    """A number with marks raised and lowered behind it: letters of what is worse, and better."""

    value: float
    marks_above: str
    marks_below: str = ""


Cell: TypeAlias = float | int | str | Keyed | Marked | tuple[float, float] | None
"""A value in full precision; a text, shown as it is; both ends of an interval; None: nothing."""


class Head(NamedTuple):
    """The head of a column, and what its cells are.

    kind              text (at the left), number or p (at the right)
    number_format     how Python formats its numbers ("g"), where they are not rounded as all others
    higher_is_better  whether higher values are better; None: its best value does not stand out
    """

    name: str
    kind: str = "number"
    number_format: str = ""
    higher_is_better: bool | None = None


class Table(NamedTuple):
    """Rows under columns; in plain text a rule stands below the heads of a table that is `ruled`.

    caption  what a page or a paper says of the table; other forms have a heading above it
    label    what a paper refers to it by: a table with a label floats in LaTeX, every form shows
             its caption, and the best value of a column stands out in Markdown too
    source   what a caption has no room for: a comment in LaTeX, elsewhere a line below the caption
    """

    columns: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    ruled: bool = True
    caption: str = ""
    label: str = ""
    source: str = ""


class Heading(NamedTuple):
    """A heading, of level 2, 3 or 4, and a sentence that belongs to it, which may be long."""

    text: str
    level: int = 3
    below: str = ""


class Lines(NamedTuple):
    """Sentences, a line each; items of a list, where a form has lists, unless not `listed`."""

    lines: Sequence[str]
    listed: bool = True


Part: TypeAlias = Heading | Lines | Table


class Records(NamedTuple):
    """Rows for machines under the names of their fields; the rows are gone through once."""

    name: str
    fields: Sequence[str]
    rows: Iterable[Iterable[Any]]


class Document(NamedTuple):
    """The outcome of a command; what no form asks for is not made.

    title         what it is, for forms that have a title
    parts         for people
    records       for machines
    data          gives what JSON holds
    report_lines  what is said in plain text instead of the parts: a report, line after line
    brief         the parts that people are shown unless they ask for details; None: all of them
    brief_lines   likewise of the report
    """

    title: str
    parts: Iterable[Part]
    records: Iterable[Records]
    data: Callable[[], Any]
    report_lines: Iterable[str] | None = None
    brief: Iterable[Part] | None = None
    brief_lines: Iterable[str] | None = None

    def in_brief(self) -> Document:
        """The document without the details; records and data have everything as before."""
        return self._replace(
            parts=self.parts if self.brief is None else self.brief,
            report_lines=self.report_lines if self.brief_lines is None else self.brief_lines,
        )


class Rewindable(Iterable[Any]):
    """What can be gone through once, kept in a list when it first is."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._items, list | tuple):
            self._items = list(self._items)
        return iter(self._items)


def rewindable(document: Document) -> Document:
    """The document, whose parts and rows can be gone through again, and are made when asked for."""
    return document._replace(
        parts=Rewindable(document.parts),
        records=Rewindable(
            records._replace(rows=Rewindable(records.rows)) for records in document.records
        ),
        report_lines=document.report_lines and Rewindable(document.report_lines),
        brief=document.brief and Rewindable(document.brief),
        brief_lines=document.brief_lines and Rewindable(document.brief_lines),
    )


def cell_text(cell: Cell, column: Head, decimals: int) -> str:
    """A cell as people read it: the one place that rounds. A zero has no sign.

    "-" stands for what is not known, or has no end.
    """
    if isinstance(cell, float):
        if column.kind == "p":
            return p_text(cell, decimals)
        if not math.isfinite(cell):
            return "-"
        if column.number_format:
            return format(cell, column.number_format)
        return rounded_text(cell, decimals)
    if cell is None:
        return ""
    if isinstance(cell, Keyed):
        return cell.text
    if isinstance(cell, Marked):
        return rounded_text(cell.value, decimals)
    if isinstance(cell, tuple):
        if all(map(math.isnan, cell)):
            return ""  # of one topic there is no interval
        low, high = (rounded_text(end, decimals) if math.isfinite(end) else "-" for end in cell)
        return f"[{low}, {high}]"
    return cell if isinstance(cell, str) else str(cell)


def rounded_text(value: float, decimals: int) -> str:
    """A number with its decimals; one of which nothing is left has no sign."""
    text = f"{value:.{decimals}f}"
    return text[1:] if text[0] == "-" and not text.strip("-0.") else text


def p_text(p: float | None, decimals: int = 4) -> str:
    """A p-value with 4 decimals at least; one is 0 or 1 only where it is exactly."""
    if p is None or p != p:
        return ""
    decimals = max(decimals, 4)
    smallest_shown = f"{10.0**-decimals:.{decimals}f}"
    if p < float(smallest_shown):
        return f"<{smallest_shown}"
    text = f"{p:.{decimals}f}"
    return f">0.{'9' * decimals}" if p < 1 and text[0] == "1" else text


def best_text(column: Head, cells: Sequence[Cell], cell_texts: Sequence[str]) -> str | None:
    """The best value of a column as it is shown: what looks equal is equally good."""
    numbers = [cell.value if isinstance(cell, Marked) else cell for cell in cells]
    value_of_row = {row: v for row, v in enumerate(numbers) if isinstance(v, float) and v == v}
    if column.higher_is_better is None or len(value_of_row) < 2:
        return None
    choose = max if column.higher_is_better else min
    return cell_texts[choose(value_of_row, key=value_of_row.__getitem__)]


Row: TypeAlias = dict[str, Any]
"""Values by the names of their fields, for data formats and tables alike."""

ShownField: TypeAlias = str | tuple[str, Head]
"""A field of rows under its head in `HEADS`, or under another."""

MARK = Head("")
"""Of a column whose cells say yes with a star."""

HEADS = {
    **{
        name: Head(name, "text")
        for name in ("measure", "run", "group", "groups", "against", "topic", "source", "sample")
    },
    "p": Head("p", "p"),
    "missing_as_zero": Head("missing"),
    "p_equivalent_corrected": Head("p equivalent", "p"),
    "p_not_worse_corrected": Head("p not worse", "p"),
    "equal_within": Head("equal within"),
    "better": Head("P(better)"),
    "equal": Head("P(equal)"),
    "worse": Head("P(worse)"),
    "human_only": Head("human only"),
    "human_only_low": Head("low"),
    "human_only_high": Head("high"),
    "model_only": Head("model only"),
    "topics_low": Head("topics low"),
    "topics_high": Head("topics high"),
    "width": Head("width", number_format=".2f"),
    "width_ratio": Head("width", number_format=".2f"),
    "n_effective": Head("n_eff", number_format=".1f"),
    "lambda": Head("lambda", number_format=".2f"),
    "judged_at_10": Head("judged@10", number_format=".2f"),
    "r": Head("r", number_format=".2f"),
}
"""The heads of fields of rows; others are numbers under their own names."""


def head_of(field: str) -> Head:
    """The head of a field of rows."""
    return HEADS.get(field, Head(field))


def table_of_rows(columns: Collection[ShownField], rows: Iterable[Row]) -> Table:
    """Some of the fields of rows as a table."""
    pairs = [(each, head_of(each)) if isinstance(each, str) else each for each in columns]
    fields, heads = [field for field, _ in pairs], [head for _, head in pairs]
    cells: list[list[Any]] = [[row[field] for field in fields] for row in rows]
    for index, head in enumerate(heads):
        if head is MARK:
            for line in cells:
                line[index] = "*" if line[index] else ""
    return Table(heads, cells)


def records_of(name: str, rows: Iterable[Row], **common_fields: Any) -> Records:
    """Rows that are name -> value, all with the same names, the common fields behind each."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return Records(name, (), ())

    values = ([*row.values(), *common_fields.values()] for row in chain([first], remaining))
    return Records(name, [*first, *common_fields], values)


def finite_or_none(value: Any) -> Any:
    """A value, or all that it holds, with None in place of NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite_or_none(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite_or_none(each) for each in value]
    return value


class Signed(Protocol):
    """A signature, of whatever was done: in one line, and with all its parts."""

    @property
    def short(self) -> str: ...  # noqa: D102

    @property
    def long(self) -> dict[str, Any]: ...  # noqa: D102


def run_facts(run_info: RunInfo) -> dict[str, Any]:
    """Name, path, tag, the judged topics that the run lacks, and its signature.

    Those that it lacks and that therefore count for no run are `left_out`, where there are any.
    """
    left_out = [as_text(topic) for topic in run_info.left_out]
    return {
        "run": run_info.name,
        "path": run_info.path,
        "runid": as_text(run_info.run_id),
        "missing": [as_text(topic) for topic in run_info.missing],
        **({"left_out": left_out} if left_out else {}),
        "signature": signature_data(run_info.signature),
    }


def signature_data(signature: Signed | None) -> dict[str, Any] | None:
    """A signature with its short form as `short`; None where there is none."""
    return None if signature is None else {"short": signature.short, **signature.long}


def signatures_data(signatures: Sequence[Signed]) -> Any:
    """The signature of a result; a list of them where several judgments or gains are set beside."""
    data = [signature_data(each) for each in signatures]
    return data[0] if len(data) == 1 else data


def short_forms(data: Any) -> list[str]:
    """The short forms of what `signatures_data` gave; none where nothing is signed."""
    every_signature = data if isinstance(data, list) else [data]
    return [] if data is None else [each["short"] for each in every_signature]
