"""What holds for every measure: its value, its bounds, its record."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev.measures  # noqa: F401 (registers them)
from irev.measures.registry import (
    REGISTRY,
    SETS,
    Cutoffs,
    Fractions,
    GainMap,
    Gains,
    Measure,
    Numbers,
    in_order,
    members,
)
from irev.model import Judged, Settings
from tests import plain, strategies
from tests.plain import Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

OVER_RANKINGS = [name for name, m in REGISTRY.items() if m.needs != "prefs" and name != "runid"]
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
        return GainMap(persistence=measure.parameter.persistence or 0.0)
    return None if measure.parameter is None else measure.parameter.default


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
            # G has no value where unjudged documents gain more than an ideal ranking can
            most = 1.0 if measure.name == "G" else 9.5
            pairs = strategies.gain_pairs(most) if grades else st.just(())
            return st.builds(
                GainMap, pairs, st.just(0.0) if persistence is None else st.floats(0, 1)
            )
    return st.none()


def values(measure: Measure, topics: Sequence[Topic], parameter: Any) -> list[Any]:
    """What the library gives for each topic: a list of numbers, or a text."""
    arguments = () if measure.parameter is None else (parameter,)
    result = measure.compute(judged(topics), *arguments)
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


def assert_close(found: list[Any], wanted: list[Any], topics: Sequence[Topic]) -> None:
    """Equal up to the rounding of a different order of the same sums."""
    assert len(found) == len(wanted)
    for row, right, topic in zip(found, wanted, topics, strict=True):
        if isinstance(right, str):
            assert row == right, topic
        else:
            assert row == pytest.approx(right, rel=1e-12, abs=1e-12), topic


# --- values ---


def test_every_measure_has_a_second_version() -> None:
    assert sorted(plain.MEASURES) == sorted(OVER_RANKINGS)


@pytest.mark.parametrize("name", OVER_RANKINGS)
@given(data=st.data())
def test_agrees_with_its_definition(name: str, data: st.DataObject) -> None:
    measure = REGISTRY[name]
    topics = data.draw(strategies.topics())
    parameter = data.draw(given_to(measure))
    arguments = () if measure.parameter is None else (parameter,)
    assert_close(values(measure, topics, parameter), expected(measure, topics, *arguments), topics)


@pytest.mark.parametrize("name", OVER_RANKINGS)
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("rounding", ["nearest", "upward"])
def test_agrees_over_many_topics_at_once(name: str, level: int, rounding: str) -> None:
    measure = REGISTRY[name]
    topics = strategies.random_topics(
        random.Random(level), 300, level=level, collection_size=5000, rounding=rounding
    )
    # the oracle has its own defaults
    assert_close(values(measure, topics, default_of(measure)), expected(measure, topics), topics)


@pytest.mark.parametrize("name", OVER_RANKINGS)
def test_does_not_depend_on_the_other_topics(name: str) -> None:
    measure = REGISTRY[name]
    topics = strategies.random_topics(random.Random(7), 60)
    together = values(measure, topics, default_of(measure))
    assert values(measure, topics[::-1], default_of(measure)) == together[::-1]
    alone = [values(measure, [topic], default_of(measure))[0] for topic in topics]
    assert alone == together


@pytest.mark.parametrize("name", OVER_RANKINGS)
def test_takes_empty_rankings_and_empty_judgments(name: str) -> None:
    measure = REGISTRY[name]
    topics = [Topic([], []), Topic([], [1, 0]), Topic([-1, -2], []), Topic([], [])]
    assert_close(values(measure, topics, default_of(measure)), expected(measure, topics), topics)


@pytest.mark.parametrize("name", OVER_RANKINGS)
def test_takes_no_topic_at_all(name: str) -> None:
    measure = REGISTRY[name]
    parameter = default_of(measure)
    arguments = () if measure.parameter is None else (parameter,)
    nothing = judged([Topic([], [])])
    none = replace(nothing, num_ret=nothing.num_ret[:0], level_start=nothing.level_start[:1])
    assert len(measure.compute(none, *arguments)) == 0


@pytest.mark.parametrize("name", [name for name in OVER_RANKINGS if REGISTRY[name].kind != "text"])
def test_stays_within_its_bounds(name: str) -> None:
    measure = REGISTRY[name]
    low, high = measure.bounds
    for level in (0, 1, 2):
        topics = strategies.random_topics(random.Random(level), 300, level=level)
        for row in values(measure, topics, default_of(measure)):
            assert all(low - 1e-12 <= printed(measure, v) <= high + 1e-12 for v in row)


# --- records ---

TABLE = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref",
    "Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel",
    "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P",
    "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "prefs_num_prefs_poss",
    "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg",
    "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
    "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "rbp", "rbp_resid", "unj",
]  # fmt: skip
"""trec_eval 10's table of measures."""

NEW_IN_10 = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}

MEMBERS = {
    "official": TABLE[:12],
    "set": [*TABLE[:5], "utility", *TABLE[30:35]],
    "all_trec": [*TABLE[:21], *TABLE[23:36], *TABLE[54:57]],
    "all_prefs": [*TABLE[:2], *TABLE[36:50]],
    "prefs": [*TABLE[:2], *TABLE[36:42]],
    "qrels_jg": [*TABLE[:2], *TABLE[50:53]],
}

COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", *TABLE[36:39]}
TEXTS = {"runid", "relstring"}
AVERAGES = {
    "runid": "run", "num_q": "topics", "relstring": "none", "gm_map": "geometric",
    "gm_bpref": "geometric",
    **dict.fromkeys(COUNTS - {"num_q"}, "sum"),
}  # fmt: skip

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
PARAMETERS = {
    **dict.fromkeys(
        ["P", "recall", "ndcg_cut", "map_cut", "relative_P", "P_avgjg"], Cutoffs(RANKS)
    ),
    "success": Cutoffs((1, 5, 10)),
    "unj": Cutoffs((5, 10, 20)),
    "iprec_at_recall": Fractions(TENTHS),
    "Rprec_mult": Fractions(FIFTHS),
    "Rprec_mult_avgjg": Fractions(FIFTHS),
    **dict.fromkeys(["G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"], Gains()),
    "rbp": Gains(persistence=0.9),
}
"""Those of which there is one way to write them; the others are tested by their values."""


def test_the_table_is_trec_evals() -> None:
    assert [m.name for m in in_order(list(REGISTRY.values())) if m.name in TABLE] == TABLE


@pytest.mark.parametrize("name", SETS)
def test_sets_are_trec_evals(name: str) -> None:
    assert [m.name for m in members(name)] == MEMBERS[name]


def test_version_9_lacks_what_is_new() -> None:
    wanted = [name for name in MEMBERS["all_trec"] if name not in NEW_IN_10]
    assert [m.name for m in members("all_trec", version=9)] == wanted


def test_positions_are_unique() -> None:
    assert len({m.position for m in REGISTRY.values()}) == len(REGISTRY)


@pytest.mark.parametrize("name", REGISTRY)
def test_record_is_complete(name: str) -> None:
    measure = REGISTRY[name]
    assert measure.name == name
    assert measure.title
    assert not measure.title.endswith(".")
    assert "\n" not in measure.title
    assert measure.help.strip()
    assert measure.formula.strip()
    assert measure.source.strip()
    assert set(measure.sets) <= set(SETS)
    assert measure.bounds[0] < measure.bounds[1]


@pytest.mark.parametrize("name", TABLE)
def test_record_says_what_trec_eval_does(name: str) -> None:
    measure = REGISTRY[name]
    assert set(measure.sets) == {s for s in SETS if name in MEMBERS[s]}
    assert measure.since == (10 if name in NEW_IN_10 else 9)
    assert measure.kind == ("count" if name in COUNTS else "text" if name in TEXTS else "real")
    assert measure.average == AVERAGES.get(name, "mean")
    assert measure.per_topic == (name not in {"runid", "num_q", "gm_map", "gm_bpref"})
    assert measure.needs == needs_of(name)
    if name in PARAMETERS:
        assert measure.parameter == PARAMETERS[name]


def needs_of(name: str) -> str:
    """The judgments that trec_eval computes a measure from."""
    if name in ("runid", "num_q"):
        return "any"
    if name.startswith("prefs_"):
        return "prefs"
    return "qrels_jg" if name.endswith("_avgjg") else "qrels"


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
    return GainMap(tuple((int(k), float(v)) for k, v in named.items()), persistence)


@pytest.mark.parametrize("name", [name for name in OVER_RANKINGS if REGISTRY[name].example])
def test_example_is_right(name: str) -> None:
    measure = REGISTRY[name]
    assert measure.example
    ranking, text, value = measure.example
    parameter = parameter_of(measure, text)
    topic = ranking_of(ranking)
    arguments = () if measure.parameter is None else (parameter,)
    for result in (expected(measure, [topic], *arguments), values(measure, [topic], parameter)):
        assert printed(measure, result[0][0]) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("name", [name for name in OVER_RANKINGS if REGISTRY[name].kind != "text"])
def test_has_an_example(name: str) -> None:
    assert REGISTRY[name].example
