"""Where results go: standard output, or a file that is replaced as a whole."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from irev.errors import IrevError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CLOSED_PIPE = 141
"""The exit code when nobody reads on, as a shell shows it for a program that SIGPIPE ends."""


def print_out(blocks: Iterable[bytes]) -> None:
    """Write to standard output and flush it.

    Raises:
        click.exceptions.Exit: quietly, where the reader has gone.
        IrevError: where it cannot be written for another reason.
    """
    stream = sys.stdout
    if stream is None:
        raise IrevError("there is no standard output to write to")
    try:
        for block in blocks:
            stream.buffer.write(block)
        stream.buffer.flush()
    except BrokenPipeError:
        _forget_stdout()
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except OSError as error:
        _forget_stdout()
        raise IrevError(f"standard output cannot be written: {error.strerror}") from None


def _forget_stdout() -> None:
    """What is still buffered goes nowhere, so that the interpreter's end says nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextlib.contextmanager
def replaced(path: str) -> Iterator[BinaryIO]:
    """A stream to a temporary file beside `path` that takes its place when all went well.

    What is no regular file (a pipe, a terminal) is written as it is. A link stays a link.

    Raises:
        IrevError: where it cannot be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as stream:
                yield stream
            return
        with _beside(os.path.realpath(path)) as stream:
            yield stream
    except OSError as error:
        raise IrevError(f"{path}: this file cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _beside(target: str) -> Iterator[BinaryIO]:
    temporary = f"{target}.{os.getpid()}.part"
    stream = open(temporary, "xb")  # noqa: SIM115 - closed before it is renamed
    try:
        with stream:
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
