"""Tables on a terminal: turned or cut into blocks where they are wider; in a pipe never."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command import irev
from tests.files import SAMPLE

pty = pytest.importorskip("pty")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

FILES = ("qrels.txt", "bm25.run", "rm3.run")
OFFICIAL = ("--format", "table", "-m", "official", *FILES)


def terminal_lines(columns: int, *arguments: str, code: int = 0, **variables: str) -> list[str]:
    """The lines on a terminal of so many columns, without colours unless `variables` say so.

    A line that says how far a slow machine is, rewritten and wiped, is none of them.
    """
    text = terminal_output(columns, ("-m", "irev", *arguments), code, **variables)
    return re.sub(r"\r(?!\n)(?:[^\r\n]+\r(?!\n))+", "", text).replace("\r", "").splitlines()


def terminal_output(columns: int, arguments: Sequence[str], code: int = 0, **variables: str) -> str:
    """All that Python, called so, writes to the terminal."""
    child, terminal = pty.fork()
    if not child:
        for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
            os.environ.pop(name, None)
        os.environ.update(variables or {"NO_COLOR": "1"})
        os.chdir(SAMPLE)
        os.execv(sys.executable, [sys.executable, *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    output = b""
    try:
        while block := os.read(terminal, 1 << 16):
            output += block
    except OSError:
        pass  # how Linux tells the end
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code, output
    return output.decode()


@pytest.mark.thorough
def test_measures_become_rows() -> None:
    lines = [line for line in terminal_lines(80, *OFFICIAL) if not line.startswith("irev")]
    assert lines[0].split() == ["run", "bm25", "rm3"]
    table = lines[: lines.index("")]
    assert max(map(len, table)) <= 80
    piped = irev(*OFFICIAL, cwd=SAMPLE).out.decode().splitlines()
    across = [line.split() for line in (piped[0], *piped[2:4])]
    down = [line.split() for line in (lines[0], *table[2:])]
    assert [list(row) for row in zip(*down, strict=True)] == across


def test_what_fits_is_left_alone() -> None:
    arguments = ("--format", "table", "-m", "map", *FILES)
    piped = irev(*arguments, cwd=SAMPLE).out.decode().splitlines()
    lines = [line for line in terminal_lines(100, *arguments) if not line.startswith("irev: ")]
    assert lines == piped


def test_ids_do_not_drive_the_terminal(tmp_path: Path) -> None:
    """They are escaped there; a pipe has the bytes as they are."""
    topic = "1\x1b[2J\x07\x9b31m\u202eé"
    (tmp_path / "q").write_text(f"{topic} 0 a 1\n", encoding="utf-8")
    (tmp_path / "r").write_text(f"{topic} Q0 a 1 1 \x1b]0;title\x07\n", encoding="utf-8")
    arguments = ("-q", "-m", "map", "-m", "runid", str(tmp_path / "q"), str(tmp_path / "r"))
    lines = terminal_lines(80, *arguments)
    assert not any(character in line for line in lines for character in "\x1b\x07\x9b\u202e")
    output = [line for line in lines if not line.startswith("irev: warning")]
    assert output == [
        "map                   \t1\\x1b[2J\\x07\\u009b31m\\u202eé\t1.0000",
        "runid                 \tall\t\\x1b]0;title\\x07",
        "map                   \tall\t1.0000",
    ]
    assert topic.encode() in irev(*arguments).out


@pytest.mark.thorough
def test_a_file_is_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "out"
    terminal_lines(40, "--output", str(file), *OFFICIAL)
    assert file.read_bytes() == irev(*OFFICIAL, cwd=SAMPLE).out


FAILING = ("gate", "qrels.txt", "bm25.run", "--min", "map=0.9,P_10=0.9", "--places", "2")
RED, PLAIN = "\x1b[31m\x1b[1m", "\x1b[0m"


@pytest.mark.thorough
def test_colours() -> None:
    """A terminal has them unless NO_COLOR is set; a pipe has none unless FORCE_COLOR is."""
    seen = terminal_lines(100, *FAILING, code=1, TERM="xterm")
    assert seen[0].startswith(f"{RED}FAILED{PLAIN}: ")
    assert any(line.startswith(f"{RED}failed{PLAIN} ") for line in seen)
    missing = terminal_lines(100, "qrels.txt", "none.run", code=2, TERM="xterm")
    assert missing == [f"{RED}irev: error:{PLAIN} none.run: there is no such file"]
    for variables in ({"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}):
        assert "\x1b" not in "".join(terminal_lines(100, *FAILING, code=1, **variables))


def test_a_pipe_has_no_colours_unless_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plain = irev(*FAILING, cwd=SAMPLE)
    assert b"\x1b" not in plain.out
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = irev(*FAILING, cwd=SAMPLE)
    assert forced.out.decode().startswith(f"{RED}FAILED{PLAIN}")
    monkeypatch.setenv("NO_COLOR", "1")
    assert irev(*FAILING, cwd=SAMPLE).out == plain.out


AT_ONCE = "import irev.cli.output as p; p._FIRST = p._NEXT = 0; import irev.cli; irev.cli.main()"
"""A program whose line of progress does not wait for a second to pass."""


@pytest.mark.thorough
def test_progress_is_a_line_that_is_wiped() -> None:
    call = ("-m", "map", "qrels.txt", "bm25.run")
    output = terminal_output(80, ("-c", AT_ONCE, *call))
    progress, end, printed = output.rpartition("\r" + " " * len("bm25.run: 100%, 12 topics") + "\r")
    assert end
    assert progress.startswith("\rqrels.txt: 100%")
    assert progress.endswith("\rbm25.run: 100%, 12 topics")
    assert "\n" not in progress
    assert printed.replace("\r", "").encode() == irev(*call, cwd=SAMPLE).out
    assert terminal_output(80, ("-c", AT_ONCE, "--quiet", *call)) == printed


@pytest.mark.thorough
def test_what_stands_below_a_board_stands_there_alone(tmp_path: Path) -> None:
    """A pipe takes the board elsewhere: then stderr has it, too."""
    (tmp_path / "odd.run").write_text("1 Q0 d 1 x t\n", encoding="utf-8")
    call = ("leaderboard", "-m", "map", "qrels.txt", "bm25.run", str(tmp_path / "odd.run"))
    assert " ".join(terminal_lines(100, *call)).count("score is not a number") == 1
    piped = irev(*call, cwd=SAMPLE)
    assert b"score is not a number" in piped.out
    assert "score is not a number" in piped.err
