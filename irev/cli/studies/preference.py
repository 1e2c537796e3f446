"""`irev study preference`: which of two runs is preferred."""

from collections.abc import Sequence
from typing import Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.output import check_files
from irev.cli.several_runs import (
    ONLY_GRADES,
    OptionsOfRuns,
    Runs,
    evaluation_of_runs,
    records_of_runs,
)
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import report_progress
from irev.jobs.studies.plans import PreferenceTest


class PreferenceKinds(ResultOptions):
    """Which preferences are looked at."""

    kinds: Annotated[
        Sequence[
            Literal["rpp", "invrpp", "dcgrpp", "lexirecall", "lexiprecision", "rrlexiprecision"]
        ],
        Opt(
            "-m", "--preference",
            help="Add a preference; may be repeated. Default: rpp, lexirecall and lexiprecision.",
        ),
    ] = ()  # fmt: skip


def preference(
    files: tuple[str, ...],
    chosen: PreferenceKinds,
    test: PreferenceTest,
    output: StudyOutput,
    asked: Runs,
    options: OptionsOfRuns,
) -> int:
    """Which run of each pair is preferred, by the ranks of the relevant documents alone.

    Topic by topic, the ranks of the i-th relevant documents of both runs are compared, for each
    level of recall i. Recall-paired preference is the mean of the signs (rpp; weighted by 1/i:
    invrpp; by 1/log2(i+1): dcgrpp). Lexicographic recall is the sign at the last level that differs
    (lexirecall), lexicographic precision that at the first (lexiprecision), or the difference of
    the reciprocal ranks there (rrlexiprecision). No measure is needed, and few topics are tied.

    For each pair: the mean preference, positive for the first run, topics won, tied and lost with
    the sign test, and the test of the mean. --output has every topic.

    A judged topic that a run lacks counts as an empty ranking, and a warning on stderr says so.
    """
    if len(files) < 3:
        raise misused(
            "give a relevance file and two runs or more: irev study preference QRELS RUN RUN..."
        )
    check_files([*files, *options.input_paths()], ())
    from irev.jobs.studies.preference import DEFAULT
    from irev.jobs.studies.preference import preference as studied

    outcome = studied(
        files[0], files[1:], chosen.kinds or DEFAULT, test,
        options=evaluation_of_runs(files, asked, options), format=asked.qrels_format,
        names=asked.names, watched=lambda items, count: report_progress(items, count, "runs"),
    )  # fmt: skip
    return deliver(outcome, output)


preference_command = Job(
    "preference", preference, "QRELS RUN RUN...", PreferenceKinds, PreferenceTest, StudyOutput,
    *records_of_runs(
        without=(
            "measures", "classes", "weights", "duplicates", "intents", "nan", "defaults",
            "collection_size", "plugins", "pool",
        ),
        say={
            "qrels_format": ONLY_GRADES,
            "topics": "Average over all judged topics, where a run has an empty ranking for one "
            "that it lacks (qrels, the default), over those that every run has (both), or over "
            "those listed in FILE.",
        },
    ),
    example="irev study preference qrels.txt bm25.run rm3.run;  "
    "irev study preference qrels.txt runs/* -m lexiprecision --output preferences",
)  # fmt: skip
