"""What the lines of Python files are: logic, signatures, declarations, tables, words, nothing."""

from __future__ import annotations

import ast
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.file_imports import is_for_types

KINDS = (
    "logic", "signatures", "decorators", "fields", "tables", "imports", "docstrings", "comments",
    "blank",
)  # fmt: skip
"""A statement in a function; the head of a function or class; what decorates or declares one; a
statement of a class; a statement of a module that is none of these; ..."""


class RoomSize(NamedTuple):
    """How many files, functions and lines of each kind a room has."""

    num_files: int
    num_functions: int
    lines: Counter[str]


def line_kinds(path: Path) -> list[str]:
    """The kind of each line of a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    kinds = ["blank"] * len(lines)
    with path.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
                kinds[token.start[0] - 1] = "comments"
    for kind, first, last in _spans(ast.parse(text).body, "tables"):
        for index in range(first - 1, last):
            if kinds[index] != "comments" and (kind == "docstrings" or lines[index].strip()):
                kinds[index] = kind
    return kinds


def _spans(body: list[ast.stmt], kind: str) -> Iterator[tuple[str, int, int]]:
    """(kind, first line, last line) of statements; a later one overrides what is around it."""
    for node in body:
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield "decorators", decorator.lineno, decorator.end_lineno or decorator.lineno
            yield "signatures", node.lineno, max(node.lineno, node.body[0].lineno - 1)
            yield from _spans(node.body, "fields" if isinstance(node, ast.ClassDef) else "logic")
        elif isinstance(node, ast.Import | ast.ImportFrom) or is_for_types(node):
            yield "imports", node.lineno, last
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield ("docstrings" if isinstance(node.value.value, str) else kind), node.lineno, last
        else:
            yield kind, node.lineno, last
            for name in ("body", "orelse", "finalbody"):
                yield from _spans(getattr(node, name, []), kind)
            for handler in getattr(node, "handlers", []):
                yield from _spans(handler.body, kind)


def room_sizes(package: Path) -> dict[str, RoomSize]:
    """The size of each room of a package; a folder of `jobs` is a room of its own."""
    sizes: dict[str, RoomSize] = {}
    for path in sorted(package.rglob("*.py")):
        folders = path.relative_to(package).parts[:-1]
        room = "/".join(folders[: 2 if folders[:1] == ("jobs",) else 1]) or "(top)"
        before = sizes.get(room, RoomSize(0, 0, Counter()))
        sizes[room] = RoomSize(
            before.num_files + 1,
            before.num_functions + num_functions(path),
            before.lines + Counter(line_kinds(path)),
        )
    return sizes


def num_functions(path: Path) -> int:
    """How many functions and methods a file defines."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes)
