"""`irev study robustness`: measures under incomplete and imperfect judgments."""

from __future__ import annotations

from typing import Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.files import check_files
from irev.cli.gathering import (
    default_measures,
    evaluation_options,
    files_read,
    gathering_options,
)
from irev.cli.types import whole_number

_UNUSED = (
    "judged_only", "classes", "weights", "duplicates", "intents", "nan"
)  # fmt: skip
"""Options of the commands that compare runs which samples of the judgments have no place for."""

_HELP = {
    "measures": default_measures("bpref-10, bpref, indAP, subAP, infAP and AP"),
    "qrels_format": "What QRELS holds: qrels (the default) or ntcir.",
    "pool": "The pool that samples are drawn from, where QRELS does not hold all of it: a file "
    "with a topic and a document on each line, or the first N documents of each RUN. What has no "
    "grade there counts as judged and not relevant.",
}
"""What shared options mean here."""

_ALL = "1,2,3,4,5,10,20,...,100"


def robustness(**given: Any) -> int:
    """Show how far measures keep the order of runs when few documents are judged.

    For each rate, a random share of every topic's judgments is kept, the same for all runs and
    measures, and the runs' means are compared with those of average precision under all judgments
    (measures that do not estimate it: with their own): Kendall's tau, Pearson's rho, the RMS error
    over runs, and the mean value over runs, each a mean over --repeat samples. QRELS must hold
    complete judgments. As in Yilmaz and Aslam 2006.

    --imperfect also takes away a share of the collection from the runs, while all judgments stay.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    if len(given["files"]) < 3:
        raise click.UsageError(
            "a relevance file and two runs or more are wanted: irev study robustness QRELS RUN...",
            click.get_current_context(silent=True),
        )
    # to take documents away, everything is read again
    check_files(files_read(given) * (2 if given["imperfect"] else 1), ())
    from irev.cli.progress import shown
    from irev.studies.robustness import MEASURES, RATES, Sampling
    from irev.studies.robustness import robustness as studied

    sampling = Sampling(
        RATES if given["rates"] is None else given["rates"].split(","),
        given["repeat"],
        () if given["imperfect"] is None else given["imperfect"].split(","),
        given["seed"],
    )
    record = studied(
        given["files"][0], given["files"][1:], given["measures"] or MEASURES, sampling,
        options=evaluation_options(given), format=given["qrels_format"], names=given["names"],
        watched=lambda items, count: shown(items, count, "runs"),
    )  # fmt: skip
    return deliver(record, given)


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "--rates", metavar="LIST",
            help=f"How much of each topic's judgments is kept, in percent. Default: {_ALL}.",
        ),
        Option(
            "--repeat", type=whole_number(1), default=10, metavar="N",
            help="How many samples are drawn of each rate. Default: 10.",
        ),
        Option(
            "--imperfect", metavar="LIST",
            help="How much of the collection is kept, in percent, such as 50,60,70,80,90,100.",
        ),
        Option(
            "--seed", type=whole_number(0), default=0, metavar="N",
            help="What the samples depend on, beside topics and documents. Default: 0.",
        ),
    ]  # fmt: skip


def _shared() -> list[click.Parameter]:
    topics = Option(
        "--topics", metavar="qrels|FILE", section="Options of the runs",
        help="Average over all judged topics, where one that a run lacks counts as 0 (qrels, the "
        "default), or over those listed in FILE.",
    )  # fmt: skip
    return [topics, *gathering_options(without=(*_UNUSED, "topics"), say=_HELP)]


command = Job(
    "robustness",
    params=[
        click.Argument(["files"], nargs=-1, metavar="QRELS RUN..."),
        *_own_options(), *study_options(), *_shared(),
    ],
    callback=robustness,
    help=robustness.__doc__,
    epilog="Examples: irev study robustness qrels.txt runs/* --output robustness;  "
    "irev study robustness qrels.txt runs/* --rates 5,10,30 --imperfect 50,75,100 -m infAP -m AP",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
