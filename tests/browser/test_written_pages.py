"""The pages that `irev report` and `irev leaderboard` write of the sample runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import irev
from tests.browser.invented import HOSTILE_NAMES
from tests.browser.opened import DESK, LARGE, PHONE
from tests.browser.test_without_scripts import assert_says_the_same
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

QRELS = SAMPLE / "qrels.txt"
COMMANDS: dict[str, list[str]] = {
    "report": ["report", "-m", "map", "-m", "P.10"],
    "report of a baseline": ["report", "-m", "map", "--baseline", "bm25", "--tail", "greater"],
    "board": ["leaderboard", "--format", "html", "-m", "map", "-m", "P.10"],
    "board of two parts": ["leaderboard", "--format", "html", "--public", "50%"],
}


def write_page(folder: Path, words: list[str], runs: list[Path]) -> Path:
    """The page of a command line."""
    path = folder / "page.html"
    command = [sys.executable, "-m", "irev", *words, "--output", str(path), str(QRELS)]
    subprocess.run([*command, *map(str, runs)], check=True, capture_output=True)
    return path


def copied_runs(folder: Path) -> list[Path]:
    """The sample runs, and one with a name that would break out of a page."""
    paths = [*SAMPLE.glob("*.run"), *SAMPLE.glob("*.run.gz")]
    copies = [folder / path.name for path in paths]
    hostile = folder / HOSTILE_NAMES[0].replace("/", "∕")
    for path, copy in zip([*paths, SAMPLE / "bm25.run"], [*copies, hostile], strict=True):
        shutil.copy(path, copy)
    return sorted([*copies, hostile])


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_written_page_works(open_page, tmp_path, kind):
    path = write_page(tmp_path, COMMANDS[kind], copied_runs(tmp_path))
    if "two parts" not in kind:
        assert_says_the_same(open_page(path, scripts=False), open_page(path))
    opened = open_page(path, width=PHONE, scheme="dark", link={"all": "yes"})
    assert opened.layout_problems() == []
    assert open_page(path, width=DESK).layout_problems() == []
    opened = open_page(path, width=LARGE, link={"all": "yes"})
    for head in opened.texts("#table thead button"):
        opened.sort_by(head)
    opened.click("#table tbody tr:last-child input")
    opened.click("#table tbody tr:first-child .name")
    assert any("script" in name for name in opened.run_names())


def test_the_means_are_those_of_the_command(open_page, tmp_path):
    runs = [SAMPLE / "bm25.run", SAMPLE / "rm3.run"]
    opened = open_page(write_page(tmp_path, COMMANDS["report"], runs))
    shown = dict(zip(opened.run_names(), opened.column("map"), strict=True))
    for run in runs:
        mean = irev.evaluate(QRELS, run, ["map"], topics="qrels").summary()["map"]
        assert abs(float(shown[run.name.removesuffix(".run")]) - mean) <= 0.0005
