"""Figures of what Python holds: of the scores of runs, and what is drawn of comparisons alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.displayed import import_attribute
from irev.core.option_records import did_you_mean
from irev.engine.join_scores import replace_run_info, scored_run_table
from irev.errors import UsageError
from irev.jobs.plots.comparison_figures import COMPARISON_FIGURES, comparison_figure
from irev.jobs.plots.highlights import MOST_TOLD_APART
from irev.scores.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.jobs.compare.comparison import Comparison
    from irev.scores.table import ScoreTable


KINDS = ("per-topic", "median", "scatter", "cutoffs", "distribution")
"""The figures of scores alone: those of `irev.plots`."""


def result_figure(
    result: Any,
    kind: str,
    measures: object,
    options: Mapping[str, Any],
    *,
    width: FigureWidth = "page",
) -> Figure:
    """A figure of the scores of a result.

    Args:
        result: `Scores`, `ScoreTable` or a `Comparison`.
        kind: one of `KINDS`; of a `Comparison` one of `COMPARISON_FIGURES` too.
        measures: what is drawn; none: all measures with values by topic.
        options: options of the kind.
        width: of the figure.
    """
    is_comparison = hasattr(result, "contrasts")
    if is_comparison and kind in COMPARISON_FIGURES:
        return comparison_figure(result, kind, width=width)
    kinds = [*KINDS, *(COMPARISON_FIGURES if is_comparison else ())]
    if kind not in KINDS:
        hint = did_you_mean(kind, kinds) or f": {', '.join(kinds)}"
        raise UsageError(f"there is no figure '{kind}' of scores{hint}")
    table = result.table if is_comparison else result
    if is_comparison and kind in ("per-topic", "cutoffs") and "highlight" not in options:
        options = {**options, "highlight": _best_and_baselines(result)}
    if isinstance(result, Scores):
        table = _one_run_table(result)
    name = kind.replace("-", "_")
    plot = import_attribute(f"irev.jobs.plots.{name}:{name}")(table, (), measures, **options)
    figure: Figure = plot.plot(width=width)
    return figure


def _best_and_baselines(comparison: Comparison) -> list[str]:
    """The runs that are told apart where there are too many for all."""
    table = comparison.table
    if len(table.runs) <= MOST_TOLD_APART:
        return []
    best = table.run_names[int(np.argmax(table.merit(table.measure_names[0])))]
    baselines = [table.run_names[table.run_index(run)] for run in comparison.options.baselines]
    return list(dict.fromkeys([best, *baselines]))[:MOST_TOLD_APART]


def _one_run_table(scores: Scores) -> ScoreTable:
    """The table of one run, on the topics that its scores have."""
    table = scored_run_table(scores.run_name, scores.run_name, scores)
    return replace_run_info(table, missing=())
