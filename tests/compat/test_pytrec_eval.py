"""irev.compat.pytrec_eval without the package: values stored from it, and its errors by type."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import irev
from irev.compat import pytrec_eval
from tests.each import for_each
from tests.files import ROOT, SAMPLE

STORED = ROOT / "tests" / "cases" / "pytrec_eval.json"
"""Judgments, a run and all values of pytrec_eval-terrier 0.5.11 for them."""

QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}, "q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}}


def test_stored_values() -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    scores = pytrec_eval.RelevanceEvaluator(stored["qrel"], stored["measures"]).evaluate(
        stored["run"]
    )
    assert scores == stored["values"]
    assert len(scores["301"]) == 88


def test_the_example_of_its_documentation() -> None:
    """The values that its README prints."""
    scores = pytrec_eval.RelevanceEvaluator(QREL, {"map", "ndcg"}).evaluate(RUN)
    assert list(scores) == ["q2", "q1"], "the topics are in the order of the run"
    assert scores == {
        "q1": {"ndcg": 0.5, "map": 0.3333333333333333},
        "q2": {"ndcg": 0.6934264036172708, "map": 0.5833333333333333},
    }


@pytest.mark.parametrize(
    ("measures", "keys"),
    [
        ({"map_cut_10"}, ["map_cut_10"]),
        (["ndcg_cut.10,20"], ["ndcg_cut_10", "ndcg_cut_20"]),
        (("ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4"), [f"ndcg_cut_{k}" for k in (1, 4, 20)]),
        (["P_5", "P.5", "recall_2"], ["P_5", "recall_2"]),
        (["set_F_0.5"], ["set_F"]),
        (["iprec_at_recall_0.5"], ["iprec_at_recall_0.50"]),
        ([], []),
    ],
)
def test_keys(measures: Any, keys: list[str]) -> None:
    scores = pytrec_eval.RelevanceEvaluator(QREL, measures).evaluate(RUN)
    assert [list(values) for values in scores.values()] == [keys, keys]


def test_a_parameter_of_a_measure_without_any_is_left_out_and_said() -> None:
    with pytest.warns(irev.IrevWarning, match="'map_10' means map"):
        scores = pytrec_eval.RelevanceEvaluator(QREL, ["map_10"]).evaluate(RUN)
    assert scores["q1"] == {"map": 1 / 3}


def test_topics() -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(QREL, ["P_1", "num_rel", "num_q", "gm_map"])
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"q9": {"d1": 1.0}}) == {}
    smallest = math.log(0.00001)
    empty = {"num_q": 1.0, "num_rel": 2.0, "gm_map": smallest, "P_1": 0.0}
    assert evaluator.evaluate({"q2": {}}) == {"q2": empty}
    assert pytrec_eval.RelevanceEvaluator({"q1": {}}, ["map"]).evaluate(RUN) == {}


def test_the_level_and_judged_documents_alone() -> None:
    qrel = {"q": {"a": 2, "b": 1}}
    run = {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}
    values = pytrec_eval.RelevanceEvaluator(qrel, ["recip_rank"], 2, True).evaluate(run)
    assert values == {"q": {"recip_rank": 0.5}}


@for_each(
    ("qrel", "measures", "options", "error", "message"),
    [
        (QREL, ["foo"], {}, ValueError, "unsupported measure foo"),
        (QREL, ["ndcg_10"], {}, ValueError, "not a pair"),
        (QREL, ["P_0"], {}, ValueError, "at least 1"),
        (QREL, ["ndcg_cut_10x"], {}, ValueError, "unsupported"),
        (QREL, ["qrels_jg"], {}, ValueError, "unsupported"),
        (QREL, [3], {}, TypeError, "string"),
        (QREL, None, {}, TypeError, "not iterable"),
        ({"q": {"a": 1.0}}, ["map"], {}, TypeError, "whole numbers"),
        ({1: {"a": 1}}, ["map"], {}, TypeError, "strings"),
        ({"q": {b"a": 1}}, ["map"], {}, TypeError, "strings"),
        ({"q": ["a"]}, ["map"], {}, TypeError, "dictionary"),
        (QREL, ["map"], {"relevance_level": 0}, TypeError, "at least 1"),
        (QREL, ["map"], {"relevance_level": 1.5}, TypeError, "whole"),
    ],
)
def test_judgments_and_measures_that_are_refused(
    qrel: Any, measures: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pytrec_eval.RelevanceEvaluator(qrel, measures, **options)


@pytest.mark.parametrize(
    ("run", "error"),
    [
        ({"q1": {"a": "1"}}, TypeError),
        ({"q1": {"a": None}}, TypeError),
        ({"q1": {2: 1.0}}, TypeError),
        ({1: {"a": 1.0}}, TypeError),
        ({"q1": ["a"]}, TypeError),
        ([("q1", {})], TypeError),
        ({"q1": {"a": math.nan}}, ValueError),
    ],
)
def test_runs_that_are_refused(run: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        pytrec_eval.RelevanceEvaluator(QREL, ["map"]).evaluate(run)


def test_files() -> None:
    with open(SAMPLE / "qrels.txt", encoding="utf-8") as file:
        qrel = pytrec_eval.parse_qrel(file)
    with open(SAMPLE / "bm25.run", encoding="utf-8") as file:
        run = pytrec_eval.parse_run(file)
    scores = pytrec_eval.RelevanceEvaluator(qrel, {"map"}).evaluate(run)
    mean = pytrec_eval.compute_aggregated_measure("map", [each["map"] for each in scores.values()])
    assert round(mean, 4) == 0.3501, "what the index of the documentation shows"


@pytest.mark.parametrize(
    ("parse", "lines", "error"),
    [
        (pytrec_eval.parse_run, ["1 Q0 a 1 2.5"], ValueError),
        (pytrec_eval.parse_run, ["1 Q0 a 1 high t"], ValueError),
        (pytrec_eval.parse_run, ["1 Q0 a 1 2 t", "1 Q0 a 2 1 t"], AssertionError),
        (pytrec_eval.parse_qrel, ["1 0 a"], ValueError),
        (pytrec_eval.parse_qrel, ["1 0 a 1.5"], ValueError),
        (pytrec_eval.parse_qrel, ["1 0 a 1", "1 0 a 0"], AssertionError),
    ],
)
def test_lines_that_are_refused(parse: Any, lines: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        parse(lines)


def test_summaries() -> None:
    summary = pytrec_eval.compute_aggregated_measure
    assert summary("num_ret", [1.0, 2.0]) == 3
    assert summary("map", [1.0, 2.0]) == 1.5
    assert summary("gm_map", [math.log(2), math.log(8)]) == pytest.approx(4)
    assert summary("num_q", []) == 0
    assert math.isnan(summary("map", []))
