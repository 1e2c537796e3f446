"""`irev check` of judgments of answers, and of answers beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import irev
from tests.command import irev as command
from tests.files import CASES

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = CASES / "answers"


def test_judgments_and_answers() -> None:
    names = ("all.jsonl", "answers_A.jsonl", "answers_B.jsonl")
    for options in ((), ("-R", "nuggets")):
        ran = command("check", "--details", *options, *names, cwd=FOLDER)
        assert ran.code == 0, ran.err
        lines = ran.out.decode().splitlines()
        assert lines[0].startswith("all.jsonl: warning: run B lacks 1 of 3 topics: q2")
        assert "1 topic without a vital nugget: q2" in lines[1]
        assert "1 assignment failed: counted as not_support" in lines[2]
        assert lines[3] == (
            "all.jsonl: nuggets, 3 topics, 5 answers, 2 runs, 9 nuggets, 5 vital, 1 failed: "
            "0 errors, 3 warnings, 0 notes"
        )
        assert lines[4].endswith("answers, 3 topics, 3 answers: 0 errors, 0 warnings, 0 notes")
        assert lines[5].startswith("answers_B.jsonl: warning: 1 answer without a judgment: q2")


def test_several_files_of_judgments_count_together() -> None:
    names = ("assign_A.jsonl", "assign_B.jsonl", "answers_B.jsonl")
    report = irev.check([FOLDER / name for name in names])
    assert [each.kind for each in report.files] == ["nuggets", "nuggets", "answers"]
    assert report.files[2].counts == {"unlabelled-answer": 1}


def test_support() -> None:
    report = irev.check(FOLDER / "support_A.jsonl", qrels_format="support")
    assert report.passed
    (checked,) = report.files
    assert (checked.kind, checked.topics) == ("support", 5)
    assert checked.facts == {
        "runs": 1, "sentences": 14, "citations": 13, "judged_citations": 12
    }  # fmt: skip


def test_what_is_wrong_is_said_with_its_line(tmp_path: Path) -> None:
    lines = (FOLDER / "all.jsonl").read_text(encoding="utf-8").splitlines()
    odd = json.loads(lines[1])
    odd["nuggets"][0]["assignment"] = "supports"
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(odd), "q1 0 d1 1", *lines[2:], lines[0]]))
    ran = command("check", path)
    assert ran.code == 1
    out = ran.out.decode()
    assert f"{path}:2: error: 'supports' is no assignment" in out
    assert f"{path}:3: error: this line is no JSON object" in out
    assert f"{path}:7: error: topic 'q1' of run 'A' has two lines" in out
    assert "nuggets: 3 errors" in out
    ran = command("check", FOLDER / "nuggets.jsonl")
    assert ran.code == 1
    assert b"the file of nuggets without assignments is no judgment of a run" in ran.out
    ran = command("check", "-R", "support", FOLDER / "all.jsonl")
    assert (ran.code, ran.out.count(b"'sentences' of topic")) == (1, 5)


def test_answers_that_nobody_judged(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"topic_id": "q1", "run_id": "C", "answer": []}\n')
    ran = command("check", FOLDER / "all.jsonl", path)
    assert ran.code == 1
    assert b"no answer of run 'C' is judged; the runs are A, B" in ran.out
    ran = command("check", path)
    assert ran.code == 0
    assert b"not checked against judgments: give these first [late-qrels]" in ran.out
    path.write_text('{"topic_id": "q1", "run_id": "A", "answer": []}\n')
    assert (
        b"no answer to 2 of 3 judged topics: q2, q3"
        in command("check", FOLDER / "all.jsonl", path).out
    )
