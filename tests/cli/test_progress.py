"""The line on a terminal that says how far a command is."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

import irev
from irev.cli import output
from irev.cli.output import ProgressLine, hide_progress
from irev.core.workers import report_progress
from irev.read import pieces
from tests.files import SAMPLE


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """It is."""
        return True


class Clock:
    """Seconds, as a test sets them."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_nothing_is_shown_in_the_first_second_and_little_after_it() -> None:
    stream, clock = Terminal(), Clock()
    line = ProgressLine(stream, 80, clock)
    line.report_read("runs/a.run", 10, 40)
    assert stream.getvalue() == ""
    for clock.now in (0.9, 1.5, 1.52, 1.54, 2):
        line.report_read("runs/a.run", 20, 40)
    assert stream.getvalue() == "\ra.run: 50%" * 2


def test_a_shorter_text_covers_a_longer_one() -> None:
    stream, clock = Terminal(), Clock()
    line = ProgressLine(stream, 80, clock)
    for second, topics in enumerate((1234, 1), 2):
        clock.now = second
        line.report_scored("-", topics)
    assert stream.getvalue() == "\r-: 1,234 topics\r-: 1 topic     "
    line.report_end("-")
    assert stream.getvalue().endswith(f"\r{' ' * len('-: 1 topic')}\r")


def test_the_line_fits_the_terminal_and_drives_it_nowhere() -> None:
    stream, clock = Terminal(), Clock()
    line = ProgressLine(stream, 30, clock)
    clock.now = 2
    line.report_done("runs", 3, 20)
    clock.now = 3
    line.report_read("a\x1b\n" + "b" * 60, 7_000_000, None)
    last = stream.getvalue().rpartition("\r")[2]
    assert last == "runs: 3 of 20; a\\x1b\\nbbbbbbb"[:29]
    assert "\x1b" not in stream.getvalue()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One whose line does not wait, of pieces of few bytes."""
    monkeypatch.setattr(output, "_FIRST", 0)
    monkeypatch.setattr(output, "_NEXT", 0)
    monkeypatch.setattr(pieces, "PIECE", 1000)
    return Terminal()


def shares(terminal: Terminal, name: str) -> list[int]:
    """The shares of a file that were shown, per cent."""
    states = [s for s in terminal.getvalue().split("\r") if s.startswith(f"{name}: ")]
    return [int(s.partition(": ")[2].partition("%")[0]) for s in states]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_share_is_of_the_bytes_of_the_file(
    terminal: Terminal, tmp_path: Path, suffix: str
) -> None:
    """Of a compressed one of those that it has on the disk."""
    text = (SAMPLE / "bm25.run").read_bytes()
    run = tmp_path / f"b.run{suffix}"
    run.write_bytes(gzip.compress(text) if suffix else text)
    with output.show_progress(terminal, lambda _: 80):
        irev.evaluate(str(SAMPLE / "qrels.txt"), str(run), "map")
    actual = shares(terminal, run.name)
    assert actual == sorted(actual)
    assert actual[-1] == 100
    assert suffix or len(set(actual)) > 10
    assert "12 topics" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


def test_what_is_no_terminal_hears_nothing() -> None:
    stream = io.StringIO()
    with output.show_progress(stream, lambda _: 80):
        assert list(report_progress([1, 2, 3], 3, "runs")) == [1, 2, 3]
    assert stream.getvalue() == ""


def test_other_text_comes_in_place_of_the_line(terminal: Terminal) -> None:
    with output.show_progress(terminal, lambda _: 80):
        for _ in report_progress("ab", 2, "runs"):
            with hide_progress():
                terminal.write("said\n")
    states = terminal.getvalue().split("\r")
    assert states == ["said\n", "runs: 1 of 2", " " * len("runs: 1 of 2"), "said\n"]
