"""What BEIR and MTEB hold and write, by samples made by hand in their forms.

BEIR's results are {topic: {document: score}}; MTEB writes them below the subset and the split,
beside the model's name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import irev
from tests.command import irev as command
from tests.files import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PREDICTIONS = ROOT / "tests" / "cases" / "mteb_predictions.json"
QRELS = {"q1": {"d2": 1, "d9": 1}, "q2": {"d4": 2}}
MAP = (1 / 2 / 2 + 1) / 2
"""AP of q1: the relevant d2 at rank 2, d9 not retrieved; of q2: d4 at rank 1."""


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    """BEIR's judgments: tabs, and a header."""
    path = tmp_path / "test.tsv"
    rows = [f"{q}\t{d}\t{grade}\n" for q, docs in QRELS.items() for d, grade in docs.items()]
    path.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return path


def given() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PREDICTIONS.read_text(encoding="utf-8"))
    return found


def test_files_of_predictions(qrels: Path, tmp_path: Path) -> None:
    inner = tmp_path / "results.json"
    inner.write_text(json.dumps(given()["default"]["test"]))
    one_line = tmp_path / "one-line.json"
    one_line.write_text(json.dumps(given()))
    for run in (PREDICTIONS, inner, one_line):
        assert irev.evaluate(qrels, run, "map")["map"] == MAP
        ran = command("-m", "map", str(qrels), str(run))
        assert ran.out.split() == [b"map", b"all", b"0.6250"]


@pytest.mark.parametrize("keys", [(), ("default",), ("default", "test")])
def test_dictionaries(keys: tuple[str, ...]) -> None:
    """Whole, and from any key inwards; what one key leads to may be a run by its name."""
    run = given()
    for key in keys:
        run = run[key]
    found = irev.evaluate(QRELS, run, "map")
    if keys == ("default",):
        assert list(found) == ["test"]
        found = found["test"]
    assert found["map"] == MAP


def test_several_in_one_file_are_named_by_their_keys(qrels: Path, tmp_path: Path) -> None:
    both = given()
    both["default"]["dev"] = {"q1": {"d1": 0.5}}
    both["eng"] = {"test": {"q2": {"d4": 1}}}
    path = tmp_path / "both.json"
    path.write_text(json.dumps(both))
    ran = command("-m", "map", str(qrels), str(path))
    assert (ran.code, ran.out) == (2, b"")
    assert "3 mappings" in ran.err
    assert "default.test, default.dev, eng.test" in ran.err
    assert """jq '.["default"]["test"]'""" in ran.err


@pytest.mark.parametrize(
    "wrong", ['{"mteb_model_meta": {"model_name": "a"}}', '{"mteb_model_meta": {}, "default": 3}']
)
def test_a_file_without_predictions(qrels: Path, tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "none.json"
    path.write_text(wrong)
    ran = command("-m", "map", str(qrels), str(path))
    assert ran.code == 2
    assert "a mapping must be {topic: {document: number}}" in ran.err
