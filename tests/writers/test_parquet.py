"""Results as Parquet tables, read back with pyarrow and by irev."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import irev
from irev.scores.saved import read_saved
from tests.command import irev as call

QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n"
RUNS = {
    "a": "q1 Q0 d1 1 2 ta\nq2 Q0 d1 1 2 ta\nq2 Q0 d2 2 1 ta\n",
    "b": "q1 Q0 d9 1 2 tb\nq2 Q0 d2 1 1 tb\nq3 Q0 d1 1 3 tb\nq3 Q0 d3 2 2 tb\n",
}
# the reciprocal rank of the one relevant document of each topic; a has no q3
EXPECTED = [
    ("a", "q1", 1.0), ("a", "q2", 0.5), ("a", "q3", 0.0),
    ("b", "q1", 0.0), ("b", "q2", 1.0), ("b", "q3", 0.5),
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / f"{name}.run").write_text(text)
    return [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]


def test_scores_are_tidy_and_signed(tmp_path: Path, files: list[str]) -> None:
    path = tmp_path / "x.parquet"
    outcome = call("-c", "-m", "recip_rank", "-m", "num_ret", "--output", str(path), *files)
    assert (outcome.code, outcome.out) == (0, b"")
    table = pq.read_table(path)
    assert [(field.name, str(field.type)) for field in table.schema] == [
        ("run", "string"), ("topic", "string"), ("measure", "string"), ("value", "double"),
    ]  # fmt: skip
    rows = table.to_pylist()
    ranks = [
        (row["run"], row["topic"], row["value"]) for row in rows if row["measure"] == "recip_rank"
    ]
    assert ranks == EXPECTED
    about = json.loads(table.schema.metadata[b"irev"])
    assert [run["all"]["recip_rank"] for run in about["runs"]] == [0.5, 0.5]
    assert [run["runid"] for run in about["runs"]] == ["ta", "tb"]
    assert about["runs"][0]["missing"] == ["q3"]
    signed = irev.evaluate(files[0], files[1], ["recip_rank", "num_ret"], sign=True, topics="qrels")
    assert signed.signature is not None
    assert about["runs"][0]["signature"]["short"] == signed.signature.short


def test_irev_reads_its_own_table_as_it_reads_its_json(tmp_path: Path, files: list[str]) -> None:
    table, document = tmp_path / "x.parquet", tmp_path / "x.json"
    call("-c", "-m", "recip_rank", "--output", str(table), *files)
    call("-c", "-q", "-m", "recip_rank", "--format", "json", "--output", str(document), *files)
    for ours, theirs in zip(read_saved(str(table)), read_saved(str(document)), strict=True):
        assert ours.run_names == theirs.run_names
        assert ours.topics == theirs.topics
        assert ours.values.tolist() == theirs.values.tolist()
        assert ours.runs[0].signature == theirs.runs[0].signature
        assert ours.runs[0].missing == theirs.runs[0].missing
    assert read_saved(str(table))[0].runs[0].missing == (b"q3",)


def test_a_gate_takes_the_table_as_a_baseline(tmp_path: Path, files: list[str]) -> None:
    baseline = tmp_path / "x.parquet"
    call("-c", "-m", "recip_rank", "--output", str(baseline), *files[:2])
    args = ["gate", *files[:2], "-m", "recip_rank", "--baseline", str(baseline)]
    assert call(*args).code == 0
    (tmp_path / "qrels").write_text(QRELS.replace("d3", "d4"))
    outcome = call(*args)
    assert outcome.code == 2
    assert "the qrels differ" in outcome.err


def test_the_first_table_of_other_results(tmp_path: Path, files: list[str]) -> None:
    path = tmp_path / "pairs.parquet"
    outcome = call("compare", "-m", "recip_rank", "--output", str(path), *files)
    assert outcome.code == 0
    (row,) = pq.read_table(path).to_pylist()
    assert (row["run"], row["against"], row["difference"], row["n"]) == ("a", "b", 0.0, 3)
    assert "short" in json.loads(pq.read_schema(path).metadata[b"irev"])["signature"]


def test_another_form_that_is_asked_for_is_written(tmp_path: Path, files: list[str]) -> None:
    path = tmp_path / "x.parquet"
    call("--format", "json", "-m", "recip_rank", "--output", str(path), *files)
    assert "runs" in json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("option", ["-n", "--stats", "--score-only"])
def test_what_the_table_has_no_place_for(tmp_path: Path, files: list[str], option: str) -> None:
    path = tmp_path / "x.parquet"
    outcome = call("-m", "recip_rank", option, "--output", str(path), *files)
    assert outcome.code == 2
    assert f"cannot be combined with {option}" in outcome.err
    assert not path.exists()
