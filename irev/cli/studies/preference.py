"""`irev study preference`: which of two runs is preferred, topic by topic."""

from __future__ import annotations

from typing import Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.files import check_files
from irev.cli.gathering import evaluation_options, files_read, gathering_options
from irev.cli.types import whole_number
from irev.statistics.methods import OF_MEANS, OF_P, draws_said

KINDS = ("rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision")
"""The preferences there are."""

_UNUSED = (
    "measures", "classes", "weights", "duplicates", "intents", "nan", "beta", "log_base",
    "gains", "max_grade", "collection_size", "plugins", "pool",
)  # fmt: skip
"""Options of the commands that compare runs by their scores."""

_HELP = {
    "qrels_format": "What QRELS holds: qrels (the default) or ntcir.",
    "topics": "Average over all judged topics, where a run has an empty ranking for one that it "
    "lacks (qrels, the default), over those that every run has (both), or over those listed in "
    "FILE.",
}
"""What shared options mean here."""


def preference(**given: Any) -> int:
    """Which run of each pair is preferred, by the ranks of the relevant documents alone.

    Topic by topic, the ranks of the i-th relevant documents of both runs are compared, for each
    level of recall i. Recall-paired preference is the mean of the signs (rpp; weighted by 1/i:
    invrpp; by 1/log2(i+1): dcgrpp). Lexicographic recall is the sign at the last level that differs
    (lexirecall), lexicographic precision that at the first (lexiprecision), or the difference of
    the reciprocal ranks there (rrlexiprecision). No measure stands between: hardly a topic is tied.

    For each pair: the mean preference, positive for the first run, topics won, tied and lost with
    the sign test, and the test of the mean. --output has every topic.

    A judged topic that a run lacks counts as an empty ranking, and the notes on stderr say so.
    """
    if len(given["files"]) < 3:
        raise click.UsageError(
            "a relevance file and two runs or more are wanted: irev study preference QRELS RUN "
            "RUN...",
            click.get_current_context(silent=True),
        )
    check_files(files_read({**given, "plugins": ()}), ())
    from irev.cli.progress import shown
    from irev.studies.preference import DEFAULT, PreferenceTest
    from irev.studies.preference import preference as studied

    record = studied(
        given["files"][0], given["files"][1:], given["kinds"] or DEFAULT,
        PreferenceTest(given["test"], given["correction"], given["resamples"], given["seed"]),
        options=evaluation_options(given), format=given["qrels_format"], names=given["names"],
        watched=lambda items, count: shown(items, count, "runs"),
    )  # fmt: skip
    return deliver(record, given)


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "-m", "--preference", "kinds", multiple=True, type=click.Choice(KINDS),
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
        Option(
            "--test", type=click.Choice(OF_MEANS), default="permutation",
            help="The test of the mean preference. Default: permutation, exact where it can be.",
        ),
        Option(
            "--correction", type=click.Choice(OF_P), default="holm",
            help="The correction for the number of pairs of runs. Default: holm.",
        ),
        Option(
            "-B", "--resamples", type=whole_number(1), metavar="B",
            help="How many permutations, or samples of the topics, are drawn where a test is not "
            f"exact. Default: {draws_said(OF_MEANS)}, or as many as the correction needs.",
        ),
        Option(
            "--seed", type=whole_number(0), default=0, metavar="N",
            help="What they are drawn from. Default: 0.",
        ),
    ]  # fmt: skip


def _shared() -> list[click.Parameter]:
    return gathering_options(without=_UNUSED, say=_HELP)


command = Job(
    "preference",
    params=[
        click.Argument(["files"], nargs=-1, metavar="QRELS RUN RUN..."),
        *_own_options(), *study_options(), *_shared(),
    ],
    callback=preference,
    help=preference.__doc__,
    epilog="Examples: irev study preference qrels.txt bm25.run rm3.run;  "
    "irev study preference qrels.txt runs/* -m lexiprecision --output preferences",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
