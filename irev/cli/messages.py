"""What goes to stderr."""

from __future__ import annotations

import sys

from irev.core.text import printable
from irev.errors import InputError, IrevError


def say(line: str) -> None:
    """Write a line to stderr, and no more than one, whatever names are in it."""
    say_lines(printable(line))


def say_lines(text: str) -> None:
    """Write to stderr; that it is closed is no reason to stop."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        # sys.stderr escapes what it cannot encode, such as bytes of a file name
        stream.write(f"{text}\n")
        stream.flush()
    except OSError:
        pass


def say_error(error: IrevError, path: str = "") -> None:
    """Write an error to stderr; problems of files begin with `FILE:LINE:`."""
    if isinstance(error, InputError):
        say_lines(str(error))
    else:
        say(f"irev: error: {path}{': ' if path else ''}{error}")
