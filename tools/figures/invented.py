"""Figures of every kind with invented runs and topics, of any number and with any names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irev.core.judged import Column
from irev.jobs.compare.comparison import CompareOptions, compare_table
from irev.jobs.plots.by_topic import distribution, median, per_topic, scatter, tie_ranges
from irev.jobs.plots.comparison_figures import comparison_figure
from irev.jobs.plots.plot import (
    curves_figure,
    highlight_runs,
    matrix_figure,
    run_means_scatter_figure,
)
from irev.jobs.plots.recall_precision import COLUMNS, curve_figure, cutoffs, summary_rows
from irev.jobs.studies.agreement import topic_agreement_figure
from irev.jobs.studies.correlation import sweep_figure
from irev.jobs.studies.design import reliability_figure
from irev.jobs.studies.discriminative_power import asl_figure, stability_figure, swap_figure
from irev.jobs.studies.judgment_noise import topic_variance_parts_figure, topics_figure
from irev.jobs.studies.overlap import overlap_figure
from irev.jobs.studies.preference import preferred_runs_figure
from irev.jobs.studies.reproduction import effects_figure
from irev.jobs.studies.robustness import (
    STATISTICS,
    curves_beside_baseline_figure,
    grid_figure,
    statistics_by_collections_figure,
)
from irev.jobs.studies.robustness import scatter_figure as estimates_figure
from irev.jobs.studies.topic_difficulty import interaction_map_figure
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irev.core.job import DrawFigure, FigureWidth

Naming = Literal["short", "long", "Greek", "Cyrillic"]

_LONG = {
    "long": "the-university-of-somewhere_a-dense-retriever-with-reranking_and-feedback-run",
    "Greek": "Πανεπιστήμιο_Θεσσαλίας-πυκνή-ανάκτηση-με-ανακατάταξη-και-ανατροφοδότηση-α",
    "Cyrillic": "Университет_плотный-поиск-с-переранжированием-и-обратной-связью-прогон-ж",
}
_MOST_MEASURES = 12
"""A figure with a line for each measure is drawn with up to so many."""


class Invented(NamedTuple):
    """How much a figure shows, and what it is called."""

    num_runs: int
    num_topics: int
    naming: Naming

    def names(self, number: int) -> list[str]:
        """Names of 5 or of 80 characters; the long ones share no beginning that would be cut."""
        if self.naming == "short":
            return [f"run{index:02}" for index in range(number)]
        words = _LONG[self.naming]
        return [f"{chr(97 + index % 26)}{words}"[:77] + f"{index:03}" for index in range(number)]

    @property
    def topics(self) -> list[str]:
        """Ids of topics: plain numbers, or with the name of a track before."""
        start = {"short": 1, "long": 1_000_001}.get(self.naming, 401)
        head = "QALD2_tr-" if self.naming == "Greek" else ""
        return [f"{head}{start + 17 * index}" for index in range(self.num_topics)]

    def table(self, *columns: str) -> ScoreTable:
        """Scores between 0 and 1; the second run lacks the first topic."""
        random = np.random.default_rng(7)
        shape = (len(columns), self.num_topics, self.num_runs)
        strength = np.linspace(0.3, 0.7, self.num_runs)
        scores = np.clip(random.normal(strength, 0.22, shape), 0, 1)
        topics = tuple(sorted(topic.encode() for topic in self.topics))
        infos = tuple(
            RunInfo(name, name, missing=topics[:1] if index == 1 else (), input_index=index)
            for index, name in enumerate(self.names(self.num_runs))
        )
        if self.num_runs > 1:
            scores[:, 0, 1] = 0.0
        made = tuple(
            Column(name, name.split("_")[0], asked_index=index)
            for index, name in enumerate(columns)
        )
        return ScoreTable(topics, infos, made, scores)

    @property
    def measures(self) -> list[str]:
        """As many measures as runs, up to twelve, with the same kind of names."""
        return self.names(min(self.num_runs, _MOST_MEASURES))


def _curves(size: Invented) -> DrawFigure:
    table = size.table("map")
    rows: list[tuple[Any, ...]] = []
    for name, mean in zip(table.run_names, table.means("map").tolist(), strict=True):
        levels = [mean * (1.3 - level / 10) for level in range(11)]
        rows += [(name, "point", 5, 0.1, mean), *summary_rows(name, levels, mean, mean)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    title = f"mean over {size.num_topics} topics"
    highlights = highlight_runs(table, (), "map")
    return partial(curve_figure, frame, title, highlights, point_label="at rank 5, 10, 15, 20 ...")


def _two_runs(size: Invented) -> DrawFigure:
    return scatter(Invented(2, size.num_topics, size.naming).table("map", "P_10")).plot


def _median(size: Invented) -> DrawFigure:
    table = size._replace(num_runs=max(2, size.num_runs)).table("map", "P_10")
    return median(table, run=table.run_names[1]).plot


def _tie_ranges(size: Invented, per_topic: bool) -> DrawFigure:
    table = size.table("P_10", "P_10[pessimistic]", "P_10[optimistic]")
    return tie_ranges(table, per_topic=per_topic).plot


def _comparison(kind: str, size: Invented) -> DrawFigure:
    most = {"forest": 61, "topics": 3, "ranks": 60}[kind]
    table = Invented(min(max(3, size.num_runs), most), max(2, size.num_topics), size.naming)
    scores = table.table("map", "P_10")
    baselines = [] if len(scores.runs) < 5 else [scores.run_names[2]]
    options = CompareOptions(tests=["t"], baselines=baselines)
    return partial(comparison_figure, compare_table(scores, options), kind)


def _square(size: Invented) -> DrawFigure:
    names = size.measures
    rows = [(one, other, 0.6 + 0.4 * (one == other)) for one, other in product(names, names)]
    frame = pd.DataFrame(rows, columns=["measure", "with", "tau"])
    return partial(matrix_figure, frame, "tau", value_label="Kendall's tau_b")


def _run_points(size: Invented) -> DrawFigure:
    table = size.table("map", "P_10", "ndcg")
    rows = [
        (one, other, name, x, y)
        for one, other in combinations(table.measure_names, 2)
        for name, x, y in zip(table.run_names, table.means(one), table.means(other), strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "with", "run", "x", "y"])
    taus = dict.fromkeys(combinations(table.measure_names, 2), 0.5)
    return partial(run_means_scatter_figure, frame, taus, has_diagonal=True)


def _series(size: Invented) -> DrawFigure:
    rows = [
        (name, rank, 0.01 * (number - rank))
        for number, name in enumerate(size.measures)
        for rank in range(1, min(size.num_topics, 200) + 2)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "rank", "change"])
    return partial(
        curves_figure, frame, x_column="rank", y_column="change", series_column="measure",
        axes_labels=("rank of the document that gets grade 1 (R fixed)", "change of the score"),
        has_zero_line=True,
    )  # fmt: skip


def _sweep(size: Invented) -> DrawFigure:
    rows = [
        (name, "AP", str(value), 0.5 + 0.01 * value)
        for name in size.measures
        for value in (1, 2, 5, 10, 1000)
    ]
    return partial(
        sweep_figure, pd.DataFrame(rows, columns=["measure", "against", "beta", "tau_b"])
    )


def _topic_frame(size: Invented, **columns: float) -> pd.DataFrame:
    return pd.DataFrame({"topic": size.topics, **columns})


def _agreement(size: Invented) -> DrawFigure:
    frame = _topic_frame(size, agreement=0.8, kappa=0.6, **{"alpha ordinal": -0.1})
    return partial(topic_agreement_figure, frame)


def _overlap(size: Invented) -> DrawFigure:
    frame = _topic_frame(size, rbo_ext=0.6, rbo_min=0.5, rbo_max=0.9)
    return partial(overlap_figure, frame, "p = 0.9, ties = a")


def _noise_topics(size: Invented) -> DrawFigure:
    frames = [
        _topic_frame(size, mean=0.5, sd=0.2).assign(measure=name) for name in size.measures[:3]
    ]
    return partial(topics_figure, pd.concat(frames))


def _noise_parts(size: Invented) -> DrawFigure:
    frame = pd.DataFrame({"measure": size.measures, "between topics": 0.04, "within topics": 0.01})
    return partial(topic_variance_parts_figure, frame.assign(**{"mean V_p": 0.05}))


def _asl(size: Invented) -> DrawFigure:
    rows = [
        (gains, name, place, max(0.0, 0.2 - 0.01 * place))
        for gains in ("linear", "3:2:1")
        for name in size.measures
        for place in range(1, 2 + size.num_runs * (size.num_runs - 1) // 2)
    ]
    frame = pd.DataFrame(rows, columns=["gains", "measure", "place", "asl"])
    return partial(asl_figure, frame, [0.05, 0.045, 0.01])


def _swap(size: Invented) -> DrawFigure:
    rows = [(name, bin / 100, 0.3 - bin / 100) for name in size.measures for bin in range(21)]
    return partial(swap_figure, pd.DataFrame(rows, columns=["measure", "difference", "rate"]), 0.05)


def _stability(size: Invented) -> DrawFigure:
    rows = [(name, ties / 50, 0.1 - ties / 1000) for name in size.measures for ties in range(20)]
    return partial(stability_figure, pd.DataFrame(rows, columns=["measure", "ties", "error rate"]))


def _interaction(size: Invented) -> DrawFigure:
    table = size.table("map")
    rows = [
        ("map", run, topic, value, value - 0.5)
        for topic, values in zip(size.topics, table.scores("map").tolist(), strict=True)
        for run, value in zip(table.run_names, values, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "run", "topic", "value", "better"])
    return partial(interaction_map_figure, frame)


def _reliability(size: Invented) -> DrawFigure:
    rows = [
        (name, coefficient, topics, topics / (topics + 10))
        for name in size.measures
        for coefficient in ("E rho^2", "Phi")
        for topics in range(1, 2 * size.num_topics + 2, 1 + size.num_topics // 20)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "coefficient", "topics", "value"])
    return partial(reliability_figure, frame, 0.95)


def _preference(size: Invented) -> DrawFigure:
    names = size.names(max(2, size.num_runs))
    rows = [
        (measure, one, other, 0.3)
        for measure in ("rpp", "lexirecall")
        for one, other in combinations(names, 2)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "run", "other", "preference"])
    return partial(preferred_runs_figure, frame)


def _effects(size: Invented) -> DrawFigure:
    count = len(size.measures)
    frame = pd.DataFrame(
        {
            "measure": size.measures, "ER": np.linspace(0.8, 1.2, count), "ER low": 0.7,
            "ER high": 1.3, "DeltaRI": np.linspace(-0.1, 0.1, count),
        }
    )  # fmt: skip
    return partial(effects_figure, frame)


def _robustness(kind: str, size: Invented) -> DrawFigure:
    measures = size.measures[:8]
    statistics, rates = list(STATISTICS)[:3], [1, 2, 5, 10, 20, 50, 100]
    rows = [
        (name, statistic, rate, 0.5 + rate / 300, 0.4, 0.9)
        for name, statistic, rate in product(measures, statistics, rates)
    ]
    frame = pd.DataFrame(
        rows, columns=["measure", "statistic", "rate", "mean", "lowest", "highest"]
    )
    if kind == "grid":
        return partial(grid_figure, frame, "judged documents kept (%)")
    if kind == "curves":
        return partial(curves_beside_baseline_figure, frame, measures[0])
    names = size.names(4)
    frame = pd.concat([frame.assign(collection=name) for name in names])
    return partial(statistics_by_collections_figure, frame, "judged documents kept (%)")


def _estimates(size: Invented) -> DrawFigure:
    table = size.table("map")
    rows = [
        (name, size.measures[0], rate, 3, value, 0.9 * value, 0.041, 0.93, 0.97)
        for name in size.measures[:2]
        for rate in (30, 10, 5, 1, 0.5)
        for value in table.means("map").tolist()
    ]
    columns = [
        "measure", "against", "rate", "sample", "actual", "estimate", "rms", "tau", "rho",
    ]  # fmt: skip
    return partial(estimates_figure, pd.DataFrame(rows, columns=columns))


KINDS: dict[str, Callable[[Invented], DrawFigure]] = {
    "plot recall-precision": _curves,
    "plot per-topic": lambda size: per_topic(size.table("map", "P_10")).plot,
    "plot median": _median,
    "plot scatter": _two_runs,
    "plot cutoffs": lambda size: (
        cutoffs(
            size.table(*(f"{name}_{k}" for name in ("P", "recall") for k in (5, 10, 15, 100, 1000)))
        ).plot
    ),
    "plot distribution": lambda size: distribution(size.table("map", "P_10")).plot,
    "plot tie-ranges": partial(_tie_ranges, per_topic=False),
    "plot tie-ranges by topic": partial(_tie_ranges, per_topic=True),
    "compare forest": partial(_comparison, "forest"),
    "compare topics": partial(_comparison, "topics"),
    "compare ranks": partial(_comparison, "ranks"),
    "study agreement": _agreement,
    "study correlation": _run_points,
    "study correlation tau": _square,
    "study correlation sweep": _sweep,
    "study design": _reliability,
    "study discriminative-power": _asl,
    "study discriminative-power swap": _swap,
    "study discriminative-power stability": _stability,
    "study judgment-noise": _noise_parts,
    "study judgment-noise topics": _noise_topics,
    "study overlap": _overlap,
    "study preference": _preference,
    "study reproduction": _effects,
    "study robustness": partial(_robustness, "grid"),
    "study robustness curves": partial(_robustness, "curves"),
    "study robustness collections": partial(_robustness, "collections"),
    "study robustness scatter": _estimates,
    "study sensitivity": _series,
    "study topics": _interaction,
}
"""Kind of figure -> what draws one of a size."""

_OF_TOPICS_ALONE = (
    "plot scatter",
    "study agreement",
    "study overlap",
    "study judgment-noise topics",
)
_OF_RUNS_ALONE = (
    "plot recall-precision", "plot cutoffs", "plot tie-ranges", "compare forest", "compare ranks",
    "study correlation", "study correlation tau", "study correlation sweep", "study design",
    "study discriminative-power", "study discriminative-power swap", "study judgment-noise",
    "study discriminative-power stability", "study preference", "study reproduction",
    "study robustness", "study robustness curves", "study robustness collections",
    "study robustness scatter",
)  # fmt: skip

RUN_COUNTS = (1, 3, 16, 60)
TOPIC_COUNTS = (1, 43, 467)
NAMINGS: Sequence[Naming] = ("short", "long", "Greek", "Cyrillic")
WIDTHS: Sequence[FigureWidth] = ("column", "page", "slide")


def sizes_of(kind: str) -> list[Invented]:
    """Every size that makes a difference to a kind of figure."""
    runs = (3,) if kind in _OF_TOPICS_ALONE else RUN_COUNTS
    topics = (43,) if kind in _OF_RUNS_ALONE else TOPIC_COUNTS
    return [Invented(*size) for size in product(runs, topics, NAMINGS)]


def invented_figure(kind: str, size: Invented, width: FigureWidth) -> Figure:
    """A figure of a kind with so many runs and topics, in a width."""
    return KINDS[kind](size)(width=width)
