"""What flows between the rooms, and the primitives that every room stands on.

arrays draws ids     columns of numbers, draws by key, ids as bytes and where documents are found
text                 numbers and names, read from texts and written in sentences; short ones of runs
judged               `Rows`, `Qrels` and `Judged`, and what measures see beside grades
record job           `@record`; jobs, and results that show themselves
option_records       options, each declared once: `Opt`, `ResultOptions`; ranges of measures
option_values        what options take in place of a file: classes, weights, a pool
packages             those that a light install lacks: whether one is there, what is said if not
workers output_files threads in order, and who watches them; files that are written whole

Here are the version, and names that are imported when they are used. Everything may import this
room. It imports nothing but `irev.errors`, at its top.
"""

from __future__ import annotations

import sys

__version__ = "0.3.0"
"""Here alone it is written, and pyproject.toml reads it."""

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
        if name not in homes:
            raise UnknownNameError(module_name, name, [n for n in homes if n[0] != "_"])
        from importlib import import_module

        if homes[name] == module_name:
            return import_module(f"{module_name}.{name}")
        value = getattr(import_module(homes[name]), name)
        if hasattr(value, "describe"):
            value.describe()
        vars(sys.modules[module_name])[name] = value
        return value

    return get


class UnknownNameError(AttributeError):
    """A name that a module does not have; the text, made when it is read, hints at one it has.

    Imports ask for many such names, and never read the text.
    """

    # Python would add a hint of its own, which knows less
    name = property(lambda _: None, lambda _, __: None)

    def __str__(self) -> str:
        from difflib import get_close_matches

        module_name, name, known_names = self.args
        near = get_close_matches(name, known_names, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known_names)}"
        return f"module '{module_name}' has no attribute '{name}'; {hint}"
