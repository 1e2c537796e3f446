"""`irev study preference`: which of two runs is preferred."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import ONLY_GRADES, qrels_and_several_runs
from irev.jobs.studies.preference import PreferenceOptions

preference_command = Command(
    "preference",
    "irev.jobs.studies.preference:preference",
    PreferenceOptions,
    qrels_and_several_runs("preference", "RUN RUN..."),
    "QRELS RUN RUN...",
    StudyOutput,
    help="""\
Which run of each pair is preferred, by the ranks of the relevant documents alone.

Topic by topic, the ranks of the i-th relevant documents of both runs are compared, for each
level of recall i. Recall-paired preference is the mean of the signs (rpp; weighted by 1/i:
invrpp; by 1/log2(i+1): dcgrpp). Lexicographic recall is the sign at the last level that differs
(lexirecall), lexicographic precision that at the first (lexiprecision), or the difference of
the reciprocal ranks there (rrlexiprecision). No measure is needed, and few topics are tied.

For each pair: the mean preference, positive for the first run, topics won, tied and lost with
the sign test, and the test of the mean. --output has every topic.

A judged topic that a run lacks counts as an empty ranking, and a warning on stderr says so.""",
    option_helps={
        "qrels_format": ONLY_GRADES,
        "topics": "Average over all judged topics, where a run has an empty ranking for one "
        "that it lacks (qrels, the default), over those that every run has (both), or over "
        "those listed in FILE.",
    },
    example="irev study preference qrels.txt bm25.run rm3.run;  "
    "irev study preference qrels.txt runs/* -m lexiprecision --output preferences",
)
