"""Tracks of `irev leaderboard` in a configuration."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from tests.files import SAMPLE
from tests.pages import page_data

# trec_eval 10's scores with -c, as sample_data/README.md has them
MAP = {"fusion": 0.7361, "dense": 0.4836, "rm3": 0.4385, "bm25": 0.3501}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Judgments and runs, where the command is called."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for name in ("bm25.run", "rm3.run", "fusion.run", "dense.run.gz"):
        shutil.copy(SAMPLE / name, "runs")
    shutil.copy(SAMPLE / "qrels.txt", "qrels")
    return tmp_path


def call(*arguments):
    """(exit code, stdout, stderr)."""
    outcome = CliRunner().invoke(irev, ["leaderboard", *map(str, arguments)])
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        return 2, outcome.stdout, str(outcome.exception)
    return outcome.exit_code, outcome.stdout, outcome.stderr


def means(board, measure):
    return {run["run"]: round(run["measures"][measure]["value"], 4) for run in board["runs"]}


def test_no_run_of_a_track_is_written_over(folder):
    Path("board.toml").write_text(
        '[[leaderboard.track]]\nname = "one"\nqrels = "qrels"\nruns = "runs"\n', encoding="utf-8"
    )
    for read in ("runs/bm25.run", "qrels", "board.toml"):
        before = Path(read).read_bytes()
        code, out, err = call("--config", "board.toml", "--output", read)
        assert (code, out) == (2, "")
        assert "would overwrite an input file" in err
        assert Path(read).read_bytes() == before


CONFIG = """
[leaderboard]
measures = ["map", "ndcg_cut.10"]
resamples = 200
[[leaderboard.track]]
name = "first"
qrels = "qrels"
runs = "runs"
[[leaderboard.track]]
name = "second"
qrels = "qrels"
runs = ["runs/bm25.run", "runs/rm3.run"]
by = "ndcg_cut_10"
level = 2
teams = "teams"
best-per-team = true
"""


def test_tracks_in_a_configuration(folder, monkeypatch):
    Path("teams").write_text("bm25 t\nrm3 t\n", encoding="utf-8")
    Path("irev.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")  # paths are relative to the file

    code, out, err = call("--config", "../irev.toml", "--format", "json")
    assert (code, err.splitlines()[0]) == (0, "irev: note: settings of ../irev.toml")
    first, second = json.loads(out)["leaderboard"]
    assert (first["name"], second["name"]) == ("first", "second")
    assert means(first["boards"][0], "map") == MAP
    assert [run["run"] for run in second["boards"][0]["runs"]] == ["rm3"]
    assert second["boards"][0]["signature"]["scores"]["options"]["level"] == 2
    assert first["boards"][0]["resamples"] == 200

    # the command line goes before
    out = call(
        "--config", "../irev.toml", "--format", "json", "--resamples", "150", "-m", "ndcg",
        "--by", "ndcg",
    )[1]  # fmt: skip
    tracks = json.loads(out)["leaderboard"]
    assert tracks[0]["boards"][0]["resamples"] == 150
    assert tracks[0]["boards"][0]["measures"] == ["ndcg"]
    page = call("--config", "../irev.toml", "--format", "html")[1]
    names = [part["name"] for part in page_data(page)["parts"]]
    assert names == [track["name"] for track in tracks]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[leaderboard]\n", "no \\[\\[leaderboard.track\\]\\]"),
        ("[[leaderboard.track]]\n", "track 1 has no name"),
        ("[[leaderboard.track]]\nname = 'a'\n", "runs must name"),
        ("[[leaderboard.track]]\nname='a'\nruns='runs'\ntemas='t'\n", "did you mean 'teams'"),
        ("[[leaderboard.track]]\nname='a'\nruns='runs'\nformat='csv'\n", "unknown key 'format'"),
        (
            "[[leaderboard.track]]\nname='a'\nruns='runs'\nlevel=1\nLevel=2\n",
            "track 'a': 'Level' sets the same option as another key",
        ),
        (
            "[[leaderboard.track]]\nname='a'\nruns='runs'\nlevel=true\n",
            "must be text or a number, not true or false",
        ),
        ("[leaderboard\n", "this is not valid TOML"),
        ("[other]\n", "unknown section"),
        (
            "[[leaderboard.track]]\nname='a'\nruns='r'\n" * 2,
            "two tracks are called 'a'",
        ),
    ],
)
def test_wrong_configurations(folder, text, message):
    Path("irev.toml").write_text(text, encoding="utf-8")
    code, out, err = call("--config", "irev.toml")
    assert (code, out) == (2, "")
    assert re.search(message, err)


def test_a_track_without_a_readable_submission_does_not_stop_the_others(folder):
    Path("broken").mkdir()
    Path("broken/a.run").write_text("one two three\n", encoding="utf-8")
    Path("irev.toml").write_text(
        CONFIG + "[[leaderboard.track]]\nname = 'third'\nqrels = 'qrels'\nruns = 'broken'\n",
        encoding="utf-8",
    )
    Path("teams").write_text("bm25 t\nrm3 t\n", encoding="utf-8")
    words = ("--config", "irev.toml")
    code, out, err = call(*words, "--format", "json")
    assert code == 0
    assert "third: 0 scored, 1 could not be scored" in err
    first, _, third = json.loads(out)["leaderboard"]
    assert means(first["boards"][0], "map") == MAP
    assert (third["boards"], third["could_not_be_scored"]) == ([], 1)
    assert third["broken"][0]["line"] == 1
    assert call(*words, "--strict")[0] == 2  # a run lacks a topic, too
    for form in ("table", "markdown", "latex", "csv", "html"):
        code, out, _ = call(*words, "--format", form)
        assert code == 0
        assert "third" in out

    Path("irev.toml").write_text(
        "[[leaderboard.track]]\nname = 'only'\nqrels = 'qrels'\nruns = 'broken'\n", encoding="utf-8"
    )
    assert call(*words)[:2] == (2, "")
