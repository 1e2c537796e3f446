"""Submissions scored by workers: whatever happens while one is scored costs its row alone.

A measure of the organiser's, which does what the number of retrieved documents says, stands for
readers and measures that crash, hang and grow.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from irev.cli.commands import irev
from irev.engine.confined import Limits
from irev.engine.evaluate import Evaluator
from irev.errors import InputError
from irev.jobs.leaderboard.scoring import ScoringSetup, prepare_scoring
from irev.measures.plugins import forget_measure
from irev.options import Options
from irev.read.stream import Source

WORSE = {"crash": 1, "exit": 2, "memory": 3, "loop": 4, "nan": 5, "fails": 6, "bug": 7, "deep": 8}

PLUGIN = """
import ctypes, math, os
import irev

@irev.topic_measure("NAME", cutoff="none")
def odd(grades, ideal):
    what = len(grades)
    if what == 1:
        ctypes.string_at(0)
    if what == 2:
        os._exit(3)
    if what == 3:
        held = bytearray(3 << 30)
    while what == 4:
        pass
    if what == 5:
        return math.nan
    if what == 6:
        raise ValueError("no")
    if what == 7:
        raise SystemExit(5)
    if what == 8:
        raise RecursionError
    return what / 100
"""


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Judgments, good runs of 10 and 20 documents, and bad ones."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 d1 1\n2 0 d2 1\n", encoding="utf-8")
    folder = Path("sub")
    folder.mkdir()
    for name, size in {"ten": 10, "twenty": 20, **WORSE}.items():
        rows = [f"{t} Q0 d{n} 1 {50 - n} {name}\n" for t in (1, 2) for n in range(size)]
        (folder / f"{name}.run").write_text("".join(rows))
    return folder


def call(*arguments):
    result = CliRunner().invoke(irev, ["leaderboard", "--test", "none", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def track(*arguments):
    return json.loads(call(*arguments, "--format", "json").stdout)["leaderboard"][0]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_costs_its_row(runs, threads):
    limits = ("--max-memory", "500MiB", "--max-seconds", "1")
    name = f"Odd{threads}"
    Path("odd.py").write_text(PLUGIN.replace("NAME", name), encoding="utf-8")
    plugin = ("--plugin", "odd.py", "-m", name)
    result = track(*plugin, *limits, "--threads", threads, "--log", "log", "qrels", runs)
    forget_measure(name)
    [board] = result["boards"]
    values = {run["run"]: run["measures"][name]["value"] for run in board["runs"]}
    assert values == {"twenty": 0.2, "ten": 0.1}
    reasons = {Path(each["path"]).stem: each["reason"] for each in result["broken"]}
    assert reasons.keys() == WORSE.keys()
    assert reasons["crash"] == "the reader crashed (signal 11)"
    assert reasons["exit"] == "the reader ended (exit code 3)"
    assert reasons["memory"] == "it needs more memory than 500 MiB (--max-memory)"
    assert reasons["loop"] == "it took longer than 1 s (--max-seconds)"
    log = Path("log").read_text(encoding="utf-8")
    assert "sub/bug.run: the reader failed: this is a bug in irev\n  hint: SystemExit: 5" in log
    for run, message in {
        "fails": "ValueError: no",
        "deep": "RecursionError",
        "nan": "it returned nan",
    }.items():
        assert f"sub/{run}.run: the measure {name} failed on topic 1: {message}" in log


def test_size_is_that_of_what_is_read(runs):
    result = call("-m", "map", "--max-size", "400", "qrels", runs)
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if line.startswith("sub/")]
    assert lines == ["sub/twenty.run: it is larger than 400 bytes decompressed (--max-size)"]
    # judgments are the organiser's, and may be larger
    assert "ten" in call("-m", "map", "--max-size", "400", "qrels", runs).stdout


def test_a_stricter_limit_of_a_track_stands_in_its_configuration(runs):
    Path("irev.toml").write_text(
        '[leaderboard]\nmeasures = ["map"]\n[[leaderboard.track]]\nname = "a"\nqrels = "qrels"\n'
        'runs = "sub"\nmax_size = "400"\n',
        encoding="utf-8",
    )
    result = call("--config", "irev.toml")
    assert "twenty.run: it is larger than 400 bytes decompressed (--max-size)" in result.stdout


def test_wrong_limits(runs):
    for arguments in (("--max-size", "2GB"), ("--max-seconds", "0"), ("--max-memory", "0")):
        assert call("-m", "map", *arguments, "qrels", runs).exit_code != 0


def test_judgments_that_cannot_be_read_are_the_organisers_mistake(runs):
    Path("qrels").write_text("1 0 d1 x\n", encoding="utf-8")
    result = call("qrels", runs)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("qrels:1: grade 'x' is not a whole number")
    Path("qrels").write_text("1 0 d1 1\n", encoding="utf-8")
    result = call("-m", "nosuch", "qrels", runs)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nosuch" in result.stderr


SCORES = "run,topic,map,averaged_over,left_out,signature\nx,1,{},,,\nx,2,0.5,,,\nx,all,0,2,0,{}\n"
SIGNED = "irev:0.1.0|m:map|q:{}|r:00000000|t:qrels/2|l:{}|ties:docid-desc"


def save_scores(folder):
    """Saved scores that can stand beside runs, and others."""
    import hashlib

    mine = hashlib.sha256(Path("qrels").read_bytes()).hexdigest()[:8]
    for name, content in {
        "fine": SCORES.format(0.9, SIGNED.format(mine, 1)),
        "nan": SCORES.format("nan", ""),
        "huge": SCORES.format("1e300", ""),
        "level": SCORES.format(0.9, SIGNED.format(mine, 2)),
        "judgments": SCORES.format(0.9, SIGNED.format("00000000", 1)),
        "measure": SCORES.format(0.9, "").replace("map", "P_5"),
        "topics": SCORES.format(0.9, "").replace("x,1,", "x,zz,"),
        "deep": '{"irev":' + "[" * 100_000,
        "two": "topic,ten,run\n1,0.8,0.7\n2,0.8,0.7\n",
    }.items():
        (folder / f"{name}.csv").write_text(content)


def test_saved_scores_are_taken_where_they_are_accepted(runs):
    for name in WORSE:
        (runs / f"{name}.run").unlink()
    save_scores(runs)
    # the matrix is called as its file, and so is its measure
    (runs / "two.csv").rename(runs / "map.csv")
    arguments = ("-m", "map", "--log", "log", "qrels", runs)
    result = track("--accept-scores", "--max-runs", "2", *arguments)
    [board] = result["boards"]
    assert {run["run"]: run["measures"]["map"]["value"] for run in board["runs"]} == {
        "fine": pytest.approx(0.7), "map:ten": 0.8, "map:run": 0.7, "ten": pytest.approx(5 / 12),
        "twenty": pytest.approx(5 / 12),
    }  # fmt: skip
    log = Path("log").read_text(encoding="utf-8")
    for name, message in {
        "nan": "is not a finite number on topic 1",
        "huge": "is too large a number on topic 1",
        "level": "the option level is 1 in one and 2 in the other",
        "judgments": "the qrels differ",
        "measure": "has no map",
        "topics": "1 of its topics are not judged: zz",
        "deep": "this JSON is damaged",
    }.items():
        assert any(f"{name}.csv" in line and message in line for line in log.splitlines()), message
    assert len(result["broken"]) == 7
    [board] = track(*arguments)["boards"]
    assert [run["run"] for run in board["runs"]] == ["ten", "twenty"]
    # with judgments or without them a file found in a folder has one run
    few = Path("few")
    few.mkdir()
    (runs / "map.csv").rename(few / "map.csv")
    for name, files in {
        "fine": ("qrels", runs / "fine.csv", few), "x": (runs / "fine.csv", few)
    }.items():  # fmt: skip
        result = track("--accept-scores", "--log", "log", "-m", "map", *files)
        assert [run["run"] for run in result["boards"][0]["runs"]] == [name]
        assert "map.csv: it holds 2 runs, and a submission may hold 1" in Path("log").read_text(
            encoding="utf-8"
        )


def test_many_that_cannot_be_scored_are_told_in_part(runs):
    many = Path("many")
    many.mkdir()
    for number in range(150):
        (many / f"{number:03}.run").write_text("no\n")
    (many / "ok.run").write_text("1 Q0 d1 1 1 t\n")
    short = call("-m", "map", "--log", "log", "qrels", many).stdout
    assert "many/009.run" in short
    assert "... and 140 more" in short
    result = call("-m", "map", "--log", "log", "--details", "qrels", many)
    for text in (result.stdout, result.stderr):
        assert "many/099.run" in text
        assert "many/100.run" not in text
        assert "... and 50 more" in text
    assert "150 could not be scored" in result.stderr
    assert len(Path("log").read_text(encoding="utf-8").splitlines()) >= 150
    data = track("-m", "map", "qrels", many)
    assert len(data["broken"]) == 150


def test_workers_give_the_bits_that_an_evaluation_gives(tmp_path):
    draw = random.Random(7)
    topics, documents = range(1, 24), range(90)
    qrels = tmp_path / "qrels"
    rows = [(t, d, draw.randint(-1, 3)) for t in topics for d in draw.sample(documents, 40)]
    qrels.write_text("".join(f"{t} 0 d{d} {grade}\n" for t, d, grade in rows))
    folder = tmp_path / "sub"
    folder.mkdir()
    for name in ("one", "two", "three", "four"):
        # tied scores, and judged topics that the run lacks
        lines = (
            f"{t} Q0 d{d} 1 {draw.randint(0, 30) / 7!r} {name}\n"
            for t in draw.sample(topics, 21)
            for d in draw.sample(documents, 60)
        )
        (folder / f"{name}.run").write_text("".join(lines))
    measures = ("map", "ndcg_cut.10", "bpref", "ERR@10", "RBP(p=0.8)", "recip_rank", "P.7")
    command = ("--threads", "3", *(f"-m{name}" for name in measures), qrels, folder)

    means = track(*command)["boards"][0]["runs"]
    lines = call(*command, "--per-topic", "--format", "jsonl").stdout.splitlines()

    by_topic = {(row["run"], row["topic"]): row for row in map(json.loads, lines)}
    by_run = {row["run"]: row["measures"] for row in means}
    evaluator = Evaluator(str(qrels), measures, Options(topics="qrels"))
    for path in sorted(folder.iterdir()):
        scores = evaluator.evaluate(str(path))
        names = [column.name for column in scores.columns]
        assert len(names) == len(measures)
        for topic, values in zip(scores.topics, scores.values.tolist(), strict=True):
            actual = by_topic.pop((path.stem, topic.decode()))
            assert [actual[name] for name in names] == values
        actual = by_run.pop(path.stem)
        assert {name: actual[name]["value"] for name in names} == scores.summary()
    assert not by_topic
    assert not by_run


@pytest.mark.parametrize("content", ["1 Q0 d1 1 1 t\n", "no run\n", SCORES.format(0.9, "")])
def test_a_submission_is_opened_once(tmp_path, monkeypatch, content):
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d2 1\n")
    monkeypatch.setattr(Source, "most", None)
    _, work = prepare_scoring(ScoringSetup(str(tmp_path / "qrels"), ("map",), Options()), Limits())
    mine = tmp_path / "mine"
    mine.write_text(content)
    opened, raw = [], Source._raw

    def note_text(source):
        opened.append(source.path)
        return raw(source)

    monkeypatch.setattr(Source, "_raw", note_text)
    with suppress(InputError):
        work(str(mine))
    assert opened == [str(mine)]
