"""`irev study discriminative-power`: what measures tell of runs."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import scored_runs
from irev.jobs.studies.discriminative_power import DiscriminativePowerOptions
from irev.jobs.studies.options import measures_help

discriminative_power_command = Command(
    "discriminative-power",
    "irev.jobs.studies.discriminative_power:discriminative_power",
    DiscriminativePowerOptions,
    scored_runs("discriminative-power"),
    "[QRELS] RUN...",
    StudyOutput,
    help="""\
Show how often measures find two runs significantly different, and which difference it takes.

QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
file. All pairs of runs are tested by the paired bootstrap test of Sakai (SIGIR 2006), with the
same samples of the topics for all measures and gains. For each measure: the significant pairs
(68/105=65%), and the estimated difference: the largest that is needed for significance. --test
has others: by the randomised Tukey HSD the difference is its critical one, the same for all
pairs, and the other tests give none.

Several --gains make a block of results each. --teams with --best-per-team keeps one run of
each team. --swap, --stability and --concordance add what other methods say of the measures.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(DiscriminativePowerOptions.default_measures),
    example="irev study discriminative-power qrels.txt runs/* -m AP -m Q --gains 3:2:1 "
    "--gains 10:5:1 --output power;  "
    "irev study discriminative-power ap.csv p10.csv --against ap --swap",
)
