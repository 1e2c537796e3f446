"""`irev explain` and `irev measures`: how a score comes about, and what measures are."""

from typing import Annotated

import click

from irev.cli.command import Command, Output, qrels_and_run, words
from irev.cli.options import (
    FORMAT,
    OUTPUT,
    PLACES,
    SAFE_CSV,
    UNSAFE_CSV,
    last_piece_completer,
    measure_name_completions,
)
from irev.cli.output import print_out
from irev.core.text import as_bytes
from irev.jobs.explain.explain import ExplainOptions
from irev.jobs.measures import MeasureList, MeasureListOptions, MeasurePage
from irev.options import OWN
from irev.writers.forms import OUTPUT_FORMATS, TEXT

# --- `irev explain`: how a score comes about, rank by rank ---


class ExplainOutput(Output):
    """The form of an explanation, and where it goes."""

    format: Annotated[
        str,
        FORMAT.replace(
            help="Output format. csv, tsv, json and jsonl have every rank in full precision.",
            section="Options",
        ),
    ] = "table"
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section=OWN, help_order=26),
        UNSAFE_CSV.replace(section=OWN, help_order=26),
    ] = None
    places: Annotated[
        int,
        PLACES.replace(
            section=OWN,
            help="Number of decimals. csv, tsv, json and jsonl always have full precision. "
            "Default: 4, or 2 with --percent.",
        ),
    ] = 4
    output: Annotated[str | None, OUTPUT.replace(section=OWN)] = None


explain_command = Command(
    "explain",
    "irev.jobs.explain.explain:explain",
    ExplainOptions,
    qrels_and_run,
    "QRELS RUN",
    ExplainOutput,
    help="""Show how the score of one topic is computed, rank by rank.

    For each document: its grade, the terms of the formula (gain, discount, precision so far ...),
    its contribution to the score, and the value of the ranking if it ended at this rank. The
    contributions add up to the score that `irev eval -q` prints. The ideal list and the divisor
    follow.
    """,
    measures="map",
    shows="-R",
    example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
)


# --- `irev measures`: the registry as a list, or page by page ---


class MeasureListOutput(Output):
    """The form of what is told."""

    without = ("csv_safe", "places", "output")

    csv_safe: bool | None = False  # all texts are irev's own
    format: Annotated[
        str,
        FORMAT.replace(
            choices=(TEXT, *OUTPUT_FORMATS, "bibtex"),
            section="Options",
            help="Output format: text, json (the records), markdown (the pages), bibtex (the "
            "references); all other formats list the measures.",
        ),
    ] = TEXT

    def write(self, result: "MeasureList | MeasurePage") -> None:
        """Write the list; pages and references are no documents."""
        if self.format in ("markdown", "bibtex"):
            print_out(map(as_bytes, result.bibtex_or_markdown_blocks(self.format)))
        else:
            super().write(result)


measures_command = Command(
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
