"""`irev explain`: how a score comes about, rank by rank."""

from typing import Annotated

from irev.cli.command import Command, Output, qrels_and_run
from irev.cli.options import FORMAT, OUTPUT, PLACES, SAFE_CSV, UNSAFE_CSV
from irev.jobs.explain.explain import ExplainOptions
from irev.options import OWN


class ExplainOutput(Output):
    """The form of an explanation, and where it goes."""

    format: Annotated[str, FORMAT.replace(
        help="Output format. csv, tsv, json and jsonl have every rank in full precision.",
        section="Options",
    )] = "table"  # fmt: skip
    csv_safe: Annotated[
        bool | None,
        SAFE_CSV.replace(section=OWN, help_order=26),
        UNSAFE_CSV.replace(section=OWN, help_order=26),
    ] = None
    places: Annotated[int, PLACES.replace(
        section=OWN,
        help="Number of decimals. csv, tsv, json and jsonl always have full precision. Default: 4, "
        "or 2 with --percent.",
    )] = 4  # fmt: skip
    output: Annotated[str | None, OUTPUT.replace(section=OWN)] = None


command = Command(
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
    example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
)
