"""What is said of scores that were estimated from a sample of documents and a model's judgments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.judged import Column
from irev.core.packages import need_packages
from irev.engine.join_scores import scored_run_table
from irev.measures.naming.resolve import bounds_of
from irev.scores.scores import RunEstimates, Scores
from irev.scores.table import ScoreTable
from irev.statistics.differences import RunPairs
from irev.statistics.intervals import Intervals, fit_to_range, mean_intervals
from irev.statistics.significance_tests import check_level
from irev.writers.document import Heading, Lines, Part, Row, cell_text, table_of_rows

if TYPE_CHECKING:
    import pandas as pd


def document_estimates(table: ScoreTable | Scores, alpha: float = 0.05) -> pd.DataFrame:
    """The means of runs that were estimated from a sample of documents and a model's judgments.

    A row for each measure and run, the best first: `measure`, `run`, `estimate`, its interval for
    the population of topics (`low`, `high`: t of the topics' estimates) and for these topics
    (`topics_low`, `topics_high`: mean -+ t_{T-1} sqrt(sum of V_t) / T, V_t the variance of topic
    t's estimate over the samples; none for nDCG@k), `people` and `model` alone, `width`, `lambda`,
    `judged_at_10`.

    Args:
        table: scores under `predicted=` and `qrels_format="strata"`: `.table` of any job, or what
            `evaluate` gives.
        alpha: intervals have the level 1 - alpha.
    """
    need_packages("pandas", "scipy")
    if isinstance(table, Scores):
        table = scored_run_table(table.run_name, "", table)
    import pandas as pd

    return pd.DataFrame(list(estimate_rows(table, alpha)))


def estimate_rows(table: ScoreTable, alpha: float = 0.05) -> Iterator[Row]:
    """The rows of `document_estimates`; none of runs whose scores are no estimates."""
    check_level(1 - alpha)
    if all(run.estimates is None for run in table.runs):
        return
    for column in table.columns:
        population = _population_intervals(table, column, alpha)
        for run in np.argsort(-population.mean, kind="stable").tolist():
            estimates = table.runs[run].estimates
            if estimates is None:
                continue
            mean = float(population.mean[run])
            yield {
                "measure": column.name,
                "run": table.run_names[run],
                "estimate": mean,
                "low": float(population.low[run]),
                "high": float(population.high[run]),
                **_row_fields_on_these_topics(table, column, estimates, mean, alpha),
            }


def _population_intervals(table: ScoreTable, column: Column, alpha: float) -> Intervals:
    matrix, factor = table.linearised_score_matrix(column.name), _factor(column, table)
    if len(matrix) > 1:
        intervals = mean_intervals(matrix, level=1 - alpha, df=table.df)
    else:
        endless = np.full(matrix.shape[1], np.inf)
        is_constant = np.zeros(matrix.shape[1], bool)
        intervals = Intervals(
            table.means(column.name), -endless, endless, 1 - alpha, 1, is_constant
        )
    intervals = replace(
        intervals,
        mean=factor * intervals.mean,
        low=factor * intervals.low,
        high=factor * intervals.high,
    )
    return fit_to_range(intervals, *bounds_of(column))


def _row_fields_on_these_topics(
    table: ScoreTable, column: Column, estimates: RunEstimates, mean: float, alpha: float
) -> Row:
    """What is known of a run on these topics."""
    index, topics = estimates.column_index(column.name), estimates.topic_indices(table.topics)
    error, by_people = (
        _error_of_mean(table, column, topics, variances[index])
        for variances in (estimates.variances, estimates.people_variances)
    )
    low, high = bounds_of(column)
    reach, is_ratio = _t_quantile(table, alpha) * error, estimates.are_ratios[index]
    return {
        "topics_low": None if is_ratio else max(mean - reach, low),
        "topics_high": None if is_ratio else min(mean + reach, high),
        "people": _mean_of(table, column, estimates.people[index, topics]),
        "model": _mean_of(table, column, estimates.model[index, topics]),
        "width": error / by_people if by_people else math.nan,
        "lambda": float(estimates.weights[index]),
        "judged_at_10": estimates.share_judged,
    }


def difference_estimates(table: ScoreTable, pairs: RunPairs, alpha: float = 0.05) -> Iterator[Row]:
    """For each measure and pair of runs the mean difference, with its interval for these topics."""
    runs = [run.estimates for run in table.runs]
    for column in table.columns:
        means = table.means(column.name)
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
            one, other = runs[first], runs[second]
            if one is None or other is None or one.are_ratios[one.column_index(column.name)]:
                continue
            variances = one.difference_variances(other, column.name)
            difference = float(means[first] - means[second]) * _factor(column, table)
            se = _error_of_mean(table, column, one.topic_indices(table.topics), variances)
            reach = _t_quantile(table, alpha) * se
            yield {
                "measure": column.name,
                "run": table.run_names[first],
                "against": table.run_names[second],
                "difference": difference,
                "topics_low": difference - reach,
                "topics_high": difference + reach,
            }


def _factor(column: Column, table: ScoreTable) -> int:
    """What a mean is multiplied by: of measures that are summed up the number of topics."""
    return len(table.topics) if column.average == "sum" else 1


def _weights(table: ScoreTable) -> Floats:
    return np.ones(len(table.topics)) if table.weights is None else table.weights


def _mean_of(table: ScoreTable, column: Column, values: Floats) -> float:
    weights = _weights(table)
    mean = ratio((weights * values).sum(), weights.sum())
    return float(mean) * _factor(column, table)


def _error_of_mean(table: ScoreTable, column: Column, topics: Any, variances: Floats) -> float:
    """The standard error of the mean over these topics: sqrt(sum of V_t) / T."""
    weights = _weights(table)
    variance = (weights**2 * variances[topics]).sum()
    return float(ratio(math.sqrt(variance), weights.sum())) * _factor(column, table)


def _t_quantile(table: ScoreTable, alpha: float) -> float:
    from scipy.special import stdtrit

    df = table.df or len(table.topics) - 1
    return float(stdtrit(df, 1 - alpha / 2)) if df > 0 else math.inf


LEGEND = (
    "estimate: what people would have found with all documents of the pools; low, high: of the "
    "population that the topics come from; topics low, high: of these topics themselves",
    "people: by people's sample of documents alone; model: by the model's judgments alone, which "
    "is not a valid estimate",
    "width: of the interval for these topics, as a share of that of people alone; lambda: how much "
    "the model counts, one for all runs",
    "judged@10: the share of the first 10 documents that people judged",
)


def estimate_parts(table: ScoreTable, alpha: float = 0.05) -> Iterator[Part]:
    """The heading, a table for each measure and what its columns mean; nothing of other scores."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    yield Heading(f"estimates from a sample of documents ({100 * (1 - alpha):.6g}% intervals)")
    yield table_of_rows(rows[0], rows)
    yield Lines(list(LEGEND))


def estimate_lines(table: ScoreTable, alpha: float, decimals: int) -> Iterator[str]:
    """The same in words: a line for each run and measure, and what these are."""
    rows = list(estimate_rows(table, alpha))
    if not rows:
        return
    yield f"estimates from a sample of documents ({100 * (1 - alpha):.6g}% intervals)"
    heads = table_of_rows(rows[0], rows[:1]).columns
    for row in rows:
        measure, run, *values = row.values()
        facts = [
            f"{head.name} {cell_text(value, head, decimals)}"
            for value, head in zip(values, heads[2:], strict=True)
            if value is not None
        ]
        yield f"{run}, {measure}: {', '.join(facts)}"
    yield from LEGEND


def difference_parts(table: ScoreTable, pairs: RunPairs, alpha: float) -> Iterator[Part]:
    """The differences of pairs on these topics; nothing of other scores."""
    rows = list(difference_estimates(table, pairs, alpha))
    if rows:
        yield Heading(
            f"differences on these topics ({100 * (1 - alpha):.6g}% intervals, not simultaneous)"
        )
        yield table_of_rows(rows[0], rows)
