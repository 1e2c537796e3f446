"""`irev explain`: how a score comes about, rank by rank."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.options import Flags, parameters
from irev.cli.output import print_out, replaced

if TYPE_CHECKING:
    from irev.options import Options
    from irev.signature import Signature

SHARED = (
    "measures", "level", "judged_only", "collection_size", "max_retrieved", "qrels_format",
    "run_format",
    "compat", "grades", "decimal", "map_grades", "intents", "beta", "log_base", "gains",
    "max_grade", "ties", "places", "output", "plugins",
)  # fmt: skip
"""Options that mean here what they mean for `irev eval`, where it has them."""


def explain(**given: Any) -> int:
    """Show how the score of one topic comes about, rank by rank.

    For each document: its grade, what the formula of the measure speaks of (gain, discount,
    precision so far, ...), what it adds to the score, and the value of the ranking if it ended
    there. What is added up is the score that `irev eval -q` prints. Below stand the ideal list and
    the divisor.
    """
    if len(given["files"]) != 2:
        raise click.UsageError(
            "a relevance file and one run are wanted: irev explain QRELS RUN -m NAME -t TOPIC",
            click.get_current_context(silent=True),
        )
    if not given["measures"] or given["topic"] is None:
        wanted = "a topic: -t TOPIC" if given["measures"] else "a measure: -m NAME"
        raise click.UsageError(f"irev explain wants {wanted}", click.get_current_context())
    from irev.cli.evaluate import load_plugins
    from irev.explaining import explain as explained
    from irev.explaining.text import write_json, write_table

    load_plugins(given["plugins"])
    qrels, run = given["files"]
    found = explained(
        qrels, run, given["measures"], os.fsencode(given["topic"]), _options(given),
        format=given["qrels_format"],
    )  # fmt: skip
    if given["format"] == "json":
        blocks = write_json(found, _signature(given))
    else:
        blocks = write_table(found, given["places"], every_rank=given["every_rank"])
    if given["output"] in (None, "-"):
        print_out(blocks)
        return 0
    with replaced(given["output"]) as stream:
        for block in blocks:
            stream.write(block)
    return 0


def _signature(given: dict[str, Any]) -> Signature | None:
    """What the evaluation of the run stands on; None where an input cannot be read once more."""
    qrels, run = given["files"]
    if not (os.path.isfile(qrels) and os.path.isfile(run)):
        return None
    from irev.engine.evaluator import Evaluator

    evaluator = Evaluator(
        qrels, given["measures"], _options(given), format=given["qrels_format"], sign=True
    )
    return evaluator.evaluate(run).signature


def _options(given: dict[str, Any]) -> Options:
    """The choices that define the evaluation, as `irev eval` takes them from its options."""
    from irev.cli.evaluate import command as evaluation
    from irev.cli.evaluate import options_of

    # what explain has no option for is at its default
    defaults = evaluation.make_context("irev", ["QRELS", "RUN"]).params
    shared = {name: value for name, value in given.items() if name in SHARED}
    return options_of(Flags(**{**defaults, **shared}))


def _own_options() -> list[click.Parameter]:
    return [
        Option("-t", "--topic", metavar="TOPIC", help="The topic to explain."),
        Option(
            "-a", "--all", "every_rank", is_flag=True,
            help="Show every rank, also those behind the last change and long stretches of "
            "unjudged documents.",
        ),
        Option(
            "--format", type=click.Choice(["table", "json"]), default="table",
            help="The form of the output; json has every rank in full precision. Default: table.",
        ),
    ]  # fmt: skip


def _parameters() -> list[click.Parameter]:
    shared = [option for option in parameters() if option.name in SHARED]
    files = click.Argument(["files"], nargs=-1, metavar="QRELS RUN")
    return [files, *_own_options(), *shared]


command = Job(
    "explain",
    params=_parameters(),
    callback=explain,
    help=explain.__doc__,
    epilog="Example: irev explain -m ndcg_cut.10 -t 10 qrels.txt bm25.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
