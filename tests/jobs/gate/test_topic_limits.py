"""Gates on single topics; each topic's AP is 1/rank, worked out by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import irev
from irev.core.judged import Column
from irev.errors import MismatchError, UsageError
from irev.jobs.gate.gate import least_score_verdict
from irev.scores.table import RunInfo, ScoreTable
from tests.files import ROOT
from tests.gates import gate, write_qrels, write_run

NUM_TOPICS = 50


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A golden set of 50 topics, all with AP 1; in another run topic 17 breaks: AP 1/10."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    write_qrels("qrels", NUM_TOPICS)
    write_run("base.run", [1] * NUM_TOPICS)
    write_run("new.run", [10 if topic == 17 else 1 for topic in range(1, NUM_TOPICS + 1)])
    return tmp_path


MEANS = ["qrels", "new.run", "-m", "map", "--baseline", "base.run", "--tolerance", 0.05]


def test_one_topic_of_fifty_that_breaks_fails_and_is_named() -> None:
    # the mean drops by 0.9 / 50 = 0.018 alone
    done = gate(*MEANS)
    assert done.code == 0
    done = gate(*MEANS, "--topic-tolerance", 0.3, "--junit", "junit.xml")
    assert done.code == 1
    lines = done.out.splitlines()
    reason = "map of 1 of 50 topics is more than 0.3 below base: 17"
    assert lines[0] == f"FAILED: 1 of 2 gates: {reason}"
    assert f"failed    {reason}" in lines
    assert "          17       0.1000      1.0000       -0.9000" in lines
    (suite,) = ElementTree.parse("junit.xml").getroot()
    # the gate of the mean, and a test case for each topic
    counts = [suite.get(name) for name in ("tests", "failures")]
    assert counts == [str(1 + NUM_TOPICS), "1"]
    (failed,) = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert failed.get("name") == "topic-tolerance map: topic 17"
    message = failed.find("failure").get("message")  # type: ignore[union-attr]
    assert message == "map is 0.1000, the baseline has 1.0000: -0.9000; tolerance 0.3"


def test_the_worst_topics_stand_there_on_a_pass() -> None:
    lines = gate(*MEANS, "--details").out.splitlines()
    assert lines[0] == "PASSED: map fell by 0.0180 to 0.9820 (baseline 1.0000, tolerance 0.05)"
    assert "          17       0.1000      1.0000       -0.9000" in lines


@pytest.mark.parametrize(("least", "code"), [(0.1, 0), (0.11, 1), (-1, 0)])
def test_least_score_of_each_topic(least: float, code: int) -> None:
    done = gate("qrels", "new.run", "--topic-min", f"map={least}")
    assert done.code == code
    if code:
        assert "map of 1 of 50 topics is below 0.11: 17" in done.out
    else:
        assert f"map of none of 50 topics is below {least}; the lowest is 0.1000, 17" in done.out


def test_a_drop_that_equals_the_tolerance_passes() -> None:
    assert gate(*MEANS, "--topic-tolerance", 0.9).code == 0
    assert gate(*MEANS, "--topic-tolerance", 0.899).code == 1


def test_a_topic_that_the_run_lacks_has_zero() -> None:
    write_run("lacks.run", [0 if topic == 3 else 1 for topic in range(1, NUM_TOPICS + 1)])
    done = gate("qrels", "lacks.run", "--topic-min", "map=0.1")
    assert done.code == 1
    assert "map of 1 of 50 topics is below 0.1: 3" in done.out


def test_a_rise_is_the_drop_where_lower_is_better() -> None:
    # the document of topic 17 that is judged not relevant comes to the run
    Path("more.run").write_text(
        Path("base.run").read_text(encoding="utf-8") + "17 Q0 no 2 1 tag\n", encoding="utf-8"
    )
    limit = ["-m", "num_nonrel_judged_ret", "--baseline", "base.run", "--tolerance", 1]
    done = gate("qrels", "more.run", *limit, "--topic-tolerance", 0.5)
    assert done.code == 1
    assert "of 1 of 50 topics is more than 0.5 above base: 17" in done.out
    assert gate("qrels", "more.run", *limit, "--topic-tolerance", 1).code == 0


def test_golden_topics_alone_are_held() -> None:
    Path("golden").write_text("# ours\n1\n2\n", encoding="utf-8")
    limit = ["--topic-tolerance", 0.3, "--topic-min", "map=0.5", "--golden-topics", "golden"]
    done = gate(*MEANS, *limit)
    assert done.code == 0
    assert "map of none of 2 golden topics is more than 0.3 below base" in done.out
    Path("golden").write_text("1\n17\n", encoding="utf-8")
    done = gate(*MEANS, *limit)
    assert done.code == 1
    assert "map of 1 of 2 golden topics is below 0.5: 17" in done.out


def test_a_golden_topic_must_be_judged() -> None:
    Path("golden").write_text("1\n99\n", encoding="utf-8")
    done = gate("qrels", "new.run", "--topic-min", "map=0", "--golden-topics", "golden")
    assert done.code == 2
    assert "golden: 1 golden topic is not among the judged topics: 99" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min", "map=0.1", "--topic-tolerance", 0.1], "--topic-tolerance needs --baseline FILE"),
        (["--min", "map=0.1", "--golden-topics", "qrels"], "--golden-topics needs a limit by"),
        (["--topic-min", "map=2"], "--topic-min map=2: map is from 0 to 1"),
        (["--topic-min", "map"], "--topic-min map: must be a measure and a number"),
        (["--min", "map=0.1", "--note", "x"], "--note needs --save FILE"),
        (["--baseline", "base.run", "--topic-tolerance", -1], "must be 0 or more, not -1"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[object], message: str) -> None:
    done = gate("qrels", "new.run", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_the_function_is_the_command() -> None:
    Path("golden").write_text("17\n3\n", encoding="utf-8")
    report = irev.gate(
        "qrels", "new.run", "map", baseline="base.run", tolerance=0.05,
        topic_tolerance=0.3, topic_min={"map": 0.2}, golden_topics=["17", b"3"],
    )  # fmt: skip
    assert not report.passed
    data: dict[str, Any] = json.loads(gate(
        *MEANS, "--topic-tolerance", 0.3, "--topic-min", "map=0.2", "--golden-topics", "golden",
        "--format", "json",
    ).out)  # fmt: skip
    assert data == report.to_dict()


def test_the_least_is_of_golden_topics_in_python_too() -> None:
    with pytest.raises(MismatchError, match="1 golden topic is not among the judged topics: 99"):
        irev.gate("qrels", "new.run", topic_min={"map": 0.1}, golden_topics=["99"])
    with pytest.raises(UsageError, match="the list of golden topics is empty"):
        irev.gate("qrels", "new.run", topic_min={"map": 0.1}, golden_topics=[])


def test_a_score_that_is_not_defined_fails() -> None:
    scores = np.array([[[0.5], [np.nan], [0.1]]])
    table = ScoreTable((b"1", b"2", b"3"), (RunInfo("a", "a"),), (Column("map", "map"),), scores)
    verdict = least_score_verdict(table, "map", 0, 0.2, table.topics)
    assert verdict.failed_topics == (b"2", b"3")


def test_the_note_of_a_baseline_is_shown_by_the_next_gate() -> None:
    note = "accepted: new\ntokeniser"
    saved = gate("qrels", "base.run", "-m", "map", "--save", "base.json", "--note", note)
    assert saved.code == 0
    assert json.loads(Path("base.json").read_text(encoding="utf-8"))["note"] == note
    done = gate("qrels", "new.run", "--baseline", "base.json")
    assert r"baseline note: accepted: new\ntokeniser" in done.out
    data = json.loads(gate("qrels", "new.run", "--baseline", "base.json", "--format", "json").out)
    assert data["baseline"]["note"] == note


def test_the_exit_code_of_what_cannot_be_judged() -> None:
    Path("bad.run").write_text("garbage\n", encoding="utf-8")
    assert gate("qrels", "bad.run", "--min", "map=0.4").code == 2
    assert gate("qrels", "bad.run", "--min", "map=0.4", "--unreadable", 125).code == 125
    assert gate("qrels", "nosuch.run", "--min", "map=0.4", "--unreadable", 125).code == 125
    assert gate("qrels", "new.run", "--min", "map=1", "--unreadable", 125).code == 1


@pytest.mark.thorough
def test_bisect_skips_what_cannot_be_read() -> None:
    """The commits 1 to 6: 3 has no readable run, 6 is the one that breaks."""
    Path("repository").mkdir()

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(
            command,
            cwd="repository",
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout

    git("init", "-q", ".")
    texts = {3: "garbage\n", 6: Path("new.run").read_text(encoding="utf-8")}
    for commit in range(1, 7):
        text = texts.get(commit, Path("base.run").read_text(encoding="utf-8"))
        Path("repository/r.run").write_text(text, encoding="utf-8")
        Path("repository/number").write_text(f"{commit}\n", encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", f"c{commit}")
    git("bisect", "start", "HEAD", "HEAD~5")
    program = [sys.executable, "-m", "irev", "gate", "--unreadable", "125"]
    git("bisect", "run", *program, "--topic-min", "map=0.5", "../qrels", "r.run")
    assert git("log", "-1", "--format=%s", "refs/bisect/bad") == "c6\n"
