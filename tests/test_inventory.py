"""The inventory of what five papers define: every row is there, and every command can be called."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest

from irev.cli.commands import COMMANDS as IREV_COMMANDS
from irev.cli.commands import DEFAULT
from irev.cli.commands import irev as program
from irev.measures.names import resolve

TEXT = (Path(__file__).parent.parent / "docs" / "inventory.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_command_can_be_called(words: list[str]) -> None:
    """Its options and measures are known; what they compute is tested elsewhere."""
    given = words[1:] if words[1] in IREV_COMMANDS else [DEFAULT, *words[1:]]
    command: click.Command = program
    parent = click.Context(program, info_name="irev")
    while isinstance(command, click.Group):
        name, found, given = command.resolve_command(parent, given)
        assert found is not None
        assert name is not None
        command, parent = found, click.Context(found, info_name=name, parent=parent)
    context = command.make_context(command.name, list(given), parent=parent.parent)
    assert not context.args
    for flag, text in pairwise(words):
        if flag == "-m":
            assert resolve([text])
