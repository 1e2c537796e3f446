"""Faults around a call: full disks, signals, closed streams, no memory, no threads, no rights.

Each call has a process of its own. An output file must be whole afterwards, or as it was before.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.command import irev
from tests.files import ROOT, SAMPLE
from tools.fuzz.harness import Case, Finding

BEFORE = b"as it was"

IREV = ("-m", "irev")

OUT = "out"
FILES = ("qrels.txt", "bm25.run", "rm3.run")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("-q", "-m", "all_trec", "--output", OUT, *FILES),
    ("--format", "json", "-q", "-m", "map", "--output", OUT, *FILES),
    ("compare", "--output", OUT, "-m", "map", *FILES),
    ("leaderboard", "--format", "html", "--output", OUT, "-m", "map", *FILES),
    ("check", "--output", OUT, *FILES),
    ("sample", "--rate", "50%", "--output", OUT, FILES[0]),
    ("pool", "--depth", "20", "--output", OUT, *FILES[1:]),
)
LONGEST = 120.0
"""Seconds of one call, on a machine that does much else."""


class Ended(NamedTuple):
    """How a call ended; a negative code is a signal."""

    code: int
    out: bytes
    err: str


class Fault(NamedTuple):
    """One kind: what is done to the call, and the exit codes that it may have."""

    name: str
    codes: frozenset[int]
    run: Callable[[random.Random, list[str], Path], Ended]


def case(seed: int) -> Case:
    """The call of a seed; the fault is named in the outcome."""
    return _draw_case(seed)[2]


def _draw_case(seed: int) -> tuple[random.Random, Fault, Case]:
    r = random.Random(seed)
    fault = FAULTS[seed % len(FAULTS)]
    # its workers start Python again, which may be root's alone
    alone = fault.name == "no rights"
    words = r.choice([w for w in COMMANDS if w[0] != "leaderboard"] if alone else COMMANDS)
    if fault.name in TO_STDOUT:
        words = tuple(word for word in words if word not in ("--output", OUT))
    files = {name: (SAMPLE / name).read_bytes() for name in FILES if name in words}
    if r.random() < 0.5 and OUT in words:
        files[OUT] = BEFORE
    return r, fault, Case(files, words)


NO_THREAD = "Resource temporarily unavailable"
"""Arrow ends the process where the system refuses it a thread."""


def try_seed(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Call irev with the fault of a seed: the case, what happened, what is wrong."""
    r, fault, call = _draw_case(seed)
    work_folder = folder / "here"
    shutil.rmtree(work_folder, ignore_errors=True)
    work_folder.mkdir(mode=0o777)
    work_folder.chmod(0o777)
    call.write(work_folder)
    ended = fault.run(r, list(call.words), work_folder)
    outcome = f"{fault.name}: {ended.code}"
    what = _wrong(fault, call, ended, work_folder)
    return call, outcome, Finding(f"{fault.name}: {what}", ended.err[-4000:]) if what else None


def _wrong(fault: Fault, call: Case, ended: Ended, folder: Path) -> str:
    tells_of_others = fault.name in ("unreadable", "no rights") and call.words[0] in (
        "check",
        "leaderboard",
    )
    no_thread = ended.code == -signal.SIGABRT and NO_THREAD in ended.err
    if ended.code not in fault.codes and not ((tells_of_others and not ended.code) or no_thread):
        return f"exit {ended.code}: {ended.err.strip()[-200:]}"
    if "Traceback" in ended.err and not _is_pythons_own(ended.err):
        return "a traceback"
    names = {path.name for path in folder.iterdir()}
    killed = ended.code == -signal.SIGKILL
    if not killed and any(name.endswith(".part") for name in names):
        return f"left behind: {sorted(names)}"
    if tells_of_others:
        return ""
    target = folder / OUT
    output = target.read_bytes() if target.exists() else None
    if output not in (call.files.get(OUT), expected_output(call.words)):
        return "the output is neither whole nor as it was"
    if ended.code == 0 and OUT in call.words and output != expected_output(call.words):
        return "exit 0, and the output is not there"
    if ended.code == 0 and OUT not in call.words and ended.out != expected_output(call.words):
        return "exit 0, and standard output is not whole"
    return ""


def _is_pythons_own(err: str) -> bool:
    """Whether the interpreter was interrupted before the program's first line."""
    frames = [line for line in err.splitlines() if line.startswith('  File "')]
    early = ("__main__.py", "irev/__init__.py", "cli/__init__.py", "core/__init__.py", "signals.py")
    return not any("/irev/" in line and not any(name in line for name in early) for line in frames)


@cache
def expected_output(words: tuple[str, ...]) -> bytes:
    """What the call writes where nothing is in its way."""
    words = tuple(word for word in words if word not in ("--output", OUT))
    return irev(*words, cwd=SAMPLE).out


def _call(
    words: list[str],
    folder: Path,
    prepare: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: str = "",
    program: Sequence[str] = IREV,
) -> Ended:
    """Call the program, after something was done in its process."""
    with open(stdout or os.devnull, "wb") as stream:
        output = stream if stdout else None
        process = _start(words, folder, prepare, environment, output, program)
        try:
            out, err = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Ended(200, out or b"", "not done in time")
    return Ended(process.returncode, out or b"", err.decode("utf-8", "backslashreplace"))


def _start(
    words: list[str],
    folder: Path,
    prepare: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: object = None,
    program: Sequence[str] = IREV,
) -> subprocess.Popen[bytes]:
    process: subprocess.Popen[bytes] = subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout or subprocess.PIPE,  # type: ignore[call-overload]
        stderr=subprocess.PIPE,
        preexec_fn=prepare,
    )
    return process


def _full_disk(r: random.Random, words: list[str], folder: Path) -> Ended:
    """Files may have so many bytes; a signal says so, which Python ignores."""
    size = r.choice([0, 1, 100, 1000, 5000])
    return _call(words, folder, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def _full_device(r: random.Random, words: list[str], folder: Path) -> Ended:
    return _call(words, folder, stdout="/dev/full")


def _closed_streams(r: random.Random, words: list[str], folder: Path) -> Ended:
    """Some of the three streams are closed from the start."""
    streams = r.sample((0, 1, 2), r.randint(1, 3))

    def close() -> None:
        for stream in streams:
            os.close(stream)

    ended = _call(words, folder, close)
    # what went nowhere is not missed
    return (
        ended._replace(out=expected_output(tuple(words)))
        if 1 in streams and not ended.code
        else ended
    )


@cache
def _usual() -> float:
    """Seconds of a short call."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "irev", "--version"], check=True, capture_output=True)
    return 2 * (time.monotonic() - began)


def _send_signal(r: random.Random, words: list[str], folder: Path) -> Ended:
    """One of the signals that end a program, at any time."""
    number = r.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL))
    wait = r.random() * 1.5 * _usual()
    process = _start(words, folder)
    time.sleep(wait)
    process.send_signal(number)
    out, err = process.communicate(timeout=LONGEST)
    code = process.returncode
    # before the program's first line the signal is the interpreter's
    text = err.decode("utf-8", "backslashreplace")
    if code == -number or (code == 1 and "KeyboardInterrupt" in text and _is_pythons_own(text)):
        code = 128 + number if number != signal.SIGKILL else code
    if code not in (0, 128 + number, -signal.SIGKILL):
        code = 300 + code
    return Ended(code, out, text)


def _little_memory(r: random.Random, words: list[str], folder: Path) -> Ended:
    """So many bytes of addresses; loading SciPy with less does not end (its OpenBLAS tries on)."""
    least = 700 if words[0] in ("compare", "leaderboard") else 200
    size = r.choice([size for size in (200, 300, 400, 500, 700, 1000) if size >= least]) << 20
    return _call(words, folder, lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))


def _few_files(r: random.Random, words: list[str], folder: Path) -> Ended:
    number = r.choice([5, 8, 12, 20])
    return _call(
        words, folder, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
    )


def _unreadable(r: random.Random, words: list[str], folder: Path) -> Ended:
    """A file is gone, or is a folder; for others than root, also one that may not be read."""
    victim = folder / r.choice([word for word in words if word in FILES])
    victim.unlink()
    if r.random() < 0.5:
        victim.mkdir()
    return _call(words, folder)


def _no_folder(r: random.Random, words: list[str], folder: Path) -> Ended:
    """The output's folder is not there, or the output is a folder; and no place for spare files."""
    environment = {"TMPDIR": "/nowhere"}
    where = "nowhere/out" if r.random() < 0.5 else "."
    return _call([where if word == OUT else word for word in words], folder, None, environment)


NOBODY = 65534

WITHOUT_RIGHTS = """
import os, resource, sys
from tests.command import irev
from irev.cli import main
output, limit, *words = sys.argv[1:]
# all that is imported later is imported now: the library may be root's alone
irev(*(word for word in words if word not in ("--output", output)))
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
if limit:
    resource.setrlimit(resource.RLIMIT_NPROC, (int(limit), int(limit)))
sys.argv[1:] = words
main()
"""


def _no_rights(r: random.Random, words: list[str], folder: Path) -> Ended:
    """Not root: a file that may not be read, a folder that nobody may write to, few processes."""
    how, limit = r.randrange(3), ""
    victim = folder / r.choice([word for word in words if word in FILES])
    if how == 0:
        victim.chmod(0)
    elif how == 1:
        folder.chmod(0o555)
    else:
        limit = str(r.choice([0, 1, 3, 1000]))
    code = WITHOUT_RIGHTS.format(nobody=NOBODY)
    ended = _call([code, OUT, limit, *words], folder, program=("-c",))
    victim.chmod(0o644)
    folder.chmod(0o777)
    return ended


ANY = frozenset({0, 2})
FAULTS = (
    Fault("full disk", ANY, _full_disk),
    Fault("signal", frozenset({0, 129, 130, 143, -9}), _send_signal),
    Fault("full device", frozenset({2}), _full_device),
    Fault("closed streams", ANY, _closed_streams),
    # libraries abort where they get none
    Fault("little memory", ANY | {-signal.SIGABRT, -signal.SIGSEGV}, _little_memory),
    Fault("few open files", ANY, _few_files),
    Fault("unreadable", frozenset({2, 1}), _unreadable),
    Fault("no folder", frozenset({2}), _no_folder),
    Fault("no rights", ANY, _no_rights),
)
TO_STDOUT = frozenset({"full device"})
