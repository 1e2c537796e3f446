"""`irev study`: experiments about measures, runs and judgments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import click

from irev.cli.command import Command, FilesToJobInputs, StudyOutput, qrels_and_runs_or_saved_scores
from irev.cli.commands import Kinds, LazyCommand, usage_error
from irev.cli.options import starts_with_saved
from irev.engine.run_files import run_files
from irev.errors import UsageError
from irev.jobs.studies.agreement import AgreementOptions
from irev.jobs.studies.correlation import CorrelationOptions
from irev.jobs.studies.criteria import FOUR, USUAL, measures_help
from irev.jobs.studies.design import DesignOptions
from irev.jobs.studies.discriminative_power import DiscriminativePowerOptions
from irev.jobs.studies.enumerate import EnumerateOptions
from irev.jobs.studies.judgment_noise import JudgmentNoiseOptions
from irev.jobs.studies.overlap import OverlapOptions
from irev.jobs.studies.preference import PreferenceOptions
from irev.jobs.studies.reproduction import ROLES, ReproductionOptions
from irev.jobs.studies.robustness import RobustnessOptions
from irev.jobs.studies.sensitivity import CHANGED, SensitivityOptions
from irev.jobs.studies.topic_difficulty import TopicDifficultyOptions
from irev.read.columns import columns_by_field
from irev.read.formats import GRADED, JUDGMENTS, format_names
from irev.read.inputs import runs_in_table_if_several

STUDIES = {
    "sensitivity": LazyCommand(
        "irev.cli.study:sensitivity_command",
        "How much a relevant document at each rank adds to a measure.",
    ),
    "enumerate": LazyCommand(
        "irev.cli.study:enumerate_command",
        "All rankings of a few graded documents, under several measures.",
    ),
    "judgment-noise": LazyCommand(
        "irev.cli.study:judgment_noise_command",
        "How much a mean changes when assessors disagree.",
        words="noise",
    ),
    "correlation": LazyCommand(
        "irev.cli.study:correlation_command",
        "How alike measures or judgments order the same runs.",
        words="kendall tau spearman pearson rank-correlation",
    ),
    "overlap": LazyCommand(
        "irev.cli.study:overlap_command",
        "Two runs as rankings: rank-biased overlap, topic by topic.",
        words="rbo rank-biased-overlap",
    ),
    "preference": LazyCommand(
        "irev.cli.study:preference_command",
        "Which of two runs is preferred, from the ranks of relevant documents alone.",
        words="rpp lexirecall",
    ),
    "agreement": LazyCommand(
        "irev.cli.study:agreement_command",
        "How far two sets of judgments agree, and what that changes for runs.",
        words="kappa cohen assessors krippendorff",
    ),
    "design": LazyCommand(
        "irev.cli.study:design_command",
        "How many topics are needed, and where the variance of scores comes from.",
        words="topic-set-size sample-size variance anova generalizability",
    ),
    "topics": LazyCommand(
        "irev.cli.study:topics_command",
        "How hard topics are, on which topics runs do well, standardised scores.",
        words="difficulty hardness standardisation standardization",
    ),
    "reproduction": LazyCommand(
        "irev.cli.study:reproduction_command",
        "How well an experiment was reproduced.",
        words="reproducibility replicability",
    ),
    "discriminative-power": LazyCommand(
        "irev.cli.study:discriminative_power_command",
        "How often measures tell two runs apart: bootstrap, swap and stability methods.",
        words="significance power swap stability asl",
    ),
    "robustness": LazyCommand(
        "irev.cli.study:robustness_command",
        "Measures under incomplete and imperfect judgments.",
        words="incomplete imperfect pool-bias",
    ),
}
"""The kinds of studies."""

command = Kinds(
    "study",
    STUDIES,
    "Experiments about measures, runs and judgments.\n\nEach prints its main tables; --output DIR "
    "also writes all its data, its parameters and its figures.",
)


# --- How the files of a command line are given to studies ---


ONLY_GRADES = f"Format of QRELS: {format_names({name: JUDGMENTS[name] for name in GRADED})}."
"""The help of -R where judgments must be grades of documents."""


def scored_runs(study: str, runs: str = "RUN...") -> FilesToJobInputs:
    """QRELS RUN..., or saved scores alone; `study` and `runs` are for the message."""

    def inputs(files: Sequence[str]) -> Sequence[Any]:
        if not files or (len(files) < 2 and not starts_with_saved(files)):
            raise usage_error(
                f"give qrels and runs, or saved scores: irev study {study} QRELS {runs}"
            )
        return qrels_and_runs_or_saved_scores(files)

    return inputs


def qrels_and_several_runs(study: str, runs: str) -> FilesToJobInputs:
    """QRELS RUN..., two runs or more; `study` and `runs` are for the message."""

    def inputs(files: Sequence[str]) -> Sequence[Any]:
        run_paths = list(run_files(files[1:]).regular())
        if not run_paths or (len(run_paths) < 2 and not _is_table_of_several_runs(run_paths[0])):
            raise usage_error(f"give qrels and two runs or more: irev study {study} QRELS {runs}")
        return files[0], run_paths

    return inputs


def _is_table_of_several_runs(path: str) -> bool:
    columns = click.get_current_context().params.get("columns") or {}
    return len(runs_in_table_if_several(path, columns_by_field(dict(columns)))) > 1


def qrels_pair_and_no_or_several_runs(files: Sequence[str]) -> Sequence[Any]:
    """QRELS QRELS... [RUN...], without runs or with several; what looks like judgments is some."""
    from irev.jobs.check.files import are_judgments

    qrels_format = click.get_current_context().params.get("qrels_format")
    others = [*takewhile(lambda path: are_judgments(path, qrels_format), files[2:])]
    runs = files[2 + len(others) :]
    if len(files) < 2 or (len(runs) == 1 and not _is_table_of_several_runs(runs[0])):
        raise usage_error(
            "give two qrels files or more, and no runs or several: irev study agreement QRELS "
            "QRELS... [RUN...]"
        )
    judges = [files[1], *others]
    return files[0], judges if others else files[1], [*run_files(runs).regular()]


def qrels_and_runs_or_none(files: Sequence[str]) -> Sequence[Any]:
    """QRELS RUN..., or saved scores; or nothing; what --sd and --variance need the job knows."""
    given = click.get_current_context().params
    if not files or given.get("sd") is not None or given.get("variance") is not None:
        return list(files) or None, ()
    if len(files) < 2 and not starts_with_saved(files):
        raise usage_error(
            "give qrels and runs, or saved scores, or neither: irev study design QRELS RUN..."
        )
    return qrels_and_runs_or_saved_scores(files)


def run_pair(files: Sequence[str]) -> Sequence[str]:
    """RUN RUN."""
    if len(files) != 2:
        raise usage_error("give two runs: irev study overlap RUN RUN")
    return files


def one_qrels_unless_run_options_are_saved(qrels_paths: Sequence[str]) -> Sequence[str | None]:
    """QRELS, or nothing if the four runs, which options name, are saved scores."""
    option_values = click.get_current_context().params
    for role in ROLES:
        if option_values.get(role) is None:
            raise usage_error(f"give four runs: --{role.replace('_', '-')} is missing")
    are_saved = starts_with_saved([option_values[role] for role in ROLES])
    if len(qrels_paths) != (0 if are_saved else 1):
        hint = "saved scores need no QRELS" if are_saved else "give one qrels file"
        raise usage_error(
            f"{hint}: irev study reproduction QRELS --baseline RUN --advanced RUN "
            "--new-baseline RUN --new-advanced RUN"
        )
    return qrels_paths or [None]


# --- The studies ---


agreement_command = Command(
    "agreement",
    "irev.jobs.studies.agreement:agreement",
    AgreementOptions,
    qrels_pair_and_no_or_several_runs,
    "QRELS QRELS... [RUN...]",
    StudyOutput,
    help="""\
Two sets of judgments against each other, and what the choice between them changes for runs.

On the documents that both judge: the confusion of grades, the share of equal ones, Cohen's
kappa (plain, linear, quadratic), Krippendorff's alpha and the overlap of the relevant
documents, for each topic and in all.

With RUN...: how alike both order the runs (tau_b, tau_AP, tau@K, tau_GAP), and which conclusions
about pairs of runs change, on the topics that both judge.

Several judges are each held against the first QRELS: a line for each, with what it lacks.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(USUAL),
    shows="--columns",
    example="irev study agreement nist.qrels crowd.qrels;  "
    "irev study agreement nist.qrels crowd.qrels runs/* -m map --output agreement",
)

design_command = Command(
    "design",
    "irev.jobs.studies.design:design",
    DesignOptions,
    qrels_and_runs_or_none,
    "[QRELS] [RUN...]",
    StudyOutput,
    help="""\
How many topics are needed to find a difference, what the present ones can show, and why.

From the scores of a pilot (QRELS RUN..., or saved scores): the variance between runs, topics
and the rest, and E rho^2 and Phi, by generalisability theory; the topics needed by the t test,
the analysis of variance and the interval (Sakai 2016), for the estimated variance and for its
chi^2 limits; the power of the present topics.

Without files the topics needed, for the standard deviation that --sd names, or for those of good
runs on four collections: of nDCG@10, AP, P@10, RR and Success@5.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(("map",)),
    example="irev study design qrels.txt runs/* -m map -m ndcg_cut.10 --difference 0.05;  "
    "irev study design adhoc8_ap.csv --collection adhoc7_ap.csv --output design;  "
    "irev study design -m nDCG@10 --difference 0.05;  "
    "irev study design --sd 0.1328 --difference 0.05",
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


correlation_command = Command(
    "correlation",
    "irev.jobs.studies.correlation:correlation",
    CorrelationOptions,
    scored_runs("correlation"),
    "[QRELS] RUN...",
    StudyOutput,
    help="""\
How alike several measures, or several judgments, order the same runs.

QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
file. For all pairs of measures: Kendall's tau_b and tau_a with p, tau_AP (the row is the truth)
and tau_AP,b, Spearman's rho, Pearson's r, the RMS error of the means, and how many pairs of
runs are found significantly different in the same or in opposite directions.

Files of scores of several runs are judges, the first of them the truth: a line for each judge, with
what it lacks. --missing says what is done about that.

--sweep draws the correlation against a parameter of measures: lines over beta, over the base
of a logarithm, over gain ratios. --other-qrels adds the orders under other judgments, on the
topics that all of them have.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(FOUR),
    example="irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation people.txt llm.txt",
)


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


def _no_files(files: Sequence[str]) -> Sequence[Any]:
    if files:
        raise UsageError(f"irev study enumerate reads no file: {files[0]}")
    return ()


enumerate_command = Command(
    "enumerate",
    "irev.jobs.studies.enumerate:enumerate",
    EnumerateOptions,
    _no_files,
    "",
    StudyOutput,
    help="""\
Score every ranking of a few relevant documents, and compare the measures over them.

Each document is at one of the ranks or was not retrieved: three documents and five ranks
make 136 rankings. Printed are mean and standard deviation of each measure, Pearson's
correlation of every two, and the scores of the rankings given with --pick, with their ratios.""",
    measures="MSR@N, AvgNDCG(disc=jk,b=2)@N, Q(beta=1), genAP, AP",
    example="irev study enumerate --grades-present 3,2,1 --ranks 5 --pick 32000 --pick 00123 -m "
    "ndcg_cut.5 -m genAP",
)


class _JudgmentNoiseCommand(Command):
    """The command; groups of assessors stand in a file."""

    def refuse_number_of_files(self, files: Sequence[str], options: JudgmentNoiseOptions) -> None:
        """Refuse one file alone; none is needed where all is simulated."""
        if len(files) == 1 or (not files and options.qrels_format == "qrels_jg"):
            raise usage_error(
                "give qrels files and one run: irev study judgment-noise QRELS... RUN, "
                "or no file and --theta"
            )


judgment_noise_command = _JudgmentNoiseCommand(
    "judgment-noise",
    "irev.jobs.studies.judgment_noise:judgment_noise",
    JudgmentNoiseOptions,
    # several assessors' judgments and one run, or neither
    lambda files: (list(files[:-1]), files[-1]) if files else (None, None),
    "[QRELS... RUN]",
    StudyOutput,
    help="""\
Show how much the mean of a measure changes when assessors disagree.

Printed are, as in Kishida's Table 2: the mean, the variance between topics, the mean variance
within a topic over the judgments, their sum, the mean variance that one judgment alone gives,
and the variance of the mean over topics.

The judgments are several assessors' (QRELS QRELS... RUN, or one file with -R qrels_jg), or
simulated from one file, each right with probability --theta (QRELS RUN --theta 0.9), or
simulated entirely: without files, each document of --topic-set-size rankings of --ranks
documents is relevant with probability theta or 1 - theta, by chance.""",
    measures="AP",
    example="irev study judgment-noise --theta 0.9 --topic-set-size 50 --ranks 10;  "
    "irev study judgment-noise qrels.txt bm25.run --theta 0.9 -m AP -m ndcg_cut.10;  "
    "irev study judgment-noise anna.qrels ben.qrels bm25.run",
)


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


robustness_command = Command(
    "robustness",
    "irev.jobs.studies.robustness:robustness",
    RobustnessOptions,
    qrels_and_several_runs("robustness", "RUN..."),
    "QRELS RUN...",
    StudyOutput,
    help="""\
Show how well measures keep the order of runs when few documents are judged.

For each rate, a random share of every topic's judgments is kept, the same for all runs and
measures, and the runs' means are compared with those of average precision under all judgments
(measures that do not estimate it: with their own): Kendall's tau, Pearson's rho, the RMS error
over runs, and the mean value over runs, each a mean over --repeat samples. QRELS must hold
complete judgments. As in Yilmaz and Aslam 2006.

--imperfect takes a share of the collection away from the runs, while all judgments stay. Alone it
does only that; with --rates you get both.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures="bpref-10, bpref, indAP, subAP, infAP and AP",
    option_helps={
        "qrels_format": ONLY_GRADES,
        "pool": "The pool that samples are drawn from, where QRELS does not hold all of it: a "
        "file with a topic and a document on each line, or the first N documents of each RUN. "
        "What has no grade there counts as judged and not relevant.",
    },
    example="irev study robustness qrels.txt runs/* --output robustness;  "
    "irev study robustness qrels.txt runs/* --rates 5,10,30 --imperfect 50,75,100 -m infAP -m AP;  "
    "irev study robustness trec8.qrels trec8/* --collection 'trec7.qrels trec7/*' --output grid",
)


class _SensitivityCommand(Command):
    """The command; a made ranking needs no files."""

    def refuse_number_of_files(self, files: Sequence[str], options: SensitivityOptions) -> None:
        """Refuse all but qrels and a run, or no file where options give the ranking."""
        is_made = options.ranking_grades or options.undiscovered is not None
        if len(files) not in (0, 2) or not (files or is_made):
            raise usage_error(
                "give a ranking, or qrels and one run: irev study sensitivity "
                "--ranking 1,0,0,1, or QRELS RUN"
            )


sensitivity_command = _SensitivityCommand(
    "sensitivity",
    "irev.jobs.studies.sensitivity:sensitivity",
    SensitivityOptions,
    lambda files: files or (None, None),
    "[QRELS RUN]",
    StudyOutput,
    help="""\
Show how measures change when the document at rank j becomes relevant, for every j.

For an artificial ranking (--ranking), one topic of a run (QRELS RUN -t TOPIC), one document of
it (-t TOPIC --doc DOC), or, with QRELS RUN alone, the mean over the topics whose document at
rank j is not relevant. The change is the new score minus the old one, by Kishida's equations
where a measure has one, otherwise by scoring the ranking again, which works for any measure of
grades.

Below the changes stand slopes: how fast each measure grows with the gain of a relevant document.

--undiscovered DEPTH shows what one more relevant document would change, which a pool of that depth
missed and which stands at the next rank: by formula for average precision, or for the topics of a
run.""",
    measures=", ".join(CHANGED),
    example="irev study sensitivity --ranking 1,0,0,1,0,1,0,0 --relevant 4 -m AP;  "
    "irev study sensitivity qrels.txt bm25.run -t 301 --output sensitivity;  "
    "irev study sensitivity --undiscovered 100 --places 5",
)


overlap_command = Command(
    "overlap",
    "irev.jobs.studies.overlap:overlap",
    OverlapOptions,
    run_pair,
    "RUN RUN",
    StudyOutput,
    help="""\
How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

No judgments are needed. Documents of equal scores are tied. For documents below the end of
a ranking the point value (ext) assumes that they agree as those above do; min and max are the
bounds, res is max - min.

A topic that one run lacks counts as 0, and the notes on stderr say so.""",
    example="irev study overlap bm25.run rm3.run -p 0.95 --ties w",
)

reproduction_command = Command(
    "reproduction",
    "irev.jobs.studies.reproduction:reproduction",
    ReproductionOptions,
    one_qrels_unless_run_options_are_saved,
    "[QRELS]",
    StudyOutput,
    help="""\
How well an experiment was reproduced: an advanced run against a baseline, then and now.

Effect ratio (ER) with its interval, the difference of relative improvements (DeltaRI), RMSE and
normalised RMSE of the topics' scores, p, and RBO of the rankings. QRELS are the judgments, and
--new-qrels those of the new runs where it was replicated on other topics. Saved scores have no
rankings, and need no QRELS.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(USUAL),
    example="irev study reproduction qrels.txt --baseline bm25.run --advanced rm3.run "
    "--new-baseline my-bm25.run --new-advanced my-rm3.run -m map",
)
