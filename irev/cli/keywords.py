"""The functions of commands as `help` and editors show them: every option is a keyword.

A function is told of its options when it is first asked for, since that imports its command.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from irev.cli import calling
from irev.cli.commands import COMMANDS, Job, Kinds
from irev.core.displayed import located
from irev.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from irev.core.option_records import Field

_WIDTH = 88
_ENTRY = re.compile(r"^    \*\*options: .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
_REPEATED = re.compile(r"[;.] may be repeated", re.IGNORECASE)


def __getattr__(name: str) -> Any:
    function = getattr(calling, name)
    if name in COMMANDS:
        command = located(COMMANDS[name].place)
        (_describe_kinds if isinstance(command, Kinds) else _describe)(function, command)
        globals()[name] = function
    return function


def _describe(function: Callable[..., Any], command: Job) -> None:
    """Put the options of a command into the signature and the docstring of its function."""
    signature = inspect.signature(function)
    given = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    files = {each.name for each in given}
    fields = {k: found for k, found in calling.keywords(command).items() if k not in files}
    named = [
        _parameter(keyword, _type_of(field, is_shared), field.default)
        for keyword, (field, is_shared) in fields.items()
    ]
    helps = {str(param.name): getattr(param, "help", "") for param in command.params}
    spelled = {o: k for k, (field, _) in fields.items() for o in field.opt.names}
    shared = [keyword for keyword, (_, is_shared) in fields.items() if is_shared]
    entries = [
        f"{keyword}: {_in_keywords(helps.get(field.name) or field.opt.help, spelled)}"
        for keyword, (field, is_shared) in fields.items()
        if not is_shared
    ]
    if shared:
        named.append(_parameter("options", Options | None, None))
        names = ", ".join(shared)
        entries.append(
            f"options: the choices of the evaluation. Its fields are keywords, too: {names}."
        )
    _set(function, signature.replace(parameters=[*given, *named]))
    _add(function, entries)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _describe_kinds(function: Callable[..., Any], command: Kinds) -> None:
    """Put the kinds into the signature and the docstring, each with its own options."""
    own = {}
    for name in command.kinds:
        job: Any = command.get_command(click.Context(command), name)
        keywords = calling.keywords(job)
        own[name] = [keyword for keyword, (_, is_shared) in keywords.items() if not is_shared]
    signature = inspect.signature(function)
    kind, *others = signature.parameters.values()
    kind = kind.replace(annotation=Literal[tuple(own)])
    _set(function, signature.replace(parameters=[kind, *others]))
    first, *others_own = own.values()
    every = [keyword for keyword in first if all(keyword in each for each in others_own)]
    entries = []
    for name, entry in command.kinds.items():
        keywords_of_kind = ", ".join(each for each in own[name] if each not in every)
        entries.append(f'"{name}": {entry.line} Keywords: {keywords_of_kind}.')
    entries.append(
        f"options: the choices of the evaluation. Its fields are keywords, too, and of every kind "
        f"{', '.join(every)}."
    )
    _add(function, entries)


def _set(function: Callable[..., Any], signature: inspect.Signature) -> None:
    function.__signature__ = signature  # type: ignore[attr-defined]
    kinds = {name: each.annotation for name, each in signature.parameters.items()}
    function.__annotations__ = kinds | {"return": signature.return_annotation}


def _type_of(field: Field, is_shared: bool) -> Any:
    """What Python may give for a field, as `calling` reads it."""
    kind = field.type
    if field.name == "measures":
        return object
    if field.opt.is_table:
        return Mapping[str, float] | Sequence[str]
    if field.is_sequence and field.scalar_type is str:
        return str | Sequence[str]
    if field.opt.parse is not None and not is_shared and not isinstance(kind, str):
        return str | kind
    return kind


def _in_keywords(text: str, spelled: Mapping[str, str]) -> str:
    """A help with keywords in place of the options of the command line."""
    return _OPTION.sub(lambda found: spelled.get(found[0], found[0]), _REPEATED.sub("", text))


def _add(function: Callable[..., Any], entries: Iterable[str]) -> None:
    """Add entries to the arguments in a docstring, behind the last one."""
    said = inspect.cleandoc(function.__doc__ or "")
    found = _ENTRY.search(said)
    if found is None:
        return
    more = [
        textwrap.fill(each, _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for each in entries
    ]
    function.__doc__ = "\n".join([said[: found.end()], *more]) + said[found.end() :]
