"""The inventory of what five papers define: every row is there, and every command works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command import irev
from tests.files import ROOT, SAMPLE

TEXT = (ROOT / "docs" / "evidence" / "inventory.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!what|---)(.+?) \| (.+) \|$", TEXT, re.MULTILINE)
COMMANDS = [shlex.split(cell.strip("`")) for _, cell in ROWS if cell.startswith("`irev ")]


def test_every_row_is_there() -> None:
    """38 of Kishida, 4 of Zhai and Massung, 24 of Sakai, 18 of Fan, 16 of Yilmaz and Aslam."""
    counts = [part.count("\n| ") - 1 for part in TEXT.split("\n## ")[1:]]
    assert counts == [38, 4, 24, 18, 16]
    assert len({what for what, _ in ROWS}) > 90
    others = [cell for _, cell in ROWS if not cell.startswith("`irev ")]
    assert sum(cell.startswith("no tool's job") for cell in others) == 2
    assert len(others) == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands find their files, and leave what they write."""
    folder = tmp_path_factory.mktemp("inventory")
    (folder / "sample_data").symlink_to(SAMPLE)
    (folder / "teams.txt").write_text("bm25.run one\nrm3.run two\nfusion.run two\n")
    return folder


@pytest.mark.in_turn(3)
@pytest.mark.usefixtures("unplaced")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_command_works(words: list[str], folder: Path) -> None:
    """It ends well and prints something, or writes its file; the numbers are tested elsewhere."""
    done = irev(*words[1:], cwd=folder)
    assert done.code == 0, done.err
    if "--output" in words:
        written = folder / words[words.index("--output") + 1]
        assert written.stat().st_size > 0
    else:
        assert done.out
