"""`irev explain`: how a score comes about, rank by rank."""

import os
from typing import TYPE_CHECKING, Annotated

import click

from irev.cli.commands import Job, misused
from irev.cli.options import FORMAT, Asked, Printed, Taken, evaluation_of, load_plugins
from irev.cli.output import voice, write_document
from irev.core.records import Choices, Opt
from irev.errors import IrevError
from irev.options import Options

if TYPE_CHECKING:
    from irev.results.signature import Signature


class Explained(Choices):
    """What is explained, and how much is shown of it."""

    topic: Annotated[str | None, Opt(
        "-t", "--topic", metavar="TOPIC", help="The topic to explain."
    )] = None  # fmt: skip
    every_rank: Annotated[bool, Opt(
        "-a", "--all",
        help="Show every rank, also those behind the last change and long stretches of unjudged "
        "documents.",
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.but(
        help="The form of the output; csv, tsv, json and jsonl have every rank in full precision.",
        section="Options",
    )] = "table"  # fmt: skip


def explain(
    files: tuple[str, ...], what: Explained, options: Options, asked: Asked, printed: Printed
) -> int:
    """Show how the score of one topic comes about, rank by rank.

    For each document: its grade, what the formula of the measure speaks of (gain, discount,
    precision so far, ...), what it adds to the score, and the value of the ranking if it ended
    there. What is added up is the score that `irev eval -q` prints. Below stand the ideal list and
    the divisor.
    """
    if len(files) != 2:
        raise misused("give a relevance file and one run: irev explain QRELS RUN -m NAME -t TOPIC")
    if not asked.measures or what.topic is None:
        wanted = "a topic: -t TOPIC" if asked.measures else "a measure: -m NAME"
        raise click.UsageError(f"irev explain wants {wanted}", click.get_current_context())
    from irev.explaining.document import document
    from irev.explaining.explanation import explained

    load_plugins(asked.plugins)
    qrels, run = files
    options = evaluation_of(files, asked, options)
    found, doubts = explained(
        qrels, run, asked.measures, os.fsencode(what.topic), options, asked.qrels_format
    )
    voice().heed(doubts)
    # the run is read once more for it
    signature = _signature(qrels, run, options, asked) if what.format == "json" else None
    made = document(found, signature, printed.places, every_rank=what.every_rank)
    write_document(made, what.format, printed.output, printed.places, csv_safe=printed.csv_safe)
    return 0


def _signature(qrels: str, run: str, options: Options, asked: Asked) -> "Signature | None":
    """What the evaluation of the run stands on; None where an input cannot be read once more."""
    if not all(os.path.isfile(path) or os.path.isdir(path) for path in (qrels, run)):
        return None
    from irev.engine.evaluator import Evaluator

    evaluator = Evaluator(qrels, asked.measures, options, format=asked.qrels_format, sign=True)
    ((_, outcome),) = evaluator.outcomes([run])
    return None if isinstance(outcome, IrevError) else outcome.signature


command = Job(
    "explain",
    explain,
    "QRELS RUN",
    Explained,
    Taken(Options, only=(
        "level", "judged_only", "collection_size", "max_retrieved", "run_format", "compat",
        "defaults", "real_grades", "decimal_comma", "grade_map", "intents", "ties",
    )),
    Asked,
    Taken(Printed, only=("places", "output", "csv_safe")),
    example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
)  # fmt: skip
