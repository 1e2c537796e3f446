"""Scores in JSON lines, an object for each topic, as nuggetizer writes them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.errors import InputError
from irev.scores.saved import is_saved, read_saved
from tests.command import irev as command
from tests.files import CASES

if TYPE_CHECKING:
    from pathlib import Path

with (CASES / "answers" / "expected.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = [[*row["id"].split("-")[1:], row["value"]] for row in csv.DictReader(lines)]
KEYS = {
    "V_strict": "strict_vital_score", "A_strict": "strict_all_score",
    "V": "vital_score", "A": "all_score",
}  # fmt: skip


def nuggetizer_lines(run: str) -> list[dict[str, Any]]:
    """What the program wrote of the assignments of a run: lines of topics, then the means."""
    by_topic: dict[str, dict[str, Any]] = {}
    for row in ROWS:
        if len(row) == 4 and row[0] == run and row[2] in KEYS and row[1] not in ("all", "skip"):
            topic = "all" if row[1] == "lines" else row[1]
            by_topic.setdefault(topic, {"qid": topic})[KEYS[row[2]]] = float(row[3])
    return sorted(by_topic.values(), key=lambda line: (line["qid"] == "all", line["qid"]))


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for run in "AB":
        text = "".join(json.dumps(line) + "\n" for line in nuggetizer_lines(run))
        (tmp_path / f"{run}.jsonl").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nuggetizer_and_judgments_agree(folder: Path) -> None:
    """The scores of the program, and those that irev makes of the same assignments."""
    assert is_saved("A.jsonl")
    table: Any = irev.compare(None, ["A.jsonl", "B.jsonl"], ["V_strict", "A", "all_score"]).table
    assert table.run_names == ("A", "B")
    qrels = CASES / "answers" / "all.jsonl"
    made = irev.compare(qrels, ["A", "B"], ["V_strict", "A"], qrels_format="nuggets").table
    assert [c.name for c in table.columns] == ["strict_vital_score", "all_score"]
    assert table.values == pytest.approx(made.values, abs=1e-9)


def test_all_jobs_take_them(folder: Path) -> None:
    ran = command("leaderboard", "-m", "V_strict", "A.jsonl", "B.jsonl")
    assert ran.code == 0, ran.err
    assert b"0.3889" in ran.out  # B over the 3 topics of both, the program over its 2 lines .5833
    assert command("gate", "--min", "V=0.7", "B.jsonl").code == 0
    assert command("gate", "--min", "strict_vital_score=0.7", "B.jsonl").code == 1
    ran = command("report", "--output", "page.html", "A.jsonl", "B.jsonl")
    assert ran.code == 0, ran.err
    ran = command("eval", "qrels", "A.jsonl")
    assert ran.code == 2


def test_means_that_are_none_are_said(folder: Path) -> None:
    text = (folder / "B.jsonl").read_text(encoding="utf-8")
    assert command("leaderboard", "B.jsonl").err.count("mean of the") == 0
    (folder / "B.jsonl").write_text(text.partition("\n")[2])
    ran = command("leaderboard", "B.jsonl")
    assert ran.code == 0
    assert "B: line 2: " in ran.err
    assert "of all is 0.583333, but the mean of the 1 topic is 0.5" in ran.err


def test_others_of_the_same_shape(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"run_id": "x", "query_id": 7, "faithfulness": 0.5, "relevancy": null}\n'
        '\n{"run_id": "y", "query_id": "7", "relevancy": 1, "faithfulness": "0.25"}\n'
    )
    x, y = read_saved(str(path))
    assert (x.run_names, y.run_names, x.topics) == (("x",), ("y",), (b"7",))
    assert str(x.values.tolist()) == "[[[0.5]], [[nan]]]"
    assert y.values.tolist() == [[[0.25]], [[1.0]]]


@pytest.mark.parametrize(
    "text",
    [
        '{"qid": "1", "docid": "d1", "score": 0.5}\n',
        '{"qid": "1", "docno": "d1"}\n',
        '{"qid": "1", "text": "a question"}\n',
        '{"qid": "1", "nuggets": []}\n',
        '{"qid": "1", "doc": "d1", "rel": 1}\n',
        '{"qid": "1"}\n',
        '{"V": 0.5}\n',
        '{"1": {"d1": 1}}\n',
        '{"qid": "1", "rank": 1}\n',
        '{"qid": "1", "ok": true}\n',
    ],
)
def test_other_lines_of_json_are_no_scores(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert not is_saved(str(path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"V": 1}', "x:2: this line does not name a topic"),
        ('{"qid": "1", "V": 1}', "x:2: duplicate V for topic 1"),
        ('{"qid": "2", "V": "good"}', "x:2: 'good' is not a number"),
        ('{"qid": "2", "V": [1]}', "x:2: [1] is not a number"),
        ("[1]", "x:2: this line is no JSON object"),
        ("{", "x:2: this line is not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "x"
    path.write_text(f'{{"qid": "1", "V": 0.5}}\n{line}\n')
    with pytest.raises(InputError) as raised:
        read_saved(str(path))
    assert message in str(raised.value)
