"""What Spark's engine refuses, and what it says where something is missing: no Spark is needed."""

from __future__ import annotations

import sys
from typing import Any
from unittest import mock

import pytest

import irev
import irev.spark
from irev.spark import evaluation
from irev.spark.evaluation import SparkEvaluator
from tests import command
from tests.files import SAMPLE

QRELS = {"1": {"d": 1}}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ADM(N=10)", {}, r"ADM\(N=10\) needs the scores of all documents retrieved"),
        ("subAP(mode=drawn)", {}, "needs the ids of documents that are not judged"),
        ("map", {"ties": "input"}, "--ties input: rows in a cluster have no order"),
        ("map", {"duplicates": "first"}, "--duplicates first: rows in a cluster have no first"),
        ("map", {"duplicates": "last"}, "--duplicates last: rows in a cluster have no last"),
    ],
)
def test_what_judged_documents_do_not_tell(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(irev.UsageError, match=message):
        SparkEvaluator(QRELS, [name], irev.Options(**options))


def test_all_of_trec_eval_is_taken() -> None:
    evaluator = SparkEvaluator(QRELS, ["all_trec"])

    assert evaluator.columns == irev.Evaluator(QRELS, ["all_trec"]).columns


def test_pyspark_is_an_extra() -> None:
    with mock.patch.dict(sys.modules, {"pyspark.sql": None}):
        ran = command.irev("--engine", "spark", SAMPLE / "qrels.txt", "hdfs:///bm25.run")

    assert ran.code == 2
    hint = "pip install pyspark (or irev's extra: 'irev[spark]')"
    assert ran.err == f"irev: error: this needs pyspark: {hint}\n"


@pytest.mark.parametrize("home", ["", "/no/such/folder"])
def test_java_is_named(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home:
        monkeypatch.setenv("JAVA_HOME", home)

    with pytest.raises(irev.IrevError, match="Spark needs Java 17 or newer, and there is none"):
        evaluation.new_session(object())


@pytest.mark.parametrize("option", [("--sample", "10%"), ("--pool", "depth:10")])
def test_what_looks_at_whole_runs(option: tuple[str, str]) -> None:
    ran = command.irev("--engine", "spark", *option, SAMPLE / "qrels.txt", SAMPLE / "bm25.run")

    assert ran.code == 2
    assert f"--engine spark cannot be combined with {option[0]}" in ran.err


def test_what_is_doubtful_of_a_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both functions warn as those without Spark do; where the run comes from is made up."""
    qrels, run = {"1": {"d": 1}, "2": {"d": 1}}, {"1": {"d": 1.0}}
    local = irev.Evaluator(qrels, ["map"]).evaluate_silently(run)
    assert local.notices
    monkeypatch.setattr(SparkEvaluator, "frame_outcomes", lambda *_: iter([("a", local)]))

    for call in (irev.spark.evaluate, irev.spark.evaluate_many):
        with pytest.warns(irev.IrevWarning, match="1 judged topic is missing from the run"):
            call(object(), qrels, ["map"])
