"""What each document adds to a measure by its grade and rank, and what a sample can estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    DocumentsByCutoffs,
    DocumentValues,
    Floats,
    Ints,
    TopicsByCutoffs,
)
from irev.core.judged import Judged, Settings
from irev.errors import UsageError
from irev.measures.registry import MEASURES, Arguments, Measure
from irev.measures.requests import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

_CAN_BE = "P@k, RBP, CG, DCG@k, nDCG@k and the number of relevant documents retrieved can be"
_INSTEAD = "from people's judgments alone, without --predicted, there are xinfAP and infNDCG"


def document_gains(
    request: Request, rank: DocumentRanks, grade: DocumentValues, settings: Settings
) -> DocumentsByCutoffs:
    """What documents at ranks, of grades from 0 on, add to a linear measure.

    That is its value where the document is all that is judged.
    """
    pairs, pair_of_document = np.unique(np.stack([rank, grade]), axis=1, return_inverse=True)
    ranks, grades = pairs[0].astype(np.int64), pairs[1]
    count = np.arange(len(ranks) + 1)
    alone = Judged(
        count[:-1], ranks, grades, ranks, count, grades, np.ones_like(ranks), settings
    )  # fmt: skip
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
        nothing, nothing, np.zeros(0), np.zeros(num_topics, np.int64),
        np.arange(num_topics + 1) * num_grades, np.tile(grades, num_topics),
        counts_by_topic.ravel(), settings,
    )  # fmt: skip
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
    if _has_gain_of_unjudged(measure, arguments):
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


def _has_gain_of_unjudged(measure: Measure, arguments: Arguments) -> bool:
    """Whether a map gives a gain to documents that are not judged."""
    maps = [value for _, value in arguments.options if isinstance(value, tuple)]
    return any(grade < 0 for each in maps for grade, _ in each)


def _cannot_be_estimated_error(request: Request, reason: str = "") -> UsageError:
    names = ", ".join(column.name for column in request.columns)
    because = f": {reason}" if reason else ""
    return UsageError(
        f"--predicted with -R strata: {names} cannot be estimated from a sample of documents and "
        f"a model's judgments{because}; {_CAN_BE}; {_INSTEAD}"
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
