"""JSON of all commands: a run, a signature and missing topics are told in the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev

QRELS = "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n"
WHOLE = "".join(f"q{n} Q0 d1 1 {n} whole\n" for n in (1, 2, 3))
LACKS = "q1 Q0 d1 1 1 lacks\nq2 Q0 d2 1 2 lacks\nq2 Q0 d1 2 1 lacks\n"
FILES = ("qrels", "a.run", "b.run")

CALLS = {
    "eval": ["-c", "-m", "map", "--format", "json", *FILES],
    "compare": ["compare", "-m", "map", "--test", "sign", "--format", "json", *FILES],
    "leaderboard": ["leaderboard", "-m", "map", "--resamples", "50", "--format", "json", *FILES],
    "gate": ["gate", "-m", "map", "--format", "json", "--baseline", "b.run", "qrels", "a.run"],
    "study": ["study", "correlation", "-m", "map", "-m", "P_1", "--format", "json", *FILES],
    "plot": ["plot", "per-topic", "-m", "map", "--output", "figure.svg", *FILES],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS, encoding="utf-8")
    Path("a.run").write_text(WHOLE, encoding="utf-8")
    Path("b.run").write_text(LACKS, encoding="utf-8")


def command_data(call: str) -> dict[str, Any]:
    ran = CliRunner().invoke(irev, CALLS[call])
    text = Path("figure.json").read_text(encoding="utf-8") if call == "plot" else ran.stdout
    data: dict[str, Any] = json.loads(text)
    return data


def part_on_runs(call: str) -> dict[str, Any]:
    whole = command_data(call)
    assert whole["irev"]
    if call == "eval":
        return {**whole, **whole["runs"][1]}
    if call == "leaderboard":
        board: dict[str, Any] = whole["leaderboard"][0]["boards"][0]
        return board
    if call == "gate":
        return {**whole, "runs": [whole["run"], whole["baseline"]]}
    return {**whole, **whole.get("parameters", {})}


@pytest.mark.parametrize("call", list(CALLS))
def test_runs(call: str) -> None:
    actual = part_on_runs(call)
    assert (actual["averaged_over"], actual["missing_count_as_zero"]) == (3, True)
    runs = {run["path"]: run for run in actual["runs"]}
    assert [runs["a.run"]["run"], runs["b.run"]["run"]] == ["a", "b"]
    assert [runs["a.run"]["runid"], runs["b.run"]["runid"]] == ["whole", "lacks"]
    assert [runs["a.run"]["missing"], runs["b.run"]["missing"]] == [[], ["q3"]]
    for run in runs.values():
        assert run["signature"]["short"].startswith("irev:")
        assert len(run["signature"]["qrels"]) == len(run["signature"]["run"]) == 64


@pytest.mark.parametrize("call", ["compare", "leaderboard", "study", "plot"])
def test_signature_of_the_whole(call: str) -> None:
    signature = part_on_runs(call)["signature"]
    assert signature["short"].startswith("irev:")
    assert len(signature.get("scores", signature)["qrels"]) == 64


def test_numbers_of_studies_are_exact() -> None:
    Path("b.run").write_text(WHOLE.replace("q2 Q0 d1", "q2 Q0 d2"), encoding="utf-8")
    (row,) = [r for r in command_data("study")["tables"]["means"] if r["run"] == "b"]
    # d1 is found in two of three topics
    assert row["map"] == 2 / 3


def test_explanations_are_signed() -> None:
    words = ["explain", "-m", "map", "-t", "q1", "--format", "json", "qrels"]
    data = json.loads(CliRunner().invoke(irev, [*words, "a.run"]).stdout)
    scored = json.loads(CliRunner().invoke(irev, ["-m", "map", "--format", "json", *FILES]).stdout)
    assert data["signature"] == scored["runs"][0]["signature"]
    # what comes through a pipe is read once
    piped = CliRunner().invoke(irev, [*words, "-"], input=WHOLE)
    assert json.loads(piped.stdout)["signature"] is None


def test_samples_are_signed() -> None:
    words = ["-m", "infAP", "--format", "json", *FILES]
    data = json.loads(CliRunner().invoke(irev, ["--sample", "50%", *words]).stdout)
    scored = json.loads(CliRunner().invoke(irev, words).stdout)
    for run, plain in zip(data["runs"], scored["runs"], strict=True):
        for part in ("qrels", "run", "options"):
            assert run["signature"][part] == plain["signature"][part]


def test_leaving_out_is_signed() -> None:
    """With the depth of the pool, which is no choice of the evaluation."""
    words = ["pool", "--leave-out", "-m", "map", "--depth", "1", "--format", "json", *FILES]
    data = json.loads(CliRunner().invoke(irev, words).stdout)["runs"]
    scored = json.loads(CliRunner().invoke(irev, CALLS["eval"]).stdout)
    assert [run["depth"] for run in data] == [1, 1]
    assert [run["signature"] for run in data] == [run["signature"] for run in scored["runs"]]
