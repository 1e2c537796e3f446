"""How the outcome of a study or a plot reaches the user."""

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from irev.cli.options import CSV_SAFE, FORMAT, OUTPUT, OUTPUT_SECTION, PLACES
from irev.cli.output import Kept, check_files, replaced, voice, write_document
from irev.core.option_records import Opt, OutputOptions
from irev.core.text import escape_non_utf8
from irev.core.version import __version__
from irev.errors import IrevError, UsageError
from irev.writers.document import Document, Head, Heading, Lines, Records, Table
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS
from irev.writers.machine import delimited_lines, finite_or_none, json_bytes, short_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.jobs.plots.outcome import Outcome
    from irev.writers.document import Part


DATA = Opt("--data", section=OUTPUT_SECTION)

_PROBABILITIES = ("p", "new p", "p equal", "corrected p", "sign p", "corrected sign p")
"""Columns whose small values are told apart from 0."""


class StudyOutput(OutputOptions):
    """Where the outcome of a study goes, and in which forms."""

    format: Annotated[str, FORMAT.replace(
        choices=tuple(OUTPUT_FORMATS),
        help="Output format. csv and tsv contain only the first table, json and jsonl all tables, "
        "in full precision.",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE] = False
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    output: Annotated[str | None, OUTPUT.replace(
        metavar="DIR",
        help="Also write all tables, the parameters (parameters.json) and the figures to DIR.",
    )] = None  # fmt: skip
    data: Annotated[
        Literal["csv", "parquet"], DATA.replace(help="Format of the tables in DIR.")
    ] = "csv"
    figures: Annotated[str, Opt(
        "--figures", metavar="LIST", section=OUTPUT_SECTION,
        help="Formats of the figures in DIR, such as svg,png,pdf, or none.",
    )] = "svg"  # fmt: skip


def deliver(outcome: "Outcome", output: StudyOutput) -> int:
    """Print a study's main tables and write all of it, if a directory was named; the exit code."""
    kinds = _figure_kinds(output.figures)
    told = voice()
    # notes stand below the tables, where there is anything below them
    is_below = output.format not in MACHINE_FORMATS and not isinstance(told, Kept)
    told.heed(each for each in outcome.told if not (is_below and isinstance(each, str)))
    told.keep(outcome)
    if output.output:
        _write_all(outcome, output, kinds)
    made = document(outcome)
    write_document(made, output.format, None, output.places, csv_safe=output.csv_safe)
    return 0


def _figure_kinds(listed: str) -> list[str]:
    from irev.jobs.plots.style import FORMATS as KINDS

    kinds = [kind for kind in listed.split(",") if kind not in ("", "none")]
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"--figures {listed}: there is {', '.join(KINDS)}, and none")
    return kinds


def _write_all(outcome: "Outcome", output: StudyOutput, kinds: list[str]) -> None:
    directory = output.output or ""
    tables = {
        os.path.join(directory, f"{name}.{output.data}"): table
        for name, table in outcome.tables.items()
    }
    # drawn before anything is written: where that fails, no part of the outcome lies about
    pictures = {
        os.path.join(directory, name): picture for name, picture in _pictures(outcome, kinds)
    }
    parameters = os.path.join(directory, "parameters.json")
    written = [*tables, parameters, *pictures]
    check_files(_inputs(), [("--output", path) for path in written])
    try:
        os.makedirs(directory, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--output {directory}: this is a file, not a directory") from None
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for path, table in tables.items():
        write_table(table, path, csv_safe=output.csv_safe)
    write_parameters(outcome, parameters)
    for path, picture in pictures.items():
        with replaced(path) as stream:
            stream.write(picture)


def _pictures(outcome: "Outcome", kinds: list[str]) -> "Iterator[tuple[str, bytes]]":
    """The name of a file and its bytes, for each figure in each of its forms."""
    from irev.jobs.plots.style import drawn

    for name, draw in outcome.figures.items() if kinds else ():
        figure = draw()
        for kind in kinds:
            yield f"{name}.{kind}", drawn(figure, kind)


def _inputs() -> list[str]:
    """All that was given and is the path of a file."""
    words = [
        word
        for value in click.get_current_context().params.values()
        for word in (value if isinstance(value, tuple) else (value,))
        if isinstance(word, str)
    ]
    return [word for word in words if os.path.isfile(word)]


def write_table(table: "pd.DataFrame", path: str, *, csv_safe: bool = False) -> None:
    """Write a tidy table as the suffix says: `.csv` or `.parquet`."""
    with replaced(path) as stream:
        if path.endswith(".parquet"):
            table.to_parquet(stream, index=False)
        else:
            stream.writelines(csv_of(table, safe=csv_safe))


def write_parameters(outcome: "Outcome", path: str, kind: str = "study") -> None:
    """Write what a study, or another kind of work, depends on."""
    with replaced(path) as stream:
        parameters = _as_told(outcome.parameters)
        stream.write(json_bytes({kind: outcome.name, "irev": __version__, **parameters}))


def document(outcome: "Outcome") -> Document:
    """The tables that are worth printing and what is told below them; for machines all tables."""
    several = len(outcome.shown) > 1
    parts: list[Part] = [
        part
        for name in outcome.shown
        for part in ([Heading(name, 4)] if several else []) + [table_of(outcome.tables[name])]
    ]
    signatures = short_forms(outcome.parameters.get("signature"))
    parts.append(Lines([*outcome.notes, *(f"signature: {each}" for each in signatures)]))
    more = {"signature": " ".join(signatures)} if signatures else {}
    names = dict.fromkeys((*outcome.shown, *outcome.tables))
    records = (records_of_frame(name, outcome.tables[name], **more) for name in names)
    return Document(outcome.name, parts, records, partial(_data, outcome))


def _data(outcome: "Outcome") -> dict[str, Any]:
    """The study's name, its parameters and notes, and all tables."""
    return {
        "study": outcome.name,
        "irev": __version__,
        "parameters": _as_told(outcome.parameters),
        "notes": _as_told(outcome.notes),
        "tables": {name: objects_of(table) for name, table in outcome.tables.items()},
    }


def _as_told(value: Any) -> Any:
    """Parameters with names as the tables have them: bytes that are no UTF-8 are escaped."""
    if isinstance(value, str):
        return escape_non_utf8(value)
    if isinstance(value, Mapping):
        return {escape_non_utf8(name): _as_told(each) for name, each in value.items()}
    return [_as_told(each) for each in value] if isinstance(value, list | tuple) else value


def table_of(frame: "pd.DataFrame") -> Table:
    """A table for people.

    `attrs["forms"]` of a frame may hold how numbers of a column are formatted: {"alpha": "g"}.
    """
    forms = frame.attrs.get("forms", {})
    columns = []
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iufb"
        kind = "p" if name in _PROBABILITIES else "number" if is_number else "text"
        columns.append(Head(str(name), kind, forms.get(name, "")))
    return Table(columns, list(_rows(frame)), ruled=False)


def records_of_frame(name: str, frame: "pd.DataFrame", **more: Any) -> Records:
    """Its rows in full precision, nothing where there is no number; `more` stands behind each."""
    rows = ([*row, *more.values()] for row in _rows(frame))
    return Records(name, [*map(str, frame.columns), *more], rows)


def objects_of(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """Its rows as JSON has them."""
    return [
        {str(name): finite_or_none(value) for name, value in zip(frame.columns, row, strict=True)}
        for row in _rows(frame)
    ]


def csv_of(frame: "pd.DataFrame", *, safe: bool = False) -> "Iterator[bytes]":
    """It as CSV, harmless to spreadsheets and terminals where it is to be `safe`."""
    yield from delimited_lines([frame.columns, *_rows(frame)], safe=safe)


def _rows(frame: "pd.DataFrame") -> "Iterator[list[Any]]":
    """Rows of plain values, None for what is no number."""
    import pandas as pd

    for row in frame.itertuples(index=False, name=None):
        yield [None if value is pd.NA or value != value else _plain(value) for value in row]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
