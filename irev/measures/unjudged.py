"""What documents that nobody judged may change: bounds of values, and estimates from a sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from irev.core.arrays import (
    CountsByStratum,
    DocumentRanks,
    DocumentsByCutoffs,
    DocumentValues,
    Floats,
    Ints,
    TopicCounts,
    TopicOfRow,
    TopicsByCutoffs,
    offsets,
    ranks_in_segments,
    ratio,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.judged import Judged, Qrels, Settings
from irev.core.record import cached_property, record
from irev.core.text import parse_c_number
from irev.errors import MeasureError, UsageError
from irev.measures import all_measures
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import MEASURES, Arguments, Measure
from irev.measures.requests import Request

# --- What unjudged documents could make of a value: its upper bound, and how many were judged ---
# The value itself is the lower bound: it takes every unjudged document as non-relevant. The upper
# bound is the same measure where all of them have the highest grade of the scale, with those that
# could follow the ranking where the measure gives them a weight. Only measures without a recall
# base have bounds: where the number of relevant documents is a divisor, a newly found one may
# lower the value as well (Kishida 2005, equation 17).


FAINTEST = 2.0**-60
"""What is seen with a smaller probability changes nothing."""
DEEPEST_RANK = 1 << 20
"""Down to this rank documents are imagined."""

_RANKS_AT_ONCE = 1 << 20
"""Ranks, of all topics of a block together, that are looked at in one go."""


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
        if cutoff is not None and cutoff > DEEPEST_RANK:
            raise UsageError(f"--residuals: {name}: the cutoff is too deep; at most {DEEPEST_RANK}")
        if cutoff is None and _last_rank_by_persistence(request.arguments) > DEEPEST_RANK:
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
        # 1000 is the depth of measures of a user without patience (C/W/L); 64 documents of the
        # highest grade that follow a ranking decide every cascade measure
        deep = max(1000, math.ceil(_last_rank_by_persistence(self.request.arguments)))
        return np.maximum(judged.num_ret + 64, deep)


def _ranking_blocks(judged: Judged, depth: TopicCounts) -> Iterator[tuple[Judged, TopicCounts]]:
    """The rankings in blocks of so many topics that the documents looked at are not too many."""
    first, up_to = 0, np.cumsum(depth)
    while True:
        before = int(up_to[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(up_to, before + _RANKS_AT_ONCE, "right")))
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


# --- Sums over documents of which people judged a random sample and a model all of them ---
# The pool of each topic is in strata, of each of which some documents were drawn at random without
# replacement and judged by people. What the model says of all documents is corrected by its error
# on those that were drawn: without bias, however good the model is.
# Source: the difference estimator of survey sampling (Cochran 1977, Sampling Techniques, sections
# 5A.5 and 7.2) in strata, the weight of the model tuned as in PPI++ (Angelopoulos, Duchi and
# Zrnic, arXiv 2311.01453, section 6).


USELESS = 0.9
"""A model that leaves more than this of people's standard errors is not worth its use."""


DrawnValues: TypeAlias = Floats
"""float64[D]: a number for each document drawn."""
RunsByTopics: TypeAlias = Floats
"""float64[K, T]: a sum for each run, or whatever has sums, on each topic."""


@record
class DrawnDocuments:
    """D documents that people judged, drawn at random from S strata of the pools of T topics.

    num_topics        T
    topic_of_stratum  int64[S]
    stratum_size      int64[S], N: how many documents of the pool are in each stratum
    stratum           int64[D], the stratum of each document drawn
    """

    num_topics: int
    topic_of_stratum: Ints
    stratum_size: CountsByStratum
    stratum: Ints

    @cached_property
    def num_drawn(self) -> CountsByStratum:
        """int64[S], n: how many documents were drawn from each stratum."""
        return np.bincount(self.stratum, minlength=len(self.stratum_size))

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[D]: the topic of each document drawn."""
        return self.topic_of_stratum[self.stratum]

    @cached_property
    def expansion(self) -> DrawnValues:
        """float64[D], N/n: how many documents each one drawn stands for."""
        return ratio(self.stratum_size, self.num_drawn)[self.stratum]

    @cached_property
    def _deviation_scale(self) -> DrawnValues:
        """float64[D]: sqrt(N (N - n) / (n (n - 1))); 0 where all of the stratum was drawn."""
        size, drawn = self.stratum_size, self.num_drawn
        squared = ratio(size * (size - drawn), drawn * (drawn - 1))
        scale: Floats = np.sqrt(squared)[self.stratum]
        return scale

    def expand(self, gains: Floats) -> Floats:
        """float64[..., T]: the estimated sums over each topic's pool of gains float64[..., D]."""
        return self._sum_by_topic(gains * self.expansion)

    def scaled_deviations_from_stratum_means(self, gains: Floats) -> Floats:
        """float64[..., D]: gains less their stratum's mean, scaled: squares sum to variances.

        The variance of an estimated sum is the sum of the squares of its documents' deviations; the
        covariance of two that of their products.
        """
        means = [
            ratio(segment_sums(self.stratum, each, len(self.num_drawn)), self.num_drawn)
            for each in gains.reshape(-1, gains.shape[-1])
        ]
        of_stratum = np.array(means).reshape(*gains.shape[:-1], len(self.num_drawn))
        deviations: Floats = (gains - of_stratum[..., self.stratum]) * self._deviation_scale
        return deviations

    def variances(self, deviations: Floats) -> Floats:
        """float64[..., T]: the variances of the topics' sums, of deviations float64[..., D]."""
        return self._sum_by_topic(deviations**2)

    def _sum_by_topic(self, values: Floats) -> Floats:
        sums = [
            segment_sums(self.topic, each, self.num_topics)
            for each in values.reshape(-1, values.shape[-1])
        ]
        return np.array(sums).reshape(*values.shape[:-1], self.num_topics)


def tuned_weight(people_deviations: Floats, model_deviations: Floats) -> float:
    """Lambda, from 0 to 1: how much the model counts, so that the variances are least together.

    sum c_s Cov_s(w g, w g^) / sum c_s Var_s(w g^), c_s = N_s (N_s - n_s) / n_s, over all strata,
    topics and runs; 0 where the model's gains do not vary.

    Args:
        people_deviations: float64[..., D], of the documents drawn by people's grades.
        model_deviations: the same by the model's.
    """
    covariance = float(np.sum(people_deviations * model_deviations))
    variance = float(np.sum(model_deviations**2))
    return min(max(covariance / variance, 0.0), 1.0) if variance else 0.0


@record
class SampledSums:
    """Sums of gains over the documents of T topics, for K runs or whatever has such sums.

    drawn        the documents that people judged
    people       float64[K, D], what each document drawn adds by people's grade
    model        float64[K, D], what it adds by the model's
    model_total  float64[K, T], the sums over all documents of the pools by the model's grades
    weight       lambda
    """

    drawn: DrawnDocuments
    people: Floats
    model: Floats
    model_total: RunsByTopics
    weight: float

    @cached_property
    def estimates(self) -> RunsByTopics:
        """float64[K, T]: lambda times the model's sums, and the estimated sums of the errors.

        They are without bias, and may lie outside the bounds of a measure: they must not be cut.
        """
        errors = self.people - self.weight * self.model
        estimates: RunsByTopics = self.weight * self.model_total + self.drawn.expand(errors)
        return estimates

    @cached_property
    def error_deviations(self) -> Floats:
        """float64[K, D]: the deviations of the errors; a difference of runs has the difference."""
        return self.drawn.scaled_deviations_from_stratum_means(
            self.people - self.weight * self.model
        )

    @cached_property
    def variances(self) -> RunsByTopics:
        """float64[K, T]: of the estimates, over the samples that might have been drawn."""
        return self.drawn.variances(self.error_deviations)


# --- What each document adds to a measure by its grade and rank, and what a sample can estimate ---


def document_gains(
    request: Request, rank: DocumentRanks, grade: DocumentValues, settings: Settings
) -> DocumentsByCutoffs:
    """What documents at ranks, of grades from 0 on, add to a linear measure.

    That is its value where the document is all that is judged.
    """
    pairs, pair_of_document = np.unique(np.stack([rank, grade]), axis=1, return_inverse=True)
    ranks, grades = pairs[0].astype(np.int64), pairs[1]
    count = np.arange(len(ranks) + 1)
    alone = Judged(count[:-1], ranks, grades, ranks, count, grades, np.ones_like(ranks), settings)
    with np.errstate(all="ignore"):
        gains: DocumentsByCutoffs = request.values(alone)
    return gains[pair_of_document.reshape(-1)]


def highest_values(
    request: Request, grades: Floats, counts_by_topic: Ints, settings: Settings
) -> TopicsByCutoffs:
    """The values of ideal lists, given how many documents have each grade.

    Args:
        request: the measure of the ideal list.
        grades: float64[G], rising, from 0 on.
        counts_by_topic: int64[T, G].
        settings: the definitions that all measures share.
    """
    num_topics, num_grades = counts_by_topic.shape
    nothing = np.zeros(0, np.int64)
    empty = Judged(
        nothing,
        nothing,
        np.zeros(0),
        np.zeros(num_topics, np.int64),
        np.arange(num_topics + 1) * num_grades,
        np.tile(grades, num_topics),
        counts_by_topic.ravel(),
        settings,
    )
    with np.errstate(all="ignore"):
        highest: Floats = request.values(empty)
    return highest


def estimable_and_ideal_requests(request: Request) -> tuple[Request, Request | None]:
    """The linear measure that a sample of documents estimates, and that of the ideal list, if any.

    Raises:
        UsageError: the measure cannot be estimated so; says what can.
    """
    measure, arguments = request.measure, request.arguments
    if arguments.condensed:
        raise _cannot_be_estimated_error(request, "it leaves documents out that were not drawn")
    maps = [value for _, value in arguments.options if isinstance(value, tuple)]
    if any(grade < 0 for each in maps for grade, _ in each):
        raise _cannot_be_estimated_error(
            request, "documents without a judgment have a gain of their own"
        )
    if measure.linear:
        return request, None
    if measure.ratio_of is None:
        raise _cannot_be_estimated_error(request)
    if None in arguments.cutoffs:
        raise _cannot_be_estimated_error(request, "it is not cut at a rank")
    numerator, ideal = (_same_request(request, MEASURES[name]) for name in measure.ratio_of)
    return numerator, ideal


def _same_request(request: Request, measure: Measure) -> Request:
    """The request for another measure with the same options, all of which are named."""
    options: dict[str, Any] = {name: each.default for name, each in measure.options.items()}
    options |= getattr(request.measure.compute, "keywords", {})
    options |= dict(request.arguments.options)
    arguments = replace(request.arguments, options=tuple(options.items()))
    return request._replace(measure=measure, arguments=arguments)


def _cannot_be_estimated_error(request: Request, reason: str = "") -> UsageError:
    names = ", ".join(column.name for column in request.columns)
    because = f": {reason}" if reason else ""
    return UsageError(
        f"--predicted with -R strata: {names} cannot be estimated from a sample of documents and "
        f"a model's judgments{because}; P@k, RBP, CG, DCG@k, nDCG@k and the number of relevant "
        "documents retrieved can be; from people's judgments alone, without --predicted, there are "
        "xinfAP and infNDCG"
    )


def refuse_open_scales(
    requests: Sequence[Request], highest_by_people: float, highest_by_model: float
) -> None:
    """Refuse scales that end at the highest grade, where people and the model differ in it."""
    if highest_by_people == highest_by_model:
        return
    for request in requests:
        options = request.measure.options
        for name, value in request.arguments.options:
            if value is None and name in options and options[name].kind == "scale":
                raise UsageError(
                    f"{request.columns[0].name}: people's highest grade is {highest_by_people:g}, "
                    f"the model's {highest_by_model:g}: say which ends the scale: --max-grade N, "
                    f"or {name}=N in the measure's name"
                )
