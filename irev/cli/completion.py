"""`irev completion`: how shells ask for completions, what irev answers, and their scripts."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    shell_complete,
    split_arg_string,
)

from irev.cli.commands import COMPLETE, Job, usage_error
from irev.cli.output import print_out, say
from irev.core.option_records import Opt, OutputOptions
from irev.core.output_files import replace_file
from irev.errors import IrevError, UsageError

# --- The command: it prints or installs the script of a shell ---


SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": ""}
"""Shell -> its start file, where a line has to name the script."""


class CompletionOutput(OutputOptions):
    """Where the script goes."""

    install: Annotated[
        bool,
        Opt(
            "--install",
            help="Set completion up for your user account, instead of printing the script. You can "
            "repeat this after an update.",
        ),
    ] = False


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


# --- How shells ask, and what irev answers ---


_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_LINE="$COMP_LINE" COMP_POINT=$COMP_POINT %(complete_var)s=bash_complete $1)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        else
            COMPREPLY+=("$value")
        fi
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH_START = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"

_BREAKS = ":="
"""Where bash ends a word besides at blanks, so that only what follows is put in."""


class _Bash(BashComplete):
    """Completion for bash that knows the line as it is typed: `suite:` is one word to irev."""

    name = "bash"
    source_template = _BASH

    def _words_before_cursor(self) -> list[str]:
        """The words up to the cursor, the last one unfinished."""
        line = os.fsencode(os.environ["COMP_LINE"])[: int(os.environ["COMP_POINT"])]
        text = os.fsdecode(line)
        words = split_arg_string(text)
        return words if text[-1:].strip() else [*words, ""]

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the unfinished one, and that one."""
        if "COMP_LINE" not in os.environ:
            return super().get_completion_args()
        *args, incomplete = self._words_before_cursor()
        return args[1:], incomplete

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The kind of an item and what bash puts in the place of its own last word."""
        value = item.value
        if "COMP_LINE" in os.environ and item.type == "plain":
            incomplete = self._words_before_cursor()[-1]
            end = max(incomplete.rfind(letter) for letter in _BREAKS) + 1
            if value.startswith(incomplete[:end]):
                value = value[end:]
        return f"{item.type},{value}"


add_completion_class(_Bash)


def answer_completion(program: click.Command, variable: str) -> NoReturn:
    """Answer a shell that asks for completions, and exit; errors are not shown."""
    try:
        code = shell_complete(program, {}, "irev", variable, os.environ[variable])
    except Exception:
        code = 1
    sys.exit(code)


def completion_script(shell: str, variable: str) -> bytes:
    """The script of a shell that sets a variable to ask."""
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101 - click knows the three
    completion = completion_class(click.Command("irev"), {}, "irev", variable)
    text = completion.source_template % completion.source_vars()
    return ((_ZSH_START if shell == "zsh" else "") + text.lstrip()).encode()
