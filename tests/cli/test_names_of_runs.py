"""What runs are called: in every command that sets runs against each other the same."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from pathlib import Path

import pytest

import irev as library
from tests.command import irev

AGAINST_EACH_OTHER = (
    ("compare", "-m", "map"),
    ("study", "robustness", "-m", "map", "--rates", "100", "--repeat", "1"),
    ("study", "preference"),
    ("study", "discriminative-power", "-m", "map", "--resamples", "10"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    for place, rank in (("a/x.run", "d1 d2"), ("b/x.run", "d2 d1"), ("b/y.run", "d3 d1")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        tag = place[0].upper() * 70 + place[2]
        lines = (
            f"{topic} Q0 {document} {at} {9 - at} {tag}\n"
            for topic in (1, 2)
            for at, document in enumerate(rank.split(), 1)
        )
        (tmp_path / place).write_text("".join(lines))
    return tmp_path


def _names(folder: Path, *words: str) -> list[str]:
    ran = irev(*words, "--format", "json", cwd=folder)
    assert ran.code == 0, ran.err
    return re.findall(r'"run": "(.*)",\n *"path"', ran.out.decode())


def _column(folder: Path, *words: str) -> list[str]:
    ran = irev(*words, "--format", "csv", cwd=folder)
    return [row["run"] for row in csv.DictReader(ran.out.decode().splitlines())]


@pytest.mark.parametrize("command", AGAINST_EACH_OTHER, ids=" ".join)
@pytest.mark.parametrize(
    ("runs", "called"),
    [
        (["a/x.run", "b/y.run"], ["x", "y"]),
        (["a/x.run", "b/x.run", "b/y.run"], ["a/x", "b/x", "y"]),
    ],
)
def test_by_files_and_by_paths_where_two_files_are_called_alike(
    folder: Path, command: tuple[str, ...], runs: list[str], called: list[str]
) -> None:
    assert _names(folder, *command, "qrels", *runs) == called
    with contextlib.chdir(folder):
        assert [*library.evaluate("qrels", runs, "map")] == called
    board = _column(folder, "leaderboard", "-m", "map", "qrels", *runs)
    assert sorted(board) == called
    assert _column(folder, "-m", "map", "qrels", *runs) == called


@pytest.mark.parametrize("command", AGAINST_EACH_OTHER, ids=" ".join)
def test_by_tags_which_are_cut(folder: Path, command: tuple[str, ...]) -> None:
    actual = _names(folder, *command, "--names", "tag", "qrels", "a/x.run", "b/y.run")
    assert actual == ["A" * 61 + "...", "B" * 61 + "..."]


def test_eval_calls_runs_so_in_every_form_but_trec(folder: Path) -> None:
    runs = ("a/x.run", "b/x.run", "b/y.run")
    for form in ("table", "csv", "json", "markdown", "latex", "html"):
        ran = irev("-q", "-m", "map", "--format", form, "qrels", *runs, cwd=folder)
        text = ran.out.decode()
        assert ran.code == 0
        if form == "json":
            data = json.loads(text)["runs"]
            assert [run["run"] for run in data] == ["a/x", "b/x", "y"]
            assert [run["path"] for run in data] == [*runs]
        else:
            assert "a/x" in text
            assert ".run" not in text
        assert "warning: b/x" not in ran.err  # a and b rank differently
    text = irev("-m", "map", "qrels", *runs, cwd=folder).out.decode()
    assert re.findall("^# (.*)$", text, re.MULTILINE) == [*runs]


@pytest.mark.parametrize("form", ["trec", "csv", "json"])
def test_saved_scores_have_the_names_that_the_runs_had(folder: Path, form: str) -> None:
    for number, runs in enumerate((["a/x.run", "b/x.run", "b/y.run"], ["b/y.run", "a/x.run"])):
        ran = irev("-q", "-m", "map", "--format", form, "qrels", *runs, cwd=folder)
        (folder / f"saved{number}").write_bytes(ran.out)
        words = ("compare", "-m", "map", f"saved{number}")
        assert _names(folder, *words) == _names(folder, "compare", "-m", "map", "qrels", *runs)


@pytest.mark.parametrize("command", [("-m", "map"), AGAINST_EACH_OTHER[0]], ids=" ".join)
def test_names_in_a_directory_are_paths_below_it(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "all").mkdir()
    for name in "ab":
        (folder / name).rename(folder / "all" / name)
    first = _names(folder, *command, "qrels", "all")
    assert first == ["a/x", "b/x", "b/y"]
    (folder / "all" / "c").mkdir()
    (folder / "all" / "c" / "y.run").write_text("1 0 d2 1 7 c\n2 0 d2 1 7 c\n")
    assert _names(folder, *command, "qrels", "all") == [*first, "c/y"]


def test_a_twin_is_named_as_all_runs_are(folder: Path) -> None:
    (folder / "z.run").write_bytes((folder / "a/x.run").read_bytes())
    output = "irev: warning: x and z rank the same documents in the same order\n"
    for command in (("-m", "map"), ("compare", "-m", "map")):
        assert irev(*command, "qrels", "a/x.run", "z.run", cwd=folder).err.count(output) == 1


@pytest.mark.parametrize("baseline", ["b/x.run", "saved"])
def test_a_gate_calls_run_and_baseline_so(folder: Path, baseline: str) -> None:
    irev("gate", "--min", "map=0", "--save", "saved", "qrels", "b/y.run", cwd=folder)
    (folder / "z.run").write_bytes((folder / "a/x.run").read_bytes().splitlines(True)[0])
    name = {"b/x.run": "x", "saved": "y"}[baseline]
    options = ("--baseline", baseline, "-m", "map", "--details")
    ran = irev("gate", *options, "qrels", "z.run", cwd=folder)
    assert f" of {name}; tolerance" in ran.out.decode()
    assert re.findall(r"^(?:run|baseline)  +(\S+)$", ran.out.decode(), re.MULTILINE) == ["z", name]
    assert "warning: z lacks 1 of 2 judged topics" in ran.err


def test_a_pool_calls_its_runs_so(folder: Path) -> None:
    runs = ("a/x.run", "b/x.run", "b/y.run")
    ran = irev(
        "pool", "--depth", "1", "--report", "report", "--design", "design", *runs, cwd=folder
    )
    assert [f"note: {name}: 2 documents" in ran.err for name in ("a/x", "b/x", "y")] == [True] * 3
    assert "\ta/x\n" in (folder / "report").read_text(encoding="utf-8")
    design = json.loads((folder / "design").read_text(encoding="utf-8"))
    assert [run["path"] for run in design["runs"]] == [*runs]


def test_a_file_name_forges_no_value(folder: Path) -> None:
    """Of several runs each is headed by its path, on one line whatever that holds."""
    (folder / "b/y.run").rename(folder / "b/y\nmap\tall\t1.0000\r.run")
    ran = irev("-m", "map", "qrels", "b", cwd=folder)
    kinds = [line[:3] for line in ran.out.replace(b"\r", b"\n").split(b"\n")]
    assert kinds == [b"# b", b"map", b"# b", b"map", b""]
    assert b"# b/y\\nmap\tall\t1.0000\\r.run\n" in ran.out


@pytest.mark.parametrize("command", AGAINST_EACH_OTHER, ids=" ".join)
def test_names_of_ones_own_stand_before_files(folder: Path, command: tuple[str, ...]) -> None:
    """A name may have blanks and signs; another file that is called so has its ending."""
    names = _names(folder, *command, "qrels", "Ours k1=0.9=b/y.run", "x=a/x.run", "b/x.run")

    assert sorted(names) == ["Ours k1=0.9", "x", "x.run"]


def test_names_of_ones_own_stand_in_every_form_of_output(folder: Path) -> None:
    """A file that is itself called NAME=FILE is that file."""
    (folder / "a=b").mkdir()
    (folder / "a=b/y.run").write_bytes((folder / "b/y.run").read_bytes())
    runs = ["qrels", "Our & mine=b/y.run", "a=b/y.run"]
    ran = irev("-m", "map", *runs, cwd=folder)
    tex = irev("-m", "map", "--format", "latex", *runs, cwd=folder)
    gate = irev("gate", "qrels", "New=a/x.run", "--baseline", "Old=b/y.run", cwd=folder)
    irev("-q", "-m", "map", "--output", "saved.json", *runs, cwd=folder)

    assert re.findall(rb"^# (.*)", ran.out, flags=re.MULTILINE) == [b"Our & mine", b"a=b/y.run"]
    assert rb"Our \& mine" in tex.out
    assert b"run New, baseline Old" in gate.out
    assert sorted(_names(folder, "compare", "A=saved.json[y]", "saved.json[Our & mine]")) == [
        "A", "Our & mine",
    ]  # fmt: skip
    board = irev("leaderboard", "qrels", "Ours=b/y.run", "b/x.run", "--format", "csv", cwd=folder)
    assert {row["run"] for row in csv.DictReader(board.out.decode().splitlines())} == {"Ours", "x"}
    page = irev("report", "qrels", "Ours=b/y.run", "b/x.run", cwd=folder).out
    assert b"irev report qrels Ours=y.run x.run" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["A=a/x.run", "A=b/y.run"], "two runs are called A: a/x.run and b/y.run"),
        (["A=b", "a/x.run"], "A=b: a name is for one run, not for all in b"),
        (["A=b/*.run", "a/x.run"], "A=b/*.run: a name is for one run"),
        (["A=nothing.run", "a/x.run"], "A=nothing.run: there is no such file"),
        (["A=two.csv", "a/x.run"], "A=two.csv: a name is for one run, and this file has p, q"),
    ],
)
def test_a_name_of_ones_own_is_for_one_run(folder: Path, words: list[str], said: str) -> None:
    rows = (f"{run},{topic},d1,1" for run in "pq" for topic in (1, 2))
    (folder / "two.csv").write_text("\n".join(["run,qid,docno,score", *rows, ""]))
    ran = irev("compare", "qrels", *words, cwd=folder)

    assert ran.code == 2
    assert said in ran.err
