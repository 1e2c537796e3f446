"""Strangers' files, worked on in processes that can be killed: what happens there costs one answer.

A server reads what the work stands on, the organiser's own files, and forks a worker whenever one
is wanted: one that crashed, hung or took too much memory is replaced within milliseconds. Where
forking is not safe each worker is a server of its own. A server is forked itself while the caller
has no second thread, as a command has none that only begins: what it has imported is there already.
Else it is started anew, so that no thread is forked in the middle of its work, and nothing of the
caller is run again.

A worker gets a path and answers with JSON and bytes of numbers; what it sends is never unpickled.
What is pickled (what the server is told, and what it tells) was made before a stranger's byte was
read. This confines time, memory and crashes: it is no sandbox for code that a hostile file might
bring to run, which would have the rights of whoever called irev.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from typing import Any, NamedTuple

from irev.core.record import cached_property
from irev.core.wording import size_text
from irev.engine.confined.limits import Limits, check_system
from irev.engine.confined.messages import (
    COMMAND,
    REPLY,
    error_of,
    exactly,
    parts_of,
    received,
    send,
    unpacked,
)
from irev.errors import InputError, IrevError, Problem

FORKS = sys.platform.startswith("linux")
"""Whether a server can fork workers: elsewhere system libraries may have started threads."""


class Answer(NamedTuple):
    """What the work on a file gives: a value that JSON can hold, or bytes; and numbers as bytes."""

    value: Any
    data: bytes = b""


Work = Callable[[str], Answer]
"""What is done with a path; it may raise `IrevError`."""

Target = Callable[[Any, Limits], tuple[Any, Work]]
"""Prepares the work, in a server: what the caller is to know beforehand, and the work."""


Told = tuple[str, Any, Limits, bool]
"""What a server is told: the name of the target, its setup, the limits, whether it forks."""


class Confined:
    """Workers for strangers' files, a context manager. They start at once, beside the caller."""

    def __init__(
        self, target: str, setup: Any, limits: Limits, workers: int, *, stdin: bool = False
    ) -> None:
        """Start what prepares the work.

        Args:
            target: `module:function` of a `Target`.
            setup: what it is given beside the limits.
            limits: of each file.
            workers: how many work at once, at most.
            stdin: whether the work reads standard input.
        """
        check_system()
        self._limits, self._most = limits, workers
        self._begin = partial(_Server, (target, setup, limits, FORKS), stdin)
        self._servers = [self._begin() for _ in range(1 if FORKS else workers)]
        self._workers: list[_Worker] = []

    def __enter__(self) -> Confined:
        """The processes run already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers:
            worker.end()
        for server in self._servers:
            server.end()

    @cached_property
    def facts(self) -> Any:
        """What the target says beforehand."""
        return self._servers[0].facts

    def outcomes(self, paths: Sequence[str]) -> Iterator[Answer | IrevError]:
        """What became of each file, in the order given."""
        _ = self.facts
        tasks = deque(enumerate(paths))
        found: dict[int, Answer | IrevError] = {}
        for number in range(len(paths)):
            while number not in found:
                self._hand_out(tasks)
                for worker in self._heard():
                    found |= worker.outcomes(self._limits)
            yield found.pop(number)

    def _hand_out(self, tasks: deque[tuple[int, str]]) -> None:
        """Give each worker that has none a file."""
        for worker in [worker for worker in self._workers if worker.is_gone]:
            self._workers.remove(worker)
            worker.end()
        idle = [worker for worker in self._workers if worker.task is None]
        while tasks and (idle or len(self._workers) < self._most):
            if not idle:
                idle.append(self._started())
                self._workers += idle
            idle.pop().give(*tasks.popleft(), self._limits.max_seconds)

    def _heard(self) -> list[_Worker]:
        """The workers that have said something, are gone, or have taken too long."""
        poll, workers = select.poll(), {w.channel.fileno(): w for w in self._workers}
        for channel in workers:
            poll.register(channel, select.POLLIN)
        first = min(worker.deadline for worker in self._workers)
        # rounded up: just before the time nobody is late
        wait = None if first == inf else max(0, 1 + int(1000 * (first - time.monotonic())))
        heard = [workers[channel] for channel, _ in poll.poll(wait)]
        for worker in heard:
            worker.hear()
        now = time.monotonic()
        late = [w for w in self._workers if w not in heard and w.deadline <= now]
        for worker in late:
            worker.is_late = worker.is_gone = True
        return heard + late

    def _started(self) -> _Worker:
        if not FORKS:
            server = self._servers.pop() if self._servers else self._begin()
            _ = server.facts
            return _Worker(server.control, server)
        try:
            return self._servers[0].forked()
        except (OSError, EOFError):
            # the server was killed from outside
            self._servers.pop().end()
            self._servers.append(self._begin())
            _ = self._servers[0].facts
            return self._servers[0].forked()


class _Server:
    """A process that prepares the work, and forks workers or is one."""

    def __init__(self, told: Told, stdin: bool) -> None:
        self.control, theirs = socket.socketpair()
        # whoever interrupts the caller interrupts a process that ends the others
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with theirs:
                self._process = (
                    _Fork(self.control, theirs, told, stdin)
                    if FORKS and _has_one_thread()
                    else _started(self.control, theirs, told, stdin)
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @cached_property
    def facts(self) -> Any:
        """What is told before the work begins."""
        try:
            outcome, found = pickle.loads(received(self.control)[0])  # noqa: S301 - no stranger's
        except (EOFError, OSError):
            ended = _ended(self._process.wait())
            raise IrevError(f"the process that prepares the work {ended}") from None
        if outcome == "error":
            raise error_of(found)
        if outcome == "bug":
            raise RuntimeError(found)
        return found

    def forked(self) -> _Worker:
        """A worker."""
        mine, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self.control, [COMMAND.pack(b"f", 0)], [theirs.fileno()])
                [pid] = REPLY.unpack(exactly(self.control, REPLY.size))
        except BaseException:
            mine.close()
            raise
        return _Worker(mine, self, pid)

    def status(self, pid: int) -> int:
        """How a worker ended, as `subprocess` says it."""
        if not pid:
            return self._process.wait()
        try:
            self.control.sendall(COMMAND.pack(b"w", pid))
            [status] = REPLY.unpack(exactly(self.control, REPLY.size))
        except (OSError, EOFError):
            return -signal.SIGKILL
        return int(status)

    def kill(self, pid: int) -> None:
        """End a worker; until it was asked how it ended no other process has its number."""
        with suppress(ProcessLookupError):
            os.kill(pid or self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End the server; those that it forked are ended already."""
        self.control.close()
        self._process.kill()
        self._process.wait()


class _Fork:
    """A server that is a fork of the caller; it has the methods of a `Popen`."""

    def __init__(
        self, control: socket.socket, theirs: socket.socket, told: Told, stdin: bool
    ) -> None:
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        try:
            control.close()
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (1,) if stdin else (0, 1):
                os.dup2(null, stream)
            from irev.engine.confined.serving import serve

            serve(theirs, *told)
        finally:
            os._exit(1)

    def wait(self) -> int:
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def kill(self) -> None:
        # until it was waited for no other process has its number
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


def _has_one_thread() -> bool:
    """Whether this process can be forked at no risk: threads of libraries count, too."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _started(
    control: socket.socket, theirs: socket.socket, told: Told, stdin: bool
) -> subprocess.Popen[bytes]:
    """A server that is a new process."""
    called = f"from irev.engine.confined.serving import begin; begin({theirs.fileno()})"
    # the caller's path, and not the folder where it happens to be called
    command = [sys.executable, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c"]
    command.append(f"import sys; sys.path[:] = {sys.path!r}; {called}")
    process = subprocess.Popen(  # noqa: S603 - Python itself
        command, stdin=None if stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()], env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
    )  # fmt: skip
    with suppress(OSError):
        send(control, pickle.dumps(told))
    return process


class _Worker:
    """A process that works on one file after the other.

    task     the number and the path of the file that it works on
    is_gone  whether it ended, is to be ended, or is about to end by itself
    is_late  whether it took too long
    """

    def __init__(self, channel: socket.socket, server: _Server, pid: int = 0) -> None:
        self.channel, self._server, self._pid = channel, server, pid
        self.task: tuple[int, str] | None = None
        self.deadline = inf
        self.is_gone = self.is_late = False
        self._heard = bytearray()

    def give(self, number: int, path: str, seconds: float) -> None:
        """Let it work on a file."""
        self.task, self.deadline = (number, path), time.monotonic() + seconds
        # a worker that is gone is noticed when it is listened to
        with suppress(OSError):
            send(self.channel, pickle.dumps(path))

    def hear(self) -> None:
        """Take what it sends, or note that it has ended."""
        try:
            more = self.channel.recv(1 << 20)
        except OSError:
            more = b""
        self._heard += more
        self.is_gone = self.is_gone or not more

    def outcomes(self, limits: Limits) -> dict[int, Answer | IrevError]:
        """What became of its file, by the file's number; nothing if it is not known yet."""
        if self.task is None:
            return {}
        number, path = self.task
        try:
            found = self._outcome(path, limits)
        except (ValueError, TypeError, LookupError, RecursionError):
            found, self.is_gone = _failed(path, "the reader gave no answer", "reader-crashed"), True
        if found is None:
            return {}
        self.task, self.deadline = None, inf
        return {number: found}

    def _outcome(self, path: str, limits: Limits) -> Answer | IrevError | None:
        if self.is_late:
            took = f"it took longer than {limits.max_seconds:g} s (--max-seconds)"
            return _failed(path, took, "max-seconds")
        parts = parts_of(self._heard, max(limits.max_memory, 1 << 20))
        if parts is None:
            return self._crashed(path) if self.is_gone else None
        self._heard.clear()
        (outcome, value, is_last), data = unpacked(parts[0]), parts[1]
        self.is_gone = self.is_gone or is_last
        if outcome == "answer":
            return Answer(value, data)
        if outcome == "error":
            return error_of(value)
        if outcome == "memory":
            needs = f"it needs more memory than {size_text(limits.max_memory)} (--max-memory)"
            return _failed(path, needs, "max-memory")
        return _failed(path, "the reader failed: this is a bug in irev", "reader-failed", value)

    def _crashed(self, path: str) -> IrevError:
        self._server.kill(self._pid)
        status = _ended(self._server.status(self._pid))
        self._pid = -1
        return _failed(path, f"the reader {status}", "reader-crashed")

    def end(self) -> None:
        """End it, whatever it does."""
        self.channel.close()
        if self._pid > 0:
            self._server.kill(self._pid)
            self._server.status(self._pid)
        elif not self._pid:
            self._server.end()


def _failed(path: str, message: str, kind: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, kind, message, hint)])


def _ended(status: int) -> str:
    return f"crashed (signal {-status})" if status < 0 else f"ended (exit code {status})"
