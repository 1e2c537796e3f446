"""The measures over scores, as their definitions; see `plain`."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.plain import Topic


def shares(scores: Sequence[float], scale: str) -> list[float]:
    """What becomes of the scores of a ranking, which fall."""
    if scale == "rank":
        return [1 - place / len(scores) for place in range(len(scores))]
    if scale == "minmax":
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        return [0.0 if high == low else (score - low) / (high - low) for score in scores]
    return list(scores)


def average_distance(
    topic: Topic,
    scores: Sequence[float],
    N: int,  # noqa: N803 (the field's own name)
    scale: str = "none",
    max: float = 1.0,
    least: float = 0.0,
) -> float:
    """ADM: how far scores and relevance are apart, over all documents of the collection.

    Grades below `least` are no relevance.
    """

    def relevance(code: float) -> float:
        return code / max if code >= least and code > 0 else 0.0

    missed = list(topic.grades)
    distance = 0.0
    for code, share in zip(topic.codes, shares(scores, scale), strict=True):
        distance += abs(share - relevance(code))
        if code >= 0:
            missed.remove(code)
    for grade in missed:
        distance += relevance(grade)
    return 1 - distance / N


def separation(
    topic: Topic, scores: Sequence[float], scale: str = "none", level: float = 1.0
) -> float:
    """SwetsE: the difference of the mean scores over the mean of their standard deviations."""
    if scale == "rank":
        scores = [-float(rank) for rank in range(1, len(topic.codes) + 1)]
    pairs = list(zip(topic.codes, scores, strict=True))
    relevant = [score for code, score in pairs if code >= level]
    others = [score for code, score in pairs if 0 <= code < level]
    if not relevant or not others or not pstdev(relevant) + pstdev(others):
        return 0.0
    return (fmean(relevant) - fmean(others)) / fmean([pstdev(relevant), pstdev(others)])
