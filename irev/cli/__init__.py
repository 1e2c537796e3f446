"""The command line: one thin file for each command, named in `commands.COMMANDS`."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line with the program's arguments, and exit."""
    # the first of all: imports take most of a short call's time
    from irev.core.signals import end_quietly

    end_quietly()
    # matrix products here are small, and irev has threads of its own: more of them only get in
    # each other's way. It has to be said before NumPy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from irev.cli.commands import irev

    irev.main()
