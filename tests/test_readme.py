"""The README and the guides are true: every command runs, and prints what is shown."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from glob import glob
from itertools import chain
from pathlib import Path

import pytest

from tests.command import irev
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
    """Where commands may write: ${TMPDIR:-/tmp}."""
    return tmp_path_factory.mktemp("guides")


HERE = re.compile(r"irev (?P<words>[^<;|]+?)(?P<stderr> 2>(?:&1|/dev/null))?(?: \| (?P<rest>.*))?")
"""A call that needs no shell but for what reads its output."""


def _printed(command: str, scratch: Path) -> tuple[str, str]:
    """What a command prints: stdout and what is left of stderr."""
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)}
    call = HERE.fullmatch(command)
    if not call:
        shell = f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n{command}'
        return _shell(shell, b"", environment)
    words = shlex.split(call["words"].replace("${TMPDIR:-/tmp}", str(scratch)))
    files = [sorted(glob(word, root_dir=ROOT)) if "*" in word else [word] for word in words]
    ran = irev(*chain.from_iterable(files), cwd=ROOT, environment=environment)
    out = ran.out + ran.err.encode() * (call["stderr"] == " 2>&1")
    if call["rest"]:
        return _shell(call["rest"], out, environment)[0], ran.err
    return out.decode(), ran.err


def _shell(line: str, given: bytes, environment: dict[str, str]) -> tuple[str, str]:
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=ROOT, input=given, capture_output=True, env={**os.environ, **environment}, check=False,
    )  # fmt: skip
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("command", "output"), _commands())
def test_command(command: str, output: str, scratch: Path) -> None:
    """A command prints what is shown, to the byte."""
    out, err = _printed(command, scratch)

    assert out == output
    assert "Traceback" not in err


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
