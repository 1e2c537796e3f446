"""The public names of irev: each stands once in the table of homes, and once for type checkers."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import irev


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(irev.__file__).read_text(encoding="utf-8"))
    imports = {
        alias.asname: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "irev")
        for alias in node.names
    }
    assert imports == irev._HOMES


def test_every_name_is_at_home() -> None:
    assert dir(irev) == irev.__all__
    for name, module in irev._HOMES.items():
        assert getattr(irev, name) is getattr(import_module(module), name), name


@pytest.mark.parametrize("namespace", irev._NAMESPACES)
def test_namespaces_have_their_names(namespace: str) -> None:
    module = getattr(irev, namespace)
    assert module is import_module(f"irev.{namespace}")
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    imports = {
        alias.asname
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert imports == {*dir(module)} == {*module.__all__}
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018
