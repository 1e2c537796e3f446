"""irev as a provider of ir_measures: that package's numbers, names and habits."""

from __future__ import annotations

import math
from typing import Any

import pytest

ir_measures = pytest.importorskip("ir_measures", reason="make test-bridges brings it")

from ir_measures import AP, RR, Metric, P, Qrel, ScoredDoc, alpha_nDCG, nDCG  # noqa: E402

from irev.compat.ir_measures import IrevMeasure, IrevProvider, prefer_irev, provider  # noqa: E402
from tests.measures.test_against_ir_measures import (  # noqa: E402
    ALL,
    DIVERSITY,
    PAIRS,
    batch,
    entries,
    measure_of,
    peer_values,
    with_subtopics,
)

QRELS = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
RUN = {
    "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
    "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
}
"""The judgments and the run of ir_measures' own tests."""

THEIRS = {
    "NumRet": (5, 4),
    "NumRet(rel=1)": (3, 1),
    "NumRel": (3, 3),
    "NumQ": (1, 1),
    "Judged": (1.0, 0.25),
    "Judged@3": (1.0, 1 / 3),
    "nDCG(dcg='exp-log2')@20": (0.6201, 0.35099),
    "nDCG(dcg='exp-log2')@2": (0.17377, 0.38685),
    "P@5": (0.6, 0.2),
}
"""What these tests ask for by topic, gdeval's numbers with its five places."""


def first_value(source: dict[str, Any]) -> dict[str, Any]:
    """The first few topics: the other programs take their time."""
    return dict(list(source.items())[:8])


def values_by_topic(actual: Any) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in actual}


@pytest.mark.parametrize("name", THEIRS)
def test_the_values_of_its_own_tests(name: str) -> None:
    values = values_by_topic(provider.iter_calc([measure_of(name)], QRELS, RUN))
    assert values == pytest.approx(dict(zip("01", THEIRS[name], strict=True)), abs=0.5e-5)


@pytest.mark.parametrize("place", range(len(ALL)), ids=lambda place: ALL[place].measures[0])
def test_every_measure_with_the_tie_order_of_its_provider(place: int) -> None:
    part = ALL[place]
    qrels: Any
    if part is DIVERSITY:
        subtopics, run = with_subtopics(3)
        qrels = entries(first_value(subtopics))
    else:
        qrels, run = batch(3, part.grades)
        qrels = first_value(qrels)
    run = first_value(run)
    measures = [measure_of(name) for name in part.measures]
    every = list(IrevProvider(ties=part.ties).iter_calc(measures, qrels, run))
    for measure in measures:
        expected, _ = peer_values(str(measure), qrels, run)
        values = values_by_topic(each for each in every if each.measure == measure)
        if part is PAIRS:  # it leaves topics out of the mean, which have a value here
            values = {topic: values[topic] for topic in expected}
        assert values == pytest.approx(expected, abs=0.51 * 10**-part.places), str(measure)


def test_options_that_no_other_provider_has() -> None:
    # gains 1 at ranks 1 and 2 of topic 1, p = 0.8: 0.2 (1 + 0.8)
    measure = measure_of("RBP(rel=1)@5")
    assert not ir_measures.cwl_eval.supports(measure)
    values = ir_measures.iter_calc([measure], {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}})
    assert values_by_topic(values) == pytest.approx({"1": 0.36})
    assert not provider.supports(measure_of("RBP"))


def test_sums_and_means() -> None:
    run = {"0": RUN["0"]}
    names = ("NumRel", "NumQ", "NumRet", "P@5", "AP")
    measures = [measure_of(name) for name in names]
    values = ir_measures.calc_aggregate(measures, QRELS, run)
    assert provider.calc_aggregate(measures, QRELS, run) == pytest.approx(values)


def test_nothing_judged_and_nothing_retrieved() -> None:
    assert set(provider.iter_calc([P @ 5], QRELS, [])) == {
        Metric("0", P @ 5, 0.0), Metric("1", P @ 5, 0.0),
    }  # fmt: skip
    assert list(provider.iter_calc([P @ 5], [], RUN)) == []
    assert math.isnan(provider.calc_aggregate([P @ 5], [], RUN)[P @ 5])
    other = {"9": {"D0": 1.0}}
    assert provider.calc_aggregate([P @ 5], QRELS, other) == {P @ 5: 0}


def test_every_form_of_input() -> None:
    pd = pytest.importorskip("pandas")
    qrels = [Qrel(q, d, grade) for q, docs in QRELS.items() for d, grade in docs.items()]
    run = [ScoredDoc(q, d, score) for q, docs in RUN.items() for d, score in docs.items()]
    values = provider.calc_aggregate([AP, nDCG @ 3], QRELS, RUN)
    assert provider.calc_aggregate([AP, nDCG @ 3], iter(qrels), iter(run)) == values
    frames = pd.DataFrame(qrels), pd.DataFrame(run)
    assert provider.calc_aggregate([AP, nDCG @ 3], *frames) == values


def test_an_evaluator_takes_many_runs() -> None:
    evaluator = provider.evaluator([AP], QRELS)
    first_value, second = evaluator.calc(RUN), evaluator.calc(RUN)
    assert (
        first_value.aggregated == second.aggregated == ir_measures.calc_aggregate([AP], QRELS, RUN)
    )
    assert len(first_value.per_query) == 2


def test_measures_of_irev() -> None:
    q = IrevMeasure("Q(beta=10)") @ 5
    assert (str(q), q, q()) == ("Q(beta=10)@5", IrevMeasure("Q(beta=10)@5"), q)
    names = ["bpref", "num_ret", "Q(beta=10)@5"]
    values = ir_measures.calc_aggregate([*map(IrevMeasure, names), AP], QRELS, RUN)
    assert values[IrevMeasure("num_ret")] == 9
    # topic 0 by the formula: ranks 2, 3, 4 have gains 1, 2, 1; the ideal gains are 2, 1, 1
    blended = [(1 + 10 * 1) / (2 + 10 * 3), (2 + 10 * 3) / (3 + 10 * 4), (3 + 10 * 4) / (4 + 40)]
    # topic 1: rank 2 has gain 2; the ideal gains are 2, 2, 1
    other = (1 + 10 * 2) / (2 + 10 * 4)
    assert values[q] == pytest.approx((sum(blended) / 3 + other / 3) / 2)
    assert values[AP] == ir_measures.calc_aggregate([AP], QRELS, RUN)[AP]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "no measure or set is called"),
        ("P", "has 9 columns"),
        ("gm_map", "no value for each topic"),
        ("relstring", "no value for each topic"),
        ("prefs_simp", "no value for each topic"),
    ],
)
def test_names_that_are_no_measure_by_topic(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IrevMeasure(name)


def test_options_stand_in_the_name() -> None:
    with pytest.raises(TypeError, match=r"IrevMeasure\('Q\(option=value\)'\)"):
        IrevMeasure("Q")(beta=10)


def test_irev_is_asked_last_unless_told_otherwise(pipeline: Any) -> None:
    assert ir_measures.providers.registry["irev"] is provider
    assert pipeline[-1] is provider
    prefer_irev()
    assert pipeline[1] is provider
    assert pipeline.count(provider) == 1
    mine = ir_measures.define_byquery(lambda qrels, run: 0.25, name="AP")
    values = ir_measures.calc_aggregate([mine], QRELS, RUN)
    assert list(values.values()) == [0.25]
    assert ir_measures.calc_aggregate([nDCG], QRELS, RUN)[nDCG] > 0


def test_options_of_the_evaluation() -> None:
    tied = {"0": {"D0": 1.0, "D1": 1.0}}
    qrels = {"0": {"D1": 1}}
    assert provider.calc_aggregate([RR], qrels, tied)[RR] == 1
    assert IrevProvider(ties="docid-asc").calc_aggregate([RR], qrels, tied)[RR] == 0.5


def test_the_columns_that_are_needed() -> None:
    assert "iteration" not in provider.qrel_inputs([AP])
    assert "iteration" in provider.qrel_inputs([AP, alpha_nDCG @ 5])
