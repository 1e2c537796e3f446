"""`irev completion`: the script that makes a shell complete irev's command lines."""

import os
from typing import TYPE_CHECKING, Annotated

import click
from click.shell_completion import CompletionItem

from irev.cli.commands import COMPLETE, Job, misused
from irev.cli.output import print_out, replaced, say
from irev.cli.shells import script
from irev.core.option_records import Opt, OutputOptions
from irev.errors import IrevError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": ""}
"""Shell -> its start file, where a line has to name the script."""


class Installed(OutputOptions):
    """What is done with the script."""

    install: Annotated[bool, Opt(
        "--install",
        help="Set completion up for your user account, instead of printing the script. You can "
        "repeat this after an update.",
    )] = False  # fmt: skip


def completion(files: tuple[str, ...], installed: Installed) -> int:
    """Print the script that completes irev's commands, options and measures in your shell.

    To try it: eval "$(irev completion bash)". With --install the script is written to
    ~/.local/share/irev and named in ~/.bashrc or ~/.zshrc; for fish it is written to
    ~/.config/fish/completions.
    """
    if len(files) != 1:
        raise misused(f"give the name of your shell: {', '.join(SHELLS)}")
    (shell,) = files
    if shell not in SHELLS:
        raise UsageError(f"'{shell}' is not supported: choose one of {', '.join(SHELLS)}")
    if installed.install:
        _install(shell)
    else:
        print_out([script(shell, COMPLETE)])
    return 0


def _install(shell: str) -> None:
    """Write the script, and the line that names it; nothing is written twice."""
    start = SHELLS[shell]
    if start:
        path = _home("XDG_DATA_HOME", "~/.local/share", "irev", f"completion.{shell}")
    else:
        path = _home("XDG_CONFIG_HOME", "~/.config", "fish", "completions", "irev.fish")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with replaced(path) as stream:
            stream.write(script(shell, COMPLETE))
        said = [f"wrote {path}"]
        if start:
            said.append(_named(os.path.expanduser(start), f'source "{path}"  # irev completion'))
    except OSError as error:
        raise IrevError(f"{error.filename}: this cannot be written: {error.strerror}") from None
    for line in (*said, f"open a new {shell} to use it"):
        say(f"irev: {line}")


def _home(variable: str, otherwise: str, *names: str) -> str:
    return os.path.join(os.environ.get(variable) or os.path.expanduser(otherwise), *names)


def _named(start: str, line: str) -> str:
    """Add a line to a start file that lacks it; what was done."""
    known = ""
    if os.path.exists(start):
        with open(start, encoding="utf-8", errors="surrogateescape") as stream:
            known = stream.read()
    if line in known.splitlines():
        return f"{start} names it already"
    with open(start, "a", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(f"{'' if known.endswith(chr(10)) or not known else chr(10)}{line}\n")
    return f"added a line to {start}"


def _shells(_: click.Context, __: click.Parameter, begun: str) -> "Sequence[CompletionItem[str]]":
    return [CompletionItem(shell) for shell in SHELLS if shell.startswith(begun)]


command = Job(
    "completion",
    completion,
    click.Argument(["files"], nargs=-1, metavar="bash|zsh|fish", shell_complete=_shells),
    Installed,
    example="irev completion bash --install",
)
