"""How the result of a study or a plot reaches the user."""

import os
from typing import TYPE_CHECKING, Annotated, Literal

import click

from irev.cli.command import Output
from irev.cli.options import FORMAT, OUTPUT, OUTPUT_SECTION, PLACES, SAFE_CSV, UNSAFE_CSV
from irev.cli.output import refuse_overwriting_and_stdin_twice, voice, write_document
from irev.core.displayed import FigureWidth
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.core.version import __version__
from irev.errors import GENERAL_NOTE, IrevError, MissingExtraError, UsageError
from irev.jobs.study_result import StudyResult, escape_non_utf8_names, frame_csv
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS
from irev.writers.machine import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from irev.errors import Notice


DATA = Opt("--data", section=OUTPUT_SECTION)
FIGURE_WIDTH = Opt(
    "--width", section=OUTPUT_SECTION,
    help="Width of figures: a column of a paper (3.3 inches), a page (7), or a slide (10). Text is "
    "at least 7 points large; more runs make a figure higher.",
)  # fmt: skip


class StudyOutput(Output):
    """Where the result of a study goes, and in which forms."""

    format: Annotated[str, FORMAT.replace(
        choices=tuple(OUTPUT_FORMATS),
        help="Output format. csv and tsv contain only the first table, json and jsonl all tables, "
        "in full precision.",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[bool | None, SAFE_CSV, UNSAFE_CSV] = None
    places: Annotated[int, PLACES.replace(help="Number of decimals.")] = 4
    output: Annotated[str | None, OUTPUT.replace(
        metavar="DIR",
        help="Also write tables, figures and parameters.json to DIR.",
    )] = None  # fmt: skip
    data: Annotated[
        Literal["csv", "parquet"], DATA.replace(help_order=1, help="Format of the tables in DIR.")
    ] = "csv"
    figures: Annotated[str | None, Opt(
        "--figures", metavar="LIST", section=OUTPUT_SECTION,
        help="Formats of the figures in DIR, such as svg,png,pdf, or none. Default: svg, where "
        "matplotlib is installed.",
    )] = None  # fmt: skip
    figure_width: Annotated[FigureWidth, FIGURE_WIDTH.replace(spelling="--figure-width")] = "page"

    def _check(self) -> None:
        self.figure_formats()

    def figure_formats(self) -> list[str]:
        """The formats of the figures."""
        from irev.jobs.plots.style import FORMATS

        named = "svg" if self.figures is None else self.figures
        formats = [form for form in named.split(",") if form not in ("", "none")]
        for form in formats:
            if form not in FORMATS:
                raise UsageError(
                    f"--figures {self.figures}: there is {', '.join(FORMATS)}, and none"
                )
        return formats

    def written_paths(self) -> "list[tuple[str, str | None]]":
        """None that is known before there is a result."""
        return []

    def notices_for_stderr(self, result: StudyResult) -> "Iterable[Notice]":
        """All but the notes that stand below the tables."""
        for notice in result.warnings:
            if notice.kind != GENERAL_NOTE or self.format in MACHINE_FORMATS:
                yield notice

    def write(self, result: StudyResult) -> None:
        """Write all of it to the directory, if one was named, and print the main tables."""
        if self.output:
            _write_folder(result, self, self.figure_formats())
        write_document(
            result.document_with(self.places),
            self.format,
            None,
            self.places,
            csv_safe=self.csv_safe is not False,
        )


def _write_folder(result: StudyResult, output: StudyOutput, figure_formats: list[str]) -> None:
    """Write tables, parameters and figures, each to a file in the folder of the output."""
    directory = output.output or ""
    tables = {
        os.path.join(directory, f"{name}.{output.data}"): table
        for name, table in result.tables.items()
    }
    # drawn before anything is written: where that fails, no part of the result lies about
    try:
        pictures = {
            os.path.join(directory, name): picture
            for name, picture in _figure_files(result, figure_formats, output.figure_width)
        }
    except MissingExtraError as error:
        if output.figures is not None:
            raise
        pictures = {}
        voice().note(f"there are tables in {directory}, but no figures: {error}")
    parameters = os.path.join(directory, "parameters.json")
    written = [*tables, parameters, *pictures]
    refuse_overwriting_and_stdin_twice(
        _existing_files_named_in_call(), [("--output", path) for path in written]
    )
    try:
        os.makedirs(directory, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--output {directory}: this is a file, not a directory") from None
    except OSError as error:
        raise IrevError(f"{directory} cannot be made: {error.strerror}") from None
    for path, table in tables.items():
        write_table(table, path, csv_safe=output.csv_safe is not False)
    write_parameters(result, parameters)
    for path, picture in pictures.items():
        with replace_file(path) as stream:
            stream.write(picture)


def _figure_files(
    result: StudyResult, formats: list[str], width: FigureWidth
) -> "Iterator[tuple[str, bytes]]":
    """The name of a file and its bytes, for each figure in each of its forms."""
    from irev.jobs.plots.style import figure_bytes

    for name, draw in result.figures.items() if formats else ():
        figure = draw(width=width)
        for form in formats:
            yield f"{name}.{form}", figure_bytes(figure, form)


def _existing_files_named_in_call() -> list[str]:
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
    with replace_file(path) as stream:
        if path.endswith(".parquet"):
            table.to_parquet(stream, index=False)
        else:
            stream.writelines(frame_csv(table, safe=csv_safe))


def write_parameters(result: StudyResult, path: str, kind: str = "study") -> None:
    """Write what a study, or another kind of work, depends on."""
    with replace_file(path) as stream:
        parameters = escape_non_utf8_names(result.parameters)
        stream.write(json_bytes({kind: result.name, "irev": __version__, **parameters}))
