"""Which files of a package import which, and which of them stand in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Import(NamedTuple):
    """That a module imports another of its package.

    Modules are called by their names below the package, a folder's own by that of the folder;
    the package's own is `__init__`.
    """

    module: str
    imported: str
    for_types: bool


def modules_of(package: Path) -> dict[str, Path]:
    """The files of a package by the names of their modules."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        modules[name] = path
    return modules


def package_imports(package: Path) -> list[Import]:
    """All imports of modules of the package, those in functions and for type checkers included."""
    modules = modules_of(package)
    imports = set()
    for module, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for_types = {
            id(inside)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and is_for_types(node)
            for statement in node.body
            for inside in ast.walk(statement)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                origins = [(alias.name, "") for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "imports are absolute here"
                origins = [(node.module or "", alias.name) for alias in node.names]
            else:
                continue
            for origin, name in origins:
                top, _, inside = origin.partition(".")
                if top == package.name:
                    longer = f"{inside}.{name}".strip(".")
                    imported = longer if longer in modules else inside or "__init__"
                    imports.add(Import(module, imported, id(node) in for_types))
    return sorted(each for each in imports if each.imported != each.module)


def is_for_types(node: ast.AST) -> bool:
    """Whether what stands there is for the type checker alone."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def circles(imports: Iterable[Import]) -> set[frozenset[str]]:
    """The sets of modules that reach each other."""
    follows: dict[str, set[str]] = {}
    for each in imports:
        follows.setdefault(each.module, set()).add(each.imported)
    reach = {module: _reachable(module, follows) for module in follows}
    return {
        frozenset({module, *(other for other in reach[module] if module in reach.get(other, ()))})
        for module in follows
        if module in reach[module]
    }


def _reachable(module: str, follows: Mapping[str, set[str]]) -> set[str]:
    """All modules that a module leads to."""
    modules: set[str] = set()
    waiting = [module]
    while waiting:
        for each in follows.get(waiting.pop(), set()) - modules:
            modules.add(each)
            waiting.append(each)
    return modules
