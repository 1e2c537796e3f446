"""How shells ask for completions: what irev answers, and the scripts that make them ask."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    shell_complete,
    split_arg_string,
)

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
