"""The public names of irev: each has one home, and a type in the stubs that are made of them."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import irev
from tools.docs.stubs import stubs

MODULES: list[Any] = [import_module(name) for name in ("irev", "irev.plots", "irev.studies")]


def test_the_stubs_are_current() -> None:
    for path, text in stubs().items():
        assert path.read_text(encoding="utf-8") == text, "make docs writes them"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_type_checkers_see_the_same_names(module: Any) -> None:
    text = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    nodes = ast.parse(text).body
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    imported = {
        alias.asname
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    assert functions | imported == {*module.__all__}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_name_is_at_home(module: Any) -> None:
    assert dir(module) == module.__all__
    for name, home in module._HOMES.items():
        if home != module.__name__:
            assert getattr(module, name) is getattr(import_module(home), name), name
            assert name.startswith("_") or getattr(module, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_namespaces_are_modules() -> None:
    assert [irev.plots, irev.studies] == MODULES[1:]
