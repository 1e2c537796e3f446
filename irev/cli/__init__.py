"""The command line: one thin file for each command, named in `commands.COMMANDS`."""

from __future__ import annotations


def main() -> None:
    """Run the command line with the program's arguments, and exit."""
    from irev.cli.commands import irev

    irev.main()
