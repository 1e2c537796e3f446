"""`irev.pool`, `irev.pool_qrels` and `irev.leave_one_out`: what their command says, and numbers."""

import inspect
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.errors import InputError, UsageError
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, BM25, RM3 = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))
ONE = {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 1.0}}
TWO = {"1": {"b": 2.0, "c": 1.0}, "2": {"a": 1.0}}


def said(result: Any) -> list[str]:
    """The lines that a command says of a result."""
    return [f"irev: {'note' if n.is_note else 'warning'}: {n}" for n in result.warnings]


def test_the_list_is_that_of_the_command(tmp_path: Path) -> None:
    pool = irev.pool([BM25, RM3], depth=10, sample=0.2, seed=7)
    design, report = tmp_path / "design.json", tmp_path / "report"
    ran = command(
        "pool", "--depth", "10", "--sample", "20%", "--seed", "7", "--design", design,
        "--report", report, BM25, RM3,
    )  # fmt: skip
    assert pool.text() == ran.out.decode().rstrip("\n")
    assert (pool.exit_code, said(pool)) == (ran.code, ran.err.splitlines())
    assert pool.design == json.loads(design.read_text(encoding="utf-8"))
    assert b"".join(pool.contributor_lines()) == report.read_bytes()
    assert pool.to_frame().columns.tolist() == ["topic", "document"]
    assert len(pool.to_frame()) == int(pool.plan.to_judge.sum())
    assert pool.to_frames()["runs"]["documents"].tolist() == [
        run.num_documents for run in pool.runs
    ]
    for same in (
        irev.pool([BM25, RM3], depth=10, sample="20%", seed=7),
        irev.pool([BM25, RM3], depth=10, sample="1/5", seed=7),
    ):
        assert same.text() == pool.text()


def test_strata_and_names() -> None:
    pool = irev.pool({"one": ONE, "two": TWO}, sample="1=100%,2=50%")
    assert pool.depth == 2
    assert [run["path"] for run in pool.design["runs"]] == ["one", "two"]
    assert {run["sha256"] for run in pool.design["runs"]} == {None}
    assert irev.pool(ONE).to_frame().to_numpy().tolist() == (
        irev.pool([ONE], depth=100, sample=1.0).to_frame().to_numpy().tolist()
    )
    assert repr(irev.pool(ONE)) == "<PoolResult of 3 documents>"


def test_judgments_become_qrels(tmp_path: Path) -> None:
    pool = irev.pool([BM25, RM3], depth=5, sample=0.5)
    path = tmp_path / "design.json"
    path.write_text(json.dumps(pool.design))
    judged = tmp_path / "judged"
    rows = pool.to_frame().to_numpy().tolist()[1:]
    judged.write_text("".join(f"{topic} 0 {document} 1\n" for topic, document in rows))
    with pytest.warns(irev.IrevWarning, match="1 document that was to be judged has no grade"):
        qrels = irev.pool_qrels(judged, path)
    for output_format in ("qrels", "strata"):
        ran = command("pool", "--judgments", judged, "--design", path, "--format", output_format)
        assert qrels.text(output_format) == ran.out.decode().rstrip("\n")
        assert (qrels.exit_code, said(qrels)) == (ran.code, ran.err.splitlines())
    assert qrels.to_frame().columns.tolist() == ["topic", "iteration", "document", "grade"]
    assert "stratum" in qrels.to_frame(strata=True).columns
    assert irev.evaluate(qrels.to_frame(), BM25, "num_rel")["num_rel"] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for design in (pool, pool.design):
            assert irev.pool_qrels(str(judged), design).text() == qrels.text()
    with pytest.raises(InputError, match="not a design"):
        irev.pool_qrels(judged, QRELS)
    with pytest.raises(UsageError, match="the design must be"):
        irev.pool_qrels(judged, {"kind": "another"})


def test_leaving_out_is_that_of_the_command(tmp_path: Path) -> None:
    groups = tmp_path / "groups"
    groups.write_text("bm25.run both\n" + f"{RM3} both\n")
    result = irev.leave_one_out(
        QRELS, [BM25, RM3], "P@10 map", depth=10, groups={"bm25": "both", "rm3": "both"}
    )
    arguments = ("--depth", "10", "--groups", groups, "-m", "P@10", "-m", "map", QRELS, BM25, RM3)
    ran = command("pool", "--leave-out", "--format", "json", *arguments)
    assert result.text("json") == ran.out.decode().rstrip("\n")
    assert (result.exit_code, said(result)) == (ran.code, ran.err.splitlines())
    assert [run["run"] for run in result.to_dict()["runs"]] == ["bm25", "rm3"]
    named = irev.leave_one_out(QRELS, {"x": BM25, "y": RM3})
    assert named.to_frame()["run"].tolist() == ["x", "y"]
    assert named.to_frame()["measure"].tolist() == ["map", "map"]
    assert named.to_frame()["group"].tolist() == ["-", "-"]


def test_wrong_options() -> None:
    call: Any = irev.pool
    with pytest.raises(TypeError, match="pool has no option 'dept'; did you mean 'depth'"):
        call(BM25, dept=3)
    with pytest.raises(UsageError, match=r"'0\.7\.1' is not a rate"):
        call(BM25, sample="0.7.1")
    with pytest.raises(UsageError, match="a rate must be above 0 and at most 100%, not 20; 20% is"):
        call(BM25, sample=20)
    call = irev.leave_one_out
    with pytest.raises(TypeError, match="leave_one_out has no option 'group'"):
        call(QRELS, BM25, group={})


def test_keywords() -> None:
    names = [*inspect.signature(irev.pool).parameters]
    own = {
        "sample", "seed", "replicate", "depth", "ties", "run_format", "columns", "exclude",
        "passages", "options",
    }  # fmt: skip
    assert (names[0], {*names[1:]}) == ("runs", own)
    names = [*inspect.signature(irev.leave_one_out).parameters]
    assert names[:3] == ["qrels", "runs", "measures"]
    assert [*inspect.signature(irev.pool_qrels).parameters][:2] == ["judgments", "design"]


def test_a_folder_of_runs_is_a_group(tmp_path: Path) -> None:
    """A list of teams names folders; a line that names a run of one goes before it."""
    for name in ("anna", "ben"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    for run, name in ((BM25, "anna"), (RM3, "ben")):
        for copy in ("one.run", "two.run"):
            (tmp_path / "runs" / name / copy).write_bytes(Path(run).read_bytes())
    groups = tmp_path / "groups"
    groups.write_text("anna Anna\nben/ Ben\nben/two Zoe\n")
    left_out = irev.leave_one_out(QRELS, tmp_path / "runs", "map", depth=5, groups=groups)
    assert [run.group for run in left_out.runs] == ["Anna", "Anna", "Ben", "Zoe"]
    groups.write_text("nobody Anna\nanna Anna and Zoe\n")
    left_out = irev.leave_one_out(QRELS, tmp_path / "runs", "map", depth=5, groups=groups)
    assert [run.group for run in left_out.runs] == (["Anna and Zoe"] * 2 + ["ben/one", "ben/two"])
    notes = [notice.message for notice in left_out.warnings if notice.is_note]
    assert notes[:2] == ["without a group, each by itself: ben/one, ben/two",
                         "in the list of groups, but not among the runs: nobody"]  # fmt: skip
    groups.write_text("one.run Anna\n")
    with pytest.raises(InputError, match=r"'one\.run' names 2 of the runs"):
        irev.leave_one_out(QRELS, tmp_path / "runs", "map", groups=groups)
