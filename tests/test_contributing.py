"""The worked examples of CONTRIBUTING.md, done on a copy of the tree in the order of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.files import ROOT, copy_to_change

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NEEDED = ("irev", "sample_data", "tests", "tools", "docs", "pyproject.toml", "CONTRIBUTING.md")

OVER_RECORDS = (
    "tests/api/test_copies.py", "tests/cli/test_forms_of_commands.py", "tests/cli/test_help.py",
    "tests/cli/test_warnings.py",
    "tests/core/test_records.py", "tests/jobs/studies/test_signed_choices.py",
    "tests/jobs/test_job.py", "tests/read/test_formats.py", "tests/statistics/test_methods.py",
    "tests/test_layers.py", "tests/writers/test_forms.py",
)  # fmt: skip
"""Tests of every form, format, test of significance, command and study."""

PLACE = re.compile(
    r"(?:In\s+`(?P<path>[^`]+)`,\s+(?P<how>at the end|below|above)"
    r"(?:\s+`(?P<anchor>[^`]+)`)?|`(?P<new>[^`]+)`, a new file)$"
)
CALL = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Step(NamedTuple):
    """A block of the page: code with the sentence that says where it goes, or calls."""

    sentence: str
    kind: str
    text: str


def steps() -> list[Step]:
    """The blocks of code and of calls, in order."""
    blocks = []
    sentence = ""
    for part in re.split(r"^(```\w+\n.*?^```)$", PAGE, flags=re.MULTILINE | re.DOTALL):
        fence = re.match(r"```(python|toml|text|console)\n(.*)```", part, re.DOTALL)
        if fence and (fence[1] != "text" or PLACE.search(sentence)):
            blocks.append(Step(sentence, *fence.groups()))
        sentence = part.strip().rpartition("\n\n")[2].removesuffix(":")
    return blocks


def put(step: Step, tree: Path) -> None:
    """Put code where the sentence before it says."""
    place = PLACE.search(step.sentence)
    assert place, step.sentence
    if place["new"]:
        (tree / place["new"]).write_text(step.text, encoding="utf-8")
        return
    path = tree / place["path"]
    text = path.read_text(encoding="utf-8")
    if place["how"] == "at the end":
        path.write_text(f"{text}\n\n{step.text}", encoding="utf-8")
        return
    assert text.count(place["anchor"]) == 1, place["anchor"]
    start = text.index(place["anchor"])
    if place["how"] == "below":
        end = text.index("\n", start) + 1
        text = text[:end] + step.text + text[end:]
    else:
        begin = text.rindex("\n", 0, start) + 1
        text = f"{text[:begin]}{step.text}\n\n{text[begin:]}"
    path.write_text(text, encoding="utf-8")


def call_output(line: str, tree: Path, programs: Path) -> str:
    """What a call of the page prints, of whatever programs it is made."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(tree)}
    done = subprocess.run(
        ["bash", "-c", line], cwd=tree, env=environment, capture_output=True, encoding="utf-8"
    )
    return done.stdout if done.stdout or not done.stderr else done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the examples change and call."""
    copy = tmp_path / "tree"
    copy.mkdir()
    for name in NEEDED:
        copy_to_change(ROOT / name, copy / name, "__pycache__", "golden")
    return copy


@pytest.mark.thorough
def test_examples(tree: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("irev", "-m irev"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        program.chmod(0o755)
    done = dict.fromkeys(("python", "toml", "text", "console"), 0)
    for step in steps():
        done[step.kind] += 1
        if step.kind != "console":
            put(step, tree)
            continue
        for line, expected in CALL.findall(step.text):
            pattern = "".join(
                ".*" if part == "...\n" else re.escape(part) for part in expected.splitlines(True)
            )
            output = call_output(line, tree, programs)
            assert re.fullmatch(pattern, output, re.DOTALL), f"$ {line}\n{output}"
    assert all(done.values())
    assert sum(done.values()) >= 25

    # with all of them together the tests over all records pass, too
    words = ("-m pytest -q -n 0 -p no:cacheprovider", "-k 'not changes_a_number'", *OVER_RECORDS)
    output = call_output(f"python {' '.join(words)}", tree, programs)
    assert re.search(r"^\d{3} passed", output, re.MULTILINE), output
    assert "failed" not in output, output
