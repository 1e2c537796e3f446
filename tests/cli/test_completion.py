"""Completion: what a shell is offered, what bash does with it, and its setting up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.command import irev
from tests.each import for_each
from tests.files import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def _answer(line: str) -> list[str]:
    """The answer to bash when the cursor is at the end of a line."""
    environment = {
        "_IREV_COMPLETE": "bash_complete", "COMP_LINE": line, "COMP_POINT": str(len(line.encode())),
    }  # fmt: skip
    done = irev(environment=environment)
    assert (done.err, done.code) == ("", 0)
    return done.out.decode().splitlines()


def _completions(line: str) -> list[str]:
    return [text.partition(",")[2] for text in _answer(line)]


@for_each(
    ("line", "offered"),
    [
        ("irev study ", "correlation"),
        ("irev study corr", "correlation"),
        ("irev plot rec", "recall-precision"),
        ("irev plot recall-precision --out", "--output"),
        ("irev comp", "compare"),
        ("irev --for", "--format"),
        ("irev --format js", "json"),
        ("irev --format=js", "json"),
        ("irev -m ndcg_c", "ndcg_cut"),
        ("irev -m map,ndcg_c", "map,ndcg_cut"),
        ("irev -m map,P@5,nDC", "map,P@5,nDCG"),
        ("irev compare --by x -m map,RB", "map,RBP"),
        ("irev measures infA", "infAP"),
        ("irev completion z", "zsh"),
        ("irev qrels run --sort nDC", "nDCG"),
        ("irev -T ms", "msmarco"),
        ("irev compare -R sub", "subtopics"),
        ("irev --topics bo", "both"),
    ],
)
def test_what_is_offered(line: str, offered: str) -> None:
    """Commands, kinds, options, choices, formats, measures; also within a list."""
    assert offered in _completions(line)


@pytest.mark.parametrize(
    "line",
    ["irev x", "irev compare x", "irev study topics q x", "irev gate --baseline x",
     "irev --topics x", "irev compare --output x", "irev gate --config x"],
)  # fmt: skip
def test_paths_are_left_to_the_shell(line: str) -> None:
    assert "file,x" in _answer(line)


def test_bash_ends_a_word_at_a_colon() -> None:
    """What it puts in is what follows that."""
    assert "beir" in _completions("irev -m suite:be")
    assert "beir" in _completions("irev -m map,suite:be")
    assert "suite:beir" in _completions("irev -m suit")


@pytest.mark.parametrize(
    "line",
    ["irev study nothing ", "irev comapre ", "irev --no", "irev -m 'map ", "irev gate --xx "],
)
def test_nothing_is_run_and_nothing_said(line: str) -> None:
    """Whatever is wrong with the line."""
    environment = {"_IREV_COMPLETE": "bash_complete", "COMP_LINE": line, "COMP_POINT": "99"}
    done = irev(environment=environment)

    assert done.err == ""
    assert b"rror" not in done.out


def test_scripts_of_click_go_on_working() -> None:
    """They give the words that bash makes."""
    environment = {
        "_IREV_COMPLETE": "bash_complete", "COMP_WORDS": "irev study rob", "COMP_CWORD": "2"
    }  # fmt: skip
    assert irev(environment=environment).out == b"plain,robustness\n"
    assert b"complete -o nosort" in irev(environment={"_IREV_COMPLETE": "bash_source"}).out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path: Path) -> None:
    """The script as bash runs it."""
    program = tmp_path / "irev"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m irev \"$@\"\n")
    program.chmod(0o755)
    script = """
        eval "$(irev completion bash)"
        try() { COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=(); _irev_completion irev
                echo "${COMPREPLY[@]}"; }
        compopt() { :; }
        try irev study rob
        try irev -m map,suite:nt
    """
    environment = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, encoding="utf-8", env=environment
    )

    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first == "robustness"
    assert second.split()[0].startswith("nt")


@pytest.mark.parametrize(("shell", "start"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_setting_up_twice_is_setting_up_once(shell: str, start: str, tmp_path: Path) -> None:
    """The line is added to what is there, and the files are named."""
    (tmp_path / start).write_text("export A=1")
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": ""}
    first = irev("completion", shell, "--install", environment=home)
    written = (tmp_path / start).read_text(encoding="utf-8")
    second = irev("completion", shell, "--install", environment=home)

    script = tmp_path / ".local/share/irev" / f"completion.{shell}"
    assert (first.code, first.out, second.code) == (0, b"", 0)
    assert written == f'export A=1\nsource "{script}"  # irev completion\n'
    assert (tmp_path / start).read_text(encoding="utf-8") == written
    assert script.read_bytes() == irev("completion", shell).out
    assert str(script) in first.err
    assert f"added a line to {tmp_path / start}" in first.err
    assert f"{tmp_path / start} names it already" in second.err


def test_fish_finds_its_script_by_itself(tmp_path: Path) -> None:
    """In the folder that it searches."""
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = irev("completion", "fish", "--install", environment=home)

    script = tmp_path / "config/fish/completions/irev.fish"
    assert done.code == 0
    assert script.read_bytes() == irev("completion", "fish").out
    assert b"_irev_completion" in script.read_bytes()


def test_a_shell_must_be_known() -> None:
    """And named."""
    assert "choose one of bash, zsh, fish" in irev("completion", "csh").err
    assert irev("completion", "csh").code == 2
    assert "give the name of your shell" in irev("completion").err


def test_a_start_file_that_cannot_be_written(tmp_path: Path) -> None:
    """An error that names it."""
    (tmp_path / ".bashrc").mkdir()
    done = irev("completion", "bash", "--install", environment={"HOME": str(tmp_path)})

    assert done.code == 2
    assert f"{tmp_path / '.bashrc'}: this cannot be written" in done.err
