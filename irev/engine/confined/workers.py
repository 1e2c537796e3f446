"""Strangers' files, worked on in processes that can be killed: what happens there costs one answer.

A server reads what the work stands on, the organiser's own files, and forks a worker whenever one
is wanted: one that crashed, hung or took too much memory is replaced within milliseconds. Where
forking is not safe each worker is a server of its own. A server is forked itself while the caller
has no second thread, as a command has none that only begins: what it has imported is there already.
Else, or where Arrow is loaded already (see `serve_paths`), it is started anew, so that no thread is
forked in the middle of its work, and nothing of the caller is run again.

A file that fails for memory, or ends its worker, after others is tried again in a new worker, so
that nothing another file left behind makes it fail.

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
from irev.engine.confined.limits import Limits, refuse_system_without_limits
from irev.engine.confined.messages import (
    COMMAND,
    REPLY,
    decode_json_with_bytes,
    error_from_json,
    message_parts,
    receive,
    receive_bytes,
    send,
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


_PROCESS_FAULTS = frozenset({"max-memory", "no-memory", "reader-crashed", "reader-failed"})
"""Kinds of problems that the process may have, and not the file."""


ServerSetup = tuple[str, Any, Limits, bool]
"""What a server is told: the name of the target, its setup, the limits, whether it forks."""


class ConfinedWorkers:
    """Workers for strangers' files, a context manager. They start at once, beside the caller."""

    def __init__(
        self, target: str, setup: Any, limits: Limits, num_workers: int, *, stdin: bool = False
    ) -> None:
        """Start what prepares the work.

        Args:
            target: `module:function` of a `Target`.
            setup: what it is given beside the limits.
            limits: of each file.
            num_workers: how many work at once, at most.
            stdin: whether the work reads standard input.
        """
        refuse_system_without_limits()
        self._limits, self._max_workers = limits, num_workers
        self._begin = partial(_Server, (target, setup, limits, FORKS), stdin)
        self._servers = [self._begin() for _ in range(1 if FORKS else num_workers)]
        self._workers: list[_Worker] = []

    def __enter__(self) -> ConfinedWorkers:
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
        tasks = deque(map(_Task._make, enumerate(paths)))
        retries: list[_Task] = []
        outcomes: dict[int, Answer | IrevError] = {}
        for number in range(len(paths)):
            while number not in outcomes:
                self._hand_out(tasks, retries)
                for worker in self._wait_for_workers():
                    task, outcome = worker.task, worker.outcome(self._limits)
                    if task is None or outcome is None:
                        continue
                    if worker.num_files > 1 and _is_process_fault(outcome):
                        worker.is_gone = True
                        retries.append(task)
                    else:
                        outcomes[task.number] = outcome
            yield outcomes.pop(number)

    def _hand_out(self, tasks: deque[_Task], retries: list[_Task]) -> None:
        """Give each worker that has none a file, and what is tried again a new worker."""
        for worker in [worker for worker in self._workers if worker.is_gone]:
            self._workers.remove(worker)
            worker.end()
        while retries:  # there is room: its first worker is gone
            self._workers.append(self._new_worker())
            self._workers[-1].assign(retries.pop(), self._limits.max_seconds)
        idle = [worker for worker in self._workers if worker.task is None]
        while tasks and (idle or len(self._workers) < self._max_workers):
            if not idle:
                idle.append(self._new_worker())
                self._workers += idle
            idle.pop().assign(tasks.popleft(), self._limits.max_seconds)

    def _wait_for_workers(self) -> list[_Worker]:
        """The workers that have said something, are gone, or have taken too long."""
        poll, workers = select.poll(), {w.channel.fileno(): w for w in self._workers}
        for channel in workers:
            poll.register(channel, select.POLLIN)
        first = min(worker.deadline for worker in self._workers)
        # rounded up: just before the time nobody is late
        timeout = None if first == inf else max(0, 1 + int(1000 * (first - time.monotonic())))
        responsive = [workers[channel] for channel, _ in poll.poll(timeout)]
        for worker in responsive:
            worker.read_available()
        now = time.monotonic()
        late = [w for w in self._workers if w not in responsive and w.deadline <= now]
        for worker in late:
            worker.is_late = worker.is_gone = True
        return responsive + late

    def _new_worker(self) -> _Worker:
        if not FORKS:
            server = self._servers.pop() if self._servers else self._begin()
            _ = server.facts
            return _Worker(server.control, server)
        for may_try_again in (True, False):
            try:
                _ = self._servers[0].facts
                return self._servers[0].fork_worker()
            except (OSError, EOFError):
                if may_try_again:  # the server was killed from outside
                    self._servers.pop().end()
                    self._servers.append(self._begin())
        raise IrevError("the process that starts the readers of files was killed twice")


class _Task(NamedTuple):
    """A file by its number and its path."""

    number: int
    path: str


class _Server:
    """A process that prepares the work, and forks workers or is one."""

    def __init__(self, setup: ServerSetup, stdin: bool) -> None:
        self.control, server_end = socket.socketpair()
        # whoever interrupts the caller interrupts a process that ends the others
        blocked_signals = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with server_end:
                self._process = (
                    _ForkedServer(self.control, server_end, setup, stdin)
                    if FORKS and _can_fork_caller()
                    else _start_process(self.control, server_end, setup, stdin)
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked_signals)

    @cached_property
    def facts(self) -> Any:
        """What is told before the work begins."""
        try:
            outcome, facts = pickle.loads(receive(self.control)[0])  # noqa: S301 - no stranger's
        except (EOFError, OSError):
            ending = _exit_text(self._process.wait())
            raise IrevError(f"the process that prepares the work {ending}") from None
        if outcome == "error":
            raise error_from_json(facts)
        if outcome == "bug":
            raise RuntimeError(facts)
        return facts

    def fork_worker(self) -> _Worker:
        """A worker."""
        our_end, worker_end = socket.socketpair()
        try:
            with worker_end:
                socket.send_fds(self.control, [COMMAND.pack(b"f", 0)], [worker_end.fileno()])
                [pid] = REPLY.unpack(receive_bytes(self.control, REPLY.size))
        except BaseException:
            our_end.close()
            raise
        return _Worker(our_end, self, pid)

    def exit_status(self, pid: int) -> int:
        """How a worker ended, as `subprocess` says it."""
        if not pid:
            return self._process.wait()
        try:
            self.control.sendall(COMMAND.pack(b"w", pid))
            [status] = REPLY.unpack(receive_bytes(self.control, REPLY.size))
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


class _ForkedServer:
    """A server that is a fork of the caller; it has the methods of a `Popen`."""

    def __init__(
        self, control: socket.socket, server_end: socket.socket, setup: ServerSetup, stdin: bool
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
            from irev.engine.confined.serving import serve_paths

            serve_paths(server_end, *setup)
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


def _can_fork_caller() -> bool:
    """Whether this process can be forked at no risk: threads of libraries count, too."""
    try:
        return "pyarrow" not in sys.modules and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _start_process(
    control: socket.socket, server_end: socket.socket, setup: ServerSetup, stdin: bool
) -> subprocess.Popen[bytes]:
    """A server that is a new process."""
    code = f"from irev.engine.confined import serving; serving.begin_serving({server_end.fileno()})"
    # the caller's path, and not the folder where it happens to be called
    command = [sys.executable, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c"]
    command.append(f"import sys; sys.path[:] = {sys.path!r}; {code}")
    process = subprocess.Popen(  # noqa: S603 - Python itself
        command, stdin=None if stdin else subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        pass_fds=[server_end.fileno()], env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
    )  # fmt: skip
    with suppress(OSError):
        send(control, pickle.dumps(setup))
    return process


class _Worker:
    """A process that works on one file after the other.

    task       the file that it works on
    num_files  how many files it was given
    is_gone    whether it ended, is to be ended, or is about to end by itself
    is_late    whether it took too long
    """

    def __init__(self, channel: socket.socket, server: _Server, pid: int = 0) -> None:
        self.channel, self._server, self._pid = channel, server, pid
        self.task: _Task | None = None
        self.num_files = 0
        self.deadline = inf
        self.is_gone = self.is_late = False
        self._heard = bytearray()

    def assign(self, task: _Task, max_seconds: float) -> None:
        """Let it work on a file."""
        self.task, self.deadline = task, time.monotonic() + max_seconds
        self.num_files += 1
        # a worker that is gone is noticed when it is listened to
        with suppress(OSError):
            send(self.channel, pickle.dumps(task.path))

    def read_available(self) -> None:
        """Take what it sends, or note that it has ended."""
        try:
            chunk = self.channel.recv(1 << 20)
        except OSError:
            chunk = b""
        self._heard += chunk
        self.is_gone = self.is_gone or not chunk

    def outcome(self, limits: Limits) -> Answer | IrevError | None:
        """What became of its file; None if it has none, or it is not known yet."""
        if self.task is None:
            return None
        path = self.task.path
        try:
            outcome = self._outcome(path, limits)
        except (ValueError, TypeError, LookupError, RecursionError):
            outcome = _file_error(path, "the reader gave no answer", "reader-crashed")
            self.is_gone = True
        if outcome is not None:
            self.task, self.deadline = None, inf
        return outcome

    def _outcome(self, path: str, limits: Limits) -> Answer | IrevError | None:
        if self.is_late:
            message = f"it took longer than {limits.max_seconds:g} s (--max-seconds)"
            return _file_error(path, message, "max-seconds")
        both_parts = message_parts(self._heard, max(limits.max_memory, 1 << 20))
        if both_parts is None:
            return self._crash_error(path) if self.is_gone else None
        self._heard.clear()
        (outcome, value, is_last), data = decode_json_with_bytes(both_parts[0]), both_parts[1]
        self.is_gone = self.is_gone or is_last
        if outcome == "answer":
            return Answer(value, data)
        if outcome == "error":
            return error_from_json(value)
        if outcome == "memory":
            message = f"it needs more memory than {size_text(limits.max_memory)} (--max-memory)"
            return _file_error(path, message, "max-memory")
        return _file_error(path, "the reader failed: this is a bug in irev", "reader-failed", value)

    def _crash_error(self, path: str) -> IrevError:
        self._server.kill(self._pid)
        status = _exit_text(self._server.exit_status(self._pid))
        self._pid = -1
        return _file_error(path, f"the reader {status}", "reader-crashed")

    def end(self) -> None:
        """End it, whatever it does."""
        self.channel.close()
        if self._pid > 0:
            self._server.kill(self._pid)
            self._server.exit_status(self._pid)
        elif not self._pid:
            self._server.end()


def _is_process_fault(outcome: Answer | IrevError) -> bool:
    return isinstance(outcome, InputError) and outcome.problems[0].kind in _PROCESS_FAULTS


def _file_error(path: str, message: str, kind: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, kind, message, hint)])


def _exit_text(status: int) -> str:
    return f"crashed (signal {-status})" if status < 0 else f"ended (exit code {status})"
