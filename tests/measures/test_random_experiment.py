"""Average precision as the outcome of a random experiment, and what samples say of it.

Yilmaz and Aslam 2006, section 2.5: draw a relevant document, then a rank down to its own; the
outcome is the relevance there.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from irev.measures.naming.resolve import resolve_names
from tests.measures.test_every_measure import judged
from tests.plain import POOLED, UNKNOWN, Topic


def experiment(ranking: list[int], missed: int) -> Fraction:
    """The mean outcome over all draws; a relevant document that was not retrieved gives 0."""
    outcomes = [
        Fraction(sum(ranking[:rank]), rank) for rank, grade in enumerate(ranking, 1) if grade
    ]
    return sum(outcomes, Fraction(0)) / (len(outcomes) + missed)


def test_average_precision_is_its_mean() -> None:
    rng = random.Random(2006)
    topics: list[Topic] = []
    expected = []
    for _ in range(200):
        ranking = [rng.randrange(2) for _ in range(rng.randint(1, 30))]
        missed = rng.randint(0 if any(ranking) else 1, 4)
        topics.append(Topic([float(grade) for grade in ranking], [1.0] * (sum(ranking) + missed)))
        expected.append(float(experiment(ranking, missed)))
    (request,) = resolve_names(["AP"])
    assert request.values(judged(topics))[:, 0] == pytest.approx(expected, abs=1e-14)


def ranked_pool() -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], list[int]]:
    """A ranking of 600 documents: 1, 0, or unknown to the pool of 450, 49 of them relevant."""
    rng = np.random.default_rng(7)
    places = rng.permutation(600)
    pooled = np.sort(places[:450])
    chance = 1 / (40 + pooled)
    relevant = rng.choice(pooled, 49, replace=False, p=chance / chance.sum())
    codes = np.full(600, float(UNKNOWN))
    codes[pooled] = 0.0
    codes[relevant] = 1.0
    return codes, pooled.tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_means_over_samples(rate: float) -> None:
    """Inferred precision is about average precision, and what drops documents is above it."""
    codes, pooled = ranked_pool()
    rng = np.random.default_rng(round(10 * rate))
    topics: list[Topic] = []
    while len(topics) < 400:
        sample = codes.copy()
        sample[rng.choice(pooled, round((1 - rate) * len(pooled)), replace=False)] = POOLED
        if (sample == 1).any():
            grades = [code for code in sample.tolist() if code >= 0]
            topics.append(Topic(sample.tolist(), grades))
    names = ["infAP", f"subAP(p={rate})", "indAP", "AP"]
    inferred, sub, induced, unjudged = (
        float(request.values(judged(topics)).mean()) for request in resolve_names(names)
    )
    whole = Topic(codes.tolist(), codes[codes >= 0].tolist())
    (request,) = resolve_names(["AP"])
    truth = float(request.values(judged([whole]))[0, 0])
    assert inferred == pytest.approx(truth, abs=0.02)
    assert truth < sub < induced
    assert unjudged < truth
