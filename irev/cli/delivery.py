"""How the outcome of a study or a plot reaches the user."""

from __future__ import annotations

import io
import json
import os
import re
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.files import check_files
from irev.cli.messages import say
from irev.cli.output import print_out, replaced
from irev.cli.types import whole_number
from irev.core.text import as_bytes
from irev.errors import IrevError, UsageError
from irev.writers.entries import short_forms
from irev.writers.machine import finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.plots.record import Record

FORMATS = ("table", "markdown", "csv", "json")
DATA = ("csv", "parquet")


def study_options() -> list[click.Parameter]:
    """The options of every study that say where its outcome goes."""
    section = "Options for the output"
    return [
        Option(
            "--format", type=click.Choice(FORMATS), default="table", section=section,
            help="The form of what is printed; csv has the first table alone, json all of them "
            "in full precision. Default: table.",
        ),
        Option(
            "--places", type=whole_number(0, 17), default=4, metavar="N", section=section,
            help="Decimals in tables. Default: 4.",
        ),
        Option(
            "--output", metavar="DIR", section=section,
            help="Also write every table, the parameters (parameters.json) and the figures there.",
        ),
        Option(
            "--data", type=click.Choice(DATA), default="csv", section=section,
            help="The form of the tables in DIR. Default: csv.",
        ),
        Option(
            "--figures", default="svg", metavar="LIST", section=section,
            help="The forms of the figures in DIR, with commas: svg,png,pdf; none draws none. "
            "Default: svg.",
        ),
    ]  # fmt: skip


def deliver(record: Record, given: dict[str, Any]) -> int:
    """Print a study's main tables and write all of it, if a directory was named; the exit code."""
    kinds = _figure_kinds(given["figures"])
    if given["output"]:
        _write_all(record, given, kinds)
    for note in record.notes:
        say(f"irev: note: {note}")
    print_out(_printed(record, given["format"], given["places"]))
    return 0


def _figure_kinds(listed: str) -> list[str]:
    from irev.plots.style import FORMATS as KINDS

    kinds = [kind for kind in listed.split(",") if kind not in ("", "none")]
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"--figures {listed}: there is {', '.join(KINDS)}, and none")
    return kinds


def _write_all(record: Record, given: dict[str, Any], kinds: list[str]) -> None:
    directory = given["output"]
    tables = {
        os.path.join(directory, f"{name}.{given['data']}"): table
        for name, table in record.tables.items()
    }
    # drawn before anything is written: where that fails, no part of the outcome lies about
    pictures = {
        os.path.join(directory, name): picture for name, picture in _pictures(record, kinds)
    }
    parameters = os.path.join(directory, "parameters.json")
    written = [*tables, parameters, *pictures]
    check_files(_inputs(given), [("--output", path) for path in written])
    try:
        os.makedirs(directory, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--output {directory}: this is a file, not a directory") from None
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for path, table in tables.items():
        write_table(table, path)
    write_parameters(record, parameters)
    for path, picture in pictures.items():
        with replaced(path) as stream:
            stream.write(picture)


def _pictures(record: Record, kinds: list[str]) -> Iterator[tuple[str, bytes]]:
    """The name of a file and its bytes, for each figure in each of its forms."""
    from irev.plots.style import drawn

    for name, draw in record.figures.items() if kinds else ():
        figure = draw()
        for kind in kinds:
            yield f"{name}.{kind}", drawn(figure, kind)


def _inputs(given: dict[str, Any]) -> list[str]:
    """All that was given and is the path of a file."""
    words = [
        word
        for value in given.values()
        for word in (value if isinstance(value, tuple) else (value,))
        if isinstance(word, str)
    ]
    return [word for word in words if os.path.isfile(word)]


def write_table(table: pd.DataFrame, path: str) -> None:
    """Write a tidy table as the suffix says: `.csv` or `.parquet`."""
    with replaced(path) as stream:
        if path.endswith(".parquet"):
            table.to_parquet(stream, index=False)
        else:
            stream.write(_csv(table))


def write_parameters(record: Record, path: str, kind: str = "study") -> None:
    """Write what a study, or another kind of work, depends on."""
    with replaced(path) as stream:
        stream.write(_json({kind: record.name, **_version(), **record.parameters}))


def _version() -> dict[str, str]:
    from irev.writers.version import version

    return {"irev": version()}


def _csv(table: pd.DataFrame) -> bytes:
    text = table.to_csv(index=False, lineterminator="\n")
    return as_bytes(text)


def _json(value: Any) -> bytes:
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    # bytes that are no UTF-8 stand as in the tables, and a backslash is two in JSON
    text = _BYTE.sub(lambda byte: f"\\\\x{ord(byte[0]) - 0xDC00:02x}", text)
    return text.encode() + b"\n"


_BYTE = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is no UTF-8."""


def _printed(record: Record, form: str, places: int) -> Iterator[bytes]:
    if form == "csv":
        yield _csv(_signed(record))
    elif form == "json":
        tables = {name: _records(table) for name, table in record.tables.items()}
        about = {"study": record.name, **_version(), "parameters": record.parameters}
        yield _json({**about, "notes": record.notes, "tables": tables})
    else:
        for place, name in enumerate(record.shown):
            buffer = io.StringIO()
            if place:
                buffer.write("\n")
            if len(record.shown) > 1:
                buffer.write(f"**{name}**\n\n" if form == "markdown" else f"{name}\n\n")
            buffer.write(table_text(record.tables[name], form, places))
            yield as_bytes(buffer.getvalue())


def _signed(record: Record) -> pd.DataFrame:
    """The first table, with the signature of the study in a column, where it has one."""
    table, signed = record.tables[record.shown[0]], record.parameters.get("signature")
    return table if signed is None else table.assign(signature=short_forms(signed))


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): _finite(value) for name, value in row.items()}
        for row in table.to_dict(orient="records")
    ]


def _finite(value: Any) -> Any:
    """A cell as JSON has it: what is no finite number is null."""
    return finite(value.item() if hasattr(value, "item") else value)


def table_text(table: pd.DataFrame, form: str, places: int) -> str:
    """A table as people read it, plain or as Markdown.

    `attrs["forms"]` of a table may hold how numbers of a column are formatted: {"alpha": "g"}.
    """
    from irev.core.text import printable
    from irev.writers.table import markdown, tabulated

    forms = table.attrs.get("forms", {})
    shown = markdown if form == "markdown" else printable
    rows = [
        [
            shown(_cell(value, places, is_p=name in _PROBABILITIES, form=forms.get(name)))
            for name, value in zip(table.columns, row, strict=True)
        ]
        for row in table.itertuples(index=False)
    ]
    aligned = ["right" if _is_number(table[name]) else "left" for name in table.columns]
    names = [shown(name) for name in table.columns]
    return tabulated(rows, names, "github" if form == "markdown" else "plain", aligned) + "\n"


def _is_number(column: pd.Series[Any]) -> bool:
    return column.dtype.kind in "iufb"


_PROBABILITIES = ("p", "new p", "p equal", "corrected p", "sign p", "corrected sign p")
"""Columns whose small values are told apart from 0."""


def _cell(value: Any, places: int, *, is_p: bool, form: str | None = None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        if form is not None and value == value:
            return format(value, form)
        if is_p and 0 < value < 0.5 * 10.0**-places:
            return f"<{10.0**-places:.{places}f}"
        return "" if value != value else f"{value:.{places}f}"
    return str(value)
