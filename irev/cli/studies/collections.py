"""`irev study agreement`, `design` and `topics`: judgments, and topics as a pilot has them."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import (
    qrels_and_runs_or_variance_option,
    qrels_pair_and_no_or_several_runs,
    scored_runs,
)
from irev.jobs.studies.agreement import AgreementOptions
from irev.jobs.studies.design import DesignOptions
from irev.jobs.studies.options import USUAL, measures_help
from irev.jobs.studies.topic_difficulty import TopicDifficultyOptions

agreement_command = Command(
    "agreement",
    "irev.jobs.studies.agreement:agreement",
    AgreementOptions,
    qrels_pair_and_no_or_several_runs,
    "QRELS QRELS [RUN...]",
    StudyOutput,
    help="""\
Two sets of judgments against each other, and what the choice between them changes for runs.

On the documents that both judge: the confusion of grades, the share of equal ones, Cohen's
kappa (plain, linear, quadratic), Krippendorff's alpha and the overlap of the relevant
documents, for each topic and in all.

With RUN...: how alike both order the runs (tau_b, tau_AP), and which conclusions about pairs of
runs change, on the topics that both judge.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(USUAL),
    example="irev study agreement nist.qrels crowd.qrels;  "
    "irev study agreement nist.qrels crowd.qrels runs/* -m map --output agreement",
)

design_command = Command(
    "design",
    "irev.jobs.studies.design:design",
    DesignOptions,
    qrels_and_runs_or_variance_option,
    "[QRELS] [RUN...]",
    StudyOutput,
    help="""\
How many topics are needed to find a difference, what the present ones can show, and why.

From the scores of a pilot (QRELS RUN..., or saved scores): the variance between runs, topics
and the rest, and E rho^2 and Phi, by generalisability theory; the topics needed by the t test,
the analysis of variance and the interval (Sakai 2016), for the estimated variance and for its
chi^2 limits; the power of the present topics. From --variance alone, the topics needed.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(("map",)),
    example="irev study design qrels.txt runs/* -m map -m ndcg_cut.10 --difference 0.05;  "
    "irev study design adhoc8_ap.csv --collection adhoc7_ap.csv --output design;  "
    "irev study design --variance 0.25 --difference 0.1",
)

topics_command = Command(
    "topics",
    "irev.jobs.studies.topic_difficulty:topic_difficulty",
    TopicDifficultyOptions,
    scored_runs("topics", "RUN RUN..."),
    "[QRELS] RUN...",
    StudyOutput,
    help="""\
How hard topics are, on which topics runs do well, and scores standardised by topic.

What share of the variation is between runs, between topics, and interaction of both; the
topics, the hardest first; the runs by their standardised means, in which each topic has the
same weight however hard it is, so that you can combine collections on which the same runs were
tried. --output has the map of runs and topics, as a table and a figure.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(("map",)),
    example="irev study topics qrels.txt runs/* -m map --output topics",
)
