"""Sums over documents of which people judged a random sample and a model all of them.

The pool of each topic is in strata, of each of which some documents were drawn at random without
replacement and judged by people. What the model says of all documents is corrected by its error on
those that were drawn: without bias, however good the model is.

Source: the difference estimator of survey sampling (Cochran 1977, Sampling Techniques, sections
5A.5 and 7.2) in strata, the weight of the model tuned as in PPI++ (Angelopoulos, Duchi and Zrnic,
arXiv 2311.01453, section 6).
"""

from __future__ import annotations

from collections.abc import Sequence
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
    TopicOfRow,
    TopicsByCutoffs,
    ratio,
    segment_sums,
)
from irev.core.judged import Judged, Settings
from irev.core.record import cached_property, record
from irev.errors import UsageError
from irev.measures.registry import MEASURES, Measure
from irev.measures.requests import Request

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
