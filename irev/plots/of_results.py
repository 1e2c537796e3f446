"""Figures of results that Python holds: of scores, of several runs' scores, of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irev.core.displayed import located
from irev.core.records import near
from irev.engine.alignment import part_of_scores, shared_columns
from irev.engine.gather import Gathered, brought_together
from irev.errors import UsageError
from irev.measures.lists import listed
from irev.options import Options
from irev.plots.of_comparison import OF_COMPARISONS, figure_of_comparison
from irev.results.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irev.results.matrices import Matrices

KINDS = {
    "per-topic": "irev.plots.by_topic:per_topic",
    "median": "irev.plots.by_topic:median",
    "scatter": "irev.plots.by_topic:scatter",
    "cutoffs": "irev.plots.by_run:cutoffs",
    "distribution": "irev.plots.by_run:distribution",
}
"""Kind -> what draws it of scores alone, as `module:attribute`."""


def figure_of(result: Any, kind: str, measures: object, choices: Mapping[str, Any]) -> Figure:
    """A figure of the scores of a result.

    Args:
        result: `Scores`, `ScoresByRun` or a `Comparison`.
        kind: one of `KINDS`; of a `Comparison` one of `OF_COMPARISONS` too.
        measures: what is drawn; none: all measures with values by topic.
        choices: those of the kind.

    Raises:
        UsageError: there is no such kind; too many measures or runs.
    """
    if hasattr(result, "contrasts") and kind in OF_COMPARISONS:
        return figure_of_comparison(result, kind)
    known = [*KINDS, *(OF_COMPARISONS if hasattr(result, "contrasts") else ())]
    if kind not in KINDS:
        hint = near(kind, known) or f": {', '.join(known)}"
        raise UsageError(f"there is no figure '{kind}' of scores{hint}")
    matrices = getattr(result, "matrices", None) or _matrices_of(result, listed(measures))
    outcome = located(KINDS[kind])(Gathered(matrices, (), ()), **choices)
    figure: Figure = outcome.figures[kind]()
    return figure


def _matrices_of(result: Any, measures: tuple[str, ...]) -> Matrices:
    """The scores of runs on the topics that all of them have."""
    runs = {result.called: result} if isinstance(result, Scores) else result
    parts = [part_of_scores(name, name, scores) for name, scores in runs.items()]
    has_values = [c.name for c in parts[0].columns if c.per_topic and c.kind != "text"]
    options = Options()
    columns = shared_columns(parts, measures or has_values, None, options)
    return brought_together(parts, columns, options, False)[0]
