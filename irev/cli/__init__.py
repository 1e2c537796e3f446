"""The command line: files of commands, which are named in `commands.COMMANDS`."""

from __future__ import annotations

import atexit
import gc
import os

_OBJECTS = 100_000
"""So many new objects between two looks for garbage: a start makes some 50,000, and none of it."""


def main() -> None:
    """Run the command line with the program's arguments, and exit."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # what ends with the process is not looked through before
    # the first of all: imports take most of a short call's time
    from irev.core.output_files import install_signal_handlers

    install_signal_handlers()
    # matrix products here are small, and irev has threads of its own: more of them only get in
    # each other's way. It has to be said before NumPy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from irev.cli.commands import irev

    irev.main()
