"""`irev study`: experiments about measures, runs and judgments."""

from __future__ import annotations

from irev.cli.commands import Kinds

STUDIES: dict[str, tuple[str, str]] = {
    "sensitivity": (
        "irev.cli.studies.rankings:sensitivity_command",
        "What one more relevant document at each rank does to a measure.",
    ),
    "enumerate": (
        "irev.cli.studies.rankings:enumerate_command",
        "All rankings of a few graded documents, under several measures.",
    ),
    "judgment-noise": (
        "irev.cli.studies.rankings:judgment_noise_command",
        "How much a mean changes when assessors disagree.",
    ),
    "correlation": (
        "irev.cli.studies.correlation:correlation_command",
        "How alike measures or judgments order the same runs.",
    ),
    "overlap": (
        "irev.cli.studies.two_runs:overlap_command",
        "Two runs as rankings: rank-biased overlap, topic by topic.",
    ),
    "preference": (
        "irev.cli.studies.two_runs:preference_command",
        "Which of two runs is preferred, from the ranks of relevant documents alone.",
    ),
    "agreement": (
        "irev.cli.studies.collections:agreement_command",
        "Two sets of judgments against each other, and what they change for runs.",
    ),
    "design": (
        "irev.cli.studies.collections:design_command",
        "How many topics are needed, and what varies in scores.",
    ),
    "topics": (
        "irev.cli.studies.collections:topics_command",
        "How hard topics are, on which topics runs do well, standardised scores.",
    ),
    "reproduction": (
        "irev.cli.studies.two_runs:reproduction_command",
        "How well an experiment was reproduced.",
    ),
    "discriminative-power": (
        "irev.cli.studies.power:discriminative_power_command",
        "How often measures tell two runs apart: bootstrap, swap and stability methods.",
    ),
    "robustness": (
        "irev.cli.studies.power:robustness_command",
        "Measures under incomplete and imperfect judgments.",
    ),
}
"""Kind -> (where it is, as `module:attribute`; one line for the help)."""

command = Kinds(
    "study",
    STUDIES,
    "Experiments about measures, runs and judgments.\n\nEach prints its main tables; --output DIR "
    "also writes all its data, its parameters and its figures.",
    {
        "judgment-noise": "noise",
        "correlation": "kendall tau spearman pearson rank-correlation",
        "overlap": "rbo rank-biased-overlap",
        "preference": "rpp lexirecall",
        "agreement": "kappa cohen assessors krippendorff",
        "design": "topic-set-size sample-size variance anova generalizability",
        "topics": "difficulty hardness standardisation standardization",
        "reproduction": "reproducibility replicability",
        "discriminative-power": "significance power swap stability asl",
        "robustness": "incomplete imperfect pool-bias",
    },
)
