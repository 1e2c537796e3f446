"""Names of a module that are imported from their homes when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(module_name: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has names of other modules.

    Args:
        module_name: its name.
        homes: name -> the module that has it.
    """

    def get(name: str) -> Any:
        module = sys.modules[module_name]
        if name not in homes:
            raise AttributeError(
                f"module '{module_name}' has no attribute '{name}'", name=name, obj=module
            )
        value = getattr(import_module(homes[name]), name)
        if hasattr(value, "describe"):
            value.describe()
        vars(module)[name] = value
        return value

    return get
