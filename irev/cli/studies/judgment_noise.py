"""`irev study judgment-noise`: how far assessors who disagree move a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.files import check_files
from irev.cli.studies.choices import options_of, real_numbers, shared
from irev.cli.types import whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from irev.options import Options
    from irev.plots.record import Record

MEASURES = ("AP",)
"""What is looked at where no measure is named."""


def judgment_noise(**given: Any) -> int:
    """Show how far assessors who disagree move the mean of a measure.

    Printed are, as in Kishida's Table 2: the mean, the variance between topics, the mean variance
    within a topic over the judgments, their sum, the mean variance that one judgment alone gives,
    and the variance of the mean over topics.

    The judgments are several assessors' (QRELS QRELS... RUN, or one file with -R qrels_jg), or made
    of one file, each holding with probability --theta (QRELS RUN --theta 0.9), or made altogether:
    without files, each document of --topic-set-size rankings of --ranks documents is relevant with
    probability theta or 1 - theta, by chance.
    """
    _check(given)
    options = options_of(given)
    measures = given["measures"] or MEASURES
    return deliver(_record(given, measures, options), given)


def _check(given: dict[str, Any]) -> None:
    files = len(given["files"])
    is_of_assessors = given["qrels_format"] == "qrels_jg" or files > 2
    if files == 1 or (not files and given["qrels_format"] == "qrels_jg"):
        raise click.UsageError(
            "relevance files and one run are wanted: irev study judgment-noise QRELS... RUN, "
            "or no file and --theta",
            click.get_current_context(silent=True),
        )
    check_files(given["files"], [])
    if is_of_assessors:
        _refuse(given, ("theta", "trials", "seed", "topic_set_size", "ranks"), "several assessors")
    elif given["theta"] is None:
        what = (
            "one file of judgments: --theta 0.9, or a file more"
            if files
            else "no file: --theta 0.9"
        )
        raise UsageError(f"the probability that a judgment holds is wanted with {what}")
    elif files:
        _refuse(given, ("topic_set_size", "ranks"), "QRELS RUN")


def _refuse(given: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if given[name] is not None:
            raise UsageError(f"--{name.replace('_', '-')} does not go with {what}")


def _record(given: dict[str, Any], measures: Sequence[str], options: Options) -> Record:
    *qrels, run = given["files"] or [None]
    if given["qrels_format"] == "qrels_jg" or len(qrels) > 1:
        from irev.studies.assessors import noise_of_assessors

        return noise_of_assessors(
            qrels, run, measures, format=given["qrels_format"], options=options
        )
    from irev.studies.judgment_noise import noise_in_run, simulated_noise

    (theta, *more) = real_numbers("--theta", given["theta"])
    if more:
        raise UsageError(f"--theta {given['theta']}: one probability is wanted")
    drawing: dict[str, Any] = {
        "trials": given["trials"] or 1000, "seed": given["seed"] or 0, "options": options,
        "watched": _watched(),
    }  # fmt: skip
    if qrels:
        return noise_in_run(qrels[0], run, theta, measures, **drawing)
    topics, ranks = given["topic_set_size"] or 50, given["ranks"] or 10
    return simulated_noise(theta, measures, topics=topics, ranks=ranks, **drawing)


def _watched() -> Callable[[Sequence[int]], Iterable[int]]:
    from irev.cli.progress import shown

    return lambda topics: shown(topics, len(topics), "topics")


command = Job(
    "judgment-noise",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS... RUN]"),
        Option(
            "-R", "qrels_format", type=click.Choice(["qrels", "qrels_jg"]), default="qrels",
            help="What QRELS hold: one assessor's judgments (the default) or several groups'.",
        ),
        Option(
            "--theta", metavar="P",
            help="The probability that a judgment holds, from 0 to 1; 0.5 is judging at random.",
        ),
        Option(
            "--trials", type=whole_number(2), metavar="M",
            help="With --theta: how often everything is judged. Default: 1000.",
        ),
        Option(
            "--seed", type=whole_number(0), metavar="N",
            help="With --theta: what is drawn. Default: 0.",
        ),
        Option(
            "--topic-set-size", type=whole_number(2), metavar="L",
            help="Without files: how many topics. Default: 50.",
        ),
        Option(
            "--ranks", type=whole_number(1), metavar="N",
            help="Without files: how many documents each topic has. Default: 10.",
        ),
        *shared(", ".join(MEASURES), "max_retrieved", "compat"),
        *study_options(),
    ],
    callback=judgment_noise,
    help=judgment_noise.__doc__,
    epilog="Examples: irev study judgment-noise --theta 0.9 --topic-set-size 50 --ranks 10;  "
    "irev study judgment-noise qrels.txt bm25.run --theta 0.9 -m AP -m ndcg_cut.10;  "
    "irev study judgment-noise anna.qrels ben.qrels bm25.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
