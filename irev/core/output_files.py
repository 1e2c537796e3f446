"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from irev.core.signals import undo_on_signal
from irev.errors import IrevError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def replace_file(path: str) -> Iterator[BinaryIO]:
    """A stream to a temporary file beside `path` that takes its place when all went well.

    What is no regular file (a pipe, a terminal) is written as it is. A link stays a link.
    """
    try:
        if os.path.islink(path):
            with contextlib.suppress(FileNotFoundError):  # a file that is yet to be written
                os.stat(path)  # a link that leads to itself is told, not replaced
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as stream:
                yield stream
            return
        # folders above may be closed to the user, who can write in this one
        with _open_replacement(os.path.realpath(path) if os.path.islink(path) else path) as stream:
            yield stream
    except OSError as error:
        raise IrevError(f"{path}: this file cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _open_replacement(target: str) -> Iterator[BinaryIO]:
    temporary = f"{target}.{os.getpid()}.part"
    with undo_on_signal(partial(os.unlink, temporary)):
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
