"""What holds for every measure: its value, its bounds, its example."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev.measures  # noqa: F401 (registers them)
from irev.core.model import Judged, Settings
from irev.measures.registry import (
    TREC_MEASURES,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Numbers,
)
from tests import plain, plain_gains, strategies
from tests.each import for_each
from tests.plain import Topic
from tests.registered import compute_measure
from tests.strategies import assert_close

if TYPE_CHECKING:
    from collections.abc import Sequence

OVER_RANKINGS = [
    name for name, m in TREC_MEASURES.items() if m.needs != "prefs" and name != "runid"
]
"""The measures that are functions of a `Judged`."""

RANGES = {"set_F": (0.0, 5.0), "relstring": (-2.0, 40.0), "11pt_avg": (-0.5, 2.0)}
"""Sensible numbers, for the measures whose parameter is a list of them."""


# --- from the oracle's form to the library's, and back ---


def judged(topics: Sequence[Topic]) -> Judged:
    """The library's form of topics that share their definitions."""
    rows = [
        (t, rank, code)
        for t, topic in enumerate(topics)
        for rank, code in enumerate(topic.codes, 1)
        if code != plain.UNKNOWN
    ]
    levels = [sorted(Counter(topic.grades).items()) for topic in topics]
    flat = [level for of_topic in levels for level in of_topic]
    shared = Settings(topics[0].level, topics[0].collection_size, topics[0].rounding)
    return Judged(
        topic=np.array([row[0] for row in rows], np.int64),
        rank=np.array([row[1] for row in rows], np.int64),
        grade=np.array([row[2] for row in rows], np.float64),
        num_ret=np.array([topic.num_ret for topic in topics], np.int64),
        level_start=np.cumsum([0, *map(len, levels)], dtype=np.int64),
        level_grade=np.array([grade for grade, _ in flat], np.float64),
        level_count=np.array([count for _, count in flat], np.int64),
        settings=shared,
    )


def default_of(measure: Measure) -> Any:
    """The value that a measure's parameter has when none is given."""
    if isinstance(measure.parameter, Gains):
        return plain_gains.Gains(persistence=measure.parameter.persistence or 0.0)
    if isinstance(measure.parameter, Cutoffs | Fractions | Numbers):
        return measure.parameter.default
    assert measure.parameter is None, "trec_eval's measures have no named options"
    return None


def most_without_grade(measure: Measure) -> float:
    """The highest gain that is tried for documents without a grade.

    G has no value where they gain more than the ideal ranking.
    """
    return 1.0 if measure.name == "G" else 9.5


@cache
def given_to(measure: Measure) -> st.SearchStrategy[Any]:
    """Parameter values for a measure."""
    match measure.parameter:
        case Cutoffs():
            return strategies.cutoffs()
        case Fractions():
            return strategies.fractions()
        case Numbers(length=length):
            return strategies.numbers(length, *RANGES.get(measure.name, (-3.0, 3.0)))
        case Gains(persistence=persistence, grades=grades):
            pairs = strategies.gain_pairs(most_without_grade(measure)) if grades else st.just(())
            return st.builds(
                plain_gains.Gains, pairs, st.just(0.0) if persistence is None else st.floats(0, 1)
            )
    return st.none()


def values(measure: Measure, topics: Sequence[Topic], parameter: Any) -> list[Any]:
    """What the library gives for each topic: a list of numbers, or a text."""
    result = compute_measure(measure.name, judged(topics), parameter)
    if measure.kind == "text":
        return [text.decode() for text in result]
    assert isinstance(result, np.ndarray)
    assert result.dtype == np.float64
    wide = isinstance(measure.parameter, Cutoffs | Fractions)
    assert result.shape == ((len(topics), len(parameter)) if wide else (len(topics),))
    return result.reshape(len(topics), -1).tolist()


def expected(measure: Measure, topics: Sequence[Topic], *arguments: Any) -> list[Any]:
    """What the oracle gives for each topic, in the same form."""
    results = [plain.MEASURES[measure.name](topic, *arguments) for topic in topics]
    return [[r] if isinstance(r, int | float) else r for r in results]


def printed(measure: Measure, value: float) -> float:
    """What a summary over one topic says: bounds and examples are stated for that."""
    return math.exp(value) if measure.average == "geometric" else value


# --- values ---


def test_every_measure_has_a_second_version() -> None:
    assert sorted(plain.MEASURES) == sorted(OVER_RANKINGS)


@pytest.mark.parametrize("name", OVER_RANKINGS)
@given(data=st.data())
def test_agrees_with_its_definition(name: str, data: st.DataObject) -> None:
    measure = TREC_MEASURES[name]
    topics = data.draw(strategies.topics())
    parameter = data.draw(given_to(measure))
    arguments = () if measure.parameter is None else (parameter,)
    assert_close(values(measure, topics, parameter), expected(measure, topics, *arguments), topics)


@pytest.mark.in_turn(4)
@pytest.mark.parametrize("name", OVER_RANKINGS)
@pytest.mark.parametrize(
    ("level", "rounding"), [(0, "nearest"), (1, "nearest"), (1, "upward"), (2, "upward")]
)
def test_agrees_over_many_topics_at_once(name: str, level: int, rounding: str) -> None:
    measure = TREC_MEASURES[name]
    topics = strategies.seeded_topics(
        level, 300, level=level, collection_size=5000, rounding=rounding
    )
    # the oracle has its own defaults
    assert_close(values(measure, topics, default_of(measure)), expected(measure, topics), topics)


WITH_GAINS = [
    name for name in OVER_RANKINGS if getattr(TREC_MEASURES[name].parameter, "grades", False)
]


@for_each("name", WITH_GAINS)
@for_each("seed", range(5))
def test_agrees_over_many_topics_with_gains(name: str, seed: int) -> None:
    measure = TREC_MEASURES[name]
    rng = random.Random(seed)
    topics = strategies.random_topics(rng, 200)
    pairs = strategies.random_gain_pairs(rng, most_without_grade(measure))
    gains = plain_gains.Gains(pairs, rng.choice([0.0, 0.5, 0.95, 1.0]))
    assert_close(values(measure, topics, gains), expected(measure, topics, gains), topics)


@for_each("name", OVER_RANKINGS)
def test_does_not_depend_on_the_other_topics(name: str) -> None:
    measure = TREC_MEASURES[name]
    topics = strategies.seeded_topics(7, 60)
    together = values(measure, topics, default_of(measure))
    assert values(measure, topics[::-1], default_of(measure)) == together[::-1]
    alone = [values(measure, [topic], default_of(measure))[0] for topic in topics]
    assert alone == together


@for_each("name", OVER_RANKINGS)
def test_takes_empty_rankings_and_empty_judgments(name: str) -> None:
    measure = TREC_MEASURES[name]
    topics = [Topic([], []), Topic([], [1, 0]), Topic([-1, -2], []), Topic([], [])]
    assert_close(values(measure, topics, default_of(measure)), expected(measure, topics), topics)


@for_each("name", OVER_RANKINGS)
def test_takes_no_topic_at_all(name: str) -> None:
    measure = TREC_MEASURES[name]
    nothing = judged([Topic([], [])])
    none = replace(nothing, num_ret=nothing.num_ret[:0], level_start=nothing.level_start[:1])
    assert len(compute_measure(name, none, default_of(measure))) == 0


@for_each("name", [name for name in OVER_RANKINGS if TREC_MEASURES[name].kind != "text"])
def test_stays_within_its_bounds(name: str) -> None:
    measure = TREC_MEASURES[name]
    low, high = measure.bounds
    for level in (0, 1, 2):
        topics = strategies.seeded_topics(level, 300, level=level)
        rows = values(measure, topics, default_of(measure))
        for value in (printed(measure, v) for row in rows for v in row):
            assert low - 1e-12 <= value <= high + 1e-12, f"{value} is not in bounds={low, high}"


@pytest.mark.parametrize("name", ["map", "gm_map"])
def test_all_or_nothing_reaches_the_bounds(name: str) -> None:
    """A geometric mean has no factor below 0.00001."""
    topics = [Topic([], [1]), Topic([1], [1])]
    found = values(TREC_MEASURES[name], topics, None)
    assert [printed(TREC_MEASURES[name], row[0]) for row in found] == pytest.approx(
        TREC_MEASURES[name].bounds
    )
    assert TREC_MEASURES[name].bounds[1] == 1


# --- examples ---


def ranking_of(text: str) -> Topic:
    """The topic of a record's example: `1 0 - . | 2`."""
    ranked, _, missed = text.partition("|")
    codes = [{"-": plain.UNKNOWN, ".": plain.POOLED}.get(c) for c in ranked.split()]
    grades = [
        float(c) if code is None else code for c, code in zip(ranked.split(), codes, strict=True)
    ]
    return strategies.topic_of(grades, [float(grade) for grade in missed.split()])


def parameter_of(measure: Measure, text: str) -> Any:
    """The parameter of a record's example, as a command line would have it."""
    if not text:
        return default_of(measure)
    if not isinstance(measure.parameter, Gains):
        kind = int if isinstance(measure.parameter, Cutoffs) else float
        return tuple(kind(part) for part in text.split(","))
    named = dict(part.split("=") for part in text.split(","))
    persistence = float(named.pop("p", measure.parameter.persistence or 0.0))
    return plain_gains.Gains(tuple((int(k), float(v)) for k, v in named.items()), persistence)


@for_each("name", [name for name in OVER_RANKINGS if TREC_MEASURES[name].example])
def test_example_is_right(name: str) -> None:
    measure = TREC_MEASURES[name]
    assert measure.example
    ranking, text, value = measure.example
    parameter = parameter_of(measure, text)
    topic = ranking_of(ranking)
    arguments = () if measure.parameter is None else (parameter,)
    for result in (expected(measure, [topic], *arguments), values(measure, [topic], parameter)):
        assert printed(measure, result[0][0]) == pytest.approx(value, abs=5e-5)


@for_each("name", [name for name in OVER_RANKINGS if TREC_MEASURES[name].kind != "text"])
def test_has_an_example(name: str) -> None:
    assert TREC_MEASURES[name].example
