"""`irev completion`: the script that makes a shell complete irev's command lines."""

from __future__ import annotations

import os
from typing import Annotated

import click
from click.shell_completion import CompletionItem

from irev.cli.commands import COMPLETE, Job, usage_error
from irev.cli.output import print_out, say
from irev.cli.shells import completion_script
from irev.core.option_records import Opt, OutputOptions
from irev.core.output_files import replace_file
from irev.errors import IrevError, UsageError

SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": ""}
"""Shell -> its start file, where a line has to name the script."""


class CompletionOutput(OutputOptions):
    """Where the script goes."""

    install: Annotated[bool, Opt(
        "--install",
        help="Set completion up for your user account, instead of printing the script. You can "
        "repeat this after an update.",
    )] = False  # fmt: skip


def completion(files: tuple[str, ...], output: CompletionOutput) -> int:
    """Print the script that completes irev's commands, options and measures in your shell.

    To try it: eval "$(irev completion bash)". With --install the script is written to
    ~/.local/share/irev and named in ~/.bashrc or ~/.zshrc; for fish it is written to
    ~/.config/fish/completions.
    """
    if len(files) != 1:
        raise usage_error(f"give the name of your shell: {', '.join(SHELLS)}")
    (shell,) = files
    if shell not in SHELLS:
        raise UsageError(f"'{shell}' is not supported: choose one of {', '.join(SHELLS)}")
    if output.install:
        _install_script(shell)
    else:
        print_out([completion_script(shell, COMPLETE)])
    return 0


def _install_script(shell: str) -> None:
    """Write the script, and the line that names it; nothing is written twice."""
    start_file = SHELLS[shell]
    if start_file:
        path = _home_path("XDG_DATA_HOME", "~/.local/share", "irev", f"completion.{shell}")
    else:
        path = _home_path("XDG_CONFIG_HOME", "~/.config", "fish", "completions", "irev.fish")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with replace_file(path) as stream:
            stream.write(completion_script(shell, COMPLETE))
        lines = [f"wrote {path}"]
        if start_file:
            source = f'source "{path}"  # irev completion'
            lines.append(_add_start_line(os.path.expanduser(start_file), source))
    except OSError as error:
        raise IrevError(f"{error.filename}: this cannot be written: {error.strerror}") from None
    for line in (*lines, f"open a new {shell} to use it"):
        say(f"irev: {line}")


def _home_path(variable: str, default_folder: str, *names: str) -> str:
    return os.path.join(os.environ.get(variable) or os.path.expanduser(default_folder), *names)


def _add_start_line(start_file: str, line: str) -> str:
    """Add a line to a start file that lacks it; a message that says what was done."""
    text = ""
    if os.path.exists(start_file):
        with open(start_file, encoding="utf-8", errors="surrogateescape") as stream:
            text = stream.read()
    if line in text.splitlines():
        return f"{start_file} names it already"
    with open(start_file, "a", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(f"{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n")
    return f"added a line to {start_file}"


command = Job(
    "completion",
    completion,
    click.Argument(
        ["files"],
        nargs=-1,
        metavar="bash|zsh|fish",
        shell_complete=lambda ctx, param, incomplete: [
            CompletionItem(shell) for shell in SHELLS if shell.startswith(incomplete)
        ],
    ),
    CompletionOutput,
    example="irev completion bash --install",
)
