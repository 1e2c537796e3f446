"""Figures of runs: `irev.plots.median(qrels, runs, "map", run="bm25").plot()`.

Each takes judgments and runs, or a table of scores, and gives a `Plot`: `plot()` is matplotlib's
figure, `to_frame()` what it shows, and a notebook shows it.
"""

from __future__ import annotations

from irev.core.lazy_names import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from irev.jobs.plots.by_topic import distribution as distribution
    from irev.jobs.plots.by_topic import median as median
    from irev.jobs.plots.by_topic import per_topic as per_topic
    from irev.jobs.plots.by_topic import scatter as scatter
    from irev.jobs.plots.plot import Plot as Plot
    from irev.jobs.plots.recall_precision import cutoffs as cutoffs
    from irev.jobs.plots.recall_precision import recall_precision as recall_precision
    from irev.jobs.plots.tie_ranges import tie_ranges as tie_ranges

_HOMES = {
    "Plot": "irev.jobs.plots.plot",
    "cutoffs": "irev.jobs.plots.recall_precision",
    "distribution": "irev.jobs.plots.by_topic",
    "median": "irev.jobs.plots.by_topic",
    "per_topic": "irev.jobs.plots.by_topic",
    "recall_precision": "irev.jobs.plots.recall_precision",
    "scatter": "irev.jobs.plots.by_topic",
    "tie_ranges": "irev.jobs.plots.tie_ranges",
}

__all__ = sorted(_HOMES)

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
