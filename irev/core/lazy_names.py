"""Names of a module that are imported from their homes when they are first used."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it; `typing` costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(module_name: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has names of other modules.

    Args:
        module_name: its name.
        homes: name -> the module that has it; the name of this module: it is a module in it.
    """

    def get(name: str) -> Any:
        module = sys.modules[module_name]
        if name not in homes:
            raise AttributeError(
                f"module '{module_name}' has no attribute '{name}'", name=name, obj=module
            )
        from importlib import import_module

        if homes[name] == module_name:
            return import_module(f"{module_name}.{name}")
        value = getattr(import_module(homes[name]), name)
        if hasattr(value, "describe"):
            value.describe()
        vars(module)[name] = value
        return value

    return get
