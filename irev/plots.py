"""Figures of runs: `irev.plots.median(qrels, runs, "map", run="bm25").plot()`.

Each takes judgments and runs, or a table of scores, and gives a `Plot`: `plot()` is matplotlib's
figure, `to_frame()` what it shows, and a notebook shows it. `plots.pyi` has the types.
"""

from irev.core import lazy_names

_HOMES = {
    "Plot": "irev.jobs.plots.plot",
    "cutoffs": "irev.jobs.plots.recall_precision",
    "distribution": "irev.jobs.plots.by_topic",
    "median": "irev.jobs.plots.by_topic",
    "per_topic": "irev.jobs.plots.by_topic",
    "recall_precision": "irev.jobs.plots.recall_precision",
    "scatter": "irev.jobs.plots.by_topic",
    "tie_ranges": "irev.jobs.plots.by_topic",
}

__all__ = sorted(_HOMES)

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
