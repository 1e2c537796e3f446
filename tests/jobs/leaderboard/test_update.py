"""Boards of which the scores of unchanged submissions are kept: the same bytes as scoring all."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import irev
from irev.errors import UsageError
from tests.command import Ran
from tests.command import irev as command

BOARD = ("leaderboard", "-m", "map", "-m", "P@2", "--per-topic", "--format")


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three topics; a plain run, its copy, a compressed one, a table, a broken one."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{topic} 0 d{number} {number % 2}\n" for topic in (1, 2, 3) for number in range(6)]
    Path("qrels").write_text("".join(rows), encoding="utf-8")
    folder = Path("subs")
    folder.mkdir()
    write_run("a", 0)
    write_run("copy", 0)
    (folder / "zipped.run.gz").write_bytes(gzip.compress(run_text(2).encode()))
    fields = [line.split() for line in run_text(3).splitlines()]
    columns = {"query_id": [f[0] for f in fields], "doc_id": [f[2] for f in fields]}
    scores = [float(f[4]) for f in fields]
    parquet.write_table(pa.table({**columns, "score": scores}), folder / "table.parquet")
    (folder / "broken.run").write_text("garbage\n")
    return folder


def run_text(first: int) -> str:
    """A run that begins with document `first`, lacks topic 3, and has one that is not judged."""
    docs = [f"d{(first + number) % 8}" for number in range(8)]
    return "".join(
        f"{topic} Q0 {document} {rank} {-rank} t\n"
        for topic in (1, 2, 9)
        for rank, document in enumerate(docs, 1)
    )


def write_run(name: str, first: int) -> None:
    Path(f"subs/{name}.run").write_text(run_text(first), encoding="utf-8")


def board(*more: str, form: str = "json") -> Ran:
    return command(*BOARD, form, *more, "qrels", "subs")


def assert_equal_but_for_the_note(updated: Ran, plain: Ran, kept: str) -> None:
    note = f"irev: note: kept: the scores of {kept} submissions are kept ones\n"
    assert updated.out == plain.out
    assert updated.code == plain.code
    assert note in updated.err
    assert updated.err.replace(note, "") == plain.err


def test_the_bytes_are_those_of_scoring_all() -> None:
    plain = board()
    assert b'"dropped"' in plain.out
    assert "copy" in plain.err  # two runs are the same
    assert_equal_but_for_the_note(board("--update", "kept"), plain, "0 of 5")
    first = Path("kept").read_bytes()
    assert_equal_but_for_the_note(board("--update", "kept"), plain, "4 of 5")
    assert Path("kept").read_bytes() == first


@pytest.mark.parametrize("form", ["json", "csv", "html", "table"])
def test_only_what_is_new_or_changed_is_scored(form: str) -> None:
    board("--update", "kept")
    write_run("a", 4)  # changed
    write_run("new", 5)
    Path("subs/copy.run").unlink()
    Path("subs/broken.run").write_text(run_text(1), encoding="utf-8")  # mended
    assert_equal_but_for_the_note(board("--update", "kept", form=form), board(form=form), "2 of 5")
    # what is gone is not kept
    assert_equal_but_for_the_note(board("--update", "kept", form=form), board(form=form), "5 of 5")
    assert b"copy" not in Path("kept").read_bytes()


@pytest.mark.parametrize(
    "change", [["-m", "P@1"], ["-l", "0"], ["--ties", "input"], ["--max-size", "1MiB"]]
)
def test_other_choices_score_all(change: list[str]) -> None:
    board("--update", "kept")
    assert_equal_but_for_the_note(board("--update", "kept", *change), board(*change), "0 of 5")


def test_other_judgments_score_all() -> None:
    board("--update", "kept")
    Path("qrels").write_text(
        Path("qrels").read_text(encoding="utf-8") + "3 0 d7 1\n", encoding="utf-8"
    )
    assert_equal_but_for_the_note(board("--update", "kept"), board(), "0 of 5")


def test_choices_of_the_board_alone_score_nothing_again() -> None:
    board("--update", "kept")
    change = ["--test", "none", "--ci", "none", "--by", "P@2", "--threads", "1"]
    assert_equal_but_for_the_note(board("--update", "kept", *change), board(*change), "4 of 5")


def rewrite(change: Any) -> None:
    """Change what is kept, and sign it as irev does."""
    head, body = Path("kept").read_bytes().split(b"\n", 1)
    facts = json.loads(body)
    change(facts)
    body = json.dumps(facts).encode() + b"\n"
    signed = {**json.loads(head), "sha256": hashlib.sha256(body).hexdigest()}
    Path("kept").write_bytes(json.dumps(signed).encode() + b"\n" + body)


def test_kept_scores_are_trusted() -> None:
    """A value that only the file has comes to the board: nothing is scored again."""
    board("--update", "kept")

    def raise_scores(facts: dict[str, Any]) -> None:
        facts["submissions"]["subs/a.run"][2] = base64.b64encode(np.ones(6).tobytes()).decode()

    rewrite(raise_scores)
    data = json.loads(board("--update", "kept").out)
    (track,) = data["leaderboard"]
    values = {run["run"]: run["measures"]["map"]["value"] for run in track["boards"][0]["runs"]}
    assert values["a"] == 1.0
    assert values["copy"] < 1.0


def test_a_damaged_file_is_an_error() -> None:
    board("--update", "kept")
    whole = Path("kept").read_bytes()
    Path("kept").write_bytes(whole[:-20])
    done = board("--update", "kept")
    assert (done.code, done.out) == (2, b"")
    assert "kept: these kept scores are damaged: their hash is another" in done.err
    assert "hint: delete this file" in done.err
    assert Path("kept").read_bytes() == whole[:-20]


@pytest.mark.parametrize(
    ("number", "value"),
    [(0, "0" * 64), (1, ["a"]), (2, base64.b64encode(bytes(40)).decode()), (2, "!")],
)
def test_a_file_that_contradicts_itself_is_an_error(number: int, value: Any) -> None:
    board("--update", "kept")
    sha256 = hashlib.sha256(Path("subs/a.run").read_bytes()).hexdigest()

    def change(facts: dict[str, Any]) -> None:
        kept = facts["submissions"]["subs/a.run"]
        assert kept[0] == sha256
        kept[number] = value
        if number == 0:  # the file becomes the one that is named
            kept[1][4]["run"], kept[0] = value, sha256

    rewrite(change)
    done = board("--update", "kept")
    assert (done.code, done.out) == (2, b"")
    assert "kept: these kept scores contradict each other" in done.err


@pytest.mark.parametrize("content", [b"", b"1 Q0 d1 1 1 t\n", b'{"runs": []}\n', b"[]\n[]\n"])
def test_another_file_is_not_written_over(content: bytes) -> None:
    Path("kept").write_bytes(content)
    done = board("--update", "kept")
    assert (done.code, done.out) == (2, b"")
    assert "kept: this file was not written by --update" in done.err
    assert Path("kept").read_bytes() == content


def test_saved_scores_are_read_each_time() -> None:
    saved = command("eval", "-q", "-c", "-m", "map", "-m", "P@2", "--format", "json", "qrels",
                    "subs/a.run").out  # fmt: skip
    Path("subs/saved.json").write_bytes(saved)
    more = ["--accept-scores"]
    board("--update", "kept", *more)
    assert_equal_but_for_the_note(board("--update", "kept", *more), board(*more), "4 of 6")


def test_what_makes_no_sense_is_refused() -> None:
    done = board("--update", "subs/a.run")
    assert done.code == 2
    assert "--update subs/a.run: this file lies among the submissions" in done.err
    with pytest.raises(UsageError, match="update needs judgments and submissions in files"):
        irev.leaderboard({"1": {"d1": 1}}, ["subs/a.run"], "map", update="kept")
    with pytest.raises(UsageError, match="update needs judgments and submissions in files"):
        irev.leaderboard("qrels", {"a": {"1": {"d1": 1.0}}}, "map", update="kept")
    track = {"qrels": "qrels", "runs": ["subs/a.run"], "update": "kept"}
    with pytest.raises(UsageError, match=r"each track needs an .*update file of its own"):
        irev.leaderboards({"one": track, "two": track})


def test_the_function_keeps_scores_too() -> None:
    paths = ["subs/a.run", "subs/table.parquet"]
    plain = irev.leaderboard("qrels", paths, "map")
    for _ in range(2):
        updated = irev.leaderboard("qrels", paths, "map", update=Path("kept"))
        assert updated.text("json") == plain.text("json")
    notes = [str(warning) for warning in updated.warnings]
    assert "kept: the scores of 2 of 2 submissions are kept ones" in notes
