"""Strangers' files worked on in processes that can be killed, with limits."""

from __future__ import annotations

import gc
import json
import os
import pickle
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from math import inf
from typing import Annotated, Any, NamedTuple

from irev.core.option_records import Opt, ResultOptions
from irev.core.record import cached_property
from irev.core.text import UNITS, cut_text, size_text
from irev.errors import InputError, IrevError, MismatchError, Problem, UsageError

# --- What a stranger's file may take: bytes, memory, time ---


CONFINES = os.name == "posix"
"""Whether this system has what files of strangers are read with: Windows has not."""

_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?) ?(?:([KMGT]?)(?:iB)?|B)", re.IGNORECASE | re.ASCII)


def _num_bytes(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a size, such as 500MiB or 2GiB.")
    return int(float(match[1]) * UNITS[(match[2] or "").upper()])


_SECTION = "Limits of one submission"


class Limits(ResultOptions):
    """What a stranger's file may take: whatever needs more is reported, and the others go on."""

    max_size: Annotated[
        int,
        Opt(
            "--max-size",
            in_short_help=False,
            metavar="SIZE",
            section=_SECTION,
            parse=_num_bytes,
            least=1,
            most=1 << 60,
            effect="nothing",
            help="Largest size of a submission, after decompression. Default: 2GiB.",
        ),
    ] = 2 << 30
    """Bytes that are read of a file, decompressed."""
    max_memory: Annotated[
        int,
        Opt(
            "--max-memory",
            in_short_help=False,
            metavar="SIZE",
            section=_SECTION,
            parse=_num_bytes,
            least=1,
            most=1 << 60,
            effect="nothing",
            help="Most memory for scoring or checking a submission (on Linux). Default: 4GiB.",
        ),
    ] = 4 << 30
    """Bytes of memory that the work on a file takes, beside what the judgments take."""
    max_seconds: Annotated[
        float,
        Opt(
            "--max-seconds",
            in_short_help=False,
            metavar="S",
            section=_SECTION,
            most=10**6,
            effect="nothing",
            help="Most seconds for a submission.",
        ),
    ] = 300.0
    """Seconds that the work on a file takes, by the clock."""

    def _check(self) -> None:
        if not self.max_seconds > 0:
            raise UsageError(f"--max-seconds {self.max_seconds:g}: must be above 0")


def refuse_system_without_limits() -> None:
    """Refuse to read strangers' files where they cannot be confined."""
    if not CONFINES:
        raise UsageError(
            "submissions and the files of directories are read in processes with limits, which "
            "this system does not offer: use Linux, macOS or WSL"
        )


# --- Strangers' files, worked on in processes that can be killed ---
# A server reads what the work stands on, the organiser's own files, and forks a worker whenever
# one is wanted: one that crashed, hung or took too much memory is replaced within milliseconds.
# Where forking is not safe each worker is a server of its own. A server is forked itself while the
# caller has no second thread, as a command has none that only begins: what it has imported is
# there already. Else, or where Arrow is loaded already (see `serve_paths`), it is started anew, so
# that no thread is forked in the middle of its work, and nothing of the caller is run again.
# A file that fails for memory, or ends its worker, after others is tried again in a new worker, so
# that nothing another file left behind makes it fail.
# A worker gets a path and answers with JSON and bytes of numbers; what it sends is never
# unpickled. What is pickled (what the server is told, and what it tells) was made before a
# stranger's byte was read. This confines time, memory and crashes: it is no sandbox for code that
# a hostile file might bring to run, which would have the rights of whoever called irev.


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
                    kind = outcome.problems[0].kind if isinstance(outcome, InputError) else ""
                    if worker.num_files > 1 and kind in _PROCESS_FAULTS:
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
    code = f"from irev.engine.confined import begin_serving; begin_serving({server_end.fileno()})"
    # the caller's path, and not the folder where it happens to be called
    command = [sys.executable, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c"]
    command.append(f"import sys; sys.path[:] = {sys.path!r}; {code}")
    process = subprocess.Popen(  # noqa: S603 - Python itself
        command,
        stdin=None if stdin else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[server_end.fileno()],
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
    )
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
            if not self.is_gone:
                return None
            self._server.kill(self._pid)
            status = _exit_text(self._server.exit_status(self._pid))
            self._pid = -1
            return _file_error(path, f"the reader {status}", "reader-crashed")
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

    def end(self) -> None:
        """End it, whatever it does."""
        self.channel.close()
        if self._pid > 0:
            self._server.kill(self._pid)
            self._server.exit_status(self._pid)
        elif not self._pid:
            self._server.end()


def _file_error(path: str, message: str, kind: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, kind, message, hint)])


def _exit_text(status: int) -> str:
    return f"crashed (signal {-status})" if status < 0 else f"ended (exit code {status})"


# --- The server and its workers: the side that reads strangers' files ---


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
    import resource  # which Windows lacks

    # what libraries say of a broken file is not for everybody, and its memory for nobody
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    at_start, is_last = _private_memory(), False
    while not is_last:
        path = pickle.loads(receive(channel)[0])  # noqa: S301 - caller's
        # so much memory beside what the process has
        num_used, hard = _private_memory(), resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = num_used + limits.max_memory
        if num_used and (hard == resource.RLIM_INFINITY or most < hard):
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        outcome, data = "answer", b""
        value: Any = ""
        try:
            value, data = work(path)
        except IrevError as error:
            outcome, value = "error", error_to_json(error)
        except MemoryError:
            outcome = "memory"
        except (Exception, SystemExit) as error:
            outcome, value = "bug", _bug_line_or_traceback(error)
        is_last = outcome in ("memory", "bug") or _private_memory() - at_start > _MAX_GROWTH
        send(channel, encode_json_with_bytes([outcome, value, is_last]), data)


def _bug_line_or_traceback(error: BaseException) -> str:
    if os.environ.get("IREV_TRACEBACK"):
        import traceback

        return "".join(traceback.format_exception(error))
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _private_memory() -> int:
    """Bytes of this process that nobody else can write to; 0 where that is not told."""
    import resource

    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


# --- What the caller, a server and its workers send each other ---
# A message has two parts: JSON, in which bytes may stand, and numbers as bytes.


_SIZES = struct.Struct("<QQ")

COMMAND = struct.Struct("<cQ")
"""To a server: (b"f", 0) is to fork a worker for the channel beside it, (b"w", process) to wait."""

REPLY = struct.Struct("<q")
"""The worker's process; how the process ended."""


def send(channel: socket.socket, head: bytes, data: bytes = b"") -> None:
    """Send a message."""
    channel.sendall(_SIZES.pack(len(head), len(data)) + head)
    if data:
        channel.sendall(data)


def receive(channel: socket.socket) -> tuple[bytes, bytes]:
    """The two parts of the next message."""
    head, data = _SIZES.unpack(receive_bytes(channel, _SIZES.size))
    return receive_bytes(channel, head), receive_bytes(channel, data)


def receive_bytes(channel: socket.socket, num_bytes: int) -> bytes:
    """So many bytes of a channel."""
    data = bytearray()
    while len(data) < num_bytes:
        chunk = channel.recv(min(num_bytes - len(data), 1 << 20))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def message_parts(received_bytes: bytearray, max_bytes: int) -> tuple[bytes, bytes] | None:
    """The two parts of a message; None where its end is not there yet."""
    if len(received_bytes) < _SIZES.size:
        return None
    head, data = _SIZES.unpack_from(received_bytes)
    if head + data > max_bytes:
        raise ValueError("a message without an end")
    if len(received_bytes) < _SIZES.size + head + data:
        return None
    end = _SIZES.size + head
    return bytes(received_bytes[_SIZES.size : end]), bytes(received_bytes[end : end + data])


def encode_json_with_bytes(value: Any) -> bytes:
    """A value as JSON, with bytes in it."""
    return json.dumps(value, default=lambda some: {"\0": some.decode("latin-1")}).encode()


def decode_json_with_bytes(text: bytes) -> Any:
    """The way back."""

    def restore_bytes(pairs: dict[str, Any]) -> Any:
        return pairs["\0"].encode("latin-1") if [*pairs] == ["\0"] else pairs

    return json.loads(text, object_hook=restore_bytes)


def error_to_json(error: IrevError) -> list[Any]:
    """An error as JSON has it; its texts are cut, for the caller keeps those of all files."""
    if isinstance(error, InputError):
        problems = [
            problem._replace(
                message=cut_text(problem.message),
                hint=cut_text(problem.hint),
                topic=problem.topic and cut_text(problem.topic),
                document=problem.document and cut_text(problem.document),
            )
            for problem in error.problems
        ]
        return ["InputError", problems]
    return [type(error).__name__, [cut_text(str(error)), error.kind]]


def error_from_json(fields: Sequence[Any]) -> IrevError:
    """The way back; what is kept of other errors is their text."""
    error_class, details = fields
    if error_class == "InputError":
        return InputError([Problem._make(problem) for problem in details])
    text, error_kind = details
    if error_class == "MismatchError":
        return MismatchError(text, error_kind)
    error = UsageError(text) if error_class == "UsageError" else IrevError(text)
    error.kind = error_kind
    return error
