"""What goes to stderr."""

from __future__ import annotations

import sys

from irev.errors import InputError, IrevError


def say(line: str) -> None:
    """Write a line to stderr; a stderr that is closed is no reason to stop."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        # sys.stderr escapes what it cannot encode, such as bytes of a file name
        stream.write(f"{line}\n")
        stream.flush()
    except OSError:
        pass


def say_error(error: IrevError, path: str = "") -> None:
    """Write an error to stderr; problems of files begin with `FILE:LINE:`."""
    if isinstance(error, InputError):
        say(str(error))
    else:
        say(f"irev: error: {path}{': ' if path else ''}{error}")
