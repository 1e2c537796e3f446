"""irev's measures in PyTerrier's experiments, which ask ir_measures for all numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.files import ROOT

pt: Any = pytest.importorskip("pyterrier", reason="make test-bridges brings it")

import ir_measures  # noqa: E402
import pandas as pd  # noqa: E402

import irev  # noqa: E402
from irev.compat.ir_measures import IrevMeasure, provider  # noqa: E402

TOPICS = pd.DataFrame({"qid": ["0", "1"], "query": ["a", "b"]})
QRELS = pd.DataFrame(
    [("0", "D1", 1), ("0", "D3", 2), ("1", "D3", 2), ("1", "D5", 2)],
    columns=["qid", "docno", "label"],
)
FIRST = pd.DataFrame(
    [("0", "D0", 0.8, 0), ("0", "D1", 0.4, 1), ("0", "D3", 0.3, 2), ("1", "D3", 0.7, 0)],
    columns=["qid", "docno", "score", "rank"],
)
SECOND = FIRST.assign(score=-FIRST["score"], rank=[2, 1, 0, 0])
NAMES = ["nDCG@10", "Q(beta=10)@10", "bpref", "num_ret"]


def experiment(measures: list[Any], **options: Any) -> Any:
    runs = [pt.Transformer.from_df(run) for run in (FIRST, SECOND)]
    return pt.Experiment(runs, TOPICS, QRELS, measures, names=["first", "second"], **options)


def test_an_experiment_has_the_values_of_irev() -> None:
    table = experiment([ir_measures.nDCG @ 10, *map(IrevMeasure, NAMES[1:])])
    for row, run in ((0, FIRST), (1, SECOND)):
        scores = irev.evaluate(QRELS, run[["qid", "docno", "score"]], NAMES)
        for name in NAMES:
            assert table[name][row] == pytest.approx(scores[name]), name


def test_the_example_of_the_guide() -> None:
    guide = (ROOT / "docs" / "bridges.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(import pyterrier.*?)```", guide, re.S)
    runs = {"bm25": pt.Transformer.from_df(FIRST), "dense": pt.Transformer.from_df(SECOND)}
    names: dict[str, Any] = {**runs, "topics": TOPICS, "qrels": QRELS}
    exec(block.replace("pt.Experiment(", "table = pt.Experiment("), names)  # its own text
    scores = irev.evaluate(QRELS, SECOND[["qid", "docno", "score"]], "bpref")
    assert names["table"]["bpref"][1] == pytest.approx(scores["bpref"])


def test_by_topic_and_against_a_baseline() -> None:
    q = IrevMeasure("Q") @ 10
    table = experiment([q], perquery=True)
    scores = irev.evaluate(QRELS, FIRST[["qid", "docno", "score"]], "Q@10").by_topic("Q@10")
    of_first = table[table["name"] == "first"]
    assert dict(zip(of_first["qid"], of_first["value"], strict=True)) == pytest.approx(scores)
    tested = experiment([q], baseline=0)
    assert {"Q@10 +", "Q@10 -", "Q@10 p-value"} <= set(tested.columns)
    assert tested["Q@10 +"][1] == 1


def test_the_provider_computes_a_whole_experiment(pipeline: list[Any]) -> None:
    usual = experiment([ir_measures.AP, ir_measures.RR])
    pipeline[:] = [provider]
    actual = experiment([ir_measures.AP, ir_measures.RR])
    assert actual[usual.columns].equals(usual), "the order of its columns is not set"
