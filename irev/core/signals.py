"""Signals that end the program: at once, without a traceback, nothing half-made left behind.

An exception from a signal can surface anywhere, in the import of a library or in a callback that
swallows it. Here nothing is raised: what must not be left is undone, and the process ends.
This is the first import of a call, and imports little.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

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
