"""What the literature warns of, for the measures asked for on the judgments at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from irev.core.arrays import Ints, is_any, offsets
from irev.core.judged import Qrels
from irev.measures.registry import TREC_MEASURES
from irev.measures.requests import Request, unbounding_option, value_text

UNBOUNDED = (
    "its values have no upper bound, and topics with many relevant documents dominate a mean over "
    "topics"
)


def cautions(
    requests: Sequence[Request], qrels: Qrels, level: float = 1, requested_names: Sequence[str] = ()
) -> list[str]:
    """One line for each thing that makes measures with named options doubtful here.

    Measures in trec_eval's names go without, but for those that ask for the pool (infAP) where they
    are asked for by name.

    Args:
        requests: what is computed.
        qrels: the judgments.
        level: the smallest relevant grade, where a measure's name does not say.
        requested_names: the measures as they were asked for.
    """
    names_by_line: dict[str, dict[str, None]] = {}
    for name in requested_names:
        if name.lower() == "bpref" and not is_any((qrels.grade >= 0) & (qrels.grade < level)):
            line = (
                "no document was judged non-relevant, so that it is the share of relevant "
                "documents retrieved"
            )
            names_by_line[line] = {name: None}
        if name in TREC_MEASURES and TREC_MEASURES[name].from_pools:
            names_by_line.update(
                (line, {name: None}) for line in _no_unjudged_document_cautions(qrels)
            )
    for request in requests:
        if not request.measure.is_trec_evals_alone:
            # one for all the cutoffs
            name = request.columns[0].name
            for line in _request_cautions(request, qrels, level):
                names_by_line.setdefault(line, {})[name] = None
    return [f"{', '.join(of)}: {line}" for line, of in names_by_line.items()]


def _request_cautions(request: Request, qrels: Qrels, level: float) -> Iterator[str]:
    arguments, options = request.arguments, dict(request.arguments.options)
    if request.measure.from_pools and options.get("p") is None:
        yield from _no_unjudged_document_cautions(qrels)
    relevant = level if arguments.level is None else arguments.level
    yield from _measure_caution(request, options, has_several_topics=len(qrels.topics) > 1)
    if options.get("disc") == "jk":
        base, num_relevant = options["b"], relevant_per_list(qrels, relevant)
        few = int(((num_relevant > 0) & (num_relevant < base)).sum())
        if few:
            yield (
                f"{_topics_have(few)} fewer than b={value_text(base)} relevant documents; up to "
                "rank b there is no discount for late ones (Sakai 2006)"
            )
    grades = np.unique(qrels.level_grade).tolist()
    kinds = {name: option.kind for name, option in request.measure.options.items()}
    for name, value in options.items():
        if kinds[name] == "gain" and isinstance(value, tuple):
            yield from _gain_map_cautions(value, set(grades), relevant)
        if kinds[name] == "scale" and isinstance(value, float) and grades and grades[-1] > value:
            yield f"the qrels hold the grade {value_text(grades[-1])}, above {name}={value:g}"


def _measure_caution(
    request: Request, options: dict[str, Any], *, has_several_topics: bool
) -> Iterator[str]:
    """What the record says of every use; of a base there is more to say with the qrels at hand."""
    measure = request.measure
    if measure.average == "error":
        yield measure.caution
    elif math.isinf(measure.bounds[1]):
        only = unbounding_option(measure)
        if only and options[only[0]] != only[1]:
            return
        if (
            has_several_topics
            and measure.average == "mean"
            and measure.higher_is_better is not None
        ):
            yield measure.caution or UNBOUNDED
    elif measure.caution and "b" not in options:
        yield measure.caution


def _no_unjudged_document_cautions(qrels: Qrels) -> Iterator[str]:
    """What is to be said where no document of a topic's pool was left unjudged."""
    up_to = offsets(qrels.grade < 0)
    complete = up_to[qrels.stop] == up_to[qrels.start]
    if complete.all():
        yield (
            "no pool document is unjudged (no grade is negative): was the pool judged completely, "
            "or are the rows of documents that were not sampled missing?"
        )
    elif complete.any():
        yield (
            f"{_topics_have(int(complete.sum()))} no unjudged pool document (a negative "
            "grade), though others have: was the pool judged completely, or are rows missing?"
        )


def relevant_per_list(qrels: Qrels, level: float) -> Ints:
    """int64[L]: R of each judged list."""
    lists = np.repeat(np.arange(len(qrels.level_start) - 1), np.diff(qrels.level_start))
    is_relevant = qrels.level_grade >= level
    counts = np.bincount(
        lists[is_relevant], qrels.level_count[is_relevant], minlength=len(qrels.level_start) - 1
    )
    return counts.astype(np.int64)


def _topics_have(count: int) -> str:
    return "1 topic has" if count == 1 else f"{count} topics have"


def _gain_map_cautions(
    gains: Sequence[tuple[float, float]], grades: set[float], level: float
) -> Iterator[str]:
    unseen = [grade for grade, _ in gains if grade >= 0 and grade not in grades]
    if unseen:
        yield f"no document of the qrels has the grade {_grades_text(unseen)}"
    highest = max((grade for grade, _ in gains), default=math.inf)
    above = sorted(grade for grade in grades if grade > highest)
    if above and len(gains) > 1:  # a map of one grade changes that one alone
        listed = _grades_text(above)
        yield (
            f"the grade {listed} is above the grades in the map of gains, so its gain is the "
            "grade itself"
        )
    worthless = [grade for grade, gain in gains if grade >= level and grade in grades and gain <= 0]
    if worthless:
        yield f"the grade {_grades_text(worthless)} is relevant but has no gain"
    # a grade that the map does not name is its own gain
    gain_of_grade: dict[float, float] = dict(gains)
    positive_grades = sorted(grade for grade in grades if grade > 0)
    for lower, higher in pairwise(positive_grades):
        less, more = (gain_of_grade.get(grade, grade) for grade in (lower, higher))
        if less > more > 0:
            yield (
                f"the grade {value_text(higher)} gains {value_text(more)}, less than the "
                f"grade {value_text(lower)}, which gains {value_text(less)}"
            )


def _grades_text(grades: Sequence[float]) -> str:
    return " or ".join(map(value_text, grades))
