"""`irev study`: experiments about measures, runs and judgments."""

from __future__ import annotations

from irev.cli.commands import Kinds, LazyCommand

STUDIES = {
    "sensitivity": LazyCommand(
        "irev.cli.studies.sensitivity:sensitivity_command",
        "How much a relevant document at each rank adds to a measure.",
    ),
    "enumerate": LazyCommand(
        "irev.cli.studies.enumerate:enumerate_command",
        "All rankings of a few graded documents, under several measures.",
    ),
    "judgment-noise": LazyCommand(
        "irev.cli.studies.judgment_noise:judgment_noise_command",
        "How much a mean changes when assessors disagree.",
        words="noise",
    ),
    "correlation": LazyCommand(
        "irev.cli.studies.correlation:correlation_command",
        "How alike measures or judgments order the same runs.",
        words="kendall tau spearman pearson rank-correlation",
    ),
    "overlap": LazyCommand(
        "irev.cli.studies.two_runs:overlap_command",
        "Two runs as rankings: rank-biased overlap, topic by topic.",
        words="rbo rank-biased-overlap",
    ),
    "preference": LazyCommand(
        "irev.cli.studies.preference:preference_command",
        "Which of two runs is preferred, from the ranks of relevant documents alone.",
        words="rpp lexirecall",
    ),
    "agreement": LazyCommand(
        "irev.cli.studies.collections:agreement_command",
        "How far two sets of judgments agree, and what that changes for runs.",
        words="kappa cohen assessors krippendorff",
    ),
    "design": LazyCommand(
        "irev.cli.studies.collections:design_command",
        "How many topics are needed, and where the variance of scores comes from.",
        words="topic-set-size sample-size variance anova generalizability",
    ),
    "topics": LazyCommand(
        "irev.cli.studies.collections:topics_command",
        "How hard topics are, on which topics runs do well, standardised scores.",
        words="difficulty hardness standardisation standardization",
    ),
    "reproduction": LazyCommand(
        "irev.cli.studies.two_runs:reproduction_command",
        "How well an experiment was reproduced.",
        words="reproducibility replicability",
    ),
    "discriminative-power": LazyCommand(
        "irev.cli.studies.discriminative_power:discriminative_power_command",
        "How often measures tell two runs apart: bootstrap, swap and stability methods.",
        words="significance power swap stability asl",
    ),
    "robustness": LazyCommand(
        "irev.cli.studies.robustness:robustness_command",
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
