"""Scores of measures where a run, or judgments, should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import irev
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "bm25.run"
TOPICS = ("1", "10", "100", "2")
# as pytrec_eval's `RelevanceEvaluator.evaluate` returns it
RESULTS = {topic: {"map": 0.25, "P_5": 0.4, "ndcg_cut_10": 0.5} for topic in TOPICS}
CURE = "it looks like saved scores by topic; compare, leaderboard and gate take them in place"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    return path


@pytest.mark.parametrize(
    "options", [(), ("-m", "map"), ("-c",), ("-J",), ("-M", "2"), ("-m", "set_P"), ("-l", "2")]
)
def test_results_of_pytrec_eval_are_no_run(results: Path, options: tuple[str, ...]) -> None:
    ran = command("eval", *options, QRELS, results)
    assert (ran.code, ran.out) == (2, b"")
    assert "the run has measures in place of documents (" in ran.err
    assert CURE in ran.err


@pytest.mark.parametrize(
    "call",
    [
        ("explain", "-t", "1", QRELS, "FILE"),
        ("pool", "--depth", "5", "FILE", RUN),
        ("study", "overlap", RUN, "FILE"),
        ("eval", QRELS, RUN, "FILE"),
        ("eval", "FILE", RUN),
    ],
    ids=lambda call: f"{call[0]} {call[1]}",
)
def test_other_commands(results: Path, call: tuple[str | Path, ...]) -> None:
    ran = command(*[results if word == "FILE" else word for word in call])
    assert ran.code == 2
    assert CURE in ran.err


def test_python(results: Path) -> None:
    for run in (RESULTS, results):
        with pytest.raises(irev.IrevError, match=r"^the run has measures in place of documents"):
            irev.evaluate(QRELS, run, "map")
    with pytest.raises(irev.IrevError, match=r"^the judgments have measures in place"):
        irev.evaluate({t: {"map": 1, "P_5": 0} for t in TOPICS}, RUN, "map")


def test_irev_json_is_told_as_such(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    command("-q", "-m", "map", "--format", "json", "--output", saved, QRELS, RUN)
    ran = command("eval", QRELS, saved)
    assert (ran.code, ran.out) == (2, b"")
    assert f"this is not a run: {CURE}" in ran.err
    ran = command("eval", saved, RUN)
    assert (ran.code, ran.out) == (2, b"")
    assert f"these are not judgments: {CURE}" in ran.err


@pytest.mark.parametrize("document", ["d1", "map", "recipe", "10"])
def test_documents_that_are_judged_or_no_measures_are_a_run(document: str) -> None:
    """A document may be called like a measure, where it is judged or one beside it is none."""
    judged = {topic: {"map": 1, "other": 0} for topic in TOPICS}
    run = {topic: {document: 2.0, "d2": 1.0} for topic in TOPICS}
    scores = irev.evaluate(judged, run, "P.1")
    assert scores.summary()["P_1"] == (1.0 if document == "map" else 0.0)
