"""A case of a fuzzer: files and a command line; calling irev on it; keeping what was found."""

from __future__ import annotations

import re
import shlex
import signal
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from tests.command import Ran, irev

LONGEST = 15
"""Seconds of processor time of one call."""


class Case(NamedTuple):
    """What is tried: files by their names, and the arguments of a call in their folder."""

    files: Mapping[str, bytes]
    words: Sequence[str]
    stdin: str = ""
    """The file that comes through standard input, if one does."""

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)

    def command(self) -> str:
        """The call as a shell takes it."""
        redirection = f" <{shlex.quote(self.stdin)}" if self.stdin else ""
        return shlex.join(["irev", *self.words]) + redirection

    def call(self, folder: Path) -> Ran:
        """Run irev in this process; whatever breaks becomes an exit code that irev does not have.

        A call that takes too long has the code 200, one that raises 201.
        """
        data = self.files[self.stdin] if self.stdin else None
        before = signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return irev(*self.words, cwd=folder, stdin=data)
        except _TooLong:
            return Ran(b"", f"not done after {LONGEST} s of processor time", 200)
        except BaseException:
            return Ran(b"", traceback.format_exc(), 201)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def keep(self, folder: Path, finding: str, details: str = "") -> None:
        """Write the files, the command line and what was found."""
        folder.mkdir(parents=True, exist_ok=True)
        self.write(folder)
        (folder / "COMMAND").write_text(f"{self.command()}\n", "utf-8", "surrogateescape")
        (folder / "FOUND").write_text(f"{finding}\n{details}\n", "utf-8", "backslashreplace")


class Finding(NamedTuple):
    """What is wrong: its class, which is counted, and what else there is to say."""

    what: str
    details: str = ""


def unsound(ran: Ran) -> Finding | None:
    """What no call may do, whatever it is given."""
    lines = ran.err.strip().splitlines() or [""]
    if ran.code not in (0, 1, 2):
        return Finding(f"exit {ran.code}: {lines[0][:120]}", ran.err)
    if "Traceback" in ran.err:
        return Finding(f"a traceback: {lines[-1][:120]}", ran.err)
    # beside a named run that is missing the others are scored
    if ran.code == 2 and ran.out and "not scored" not in ran.err:
        return Finding("output beside exit 2", ran.err)
    if ran.code == 2 and not ran.err.strip():
        return Finding("exit 2 without a word")
    if re.search(r"[^\n\t -~\u00a0-\U0010ffff]", ran.err):
        return Finding("a control character on stderr", repr(ran.err))
    return None


class _TooLong(BaseException):
    """No handler of the program may take it for one of its errors."""


def _stop(*_: object) -> NoReturn:
    raise _TooLong
