"""What runs are called: in every command that sets runs against each other the same."""

from __future__ import annotations

import contextlib
import csv
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
    assert _column(folder, "-m", "map", "qrels", *runs) == runs


@pytest.mark.parametrize("command", AGAINST_EACH_OTHER, ids=" ".join)
def test_by_tags_which_are_cut(folder: Path, command: tuple[str, ...]) -> None:
    found = _names(folder, *command, "--names", "tag", "qrels", "a/x.run", "b/y.run")
    assert found == ["A" * 61 + "...", "B" * 61 + "..."]
