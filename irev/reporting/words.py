"""What a report says in sentences: what came out, and what the columns of its tables are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.comparison.document import about_intervals
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS
from irev.writers.document import p_text, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.comparison.comparison import Comparison
    from irev.reporting.moved import Pair
    from irev.reporting.report import Report

_MOST = 12
"""A summary has so many sentences on pairs."""


def in_short(report: Report, places: int) -> Iterator[str]:
    """What came out under the first measure, a sentence for each run or pair."""
    first, names, found = report.means[0], report.matrices.runs, report.comparison
    if found is None:
        low, high = (rounded(float(end[0]), places) for end in (first.found.low, first.found.high))
        mean = rounded(float(first.found.mean[0]), places)
        level = f"{100 * report.level:g}%"
        yield f"{names[0]}: {first.measure} {mean} ({level} interval {low} to {high})"
        return
    baselines = dict.fromkeys(pair.against for pair in report.pairs)
    for run in baselines:
        mean = rounded(float(first.found.mean[run]), places)
        yield f"{names[run]}, the baseline: {first.measure} {mean}"
    here = ("", first.measure)
    rows = [row for row in found.pair_rows() if (row["class"], row["measure"]) == here]
    yield from (_sentence(row, found, places) for row in rows[:_MOST])
    if len(rows) > _MOST:
        yield f"{len(rows) - _MOST} more pairs are in the table below"


def _sentence(row: dict[str, Any], found: Comparison, places: int) -> str:
    """How far a run is from its baseline, and whether that may be chance."""
    plan = found.plan
    test = row["tests"][plan.tests[0]]
    mean, by = (rounded(value, places) for value in (row["mean"], abs(row["difference"])))
    side = "above" if row["difference"] > 0 else "below"
    apart = f"{by} {side}" if row["difference"] else "the same as"
    p = "p" if plan.correction == "none" else "corrected p"
    is_significant = "significant" if test["significant"] else "not significant"
    return (
        f"{row['run']}: {row['measure']} {mean}, {apart} {row['against']} "
        f"({is_significant}, {p} {p_text(test['corrected'])})"
    )


def about_pair(pair: Pair) -> str:
    """On how many topics a run has the higher score."""
    higher, lower = (int((sign * pair.differences > 0).sum()) for sign in (1, -1))
    same = len(pair.differences) - higher - lower
    return f"{higher} up, {lower} down, {same} the same"


def key_to_pairs(found: Comparison) -> Iterator[str]:
    """What the columns of the table of pairs are, a line each."""
    plan = found.plan
    yield "difference: the mean of run minus that of against; low and high: its interval"
    yield from about_intervals(plan, found.hypotheses, INTERVALS[plan.ci].title)
    yield "d_z: the mean difference divided by the standard deviation of the differences"
    yield from (f"p {test}: {TESTS[test].phrase}" for test in plan.tests)
    if plan.correction != "none" and not all(TESTS[test].simultaneous for test in plan.tests):
        phrase = CORRECTIONS[plan.correction].phrase
        yield f"{plan.correction}: p corrected for all pairs and measures together ({phrase})"
    yield f"*: significant at {plan.alpha:g}"
    yield "w/t/l: topics that run wins, ties and loses"
