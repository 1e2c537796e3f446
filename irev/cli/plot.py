"""`irev plot`: figures of runs."""

from __future__ import annotations

from irev.cli.groups import Kinds

PLOTS: dict[str, tuple[str, str]] = {
    "recall-precision": (
        "irev.cli.plots.recall_precision:command",
        "Recall-precision curves: points, interpolated, break-even.",
    ),
    "per-topic": ("irev.cli.plots.per_topic:command", "Bars of a measure, topic by topic."),
    "median": (
        "irev.cli.plots.median:command",
        "A run's difference from the median of all runs, topic by topic.",
    ),
    "scatter": ("irev.cli.plots.scatter:command", "Two runs against each other, by topic."),
    "cutoffs": ("irev.cli.plots.cutoffs:command", "A measure against its cutoff."),
    "distribution": (
        "irev.cli.plots.distribution:command",
        "How scores are spread over the topics.",
    ),
    "tie-ranges": (
        "irev.cli.plots.tie_ranges:command",
        "What the order of equal scores can change.",
    ),
}
"""Kind -> (where it is, as `module:attribute`; one line for the help)."""

command = Kinds(
    "plot",
    PLOTS,
    "Draw a figure (SVG, PNG or PDF), and write what it shows and its parameters beside it.",
)
