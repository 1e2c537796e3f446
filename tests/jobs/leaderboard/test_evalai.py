"""The example for EvalAI: its script scores a run, and refuses a broken one without quoting it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.files import ROOT, SAMPLE

CHALLENGE = ROOT / "examples" / "evalai"
CONFIG = (CHALLENGE / "challenge_config.yaml").read_text(encoding="utf-8")
QRELS = CHALLENGE / "annotations" / "qrels.txt"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """`evaluation_script.main`, as EvalAI imports it."""
    path = CHALLENGE / "evaluation_script" / "main.py"
    spec = importlib.util.spec_from_file_location("evaluation_script_main", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thorough
def test_a_run_is_scored(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    source = script.evaluate(str(QRELS), str(SAMPLE / "rm3.run"), "test", submission_metadata={})
    # as trec_eval -c prints them
    scores = {"nDCG@10": pytest.approx(0.5834, abs=5e-5), "MAP": pytest.approx(0.4385, abs=5e-5)}
    assert source == {
        "result": [{"test_split": scores}],
        "submission_result": {"test_split": scores},
    }


@pytest.mark.thorough
def test_a_broken_run_is_refused(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run = tmp_path / "mine.run"
    run.write_text("1 Q0 secret 1 high t\n")
    with pytest.raises(ValueError, match=r"mine\.run:1: the score is not a number") as refused:
        script.evaluate(str(QRELS), str(run), "test")
    assert "secret" not in str(refused.value)
    # of several runs none is scored
    table = tmp_path / "mine.csv"
    table.write_text("run,qid,docno,score\na,1,d0032,1\nb,1,d0041,1\n")
    with pytest.raises(
        ValueError, match=r"mine\.csv: it holds 2 runs, and a submission may hold 1"
    ):
        script.evaluate(str(QRELS), str(table), "test")


def test_the_configuration_agrees_with_the_script(script: ModuleType) -> None:
    (labels,) = re.findall(r'"labels": \[(.*?)\]', CONFIG)
    assert re.findall(r'"([^"]+)"', labels) == list(script.MEASURES.values())
    codenames = set(re.findall(r"codename: (\S+)", CONFIG))
    assert codenames == {*script.SPLITS, *script.SPLITS.values()}
    for path in re.findall(r": ((?:templates|annotations)/\S+|\S+\.png)$", CONFIG, re.MULTILINE):
        assert (CHALLENGE / path).exists(), path
    assert QRELS.read_bytes() == (SAMPLE / "qrels.txt").read_bytes()
