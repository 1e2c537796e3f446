"""What a whole process costs: wall time, processor time, and the most memory it held."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024
"""The unit of ru_maxrss."""


@dataclass(frozen=True)
class Cost:
    """One process, with all the children it waited for."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of user and system time."""
    peak: float
    """MiB; of several processes one after another, the largest."""
    output: str
    """A digest of what it wrote to standard output."""
    error: str
    """Why it failed; empty if it did not."""

    def ratios(self, other: Cost) -> tuple[float, float, float]:
        """The ratios of wall time, processor time and memory."""
        return self.wall / other.wall, self.cpu / other.cpu, self.peak / other.peak


def measure(
    command: list[str], stdin: Path | None = None, environment: Mapping[str, str] | None = None
) -> Cost:
    """Run a command to its end; the environment is this one's and what is given.

    On Linux a child's peak starts at what its parent holds when it is started, so the caller has
    to stay small: neither NumPy nor the inputs belong in its memory.
    """
    with (
        open(stdin or os.devnull, "rb") as source,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=output,
            stderr=errors,
            env={**os.environ, **(environment or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Cost(
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * BYTES_PER_UNIT / 2**20,
            hashlib.file_digest(output, "sha256").hexdigest(),
            failure(process.returncode, errors),
        )


def failure(code: int, errors: BinaryIO) -> str:
    """The exit code and the last line of the messages, if the code is not 0."""
    if not code:
        return ""
    errors.seek(0)
    last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
    return f"exit {code}: {last[:120]}"
