"""The README is true: every command in it runs, and prints what is shown."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

CONSOLE = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _commands() -> list[tuple[str, str]]:
    """(command, what it prints) for every line that begins with a prompt."""
    found = []
    for block in CONSOLE:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "output"), _commands())
def test_command(command: str, output: str) -> None:
    """A command prints what the README shows, to the byte."""
    shell = f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )

    assert done.stdout == output
    assert "Traceback" not in done.stderr


def test_there_are_commands() -> None:
    """The blocks are found, so that the tests above are about something."""
    assert len(_commands()) >= 10
    assert len(PYTHON) == 2


def test_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python examples give what is shown."""
    monkeypatch.chdir(ROOT)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    # one after another, as one session
    example = parser.get_doctest("".join(PYTHON), {}, "README", None, None)
    runner.run(example)

    assert runner.summarize(verbose=False).failed == 0


def test_make_targets() -> None:
    """What the README makes is what the continuous build makes."""
    named = re.findall(r"^make (\w+)$", "\n".join(SHELL), re.MULTILINE)
    build = (ROOT / ".ci" / "run").read_text()

    assert named == ["demo", "test"]
    assert all(f"make {target}" in build for target in named)
