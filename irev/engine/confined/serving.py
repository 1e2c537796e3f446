"""The server and its workers: the side that reads strangers' files."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import socket
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from irev.engine.confined.messages import (
    COMMAND,
    REPLY,
    encode_json_with_bytes,
    error_to_json,
    receive,
    send,
)
from irev.errors import IrevError

if TYPE_CHECKING:
    from irev.engine.confined.limits import Limits
    from irev.engine.confined.workers import Target, Work

_MAX_GROWTH = 1 << 28
"""Memory that a worker may keep from file to file, in bytes."""


def begin_serving(channel_number: int) -> None:
    """Serve, in a new process, what the caller says over a channel."""
    channel = socket.socket(fileno=channel_number)
    try:
        server_setup = pickle.loads(receive(channel)[0])  # noqa: S301 - caller's
    except (EOFError, ConnectionResetError):
        os._exit(0)  # the caller is gone
    serve_paths(channel, *server_setup)


def serve_paths(
    channel: socket.socket, target: str, setup: Any, limits: Limits, forks_workers: bool
) -> None:
    """Prepare the work, and do it until the caller is gone: all that a server does."""
    # Arrow's own allocators reserve a gigabyte at once, which would count as memory that is used
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    try:
        module, _, name = target.partition(":")
        work = _prepare_work(channel, getattr(import_module(module), name), setup, limits)
        if work is None:
            return
        if forks_workers:
            _fork_workers(channel, work, limits)
        else:
            _answer_paths(channel, work, limits)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the caller is gone


def _prepare_work(
    channel: socket.socket, target: Target, setup: Any, limits: Limits
) -> Work | None:
    """The work; None where it cannot be done, which the caller is told."""
    work = None
    try:
        facts, work = target(setup, limits)
        message = ("facts", facts)
    except IrevError as error:
        message = ("error", error_to_json(error))
    except Exception as error:
        message = ("bug", _bug_line_or_traceback(error))
    send(channel, pickle.dumps(message))
    return work


def _fork_workers(control: socket.socket, work: Work, limits: Limits) -> None:
    """Fork a worker, or wait for the end of one, whenever the caller says so."""
    # the workers look at what is there now; they would copy it to tell that it is not garbage
    gc.collect()
    gc.freeze()
    workers: set[int] = set()
    try:
        while True:
            command, channels, _, _ = socket.recv_fds(control, COMMAND.size, 1)
            if len(command) < COMMAND.size:
                return
            action, reply = COMMAND.unpack(command)
            if action == b"f":
                reply = _fork_worker(control, socket.socket(fileno=channels[0]), work, limits)
                workers.add(reply)
            else:
                workers.discard(reply)
                reply = os.waitstatus_to_exitcode(os.waitpid(reply, 0)[1])
            control.sendall(REPLY.pack(reply))
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGKILL)


def _fork_worker(control: socket.socket, channel: socket.socket, work: Work, limits: Limits) -> int:
    """The number of a process that works for a channel."""
    with warnings.catch_warnings():
        # Python warns of Arrow's threads, which wait for work here: Arrow makes new ones in a fork
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid:
        channel.close()
        return pid
    try:
        control.close()
        _answer_paths(channel, work, limits)
    finally:
        os._exit(0)


def _answer_paths(channel: socket.socket, work: Work, limits: Limits) -> None:
    """Work on one file after the other, until the caller wants no more or one was too much."""
    # what libraries say of a broken file is not for everybody, and its memory for nobody
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    at_start, is_last = _private_memory(), False
    while not is_last:
        path = pickle.loads(receive(channel)[0])  # noqa: S301 - caller's
        _allow_memory(limits.max_memory)
        outcome, value, data = _outcome_of_file(work, path)
        is_last = outcome in ("memory", "bug") or _private_memory() - at_start > _MAX_GROWTH
        send(channel, encode_json_with_bytes([outcome, value, is_last]), data)


def _outcome_of_file(work: Work, path: str) -> tuple[str, Any, bytes]:
    """(how it went, what there is to say, numbers)."""
    try:
        answer = work(path)
    except IrevError as error:
        return "error", error_to_json(error), b""
    except MemoryError:
        return "memory", "", b""
    except (Exception, SystemExit) as error:
        return "bug", _bug_line_or_traceback(error), b""
    return "answer", *answer


def _bug_line_or_traceback(error: BaseException) -> str:
    if os.environ.get("IREV_TRACEBACK"):
        import traceback

        return "".join(traceback.format_exception(error))
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _private_memory() -> int:
    """Bytes of this process that nobody else can write to; 0 where that is not told."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


def _allow_memory(num_bytes: int) -> None:
    """Let this process take so much memory beside what it has."""
    num_used = _private_memory()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if num_used and (hard == resource.RLIM_INFINITY or num_used + num_bytes < hard):
        resource.setrlimit(resource.RLIMIT_DATA, (num_used + num_bytes, hard))
