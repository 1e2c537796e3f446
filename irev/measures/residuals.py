"""What unjudged documents could make of a value: its upper bound, and how many were judged.

The value itself is the lower bound: it takes every unjudged document as non-relevant. The upper
bound is the same measure where all of them have the highest grade of the scale, with those that
could follow the ranking where the measure gives them a weight. Only measures without a recall base
have bounds: where the number of relevant documents is a divisor, a newly found one may lower the
value as well (Kishida 2005, equation 17).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irev.core.arrays import (
    Floats,
    TopicCounts,
    TopicsByCutoffs,
    offsets,
    ranks_in_segments,
    run_starts,
    segment_starts,
)
from irev.core.judged import Judged, Qrels
from irev.core.record import record
from irev.core.text import parse_c_number
from irev.errors import MeasureError, UsageError
from irev.measures import all_measures
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import Arguments, Measure
from irev.measures.requests import Request

FAINTEST = 2.0**-60
"""What is seen with a smaller probability changes nothing."""
DEEPEST = 1 << 20
"""Down to this rank documents are imagined."""
_CELLS = 1 << 20


def refuse_unbounded(requests: Sequence[Request]) -> None:
    """Refuse measures that have no bounds."""
    for request in requests:
        measure, name = request.measure, request.columns[0].name
        if not _is_quality(measure):
            continue
        if not measure.residual:
            bounded_names = dict.fromkeys(m.name for m in all_measures() if m.residual)
            raise UsageError(
                f"--residuals: {name} has no upper bound, since a document newly found relevant "
                f"can lower it; those that have one are {', '.join(bounded_names)}"
            )
        if request.arguments.condensed:
            raise UsageError(
                f"--residuals: {name} leaves unjudged documents out, so nothing is open"
            )
        cutoff = _deepest_cutoff(request.arguments)
        if measure.residual == "cutoff" and cutoff is None:
            raise UsageError(
                f"--residuals: {name} has no upper bound without a cutoff; write for instance "
                f"{measure.name.upper() if measure.is_trec_evals_alone else measure.name}@10"
            )
        if cutoff is not None and cutoff > DEEPEST:
            raise UsageError(f"--residuals: {name}: the cutoff is too deep; at most {DEEPEST}")
        if cutoff is None and _last_rank_by_persistence(request.arguments) > DEEPEST:
            raise UsageError(
                f"--residuals: the persistence of {name} is too near to 1; cut it at k"
            )


def highest_grade(qrels: Qrels, defaults: Sequence[tuple[str, Any]]) -> float:
    """The highest grade of the scale: the one declared (`--max-grade`), or that of the qrels."""
    declared = parse_c_number(str(dict(defaults).get("max", "")))
    return float(qrels.level_grade.max(initial=0.0)) if declared is None else declared


def _is_quality(measure: Measure) -> bool:
    """Whether it says how good a ranking is, as counts and shares of judged documents do not."""
    return measure.kind == "real" and measure.higher_is_better is not None


def judged_share_requests_at_cutoffs(requests: Sequence[Request]) -> list[Request]:
    """The shares of judged documents, one for each cutoff of the measures."""
    cutoffs = sorted(
        {cutoff for request in requests for cutoff in _rank_cutoffs(request.arguments)}
    )
    if not cutoffs:
        raise UsageError("--judged: no requested measure has a cutoff")
    last = 1 + max(column.asked_index for request in requests for column in request.columns)
    return [
        request._replace(columns=tuple(replace(c, asked_index=last) for c in request.columns))
        for request in resolve_names([f"Judged@{cutoff}" for cutoff in cutoffs])
    ]


def _rank_cutoffs(arguments: Arguments) -> Iterator[int]:
    """The ranks that a measure with such a parameter is cut at."""
    yield from (cutoff for cutoff in arguments.cutoffs if isinstance(cutoff, int))


def _deepest_cutoff(arguments: Arguments) -> int | None:
    """The last rank that is looked at; None where some column is not cut."""
    cutoffs = tuple(_rank_cutoffs(arguments))
    return max(cutoffs) if len(cutoffs) == len(arguments.cutoffs) else None


def _last_rank_by_persistence(arguments: Arguments) -> float:
    """From which rank on a user with the measure's persistence sees nothing."""
    p = dict(arguments.options).get("p")
    if p is None or p <= 0:
        return 0
    return math.inf if p >= 1 else math.log(FAINTEST) / math.log(p)


def add_upper_bounds(requests: Sequence[Request], highest_grade: float) -> list[Request]:
    """The requests with a column `NAME[max]` beside each that has bounds.

    `highest_grade` is that of the scale, and is taken to be relevant; a measure's own (`max=4`)
    comes before it.
    """
    with_bounds = []
    for request in requests:
        measure = request.measure
        if not _is_quality(measure):
            with_bounds.append(request)
            continue
        compute = _Bounds(request, highest_grade, dict(request.arguments.options).get("max"))
        measure = measure._replace(name=f"{measure.name}[max]", compute=compute)
        columns = []
        for column in request.columns:
            canonical = f"{column.canonical}[max]" if column.canonical else ""
            columns += [column, replace(column, name=f"{column.name}[max]", canonical=canonical)]
        with_bounds.append(request._replace(measure=measure, columns=tuple(columns), picks=()))
    return with_bounds


@record
class _Bounds:
    """Works out a measure's values and their upper bounds: float64[T, 2C], in turn."""

    request: Request
    highest: float
    own: float | None
    """The highest grade of the measure's own scale."""

    def __call__(self, judged: Judged, *arguments: Any, **options: Any) -> TopicsByCutoffs:
        level = judged.settings.level
        highest = max(self.highest, level, 1.0) if self.own is None else self.own
        values = self._values(judged, arguments, options)
        try:
            bounds = [
                self._values(best_case(part, depth, highest), arguments, options)
                for part, depth in _ranking_blocks(judged, self._depth_of_topics(judged))
            ]
        except MeasureError as error:  # whose topic is a part's, not this ranking's
            what = f"{error.reason} (unjudged documents having grade {highest:g})"
            raise MeasureError(error.measure, what) from error
        both = np.stack((values, np.concatenate(bounds)), axis=2)
        return both.reshape(len(values), -1)

    def _values(self, judged: Judged, arguments: Any, options: Any) -> TopicsByCutoffs:
        computed = self.request.measure.compute(judged, *arguments, **options)
        values: Floats = computed.reshape(judged.num_topics, -1)
        picks = list(self.request.picks)
        return values[:, picks] if picks else values

    def _depth_of_topics(self, judged: Judged) -> TopicCounts:
        """Down to which rank documents are looked at or imagined."""
        cutoff = _deepest_cutoff(self.request.arguments)
        if self.request.measure.residual == "ranking":
            return judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)
        if cutoff is not None:
            return np.full(judged.num_topics, cutoff)
        # 1000 is the depth of measures of a user without patience (`cwl`); 64 documents of the
        # highest grade that follow a ranking decide every cascade measure
        deep = max(1000, math.ceil(_last_rank_by_persistence(self.request.arguments)))
        return np.maximum(judged.num_ret + 64, deep)


def _ranking_blocks(judged: Judged, depth: TopicCounts) -> Iterator[tuple[Judged, TopicCounts]]:
    """The rankings in blocks of so many topics that the documents looked at are not too many."""
    first, up_to = 0, np.cumsum(depth)
    while True:
        before = int(up_to[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(up_to, before + _CELLS, "right")))
        last = min(last, judged.num_topics)
        rows = slice(judged.row_start[first], judged.row_start[last])
        levels = slice(judged.level_start[first], judged.level_start[last])
        block = Judged(
            judged.topic[rows] - first,
            judged.rank[rows],
            judged.grade[rows],
            judged.num_ret[first:last],
            judged.level_start[first : last + 1] - levels.start,
            judged.level_grade[levels],
            judged.level_count[levels],
            judged.settings,
        )
        yield block, depth[first:last]
        first = last
        if first >= judged.num_topics:
            return


def best_case(judged: Judged, depth: TopicCounts, highest_grade: float) -> Judged:
    """The rankings down to given depths, where all that is unjudged has the highest grade.

    Args:
        judged: the rankings as they were judged.
        depth: int64[T]; a ranking that ends above its depth goes on with such documents.
        highest_grade: the grade.
    """
    start = offsets(depth)
    topic = np.repeat(np.arange(judged.num_topics), depth)
    grade = np.full(len(topic), float(highest_grade))
    judged_rows = np.flatnonzero(judged.is_judged & (judged.rank <= depth[judged.topic]))
    grade[start[judged.topic[judged_rows]] + judged.rank[judged_rows] - 1] = judged.grade[
        judged_rows
    ]
    # the table of grades, with the imagined documents of each topic in it
    num_imagined = depth - np.bincount(judged.topic[judged_rows], minlength=judged.num_topics)
    level_topic = np.append(judged.level_topic, np.arange(judged.num_topics))
    level_grade = np.append(judged.level_grade, np.full(judged.num_topics, highest_grade))
    level_count = np.append(judged.level_count, num_imagined)
    order = np.lexsort((level_grade, level_topic))
    level_topic, level_grade = level_topic[order], level_grade[order]
    first = run_starts(level_topic, level_grade)[:-1]
    counts = np.add.reduceat(level_count[order], first)
    kept = first[counts > 0]
    return Judged(
        topic,
        ranks_in_segments(start),
        grade,
        np.maximum(judged.num_ret, depth),
        segment_starts(level_topic[kept], judged.num_topics),
        level_grade[kept],
        counts[counts > 0],
        judged.settings,
    )
