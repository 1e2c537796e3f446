"""What a report shows besides the scores: curves, how much is judged, and how much ties decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.core.record import record
from irev.engine.evaluator import Evaluator
from irev.engine.score_runs import score_runs
from irev.errors import IrevError
from irev.measures.families.interpolation import RECALL_LEVELS, recall_level_measures
from irev.measures.shared_options import STANDARD_CUTOFFS
from irev.writers.charts import Curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.engine.score_runs import NameSource
    from irev.options import Options
    from irev.scores.table import ScoreTable

JUDGED = {
    "judged up to rank 10": "Judged(denom=retrieved)@10",
    "up to rank 100": "Judged(denom=retrieved)@100",
    "of all": "Judged(denom=retrieved)",
}
"""Head of a column -> the measure whose mean stands below it."""

_BY_CUTOFF = {"P": "Precision", "recall": "Recall", "ndcg_cut": "nDCG"}
_INTERPOLATED = recall_level_measures("ge")


class CurveSet(NamedTuple):
    """Curves of one chart, a curve for each run.

    title   of the chart
    points  the recall levels, or the cutoffs
    axes    what lies along, and what upwards
    """

    title: str
    points: tuple[str, ...]
    axes: tuple[str, str]
    curves: tuple[Curve, ...]


@record
class Shares:
    """How many documents of a run there are, and how many of them are judged.

    documents  retrieved, of all topics together
    judged     the mean share for each measure of `JUDGED`
    """

    documents: int
    judged: tuple[float, ...]


class Tied(NamedTuple):
    """What ties of a run decide.

    groups   groups of equal scores with a judged document
    topics   in how many topics
    least    the mean if every tie were broken for the worse
    highest  likewise for the better
    """

    groups: int
    topics: int
    least: float
    highest: float


class Around(NamedTuple):
    """What is known of the runs beside their scores; runs in the order of the matrices."""

    curves: tuple[CurveSet, ...]
    shares: tuple[Shares, ...]


def around(
    qrels: str, runs: Sequence[str], options: Options, format: str, names: NameSource
) -> Around:
    """The curves of runs, and how much of them is judged."""
    asked = ["num_ret", *JUDGED.values(), *_INTERPOLATED, *_BY_CUTOFF]
    table = score_runs(qrels, runs, asked, options, format=format, names=names)
    retrieved = table.scores("num_ret").sum(axis=0)
    deepest = table.scores("num_ret").max()
    cutoffs = [cutoff for cutoff in STANDARD_CUTOFFS if cutoff <= deepest] or STANDARD_CUTOFFS[:1]
    levels = tuple(f"{level:g}" for level in RECALL_LEVELS)
    curves = [
        _curves(table, "Recall and precision", levels, ("recall", "interpolated precision"),
                _INTERPOLATED),
    ]  # fmt: skip
    for measure, called in _BY_CUTOFF.items():
        columns = [f"{measure}_{cutoff}" for cutoff in cutoffs]
        ranks = tuple(map(str, cutoffs))
        axes = ("rank", called if called == "nDCG" else called.lower())
        curves.append(_curves(table, f"{called} by rank", ranks, axes, columns))
    judged = [table.means(measure).tolist() for measure in JUDGED.values()]
    shares = zip(retrieved.tolist(), zip(*judged, strict=True), strict=True)
    return Around(tuple(curves), tuple(Shares(int(count), each) for count, each in shares))


def _curves(
    table: ScoreTable,
    title: str,
    points: tuple[str, ...],
    axes: tuple[str, str],
    measures: Sequence[str],
) -> CurveSet:
    values = [table.means(measure).tolist() for measure in measures]
    curves = zip(table.run_names, zip(*values, strict=True), strict=True)
    return CurveSet(title, points, axes, tuple(Curve(*each) for each in curves))


def tied(
    qrels: str, runs: Sequence[str], measure: str, options: Options, format: str
) -> tuple[Tied, ...]:
    """What ties of each run decide under a measure; runs as they are given."""
    evaluator = Evaluator(qrels, [measure], options.replace(tie_range=True), format=format)
    found = []
    for _, scores in evaluator.outcomes(runs):
        if isinstance(scores, IrevError):
            raise scores
        means = {column.name: value for column, value in scores.summaries()}
        ends = [means.get(f"{measure}[{end}]") for end in ("min", "max")]
        least, highest = (value if isinstance(value, float) else float("nan") for value in ends)
        assert scores.ties is not None  # noqa: S101 - ranges have their account
        found.append(Tied(scores.ties.groups, scores.ties.topics, least, highest))
    return tuple(found)
