"""`irev measures`: the registry as a list, or page by page."""

from typing import Annotated

import click

from irev.cli.command import Command, Output, words
from irev.cli.options import FORMAT, last_piece_completer, measure_name_completions
from irev.cli.output import print_out
from irev.core.text import as_bytes
from irev.jobs.measures import MeasureList, MeasureListOptions, MeasurePage
from irev.writers.forms import OUTPUT_FORMATS, TEXT


class MeasureListOutput(Output):
    """The form of what is told."""

    without = ("csv_safe", "places", "output")

    csv_safe: bool | None = False  # all texts are irev's own
    format: Annotated[str, FORMAT.replace(
        choices=(TEXT, *OUTPUT_FORMATS, "bibtex"),
        section="Options",
        help="Output format: text, json (the records), markdown (the pages), bibtex (the "
        "references); all other formats list the measures.",
    )] = TEXT  # fmt: skip

    def write(self, result: "MeasureList | MeasurePage") -> None:
        """Write the list; pages and references are no documents."""
        if self.format in ("markdown", "bibtex"):
            print_out(map(as_bytes, result.bibtex_or_markdown_blocks(self.format)))
        else:
            super().write(result)


command = Command(
    "measures",
    "irev.jobs.measures:list_measures",
    MeasureListOptions,
    words,
    click.Argument(
        ["files"],
        nargs=-1,
        metavar="[WORD...]",
        shell_complete=last_piece_completer(measure_name_completions, path_kind=""),
    ),
    MeasureListOutput,
    help="""List, search and explain measures.

    Without WORD all measures are listed. The name of a set (official, all_trec, ...) lists its
    members. The name of a measure, in any spelling that `irev eval -m` accepts, prints its page:
    formula, edge cases, source, how it was checked, names and differences in other programs, a
    sentence for a methods section, and BibTeX. Other words, such as "mean average precision", are
    searched for in names and titles first, then everywhere. `suites` lists the suites and
    `suite:NAME` one suite.
    """,
    example="irev measures ndcg_cut",
)
