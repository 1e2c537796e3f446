"""`irev explain`: how a score comes about, rank by rank."""

import os
from typing import Annotated

from irev.cli.commands import Job, misused
from irev.cli.options import FORMAT, Asked, Printed, Taken, evaluation_of, load_plugins
from irev.cli.output import voice, write_document
from irev.cli.several_runs import default_measures
from irev.core.option_records import Opt, ResultOptions
from irev.core.text import printable
from irev.options import Options


class Explained(ResultOptions):
    """What is explained, and how much is shown of it."""

    topic: Annotated[str | None, Opt(
        "-t", "--topic", metavar="TOPIC",
        help="Topic to explain. Default: the one with the worst value of the first measure, of "
        "those with a relevant document.",
    )] = None  # fmt: skip
    every_rank: Annotated[bool, Opt(
        "-a", "--all",
        help="Show every rank, including those after the last change and long stretches of "
        "unjudged documents.",
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        help="Output format. csv, tsv, json and jsonl have every rank in full precision.",
        section="Options",
    )] = "table"  # fmt: skip


def explain(
    files: tuple[str, ...], what: Explained, options: Options, asked: Asked, printed: Printed
) -> int:
    """Show how the score of one topic is computed, rank by rank.

    For each document: its grade, the terms of the formula (gain, discount, precision so far ...),
    its contribution to the score, and the value of the ranking if it ended at this rank. The
    contributions add up to the score that `irev eval -q` prints. The ideal list and the divisor
    follow.
    """
    if len(files) != 2:
        raise misused("give a relevance file and one run: irev explain QRELS RUN")
    if what.topic is None and "-" in files:
        raise misused("standard input (-) cannot be read twice: name a topic with -t")
    from irev.jobs.explain.document import document
    from irev.jobs.explain.explanation import explained

    load_plugins(asked.plugins)
    asked = asked.replace(measures=asked.measures or ("map",))
    qrels, run = files
    options = evaluation_of(files, asked, options)
    topic = None if what.topic is None else os.fsencode(what.topic)
    # for a signature with -t the run is read once more
    found, doubts, signature = explained(
        qrels, run, asked.measures, topic, options, asked.qrels_format,
        sign=all(os.path.isfile(path) or os.path.isdir(path) for path in files),
    )  # fmt: skip
    voice().heed(doubts)
    if topic is None:
        voice().note(
            f"topic {printable(found[0].topic)} has the worst {found[0].name} of the topics with a "
            "relevant document: name another with -t"
        )
    made = document(found, signature, printed.decimals, every_rank=what.every_rank)
    write_document(made, what.format, printed.output, printed.decimals, csv_safe=printed.csv_safe)
    return 0


command = Job(
    "explain",
    explain,
    "QRELS RUN",
    Explained,
    Taken(Options, only=(
        "level", "judged_only", "collection_size", "max_retrieved", "run_format", "compat",
        "defaults", "real_grades", "decimal_comma", "grade_map", "intents", "ties",
    )),
    Taken(Asked, say={"measures": default_measures("map")}),
    Taken(Printed, only=("places", "output", "csv_safe")),
    example="irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
)  # fmt: skip
