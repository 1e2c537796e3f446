"""Servers of workers (`irev.engine.confined`) without the start of Python, a fifth of a second.

A process that has imported what they need forks them, one for each process that runs tests. Boards
are made hundreds of times here; `tests/engine/confined` starts servers as irev does.
"""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

from irev.engine import confined
from irev.engine.confined import COMMAND, REPLY, receive, receive_bytes, send

AS_IREV_DOES = confined._start_process

_NEEDED = (
    "irev.engine.confined",
    "irev.jobs.check.check",
    "irev.jobs.leaderboard.leaderboard",
    "irev.jobs.leaderboard.scoring",
    "irev.measures.requests",
)


def start_from_one_process() -> None:
    """Let servers that irev would start anew be forked by a process that is there already."""
    if confined.FORKS:
        confined._start_process = start_server  # type: ignore[assignment]


def start_server(control: socket.socket, theirs: socket.socket, setup: Any, stdin: bool) -> Server:
    """A server with this process's folder, environment, path and errors."""
    state = (os.getcwd(), dict(os.environ), sys.path)
    with open(os.devnull, "rb") as nothing:
        streams = (0 if stdin else nothing.fileno(), 2)
        server = Server(origin().request(b"f", 0, (theirs.fileno(), *streams), state))
    with suppress(OSError):
        send(control, pickle.dumps(setup))
    return server


class Server:
    """A server as the caller sees it; it has the methods of a `Popen` that are used."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def wait(self) -> int:
        """How it ended."""
        if self._status is None:
            self._status = origin().request(b"w", self.pid)
        return self._status

    def kill(self) -> None:
        """End it."""
        # until it was waited for no other process has its number
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


class Origin:
    """The process that forks them; it ends with this one."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        self._lock = Lock()
        with theirs:
            called = f"from tests.servers import fork_servers; fork_servers({theirs.fileno()})"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {called}"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
                env={
                    "OPENBLAS_NUM_THREADS": "1", **os.environ,
                    "ARROW_DEFAULT_MEMORY_POOL": "system",  # as `serve_paths` has it
                },
            )  # fmt: skip
        atexit.register(self._end)

    def _end(self) -> None:
        self._channel.close()
        self._process.wait()

    def request(
        self, action: bytes, pid: int, files: tuple[int, ...] = (), state: Any = None
    ) -> int:
        """The number of a new process, or how one ended."""
        with self._lock:
            socket.send_fds(self._channel, [COMMAND.pack(action, pid)], files)
            send(self._channel, pickle.dumps(state))
            [reply] = REPLY.unpack(receive_bytes(self._channel, REPLY.size))
        return int(reply)


@cache
def origin() -> Origin:
    """The one of this process."""
    return Origin()


def import_what_servers_need() -> None:
    """Import it before any server is forked; each would else do so anew, in half a second."""
    for module in _NEEDED:
        import_module(module)


def fork_servers(number: int) -> None:
    """Fork a server, or wait for the end of one, whenever the caller says so: in that process."""
    import_what_servers_need()
    channel = socket.socket(fileno=number)
    gc.freeze()
    while True:
        command, files, _, _ = socket.recv_fds(channel, COMMAND.size, 3)
        if len(command) < COMMAND.size:
            return  # the caller is gone
        action, pid = COMMAND.unpack(command)
        state = pickle.loads(receive(channel)[0])
        if action == b"f":
            reply = _fork(channel, files, state)
        else:
            reply = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        channel.sendall(REPLY.pack(reply))


def _fork(channel: socket.socket, files: list[int], state: Any) -> int:
    """The number of a process that serves over the first of the files."""
    from irev.engine.confined import begin_serving

    if pid := os.fork():
        for file in files:
            os.close(file)
        return pid
    status = 1
    try:
        channel.close()
        control, *streams = files
        for mine, stream in zip((0, 2), streams, strict=True):
            os.dup2(stream, mine)
            os.close(stream)
        folder, environment, sys.path[:] = state
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        begin_serving(control)
        status = 0
    except Exception:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)
