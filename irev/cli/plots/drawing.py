"""What the kinds of `irev plot` share: their options, and where a figure goes."""

from __future__ import annotations

import os
from dataclasses import replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import DATA, write_parameters, write_table
from irev.cli.files import check_files
from irev.cli.gathering import MEASURES, files_read, gathering_options, starts_with_saved
from irev.cli.messages import say
from irev.cli.output import replaced
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.plots.record import Record

_UNUSED = ("classes", "weights")
"""Options of the commands that compare runs which figures have no place for."""

SORT = Option(
    "--sort", type=click.Choice(["topic", "value"]), default="topic", section="Options of the plot",
    help="The order of the topics: by id, or by what is drawn, from the highest down. "
    "Default: topic.",
)  # fmt: skip


def plot_job(
    name: str,
    make: Callable[[dict[str, Any]], Record],
    *own: Option,
    measures: tuple[str, ...] = MEASURES,
    without: tuple[str, ...] = (),
    example: str,
) -> Job:
    """The command of a kind.

    Args:
        name: the kind.
        make: makes the figure from what was given on the command line; its docstring is the help.
        own: options of this kind alone.
        measures: what is drawn where no measure is named.
        without: options of the evaluation that this kind has no use for.
        example: a command line behind `irev plot NAME`.
    """

    def run(**given: Any) -> int:
        _draw(make, given)
        return 0

    files = click.Argument(["files"], nargs=-1, metavar="QRELS RUN...")
    shared = gathering_options(measures, without=(*_UNUSED, *without))
    return Job(
        name,
        params=[files, *own, *_output_options(), *shared],
        callback=run,
        help=f"{cleandoc(make.__doc__ or '')}\n\n"
        "A judged topic that a run lacks counts as 0, and the notes on stderr say so.",
        epilog=f"Example: irev plot {name} {example}",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _output_options() -> list[click.Parameter]:
    section = "Options for the output"
    return [
        Option(
            "--output", "outputs", multiple=True, metavar="FILE.svg|.png|.pdf", section=section,
            help="Where the figure goes; may be repeated. What is drawn goes to FILE.csv beside "
            "it, inputs and options to FILE.json.",
        ),
        Option(
            "--data", type=click.Choice(DATA), default="csv", section=section,
            help="The form of what is drawn. Default: csv.",
        ),
    ]  # fmt: skip


def _draw(make: Callable[[dict[str, Any]], Record], given: dict[str, Any]) -> None:
    """Make the figure, then write it and what belongs to it."""
    if len(given["files"]) < (1 if starts_with_saved(given["files"]) else 2):
        raise click.UsageError(
            "a relevance file and a run are wanted: QRELS RUN...",
            click.get_current_context(silent=True),
        )
    figures, data = _destinations(given["outputs"], given["data"])
    check_files(files_read(given), [("--output", path) for path in (*figures, *data)])
    from irev.plots.style import drawn

    record = make(given)
    (name,) = record.figures
    figure = record.figures[name]()
    pictures = {path: drawn(figure, kind) for path, kind in figures.items()}
    for note in record.notes:
        say(f"irev: note: {note}")
    for path, picture in pictures.items():
        with replaced(path) as stream:
            stream.write(picture)
    for path in data:
        if path.endswith(".json"):
            noted = {**record.parameters, "notes": list(record.notes)}
            write_parameters(replace(record, parameters=noted), path, "plot")
        else:
            write_table(record.tables[name], path)


def _destinations(outputs: tuple[str, ...], data: str) -> tuple[dict[str, str], list[str]]:
    """Where the figure goes, with the form of each; and where its data and parameters go."""
    from irev.plots.style import FORMATS

    if not outputs:
        raise UsageError("a figure wants a place: --output FILE.svg, FILE.png or FILE.pdf")
    figures, beside = {}, {}
    for path in outputs:
        stem, suffix = os.path.splitext(path)
        if suffix[1:] not in FORMATS:
            known = ", ".join(f".{each}" for each in FORMATS)
            raise UsageError(f"--output {path}: a figure's name ends in one of {known}")
        if path in figures:
            raise UsageError(f"--output {path} is given twice")
        figures[path] = suffix[1:]
        beside.update(dict.fromkeys((f"{stem}.{data}", f"{stem}.json")))
    return figures, list(beside)
