"""What the workers of the tests do: the path says it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irev.engine.confined import Answer
from irev.errors import InputError, MismatchError, Problem, UsageError

if TYPE_CHECKING:
    from irev.engine.confined import Limits, Work


def prepared(setup: dict[str, Any], limits: Limits) -> tuple[Any, Work]:
    """The work; `fails` in the setup says how it cannot be prepared."""
    fails = setup.get("fails")
    if fails == "usage":
        raise UsageError("no such measure")
    if fails == "input":
        raise InputError([Problem("qrels", 3, "bad-grade", "grade 'x'", "a hint", b"q\xff", b"d")])
    if fails == "bug":
        raise KeyError("no")
    if fails == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return {"limits": limits, "process": os.getpid(), "setup": setup}, worked


def worked(path: str) -> Answer:
    """What a path says: `what:more`."""
    global _num_files
    _num_files += 1
    what, _, more = path.partition(":")
    if what in RAISED:
        raise RAISED[what](path)
    found = DONE[what](more)
    return found if isinstance(found, Answer) else Answer(path)


_num_files = 0
"""How many files this process has worked on."""


def _fails_in_used_process(how: str) -> None:
    """As whatever another file left behind may make a sound one fail."""
    if _num_files > 1:
        DONE[how.partition(":")[0]](how.partition(":")[2])


def _raise_memory_error(_: str) -> None:
    raise MemoryError


def _arrow_pool(_: str) -> Answer:
    """Which allocator Arrow has here."""
    import pyarrow as pa

    return Answer(pa.default_memory_pool().backend_name)


def _spin(_: str) -> None:
    while True:
        pass


def _deep(depth: int) -> int:
    return _deep(depth + 1)


DONE: dict[str, Callable[[str], Any]] = {
    "echo": lambda more: Answer([f"echo:{more}", b"\xff\0", os.getpid()], os.fsencode(more)),
    "crash": lambda _: ctypes.string_at(0),
    "signal": lambda more: os.kill(os.getpid(), int(more)),
    "exit": lambda more: os._exit(int(more)),
    "sys.exit": lambda more: sys.exit(int(more)),
    "sleep": lambda more: time.sleep(float(more)),
    "spin": _spin,
    "memory": lambda more: len([bytearray(1 << 20) for _ in range(int(more))]),
    "no-memory": _raise_memory_error,
    "used": _fails_in_used_process,
    "pool": _arrow_pool,
    "deep": lambda _: _deep(0),
    "print": lambda more: os.write(1, os.fsencode(more)),
    "input": lambda _: Answer(sys.stdin.read()),
    "core": lambda _: Answer([*resource.getrlimit(resource.RLIMIT_CORE)]),
    "large": lambda more: Answer(None, bytes(int(more) << 20)),
}

RAISED: dict[str, Callable[[str], Exception]] = {
    "bug": lambda path: KeyError(path),
    "wrong": lambda path: InputError(
        [Problem(path, 3, "bad-score", "score 'x'", "a hint", b"q\xff", b"d")]
    ),
    "mismatch": lambda path: MismatchError(f"{path}: no topic in common"),
}
