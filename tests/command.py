"""Running the command as a user does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


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
    """Run the command; `stdin` is a file, or bytes that come through a pipe."""
    command = [sys.executable, "-m", "irev", *map(str, arguments)]
    given = stdin.read_bytes() if isinstance(stdin, Path) else stdin or b""
    done = subprocess.run(
        command,
        cwd=cwd,
        input=given,
        capture_output=True,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    return Ran(done.stdout, done.stderr.decode("utf-8", "backslashreplace"), done.returncode)
