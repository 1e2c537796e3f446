"""What a report shows besides the scores: curves, how much is judged, and how much ties decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.core.record import record
from irev.engine.run_evaluator import RunEvaluator
from irev.engine.score_runs import score_runs
from irev.errors import IrevError
from irev.measures.families.interpolation import RECALL_LEVELS, recall_level_measures
from irev.measures.shared_options import STANDARD_CUTOFFS
from irev.options import Options, ScoringOptions
from irev.rank.ties.several_orders import RANGE_ORDERS
from irev.writers.charts import Curve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.core.model import Input
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
class JudgedShares:
    """How many documents of a run there are, and how many of them are judged.

    num_documents  retrieved, of all topics together
    mean_shares    for each measure of `JUDGED`
    """

    num_documents: int
    mean_shares: tuple[float, ...]


class TieEffects(NamedTuple):
    """What ties of a run decide.

    num_groups  groups of equal scores with a judged document
    num_topics  in how many topics
    worst       the mean if every tie were broken for the worse
    best        likewise for the better
    """

    num_groups: int
    num_topics: int
    worst: float
    best: float


class RunCurves(NamedTuple):
    """What is known of the runs beside their scores; runs in the order of the table."""

    curve_sets: tuple[CurveSet, ...]
    shares: tuple[JudgedShares, ...]


def run_curves(qrels: Input, runs: Mapping[str, Input], options: ScoringOptions) -> RunCurves:
    """The curves of runs by name, and how much of them is judged."""
    measures = ["num_ret", *JUDGED.values(), *_INTERPOLATED, *_BY_CUTOFF]
    table = score_runs(qrels, runs, measures, options.part(ScoringOptions).replace(names="file"))
    num_retrieved = table.scores("num_ret").sum(axis=0)
    deepest = table.scores("num_ret").max()
    cutoffs = [cutoff for cutoff in STANDARD_CUTOFFS if cutoff <= deepest] or STANDARD_CUTOFFS[:1]
    levels = tuple(f"{level:g}" for level in RECALL_LEVELS)
    curve_sets = [
        _curve_set(table, "Recall and precision", levels, ("recall", "interpolated precision"),
                   _INTERPOLATED),
    ]  # fmt: skip
    for measure, title in _BY_CUTOFF.items():
        columns = [f"{measure}_{cutoff}" for cutoff in cutoffs]
        ranks = tuple(map(str, cutoffs))
        axes = ("rank", title if title == "nDCG" else title.lower())
        curve_sets.append(_curve_set(table, f"{title} by rank", ranks, axes, columns))
    means = [table.means(measure).tolist() for measure in JUDGED.values()]
    shares = zip(num_retrieved.tolist(), zip(*means, strict=True), strict=True)
    return RunCurves(
        tuple(curve_sets), tuple(JudgedShares(int(count), means) for count, means in shares)
    )


def _curve_set(
    table: ScoreTable,
    title: str,
    points: tuple[str, ...],
    axes: tuple[str, str],
    measures: Sequence[str],
) -> CurveSet:
    values = [table.means(measure).tolist() for measure in measures]
    curves = zip(table.run_names, zip(*values, strict=True), strict=True)
    return CurveSet(title, points, axes, tuple(Curve(*each) for each in curves))


def tie_effects(
    qrels: Input, runs: Mapping[str, Input], measure: str, options: ScoringOptions
) -> tuple[TieEffects, ...]:
    """What ties of each run decide under a measure."""
    both_ends = options.part(Options).replace(tie_range=True)
    evaluator = RunEvaluator(qrels, [measure], both_ends, qrels_format=options.qrels_format)
    effects = []
    for _, scores in evaluator.outcomes([*runs.values()]):
        if isinstance(scores, IrevError):
            raise scores
        means = {column.name: value for column, value in scores.summaries()}
        ends = [means.get(f"{measure}[{order}]") for order in RANGE_ORDERS]
        worst, best = (value if isinstance(value, float) else float("nan") for value in ends)
        assert scores.ties is not None  # noqa: S101 - ranges have their account
        effects.append(TieEffects(scores.ties.groups, scores.ties.topics, worst, best))
    return tuple(effects)
