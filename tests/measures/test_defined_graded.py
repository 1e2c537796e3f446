"""The graded measures with named options: their definitions, published values, identities."""

from __future__ import annotations

import csv
import math
import random
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import evaluate
from irev.errors import UsageError
from irev.measures.registry import NamedOptions
from tests import strategies
from tests.each import for_each
from tests.files import CASES
from tests.measures.test_every_measure import judged, ranking_of
from tests.plain import POOLED, UNKNOWN, Topic
from tests.plain_defined_graded import MEASURES
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

UNBOUNDED = ("CG", "DCG", "IDCG", "genAP", "WRR")
WITHOUT_CUTOFF = (
    "O", "PMeasure", "PPlus",
    "bpref_R", "bpref_N", "bpref_relative", "rpref_N", "rpref_relative", "rpref_relative2",
)  # fmt: skip
WITH_CUTOFF = ("AvgNDCG", "gP")
NORMALISED = (
    "nCG", "MSR", "nDCG", "AvgNDCG", "gR", "Q", "WAP", "genAP", "O", "PMeasure", "PPlus", "NCU",
    "GAP", "nERR", "nEBR", "niRBU", "nRBP",
)  # fmt: skip
"""Those that are 1 for the ideal list."""

GAINS = st.sampled_from(
    ["linear", "exp", ((1, 5.0), (2, 7.0)), ((1, 0.0), (2, 1.0), (3, 3.0)), ((2, 0.5), (12, 0.25))]
)
BETAS = tuple(
    (grade, 1 + 9 / (grade + 1)) for grade in sorted({*strategies.FRACTIONAL_GRADES, *range(16)})
)
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "gain": GAINS,
    "disc": st.sampled_from(["log2", "jk"]),
    "b": st.sampled_from([1.5, 2.0, math.e, 10.0, math.inf]),
    "beta": st.sampled_from([0.0, 0.1, 1.0, 10.0, 1e300, math.inf]),
    "denom": st.sampled_from(["R", "min"]),
    "util": st.sampled_from(["P", "BR", "IE"]),
    "gamma": st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    "rbu": st.sampled_from([0.0, 0.5, 0.99, 1.0]),
    "line": st.sampled_from(["rising", "even"]),
    "stops": st.sampled_from([None, ((1, 1.0), (2, 4.0)), ((1, 0.0), (2, 0.0), (3, 1.0))]),
    "betas": st.sampled_from([None, BETAS]),
    "p": st.sampled_from([0.0, 0.5, 0.8, 1.0]),
    "max": st.sampled_from([12.0, 15.0]),
}
"""Values of every option."""


@cache
def options_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Values of all the options of a measure."""
    parameter = NAMED[name].parameter
    assert isinstance(parameter, NamedOptions)
    stops = ["gu", "rb"] if name == "NCU" else ["exp", "ratio"]
    norms = ["none", "ideal"] if name == "WRR" else ["ideal", "R"]
    known = {**OPTIONS, "stop": st.sampled_from(stops), "norm": st.sampled_from(norms)}
    if name in ("RBP", "nRBP"):
        named = ["binary", "raw"] if name == "RBP" else ["binary"]
        known["gain"] = GAINS | st.sampled_from(named)
    return st.fixed_dictionaries({option: known[option] for option in parameter.options})


@cache
def cutoffs_of(name: str) -> st.SearchStrategy[tuple[int | None, ...]]:
    """Cutoffs that a measure takes."""
    if name in WITHOUT_CUTOFF:
        return st.just((None,))
    rank = st.integers(1, 40)
    cut = rank if name in WITH_CUTOFF else rank | st.none() | st.just(2**40)
    return st.lists(cut, min_size=1, max_size=3, unique=True).map(tuple)


def defaults(name: str, highest: float = 12.0) -> dict[str, Any]:
    """The defaults of the options."""
    parameter = NAMED[name].parameter
    assert isinstance(parameter, NamedOptions)
    return {
        option: highest if about.kind == "scale" else about.default
        for option, about in parameter.options.items()
    }


def usual_cutoff(name: str) -> tuple[int | None]:
    """No cutoff, where that may be."""
    return (20,) if name in WITH_CUTOFF else (None,)


def values(
    name: str, topics: Sequence[Topic], cutoffs: tuple[int | None, ...], **options: Any
) -> list[list[float]]:
    """What the library gives for each topic: a value for each cutoff."""
    given = {**defaults(name), **options}
    found = NAMED[name].compute(judged(topics), cutoffs, **given)
    assert found.dtype == np.float64
    assert found.shape == (len(topics), len(cutoffs))
    return found.tolist()  # type: ignore[no-any-return]


def assert_same(
    name: str, topics: Sequence[Topic], cutoffs: tuple[int | None, ...], options: dict[str, Any]
) -> None:
    """The library agrees with the definition."""
    found = values(name, topics, cutoffs, **options)
    expected = [
        [MEASURES[name](topic, cutoff, **options) for cutoff in cutoffs] for topic in topics
    ]
    strategies.assert_close(found, expected, topics, rel=1e-9)


def asked(text: str) -> tuple[str, tuple[int | None], dict[str, Any]]:
    """The measure, the cutoff and the options of a name such as `Q(beta=10)@5`."""
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", text)
    assert match
    name, given, cutoff = match.groups()
    options = {}
    parameter = NAMED[name].parameter
    assert isinstance(parameter, NamedOptions)
    for part in filter(None, (given or "").split(",")):
        option, value = part.split("=")
        kind = parameter.options[option].kind
        options[option] = float(value) if kind in ("real", "scale") else value
        if kind == "map":
            options[option] = tuple(
                (int(g), float(n)) for g, n in re.findall(r"(\d+):(\d+)", value)
            )
        if option == "b":
            options["disc"] = "jk"
    return name, (int(cutoff) if cutoff else None,), options


# --- the definitions ---


@pytest.mark.parametrize("name", MEASURES)
@given(data=st.data())
def test_agrees_with_its_definition(name: str, data: st.DataObject) -> None:
    topics = data.draw(strategies.topics())
    assert_same(name, topics, data.draw(cutoffs_of(name)), data.draw(options_of(name)))


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_agrees_over_many_topics_at_once(name: str, level: int) -> None:
    topics = strategies.seeded_topics(level, 100, level=level)
    assert_same(name, topics, usual_cutoff(name), defaults(name))


@for_each("name", MEASURES)
def test_takes_empty_rankings_and_empty_judgments(name: str) -> None:
    topics = [Topic([], []), Topic([], [1, 0]), Topic([UNKNOWN, POOLED], []), Topic([0], [0])]
    for some in (topics, topics[:1]):
        assert_same(name, some, usual_cutoff(name), defaults(name))
    nothing = judged(topics[:1])
    none = replace(nothing, num_ret=nothing.num_ret[:0], level_start=nothing.level_start[:1])
    assert NAMED[name].compute(none, usual_cutoff(name), **defaults(name)).shape == (0, 1)


@for_each("name", MEASURES)
def test_does_not_depend_on_the_other_topics(name: str) -> None:
    topics = strategies.seeded_topics(7, 60)
    together = values(name, topics, usual_cutoff(name))
    assert values(name, topics[::-1], usual_cutoff(name)) == together[::-1]
    assert [values(name, [topic], usual_cutoff(name))[0] for topic in topics] == together


@for_each("name", MEASURES)
def test_stays_within_its_bounds(name: str) -> None:
    low, high = NAMED[name].bounds
    for level in (0, 1, 2):
        topics = strategies.seeded_topics(level, 200, level=level)
        for value, *_ in values(name, topics, usual_cutoff(name)):
            assert low - 1e-12 <= value <= high + 1e-12, f"{value} is not in bounds={low, high}"


# --- the records ---


@for_each("name", MEASURES)
def test_record(name: str) -> None:
    record = NAMED[name]
    assert record.title
    assert record.help.strip()
    assert record.formula
    assert record.source
    assert record.checked in ("paper", "program", "paper and program") or name == "WRR"
    assert isinstance(record.parameter, NamedOptions)
    needed = "required" if name in WITH_CUTOFF else "none" if name in WITHOUT_CUTOFF else "optional"
    assert record.parameter.cutoff == needed
    assert record.bounds == ((0.0, math.inf) if name in UNBOUNDED else (0.0, 1.0))
    assert (record.higher_is_better is None) == (name in ("IDCG", "RBPresid"))
    assert record.caution or name not in ("CG", "DCG")


@for_each("name", MEASURES)
def test_example(name: str) -> None:
    example = NAMED[name].example
    assert example
    ranking, text, expected = example
    _, cutoff, options = asked(name + text)
    topic = ranking_of(ranking)
    assert MEASURES[name](topic, cutoff[0], **options) == pytest.approx(expected, abs=1e-12)
    assert values(name, [topic], cutoff, **options)[0][0] == pytest.approx(expected, abs=1e-12)


# --- published values ---


def published() -> list[dict[str, str]]:
    """Values in papers and on slides, each with a ranking, or a quotient of two."""
    with (CASES / "published_graded.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@for_each("row", published(), ids=lambda row: row["ref"])
def test_published_value(row: dict[str, str]) -> None:
    name, cutoff, options = asked(row["name"])
    topics = [ranking_of(text) for text in row["ranking"].split(" / ")]
    found = [row[0] for row in values(name, topics, cutoff, **options)]
    value = found[0] / found[1] if len(found) == 2 else found[0]
    assert value == pytest.approx(float(row["value"]), abs=float(row["within"]))
    if row["printed"]:
        assert value == pytest.approx(float(row["printed"]), abs=float(row["printed_within"]))


def test_kishidas_136_rankings() -> None:
    with (CASES / "kishida136.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    topics = []
    for row in rows:
        grades = [float(digit) for digit in row["pattern"]]
        topics.append(strategies.topic_of(grades, [g for g in (1, 2, 3) if g not in grades]))
    assert len(topics) == 136
    for column in list(rows[0])[1:]:
        name, cutoff, options = asked(column)
        if name == "AP":
            name, options = "Q", {"beta": 0.0}
        found = [row[0] for row in values(name, topics, cutoff, **options)]
        assert found == pytest.approx([float(row[column]) for row in rows], abs=1e-9), column


# --- identities ---


FIXED = ["3 2 0 0 0 | 1", "0 0 1 2 3", "0 3 2 1 0", "3 0 0 0 0 | 2 1", "0 0 0 0 3 | 2 1"]


def test_q_without_gains_is_average_precision() -> None:
    topics = [ranking_of(text) for text in FIXED] + strategies.seeded_topics(1, 200)
    for cutoff in ((None,), (5,)):
        found = values("Q", topics, cutoff, beta=0.0)
        precision = NAMED["AP"].compute(judged(topics), cutoff, denom="R")
        assert np.array_equal(found, precision)


def test_q_of_gains_alone_is_weighted_average_precision() -> None:
    topics = [ranking_of(text) for text in FIXED] + strategies.seeded_topics(2, 200)
    weighted = np.array(values("WAP", topics, (None,)))
    assert np.array_equal(values("Q", topics, (None,), beta=math.inf), weighted)
    assert np.allclose(values("Q", topics, (None,), beta=1e9), weighted, rtol=0, atol=2e-7)


def times(factor: float) -> tuple[tuple[int, float], ...]:
    """Gains so many times the grades."""
    return tuple((grade, factor * grade) for grade in (1, 2, 3, 5, 12))


def whole_topics(seed: int) -> list[Topic]:
    """Topics without fractional grades."""
    topics = strategies.seeded_topics(seed, 300)
    return [ranking_of(text) for text in FIXED] + [
        topic for topic in topics if all(grade == int(grade) for grade in topic.grades)
    ]


@pytest.mark.parametrize("factor", [2.0, 10.0])
def test_higher_gains_are_a_higher_beta(factor: float) -> None:
    topics = whole_topics(3)
    found = values("Q", topics, (None,), beta=1.0, gain=times(factor))
    assert np.allclose(found, values("Q", topics, (None,), beta=factor), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["nCG", "MSR", "nDCG", "AvgNDCG", "gR", "gP", "WAP", "genAP", "nRBP", "RBP"]
)
def test_the_unit_of_the_gains_does_not_matter(name: str) -> None:
    topics = whole_topics(4)
    found = values(name, topics, usual_cutoff(name), gain=times(10.0))
    plain = values(name, topics, usual_cutoff(name))
    assert np.allclose(found, plain, rtol=0, atol=1e-12)


@for_each("name", NORMALISED)
def test_the_ideal_list_has_1(name: str) -> None:
    rng = random.Random(5)
    rankings = [
        sorted(rng.choices([0.0, 1.0, 2.0, 3.0], k=rng.randrange(1, 30)), reverse=True)
        for _ in range(100)
    ]
    topics = [Topic(grades, grades) for grades in rankings if max(grades) > 0]
    cutoffs: tuple[int | None, ...] = usual_cutoff(name)
    if name not in WITHOUT_CUTOFF and name not in ("gR", "Q", "WAP", "genAP", "NCU", "GAP"):
        cutoffs = (1, 2, 5, 10)
    assert np.allclose(values(name, topics, cutoffs), 1.0, rtol=0, atol=1e-12)


def test_equal_gains_give_average_precision() -> None:
    topics = [
        Topic([float(code >= 1) if code >= 0 else code for code in topic.codes],
              [float(grade >= 1) for grade in topic.grades])
        for topic in strategies.seeded_topics(6, 200)
    ]  # fmt: skip
    precision = values("Q", topics, (None,), beta=0.0)
    assert np.allclose(values("genAP", topics, (None,)), precision, rtol=0, atol=1e-12)
    assert np.allclose(values("GAP", topics, (None,)), precision, rtol=0, atol=1e-12)


def test_a_lone_relevant_document_gives_its_reciprocal_rank() -> None:
    topics = [Topic([0.0] * (rank - 1) + [3.0], [3.0]) for rank in range(1, 20)]
    found = [row[0] for row in values("genAP", topics, (None,))]
    assert found == pytest.approx([1 / rank for rank in range(1, 20)], abs=1e-15)


def test_a_base_beyond_the_cutoff_leaves_gains_undiscounted() -> None:
    topics = whole_topics(7)
    found = values("nDCG", topics, (5, 10), disc="jk", b=10.0)
    assert np.array_equal(found, values("nCG", topics, (5, 10)))


def test_exponential_gains_make_both_forms_of_err_equal() -> None:
    topics = whole_topics(8)
    exponential = values("ERR", topics, (None, 5))
    ratio = values("ERR", topics, (None, 5), stop="ratio", gain="exp")
    assert np.allclose(exponential, ratio, rtol=0, atol=1e-12)


def test_utility_of_all_who_stop_anywhere_is_average_precision_or_q() -> None:
    topics = whole_topics(9)
    precision = values("NCU", topics, (None, 5), stop="rb", util="P", gamma=1.0)
    assert np.allclose(precision, values("Q", topics, (None, 5), beta=0.0), rtol=0, atol=1e-12)
    blended = values("NCU", topics, (None, 5), stop="rb", util="BR", gamma=1.0)
    assert np.allclose(blended, values("Q", topics, (None, 5)), rtol=0, atol=1e-12)


def test_o_without_gains_is_the_reciprocal_rank() -> None:
    topics = whole_topics(10)
    found = [row[0] for row in values("O", topics, (None,), beta=0.0)]
    assert found == [1 / t.relevant_ranks[0] if t.relevant_ranks else 0.0 for t in topics]


def test_the_residual_closes_the_gap_to_a_ranking_of_known_documents() -> None:
    topics = [Topic([1.0, UNKNOWN, 0.0, POOLED], [1.0, 0.0])]
    best = [Topic([1.0, 1.0, 0.0, *[1.0] * 400], [1.0] * 402 + [0.0])]
    low = values("RBP", topics, (None,), max=1.0)[0][0]
    high = values("RBP", best, (None,), max=1.0)[0][0]
    assert low + values("RBPresid", topics, (None,))[0][0] == pytest.approx(high, abs=1e-12)


# --- levels, scales, condensed lists ---


def test_a_level_for_all_leaves_gains_alone_and_one_in_the_name_does_not() -> None:
    topic = replace(ranking_of("1 2 0 3 | 2"), level=2)
    shared = judged([topic])
    named = judged([replace(topic, level=1)]).at_level(2, condensed=False)
    options = defaults("nDCG")
    wide = NAMED["nDCG"].compute(shared, (None,), **options)[0, 0]
    narrow = NAMED["nDCG"].compute(named, (None,), **options)[0, 0]
    log3, log4, log5 = math.log2(3), 2.0, math.log2(5)
    assert wide == pytest.approx((1 + 2 / log3 + 3 / log5) / (3 + 2 / log3 + 2 / log4 + 1 / log5))
    assert narrow == pytest.approx((2 / log3 + 3 / log5) / (3 + 2 / log3 + 2 / log4))
    for rankings in (shared, named):
        found = NAMED["Q"].compute(rankings, (None,), **defaults("Q"))[0, 0]
        # relevant at ranks 2 and 4, of three with the gains 3, 2, 2
        assert found == pytest.approx(((1 + 2) / (2 + 5) + (2 + 5) / (4 + 7)) / 3)


def test_a_level_in_the_name_that_changes_nothing_costs_nothing() -> None:
    rankings = judged([ranking_of("1 0 2")])
    assert rankings.at_level(1, condensed=False) is rankings


def test_unjudged_documents_can_be_given_a_gain() -> None:
    topic = ranking_of("2 - . 1")
    found = values("CG", [topic], (None, 2, 3), gain=((-2, 0.5), (-1, 0.25)))
    assert found == [[3.75, 2.25, 2.75]]


def test_condensed_lists_close_up() -> None:
    rankings = judged([ranking_of("0 1 - 2 . 1 | 2")])
    closed = judged([ranking_of("0 1 2 1 | 2")])
    for name in MEASURES:
        found = NAMED[name].compute(
            rankings.at_level(None, condensed=True), usual_cutoff(name), **defaults(name)
        )
        expected = NAMED[name].compute(closed, usual_cutoff(name), **defaults(name))
        assert np.array_equal(found, expected), name


@pytest.mark.parametrize("name", ["ERR", "EBR", "iRBU", "gP", "RBP", "rpref_N"])
def test_a_grade_above_the_scale_is_an_error(name: str) -> None:
    with pytest.raises(UsageError, match="grade 3 is above the highest grade of the scale, 2"):
        values(name, [ranking_of("1 3")], usual_cutoff(name), max=2.0)


def test_grades_of_their_own_give_topics_their_own_gains() -> None:
    """Grades 1 and 2 gain 1 and 2 in topic a, 1 and 5 in b, where they are written 11 and 12.

    Both topics rank the lower grade first. In a the blended ratios are (1 + 1)/(1 + 2) and 5/5, in
    b (1 + 1)/(1 + 5) and 8/8; average precision does not see it.
    """
    qrels = {"a": {"x": 1, "y": 2, "z": 0}, "b": {"x": 11, "y": 12, "z": 0}}
    run = {topic: {"x": 2.0, "y": 1.0} for topic in qrels}
    gains = {1: 1, 2: 2, 11: 1, 12: 5}
    found = evaluate(qrels, run, ["Q(beta=1)", "AP"], defaults=[("gain", gains)]).per_topic()
    assert [list(row.values()) for row in found.values()] == [
        pytest.approx([(2 / 3 + 1) / 2, 1.0]), pytest.approx([(1 / 3 + 1) / 2, 1.0]),
    ]  # fmt: skip


def test_a_gain_that_no_number_holds_is_an_error() -> None:
    with pytest.raises(UsageError, match="too large"):
        values("nDCG", [ranking_of("1 2000")], (None,), gain="exp")
