"""How the outcome of a study or a plot reaches the user."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.files import check_files, write_document
from irev.cli.messages import say
from irev.cli.output import replaced
from irev.cli.types import whole_number
from irev.core.text import storable
from irev.core.version import version
from irev.errors import IrevError, UsageError
from irev.writers.document import Document, Heading
from irev.writers.forms import FORMS
from irev.writers.frames import csv_of, objects_of, records_of_frame, table_of
from irev.writers.machine import as_json, short_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.plots.record import Record

DATA = ("csv", "parquet")


def study_options() -> list[click.Parameter]:
    """The options of every study that say where its outcome goes."""
    section = "Options for the output"
    return [
        Option(
            "--format", type=click.Choice([*FORMS]), default="table", section=section,
            help="The form of what is printed; csv and tsv have the first table alone, json and "
            "jsonl all of them in full precision. Default: table.",
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
    write_document(document(record), given["format"], None, given["places"])
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
            stream.writelines(csv_of(table))


def write_parameters(record: Record, path: str, kind: str = "study") -> None:
    """Write what a study, or another kind of work, depends on."""
    with replaced(path) as stream:
        parameters = _as_told(record.parameters)
        stream.write(as_json({kind: record.name, "irev": version(), **parameters}))


def document(record: Record) -> Document:
    """The tables that are worth printing; for machines all of them, the first of these first."""
    several = len(record.shown) > 1
    parts = [
        part
        for name in record.shown
        for part in ([Heading(name, 4)] if several else []) + [table_of(record.tables[name])]
    ]
    signed = record.parameters.get("signature")
    more = {} if signed is None else {"signature": short_forms(signed)}
    names = dict.fromkeys((*record.shown, *record.tables))
    records = (records_of_frame(name, record.tables[name], **more) for name in names)
    return Document(record.name, parts, records, partial(_data, record))


def _data(record: Record) -> dict[str, Any]:
    """The study's name, its parameters and notes, and all tables."""
    return {
        "study": record.name,
        "irev": version(),
        "parameters": _as_told(record.parameters),
        "notes": _as_told(record.notes),
        "tables": {name: objects_of(table) for name, table in record.tables.items()},
    }


def _as_told(value: Any) -> Any:
    """Parameters with names as the tables have them: bytes that are no UTF-8 are escaped."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(name): _as_told(each) for name, each in value.items()}
    return [_as_told(each) for each in value] if isinstance(value, list | tuple) else value
