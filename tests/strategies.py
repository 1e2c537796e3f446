"""Random topics and parameters, for Hypothesis and for large seeded batches."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import strategies as st

from tests.plain import POOLED, UNKNOWN, Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE_GRADES = (0.0, 1.0, 2.0, 3.0, 5.0, 12.0)
FRACTIONAL_GRADES = (0.0, 0.1, 0.5, 1.0, 1.5, 1.9999, 2.0, 4.7, 5.0, 9.5)
WITHOUT_GRADE = (UNKNOWN, UNKNOWN, POOLED)
GAIN_CODES = (-2, -1, 0, 1, 2, 3, 4, 5, 12)
GAINS = (-3.0, -0.5, 0.0, 0.25, 0.3, 1.0, 1.5, 7.0, 9.5)


def examples(number: int) -> hypothesis.settings:
    """So many examples in the steady profile, and in proportion in the others (`conftest.py`)."""
    loaded = hypothesis.settings.default
    assert loaded is not None
    return hypothesis.settings(max_examples=number * loaded.max_examples // 30)


def topic_of(codes: Sequence[float], missed: Sequence[float]) -> Topic:
    """A topic from its ranking and the grades of the judged documents that were not retrieved."""
    return Topic(codes, [*(code for code in codes if code >= 0), *missed])


@cache
def settings() -> st.SearchStrategy[dict[str, Any]]:
    """The definitions that all topics of an evaluation share."""
    return st.fixed_dictionaries(
        {
            "level": st.integers(0, 3),
            "collection_size": st.sampled_from([0, 1000]),
            "rounding": st.sampled_from(["nearest", "upward"]),
        }
    )


def some_of(numbers: Sequence[float], most: int) -> st.SearchStrategy[list[float]]:
    """Up to so many of some numbers: drawn as bytes, which costs a tenth of a list's drawing."""
    size = len(numbers)
    return st.binary(max_size=most).map(lambda drawn: [numbers[byte % size] for byte in drawn])


@cache  # a strategy that is made anew costs more than what it draws
def topics(most: int = 4) -> st.SearchStrategy[list[Topic]]:
    """A few topics that share their definitions; rankings and judgments may be empty."""
    topics_by_grades = [
        st.builds(
            topic_of,
            some_of((*grades, *WITHOUT_GRADE, *WITHOUT_GRADE), most=25),
            some_of(grades, most=8),
        )
        for grades in (WHOLE_GRADES, FRACTIONAL_GRADES)
    ]
    several = st.one_of([st.lists(topic, min_size=1, max_size=most) for topic in topics_by_grades])
    return st.builds(
        lambda drawn, shared: [replace(topic, **shared) for topic in drawn], several, settings()
    )


@cache
def seeded_topics(seed: int, count: int, **shared: Any) -> list[Topic]:
    """The random topics of a seed, which many measures are tried on: nobody may change them."""
    return random_topics(random.Random(seed), count, **shared)


def random_topics(rng: random.Random, count: int, **shared: Any) -> list[Topic]:
    """Many topics of all kinds: empty, long, sparse, all relevant, without a relevant document."""
    topics = []
    for _ in range(count):
        grades = rng.choice([WHOLE_GRADES, WHOLE_GRADES[:2], WHOLE_GRADES[:1], FRACTIONAL_GRADES])
        judged_share = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])
        codes = [
            rng.choice(grades if rng.random() < judged_share else WITHOUT_GRADE)
            for _ in range(rng.choice([0, 1, 5, 20, 120]))
        ]
        missed = rng.choices(grades, k=rng.choice([0, 0, 1, 4, 30]))
        topics.append(replace(topic_of(codes, missed), **shared))
    return topics


def assert_close(
    values: Sequence[Any], expected: Sequence[Any], topics: Sequence[Topic],
    rel: float = 1e-12, within: float = 1e-12,
) -> None:  # fmt: skip
    """Rows of values, one for each topic, equal up to the rounding of another order of a sum."""
    for row, right, topic in zip(values, expected, topics, strict=True):
        # pytest's comparison words the difference, but costs more than what is compared
        if row != right and not (
            isinstance(right, list)
            and len(row) == len(right)
            and all(
                math.isclose(one, other, rel_tol=rel, abs_tol=within)
                for one, other in zip(row, right, strict=True)
            )
        ):
            assert row == pytest.approx(right, rel=rel, abs=within), topic


@cache
def cutoffs() -> st.SearchStrategy[tuple[int, ...]]:
    """Rising ranks, some of them far beyond every ranking."""
    rank = st.integers(1, 30) | st.sampled_from([1000, 2**40])
    return st.lists(rank, min_size=1, max_size=5, unique=True).map(sorted).map(tuple)


@cache
def fractions() -> st.SearchStrategy[tuple[float, ...]]:
    """Rising multiples of R, some outside [0, 1], many of them just at a rounding's edge."""
    point = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0, 1.5]) | st.floats(-0.5, 2.5)
    return st.lists(point, min_size=1, max_size=6, unique=True).map(sorted).map(tuple)


@cache
def numbers(length: int | None, least: float, most: float) -> st.SearchStrategy[tuple[float, ...]]:
    """Real numbers in any order."""
    number = st.floats(least, most)
    return st.lists(number, min_size=length or 1, max_size=length or 6).map(tuple)


@cache
def gain_pairs(most_without_grade: float = 9.5) -> st.SearchStrategy[tuple[tuple[int, float], ...]]:
    """Gains for some grades, and for documents without one, no grade twice."""
    pairs = st.dictionaries(st.sampled_from(GAIN_CODES), st.sampled_from(GAINS), max_size=5)
    return pairs.map(
        lambda gains: tuple(
            (code, min(gain, most_without_grade) if code < 0 else gain)
            for code, gain in gains.items()
        )
    )


def random_gain_pairs(
    rng: random.Random, most_without_grade: float
) -> tuple[tuple[int, float], ...]:
    """The same without Hypothesis."""
    codes = rng.sample(GAIN_CODES, rng.randint(1, 5))
    gains = [(code, rng.choice(GAINS)) for code in codes]
    return tuple((c, min(gain, most_without_grade) if c < 0 else gain) for c, gain in gains)
