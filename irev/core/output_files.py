"""Files that are written whole or not at all, also where a signal ends the program.

This is the first import of a call, and imports little.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, NoReturn

from irev.errors import IrevError

# --- Signals that end the program ---
# An exception from a signal can surface anywhere, in the import of a library or in a callback that
# swallows it. Here nothing is raised: what must not be left is undone, and the process ends.


_undo: list[Callable[[], object]] = []


def install_signal_handlers() -> None:
    """From here on a signal ends the program with 128 and its number, as a shell shows it.

    One that is ignored (`nohup`, a job in the background) or has a handler stays as it is.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal_number = getattr(signal, name, None)  # Windows has two of them
        if signal_number is None:
            continue
        if signal.getsignal(signal_number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(signal_number, _undo_and_exit)


def _undo_and_exit(signal_number: int, frame: object) -> NoReturn:
    while _undo:
        try:
            _undo.pop()()
        except Exception:  # noqa: S112 - whatever it is, the others are undone too
            continue
    try:
        if signal_number == signal.SIGINT:
            os.write(2, b"\n")  # behind the ^C of a terminal
    finally:
        os._exit(128 + signal_number)


class undo_on_signal:  # noqa: N801 - a context manager, called as a function is
    """Within, a signal that ends the program calls this first."""

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        """From here."""
        _undo.append(self._undo)

    def __exit__(self, *_: object) -> None:
        """To here."""
        _undo.remove(self._undo)


# --- Files that are written whole or not at all ---


@contextlib.contextmanager
def replace_file(path: str) -> Iterator[BinaryIO]:
    """A stream to a temporary file beside `path` that takes its place when all went well.

    What is no regular file (a pipe, a terminal) is written as it is, and so is a stream that the
    caller has open (`/dev/stdout`), behind what stands there already. A link stays a link.
    """
    try:
        if os.path.islink(path):
            with contextlib.suppress(FileNotFoundError):  # a file that is yet to be written
                os.stat(path)  # a link that leads to itself is told, not replaced
        number = _own_stream_number(path)
        if number is not None or (os.path.exists(path) and not os.path.isfile(path)):
            with open(path if number is None else os.dup(number), "wb") as stream:
                yield stream
            return
        # folders above may be closed to the user, who can write in this one
        with _open_replacement(os.path.realpath(path) if os.path.islink(path) else path) as stream:
            yield stream
    except OSError as error:
        reason = error.strerror or str(error)
        if str(error.filename).endswith(_ENDING) and os.path.isfile(path):
            reason += " (a new file is made in its folder, which takes its place)"
        raise IrevError(f"{path}: this file cannot be written: {reason}") from None


_ENDING = ".part"


def _own_stream_number(path: str) -> int | None:
    """Of a path that means a stream which this process has open its number, else None.

    To open such a path anew would empty the file that the stream leads to.
    """
    folder, _, name = path.rpartition("/")
    if folder in ("/dev/fd", "/proc/self/fd") and name.isdecimal() and len(name) < 10:
        return int(name)
    return {"/dev/stdout": 1, "/dev/stderr": 2}.get(path)


@contextlib.contextmanager
def _open_replacement(target: str) -> Iterator[BinaryIO]:
    # no other call has this name, what one that was killed left behind neither; it is short, since
    # that of the target may be as long as names can be
    name = f".irev-{os.urandom(8).hex()}{_ENDING}"
    temporary = os.path.join(os.path.dirname(target), name)
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    with undo_on_signal(partial(os.unlink, temporary)):
        try:
            # never open to more people than the file that it replaces
            opener = partial(os.open, mode=0o666 if mode is None else mode)
            with open(temporary, "xb", opener=opener) as stream:
                if mode is not None:
                    os.chmod(temporary, mode)
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


_LONGEST_WAIT = 60.0
"""Seconds that a call waits for others."""


@contextlib.contextmanager
def lock_folder_of(path: str) -> Iterator[None]:
    """Within, no other call is within for a file of the same folder: it waits.

    So that nobody reads a file that is about to be replaced. It is the folder that is locked, since
    the file becomes another one. A system without such locks (Windows, some network folders) has
    nobody wait.

    Raises:
        IrevError: another has been within for a minute.
    """
    try:
        import fcntl

        folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
    except (ImportError, OSError):  # a folder that is not there is told where the file is written
        yield
        return
    try:
        give_up = time.monotonic() + _LONGEST_WAIT
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    message = f"{path}: another call has kept its folder locked for a minute"
                    raise IrevError(message) from None
                time.sleep(0.05)
            except OSError:  # there are no such locks here
                break
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_UN)  # children may have the folder open, too
        os.close(folder)
