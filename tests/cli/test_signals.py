"""Signals that end the program: its exit code, no traceback, no half-written file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.files import SAMPLE

FILES = (str(SAMPLE / "qrels.txt"), str(SAMPLE / "bm25.run"))

AT_IMPORT = """
import builtins, os, signal, sys
importing = builtins.__import__
def imported(name, *rest):
    if name.startswith({module!r}):
        builtins.__import__ = importing
        signal.raise_signal({number})
    return importing(name, *rest)
from irev.cli import main
builtins.__import__ = imported
sys.argv[1:] = {arguments!r}
main()
"""


@pytest.mark.in_turn(4)
@pytest.mark.parametrize("module", ["click", "numpy", "irev.read", "irev.writers.trec"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_starting(module: str, number: int) -> None:
    """Whatever is being imported, the end is quiet."""
    code = AT_IMPORT.format(module=module, number=int(number), arguments=["-m", "map", *FILES])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 128 + number
    assert done.stdout == b""
    assert done.stderr == (b"\n" if number == signal.SIGINT else b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_writing_leaves_what_was(tmp_path: Path, number: int) -> None:
    """The old file stays whole, and no other lies beside it."""
    target = tmp_path / "scores"
    target.write_text("as it was")
    os.mkfifo(tmp_path / "run")
    command = [sys.executable, "-m", "irev", "--output", str(target), FILES[0]]
    with subprocess.Popen([*command, str(tmp_path / "run")], stderr=subprocess.PIPE) as process:
        # opens when irev does, which has begun its output by then
        with (tmp_path / "run").open("wb") as stream:
            stream.write(b"1 Q0 a 1 1 t\n")
            stream.flush()
            assert [*tmp_path.glob(".irev-*.part")]
            process.send_signal(number)
            time.sleep(0.2)
        error = process.communicate()[1]
    assert process.returncode == 128 + number
    assert b"Traceback" not in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "scores"]
    assert target.read_text(encoding="utf-8") == "as it was"


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """Such as SIGHUP under nohup."""
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from irev.core.output_files import install_signal_handlers\n"
        "install_signal_handlers()\n"
        "signal.raise_signal(signal.SIGHUP)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
