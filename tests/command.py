"""Running the command as a user does: here, or in a process of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

NOT_SET = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "IREV_TRACEBACK")


class Ran(NamedTuple):
    """What a call printed, and its exit code."""

    out: bytes
    err: str
    code: int


def irev(
    *arguments: str | Path,
    cwd: str | Path | None = None,
    stdin: Path | bytes | None = None,
    environment: dict[str, str] | None = None,
) -> Ran:
    """Run the program here, with streams like those of a process; its start is most of the time.

    `stdin` is a file, or bytes that come through a pipe.
    """
    from irev.cli import main

    stdin_bytes = stdin.read_bytes() if isinstance(stdin, Path) else stdin or b""
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin_bytes), "utf-8", "surrogateescape"),
        "stdout": io.TextIOWrapper(out, "utf-8", "surrogateescape", newline="\n"),
        "stderr": io.TextIOWrapper(err, "utf-8", "backslashreplace", newline="\n"),
    }
    code: object = None
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(cwd or Path.cwd()))
        stack.enter_context(mock.patch.object(sys, "argv", ["irev", *map(str, arguments)]))
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": "80"}))
        for name in NOT_SET:
            os.environ.pop(name, None)
        os.environ.update(environment or {})
        stack.enter_context(mock.patch("irev.core.output_files.install_signal_handlers"))
        for name, stream in streams.items():
            stack.enter_context(mock.patch.object(sys, name, stream))
        try:
            main()
        except SystemExit as end:
            code = end.code
        for name in ("stdout", "stderr"):
            streams[name].flush()
    return Ran(out.getvalue(), err.getvalue().decode(), code if isinstance(code, int) else 0)


def process(
    *arguments: str | Path,
    cwd: str | Path | None = None,
    stdin: Path | bytes | None = None,
    environment: dict[str, str] | None = None,
) -> Ran:
    """The same in a process of its own, which no state of this one can reach."""
    command = [sys.executable, "-m", "irev", *map(str, arguments)]
    stdin_bytes = stdin.read_bytes() if isinstance(stdin, Path) else stdin or b""
    done = subprocess.run(
        command,
        cwd=cwd,
        input=stdin_bytes,
        capture_output=True,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    return Ran(done.stdout, done.stderr.decode("utf-8", "backslashreplace"), done.returncode)
