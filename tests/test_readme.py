"""The README and the guides are true: every command runs, and prints what is shown."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files import ROOT

GUIDES = ["README.md", "docs/comparing.md", "docs/studies.md"]


def _blocks(guide: str, kind: str) -> list[str]:
    """The blocks of a kind, as they stand between their fences."""
    text = (ROOT / guide).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _commands() -> list[tuple[str, str]]:
    """(command, what it prints) for every line that begins with a prompt."""
    found = []
    for guide in GUIDES:
        for block in _blocks(guide, "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where commands may write: $TMPDIR."""
    return tmp_path_factory.mktemp("guides")


@pytest.mark.parametrize(("command", "output"), _commands())
def test_command(command: str, output: str, scratch: Path) -> None:
    """A command prints what is shown, to the byte."""
    shell = f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)},
        check=False,
    )

    assert done.stdout == output
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("guide", GUIDES)
def test_there_are_commands(guide: str) -> None:
    """The blocks are found, so that the tests above are about something."""
    assert len(_blocks(guide, "console")) >= 3
    assert _blocks(guide, "python")


@pytest.mark.parametrize("guide", GUIDES)
def test_python(guide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python examples give what is shown."""
    monkeypatch.chdir(ROOT)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    # one after another, as one session
    example = parser.get_doctest("".join(_blocks(guide, "python")), {}, guide, None, None)
    runner.run(example)

    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("guide", GUIDES)
def test_links(guide: str) -> None:
    """What a guide links to in the project is there."""
    text = (ROOT / guide).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in target:
            assert ((ROOT / guide).parent / target).exists(), target


def test_make_targets() -> None:
    """What the README makes is what the continuous build makes."""
    named = re.findall(r"^make (\w+)$", "\n".join(_blocks("README.md", "sh")), re.MULTILINE)
    build = (ROOT / ".ci" / "run").read_text()

    assert named == ["demo", "test"]
    assert all(f"make {target}" in build for target in named)
