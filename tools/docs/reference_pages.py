"""The reference of commands and of the Python API, which Sphinx writes anew into docs/reference/.

Commands come from click, so a page has every option; the API comes from the docstrings of what
`irev.__all__` names, which are Markdown in Google's sections.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

import irev
from irev.cli.commands import COMMANDS
from irev.cli.commands import irev as program
from irev.measures.describe import escape_markdown

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
ROOT = FOLDER.parents[1]

BESIDE = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Files of the repository that are pages of the site, too."""

_WIDE = 90
"""The longest signature on one line."""


def pages() -> dict[str, str]:
    """The text of every page, by its file's name."""
    written = {f"{name}.md": "\n".join(command_page(name)) for name in COMMANDS}
    copied = {page: page_of_file(path) for path, page in BESIDE.items()}
    return {"index.md": index(), **written, **copied, "api.md": "\n".join(api_page())}


def index() -> str:
    """The list of commands."""
    rows = [f"| [`irev {name}`]({name}.md) | {entry.line} |" for name, entry in COMMANDS.items()]
    return "\n".join(
        ["# Commands", "", "Every option of every command; `irev COMMAND --help-all` has the same.",
         "", "| command | what it does |", "|---|---|", *rows, "",
         "```{toctree}", ":hidden:", *COMMANDS, "```", ""]
    )  # fmt: skip


# --- commands ---


Records = dict[str, list[tuple[str, str]]]
"""Section of the help -> (option, meaning) pairs."""


def command_page(name: str) -> Iterator[str]:
    """A command with its options, or its kinds with theirs; what all kinds share comes once."""
    root = click.Context(program, info_name="irev", **program.context_settings)
    command = program.get_command(root, name)
    if command is None:
        raise LookupError(name)
    context = click.Context(command, info_name=name, parent=root, **command.context_settings)
    yield from (f"# irev {name}", "", *_usage_lines(command, context))
    if not isinstance(command, click.Group):
        yield from _options(_records(command, context), "##")
        return
    kinds = {kind: command.get_command(context, kind) for kind in command.list_commands(context)}
    contexts = {
        kind: (inner, click.Context(inner, context, kind, **inner.context_settings))
        for kind, inner in kinds.items()
        if inner
    }
    every = {kind: _records(*pair) for kind, pair in contexts.items()}
    first = next(iter(every.values()))
    shared = {
        title: [pair for pair in records if all(pair in r.get(title, []) for r in every.values())]
        for title, records in first.items()
    }
    for kind, (inner, inside) in contexts.items():
        yield from (f"## irev {name} {kind}", "", *_usage_lines(inner, inside))
        own = {
            title: [pair for pair in records if pair not in shared.get(title, [])]
            for title, records in every[kind].items()
        }
        yield from _options(own, "###")
    yield from ("## Options of every kind", "", *_options(shared, "###"))


def _records(command: click.Command, context: click.Context) -> Records:
    sections: Records = {}
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record and record[1]:
            sections.setdefault(getattr(param, "section", "Options"), []).append(record)
    return sections


def _usage_lines(command: click.Command, context: click.Context) -> Iterator[str]:
    """How it is called, what it does, an example."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from ("```text", usage, "```", "", _prose(inspect.cleandoc(command.help or "")), "")
    if command.epilog:
        yield from _example(command.epilog)


def _options(sections: Records, level: str) -> Iterator[str]:
    for title, records in sections.items():
        if records:
            yield from (f"{level} {title}", "")
        for option, meaning in records:
            yield from (f"`{option}`", f": {_prose(' '.join(meaning.split()))}", "")


def _prose(text: str) -> str:
    """Help as Markdown, options as code."""
    return escape_markdown(re.sub(r"(?<![\w`\[|-])--?[A-Za-z][\w-]*(?![\w`])", r"`\g<0>`", text))


def _example(epilog: str) -> Iterator[str]:
    match = re.fullmatch(r"Examples?: (.*)", epilog, re.DOTALL)
    if match:
        yield from (
            "```text",
            *(f"$ {' '.join(each.split())}" for each in match[1].split(";  ")),
            "```",
        )
    else:
        yield escape_markdown(epilog)
    yield ""


# --- the API ---


def api_page() -> Iterator[str]:
    """All that `import irev` gives, by what it is."""
    yield from (
        "# Python API",
        "",
        "Everything below is a name of the package: `irev.evaluate`.",
        "",
    )
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors and warnings": []}
    values = dict(_public_values())
    for name, value in values.items():
        if not inspect.isclass(value):
            groups["Functions"].append(name)
        elif issubclass(value, Exception):
            groups["Errors and warnings"].append(name)
        else:
            groups["Classes"].append(name)
    for title, names in groups.items():
        yield from (f"## {title}", "")
        for name in names:
            value = values[name]
            yield from (f"### {name}", "")
            if title != "Errors and warnings":
                yield from _signature(name, value)
            yield from docstring_markdown(value.__doc__ or "")
            if title == "Classes":
                yield from _members(name, value)


def _public_values() -> Iterator[tuple[str, Any]]:
    """(name, value) of all that is public; `plots.median` of what stands in a module."""
    for name in irev.__all__:
        value = getattr(irev, name)
        if inspect.ismodule(value):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in dir(value))
        else:
            yield name, value


def _signature(name: str, function: Any) -> Iterator[str]:
    try:
        signature = inspect.signature(function)
    except ValueError:
        return
    text = f"{name}{signature}"
    if len(text) > _WIDE:
        stars = [f"    {each}," for each in _parameters(signature)]
        result = signature.return_annotation
        arrow = "" if result is inspect.Signature.empty else f" -> {result}"
        text = "\n".join([f"{name}(", *stars, f"){arrow}"])
    # annotations are kept as text, and names of types without their modules
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    text = re.sub(r"\b(?:collections\.abc|typing|irev\.options)\.", "", text)
    yield from ("```text", text, "```", "")


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    named_only = False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not named_only:
            named_only = True
            yield "*"
        yield str(each)


def _members(name: str, cls: type) -> Iterator[str]:
    fields = list(_fields(cls))
    if fields:
        yield from ("Fields:", "", *fields, "")
    for member, value in vars(cls).items():
        if member.startswith("_") or not (callable(value) or hasattr(value, "__get__")):
            continue
        attribute = inspect.getattr_static(cls, member)
        inner = getattr(attribute, "fget", None) or getattr(attribute, "func", None) or getattr(
            attribute, "__func__", attribute
        )  # fmt: skip
        if not inspect.isfunction(inner) or not inner.__doc__:
            continue
        is_property = inner is not attribute and not isinstance(
            attribute, (classmethod, staticmethod)
        )
        yield from (f"#### {name}.{member}", "")
        if not is_property:
            yield from _signature(member, inner)
        yield from docstring_markdown(inner.__doc__)


def _fields(cls: type) -> Iterator[str]:
    """The fields of a class, each with the text that follows it in the source."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for field, after in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            text = getattr(after.value, "value", "")
            if isinstance(text, str) and text:
                yield f"- `{ast.unparse(field.target)}`: {escape_markdown(' '.join(text.split()))}"


def docstring_markdown(text: str) -> Iterator[str]:
    """A docstring in Google's style as Markdown."""
    section = ""
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        head, _, rest = block.partition("\n")
        if re.fullmatch(r"(Args|Returns|Raises|Warns|Yields):", head):
            section, block = head, textwrap.dedent(rest)
            yield from (f"**{'Arguments:' if section == 'Args:' else section}**", "")
        elif section and not block.startswith(" "):
            section = ""
        if head == "Example:":
            yield from ("```python", textwrap.dedent(rest), "```", "")
        elif re.search(r"\S {3,}\S", block):
            yield from ("```text", textwrap.dedent(block), "```", "")
        elif section in ("Args:", "Raises:", "Warns:"):
            items = re.split(r"\n(?=\S)", textwrap.dedent(block))
            for name, _, meaning in (item.partition(":") for item in items):
                yield f"- `{name}`: {escape_markdown(' '.join(meaning.split()))}"
            yield ""
        else:
            yield from (escape_markdown(" ".join(block.split())), "")


# --- files beside docs ---


def page_of_file(name: str) -> str:
    """A file of the repository as a page: links go to pages of the site."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](../")
    for path, page in BESIDE.items():
        text = re.sub(rf"\]\({re.escape(path)}(?:#[^)]*)?\)", f"]({page})", text)
    return text.replace("](README.md)", "](../index.md)")


def write() -> None:
    """Write what has changed, so that Sphinx reads nothing twice."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
